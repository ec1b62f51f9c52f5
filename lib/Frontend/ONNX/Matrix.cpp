//===- Matrix.cpp - Matrix products of ONNX ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"
#include "Products.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// MatMul
//===----------------------------------------------------------------------===//

/// The dimensions before the last two, broadcast. None if they do not fit, or
/// if a size decides at run time.
static std::optional<SmallVector<ShapeScalar>>
broadcastBatch(ArrayRef<ShapeScalar> lhs, ArrayRef<ShapeScalar> rhs) {
  lhs = lhs.drop_back(2);
  rhs = rhs.drop_back(2);
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<ShapeScalar> result = llvm::to_vector(lhs);
  for (auto [size, target] :
       llvm::zip(llvm::reverse(rhs), llvm::reverse(result))) {
    std::optional<int64_t> constant = size.getConstant();
    std::optional<int64_t> targetConstant = target.getConstant();
    if (constant && targetConstant && constant != 1 && targetConstant != 1 &&
        constant != targetConstant)
      return std::nullopt;
    // A size that is known at run time may turn out to be 1 where the other is
    // a constant, and is taken to be equal to another such size.
    if (targetConstant ? targetConstant == 1 : constant && constant != 1)
      target = size;
  }
  return result;
}

/// (b, m, k) from (..., m, k), for a result with the batch sizes `batch`.
static Value flattenBatch(NodeContext &node, Value value,
                          ArrayRef<ShapeScalar> batch) {
  SmallVector<ShapeScalar> dims = node.getDims(value);
  ArrayRef<ShapeScalar> matrix = ArrayRef(dims).take_back(2);
  SmallVector<ShapeScalar> own(dims.begin(), dims.end() - 2);
  bool isSingle = llvm::all_of(
      own, [](const ShapeScalar &size) { return size.getConstant() == 1; });
  bool isWhole = own.size() == batch.size() &&
                 llvm::equal(own, batch, [](const auto &a, const auto &b) {
                   return a.isSame(b);
                 });
  if (!isSingle && !isWhole) {
    SmallVector<ShapeScalar> target = llvm::to_vector(batch);
    target.append(matrix.begin(), matrix.end());
    value = node.broadcast(value, target);
    own = llvm::to_vector(batch);
  }
  ShapeScalar count = ShapeScalar::get(1);
  for (const ShapeScalar &size : own)
    count = multiplySizes(count, size);
  return node.reshape(value,
                      ArrayRef<ShapeScalar>{count, matrix[0], matrix[1]});
}

static Value createBatchMatmul(NodeContext &node, Value lhs, Value rhs,
                               const Multiply &multiply) {
  std::optional<SmallVector<ShapeScalar>> batch =
      broadcastBatch(node.getDims(lhs), node.getDims(rhs));
  if (!batch) {
    node.emitError() << "expects batch dimensions that broadcast, but got "
                     << lhs.getType() << " and " << rhs.getType();
    return nullptr;
  }
  lhs = flattenBatch(node, lhs, *batch);
  rhs = flattenBatch(node, rhs, *batch);
  Value product = lhs && rhs ? multiply.batches(lhs, rhs) : nullptr;
  if (!product)
    return nullptr;
  SmallVector<ShapeScalar> dims = *batch;
  llvm::append_range(dims, ArrayRef(node.getDims(product)).take_back(2));
  return node.reshape(product, dims);
}

Value mlir::relay::onnx::createMatmul(NodeContext &node, Value lhs, Value rhs,
                                      const Multiply &multiply) {
  if (!lhs || !rhs)
    return nullptr;
  int64_t lhsRank = node.getRank(lhs), rhsRank = node.getRank(rhs);
  if (lhsRank == 0 || rhsRank == 0) {
    node.emitError() << "expects operands of rank 1 or more, but got "
                     << lhs.getType() << " and " << rhs.getType();
    return nullptr;
  }
  // A vector is a row on the left, a column on the right.
  if (lhsRank == 1)
    lhs = node.expandDims(lhs, 0);
  if (rhsRank == 1)
    rhs = node.expandDims(rhs, 1);
  if (!lhs || !rhs)
    return nullptr;
  node.expectEqualSizes(lhs, node.getRank(lhs) - 1, rhs, node.getRank(rhs) - 2);
  Value product = node.getRank(rhs) == 2
                      ? multiply.rows(lhs, rhs)
                      : createBatchMatmul(node, lhs, rhs, multiply);
  SmallVector<int64_t> dropped;
  if (lhsRank == 1)
    dropped.push_back(-2);
  if (rhsRank == 1)
    dropped.push_back(-1);
  if (!product)
    return nullptr;
  for (int64_t &axis : dropped)
    axis += node.getRank(product);
  return node.squeeze(product, dropped);
}

