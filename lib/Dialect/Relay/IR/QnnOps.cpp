//===- QnnOps.cpp - Quantized operators -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

#include "relay-mlir/Support/SaturatingMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Element types, scales and zero points
//===----------------------------------------------------------------------===//

static bool mayEqual(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that a scale or zero point is one value or a vector of `size`.
static LogicalResult checkParam(std::optional<Location> location, Value value,
                                StringRef name, int64_t size) {
  auto type = getTensorType(value);
  if (type.getRank() == 0 ||
      (type.getRank() == 1 &&
       (type.getDimSize(0) == 1 || mayEqual(type.getDimSize(0), size))))
    return success();
  return emitOptionalError(location, "expects ", name,
                           " to be a scalar or a vector of ", size,
                           " elements, but got ", type);
}

/// Whether a scale or zero point may have one value for each index of an axis.
static bool isVector(Value value) {
  auto type = getTensorType(value);
  return type.getRank() > 1 || (type.getRank() && type.getDimSize(0) != 1);
}

/// Checks scale and zero point of `data`, scalars or vectors along `axis`.
static LogicalResult checkAlongAxis(std::optional<Location> location,
                                    Value data, Value scale, Value zeroPoint,
                                    int64_t axis, StringRef prefix = "",
                                    StringRef axisName = "axis") {
  auto type = getTensorType(data);
  int64_t size = 1;
  // The axis does not matter where there is one value for all.
  if (isVector(scale) || isVector(zeroPoint)) {
    FailureOr<int64_t> dim = normalizeAxis(
        location, axis, std::max<int64_t>(type.getRank(), 1), axisName);
    if (failed(dim))
      return failure();
    if (type.getRank())
      size = type.getDimSize(*dim);
  }
  std::string name = prefix.str();
  return success(
      succeeded(checkParam(location, scale, name + "scale", size)) &&
      succeeded(checkParam(location, zeroPoint, name + "zero_point", size)));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LogicalResult QNNQuantizeOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  if (failed(
          shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                             {"int8", "uint8", "int16", "uint16", "int32"})) ||
      failed(checkMode(location, "rounding", adaptor.getRounding(),
                       {"TONEAREST", "TOEVEN"})) ||
      failed(checkAlongAxis(
          location, adaptor.getData(), adaptor.getOutputScale(),
          adaptor.getOutputZeroPoint(), adaptor.getAxis(), "output_")))
    return failure();
  types.push_back(
      getTensorType(adaptor.getData()).clone(adaptor.getOutDtype()));
  return success();
}

LogicalResult QNNDequantizeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                                {"float16", "float32"})) ||
      failed(checkAlongAxis(
          location, adaptor.getData(), adaptor.getInputScale(),
          adaptor.getInputZeroPoint(), adaptor.getAxis(), "input_")))
    return failure();
  types.push_back(
      getTensorType(adaptor.getData()).clone(adaptor.getOutDtype()));
  return success();
}

/// Integers are not rounded to even.
static LogicalResult checkRounding(std::optional<Location> location,
                                   QNNRequantizeOp::Adaptor op) {
  if (op.getRounding() != "TOEVEN" || op.getComputeDtype().starts_with("float"))
    return success();
  return emitOptionalError(location,
                           "expects compute_dtype float32 or float64 where "
                           "rounding is TOEVEN, but got ",
                           op.getComputeDtype());
}

LogicalResult QNNRequantizeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                                {"int8", "uint8", "int16", "int32"})) ||
      failed(checkMode(location, "rounding", adaptor.getRounding(),
                       {"None", "UPWARD", "TONEAREST", "TOEVEN"})) ||
      failed(checkMode(location, "compute_dtype", adaptor.getComputeDtype(),
                       {"None", "int64", "float32", "float64"})) ||
      failed(checkRounding(location, adaptor)) ||
      failed(checkAlongAxis(
          location, adaptor.getData(), adaptor.getInputScale(),
          adaptor.getInputZeroPoint(), adaptor.getAxis(), "input_")))
    return failure();
  types.push_back(
      getTensorType(adaptor.getData()).clone(*adaptor.getOutDtype()));
  return success();
}

/// The operators on floats repeat a vector, so that its size is free.
static LogicalResult inferSimulated(std::optional<Location> location,
                                    Value data, Value scale, Value zeroPoint,
                                    int64_t axis,
                                    SmallVectorImpl<Type> &types) {
  auto type = getTensorType(data);
  for (Value param : {scale, zeroPoint}) {
    auto paramType = getTensorType(param);
    if (paramType.getRank() > 1)
      return emitOptionalError(
          location,
          "expects a scalar or a vector for scale and zero point, "
          "but got ",
          paramType);
    if (paramType.getRank() == 1 &&
        failed(normalizeAxis(location, axis,
                             std::max<int64_t>(type.getRank(), 1))))
      return failure();
  }
  types.push_back(type);
  return success();
}

LogicalResult QNNSimulatedQuantizeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferSimulated(location, adaptor.getData(), adaptor.getOutputScale(),
                        adaptor.getOutputZeroPoint(), adaptor.getAxis(), types);
}

LogicalResult QNNSimulatedDequantizeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferSimulated(location, adaptor.getData(), adaptor.getInputScale(),
                        adaptor.getInputZeroPoint(), adaptor.getAxis(), types);
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

namespace mlir::relay::detail {
template <typename AdaptorT>
static LogicalResult inferQnnBinary(std::optional<Location> location,
                                    AdaptorT adaptor,
                                    SmallVectorImpl<Type> &types) {
  if (failed(checkAlongAxis(location, adaptor.getLhs(), adaptor.getLhsScale(),
                            adaptor.getLhsZeroPoint(), adaptor.getLhsAxis(),
                            "lhs_", "lhs_axis")) ||
      failed(checkAlongAxis(location, adaptor.getRhs(), adaptor.getRhsScale(),
                            adaptor.getRhsZeroPoint(), adaptor.getRhsAxis(),
                            "rhs_", "rhs_axis")))
    return failure();
  return inferBroadcast(location, adaptor.getLhs().getType(),
                        adaptor.getRhs().getType(), types);
}
} // namespace mlir::relay::detail

LogicalResult QNNMulOp::verify() {
  if (!isVector(getLhsScale()) || !isVector(getRhsScale()))
    return success();
  // Counted from the last dimension, as shapes are aligned.
  auto fromLast = [](Value data, int64_t axis) {
    return axis < 0 ? axis : axis - getTensorType(data).getRank();
  };
  if (fromLast(getLhs(), getLhsAxis()) == fromLast(getRhs(), getRhsAxis()))
    return success();
  return emitOpError("expects lhs_axis and rhs_axis to be one dimension where "
                     "both scales are vectors, but got ")
         << getLhsAxis() << " and " << getRhsAxis();
}

LogicalResult QNNLeakyReluOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getData().getType());
  return success();
}

LogicalResult QNNSoftmaxOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = getTensorType(adaptor.getData());
  if (failed(normalizeAxis(location, adaptor.getAxis(), type.getRank())))
    return failure();
  types.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// Concatenation and pooling
//===----------------------------------------------------------------------===//

/// Checks that `params` are scalars of `elementType`, one for each tensor.
static LogicalResult checkTuple(std::optional<Location> location, Value params,
                                StringRef name, size_t count,
                                Type elementType) {
  auto types = cast<TupleType>(params.getType()).getTypes();
  Type scalar = RankedTensorType::get({}, elementType);
  if (types.size() != count)
    return emitOptionalError(location, "expects ", count, " ", name,
                             ", but got ", types.size());
  for (Type type : types)
    if (type != scalar)
      return emitOptionalError(location, "expects ", name, " of type ", scalar,
                               ", but got ", type);
  return success();
}

LogicalResult QNNConcatenateOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto fields = cast<TupleType>(adaptor.getData().getType()).getTypes();
  if (fields.empty())
    return emitOptionalError(location,
                             "expects at least one tensor, but got ()");
  if (failed(checkTuple(location, adaptor.getInputScales(), "input_scales",
                        fields.size(), Float32Type::get(context))) ||
      failed(checkTuple(location, adaptor.getInputZeroPoints(),
                        "input_zero_points", fields.size(),
                        IntegerType::get(context, 32))))
    return failure();
  FailureOr<RankedTensorType> type =
      shapes::inferConcatenation(location, fields, adaptor.getAxis());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult QNNAvgPool2dOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferPool(location, adaptor.getData().getType(), adaptor.getPoolSize(),
                   adaptor.getStrides(), adaptor.getDilation(),
                   adaptor.getPadding(),
                   {adaptor.getLayout(), adaptor.getOutLayout()},
                   adaptor.getCeilMode(), types);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Returns `type` with its dimensions, named by `from`, in the order `to`.
static FailureOr<RankedTensorType>
permuteLayout(std::optional<Location> location, RankedTensorType type,
              StringRef from, StringRef to, StringRef name) {
  std::string sortedFrom = from.str(), sortedTo = to.str();
  llvm::sort(sortedFrom);
  llvm::sort(sortedTo);
  if (sortedFrom != sortedTo)
    return emitOptionalError(location, "expects ", name, " of the letters ", to,
                             ", but got \"", from, "\"");
  if (type.getRank() != static_cast<int64_t>(from.size()))
    return emitOptionalError(location, "expects a tensor of rank ", from.size(),
                             " for ", name, " \"", from, "\", but got ", type);
  SmallVector<int64_t> shape;
  for (char letter : to)
    shape.push_back(type.getDimSize(from.find(letter)));
  return RankedTensorType::get(shape, type.getElementType());
}

