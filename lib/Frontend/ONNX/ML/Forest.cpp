//===- Forest.cpp - The trees of ai.onnx.ml -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Lists of a node
//===----------------------------------------------------------------------===//

static std::vector<double> toNumbers(DenseElementsAttr elements) {
  std::vector<double> numbers;
  numbers.reserve(elements.getNumElements());
  for (APFloat number : elements.getValues<APFloat>()) {
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    numbers.push_back(number.convertToDouble());
  }
  return numbers;
}

/// The numbers in a tensor; none if there is no such attribute.
static FailureOr<std::vector<double>> readTensor(NodeContext &node,
                                                 StringRef name) {
  DenseElementsAttr elements = node.getElements(name);
  if (node.hasFailed())
    return failure();
  if (!elements)
    return std::vector<double>();
  if (!isa<FloatType>(elements.getElementType()))
    return node.emitError()
           << "expects attribute \"" << name
           << "\" to be a tensor of floats, but got " << elements.getType();
  return toNumbers(elements);
}

FailureOr<std::vector<double>> mlir::relay::onnx::readNumbers(NodeContext &node,
                                                              StringRef name) {
  std::vector<double> numbers;
  if (std::optional<ArrayRef<float>> floats = node.getFloats(name))
    numbers.assign(floats->begin(), floats->end());
  std::string tensorName = (name + "_as_tensor").str();
  FailureOr<std::vector<double>> doubles = readTensor(node, tensorName);
  if (failed(doubles) || node.hasFailed())
    return failure();
  if (!numbers.empty() && !doubles->empty())
    return node.emitError() << "expects attribute \"" << name << "\" or \""
                            << tensorName << "\", but got both";
  return numbers.empty() ? std::move(*doubles) : std::move(numbers);
}

static ArrayRef<int64_t> readInts(NodeContext &node, StringRef name) {
  return node.getInts(name).value_or(ArrayRef<int64_t>());
}

/// Fails unless list `name` is as long as another one.
static LogicalResult expectLength(NodeContext &node, StringRef name,
                                  size_t found, StringRef other,
                                  size_t length) {
  if (found == length)
    return success();
  return node.emitError() << "expects " << length << " elements in attribute \""
                          << name << "\", as in \"" << other << "\", but got "
                          << found;
}

/// The same for a list of flags that may be left out.
static FailureOr<ArrayRef<int64_t>> readFlags(NodeContext &node, StringRef name,
                                              StringRef other, size_t length) {
  ArrayRef<int64_t> flags = readInts(node, name);
  if (!flags.empty() &&
      failed(expectLength(node, name, flags.size(), other, length)))
    return failure();
  return flags;
}

static LogicalResult checkFeature(NodeContext &node, int64_t feature) {
  if (feature >= 0 && feature < std::numeric_limits<int32_t>::max())
    return success();
  return node.emitError() << "expects ids of features in attribute "
                             "\"nodes_featureids\" that are not negative, but "
                             "got "
                          << feature;
}

static LogicalResult checkTarget(NodeContext &node, StringRef name,
                                 int64_t target, int64_t numTargets) {
  if (target >= 0 && target < numTargets)
    return success();
  return node.emitError() << "expects numbers in [0, " << numTargets
                          << ") in attribute \"" << name << "\", but got "
                          << target;
}

//===----------------------------------------------------------------------===//
// Trees with ids
//===----------------------------------------------------------------------===//

static FailureOr<TreeNode::Mode> getMode(NodeContext &node, StringRef name) {
  using Mode = TreeNode::Mode;
  auto mode = llvm::StringSwitch<std::optional<Mode>>(name)
                  .Case("BRANCH_LEQ", Mode::LessEqual)
                  .Case("BRANCH_LT", Mode::Less)
                  .Case("BRANCH_GTE", Mode::GreaterEqual)
                  .Case("BRANCH_GT", Mode::Greater)
                  .Case("BRANCH_EQ", Mode::Equal)
                  .Case("BRANCH_NEQ", Mode::NotEqual)
                  .Case("LEAF", Mode::Leaf)
                  .Default(std::nullopt);
  if (mode)
    return *mode;
  return node.emitError() << "expects modes BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, "
                             "BRANCH_GT, BRANCH_EQ, BRANCH_NEQ or LEAF, but "
                             "got \""
                          << name << "\"";
}

