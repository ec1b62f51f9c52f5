//===- Vision.cpp - Regions of interest and anchor boxes ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Layout.h"
#include "Strided.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"
#include "relay-mlir/Support/FormatNumber.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

/// Reads the image that region `i` is of, and its corners times `scale`.
static FailureOr<int64_t> getRegion(Operation *op,
                                    const WideTensor<double> &rois, int64_t i,
                                    double scale, int64_t batch,
                                    std::array<double, 4> &corners) {
  for (int64_t k = 0; k < 4; ++k) {
    corners[k] = rois(i, k + 1) * scale;
    // Beyond that pixels could not be counted.
    if (!(std::abs(corners[k]) <= 1e6))
      return op->emitOpError("expects regions within 1e6 pixels, but got ")
             << formatNumber(corners[k]);
  }
  double image = rois(i, 0);
  if (!(image > -1 && image < batch))
    return op->emitOpError("expects regions of images in the range [0, ")
           << batch << "), but got " << formatNumber(image);
  return static_cast<int64_t>(image);
}

/// Interpolates bilinearly; 0 further than a pixel outside of the image.
static double sample(const WideTensor<double> &data, int64_t n, int64_t c,
                     double y, double x) {
  int64_t height = data.size(2), width = data.size(3);
  if (y < -1 || y > height || x < -1 || x > width)
    return 0;
  y = std::clamp<double>(y, 0, height - 1);
  x = std::clamp<double>(x, 0, width - 1);
  int64_t y0 = y, x0 = x;
  int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  double dy = y - y0, dx = x - x0;
  return (1 - dy) * ((1 - dx) * data(n, c, y0, x0) + dx * data(n, c, y0, x1)) +
         dy * ((1 - dx) * data(n, c, y1, x0) + dx * data(n, c, y1, x1));
}

static FailureOr<Tensor> evaluateRoiAlign(VisionRoiAlignOp op,
                                          ArrayRef<Tensor> operands) {
  FailureOr<Tensor> images =
      transformLayout(op, operands[0], op.getLayout(), "NCHW");
  if (failed(images))
    return failure();
  WideTensor<double> data(*images), rois(operands[1]);
  if (data.size(2) == 0 || data.size(3) == 0)
    return op.emitOpError("expects images with pixels, but got ")
           << operands[0].getType();
  int64_t height = op.getPooledSize()[0], width = op.getPooledSize()[1];
  WideTensor<double> result({rois.size(0), data.size(1), height, width});
  bool isMax = op.getMode() == "max";
  for (int64_t i = 0; i < rois.size(0); ++i) {
    std::array<double, 4> corners;
    FailureOr<int64_t> image =
        getRegion(op, rois, i, op.getSpatialScale().convertToDouble(),
                  data.size(0), corners);
    if (failed(image))
      return failure();
    auto [x1, y1, x2, y2] = corners;
    double binHeight = std::max(y2 - y1, 1.0) / height;
    double binWidth = std::max(x2 - x1, 1.0) / width;
    int64_t ratio = op.getSampleRatio();
    int64_t rows = ratio > 0 ? ratio : std::ceil(binHeight);
    int64_t columns = ratio > 0 ? ratio : std::ceil(binWidth);
    for (int64_t c = 0; c < data.size(1); ++c)
      for (int64_t ph = 0; ph < height; ++ph)
        for (int64_t pw = 0; pw < width; ++pw) {
          double sum = 0, most = -std::numeric_limits<double>::infinity();
          for (int64_t row = 0; row < rows; ++row) {
            double y = y1 + (ph + (row + 0.5) / rows) * binHeight;
            if (y < -1 || y > data.size(2)) {
              // A row of zeros, which may be long.
              most = std::max(most, 0.0);
              continue;
            }
            for (int64_t column = 0; column < columns; ++column) {
              double x = x1 + (pw + (column + 0.5) / columns) * binWidth;
              double value = sample(data, *image, c, y, x);
              sum += value;
              most = std::max(most, value);
            }
          }
          result(i, c, ph, pw) = isMax ? most : sum / (rows * columns);
        }
  }
  return transformLayout(op, result.toTensor(getResultElementType(op)), "NCHW",
                         op.getLayout());
}

