//===- QnnElementwise.cpp - Quantized operators on elements and rows ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QnnBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::qnn;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// What the code of a type means to simulated operators; null for none.
static Type getSimulatedType(Builder &builder, int64_t code) {
  switch (code) {
  case 1:
    return builder.getI8Type();
  case 2:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case 3:
    return builder.getI32Type();
  default:
    return {};
  }
}

/// What the operators that simulate compute in: f32, or f64 of f64.
static Type getSimulationType(Builder &builder, Value data) {
  return getElementType(data).isF64() ? Type(builder.getF64Type())
                                      : Type(builder.getF32Type());
}

/// A parameter with a value for each index along `axis`, of the type that is
/// computed in; a shorter vector is repeated. Null, after an error, if that
/// cannot be known here.
static Value getSimulatedParam(QnnBuilder &b, Value param, Value data,
                               int64_t axis) {
  auto type = cast<RankedTensorType>(data.getType());
  auto paramType = cast<RankedTensorType>(param.getType());
  int64_t rank = type.getRank();
  if (paramType.getRank() == 1 && rank != 0 &&
      (!paramType.hasStaticShape() || paramType.getNumElements() != 1)) {
    int64_t size = type.getDimSize(axis < 0 ? axis + rank : axis);
    int64_t given = paramType.getDimSize(0);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(given) ||
        given == 0) {
      b.refuse() << "expects sizes of data and parameters that are known where "
                    "code is made for it, but got "
                 << type << " and " << paramType;
      return {};
    }
    if (given != size) {
      SmallVector<int64_t> indices;
      for (int64_t i = 0; i < size; ++i)
        indices.push_back(i % given);
      Value list = b.make<ConstantOp>(DenseElementsAttr::get(
          RankedTensorType::get(size, b.getI64Type()), ArrayRef(indices)));
      param = b.makeWith<TakeOp>(
          {param, list}, b.getNamedAttr("axis", b.getI64IntegerAttr(0)));
    }
  }
  return b.castTo(b.align(param, axis, rank), getSimulationType(b, data));
}

/// `simulate` of each type that the code, an operand, may name.
static Value chooseByCode(QnnBuilder &b, Value data, Value code,
                          function_ref<Value(Type)> simulate) {
  if (std::optional<SmallVector<double>> known = getNumbers(code)) {
    Type type = getSimulatedType(b, static_cast<int64_t>(known->front()));
    return type ? simulate(type) : data;
  }
  Value result = data;
  for (int64_t number : {3, 2, 1}) {
    Value isThis =
        b.make<EqualOp>(code, b.integer(number, getElementType(code)));
    result =
        b.make<WhereOp>(isThis, simulate(getSimulatedType(b, number)), result);
  }
  return result;
}

static Value simulateQuantize(QnnBuilder &b, QNNSimulatedQuantizeOp op) {
  Value data = op.getData();
  Value scale = getSimulatedParam(b, op.getOutputScale(), data, op.getAxis());
  Value zero =
      getSimulatedParam(b, op.getOutputZeroPoint(), data, op.getAxis());
  if (!scale || !zero)
    return {};
  Type wide = getSimulationType(b, data);
  Value moved = b.make<AddOp>(
      b.make<RoundOp>(b.make<DivideOp>(b.castTo(data, wide), scale)), zero);
  return chooseByCode(b, data, op.getOutDtype(), [&](Type type) {
    auto [low, high] = getIntegerRange(type);
    Value clipped =
        b.clip(moved, static_cast<double>(low), static_cast<double>(high));
    // NaN is above everything, as of fmin.
    Value result = b.make<WhereOp>(b.make<EqualOp>(moved, moved), clipped,
                                   b.number(static_cast<double>(high), wide));
    return b.castTo(result, getElementType(data));
  });
}

static Value simulateDequantize(QnnBuilder &b, QNNSimulatedDequantizeOp op) {
  Value data = op.getData();
  Value scale = getSimulatedParam(b, op.getInputScale(), data, op.getAxis());
  Value zero = getSimulatedParam(b, op.getInputZeroPoint(), data, op.getAxis());
  if (!scale || !zero)
    return {};
  return chooseByCode(b, data, op.getInDtype(), [&](Type) {
    Value wide = b.castTo(data, getSimulationType(b, data));
    return b.castTo(b.make<MultiplyOp>(b.make<SubtractOp>(wide, zero), scale),
                    getElementType(data));
  });
}

