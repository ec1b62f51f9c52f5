//===- Regions.cpp - Regions of images ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vision.roi_align takes as many samples as a bin has pixels, but of regions
// that have a pixel at least, where RoiAlign with half pixels takes any. So
// each bin becomes a region of its own, with one bin.
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "Formula.h"

#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// The bins of all regions along one axis: (regions, bins).
struct BinAxis {
  Value begin, end;
  /// Whether the bins have a positive size.
  Value hasSamples;
};

} // namespace

static BinAxis createBins(NodeContext &node, Value first, Value last,
                          int64_t bins, bool isShifted) {
  // The number of samples is that of ONNX Runtime: of sizes in this type.
  Formula small(node, first);
  Value size = small.sub(last, first);
  if (!isShifted)
    size = small.max(size, small.number(1));
  size = small.div(size, small.number(static_cast<double>(bins)));
  if (!size)
    return {};
  // Sums of these numbers are exact in f64 unless they are of f64 themselves.
  Type f64 = node.getBuilder().getF64Type();
  size = node.castTo(size, f64);
  Formula math(node, size);
  Value line = node.createPositions(ShapeScalar::get(bins), f64);
  Value begin = math.add(node.castTo(first, f64), math.mul(size, line));
  // A sample in the middle of less than a pixel is one in the middle of one.
  Value middle = math.add(begin, math.mul(size, math.number(0.5)));
  begin = node.create<WhereOp>({math.less(size, math.number(1)),
                                math.sub(middle, math.number(0.5)), begin});
  // A bin that rounding has made longer must not have a further sample.
  Value end = math.add(begin, size);
  Value isLonger =
      math.greater(math.sub(end, begin), node.create<CeilOp>({size}));
  Value shorter = math.add(begin, math.mul(size, math.number(1 - 1e-9)));
  end = node.create<WhereOp>({isLonger, shorter, end});
  return {begin, end, math.greater(size, math.number(0))};
}

Value mlir::relay::onnx::createAdaptiveRoiAlign(NodeContext &node,
                                                ArrayRef<int64_t> counts,
                                                double scale, bool isShifted) {
  OpBuilder &builder = node.getBuilder();
  Value data = node.getInput(0), rois = node.widen(node.getInput(1));
  if (!rois)
    return nullptr;
  Formula math(node, rois);
  auto getCorner = [&](int64_t column) {
    Value corner =
        math.mul(node.slice(rois, 1, column, column + 1), math.number(scale));
    return isShifted ? math.add(corner, math.number(-0.5)) : corner;
  };
  BinAxis rows =
      createBins(node, getCorner(1), getCorner(3), counts[0], isShifted);
  BinAxis columns =
      createBins(node, getCorner(0), getCorner(2), counts[1], isShifted);
  Value images =
      node.castTo(node.expandDims(node.getInput(2), 1), builder.getF64Type());
  if (!rows.end || !columns.end || !images)
    return nullptr;

  // Each of (regions, rows, columns), one after the other.
  ShapeScalar regions = node.getDims(rois)[0];
  ShapeScalar height = ShapeScalar::get(counts[0]),
              width = ShapeScalar::get(counts[1]);
  ShapeScalar total = multiplySizes(regions, multiplySizes(height, width));
  auto spread = [&](Value value, int64_t axis) {
    value = node.broadcast(node.expandDims(value, axis),
                           ArrayRef<ShapeScalar>{regions, height, width});
    return node.reshape(value,
                        ArrayRef<ShapeScalar>{total, ShapeScalar::get(1)});
  };
  Value boxes = node.concatenate({spread(images, 2), spread(columns.begin, 1),
                                  spread(rows.begin, 2), spread(columns.end, 1),
                                  spread(rows.end, 2)},
                                 1);
  if (!boxes)
    return nullptr;
  VisionRoiAlignOp::Properties properties;
  properties.pooled_size = builder.getDenseI64ArrayAttr({1, 1});
  properties.spatial_scale = builder.getF64FloatAttr(1);
  Value pooled = node.create<VisionRoiAlignOp>({data, boxes}, properties);
  if (!pooled)
    return nullptr;
  pooled = node.reshape(pooled, ArrayRef<ShapeScalar>{regions, height, width,
                                                      node.getDims(data)[1]});
  Value hasSamples =
      node.expandDims(math.both(node.expandDims(rows.hasSamples, 2),
                                node.expandDims(columns.hasSamples, 1)),
                      3);
  if (!pooled || !hasSamples)
    return nullptr;
  pooled = node.create<WhereOp>(
      {hasSamples, pooled, node.createScalar(0, node.getElementType(pooled))});
  return node.transpose(pooled, {0, 3, 1, 2});
}

LogicalResult mlir::relay::onnx::convertMaxRoiPool(NodeContext &node) {
  OpBuilder &builder = node.getBuilder();
  Value data = node.getInput(0), rois = node.getInput(1);
  RankedTensorType type = node.getType(data), roiType = node.getType(rois);
  if (type.getRank() != 4 || roiType.getRank() != 2 ||
      roiType.getDimSize(1) != 5)
    return node.emitError() << "expects data of rank 4 and regions (count, 5), "
                               "but got "
                            << type << " and " << roiType;
  std::optional<ArrayRef<int64_t>> size = node.getInts("pooled_shape");
  constexpr int64_t maxSize = 4096;
  if (!size || size->size() != 2 || llvm::any_of(*size, [&](int64_t count) {
        return count < 1 || count > maxSize;
      }))
    return node.emitError()
           << "expects attribute \"pooled_shape\" of two sizes in [1, "
           << maxSize << "]";
  VisionRoiPoolOp::Properties properties;
  properties.pooled_size = builder.getDenseI64ArrayAttr(*size);
  properties.spatial_scale =
      builder.getF64FloatAttr(node.getFloat("spatial_scale", 1));
  return node.setResult(node.create<VisionRoiPoolOp>({data, rois}, properties));
}
