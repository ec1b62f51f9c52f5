# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators that remove overlapping boxes. Corners are whole numbers, so that
equal scores and overlaps at the threshold occur."""

from operator_rows import Input, add, row


def boxes(shape, low=-1, high=6, **options):
    return Input(shape, low=low, high=high, whole=True, **options)


add("vision.get_valid_counts",
    row("vision.get_valid_counts(%x, %t, score_threshold=0.5f)", x=boxes("n,m,6"), t=""),
    row("vision.get_valid_counts(%x, %t, id_index=-1, score_index=0)", x=boxes("n,m,h"), t=""),
    row("vision.get_valid_counts(%x, %t, id_index=2, score_index=3)",
        x=Input("2,n,5", special=True), t=Input("", "float64", low=0, high=1)))

# The number of boxes that count is that of all, or less.
COUNT = Input("n", "int32", low=1, high=1)
SOME = Input("2", "int64", low=3, high=5)
for how in ["", ", force_suppress=True", ", top_k=3", ", id_index=-1", ", invalid_to_bottom=True"]:
    add("vision.non_max_suppression",
        *(row(f"vision.non_max_suppression(%x, %c, %i, %k, %t, return_indices={indices}{how})",
              x=boxes("2,m,6"), c=SOME, i=Input("2,m", "int32", low=-1, high=9),
              k=Input("", "int32", low=-1, high=9), t=Input("", "float32", low=0.3, high=0.6),
              ones=False)
          for indices in (True, False)))
add("vision.non_max_suppression",
    row("vision.non_max_suppression(%x, %c, %i, %k, %t)", x=Input("n,9,6", special=True), c=COUNT,
        i=Input("n,9", "int32", low=0, high=9), k=Input("", "int64", low=2, high=2),
        t=Input("", "float64", low=0.5, high=0.5)),
    row("vision.non_max_suppression(%x, %c, %i, %k, %t, coord_start=0, score_index=4, id_index=5)",
        x=boxes("2,h,7"), c=SOME, i=Input("2,h", "float32", low=0, high=9),
        k=Input("", "float32", low=2, high=2), t=Input("", "float32", low=0, high=0), ones=False))

IOU = Input("", "float32", low=0.3, high=0.6)
for form in ["onnx", "tensorflow"]:
    add("vision.all_class_non_max_suppression",
        *(row(f'vision.all_class_non_max_suppression(%x, %s, %k, %t, %u, output_format="{form}")',
              x=boxes("n,m,4"), s=boxes("n,3,m"), k=Input("", "int64", low=most, high=most),
              t=Input("", "float32", low=overlap, high=overlap), u=Input("", "float32", low=0, high=1))
          for most, overlap in [(0, 0.5), (2, 0.3), (4, 0)]),
        row(f'vision.all_class_non_max_suppression(%x, %s, %k, %t, %u, output_format="{form}")',
            x=Input("2,h,4", special=True), s=Input("2,w,h", "float32", special=True),
            k=Input("", "int32", low=5, high=5), t=IOU, u=Input("", low=-9, high=-9)))


def regular(per_class, most, classes, least):
    return (f"vision.regular_non_max_suppression(%x, %s, max_detections_per_class={per_class}, "
            f"max_detections={most}, num_classes={classes}, iou_threshold=0.4f, "
            f"score_threshold={least})")


for detections, per_class, classes, least in [(20, 3, 2, 0.5), (7, 100, 3, 0.5), (50, 4, 3, -1)]:
    add("vision.regular_non_max_suppression",
        row(regular(per_class, detections, classes, f"{least}f"), x=boxes("n,m,4"),
            s=boxes("n,m,3")))
add("vision.regular_non_max_suppression",
    row(regular(4, 9, 2, "-1e30f"), x=Input("2,h,4", special=True),
        s=Input("2,h,m", "float32", special=True), ones=False))
