//===- Einsum.cpp - Lower sums of products by labels to linalg ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the left, two operands at a time are multiplied and summed over the
// labels that nothing else has: one nest, as of a matrix product, whatever the
// order of the dimensions is.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

using Labels = SmallVector<int>;

/// An operand, or a product of several, with a label for each dimension.
struct Term {
  Value value;
  Labels labels;
  /// The relay type of its elements.
  Type elementType;
};

class EinsumBuilder {
public:
  EinsumBuilder(LinalgBuilder &builder, Type elementType)
      : b(builder), elementType(elementType),
        sumType(getAccumulatorType(elementType)) {}

  /// A term, whose sizes of 1 repeat.
  void add(Value value, ArrayRef<int> labels);
  /// The sum of the product of all terms over what `result` does not have.
  Value build(ArrayRef<int> result);

private:
  /// The loops of a nest over labels, those of its result first.
  struct Loops {
    Labels labels;
    Iterators iterators;
    SmallVector<OpFoldResult> resultSizes;
  };
  Loops getLoops(ArrayRef<const Term *> terms, ArrayRef<int> result) const;
  /// How a term is read. A label twice is the diagonal.
  AffineMap getMap(const Term &term, const Loops &loops) const;

  /// Makes open sizes that turn out to be 1 as large as their labels.
  void repeat(Term &term);
  /// The term with the labels `result`, the others summed.
  Term sum(const Term &term, ArrayRef<int> result, Type type);
  Term multiply(const Term &lhs, const Term &rhs, ArrayRef<int> result,
                Type type);
  /// Sums a term over the labels that only it has, and takes its diagonals.
  void reduceOwn(Term &term, ArrayRef<int> result);

  LinalgBuilder &b;
  Type elementType, sumType;
  SmallVector<Term> terms;
  llvm::MapVector<int, OpFoldResult> sizes;
};

} // namespace

void EinsumBuilder::add(Value value, ArrayRef<int> labels) {
  for (auto [dim, label] : llvm::enumerate(labels)) {
    OpFoldResult own = b.getSize(value, dim);
    OpFoldResult &size = sizes.try_emplace(label, own).first->second;
    // A static size is worth more than an open one, and both more than 1.
    if (isOneInteger(size) ||
        (isa<Value>(size) && isa<Attribute>(own) && !isOneInteger(own)))
      size = own;
  }
  terms.push_back({value, llvm::to_vector(labels), elementType});
}

EinsumBuilder::Loops EinsumBuilder::getLoops(ArrayRef<const Term *> terms,
                                             ArrayRef<int> result) const {
  Loops loops;
  loops.labels.assign(result.begin(), result.end());
  for (int label : result)
    loops.resultSizes.push_back(sizes.lookup(label));
  for (const Term *term : terms)
    for (int label : term->labels)
      if (!llvm::is_contained(loops.labels, label))
        loops.labels.push_back(label);
  loops.iterators =
      getIterators(result.size(), loops.labels.size() - result.size());
  return loops;
}

AffineMap EinsumBuilder::getMap(const Term &term, const Loops &loops) const {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(term.value.getType()).getShape();
  SmallVector<AffineExpr> exprs;
  for (auto [label, size] : llvm::zip_equal(term.labels, shape)) {
    int64_t loop = llvm::find(loops.labels, label) - loops.labels.begin();
    bool repeats = size == 1 && !isOneInteger(sizes.lookup(label));
    exprs.push_back(repeats ? b.constant(0) : b.dim(loop));
  }
  return b.map(loops.labels.size(), exprs);
}

void EinsumBuilder::repeat(Term &term) {
  SmallVector<OpFoldResult> wanted = llvm::map_to_vector(
      term.labels, [&](int label) { return sizes.lookup(label); });
  term.value = buildRuntimeBroadcast(b, term.value, wanted);
}

