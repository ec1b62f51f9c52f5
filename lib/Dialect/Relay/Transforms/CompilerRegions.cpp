//===- CompilerRegions.cpp - Parts for other compilers --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "VariableUses.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <list>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

FnOp relay::detail::getComposite(CallIndirectOp call) {
  auto fn = call.getCallee().getDefiningOp<FnOp>();
  return fn && fn->hasAttr(kCompositeAttrName) ? fn : nullptr;
}

void relay::detail::nameComposites(func::FuncOp function) {
  function.walk([](LetOp let) {
    auto fn = let.getValue().getDefiningOp<FnOp>();
    if (!fn || !fn->hasAttr(kCompositeAttrName))
      return;
    let.getResult().replaceAllUsesWith(fn.getResult());
    let.erase();
  });
}

bool relay::detail::isClosed(func::FuncOp function) {
  return function.isExternal() || isCompiledAsItIs(function);
}

Value relay::detail::getSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BeginOp, EndOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

LogicalResult relay::detail::checkTargetName(StringRef name, Location loc) {
  if (!name.empty() && name != kDefaultTarget && !name.contains('.'))
    return success();
  return emitError(loc, "expects the name of a target, without a dot and other "
                        "than \"default\", but got \"")
         << name << "\"";
}

FailureOr<llvm::StringMap<llvm::StringSet<>>>
relay::detail::parseTargetOperators(ArrayRef<std::string> entries,
                                    Location loc) {
  llvm::StringMap<llvm::StringSet<>> byTarget;
  for (StringRef entry : entries) {
    auto [target, name] = entry.split(':');
    if (!getOperatorSchema(name))
      return emitError(loc, "expects operators as target:name of an operator, "
                            "but got \"")
             << entry << "\"";
    byTarget[target].insert(name);
  }
  return byTarget;
}

Operation *relay::detail::cloneWithConstants(Operation *op, OpBuilder &builder,
                                             IRMapping &mapping) {
  auto cloneSource = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (source && !mapping.contains(value) &&
        (isConstant(value) || isa<FnOp, GlobalOp>(source)))
      cloneWithConstants(source, builder, mapping);
  };
  for (Value operand : op->getOperands())
    cloneSource(operand);
  op->walk([&](Operation *inner) {
    if (inner != op)
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() != inner->getParentRegion() &&
            !op->isAncestor(operand.getParentBlock()->getParentOp()))
          cloneSource(operand);
  });
  return builder.clone(*op, mapping);
}

bool relay::detail::isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto tuple = dyn_cast_if_present<TupleOp>(op))
    return llvm::all_of(tuple.getFields(), isConstant);
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

void relay::detail::removeDefaultAnnotations(func::FuncOp function) {
  SmallVector<Operation *> annotations;
  function.walk([&](Operation *op) {
    if (auto begin = dyn_cast<BeginOp>(op);
        begin && begin.getCompiler() == kDefaultTarget)
      annotations.push_back(begin);
    if (auto end = dyn_cast<EndOp>(op);
        end && end.getCompiler() == kDefaultTarget)
      annotations.push_back(end);
  });
  for (Operation *op : annotations) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

bool relay::detail::needsNoRegion(Value value) {
  Operation *source = value.getDefiningOp();
  return source && (source->hasTrait<OpTrait::ConstantLike>() ||
                    isa<FnOp, GlobalOp>(source));
}

namespace mlir::relay::detail {

/// Goes through a function once, in the order of its program.
class RegionBuilder {
public:
  LogicalResult run(func::FuncOp function);
  CompilerRegions finish();

private:
  /// What is known of a set of regions that are one.
  struct Draft {
    unsigned id;
    StringRef target;
    /// An operation of it, for messages.
    Operation *first;
    std::list<BeginOp> begins;
    std::list<EndOp> ends;
  };

  LogicalResult visit(Operation *op);
  LogicalResult visitBegin(BeginOp begin);
  LogicalResult visitEnd(EndOp end);
  LogicalResult visitOther(Operation *op);
  /// The number of the region that a value is in; nothing if it is in none, or
  /// has left it.
  std::optional<unsigned> getOpenRegion(Value value);
  Draft &getDraft(unsigned number) { return drafts[find(number)]; }
  unsigned find(unsigned number);
  /// `into` keeps its number; its inputs come first.
  void merge(unsigned from, unsigned into);
  LogicalResult checkBlock(Operation *op, Value operand);

  /// Numbers of regions are those of their begins. `parents` are a forest.
  std::vector<unsigned> parents;
  std::vector<Draft> drafts;
  DenseMap<Operation *, unsigned> numbers;
  std::vector<Operation *> order;
};

} // namespace mlir::relay::detail

unsigned RegionBuilder::find(unsigned number) {
  while (parents[number] != number) {
    parents[number] = parents[parents[number]];
    number = parents[number];
  }
  return number;
}

void RegionBuilder::merge(unsigned from, unsigned into) {
  from = find(from);
  into = find(into);
  if (from == into)
    return;
  Draft &source = drafts[from], &target = drafts[into];
  target.begins.splice(target.begins.end(), source.begins);
  target.ends.splice(target.ends.end(), source.ends);
  parents[from] = into;
}

std::optional<unsigned> RegionBuilder::getOpenRegion(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<EndOp>(op))
    return std::nullopt;
  auto it = numbers.find(op);
  if (it == numbers.end())
    return std::nullopt;
  return find(it->second);
}

