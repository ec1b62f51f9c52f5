"""Operators of object detection: `vision.*`."""

from __future__ import annotations

from typing import Any

from ..expr import ExprLike, TupleWrapper
from ._build import populate
from ._numbers import scalar
from ._registry import make_call

__all__ = [
    "all_class_non_max_suppression", "get_valid_counts", "multibox_transform_loc",
    "non_max_suppression", "regular_non_max_suppression",
]


def get_valid_counts(data: ExprLike, score_threshold: ExprLike, id_index: Any = 0,
                     score_index: Any = 1) -> TupleWrapper:
    """Moves boxes of a high score to the front. Returns a TupleWrapper of counts,
    boxes, and their indices."""
    score_threshold = scalar("get_valid_counts: 'score_threshold'", score_threshold, "float32")
    call = make_call("vision.get_valid_counts", [data, score_threshold],
                     {"id_index": id_index, "score_index": score_index})
    return TupleWrapper(call, 3)


def non_max_suppression(data: ExprLike, valid_count: ExprLike, indices: ExprLike,
                        max_output_size: Any = -1, iou_threshold: Any = 0.5,
                        force_suppress: bool = False, top_k: Any = -1, coord_start: Any = 2,
                        score_index: Any = 1, id_index: Any = 0, return_indices: bool = True,
                        invalid_to_bottom: bool = False) -> TupleWrapper:
    """Drops boxes that overlap a better one. Returns a TupleWrapper of indices and
    counts, or the boxes."""
    operands = [data, valid_count, indices, scalar("max_output_size", max_output_size, "int32"),
                scalar("iou_threshold", iou_threshold, "float32")]
    call = make_call("vision.non_max_suppression", operands, {
        "force_suppress": force_suppress, "top_k": top_k, "coord_start": coord_start,
        "score_index": score_index, "id_index": id_index, "return_indices": return_indices,
        "invalid_to_bottom": invalid_to_bottom})
    return TupleWrapper(call, 2) if return_indices else call


def all_class_non_max_suppression(boxes: ExprLike, scores: ExprLike,
                                  max_output_boxes_per_class: Any = -1, iou_threshold: Any = -1.0,
                                  score_threshold: ExprLike = -1.0,
                                  output_format: str = "onnx") -> TupleWrapper:
    """Non-maximum suppression of each class, as ONNX has it. Returns a
    TupleWrapper."""
    operands = [boxes, scores,
                scalar("max_output_boxes_per_class", max_output_boxes_per_class, "int32"),
                scalar("iou_threshold", iou_threshold, "float32"),
                scalar("score_threshold", score_threshold, "float32")]
    call = make_call("vision.all_class_non_max_suppression", operands,
                     {"output_format": output_format})
    return TupleWrapper(call, 2 if output_format == "onnx" else 3)


def regular_non_max_suppression(boxes: ExprLike, scores: ExprLike, max_detections_per_class: Any,
                                max_detections: Any, num_classes: int, iou_threshold: Any,
                                score_threshold: ExprLike) -> TupleWrapper:
    """Non-maximum suppression, as TFLite has it. Returns a TupleWrapper of boxes,
    classes, scores, and counts."""
    call = make_call("vision.regular_non_max_suppression", [boxes, scores], {
        "max_detections_per_class": max_detections_per_class,
        "max_detections": max_detections, "num_classes": num_classes,
        "iou_threshold": iou_threshold, "score_threshold": score_threshold})
    return TupleWrapper(call, 4)


def multibox_transform_loc(cls_prob: ExprLike, loc_pred: ExprLike, anchor: ExprLike,
                           clip: bool = True, threshold: Any = 0.01,
                           variances: Any = (0.1, 0.1, 0.2, 0.2),
                           keep_background: bool = False) -> TupleWrapper:
    """Boxes of predictions relative to anchors. Returns a TupleWrapper of boxes and
    counts."""
    call = make_call("vision.multibox_transform_loc", [cls_prob, loc_pred, anchor], {
        "clip": clip, "threshold": threshold, "variances": variances,
        "keep_background": keep_background})
    return TupleWrapper(call, 2)


populate(globals(), "vision.", ["vision"])
