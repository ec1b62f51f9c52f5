//===- Linear.cpp - Linear models and support vectors of ai.onnx.ml -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../OpTable.h"
#include "Scores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static ArrayRef<float> getFloatList(NodeContext &node, StringRef name) {
  return node.getFloats(name).value_or(ArrayRef<float>());
}

static Value createMatrix(NodeContext &node, ArrayRef<float> values,
                          ArrayRef<int64_t> shape) {
  SmallVector<double> numbers(values.begin(), values.end());
  return node.createFloats(numbers, shape, node.getBuilder().getF32Type());
}

/// rows * matrix^T, where `matrix` has `count` rows. Reports an error unless
/// the numbers fill them, or if they are not as long as those of `rows`.
static Value createProduct(NodeContext &node, Value &rows, StringRef name,
                           ArrayRef<float> matrix, int64_t count) {
  int64_t size = matrix.size();
  if (count < 1 || size == 0 || size % count != 0) {
    node.emitError() << "expects a multiple of " << count
                     << " numbers in attribute \"" << name << "\", but got "
                     << size;
    return nullptr;
  }
  rows = node.expectSize(rows, 1, size / count);
  return node.create<NNDenseOp>(
      {rows, createMatrix(node, matrix, {count, size / count})});
}

//===----------------------------------------------------------------------===//
// Linear models
//===----------------------------------------------------------------------===//

/// The scores [N, count] of a linear model.
static Value createLinearScores(NodeContext &node, int64_t count) {
  Value rows = getRows(node, node.getBuilder().getF32Type());
  Value scores = createProduct(node, rows, "coefficients",
                               getFloatList(node, "coefficients"), count);
  ArrayRef<float> intercepts = getFloatList(node, "intercepts");
  if (!scores || intercepts.empty())
    return scores;
  if (failed(expectCount(node, "intercepts", intercepts.size(), count,
                         "one for each result")))
    return nullptr;
  return node.create<AddOp>({scores, createMatrix(node, intercepts, {count})});
}

static LogicalResult convertLinearRegressor(NodeContext &node) {
  int64_t targets = node.getInt("targets", 1);
  PostTransform transform = getPostTransform(node);
  if (targets < 1)
    return node.emitError()
           << "expects a positive number of targets, but got " << targets;
  Value scores = createLinearScores(node, targets);
  // As in ONNX Runtime, there is nothing to compare one score with.
  if (targets > 1 || transform == PostTransform::Probit)
    scores = createTransformed(node, scores, transform);
  return node.setResult(scores);
}

static LogicalResult convertLinearClassifier(NodeContext &node) {
  PostTransform transform = getPostTransform(node);
  FailureOr<ClassLabels> labels = ClassLabels::get(node, "classlabels_ints");
  if (failed(labels))
    return failure();
  // One score may stand for both of two classes.
  size_t numIntercepts = getFloatList(node, "intercepts").size();
  bool isBinary = labels->size() == 2 && numIntercepts == 1;
  int64_t count = isBinary ? 1 : labels->size();
  Value scores = createLinearScores(node, count);
  if (!scores)
    return failure();
  Formula f(node, scores);
  if (isBinary) {
    Value isSecond = f.greater(scores, f.number(0));
    if (failed(labels->setOutputOfCondition(node, isSecond)))
      return failure();
    return node.setOutput(
        1, createBinaryScores(node, scores, transform, /*arePositive=*/true));
  }
  if (failed(labels->setOutputOfMaximum(node, scores)))
    return failure();
  return node.setOutput(1, createTransformed(node, scores, transform));
}

//===----------------------------------------------------------------------===//
// Kernels of support vector machines
//===----------------------------------------------------------------------===//

namespace {

/// What a row is compared with a vector by.
struct Kernel {
  enum class Kind { Linear, Polynomial, RBF, Sigmoid };

  Kind kind = Kind::Linear;
  double gamma = 0, offset = 0, degree = 0;

  static FailureOr<Kernel> get(NodeContext &node);

  /// Each of `rows` compared with each of `count` vectors: [N, count].
  Value create(NodeContext &node, Value rows, StringRef name,
               ArrayRef<float> vectors, int64_t count) const;
};

} // namespace

