//===- Quantization.cpp - Linear quantisation of ONNX --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "IntegerProducts.h"
#include "NodeContext.h"
#include "OpTable.h"
#include "Products.h"
#include "Quantize.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// A scale or zero point with one number for each block along an axis, repeated
/// for each element of `data`.
static Value repeatBlocks(NodeContext &node, Value data, Value parameter) {
  RankedTensorType type = node.getType(data), own = node.getType(parameter);
  int64_t size = node.getInt("block_size", 0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 1), type.getRank());
  if (failed(axis))
    return nullptr;
  bool isRight = own.getRank() == type.getRank() && size > 0;
  for (int64_t dim = 0; isRight && dim < type.getRank(); ++dim) {
    int64_t count = type.getDimSize(dim);
    if (ShapedType::isDynamic(count) ||
        ShapedType::isDynamic(own.getDimSize(dim)))
      isRight = dim != *axis;
    else
      isRight = own.getDimSize(dim) ==
                (dim == *axis ? llvm::divideCeilSigned(count, size) : count);
  }
  if (!isRight && size <= 0) {
    node.emitError() << "expects a positive block_size for scales " << own
                     << " of " << type << ", but got " << size;
    return nullptr;
  }
  if (!isRight) {
    node.emitError() << "expects a scale for each block of " << size
                     << " elements along axis " << *axis << " of " << type
                     << ", but got " << own;
    return nullptr;
  }
  RepeatOp::Properties properties;
  properties.repeats = node.getBuilder().getI64IntegerAttr(size);
  properties.axis = node.getBuilder().getI64IntegerAttr(*axis);
  Value repeated = node.create<RepeatOp>({parameter}, properties);
  int64_t count = type.getDimSize(*axis);
  // The last block may be smaller.
  if (own.getDimSize(*axis) * size != count)
    repeated = node.slice(repeated, *axis, 0, count);
  return repeated;
}

/// A scale or zero point with one number, or one for each index along an axis,
/// so that it broadcasts against `data`. Null, after an error, for others.
static Value alignParameter(NodeContext &node, Value data, Value parameter) {
  if (!parameter || node.getRank(parameter) == 0)
    return parameter;
  int64_t rank = node.getRank(data);
  if (node.getRank(parameter) != 1 || node.getInt("block_size", 0))
    return repeatBlocks(node, data, parameter);
  if (node.getType(parameter).getDimSize(0) == 1)
    return node.reshape(parameter, ArrayRef<int64_t>());
  FailureOr<int64_t> axis = node.normalizeAxis(node.getInt("axis", 1), rank);
  if (failed(axis))
    return nullptr;
  int64_t count = node.getType(parameter).getDimSize(0);
  int64_t size = node.getType(data).getDimSize(*axis);
  if (ShapedType::isStatic(count) && ShapedType::isStatic(size) &&
      count != size) {
    node.emitError() << "expects scales and zero points of " << size
                     << " elements, as axis " << *axis
                     << " of the data has, but got " << parameter.getType();
    return nullptr;
  }
  return node.expandDims(parameter, 1, rank - 1 - *axis);
}

/// There is a zero point for each scale.
static LogicalResult checkZeroPoint(NodeContext &node) {
  if (!node.hasInput(2))
    return success();
  RankedTensorType scale = node.getInputType(1), zero = node.getInputType(2);
  if (scale.getNumDynamicDims() || zero.getNumDynamicDims() ||
      scale.getNumElements() == zero.getNumElements())
    return success();
  return node.emitError() << "expects a zero point for each scale, but got "
                          << scale << " and " << zero;
}

/// The element type that `output_dtype` asks for, null if it asks for none.
static FailureOr<Type> getOutputType(NodeContext &node) {
  DataType dtype = node.getDataType("output_dtype", DataType::Undefined);
  if (dtype == DataType::Undefined)
    return Type();
  Type type = getElementType(node.getContext(), dtype);
  if (!type)
    return node.emitError() << "elements of type " << getDataTypeName(dtype)
                            << " are not supported";
  return type;
}

namespace {

/// Scale and zero point as operators of qnn take them.
struct QnnParameters {
  Value scale, zeroPoint;
  int64_t axis = -1;
};

} // namespace

/// A zero point as i32. Passes look at it, so that a constant is one.
static Value getWideZeroPoint(NodeContext &node) {
  Type i32 = node.getBuilder().getI32Type();
  if (!node.hasInput(2))
    return node.createScalar(0, i32);
  Value zeroPoint = node.getInput(2);
  auto constant =
      zeroPoint ? zeroPoint.getDefiningOp<ConstantOp>() : ConstantOp();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue())
                           : DenseIntElementsAttr();
  if (!elements)
    return node.castTo(zeroPoint, i32);
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  SmallVector<int32_t> values;
  for (const APInt &value : elements)
    values.push_back(static_cast<int32_t>(isUnsigned ? value.getZExtValue()
                                                     : value.getSExtValue()));
  return node.createConstant(DenseElementsAttr::get(
      elements.getType().clone(i32), ArrayRef<int32_t>(values)));
}

