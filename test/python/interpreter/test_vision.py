"""Object detection, against independent NumPy, and ONNX Runtime's RoiAlign,
MaxRoiPool and NonMaxSuppression."""

import itertools
from typing import Any

import numpy as np
import pytest
from onnx_eval import run_onnx
from relay_eval import Case, check, random


def corners(rng, count, size=10.0):
    """Boxes (x1, y1, x2, y2), many of which overlap."""
    low = rng.uniform(0, 0.6 * size, (count, 2))
    return np.concatenate([low, low + rng.uniform(0.1 * size, 0.5 * size, (count, 2))], 1).astype(np.float32)


def overlap(a, b, one=0.0):
    """Intersection over union; `one` is the size of a box with equal corners."""
    a, b = a.astype(float), b.astype(float)
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]) + one
    shared = np.prod(np.maximum(sides, 0))
    return shared / (np.prod(a[2:] - a[:2] + one) + np.prod(b[2:] - b[:2] + one) - shared)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_get_valid_counts(dtype):
    rng = np.random.default_rng(0)
    data = random(rng, (2, 9, 6), dtype, -1, 1)
    cases = []
    for threshold, id_index, score_index in ((0.1, 0, 1), (-0.5, -1, 1), (0.2, 2, 0), (2.0, 0, 1)):
        valid, indices = np.full_like(data, -1), np.full((2, 9), -1, np.int32)
        counts = np.zeros(2, np.int32)
        for n in range(2):
            keep = [i for i in range(9) if data[n, i, score_index] > threshold and (id_index < 0 or data[n, i, id_index] >= 0)]
            counts[n] = len(keep)
            valid[n, : len(keep)], indices[n, : len(keep)] = data[n, keep], keep
        attrs: dict[str, Any] = {"id_index": id_index, "score_index": score_index}
        scalar = np.array(threshold, data.dtype)
        cases.append(Case("vision.get_valid_counts", [data, scalar], (counts, valid, indices), attrs))
        attrs = attrs | {"score_threshold": threshold}
        cases.append(Case("vision.get_valid_counts", [data, np.array(9, data.dtype)], (counts, valid, indices), attrs))
    check(cases)


def non_max_suppression(data, count, threshold, most, force, top_k, id_index):
    """Indices in the order of the scores, None for what was removed."""
    order = sorted(range(count), key=lambda i: -data[i, 1])
    if threshold <= 0:
        return list(range(count))
    kept: list[Any] = []
    result = []
    for place, i in enumerate(order):
        usable = (top_k <= 0 or place < top_k) and len(kept) != most
        if usable and data[i, 1] > 0:
            rivals = [k for k in kept if id_index < 0 or (data[k, 0] >= 0 and (force or data[k, 0] == data[i, 0]))]
            usable = all(overlap(data[k, 2:6], data[i, 2:6]) < threshold for k in rivals)
            if usable:
                kept.append(i)
        result.append(i if usable else None)
    return result


@pytest.mark.parametrize("force", [False, True])
def test_non_max_suppression(force):
    rng = np.random.default_rng(1)
    batch, boxes = 2, 12
    data = np.zeros((batch, boxes, 6), np.float32)
    for n in range(batch):
        data[n] = np.concatenate([rng.integers(0, 3, (boxes, 1)), rng.permutation(boxes)[:, None] / boxes, corners(rng, boxes)], 1)
    swapped = data.copy()  # The corners in another order.
    swapped[..., [2, 4]] = data[..., [4, 2]]
    counts = np.array([boxes, 9], np.int32)
    indices = rng.permutation(100)[: batch * boxes].reshape(batch, boxes).astype(np.int32)
    cases, removed = [], 0
    for threshold, most, top_k, id_index in itertools.product((0.3, 0.6, 0.0), (-1, 3), (-1, 5), (0, -1)):
        found = [non_max_suppression(data[n], counts[n], threshold, most, force, top_k, id_index) for n in range(batch)]
        removed += sum(f.count(None) for f in found)
        kept, kept_counts = np.full((batch, boxes), -1, np.int32), np.zeros((batch, 1), np.int32)
        inplace, bottom = np.full_like(data, -1), np.full_like(data, -1)
        for n, order in enumerate(found):
            left = [i for i in order if i is not None]
            kept_counts[n], kept[n, : len(left)] = len(left), indices[n, left]
            bottom[n, : len(left)] = data[n, left]
            for place, i in enumerate(order):
                if i is not None:
                    inplace[n, place] = data[n, i]
        inputs = [data, counts, indices, np.array(most, np.int32), np.array(threshold, np.float32)]
        attrs = {"force_suppress": force, "top_k": top_k, "id_index": id_index}
        op = "vision.non_max_suppression"
        cases.append(Case(op, inputs, (kept, kept_counts), attrs))
        cases.append(Case(op, [swapped, *inputs[1:]], (kept, kept_counts), attrs))
        attrs = attrs | {"return_indices": False}
        cases.append(Case(op, inputs, inplace, attrs))
        cases.append(Case(op, inputs, bottom, attrs | {"invalid_to_bottom": True}))
    assert removed > 20
    check(cases)


