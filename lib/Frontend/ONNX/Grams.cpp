//===- Grams.cpp - Counts of n-grams --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TfIdfVectorizer: an n-gram of the pool is found where each of its numbers is,
// and all of these places are compared at once.
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

class GramCounter {
public:
  explicit GramCounter(NodeContext &node) : node(node) {}

  LogicalResult build();

private:
  LogicalResult readPool();
  /// How often each n-gram of `size` numbers occurs, (row, n-gram); null if it
  /// cannot, or after an error.
  Value createCounts(int64_t size);
  /// The same of numbers that are `step` apart; as flags of (row, n-gram,
  /// position).
  Value createMatches(int64_t size, int64_t step);

  /// The n-grams of `size` numbers, which are in the pool one after another.
  int64_t getNumGrams(int64_t size) const {
    return (ends[size - 1] - begins[size - 1]) / size;
  }

  NodeContext &node;
  /// Numbers, or those of strings.
  SmallVector<int64_t> pool;
  bool areStrings = false;
  ArrayRef<int64_t> indexes;
  ArrayRef<float> weights;
  SmallVector<int64_t> begins, ends;
  int64_t minSize = 0, maxSize = 0, maxSkip = 0;
  /// Of rows; nothing if it is known when the model runs.
  std::optional<int64_t> length;
  /// (row, position)
  Value data;
};

} // namespace

LogicalResult GramCounter::readPool() {
  areStrings = isStringType(node.getInputType(0).getElementType());
  if (node.hasAttr("pool_strings") != areStrings)
    return node.emitError() << "expects a pool of the type of the data, in "
                               "attribute \"pool_"
                            << (areStrings ? "strings" : "int64s") << '"';
  pool = areStrings
             ? node.getStringNumbers("pool_strings",
                                     node.getStrings("pool_strings"))
             : llvm::to_vector(
                   node.getInts("pool_int64s").value_or(ArrayRef<int64_t>()));
  indexes = node.getInts("ngram_indexes").value_or(ArrayRef<int64_t>());
  weights = node.getFloats("weights").value_or(ArrayRef<float>());
  minSize = node.getInt("min_gram_length", 0);
  maxSize = node.getInt("max_gram_length", 0);
  maxSkip = node.getInt("max_skip_count", 0);
  begins = llvm::to_vector(
      node.getInts("ngram_counts").value_or(ArrayRef<int64_t>()));
  if (node.hasFailed())
    return failure();
  constexpr int64_t kMaxSize = 64;
  if (minSize < 1 || maxSize < minSize || maxSize > kMaxSize)
    return node.emitError()
           << "expects 1 <= min_gram_length <= max_gram_length <= " << kMaxSize
           << ", but got " << minSize << " and " << maxSize;
  if (maxSkip < 0 || maxSkip > kMaxSize)
    return node.emitError() << "expects max_skip_count from 0 to " << kMaxSize
                            << ", but got " << maxSkip;
  if (begins.empty())
    return node.emitError() << "expects ngram_counts, but it is missing";
  int64_t numGrams = 0;
  for (auto [i, begin] : llvm::enumerate(begins)) {
    int64_t end = i + 1 < begins.size() ? begins[i + 1] : int64_t(pool.size());
    int64_t size = i + 1;
    if (begin < 0 || end < begin || end > int64_t(pool.size()) ||
        (end - begin) % size != 0)
      return node.emitError()
             << "expects ngram_counts that divide the " << pool.size()
             << " numbers of the pool into " << size << "-grams, but got "
             << begin << " to " << end;
    ends.push_back(end);
    numGrams += (end - begin) / size;
  }
  if (int64_t(indexes.size()) != numGrams)
    return node.emitError() << "expects ngram_indexes of " << numGrams
                            << " n-grams, but got " << indexes.size();
  if (!weights.empty() && weights.size() != indexes.size())
    return node.emitError() << "expects weights of " << indexes.size()
                            << " n-grams, but got " << weights.size();
  constexpr int64_t kMaxOutputs = int64_t(1) << 31;
  SmallVector<int64_t> sorted(indexes);
  llvm::sort(sorted);
  if (sorted.empty() || sorted.front() < 0 || sorted.back() >= kMaxOutputs)
    return node.emitError() << "expects ngram_indexes from 0 on";
  if (auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      twice != sorted.end())
    return node.emitError() << "expects each of ngram_indexes once, but got "
                            << *twice << " twice";
  return success();
}

