//===- NNOps.cpp - Convolutions, products, normalisations -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

/// Whether two sizes can be equal.
static bool mayEqual(int64_t a, int64_t b) {
  return a == b || isDynamic(a) || isDynamic(b);
}

/// Checks what convolutions and transposed ones have in common.
static LogicalResult checkConv(std::optional<Location> location,
                               RankedTensorType data, RankedTensorType weight,
                               const ConvAttrs &attrs) {
  if (attrs.dataLayout != attrs.supportedDataLayout)
    return emitOptionalError(location, "expects data_layout \"",
                             attrs.supportedDataLayout, "\", but got \"",
                             attrs.dataLayout, "\"");
  if (attrs.kernelLayout != attrs.supportedKernelLayout)
    return emitOptionalError(location, "expects kernel_layout \"",
                             attrs.supportedKernelLayout, "\", but got \"",
                             attrs.kernelLayout, "\"");
  if (!attrs.outLayout.empty() && attrs.outLayout != attrs.dataLayout)
    return emitOptionalError(location, "expects out_layout \"",
                             attrs.dataLayout, "\", but got \"",
                             attrs.outLayout, "\"");
  int64_t rank = attrs.dataLayout.size(), spatial = rank - 2;
  if (data.getRank() != rank)
    return emitOptionalError(location, "expects data of rank ", rank,
                             ", but got ", data);
  if (weight.getRank() != rank)
    return emitOptionalError(location, "expects weight of rank ", rank,
                             ", but got ", weight);
  if (data.getElementType() != weight.getElementType())
    return emitOptionalError(location,
                             "expects data and weight of the same element "
                             "type, but got ",
                             data.getElementType(), " and ",
                             weight.getElementType());
  auto checkList = [&](ArrayRef<int64_t> list,
                       StringRef name) -> LogicalResult {
    if (static_cast<int64_t>(list.size()) != spatial ||
        llvm::any_of(list, [](int64_t value) { return value < 1; }))
      return emitOptionalError(location, "expects ", spatial, " positive ",
                               name, ", but got [", list, "]");
    return success();
  };
  if (failed(checkList(attrs.strides, "strides")) ||
      failed(checkList(attrs.dilation, "dilation")))
    return failure();
  FailureOr<Padding> padding = expandPadding(attrs.padding, spatial);
  if (failed(padding))
    return emitOptionalError(location, "expects 1, ", spatial, " or ",
                             2 * spatial, " padding values, but got [",
                             attrs.padding, "]");
  if (llvm::any_of(attrs.padding, [](int64_t value) { return value < 0; }))
    return emitOptionalError(location,
                             "expects padding not to be negative, "
                             "but got [",
                             attrs.padding, "]");
  if (attrs.groups < 1)
    return emitOptionalError(location, "expects positive groups, but got ",
                             attrs.groups);
  if (llvm::is_contained(weight.getShape().drop_front(2), 0))
    return emitOptionalError(
        location, "expects a kernel that is not empty, but got ", weight);
  if (attrs.kernelSize) {
    ArrayRef<int64_t> kernel = weight.getShape().drop_front(2);
    if (attrs.kernelSize->size() != kernel.size() ||
        !llvm::all_of(llvm::zip_equal(*attrs.kernelSize, kernel),
                      [](auto pair) {
                        return mayEqual(std::get<0>(pair), std::get<1>(pair));
                      }))
      return emitOptionalError(location, "expects kernel_size ",
                               formatShape(kernel), " as of weight, but got ",
                               formatShape(*attrs.kernelSize));
  }
  return success();
}

static Type getOutElementType(RankedTensorType data,
                              std::optional<Type> outDtype) {
  return outDtype ? *outDtype : data.getElementType();
}

LogicalResult relay::detail::inferConv(std::optional<Location> location,
                                       Type dataArg, Type weightArg,
                                       const ConvAttrs &attrs,
                                       SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  auto weight = cast<RankedTensorType>(weightArg);
  if (failed(checkConv(location, data, weight, attrs)))
    return failure();

  int64_t channels = data.getDimSize(1), out = weight.getDimSize(0);
  int64_t perGroup = weight.getDimSize(1);
  if (!isDynamic(perGroup) && !mayEqual(channels, perGroup * attrs.groups))
    return emitOptionalError(location, "expects ", perGroup * attrs.groups,
                             " input channels (weight is ", weight,
                             ", groups is ", attrs.groups, "), but got ",
                             channels, " (data is ", data, ")");
  if (!isDynamic(out) && out % attrs.groups != 0)
    return emitOptionalError(location,
                             "expects output channels divisible by groups ",
                             attrs.groups, ", but got ", out);
  if (attrs.channels && !mayEqual(*attrs.channels, out))
    return emitOptionalError(location, "expects channels ", out,
                             " as of weight, but got ", *attrs.channels);

  int64_t spatial = data.getRank() - 2;
  Padding padding = *expandPadding(attrs.padding, spatial);
  SmallVector<int64_t> shape = {data.getDimSize(0), out};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = data.getDimSize(i + 2), kernel = weight.getDimSize(i + 2);
    if (isDynamic(in) || isDynamic(kernel)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t padded = in + padding.before[i] + padding.after[i];
    int64_t window = (kernel - 1) * attrs.dilation[i] + 1;
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along spatial dimension ", i,
                               ", but got ", padded);
    shape.push_back((padded - window) / attrs.strides[i] + 1);
  }
  types.push_back(
      RankedTensorType::get(shape, getOutElementType(data, attrs.outDtype)));
  return success();
}