@pytest.mark.parametrize("most", [-1, 3])
def test_all_class_non_max_suppression(most):
    rng = np.random.default_rng(2)
    batch, classes, boxes = 2, 3, 10
    data = np.stack([corners(rng, boxes) for _ in range(batch)])
    scores = rng.permutation(batch * classes * boxes).reshape(batch, classes, boxes).astype(np.float32) / 60
    cases = []
    for iou, least in ((0.3, 0.2), (0.5, 0.0), (0.9, 0.5)):
        limit = np.array([most if most > 0 else boxes], np.int64)
        onnx_inputs = [data, scores, limit, np.array([iou], np.float32), np.array([least], np.float32)]
        selected = run_onnx("NonMaxSuppression", onnx_inputs, opset=11)
        assert 0 < len(selected) < batch * classes * boxes
        rows = np.zeros((batch * classes * boxes, 3), np.int64)
        rows[: len(selected)] = selected
        inputs = [data, scores, np.array(most, np.int64), np.array(iou, np.float32), np.array(least, np.float32)]
        op = "vision.all_class_non_max_suppression"
        cases.append(Case(op, inputs, (rows, np.array([len(selected)]))))
        pairs, best = np.zeros((batch, classes * boxes, 2), np.int64), np.zeros((batch, classes * boxes), np.float32)
        counts = np.zeros(batch, np.int64)
        for n, c, i in selected:
            pairs[n, counts[n]], best[n, counts[n]] = (c, i), scores[n, c, i]
            counts[n] += 1
        cases.append(Case(op, inputs, (pairs, best, counts), {"output_format": "tensorflow"}))
    check(cases)


@pytest.mark.parametrize("background", [0, 1])
def test_regular_non_max_suppression(background):
    rng = np.random.default_rng(3)
    batch, boxes, classes = 2, 11, 3
    data = np.stack([corners(rng, boxes) for _ in range(batch)])[..., [1, 0, 3, 2]]
    data[1, 3, 2:] = data[1, 3, :2]  # Without an area.
    scores = rng.permutation(batch * boxes * (classes + background)).reshape(batch, boxes, -1).astype(np.float32) / 88
    cases = []
    for per_class, most, iou, least in ((5, 6, 0.4, 0.3), (2, 20, 0.2, 0.0), (100, 4, 0.5, 0.9)):
        outs = [np.zeros((batch, most, 4), np.float32), *(np.zeros((batch, most), np.float32) for _ in range(2))]
        counts = np.zeros(batch, np.int32)
        for n in range(batch):
            found = []
            for c in range(classes):
                column = scores[n, :, c + background]
                kept: list[Any] = []
                for i in np.argsort(-column):
                    if column[i] >= least and len(kept) < per_class:
                        if all(overlap(data[n, k], data[n, i]) <= iou for k in kept):
                            kept.append(i)
                found += [(-column[i], c, i) for i in kept]
            found = sorted(found)[:most]
            counts[n] = len(found)
            for row, (score, c, i) in enumerate(found):
                outs[0][n, row], outs[1][n, row], outs[2][n, row] = data[n, i], c, -score
        attrs: dict[str, Any] = dict(max_detections_per_class=per_class, max_detections=most)
        attrs |= dict(num_classes=classes, iou_threshold=iou, score_threshold=least)
        cases.append(Case("vision.regular_non_max_suppression", [data, scores], (*outs, counts), attrs))
    check(cases)