FailureOr<Kernel> Kernel::get(NodeContext &node) {
  Kernel kernel;
  StringRef name = node.getString("kernel_type", "LINEAR");
  auto kind = llvm::StringSwitch<std::optional<Kind>>(name)
                  .Case("LINEAR", Kind::Linear)
                  .Case("POLY", Kind::Polynomial)
                  .Case("RBF", Kind::RBF)
                  .Case("SIGMOID", Kind::Sigmoid)
                  .Default(std::nullopt);
  if (!kind)
    return node.emitError() << "expects kernel_type LINEAR, POLY, RBF or "
                               "SIGMOID, but got \""
                            << name << "\"";
  kernel.kind = *kind;
  ArrayRef<float> numbers = getFloatList(node, "kernel_params");
  if (!numbers.empty()) {
    if (failed(expectCount(node, "kernel_params", numbers.size(), 3,
                           "gamma, coef0 and degree")))
      return failure();
    kernel.gamma = numbers[0];
    kernel.offset = numbers[1];
    kernel.degree = numbers[2];
  }
  return node.hasFailed() ? FailureOr<Kernel>(failure()) : kernel;
}

Value Kernel::create(NodeContext &node, Value rows, StringRef name,
                     ArrayRef<float> vectors, int64_t count) const {
  Value products = createProduct(node, rows, name, vectors, count);
  if (!products)
    return nullptr;
  Formula f(node, products);
  auto scaled = [&] {
    return f.add(f.mul(products, f.number(gamma)), f.number(offset));
  };
  switch (kind) {
  case Kind::Linear:
    return products;
  case Kind::Sigmoid:
    return node.create<TanhOp>({scaled()});
  case Kind::Polynomial: {
    Value base = scaled();
    if (degree == 2)
      return f.mul(base, base);
    if (degree == 3)
      return f.mul(base, f.mul(base, base));
    return node.create<PowerOp>({base, f.number(degree)});
  }
  case Kind::RBF: {
    // Products would be faster, but differences of large numbers cancel.
    int64_t size = vectors.size() / count;
    Value difference = f.sub(node.expandDims(rows, 1),
                             createMatrix(node, vectors, {1, count, size}));
    Value distance = f.reduce<SumOp>(f.mul(difference, difference), /*axis=*/2);
    return f.exp(f.mul(node.squeeze(distance, {2}), f.number(-gamma)));
  }
  }
  llvm_unreachable("unknown kernel");
}

static LogicalResult convertSVMRegressor(NodeContext &node) {
  FailureOr<Kernel> kernel = Kernel::get(node);
  // As in ONNX Runtime, it changes nothing.
  (void)getPostTransform(node);
  ArrayRef<float> coefficients = getFloatList(node, "coefficients");
  ArrayRef<float> rho = getFloatList(node, "rho");
  int64_t count = node.getInt("n_supports", 0);
  Value rows = getRows(node, node.getBuilder().getF32Type());
  if (failed(kernel) || node.hasFailed() ||
      failed(expectCount(node, "rho", rho.size(), 1, "the offset")))
    return failure();
  Value scores;
  if (count > 0) {
    if (failed(expectCount(node, "coefficients", coefficients.size(), count,
                           "one for each support vector")))
      return failure();
    Value kernels =
        kernel->create(node, rows, "support_vectors",
                       getFloatList(node, "support_vectors"), count);
    scores = createProduct(node, kernels, "coefficients", coefficients, 1);
  } else {
    // Without vectors, the kernel is linear.
    scores = createProduct(node, rows, "coefficients", coefficients, 1);
  }
  if (!scores)
    return failure();
  Formula f(node, scores);
  scores = f.add(scores, f.number(rho.front()));
  if (node.getBool("one_class", false))
    scores =
        f.select(f.greater(scores, f.number(0)), f.number(1), f.number(-1));
  return node.setResult(scores);
}

//===----------------------------------------------------------------------===//
// Classes of support vector machines
//===----------------------------------------------------------------------===//

