//===- Elementwise.cpp - Elementwise and broadcast operators --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats are computed in double and rounded once; integers wrap around.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir-c/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Elementwise.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Unary operators
//===----------------------------------------------------------------------===//

/// Computes every element type in double, also integers.
template <typename OpT>
static void addFloat(EvaluatorTable &table, double (*fn)(double)) {
  table.add<OpT>([fn](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    return mapElements<double>(operands, operands[0].getShape(),
                               getResultElementType(op),
                               [fn](const double *x) { return fn(x[0]); });
  });
}

/// Computes in the wide type of the data, for which `fn` is called.
template <typename OpT, typename Fn>
static void addUnary(EvaluatorTable &table, Fn fn) {
  table.add<OpT>([fn](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    const Tensor &data = operands[0];
    return dispatchWideType(data.getElementType(), [&](auto wide) {
      using W = decltype(wide);
      return mapElements<W>(
          data, data.getShape(), getResultElementType(op),
          [&](const W *x) { return static_cast<W>(fn(x[0])); });
    });
  });
}

/// Leaves integers as they are.
template <typename OpT>
static void addRounding(EvaluatorTable &table, double (*fn)(double)) {
  addUnary<OpT>(table, [fn](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>)
      return fn(x);
    else
      return x;
  });
}

static FailureOr<Tensor> evaluateClip(ClipOp op, ArrayRef<Tensor> operands) {
  double low = op.getAMin().convertToDouble();
  double high = op.getAMax().convertToDouble();
  const Tensor &data = operands[0];
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    // Bounds beyond the range of an integer type do not bind.
    W lowest = narrow<W>(low), highest = narrow<W>(high);
    return mapElements<W>(data, data.getShape(), data.getElementType(),
                          [&](const W *x) {
                            W value = x[0] < lowest ? lowest : x[0];
                            return highest < value ? highest : value;
                          });
  });
}

static FailureOr<Tensor> evaluateLeakyRelu(NNLeakyReluOp op,
                                           ArrayRef<Tensor> operands) {
  double alpha = op.getAlpha().convertToDouble();
  const Tensor &data = operands[0];
  return mapElements<double>(
      data, data.getShape(), data.getElementType(),
      [&](const double *x) { return x[0] > 0 ? x[0] : alpha * x[0]; });
}

static FailureOr<Tensor> evaluateFixedPointMultiply(FixedPointMultiplyOp op,
                                                    ArrayRef<Tensor> operands) {
  int64_t multiplier = op.getMultiplier();
  int64_t shift = op.getShift();
  const Tensor &data = operands[0];
  int64_t left = std::max<int64_t>(shift, 0);
  int64_t right = 31 - std::min<int64_t>(shift, 0);
  return mapElements<int64_t>(
      data, data.getShape(), data.getElementType(), [&](const int64_t *x) {
        __int128 product =
            static_cast<__int128>(x[0]) * (int64_t(1) << left) * multiplier;
        __int128 half = static_cast<__int128>(1) << (right - 1);
        return static_cast<int64_t>((product + half) >> right);
      });
}

static FailureOr<Tensor> evaluateBitwiseNot(BitwiseNotOp,
                                            ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  Type type = data.getElementType();
  bool isBool = type.isInteger(1); // Its other 63 bits do not exist.
  return mapElements<uint64_t>(
      data, data.getShape(), type,
      [&](const uint64_t *x) { return isBool ? x[0] == 0 : ~x[0]; });
}

static FailureOr<Tensor> evaluateAssert(AssertOp op,
                                        ArrayRef<Tensor> operands) {
  if (llvm::is_contained(operands[1].getElements<uint8_t>(), 0))
    return op->emitError(op.getMessage());
  return operands[0];
}