Value mlir::relay::onnx::createMatmul(NodeContext &node, Value lhs, Value rhs) {
  auto rows = [&](Value lhs, Value rhs) {
    return node.create<NNMatmulOp>({lhs, rhs});
  };
  auto batches = [&](Value lhs, Value rhs) {
    return node.create<NNBatchMatmulOp>(
        {lhs, rhs}, getBatchProperties<NNBatchMatmulOp>(node.getBuilder()));
  };
  return createMatmul(node, lhs, rhs, {rows, batches});
}

Value mlir::relay::onnx::multiplyAlong(NodeContext &node, Value data,
                                       int64_t axis, Value weight) {
  if (!data || !weight)
    return nullptr;
  // The axis goes last, and back.
  int64_t last = node.getRank(data) - 1;
  SmallVector<int64_t> order, inverse;
  for (int64_t dim = 0; dim <= last; ++dim) {
    if (dim != axis)
      order.push_back(dim);
    inverse.push_back(dim < axis ? dim : dim == axis ? last : dim - 1);
  }
  order.push_back(axis);
  Value product = createMatmul(node, node.transpose(data, order), weight);
  return product ? node.transpose(product, inverse) : nullptr;
}

static LogicalResult convertMatMul(NodeContext &node) {
  return node.setResult(createMatmul(node, node.getInput(0), node.getInput(1)));
}

//===----------------------------------------------------------------------===//
// Gemm
//===----------------------------------------------------------------------===//

static Value scale(NodeContext &node, Value value, double factor) {
  if (!value || factor == 1)
    return value;
  return node.create<MultiplyOp>(
      {value, node.createScalar(factor, node.getElementType(value))});
}

static Value createAffineProduct(NodeContext &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  for (Value operand : {a, b})
    if (node.getRank(operand) != 2) {
      node.emitError() << "expects a matrix, but got " << operand.getType();
      return nullptr;
    }
  if (node.getBool("transA", false))
    a = node.transpose(a, {1, 0});
  bool isTransposed = node.getBool("transB", false);
  node.expectEqualSizes(a, 1, b, isTransposed ? 1 : 0);
  Value product = isTransposed ? node.create<NNDenseOp>({a, b})
                               : node.create<NNMatmulOp>({a, b});
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  if (!product)
    return nullptr;
  // Factors that are no integers count as they are, and the sum is cut.
  Type type = node.getElementType(product);
  if (!isa<FloatType>(type) &&
      (alpha != std::trunc(alpha) || beta != std::trunc(beta)))
    type = node.getBuilder().getF64Type();
  product = scale(node, node.castTo(product, type), alpha);
  if (!product || !node.hasInput(2) || beta == 0)
    return product;

  Value c = scale(node, node.castTo(node.getInput(2), type), beta);
  if (!c)
    return nullptr;
  int64_t columns = node.getType(product).getDimSize(1);
  RankedTensorType shape = node.getType(c);
  bool isRow = shape.hasStaticShape() && shape.getRank() >= 1 &&
               shape.getShape().back() == columns &&
               shape.getNumElements() == columns;
  if (!isRow)
    return node.create<AddOp>({node.expectCovers(product, c), c});
  NNBiasAddOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  Value bias = node.reshape(c, ArrayRef<int64_t>{columns});
  return node.create<NNBiasAddOp>({product, bias}, properties);
}

Value mlir::relay::onnx::createGemm(NodeContext &node) {
  Value result = createAffineProduct(node);
  return result ? node.castTo(result, node.getElementType(node.getInput(0)))
                : nullptr;
}

