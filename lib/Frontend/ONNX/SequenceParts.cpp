//===- SequenceParts.cpp - Tensors as sequences of their parts -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "Limits.h"
#include "SequenceNode.h"

#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

LogicalResult SequenceNode::concat() {
  if (failed(expectInputs(1, 1)))
    return failure();
  FailureOr<KnownElements *> known = getKnown(0);
  bool isNewAxis = node.getBool("new_axis", false);
  if (failed(known) || node.hasFailed())
    return failure();
  if (!node.hasAttr("axis"))
    return emitError() << "expects attribute \"axis\"";
  int64_t axis = node.getInt("axis", 0);
  auto normalize = [&](int64_t rank) {
    return node.normalizeAxis(axis, rank + isNewAxis);
  };
  if (*known) {
    if ((*known)->elements.empty())
      return emitError() << "expects a sequence with elements, but \""
                         << pending.inputs[0]->name << "\" is empty";
    SmallVector<Value> values;
    for (Binding *element : (*known)->elements) {
      if (failed(importer.materialize(*element)))
        return failure();
      values.push_back(element->value);
    }
    FailureOr<int64_t> normalized = normalize(node.getRank(values.front()));
    if (failed(normalized))
      return failure();
    Value result;
    if (isNewAxis) {
      StackOp::Properties properties;
      properties.axis = builder.getI64IntegerAttr(*normalized);
      result = node.create<StackOp>(values, properties);
    } else {
      result = node.concatenate(values, *normalized);
    }
    return result ? bind(result) : failure();
  }
  Value list = pending.inputs[0]->value;
  auto element = dyn_cast<RankedTensorType>(getListElement(list.getType()));
  if (!element)
    return emitError() << "expects a sequence of tensors of a known rank, but "
                          "\""
                       << pending.inputs[0]->name << "\" is " << list.getType();
  FailureOr<int64_t> normalized = normalize(element.getRank());
  if (failed(normalized))
    return failure();
  return bind(lists.joinReversed(
      lists.reverseRows(list, *normalized, isNewAxis), *normalized));
}

/// Whether `sizes` are a vector of ones, of whatever length.
static bool isVectorOfOnes(Value sizes) {
  if (!sizes || cast<RankedTensorType>(sizes.getType()).getRank() != 1)
    return false;
  Value fill;
  if (auto full = sizes.getDefiningOp<DynFullOp>())
    fill = full.getFillValue();
  else if (auto full = sizes.getDefiningOp<FullOp>())
    fill = full.getFillValue();
  DenseElementsAttr value;
  return matchPattern(fill ? fill : sizes, m_Constant(&value)) &&
         value.isSplat() && value.getSplatValue<APInt>().isOne();
}

LogicalResult SequenceNode::split() {
  if (failed(expectInputs(1, 2)))
    return failure();
  Binding &input = *pending.inputs[0];
  if (!importer.isTensor(input))
    return emitError() << "expects a tensor in input 0, but \"" << input.name
                       << "\" is none";
  if (failed(importer.materialize(input)))
    return failure();
  Value data = input.value;
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  bool keepsAxis = node.getBool("keepdims", true) || getInput(1);
  if (failed(axis) || node.hasFailed())
    return failure();
  int64_t size = node.getType(data).getDimSize(*axis);
  ShapeScalar dim = node.getDims(data)[*axis];
  bool isKnown = true;
  if (getInput(1)) {
    if (failed(checkSplit()))
      return failure();
    const ShapeTensor *parts = node.getContents(1);
    isKnown = parts && parts->getConstants();
    int64_t least = node.getInputType(1).getRank() == 0 ? 1 : 0;
    for (int64_t part :
         isKnown ? *parts->getConstants() : SmallVector<int64_t>())
      if (part < least)
        return emitError() << "expects parts of " << least
                           << " or more elements, but got " << part;
  }
  // A list that is made at run time has any number of parts.
  bool isOpen = ShapedType::isDynamic(size) || size > kMaxShapeElements;
  if (!isKnown || (isOpen && getInput(1))) {
    if (failed(importer.materialize(*getInput(1))))
      return failure();
    Value sizes = node.castTo(getInput(1)->value, builder.getI64Type());
    if (isVectorOfOnes(sizes)) {
      // Then elements have a known size.
      Value count = node.createSize(sizes, 0);
      Value isRight =
          node.create<EqualOp>({count, node.createSize(data, *axis)});
      count = node.assertThat(
          count, isRight,
          "expects parts that are together as long as the axis");
      if (!count)
        return failure();
      return bind(lists.split(data, *axis, /*keepsAxis=*/true, count));
    }
    ComputedParts parts = createParts(node, data, *axis, sizes);
    if (!parts.begins || !parts.ends || !parts.count)
      return failure();
    return bind(
        lists.split(data, *axis, parts.begins, parts.ends, parts.count));
  }
  if (isOpen) {
    Value count =
        node.reshape(node.createInts(ArrayRef(dim)), ArrayRef<int64_t>{});
    if (!count)
      return failure();
    return bind(lists.split(data, *axis, keepsAxis, count));
  }
  SmallVector<int64_t> sizes;
  if (getInput(1)) {
    FailureOr<SmallVector<int64_t>> parts = node.getConstantInts(1);
    if (failed(parts))
      return failure();
    sizes = *parts;
    if (node.getInputType(1).getRank() == 0) {
      int64_t part = sizes.front();
      sizes.clear();
      for (int64_t begin = 0; begin < size; begin += part)
        sizes.push_back(std::min(part, size - begin));
    }
  } else {
    sizes.assign(size, 1);
  }
  int64_t total = 0;
  for (int64_t part : sizes) {
    if (part < 0 || part > size - total)
      return emitError() << "expects parts of " << size
                         << " elements in all, but got one of " << part
                         << " after " << total;
    total += part;
  }
  if (total != size)
    return emitError() << "expects parts of " << size
                       << " elements in all, but got " << total;
  SmallVector<Binding *> elements;
  int64_t begin = 0;
  for (int64_t part : sizes) {
    Value value = node.slice(data, *axis, begin, begin + part);
    if (!keepsAxis)
      value = node.squeeze(value, {*axis});
    if (!value)
      return failure();
    begin += part;
    elements.push_back(importer.createBinding(input.name));
    elements.back()->value = value;
  }
  return bindKnown(std::move(elements));
}

LogicalResult SequenceNode::checkSplit() {
  Binding &sizes = *getInput(1);
  if (importer.isTensor(sizes)) {
    RankedTensorType type = importer.getType(sizes);
    if (type.getRank() <= 1 && type.getElementType().isSignlessInteger() &&
        !type.getElementType().isInteger(1))
      return success();
  }
  return emitError() << "expects a size of parts or a vector of them in input "
                        "1, but \""
                     << sizes.name << "\" is something else";
}