LogicalResult RegionBuilder::visitBegin(BeginOp begin) {
  if (std::optional<unsigned> region = getOpenRegion(begin.getData()))
    return begin.emitOpError("expects a value that has left its region through "
                             "compiler_end, but got one of a region of \"")
           << getDraft(*region).target << "\"";
  unsigned number = drafts.size();
  parents.push_back(number);
  drafts.push_back({number, begin.getCompiler(), begin, {begin}, {}});
  numbers[begin] = number;
  return success();
}

LogicalResult RegionBuilder::visitEnd(EndOp end) {
  std::optional<unsigned> region = getOpenRegion(end.getData());
  if (!region) {
    InFlightDiagnostic diag = end.emitOpError(
        "expects a value of a region that compiler_begin begins, but got one "
        "of none");
    if (Operation *op = end.getData().getDefiningOp())
      diag.attachNote(op->getLoc()) << "the value is computed here";
    return diag;
  }
  Draft &draft = getDraft(*region);
  if (draft.target != end.getCompiler()) {
    InFlightDiagnostic diag =
        end.emitOpError("expects the end of a region of \"")
        << draft.target << "\", but got one of \"" << end.getCompiler() << "\"";
    diag.attachNote(draft.begins.front()->getLoc()) << "the region begins here";
    return diag;
  }
  draft.ends.push_back(end);
  numbers[end] = *region;
  return success();
}

LogicalResult RegionBuilder::checkBlock(Operation *op, Value operand) {
  Operation *source = operand.getDefiningOp();
  if (source->getBlock() == op->getBlock())
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("expects the operations of a region in one block, but "
                      "got an operand from another one");
  diag.attachNote(source->getLoc()) << "the operand is computed here";
  return diag;
}

LogicalResult RegionBuilder::visitOther(Operation *op) {
  std::optional<unsigned> first;
  Value open, closed;
  // Which closure is called is no operand.
  auto call = dyn_cast<CallIndirectOp>(op);
  OperandRange operands = call ? call.getArgs() : op->getOperands();
  for (Value operand : operands) {
    if (std::optional<unsigned> region = getOpenRegion(operand)) {
      if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions()) {
        InFlightDiagnostic diag = op->emitOpError(
            "expects values that have left their region through "
            "compiler_end, but got one of a region of \"");
        diag << getDraft(*region).target << "\"";
        diag.attachNote(operand.getLoc()) << "the value is computed here";
        return diag;
      }
      if (failed(checkBlock(op, operand)))
        return failure();
      if (!first) {
        first = region;
        open = operand;
      } else if (getDraft(*first).target != getDraft(*region).target) {
        InFlightDiagnostic diag =
            op->emitOpError("expects operands of a region for one compiler, "
                            "but got \"")
            << getDraft(*first).target << "\" and \""
            << getDraft(*region).target << "\"";
        return diag;
      }
      continue;
    }
    if (needsNoRegion(getBound(operand)))
      continue;
    closed = operand;
  }
  if (!first)
    return success();
  if (closed) {
    InFlightDiagnostic diag =
        op->emitOpError("expects all operands in a region, or none, but got "
                        "some outside of that of \"")
        << getDraft(*first).target << "\"";
    diag.attachNote(open.getLoc()) << "this one is in it";
    diag.attachNote(closed.getLoc()) << "this one is not";
    return diag;
  }
  if (call && getDraft(*first).target != kDefaultTarget &&
      !isa_and_present<FnOp, GlobalOp>(call.getCallee().getDefiningOp()))
    return call.emitOpError("expects calls of known functions in a region of "
                            "\"")
           << getDraft(*first).target << "\", but got one of a variable";
  for (Value operand : operands)
    if (std::optional<unsigned> region = getOpenRegion(operand))
      merge(*region, *first);
  numbers[op] = *first;
  order.push_back(op);
  return success();
}