static LogicalResult convertGemm(NodeContext &node) {
  return node.setResult(createGemm(node));
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

namespace {

/// An operand or result of an einsum: a letter for each dimension.
using Labels = SmallVector<char>;

struct EinsumTerm {
  Value value;
  Labels labels;
};

} // namespace

static bool contains(ArrayRef<char> labels, char label) {
  return llvm::is_contained(labels, label);
}

/// Sums `term` over the labels that are not in `kept`.
static EinsumTerm sumOver(NodeContext &node, EinsumTerm term,
                          ArrayRef<char> kept) {
  SmallVector<int64_t> axes;
  Labels labels;
  for (auto [axis, label] : llvm::enumerate(term.labels)) {
    if (contains(kept, label))
      labels.push_back(label);
    else
      axes.push_back(axis);
  }
  if (axes.empty())
    return term;
  SumOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr(axes);
  return {node.create<SumOp>({term.value}, properties), labels};
}

static EinsumTerm permuteTo(NodeContext &node, EinsumTerm term,
                            ArrayRef<char> labels) {
  SmallVector<int64_t> order;
  for (char label : labels)
    order.push_back(llvm::find(term.labels, label) - term.labels.begin());
  return {node.transpose(term.value, order), llvm::to_vector(labels)};
}

/// The product of two terms, summed over what `kept` does not have: a batched
/// matrix product, or rows times a matrix, which keeps the rows' dimensions.
static EinsumTerm contract(NodeContext &node, EinsumTerm lhs, EinsumTerm rhs,
                           ArrayRef<char> kept) {
  Labels lhsKept = llvm::to_vector(kept), rhsKept = llvm::to_vector(kept);
  llvm::append_range(lhsKept, rhs.labels);
  llvm::append_range(rhsKept, lhs.labels);
  lhs = sumOver(node, lhs, lhsKept);
  rhs = sumOver(node, rhs, rhsKept);

  Labels batch, rows, columns, summed;
  for (char label : lhs.labels) {
    if (!contains(rhs.labels, label))
      rows.push_back(label);
    else if (contains(kept, label))
      batch.push_back(label);
    else
      summed.push_back(label);
  }
  for (char label : rhs.labels)
    if (!contains(lhs.labels, label))
      columns.push_back(label);

  auto concat = [](ArrayRef<char> a, ArrayRef<char> b, ArrayRef<char> c) {
    Labels labels = llvm::to_vector(a);
    llvm::append_range(labels, b);
    llvm::append_range(labels, c);
    return labels;
  };
  lhs = permuteTo(node, lhs, concat(batch, rows, summed));
  rhs = permuteTo(node, rhs, concat(batch, summed, columns));
  if (!lhs.value || !rhs.value)
    return {};

  auto product = [](ArrayRef<ShapeScalar> sizes) {
    ShapeScalar result = ShapeScalar::get(1);
    for (const ShapeScalar &size : sizes)
      result = multiplySizes(result, size);
    return result;
  };
  auto expectEqual = [&](size_t lhsAxis, size_t rhsAxis) {
    node.expectEqualSizes(lhs.value, lhsAxis, rhs.value, rhsAxis);
  };
  for (size_t i = 0; i < batch.size(); ++i)
    expectEqual(i, i);
  for (size_t i = 0; i < summed.size(); ++i)
    expectEqual(batch.size() + rows.size() + i, batch.size() + i);
  auto lhsDims = node.getDims(lhs.value), rhsDims = node.getDims(rhs.value);
  ArrayRef<ShapeScalar> l = lhsDims, r = rhsDims;
  ShapeScalar b = product(l.take_front(batch.size()));
  ShapeScalar m = product(l.slice(batch.size(), rows.size()));
  ShapeScalar k = product(l.take_back(summed.size()));
  ShapeScalar n = product(r.take_back(columns.size()));
  SmallVector<ShapeScalar> dims(l.take_front(batch.size() + rows.size()));
  llvm::append_range(dims, r.take_back(columns.size()));
  Labels labels = concat(batch, rows, columns);
  if (batch.empty() && !rows.empty()) {
    SmallVector<ShapeScalar> lhsSizes(l.take_front(rows.size()));
    lhsSizes.push_back(k);
    Value result = node.create<NNMatmulOp>(
        {node.reshape(lhs.value, lhsSizes),
         node.reshape(rhs.value, ArrayRef<ShapeScalar>{k, n})});
    return {node.reshape(result, dims), labels};
  }
  NNBatchMatmulOp::Properties properties;
  properties.transpose_a = node.getBuilder().getBoolAttr(false);
  properties.transpose_b = node.getBuilder().getBoolAttr(false);
  Value result = node.create<NNBatchMatmulOp>(
      {node.reshape(lhs.value, ArrayRef<ShapeScalar>{b, m, k}),
       node.reshape(rhs.value, ArrayRef<ShapeScalar>{b, k, n})},
      properties);
  return {node.reshape(result, dims), labels};
}

/// The labels of one term; `...` becomes capital digits from the back, so that
/// it broadcasts from the right.
static FailureOr<Labels> parseTerm(NodeContext &node, StringRef text,
                                   std::optional<int64_t> rank,
                                   int64_t ellipsisRank) {
  Labels labels;
  auto [front, back] = text.split("...");
  bool hasEllipsis = text.contains("...");
  if (rank && hasEllipsis)
    ellipsisRank = *rank - int64_t(front.size() + back.size());
  for (char label : front)
    labels.push_back(label);
  if (hasEllipsis)
    for (int64_t i = ellipsisRank; i > 0; --i)
      labels.push_back(static_cast<char>(i));
  for (char label : back)
    labels.push_back(label);
  bool isValid = llvm::all_of(front, [](char c) { return llvm::isAlpha(c); }) &&
                 llvm::all_of(back, [](char c) { return llvm::isAlpha(c); }) &&
                 (!rank || int64_t(labels.size()) == *rank);
  Labels sorted = labels;
  llvm::sort(sorted);
  if (!rank && llvm::unique(sorted) != sorted.end()) {
    node.emitError() << "expects each label once in the result, but got \""
                     << text << "\"";
    return failure();
  }
  if (!isValid) {
    node.emitError() << "term \"" << text << "\" does not fit its operand";
    return failure();
  }
  return labels;
}

/// `term` with each label once: the diagonals of repeated ones.
static EinsumTerm takeDiagonals(NodeContext &node, EinsumTerm term) {
  for (size_t i = 0; i < term.labels.size() && term.value; ++i) {
    auto *other = std::find(term.labels.begin() + i + 1, term.labels.end(),
                            term.labels[i]);
    if (other == term.labels.end())
      continue;
    int64_t rank = node.getRank(term.value);
    auto first = static_cast<int64_t>(i);
    int64_t second = other - term.labels.begin();
    RankedTensorType type = node.getType(term.value);
    int64_t size = type.getDimSize(first);
    if (ShapedType::isDynamic(size) || type.getDimSize(second) != size) {
      node.emitError() << "expects equal, static sizes of a repeated label, "
                          "but got "
                       << type;
      return {};
    }
    // As rows, the elements of a diagonal are size + 1 apart.
    SmallVector<int64_t> order;
    Labels labels;
    for (int64_t axis = 0; axis < rank; ++axis)
      if (axis != first && axis != second) {
        order.push_back(axis);
        labels.push_back(term.labels[axis]);
      }
    order.append({first, second});
    labels.push_back(term.labels[i]);
    Value value = node.transpose(term.value, order);
    if (!value)
      return {};
    SmallVector<ShapeScalar> dims = node.getDims(value);
    dims.pop_back();
    dims.back() = ShapeScalar::get(size * size);
    value = node.reshape(value, dims);
    term = {node.slice(value, rank - 2, 0, size * size, size + 1), labels};
    // The labels have moved.
    i = static_cast<size_t>(-1);
  }
  return term;
}

/// Leaves out dimensions of one element that other terms have longer: they are
/// repeated, which a product does by itself.
static void dropRepeated(NodeContext &node, MutableArrayRef<EinsumTerm> terms) {
  auto isOne = [&](const EinsumTerm &term, size_t axis) {
    return node.getDims(term.value)[axis].getConstant() == 1;
  };
  Labels longer;
  for (const EinsumTerm &term : terms)
    for (auto [axis, label] : llvm::enumerate(term.labels))
      if (!isOne(term, axis))
        longer.push_back(label);
  for (EinsumTerm &term : terms) {
    SmallVector<int64_t> axes;
    Labels kept;
    for (auto [axis, label] : llvm::enumerate(term.labels)) {
      if (isOne(term, axis) && contains(longer, label))
        axes.push_back(axis);
      else
        kept.push_back(label);
    }
    term = {node.squeeze(term.value, axes), kept};
  }
}

static LogicalResult convertEinsum(NodeContext &node) {
  std::string equation;
  for (char c : node.getString("equation", ""))
    if (c != ' ')
      equation += c;
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> texts;
  left.split(texts, ',');
  if (texts.size() != node.getNumInputs())
    return node.emitError()
           << "expects " << texts.size() << " operands for \"" << equation
           << "\", but got " << node.getNumInputs();
  SmallVector<EinsumTerm> terms;
  Labels all;
  int64_t ellipsisRank = 0;
  for (auto [index, text] : llvm::enumerate(texts)) {
    Value operand = node.getInput(index);
    FailureOr<Labels> labels = parseTerm(node, text, node.getRank(operand), 0);
    if (failed(labels))
      return failure();
    int64_t count = llvm::count_if(*labels, [](char c) { return c < ' '; });
    ellipsisRank = std::max(ellipsisRank, count);
    // What occurs more than once is not in a result that is not written out.
    llvm::append_range(all, *labels);
    terms.push_back(takeDiagonals(node, {operand, *labels}));
    if (!terms.back().value)
      return failure();
  }

  dropRepeated(node, terms);

  Labels output;
  if (StringRef(equation).contains("->")) {
    FailureOr<Labels> labels =
        parseTerm(node, right, std::nullopt, ellipsisRank);
    if (failed(labels))
      return failure();
    output = *labels;
  } else {
    // What occurs once, in the order of the alphabet.
    for (int64_t i = ellipsisRank; i > 0; --i)
      output.push_back(static_cast<char>(i));
    Labels sorted = all;
    llvm::sort(sorted);
    for (char label : sorted)
      if (label > ' ' && llvm::count(all, label) == 1)
        output.push_back(label);
  }
  for (char label : output)
    if (llvm::none_of(terms, [&](const EinsumTerm &term) {
          return contains(term.labels, label);
        }))
      return node.emitError() << "a label of the result of \"" << equation
                              << "\" is in no operand";

  EinsumTerm result = terms.front();
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels kept = output;
    for (const EinsumTerm &term : ArrayRef(terms).drop_front(i + 1))
      llvm::append_range(kept, term.labels);
    result = contract(node, result, terms[i], kept);
    if (!result.value)
      return failure();
  }
  result = sumOver(node, result, output);
  if (!result.value)
    return failure();
  return node.setResult(permuteTo(node, result, output).value);
}

