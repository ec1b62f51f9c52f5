//===- ContribQuantized.cpp - Quantized operators of ONNX Runtime ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantized operator computes with the numbers that integers stand for and
// quantizes the result; products are sums of integers.
//
//===----------------------------------------------------------------------===//

#include "../Bits.h"
#include "../Formula.h"
#include "../IntegerProducts.h"
#include "../Products.h"
#include "../Quantize.h"
#include "Attention.h"
#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::getNumber(NodeContext &node, unsigned index) {
  Value value = node.getInput(index);
  if (!value)
    return nullptr;
  RankedTensorType type = node.getType(value);
  if (type.getRank() == 1 && type.getDimSize(0) == 1)
    return node.reshape(value, ArrayRef<int64_t>());
  return value;
}

Value mlir::relay::onnx::dequantize(NodeContext &node, Value data, Value scale,
                                    Value zeroPoint) {
  OpBuilder &b = node.getBuilder();
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value difference = node.castTo(data, i32);
  if (zeroPoint)
    difference =
        node.create<SubtractOp>({difference, node.castTo(zeroPoint, i32)});
  return node.create<MultiplyOp>({node.castTo(difference, f32), scale});
}

/// The floats that an input stands for, with the scale and the zero point that
/// follow it.
static Value dequantize(NodeContext &node, unsigned index) {
  return dequantize(node, node.getInput(index), getNumber(node, index + 1),
                    getNumber(node, index + 2));
}

/// Sets the result to `value`, quantized as inputs `index` and the one after it
/// say, to the type of the data in input 0.
static LogicalResult setQuantized(NodeContext &node, Value value,
                                  unsigned index, Type defaultType) {
  Type type = node.hasInput(index + 1)
                  ? node.getInputType(index + 1).getElementType()
                  : defaultType;
  IntegerType integer = getQuantizedType(node, type);
  if (!integer)
    return failure();
  Value scaled = node.create<DivideOp>({value, getNumber(node, index)});
  return node.setResult(
      createQuantized(node, scaled, getNumber(node, index + 1), integer));
}

static Type getDataType(NodeContext &node) {
  return node.getInputType(0).getElementType();
}

template <typename OpT>
static LogicalResult convertQLinearBinary(NodeContext &node) {
  Value result = node.create<OpT>({dequantize(node, 0), dequantize(node, 3)});
  return setQuantized(node, result, 6, getDataType(node));
}

static LogicalResult convertQLinearUnary(NodeContext &node) {
  Value x = dequantize(node, 0);
  Formula f(node, x);
  Value result;
  if (node.getOpType() == "QLinearSigmoid")
    result = f.sigmoid(x);
  else
    result = f.select(f.less(x, f.number(0)),
                      f.mul(f.number(node.getFloat("alpha", 0.01f)), x), x);
  return setQuantized(node, result, 3, getDataType(node));
}

static LogicalResult convertQLinearSoftmax(NodeContext &node) {
  Value x = dequantize(node, 0);
  if (!x)
    return failure();
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", -1), node.getRank(x));
  if (failed(axis))
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(x);
  bool isFlat = node.getInt("opset", 0) < 13;
  NNSoftmaxOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(isFlat ? -1 : *axis);
  Value result = node.create<NNSoftmaxOp>({isFlat ? node.flatten(x, *axis) : x},
                                          properties);
  if (isFlat)
    result = node.reshape(result, dims);
  return setQuantized(node, result, 3, getDataType(node));
}

static LogicalResult convertQLinearGlobalAveragePool(NodeContext &node) {
  Value x = dequantize(node, 0);
  if (!x)
    return failure();
  int64_t rank = node.getRank(x);
  bool isLast = node.getBool("channels_last", false);
  MeanOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(llvm::to_vector(
      isLast ? llvm::seq<int64_t>(1, rank - 1) : llvm::seq<int64_t>(2, rank)));
  properties.keepdims = node.getBuilder().getBoolAttr(true);
  return setQuantized(node, node.create<MeanOp>({x}, properties), 3,
                      getDataType(node));
}

