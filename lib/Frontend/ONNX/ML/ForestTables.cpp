//===- ForestTables.cpp - Trees as tables ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every test of ONNX splits the numbers into a few intervals, for each of which
// it holds or not. So it is one test `x <= threshold`, or a small tree of them:
// `x < v` is `x <= the number before v`, and `x == v` asks for the interval
// from there to v.
//
//===----------------------------------------------------------------------===//

#include "Forest.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

namespace {

/// What a test says: outcome i up to thresholds[i] and above those before it,
/// the last outcome above all of them, and that for NaN.
struct Intervals {
  SmallVector<double, 2> thresholds;
  SmallVector<bool, 3> outcomes;
  bool ofNan = false;

  static Intervals get(const TreeNode &test, ArrayRef<double> members,
                       bool asDouble);

  /// Adds an interval that ends with `threshold`.
  void add(double threshold, bool outcome) {
    if (!outcomes.empty() && outcomes.back() == outcome) {
      thresholds.back() = threshold;
      return;
    }
    thresholds.push_back(threshold);
    outcomes.push_back(outcome);
  }
  /// Adds what is above all thresholds.
  void finish(bool outcome) {
    if (!outcomes.empty() && outcomes.back() == outcome) {
      thresholds.pop_back();
      return;
    }
    outcomes.push_back(outcome);
  }
};

} // namespace

/// The number before `value` in the type of the comparison.
static double getPrevious(double value, bool asDouble) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return asDouble ? std::nextafter(value, -infinity)
                  : std::nextafter(static_cast<float>(value),
                                   static_cast<float>(-infinity));
}

Intervals Intervals::get(const TreeNode &test, ArrayRef<double> members,
                         bool asDouble) {
  using Mode = TreeNode::Mode;
  Intervals intervals;
  // No number is NaN, but it differs from all.
  intervals.ofNan = test.missingIsTrue || test.mode == Mode::NotEqual;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto addBefore = [&](double value, bool outcome) {
    if (value != -infinity)
      intervals.add(getPrevious(value, asDouble), outcome);
  };
  double value = test.value;
  bool isNan = std::isnan(value);
  switch (test.mode) {
  case Mode::LessEqual:
  case Mode::Greater: {
    bool isLess = test.mode == Mode::LessEqual;
    if (!isNan)
      intervals.add(value, isLess);
    intervals.finish(!isNan && !isLess);
    break;
  }
  case Mode::Less:
  case Mode::GreaterEqual: {
    bool isLess = test.mode == Mode::Less;
    if (!isNan)
      addBefore(value, isLess);
    intervals.finish(!isNan && !isLess);
    break;
  }
  case Mode::Equal:
  case Mode::NotEqual: {
    bool isEqual = test.mode == Mode::Equal;
    if (!isNan) {
      addBefore(value, !isEqual);
      intervals.add(value, isEqual);
    }
    intervals.finish(!isEqual);
    break;
  }
  case Mode::Member: {
    SmallVector<double> sorted(
        members.slice(test.membersBegin, test.membersEnd - test.membersBegin));
    llvm::sort(sorted);
    sorted.erase(llvm::unique(sorted), sorted.end());
    for (double member : sorted) {
      // Nothing may lie between two members.
      if (intervals.thresholds.empty() ||
          getPrevious(member, asDouble) > intervals.thresholds.back())
        addBefore(member, false);
      intervals.add(member, true);
    }
    intervals.finish(false);
    break;
  }
  case Mode::Leaf:
    llvm_unreachable("a leaf has no test");
  }
  return intervals;
}