static FailureOr<Tensor> evaluateStringMap(StringMapOp op,
                                           ArrayRef<Tensor> operands) {
  RelayStrings *strings = relayGetUsedStrings();
  if (!strings)
    return op->emitOpError("expects the strings of a run, but got none");
  StringRef name = op.getFunction();
  const RelayStringFunctionInfo *info =
      relayFindStringFunction(name.data(), name.size());
  SmallVector<int64_t> args(operands.size());
  llvm::append_range(args, op.getParams());
  Tensor result =
      Tensor::allocate(operands[0].getShape(), getResultElementType(op));
  MutableArrayRef<int64_t> results = result.getMutableElements<int64_t>();
  for (size_t i = 0; i < results.size(); ++i) {
    for (auto [arg, operand] : llvm::zip(args, operands))
      arg = operand.getElements<int64_t>()[i];
    if (relayStringsCall(strings, info->function, args.data(), args.size(),
                         &results[i]) != RELAY_OK)
      return op->emitError(relayGetLastError());
  }
  return result;
}

static FailureOr<Tensor> evaluateCast(CastOp op, ArrayRef<Tensor> operands) {
  return castTo(operands[0], getResultElementType(op));
}

static void populateUnary(EvaluatorTable &table) {
  addFloat<LogOp>(table, std::log);
  addFloat<Log2Op>(table, std::log2);
  addFloat<Log10Op>(table, std::log10);
  addFloat<TanOp>(table, std::tan);
  addFloat<CosOp>(table, std::cos);
  addFloat<CoshOp>(table, std::cosh);
  addFloat<SinOp>(table, std::sin);
  addFloat<SinhOp>(table, std::sinh);
  addFloat<AcosOp>(table, std::acos);
  addFloat<AcoshOp>(table, std::acosh);
  addFloat<AsinOp>(table, std::asin);
  addFloat<AsinhOp>(table, std::asinh);
  addFloat<AtanOp>(table, std::atan);
  addFloat<AtanhOp>(table, std::atanh);
  addFloat<ExpOp>(table, std::exp);
  addFloat<ErfOp>(table, std::erf);
  addFloat<SqrtOp>(table, std::sqrt);
  addFloat<RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addFloat<TanhOp>(table, std::tanh);
  addFloat<SigmoidOp>(table, [](double x) { return 1 / (1 + std::exp(-x)); });
  // The approximations stand for the exact functions.
  addFloat<FastExpOp>(table, std::exp);
  addFloat<FastErfOp>(table, std::erf);
  addFloat<FastTanhOp>(table, std::tanh);

  addRounding<FloorOp>(table, std::floor);
  addRounding<CeilOp>(table, std::ceil);
  addRounding<TruncOp>(table, std::trunc);
  addRounding<RoundOp>(table, std::round);

  addUnary<ZerosLikeOp>(table, [](auto x) { return 0; });
  addUnary<OnesLikeOp>(table, [](auto x) { return 1; });
  addUnary<SignOp>(table, [](auto x) {
    using W = decltype(x);
    return x != x ? x : static_cast<W>((x > W(0)) - (x < W(0)));
  });
  addUnary<AbsOp>(table, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>)
      return std::fabs(x);
    else if constexpr (std::is_same_v<decltype(x), int64_t>)
      return x < 0 ? int64_t(0 - uint64_t(x)) : x;
    else
      return x;
  });
  addUnary<NegativeOp>(table, [](auto x) {
    if constexpr (std::is_same_v<decltype(x), double>)
      return -x;
    else
      return decltype(x)(0 - uint64_t(x));
  });
  addUnary<NNReluOp>(table, [](auto x) {
    using W = decltype(x);
    return x < W(0) ? W(0) : x; // Keeps NaN.
  });
  addUnary<LogicalNotOp>(table, [](auto x) { return x == decltype(x)(0); });
  addUnary<IsnanOp>(table, [](auto x) { return x != x; });
  addUnary<IsfiniteOp>(table, [](auto x) { return std::isfinite(double(x)); });
  addUnary<IsinfOp>(table, [](auto x) { return std::isinf(double(x)); });

  table.add<CopyOp>([](CopyOp op, ArrayRef<Tensor> operands) {
    return FailureOr<Tensor>(operands[0]);
  });
  table.add<AssertOp>(evaluateAssert);
  table.add<StringMapOp>(evaluateStringMap);
  table.add<BitwiseNotOp>(evaluateBitwiseNot);
  table.add<CastOp>(evaluateCast);
  table.add<ClipOp>(evaluateClip);
  table.add<NNLeakyReluOp>(evaluateLeakyRelu);
  table.add<FixedPointMultiplyOp>(evaluateFixedPointMultiply);
}