Value GramCounter::createMatches(int64_t size, int64_t step) {
  int64_t reach = (size - 1) * step;
  if (length && *length <= reach)
    return nullptr;
  int64_t numGrams = getNumGrams(size);
  Value matches;
  for (int64_t i = 0; i < size; ++i) {
    SmallVector<int64_t> column;
    for (int64_t gram = 0; gram < numGrams; ++gram)
      column.push_back(pool[begins[size - 1] + gram * size + i]);
    Value wanted = node.expandDims(
        areStrings ? node.createStrings(column) : node.createInts(column), 1);
    // Ends are counted from that of the row: of one that is too short, nothing
    // is left.
    int64_t end = i * step - reach;
    Value found = end == 0 ? node.dropFirst(data, 1, i * step)
                           : node.slice(data, 1, i * step, end);
    found = node.expandDims(found, 1);
    Value isEqual = node.create<EqualOp>({found, wanted});
    matches = matches ? node.create<LogicalAndOp>({matches, isEqual}) : isEqual;
  }
  return matches;
}

Value GramCounter::createCounts(int64_t size) {
  Value counts;
  // A single number has nothing between.
  int64_t lastSkip = size == 1 ? 0 : maxSkip;
  for (int64_t skip = 0; skip <= lastSkip; ++skip) {
    Value matches = createMatches(size, skip + 1);
    if (!matches)
      break;
    SumOp::Properties properties;
    properties.axis = node.getBuilder().getDenseI64ArrayAttr({2});
    Value count = node.create<SumOp>(
        {node.castTo(matches, node.getBuilder().getF32Type())}, properties);
    counts = counts ? node.create<AddOp>({counts, count}) : count;
  }
  return counts;
}

LogicalResult GramCounter::build() {
  if (failed(readPool()))
    return failure();
  StringRef mode = node.getString("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return node.emitError()
           << "expects mode TF, IDF or TFIDF, but got \"" << mode << "\"";
  data = node.getInput(0);
  if (!areStrings)
    data = node.castTo(data, node.getBuilder().getI64Type());
  int64_t rank = node.getRank(data);
  if (rank != 1 && rank != 2)
    return node.emitError()
           << "expects data of rank 1 or 2, but got " << data.getType();
  length = node.getDims(data)[rank - 1].getConstant();
  data = node.expandRank(data, 2);

  // Outputs that no n-gram has are counts of nothing, behind all others.
  int64_t numOutputs = *llvm::max_element(indexes) + 1, numCounts = 0,
          first = 0;
  SmallVector<int64_t> positions(numOutputs, -1);
  SmallVector<double> factors(numOutputs, 0);
  SmallVector<Value> parts;
  for (int64_t size = 1, e = begins.size(); size <= e; ++size) {
    int64_t numGrams = getNumGrams(size);
    Value counts = size >= minSize && size <= maxSize && numGrams != 0
                       ? createCounts(size)
                       : Value();
    for (int64_t gram = 0; gram < numGrams && counts; ++gram) {
      positions[indexes[first + gram]] = numCounts + gram;
      factors[indexes[first + gram]] =
          weights.empty() ? 1 : weights[first + gram];
    }
    if (counts) {
      parts.push_back(counts);
      numCounts += numGrams;
    }
    first += numGrams;
  }
  if (node.hasFailed())
    return failure();
  Type f32 = node.getBuilder().getF32Type();
  ShapeScalar numRows = node.getDims(data)[0];
  parts.push_back(node.broadcast(node.createScalar(0, f32),
                                 {numRows, ShapeScalar::get(1)}));
  llvm::replace(positions, int64_t(-1), numCounts);
  Value result = node.take(node.concatenate(parts, 1),
                           node.createInts(positions), 1, "fast");
  if (mode == "IDF")
    result = node.create<MinimumOp>({result, node.createScalar(1, f32)});
  if (mode != "TF")
    result = node.create<MultiplyOp>(
        {result, node.createFloats(factors, {numOutputs}, f32)});
  if (rank == 1)
    result = node.squeeze(result, {0});
  return node.setResult(result);
}

static LogicalResult convertTfIdfVectorizer(NodeContext &node) {
  return GramCounter(node).build();
}

void mlir::relay::onnx::addGramOps(OpTable &table) {
  table.add({"TfIdfVectorizer"}, {convertTfIdfVectorizer, 9});
}
