//===- Importer.cpp - From an ONNX graph to a function --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Lists.h"
#include "NodeContext.h"
#include "NodeOrder.h"
#include "OpenLinearAttention.h"
#include "OpenRecurrent.h"
#include "ShapeEvaluator.h"

#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

Binding *Frame::lookup(StringRef name) const {
  for (const Frame *frame = this; frame; frame = frame->parent)
    if (Binding *binding = frame->bindings.lookup(name))
      return binding;
  return nullptr;
}

const NodeAttribute *Frame::lookupAttribute(StringRef name) const {
  // A branch in a function sees the attributes of the function.
  for (const Frame *frame = this; frame; frame = frame->parent)
    if (const NodeAttribute *attribute = frame->attributes.lookup(name))
      return attribute;
  return nullptr;
}

Importer::Importer(const Model &model, ModelSource &source,
                   MLIRContext *context, const OnnxImportOptions &options)
    : model(model), options(options), addedOps(getAddedOps(context)),
      builder(context), loader(context, source) {}

const OpEntry *Importer::lookupOp(const Node &node) const {
  const OpEntry *entry = OpTable::get().lookup(node.domain, node.opType);
  const OpEntry *added = addedOps.lookup(node.domain, node.opType);
  // Operators of ONNX are what its specification says. What a plugin makes of
  // those of others is what its user wants.
  bool isOfONNX = node.domain.empty() || node.domain == kMLDomain;
  if (entry && entry->refusal.empty() && (isOfONNX || !added))
    return entry;
  return added ? added : entry;
}

int64_t Importer::getOpset(const Node &node, const OpsetMap &opsets) const {
  auto it = opsets.find(node.domain);
  if (it != opsets.end())
    return it->second;
  const OpEntry *entry = lookupOp(node);
  return entry ? entry->until : 0;
}

Location Importer::getFileLoc() const {
  return FileLineColLoc::get(builder.getContext(), model.path, 0, 0);
}

Location Importer::getNodeLoc(const Node &node) const {
  StringRef name = node.name;
  if (name.empty() && !node.outputs.empty())
    name = node.outputs.front();
  return NameLoc::get(StringAttr::get(
      builder.getContext(), name.empty() ? StringRef(node.opType) : name));
}