LogicalResult RegionBuilder::visit(Operation *op) {
  if (auto begin = dyn_cast<BeginOp>(op))
    return visitBegin(begin);
  if (auto end = dyn_cast<EndOp>(op))
    return visitEnd(end);
  return visitOther(op);
}

LogicalResult RegionBuilder::run(func::FuncOp function) {
  WalkResult result = function.walk<WalkOrder::PostOrder>([&](Operation *op) {
    return op == function ? WalkResult::advance() : WalkResult(visit(op));
  });
  return failure(result.wasInterrupted());
}

CompilerRegions RegionBuilder::finish() {
  CompilerRegions regions;
  std::vector<CompilerRegion *> made(drafts.size());
  auto get = [&](unsigned number) {
    number = find(number);
    if (!made[number]) {
      Draft &draft = drafts[number];
      regions.storage.push_back(std::make_unique<CompilerRegion>());
      made[number] = regions.storage.back().get();
      made[number]->id = draft.id;
      made[number]->target = draft.target;
    }
    return made[number];
  };
  for (auto [op, number] : numbers)
    regions.regionOf[op] = get(number);
  for (Operation *op : order) {
    CompilerRegion *region = get(numbers[op]);
    if (!region->block) {
      region->block = op->getBlock();
      regions.regions.push_back(region);
      regions.blocks[region->block].push_back(region);
    }
    region->ops.push_back(op);
  }
  for (auto [number, draft] : llvm::enumerate(drafts)) {
    CompilerRegion *region = made[number];
    if (!region || find(number) != number)
      continue;
    // A value that left the region and came back is of the region.
    for (BeginOp begin : draft.begins) {
      Operation *source = getSource(begin.getData()).getDefiningOp();
      if (!source || regions.lookup(source) != region)
        region->inputs.emplace_back(begin, region->inputs.size());
    }
    llvm::sort(region->inputs, [&](auto &a, auto &b) {
      return numbers.lookup(a.first) < numbers.lookup(b.first);
    });
    llvm::append_range(region->ends, draft.ends);
  }
  return regions;
}

/// Takes away what passes have put between the operations of regions: names of
/// what is inside of one, which an order of the program would come with, where
/// it ends, and names of constants and closures that go with it; and ends of
/// values that have come to need no operands, such as zeros, which are ours.
static void removeNames(func::FuncOp function) {
  DenseMap<Value, StringRef> targets;
  SmallVector<Operation *> dead;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto begin = dyn_cast<BeginOp>(op)) {
      targets[begin] = begin.getCompiler();
      return;
    }
    if (auto end = dyn_cast<EndOp>(op)) {
      Operation *source = end.getData().getDefiningOp();
      if (source && source->getNumOperands() == 0 &&
          source->getNumRegions() == 0) {
        end.getResult().replaceAllUsesWith(end.getData());
        dead.push_back(end);
      }
      return;
    }
    auto inside = llvm::find_if(op->getOperands(), [&](Value value) {
      return targets.contains(value);
    });
    if (inside == op->operand_end() || op->getNumRegions() ||
        op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (auto let = dyn_cast<LetOp>(op)) {
      let.getResult().replaceAllUsesWith(let.getValue());
      dead.push_back(let);
      return;
    }
    if (isa<MemoryKillOp>(op)) {
      for (Operation *user : op->getUsers())
        if (isa<LetOp>(user) && user->use_empty())
          dead.push_back(user);
      dead.push_back(op);
      return;
    }
    StringRef target = targets.lookup(*inside);
    for (Value result : op->getResults())
      targets[result] = target;
    for (OpOperand &operand : op->getOpOperands()) {
      Value bound = getBound(operand.get());
      // What we compile has closures where they are.
      if (needsNoRegion(bound) &&
          (target != kDefaultTarget || !bound.getDefiningOp<FnOp>()))
        operand.set(bound);
    }
  });
  for (Operation *op : dead)
    if (op->use_empty())
      op->erase();
}

FailureOr<CompilerRegions> CompilerRegions::create(func::FuncOp function) {
  removeNames(function);
  settleDefaults(function);
  RegionBuilder builder;
  if (failed(builder.run(function)))
    return failure();
  return builder.finish();
}

void CompilerRegions::forget(const CompilerRegion &region) {
  for (Operation *op : region.ops)
    regionOf.erase(op);
  for (auto [begin, index] : region.inputs)
    regionOf.erase(begin);
  for (EndOp end : region.ends)
    regionOf.erase(end);
}

//===----------------------------------------------------------------------===//
// What needs what
//===----------------------------------------------------------------------===//

