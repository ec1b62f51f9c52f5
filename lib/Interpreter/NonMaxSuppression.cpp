//===- NonMaxSuppression.cpp - Suppression of overlapping boxes -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;

namespace {

struct Box {
  double left, top, right, bottom;

  double getArea() const { return (right - left) * (bottom - top); }
};

} // namespace

/// A box from two corners in any order.
static Box getBox(double x1, double y1, double x2, double y2) {
  return {std::min(x1, x2), std::min(y1, y2), std::max(x1, x2),
          std::max(y1, y2)};
}

static double getIntersection(const Box &a, const Box &b) {
  double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return std::max(0.0, width) * std::max(0.0, height);
}

/// Intersection over union; 0 for boxes without an area.
static double getOverlap(const Box &a, const Box &b) {
  double intersection = getIntersection(a, b);
  double all = a.getArea() + b.getArea() - intersection;
  return all > 0 ? intersection / all : 0;
}

/// Reads a scalar.
static double getScalar(const Tensor &tensor) {
  double value;
  tensor.load(0, 1, 1, &value);
  return value;
}

static Type getIntType(Operation *op, unsigned width) {
  return IntegerType::get(op->getContext(), width);
}

/// Sorts indices by decreasing score, equal ones in ascending order; what is no
/// number comes last.
static void sortByScore(SmallVectorImpl<int64_t> &indices,
                        function_ref<double(int64_t)> getScore) {
  auto getKey = [&](int64_t index) {
    double score = getScore(index);
    return score == score ? score : -std::numeric_limits<double>::infinity();
  };
  llvm::sort(indices, [&](int64_t a, int64_t b) {
    double scoreOfA = getKey(a), scoreOfB = getKey(b);
    return scoreOfA != scoreOfB ? scoreOfA > scoreOfB : a < b;
  });
}

//===----------------------------------------------------------------------===//
// get_valid_counts
//===----------------------------------------------------------------------===//

static FailureOr<InterpreterValue>
evaluateGetValidCounts(VisionGetValidCountsOp op, ArrayRef<Tensor> operands) {
  WideTensor<double> data(operands[0]);
  double threshold = getScalar(operands[1]);
  if (op.getScoreThreshold())
    threshold = op.getScoreThreshold()->convertToDouble();
  int64_t batch = data.size(0), boxes = data.size(1), values = data.size(2);
  int64_t idIndex = op.getIdIndex(), scoreIndex = op.getScoreIndex();
  if (idIndex >= values || scoreIndex >= values)
    return op.emitOpError("expects boxes with more than ")
           << std::max(idIndex, scoreIndex) << " values, but got "
           << operands[0].getType();
  WideTensor<double> valid({batch, boxes, values}, -1);
  WideTensor<int64_t> counts({batch});
  WideTensor<int64_t> indices({batch, boxes}, -1);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t i = 0; i < boxes; ++i) {
      if (!(data(n, i, scoreIndex) > threshold) ||
          (idIndex >= 0 && !(data(n, i, idIndex) >= 0)))
        continue;
      int64_t to = counts(n)++;
      for (int64_t k = 0; k < values; ++k)
        valid(n, to, k) = data(n, i, k);
      indices(n, to) = i;
    }
  return InterpreterValue(std::vector<InterpreterValue>{
      counts.toTensor(getIntType(op, 32)),
      valid.toTensor(operands[0].getElementType()),
      indices.toTensor(getIntType(op, 32))});
}

//===----------------------------------------------------------------------===//
// non_max_suppression
//===----------------------------------------------------------------------===//

namespace {

/// One batch item of non_max_suppression: its boxes in the order of the result,
/// by their index in the data; removed ones are -1.
class Suppression {
public:
  Suppression(VisionNonMaxSuppressionOp op, const WideTensor<double> &data,
              int64_t item, int64_t count)
      : op(op), data(data), item(item) {
    for (int64_t i = 0; i < count; ++i)
      order.push_back(i);
  }

  ArrayRef<int64_t> getOrder() const { return order; }

  void run(int64_t maxOutput, double threshold) {
    sortByScore(order, [&](int64_t box) { return getScore(box); });
    int64_t topK = op.getTopK();
    if (topK > 0)
      for (size_t i = topK; i < order.size(); ++i)
        order[i] = -1;
    int64_t kept = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      // Where that many are kept, even those without a positive score go.
      if (kept == maxOutput)
        order[i] = -1;
      if (order[i] < 0 || !(getScore(order[i]) > 0))
        continue;
      bool isOverlapped =
          llvm::any_of(ArrayRef(order).take_front(i), [&](int64_t other) {
            return suppresses(other, order[i], threshold);
          });
      if (isOverlapped)
        order[i] = -1;
      else
        ++kept;
    }
  }

private:
  double getScore(int64_t box) { return data(item, box, op.getScoreIndex()); }
  double getClass(int64_t box) { return data(item, box, op.getIdIndex()); }
  Box getCorners(int64_t box) {
    int64_t start = op.getCoordStart();
    return getBox(data(item, box, start), data(item, box, start + 1),
                  data(item, box, start + 2), data(item, box, start + 3));
  }

