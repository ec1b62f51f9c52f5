//===- TransformIndexing.cpp - Types of search, einsum and spectra --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cumulative.h"
#include "TransformOps.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <map>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult AdvIndexOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  ValueRange inputs = adaptor.getInputs();
  if (inputs.size() < 2)
    return emitOptionalError(location, "expects data and indices, but got ",
                             inputs.size(), " tensors");
  RankedTensorType data = tensorType(inputs.front());
  ValueRange indices = inputs.drop_front();
  if (static_cast<int64_t>(indices.size()) > data.getRank())
    return emitOptionalError(location, "expects indices for up to ",
                             data.getRank(), " dimensions, but got ",
                             indices.size());
  SmallVector<int64_t> shape;
  for (Value index : indices) {
    RankedTensorType type = tensorType(index);
    if (!isa<IntegerType>(type.getElementType()) ||
        type.getElementType().isInteger(1))
      return emitOptionalError(location, "expects integer indices, but got ",
                               type);
    FailureOr<SmallVector<int64_t>> joined =
        broadcastShapes(location, shape, type.getShape());
    if (failed(joined))
      return failure();
    shape = *joined;
  }
  llvm::append_range(shape, data.getShape().drop_front(indices.size()));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult ArgwhereOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get(
      {ShapedType::kDynamic, tensorType(adaptor.getCondition()).getRank()},
      IntegerType::get(context, 32)));
  return success();
}

LogicalResult MeshgridOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  if (failed(
          checkMode(location, "indexing", adaptor.getIndexing(), {"ij", "xy"})))
    return failure();
  if (adaptor.getData().empty())
    return emitOptionalError(location, "expects one vector or more");
  SmallVector<int64_t> shape;
  Value first = adaptor.getData().front();
  for (Value value : adaptor.getData()) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() > 1)
      return emitOptionalError(location, "expects vectors, but got ", type);
    if (failed(checkElementType(location, first, value, "all vectors")))
      return failure();
    shape.push_back(type.getRank() ? type.getDimSize(0) : 1);
  }
  if (adaptor.getIndexing() == "xy" && shape.size() > 1)
    std::swap(shape[0], shape[1]);
  Type field = tensorType(first).clone(shape);
  types.push_back(TupleType::get(
      context, SmallVector<Type>(adaptor.getData().size(), field)));
  return success();
}

LogicalResult SearchsortedOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType sequence = tensorType(adaptor.getSortedSequence());
  RankedTensorType values = tensorType(adaptor.getValues());
  if (failed(checkElementType(location, adaptor.getSortedSequence(),
                              adaptor.getValues(), "values")))
    return failure();
  if (sequence.getRank() < 1)
    return emitOptionalError(
        location, "expects sorted_sequence of rank 1 or more, but got ",
        sequence);
  if (sequence.getRank() > 1 &&
      (sequence.getRank() != values.getRank() ||
       failed(verifyCompatibleShape(sequence.getShape().drop_back(),
                                    values.getShape().drop_back()))))
    return emitOptionalError(location,
                             "expects values with the leading "
                             "dimensions of sorted_sequence ",
                             sequence, ", but got ", values);
  Type dtype = adaptor.getDtype().getValue();
  if (!isa<IntegerType>(dtype))
    return emitOptionalError(location, "expects an integer dtype, but got ",
                             dtype);
  types.push_back(values.clone(dtype));
  return success();
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  Type indexType = IntegerType::get(context, 32);
  Type indices = data.clone(indexType);
  SmallVector<Type> fields = {data, indices, indices,
                              RankedTensorType::get({1}, indexType)};
  if (adaptor.getReturnCounts())
    fields.push_back(indices);
  types.push_back(TupleType::get(context, fields));
  return success();
}

