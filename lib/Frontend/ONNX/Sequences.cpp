//===- Sequences.cpp - ONNX operators on sequences and optional values ----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence whose elements are known one by one is nothing but these, and so
// is an optional value of which it is known whether it is there. They become
// values (Lists.h) where control flow needs that, or a position is computed.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Loops.h"
#include "SequenceNode.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Importer::nameOpenSizes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape() || dims.contains(value))
    return value;
  SmallVector<ShapeScalar> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? createSymbol()
                                                : ShapeScalar::get(size));
  setDims(value, {sizes});
  return value;
}

Type Importer::getDeclaredType(const ValueInfo &info) {
  switch (info.kind) {
  case ValueInfo::Kind::Other:
    return nullptr;
  case ValueInfo::Kind::Tensor: {
    Type elementType = getElementType(builder.getContext(), info.type);
    if (!elementType || !info.shape)
      return nullptr;
    return RankedTensorType::get(
        SmallVector<int64_t>(info.shape->size(), ShapedType::kDynamic),
        elementType);
  }
  case ValueInfo::Kind::Sequence:
  case ValueInfo::Kind::Optional:
    break;
  }
  Type element = getDeclaredType(*info.element);
  if (!element)
    return nullptr;
  return info.kind == ValueInfo::Kind::Sequence ? getListType(element)
                                                : getOptionType(element);
}

