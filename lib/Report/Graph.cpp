//===- Graph.cpp - The graph of a module, as data -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relay;

/// Longer texts of attributes and types are cut.
static constexpr size_t kMaxTextLength = 300;
/// Places of a fused operation that are named.
static constexpr unsigned kMaxPlaces = 8;

unsigned TextTable::add(StringRef text) {
  // Names may have any bytes, JSON has not.
  if (!llvm::json::isUTF8(text))
    return add(llvm::json::fixUTF8(text));
  auto [it, isNew] = numbers.try_emplace(text, texts.size());
  if (isNew)
    texts.push_back(it->getKey());
  return it->second;
}

OpPrintingFlags relay::getReportFlags() {
  return OpPrintingFlags()
      .useLocalScope()
      .elideLargeResourceString(0)
      .elideLargeElementsAttrs(16);
}

/// Writes where in the source something is, without the syntax of MLIR.
static void printPlace(Location loc, raw_ostream &os, unsigned &numPlaces) {
  if (numPlaces > kMaxPlaces)
    return;
  if (auto file = dyn_cast<FileLineColRange>(loc)) {
    ++numPlaces;
    os << file.getFilename().getValue() << ':' << file.getStartLine() << ':'
       << file.getStartColumn();
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    os << name.getName().getValue();
    if (isa<UnknownLoc>(name.getChildLoc())) {
      ++numPlaces;
      return;
    }
    os << " (";
    printPlace(name.getChildLoc(), os, numPlaces);
    os << ')';
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    printPlace(call.getCallee(), os, numPlaces);
    os << " from ";
    printPlace(call.getCaller(), os, numPlaces);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (auto [index, part] : llvm::enumerate(fused.getLocations())) {
      if (index)
        os << ", ";
      if (numPlaces >= kMaxPlaces) {
        os << "...";
        return;
      }
      printPlace(part, os, numPlaces);
    }
  }
}

bool GraphNode::operator==(const GraphNode &other) const {
  auto getFields = [](const GraphNode &node) {
    return std::tie(node.op, node.value, node.attributes, node.location,
                    node.types, node.inputs, node.callee, node.parent,
                    node.kind);
  };
  return getFields(*this) == getFields(other);
}

bool GraphFunction::operator==(const GraphFunction &other) const {
  return std::tie(name, kind, compiler, nodes, numOmitted) ==
         std::tie(other.name, other.kind, other.compiler, other.nodes,
                  other.numOmitted);
}

/// What is said of a function by its attributes, or nothing.
static StringRef getKind(Operation *op) {
  if (op->hasAttr(kCompilerAttrName))
    return "external";
  return op->hasAttr(kPrimitiveAttrName) ? "primitive" : "";
}

size_t Graph::getNumNodes() const {
  size_t count = 0;
  for (const GraphFunction &function : functions)
    count += function.nodes.size();
  return count;
}

namespace {
class GraphBuilder {
public:
  GraphBuilder(Operation *root, TextTable &texts, size_t maxNodes)
      : texts(texts), state(root, getReportFlags()), numLeft(maxNodes) {}

  void addFunction(Operation *op, StringRef name);

  Graph graph;

private:
  unsigned addBlock(Block &block, GraphFunction &function, int parent);
  void addOperation(Operation &op, GraphFunction &function, int parent);
  unsigned addText(llvm::function_ref<void(raw_ostream &)> print);
  unsigned addLocation(Location loc);
  unsigned addAttributes(Operation &op, unsigned &callee);
  unsigned addValue(Value value);

  TextTable &texts;
  AsmState state;
  size_t numLeft;
  /// Node and result of each value; the node that wrote a buffer last, for
  /// operations that write to memory instead of having results.
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> sources;
};
} // namespace