static FailureOr<Tensor> evaluateRoiPool(VisionRoiPoolOp op,
                                         ArrayRef<Tensor> operands) {
  FailureOr<Tensor> images =
      transformLayout(op, operands[0], op.getLayout(), "NCHW");
  if (failed(images))
    return failure();
  WideTensor<double> data(*images), rois(operands[1]);
  int64_t height = op.getPooledSize()[0], width = op.getPooledSize()[1];
  WideTensor<double> result({rois.size(0), data.size(1), height, width});
  for (int64_t i = 0; i < rois.size(0); ++i) {
    std::array<double, 4> corners;
    FailureOr<int64_t> image =
        getRegion(op, rois, i, op.getSpatialScale().convertToDouble(),
                  data.size(0), corners);
    if (failed(image))
      return failure();
    int64_t x1 = std::round(corners[0]), y1 = std::round(corners[1]);
    int64_t x2 = std::round(corners[2]), y2 = std::round(corners[3]);
    // From where to where bin `bin` reaches, within `size` pixels.
    auto getBin = [](int64_t begin, int64_t end, int64_t bin, int64_t bins,
                     int64_t size) {
      double extent = std::max<int64_t>(end - begin + 1, 1);
      int64_t first = std::floor(bin * (extent / bins));
      int64_t last = std::ceil((bin + 1) * (extent / bins));
      return std::make_pair(std::clamp<int64_t>(begin + first, 0, size),
                            std::clamp<int64_t>(begin + last, 0, size));
    };
    for (int64_t c = 0; c < data.size(1); ++c)
      for (int64_t ph = 0; ph < height; ++ph)
        for (int64_t pw = 0; pw < width; ++pw) {
          auto [top, bottom] = getBin(y1, y2, ph, height, data.size(2));
          auto [left, right] = getBin(x1, x2, pw, width, data.size(3));
          bool isEmpty = top >= bottom || left >= right;
          double most = isEmpty ? 0 : -std::numeric_limits<double>::infinity();
          for (int64_t y = top; y < bottom; ++y)
            for (int64_t x = left; x < right; ++x)
              most = std::max(most, data(*image, c, y, x));
          result(i, c, ph, pw) = most;
        }
  }
  return transformLayout(op, result.toTensor(getResultElementType(op)), "NCHW",
                         op.getLayout());
}

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

namespace {

/// A region whose corners are pixels of it.
struct Proposal {
  double x1, y1, x2, y2, score;

  double getArea() const { return (x2 - x1 + 1) * (y2 - y1 + 1); }
};

} // namespace

static double getOverlap(const Proposal &a, const Proposal &b) {
  double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + 1;
  double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + 1;
  double intersection = std::max(0.0, width) * std::max(0.0, height);
  return intersection / (a.getArea() + b.getArea() - intersection);
}

/// The anchor of the first pixel: a square of `size` pixels with another ratio
/// of height to width, its sides rounded, and scaled about its centre.
static Proposal getAnchor(double ratio, double scale, double size) {
  double width = std::floor(std::sqrt(std::floor(size * size / ratio)) + 0.5);
  double height = std::floor(width * ratio + 0.5);
  double centre = 0.5 * (size - 1);
  double dx = 0.5 * (width * scale - 1), dy = 0.5 * (height * scale - 1);
  return {centre - dx, centre - dy, centre + dx, centre + dy, 0};
}

/// Moves an anchor by predicted amounts.
static Proposal moveAnchor(const Proposal &anchor, ArrayRef<double> delta,
                           bool areCorners) {
  if (areCorners)
    return {anchor.x1 + delta[0], anchor.y1 + delta[1], anchor.x2 + delta[2],
            anchor.y2 + delta[3], 0};
  double width = anchor.x2 - anchor.x1 + 1, height = anchor.y2 - anchor.y1 + 1;
  double x = anchor.x1 + 0.5 * (width - 1) + delta[0] * width;
  double y = anchor.y1 + 0.5 * (height - 1) + delta[1] * height;
  double dx = 0.5 * (std::exp(delta[2]) * width - 1);
  double dy = 0.5 * (std::exp(delta[3]) * height - 1);
  return {x - dx, y - dy, x + dx, y + dy, 0};
}

