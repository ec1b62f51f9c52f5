//===- Qnn.cpp - Elementwise and other operators on quantized tensors -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Quantized.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Support/FormatNumber.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Checks of what types do not show
//===----------------------------------------------------------------------===//

/// Fails unless vectors have the size of dimension `axis` of `data`.
static LogicalResult checkSizes(Operation *op, const Tensor &data,
                                ArrayRef<Tensor> params, int64_t axis) {
  int64_t rank = data.getRank();
  for (const Tensor &param : params) {
    if (param.getNumElements() == 1)
      continue;
    int64_t size = rank ? data.getDimSize(normalizeAxis(axis, rank)) : 1;
    if (param.getNumElements() != size)
      return op->emitOpError("expects a scale and zero point of ")
             << size << " values, but got " << param.getNumElements();
  }
  return success();
}

static LogicalResult checkOutputScale(Operation *op, const Tensor &scale) {
  if (scale.loadAll<double>().front() != 0)
    return success();
  return op->emitOpError("expects an output_scale other than 0");
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static HalfRounding parseRounding(StringRef text) {
  return llvm::StringSwitch<HalfRounding>(text)
      .Case("TONEAREST", HalfRounding::AwayFromZero)
      .Case("TOEVEN", HalfRounding::ToEven)
      .Default(HalfRounding::Upward);
}

static FailureOr<Tensor> evaluateQuantize(QNNQuantizeOp op,
                                          ArrayRef<Tensor> operands) {
  if (failed(checkSizes(op, operands[0], operands.drop_front(), op.getAxis())))
    return failure();
  return quantize(operands[0], operands[1], operands[2], op.getAxis(),
                  op.getOutDtype(), parseRounding(op.getRounding()));
}

static FailureOr<Tensor> evaluateDequantize(QNNDequantizeOp op,
                                            ArrayRef<Tensor> operands) {
  if (failed(checkSizes(op, operands[0], operands.drop_front(), op.getAxis())))
    return failure();
  return dequantize(operands[0], operands[1], operands[2], op.getAxis(),
                    op.getOutDtype());
}

static FailureOr<Tensor> evaluateRequantize(QNNRequantizeOp op,
                                            ArrayRef<Tensor> operands) {
  if (failed(checkSizes(op, operands[0], operands.slice(1, 2), op.getAxis())) ||
      failed(checkOutputScale(op, operands[3])))
    return failure();
  RequantizeMode mode;
  mode.rounding = parseRounding(op.getRounding());
  if (op.getComputeDtype() == "float32")
    mode.floatBits = 32;
  else if (op.getComputeDtype() == "float64")
    mode.floatBits = 64;
  return requantize(operands[0], operands[1], operands[2], op.getAxis(),
                    operands[3], operands[4], *op.getOutDtype(), mode);
}

/// Gives a vector one value for each index along `axis`, repeating it.
static Tensor repeatAlong(const Tensor &param, const Tensor &data,
                          int64_t axis) {
  int64_t rank = data.getRank();
  if (param.getRank() == 0)
    return param;
  int64_t size = rank ? data.getDimSize(normalizeAxis(axis, rank)) : 1;
  SmallVector<double> values = param.loadAll<double>(), repeated;
  for (int64_t i = 0; i < size; ++i)
    repeated.push_back(values[i % values.size()]);
  Tensor result = Tensor::allocate({size}, param.getElementType());
  result.store<double>(0, size, repeated.data());
  return result;
}

/// Elementwise on floats: `fn(x, scale, zero point)` in float32 or wider, where
/// the code, an operand, names a type; else the data itself.
static FailureOr<Tensor>
evaluateSimulated(Operation *op, ArrayRef<Tensor> operands, int64_t axis,
                  function_ref<double(double, double, double, Type)> fn) {
  const Tensor &data = operands[0];
  MLIRContext *context = op->getContext();
  Type type;
  switch (operands[1].loadAll<int64_t>().front()) {
  case 1:
    type = IntegerType::get(context, 8);
    break;
  case 2:
    type = IntegerType::get(context, 8, IntegerType::Unsigned);
    break;
  case 3:
    type = IntegerType::get(context, 32);
    break;
  default:
    return data;
  }
  SmallVector<Tensor> params;
  for (const Tensor &param : operands.drop_front(2)) {
    if (param.getNumElements() == 0)
      return op->emitOpError("expects a scale and zero point of at least one "
                             "value, but got none");
    params.push_back(
        alignParam(repeatAlong(param, data, axis), axis, data.getRank()));
  }
  return mapElements<double>(
      {data, params[0], params[1]}, data.getShape(), data.getElementType(),
      [&](const double *x) { return fn(x[0], x[1], x[2], type); });
}

static FailureOr<Tensor> evaluateSimulatedQuantize(QNNSimulatedQuantizeOp op,
                                                   ArrayRef<Tensor> operands) {
  bool isDouble = operands[0].getElementType().isF64();
  return evaluateSimulated(
      op, operands, op.getAxis(),
      [&](double x, double scale, double zeroPoint, Type type) -> double {
        double quotient = x / scale;
        if (!isDouble)
          quotient = static_cast<float>(x) / static_cast<float>(scale);
        auto [low, high] = getIntegerRange(type);
        return std::fmax(std::fmin(std::round(quotient) + zeroPoint,
                                   static_cast<double>(high)),
                         static_cast<double>(low));
      });
}

static FailureOr<Tensor>
evaluateSimulatedDequantize(QNNSimulatedDequantizeOp op,
                            ArrayRef<Tensor> operands) {
  return evaluateSimulated(op, operands, op.getAxis(),
                           [](double x, double scale, double zeroPoint, Type) {
                             return (x - zeroPoint) * scale;
                           });
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

/// Broadcasts what the operands of a binary operator became, and clips.
static FailureOr<Tensor> combine(Operation *op, const Tensor &lhs,
                                 const Tensor &rhs,
                                 function_ref<int32_t(int32_t, int32_t)> fn,
                                 Type elementType) {
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(lhs.getShape(), rhs.getShape());
  if (!shape)
    return op->emitOpError("expects shapes that broadcast, but got ")
           << lhs.getType() << " and " << rhs.getType();
  auto [low, high] = getIntegerRange(elementType);
  int64_t lowest = low, highest = high;
  return mapElements<int64_t>(
      {lhs, rhs}, *shape, elementType, [&](const int64_t *x) -> int64_t {
        int64_t value =
            fn(static_cast<int32_t>(x[0]), static_cast<int32_t>(x[1]));
        return std::clamp(value, lowest, highest);
      });
}

template <typename OpT>
static LogicalResult checkBinary(OpT op, ArrayRef<Tensor> operands) {
  if (!isa<IntegerType>(operands[0].getElementType()))
    return op.emitOpError("expects quantized integers, but got ")
           << operands[0].getType();
  return success(succeeded(checkSizes(op, operands[0], operands.slice(2, 2),
                                      op.getLhsAxis())) &&
                 succeeded(checkSizes(op, operands[1], operands.slice(4, 2),
                                      op.getRhsAxis())) &&
                 succeeded(checkOutputScale(op, operands[6])));
}

/// `sign` is 1 for a sum and -1 for a difference.
template <typename OpT, int sign>
static FailureOr<Tensor> evaluateSum(OpT op, ArrayRef<Tensor> operands) {
  if (failed(checkBinary(op, operands)))
    return failure();
  Tensor lhs = requantizeToInt32(operands[0], operands[2], operands[3],
                                 op.getLhsAxis(), operands[6], operands[7]);
  Tensor rhs = requantizeToInt32(operands[1], operands[4], operands[5],
                                 op.getRhsAxis(), operands[6], operands[7]);
  int64_t zeroPoint = operands[7].loadAll<int64_t>().front();
  return combine(
      op, lhs, rhs,
      [&](int32_t l, int32_t r) {
        return static_cast<int32_t>(l + sign * (r - zeroPoint));
      },
      getResultElementType(op));
}

/// data - zeroPoint, as i32.
static Tensor subtractZeroPoint(const Tensor &data, const Tensor &zeroPoint,
                                int64_t axis) {
  return mapElements<int64_t>(
      {data, alignParam(zeroPoint, axis, data.getRank())}, data.getShape(),
      IntegerType::get(data.getContext(), 32),
      [](const int64_t *x) { return x[0] - x[1]; });
}

static FailureOr<Tensor> evaluateMul(QNNMulOp op, ArrayRef<Tensor> operands) {
  if (failed(checkBinary(op, operands)))
    return failure();
  Type i32 = IntegerType::get(op.getContext(), 32);
  FailureOr<Tensor> product = combine(
      op, subtractZeroPoint(operands[0], operands[3], op.getLhsAxis()),
      subtractZeroPoint(operands[1], operands[5], op.getRhsAxis()),
      [](int32_t l, int32_t r) {
        return static_cast<int32_t>(static_cast<uint32_t>(l) *
                                    static_cast<uint32_t>(r));
      },
      i32);
  if (failed(product))
    return failure();
  // A scale of the product per index along the axis of either operand, counted
  // from the last dimension as shapes are aligned.
  const Tensor &lhsScale = operands[2], &rhsScale = operands[4];
  auto fromLast = [](int64_t axis, const Tensor &data) {
    return axis < 0 ? axis : axis - data.getRank();
  };
  int64_t axis = rhsScale.getNumElements() != 1
                     ? fromLast(op.getRhsAxis(), operands[1])
                     : fromLast(op.getLhsAxis(), operands[0]);
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(lhsScale.getShape(), rhsScale.getShape());
  if (!shape)
    return op.emitOpError("expects scales of one size, but got ")
           << lhsScale.getType() << " and " << rhsScale.getType();
  Tensor scale = mapElements<double>(
      {lhsScale, rhsScale}, *shape, lhsScale.getElementType(),
      [](const double *x) { return x[0] * x[1]; });
  // One value is for all indices, and the dimension may broadcast.
  if (scale.getNumElements() == 1)
    scale = scale.reshape({});
  Tensor zero = Tensor::getScalar(i32, 0);
  if (failed(checkSizes(op, *product, scale, axis)))
    return failure();
  return requantize(*product, scale, zero, axis, operands[6], operands[7],
                    getResultElementType(op));
}

/// Dequantises, applies `fn` in float32, and quantises.
template <typename OpT>
static void addUnary(EvaluatorTable &table, double (*fn)(double)) {
  table.add<OpT>([fn](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    Type f32 = Float32Type::get(op.getContext());
    Tensor x = dequantize(operands[0], operands[1], operands[2], -1, f32);
    Tensor y =
        mapElements<double>({x}, x.getShape(), f32,
                            [&](const double *value) { return fn(*value); });
    return quantize(y, operands[3], operands[4], -1, getResultElementType(op));
  });
}

static FailureOr<Tensor> evaluateLeakyRelu(QNNLeakyReluOp op,
                                           ArrayRef<Tensor> operands) {
  if (failed(checkOutputScale(op, operands[3])))
    return failure();
  Tensor moved = requantizeToInt32(operands[0], operands[1], operands[2], -1,
                                   operands[3], operands[4]);
  int64_t from = operands[2].loadAll<int64_t>().front();
  auto to = static_cast<int32_t>(operands[4].loadAll<int64_t>().front());
  double alpha = op.getAlpha().convertToDouble();
  int64_t offset = multiplyFixedPoint(to, 1 - alpha, HalfRounding::Upward);
  Tensor result = mapElements<int64_t>(
      {operands[0], moved}, moved.getShape(), moved.getElementType(),
      [&](const int64_t *x) -> int64_t {
        if (x[0] >= from)
          return x[1];
        return multiplyFixedPoint(static_cast<int32_t>(x[1]), alpha,
                                  HalfRounding::Upward) +
               offset;
      });
  return saturateTo(result, getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Wraps as the int32 arithmetic of the definition does.
static int32_t wrap(int64_t value) { return static_cast<int32_t>(value); }

static void softmaxRow(MutableArrayRef<int64_t> row, int32_t one) {
  int64_t largest = *llvm::max_element(row);
  SmallVector<int32_t> steps, exponentials;
  int32_t mostSteps = 0, sum = 0;
  for (int64_t &value : row) {
    auto x = static_cast<int32_t>(value - largest);
    value = x + (x >> 1) - (x >> 4);
    steps.push_back(std::clamp<int64_t>(value / -one, 0, 20));
    mostSteps = std::max(mostSteps, steps.back());
  }
  for (auto [value, step] : llvm::zip_equal(row, steps)) {
    int32_t rest = wrap(value + static_cast<int64_t>(step) * one);
    int32_t base = wrap((rest >> 1) + static_cast<int64_t>(one));
    exponentials.push_back(wrap(static_cast<int64_t>(static_cast<uint64_t>(base)
                                                     << (mostSteps - step))));
    sum = wrap(static_cast<int64_t>(sum) + exponentials.back());
  }
  // The sum is 0 only where it wrapped.
  int32_t factor = sum ? (1 << 30) / sum : 0;
  for (auto [value, exponential] : llvm::zip_equal(row, exponentials))
    value = wrap(static_cast<int64_t>(factor) * exponential) >> 23;
}

static FailureOr<Tensor> evaluateSoftmax(QNNSoftmaxOp op,
                                         ArrayRef<Tensor> operands) {
  if (failed(checkOutputScale(op, operands[3])))
    return failure();
  auto scale = static_cast<float>(operands[1].loadAll<double>().front());
  if (!(scale > 0 && scale <= 1))
    return op.emitOpError("expects a scale above 0 and at most 1, but got ")
           << formatNumber(scale);
  auto one = narrow<int32_t>(std::round(1.0f / scale));
  const Tensor &data = operands[0];
  int64_t rank = data.getRank(), axis = normalizeAxis(op.getAxis(), rank);
  // The zero point cancels.
  SmallVector<int64_t> permutation = getAxesLastPermutation(rank, axis);
  Type i32 = IntegerType::get(op.getContext(), 32);
  Tensor rows = mapRows<int64_t>(
      transpose(data, permutation), i32,
      [&](MutableArrayRef<int64_t> row) { softmaxRow(row, one); });
  Tensor result = transpose(rows, invertPermutation(permutation));
  Tensor from = Tensor::allocate({}, Float32Type::get(op.getContext()));
  from.getMutableElements<float>()[0] = 1.0f / 128;
  return requantize(result, from, Tensor::getScalar(i32, 0), -1, operands[3],
                    operands[4], getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

static FailureOr<InterpreterValue>
evaluateConcatenate(Operation *op, ArrayRef<InterpreterValue> operands) {
  const Tensor &scale = operands[3].getTensor();
  const Tensor &zeroPoint = operands[4].getTensor();
  if (failed(checkOutputScale(op, scale)))
    return failure();
  Type elementType = getResultElementType(op);
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.getWidth() < 8 || integer.getWidth() > 32)
    return op->emitOpError("expects quantized integers, but got ")
           << operands[0].getFields().front().getTensor().getType();
  SmallVector<Tensor> parts;
  for (auto [data, fromScale, fromZeroPoint] :
       llvm::zip_equal(operands[0].getFields(), operands[1].getFields(),
                       operands[2].getFields()))
    parts.push_back(saturateTo(
        requantizeToInt32(data.getTensor(), fromScale.getTensor(),
                          fromZeroPoint.getTensor(), -1, scale, zeroPoint),
        elementType));
  int64_t rank = parts.front().getRank();
  int64_t axis = normalizeAxis(cast<QNNConcatenateOp>(op).getAxis(), rank);
  for (const Tensor &part : parts)
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != axis && part.getDimSize(dim) != parts.front().getDimSize(dim))
        return op->emitOpError("expects tensors of one size along dimension ")
               << dim << ", but got " << parts.front().getType() << " and "
               << part.getType();
  return InterpreterValue(concatenate(parts, axis));
}

void relay::detail::populateQnnEvaluators(EvaluatorTable &table) {
  table.add<QNNQuantizeOp>(evaluateQuantize);
  table.add<QNNDequantizeOp>(evaluateDequantize);
  table.add<QNNRequantizeOp>(evaluateRequantize);
  table.add<QNNSimulatedQuantizeOp>(evaluateSimulatedQuantize);
  table.add<QNNSimulatedDequantizeOp>(evaluateSimulatedDequantize);
  table.add<QNNAddOp>(evaluateSum<QNNAddOp, 1>);
  table.add<QNNSubtractOp>(evaluateSum<QNNSubtractOp, -1>);
  table.add<QNNMulOp>(evaluateMul);
  table.add<QNNLeakyReluOp>(evaluateLeakyRelu);
  table.add<QNNSoftmaxOp>(evaluateSoftmax);
  table.add(QNNConcatenateOp::getOperationName(), evaluateConcatenate);
  addUnary<QNNTanhOp>(table, std::tanh);
  addUnary<QNNExpOp>(table, std::exp);
  addUnary<QNNSqrtOp>(table, std::sqrt);
  addUnary<QNNRsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addUnary<QNNErfOp>(table, std::erf);
  addUnary<QNNSigmoidOp>(table,
                         [](double x) { return 1 / (1 + std::exp(-x)); });
  addUnary<QNNHardswishOp>(
      table, [](double x) { return x * std::clamp(x + 3.0, 0.0, 6.0) / 6; });
  addUnary<QNNLogOp>(table, std::log);
  addUnary<QNNAbsOp>(table, std::fabs);
}