//===----------------------------------------------------------------------===//
// Binary operators
//===----------------------------------------------------------------------===//

template <typename W, typename Fn>
static FailureOr<Tensor> evaluateBinary(Operation *op, const Tensor &lhs,
                                        const Tensor &rhs, const Fn &fn) {
  auto shape = broadcastShapes(lhs.getShape(), rhs.getShape());
  if (!shape)
    return op->emitOpError("expects shapes that broadcast, but got ")
           << lhs.getType() << " and " << rhs.getType();
  return mapElements<W>({lhs, rhs}, *shape, getResultElementType(op),
                        [&](const W *x) { return fn(x[0], x[1]); });
}

template <typename OpT, typename Fn>
static auto getBinaryEvaluator(Fn fn) {
  return [fn](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    return dispatchWideType(operands[0].getElementType(), [&](auto wide) {
      using W = decltype(wide);
      return evaluateBinary<W>(op, operands[0], operands[1], [&](W a, W b) {
        return static_cast<W>(fn(a, b));
      });
    });
  };
}

template <typename OpT, typename Fn>
static void addBinary(EvaluatorTable &table, Fn fn) {
  table.add<OpT>(getBinaryEvaluator<OpT>(fn));
}

/// An operator on integers or bools.
template <typename OpT, typename Fn>
static void addBitwise(EvaluatorTable &table, Fn fn) {
  addBinary<OpT>(table, [fn](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>)
      return a; // The operator has no float operands.
    else
      return fn(a, b);
  });
}

/// A division or remainder: of integers, 0 where the divisor is 0.
template <typename OpT, typename Fn>
static void addDivision(EvaluatorTable &table, Fn fn) {
  addBinary<OpT>(table, [fn](auto a, auto b) {
    using W = decltype(a);
    if constexpr (!std::is_same_v<W, double>)
      if (b == 0)
        return W(0);
    return static_cast<W>(fn(a, b));
  });
}