/// Tests on the way through a balanced tree over `size` intervals.
static int64_t getDepth(size_t size) {
  return size <= 1 ? 0 : 1 + getDepth(size - size / 2);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// All nodes, children before their parents. Fails if there is a cycle.
static FailureOr<std::vector<int64_t>> sortNodes(NodeContext &node,
                                                 const Forest &forest) {
  enum class State : uint8_t { Unseen, Open, Done };
  std::vector<State> states(forest.nodes.size(), State::Unseen);
  std::vector<int64_t> order, stack;
  for (size_t start = 0; start < forest.nodes.size(); ++start) {
    stack.push_back(start);
    while (!stack.empty()) {
      int64_t position = stack.back();
      if (states[position] == State::Unseen) {
        states[position] = State::Open;
        const TreeNode &test = forest.nodes[position];
        if (test.mode == TreeNode::Mode::Leaf)
          continue;
        for (int64_t child : {test.onTrue, test.onFalse}) {
          if (states[child] == State::Open)
            return node.emitError()
                   << "expects trees, but got a cycle through node " << child;
          if (states[child] == State::Unseen)
            stack.push_back(child);
        }
        continue;
      }
      stack.pop_back();
      // Seen again, on another way.
      if (states[position] == State::Done)
        continue;
      states[position] = State::Done;
      order.push_back(position);
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {

/// Fills tables. While it does, a reference to a node that has no number yet is
/// negative.
class TableBuilder {
public:
  TableBuilder(const Forest &forest, ForestTables &tables, bool asDouble)
      : forest(forest), tables(tables), asDouble(asDouble),
        entries(forest.nodes.size(), -1) {}

  Intervals getIntervals(int64_t position) const {
    return Intervals::get(forest.nodes[position], forest.members, asDouble);
  }
  /// Adds a leaf, and returns its number.
  int32_t addLeaf() {
    int32_t number = addEntry(0, 0);
    for (int64_t i = 0; i < tables.numChildren; ++i)
      tables.children.push_back(number);
    return number;
  }
  void addLeaf(int64_t position) {
    entries[position] = tables.leafNumbers[position] = addLeaf();
  }
  /// Adds the tests that are reached from `root`, those near to it first.
  void addTree(int64_t root);
  void finish();

private:
  int32_t addEntry(int64_t feature, double threshold) {
    tables.features.push_back(static_cast<int32_t>(feature));
    tables.thresholds.push_back(threshold);
    return static_cast<int32_t>(tables.features.size() - 1);
  }
  /// Adds what decides between intervals [begin, end) of a test.
  int32_t addTests(const TreeNode &test, const Intervals &intervals,
                   size_t begin, size_t end);

  static int32_t toReference(int64_t position) {
    return static_cast<int32_t>(-1 - position);
  }

  const Forest &forest;
  ForestTables &tables;
  bool asDouble;
  /// The number of each node's first entry.
  std::vector<int32_t> entries;
};

} // namespace

int32_t TableBuilder::addTests(const TreeNode &test, const Intervals &intervals,
                               size_t begin, size_t end) {
  auto getTarget = [&](bool outcome) {
    return toReference(outcome ? test.onTrue : test.onFalse);
  };
  if (end - begin == 1)
    return getTarget(intervals.outcomes[begin]);
  size_t middle = begin + (end - begin) / 2;
  int32_t number = addEntry(test.feature, intervals.thresholds[middle - 1]);
  size_t first = tables.children.size();
  tables.children.resize(first + tables.numChildren,
                         getTarget(intervals.ofNan));
  int32_t low = addTests(test, intervals, begin, middle);
  int32_t high = addTests(test, intervals, middle, end);
  tables.children[first] = low;
  tables.children[first + 1] = high;
  return number;
}

void TableBuilder::addTree(int64_t root) {
  std::vector<int64_t> queue = {root};
  for (size_t i = 0; i < queue.size(); ++i) {
    int64_t position = queue[i];
    if (entries[position] >= 0)
      continue;
    const TreeNode &test = forest.nodes[position];
    Intervals intervals = getIntervals(position);
    if (intervals.outcomes.size() == 1) {
      // All numbers go one way; NaN may go another.
      constexpr double infinity = std::numeric_limits<double>::infinity();
      intervals.thresholds.push_back(infinity);
      intervals.outcomes.push_back(intervals.outcomes.front());
    }
    entries[position] = addTests(test, intervals, 0, intervals.outcomes.size());
    for (int64_t child : {test.onTrue, test.onFalse})
      if (entries[child] < 0)
        queue.push_back(child);
  }
}

void TableBuilder::finish() {
  for (int32_t &child : tables.children)
    if (child < 0)
      child = entries[-1 - static_cast<int64_t>(child)];
  for (int64_t root : forest.roots)
    tables.roots.push_back(entries[root]);
}

FailureOr<ForestTables> ForestTables::get(NodeContext &node,
                                          const Forest &forest, bool asDouble,
                                          bool mayBeNan) {
  FailureOr<std::vector<int64_t>> order = sortNodes(node, forest);
  if (failed(order))
    return failure();
  ForestTables tables;
  TableBuilder builder(forest, tables, asDouble);

  std::vector<int64_t> depths(forest.nodes.size());
  int64_t numEntries = 0;
  for (int64_t position : *order) {
    const TreeNode &test = forest.nodes[position];
    if (test.mode == TreeNode::Mode::Leaf) {
      ++numEntries;
      continue;
    }
    Intervals intervals = builder.getIntervals(position);
    size_t size = std::max<size_t>(intervals.outcomes.size(), 2);
    depths[position] =
        std::max(depths[test.onTrue], depths[test.onFalse]) + getDepth(size);
    numEntries += size - 1;
    tables.maxFeature = std::max(tables.maxFeature, test.feature);
    // Where nothing is less or equal, NaN goes the way of large numbers.
    if (mayBeNan && intervals.ofNan != intervals.outcomes.back())
      tables.numChildren = 3;
  }
  constexpr int64_t maxEntries = int64_t(1) << 28;
  if (numEntries > maxEntries)
    return node.emitError() << "expects at most " << maxEntries
                            << " nodes, but got " << numEntries;
  for (int64_t root : forest.roots) {
    tables.depths.push_back(depths[root]);
    if (depths[root] > kMaxTreeDepth)
      return node.emitError() << "expects trees of depth " << kMaxTreeDepth
                              << " at most, but got " << depths[root];
  }

  tables.leafNumbers.resize(forest.nodes.size(), -1);
  for (auto [position, test] : llvm::enumerate(forest.nodes))
    if (test.mode == TreeNode::Mode::Leaf)
      builder.addLeaf(position);
  tables.emptyLeaf = builder.addLeaf();
  tables.numLeaves = tables.features.size();
  for (int64_t root : forest.roots)
    builder.addTree(root);
  builder.finish();
  return tables;
}