static HalfRounding parseRounding(StringRef text) {
  return llvm::StringSwitch<HalfRounding>(text)
      .Case("TONEAREST", HalfRounding::AwayFromZero)
      .Case("TOEVEN", HalfRounding::ToEven)
      .Default(HalfRounding::Upward);
}

FailureOr<Value> QNNQuantizeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(
      b.quantize(getData(), {getOutputScale(), getOutputZeroPoint(), getAxis()},
                 getOutDtype(), parseRounding(getRounding())));
}

FailureOr<Value> QNNDequantizeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(
      b.dequantize(getData(), {getInputScale(), getInputZeroPoint(), getAxis()},
                   getOutDtype()));
}

FailureOr<Value> QNNRequantizeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  RequantizeMode mode;
  mode.rounding = parseRounding(getRounding());
  if (getComputeDtype() == "float32")
    mode.floatBits = 32;
  else if (getComputeDtype() == "float64")
    mode.floatBits = 64;
  return orFailure(b.requantize(
      getData(), {getInputScale(), getInputZeroPoint(), getAxis()},
      {getOutputScale(), getOutputZeroPoint()}, *getOutDtype(), mode));
}

FailureOr<Value> QNNSimulatedQuantizeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(simulateQuantize(b, *this));
}

FailureOr<Value> QNNSimulatedDequantizeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(simulateDequantize(b, *this));
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

bool qnn::isQuantized(QnnBuilder &b, Value data) {
  auto type = dyn_cast<IntegerType>(getElementType(data));
  if (type && type.getWidth() >= 8 && type.getWidth() <= 32)
    return true;
  b.refuse() << "expects quantized integers, but got " << data.getType();
  return false;
}

/// Of a sum or difference.
template <typename OpTy, typename CombineTy>
static Value combine(QnnBuilder &b, OpTy op) {
  if (!isQuantized(b, op.getLhs()))
    return {};
  Params to{op.getOutputScale(), op.getOutputZeroPoint()};
  Value lhs = b.requantizeToInt32(
      op.getLhs(), {op.getLhsScale(), op.getLhsZeroPoint(), op.getLhsAxis()},
      to);
  if (!lhs)
    return {};
  Value rhs = b.requantizeToInt32(
      op.getRhs(), {op.getRhsScale(), op.getRhsZeroPoint(), op.getRhsAxis()},
      to);
  if (!rhs)
    return {};
  rhs = b.subtractZeroPoint(rhs, to.zeroPoint, 0);
  return b.saturateTo(b.make<CombineTy>(lhs, rhs),
                      getElementType(op.getResult()));
}

static Value multiply(QnnBuilder &b, QNNMulOp op) {
  if (!isQuantized(b, op.getLhs()))
    return {};
  Value product = b.make<MultiplyOp>(
      b.subtractZeroPoint(op.getLhs(), op.getLhsZeroPoint(), op.getLhsAxis()),
      b.subtractZeroPoint(op.getRhs(), op.getRhsZeroPoint(), op.getRhsAxis()));
  std::optional<SmallVector<double>> lhs = getNumbers(op.getLhsScale()),
                                     rhs = getNumbers(op.getRhsScale());
  if (!lhs || !rhs) {
    b.refuse() << "expects constant scales where code is made for it, but got "
                  "values that are computed";
    return {};
  }
  size_t size = std::max(lhs->size(), rhs->size());
  if ((lhs->size() != size && lhs->size() != 1) ||
      (rhs->size() != size && rhs->size() != 1)) {
    b.refuse() << "expects scales of one size, but got " << lhs->size()
               << " and " << rhs->size();
    return {};
  }
  // Scales are floats of 32 bits.
  SmallVector<double> scales;
  for (size_t i : llvm::seq(size))
    scales.push_back(static_cast<float>((*lhs)[lhs->size() == 1 ? 0 : i] *
                                        (*rhs)[rhs->size() == 1 ? 0 : i]));
  // Counted from the last dimension, as shapes are aligned.
  auto fromLast = [](int64_t axis, Value data) {
    return axis < 0 ? axis : axis - getRank(data);
  };
  int64_t axis = rhs->size() != 1 ? fromLast(op.getRhsAxis(), op.getRhs())
                                  : fromLast(op.getLhsAxis(), op.getLhs());
  // One dimension, whatever it broadcasts to.
  Value scale = b.numbers(scales, b.getF32Type(), 0, 1);
  Params from{scale, b.integer(0, b.getI32Type()), axis};
  return b.requantize(product, from,
                      {op.getOutputScale(), op.getOutputZeroPoint()},
                      getElementType(op.getResult()));
}