namespace {

/// The classifiers between each two classes.
class Pairs {
public:
  explicit Pairs(int64_t numClasses) : numClasses(numClasses) {
    for (int64_t i = 0; i < numClasses; ++i)
      for (int64_t j = i + 1; j < numClasses; ++j)
        pairs.emplace_back(i, j);
  }

  int64_t size() const { return pairs.size(); }
  auto begin() const { return pairs.begin(); }
  auto end() const { return pairs.end(); }

  static int64_t count(int64_t numClasses) {
    return numClasses * (numClasses - 1) / 2;
  }

  /// Where the pair of `i` and `j` is, in any order.
  int64_t getPosition(int64_t i, int64_t j) const {
    if (i > j)
      std::swap(i, j);
    return pairs.size() - count(numClasses - i) + j - i - 1;
  }

private:
  int64_t numClasses;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
};

/// Probabilities of classes from those of pairs, by the method of Wu, Lin and
/// Weng that libsvm and ONNX Runtime have, with its rule to stop.
class PairwiseCoupling {
public:
  /// `probabilities` is [N, pairs]: of the first class, not of the second one.
  PairwiseCoupling(NodeContext &node, const Pairs &pairs, int64_t numClasses,
                   Value probabilities);

  /// The probabilities of the classes, [N, numClasses].
  Value create();

private:
  Value column(Value value, int64_t index) {
    return node.slice(value, 1, index, index + 1);
  }
  Value sweep(Value p);

  NodeContext &node;
  int64_t numClasses;
  Formula f;
  /// The rows of the matrix Q, each [N, numClasses], and its diagonal.
  SmallVector<Value> rows, diagonal;
};

} // namespace

/// Sweeps that make sure that it stops: it takes 6 of them for hard cases of 20
/// classes.
static constexpr int kNumSweeps = 12;

/// Classes with probabilities at most; each is a few operators in each sweep.
static constexpr int64_t kMaxCoupledClasses = 64;

PairwiseCoupling::PairwiseCoupling(NodeContext &node, const Pairs &pairs,
                                   int64_t numClasses, Value probabilities)
    : node(node), numClasses(numClasses), f(node, probabilities) {
  OpBuilder &b = node.getBuilder();
  Value both =
      concatColumns(node, {probabilities, f.sub(f.number(1), probabilities)});
  for (int64_t t = 0; t < numClasses; ++t) {
    // Of class t and not another one, and the other way round.
    SmallVector<int32_t> own, other;
    SmallVector<double> isOther, isOwn;
    for (int64_t j = 0; j < numClasses; ++j) {
      int64_t position = j == t ? 0 : pairs.getPosition(t, j);
      int64_t last = pairs.size();
      own.push_back(t < j ? position : position + last);
      other.push_back(t < j ? position + last : position);
      isOther.push_back(j != t);
      isOwn.push_back(j == t);
    }
    auto type = RankedTensorType::get(numClasses, b.getI32Type());
    auto take = [&](ArrayRef<int32_t> positions) {
      return node.take(
          both, node.createConstant(DenseElementsAttr::get(type, positions)),
          1);
    };
    auto mask = [&](ArrayRef<double> numbers) {
      return node.createFloats(numbers, {numClasses}, b.getF32Type());
    };
    Value against = f.mul(take(other), mask(isOther));
    diagonal.push_back(f.reduce<SumOp>(f.mul(against, against), 1));
    rows.push_back(
        f.sub(f.mul(diagonal.back(), mask(isOwn)), f.mul(take(own), against)));
  }
}

