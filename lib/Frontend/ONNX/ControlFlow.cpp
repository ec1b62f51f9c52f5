//===- ControlFlow.cpp - Graphs in nodes, and If --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph in a node sees the names around it. What it takes from there becomes
// a value before the region of the graph is built, so that a region only has
// what is computed in it.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include "Lists.h"
#include "NodeContext.h"
#include "NodeOrder.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

ValueKind ValueKind::get(Importer &importer, Value value) {
  ValueKind kind{value.getType(), {}};
  if (isa<RankedTensorType>(kind.type))
    kind.dims = importer.getDims(value);
  return kind;
}

Type mlir::relay::onnx::joinTypes(Type lhs, Type rhs) {
  if (lhs == rhs || isa<IncompleteType>(rhs))
    return lhs;
  if (isa<IncompleteType>(lhs))
    return rhs;
  if (auto tensor = dyn_cast<RankedTensorType>(lhs)) {
    auto other = dyn_cast<RankedTensorType>(rhs);
    if (!other || other.getRank() != tensor.getRank() ||
        other.getElementType() != tensor.getElementType())
      return nullptr;
    SmallVector<int64_t> shape(tensor.getShape());
    for (auto [size, otherSize] : llvm::zip_equal(shape, other.getShape()))
      if (size != otherSize)
        size = ShapedType::kDynamic;
    return RankedTensorType::get(shape, tensor.getElementType());
  }
  auto data = dyn_cast<ADTType>(lhs), other = dyn_cast<ADTType>(rhs);
  if (!data || !other || data.getName() != other.getName())
    return nullptr;
  SmallVector<Type> args;
  for (auto [arg, otherArg] :
       llvm::zip_equal(data.getArgs(), other.getArgs())) {
    args.push_back(joinTypes(arg, otherArg));
    if (!args.back())
      return nullptr;
  }
  return ADTType::get(data.getName(), args);
}

ValueKind mlir::relay::onnx::joinKinds(Importer &importer, const ValueKind &lhs,
                                       const ValueKind &rhs) {
  ValueKind kind{joinTypes(lhs.type, rhs.type), {}};
  auto tensor = dyn_cast_if_present<RankedTensorType>(kind.type);
  if (!tensor)
    return kind;
  for (auto [axis, size] : llvm::enumerate(tensor.getShape())) {
    if (!ShapedType::isDynamic(size))
      kind.dims.push_back(ShapeScalar::get(size));
    else if (lhs.dims[axis].isSame(rhs.dims[axis]))
      kind.dims.push_back(lhs.dims[axis]);
    else
      kind.dims.push_back(importer.createSymbol());
  }
  return kind;
}

Value mlir::relay::onnx::widen(Importer &importer, Location loc, Value value,
                               Type type) {
  if (value.getType() == type)
    return value;
  OpBuilder &builder = importer.getBuilder();
  ListBuilder lists(importer.getModule(), builder, loc);
  // What has no elements has the elements of any type.
  auto isIncomplete = [](Type element) {
    return isa_and_nonnull<IncompleteType>(element);
  };
  if (isIncomplete(getListElement(value.getType())))
    return lists.createNil(getListElement(type));
  if (isIncomplete(getOptionElement(value.getType())))
    return lists.createNone(getOptionElement(type));
  return AscribeOp::create(builder, loc, type, value);
}

Value mlir::relay::onnx::getField(Importer &importer, Location loc, Value tuple,
                                  unsigned index, const ValueKind &kind) {
  Value field = TupleGetItemOp::create(importer.getBuilder(), loc, kind.type,
                                       tuple, index);
  if (!kind.dims.empty())
    importer.setDims(field, {kind.dims});
  return field;
}