LogicalResult relay::detail::inferConvTranspose(
    std::optional<Location> location, Type dataArg, Type weightArg,
    const ConvAttrs &attrs, ArrayRef<int64_t> outputPadding,
    SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  auto weight = cast<RankedTensorType>(weightArg);
  if (failed(checkConv(location, data, weight, attrs)))
    return failure();
  int64_t spatial = data.getRank() - 2;
  if (static_cast<int64_t>(outputPadding.size()) != spatial ||
      llvm::any_of(outputPadding, [](int64_t value) { return value < 0; }))
    return emitOptionalError(location, "expects ", spatial,
                             " output_padding values that are not negative, "
                             "but got [",
                             outputPadding, "]");
  if (!mayEqual(data.getDimSize(1), weight.getDimSize(0)))
    return emitOptionalError(location, "expects ", weight.getDimSize(0),
                             " input channels (weight is ", weight,
                             "), but got ", data.getDimSize(1), " (data is ",
                             data, ")");
  if (!isDynamic(data.getDimSize(1)) && data.getDimSize(1) % attrs.groups != 0)
    return emitOptionalError(location,
                             "expects input channels divisible by groups ",
                             attrs.groups, ", but got ", data.getDimSize(1));
  int64_t out = weight.getDimSize(1);
  if (!isDynamic(out))
    out *= attrs.groups;
  if (attrs.channels && !mayEqual(*attrs.channels, out))
    return emitOptionalError(location, "expects channels ", out,
                             " as of weight, but got ", *attrs.channels);

  Padding padding = *expandPadding(attrs.padding, spatial);
  SmallVector<int64_t> shape = {data.getDimSize(0), out};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = data.getDimSize(i + 2), kernel = weight.getDimSize(i + 2);
    if (isDynamic(in) || isDynamic(kernel)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t size = attrs.strides[i] * (in - 1) +
                   (kernel - 1) * attrs.dilation[i] + 1 - padding.before[i] -
                   padding.after[i] + outputPadding[i];
    if (size < 0)
      return emitOptionalError(location,
                               "expects padding that leaves a "
                               "result, but got size ",
                               size, " along spatial dimension ", i);
    shape.push_back(size);
  }
  types.push_back(
      RankedTensorType::get(shape, getOutElementType(data, attrs.outDtype)));
  return success();
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

static LogicalResult inferMatmul(std::optional<Location> location,
                                 RankedTensorType a, RankedTensorType b,
                                 bool transposeA, bool transposeB,
                                 std::optional<int64_t> units,
                                 std::optional<Type> outDtype,
                                 SmallVectorImpl<Type> &types) {
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(location,
                             "expects operands of the same element type, but "
                             "got ",
                             a.getElementType(), " and ", b.getElementType());
  int64_t rank = a.getRank();
  if (rank < 1 || (transposeA && rank < 2))
    return emitOptionalError(location,
                             "expects the first operand to be a "
                             "matrix, but got ",
                             a);
  if (b.getRank() != 2)
    return emitOptionalError(
        location, "expects the second operand to be of rank 2, but got ", b);
  int64_t ka = a.getDimSize(transposeA ? rank - 2 : rank - 1);
  int64_t kb = b.getDimSize(transposeB ? 1 : 0);
  int64_t n = b.getDimSize(transposeB ? 0 : 1);
  if (!mayEqual(ka, kb))
    return emitOptionalError(location, "expects a reduced size of ", kb,
                             " (second operand is ", b, "), but got ", ka,
                             " (first operand is ", a, ")");
  if (units && !mayEqual(*units, n))
    return emitOptionalError(location, "expects units ", n,
                             " as of the second operand, but got ", *units);
  SmallVector<int64_t> shape(a.getShape());
  if (transposeA)
    shape[rank - 2] = a.getDimSize(rank - 1);
  shape.back() = isDynamic(n) && units ? *units : n;
  types.push_back(RankedTensorType::get(shape, getOutElementType(a, outDtype)));
  return success();
}

LogicalResult NNDenseOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferMatmul(location,
                     cast<RankedTensorType>(adaptor.getData().getType()),
                     cast<RankedTensorType>(adaptor.getWeight().getType()),
                     /*transposeA=*/false, /*transposeB=*/true,
                     adaptor.getUnits(), adaptor.getOutDtype(), types);
}

