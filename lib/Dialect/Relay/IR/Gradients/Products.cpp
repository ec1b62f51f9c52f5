//===- Products.cpp - Gradients of matrix products ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <map>

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

namespace {

/// The dimensions of an einsum as letters: those of an ellipsis, and others
/// that are needed, take letters that the equation does not have.
class EinsumLetters {
public:
  explicit EinsumLetters(StringRef equation) {
    for (char c : StringRef("abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
      if (!equation.contains(c))
        unused.push_back(c);
  }

  /// Space if there are no more.
  char getNext() { return next < unused.size() ? unused[next++] : ' '; }
  char get(int label) {
    if (label > 0)
      return static_cast<char>(label);
    auto [it, isNew] = ofEllipsis.try_emplace(label, ' ');
    if (isNew)
      it->second = getNext();
    return it->second;
  }
  std::string get(ArrayRef<int> labels) {
    std::string text;
    for (int label : labels)
      text += get(label);
    return text;
  }

private:
  std::string unused;
  size_t next = 0;
  std::map<int, char> ofEllipsis;
};

} // namespace

/// The identity matrix of the size of a dimension.
static Term makeIdentity(Term x, int64_t dim) {
  TermBuilder &d = x.getBuilder();
  Type i64 = d.getI64Type();
  Term row =
      d.make<ArangeOp>(d.number(0, i64).get(), d.sizeOf(x, dim, i64).get(),
                       d.number(1, i64).get(), i64);
  Term column = d.make<ExpandDimsOp>(row.get(), int64_t(1), int64_t(1));
  return d.castTo(isEqual(column, row), x.getElementType());
}

/// By each operand, the sum of products of the others and the gradient, in
/// Einstein's notation as well.
static LogicalResult differentiate(EinsumOp op, Gradient &d) {
  SmallVector<int64_t> ranks;
  for (Value operand : op.getData())
    ranks.push_back(d.term(operand).getRank());
  std::string error;
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse(op.getEquation(), ranks, error);
  if (failed(equation))
    return op.emitOpError(error);
  EinsumLetters letters(op.getEquation());
  SmallVector<std::string> terms;
  for (ArrayRef<int> labels : equation->operands)
    terms.push_back(letters.get(labels));
  std::string result = letters.get(equation->result);
  for (auto [i, term] : llvm::enumerate(terms)) {
    std::string others = result, list = result, kept;
    SmallVector<Value> operands = {d.get()};
    for (auto [j, other] : llvm::enumerate(terms)) {
      if (j == i)
        continue;
      others += other;
      list += "," + other;
      operands.push_back(op.getData()[j]);
    }
    Term x = d.term(op.getData()[i]);
    std::string own;
    for (auto [dim, letter] : llvm::enumerate(term))
      if (x.getSize(dim) != 1)
        own += letter;
    // Dimensions that only this operand has are summed: all elements along them
    // count alike. One of size 1 is repeated, and sums what others have.
    SmallVector<int64_t> missing;
    for (auto [dim, letter] : llvm::enumerate(term)) {
      if (x.getSize(dim) == 1 || (!StringRef(others).contains(letter) &&
                                  StringRef(own).count(letter) == 1)) {
        missing.push_back(dim);
        continue;
      }
      if (!StringRef(kept).contains(letter)) {
        kept += letter;
        continue;
      }
      // Again: only the diagonal has a gradient.
      char fresh = letters.getNext();
      operands.push_back(makeIdentity(x, dim));
      list += std::string(",") + letter + fresh;
      kept += fresh;
    }
    if (StringRef(list + kept).contains(' '))
      return d.refuse() << "at most 52 dimensions in equation, but got more";
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