Value mlir::relay::onnx::toScalar(NodeContext &node, Binding &binding,
                                  Type elementType, StringRef what) {
  auto type = dyn_cast<RankedTensorType>(binding.value.getType());
  if (!type || type.getElementType() != elementType ||
      (type.hasStaticShape() && type.getNumElements() != 1)) {
    node.emitError() << "expects " << what << " of one element of type "
                     << elementType << ", but \"" << binding.name << "\" is "
                     << binding.value.getType();
    return nullptr;
  }
  if (type.getRank() == 0)
    return binding.value;
  return node.reshape(binding.value, ArrayRef<int64_t>{});
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

int64_t mlir::relay::onnx::countNodes(const Graph &graph) {
  int64_t count = 0;
  for (const Node &node : graph.nodes) {
    ++count;
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        count += countNodes(*attribute.graph);
  }
  return count;
}

LogicalResult Importer::materializeCaptured(PendingNode &pending,
                                            const Graph &graph) {
  llvm::SetVector<StringRef> names;
  collectCaptured(graph, names);
  // Names that are not there are reported where they are read.
  for (StringRef name : names)
    if (Binding *binding = pending.frame->lookup(name))
      if (failed(materialize(*binding)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

const Graph *Importer::findGraph(const PendingNode &pending, StringRef name) {
  for (const NodeAttribute &attribute : pending.node->attributes) {
    const NodeAttribute *found = &attribute;
    if (attribute.name == name && !attribute.reference.empty())
      found = pending.frame->lookupAttribute(attribute.reference);
    if (attribute.name == name && found && found->graph)
      return found->graph.get();
  }
  emitError(*pending.node, pending.opset)
      << "expects attribute \"" << name << "\", a graph";
  return nullptr;
}

FailureOr<SmallVector<Binding *>>
Importer::importGraph(PendingNode &pending, const Graph &graph, StringRef name,
                      ArrayRef<Binding *> inputs, Binding *iteration) {
  // Graphs in graphs are imported again where sizes turn out to be open.
  numGraphNodes += graph.nodes.size();
  if (numGraphNodes > kMaxNodes)
    return emitError(*pending.node, pending.opset)
           << "expects at most " << kMaxNodes
           << " nodes in graphs of nodes, those of loops counted as often as "
              "they are looked at";
  Frame &frame = createFrame();
  frame.parent = pending.frame;
  frame.iteration = iteration;
  frame.opsets = pending.frame->opsets;
  frame.graph = &graph;
  for (auto [info, binding] : llvm::zip_equal(graph.inputs, inputs))
    if (!frame.bindings.try_emplace(info.name, binding).second)
      return emitError(*pending.node, pending.opset)
             << "expects inputs of " << name << " with names of their own, but "
             << "got \"" << info.name << "\" twice";
  if (failed(addInitializers(graph, frame)) ||
      failed(importNodes(graph.nodes, frame)))
    return failure();
  SmallVector<Binding *> outputs;
  for (const ValueInfo &output : graph.outputs) {
    outputs.push_back(frame.lookup(output.name));
    if (!outputs.back())
      return emitError(*pending.node, pending.opset)
             << "output \"" << output.name << "\" of " << name
             << " is not computed by any node";
  }
  return outputs;
}

LogicalResult Importer::buildInBlock(Block &block,
                                     function_ref<LogicalResult()> build) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  // Constants of a region are its own.
  decltype(constants) outer;
  std::swap(outer, constants);
  openBlocks.push_back(&block);
  LogicalResult result = build();
  openBlocks.pop_back();
  std::swap(outer, constants);
  return result;
}

void Importer::forget(Operation *op) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults()) {
      dims.erase(result);
      scalarsOrMore.erase(result);
    }
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          dims.erase(argument);
  });
}