FailureOr<Forest> Forest::readTuples(NodeContext &node, StringRef prefix,
                                     int64_t numTargets) {
  Forest forest;
  forest.numTargets = numTargets;
  StringRef treeIdsName = "nodes_treeids";
  ArrayRef<int64_t> treeIds = readInts(node, treeIdsName);
  ArrayRef<int64_t> nodeIds = readInts(node, "nodes_nodeids");
  ArrayRef<int64_t> features = readInts(node, "nodes_featureids");
  ArrayRef<int64_t> onTrue = readInts(node, "nodes_truenodeids");
  ArrayRef<int64_t> onFalse = readInts(node, "nodes_falsenodeids");
  ArrayRef<std::string> modes = node.getStrings("nodes_modes");
  FailureOr<std::vector<double>> values = readNumbers(node, "nodes_values");
  FailureOr<ArrayRef<int64_t>> missing = readFlags(
      node, "nodes_missing_value_tracks_true", treeIdsName, treeIds.size());
  std::string weightsName = (prefix + "_weights").str();
  std::string idsName = (prefix + "_ids").str();
  std::string weightTreesName = (prefix + "_treeids").str();
  std::string weightNodesName = (prefix + "_nodeids").str();
  FailureOr<std::vector<double>> weights = readNumbers(node, weightsName);
  ArrayRef<int64_t> targets = readInts(node, idsName);
  ArrayRef<int64_t> weightTrees = readInts(node, weightTreesName);
  ArrayRef<int64_t> weightNodes = readInts(node, weightNodesName);
  if (failed(values) || failed(missing) || failed(weights) || node.hasFailed())
    return failure();
  if (treeIds.empty())
    return node.emitError() << "expects a tree, but attribute \"" << treeIdsName
                            << "\" is empty";
  auto expect = [&](StringRef name, size_t found) {
    return expectLength(node, name, found, treeIdsName, treeIds.size());
  };
  auto expectWeights = [&](StringRef name, size_t found) {
    return expectLength(node, name, found, idsName, targets.size());
  };
  if (failed(expect("nodes_nodeids", nodeIds.size())) ||
      failed(expect("nodes_featureids", features.size())) ||
      failed(expect("nodes_truenodeids", onTrue.size())) ||
      failed(expect("nodes_falsenodeids", onFalse.size())) ||
      failed(expect("nodes_modes", modes.size())) ||
      failed(expect("nodes_values", values->size())) ||
      failed(expectWeights(weightsName, weights->size())) ||
      failed(expectWeights(weightTreesName, weightTrees.size())) ||
      failed(expectWeights(weightNodesName, weightNodes.size())))
    return failure();

  // Ids may be any numbers, also the two that a DenseMap keeps for itself.
  std::map<std::pair<int64_t, int64_t>, int64_t> positions;
  for (auto [i, tree, id] : llvm::enumerate(treeIds, nodeIds))
    if (!positions.try_emplace({tree, id}, i).second)
      return node.emitError() << "expects ids of nodes that differ, but got "
                              << id << " twice in tree " << tree;
  auto find = [&](int64_t tree, int64_t id,
                  StringRef name) -> FailureOr<int64_t> {
    auto it = positions.find({tree, id});
    if (it != positions.end())
      return it->second;
    return node.emitError() << "expects ids of nodes in attribute \"" << name
                            << "\", but tree " << tree << " has no node " << id;
  };
  std::vector<bool> hasParent(treeIds.size());
  for (size_t i = 0; i < treeIds.size(); ++i) {
    TreeNode &added = forest.nodes.emplace_back();
    FailureOr<TreeNode::Mode> mode = getMode(node, modes[i]);
    if (failed(mode))
      return failure();
    added.mode = *mode;
    if (*mode == TreeNode::Mode::Leaf)
      continue;
    if (failed(checkFeature(node, features[i])))
      return failure();
    added.feature = features[i];
    added.value = (*values)[i];
    added.missingIsTrue = !missing->empty() && (*missing)[i] != 0;
    FailureOr<int64_t> first = find(treeIds[i], onTrue[i], "nodes_truenodeids");
    if (failed(first))
      return failure();
    FailureOr<int64_t> second =
        find(treeIds[i], onFalse[i], "nodes_falsenodeids");
    if (failed(second))
      return failure();
    added.onTrue = *first;
    added.onFalse = *second;
    hasParent[*first] = hasParent[*second] = true;
  }

  // In the order in which trees first appear.
  std::map<int64_t, int64_t> rootOfTree;
  std::vector<int64_t> trees;
  for (auto [i, tree] : llvm::enumerate(treeIds)) {
    auto [it, isNew] = rootOfTree.try_emplace(tree, -1);
    if (isNew)
      trees.push_back(tree);
    if (hasParent[i])
      continue;
    if (it->second >= 0)
      return node.emitError()
             << "expects one root of tree " << tree << ", but got nodes "
             << nodeIds[it->second] << " and " << nodeIds[i];
    it->second = i;
  }
  for (int64_t tree : trees) {
    if (rootOfTree[tree] < 0)
      return node.emitError() << "expects a root of tree " << tree
                              << ", but each of its nodes is the child of one";
    forest.roots.push_back(rootOfTree[tree]);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    FailureOr<int64_t> leaf =
        find(weightTrees[i], weightNodes[i], weightNodesName);
    if (failed(leaf) ||
        failed(checkTarget(node, idsName, targets[i], numTargets)))
      return failure();
    // Nothing ends at a node that is no leaf.
    if (forest.nodes[*leaf].mode == TreeNode::Mode::Leaf)
      forest.weights.push_back({*leaf, targets[i], (*weights)[i]});
  }
  return forest;
}