InFlightDiagnostic Importer::emitError(const Node &node, int64_t opset) const {
  return emitError() << describeNode(node, opset) << ": ";
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

Binding *Importer::createBinding(StringRef name) {
  Binding &binding = bindings.emplace_back();
  binding.name = name.str();
  return &binding;
}

Frame &Importer::createFrame() { return frames.emplace_back(); }

bool Importer::isTensor(const Binding &binding) const {
  if (binding.value)
    return isa<RankedTensorType>(binding.value.getType());
  return !binding.known;
}

RankedTensorType Importer::getType(const Binding &binding) const {
  if (binding.value)
    return cast<RankedTensorType>(binding.value.getType());
  if (binding.tensor)
    return RankedTensorType::get(
        binding.tensor->dims,
        getTensorElementType(builder.getContext(), binding.tensor->type));
  return binding.contents->getType();
}

SmallVector<ShapeScalar> Importer::getDims(const Binding &binding) {
  if (binding.value)
    return getDims(binding.value);
  return llvm::map_to_vector(getType(binding).getShape(), ShapeScalar::get);
}

SmallVector<ShapeScalar> Importer::getDims(Value value, unsigned component) {
  auto it = dims.find(value);
  if (it != dims.end())
    return it->second[component];
  Type type = value.getType();
  if (auto tuple = dyn_cast<TupleType>(type))
    type = tuple.getType(component);
  return llvm::map_to_vector(cast<RankedTensorType>(type).getShape(),
                             ShapeScalar::get);
}

void Importer::setDims(Value value,
                       SmallVector<SmallVector<ShapeScalar>> sizes) {
  dims[value] = std::move(sizes);
}

std::optional<std::pair<Value, unsigned>>
Importer::findDimension(const ShapeScalar &size) {
  std::optional<std::pair<Value, unsigned>> found;
  auto search = [&](Value value) {
    auto it = dims.find(value);
    if (found || it == dims.end() || !isa<RankedTensorType>(value.getType()))
      return;
    for (auto [position, dim] : llvm::enumerate(it->second.front()))
      if (!found && dim.isSame(size))
        found.emplace(value, position);
  };
  for (Block *block : openBlocks) {
    llvm::for_each(block->getArguments(), search);
    // Sizes that inputs do not have, such as the sum of two, others may.
    for (Operation &op : *block)
      llvm::for_each(op.getResults(), search);
  }
  return found;
}

Value Importer::createConstant(ElementsAttr value, Location loc) {
  Value &constant = constants[value];
  if (!constant)
    constant = ConstantOp::create(builder, loc, value);
  return constant;
}

const ShapeTensor *Importer::getContents(Binding &binding) {
  if (binding.contents)
    return &*binding.contents;
  if (binding.triedContents || !isTensor(binding))
    return nullptr;
  binding.triedContents = true;
  RankedTensorType type = getType(binding);
  int64_t limit = isa<FloatType>(type.getElementType()) ? kMaxShapeFloats
                                                        : kMaxShapeElements;
  if (!type.hasStaticShape() || type.getNumElements() > limit ||
      isStringType(type.getElementType()))
    return nullptr;
  DenseElementsAttr attr;
  if (type.getNumElements() == 0) {
    // What has no elements is known, also as an input of the model.
    attr = DenseElementsAttr::get(type, ArrayRef<Attribute>());
  } else if (binding.tensor) {
    llvm::Expected<DenseElementsAttr> loaded =
        loader.loadInline(*binding.tensor);
    if (loaded)
      attr = *loaded;
    else
      llvm::consumeError(loaded.takeError());
  } else if (auto constant = binding.value.getDefiningOp<ConstantOp>()) {
    attr = dyn_cast<DenseElementsAttr>(constant.getValue());
  }
  if (!attr || !setContents(binding, ShapeTensor::get(attr)))
    return nullptr;
  return &*binding.contents;
}

const ShapeTensor *Importer::getPartialContents(Binding &binding) {
  if (const ShapeTensor *contents = getContents(binding))
    return contents;
  if (binding.triedPartialContents || !isTensor(binding))
    return binding.partialContents ? &*binding.partialContents : nullptr;
  binding.triedPartialContents = true;
  RankedTensorType type = getType(binding);
  // Those of shapes.
  if (!type.getElementType().isInteger() || !type.hasStaticShape() ||
      type.getNumElements() > kMaxTensorRank)
    return nullptr;
  constexpr unsigned kMaxDepth = 64;
  llvm::SaveAndRestore<unsigned> depth(partialDepth, partialDepth + 1);
  PendingNode *pending = binding.pending;
  std::optional<ShapeTensor> found;
  if (pending && partialDepth <= kMaxDepth && pending->node->domain.empty() &&
      pending->outputs.size() == 1) {
    NodeContext context(*this, *pending);
    found = evaluatePartialShape(context);
  }
  if (!found || found->getType() != type) {
    found = ShapeTensor{type.getElementType(), llvm::to_vector(type.getShape()),
                        std::vector<ShapeScalar>(type.getNumElements())};
  }
  numShapeElements += type.getNumElements();
  if (numShapeElements > kMaxTotalShapeElements)
    return nullptr;
  binding.partialContents = std::move(found);
  return &*binding.partialContents;
}

bool Importer::setContents(Binding &binding,
                           std::optional<ShapeTensor> contents) {
  if (!contents)
    return false;
  numShapeElements += contents->elements.size();
  if (numShapeElements > kMaxTotalShapeElements)
    return false;
  binding.contents = std::move(contents);
  return true;
}

LogicalResult Importer::materializeConstant(Binding &binding) {
  if (binding.value)
    return success();
  if (binding.known)
    return materializeElements(binding);
  Location loc = NameLoc::get(builder.getStringAttr(binding.name));
  if (binding.tensor) {
    llvm::Expected<ElementsAttr> attr = loader.load(*binding.tensor);
    if (!attr)
      return emitError() << llvm::toString(attr.takeError());
    binding.value = createConstant(*attr, loc);
  } else if (binding.contents) {
    if (ElementsAttr attr = binding.contents->getConstantAttr())
      binding.value = createConstant(attr, loc);
  }
  return success();
}

LogicalResult Importer::materialize(Binding &binding) {
  // Converters come back here for shapes that are operands.
  llvm::SaveAndRestore<unsigned> depth(materializeDepth, materializeDepth + 1);
  if (materializeDepth > kMaxShapeDepth)
    return emitError() << "expects shapes that are computed from shapes at "
                          "most "
                       << kMaxShapeDepth << " deep, but value \""
                       << binding.name << "\" is deeper";
  // Chains of shape computations can be long; no recursion.
  SmallVector<Binding *> stack = {&binding};
  while (!stack.empty()) {
    Binding *top = stack.back();
    if (failed(materializeConstant(*top)))
      return failure();
    if (top->value) {
      stack.pop_back();
      continue;
    }
    PendingNode &pending = *top->pending;
    bool isReady = true;
    for (auto [index, input] : llvm::enumerate(pending.inputs)) {
      bool wantsContents =
          index < 32 && (pending.entry->contentInputs & (1u << index));
      if (!input || wantsContents)
        continue;
      if (failed(materializeConstant(*input)))
        return failure();
      if (!input->value) {
        stack.push_back(input);
        isReady = false;
      }
    }
    if (!isReady)
      continue;
    if (failed(convert(pending)))
      return failure();
    stack.pop_back();
  }
  return success();
}

LogicalResult Importer::convert(PendingNode &pending) {
  for (auto [index, input] : llvm::enumerate(pending.inputs)) {
    bool wantsContents =
        index < 32 && (pending.entry->contentInputs & (1u << index));
    if (input && !wantsContents && failed(materialize(*input)))
      return failure();
  }
  NodeContext node(*this, pending);
  if (failed(node.checkInputTypes()))
    return failure();
  node.widenInputs();
  LogicalResult result = pending.entry->convert(node);
  if (node.hasFailed() || failed(result)) {
    assert(node.hasFailed() && "a converter failed without a reason");
    return failure();
  }
  for (auto [output, name] :
       llvm::zip_equal(pending.outputs, pending.node->outputs))
    if (!name.empty() && !output->value)
      return emitError(*pending.node, pending.opset)
             << "output \"" << name << "\" is not supported";
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult Importer::bindOutputs(const Node &node, Frame &frame,
                                    ArrayRef<Binding *> outputs) {
  for (auto [name, binding] : llvm::zip(node.outputs, outputs)) {
    if (name.empty())
      continue;
    [[maybe_unused]] bool isNew =
        frame.bindings.try_emplace(name, binding).second;
    assert(isNew && "names were checked before");
  }
  return success();
}

LogicalResult Importer::importNode(const Node &node, Frame &frame) {
  PendingNode &pending = pendingNodes.emplace_back();
  pending.node = &node;
  pending.frame = &frame;
  pending.opset = node.opset != 0 ? node.opset : getOpset(node, *frame.opsets);
  pending.entry = lookupOp(node);

  for (const std::string &name : node.inputs) {
    Binding *binding = name.empty() ? nullptr : frame.lookup(name);
    if (!name.empty() && !binding)
      return emitError(node, pending.opset)
             << "expects input \"" << name
             << "\" to be a value, but there is none of this name";
    pending.inputs.push_back(binding);
  }

  if (const Function *callee = model.findFunction(node))
    return importCall(pending, *callee);
  assert(pending.entry && "unknown operators were reported before");
  if (failed(checkAttributes(pending)) || failed(checkRanks(pending)))
    return failure();
  const OpEntry &entry = *pending.entry;
  if (entry.import)
    return entry.import(*this, pending);
  for (Binding *binding : pending.inputs) {
    if (!binding || isTensor(*binding))
      continue;
    if (node.domain.empty() && node.opType == "Identity")
      return bindOutputs(node, frame, binding);
    return emitError(node, pending.opset)
           << "expects tensors, but \"" << binding->name
           << "\" is a sequence or an optional value";
  }
  if (entry.upgrade && pending.opset <= entry.upgradeUntil) {
    NodeContext context(*this, pending);
    if (failed(entry.upgrade(context)) || context.hasFailed())
      return failure();
  }
  // Optional operands may be left out at the end.
  while (!pending.inputs.empty() && !pending.inputs.back() &&
         pending.inputs.size() > entry.minInputs)
    pending.inputs.pop_back();
  if (pending.inputs.size() < entry.minInputs ||
      pending.inputs.size() > entry.maxInputs) {
    InFlightDiagnostic diagnostic = emitError(node, pending.opset);
    diagnostic << "expects " << entry.minInputs;
    if (entry.maxInputs == kVariadic)
      diagnostic << " or more";
    else if (entry.maxInputs != entry.minInputs)
      diagnostic << " to " << entry.maxInputs;
    return diagnostic << " inputs, but got " << pending.inputs.size();
  }
  bool isVariadic = entry.maxInputs == kVariadic;
  for (auto [index, input] : llvm::enumerate(pending.inputs))
    if (!input && (isVariadic || index < entry.minInputs))
      return emitError(node, pending.opset)
             << "expects input " << index << ", which is left out";
  if (node.outputs.empty())
    return emitError(node, pending.opset) << "expects an output";

  std::shared_ptr<const Function> expansion =
      expandOpenRecurrence(*this, pending);
  if (!expansion)
    expansion = expandOpenLinearAttention(*this, pending);
  if (expansion) {
    // The node lives as long as its nodes, and keeps them.
    auto owner = std::make_shared<std::pair<decltype(expansion), Graph>>(
        expansion, Graph());
    NodeAttribute &keeper = rewriteNode(pending).attributes.emplace_back();
    keeper.graph = std::shared_ptr<const Graph>(owner, &owner->second);
    return importCall(pending, *expansion);
  }

  // What follows from a name does so in the domain of ONNX only.
  bool isStandard = node.domain.empty();
  if (isStandard && node.opType == "Constant")
    if (const Tensor *tensor = NodeContext(*this, pending).getTensor("value"))
      return importConstant(pending, *tensor);

  for (const std::string &name : node.outputs) {
    Binding *output = createBinding(name);
    output->pending = &pending;
    pending.outputs.push_back(output);
  }
  if (failed(bindOutputs(node, frame, pending.outputs)))
    return failure();

  if (isStandard && node.outputs.size() == 1) {
    NodeContext context(*this, pending);
    if (setContents(*pending.outputs.front(), evaluateShape(context)))
      return success();
    if (context.hasFailed())
      return failure();
    // What is taken from numbers of which others are not known.
    std::optional<ShapeTensor> partial = evaluatePartialShape(context);
    if (partial && llvm::all_of(partial->elements, [](const ShapeScalar &size) {
          return size.isReliable();
        })) {
      if (setContents(*pending.outputs.front(), std::move(partial)))
        return success();
    }
    if (context.hasFailed())
      return failure();
  }
  return convert(pending);
}

LogicalResult Importer::importConstant(PendingNode &pending,
                                       const Tensor &tensor) {
  if (llvm::Error error = loader.check(tensor))
    return emitError(*pending.node, pending.opset)
           << llvm::toString(std::move(error));
  Binding *binding = createBinding(pending.node->outputs.front());
  binding->tensor = &tensor;
  return bindOutputs(*pending.node, *pending.frame, binding);
}

LogicalResult Importer::importCall(PendingNode &pending,
                                   const Function &callee) {
  const Node &node = *pending.node;
  if (node.inputs.size() > callee.inputs.size() ||
      node.outputs.size() > callee.outputs.size())
    return emitError(node, pending.opset)
           << "expects at most " << callee.inputs.size() << " inputs and "
           << callee.outputs.size() << " outputs, but got "
           << node.inputs.size() << " and " << node.outputs.size();
  Frame &frame = createFrame();
  frame.caller = pending.frame;
  frame.opsets = &callee.opsets;
  for (auto [name, binding] : llvm::zip(callee.inputs, pending.inputs))
    if (binding)
      frame.bindings[name] = binding;
  for (const NodeAttribute &attribute : callee.attributes)
    frame.attributes[attribute.name] = &attribute;
  for (const NodeAttribute &attribute : node.attributes) {
    const NodeAttribute *resolved = &attribute;
    if (!attribute.reference.empty())
      resolved = pending.frame->lookupAttribute(attribute.reference);
    if (resolved)
      frame.attributes[attribute.name] = resolved;
  }
  if (failed(importNodes(callee.nodes, frame)))
    return failure();
  SmallVector<Binding *> outputs;
  for (const std::string &name : callee.outputs) {
    outputs.push_back(frame.lookup(name));
    if (!outputs.back())
      return emitError(node, pending.opset)
             << "output \"" << name << "\" of function " << callee.name
             << " is not computed by any node";
  }
  return bindOutputs(node, *pending.frame, outputs);
}

LogicalResult Importer::importNodes(ArrayRef<Node> nodes, Frame &frame) {
  if (failed(checkOutputNames(nodes, frame)))
    return failure();
  NodeOrder order = sortNodes(nodes);
  if (order.cyclic)
    return emitError(*order.cyclic, getOpset(*order.cyclic, *frame.opsets))
           << "input \"" << order.cycleInput
           << "\" follows from outputs of the node itself (a cycle)";
  for (const Node *node : order.nodes)
    if (failed(importNode(*node, frame)) ||
        failed(checkDeclaredTypes(*node, frame)))
      return failure();
  return success();
}

LogicalResult Importer::addInitializers(const Graph &graph, Frame &frame) {
  for (const Tensor &tensor : graph.initializers) {
    if (llvm::Error error = loader.check(tensor))
      return emitError() << llvm::toString(std::move(error));
    Binding *binding = createBinding(tensor.name);
    binding->tensor = &tensor;
    if (!frame.bindings.try_emplace(tensor.name, binding).second)
      return emitError() << "initializer \"" << tensor.name
                         << "\" is defined twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult Importer::createResults() {
  if (model.graph.outputs.empty())
    return emitError() << "the graph has no output";
  SmallVector<Value> results;
  for (const ValueInfo &info : model.graph.outputs) {
    Binding *binding = mainFrame->lookup(info.name);
    if (!binding)
      return emitError() << "output \"" << info.name
                         << "\" is not computed by any node";
    if (failed(materialize(*binding)))
      return failure();
    if (failed(checkRank(*binding, "an output")) ||
        (isOpenSequence(binding->value) &&
         failed(settleSequence(binding->value))))
      return failure();
    Type declared = getTensorElementType(builder.getContext(), info.type);
    if (info.isTensor != isTensor(*binding) &&
        info.kind != ValueInfo::Kind::Other)
      return emitError() << "output \"" << info.name << "\" is said to be "
                         << describeKind(info.kind) << ", but is "
                         << binding->value.getType();
    if (info.isTensor && info.type != DataType::Undefined &&
        declared != getElementTypeOrSelf(binding->value.getType()))
      return emitError() << "output \"" << info.name << "\" is said to be of "
                         << getDataTypeName(info.type) << ", but is "
                         << binding->value.getType();
    results.push_back(binding->value);
  }
  func::ReturnOp::create(builder, function.getLoc(), results);
  // Inputs that nobody reads.
  for (Value argument : function.getArguments())
    if (isOpenSequence(argument) && failed(settleSequence(argument)))
      return failure();
  function.setFunctionType(
      builder.getFunctionType(ValueRange(function.getArguments()).getTypes(),
                              ValueRange(results).getTypes()));
  for (auto [index, info] : llvm::enumerate(model.graph.outputs))
    function.setResultAttr(index, kNameAttrName,
                           builder.getStringAttr(info.name));
  return success();
}

OwningOpRef<ModuleOp> Importer::run() {
  if (failed(checkOpsets()) || failed(checkInlinedSize()) ||
      failed(checkOperators()))
    return nullptr;

  OwningOpRef<ModuleOp> module = ModuleOp::create(getFileLoc());
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, getFileLoc(), "main",
                                  builder.getFunctionType({}, {}));
  openBlocks.push_back(function.addEntryBlock());
  builder.setInsertionPointToStart(openBlocks.front());

  mainFrame = &createFrame();
  mainFrame->opsets = &model.opsets;
  mainFrame->graph = &model.graph;
  if (failed(addInitializers(model.graph, *mainFrame)) ||
      failed(createArguments()) ||
      failed(importNodes(model.graph.nodes, *mainFrame)) ||
      failed(createResults()))
    return nullptr;

  // What was built for outputs that nobody reads.
  function.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  if (failed(finishStrings(function, loader.getStrings())))
    return nullptr;
  addMetadata(*module);
  return module;
}