void Importer::eraseBlock(std::unique_ptr<Block> block) {
  for (Operation &op : *block)
    forget(&op);
  for (BlockArgument argument : block->getArguments())
    dims.erase(argument);
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// The node that computes the only output of `graph`; null if there is none.
static const Node *findResult(const Graph &graph) {
  if (graph.outputs.size() != 1)
    return nullptr;
  for (const Node &node : graph.nodes)
    if (llvm::is_contained(node.outputs, graph.outputs.front().name))
      return node.domain.empty() ? &node : nullptr;
  return nullptr;
}

/// PyTorch's `squeeze` of a dimension that is not known: one branch is Squeeze,
/// the other one leaves the same value as it is. The number of the former.
static std::optional<unsigned>
findSqueezingBranch(ArrayRef<const Graph *> branches) {
  const Node *results[] = {findResult(*branches[0]), findResult(*branches[1])};
  if (!results[0] || !results[1])
    return std::nullopt;
  for (unsigned side : {0, 1})
    if (results[side]->opType == "Squeeze" &&
        results[1 - side]->opType == "Identity" &&
        !results[side]->inputs.empty() && !results[1 - side]->inputs.empty() &&
        results[side]->inputs.front() == results[1 - side]->inputs.front())
      return side;
  return std::nullopt;
}

/// What an If depends on; null after an error.
static Value getCondition(Importer &importer, NodeContext &node,
                          PendingNode &pending) {
  Binding &condition = *pending.inputs.front();
  if (failed(importer.materialize(condition)))
    return {};
  return toScalar(node, condition, node.getBuilder().getI1Type(),
                  "a condition");
}

LogicalResult Importer::importSqueeze(PendingNode &pending, const Graph &branch,
                                      bool isThen) {
  NodeContext context(*this, pending);
  Value condition = getCondition(*this, context, pending);
  if (!condition)
    return failure();
  StringRef name = isThen ? "then_branch" : "else_branch";
  FailureOr<SmallVector<Binding *>> outputs =
      importGraph(pending, branch, name, {});
  if (failed(outputs) || failed(materialize(*outputs->front())))
    return failure();
  context.emitWarning() << "the branches give tensors of different ranks; the "
                           "dimension is taken to be 1, which "
                        << name
                        << " removes. Fix sizes, as with --dim, where it is "
                           "not";
  if (!isThen)
    condition = context.create<LogicalNotOp>({condition});
  Binding *output = createBinding(pending.node->outputs.front());
  output->value = context.assertThat(
      outputs->front()->value, condition,
      "expects a dimension of 1, which the branch of an If removes");
  if (!output->value)
    return failure();
  return bindOutputs(*pending.node, *pending.frame, output);
}

LogicalResult Importer::importIf(PendingNode &pending) {
  const Node &node = *pending.node;
  if (pending.inputs.size() != 1 || !pending.inputs.front())
    return emitError(node, pending.opset)
           << "expects one input, a condition, but got " << node.inputs.size();
  constexpr StringRef names[] = {"then_branch", "else_branch"};
  const Graph *branches[2];
  for (auto [name, branch] : llvm::zip_equal(names, branches)) {
    branch = findGraph(pending, name);
    if (!branch)
      return failure();
    if (branch->outputs.size() != node.outputs.size())
      return emitError(node, pending.opset)
             << "expects " << node.outputs.size() << " outputs of " << name
             << ", but got " << branch->outputs.size();
    if (!branch->inputs.empty())
      return emitError(node, pending.opset)
             << "expects no inputs of " << name << ", but got \""
             << branch->inputs.front().name << "\"";
  }

  Binding &condition = *pending.inputs.front();
  if (failed(checkCondition(pending, condition)))
    return failure();
  if (const ShapeTensor *contents = getContents(condition))
    if (contents->elements.size() == 1)
      if (std::optional<int64_t> value = contents->elements[0].getConstant()) {
        bool isTrue = *value != 0;
        FailureOr<SmallVector<Binding *>> outputs =
            importGraph(pending, *branches[!isTrue], names[!isTrue], {});
        if (failed(outputs))
          return failure();
        return bindOutputs(node, *pending.frame, *outputs);
      }
  if (std::optional<unsigned> side = findSqueezingBranch(branches)) {
    const Node &squeeze = *findResult(*branches[*side]);
    const Binding *data = pending.frame->lookup(squeeze.inputs.front());
    if (data && isTensor(*data) && (data->value || data->tensor) &&
        !getType(*data).hasStaticShape())
      return importSqueeze(pending, *branches[*side], *side == 0);
  }
  return importRunTimeIf(pending, branches);
}

LogicalResult Importer::checkCondition(PendingNode &pending,
                                       Binding &condition) {
  const ShapeTensor *contents = getContents(condition);
  if (!contents || contents->elementType.isInteger(1))
    return success();
  return emitError(*pending.node, pending.opset)
         << "expects a condition of BOOL, but \"" << condition.name
         << "\" is of " << contents->elementType;
}

/// The type of more dimensions of two tensors of one element each; null for
/// others.
static RankedTensorType joinRanks(Type lhs, Type rhs) {
  auto tensor = dyn_cast<RankedTensorType>(lhs);
  auto other = dyn_cast<RankedTensorType>(rhs);
  if (!tensor || !other || tensor.getElementType() != other.getElementType() ||
      !tensor.hasStaticShape() || !other.hasStaticShape() ||
      tensor.getNumElements() != 1 || other.getNumElements() != 1)
    return nullptr;
  return tensor.getRank() < other.getRank() ? other : tensor;
}

LogicalResult Importer::checkRank(const Binding &binding, StringRef what) {
  if (!binding.value || !scalarsOrMore.contains(binding.value))
    return success();
  return emitError() << "expects " << what << " of one rank, but \""
                     << binding.name << "\" is " << binding.value.getType()
                     << " of one branch of an If, and has another rank in the "
                        "other";
}

LogicalResult Importer::checkRanks(const PendingNode &pending) {
  static const llvm::StringSet<> broadcasts = {
      "Add",  "And", "Div",         "Equal", "Greater", "GreaterOrEqual",
      "Less", "Max", "LessOrEqual", "Mean",  "Min",     "Mod",
      "Mul",  "Or",  "Pow",         "Sub",   "Sum",     "Where",
      "Xor"};
  const Node &node = *pending.node;
  bool isStandard = node.domain.empty() && pending.opset >= 8;
  for (auto [index, binding] : llvm::enumerate(pending.inputs)) {
    if (!binding || !binding->value || !scalarsOrMore.contains(binding->value))
      continue;
    int64_t rank = getType(*binding).getRank();
    // Of these, only one element matters, or only the type.
    if (isStandard && (node.opType == "If" || node.opType == "Identity" ||
                       (node.opType == "CastLike" && index == 1)))
      continue;
    bool isCovered =
        isStandard && broadcasts.contains(node.opType) &&
        llvm::any_of(pending.inputs, [&](const Binding *other) {
          return other && isTensor(*other) &&
                 !(other->value && scalarsOrMore.contains(other->value)) &&
                 getType(*other).getRank() >= rank;
        });
    if (!isCovered)
      return emitError(node, pending.opset)
             << "expects an input of one rank, but \"" << binding->name
             << "\" is " << binding->value.getType()
             << " of one branch of an If, and has another rank in the other";
  }
  return success();
}

LogicalResult Importer::importRunTimeIf(PendingNode &pending,
                                        ArrayRef<const Graph *> branches) {
  const Node &node = *pending.node;
  constexpr StringRef names[] = {"then_branch", "else_branch"};
  NodeContext context(*this, pending);
  Value condition = getCondition(*this, context, pending);
  if (!condition)
    return failure();
  Location loc = getNodeLoc(node);

  std::unique_ptr<Block> blocks[2];
  SmallVector<Value> values[2];
  for (int side : {0, 1}) {
    if (failed(materializeCaptured(pending, *branches[side])))
      return failure();
    blocks[side] = std::make_unique<Block>();
    LogicalResult built = buildInBlock(*blocks[side], [&]() -> LogicalResult {
      FailureOr<SmallVector<Binding *>> outputs =
          importGraph(pending, *branches[side], names[side], {});
      if (failed(outputs))
        return failure();
      for (Binding *output : *outputs) {
        if (failed(checkRank(*output, "an output of a branch")) ||
            failed(materialize(*output)))
          return failure();
        values[side].push_back(output->value);
      }
      return success();
    });
    if (failed(built))
      return failure();
  }

  SmallVector<ValueKind> kinds;
  SmallVector<bool> hasOtherRank(node.outputs.size());
  for (auto [index, name] : llvm::enumerate(node.outputs)) {
    ValueKind first = ValueKind::get(*this, values[0][index]);
    ValueKind second = ValueKind::get(*this, values[1][index]);
    kinds.push_back(joinKinds(*this, first, second));
    if (!kinds.back().type) {
      kinds.back().type = joinRanks(first.type, second.type);
      hasOtherRank[index] = true;
    }
    if (!kinds.back().type)
      return emitError(node, pending.opset)
             << "expects values of one element type and rank for output "
             << index << " (\"" << name << "\") from both branches, but \""
             << branches[0]->outputs[index].name << "\" of then_branch is "
             << first.type << ", and \"" << branches[1]->outputs[index].name
             << "\" of else_branch is " << second.type;
  }
  for (ArrayRef<Value> side : values)
    for (auto [value, kind] : llvm::zip_equal(side, kinds)) {
      if (!isOpenSequence(value))
        continue;
      if (failed(settleSequence(value, getListElement(kind.type))))
        return failure();
      kind.type = joinTypes(kind.type, value.getType());
    }
  SmallVector<Type> types = llvm::map_to_vector(
      kinds, [](const ValueKind &kind) { return kind.type; });
  bool isSingle = types.size() == 1;
  Type type = isSingle ? types.front() : builder.getTupleType(types);
  auto branch = IfOp::create(builder, loc, type, condition);
  for (int side : {0, 1}) {
    Region &region =
        side == 0 ? branch.getThenRegion() : branch.getElseRegion();
    region.push_back(blocks[side].release());
    (void)buildInBlock(region.front(), [&] {
      for (auto [value, wanted] : llvm::zip_equal(values[side], types))
        if (auto tensor = joinRanks(value.getType(), wanted))
          value = context.reshape(value, tensor.getShape());
        else
          value = widen(*this, loc, value, wanted);
      Value result =
          isSingle ? values[side].front()
                   : TupleOp::create(builder, loc, values[side]).getResult();
      YieldOp::create(builder, loc, result);
      return success();
    });
  }

  SmallVector<Binding *> outputs;
  for (auto [index, kind] : llvm::enumerate(kinds)) {
    Binding *output = createBinding(node.outputs[index]);
    outputs.push_back(output);
    output->value = isSingle ? branch.getResult()
                             : getField(*this, loc, branch, index, kind);
    if (isSingle && !kind.dims.empty())
      setDims(output->value, {kind.dims});
    if (hasOtherRank[index])
      scalarsOrMore.insert(output->value);
  }
  return bindOutputs(node, *pending.frame, outputs);
}
