//===- Elementwise.cpp - Lower elementwise relay operators to linalg ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators without attributes whose result elements each depend on one element
// of every operand, shapes broadcast. A table row says what the element is.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "relay-mlir/Conversion/RelayToLinalg/Elementwise.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::relay::detail;

namespace {

using Order = ElementMath::Order;
/// Emits one element; the arithmetic is that of the operands' type.
using EmitElement = Value (*)(const ElementMath &, ValueRange);

enum class Domain { Any, Float };

/// Lowers an operator to one nest over the broadcast shape.
struct ElementwiseToLinalg : ConversionPattern {
  ElementwiseToLinalg(const TypeConverter &converter, MLIRContext *context,
                      StringRef name, Domain domain, relay::EmitElementFn emit)
      : ConversionPattern(converter, name, /*benefit=*/1, context),
        domain(domain), emit(std::move(emit)) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    // The first operand of `where` is the condition.
    Type elementType = getElementTypeOrSelf(op->getOperands().back());
    if (domain == Domain::Float && !isa<FloatType>(elementType))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects elements of a floating type, but got "
                   << elementType;
      });
    auto resultType = getTypeConverter()->convertType<RankedTensorType>(
        op->getResult(0).getType());

    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getBroadcastSizes(operands, resultType);
    SmallVector<Access> inputs;
    for (Value operand : operands) {
      Value repeated = buildRuntimeBroadcast(b, operand, sizes);
      inputs.push_back(
          {repeated, b.broadcast(cast<RankedTensorType>(repeated.getType()),
                                 resultType.getRank())});
    }
    Value result = b.elements(
        b.getBlockName(), inputs, sizes, resultType.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          return emit(bodyBuilder, op, args.take_front(operands.size()));
        });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  Domain domain;
  relay::EmitElementFn emit;
};

struct TableRow {
  StringLiteral name;
  Domain domain;
  EmitElement emit;
};

} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename OpT>
static Value emitFunction(const ElementMath &math, ValueRange args) {
  return math.inSinglePrecision<OpT>(args[0]);
}

/// Rounding functions leave integers alone.
template <typename OpT>
static Value emitRounding(const ElementMath &math, ValueRange args) {
  return math.isFloat() ? math.inSinglePrecision<OpT>(args[0]) : args[0];
}

template <Value (ElementMath::*method)(Value) const>
static Value emitUnary(const ElementMath &math, ValueRange args) {
  return (math.*method)(args[0]);
}

template <Value (ElementMath::*method)(Value, Value) const>
static Value emitBinary(const ElementMath &math, ValueRange args) {
  return (math.*method)(args[0], args[1]);
}

template <ElementMath::Order order>
static Value emitComparison(const ElementMath &math, ValueRange args) {
  return math.compare(order, args[0], args[1]);
}

/// 1 / (1 + exp(-x)): the exponential overflows to infinity and its reciprocal
/// to zero, so no sign needs a form of its own.
static Value emitSigmoid(const ElementMath &math, ValueRange args) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  Value wide = math.widen(args[0]);
  ElementMath wideMath(b, wide.getType());
  // What is almost infinity makes a result that is almost zero.
  Value exponential =
      math::ExpOp::create(b, wideMath.negate(wide), arith::FastMathFlags::afn);
  Value one = wideMath.one();
  return math.narrow(wideMath.div(one, wideMath.add(one, exponential)));
}

static Value emitCopy(const ElementMath &math, ValueRange args) {
  return args[0];
}

static Value emitBitwiseNot(const ElementMath &math, ValueRange args) {
  Type type = args[0].getType();
  APInt ones = APInt::getAllOnes(type.getIntOrFloatBitWidth());
  return math.bitXor(args[0], math.constant(IntegerAttr::get(type, ones)));
}

static Value emitLogicalNot(const ElementMath &math, ValueRange args) {
  return math.compare(Order::EQ, args[0], math.zero());
}