static FailureOr<Tensor> evaluateProposal(VisionProposalOp op,
                                          ArrayRef<Tensor> operands) {
  WideTensor<double> scores(operands[0]), deltas(operands[1]);
  WideTensor<double> info(operands[2]);
  ArrayRef<double> scales = op.getScales(), ratios = op.getRatios();
  int64_t anchors = scales.size() * ratios.size(), batch = scores.size(0);
  int64_t height = scores.size(2), width = scores.size(3);
  if (scores.size(1) != 2 * anchors || deltas.size(1) != 4 * anchors ||
      deltas.size(0) != batch || info.size(0) != batch ||
      deltas.size(2) != height || deltas.size(3) != width)
    return op.emitOpError("expects scores, boxes and image sizes that fit, but "
                          "got ")
           << operands[0].getType() << ", " << operands[1].getType() << " and "
           << operands[2].getType();
  double stride = op.getFeatureStride();
  int64_t most = op.getRpnPostNmsTopN(), before = op.getRpnPreNmsTopN();
  double threshold = op.getThreshold().convertToDouble();

  auto getRegion = [&](int64_t n, int64_t y, int64_t x, int64_t k) {
    Proposal anchor =
        getAnchor(ratios[k / scales.size()], scales[k % scales.size()], stride);
    anchor = {anchor.x1 + x * stride, anchor.y1 + y * stride,
              anchor.x2 + x * stride, anchor.y2 + y * stride, 0};
    double delta[4];
    for (int64_t i = 0; i < 4; ++i)
      delta[i] = deltas(n, 4 * k + i, y, x);
    Proposal region = moveAnchor(anchor, delta, op.getIouLoss());
    double imageHeight = info(n, 0), imageWidth = info(n, 1);
    region.x1 = std::max(std::min(region.x1, imageWidth - 1), 0.0);
    region.y1 = std::max(std::min(region.y1, imageHeight - 1), 0.0);
    region.x2 = std::max(std::min(region.x2, imageWidth - 1), 0.0);
    region.y2 = std::max(std::min(region.y2, imageHeight - 1), 0.0);
    bool isBeyond = y >= std::trunc(imageHeight / stride) ||
                    x >= std::trunc(imageWidth / stride);
    // Without a score one would have no place in the order.
    double score = scores(n, anchors + k, y, x);
    region.score = isBeyond || score != score ? -1 : score;
    double least = info(n, 2) * op.getRpnMinSize();
    if (region.x2 - region.x1 + 1 < least || region.y2 - region.y1 + 1 < least)
      region = {region.x1 - least / 2, region.y1 - least / 2,
                region.x2 + least / 2, region.y2 + least / 2, -1};
    return region;
  };

  WideTensor<double> result({batch * most, 5});
  for (int64_t n = 0; n < batch; ++n) {
    std::vector<Proposal> regions;
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        for (int64_t k = 0; k < anchors; ++k)
          regions.push_back(getRegion(n, y, x, k));
    SmallVector<int64_t> order = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(regions.size())));
    llvm::sort(order, [&](int64_t a, int64_t b) {
      double scoreOfA = regions[a].score, scoreOfB = regions[b].score;
      return scoreOfA != scoreOfB ? scoreOfA > scoreOfB : a < b;
    });
    if (before > 0 && before < static_cast<int64_t>(order.size()))
      order.resize(before);
    std::vector<Proposal> kept;
    for (int64_t i : order)
      if (llvm::none_of(kept, [&](const Proposal &better) {
            return getOverlap(better, regions[i]) > threshold;
          }))
        kept.push_back(regions[i]);
    for (int64_t i = 0; i < most && !kept.empty(); ++i) {
      const Proposal &region = kept[i % kept.size()];
      double values[] = {static_cast<double>(n), region.x1, region.y1,
                         region.x2, region.y2};
      for (int64_t k = 0; k < 5; ++k)
        result(n * most + i, k) = values[k];
    }
  }
  return result.toTensor(getResultElementType(op));
}

//===----------------------------------------------------------------------===//
// Anchor boxes
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateMultiboxPrior(VisionMultiboxPriorOp op,
                                               ArrayRef<Tensor> operands) {
  int64_t height = operands[0].getDimSize(2), width = operands[0].getDimSize(3);
  ArrayRef<double> sizes = op.getSizes(), ratios = op.getRatios();
  double steps[] = {op.getSteps()[0] > 0 ? op.getSteps()[0] : 1.0 / height,
                    op.getSteps()[1] > 0 ? op.getSteps()[1] : 1.0 / width};
  // Half heights and widths.
  SmallVector<std::pair<double, double>> halves;
  double aspect = static_cast<double>(height) / width;
  for (double size : sizes)
    halves.push_back({size / 2, size * aspect / 2});
  for (double ratio : ratios.drop_front())
    halves.push_back({sizes[0] / std::sqrt(ratio) / 2,
                      sizes[0] * aspect * std::sqrt(ratio) / 2});
  int64_t count = halves.size();
  WideTensor<double> boxes({1, height * width * count, 4});
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t k = 0; k < count; ++k) {
        double cy = (y + op.getOffsets()[0]) * steps[0];
        double cx = (x + op.getOffsets()[1]) * steps[1];
        auto [dy, dx] = halves[k];
        double values[] = {cx - dx, cy - dy, cx + dx, cy + dy};
        for (int64_t i = 0; i < 4; ++i)
          boxes(0, (y * width + x) * count + k, i) =
              op.getClip() ? std::clamp(values[i], 0.0, 1.0) : values[i];
      }
  return boxes.toTensor(getResultElementType(op));
}