Value PairwiseCoupling::sweep(Value p) {
  // Q is symmetric, so its rows are its columns.
  Value product;
  for (int64_t t = 0; t < numClasses; ++t) {
    Value term = f.mul(rows[t], column(p, t));
    product = product ? f.add(product, term) : term;
  }
  Value total = f.reduce<SumOp>(f.mul(p, product), 1);
  Value error = f.reduce<MaxOp>(f.abs(f.sub(product, total)), 1);
  Value isDone = f.less(error, f.number(0.005 / numClasses));
  Value result = p;
  for (int64_t t = 0; t < numClasses; ++t) {
    Value own = column(product, t);
    Value step = f.div(f.sub(total, own), diagonal[t]);
    Value scale = f.add(f.number(1), step);
    SmallVector<double> isOwn(numClasses, 0);
    isOwn[t] = 1;
    Value mask =
        node.createFloats(isOwn, {numClasses}, node.getBuilder().getF32Type());
    result = f.div(f.add(result, f.mul(step, mask)), scale);
    Value change =
        f.mul(step, f.add(f.mul(step, diagonal[t]), f.mul(f.number(2), own)));
    total = f.div(f.div(f.add(total, change), scale), scale);
    product = f.div(f.add(product, f.mul(step, rows[t])), scale);
  }
  return f.select(isDone, p, result);
}

Value PairwiseCoupling::create() {
  Value p = f.mul(rows.front(), f.number(0));
  p = f.add(p, f.number(1.0 / numClasses));
  for (int i = 0; i < kNumSweeps && p; ++i)
    p = sweep(p);
  return p;
}

/// 1 / (1 + exp(score * a + b)) for each pair, not quite 0 or 1.
static Value createPairProbabilities(NodeContext &node, Value scores,
                                     ArrayRef<float> a, ArrayRef<float> b) {
  Formula f(node, scores);
  int64_t count = a.size();
  Value exponent = f.add(f.mul(scores, createMatrix(node, a, {count})),
                         createMatrix(node, b, {count}));
  constexpr double least = 1e-7f;
  return f.clip(f.sigmoid(f.neg(exponent)), least, 1.0f - 1e-7f);
}

/// The scores of all pairs: [N, pairs].
static Value createPairScores(NodeContext &node, Value kernels,
                              ArrayRef<int64_t> vectorsPerClass,
                              ArrayRef<float> coefficients, ArrayRef<float> rho,
                              const Pairs &pairs) {
  SmallVector<int64_t> starts = {0};
  for (int64_t count : vectorsPerClass)
    starts.push_back(starts.back() + count);
  int64_t numVectors = starts.back();
  // A pair takes the vectors of its two classes only. Coefficients of a class
  // are in rows, one for each other class.
  SmallVector<float> matrix(pairs.size() * numVectors, 0);
  for (auto [row, pair] : llvm::enumerate(pairs)) {
    auto [i, j] = pair;
    for (int64_t k = starts[i]; k < starts[i + 1]; ++k)
      matrix[row * numVectors + k] = coefficients[(j - 1) * numVectors + k];
    for (int64_t k = starts[j]; k < starts[j + 1]; ++k)
      matrix[row * numVectors + k] = coefficients[i * numVectors + k];
  }
  Value scores =
      createProduct(node, kernels, "coefficients", matrix, pairs.size());
  return node.create<AddOp>({scores, createMatrix(node, rho, {pairs.size()})});
}

/// How many pairs each class wins: [N, classes]. Small integers are exact in
/// any precision.
static Value createVotes(NodeContext &node, Value scores, const Pairs &pairs,
                         int64_t numClasses) {
  Formula f(node, scores);
  Value isFirst = node.castTo(f.greater(scores, f.number(0)),
                              node.getBuilder().getF32Type());
  SmallVector<float> matrix(numClasses * pairs.size(), 0);
  SmallVector<float> seconds(numClasses, 0);
  for (auto [column, pair] : llvm::enumerate(pairs)) {
    matrix[pair.first * pairs.size() + column] = 1;
    matrix[pair.second * pairs.size() + column] = -1;
    ++seconds[pair.second];
  }
  Value won = createProduct(node, isFirst, "votes", matrix, numClasses);
  return f.add(won, createMatrix(node, seconds, {numClasses}));
}