/// Whether a value of a type gives access to a cell.
static bool hasReference(Type type) {
  WalkResult result = type.walk([](Type part) {
    return isa<RefType>(part) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool RegionGraph::isOrdered(Operation *op) const {
  if (isa<FnOp, ApplyOp, BeginOp, EndOp, LetOp>(op))
    return false;
  if (auto call = dyn_cast<CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    return !callee || !isClosed(callee) ||
           llvm::any_of(call->getOperandTypes(), hasReference);
  }
  if (auto call = dyn_cast<CallIndirectOp>(op)) {
    // Closures that have names do what they do.
    auto fn = getBound(call.getCallee()).getDefiningOp<FnOp>();
    return !fn || llvm::any_of(fn.getBody().front(), [&](Operation &inner) {
      return isOrdered(&inner);
    });
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.front())
        if (isOrdered(&inner))
          return true;
    return false;
  }
  return !isMemoryEffectFree(op);
}

unsigned RegionGraph::getNode(Operation *op, const CompilerRegions &regions) {
  CompilerRegion *region = regions.lookup(op);
  unsigned node = nodes.size();
  if (region)
    node = regionNodes.try_emplace(region, node).first->second;
  if (node == nodes.size())
    nodes.push_back({region, region ? nullptr : op, {}});
  opNodes[op] = node;
  return node;
}

void RegionGraph::addNeeds(unsigned node, Operation *op) {
  SmallVector<unsigned, 2> &needs = nodes[node].needs;
  auto add = [&](Value operand) {
    Operation *source = getSource(operand).getDefiningOp();
    if (!source || source->getBlock() != &block)
      return;
    unsigned other = opNodes.lookup(source);
    if (other != node && (needs.empty() || needs.back() != other))
      needs.push_back(other);
  };
  // Arguments come before the callee.
  auto call = dyn_cast<CallIndirectOp>(op);
  for (Value operand : call ? OperandRange(call.getArgs()) : op->getOperands())
    add(operand);
  if (call)
    add(call.getCallee());
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        add(operand);
    });
}

RegionGraph::RegionGraph(Block &block, const CompilerRegions &regions,
                         SymbolTable &symbols)
    : block(block), symbols(symbols) {
  for (Operation &op : block.without_terminator())
    if (!isa<BeginOp, EndOp>(op))
      getNode(&op, regions);
  std::optional<unsigned> last;
  for (Operation &op : block.without_terminator()) {
    if (isa<BeginOp, EndOp>(op))
      continue;
    unsigned node = opNodes.lookup(&op);
    if (isOrdered(&op)) {
      if (last && *last != node)
        nodes[node].needs.push_back(*last);
      last = node;
    }
    // Variables stay in the order of the program if nothing is against it.
    if (last == node || isa<LetOp>(op))
      ordered.push_back(node);
    addNeeds(node, &op);
  }
  for (Value operand : block.getTerminator()->getOperands())
    if (Operation *source = getSource(operand).getDefiningOp();
        source && source->getBlock() == &block)
      results.push_back(opNodes.lookup(source));
}

FailureOr<std::vector<unsigned>> RegionGraph::sort() const {
  enum : char { New, Open, Done };
  std::vector<char> states(nodes.size(), New);
  std::vector<unsigned> order;
  std::vector<std::pair<unsigned, unsigned>> stack;
  auto push = [&](unsigned node) {
    states[node] = Open;
    stack.emplace_back(node, 0);
  };
  auto visit = [&](unsigned root) -> LogicalResult {
    if (states[root] == Done)
      return success();
    push(root);
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == nodes[node].needs.size()) {
        states[node] = Done;
        order.push_back(node);
        stack.pop_back();
        continue;
      }
      unsigned need = nodes[node].needs[next++];
      if (states[need] == New) {
        push(need);
      } else if (states[need] == Open) {
        // Operations alone are in order, so that one of the circle is a region.
        auto it = llvm::find_if(llvm::reverse(stack), [&](auto &entry) {
          return nodes[entry.first].region;
        });
        CompilerRegion *region = nodes[it->first].region;
        InFlightDiagnostic diag =
            emitError(region->ops.front()->getLoc(),
                      "expects regions that can be computed one after "
                      "another, but a region of \"")
            << region->target << "\" needs its own result";
        diag.attachNote(region->ops.back()->getLoc())
            << "this operation is in the same region";
        return diag;
      }
    }
    return success();
  };
  for (unsigned node : ordered)
    if (failed(visit(node)))
      return failure();
  for (unsigned node : results)
    if (failed(visit(node)))
      return failure();
  for (unsigned node = 0; node != nodes.size(); ++node)
    if (failed(visit(node)))
      return failure();
  return order;
}