static LogicalResult convertQLinearReduceMean(NodeContext &node) {
  Value x = dequantize(node, 0);
  if (!x)
    return failure();
  int64_t rank = node.getRank(x);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (std::optional<ArrayRef<int64_t>> own = node.getInts("axes"))
    axes = llvm::to_vector(*own);
  FailureOr<SmallVector<int64_t>> normalized = node.normalizeAxes(axes, rank);
  if (failed(normalized))
    return failure();
  MeanOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(*normalized);
  properties.keepdims =
      node.getBuilder().getBoolAttr(node.getBool("keepdims", true));
  return setQuantized(node, node.create<MeanOp>({x}, properties), 3,
                      getDataType(node));
}

static LogicalResult convertQLinearAveragePool(NodeContext &node) {
  Value x = dequantize(node, 0);
  bool isLast = node.getBool("channels_last", false);
  if (isLast && x && node.getRank(x) == 4)
    x = moveChannelsFirst(node, x);
  else if (isLast)
    return node.emitError() << "expects data of rank 4 for channels_last";
  Value pooled = createQLinearAveragePool(node, x);
  if (isLast)
    pooled = moveChannelsLast(node, pooled);
  return setQuantized(node, pooled, 3, getDataType(node));
}

static LogicalResult convertQLinearConcat(NodeContext &node) {
  unsigned count = node.getNumInputs();
  if (count < 5 || (count - 2) % 3 != 0)
    return node.emitError()
           << "expects a scale and a zero point, and then three inputs for "
              "each part, but got "
           << count;
  SmallVector<Value> parts;
  for (unsigned index = 2; index < count; index += 3)
    parts.push_back(dequantize(node, index));
  if (!parts.front())
    return failure();
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(parts.front()));
  if (failed(axis))
    return failure();
  return setQuantized(node, node.concatenate(parts, *axis), 0,
                      node.getInputType(2).getElementType());
}

