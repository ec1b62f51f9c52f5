//===- BinomialVocabulary.cpp - Quadratic forms of two tensors ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of three terms in any order, each a product in any order with constants
// and powers anywhere: as patterns these would be hundreds. So they are found
// here.
//
//===----------------------------------------------------------------------===//

#include "VocabularyBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {
/// A constant times two values.
struct Term {
  double factor = 1;
  SmallVector<Value, 2> values;

  bool isSquare() const { return values[0] == values[1]; }
};
} // namespace

static std::optional<double> getNumber(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<FloatAttr>().getValueAsDouble();
}

/// Takes a product apart.
static std::optional<Term> getTerm(Value product) {
  constexpr unsigned maxFactors = 8;
  Term term;
  SmallVector<Value> work = {product};
  for (unsigned i = 0; !work.empty(); ++i) {
    Value value = work.pop_back_val();
    if (i == maxFactors)
      return std::nullopt;
    auto power = value.getDefiningOp<PowerOp>();
    if (std::optional<double> number = getNumber(value)) {
      term.factor *= *number;
    } else if (auto multiply = value.getDefiningOp<MultiplyOp>()) {
      work.push_back(multiply.getRhs());
      work.push_back(multiply.getLhs());
    } else if (power && getNumber(power.getRhs()) == 2) {
      work.append(2, power.getLhs());
    } else {
      term.values.push_back(value);
    }
  }
  if (term.values.size() != 2)
    return std::nullopt;
  return term;
}

static SmallVector<Value, 4> getSummands(AddOp root) {
  SmallVector<Value, 4> summands;
  for (Value operand : root->getOperands()) {
    if (auto inner = operand.getDefiningOp<AddOp>())
      summands.append(inner->operand_begin(), inner->operand_end());
    else
      summands.push_back(operand);
  }
  return summands;
}

using Factors = std::tuple<Value, Value, Attribute, Attribute, Attribute>;

static FailureOr<Factors> factorize(Operation *op) {
  auto root = dyn_cast<AddOp>(op);
  if (!root || !isa<FloatType>(root.getType().getElementType()))
    return failure();
  SmallVector<Term, 3> squares, mixed;
  for (Value summand : getSummands(root)) {
    std::optional<Term> term = getTerm(summand);
    if (!term)
      return failure();
    (term->isSquare() ? squares : mixed).push_back(*term);
  }
  if (squares.size() != 2 || mixed.size() != 1)
    return failure();
  Value x = squares[0].values[0], y = squares[1].values[0];
  ArrayRef<Value> pair = mixed[0].values;
  bool isMixed =
      (pair[0] == x && pair[1] == y) || (pair[0] == y && pair[1] == x);
  if (x == y || !isMixed || x.getType() != root.getType() ||
      y.getType() != root.getType())
    return failure();
  double a = squares[0].factor, b = mixed[0].factor, c = squares[1].factor;
  double discriminant = b * b - 4 * a * c;
  if (!(discriminant >= 0))
    return failure();
  // The sum does not cancel.
  double sum = (b + std::copysign(std::sqrt(discriminant), b)) / 2;
  double first = sum / a, second = c / sum;
  // Half precision holds all of these, and their products.
  auto isModerate = [](double value) {
    return std::abs(value) >= 1.0 / 64 && std::abs(value) <= 64;
  };
  if (!isModerate(a) || !isModerate(first) || !isModerate(second))
    return failure();
  Type type = Float64Type::get(op->getContext());
  return Factors(x, y, FloatAttr::get(type, a), FloatAttr::get(type, first),
                 FloatAttr::get(type, second));
}

void relay::detail::addBinomialConstraints(VocabularyBuilder &builder) {
  builder.addConstraint("QuadraticForm", factorize);
}