/// Those of a node whose data has elements of `type` in integers; none if
/// operators of qnn do not have such types, or parameters for blocks.
static std::optional<QnnParameters>
getQnnParameters(NodeContext &node, RankedTensorType data, Type type) {
  Value scale = node.getInput(1);
  auto integer = dyn_cast<IntegerType>(type);
  if (!scale || !integer || integer.getWidth() < 8 ||
      (integer.getWidth() == 32 && integer.isUnsigned()) ||
      !node.getInputType(1).getElementType().isF32())
    return std::nullopt;
  auto scaleType = node.getType(scale);
  QnnParameters result{scale, {}, -1};
  if (scaleType.getRank() > 1 || node.getInt("block_size", 0) != 0 ||
      !scaleType.hasStaticShape())
    return std::nullopt;
  if (scaleType.getNumElements() != 1) {
    int64_t axis = node.getInt("axis", 1);
    result.axis = axis < 0 ? axis + data.getRank() : axis;
    if (result.axis < 0 || result.axis >= data.getRank() ||
        data.getDimSize(result.axis) != scaleType.getDimSize(0))
      return std::nullopt;
  }
  result.zeroPoint = getWideZeroPoint(node);
  if (!result.zeroPoint ||
      node.getType(result.zeroPoint).getNumElements() !=
          (node.hasInput(2) ? scaleType.getNumElements() : 1))
    return std::nullopt;
  return result;
}

/// The attributes that both operators of qnn have.
template <typename OpTy>
static typename OpTy::Properties
getQnnProperties(NodeContext &node, const QnnParameters &params, Type type) {
  typename OpTy::Properties properties;
  properties.out_dtype = TypeAttr::get(type);
  properties.axis = node.getBuilder().getI64IntegerAttr(params.axis);
  return properties;
}

/// Integers of fewer bits as those of 8 of the same sign, which operators of
/// qnn take; other types as they are.
static Type getByteType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 1 || integer.getWidth() >= 8)
    return type;
  return IntegerType::get(type.getContext(), 8, integer.getSignedness());
}

static LogicalResult convertDequantizeLinear(NodeContext &node) {
  if (failed(node.expectSameElements(2, 0)))
    return failure();
  FailureOr<Type> asked = getOutputType(node);
  if (failed(asked))
    return failure();
  Type type = *asked ? *asked : node.getInputType(1).getElementType();
  if (type.isF32() && node.getInput(0)) {
    auto data = node.getType(node.getInput(0));
    Type stored = getByteType(data.getElementType());
    if (auto params = getQnnParameters(node, data, stored))
      return node.setResult(node.create<QNNDequantizeOp>(
          {node.castTo(node.getInput(0), stored), params->scale,
           params->zeroPoint},
          getQnnProperties<QNNDequantizeOp>(node, *params, type)));
  }
  // Floats of 16 bits do not hold all integers of 16 bits, and scales that are
  // exponents have no arithmetic.
  Value scale = node.getInput(1);
  scale = scale && isSmallElement(node.getElementType(scale))
              ? node.castTo(scale, node.getBuilder().getF32Type())
              : node.widen(scale);
  scale = alignParameter(node, node.getInput(0), scale);
  Value data = node.expectCovers(node.getInput(0), scale);
  if (!data)
    return failure();
  if (failed(checkZeroPoint(node)))
    return failure();
  // Differences of 8-bit integers need more than 8 bits.
  Type wide = isa<FloatType>(node.getElementType(data))
                  ? Type(node.getBuilder().getF32Type())
                  : Type(node.getBuilder().getI32Type());
  Value difference = node.castTo(data, wide);
  if (node.hasInput(2))
    difference = node.create<SubtractOp>(
        {difference,
         alignParameter(node, data, node.castTo(node.getInput(2), wide))});
  Value number = node.castTo(difference, node.getElementType(scale));
  Value result = node.create<MultiplyOp>({number, scale});
  if (!isa<FloatType>(type))
    return node.emitError()
           << "dequantisation to " << type << " is not supported";
  return node.setResult(node.castTo(result, type));
}

