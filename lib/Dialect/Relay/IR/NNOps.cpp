//===- NNOps.cpp - Convolutions, products, normalisations -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"
#include "ShapeUtils.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;
using namespace mlir::relay::shapes;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// Shapes of what a convolution reads, as if in the layouts that attributes
/// call supported: others are those in another order, or with parts split off.
struct ConvOperands {
  SmallVector<int64_t> data, weight;

  ArrayRef<int64_t> getKernel() const { return ArrayRef(weight).drop_front(2); }
};

} // namespace

/// Whether elements of these types are multiplied: of one type, or bytes of
/// which one is signed.
static bool areFactors(Type a, Type b) {
  auto isByte = [](Type type) { return type.isInteger(8); };
  return a == b || (isByte(a) && isByte(b));
}

/// Checks what convolutions and transposed ones have in common.
static FailureOr<ConvOperands> checkConv(std::optional<Location> location,
                                         RankedTensorType data,
                                         RankedTensorType weight,
                                         const ConvAttrs &attrs) {
  int64_t rank = attrs.supportedDataLayout.size(), spatial = rank - 2;
  if (attrs.dataLayout == attrs.supportedDataLayout && data.getRank() != rank)
    return emitOptionalError(location, "expects data of rank ", rank,
                             ", but got ", data);
  if (attrs.kernelLayout == attrs.supportedKernelLayout &&
      weight.getRank() != rank)
    return emitOptionalError(location, "expects weight of rank ", rank,
                             ", but got ", weight);
  auto dataShape = mapShape(location, "data_layout", data.getShape(),
                            attrs.dataLayout, attrs.supportedDataLayout);
  auto weightShape = mapShape(location, "kernel_layout", weight.getShape(),
                              attrs.kernelLayout, attrs.supportedKernelLayout);
  if (failed(dataShape) || failed(weightShape))
    return failure();
  ConvOperands operands = {*dataShape, *weightShape};
  if (!areFactors(data.getElementType(), weight.getElementType()))
    return emitOptionalError(location,
                             "expects data and weight of the same element "
                             "type, or of bytes, but got ",
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
  if (llvm::is_contained(operands.getKernel(), 0))
    return emitOptionalError(
        location, "expects a kernel that is not empty, but got ", weight);
  if (attrs.kernelSize) {
    ArrayRef<int64_t> kernel = operands.getKernel();
    if (attrs.kernelSize->size() != kernel.size() ||
        !llvm::all_of(llvm::zip_equal(*attrs.kernelSize, kernel),
                      [](auto pair) {
                        return mayEqual(std::get<0>(pair), std::get<1>(pair));
                      }))
      return emitOptionalError(location, "expects kernel_size ",
                               formatShape(kernel), " as of weight, but got ",
                               formatShape(*attrs.kernelSize));
  }
  return operands;
}

static Type getOutElementType(RankedTensorType data,
                              std::optional<Type> outDtype) {
  return outDtype ? *outDtype : data.getElementType();
}

/// Adds the type of a shape in that order, in the layout of the result.
static LogicalResult addResult(std::optional<Location> location,
                               RankedTensorType data, ArrayRef<int64_t> shape,
                               const ConvAttrs &attrs,
                               SmallVectorImpl<Type> &types) {
  auto result =
      mapShape(location, "out_layout", shape, attrs.supportedDataLayout,
               attrs.outLayout.empty() ? attrs.dataLayout : attrs.outLayout);
  if (failed(result))
    return failure();
  types.push_back(
      RankedTensorType::get(*result, getOutElementType(data, attrs.outDtype)));
  return success();
}

LogicalResult relay::detail::inferConv(std::optional<Location> location,
                                       Type dataArg, Type weightArg,
                                       const ConvAttrs &attrs,
                                       SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  auto weight = cast<RankedTensorType>(weightArg);
  FailureOr<ConvOperands> operands = checkConv(location, data, weight, attrs);
  if (failed(operands))
    return failure();

  int64_t channels = operands->data[1], out = operands->weight[0];
  int64_t perGroup = operands->weight[1];
  // The results of each channel of a depthwise convolution may be in dimension
  // 1 of its weight.
  bool isDepthwise = attrs.groups > 1 && channels == attrs.groups &&
                     out == attrs.groups && perGroup > 1;
  if (isDepthwise) {
    out = shapes::multiply(out, perGroup);
    perGroup = 1;
  }
  if (!isDynamic(perGroup) &&
      !mayEqual(channels, shapes::multiply(perGroup, attrs.groups)))
    return emitOptionalError(
        location, "expects ", shapes::multiply(perGroup, attrs.groups),
        " input channels (weight is ", weight, ", groups is ", attrs.groups,
        "), but got ", channels, " (data is ", data, ")");
  if (!isDynamic(out) && out % attrs.groups != 0)
    return emitOptionalError(location,
                             "expects output channels divisible by groups ",
                             attrs.groups, ", but got ", out);
  if (attrs.channels && !mayEqual(*attrs.channels, out))
    return emitOptionalError(location, "expects channels ", out,
                             " as of weight, but got ", *attrs.channels);

  int64_t spatial = operands->data.size() - 2;
  Padding padding = *expandPadding(attrs.padding, spatial);
  SmallVector<int64_t> shape = {operands->data[0], out};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = operands->data[i + 2], kernel = operands->weight[i + 2];
    if (isDynamic(in) || isDynamic(kernel)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t padded = saturatingSum({in, padding.before[i], padding.after[i]});
    int64_t window =
        saturatingAdd(saturatingMultiply(kernel - 1, attrs.dilation[i]), 1);
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along spatial dimension ", i,
                               ", but got ", padded);
    shape.push_back((padded - window) / attrs.strides[i] + 1);
  }
  return addResult(location, data, shape, attrs, types);
}