template <Order order, bool ofIntegers>
static Value emitMagnitudeTest(const ElementMath &math, ValueRange args) {
  if (!math.isFloat())
    return arith::ConstantOp::create(math.getBuilder(),
                                     math.getBuilder().getBoolAttr(ofIntegers));
  Type type = args[0].getType();
  return math.compare(order, math.abs(args[0]),
                      math.constant(getHighestAttr(type)));
}

static Value emitWhere(const ElementMath &math, ValueRange args) {
  // Any type of condition: what is not zero is true.
  ElementMath condition(math.getBuilder(), args[0].getType());
  return math.select(condition.isNonZero(args[0]), args[1], args[2]);
}

/// round(clip(data / scale, low, high)) * scale; NaN is clipped to the high
/// end. The scale and what is rounded are of f32.
static Value emitSimulatedQuantize(ImplicitLocOpBuilder &b, Operation *op,
                                   ValueRange args) {
  if (cast<relay::RelayOpAnnotationSimulatedQuantizeOp>(op).getKind() == 0)
    return args[0];
  Type type = getElementTypeOrSelf(op->getOperand(0));
  ElementMath math(b, type), single(b, b.getF32Type());
  Value scaled = single.div(single.convertFrom(type, args[0]), args[1]);
  Value clipped = arith::MaxNumFOp::create(
      b, arith::MinNumFOp::create(b, scaled, args[3]), args[2]);
  Value rounded = math::RoundOp::create(b, clipped);
  ElementMath product(b, type.isF64() ? type : single.getType());
  return math.convertFrom(
      product.getType(),
      product.mul(product.convertFrom(b.getF32Type(), rounded),
                  product.convertFrom(b.getF32Type(), args[1])));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static const TableRow kTable[] = {
    // Functions of one real number.
    {"log", Domain::Float, emitFunction<math::LogOp>},
    {"log2", Domain::Float, emitFunction<math::Log2Op>},
    {"log10", Domain::Float, emitFunction<math::Log10Op>},
    {"exp", Domain::Float, emitFunction<math::ExpOp>},
    {"fast_exp", Domain::Float, emitFunction<math::ExpOp>},
    {"erf", Domain::Float, emitFunction<math::ErfOp>},
    {"fast_erf", Domain::Float, emitFunction<math::ErfOp>},
    {"sqrt", Domain::Float, emitFunction<math::SqrtOp>},
    {"rsqrt", Domain::Float, emitFunction<math::RsqrtOp>},
    {"sigmoid", Domain::Float, emitSigmoid},
    {"tan", Domain::Float, emitFunction<math::TanOp>},
    {"cos", Domain::Float, emitFunction<math::CosOp>},
    {"cosh", Domain::Float, emitFunction<math::CoshOp>},
    {"sin", Domain::Float, emitFunction<math::SinOp>},
    {"sinh", Domain::Float, emitFunction<math::SinhOp>},
    {"tanh", Domain::Float, emitFunction<math::TanhOp>},
    {"fast_tanh", Domain::Float, emitFunction<math::TanhOp>},
    {"acos", Domain::Float, emitFunction<math::AcosOp>},
    {"acosh", Domain::Float, emitFunction<math::AcoshOp>},
    {"asin", Domain::Float, emitFunction<math::AsinOp>},
    {"asinh", Domain::Float, emitFunction<math::AsinhOp>},
    {"atan", Domain::Float, emitFunction<math::AtanOp>},
    {"atanh", Domain::Float, emitFunction<math::AtanhOp>},
    // Rounding; `round` takes halves away from zero.
    {"floor", Domain::Any, emitRounding<math::FloorOp>},
    {"ceil", Domain::Any, emitRounding<math::CeilOp>},
    {"trunc", Domain::Any, emitRounding<math::TruncOp>},
    {"round", Domain::Any, emitRounding<math::RoundOp>},
    // Signs, bits and tests.
    {"copy", Domain::Any, emitCopy},
    {"annotation.checkpoint", Domain::Any, emitCopy},
    {"sign", Domain::Any, emitUnary<&ElementMath::sign>},
    {"abs", Domain::Any, emitUnary<&ElementMath::abs>},
    {"negative", Domain::Any, emitUnary<&ElementMath::negate>},
    {"logical_not", Domain::Any, emitLogicalNot},
    {"bitwise_not", Domain::Any, emitBitwiseNot},
    {"isnan", Domain::Any, emitUnary<&ElementMath::isNaN>},
    {"isfinite", Domain::Any, emitMagnitudeTest<Order::LT, true>},
    {"isinf", Domain::Any, emitMagnitudeTest<Order::EQ, false>},
    // Arithmetic.
    {"add", Domain::Any, emitBinary<&ElementMath::add>},
    {"subtract", Domain::Any, emitBinary<&ElementMath::sub>},
    {"multiply", Domain::Any, emitBinary<&ElementMath::mul>},
    {"divide", Domain::Any, emitBinary<&ElementMath::div>},
    {"trunc_divide", Domain::Any, emitBinary<&ElementMath::truncDiv>},
    {"floor_divide", Domain::Any, emitBinary<&ElementMath::floorDiv>},
    {"mod", Domain::Any, emitBinary<&ElementMath::rem>},
    {"trunc_mod", Domain::Any, emitBinary<&ElementMath::rem>},
    {"floor_mod", Domain::Any, emitBinary<&ElementMath::floorMod>},
    {"power", Domain::Any, emitBinary<&ElementMath::power>},
    {"maximum", Domain::Any, emitBinary<&ElementMath::max>},
    {"minimum", Domain::Any, emitBinary<&ElementMath::min>},
    {"left_shift", Domain::Any, emitBinary<&ElementMath::shiftLeft>},
    {"right_shift", Domain::Any, emitBinary<&ElementMath::shiftRight>},
    {"bitwise_and", Domain::Any, emitBinary<&ElementMath::bitAnd>},
    {"bitwise_or", Domain::Any, emitBinary<&ElementMath::bitOr>},
    {"bitwise_xor", Domain::Any, emitBinary<&ElementMath::bitXor>},
    {"logical_and", Domain::Any, emitBinary<&ElementMath::bitAnd>},
    {"logical_or", Domain::Any, emitBinary<&ElementMath::bitOr>},
    {"logical_xor", Domain::Any, emitBinary<&ElementMath::bitXor>},
    // Comparison and choice.
    {"equal", Domain::Any, emitComparison<Order::EQ>},
    {"not_equal", Domain::Any, emitComparison<Order::NE>},
    {"less", Domain::Any, emitComparison<Order::LT>},
    {"less_equal", Domain::Any, emitComparison<Order::LE>},
    {"greater", Domain::Any, emitComparison<Order::GT>},
    {"greater_equal", Domain::Any, emitComparison<Order::GE>},
    {"where", Domain::Any, emitWhere},
};

void mlir::relay::detail::populateElementwisePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  for (const TableRow &row : kTable)
    patterns.add<ElementwiseToLinalg>(
        converter, patterns.getContext(), ("relay." + row.name).str(),
        row.domain,
        [emit = row.emit](ImplicitLocOpBuilder &builder, Operation *op,
                          ValueRange args) {
          ElementMath math(builder,
                           getElementTypeOrSelf(op->getOperands().back()));
          return emit(math, args);
        });
  patterns.add<ElementwiseToLinalg>(
      converter, patterns.getContext(),
      relay::RelayOpAnnotationSimulatedQuantizeOp::getOperationName(),
      Domain::Any, emitSimulatedQuantize);
}

void mlir::relay::addElementwiseLowering(const TypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         StringRef name, EmitElementFn emit) {
  patterns.add<ElementwiseToLinalg>(converter, patterns.getContext(), name,
                                    Domain::Any, std::move(emit));
}