LogicalResult NNMatmulOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferMatmul(location,
                     cast<RankedTensorType>(adaptor.getTensorA().getType()),
                     cast<RankedTensorType>(adaptor.getTensorB().getType()),
                     adaptor.getTransposeA(), adaptor.getTransposeB(),
                     adaptor.getUnits(), adaptor.getOutDtype(), types);
}

LogicalResult NNBatchMatmulOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(adaptor.getTensorA().getType());
  auto b = cast<RankedTensorType>(adaptor.getTensorB().getType());
  if (a.getRank() != 3 || b.getRank() != 3)
    return emitOptionalError(location, "expects operands of rank 3, but got ",
                             a, " and ", b);
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(location,
                             "expects operands of the same element type, but "
                             "got ",
                             a.getElementType(), " and ", b.getElementType());
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  int64_t ka = a.getDimSize(ta ? 1 : 2), kb = b.getDimSize(tb ? 2 : 1);
  if (!mayEqual(ka, kb))
    return emitOptionalError(location, "expects a reduced size of ", kb,
                             " (tensor_b is ", b, "), but got ", ka,
                             " (tensor_a is ", a, ")");
  FailureOr<SmallVector<int64_t>> batch = broadcastShapes(
      location, a.getShape().take_front(), b.getShape().take_front());
  if (failed(batch))
    return failure();
  types.push_back(RankedTensorType::get(
      {batch->front(), a.getDimSize(ta ? 2 : 1), b.getDimSize(tb ? 1 : 2)},
      getOutElementType(a, adaptor.getOutDtype())));
  return success();
}

//===----------------------------------------------------------------------===//
// Operators along an axis
//===----------------------------------------------------------------------===//

LogicalResult NNBiasAddOp::verify() {
  return verifyAlongAxis(*this, getData(), getBias(), "bias", getAxis());
}

LogicalResult NNPreluOp::verify() {
  return verifyAlongAxis(*this, getData(), getAlpha(), "alpha", getAxis());
}

LogicalResult NNSoftmaxOp::verify() {
  return normalizeAxis(getLoc(), getAxis(), getData().getType().getRank());
}

LogicalResult NNLogSoftmaxOp::verify() {
  return normalizeAxis(getLoc(), getAxis(), getData().getType().getRank());
}

template <typename OpTy>
static LogicalResult verifyNorm(OpTy op) {
  if (failed(verifyAlongAxis(op, op.getData(), op.getGamma(), "gamma",
                             op.getAxis())))
    return failure();
  return verifyAlongAxis(op, op.getData(), op.getBeta(), "beta", op.getAxis());
}

LogicalResult NNLayerNormOp::verify() { return verifyNorm(*this); }
LogicalResult NNInstanceNormOp::verify() { return verifyNorm(*this); }

LogicalResult NNGroupNormOp::verify() {
  if (failed(verifyNorm(*this)))
    return failure();
  int64_t axis = getAxis(), rank = getData().getType().getRank();
  int64_t channels =
      getData().getType().getDimSize(axis < 0 ? axis + rank : axis);
  if (getNumGroups() < 1 ||
      (!isDynamic(channels) && channels % getNumGroups() != 0))
    return emitOpError("expects num_groups to divide the ")
           << channels << " channels, but got " << getNumGroups();
  return success();
}

LogicalResult relay::detail::checkLrn(std::optional<Location> location,
                                      Value data, int64_t size, int64_t axis) {
  if (size < 1)
    return emitOptionalError(location, "expects a positive size, but got ",
                             size);
  return checkAxes(location, data, axis);
}

LogicalResult NNBatchNormOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  int64_t size = data.getDimSize(*axis);
  std::pair<StringRef, Value> vectors[] = {
      {"gamma", adaptor.getGamma()},
      {"beta", adaptor.getBeta()},
      {"moving_mean", adaptor.getMovingMean()},
      {"moving_var", adaptor.getMovingVar()}};
  for (auto [name, vector] : vectors) {
    auto type = cast<RankedTensorType>(vector.getType());
    if (type.getRank() != 1 || !mayEqual(type.getDimSize(0), size) ||
        type.getElementType() != data.getElementType())
      return emitOptionalError(
          location, "expects ", name, " of type ",
          RankedTensorType::get({size}, data.getElementType()), ", but got ",
          type);
  }
  types.push_back(
      TupleType::get(context, {data, adaptor.getMovingMean().getType(),
                               adaptor.getMovingVar().getType()}));
  return success();
}

LogicalResult NNDropoutOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type data = adaptor.getData().getType();
  types.push_back(TupleType::get(context, {data, data}));
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayNNOps.cpp.inc"