@pytest.mark.parametrize("scale,ratio", [(1.0, -1), (0.5, 2), (0.25, 3)])
def test_roi_align(scale, ratio):
    rng = np.random.default_rng(4)
    data = random(rng, (2, 3, 9, 8), "f32")
    regions = np.concatenate([corners(rng, 6, 9 / scale), [[-4, -3, 2, 3], [5, 6, 5.1, 6.1]]]).astype(np.float32)
    images = rng.integers(0, 2, len(regions))
    rois = np.concatenate([images[:, None], regions], 1).astype(np.float32)
    onnx_attrs = dict(output_height=3, output_width=2, spatial_scale=scale, sampling_ratio=max(ratio, 0), mode="avg")
    onnx_attrs["coordinate_transformation_mode"] = "output_half_pixel"
    average = run_onnx("RoiAlign", [data, regions, images.astype(np.int64)], opset=16, **onnx_attrs)
    attrs = {"pooled_size": [3, 2], "spatial_scale": scale, "sample_ratio": ratio}
    moved = np.ascontiguousarray(np.moveaxis(data, 1, -1))
    cases = [
        Case("vision.roi_align", [data, rois], average, attrs, rtol=1e-4, atol=1e-5),
        Case("vision.roi_align", [moved, rois], np.ascontiguousarray(np.moveaxis(average, 1, -1)), attrs | {"layout": "NHWC"}, rtol=1e-4, atol=1e-5),
    ]
    if ratio > 0:  # Maxima are those of finer bins with one sample each.
        fine = run_onnx("RoiAlign", [data, regions, images.astype(np.int64)], opset=16, **onnx_attrs | dict(output_height=3 * ratio, output_width=2 * ratio, sampling_ratio=1))
        most = fine.reshape(len(rois), 3, 3, ratio, 2, ratio).max((3, 5))
        cases.append(Case("vision.roi_align", [data, rois], most, attrs | {"mode": "max"}, rtol=1e-4, atol=1e-5))
    check(cases)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_pool(scale):
    rng = np.random.default_rng(5)
    data = random(rng, (2, 3, 9, 8), "f32")
    regions = np.concatenate([corners(rng, 8, 9 / scale), [[20, 2, 30, 5]]])
    rois = np.concatenate([rng.integers(0, 2, (len(regions), 1)), regions], 1).astype(np.float32)
    expected = run_onnx("MaxRoiPool", [data, rois], pooled_shape=[3, 2], spatial_scale=scale)
    attrs = {"pooled_size": [3, 2], "spatial_scale": scale}
    moved = [np.ascontiguousarray(np.moveaxis(v, 1, -1)) for v in (data, expected)]
    check(
        [
            Case("vision.roi_pool", [data, rois], expected, attrs),
            Case("vision.roi_pool", [moved[0], rois], moved[1], attrs | {"layout": "NHWC"}),
        ]
    )


