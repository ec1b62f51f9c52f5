//===- Einsum.cpp - Sums of products by letters ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An Einsum becomes batched matrix products, two operands at a time.
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

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

/// (b, m, k) from a tensor whose first dimensions, `counts[0]` of them, make up
/// the first one, and so on. Nothing has to be known of their sizes.
static Value groupDims(NodeContext &node, Value value,
                       ArrayRef<size_t> counts) {
  for (auto [group, count] : llvm::enumerate(counts)) {
    auto axis = static_cast<int64_t>(group);
    if (count == 0)
      value = node.expandDims(value, axis);
    // Two at a time, which is -3.
    for (size_t i = 1; i < count && value; ++i) {
      SmallVector<int64_t> codes(axis, 0);
      codes.push_back(-3);
      codes.append(node.getRank(value) - axis - 2, 0);
      ReshapeOp::Properties properties;
      properties.newshape = node.getBuilder().getDenseI64ArrayAttr(codes);
      value = node.create<ReshapeOp>({value}, properties);
    }
    if (!value)
      return nullptr;
  }
  return value;
}

/// The batched product of contract, where some sizes are not known, nor those
/// of another tensor.
static Value contractOpen(NodeContext &node, Value lhs, Value rhs,
                          size_t numBatch, size_t numSummed) {
  size_t numRows = node.getRank(lhs) - numBatch - numSummed;
  size_t numColumns = node.getRank(rhs) - numBatch - numSummed;
  NNBatchMatmulOp::Properties properties;
  properties.transpose_a = node.getBuilder().getBoolAttr(false);
  properties.transpose_b = node.getBuilder().getBoolAttr(false);
  Value product = node.create<NNBatchMatmulOp>(
      {groupDims(node, lhs, {numBatch, numRows, numSummed}),
       groupDims(node, rhs, {numBatch, numSummed, numColumns})},
      properties);
  if (!product)
    return nullptr;
  Type type = node.getBuilder().getI64Type();
  Value sizes = node.concatenate(
      {node.createSizes(lhs, 0, numBatch + numRows, type),
       node.createSizes(rhs, numBatch + numSummed, node.getRank(rhs), type)},
      0);
  SmallVector<ShapeScalar> dims = node.getDims(lhs), others = node.getDims(rhs);
  dims.truncate(numBatch + numRows);
  llvm::append_range(dims, ArrayRef(others).take_back(numColumns));
  DynReshapeOp::Properties shape;
  shape.allowzero = node.getBuilder().getBoolAttr(true);
  return node.refineDims(node.create<DynReshapeOp>({product, sizes}, shape),
                         dims);
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
  auto isKnown = [&](const ShapeScalar &size) {
    return size.getConstant() || node.isArgumentSize(size);
  };
  bool isFlat = batch.empty() && !rows.empty();
  bool canGroup = isFlat ? isKnown(k) && isKnown(n)
                         : node.reshapeByCodes(lhs.value, {b, m, k}) &&
                               node.reshapeByCodes(rhs.value, {b, k, n});
  if (!canGroup || !llvm::all_of(dims, isKnown))
    return {
        contractOpen(node, lhs.value, rhs.value, batch.size(), summed.size()),
        labels};
  if (isFlat) {
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

void mlir::relay::onnx::addEinsumOps(OpTable &table) {
  table.add({"Einsum"}, {convertEinsum, 12, kNewestOpset, 1, kVariadic});
}
