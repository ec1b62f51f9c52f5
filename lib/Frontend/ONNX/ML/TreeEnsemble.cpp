//===- TreeEnsemble.cpp - Trees of ai.onnx.ml -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rows walk down all trees at once, one test at a time: a few lookups in
// tables, without branches. Whoever is at a leaf stays there until all are.
// Trees of about one depth walk together, so that a deep one costs no more than
// its own steps.
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../OpTable.h"
#include "Forest.h"
#include "Scores.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// Numbers in a table of the weights of all leaves for all targets, at most.
static constexpr int64_t kMaxWeights = int64_t(1) << 24;

/// Numbers at most, or those of one tree, that a row has in memory before they
/// are added: weights of trees for all targets.
static constexpr int64_t kMaxRowWeights = 512;

namespace {

enum class Aggregate { Average, Sum, Min, Max };

/// Builds what a forest says about rows.
class ForestWalk {
public:
  ForestWalk(NodeContext &node, const Forest &forest, ForestTables tables,
             Aggregate aggregate, Value rows);

  /// The sum, or so, of the weights for each target: [N, targets].
  Value create();

private:
  /// Trees by their positions; -1 is one with no weights.
  using Trees = ArrayRef<int64_t>;

  int32_t getRoot(int64_t tree) const {
    return tree < 0 ? tables.emptyLeaf : tables.roots[tree];
  }

  Value createIndices(ArrayRef<int32_t> values);
  /// The leaves that rows end at: [N, trees].
  Value createLeaves(Trees trees);
  /// One test of each tree; null stands for the roots.
  Value createStep(Value at, Trees trees);

  /// Trees of about one depth each, the deepest first.
  SmallVector<SmallVector<int64_t>> getGroups() const;
  /// The only target that a tree has weights for; none if there are several.
  std::optional<int64_t> getTarget(int64_t tree);
  /// `trees` in the order of their targets, as many of each; none if a tree has
  /// several, or if they differ too much.
  std::optional<SmallVector<int64_t>> sortByTarget(Trees trees);
  /// What `trees` weigh together: [N, targets].
  Value createWeights(Trees trees);
  /// The same for trees in the order of sortByTarget.
  Value createWeightsByTarget(Trees trees);
  /// The same for any trees.
  Value createWeightsOfAll(Trees trees);

  Value combine(Value a, Value b) const;
  Value reduce(Value weights, int64_t axis) const;
  /// What changes nothing.
  double getNeutral() const;
  void addWeight(double &sum, double weight) const;

  NodeContext &node;
  const Forest &forest;
  ForestTables tables;
  Aggregate aggregate;
  Value rows;
  Formula f;
  Type type;
  /// For each leaf of the tables, what it weighs.
  std::vector<SmallVector<std::pair<int64_t, double>, 1>> weightsOfLeaf;
  /// For each entry of the tables the last tree that has been seen to have it.
  std::vector<int64_t> seenIn;
  Value features, thresholds, children;
};

} // namespace

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

ForestWalk::ForestWalk(NodeContext &node, const Forest &forest,
                       ForestTables givenTables, Aggregate aggregate,
                       Value rows)
    : node(node), forest(forest), tables(std::move(givenTables)),
      aggregate(aggregate), rows(rows), f(node, rows),
      type(node.getElementType(rows)), weightsOfLeaf(tables.numLeaves),
      seenIn(tables.features.size(), -1) {
  for (const LeafWeight &weight : forest.weights)
    weightsOfLeaf[tables.leafNumbers[weight.leaf]].emplace_back(weight.target,
                                                                weight.weight);
  int64_t size = tables.features.size();
  features = createIndices(tables.features);
  thresholds = node.createFloats(tables.thresholds, {size}, type);
  children = createIndices(tables.children);
}

Value ForestWalk::createIndices(ArrayRef<int32_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                    node.getBuilder().getI32Type());
  return node.createConstant(DenseElementsAttr::get(type, values));
}

