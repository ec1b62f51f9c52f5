//===- VisionOps.cpp - Object detection -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::shapes;

static RankedTensorType getIntTensor(MLIRContext *context, unsigned width,
                                     ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, IntegerType::get(context, width));
}

/// Checks that attribute `name` is the index of one of `size` values.
static LogicalResult checkIndex(std::optional<Location> location,
                                StringRef name, int64_t index, int64_t size) {
  if (index >= 0 && (isDynamic(size) || index < size))
    return success();
  if (isDynamic(size))
    return emitOptionalError(location, "expects ", name,
                             " not to be negative, but got ", index);
  return emitOptionalError(location, "expects ", name, " in the range [0, ",
                           size, "), but got ", index);
}

//===----------------------------------------------------------------------===//
// Suppression of overlapping boxes
//===----------------------------------------------------------------------===//

LogicalResult VisionGetValidCountsOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  if (failed(checkRank(location, "data", data, 3)))
    return failure();
  int64_t values = data.getDimSize(2);
  if (failed(checkIndex(location, "score_index", adaptor.getScoreIndex(),
                        values)) ||
      (adaptor.getIdIndex() >= 0 &&
       failed(checkIndex(location, "id_index", adaptor.getIdIndex(), values))))
    return failure();
  ArrayRef<int64_t> shape = data.getShape();
  types.push_back(TupleType::get(
      context, {getIntTensor(context, 32, shape.take_front(1)), data,
                getIntTensor(context, 32, shape.take_front(2))}));
  return success();
}

LogicalResult VisionNonMaxSuppressionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType count = getTensor(adaptor.getValidCount().getType());
  RankedTensorType indices = getTensor(adaptor.getIndices().getType());
  if (failed(checkRank(location, "data", data, 3)) ||
      failed(checkRank(location, "valid_count", count, 1)) ||
      failed(checkRank(location, "indices", indices, 2)) ||
      failed(
          checkSize(location, "valid_count", count, 0, data.getDimSize(0))) ||
      failed(checkSize(location, "indices", indices, 0, data.getDimSize(0))) ||
      failed(checkSize(location, "indices", indices, 1, data.getDimSize(1))))
    return failure();
  int64_t values = data.getDimSize(2);
  if (failed(checkIndex(location, "score_index", adaptor.getScoreIndex(),
                        values)) ||
      failed(checkIndex(
          location, "coord_start", adaptor.getCoordStart(),
          isDynamic(values) ? values : std::max<int64_t>(0, values - 3))) ||
      (adaptor.getIdIndex() >= 0 &&
       failed(checkIndex(location, "id_index", adaptor.getIdIndex(), values))))
    return failure();
  if (!adaptor.getReturnIndices()) {
    types.push_back(data);
    return success();
  }
  ArrayRef<int64_t> shape = data.getShape();
  types.push_back(
      TupleType::get(context, {getIntTensor(context, 32, shape.take_front(2)),
                               getIntTensor(context, 32, {shape[0], 1})}));
  return success();
}

LogicalResult VisionAllClassNonMaxSuppressionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType boxes = getTensor(adaptor.getBoxes().getType());
  RankedTensorType scores = getTensor(adaptor.getScores().getType());
  StringRef format = adaptor.getOutputFormat();
  if (failed(relay::detail::checkMode(location, "output_format", format,
                                      {"onnx", "tensorflow"})) ||
      failed(checkRank(location, "boxes", boxes, 3)) ||
      failed(checkSize(location, "boxes", boxes, 2, 4)) ||
      failed(checkRank(location, "scores", scores, 3)) ||
      failed(checkSize(location, "scores", scores, 0, boxes.getDimSize(0))) ||
      failed(checkSize(location, "scores", scores, 2, boxes.getDimSize(1))))
    return failure();
  int64_t batch = getKnown(boxes.getDimSize(0), scores.getDimSize(0));
  int64_t count = multiply(scores.getDimSize(1),
                           getKnown(boxes.getDimSize(1), scores.getDimSize(2)));
  if (format == "onnx")
    types.push_back(TupleType::get(
        context, {getIntTensor(context, 64, {multiply(batch, count), 3}),
                  getIntTensor(context, 64, {1})}));
  else
    types.push_back(TupleType::get(
        context,
        {getIntTensor(context, 64, {batch, count, 2}),
         RankedTensorType::get({batch, count}, Float32Type::get(context)),
         getIntTensor(context, 64, {batch})}));
  return success();
}