Value mlir::relay::onnx::createQuantized(NodeContext &node, Value scaled,
                                         Value zeroPoint, IntegerType type) {
  OpBuilder &b = node.getBuilder();
  bool isUnsigned = type.isUnsigned();
  double count = double(int64_t(1) << type.getWidth());
  ClipOp::Properties range;
  range.a_min = b.getF64FloatAttr(isUnsigned ? 0 : -count / 2);
  range.a_max = b.getF64FloatAttr((isUnsigned ? count : count / 2) - 1);
  // Floats of 16 bits do not hold all integers of 16 bits.
  Value rounded = node.widen(node.roundToEven(scaled));
  if (zeroPoint && rounded)
    rounded = node.create<AddOp>(
        {rounded, node.castTo(zeroPoint, node.getElementType(rounded))});
  return node.castTo(node.create<ClipOp>({rounded}, range), type);
}

IntegerType mlir::relay::onnx::getQuantizedType(NodeContext &node, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && integer.getWidth() <= 16)
    return integer;
  node.emitError() << "quantisation to " << type << " is not supported";
  return nullptr;
}

/// The type in which data is divided by scales.
static FailureOr<Type> getDivisionType(NodeContext &node) {
  DataType precision = node.getDataType("precision", DataType::Undefined);
  if (precision != DataType::Undefined) {
    Type type = getElementType(node.getContext(), precision);
    if (isa_and_nonnull<FloatType>(type) && !isSmallElement(type))
      return type;
    return node.emitError()
           << "expects precision to be a float of 16 bits or more, but got "
           << getDataTypeName(precision);
  }
  Type type = node.getInputType(1).getElementType();
  // Quotients of integers are none, and f32 does not hold all of 32 bits.
  if (isa<IntegerType>(type))
    return Type(node.getBuilder().getF64Type());
  // Scales that are exponents have no arithmetic.
  return isSmallElement(type) ? Type(node.getBuilder().getF32Type()) : type;
}

/// To floats of 4 or 8 bits, which the cast rounds.
static LogicalResult quantizeToFloat(NodeContext &node, Type division,
                                     Type type) {
  Value data = node.castTo(node.getInput(0), division);
  Value scale =
      alignParameter(node, data, node.castTo(node.getInput(1), division));
  data = node.expectCovers(data, scale);
  if (!data || failed(checkZeroPoint(node)))
    return failure();
  Value scaled = node.create<DivideOp>({data, scale});
  if (node.hasInput(2))
    scaled = node.create<AddOp>(
        {scaled,
         alignParameter(node, data, node.castTo(node.getInput(2), division))});
  return node.setResult(createCast(node, scaled, type));
}

static LogicalResult convertQuantizeLinear(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  Value zeroPoint = node.getInput(2);
  FailureOr<Type> wanted = getOutputType(node);
  FailureOr<Type> division = getDivisionType(node);
  if (failed(wanted) || failed(division))
    return failure();
  Type type = *wanted;
  if (zeroPoint) {
    Type given = node.getElementType(zeroPoint);
    if (type && type != given)
      return node.emitError() << "expects a zero point of output_dtype " << type
                              << ", but got " << given;
    type = given;
  }
  if (!type)
    type = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  if (SmallFloat::get(type))
    return quantizeToFloat(node, *division, type);
  IntegerType integer = getQuantizedType(node, type);
  if (!integer)
    return failure();
  data = node.castTo(data, *division);
  scale = node.castTo(scale, *division);
  if (!data || !scale)
    return failure();
  auto params = division->isF32()
                    ? getQnnParameters(node, node.getType(data), integer)
                    : std::nullopt;
  if (params) {
    auto properties = getQnnProperties<QNNQuantizeOp>(node, *params, integer);
    properties.rounding = node.getBuilder().getStringAttr("TOEVEN");
    return node.setResult(node.create<QNNQuantizeOp>(
        {data, params->scale, params->zeroPoint}, properties));
  }
  scale = alignParameter(node, data, scale);
  data = node.expectCovers(data, scale);
  if (!data)
    return failure();
  if (failed(checkZeroPoint(node)))
    return failure();
  Value scaled = node.create<DivideOp>({data, scale});
  return node.setResult(createQuantized(
      node, scaled, alignParameter(node, data, zeroPoint), integer));
}

/// The range of the data is widened to hold 0.
DynamicallyQuantized DynamicallyQuantized::get(NodeContext &node, Value data) {
  if (!data)
    return {};
  Type type = node.getElementType(data);
  auto integer = IntegerType::get(node.getContext(), 8, IntegerType::Unsigned);
  Value zero = node.createScalar(0, type);
  Value high = node.create<MaximumOp>({node.create<MaxOp>({data}), zero});
  Value low = node.create<MinimumOp>({node.create<MinOp>({data}), zero});
  Value range = node.create<SubtractOp>({high, low});
  // Zeros alone, or nothing, have any scale; ONNX Runtime's is 1.
  range = node.create<WhereOp>({node.create<EqualOp>({range, zero}),
                                node.createScalar(255, type), range});
  Value scale = node.create<DivideOp>({range, node.createScalar(255, type)});
  Value zeroPoint = createQuantized(
      node, node.create<NegativeOp>({node.create<DivideOp>({low, scale})}),
      /*zeroPoint=*/nullptr, integer);
  Value result = createQuantized(node, node.create<DivideOp>({data, scale}),
                                 zeroPoint, integer);
  return {result, scale, zeroPoint};
}