Value ForestWalk::createStep(Value at, Trees trees) {
  Type indexType = node.getBuilder().getI32Type();
  auto number = [&](int64_t value) {
    return node.createScalar(static_cast<double>(value), indexType);
  };
  TakeOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  Value feature, threshold, first;
  if (at) {
    feature = node.take(features, at, 0);
    threshold = node.take(thresholds, at, 0);
    first = node.create<MultiplyOp>({at, number(tables.numChildren)});
    properties.batch_dims = node.getBuilder().getI64IntegerAttr(1);
  } else {
    // What is known of the roots.
    SmallVector<int32_t> rootFeatures, rootChildren;
    SmallVector<double> rootThresholds;
    for (int64_t tree : trees) {
      int32_t root = getRoot(tree);
      rootFeatures.push_back(tables.features[root]);
      rootThresholds.push_back(tables.thresholds[root]);
      rootChildren.push_back(static_cast<int32_t>(root * tables.numChildren));
    }
    feature = createIndices(rootFeatures);
    threshold = node.createFloats(rootThresholds,
                                  {static_cast<int64_t>(trees.size())}, type);
    first = createIndices(rootChildren);
  }
  Value x = node.create<TakeOp>({rows, feature}, properties);
  Value which = f.select(f.lessEqual(x, threshold), number(0), number(1));
  if (tables.numChildren == 3)
    which = f.select(f.isNan(x), number(2), which);
  return node.take(children, f.add(first, which), 0);
}

Value ForestWalk::createLeaves(Trees trees) {
  int64_t depth = 0;
  for (int64_t tree : trees)
    depth = tree < 0 ? depth : std::max(depth, tables.depths[tree]);
  if (depth == 0) {
    // All trees are leaves; each row is at them.
    SmallVector<int32_t> roots;
    for (int64_t tree : trees)
      roots.push_back(getRoot(tree));
    SmallVector<ShapeScalar> sizes = {
        node.getDims(rows).front(),
        ShapeScalar::get(static_cast<int64_t>(trees.size()))};
    return node.broadcast(createIndices(roots), sizes);
  }
  Value at;
  for (int64_t i = 0; i < depth; ++i) {
    at = createStep(at, trees);
    if (!at)
      return nullptr;
  }
  return at;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

double ForestWalk::getNeutral() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (aggregate) {
  case Aggregate::Average:
  case Aggregate::Sum:
    return 0;
  case Aggregate::Min:
    return infinity;
  case Aggregate::Max:
    return -infinity;
  }
  llvm_unreachable("unknown aggregate");
}

void ForestWalk::addWeight(double &sum, double weight) const {
  if (aggregate == Aggregate::Min)
    sum = std::min(sum, weight);
  else if (aggregate == Aggregate::Max)
    sum = std::max(sum, weight);
  else
    sum += weight;
}

Value ForestWalk::combine(Value a, Value b) const {
  if (!a)
    return b;
  if (aggregate == Aggregate::Min)
    return f.min(a, b);
  if (aggregate == Aggregate::Max)
    return f.max(a, b);
  return f.add(a, b);
}

Value ForestWalk::reduce(Value weights, int64_t axis) const {
  Value result;
  if (aggregate == Aggregate::Min)
    result = f.reduce<MinOp>(weights, axis);
  else if (aggregate == Aggregate::Max)
    result = f.reduce<MaxOp>(weights, axis);
  else
    result = f.reduce<SumOp>(weights, axis);
  return node.getRank(weights) == 2 ? result : node.squeeze(result, {axis});
}

std::optional<int64_t> ForestWalk::getTarget(int64_t tree) {
  std::optional<int64_t> target;
  SmallVector<int32_t> stack = {tables.roots[tree]};
  while (!stack.empty()) {
    int32_t at = stack.pop_back_val();
    if (seenIn[at] == tree)
      continue;
    seenIn[at] = tree;
    if (at >= tables.numLeaves) {
      for (int64_t i = 0; i < tables.numChildren; ++i)
        stack.push_back(tables.children[at * tables.numChildren + i]);
      continue;
    }
    for (auto [leafTarget, weight] : weightsOfLeaf[at]) {
      if (target.value_or(leafTarget) != leafTarget)
        return std::nullopt;
      target = leafTarget;
    }
  }
  return target.value_or(0);
}

std::optional<SmallVector<int64_t>> ForestWalk::sortByTarget(Trees trees) {
  if (forest.numTargets == 1)
    return llvm::to_vector(trees);
  llvm::DenseMap<int64_t, SmallVector<int64_t>> treesOfTarget;
  size_t width = 0;
  for (int64_t tree : trees) {
    std::optional<int64_t> target = getTarget(tree);
    if (!target)
      return std::nullopt;
    SmallVector<int64_t> &list = treesOfTarget[*target];
    list.push_back(tree);
    width = std::max(width, list.size());
  }
  // Empty trees are walked as well.
  int64_t limit = (2 * trees.size() + 64) / width;
  if (forest.numTargets > limit)
    return std::nullopt;
  SmallVector<int64_t> sorted;
  for (int64_t target = 0; target < forest.numTargets; ++target) {
    SmallVector<int64_t> &list = treesOfTarget[target];
    list.resize(width, -1);
    llvm::append_range(sorted, list);
  }
  return sorted;
}