  bool suppresses(int64_t better, int64_t box, double threshold) {
    if (better < 0 || !(getScore(better) > 0))
      return false;
    if (op.getIdIndex() >= 0) {
      if (!(getClass(better) >= 0))
        return false;
      if (!op.getForceSuppress() && getClass(better) != getClass(box))
        return false;
    }
    return getOverlap(getCorners(better), getCorners(box)) >= threshold;
  }

  VisionNonMaxSuppressionOp op;
  const WideTensor<double> &data;
  int64_t item;
  SmallVector<int64_t> order;
};

} // namespace

static FailureOr<InterpreterValue>
evaluateNonMaxSuppression(VisionNonMaxSuppressionOp op,
                          ArrayRef<Tensor> operands) {
  WideTensor<double> data(operands[0]);
  WideTensor<int64_t> counts(operands[1]), indices(operands[2]);
  int64_t batch = data.size(0), boxes = data.size(1), values = data.size(2);
  if (counts.size(0) != batch || indices.size(0) != batch ||
      indices.size(1) != boxes || op.getCoordStart() + 4 > values ||
      op.getScoreIndex() >= values || op.getIdIndex() >= values)
    return op.emitOpError(
               "expects boxes, counts and indices that fit, but got ")
           << operands[0].getType() << ", " << operands[1].getType() << " and "
           << operands[2].getType();
  int64_t maxOutput = getScalar(operands[3]);
  double threshold = getScalar(operands[4]);

  WideTensor<double> sorted({batch, boxes, values}, -1);
  WideTensor<int64_t> kept({batch, boxes}, -1), keptCounts({batch, 1});
  for (int64_t n = 0; n < batch; ++n) {
    int64_t count = counts(n);
    if (count < 0 || count > boxes)
      return op.emitOpError("expects valid_count in the range [0, ")
             << boxes << "], but got " << count;
    Suppression suppression(op, data, n, count);
    if (threshold > 0)
      suppression.run(maxOutput, threshold);
    int64_t to = 0;
    for (auto [i, box] : llvm::enumerate(suppression.getOrder())) {
      if (box < 0)
        continue;
      if (indices(n, box) >= 0)
        kept(n, keptCounts(n, 0)++) = indices(n, box);
      // At the front, if the first value says that it is one.
      if (op.getInvalidToBottom() && !(data(n, box, 0) >= 0))
        continue;
      int64_t place = op.getInvalidToBottom() ? to++ : i;
      for (int64_t k = 0; k < values; ++k)
        sorted(n, place, k) = data(n, box, k);
    }
  }
  if (!op.getReturnIndices())
    return InterpreterValue(sorted.toTensor(operands[0].getElementType()));
  return InterpreterValue(
      std::vector<InterpreterValue>{kept.toTensor(getIntType(op, 32)),
                                    keptCounts.toTensor(getIntType(op, 32))});
}

//===----------------------------------------------------------------------===//
// Suppression by class
//===----------------------------------------------------------------------===//

/// Keeps those of `boxes`, which come by decreasing score, that none before
/// suppresses, up to `most`.
static SmallVector<int64_t>
select(ArrayRef<int64_t> boxes, int64_t most,
       function_ref<bool(int64_t better, int64_t box)> suppresses) {
  SmallVector<int64_t> selected;
  for (int64_t box : boxes) {
    if (static_cast<int64_t>(selected.size()) >= most)
      break;
    if (llvm::none_of(selected,
                      [&](int64_t better) { return suppresses(better, box); }))
      selected.push_back(box);
  }
  return selected;
}