LogicalResult relay::detail::inferConvTranspose(
    std::optional<Location> location, Type dataArg, Type weightArg,
    const ConvAttrs &attrs, ArrayRef<int64_t> outputPadding,
    SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  auto weight = cast<RankedTensorType>(weightArg);
  FailureOr<ConvOperands> operands = checkConv(location, data, weight, attrs);
  if (failed(operands))
    return failure();
  int64_t spatial = operands->data.size() - 2;
  // A line may have a second value, of which nothing follows.
  bool isLine = spatial == 1 && outputPadding.size() == 2 && !outputPadding[1];
  if ((static_cast<int64_t>(outputPadding.size()) != spatial && !isLine) ||
      llvm::any_of(outputPadding, [](int64_t value) { return value < 0; }))
    return emitOptionalError(location, "expects ", spatial,
                             " output_padding values that are not negative, "
                             "but got [",
                             outputPadding, "]");
  if (!mayEqual(operands->data[1], operands->weight[0]))
    return emitOptionalError(location, "expects ", operands->weight[0],
                             " input channels (weight is ", weight,
                             "), but got ", operands->data[1], " (data is ",
                             data, ")");
  if (!isDynamic(operands->data[1]) && operands->data[1] % attrs.groups != 0)
    return emitOptionalError(location,
                             "expects input channels divisible by groups ",
                             attrs.groups, ", but got ", operands->data[1]);
  int64_t out = operands->weight[1];
  if (!isDynamic(out))
    out = saturatingMultiply(out, attrs.groups);
  if (attrs.channels && !mayEqual(*attrs.channels, out))
    return emitOptionalError(location, "expects channels ", out,
                             " as of weight, but got ", *attrs.channels);

  Padding padding = *expandPadding(attrs.padding, spatial);
  SmallVector<int64_t> shape = {operands->data[0], out};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t in = operands->data[i + 2], kernel = operands->weight[i + 2];
    if (isDynamic(in) || isDynamic(kernel)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t size = saturatingSum(
        {saturatingMultiply(attrs.strides[i], in - 1),
         saturatingMultiply(kernel - 1, attrs.dilation[i]), 1,
         -padding.before[i], -padding.after[i], outputPadding[i]});
    if (size < 1)
      return emitOptionalError(location,
                               "expects padding that leaves a "
                               "result, but got size ",
                               size, " along spatial dimension ", i);
    shape.push_back(size);
  }
  return addResult(location, data, shape, attrs, types);
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
  if (!areFactors(a.getElementType(), b.getElementType()))
    return emitOptionalError(location,
                             "expects operands of the same element type, or "
                             "of bytes, but got ",
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
  if (!areFactors(a.getElementType(), b.getElementType()))
    return emitOptionalError(location,
                             "expects operands of the same element type, or "
                             "of bytes, but got ",
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