Value ForestWalk::createWeightsByTarget(Trees trees) {
  int64_t numTargets = forest.numTargets, numLeaves = tables.numLeaves;
  std::vector<double> weights(numLeaves, getNeutral());
  for (auto [leaf, list] : llvm::enumerate(weightsOfLeaf))
    for (auto [target, weight] : list)
      addWeight(weights[leaf], weight);
  Value table = node.createFloats(weights, {numLeaves}, type);
  Value found = node.take(table, createLeaves(trees), 0);
  if (!found || numTargets == 1)
    return found ? reduce(found, 1) : nullptr;
  SmallVector<ShapeScalar> sizes = {
      node.getDims(found).front(), ShapeScalar::get(numTargets),
      ShapeScalar::get(static_cast<int64_t>(trees.size()) / numTargets)};
  return reduce(node.reshape(found, ArrayRef<ShapeScalar>(sizes)), 2);
}

Value ForestWalk::createWeightsOfAll(Trees trees) {
  int64_t numTargets = forest.numTargets, numLeaves = tables.numLeaves;
  if (numTargets > kMaxWeights / numLeaves) {
    node.emitError() << "expects at most " << kMaxWeights
                     << " weights for all leaves and targets, but got "
                     << numLeaves << " leaves and " << numTargets << " targets";
    return nullptr;
  }
  std::vector<double> weights(numLeaves * numTargets, getNeutral());
  for (auto [leaf, list] : llvm::enumerate(weightsOfLeaf))
    for (auto [target, weight] : list)
      addWeight(weights[leaf * numTargets + target], weight);
  Value table = node.createFloats(weights, {numLeaves, numTargets}, type);
  Value total;
  size_t size = std::max<int64_t>(kMaxRowWeights / numTargets, 1);
  for (; !trees.empty();
       trees = trees.drop_front(std::min(size, trees.size()))) {
    Value leaves = createLeaves(trees.take_front(size));
    Value sum = leaves ? reduce(node.take(table, leaves, 0), 1) : nullptr;
    if (!sum)
      return nullptr;
    total = combine(total, sum);
  }
  return total;
}

Value ForestWalk::createWeights(Trees trees) {
  if (std::optional<SmallVector<int64_t>> sorted = sortByTarget(trees))
    return createWeightsByTarget(*sorted);
  return createWeightsOfAll(trees);
}

SmallVector<SmallVector<int64_t>> ForestWalk::getGroups() const {
  SmallVector<int64_t> order = llvm::to_vector(
      llvm::seq<int64_t>(static_cast<int64_t>(tables.roots.size())));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::make_pair(-tables.depths[a], a) <
           std::make_pair(-tables.depths[b], b);
  });
  SmallVector<SmallVector<int64_t>> groups;
  for (size_t begin = 0; begin < order.size();) {
    int64_t depth = tables.depths[order[begin]];
    size_t end = begin;
    while (end < order.size() && 2 * tables.depths[order[end]] >= depth)
      ++end;
    // A group by itself has to be worth it.
    if (end < order.size()) {
      int64_t saved =
          (order.size() - end) * (depth - tables.depths[order[end]]);
      int64_t all = (order.size() - begin) * depth;
      if (4 * saved < all)
        end = order.size();
    }
    groups.emplace_back(order.begin() + begin, order.begin() + end);
    // In the order of the model, which is that of sums.
    llvm::sort(groups.back());
    begin = end;
  }
  return groups;
}