/// Without support vectors: a score for each class.
static LogicalResult convertLinearSVM(NodeContext &node,
                                      const ClassLabels &labels,
                                      PostTransform transform) {
  Value rows = getRows(node, node.getBuilder().getF32Type());
  ArrayRef<float> rho = getFloatList(node, "rho");
  if (rho.empty())
    return expectCount(node, "rho", 0, 1, "the offset");
  Value scores =
      createProduct(node, rows, "coefficients",
                    getFloatList(node, "coefficients"), labels.size());
  Formula f(node, scores);
  scores = f.add(scores, f.number(rho.front()));
  if (failed(labels.setOutputOfMaximum(node, scores)))
    return failure();
  return node.setOutput(1, createTransformed(node, scores, transform));
}

static LogicalResult convertSVMClassifier(NodeContext &node) {
  FailureOr<Kernel> kernel = Kernel::get(node);
  PostTransform transform = getPostTransform(node);
  FailureOr<ClassLabels> labels = ClassLabels::get(node, "classlabels_ints");
  if (failed(kernel) || failed(labels) || node.hasFailed())
    return failure();
  ArrayRef<int64_t> counts =
      node.getInts("vectors_per_class").value_or(ArrayRef<int64_t>());
  int64_t numVectors = 0;
  for (int64_t count : counts) {
    constexpr int64_t limit = std::numeric_limits<int32_t>::max();
    if (count < 0 || count > limit - numVectors)
      return node.emitError() << "expects numbers of vectors that are not "
                                 "negative in attribute \"vectors_per_class\", "
                                 "and together at most "
                              << limit << ", but got " << count;
    numVectors += count;
  }
  if (numVectors == 0)
    return convertLinearSVM(node, *labels, transform);

  int64_t numClasses = labels->size();
  if (numClasses < 2)
    return node.emitError() << "expects two classes or more, but got 1";
  ArrayRef<float> vectors = getFloatList(node, "support_vectors");
  ArrayRef<float> coefficients = getFloatList(node, "coefficients");
  ArrayRef<float> rho = getFloatList(node, "rho");
  ArrayRef<float> a = getFloatList(node, "prob_a");
  ArrayRef<float> b = getFloatList(node, "prob_b");
  int64_t numScores = Pairs::count(numClasses);
  if (failed(expectCount(node, "vectors_per_class", counts.size(), numClasses,
                         "one for each class")) ||
      failed(expectCount(node, "coefficients", coefficients.size(),
                         (numClasses - 1) * numVectors,
                         "for each vector one for each other class")) ||
      failed(expectCount(node, "rho", rho.size(), numScores,
                         "one for each two classes")) ||
      failed(expectCount(node, "prob_b", b.size(), a.size(),
                         "as many as in attribute \"prob_a\"")) ||
      (!a.empty() && failed(expectCount(node, "prob_a", a.size(), numScores,
                                        "one for each two classes"))))
    return failure();

  Pairs pairs(numClasses);
  Value rows = getRows(node, node.getBuilder().getF32Type());
  Value kernels =
      kernel->create(node, rows, "support_vectors", vectors, numVectors);
  Value scores =
      createPairScores(node, kernels, counts, coefficients, rho, pairs);
  if (!scores || failed(labels->setOutputOfMaximum(
                     node, createVotes(node, scores, pairs, numClasses))))
    return failure();
  if (!node.wantsOutput(1))
    return success();
  if (!a.empty()) {
    if (numClasses > kMaxCoupledClasses)
      return node.emitError()
             << "expects at most " << kMaxCoupledClasses
             << " classes with probabilities, but got " << numClasses;
    PairwiseCoupling coupling(node, pairs, numClasses,
                              createPairProbabilities(node, scores, a, b));
    scores = coupling.create();
  } else if (numClasses == 2) {
    // Scores as they are have both signs; transformed ones are taken for
    // probabilities.
    return node.setOutput(1,
                          createBinaryScores(node, scores, transform,
                                             transform != PostTransform::None));
  }
  return node.setOutput(1, createTransformed(node, scores, transform));
}

void mlir::relay::onnx::addMLLinearOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert) {
    table.add(kMLDomain, {name}, {std::move(convert), 1, kNewestMLOpset});
  };
  add("LinearClassifier", convertLinearClassifier);
  add("LinearRegressor", convertLinearRegressor);
  add("SVMClassifier", convertSVMClassifier);
  add("SVMRegressor", convertSVMRegressor);
}
