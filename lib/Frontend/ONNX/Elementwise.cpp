//===- Elementwise.cpp - Elementwise operators of ONNX -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"
#include "Random.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// One operator each
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult convertUnary(NodeContext &node) {
  return node.setResult(node.create<OpT>({node.getInput(0)}));
}

template <typename OpT>
static LogicalResult convertBinary(NodeContext &node) {
  return node.setResult(node.create<OpT>({node.getInput(0), node.getInput(1)}));
}

/// Max, Min, Sum: a chain over any number of inputs.
template <typename OpT>
static Value createChain(NodeContext &node) {
  Value result = node.getInput(0);
  for (unsigned i = 1, e = node.getNumInputs(); i < e; ++i)
    result = node.create<OpT>({result, node.getInput(i)});
  return result;
}

template <typename OpT>
static LogicalResult convertVariadic(NodeContext &node) {
  return node.setResult(createChain<OpT>(node));
}

static LogicalResult convertMean(NodeContext &node) {
  Value sum = createChain<AddOp>(node);
  if (!sum)
    return failure();
  Value count =
      node.createScalar(node.getNumInputs(), node.getElementType(sum));
  return node.setResult(node.create<DivideOp>({sum, count}));
}

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

static LogicalResult convertReciprocal(NodeContext &node) {
  Value one = node.createScalar(1, node.getInputType(0).getElementType());
  return node.setResult(node.create<DivideOp>({one, node.getInput(0)}));
}

/// Halves go to the even neighbour; relay.round takes them away from zero.
static LogicalResult convertRound(NodeContext &node) {
  return node.setResult(node.roundToEven(node.getInput(0)));
}

static LogicalResult convertPow(NodeContext &node) {
  Value base = node.getInput(0);
  Type type = node.getElementType(base);
  // Squares are common (variance), and a product is exact and cheap.
  if (node.getConstantFloat(1) == 2.0 && node.getInputType(1).getRank() == 0)
    return node.setResult(node.create<MultiplyOp>({base, base}));
  Value exponent = node.getInput(1);
  if (isa<IntegerType>(type) && isa<FloatType>(node.getElementType(exponent))) {
    // Fractions of the exponent count.
    Type wide = node.getElementType(exponent);
    Value power = node.create<PowerOp>({node.castTo(base, wide), exponent});
    return node.setResult(node.castTo(power, type));
  }
  return node.setResult(
      node.create<PowerOp>({base, node.castTo(exponent, type)}));
}

static LogicalResult convertMod(NodeContext &node) {
  Value lhs = node.getInput(0), rhs = node.getInput(1);
  // fmod takes the sign of the dividend, otherwise it is that of the divisor.
  if (node.getBool("fmod", false))
    return node.setResult(node.create<ModOp>({lhs, rhs}));
  return node.setResult(node.create<FloorModOp>({lhs, rhs}));
}

static LogicalResult convertBitShift(NodeContext &node) {
  StringRef direction = node.getString("direction", "");
  if (direction == "LEFT")
    return convertBinary<LeftShiftOp>(node);
  if (direction == "RIGHT")
    return convertBinary<RightShiftOp>(node);
  return node.emitError() << "expects direction LEFT or RIGHT, but got \""
                          << direction << "\"";
}

static LogicalResult convertIsInf(NodeContext &node) {
  Value data = node.getInput(0);
  bool positive = node.getBool("detect_positive", true);
  bool negative = node.getBool("detect_negative", true);
  Value isInf = node.create<IsinfOp>({data});
  if (positive && negative)
    return node.setResult(isInf);
  Value zero = node.createScalar(0, node.getElementType(data));
  Value sign;
  if (positive)
    sign = node.create<GreaterOp>({data, zero});
  else if (negative)
    sign = node.create<LessOp>({data, zero});
  else
    sign = node.createScalar(0, node.getBuilder().getI1Type());
  return node.setResult(node.create<LogicalAndOp>({isInf, sign}));
}

static LogicalResult convertClip(NodeContext &node) {
  Value result = node.getInput(0);
  Type type = node.getElementType(result);
  std::optional<double> low, high;
  if (node.getOpset() < 11) {
    low = node.getFloat("min", std::numeric_limits<float>::lowest());
    high = node.getFloat("max", std::numeric_limits<float>::max());
  } else {
    low = node.getConstantFloat(1);
    high = node.getConstantFloat(2);
  }
  if (low && high && *low <= *high && isa<FloatType>(type)) {
    ClipOp::Properties properties;
    properties.a_min = node.getBuilder().getF64FloatAttr(*low);
    properties.a_max = node.getBuilder().getF64FloatAttr(*high);
    return node.setResult(node.create<ClipOp>({result}, properties));
  }
  if (node.getOpset() < 11)
    return node.emitError()
           << "expects min <= max, but got " << *low << " and " << *high;
  if (node.hasInput(1))
    result = node.create<MaximumOp>({result, node.getInput(1)});
  if (node.hasInput(2))
    result = node.create<MinimumOp>({result, node.getInput(2)});
  return node.setResult(result);
}

static LogicalResult convertWhere(NodeContext &node) {
  return node.setResult(node.create<WhereOp>(node.getInputs()));
}

static LogicalResult convertIdentity(NodeContext &node) {
  return node.setResult(node.getInput(0));
}