static LogicalResult convertQLinearWhere(NodeContext &node) {
  Value result = node.create<WhereOp>(
      {node.getInput(0), dequantize(node, 1), dequantize(node, 4)});
  return setQuantized(node, result, 7, node.getInputType(1).getElementType());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A product in floats from that of integers, with an optional bias.
static Value scaleProduct(NodeContext &node, Value product, Value left,
                          Value right, Value bias) {
  Value factor = node.create<MultiplyOp>({left, right});
  if (!factor)
    return nullptr;
  Value scaled = node.create<MultiplyOp>(
      {node.castTo(product, node.getElementType(factor)), factor});
  return addOptional(node, scaled, bias);
}

static LogicalResult convertDynamicQuantizeMatMul(NodeContext &node) {
  auto left = DynamicallyQuantized::get(node, node.getInput(0));
  if (!left.data)
    return failure();
  Value sums = createIntegerMatmul(node, {left.data, left.zeroPoint},
                                   {node.getInput(1), node.getInput(3)});
  return node.setResult(scaleProduct(node, sums, left.scale, getNumber(node, 2),
                                     node.getInput(4)));
}

static LogicalResult convertMatMulIntegerToFloat(NodeContext &node) {
  Value sums = createIntegerMatmul(node, {node.getInput(0), node.getInput(4)},
                                   {node.getInput(1), node.getInput(5)});
  return node.setResult(scaleProduct(node, sums, getNumber(node, 2),
                                     getNumber(node, 3), node.getInput(6)));
}

static LogicalResult convertQGemm(NodeContext &node) {
  Value a = node.getInput(0), b = node.getInput(3);
  bool isTransposed = node.getBool("transB", false);
  if (node.getRank(a) != 2 || node.getRank(b) != 2)
    return node.emitError()
           << "expects matrices, but got " << node.getInput(0).getType()
           << " and " << b.getType();
  if (node.getBool("transA", false))
    a = node.transpose(a, {1, 0});
  if (isTransposed)
    b = node.transpose(b, {1, 0});
  Value product =
      createIntegerMatmul(node, {a, getNumber(node, 2)}, {b, node.getInput(5)});
  if (node.hasInput(6))
    product = addOptional(node, product, node.getInput(6));
  Value alpha = node.createScalar(node.getFloat("alpha", 1),
                                  node.getBuilder().getF32Type());
  Value left = node.create<MultiplyOp>({alpha, getNumber(node, 1)});
  Value result = scaleProduct(node, product, left, getNumber(node, 4), nullptr);
  if (!node.hasInput(7))
    return node.setResult(result);
  return setQuantized(node, result, 7, getDataType(node));
}

static LogicalResult convertQAttention(NodeContext &node) {
  enum {
    Input,
    Weights,
    Bias,
    InputScale,
    WeightScale,
    Mask,
    InputZero,
    WeightZero,
    Past
  };
  Value left = node.getInput(Input), right = node.getInput(Weights);
  int64_t width = node.getRank(right) == 2 ? node.getType(right).getDimSize(1)
                                           : ShapedType::kDynamic;
  if (node.getRank(left) != 3 || ShapedType::isDynamic(width) || width % 3 != 0)
    return node.emitError()
           << "expects an input of rank 3 and weights for queries, keys and "
              "values, but got "
           << left.getType() << " and " << right.getType();
  Value sums = createIntegerMatmul(node, {left, node.getInput(InputZero)},
                                   {right, node.getInput(WeightZero)});
  Value projected =
      scaleProduct(node, sums, getNumber(node, InputScale),
                   getNumber(node, WeightScale), node.getInput(Bias));
  SmallVector<int64_t> sizes(3, width / 3);
  return convertProjected(node, projected, sizes, Mask, Past, std::nullopt);
}

//===----------------------------------------------------------------------===//
// Weights of few bits
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::unpackBits(NodeContext &node, Value bytes,
                                    int64_t bits, int64_t count) {
  if (!bytes || bits == 8)
    return bytes;
  int64_t rank = node.getRank(bytes), perByte = 8 / bits;
  Type type = node.getElementType(bytes);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < perByte; ++i) {
    Value shifted = node.create<RightShiftOp>(
        {bytes, node.createScalar(double(i * bits), type)});
    Value part = node.create<BitwiseAndOp>(
        {shifted, node.createScalar(double((1 << bits) - 1), type)});
    parts.push_back(node.expandDims(part, rank));
  }
  Value all = node.concatenate(parts, rank);
  if (!all)
    return nullptr;
  SmallVector<ShapeScalar> dims = node.getDims(bytes);
  int64_t size = node.getType(bytes).getShape().back() * perByte;
  dims.back() = ShapeScalar::get(size);
  all = node.reshape(all, dims);
  return size == count ? all : node.slice(all, rank - 1, 0, count);
}