namespace {
/// What a convolution works on, in the layouts NCHW and OIHW or IOHW.
struct ConvTypes {
  RankedTensorType data, weight;
};
} // namespace

/// Checks what both convolutions have in common; the weight gets the element
/// type of the data.
template <typename AdaptorT>
static FailureOr<ConvTypes> getConvTypes(std::optional<Location> location,
                                         AdaptorT adaptor,
                                         StringRef kernelLayout) {
  if (failed(shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                                {"int16", "int32", "int64"})))
    return failure();
  auto data = permuteLayout(location, getTensorType(adaptor.getData()),
                            adaptor.getDataLayout(), "NCHW", "data_layout");
  if (failed(data))
    return failure();
  auto weight =
      permuteLayout(location, getTensorType(adaptor.getWeight()),
                    adaptor.getKernelLayout(), kernelLayout, "kernel_layout");
  if (failed(weight))
    return failure();
  // Bytes are factors of each other; numbers of 16 bits are of their own type.
  if (data->getElementTypeBitWidth() != weight->getElementTypeBitWidth())
    weight = weight->clone(data->getElementType());
  return ConvTypes{*data, *weight};
}

template <typename AdaptorT>
static ConvAttrs getConvAttrs(AdaptorT adaptor, StringRef kernelLayout) {
  return {adaptor.getStrides(),
          adaptor.getPadding(),
          adaptor.getDilation(),
          static_cast<int64_t>(adaptor.getGroups()),
          adaptor.getChannels(),
          adaptor.getKernelSize(),
          "NCHW",
          kernelLayout,
          "",
          adaptor.getOutDtype(),
          "NCHW",
          kernelLayout};
}

/// Checks the weight's parameters, and brings the result to its layout. `depth`
/// are the input channels of a depthwise convolution.
template <typename AdaptorT>
static LogicalResult finishConv(std::optional<Location> location,
                                AdaptorT adaptor, SmallVectorImpl<Type> &types,
                                std::optional<int64_t> depth = std::nullopt) {
  auto result = cast<RankedTensorType>(types.back());
  int64_t channels = result.getDimSize(1);
  auto zeroPoint = getTensorType(adaptor.getWeightZeroPoint());
  bool isPerInput =
      depth && zeroPoint.getRank() == 1 && zeroPoint.getDimSize(0) == *depth;
  if (failed(checkParam(location, adaptor.getWeightScale(), "weight_scale",
                        channels)) ||
      (!isPerInput && failed(checkParam(location, adaptor.getWeightZeroPoint(),
                                        "weight_zero_point", channels))))
    return failure();
  StringRef layout = adaptor.getOutLayout().empty() ? adaptor.getDataLayout()
                                                    : adaptor.getOutLayout();
  // Shows that the letters are right, before they are looked up.
  if (failed(permuteLayout(location, result, layout, "NCHW", "out_layout")))
    return failure();
  types.back() = *permuteLayout(location, result, "NCHW", layout, "out_layout");
  return success();
}

LogicalResult QNNConv2dOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<ConvTypes> operands = getConvTypes(location, adaptor, "OIHW");
  if (failed(operands))
    return failure();
  RankedTensorType weight = operands->weight;
  int64_t groups = adaptor.getGroups(), multiplier = weight.getDimSize(1);
  bool isDepthwise = groups > 1 && weight.getDimSize(0) == groups &&
                     operands->data.getDimSize(1) == groups && multiplier > 1;
  if (isDepthwise) {
    SmallVector<int64_t> shape(weight.getShape());
    shape[0] = saturatingMultiply(shape[0], multiplier);
    shape[1] = 1;
    weight = weight.clone(shape);
  }
  if (failed(inferConv(location, operands->data, weight,
                       getConvAttrs(adaptor, "OIHW"), types)))
    return failure();
  return finishConv(location, adaptor, types,
                    isDepthwise ? std::optional(groups) : std::nullopt);
}

LogicalResult QNNConv2dTransposeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<ConvTypes> operands = getConvTypes(location, adaptor, "IOHW");
  if (failed(operands) ||
      failed(checkParam(location, adaptor.getInputScale(), "input_scale", 1)) ||
      failed(checkParam(location, adaptor.getInputZeroPoint(),
                        "input_zero_point", 1)) ||
      failed(inferConvTranspose(location, operands->data, operands->weight,
                                getConvAttrs(adaptor, "IOHW"),
                                adaptor.getOutputPadding(), types)))
    return failure();
  return finishConv(location, adaptor, types);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// data (..., K) times the transpose of a weight (N, K), both sizes given.
