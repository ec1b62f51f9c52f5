//===- Products.cpp - Gradients of matrix products ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// A matrix product in which the second matrix has no other dimensions.
static Term multiply(Term x, Term y, bool transposeX, bool transposeY) {
  return x.getBuilder().make<NNMatmulOp>(x.get(), y.get(), IntegerAttr(),
                                         TypeAttr(), transposeX, transposeY);
}

/// All leading dimensions as one.
static Term toMatrix(Term x) {
  TermBuilder &d = x.getBuilder();
  if (x.getRank() == 1)
    return d.make<ExpandDimsOp>(x.get(), int64_t(0), int64_t(1));
  while (x.getRank() > 2)
    x = d.reshape(x, x.getRank() == 3 ? ArrayRef<int64_t>{-3, 0}
                                      : ArrayRef<int64_t>{-3, -2});
  return x;
}

namespace {

/// A product of A and B, as (..., M, K) and (K, N), and the gradients of both.
struct MatrixProduct {
  Term a, b, g;

  MatrixProduct(Gradient &d, Value first, Value second)
      : a(d.term(first)), b(d.term(second)), g(d.get()) {
    // In the type of the result, which may be wider.
    Type elementType = g.getType().getElementType();
    a = d.castTo(a, elementType);
    b = d.castTo(b, elementType);
  }
};

} // namespace

// Found by GradientModel.
namespace mlir::relay::gradients {

static void differentiate(NNDenseOp op, Gradient &d) {
  MatrixProduct product(d, op.getData(), op.getWeight());
  Term g = toMatrix(product.g);
  d.set(0, multiply(g, product.b, false, false));
  d.set(1, multiply(g, toMatrix(product.a), true, false));
}

static void differentiate(NNMatmulOp op, Gradient &d) {
  MatrixProduct product(d, op.getTensorA(), op.getTensorB());
  Term byA = multiply(product.g, product.b, false, !op.getTransposeB());
  d.set(0, op.getTransposeA() ? d.transposeMatrix(byA) : byA);
  Term a = op.getTransposeA() ? d.transposeMatrix(product.a) : product.a;
  Term rows = toMatrix(a), g = toMatrix(product.g);
  d.set(1, op.getTransposeB() ? multiply(g, rows, true, false)
                              : multiply(rows, g, true, false));
}

static void differentiate(NNBatchMatmulOp op, Gradient &d) {
  MatrixProduct product(d, op.getTensorA(), op.getTensorB());
  auto multiplyAll = [&](Term x, Term y, bool transposeX, bool transposeY) {
    return d.make<NNBatchMatmulOp>(x.get(), y.get(), TypeAttr(), transposeX,
                                   transposeY);
  };
  bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
  Term a = product.a, b = product.b, g = product.g;
  // A batch of 1 is repeated.
  d.setSum(0, transposeA ? multiplyAll(b, g, transposeB, true)
                         : multiplyAll(g, b, false, !transposeB));
  d.setSum(1, transposeB ? multiplyAll(g, a, true, transposeA)
                         : multiplyAll(a, g, !transposeA, false));
}

/// By each operand, the sum of products of the others and the gradient, in
/// Einstein's notation as well.
static LogicalResult differentiate(EinsumOp op, Gradient &d) {
  StringRef equation = op.getEquation();
  SmallVector<int64_t> ranks;
  for (Value operand : op.getData())
    ranks.push_back(d.term(operand).getRank());
  std::string error, text;
  auto isLetter = [](char c) { return llvm::isAlpha(c); };
  for (char c : equation)
    if (c != ' ')
      text += c;
  if (StringRef(text).contains('.'))
    return d.refuse() << "an equation without an ellipsis, but got \""
                      << equation << '"';
  auto [inputs, arrow] = StringRef(text).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  std::string result = arrow.str();
  if (!StringRef(text).contains("->"))
    for (char c = 'A'; c <= 'z'; ++c)
      if (isLetter(c) && inputs.count(c) == 1)
        result += c;
  for (auto [i, term] : llvm::enumerate(terms)) {
    std::string others = result, list = result, kept;
    SmallVector<Value> operands = {d.get()};
    for (auto [j, other] : llvm::enumerate(terms)) {
      if (j == i)
        continue;
      others += other;
      list += ("," + other).str();
      operands.push_back(op.getData()[j]);
    }
    // Dimensions that only this operand has are summed: all elements along them
    // count alike.
    Term x = d.term(op.getData()[i]);
    SmallVector<int64_t> missing;
    for (auto [dim, letter] : llvm::enumerate(term)) {
      if (term.count(letter) > 1)
        return d.refuse() << "no letter twice in a term, but got \"" << equation
                          << '"';
      if (StringRef(others).contains(letter))
        kept += letter;
      else
        missing.push_back(dim);
    }
    Term value = d.make<EinsumOp>(operands, list + "->" + kept);
    for (int64_t dim : missing)
      value = d.make<ExpandDimsOp>(value.get(), dim, int64_t(1));
    d.set(i, d.broadcastLike(value, x));
  }
  return success();
}

/// A linear map whose transpose is, but for a factor, the inverse transform.
static void differentiate(DftOp op, Gradient &d) {
  Term re = d.get(0), im = d.get(1);
  Value both = DftOp::create(static_cast<ImplicitLocOpBuilder &>(d), re.get(),
                             im.get(), !op.getInverse());
  for (unsigned i : {0, 1}) {
    Term part = d.make<TupleGetItemOp>(both, static_cast<int64_t>(i));
    Term count = d.countPer(re, d.sum(re, {re.getRank() - 1}));
    d.set(i, op.getInverse() ? part / count : part * count);
  }
}

} // namespace mlir::relay::gradients

void gradients::registerProducts(MLIRContext *context) {
  attach<NNDenseOp, NNMatmulOp, NNBatchMatmulOp, EinsumOp, DftOp>(context);
}