//===----------------------------------------------------------------------===//
// Trees with positions
//===----------------------------------------------------------------------===//

/// Splits the numbers that nodes are compared with, sets of them that end with
/// NaN, among the nodes that have one.
static LogicalResult readMembers(NodeContext &node, Forest &forest,
                                 int64_t numTests) {
  FailureOr<std::vector<double>> values = readTensor(node, "membership_values");
  if (failed(values))
    return failure();
  size_t position = 0, numSets = 0;
  for (int64_t i = 0; i < numTests; ++i) {
    TreeNode &test = forest.nodes[i];
    if (test.mode != TreeNode::Mode::Member)
      continue;
    ++numSets;
    test.membersBegin = position;
    while (position < values->size() && !std::isnan((*values)[position]))
      ++position;
    test.membersEnd = position;
    // The last one may end with the list.
    if (position == values->size() && test.membersBegin == position)
      return node.emitError()
             << "expects a set of numbers in attribute \"membership_values\" "
                "for each node of mode 6, but got "
             << numSets - 1;
    position = std::min(position + 1, values->size());
  }
  if (position != values->size())
    return node.emitError()
           << "expects " << numSets
           << " sets of numbers in attribute \"membership_values\", one for "
              "each node of mode 6, but got more";
  forest.members = std::move(*values);
  return success();
}