template <typename Fn>
static auto wrapAround(Fn fn) {
  // Unsigned arithmetic wraps where signed would be undefined.
  return [fn](auto a, auto b) {
    using W = decltype(a);
    if constexpr (std::is_same_v<W, double>)
      return fn(a, b);
    else
      return static_cast<W>(
          fn(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  };
}

template <typename W>
static W divideTruncating(W a, W b) {
  if constexpr (std::is_same_v<W, int64_t>)
    if (b == -1)
      return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
  return a / b;
}

template <typename W>
static W remainderTruncating(W a, W b) {
  if constexpr (std::is_same_v<W, double>)
    return std::fmod(a, b);
  else if constexpr (std::is_same_v<W, int64_t>)
    return b == -1 ? 0 : a % b;
  else
    return a % b;
}

template <typename W>
static W remainderFlooring(W a, W b) {
  W remainder = remainderTruncating(a, b);
  if constexpr (std::is_same_v<W, double>)
    if (remainder == 0)
      return std::copysign(0.0, b);
  bool differInSign = (remainder < W(0)) != (b < W(0));
  return remainder != W(0) && differInSign ? remainder + b : remainder;
}

/// `whole`, a quotient of a and b without its fraction, or `closer` if the
/// division rounded a fraction up to that. What is not finite leaves no rest.
static double dropRounding(double a, double b, double whole, double closer,
                           bool isRestPositive) {
  double rest = std::fma(-whole, b, a);
  return (isRestPositive ? rest < 0 : rest > 0) ? closer : whole;
}

template <typename W>
static W divideFlooring(W a, W b) {
  if constexpr (std::is_same_v<W, double>) {
    double whole = std::floor(a / b);
    return dropRounding(a, b, whole, whole - 1, b > 0);
  } else {
    return divideTruncating(a, b) -
           (remainderFlooring(a, b) != remainderTruncating(a, b));
  }
}

template <typename W>
static W power(W base, W exponent) {
  if constexpr (std::is_same_v<W, double>) {
    return std::pow(base, exponent);
  } else {
    if (exponent < W(0)) { // 1 / base^n, truncated.
      if (base == W(-1))
        return exponent & 1 ? base : W(1);
      return base == W(1) ? 1 : 0;
    }
    uint64_t result = 1;
    uint64_t square = static_cast<uint64_t>(base);
    for (uint64_t rest = exponent; rest; rest >>= 1, square *= square)
      if (rest & 1)
        result *= square;
    return static_cast<W>(result);
  }
}

/// A shift by the width or more moves every bit out, and so does a negative
/// one, which counts as large.
template <typename W>
static W shiftRight(W a, W b) {
  uint64_t amount = std::min<uint64_t>(b, 63);
  return static_cast<uint64_t>(b) > 63 && std::is_unsigned_v<W> ? 0
                                                                : a >> amount;
}

static void populateBinary(EvaluatorTable &table) {
  addBinary<AddOp>(table, wrapAround([](auto a, auto b) { return a + b; }));
  addBinary<SubtractOp>(table,
                        wrapAround([](auto a, auto b) { return a - b; }));
  addBinary<MultiplyOp>(table,
                        wrapAround([](auto a, auto b) { return a * b; }));
  auto divide = [](auto a, auto b) { return divideTruncating(a, b); };
  addDivision<DivideOp>(table, divide);
  addDivision<TruncDivideOp>(table, [](auto a, auto b) {
    auto quotient = divideTruncating(a, b);
    if constexpr (std::is_same_v<decltype(a), double>) {
      double whole = std::trunc(quotient);
      return dropRounding(a, b, whole, whole - std::copysign(1.0, whole),
                          a > 0);
    } else {
      return quotient;
    }
  });
  addDivision<FloorDivideOp>(
      table, [](auto a, auto b) { return divideFlooring(a, b); });
  auto mod = [](auto a, auto b) { return remainderTruncating(a, b); };
  addDivision<ModOp>(table, mod);
  addDivision<TruncModOp>(table, mod);
  addDivision<FloorModOp>(
      table, [](auto a, auto b) { return remainderFlooring(a, b); });
  addBinary<PowerOp>(table, [](auto a, auto b) { return power(a, b); });
  // NaN on either side is the result.
  addBinary<MaximumOp>(table,
                       [](auto a, auto b) { return a != a || a > b ? a : b; });
  addBinary<MinimumOp>(table,
                       [](auto a, auto b) { return a != a || a < b ? a : b; });

  addBitwise<LogicalAndOp>(table, [](auto a, auto b) { return a && b; });
  addBitwise<LogicalOrOp>(table, [](auto a, auto b) { return a || b; });
  addBitwise<LogicalXorOp>(table, [](auto a, auto b) { return !a != !b; });
  addBitwise<BitwiseAndOp>(table, [](auto a, auto b) { return a & b; });
  addBitwise<BitwiseOrOp>(table, [](auto a, auto b) { return a | b; });
  addBitwise<BitwiseXorOp>(table, [](auto a, auto b) { return a ^ b; });
  addBitwise<LeftShiftOp>(table, [](auto a, auto b) {
    uint64_t amount = static_cast<uint64_t>(b);
    return amount > 63 ? 0 : static_cast<uint64_t>(a) << amount;
  });
  addBitwise<RightShiftOp>(table,
                           [](auto a, auto b) { return shiftRight(a, b); });

  addBinary<EqualOp>(table, [](auto a, auto b) { return a == b; });
  addBinary<NotEqualOp>(table, [](auto a, auto b) { return a != b; });
  addBinary<LessOp>(table, [](auto a, auto b) { return a < b; });
  addBinary<LessEqualOp>(table, [](auto a, auto b) { return a <= b; });
  addBinary<GreaterOp>(table, [](auto a, auto b) { return a > b; });
  addBinary<GreaterEqualOp>(table, [](auto a, auto b) { return a >= b; });
}

//===----------------------------------------------------------------------===//
// Operators with a vector along one axis, and where
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateWhere(WhereOp op, ArrayRef<Tensor> operands) {
  // As bool, because 0.5 would be zero in the integers of x and y.
  Tensor condition = castTo(operands[0], IntegerType::get(op.getContext(), 1));
  const Tensor &x = operands[1], &y = operands[2];
  auto shape = broadcastShapes(x.getShape(), y.getShape());
  if (shape)
    shape = broadcastShapes(condition.getShape(), *shape);
  if (!shape)
    return op.emitOpError("expects shapes that broadcast, but got ")
           << condition.getType() << ", " << x.getType() << " and "
           << y.getType();
  return dispatchWideType(x.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    return mapElements<W>({condition, x, y}, *shape, x.getElementType(),
                          [](const W *v) { return v[0] ? v[1] : v[2]; });
  });
}

/// Checks that `vector` has one element for each position along `axis`.
static LogicalResult verifyAlong(Operation *op, const Tensor &vector,
                                 const Tensor &data, int64_t axis) {
  if (vector.getNumElements() == data.getDimSize(axis))
    return success();
  return op->emitOpError("expects a vector of ")
         << data.getDimSize(axis) << " elements along axis " << axis
         << ", but got " << vector.getType();
}

static FailureOr<Tensor> evaluateBiasAdd(NNBiasAddOp op,
                                         ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  // One element is for all of a size that its type leaves open.
  bool isSingle = op.getBias().getType().getDimSize(0) == 1;
  if (!isSingle && failed(verifyAlong(op, operands[1], data, axis)))
    return failure();
  Tensor bias = isSingle ? operands[1].reshape({})
                         : alignWithAxis(operands[1], axis, data.getRank());
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    auto add = wrapAround([](auto a, auto b) { return a + b; });
    return mapElements<W>({data, bias}, data.getShape(), data.getElementType(),
                          [&](const W *x) { return add(x[0], x[1]); });
  });
}

