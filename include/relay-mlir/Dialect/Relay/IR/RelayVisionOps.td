//===- RelayVisionOps.td - Object detection ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYVISIONOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYVISIONOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Suppression of overlapping boxes
//===----------------------------------------------------------------------===//

def Relay_VisionGetValidCountsOp
    : Relay_Operator<"vision.get_valid_counts", "Opaque"> {
  let summary = "Moves the boxes with a high score to the front";
  let description = [{
    data is (B, N, E) of boxes with E values. Valid are those whose value
    `score_index` is above the threshold (the attribute, if given, or else the
    operand) and whose value `id_index`, unless that is negative, is not below 0.
    Returns their number (B) of i32; data with them in front, in order, and -1
    behind; and their former positions (B, N) of i32, -1 behind.

    Example:

    ```mlir
    %0 = relay.vision.get_valid_counts %x, %t {score_threshold = 0.5}
        : (tensor<1x100x6xf32>, tensor<f32>)
        -> tuple<tensor<1xi32>, tensor<1x100x6xf32>, tensor<1x100xi32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Scalar:$threshold,
    Relay_Nullable<F64Attr>:$score_threshold, Relay_DefaultInt<"0">:$id_index,
    Relay_DefaultInt<"1">:$score_index);
  let results = (outs AnyTuple:$result);
}

def Relay_VisionNonMaxSuppressionOp
    : Relay_Operator<"vision.non_max_suppression", "Opaque"> {
  let summary = "Removes boxes that overlap one with a higher score";
  let description = [{
    data is (B, N, E), valid_count (B) the number of boxes that count, indices
    (B, N) what to return for each, max_output_size and iou_threshold scalars.
    Boxes are corners at values `coord_start` ... `coord_start` + 3, in any order.

    Boxes are sorted by decreasing score, equal ones as they come; with
    `top_k` > 0 only that many are kept. Then each with a positive score stays
    unless its overlap (intersection over union) with one before it that stayed,
    and is of the same class or any class with `force_suppress` (or an `id_index`
    below 0), reaches iou_threshold; after max_output_size boxes (none if
    negative) all others go. Removed boxes are -1. Where iou_threshold is not
    positive, boxes stay unsorted and none is removed.

    With `return_indices` the result is the tuple of the remaining boxes' indices
    (B, N) of i32, -1 behind, and their number (B, 1) of i32. Otherwise it is data
    sorted, with what was removed at its place, or at the end with
    `invalid_to_bottom`.

    Example:

    ```mlir
    %0 = relay.vision.non_max_suppression %x, %n, %i, %max, %iou
        {top_k = 50, return_indices = false}
        : (tensor<1x100x6xf32>, tensor<1xi32>, tensor<1x100xi32>, tensor<i32>,
           tensor<f32>)
        -> tensor<1x100x6xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_IntegerTensor:$valid_count,
    Relay_Tensor:$indices, Relay_Scalar:$max_output_size,
    Relay_Scalar:$iou_threshold, Relay_DefaultBool<"false">:$force_suppress,
    Relay_DefaultInt<"-1">:$top_k, Relay_DefaultInt<"2">:$coord_start,
    Relay_DefaultInt<"1">:$score_index, Relay_DefaultInt<"0">:$id_index,
    Relay_DefaultBool<"true">:$return_indices,
    Relay_DefaultBool<"false">:$invalid_to_bottom);
  let results = (outs Relay_Value:$result);
}

def Relay_VisionAllClassNonMaxSuppressionOp
    : Relay_Operator<"vision.all_class_non_max_suppression", "Opaque"> {
  let summary = "Removes overlapping boxes for each class by itself";
  let description = [{
    boxes is (B, N, 4) of corners in any order, scores (B, C, N); the others are
    scalars. For each batch item and class, the boxes whose score is above
    score_threshold are selected by decreasing score, unless their overlap with
    a selected one reaches iou_threshold, up to max_output_boxes_per_class (all if
    that is not positive). Nothing is selected unless iou_threshold is positive.

    `output_format` onnx returns (batch, class, box) of the selected ones,
    (B * C * N, 3) of i64 with 0 behind, and their number (1) of i64. tensorflow
    returns (class, box) for each batch item, (B, C * N, 2) of i64, their scores
    (B, C * N) of f32, both with 0 behind, and their numbers (B) of i64.

    Example:

    ```mlir
    %0 = relay.vision.all_class_non_max_suppression %x, %scores, %n, %iou, %t
        : (tensor<1x100x4xf32>, tensor<1x80x100xf32>, tensor<i64>, tensor<f32>,
           tensor<f32>)
        -> tuple<tensor<8000x3xi64>, tensor<1xi64>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$boxes, Relay_FloatTensor:$scores,
    Relay_Scalar:$max_output_boxes_per_class, Relay_Scalar:$iou_threshold,
    Relay_Scalar:$score_threshold, Relay_DefaultStr<"onnx">:$output_format);
  let results = (outs AnyTuple:$result);
}

def Relay_VisionRegularNonMaxSuppressionOp
    : Relay_Operator<"vision.regular_non_max_suppression", "Opaque"> {
  let summary = "The best boxes of all classes, without overlapping ones";
  let description = [{
    boxes is (B, N, 4) of (ymin, xmin, ymax, xmax), scores (B, N, C) where C is
    `num_classes`, or more if background comes first. For each class, the
    boxes whose score is at least `score_threshold` are selected by decreasing
    score, unless their overlap with a selected one is above `iou_threshold`, up
    to `max_detections_per_class`; then the `max_detections` best of all classes,
    equal ones by class, are returned: boxes (B, max_detections, 4), classes
    and scores (B, max_detections), all of f32 with 0 behind, and their numbers
    (B) of i32. A box without an area overlaps none.

    Example:

    ```mlir
    %0 = relay.vision.regular_non_max_suppression %boxes, %scores
        {max_detections_per_class = 100, max_detections = 10, num_classes = 90,
         iou_threshold = 0.6, score_threshold = 0.5}
        : (tensor<1x1917x4xf32>, tensor<1x1917x91xf32>)
        -> tuple<tensor<1x10x4xf32>, tensor<1x10xf32>, tensor<1x10xf32>,
                 tensor<1xi32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$boxes, Relay_FloatTensor:$scores,
    Relay_IntAttr:$max_detections_per_class, Relay_IntAttr:$max_detections,
    Relay_IntAttr:$num_classes, F64Attr:$iou_threshold,
    F64Attr:$score_threshold);
  let results = (outs AnyTuple:$result);
}

//===----------------------------------------------------------------------===//
// Regions of interest
//===----------------------------------------------------------------------===//

def Relay_VisionRoiAlignOp
    : Relay_Operator<"vision.roi_align", "OutEWiseFusable",
                     [Relay_SpatialLayout<2>]> {
  let summary = "Pools regions of images at interpolated points";
  let description = [{
    rois is (R, 5) of (image, x1, y1, x2, y2), times `spatial_scale` in pixels of
    data. A region, at least 1 by 1, is divided into `pooled_size` bins, a bin into
    `sample_ratio` rows and columns (if not positive, ceil(region / bins)), at whose
    centres data is interpolated bilinearly: 0 beyond one pixel outside, else
    clamped to the image. `mode` avg takes their mean, max their maximum.
    The result is (R, C, PH, PW), or for `layout` NHWC (R, PH, PW, C).

    Example:

    ```mlir
    %0 = relay.vision.roi_align %x, %rois
        {pooled_size = [7, 7], spatial_scale = 0.0625, sample_ratio = 2}
        : (tensor<1x256x50x64xf32>, tensor<100x5xf32>)
        -> tensor<100x256x7x7xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$rois,
    DenseI64ArrayAttr:$pooled_size, F64Attr:$spatial_scale,
    Relay_DefaultInt<"-1">:$sample_ratio, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"avg">:$mode);
}

def Relay_VisionRoiPoolOp
    : Relay_Operator<"vision.roi_pool", "OutEWiseFusable",
                     [Relay_SpatialLayout<2>]> {
  let summary = "Maxima of regions of images";
  let description = [{
    rois is (R, 5) of (image, x1, y1, x2, y2), times `spatial_scale` rounded to
    pixels of data, ends included. A region, at least 1 by 1, is divided into
    `pooled_size` bins, from floor(i * size) to ceil((i + 1) * size); the result is
    the maximum of each, 0 where it lies outside of the image. Its shape is that
    of vision.roi_align.

    Example:

    ```mlir
    %0 = relay.vision.roi_pool %x, %rois
        {pooled_size = [7, 7], spatial_scale = 0.0625}
        : (tensor<1x512x38x50xf32>, tensor<100x5xf32>)
        -> tensor<100x512x7x7xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$rois,
    DenseI64ArrayAttr:$pooled_size, F64Attr:$spatial_scale,
    Relay_DefaultStr<"NCHW">:$layout);
}

def Relay_VisionProposalOp : Relay_Operator<"vision.proposal", "Opaque"> {
  let summary = "Regions that a region proposal network found";
  let description = [{
    With A = #scales * #ratios anchors per pixel, cls_prob is (B, 2A, H, W), its
    second half the scores; bbox_pred (B, 4A, H, W); im_info (B, 3) of image
    height, width and scale.

    An anchor is a square of `feature_stride` pixels with its ratio (slow) and
    scale (fast), moved by `feature_stride` per pixel, and by bbox_pred: centre
    by (dx, dy) sizes, sizes by exp(dw), exp(dh), or with `iou_loss` the
    corners by their amounts; then clipped to the image. Boxes below
    `rpn_min_size` * scale in a direction, and those of pixels beyond the image,
    have score -1, the former grow by half that size to all sides. Of the
    `rpn_pre_nms_top_n` (all if not positive) best ones those go that overlap a
    better one by more than `threshold`; what is left, repeated until
    `rpn_post_nms_top_n`, is the result (B * rpn_post_nms_top_n, 5) of
    (image, x1, y1, x2, y2).

    Example:

    ```mlir
    %0 = relay.vision.proposal %scores, %boxes, %info {rpn_post_nms_top_n = 100}
        : (tensor<1x24x38x50xf32>, tensor<1x48x38x50xf32>, tensor<1x3xf32>)
        -> tensor<100x5xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$cls_prob, Relay_FloatTensor:$bbox_pred,
    Relay_FloatTensor:$im_info,
    Relay_DefaultFloats<"{4.0, 8.0, 16.0, 32.0}">:$scales,
    Relay_DefaultFloats<"{0.5, 1.0, 2.0}">:$ratios,
    Relay_DefaultInt<"16">:$feature_stride, Relay_DefaultFloat<"0.7">:$threshold,
    Relay_DefaultInt<"6000">:$rpn_pre_nms_top_n,
    Relay_DefaultInt<"300">:$rpn_post_nms_top_n,
    Relay_DefaultInt<"16">:$rpn_min_size, Relay_DefaultBool<"false">:$iou_loss);
}

//===----------------------------------------------------------------------===//
// Anchor boxes
//===----------------------------------------------------------------------===//

def Relay_VisionMultiboxPriorOp
    : Relay_Operator<"vision.multibox_prior", "Opaque"> {
  let summary = "Anchor boxes for each pixel";
  let description = [{
    data is (N, C, H, W), of which only the type is used. Pixel (y, x) has
    boxes about ((x + offsets[1]) * steps[1], (y + offsets[0]) * steps[0]), where a
    step that is not positive is 1 / size: one for each of `sizes` s, of height s
    and width s * H / W, then one for each of `ratios` r but the first, of height
    sizes[0] / sqrt(r) and width sizes[0] * H / W * sqrt(r). The result is
    (1, H * W * (#sizes + #ratios - 1), 4) of (x1, y1, x2, y2), with `clip` within
    0 and 1.

    Example:

    ```mlir
    %0 = relay.vision.multibox_prior %x
        {sizes = [0.1, 0.141], ratios = [1.0, 2.0, 0.5]}
        : (tensor<1x512x38x38xf32>) -> tensor<1x5776x4xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data,
    Relay_DefaultFloats<"{1.0}">:$sizes, Relay_DefaultFloats<"{1.0}">:$ratios,
    Relay_DefaultFloats<"{-1.0, -1.0}">:$steps,
    Relay_DefaultFloats<"{0.5, 0.5}">:$offsets,
    Relay_DefaultBool<"false">:$clip);
}

def Relay_VisionMultiboxTransformLocOp
    : Relay_Operator<"vision.multibox_transform_loc", "Opaque"> {
  let summary = "Boxes from predicted displacements of anchors";
  let description = [{
    cls_prob is (B, C, A) with class 0 the background, loc_pred (B, 4A), anchor
    (1, A, 4) of (x1, y1, x2, y2). An anchor's class is the best but background,
    the first of equal ones; those below `threshold` are background. The others,
    in order, give (class - 1, score, x1, y1, x2, y2): the centre is moved by
    (px, py) * variances sizes of the anchor, its sizes are scaled by exp((pw, ph)
    * variances), with `clip` corners lie within 0 and 1. `keep_background` gives
    background anchors as well, with class -1.
    Returns the boxes (B, A, 6), -1 behind, and their numbers (B) of i32.

    Example:

    ```mlir
    %0 = relay.vision.multibox_transform_loc %scores, %locs, %anchors
        {threshold = 0.5}
        : (tensor<1x21x100xf32>, tensor<1x400xf32>, tensor<1x100x4xf32>)
        -> tuple<tensor<1x100x6xf32>, tensor<1xi32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$cls_prob, Relay_FloatTensor:$loc_pred,
    Relay_FloatTensor:$anchor, Relay_DefaultBool<"true">:$clip,
    Relay_DefaultFloat<"0.01">:$threshold,
    Relay_DefaultFloats<"{0.1, 0.1, 0.2, 0.2}">:$variances,
    Relay_DefaultBool<"false">:$keep_background);
  let results = (outs AnyTuple:$result);
}

def Relay_VisionYoloReorgOp
    : Relay_Operator<"vision.yolo_reorg", "Injective"> {
  let summary = "Moves pixels into channels, as Darknet does";
  let description = [{
    data (N, C, H, W) becomes (N, C * s^2, H / s, W / s) for `stride` s: read as
    (N, C / s^2, H * s, W * s), element (n, c, y * s + i, x * s + j) is element
    (n, (i * s + j) * C / s^2 + c, y, x) of an (N, C, H, W) tensor, which is then
    read as the result. C is a multiple of s^2, H and W are multiples of s.

    Example:

    ```mlir
    %0 = relay.vision.yolo_reorg %x {stride = 2}
        : (tensor<1x64x26x26xf32>) -> tensor<1x256x13x13xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DefaultInt<"1">:$stride);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYVISIONOPS_TD