LogicalResult Importer::materializeElements(Binding &binding) {
  Location loc = NameLoc::get(builder.getStringAttr(binding.name));
  ListBuilder lists(getModule(), builder, loc);
  Type type = IncompleteType::get(builder.getContext());
  for (Binding *element : binding.known->elements) {
    if (failed(materialize(*element)))
      return failure();
    Type joined = joinTypes(type, element->value.getType());
    if (!joined)
      return emitError() << "expects a sequence of tensors of one element type "
                            "and rank, but \""
                         << binding.name << "\" has " << type << " and "
                         << element->value.getType();
    type = joined;
  }
  if (binding.known->isOptional) {
    binding.value = binding.known->elements.empty()
                        ? lists.createNone(type)
                        : lists.createSome(binding.known->elements[0]->value);
    return success();
  }
  Value list = lists.createNil(type);
  for (Binding *element : llvm::reverse(binding.known->elements))
    list = lists.createCons(widen(*this, loc, element->value, type), list);
  binding.value = list;
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult SequenceNode::expectInputs(unsigned least, unsigned most) {
  while (!pending.inputs.empty() && !pending.inputs.back())
    pending.inputs.pop_back();
  size_t count = pending.inputs.size();
  if (count < least || count > most) {
    InFlightDiagnostic error = emitError() << "expects " << least;
    if (most == kVariadic)
      error << " or more";
    else if (most != least)
      error << " to " << most;
    return error << " inputs, but got " << count;
  }
  for (auto [index, input] : llvm::enumerate(pending.inputs))
    if (!input && (index < least || most == kVariadic))
      return emitError() << "expects input " << index << ", which is left out";
  if (pending.node->outputs.empty())
    return emitError() << "expects an output";
  return success();
}

LogicalResult SequenceNode::bind(Value output) {
  Binding *binding = importer.createBinding(pending.node->outputs.front());
  binding->value = importer.nameOpenSizes(output);
  return bind(binding);
}

LogicalResult SequenceNode::bindKnown(SmallVector<Binding *> elements) {
  Binding *binding = importer.createBinding(pending.node->outputs.front());
  binding->known = KnownElements{std::move(elements)};
  return bind(binding);
}

LogicalResult SequenceNode::bindNumber(int64_t number, Type elementType) {
  Binding *binding = importer.createBinding(pending.node->outputs.front());
  binding->contents = ShapeTensor{elementType, {}, {ShapeScalar::get(number)}};
  return bind(binding);
}

FailureOr<KnownElements *> SequenceNode::getKnown(unsigned index,
                                                  bool staysOpen) {
  Binding &binding = *pending.inputs[index];
  if (!staysOpen && importer.isOpenSequence(binding.value) &&
      failed(importer.settleSequence(binding.value)))
    return failure();
  if (binding.known && !binding.known->isOptional)
    return &*binding.known;
  if (binding.value && getListElement(binding.value.getType()))
    return static_cast<KnownElements *>(nullptr);
  return emitError() << "expects a sequence in input " << index << ", but \""
                     << binding.name << "\" is none";
}

FailureOr<Value> SequenceNode::getList(unsigned index) {
  Binding &binding = *pending.inputs[index];
  if (failed(getKnown(index)) || failed(importer.materialize(binding)))
    return failure();
  return binding.value;
}

FailureOr<std::optional<int64_t>>
SequenceNode::getKnownPosition(unsigned index) {
  Binding &binding = *pending.inputs[index];
  auto check = [&]() {
    if (!importer.isTensor(binding))
      return false;
    RankedTensorType type = importer.getType(binding);
    return type.getElementType().isSignlessInteger() &&
           (!type.hasStaticShape() || type.getNumElements() == 1);
  };
  if (!check())
    return emitError() << "expects one integer in input " << index
                       << ", a position, but \"" << binding.name
                       << "\" is something else";
  const ShapeTensor *contents = importer.getContents(binding);
  if (!contents)
    return std::optional<int64_t>();
  return contents->elements.front().getConstant();
}

FailureOr<int64_t> SequenceNode::checkPosition(int64_t position, int64_t size,
                                               int64_t end) {
  if (position >= -size && position < end)
    return position < 0 ? position + size : position;
  return emitError() << "expects a position in [" << -size << ", " << end
                     << "), but got " << position;
}

Value SequenceNode::getPosition(unsigned index, Value list, bool mayBeEnd) {
  Binding &binding = *pending.inputs[index];
  if (failed(importer.materialize(binding)))
    return nullptr;
  Value position = binding.value;
  if (node.getRank(position) != 0)
    position = node.reshape(position, ArrayRef<int64_t>{});
  Type i64 = builder.getI64Type();
  position = node.castTo(position, i64);
  if (!position)
    return nullptr;
  if (auto constant = position.getDefiningOp<ConstantOp>())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      if (elements.getSplatValue<APInt>().getSExtValue() >= 0)
        return position;
  // Positions below 0 count from the end.
  Value size = lists.getLength(list);
  position = node.wrapIndices(position, size);
  Value end =
      mayBeEnd ? node.create<AddOp>({size, node.createScalar(1, i64)}) : size;
  return node.assertThat(position, node.isWithin(position, end),
                         "expects a position within the sequence");
}

LogicalResult SequenceNode::construct() {
  if (failed(expectInputs(1, kVariadic)))
    return failure();
  Type first;
  for (Binding *input : pending.inputs) {
    if (!input || !importer.isTensor(*input))
      return emitError() << "expects tensors, but \""
                         << (input ? input->name : "") << "\" is none";
    Type type = importer.getType(*input).getElementType();
    if (!first)
      first = type;
    if (type != first)
      return emitError() << "expects tensors of one element type, but got "
                         << first << " of \"" << pending.inputs[0]->name
                         << "\" and " << type << " of \"" << input->name
                         << "\"";
  }
  return bindKnown(pending.inputs);
}

LogicalResult SequenceNode::makeEmpty() {
  if (failed(expectInputs(0, 0)))
    return failure();
  DataType type = node.getDataType("dtype", DataType::Float);
  if (node.hasFailed())
    return failure();
  if (!getTensorElementType(builder.getContext(), type))
    return emitError() << "a sequence of " << getDataTypeName(type)
                       << " is not supported";
  return bindKnown({});
}

LogicalResult SequenceNode::insert() {
  if (failed(expectInputs(2, 3)))
    return failure();
  FailureOr<KnownElements *> known = getKnown(0, /*staysOpen=*/true);
  if (failed(known))
    return failure();
  Binding &value = *pending.inputs[1];
  if (!importer.isTensor(value))
    return emitError() << "expects a tensor in input 1, but \"" << value.name
                       << "\" is none";
  std::optional<int64_t> position;
  if (getInput(2)) {
    FailureOr<std::optional<int64_t>> found = getKnownPosition(2);
    if (failed(found))
      return failure();
    position = *found;
  }
  if (*known && (position || !getInput(2))) {
    SmallVector<Binding *> elements((*known)->elements);
    int64_t size = elements.size();
    FailureOr<int64_t> checked =
        checkPosition(position.value_or(size), size, size + 1);
    if (failed(checked))
      return failure();
    elements.insert(elements.begin() + *checked, &value);
    return bindKnown(std::move(elements));
  }
  // The first tensor that is put into it says what it is a sequence of.
  if (importer.isOpenSequence(pending.inputs[0]->value) &&
      (failed(importer.materialize(value)) ||
       failed(importer.settleSequence(pending.inputs[0]->value,
                                      value.value.getType()))))
    return failure();
  FailureOr<Value> list = getList(0);
  if (failed(list) || failed(importer.materialize(value)))
    return failure();
  Type element =
      joinTypes(getListElement(list->getType()), value.value.getType());
  if (!element)
    return emitError() << "expects a tensor of the element type and rank of "
                          "the sequence, "
                       << getListElement(list->getType()) << ", but \""
                       << value.name << "\" is " << value.value.getType();
  Location loc = importer.getNodeLoc(*pending.node);
  Value wide = widen(importer, loc, *list, getListType(element));
  Value place = getInput(2) ? getPosition(2, wide, /*mayBeEnd=*/true)
                            : lists.getLength(wide);
  if (!place)
    return failure();
  return bind(
      lists.insert(wide, place, widen(importer, loc, value.value, element)));
}

LogicalResult SequenceNode::erase() {
  if (failed(expectInputs(1, 2)))
    return failure();
  FailureOr<KnownElements *> known = getKnown(0);
  if (failed(known))
    return failure();
  std::optional<int64_t> position;
  if (getInput(1)) {
    FailureOr<std::optional<int64_t>> found = getKnownPosition(1);
    if (failed(found))
      return failure();
    position = *found;
  }
  if (*known && (position || !getInput(1))) {
    SmallVector<Binding *> elements((*known)->elements);
    int64_t size = elements.size();
    FailureOr<int64_t> checked =
        checkPosition(position.value_or(-1), size, size);
    if (failed(checked))
      return failure();
    elements.erase(elements.begin() + *checked);
    return bindKnown(std::move(elements));
  }
  FailureOr<Value> list = getList(0);
  if (failed(list))
    return failure();
  Value place = getInput(1) ? getPosition(1, *list)
                            : node.create<SubtractOp>(
                                  {lists.getLength(*list),
                                   node.createScalar(1, builder.getI64Type())});
  if (!place)
    return failure();
  return bind(lists.erase(*list, place));
}

LogicalResult SequenceNode::at() {
  if (failed(expectInputs(2, 2)))
    return failure();
  FailureOr<KnownElements *> known = getKnown(0);
  FailureOr<std::optional<int64_t>> position = getKnownPosition(1);
  if (failed(known) || failed(position))
    return failure();
  if (*known && *position) {
    int64_t size = (*known)->elements.size();
    FailureOr<int64_t> checked = checkPosition(**position, size, size);
    if (failed(checked))
      return failure();
    return bind((*known)->elements[*checked]);
  }
  FailureOr<Value> list = getList(0);
  if (failed(list))
    return failure();
  if (isa<IncompleteType>(getListElement(list->getType())))
    return emitError() << "expects a sequence whose elements have a known "
                          "rank, but \""
                       << pending.inputs[0]->name << "\" is empty";
  Value place = getPosition(1, *list);
  if (!place)
    return failure();
  return bind(lists.getElement(*list, place));
}

LogicalResult SequenceNode::length() {
  if (failed(expectInputs(1, 1)))
    return failure();
  FailureOr<KnownElements *> known = getKnown(0);
  if (failed(known))
    return failure();
  if (*known)
    return bindNumber((*known)->elements.size(), builder.getI64Type());
  return bind(lists.getLength(pending.inputs[0]->value));
}

LogicalResult SequenceNode::map() {
  if (failed(expectInputs(1, kVariadic)))
    return failure();
  const Graph *graph = importer.findGraph(pending, "body");
  if (!graph)
    return failure();
  FailureOr<KnownElements *> first = getKnown(0);
  if (failed(first))
    return failure();
  LoopImporter loop(importer, pending, *graph);
  loop.collectsLists = true;
  if (failed(loop.checkGraph(pending.inputs.size())))
    return failure();
  Binding count;
  count.name = pending.node->inputs.front();
  if (*first) {
    count.contents = ShapeTensor{builder.getI64Type(),
                                 {},
                                 {ShapeScalar::get((*first)->elements.size())}};
  } else {
    count.value = lists.getLength(pending.inputs[0]->value);
  }
  for (Binding *input : pending.inputs) {
    if (failed(importer.materialize(*input)))
      return failure();
    if (*first && input->known &&
        input->known->elements.size() != (*first)->elements.size())
      return emitError() << "expects sequences of as many elements, but got "
                         << (*first)->elements.size() << " of \"" << count.name
                         << "\" and " << input->known->elements.size()
                         << " of \"" << input->name << "\"";
  }
  loop.count = &count;
  loop.makeInputs = [&](Binding *number, Binding *,
                        ArrayRef<Binding *>) -> LoopImporter::Inputs {
    SmallVector<Binding *> inputs;
    std::optional<int64_t> position = loop.getKnown(number);
    ListBuilder here(importer.getModule(), builder,
                     importer.getNodeLoc(*pending.node));
    for (Binding *input : pending.inputs) {
      if (importer.isTensor(*input)) {
        inputs.push_back(input);
        continue;
      }
      if (input->known && position) {
        int64_t size = input->known->elements.size();
        if (*position >= size)
          return emitError() << "expects sequences of as many elements, but \""
                             << input->name << "\" has " << size;
        inputs.push_back(input->known->elements[*position]);
        continue;
      }
      if (failed(importer.materialize(*number)))
        return failure();
      inputs.push_back(loop.createValue(importer.nameOpenSizes(
          here.getElement(input->value, number->value))));
    }
    return inputs;
  };
  return loop.run();
}

LogicalResult SequenceNode::makeOptional() {
  if (failed(expectInputs(0, 1)))
    return failure();
  for (Binding *input : pending.inputs)
    if ((input->known && input->known->isOptional) ||
        (input->value && getOptionElement(input->value.getType())))
      return emitError() << "expects a tensor or a sequence, but \""
                         << input->name << "\" is an optional value itself";
    else if (importer.isOpenSequence(input->value) &&
             failed(importer.settleSequence(input->value)))
      return failure();
  Binding *binding = importer.createBinding(pending.node->outputs.front());
  binding->known = KnownElements{pending.inputs, /*isOptional=*/true};
  return bind(binding);
}

LogicalResult SequenceNode::hasElement() {
  if (failed(expectInputs(0, 1)))
    return failure();
  Binding *input = getInput(0);
  Type truth = builder.getI1Type();
  if (!input)
    return bindNumber(0, truth);
  if (input->known && input->known->isOptional)
    return bindNumber(!input->known->elements.empty(), truth);
  if (input->value && getOptionElement(input->value.getType()))
    return bind(lists.hasElement(input->value));
  return bindNumber(1, truth);
}

LogicalResult SequenceNode::getElement() {
  if (failed(expectInputs(1, 1)))
    return failure();
  Binding *input = pending.inputs.front();
  if (input->known && input->known->isOptional) {
    if (input->known->elements.empty())
      return emitError() << "expects an optional value that is there, but \""
                         << input->name << "\" is none";
    return bind(input->known->elements.front());
  }
  if (input->value && getOptionElement(input->value.getType()))
    return bind(lists.getOptional(input->value));
  return bind(input);
}

void mlir::relay::onnx::addSequenceOps(OpTable &table) {
#define RELAY_SEQUENCE_OP(name, method, since)                                 \
  table.addImport(                                                             \
      name,                                                                    \
      [](Importer &importer, PendingNode &pending) {                           \
        return SequenceNode(importer, pending).method();                       \
      },                                                                       \
      since)
  RELAY_SEQUENCE_OP("SequenceConstruct", construct, 11);
  RELAY_SEQUENCE_OP("SequenceEmpty", makeEmpty, 11);
  RELAY_SEQUENCE_OP("SequenceInsert", insert, 11);
  RELAY_SEQUENCE_OP("SequenceErase", erase, 11);
  RELAY_SEQUENCE_OP("SequenceAt", at, 11);
  RELAY_SEQUENCE_OP("SequenceLength", length, 11);
  RELAY_SEQUENCE_OP("ConcatFromSequence", concat, 11);
  RELAY_SEQUENCE_OP("SplitToSequence", split, 11);
  RELAY_SEQUENCE_OP("SequenceMap", map, 17);
  RELAY_SEQUENCE_OP("Optional", makeOptional, 15);
  RELAY_SEQUENCE_OP("OptionalHasElement", hasElement, 15);
  RELAY_SEQUENCE_OP("OptionalGetElement", getElement, 15);
#undef RELAY_SEQUENCE_OP
}