static FailureOr<Tensor> evaluatePrelu(NNPreluOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  if (failed(verifyAlong(op, operands[1], data, axis)))
    return failure();
  Tensor alpha = alignWithAxis(operands[1], axis, data.getRank());
  return mapElements<double>(
      {data, alpha}, data.getShape(), data.getElementType(),
      [](const double *x) { return x[0] > 0 ? x[0] : x[0] * x[1]; });
}

FailureOr<Tensor>
relay::detail::evaluateElements(Operation *op, ArrayRef<Tensor> operands,
                                function_ref<double(const double *)> fn) {
  SmallVector<int64_t> shape;
  for (const Tensor &operand : operands) {
    auto common = broadcastShapes(shape, operand.getShape());
    if (!common)
      return op->emitOpError("expects shapes that broadcast, but got ")
             << RankedTensorType::get(shape, operand.getElementType())
             << " and " << operand.getType();
    shape = std::move(*common);
  }
  return mapElements<double>(operands, shape, getResultElementType(op), fn);
}

void relay::detail::populateElementwiseEvaluators(EvaluatorTable &table) {
  populateUnary(table);
  populateBinary(table);
  table.add<WhereOp>(evaluateWhere);
  table.add<NNBiasAddOp>(evaluateBiasAdd);
  table.add<NNPreluOp>(evaluatePrelu);
}