LogicalResult VisionRegularNonMaxSuppressionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType boxes = getTensor(adaptor.getBoxes().getType());
  RankedTensorType scores = getTensor(adaptor.getScores().getType());
  int64_t most = adaptor.getMaxDetections(), classes = adaptor.getNumClasses();
  if (failed(checkRank(location, "boxes", boxes, 3)) ||
      failed(checkSize(location, "boxes", boxes, 2, 4)) ||
      failed(checkRank(location, "scores", scores, 3)) ||
      failed(checkSize(location, "scores", scores, 0, boxes.getDimSize(0))) ||
      failed(checkSize(location, "scores", scores, 1, boxes.getDimSize(1))) ||
      failed(checkPositive(location, "max_detections_per_class",
                           adaptor.getMaxDetectionsPerClass())) ||
      failed(checkPositive(location, "max_detections", most)) ||
      failed(checkPositive(location, "num_classes", classes)))
    return failure();
  if (!isDynamic(scores.getDimSize(2)) && scores.getDimSize(2) < classes)
    return emitOptionalError(location, "expects scores of at least ", classes,
                             " classes, but got ", scores);
  int64_t batch = getKnown(boxes.getDimSize(0), scores.getDimSize(0));
  Type f32 = Float32Type::get(context);
  types.push_back(
      TupleType::get(context, {RankedTensorType::get({batch, most, 4}, f32),
                               RankedTensorType::get({batch, most}, f32),
                               RankedTensorType::get({batch, most}, f32),
                               getIntTensor(context, 32, {batch})}));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

template <typename Adaptor>
static LogicalResult inferRoi(std::optional<Location> location, Adaptor adaptor,
                              SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType rois = getTensor(adaptor.getRois().getType());
  ArrayRef<int64_t> size = adaptor.getPooledSize();
  StringRef layout = adaptor.getLayout();
  if (failed(relay::detail::checkMode(location, "layout", layout,
                                      {"NCHW", "NHWC"})) ||
      failed(checkRank(location, "data", data, 4)) ||
      failed(checkRank(location, "rois", rois, 2)) ||
      failed(checkSize(location, "rois", rois, 1, 5)) ||
      failed(checkPositive(location, "pooled_size", size, 2)))
    return failure();
  SmallVector<int64_t> shape = {rois.getDimSize(0), data.getDimSize(1), size[0],
                                size[1]};
  if (layout == "NHWC")
    shape = {rois.getDimSize(0), size[0], size[1], data.getDimSize(3)};
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult VisionRoiAlignOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(relay::detail::checkMode(location, "mode", adaptor.getMode(),
                                      {"avg", "max"})))
    return failure();
  return inferRoi(location, adaptor, types);
}

LogicalResult VisionRoiPoolOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferRoi(location, adaptor, types);
}

LogicalResult VisionProposalOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType scores = getTensor(adaptor.getClsProb().getType());
  RankedTensorType boxes = getTensor(adaptor.getBboxPred().getType());
  RankedTensorType info = getTensor(adaptor.getImInfo().getType());
  int64_t anchors = adaptor.getScales().size() * adaptor.getRatios().size();
  auto isPositive = [](double value) { return value > 0; };
  if (anchors == 0 || !llvm::all_of(adaptor.getScales(), isPositive) ||
      !llvm::all_of(adaptor.getRatios(), isPositive))
    return emitOptionalError(location,
                             "expects positive scales and ratios, at least one "
                             "of each");
  if (failed(checkRank(location, "cls_prob", scores, 4)) ||
      failed(checkSize(location, "cls_prob", scores, 1, 2 * anchors)) ||
      failed(checkRank(location, "bbox_pred", boxes, 4)) ||
      failed(checkSize(location, "bbox_pred", boxes, 1, 4 * anchors)) ||
      failed(checkRank(location, "im_info", info, 2)) ||
      failed(checkSize(location, "im_info", info, 1, 3)) ||
      failed(checkSize(location, "im_info", info, 0, scores.getDimSize(0))) ||
      failed(checkPositive(location, "feature_stride",
                           adaptor.getFeatureStride())) ||
      failed(checkPositive(location, "rpn_post_nms_top_n",
                           adaptor.getRpnPostNmsTopN())))
    return failure();
  for (int64_t dim : {0, 2, 3})
    if (failed(checkSize(location, "bbox_pred", boxes, dim,
                         scores.getDimSize(dim))))
      return failure();
  int64_t batch = getKnown(scores.getDimSize(0), boxes.getDimSize(0));
  types.push_back(
      scores.clone({multiply(batch, adaptor.getRpnPostNmsTopN()), 5}));
  return success();
}