//===----------------------------------------------------------------------===//
// Det
//===----------------------------------------------------------------------===//

FailureOr<int64_t> mlir::relay::onnx::getSquareSize(NodeContext &node,
                                                    int64_t maxSize) {
  RankedTensorType type = node.getInputType(0);
  int64_t rank = type.getRank();
  int64_t size = rank < 2 ? 0 : type.getDimSize(rank - 1);
  if (size >= 1 && size <= maxSize && type.getDimSize(rank - 2) == size)
    return size;
  node.emitError() << "expects square matrices of 1 to " << maxSize
                   << " rows, but got " << type;
  return failure();
}

/// Determinants of small matrices, by expansion along rows: minors of the last
/// rows for each set of columns.
static LogicalResult convertDet(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  FailureOr<int64_t> found = getSquareSize(node, /*maxSize=*/6);
  if (failed(found))
    return failure();
  int64_t size = *found;
  auto getEntry = [&](int64_t row, int64_t column) {
    Value value = node.slice(data, rank - 2, row, row + 1);
    value = node.slice(value, rank - 1, column, column + 1);
    return node.squeeze(value, {rank - 2, rank - 1});
  };
  SmallVector<Value> minors(size_t(1) << size);
  for (unsigned columns = 1; columns < minors.size(); ++columns) {
    int64_t row = size - llvm::popcount(columns);
    int64_t position = 0;
    Value &sum = minors[columns];
    for (int64_t column = 0; column < size; ++column) {
      if (!(columns >> column & 1))
        continue;
      Value term = getEntry(row, column);
      if (Value minor = minors[columns & ~(1U << column)])
        term = node.create<MultiplyOp>({term, minor});
      if (!sum)
        sum = term;
      else if (position % 2 == 0)
        sum = node.create<AddOp>({sum, term});
      else
        sum = node.create<SubtractOp>({sum, term});
      if (!sum)
        return failure();
      ++position;
    }
  }
  return node.setResult(minors.back());
}

void mlir::relay::onnx::addMatrixOps(OpTable &table) {
  table.add({"Det"}, {convertDet, 11, kNewestOpset, 1, 1,
                      /*contentInputs=*/0, /*isComposed=*/true});
  table.add({"Einsum"}, {convertEinsum, 12, kNewestOpset, 1, kVariadic});
  table.add({"Gemm"}, {convertGemm, kOldestOpset, kNewestOpset, 2, 3});
  table.add({"MatMul"}, {convertMatMul, kOldestOpset, kNewestOpset, 2, 2});
}
