//===- CallGraph.cpp - Which function calls which -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

struct Node {
  func::FuncOp function;
  std::vector<unsigned> callees;
  /// As of Tarjan's algorithm: 0 is not visited.
  unsigned index = 0, low = 0;
  bool onStack = false;
};

} // namespace

static std::vector<Node> buildGraph(ModuleOp module) {
  std::vector<Node> nodes;
  DenseMap<StringAttr, unsigned> numbers;
  for (auto function : module.getOps<func::FuncOp>()) {
    numbers[function.getSymNameAttr()] = nodes.size();
    nodes.emplace_back().function = function;
  }
  for (Node &node : nodes) {
    llvm::SmallSetVector<unsigned, 8> callees;
    auto addUse = [&](StringAttr name) {
      if (auto it = numbers.find(name); it != numbers.end())
        callees.insert(it->second);
    };
    node.function.walk([&](Operation *op) {
      if (auto call = dyn_cast<CallOp>(op))
        addUse(call.getCalleeAttr().getAttr());
      else if (auto global = dyn_cast<GlobalOp>(op))
        addUse(global.getSymbol().getRootReference());
    });
    node.callees.assign(callees.begin(), callees.end());
  }
  return nodes;
}

std::vector<CallCycle> relay::getCalleesFirst(ModuleOp module) {
  std::vector<Node> nodes = buildGraph(module);
  std::vector<CallCycle> cycles;
  std::vector<unsigned> stack;
  unsigned nextIndex = 1;
  // Calls may be nested deeper than the stack is.
  struct Frame {
    unsigned node;
    size_t nextCallee = 0;
  };
  std::vector<Frame> frames;
  auto enter = [&](unsigned number) {
    nodes[number].index = nodes[number].low = nextIndex++;
    nodes[number].onStack = true;
    stack.push_back(number);
    frames.push_back({number});
  };
  for (unsigned root = 0, end = nodes.size(); root != end; ++root) {
    if (nodes[root].index)
      continue;
    enter(root);
    while (!frames.empty()) {
      Frame &frame = frames.back();
      Node &node = nodes[frame.node];
      if (frame.nextCallee != node.callees.size()) {
        unsigned callee = node.callees[frame.nextCallee++];
        if (!nodes[callee].index)
          enter(callee);
        else if (nodes[callee].onStack)
          node.low = std::min(node.low, nodes[callee].index);
        continue;
      }
      unsigned number = frame.node;
      frames.pop_back();
      if (!frames.empty()) {
        Node &caller = nodes[frames.back().node];
        caller.low = std::min(caller.low, node.low);
      }
      if (node.low != node.index)
        continue;
      CallCycle &cycle = cycles.emplace_back();
      unsigned member;
      do {
        member = stack.back();
        stack.pop_back();
        nodes[member].onStack = false;
        cycle.functions.push_back(nodes[member].function);
      } while (member != number);
      // In the order of the module, for reproducible results.
      std::reverse(cycle.functions.begin(), cycle.functions.end());
      cycle.recursive = cycle.functions.size() > 1 ||
                        llvm::is_contained(node.callees, number);
    }
  }
  return cycles;
}

unsigned relay::eraseUnreachableFunctions(ModuleOp module,
                                          ArrayRef<Operation *> roots) {
  SymbolTable symbols(module);
  DenseSet<Operation *> reached(roots.begin(), roots.end());
  SmallVector<Operation *> worklist(roots);
  while (!worklist.empty()) {
    auto uses = SymbolTable::getSymbolUses(worklist.pop_back_val());
    // An operation that is not known may use anything.
    if (!uses)
      return 0;
    for (SymbolTable::SymbolUse use : *uses) {
      Operation *symbol = symbols.lookup(use.getSymbolRef().getRootReference());
      if (symbol && reached.insert(symbol).second)
        worklist.push_back(symbol);
    }
  }
  unsigned count = 0;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!reached.contains(function)) {
      function.erase();
      ++count;
    }
  return count;
}