/// What the operator makes of each value of its data's type, a byte: a table.
/// Null if an operand is not a constant.
static FailureOr<Value> lookUp(QnnBuilder &b, Operation *op,
                               EvaluateOperator evaluate) {
  for (Value param : op->getOperands().drop_front())
    if (!param.getDefiningOp<ConstantOp>())
      return Value();
  Value data = op->getOperand(0);
  auto [low, high] = getIntegerRange(getElementType(data));
  auto codes = llvm::to_vector(llvm::seq_inclusive<int64_t>(low, high));
  Value all = b.integers(codes, getElementType(data), 0, 1);
  Operation *copy = b.clone(*op);
  copy->setOperand(0, all);
  copy->getResult(0).setType(all.getType());
  Value table = evaluate(copy);
  copy->erase();
  all.getDefiningOp()->erase();
  if (!table)
    return failure();
  Value index =
      b.make<SubtractOp>(b.toInt32(data), b.integer(low, b.getI32Type()));
  return b
      .makeWith<TakeOp>({table, index},
                        b.getNamedAttr("axis", b.getI64IntegerAttr(0)))
      .get();
}

/// A table, or where parameters are computed, a function on floats in between.
template <typename OpTy>
static FailureOr<Value> apply(OpTy op, EvaluateOperator evaluate,
                              function_ref<Value(QnnBuilder &, Value)> fn) {
  QnnBuilder b(op);
  FailureOr<Value> table = lookUp(b, op, evaluate);
  if (failed(table) || *table)
    return table;
  Value x = b.dequantize(op.getData(), {op.getScale(), op.getZeroPoint()},
                         b.getF32Type());
  return orFailure(b.quantize(fn(b, x),
                              {op.getOutputScale(), op.getOutputZeroPoint()},
                              getElementType(op.getResult())));
}

FailureOr<Value> QNNTanhOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<TanhOp>(x); });
}

FailureOr<Value> QNNExpOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<ExpOp>(x); });
}

FailureOr<Value> QNNSqrtOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<SqrtOp>(x); });
}

FailureOr<Value> QNNRsqrtOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<RsqrtOp>(x); });
}

FailureOr<Value> QNNErfOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<ErfOp>(x); });
}

FailureOr<Value> QNNSigmoidOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<SigmoidOp>(x); });
}

FailureOr<Value> QNNHardswishOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate, [](QnnBuilder &b, Value x) {
    Type f32 = b.getF32Type();
    Value gate = b.clip(b.make<AddOp>(x, b.number(3, f32)), 0, 6);
    return b.make<DivideOp>(b.make<MultiplyOp>(x, gate), b.number(6, f32));
  });
}

FailureOr<Value> QNNLogOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<LogOp>(x); });
}

FailureOr<Value> QNNAbsOp::decompose(EvaluateOperator evaluate) {
  return apply(*this, evaluate,
               [](QnnBuilder &b, Value x) { return b.make<AbsOp>(x); });
}

FailureOr<Value> QNNLeakyReluOp::decompose(EvaluateOperator evaluate) {
  QnnBuilder b(*this);
  FailureOr<Value> table = lookUp(b, *this, evaluate);
  if (failed(table) || *table)
    return table;
  return b.refuse() << "expects constant scales and zero points where code is "
                       "made for it, but got values that are computed";
}

FailureOr<Value> QNNAddOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(combine<QNNAddOp, AddOp>(b, *this));
}

