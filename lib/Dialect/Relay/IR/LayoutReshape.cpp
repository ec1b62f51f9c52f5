//===- LayoutReshape.cpp - Reshapes of permuted tensors -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A reshape splits and merges runs of dimensions. On tensors in another order
// it still can, as long as the dimensions of a run lie together.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/LayoutForms.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

Type relay::getStoredType(Type type, ArrayRef<int64_t> order) {
  if (order.empty())
    return type;
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Type> fields;
    for (Type field : tuple.getTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(field);
      bool isStored =
          tensor && tensor.getRank() == static_cast<int64_t>(order.size());
      fields.push_back(isStored ? getStoredType(field, order) : field);
    }
    return TupleType::get(type.getContext(), fields);
  }
  auto tensor = cast<RankedTensorType>(type);
  int64_t added = order.size() - tensor.getRank();
  SmallVector<int64_t> shape;
  for (int64_t dim : order) {
    int64_t size = dim < added ? 1 : tensor.getDimSize(dim - added);
    if (added == 0 || size != 1 || !shape.empty())
      shape.push_back(size);
  }
  return tensor.clone(shape);
}

/// The dimensions of a tensor of more than one element, in an order.
static SmallVector<int64_t> getSequence(ArrayRef<int64_t> shape,
                                        ArrayRef<int64_t> order) {
  SmallVector<int64_t> sequence;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t dim = order.empty() ? i : order[i];
    if (shape[dim] != 1)
      sequence.push_back(dim);
  }
  return sequence;
}

bool relay::detail::isSameSequence(RankedTensorType type,
                                   ArrayRef<int64_t> from,
                                   ArrayRef<int64_t> to) {
  int64_t rank = std::max<int64_t>(type.getRank(),
                                   std::max<int64_t>(from.size(), to.size()));
  SmallVector<int64_t> shape(rank - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  auto widen = [&](ArrayRef<int64_t> order) {
    DimOrder wide;
    for (int64_t i = order.size(); i < rank; ++i)
      wide.push_back(wide.size());
    int64_t added = wide.size();
    for (int64_t dim : order)
      wide.push_back(added + dim);
    return order.empty() ? DimOrder() : wide;
  };
  return getSequence(shape, widen(from)) == getSequence(shape, widen(to));
}

std::optional<SmallVector<int64_t>>
relay::detail::getReshapeCodes(RankedTensorType data, RankedTensorType result) {
  SmallVector<int64_t> codes(result.getShape());
  // The code 0 takes the size of the data at its position.
  for (auto [i, code] : llvm::enumerate(codes))
    if (code == 0 &&
        (static_cast<int64_t>(i) >= data.getRank() || data.getDimSize(i) != 0))
      return std::nullopt;
  if (result.getNumDynamicDims() == 0)
    return codes;
  if (result.getNumDynamicDims() > 1 || llvm::is_contained(codes, 0))
    return std::nullopt;
  *llvm::find_if(codes, ShapedType::isDynamic) = -1;
  return codes;
}

namespace {

/// Dimensions of the data that become dimensions of the result, as few as
/// possible. Those of size 1 belong to no run.
struct Run {
  SmallVector<int64_t, 2> data, result;
};

} // namespace

/// Whether a dynamic dimension of the data is known to become one of the
/// result.
static bool isSameDynamicSize(Operation *op, int64_t dataDim,
                              int64_t resultDim) {
  auto data = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  // All the others match.
  if (data.getNumDynamicDims() == 1 && result.getNumDynamicDims() == 1)
    return true;
  if (isa<ExpandDimsOp, SqueezeOp>(op))
    return true;
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || reshape.getAllowzero() || dataDim != resultDim)
    return false;
  // Codes below -1 take or make several dimensions.
  ArrayRef<int64_t> codes =
      reshape.getNewshape().take_front(std::max<int64_t>(resultDim + 1, 0));
  return static_cast<int64_t>(codes.size()) > resultDim && codes.back() == 0 &&
         llvm::none_of(codes, [](int64_t code) { return code < -1; });
}