unsigned GraphBuilder::addText(llvm::function_ref<void(raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  if (text.size() > kMaxTextLength) {
    text.resize(kMaxTextLength);
    text += "...";
  }
  return texts.add(text);
}

unsigned GraphBuilder::addLocation(Location loc) {
  return addText([&](raw_ostream &os) {
    unsigned numPlaces = 0;
    printPlace(loc, os, numPlaces);
  });
}

unsigned GraphBuilder::addValue(Value value) {
  return addText([&](raw_ostream &os) { value.printAsOperand(os, state); });
}

unsigned GraphBuilder::addAttributes(Operation &op, unsigned &callee) {
  return addText([&](raw_ostream &os) {
    llvm::interleave(
        op.getAttrs(), os,
        [&](NamedAttribute attribute) {
          auto symbol = dyn_cast<SymbolRefAttr>(attribute.getValue());
          if (symbol && callee == 0)
            callee = texts.add(symbol.getLeafReference());
          os << attribute.getName().getValue() << " = ";
          // Elements may be many, and the printer of attributes writes all.
          auto elements = dyn_cast<ElementsAttr>(attribute.getValue());
          if (elements && !isa<DenseResourceElementsAttr>(elements) &&
              elements.getNumElements() > 16)
            os << "dense<...> : " << elements.getShapedType();
          else
            attribute.getValue().print(os, state);
        },
        "\n");
  });
}

void GraphBuilder::addOperation(Operation &op, GraphFunction &function,
                                int parent) {
  if (numLeft == 0) {
    ++function.numOmitted;
    return;
  }
  --numLeft;
  GraphNode node;
  node.op = texts.add(op.getName().getStringRef());
  node.location = addLocation(op.getLoc());
  node.attributes = addAttributes(op, node.callee);
  node.parent = parent;
  node.kind = getKind(&op);
  if (op.getNumResults())
    node.value = addValue(op.getResult(0));
  for (Type type : op.getResultTypes())
    node.types.push_back(addText([&](raw_ostream &os) { os << type; }));
  for (Value operand : op.getOperands())
    if (auto it = sources.find(operand); it != sources.end())
      node.inputs.push_back(it->second);
  unsigned index = function.nodes.size();
  function.nodes.push_back(std::move(node));
  for (OpResult result : op.getResults())
    sources[result] = {index, result.getResultNumber()};
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      // What goes into a region, and what its end gives to the operation.
      addBlock(block, function, index);
      if (!block.empty() && function.nodes.size() > index + 1)
        function.nodes[index].inputs.push_back(
            {static_cast<unsigned>(function.nodes.size()) - 1, 0});
    }
  // What it writes to memory others read from there.
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        sources[effect.getValue()] = {index, 0};
  }
}

unsigned GraphBuilder::addBlock(Block &block, GraphFunction &function,
                                int parent) {
  for (BlockArgument argument : block.getArguments()) {
    if (numLeft == 0)
      break;
    --numLeft;
    GraphNode node;
    node.op = texts.add("argument");
    node.value = addValue(argument);
    node.location = addLocation(argument.getLoc());
    node.types.push_back(
        addText([&](raw_ostream &os) { os << argument.getType(); }));
    node.parent = parent;
    sources[argument] = {static_cast<unsigned>(function.nodes.size()), 0};
    function.nodes.push_back(std::move(node));
  }
  for (Operation &op : block)
    addOperation(op, function, parent);
  return function.nodes.size();
}

void GraphBuilder::addFunction(Operation *op, StringRef name) {
  GraphFunction &function = graph.functions.emplace_back();
  function.name = name.str();
  if (isa<tir::PrimFuncOp>(op)) {
    function.kind = "kernel";
    return;
  }
  if (StringRef kind = getKind(op); !kind.empty())
    function.kind = kind;
  if (auto compiler = op->getAttrOfType<StringAttr>(kCompilerAttrName))
    function.compiler = compiler.str();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      addBlock(block, function, /*parent=*/-1);
}

Graph relay::buildGraph(Operation *root, TextTable &texts, size_t maxNodes) {
  // The empty text is what is not there.
  texts.add("");
  GraphBuilder builder(root, texts, maxNodes);
  auto add = [&](Operation *op) {
    if (!isa<FunctionOpInterface>(op))
      return WalkResult::advance();
    auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    builder.addFunction(op, name ? name.getValue() : "");
    return WalkResult::skip();
  };
  root->walk<WalkOrder::PreOrder>(add);
  return std::move(builder.graph);
}

llvm::json::Value Graph::toJSON() const {
  llvm::json::Array list;
  for (const GraphFunction &function : functions) {
    llvm::json::Array nodes;
    for (const GraphNode &node : function.nodes) {
      llvm::json::Array inputs;
      for (auto [source, result] : node.inputs)
        inputs.push_back(llvm::json::Array{source, result});
      llvm::json::Object object{{"op", node.op},
                                {"value", node.value},
                                {"types", llvm::json::Array(node.types)},
                                {"attributes", node.attributes},
                                {"location", node.location},
                                {"inputs", std::move(inputs)}};
      if (node.callee)
        object["callee"] = node.callee;
      if (node.parent >= 0)
        object["parent"] = node.parent;
      if (!node.kind.empty())
        object["kind"] = node.kind;
      nodes.push_back(std::move(object));
    }
    list.push_back(llvm::json::Object{{"name", function.name},
                                      {"kind", function.kind},
                                      {"compiler", function.compiler},
                                      {"nodes", std::move(nodes)},
                                      {"omitted", function.numOmitted}});
  }
  return llvm::json::Object{{"functions", std::move(list)}};
}