/// The product with a weight (N, K) whose rows are blocks of small integers.
static LogicalResult convertMatMulNBits(NodeContext &node) {
  enum { Data, Weight, Scales, Zeros, Groups, Bias };
  int64_t rows = node.getInt("N", 0), columns = node.getInt("K", 0);
  int64_t bits = node.getInt("bits", 4), size = node.getInt("block_size", 0);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (bits != 2 && bits != 4 && bits != 8)
    return node.emitError() << "expects bits 2, 4 or 8, but got " << bits;
  if (rows < 1 || columns < 1 || size < 16 || rows > most || columns > most ||
      size > most || size % 8 != 0)
    return node.emitError()
           << "expects N and K to be positive, and block_size to be a multiple "
              "of 8 from 16 on, but got N = "
           << rows << ", K = " << columns << " and block_size = " << size;
  if (node.getInt("weight_prepacked", 0) != 0)
    return node.emitError() << "weight_prepacked is not supported";
  int64_t blocks = llvm::divideCeil(columns, size);
  Value weight = node.getInput(Weight), scales = node.getInput(Scales);
  auto hasElements = [&](Value value, int64_t count) {
    RankedTensorType type = node.getType(value);
    return type.hasStaticShape() && type.getNumElements() == count;
  };
  // No tensor has as many elements as the largest number.
  int64_t rowBytes = blocks * (size / 8) * bits;
  if (!hasElements(weight, saturatingMultiply(rows, rowBytes)) ||
      !hasElements(scales, rows * blocks))
    return node.emitError()
           << "expects " << rows << " rows of " << blocks << " blocks, of "
           << size / 8 * bits << " bytes and a scale, but got a weight "
           << weight.getType() << " and scales " << scales.getType();
  RankedTensorType data = node.getInputType(Data);
  Type given = data.getElementType();
  if (!given.isF32() && !given.isF16() && !given.isBF16())
    return node.emitError()
           << "expects data of float32, float16 or bfloat16, but got " << data;
  if (node.getInputType(Scales).getElementType() != given)
    return node.emitError()
           << "expects scales of the type of the data, " << given
           << ", but got " << node.getInputType(Scales);
  int64_t depth = data.getRank() == 0 ? 0 : data.getShape().back();
  if (depth != columns && !ShapedType::isDynamic(depth))
    return node.emitError()
           << "expects data whose last axis has K = " << columns
           << " elements, but got " << data;
  // (Half of the width become f32.)
  Type type = node.getElementType(node.getInput(Data));
  Value numbers = unpackBits(
      node, node.reshape(weight, {rows, blocks, size * bits / 8}), bits, size);
  Value zeros;
  if (node.hasInput(Zeros)) {
    zeros = node.getInput(Zeros);
    Type zeroType = node.getInputType(Zeros).getElementType();
    if (!zeroType.isUnsignedInteger(8) && zeroType != given)
      return node.emitError() << "expects zero points of uint8, or of the "
                                 "type of the data, but got "
                              << node.getInputType(Zeros);
    if (isa<IntegerType>(zeroType)) {
      int64_t bytes = llvm::divideCeil(blocks * bits, 8);
      if (!hasElements(zeros, rows * bytes))
        return node.emitError()
               << "expects " << rows << " rows of " << bytes
               << " bytes of zero points, but got " << zeros.getType();
      zeros =
          unpackBits(node, node.reshape(zeros, {rows, bytes}), bits, blocks);
    }
    zeros = node.castTo(node.reshape(zeros, {rows, blocks, 1}), type);
  } else {
    zeros = node.createScalar(double(int64_t(1) << (bits - 1)), type);
  }
  scales = node.castTo(node.reshape(scales, {rows, blocks, 1}), type);
  // Each column in the group that its block is, or that it says.
  auto cut = [&](Value values, int64_t axis) {
    bool isWhole = !values || node.getType(values).getDimSize(axis) == columns;
    return isWhole ? values : node.slice(values, axis, 0, columns);
  };
  SmallVector<int64_t> flat = {rows, blocks * size};
  if (Value groups = node.getInput(Groups)) {
    if (node.getRank(groups) != 1 ||
        (!hasElements(groups, columns) && !hasElements(groups, blocks * size)))
      return node.emitError() << "expects a group for each of " << columns
                              << " columns, but got " << groups.getType();
    for (int64_t group : getIntegers(groups).value_or(SmallVector<int64_t>()))
      if (group < 0 || group >= blocks)
        return node.emitError() << "expects groups from 0 to " << blocks - 1
                                << ", but got " << group;
    groups = cut(groups, 0);
    numbers = cut(node.reshape(numbers, flat), 1);
    scales = node.take(node.squeeze(scales, {2}), groups, 1);
    if (node.hasInput(Zeros))
      zeros = node.take(node.squeeze(zeros, {2}), groups, 1);
  }
  Value floats = node.create<MultiplyOp>(
      {node.create<SubtractOp>({node.castTo(numbers, type), zeros}), scales});
  if (!node.hasInput(Groups))
    floats = cut(node.reshape(floats, flat), 1);
  if (!floats)
    return failure();
  Value product =
      createMatmul(node, node.getInput(Data), node.transpose(floats, {1, 0}));
  return node.setResult(addOptional(node, product, node.getInput(Bias)));
}