//===----------------------------------------------------------------------===//
// Anchor boxes
//===----------------------------------------------------------------------===//

LogicalResult VisionMultiboxPriorOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  if (failed(checkRank(location, "data", data, 4)))
    return failure();
  if (adaptor.getSizes().empty() || adaptor.getRatios().empty())
    return emitOptionalError(location,
                             "expects sizes and ratios, at least one of each");
  if (llvm::any_of(adaptor.getRatios(), [](double r) { return !(r > 0); }))
    return emitOptionalError(location, "expects positive ratios");
  if (adaptor.getSteps().size() != 2 || adaptor.getOffsets().size() != 2)
    return emitOptionalError(
        location, "expects 2 steps and 2 offsets, but got ",
        adaptor.getSteps().size(), " and ", adaptor.getOffsets().size());
  int64_t boxes = adaptor.getSizes().size() + adaptor.getRatios().size() - 1;
  int64_t pixels = multiply(data.getDimSize(2), data.getDimSize(3));
  types.push_back(data.clone({1, multiply(pixels, boxes), 4}));
  return success();
}

LogicalResult VisionMultiboxTransformLocOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType scores = getTensor(adaptor.getClsProb().getType());
  RankedTensorType boxes = getTensor(adaptor.getLocPred().getType());
  RankedTensorType anchor = getTensor(adaptor.getAnchor().getType());
  if (failed(checkRank(location, "cls_prob", scores, 3)) ||
      failed(checkRank(location, "loc_pred", boxes, 2)) ||
      failed(checkRank(location, "anchor", anchor, 3)) ||
      failed(checkSize(location, "loc_pred", boxes, 0, scores.getDimSize(0))) ||
      failed(checkSize(location, "loc_pred", boxes, 1,
                       multiply(4, scores.getDimSize(2)))) ||
      failed(checkSize(location, "anchor", anchor, 0, 1)) ||
      failed(checkSize(location, "anchor", anchor, 1, scores.getDimSize(2))) ||
      failed(checkSize(location, "anchor", anchor, 2, 4)))
    return failure();
  if (adaptor.getVariances().size() != 4)
    return emitOptionalError(location, "expects 4 variances, but got ",
                             adaptor.getVariances().size());
  int64_t batch = getKnown(scores.getDimSize(0), boxes.getDimSize(0));
  int64_t anchors = getKnown(scores.getDimSize(2), anchor.getDimSize(1));
  types.push_back(
      TupleType::get(context, {scores.clone({batch, anchors, 6}),
                               getIntTensor(context, 32, {batch})}));
  return success();
}

LogicalResult VisionYoloReorgOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  int64_t stride = adaptor.getStride();
  if (failed(checkRank(location, "data", data, 4)) ||
      failed(checkPositive(location, "stride", stride)))
    return failure();
  // Its square is a size.
  if (stride > 65536)
    return emitOptionalError(location,
                             "expects stride of at most 65536, but "
                             "got ",
                             stride);
  SmallVector<int64_t> shape(data.getShape());
  int64_t divisors[] = {1, stride * stride, stride, stride};
  for (int64_t dim = 1; dim < 4; ++dim) {
    if (isDynamic(shape[dim]))
      continue;
    if (shape[dim] % divisors[dim] != 0)
      return emitOptionalError(location, "expects a size divisible by ",
                               divisors[dim], " along dimension ", dim,
                               ", but got ", data);
    shape[dim] = dim == 1 ? shape[dim] * divisors[1] : shape[dim] / stride;
  }
  types.push_back(data.clone(shape));
  return success();
}

void RelayDialect::registerVisionOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.cpp.inc"