Term EinsumBuilder::sum(const Term &term, ArrayRef<int> result, Type type) {
  Loops loops = getLoops(&term, result);
  int64_t rank = result.size();
  AffineMap map = getMap(term, loops);
  std::string name = (b.getBlockName() + "_sum").str();
  if (loops.labels.size() == result.size())
    return {b.elements(name, {{term.value, map}}, loops.resultSizes,
                       getSignless(type),
                       [&](ImplicitLocOpBuilder &body, ValueRange args) {
                         return ElementMath(body, type)
                             .convertFrom(term.elementType, args[0]);
                       }),
            llvm::to_vector(result), type};
  SmallVector<int64_t> kept = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value init =
      b.filled(loops.resultSizes, getZeroAttr(sumType), name + "_init");
  Value sum = b.nest(
      name, {{term.value, map}}, {init, b.select(loops.labels.size(), kept)},
      loops.iterators, [&](ImplicitLocOpBuilder &body, ValueRange args) {
        ElementMath math(body, sumType);
        return math.add(args.back(),
                        math.convertFrom(term.elementType, args[0]));
      });
  return {buildNarrow(b, name + "_round", sum, getSignless(type)),
          llvm::to_vector(result), type};
}

Term EinsumBuilder::multiply(const Term &lhs, const Term &rhs,
                             ArrayRef<int> result, Type type) {
  Loops loops = getLoops({&lhs, &rhs}, result);
  AffineMap lhsMap = getMap(lhs, loops), rhsMap = getMap(rhs, loops);
  Value product;
  if (loops.labels.size() == result.size()) {
    product = b.elements(
        b.getBlockName(), {{lhs.value, lhsMap}, {rhs.value, rhsMap}},
        loops.resultSizes, getSignless(type),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          ElementMath wide(body, sumType);
          return ElementMath(body, type)
              .convertFrom(
                  sumType,
                  wide.mul(wide.convertFrom(lhs.elementType, args[0]),
                           wide.convertFrom(rhs.elementType, args[1])));
        });
  } else {
    SmallVector<int64_t> kept =
        llvm::to_vector(llvm::seq<int64_t>(0, result.size()));
    product = buildContraction(
        b, {lhs.value, lhsMap, lhs.elementType},
        {rhs.value, rhsMap, rhs.elementType}, loops.resultSizes,
        b.select(loops.labels.size(), kept), loops.iterators, type);
  }
  return {product, llvm::to_vector(result), type};
}

void EinsumBuilder::reduceOwn(Term &term, ArrayRef<int> result) {
  llvm::SetVector<int> kept;
  for (int label : term.labels)
    if (llvm::is_contained(result, label) ||
        llvm::any_of(terms, [&](const Term &other) {
          return &other != &term && llvm::is_contained(other.labels, label);
        }))
      kept.insert(label);
  if (kept.size() != term.labels.size())
    term = sum(term, kept.getArrayRef(), sumType);
}

Value EinsumBuilder::build(ArrayRef<int> result) {
  for (Term &term : terms)
    repeat(term);
  if (terms.size() > 1)
    for (Term &term : terms)
      reduceOwn(term, result);
  Term product = terms.front();
  for (auto [i, term] : llvm::enumerate(llvm::drop_begin(terms))) {
    ArrayRef<Term> later = ArrayRef(terms).drop_front(i + 2);
    if (later.empty())
      return multiply(product, term, result, elementType).value;
    // What is needed later: rows, then columns.
    llvm::SetVector<int> kept;
    for (const Term *own : {&product, &term})
      for (int label : own->labels)
        if (llvm::is_contained(result, label) ||
            llvm::any_of(later, [&](const Term &other) {
              return llvm::is_contained(other.labels, label);
            }))
          kept.insert(label);
    product = multiply(product, term, kept.getArrayRef(), sumType);
  }
  return sum(product, result, elementType).value;
}

namespace {

struct EinsumToLinalg : OpConversionPattern<EinsumOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(EinsumOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    SmallVector<int64_t> ranks;
    for (Value operand : adaptor.getData())
      ranks.push_back(cast<RankedTensorType>(operand.getType()).getRank());
    std::string error;
    FailureOr<EinsumEquation> equation =
        EinsumEquation::parse(op.getEquation(), ranks, error);
    if (failed(equation))
      return rewriter.notifyMatchFailure(op, error);
    LinalgBuilder b(rewriter, op);
    EinsumBuilder einsum(b,
                         cast<RankedTensorType>(op.getType()).getElementType());
    for (auto [operand, labels] :
         llvm::zip_equal(adaptor.getData(), equation->operands))
      einsum.add(operand, labels);
    rewriter.replaceOp(op, b.castTo(einsum.build(equation->result), type));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateEinsumPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<EinsumToLinalg>(converter, patterns.getContext());
}
