//===- Scores.cpp - Rows, scores and labels of ai.onnx.ml -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scores.h"

#include "../Formula.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

PostTransform mlir::relay::onnx::getPostTransform(NodeContext &node) {
  StringRef name = node.getString("post_transform", "NONE");
  auto transform = llvm::StringSwitch<std::optional<PostTransform>>(name)
                       .Case("NONE", PostTransform::None)
                       .Case("SOFTMAX", PostTransform::Softmax)
                       .Case("LOGISTIC", PostTransform::Logistic)
                       .Case("SOFTMAX_ZERO", PostTransform::SoftmaxZero)
                       .Case("PROBIT", PostTransform::Probit)
                       .Default(std::nullopt);
  if (!transform)
    node.emitError() << "expects post_transform NONE, SOFTMAX, LOGISTIC, "
                        "SOFTMAX_ZERO or PROBIT, but got \""
                     << name << "\"";
  return transform.value_or(PostTransform::None);
}

/// Softmax of what is not 0.
static Value createSoftmaxZero(const Formula &f, Value x) {
  Value isScore = f.greater(f.abs(x), f.number(1e-7));
  Value top = f.reduce<MaxOp>(x, 1);
  Value power = f.exp(f.sub(x, top));
  Value sum = f.reduce<SumOp>(f.select(isScore, power, f.number(0)), 1);
  return f.div(f.select(isScore, power, f.mul(x, f.exp(f.neg(top)))), sum);
}

/// The quantile of the normal distribution: Winitzki's approximation, with the
/// constants that ONNX Runtime has.
static Value createProbit(const Formula &f, Value x) {
  Value y = f.sub(f.mul(f.number(2), x), f.number(1));
  Value log = f.log(f.mul(f.sub(f.number(1), y), f.add(f.number(1), y)));
  constexpr double a = 0.147;
  Value v = f.add(f.number(2 / (3.14159 * a)), f.mul(f.number(0.5), log));
  Value root = f.sqrt(f.sub(f.mul(v, v), f.mul(f.number(1 / a), log)));
  Value magnitude = f.mul(f.number(std::sqrt(2.0)), f.sqrt(f.sub(root, v)));
  return f.select(f.less(y, f.number(0)), f.neg(magnitude), magnitude);
}

Value mlir::relay::onnx::createTransformed(NodeContext &node, Value scores,
                                           PostTransform transform) {
  Formula f(node, scores);
  switch (transform) {
  case PostTransform::None:
    return scores;
  case PostTransform::Softmax: {
    NNSoftmaxOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(1);
    return node.create<NNSoftmaxOp>({scores}, properties);
  }
  case PostTransform::Logistic:
    return f.sigmoid(scores);
  case PostTransform::SoftmaxZero:
    return createSoftmaxZero(f, scores);
  case PostTransform::Probit:
    return createProbit(f, scores);
  }
  llvm_unreachable("unknown transform");
}

Value mlir::relay::onnx::concatColumns(NodeContext &node, ValueRange values) {
  if (llvm::is_contained(values, Value()))
    return node.fail();
  return node.concatenate(llvm::to_vector(values), 1);
}

Value mlir::relay::onnx::createBinaryScores(NodeContext &node, Value score,
                                            PostTransform transform,
                                            bool arePositive) {
  Formula f(node, score);
  Value complement = f.sub(f.number(1), score), negative = f.neg(score);
  if (transform == PostTransform::Logistic)
    return f.sigmoid(concatColumns(node, {negative, score}));
  // ONNX Runtime leaves the other column as it was in memory.
  if (transform == PostTransform::Probit)
    return createProbit(f, concatColumns(node, {complement, score}));
  return concatColumns(node, {arePositive ? complement : negative, score});
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Value mlir::relay::onnx::getRows(NodeContext &node, Type elementType) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  if (rank != 1 && rank != 2) {
    node.emitError() << "expects data of rank 1 or 2, but got "
                     << data.getType();
    return nullptr;
  }
  data = node.castTo(data, elementType);
  return rank == 1 ? node.expandDims(data, 0) : data;
}

LogicalResult mlir::relay::onnx::expectCount(NodeContext &node, StringRef name,
                                             size_t found, size_t count,
                                             const Twine &what) {
  if (found == count)
    return success();
  return node.emitError() << "expects " << count << " numbers in attribute \""
                          << name << "\" (" << what << "), but got " << found;
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

FailureOr<ClassLabels> ClassLabels::get(NodeContext &node, StringRef intsName) {
  ClassLabels labels;
  ArrayRef<std::string> strings = node.getStrings("classlabels_strings");
  if (std::optional<ArrayRef<int64_t>> ints = node.getInts(intsName))
    labels.ints = llvm::to_vector(*ints);
  if (node.hasFailed())
    return failure();
  if (labels.ints.empty() == strings.empty())
    return node.emitError() << "expects either attribute \"" << intsName
                            << R"(" or "classlabels_strings", but got )"
                            << (strings.empty() ? "neither" : "both");
  labels.areStrings = !strings.empty();
  if (labels.areStrings)
    labels.ints = node.getStringNumbers("classlabels_strings", strings);
  if (node.hasFailed())
    return failure();
  labels.numLabels = labels.ints.size();
  return labels;
}

LogicalResult ClassLabels::setOutput(NodeContext &node, Value positions) const {
  if (!node.wantsOutput(0))
    return success();
  Value labels = areStrings ? node.createStrings(ints) : node.createInts(ints);
  return node.setOutput(0, node.take(labels, positions, 0));
}

LogicalResult ClassLabels::setOutputOfMaximum(NodeContext &node,
                                              Value scores) const {
  ArgmaxOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr({1});
  return setOutput(node, node.create<ArgmaxOp>({scores}, properties));
}

LogicalResult ClassLabels::setOutputOfCondition(NodeContext &node,
                                                Value condition) const {
  Value positions = node.castTo(condition, node.getBuilder().getI32Type());
  return setOutput(node, node.squeeze(positions, {1}));
}