def proposals(scores, deltas, info, scales, ratios, stride, threshold, before, after, least, iou_loss):
    anchors = []
    for ratio, scale in itertools.product(ratios, scales):
        width = round(np.sqrt(stride * stride // ratio) + 1e-9)
        height = np.floor(width * ratio + 0.5)
        half = np.array([width, height]) * scale / 2 - 0.5
        centre = (stride - 1) / 2
        anchors.append(np.concatenate([centre - half, centre + half]))
    batch, _, rows, columns = scores.shape
    result = np.zeros((batch, after, 5))
    for n in range(batch):
        boxes: list[Any] = []
        for y, x, (k, anchor) in itertools.product(range(rows), range(columns), enumerate(anchors)):
            box, delta = anchor + np.array([x, y, x, y]) * stride, deltas[n, 4 * k : 4 * k + 4, y, x].astype(float)
            if iou_loss:
                box = box + delta
            else:
                size = box[2:] - box[:2] + 1
                centre = box[:2] + (size - 1) / 2 + delta[:2] * size
                half = (np.exp(delta[2:]) * size - 1) / 2
                box = np.concatenate([centre - half, centre + half])
            box = np.clip(box, 0, np.array([info[n, 1], info[n, 0]] * 2) - 1)
            score = scores[n, len(anchors) + k, y, x]
            if y >= info[n, 0] // stride or x >= info[n, 1] // stride:
                score = -1
            if (box[2:] - box[:2] + 1).min() < info[n, 2] * least:
                score = -1
                box = box + np.array([-1, -1, 1, 1]) * info[n, 2] * least / 2
            boxes.append((-score, len(boxes), box))
        boxes = [b for _, _, b in sorted(boxes, key=lambda b: b[:2])]
        kept: list[Any] = []
        for box in boxes[: before if before > 0 else None]:
            if all(overlap(k, box, 1.0) <= threshold for k in kept):
                kept.append(box)
        for i in range(after):
            result[n, i] = [n, *kept[i % len(kept)]]
    return result.reshape(-1, 5)


@pytest.mark.parametrize("iou_loss", [False, True])
def test_proposal(iou_loss):
    rng = np.random.default_rng(6)
    scales, ratios, stride = [1.0, 2.5], [0.5, 1.0, 2.0], 16
    scores = random(rng, (2, 12, 4, 5), "f32", 0, 1)
    deltas = random(rng, (2, 24, 4, 5), "f32", -0.5, 0.5) * np.float32(10 if iou_loss else 1)
    info = np.array([[64, 80, 1], [50, 60, 1.5]], np.float32)
    cases = []
    for before, after in ((-1, 30), (20, 25)):
        expected = proposals(scores, deltas, info, scales, ratios, stride, 0.5, before, after, 12, iou_loss)
        attrs = dict(scales=scales, ratios=ratios, feature_stride=stride, threshold=0.5, rpn_pre_nms_top_n=before)
        attrs |= dict(rpn_post_nms_top_n=after, rpn_min_size=12, iou_loss=iou_loss)
        cases.append(Case("vision.proposal", [scores, deltas, info], expected.astype(np.float32), attrs, rtol=1e-5, atol=1e-4))
    check(cases)


def test_multibox_prior():
    data = np.zeros((1, 3, 4, 6), np.float32)
    sizes, ratios = [0.5, 0.25, 0.1], [1.0, 2.0, 0.5]
    cases = []
    for steps, offsets, clip in (([-1.0, -1.0], [0.5, 0.5], False), ([0.3, 0.2], [0.4, 0.6], True)):
        dy, dx = (step if step > 0 else 1 / n for step, n in zip(steps, (4, 6)))
        boxes = []
        for y, x in itertools.product(range(4), range(6)):
            centre = np.array([(x + offsets[1]) * dx, (y + offsets[0]) * dy])
            shapes = [(s * 4 / 6, s) for s in sizes]
            shapes += [(sizes[0] * 4 / 6 * r**0.5, sizes[0] / r**0.5) for r in ratios[1:]]
            boxes += [np.concatenate([centre - np.array(s) / 2, centre + np.array(s) / 2]) for s in shapes]
        expected = np.array(boxes)[None]
        expected = (np.clip(expected, 0, 1) if clip else expected).astype(np.float32)
        attrs = {"sizes": sizes, "ratios": ratios, "steps": steps, "offsets": offsets, "clip": clip}
        cases.append(Case("vision.multibox_prior", [data], expected, attrs, atol=1e-7))
    check(cases)


@pytest.mark.parametrize("keep", [False, True])
def test_multibox_transform_loc(keep):
    rng = np.random.default_rng(7)
    batch, classes, count = 2, 4, 9
    scores = random(rng, (batch, classes, count), "f32", 0, 1)
    deltas = random(rng, (batch, 4 * count), "f32", -2, 2)
    anchors = corners(rng, count, 1.0)[None]
    cases = []
    for clip, threshold, variances in ((True, 0.01, [0.1, 0.1, 0.2, 0.2]), (False, 0.8, [0.3, 0.2, 0.1, 0.4])):
        boxes, counts = np.full((batch, count, 6), -1.0), np.zeros(batch, np.int32)
        for n, i in itertools.product(range(batch), range(count)):
            best: Any = 1 + np.argmax(scores[n, 1:, i])
            score = scores[n, best, i]
            if score < threshold:
                best = 0
            if best == 0 and not keep:
                continue
            a, d = anchors[0, i].astype(float), deltas[n, 4 * i : 4 * i + 4].astype(float) * variances
            size = a[2:] - a[:2]
            centre, half = (a[:2] + a[2:]) / 2 + d[:2] * size, np.exp(d[2:]) * size / 2
            box = np.concatenate([centre - half, centre + half])
            boxes[n, counts[n]] = [best - 1, score, *(np.clip(box, 0, 1) if clip else box)]
            counts[n] += 1
        attrs = {"clip": clip, "threshold": threshold, "variances": variances, "keep_background": keep}
        expected = (boxes.astype(np.float32), counts)
        cases.append(Case("vision.multibox_transform_loc", [scores, deltas, anchors], expected, attrs, rtol=1e-5, atol=1e-6))
    check(cases)


@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_yolo_reorg(dtype):
    rng = np.random.default_rng(8)
    cases = []
    for shape, s in (((2, 8, 4, 6), 2), ((1, 9, 3, 6), 3), ((1, 3, 2, 2), 1)):
        x = random(rng, shape, dtype, -100, 100)
        n, c, h, w = shape
        # As Darknet: walk over the data as if its channels were pixels.
        flat, out = x.reshape(n, -1), np.zeros((n, c * h * w), x.dtype)
        inner = c // (s * s)
        for b, k, j, i in np.ndindex(n, c, h, w):
            offset = k // inner
            column, row = i * s + offset % s, j * s + offset // s
            out[b, i + w * (j + h * k)] = flat[b, column + w * s * (row + h * s * (k % inner))]
        cases.append(Case("vision.yolo_reorg", [x], out.reshape(n, c * s * s, h // s, w // s), {"stride": s}))
    check(cases)