static FailureOr<InterpreterValue>
evaluateMultiboxTransformLoc(VisionMultiboxTransformLocOp op,
                             ArrayRef<Tensor> operands) {
  WideTensor<double> scores(operands[0]), deltas(operands[1]);
  WideTensor<double> anchor(operands[2]);
  int64_t batch = scores.size(0), anchors = scores.size(2);
  if (deltas.size(0) != batch || deltas.size(1) != 4 * anchors ||
      anchor.size(1) != anchors)
    return op.emitOpError("expects scores, displacements and anchors that fit, "
                          "but got ")
           << operands[0].getType() << ", " << operands[1].getType() << " and "
           << operands[2].getType();
  ArrayRef<double> variances = op.getVariances();
  double threshold = op.getThreshold().convertToDouble();
  WideTensor<double> boxes({batch, anchors, 6}, -1);
  WideTensor<int64_t> counts({batch});
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t i = 0; i < anchors; ++i) {
      double score = -1;
      int64_t best = 0;
      for (int64_t c = 1; c < scores.size(1); ++c)
        if (scores(n, c, i) > score) {
          score = scores(n, c, i);
          best = c;
        }
      if (score < threshold)
        best = 0;
      if (best == 0 && !op.getKeepBackground())
        continue;
      double width = anchor(0, i, 2) - anchor(0, i, 0);
      double height = anchor(0, i, 3) - anchor(0, i, 1);
      double x = (anchor(0, i, 0) + anchor(0, i, 2)) / 2 +
                 deltas(n, 4 * i) * variances[0] * width;
      double y = (anchor(0, i, 1) + anchor(0, i, 3)) / 2 +
                 deltas(n, 4 * i + 1) * variances[1] * height;
      double dx = std::exp(deltas(n, 4 * i + 2) * variances[2]) * width / 2;
      double dy = std::exp(deltas(n, 4 * i + 3) * variances[3]) * height / 2;
      double corners[] = {x - dx, y - dy, x + dx, y + dy};
      int64_t to = counts(n)++;
      boxes(n, to, 0) = best - 1;
      boxes(n, to, 1) = score;
      for (int64_t k = 0; k < 4; ++k)
        boxes(n, to, 2 + k) =
            op.getClip() ? std::clamp(corners[k], 0.0, 1.0) : corners[k];
    }
  return InterpreterValue(std::vector<InterpreterValue>{
      boxes.toTensor(operands[0].getElementType()),
      counts.toTensor(IntegerType::get(op.getContext(), 32))});
}

static FailureOr<Tensor> evaluateYoloReorg(VisionYoloReorgOp op,
                                           ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  int64_t s = op.getStride(), n = shape[0], c = shape[1];
  int64_t h = shape[2], w = shape[3];
  if (c % (s * s) || h % s || w % s)
    return op.emitOpError("expects sizes divisible by stride ")
           << s << " (channels by its square), but got "
           << operands[0].getType();
  // (n, c / s^2, y, i, x, j) -> (n, i, j, c / s^2, y, x).
  Tensor blocks = operands[0].reshape({n, c / (s * s), h, s, w, s});
  return transpose(blocks, {0, 3, 5, 1, 2, 4})
      .reshape({n, c * s * s, h / s, w / s});
}

void relay::detail::populateVisionEvaluators(EvaluatorTable &table) {
  table.add<VisionRoiAlignOp>(evaluateRoiAlign);
  table.add<VisionRoiPoolOp>(evaluateRoiPool);
  table.add<VisionProposalOp>(evaluateProposal);
  table.add<VisionMultiboxPriorOp>(evaluateMultiboxPrior);
  table.add<VisionMultiboxTransformLocOp>(evaluateMultiboxTransformLoc);
  table.add<VisionYoloReorgOp>(evaluateYoloReorg);
}