static std::optional<SmallVector<Run>> getRuns(Operation *op) {
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> to =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  if (llvm::is_contained(from, 0) || llvm::is_contained(to, 0))
    return std::nullopt;
  SmallVector<int64_t> data = getSequence(from, {});
  SmallVector<int64_t> result = getSequence(to, {});
  SmallVector<Run> runs;
  size_t i = 0, j = 0;
  while (i < data.size() && j < result.size()) {
    Run run{{data[i]}, {result[j]}};
    int64_t dataSize = from[data[i++]], resultSize = to[result[j++]];
    if (ShapedType::isDynamic(dataSize) || ShapedType::isDynamic(resultSize)) {
      if (dataSize != resultSize ||
          !isSameDynamicSize(op, run.data.front(), run.result.front()))
        return std::nullopt;
      runs.push_back(run);
      continue;
    }
    while (dataSize != resultSize) {
      bool isDataSmaller = dataSize < resultSize;
      ArrayRef<int64_t> shape = isDataSmaller ? from : to;
      ArrayRef<int64_t> dims = isDataSmaller ? data : result;
      size_t &next = isDataSmaller ? i : j;
      if (next == dims.size() || ShapedType::isDynamic(shape[dims[next]]))
        return std::nullopt;
      (isDataSmaller ? run.data : run.result).push_back(dims[next]);
      (isDataSmaller ? dataSize : resultSize) *= shape[dims[next++]];
    }
    runs.push_back(run);
  }
  if (i != data.size() || j != result.size())
    return std::nullopt;
  return runs;
}

/// Orders dimensions: those of `sequence` so, each one of size 1 behind its
/// predecessor.
static DimOrder completeOrder(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> sequence) {
  DimOrder order(sequence);
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
    if (llvm::is_contained(order, dim))
      continue;
    auto *position = dim == 0 ? order.begin() : llvm::find(order, dim - 1) + 1;
    order.insert(position, dim);
  }
  return canonicalOrder(order);
}

std::optional<OperatorForm>
relay::detail::inferReshapeForm(Operation *op, ArrayRef<int64_t> order) {
  auto data = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<SmallVector<Run>> runs = getRuns(op);
  if (!runs || data.getRank() != static_cast<int64_t>(order.size()))
    return std::nullopt;
  // A run lies where its first dimension does; inside, dimensions must have the
  // order of the value.
  SmallVector<int64_t> sequence = getSequence(data.getShape(), order);
  auto getPlace = [&](const Run &run) {
    return llvm::find_if(sequence, [&](int64_t dim) {
      return llvm::is_contained(run.data, dim);
    });
  };
  llvm::sort(*runs, [&](const Run &a, const Run &b) {
    return getPlace(a) < getPlace(b);
  });
  SmallVector<int64_t> newSequence, resultSequence;
  for (const Run &run : *runs) {
    llvm::append_range(newSequence, run.data);
    llvm::append_range(resultSequence, run.result);
  }
  OperatorForm form;
  form.operands.push_back(newSequence == sequence
                              ? DimOrder(order)
                              : completeOrder(data.getShape(), newSequence));
  form.result = llvm::is_sorted(resultSequence)
                    ? DimOrder()
                    : completeOrder(result.getShape(), resultSequence);
  auto storedData =
      cast<RankedTensorType>(getStoredType(data, form.operands.front()));
  auto storedResult =
      cast<RankedTensorType>(getStoredType(result, form.result));
  if (!getReshapeCodes(storedData, storedResult))
    return std::nullopt;
  return form;
}

Operation *relay::detail::buildReshapeInForm(OpBuilder &builder, Operation *op,
                                             const OperatorForm &form,
                                             Value data) {
  auto type = cast<RankedTensorType>(
      getStoredType(op->getResult(0).getType(), form.result));
  auto dataType = cast<RankedTensorType>(data.getType());
  return ReshapeOp::create(builder, op->getLoc(), type, data,
                           *getReshapeCodes(dataType, type));
}