Value ForestWalk::create() {
  Value total;
  for (const SmallVector<int64_t> &group : getGroups()) {
    Value weights = createWeights(group);
    if (!weights)
      return nullptr;
    total = combine(total, weights);
  }
  if (aggregate == Aggregate::Average)
    return f.div(total, f.number(static_cast<double>(tables.roots.size())));
  if (aggregate == Aggregate::Sum)
    return total;
  // Of no weights there is no extreme one.
  return f.select(f.equal(total, f.number(getNeutral())), f.number(0), total);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// What a forest says about input 0. Doubles are compared and added as such,
/// and all else as floats.
static Value createForest(NodeContext &node, const Forest &forest,
                          Aggregate aggregate) {
  OpBuilder &b = node.getBuilder();
  Type inputType = node.getElementType(node.getInput(0));
  bool isDouble = inputType.isF64();
  Value rows = getRows(node, isDouble ? inputType : b.getF32Type());
  if (!rows)
    return nullptr;
  FailureOr<ForestTables> tables =
      ForestTables::get(node, forest, isDouble, isa<FloatType>(inputType));
  if (failed(tables))
    return nullptr;
  int64_t numColumns = node.getType(rows).getDimSize(1);
  int64_t numFeatures = tables->maxFeature + 1;
  if (ShapedType::isDynamic(numColumns)) {
    // Those that trees ask for have to be there.
    constexpr int64_t maxColumns = int64_t(1) << 20;
    if (numFeatures > maxColumns) {
      node.emitError() << "expects ids of features in attribute "
                          "\"nodes_featureids\" below "
                       << maxColumns
                       << " where the number of columns is open, but got "
                       << tables->maxFeature;
      return nullptr;
    }
    SmallVector<int64_t> columns =
        llvm::to_vector(llvm::seq<int64_t>(numFeatures));
    rows = node.take(rows, node.createInts(columns), 1, "fast");
  } else if (numColumns < numFeatures) {
    node.emitError() << "expects ids of features in attribute "
                        "\"nodes_featureids\" in [0, "
                     << numColumns << "), the columns of "
                     << node.getInputType(0) << ", but got "
                     << tables->maxFeature;
    return nullptr;
  }
  if (!rows)
    return nullptr;
  return ForestWalk(node, forest, std::move(*tables), aggregate, rows).create();
}

/// Scores of several targets are transformed; of one, ONNX Runtime transforms
/// only to quantiles.
static Value createTargets(NodeContext &node, Value scores, int64_t numTargets,
                           PostTransform transform) {
  return numTargets > 1 || transform == PostTransform::Probit
             ? createTransformed(node, scores, transform)
             : scores;
}

static FailureOr<Value> addBaseValues(NodeContext &node, Value scores,
                                      ArrayRef<double> values, int64_t count) {
  if (values.empty() || !scores)
    return scores;
  if (failed(expectCount(node, "base_values", values.size(), count,
                         "one for each result")))
    return failure();
  return node.create<AddOp>(
      {scores,
       node.createFloats(values, {count}, node.getElementType(scores))});
}

static LogicalResult convertTreeEnsembleRegressor(NodeContext &node) {
  PostTransform transform = getPostTransform(node);
  StringRef name = node.getString("aggregate_function", "SUM");
  auto aggregate = llvm::StringSwitch<std::optional<Aggregate>>(name)
                       .Case("AVERAGE", Aggregate::Average)
                       .Case("SUM", Aggregate::Sum)
                       .Case("MIN", Aggregate::Min)
                       .Case("MAX", Aggregate::Max)
                       .Default(std::nullopt);
  if (!aggregate)
    return node.emitError() << "expects aggregate_function AVERAGE, SUM, MIN "
                               "or MAX, but got \""
                            << name << "\"";
  int64_t numTargets = node.getInt("n_targets", 1);
  if (numTargets < 1)
    return node.emitError()
           << "expects a positive number of targets, but got " << numTargets;
  FailureOr<Forest> forest = Forest::readTuples(node, "target", numTargets);
  FailureOr<std::vector<double>> base = readNumbers(node, "base_values");
  if (failed(forest) || failed(base))
    return failure();
  FailureOr<Value> scores = addBaseValues(
      node, createForest(node, *forest, *aggregate), *base, numTargets);
  if (failed(scores))
    return failure();
  return node.setResult(
      createTargets(node, node.castTo(*scores, node.getBuilder().getF32Type()),
                    numTargets, transform));
}

static LogicalResult convertTreeEnsemble(NodeContext &node) {
  static constexpr Aggregate aggregates[] = {Aggregate::Average, Aggregate::Sum,
                                             Aggregate::Min, Aggregate::Max};
  static constexpr PostTransform transforms[] = {
      PostTransform::None, PostTransform::Softmax, PostTransform::Logistic,
      PostTransform::SoftmaxZero, PostTransform::Probit};
  int64_t aggregate = node.getInt("aggregate_function", 1);
  int64_t transform = node.getInt("post_transform", 0);
  auto expectBelow = [&](StringRef name, int64_t value,
                         size_t limit) -> LogicalResult {
    if (value >= 0 && value < static_cast<int64_t>(limit))
      return success();
    return node.emitError() << "expects attribute \"" << name << "\" in [0, "
                            << limit << "), but got " << value;
  };
  if (failed(expectBelow("aggregate_function", aggregate,
                         std::size(aggregates))) ||
      failed(expectBelow("post_transform", transform, std::size(transforms))))
    return failure();
  FailureOr<Forest> forest = Forest::readRoots(node);
  if (failed(forest))
    return failure();
  Value scores = createForest(node, *forest, aggregates[aggregate]);
  return node.setResult(
      createTargets(node, scores, forest->numTargets, transforms[transform]));
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {

/// What follows from the classes that trees weigh.
struct ClassWeights {
  /// The classes that have a weight.
  SmallVector<bool> isWeighed;
  int64_t numWeighed = 0;
  bool arePositive = true;

  ClassWeights(const Forest &forest, int64_t numClasses)
      : isWeighed(numClasses, false) {
    for (const LeafWeight &weight : forest.weights) {
      numWeighed += !isWeighed[weight.target];
      isWeighed[weight.target] = true;
      arePositive &= weight.weight >= 0;
    }
  }
};

} // namespace

/// Labels of two classes of which trees weigh one: a score decides. Scores like
/// probabilities have to be above one half for the second class.
static LogicalResult setLabelByScore(NodeContext &node,
                                     const ClassLabels &labels, Value score,
                                     const ClassWeights &weights) {
  Formula f(node, score);
  return labels.setOutputOfCondition(
      node, f.greater(score, f.number(weights.arePositive ? 0.5 : 0)));
}

static LogicalResult convertTreeEnsembleClassifier(NodeContext &node) {
  Type f32 = node.getBuilder().getF32Type();
  PostTransform transform = getPostTransform(node);
  FailureOr<ClassLabels> labels = ClassLabels::get(node, "classlabels_int64s");
  if (failed(labels))
    return failure();
  int64_t numClasses = labels->size();
  FailureOr<Forest> forest = Forest::readTuples(node, "class", numClasses);
  FailureOr<std::vector<double>> base = readNumbers(node, "base_values");
  if (failed(forest) || failed(base))
    return failure();
  ClassWeights weights(*forest, numClasses);
  // One score may stand for both of two classes, also with one base value.
  bool isSingle = numClasses == 2 && !weights.isWeighed[1] && base->size() < 2;
  // Then only the first of them has weights.
  if (isSingle)
    forest->numTargets = 1;
  bool isFirstOnly = numClasses == 2 && base->size() == 1;
  if (isFirstOnly && !isSingle)
    base->push_back(0);
  FailureOr<Value> sums =
      addBaseValues(node, createForest(node, *forest, Aggregate::Sum), *base,
                    forest->numTargets);
  if (failed(sums) || !*sums)
    return failure();
  Value scores = *sums;
  Formula f(node, scores);
  Value narrow = node.castTo(scores, f32);
  if (isSingle) {
    if (failed(setLabelByScore(node, *labels, scores, weights)))
      return failure();
    return node.setOutput(
        1, createBinaryScores(node, narrow, transform, weights.arePositive));
  }
  if (numClasses == 1) {
    // ONNX Runtime calls what is positive 1, and all else 0.
    Value isPositive = f.greater(scores, f.number(0));
    Value label = node.squeeze(
        node.castTo(isPositive, node.getBuilder().getI64Type()), {1});
    if (!label || failed(node.setOutput(0, label)))
      return failure();
    return node.setOutput(1, createTargets(node, narrow, 1, transform));
  }
  LogicalResult hasLabels = success();
  if (numClasses == 2 && weights.numWeighed == 1) {
    int64_t weighed = weights.isWeighed[1];
    hasLabels = setLabelByScore(
        node, *labels, node.slice(scores, 1, weighed, weighed + 1), weights);
  } else {
    // A class that nothing weighs is not chosen, even if all others are below.
    Value candidates = scores;
    if (base->empty() && weights.numWeighed != numClasses) {
      SmallVector<double> lowest;
      for (bool isWeighed : weights.isWeighed)
        lowest.push_back(isWeighed ? 0
                                   : -std::numeric_limits<double>::infinity());
      candidates =
          f.add(scores, node.createFloats(lowest, {numClasses},
                                          node.getElementType(scores)));
    }
    hasLabels = labels->setOutputOfMaximum(node, candidates);
  }
  if (failed(hasLabels))
    return failure();
  return node.setOutput(1, createTransformed(node, narrow, transform));
}

void mlir::relay::onnx::addMLTreeOps(OpTable &table) {
  table.add(kMLDomain, {"TreeEnsemble"},
            {convertTreeEnsemble, 5, kNewestMLOpset, 1, 1, /*contentInputs=*/0,
             /*isComposed=*/true});
  // Opset 5 has TreeEnsemble instead of these.
  table.add(kMLDomain, {"TreeEnsembleClassifier"},
            {convertTreeEnsembleClassifier, 1, 4});
  table.add(kMLDomain, {"TreeEnsembleRegressor"},
            {convertTreeEnsembleRegressor, 1, 4});
}