FailureOr<Value> QNNSubtractOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(combine<QNNSubtractOp, SubtractOp>(b, *this));
}

FailureOr<Value> QNNMulOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(multiply(b, *this));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

static Value computeSoftmax(QnnBuilder &b, QNNSoftmaxOp op) {
  std::optional<SmallVector<double>> scale = getNumbers(op.getScale());
  if (!scale) {
    b.refuse() << "expects a constant scale where code is made for it, but got "
                  "one that is computed";
    return {};
  }
  auto number = static_cast<float>(scale->front());
  bool isValid = number > 0 && number <= 1; // Not NaN.
  if (!isValid) {
    b.refuse() << "expects a scale above 0 and at most 1, but got " << number;
    return {};
  }
  double rounded = std::round(1.0f / number);
  auto one = static_cast<int64_t>(
      std::min<double>(rounded, std::numeric_limits<int32_t>::max()));
  Type i32 = b.getI32Type();
  SmallVector<NamedAttribute> rows{
      b.getNamedAttr("axis", b.getDenseI64ArrayAttr(op.getAxis())),
      b.getNamedAttr("keepdims", b.getBoolAttr(true))};
  auto shift = [&](Value x, int64_t count) {
    return b.make<RightShiftOp>(x, b.integer(count, i32));
  };
  // The zero point cancels. See the operator for the steps.
  Value data = b.toInt32(op.getData());
  Value x = b.make<SubtractOp>(data, b.makeWith<MaxOp>(data, rows));
  Value p = b.make<SubtractOp>(b.make<AddOp>(x, shift(x, 1)), shift(x, 4));
  Value n = b.clip(b.make<DivideOp>(p, b.integer(-one, i32)), 0, 20);
  Value r = b.make<AddOp>(p, b.make<MultiplyOp>(n, b.integer(one, i32)));
  Value base = b.make<AddOp>(shift(r, 1), b.integer(one, i32));
  Value steps = b.make<SubtractOp>(b.makeWith<MaxOp>(n, rows), n);
  Value e = b.make<LeftShiftOp>(base, steps);
  // A division by 0 gives 0, and a sum is 0 only where it wrapped.
  Value factor = b.make<DivideOp>(b.integer(int64_t(1) << 30, i32),
                                  b.makeWith<SumOp>(e, rows));
  Value y = shift(b.make<MultiplyOp>(factor, e), 23);
  return b.requantize(y,
                      {b.number(1.0 / 128, b.getF32Type()), b.integer(0, i32)},
                      {op.getOutputScale(), op.getOutputZeroPoint()},
                      getElementType(op.getResult()));
}

/// The fields of a tuple, as values.
static SmallVector<Value> getFields(QnnBuilder &b, Value tuple) {
  if (auto made = tuple.getDefiningOp<TupleOp>())
    return llvm::to_vector(made->getOperands());
  SmallVector<Value> fields;
  for (int64_t i :
       llvm::seq<int64_t>(0, cast<TupleType>(tuple.getType()).size()))
    fields.push_back(b.makeWith<TupleGetItemOp>(
        tuple, b.getNamedAttr("index", b.getI64IntegerAttr(i))));
  return fields;
}

static Value concatenate(QnnBuilder &b, QNNConcatenateOp op) {
  SmallVector<Value> parts;
  SmallVector<Value> scales = getFields(b, op.getInputScales()),
                     zeros = getFields(b, op.getInputZeroPoints());
  for (auto [data, scale, zero] :
       llvm::zip_equal(getFields(b, op.getData()), scales, zeros)) {
    if (!isQuantized(b, data))
      return {};
    Value part = b.requantizeToInt32(
        data, {scale, zero}, {op.getOutputScale(), op.getOutputZeroPoint()});
    if (!part)
      return {};
    parts.push_back(b.saturateTo(part, getElementType(op.getResult())));
  }
  return b.makeWith<ConcatenateOp>(
      parts, b.getNamedAttr("axis", b.getI64IntegerAttr(op.getAxis())));
}

FailureOr<Value> QNNSoftmaxOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(computeSoftmax(b, *this));
}

FailureOr<Value> QNNConcatenateOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(concatenate(b, *this));
}