FailureOr<Forest> Forest::readRoots(NodeContext &node) {
  Forest forest;
  StringRef featuresName = "nodes_featureids";
  ArrayRef<int64_t> features = readInts(node, featuresName);
  ArrayRef<int64_t> onTrue = readInts(node, "nodes_truenodeids");
  ArrayRef<int64_t> onFalse = readInts(node, "nodes_falsenodeids");
  ArrayRef<int64_t> trueLeafs = readInts(node, "nodes_trueleafs");
  ArrayRef<int64_t> falseLeafs = readInts(node, "nodes_falseleafs");
  ArrayRef<int64_t> roots = readInts(node, "tree_roots");
  ArrayRef<int64_t> targets = readInts(node, "leaf_targetids");
  FailureOr<std::vector<double>> splits = readTensor(node, "nodes_splits");
  FailureOr<std::vector<double>> weights = readTensor(node, "leaf_weights");
  DenseElementsAttr modes = node.getElements("nodes_modes");
  int64_t numTests = features.size(), numLeaves = targets.size();
  FailureOr<ArrayRef<int64_t>> missing = readFlags(
      node, "nodes_missing_value_tracks_true", featuresName, numTests);
  forest.numTargets = node.getInt("n_targets", 1);
  if (failed(splits) || failed(weights) || failed(missing) || node.hasFailed())
    return failure();
  if (!modes || !modes.getElementType().isUnsignedInteger(8))
    return node.emitError()
           << "expects attribute \"nodes_modes\" to be a tensor of UINT8"
           << (modes ? ", but got another type" : ", but got none");
  if (forest.numTargets < 1)
    return node.emitError() << "expects a positive number of targets, but got "
                            << forest.numTargets;
  if (roots.empty())
    return node.emitError()
           << "expects a tree, but attribute \"tree_roots\" is empty";
  auto expect = [&](StringRef name, size_t found) {
    return expectLength(node, name, found, featuresName, numTests);
  };
  if (failed(expect("nodes_truenodeids", onTrue.size())) ||
      failed(expect("nodes_falsenodeids", onFalse.size())) ||
      failed(expect("nodes_trueleafs", trueLeafs.size())) ||
      failed(expect("nodes_falseleafs", falseLeafs.size())) ||
      failed(expect("nodes_splits", splits->size())) ||
      failed(expect("nodes_modes", modes.getNumElements())) ||
      failed(expectLength(node, "leaf_weights", weights->size(),
                          "leaf_targetids", numLeaves)))
    return failure();

  auto find = [&](StringRef name, int64_t position,
                  bool isLeaf) -> FailureOr<int64_t> {
    int64_t limit = isLeaf ? numLeaves : numTests;
    if (position >= 0 && position < limit)
      return isLeaf ? numTests + position : position;
    return node.emitError()
           << "expects positions of " << (isLeaf ? "leaves" : "nodes")
           << " in [0, " << limit << ") in attribute \"" << name
           << "\", but got " << position;
  };
  for (auto [i, mode] : llvm::enumerate(modes.getValues<uint8_t>())) {
    constexpr uint8_t maxMode = 6;
    if (mode > maxMode)
      return node.emitError() << "expects modes from 0 to 6 in attribute "
                                 "\"nodes_modes\", but got "
                              << unsigned(mode);
    if (failed(checkFeature(node, features[i])))
      return failure();
    FailureOr<int64_t> first =
        find("nodes_truenodeids", onTrue[i], trueLeafs[i] != 0);
    if (failed(first))
      return failure();
    FailureOr<int64_t> second =
        find("nodes_falsenodeids", onFalse[i], falseLeafs[i] != 0);
    if (failed(second))
      return failure();
    TreeNode &test = forest.nodes.emplace_back();
    test.mode = static_cast<TreeNode::Mode>(mode);
    test.feature = features[i];
    test.value = (*splits)[i];
    test.missingIsTrue = !missing->empty() && (*missing)[i] != 0;
    test.onTrue = *first;
    test.onFalse = *second;
  }
  for (int64_t leaf = 0; leaf < numLeaves; ++leaf) {
    if (failed(checkTarget(node, "leaf_targetids", targets[leaf],
                           forest.numTargets)))
      return failure();
    forest.nodes.emplace_back();
    forest.weights.push_back(
        {numTests + leaf, targets[leaf], (*weights)[leaf]});
  }
  for (int64_t root : roots) {
    FailureOr<int64_t> position = find("tree_roots", root, /*isLeaf=*/false);
    if (failed(position))
      return failure();
    forest.roots.push_back(*position);
  }
  if (failed(readMembers(node, forest, numTests)))
    return failure();
  return forest;
}
