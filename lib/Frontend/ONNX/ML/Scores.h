//===- Scores.h - Rows, scores and labels of ai.onnx.ml ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What classifiers and regressors share: rows of features come in, and scores
// and labels come out. Where the specification of ONNX leaves something open,
// such as the scores of two classes of which one has a score, ONNX Runtime
// decides.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_ML_SCORES_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_ML_SCORES_H

#include "../NodeContext.h"

namespace mlir::relay::onnx {

/// What becomes of scores at the end.
enum class PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// The one that attribute "post_transform" names. Reports an error for another
/// name.
PostTransform getPostTransform(NodeContext &node);

/// `scores` after `transform`, along the rows of [N, K].
Value createTransformed(NodeContext &node, Value scores,
                        PostTransform transform);

/// Both columns for [N, 1], the score of the second of two classes. The first
/// one has 1 minus it if scores are like probabilities (`arePositive`), and
/// else its negative.
Value createBinaryScores(NodeContext &node, Value score,
                         PostTransform transform, bool arePositive);

/// Input 0 as rows [N, F] of `elementType`; a vector is one row.
Value getRows(NodeContext &node, Type elementType);

/// `values` side by side.
Value concatColumns(NodeContext &node, ValueRange values);

/// Fails unless the node gives as many floats as `count` in a list; `what` says
/// of what there are so many.
LogicalResult expectCount(NodeContext &node, StringRef name, size_t found,
                          size_t count, const Twine &what);

/// The classes of a classifier.
class ClassLabels {
public:
  /// `intsName` is what the attribute with integer labels is called.
  static FailureOr<ClassLabels> get(NodeContext &node, StringRef intsName);

  int64_t size() const { return numLabels; }

  /// Sets output 0 to the labels of `positions`, [N] of i32.
  LogicalResult setOutput(NodeContext &node, Value positions) const;
  /// The same for the first maximum in each row of `scores`.
  LogicalResult setOutputOfMaximum(NodeContext &node, Value scores) const;
  /// The same for the second class where `condition`, [N, 1], holds, and the
  /// first elsewhere.
  LogicalResult setOutputOfCondition(NodeContext &node, Value condition) const;

private:
  /// Or numbers of strings.
  SmallVector<int64_t> ints;
  bool areStrings = false;
  int64_t numLabels = 0;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_ML_SCORES_H