/// What is kept of the data is divided by its share.
static LogicalResult convertRandomDropout(NodeContext &node) {
  Value data = node.getInput(0);
  Type type = node.getElementType(data);
  if (!isa<FloatType>(type))
    return node.emitError() << "expects floats, but got " << data.getType();
  Type f32 = node.getBuilder().getF32Type();
  Value ratio =
      node.hasInput(1)
          ? node.castTo(node.reshape(node.getInput(1), ArrayRef<int64_t>()),
                        f32)
          : node.createScalar(0.5, f32);
  Value zero = node.createScalar(0, f32), one = node.createScalar(1, f32);
  Value isTraining;
  if (node.getConstantFloat(2) != 1.0) {
    isTraining = node.reshape(node.getInput(2), ArrayRef<int64_t>());
    ratio = node.create<WhereOp>({isTraining, ratio, zero});
  }
  Value mask = createDropoutMask(node, data, ratio);
  Value scale = node.castTo(
      node.create<DivideOp>({one, node.create<SubtractOp>({one, ratio})}),
      type);
  Value kept =
      node.create<WhereOp>({mask, node.create<MultiplyOp>({data, scale}),
                            node.createScalar(0, type)});
  if (!kept || failed(node.setOutput(1, mask)))
    return failure();
  return node.setResult(kept);
}

static LogicalResult convertDropout(NodeContext &node) {
  Value data = node.getInput(0);
  if (node.hasInput(2) && node.getConstantFloat(2) != 0.0 &&
      node.getConstantFloat(1) != 0.0)
    return convertRandomDropout(node);
  if (node.wantsOutput(1)) {
    // What is kept. Until opset 11, ONNX Runtime says that nothing is; until
    // opset 9, in numbers of the data's type.
    Value mask = node.getOpset() < 12 ? node.create<ZerosLikeOp>({data})
                                      : node.create<OnesLikeOp>({data});
    if (node.getOpset() >= 10)
      mask = node.castTo(mask, node.getBuilder().getI1Type());
    if (failed(node.setOutput(1, mask)))
      return failure();
  }
  return node.setResult(data);
}

void mlir::relay::onnx::addElementwiseOps(OpTable &table) {
  auto unary = [&](StringRef name, OpEntry::Converter convert,
                   int64_t since = kOldestOpset) {
    table.add({name}, {convert, since});
  };
  unary("Abs", convertUnary<AbsOp>);
  unary("Acos", convertUnary<AcosOp>, 7);
  unary("Acosh", convertUnary<AcoshOp>, 9);
  unary("Asin", convertUnary<AsinOp>, 7);
  unary("Asinh", convertUnary<AsinhOp>, 9);
  unary("Atan", convertUnary<AtanOp>, 7);
  unary("Atanh", convertUnary<AtanhOp>, 9);
  unary("BitwiseNot", convertUnary<BitwiseNotOp>, 18);
  unary("Ceil", convertUnary<CeilOp>);
  unary("Cos", convertUnary<CosOp>, 7);
  unary("Cosh", convertUnary<CoshOp>, 9);
  unary("Erf", convertUnary<ErfOp>, 9);
  unary("Exp", convertUnary<ExpOp>);
  unary("Floor", convertUnary<FloorOp>);
  unary("IsInf", convertIsInf, 10);
  unary("IsNaN", convertUnary<IsnanOp>, 9);
  unary("Log", convertUnary<LogOp>);
  unary("Neg", convertUnary<NegativeOp>);
  unary("Not", convertUnary<LogicalNotOp>);
  unary("Reciprocal", convertReciprocal);
  unary("Round", convertRound, 11);
  unary("Sign", convertUnary<SignOp>, 9);
  unary("Sin", convertUnary<SinOp>, 7);
  unary("Sinh", convertUnary<SinhOp>, 9);
  unary("Sqrt", convertUnary<SqrtOp>);
  unary("Tan", convertUnary<TanOp>, 7);
  unary("Tanh", convertUnary<TanhOp>);
  unary("Identity", convertIdentity);

  auto binary = [&](StringRef name, OpEntry::Converter convert,
                    int64_t since = kOldestOpset) {
    table.add({name}, {convert, since, kNewestOpset, 2, 2});
  };
  binary("Add", convertBinary<AddOp>);
  binary("And", convertBinary<LogicalAndOp>);
  binary("BitShift", convertBitShift, 11);
  binary("BitwiseAnd", convertBinary<BitwiseAndOp>, 18);
  binary("BitwiseOr", convertBinary<BitwiseOrOp>, 18);
  binary("BitwiseXor", convertBinary<BitwiseXorOp>, 18);
  binary("Div", convertBinary<DivideOp>);
  binary("Equal", convertBinary<EqualOp>);
  binary("Greater", convertBinary<GreaterOp>);
  binary("GreaterOrEqual", convertBinary<GreaterEqualOp>, 12);
  binary("Less", convertBinary<LessOp>);
  binary("LessOrEqual", convertBinary<LessEqualOp>, 12);
  binary("Mod", convertMod, 10);
  binary("Mul", convertBinary<MultiplyOp>);
  binary("Or", convertBinary<LogicalOrOp>);
  binary("Pow", convertPow);
  binary("Sub", convertBinary<SubtractOp>);
  binary("Xor", convertBinary<LogicalXorOp>);

  auto variadic = [&](StringRef name, OpEntry::Converter convert,
                      bool isComposed = false) {
    table.add({name}, {convert, kOldestOpset, kNewestOpset, 1, kVariadic,
                       /*contentInputs=*/0, isComposed});
  };
  variadic("Max", convertVariadic<MaximumOp>);
  variadic("Mean", convertMean, /*isComposed=*/true);
  variadic("Min", convertVariadic<MinimumOp>);
  variadic("Sum", convertVariadic<AddOp>, /*isComposed=*/true);

  table.add({"Clip"}, {convertClip, kOldestOpset, kNewestOpset, 1, 3});
  table.add({"Dropout"}, {convertDropout, kOldestOpset, kNewestOpset, 1, 3});
  table.add({"Where"}, {convertWhere, 9, kNewestOpset, 3, 3});
}