/// The numbers that the codes of a type of 4 bits stand for.
static ArrayRef<double> getCodes(bool isNormal) {
  // Steps of 1/192 of floats with two bits of exponent and one of mantissa.
  static constexpr double floats[16] = {
      0, 1.0 / 192,  2.0 / 3,  1.0,  1.0 / 3,  0.5,  1.0 / 6,  0.25,
      0, -1.0 / 192, -2.0 / 3, -1.0, -1.0 / 3, -0.5, -1.0 / 6, -0.25};
  // Quantiles of the normal distribution.
  static constexpr double quantiles[16] = {-1.0,
                                           -0.6961928009986877,
                                           -0.5250730514526367,
                                           -0.39491748809814453,
                                           -0.28444138169288635,
                                           -0.18477343022823334,
                                           -0.09105003625154495,
                                           0.0,
                                           0.07958029955625534,
                                           0.16093020141124725,
                                           0.24611230194568634,
                                           0.33791524171829224,
                                           0.44070982933044434,
                                           0.5626170039176941,
                                           0.7229568362236023,
                                           1.0};
  return isNormal ? ArrayRef<double>(quantiles) : ArrayRef<double>(floats);
}

/// The product with a weight of codes of 4 bits, with a factor for each block
/// of the flat weight.
static LogicalResult convertMatMulBnb4(NodeContext &node) {
  enum { Data, Weight, Factors };
  int64_t rows = node.getInt("N", 0), columns = node.getInt("K", 0);
  int64_t size = node.getInt("block_size", 0);
  int64_t kind = node.getInt("quant_type", 0);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (rows < 1 || columns < 1 || rows > most || columns > most || size < 16 ||
      size > most || !llvm::isPowerOf2_64(size))
    return node.emitError()
           << "expects N and K to be positive, and block_size to be a power of "
              "two from 16 on, but got "
           << rows << ", " << columns << " and " << size;
  if (kind != 0 && kind != 1)
    return node.emitError() << "expects quant_type 0 or 1, but got " << kind;
  bool isTransposed = node.getBool("transB", true);
  int64_t count = rows * columns, bytes = llvm::divideCeil(count, 2);
  int64_t blocks = llvm::divideCeil(count, size);
  auto hasElements = [&](Value value, int64_t elements) {
    RankedTensorType type = node.getType(value);
    return type.hasStaticShape() && type.getNumElements() == elements;
  };
  Value weight = node.getInput(Weight), factors = node.getInput(Factors);
  if (!hasElements(weight, bytes) || !hasElements(factors, blocks) ||
      !node.getElementType(weight).isUnsignedInteger(8))
    return node.emitError() << "expects " << bytes << " bytes and " << blocks
                            << " factors, but got " << weight.getType()
                            << " and " << factors.getType();
  // The high half of a byte is first.
  Value codes =
      unpackBits(node, node.reshape(weight, ArrayRef<int64_t>{bytes, 1}), 4, 2);
  ReverseOp::Properties reverse;
  reverse.axis = node.getBuilder().getI64IntegerAttr(1);
  if (codes)
    codes = node.create<ReverseOp>({codes}, reverse);
  codes = node.reshape(codes, ArrayRef<int64_t>{bytes * 2});
  Type type = node.getElementType(node.getInput(Data));
  Value table = node.createFloats(getCodes(kind == 1), {16}, type);
  Value numbers = node.take(
      table, node.castTo(codes, node.getBuilder().getI32Type()), 0, "fast");
  factors = node.reshape(node.castTo(factors, type), ArrayRef<int64_t>{blocks});
  RepeatOp::Properties repeat;
  repeat.repeats = node.getBuilder().getI64IntegerAttr(size);
  repeat.axis = node.getBuilder().getI64IntegerAttr(0);
  if (!numbers || !factors)
    return failure();
  Value floats = node.create<MultiplyOp>(
      {node.slice(numbers, 0, 0, count),
       node.slice(node.create<RepeatOp>({factors}, repeat), 0, 0, count)});
  floats = isTransposed
               ? node.reshape(floats, ArrayRef<int64_t>{rows, columns})
               : node.reshape(floats, ArrayRef<int64_t>{columns, rows});
  if (!floats)
    return failure();
  if (isTransposed)
    floats = node.transpose(floats, {1, 0});
  return node.setResult(createMatmul(node, node.getInput(Data), floats));
}