LogicalResult UnravelIndexOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (data.getRank() > 1)
    return emitOptionalError(
        location, "expects a vector of indices or one index, but got ", data);
  SmallVector<int64_t> shape = {tensorType(adaptor.getShape()).getDimSize(0)};
  llvm::append_range(shape, data.getShape());
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LogicalResult CumprodOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferCumulative(location, adaptor.getData().getType(),
                         adaptor.getAxis(), adaptor.getDtype(), types);
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getData().empty())
    return emitOptionalError(location, "expects one tensor or more");
  SmallVector<int64_t> ranks;
  for (Value operand : adaptor.getData()) {
    if (failed(checkElementType(location, adaptor.getData().front(), operand,
                                "all operands")))
      return failure();
    ranks.push_back(tensorType(operand).getRank());
  }
  std::string error;
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse(adaptor.getEquation(), ranks, error);
  if (failed(equation))
    return emitOptionalError(location, error);

  std::map<int, int64_t> sizes;
  for (auto [operand, labels] :
       llvm::zip_equal(adaptor.getData(), equation->operands))
    for (auto [label, size] :
         llvm::zip_equal(labels, tensorType(operand).getShape())) {
      int64_t &common = sizes.try_emplace(label, size).first->second;
      // As in NumPy, a size of one repeats.
      if (common != 1 && size != 1 && !mayEqual(common, size))
        return emitOptionalError(
            location, "expects one size for each letter of equation, but got ",
            common, " and ", size,
            label > 0 ? " for '" + std::string(1, label) + "'"
                      : std::string(" in '...'"));
      if (common == 1 || (isDynamic(common) && size != 1))
        common = size;
    }
  SmallVector<int64_t> shape;
  for (int label : equation->result)
    shape.push_back(sizes[label]);
  types.push_back(tensorType(adaptor.getData().front()).clone(shape));
  return success();
}

LogicalResult relay::detail::checkFixedPointMultiplyPerAxis(
    std::optional<Location> location, Value data, ArrayRef<Value> params,
    std::optional<ArrayRef<int64_t>> axes) {
  RankedTensorType type = tensorType(data);
  ArrayRef<int64_t> dims = axes.value_or(ArrayRef<int64_t>());
  if (failed(checkAxes(location, data, dims)))
    return failure();
  SmallVector<int64_t> expected;
  for (int64_t axis : dims)
    expected.push_back(
        type.getDimSize(axis < 0 ? axis + type.getRank() : axis));
  for (Value param : params)
    if (failed(verifyCompatibleShape(expected, tensorType(param).getShape())))
      return emitOptionalError(
          location, "expects multipliers and shifts of the dimensions [", dims,
          "] of ", type, ", but got ", param.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Spectra
//===----------------------------------------------------------------------===//

LogicalResult DftOp::inferReturnTypes(MLIRContext *context,
                                      std::optional<Location> location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType re = tensorType(adaptor.getReData());
  RankedTensorType im = tensorType(adaptor.getImData());
  if (!areTypesCompatible(Type(re), Type(im)))
    return emitOptionalError(
        location, "expects re_data and im_data of one type, but got ", re,
        " and ", im);
  if (re.getRank() < 1)
    return emitOptionalError(location,
                             "expects data of rank 1 or more, but got ", re);
  types.push_back(TupleType::get(context, {re, im}));
  return success();
}

LogicalResult StftOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType window = tensorType(adaptor.getWindow());
  int64_t size = adaptor.getNFft();
  if (size < 1)
    return emitOptionalError(location, "expects a positive n_fft, but got ",
                             size);
  int64_t hop = adaptor.getHopLength();
  hop = hop == -1 ? size / 4 : hop;
  if (hop < 1)
    return emitOptionalError(location,
                             "expects a positive hop_length, but got ", hop);
  int64_t length = adaptor.getWinLength();
  length = length == -1 ? size : length;
  if (length < 1 || length > size)
    return emitOptionalError(location, "expects win_length up to n_fft, ", size,
                             ", but got ", length);
  if (!mayEqual(window.getDimSize(0), length))
    return emitOptionalError(location, "expects a window of ", length,
                             " elements, but got ", window);
  if (data.getRank() < 1 || data.getRank() > 2)
    return emitOptionalError(location, "expects data of rank 1 or 2, but got ",
                             data);
  int64_t samples = data.getShape().back();
  if (!isDynamic(samples) && samples < size)
    return emitOptionalError(location, "expects ", size,
                             " samples or more, but got ", data);
  SmallVector<int64_t> shape(data.getShape().drop_back());
  shape.push_back(adaptor.getOnesided() ? size / 2 + 1 : size);
  shape.push_back(isDynamic(samples) ? samples : (samples - size) / hop + 1);
  shape.push_back(2);
  types.push_back(data.clone(shape));
  return success();
}