static FailureOr<InterpreterValue>
evaluateAllClasses(VisionAllClassNonMaxSuppressionOp op,
                   ArrayRef<Tensor> operands) {
  WideTensor<double> boxes(operands[0]), scores(operands[1]);
  int64_t batch = scores.size(0), classes = scores.size(1);
  int64_t count = scores.size(2);
  if (boxes.size(0) != batch || boxes.size(1) != count)
    return op.emitOpError("expects scores for each box, but got ")
           << operands[0].getType() << " and " << operands[1].getType();
  int64_t most = getScalar(operands[2]);
  double iouThreshold = getScalar(operands[3]);
  double scoreThreshold = getScalar(operands[4]);
  if (most <= 0)
    most = count;
  if (!(iouThreshold > 0))
    most = 0;

  WideTensor<int64_t> triples({batch * classes * count, 3}), total({1});
  WideTensor<int64_t> pairs({batch, classes * count, 2}), totals({batch});
  WideTensor<double> selectedScores({batch, classes * count});
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t c = 0; c < classes; ++c) {
      SmallVector<int64_t> candidates;
      for (int64_t i = 0; i < count; ++i)
        if (scores(n, c, i) > scoreThreshold)
          candidates.push_back(i);
      sortByScore(candidates, [&](int64_t i) { return scores(n, c, i); });
      auto getCorners = [&](int64_t i) {
        return getBox(boxes(n, i, 0), boxes(n, i, 1), boxes(n, i, 2),
                      boxes(n, i, 3));
      };
      for (int64_t box :
           select(candidates, most, [&](int64_t better, int64_t box) {
             return getOverlap(getCorners(better), getCorners(box)) >=
                    iouThreshold;
           })) {
        int64_t row = total(0)++, column = totals(n)++;
        triples(row, 0) = n;
        triples(row, 1) = c;
        triples(row, 2) = box;
        pairs(n, column, 0) = c;
        pairs(n, column, 1) = box;
        selectedScores(n, column) = scores(n, c, box);
      }
    }
  Type i64 = getIntType(op, 64);
  if (op.getOutputFormat() == "onnx")
    return InterpreterValue(std::vector<InterpreterValue>{triples.toTensor(i64),
                                                          total.toTensor(i64)});
  return InterpreterValue(std::vector<InterpreterValue>{
      pairs.toTensor(i64),
      selectedScores.toTensor(Float32Type::get(op.getContext())),
      totals.toTensor(i64)});
}

static FailureOr<InterpreterValue>
evaluateRegular(VisionRegularNonMaxSuppressionOp op,
                ArrayRef<Tensor> operands) {
  WideTensor<double> boxes(operands[0]), scores(operands[1]);
  int64_t batch = scores.size(0), count = scores.size(1);
  int64_t classes = op.getNumClasses(), most = op.getMaxDetections();
  if (boxes.size(0) != batch || boxes.size(1) != count ||
      scores.size(2) < classes)
    return op.emitOpError("expects scores of ")
           << classes << " classes for each box, but got "
           << operands[0].getType() << " and " << operands[1].getType();
  int64_t background = scores.size(2) - classes;
  double scoreThreshold = op.getScoreThreshold().convertToDouble();
  double iouThreshold = op.getIouThreshold().convertToDouble();

  WideTensor<double> bestBoxes({batch, most, 4}), bestClasses({batch, most});
  WideTensor<double> bestScores({batch, most});
  WideTensor<int64_t> counts({batch});
  for (int64_t n = 0; n < batch; ++n) {
    auto getCorners = [&](int64_t i) {
      return Box{boxes(n, i, 1), boxes(n, i, 0), boxes(n, i, 3),
                 boxes(n, i, 2)};
    };
    auto suppresses = [&](int64_t better, int64_t box) {
      Box a = getCorners(better), b = getCorners(box);
      bool haveAreas = a.getArea() > 0 && b.getArea() > 0;
      return (haveAreas ? getOverlap(a, b) : 0) > iouThreshold;
    };
    // Detections of all classes as class * count + box.
    SmallVector<int64_t> detections;
    for (int64_t c = 0; c < classes; ++c) {
      auto getScore = [&](int64_t i) { return scores(n, i, c + background); };
      SmallVector<int64_t> candidates;
      for (int64_t i = 0; i < count; ++i)
        if (getScore(i) >= scoreThreshold)
          candidates.push_back(i);
      sortByScore(candidates, getScore);
      for (int64_t box :
           select(candidates, op.getMaxDetectionsPerClass(), suppresses))
        detections.push_back(c * count + box);
    }
    sortByScore(detections, [&](int64_t detection) {
      return scores(n, detection % count, detection / count + background);
    });
    detections.truncate(std::min<size_t>(detections.size(), most));
    counts(n) = detections.size();
    for (auto [i, detection] : llvm::enumerate(detections)) {
      int64_t box = detection % count, c = detection / count;
      for (int64_t k = 0; k < 4; ++k)
        bestBoxes(n, i, k) = boxes(n, box, k);
      bestClasses(n, i) = c;
      bestScores(n, i) = scores(n, box, c + background);
    }
  }
  Type f32 = Float32Type::get(op.getContext());
  return InterpreterValue(std::vector<InterpreterValue>{
      bestBoxes.toTensor(f32), bestClasses.toTensor(f32),
      bestScores.toTensor(f32), counts.toTensor(getIntType(op, 32))});
}

void relay::detail::populateNonMaxSuppressionEvaluators(EvaluatorTable &table) {
  table.add<VisionGetValidCountsOp>(evaluateGetValidCounts);
  table.add<VisionNonMaxSuppressionOp>(evaluateNonMaxSuppression);
  table.add<VisionAllClassNonMaxSuppressionOp>(evaluateAllClasses);
  table.add<VisionRegularNonMaxSuppressionOp>(evaluateRegular);
}
