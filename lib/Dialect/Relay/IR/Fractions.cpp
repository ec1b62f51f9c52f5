//===- Fractions.cpp - Floats as fractions --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fractions.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/Fraction.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;

/// Whether conversion to floats keeps all elements of a type below 2^24.
static bool hasIntegers(Type type) {
  return type.isSignlessInteger() && !type.isInteger(1);
}

/// The number that all elements of a constant are; none for other values.
static std::optional<Fraction> getConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return Fraction::get(elements.getSplatValue<FloatAttr>().getValueAsDouble());
}

namespace {

template <typename Op>
struct SumModel : FractionOpInterface::ExternalModel<SumModel<Op>, Op> {
  static std::optional<int64_t> getDenominator(Operation *,
                                               ArrayRef<int64_t> denominators) {
    int64_t common = 1;
    for (int64_t each : denominators)
      common = std::lcm(common, each);
    return common;
  }
};

/// A product or quotient with a constant.
template <typename Op>
struct ProductModel : FractionOpInterface::ExternalModel<ProductModel<Op>, Op> {
  static std::optional<int64_t> getDenominator(Operation *op,
                                               ArrayRef<int64_t> denominators) {
    constexpr bool kIsQuotient = std::is_same_v<Op, DivideOp>;
    bool isSwapped = !kIsQuotient && getConstant(op->getOperand(0));
    std::optional<Fraction> constant =
        getConstant(op->getOperand(isSwapped ? 0 : 1));
    if (!constant)
      return std::nullopt;
    auto [up, down] = *constant;
    if (kIsQuotient)
      std::swap(up, down);
    if (down <= 0 || up == 0)
      return std::nullopt;
    int64_t other = denominators[isSwapped ? 1 : 0];
    return other / std::gcd(up, other) * down;
  }
};

template <typename Op>
struct WholeModel : FractionOpInterface::ExternalModel<WholeModel<Op>, Op> {
  static std::optional<int64_t> getDenominator(Operation *, ArrayRef<int64_t>) {
    return 1;
  }
};

template <typename Op>
struct CastModel : FractionOpInterface::ExternalModel<CastModel<Op>, Op> {
  static std::optional<int64_t> getDenominator(Operation *op,
                                               ArrayRef<int64_t> denominators) {
    auto cast = llvm::cast<CastOp>(op);
    Type from = cast.getData().getType().getElementType();
    Type to = cast.getType().getElementType();
    if (!isa<FloatType>(to))
      return 1;
    bool isExact = isa<FloatType>(from) ? from.getIntOrFloatBitWidth() <=
                                              to.getIntOrFloatBitWidth()
                                        : hasIntegers(from);
    return isExact ? std::optional(denominators.front()) : std::nullopt;
  }
};

template <typename Op>
struct ConstantModel
    : FractionOpInterface::ExternalModel<ConstantModel<Op>, Op> {
  static std::optional<int64_t> getDenominator(Operation *op,
                                               ArrayRef<int64_t>) {
    auto elements =
        dyn_cast<DenseElementsAttr>(llvm::cast<ConstantOp>(op).getValue());
    if (!elements || !isa<FloatType>(elements.getElementType()))
      return std::nullopt;
    // These are powers of two.
    int64_t denominator = 1;
    for (auto element : elements.getValues<FloatAttr>()) {
      std::optional<Fraction> fraction =
          Fraction::get(element.getValueAsDouble());
      if (!fraction)
        return std::nullopt;
      denominator = std::max(denominator, fraction->denominator);
    }
    return denominator;
  }
};

} // namespace

template <template <typename> class Model, typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void relay::detail::registerFractions(MLIRContext *context) {
  attach<SumModel, AddOp, SubtractOp, NegativeOp>(context);
  attach<ProductModel, MultiplyOp, DivideOp>(context);
  // A range counts its steps.
  attach<WholeModel, FloorOp, CeilOp, ArangeOp>(context);
  attach<CastModel, CastOp>(context);
  attach<ConstantModel, ConstantOp>(context);
}