template <typename AdaptorT>
static LogicalResult inferDense(std::optional<Location> location,
                                AdaptorT adaptor, int64_t n, int64_t k,
                                SmallVectorImpl<Type> &types) {
  auto data = getTensorType(adaptor.getData());
  auto weight = getTensorType(adaptor.getWeight());
  if (failed(shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                                {"int32", "int64"})))
    return failure();
  if (data.getRank() < 1)
    return emitOptionalError(location,
                             "expects data of rank 1 or more, but got ", data);
  if (!mayEqual(data.getShape().back(), k))
    return emitOptionalError(location, "expects a reduced size of ", k,
                             " (weight is ", weight, "), but got ",
                             data.getShape().back(), " (data is ", data, ")");
  int64_t units = adaptor.getUnits().value_or(n);
  if (units < 0 && !ShapedType::isDynamic(units))
    return emitOptionalError(
        location, "expects units not to be negative, but got ", units);
  if (!mayEqual(units, n))
    return emitOptionalError(location, "expects units ", n,
                             " as of weight, but got ", units);
  if (failed(checkParam(location, adaptor.getWeightScale(), "weight_scale",
                        units)) ||
      failed(checkParam(location, adaptor.getWeightZeroPoint(),
                        "weight_zero_point", units)))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  shape.back() = units;
  types.push_back(RankedTensorType::get(shape, *adaptor.getOutDtype()));
  return success();
}

LogicalResult QNNDenseOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto weight = getTensorType(adaptor.getWeight());
  if (weight.getRank() != 2)
    return emitOptionalError(location, "expects weight of rank 2, but got ",
                             weight);
  return inferDense(location, adaptor, weight.getDimSize(0),
                    weight.getDimSize(1), types);
}

LogicalResult QNNContribDensePackOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto weight = getTensorType(adaptor.getWeight());
  if (weight.getRank() != 4)
    return emitOptionalError(location, "expects weight of rank 4, but got ",
                             weight);
  StringRef layout = adaptor.getWeightLayout(), rest = layout;
  if (layout != "NC") {
    auto format = [](int64_t size) {
      return ShapedType::isDynamic(size) ? std::string("?")
                                         : std::to_string(size);
    };
    int64_t n = 0, c = 0;
    bool isBlocked = rest.consume_front("NC") && !rest.consumeInteger(10, n) &&
                     rest.consume_front("n") && !rest.consumeInteger(10, c) &&
                     rest == "c";
    if (!isBlocked || !mayEqual(n, weight.getDimSize(2)) ||
        !mayEqual(c, weight.getDimSize(3)))
      return emitOptionalError(location, "expects weight_layout NC, or NC",
                               format(weight.getDimSize(2)), "n",
                               format(weight.getDimSize(3)),
                               "c as of weight, but got ", layout);
  }
  auto multiply = [&](int64_t outer, int64_t inner) {
    int64_t a = weight.getDimSize(outer), b = weight.getDimSize(inner);
    return ShapedType::isDynamic(a) || ShapedType::isDynamic(b)
               ? ShapedType::kDynamic
               : a * b;
  };
  return inferDense(location, adaptor, multiply(0, 2), multiply(1, 3), types);
}

LogicalResult QNNBatchMatmulOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto x = getTensorType(adaptor.getX()), y = getTensorType(adaptor.getY());
  if (failed(shapes::checkDType(location, "out_dtype", adaptor.getOutDtype(),
                                {"int32"})))
    return failure();
  if (x.getRank() != 3 || y.getRank() != 3)
    return emitOptionalError(location, "expects operands of rank 3, but got ",
                             x, " and ", y);
  bool ta = adaptor.getTransposeA(), tb = adaptor.getTransposeB();
  if (!mayEqual(x.getDimSize(ta ? 1 : 2), y.getDimSize(tb ? 2 : 1)))
    return emitOptionalError(location,
                             "expects equal sizes to sum over, but "
                             "got ",
                             x, " and ", y);
  FailureOr<SmallVector<int64_t>> batch = broadcastShapes(
      location, x.getShape().take_front(), y.getShape().take_front());
  if (failed(batch))
    return failure();
  types.push_back(RankedTensorType::get(
      {batch->front(), x.getDimSize(ta ? 2 : 1), y.getDimSize(tb ? 1 : 2)},
      *adaptor.getOutDtype()));
  return success();
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.cpp.inc"

void RelayDialect::registerQnnOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.cpp.inc"
      >();
}