static LogicalResult convertMatMulInteger16(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  bool isUnsigned = true;
  for (unsigned index : {0, 1}) {
    Type type = node.getInputType(index).getElementType();
    if (!type.isSignlessInteger(16) && !type.isUnsignedInteger(16))
      return node.emitError() << "expects integers of 16 bits, but got "
                              << node.getInputType(index);
    isUnsigned &= type.isUnsignedInteger();
  }
  Type type = isUnsigned ? b.getIntegerType(32, /*isSigned=*/false)
                         : Type(b.getI32Type());
  Value left = node.castTo(node.getInput(0), type);
  Value right = node.castTo(node.getInput(1), type);
  return node.setResult(left && right ? createMatmul(node, left, right)
                                      : nullptr);
}

void mlir::relay::onnx::addContribQuantizedOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert,
                 ArrayRef<unsigned> required, unsigned maxInputs,
                 bool isComposed = false) {
    addContrib(table, name, std::move(convert), required, maxInputs,
               isComposed);
  };
  add("DynamicQuantizeMatMul", convertDynamicQuantizeMatMul, {0, 1, 2}, 5,
      true);
  add("MatMulBnb4", convertMatMulBnb4, {0, 1, 2}, 3, true);
  add("MatMulInteger16", convertMatMulInteger16, {0, 1}, 2);
  add("MatMulIntegerToFloat", convertMatMulIntegerToFloat, {0, 1, 2, 3}, 7,
      true);
  add("MatMulNBits", convertMatMulNBits, {0, 1, 2}, 6, true);
  add("QAttention", convertQAttention, {0, 1, 2, 3, 4}, 9, true);
  add("QGemm", convertQGemm, {0, 1, 2, 3, 4, 5}, 9);
  add("QLinearAdd", convertQLinearBinary<AddOp>, {0, 1, 3, 4, 6}, 8);
  add("QLinearAveragePool", convertQLinearAveragePool, {0, 1, 3}, 5);
  add("QLinearConcat", convertQLinearConcat, {0, 1, 2, 3, 4}, kVariadic);
  add("QLinearGlobalAveragePool", convertQLinearGlobalAveragePool,
      {0, 1, 2, 3, 4}, 5);
  add("QLinearLeakyRelu", convertQLinearUnary, {0, 1, 3}, 5);
  add("QLinearMul", convertQLinearBinary<MultiplyOp>, {0, 1, 3, 4, 6}, 8);
  add("QLinearReduceMean", convertQLinearReduceMean, {0, 1, 2, 3, 4}, 5);
  add("QLinearSigmoid", convertQLinearUnary, {0, 1, 3}, 5);
  add("QLinearSoftmax", convertQLinearSoftmax, {0, 1, 3}, 5);
  add("QLinearWhere", convertQLinearWhere, {0, 1, 2, 3, 4, 5, 6, 7, 8}, 9);
}
