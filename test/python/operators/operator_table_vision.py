# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators of object detection: regions of images and anchor boxes."""

from operator_rows import Input, add, row

#===-----------------------------------------------------------------------===#
# Regions of images
#===-----------------------------------------------------------------------===#

# (image, x1, y1, x2, y2), of which some are outside or have a negative size.
ROIS = Input("h,5", low=0, high=2.9)
FAR = Input("3,5", "float32", low=-0.9, high=12)

for name, modes in [("vision.roi_align", ["sample_ratio=2", "sample_ratio=-1", 'mode="max"']),
                    ("vision.roi_pool", [""])]:
    for number, mode in enumerate(modes):
        rest = f", {mode}" if mode else ""
        add(name,
            row(f"{name}(%x, %r, pooled_size=[3, 2], spatial_scale=2.5f64{rest})", x="3,n,h,w",
                r=ROIS, ones=False, sums=True),
            *([row(f'{name}(%x, %r, pooled_size=[2, 3], spatial_scale=0.75f64, layout="NHWC"'
                   f'{rest})', x="13,h,w,m", r=FAR, sums=True)] if number in (0, 2) else []))

# (y1, x1, y2, x2) in parts of an image, of which some are outside.
add("image.crop_and_resize",
    *[row(f'image.crop_and_resize(%x, %b, %i, crop_size={size}, method="{method}", '
          f'extrapolation_value=-2f64, layout="{layout}"{rest})', x=shape,
          b=Input("m,4", "float32", low=-0.2, high=1.1), i=Input("m", "int32", low=0, high=1),
          sums=True, slack=int(method == "bilinear"), zero="m")
      for size, method, layout, shape, rest in [
          ("[4, 3]", "bilinear", "NCHW", Input("2,3,h,w", nonzero=True), ""),
          ("[1, 5]", "bilinear", "NHWC", Input("2,h,w,3", nonzero=True), ', out_dtype="float32"'),
          ("[3, 3]", "nearest_neighbor", "NCHW", "2,3,h,w", "")]],
    # One sample of each line; a reshape follows.
    row("squeeze(image.crop_and_resize(%x, %b, %i, crop_size=[4, 1]), axis=[0, 3])",
        x=Input("2,3,h,w", nonzero=True), b=Input("1,4", "float32", low=0, high=1),
        i=Input("1", "int32", low=0, high=1), sums=True, slack=1))

# Scores are rounded, so that some are equal; of the second form, some are no number.
SCORES = Input("n,4,h,w", low=0, high=9, whole=True)
add("vision.proposal",
    *[row("vision.proposal(%s, %b, %i, scales=[1f, 2.5f], ratios=[0.5f], feature_stride=8, "
          f"threshold={threshold}f64, rpn_pre_nms_top_n={before}, rpn_post_nms_top_n={after}, "
          f"rpn_min_size={least}, iou_loss={loss})", s=SCORES,
          b=Input("n,8,h,w", low=-0.5, high=0.5), i=Input("n,3", low=40, high=70), sums=True)
      for threshold, before, after, least, loss in [
          (0.5, -1, 30, 0, False), (0.2, 20, 25, 0, False), (0.7, 6000, 300, 0, True)]],
    # (height, width, scale): regions below 8 pixels grow.
    row("vision.proposal(%s, %b, %i, scales=[1f], ratios=[1f, 2f, 0.4f], feature_stride=16, "
        "threshold=0.4f64, rpn_post_nms_top_n=9, rpn_min_size=8)",
        s=Input("2,6,h,5", "float32", special=True), b=Input("2,12,h,5", low=-2, high=1),
        i=Input("2,3", "float64", low=1, high=90), sums=True, zero="h"))

#===-----------------------------------------------------------------------===#
# Anchor boxes
#===-----------------------------------------------------------------------===#

add("vision.multibox_prior",
    row("vision.multibox_prior(%x, sizes=[0.5f, 0.75f], ratios=[1f, 2f, 0.5f])", x="n,3,h,w"),
    row("vision.multibox_prior(%x, sizes=[0.25f], steps=[0.125f, 0.2f], offsets=[0.25f, 0f], "
        "clip=True)", x="n,3,h,w"))
add("vision.multibox_transform_loc",
    *[row(f"vision.multibox_transform_loc(%c, %l, %a, clip={clip}, threshold={threshold}f64, "
          f"keep_background={keeps})", c=Input("n,4,9", low=0, high=1), l="n,36", a="1,9,4",
          sums=True)
      for clip, threshold, keeps in [(True, 0.7, False), (False, 0.01, False), (True, 0.8, True)]],
    row("vision.multibox_transform_loc(%c, %l, %a, variances=[1f, 0.5f, 0.25f, 2f])",
        c=Input("2,n,4", low=-2, high=1), l="2,16", a="1,4,4", sums=True))
add("vision.yolo_reorg", row("vision.yolo_reorg(%x, stride=2)", x="n,8,4,6"),
    row("vision.yolo_reorg(%x, stride=2)", x="n,4,h,h", ones=False),
    row("vision.yolo_reorg(%x)", x="n,m,h,w"))