static LogicalResult convertDynamicQuantizeLinear(NodeContext &node) {
  auto result = DynamicallyQuantized::get(node, node.getInput(0));
  if (!result.data || failed(node.setOutput(1, result.scale)) ||
      failed(node.setOutput(2, result.zeroPoint)))
    return failure();
  return node.setResult(result.data);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {

/// The inputs that are one operand of a product of quantised tensors.
struct QuantizedOperand {
  unsigned data, scale, zeroPoint;

  IntegerOperand getIntegers(NodeContext &node) const {
    return {node.getInput(data), node.getInput(zeroPoint)};
  }
};

} // namespace

/// Input `index`, which is one number or one for each index of an axis, with
/// `count` dimensions of 1 after that axis.
static Value getParameter(NodeContext &node, unsigned index, int64_t count) {
  Value value = node.getInput(index);
  RankedTensorType type = node.getType(value);
  if (type.getRank() != 1)
    return value;
  return type.getDimSize(0) == 1 ? node.reshape(value, ArrayRef<int64_t>())
                                 : node.expandDims(value, 1, count);
}

/// Sums of products of two quantised tensors as a third one, whose scale and
/// zero point are inputs 6 and 7.
static LogicalResult setRequantized(NodeContext &node, Value sums,
                                    Value lhsScale, Value rhsScale) {
  IntegerType type =
      getQuantizedType(node, node.getInputType(7).getElementType());
  if (!type)
    return failure();
  Type f32 = node.getBuilder().getF32Type();
  Value factor = node.create<DivideOp>(
      {node.create<MultiplyOp>(
           {node.castTo(lhsScale, f32), node.castTo(rhsScale, f32)}),
       node.castTo(getParameter(node, 6, 0), f32)});
  Value scaled = node.create<MultiplyOp>({node.castTo(sums, f32), factor});
  return node.setResult(
      createQuantized(node, scaled, getParameter(node, 7, 0), type));
}

/// Zero points have the types of what they are zero points of.
static LogicalResult checkZeroPoints(NodeContext &node) {
  if (failed(node.expectSameElements(2, 0)))
    return failure();
  return node.expectSameElements(5, 3);
}

static LogicalResult convertQLinearMatMul(NodeContext &node) {
  if (failed(checkZeroPoints(node)))
    return failure();
  QuantizedOperand lhs{0, 1, 2}, rhs{3, 4, 5};
  Value sums =
      createIntegerMatmul(node, lhs.getIntegers(node), rhs.getIntegers(node));
  // One number for each row of the left side is a column.
  return setRequantized(node, sums, getParameter(node, lhs.scale, 1),
                        getParameter(node, rhs.scale, 0));
}

static LogicalResult convertQLinearConv(NodeContext &node) {
  if (failed(checkZeroPoints(node)))
    return failure();
  QuantizedOperand data{0, 1, 2}, weight{3, 4, 5};
  int64_t rank = node.getInputType(0).getRank();
  IntegerOperand integers = data.getIntegers(node);
  // That of com.microsoft may have the channels of data and result last.
  bool isLast = node.getBool("channels_last", false);
  if (isLast)
    integers.data = moveChannelsFirst(node, integers.data);
  if (!integers.data)
    return failure();
  Value sums =
      createIntegerConvolution(node, integers, weight.getIntegers(node));
  if (sums && node.hasInput(8)) {
    NNBiasAddOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(1);
    sums = node.create<NNBiasAddOp>({sums, node.getInput(8)}, properties);
  }
  if (isLast)
    sums = moveChannelsLast(node, sums);
  return setRequantized(
      node, sums, getParameter(node, data.scale, 0),
      getParameter(node, weight.scale, isLast ? 0 : rank - 2));
}

void mlir::relay::onnx::addQuantizationOps(OpTable &table) {
  table.add({"DequantizeLinear"},
            {convertDequantizeLinear, 10, kNewestOpset, 2, 3});
  table.add({"DynamicQuantizeLinear"}, {convertDynamicQuantizeLinear, 11});
  table.add({"QLinearConv"}, {convertQLinearConv, 10, kNewestOpset, 8, 9});
  table.add({"QLinearMatMul"}, {convertQLinearMatMul, 10, kNewestOpset, 8, 8});
  table.add({"QuantizeLinear"},
            {convertQuantizeLinear, 10, kNewestOpset, 2, 3});
}
