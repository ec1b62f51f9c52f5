//===- Forest.h - The trees of ai.onnx.ml -----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trees are read from the lists of a node, in one of two forms that ONNX has,
// and are checked. Then all of their tests become one, `x <= threshold`, in
// tables that code can walk without knowing what it walks.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_ML_FOREST_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_ML_FOREST_H

#include "../NodeContext.h"

#include <vector>

namespace mlir::relay::onnx {

/// Tests that follow each other at most, one of several numbers counting as
/// several.
inline constexpr int64_t kMaxTreeDepth = 1024;

struct TreeNode {
  enum class Mode {
    LessEqual,
    Less,
    GreaterEqual,
    Greater,
    Equal,
    NotEqual,
    /// One of several numbers.
    Member,
    Leaf
  };

  Mode mode = Mode::Leaf;
  int64_t feature = 0;
  /// What the feature is compared with.
  double value = 0;
  /// Whether a feature that is NaN passes any test.
  bool missingIsTrue = false;
  /// Positions of nodes.
  int64_t onTrue = 0, onFalse = 0;
  /// Of Member: where its numbers are in Forest::members.
  size_t membersBegin = 0, membersEnd = 0;
};

/// What a row gets that ends at a leaf.
struct LeafWeight {
  int64_t leaf;
  int64_t target;
  double weight;
};

struct Forest {
  std::vector<TreeNode> nodes;
  /// One for each tree.
  std::vector<int64_t> roots;
  std::vector<LeafWeight> weights;
  std::vector<double> members;
  int64_t numTargets = 0;

  /// Of TreeEnsembleClassifier and TreeEnsembleRegressor; lists of weights
  /// begin with `prefix`, "class" or "target".
  static FailureOr<Forest> readTuples(NodeContext &node, StringRef prefix,
                                      int64_t numTargets);
  /// Of TreeEnsemble.
  static FailureOr<Forest> readRoots(NodeContext &node);
};

/// Numbers in a list of floats, or of doubles in a tensor.
FailureOr<std::vector<double>> readNumbers(NodeContext &node, StringRef name);

/// Trees as tables. Numbers of leaves come before those of tests, and whoever
/// is at a leaf stays there.
struct ForestTables {
  /// `asDouble` says in which type features are compared.
  static FailureOr<ForestTables> get(NodeContext &node, const Forest &forest,
                                     bool asDouble, bool mayBeNan);

  /// For each leaf and test.
  std::vector<int32_t> features;
  std::vector<double> thresholds;
  /// `numChildren` of each: where x <= threshold, where not, and, if NaN goes
  /// another way than the latter, where x is NaN.
  std::vector<int32_t> children;
  int64_t numChildren = 2;

  int64_t numLeaves = 0;
  /// For each node of the forest that is one, the number of the leaf.
  std::vector<int32_t> leafNumbers;
  /// A leaf of no tree, without weights.
  int32_t emptyLeaf = 0;

  /// For each tree.
  std::vector<int32_t> roots;
  std::vector<int64_t> depths;

  int64_t maxFeature = 0;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_ML_FOREST_H
