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
