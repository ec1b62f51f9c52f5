# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of operators on images: adaptive pools, resizes, and what reads images at
computed places.
"""

from operator_rows import Input, add, row, special

#===-----------------------------------------------------------------------===#
# Adaptive pools
#===-----------------------------------------------------------------------===#

for rank, sizes, some in [(1, "w", "[4]"), (2, "h,w", "[3, 2]"), (3, "4,h,w", "[3, 2, 5]")]:
    last = {1: "NWC", 2: "NHWC", 3: "NDHWC"}[rank]
    for kind, sums in [("max", False), ("avg", True)]:
        name = f"nn.adaptive_{kind}_pool{rank}d"

        def data(shape, kind=kind):
            return special(shape) if kind == "max" else Input(shape, low=-120, high=120)

        add(name, row(f"{name}(%x, output_size={some})", x=data(f"n,4,{sizes}"), sums=sums),
            row(f'{name}(%x, output_size=[1], layout="{last}")', x=data(f"n,{sizes},4"), sums=sums),
            row(f"{name}(%x)", x=data(f"n,4,{sizes}"), sums=sums))

#===-----------------------------------------------------------------------===#
# Resizes
#===-----------------------------------------------------------------------===#

# Of halves, a rounding error decides what integer a sum becomes.
SUM = {"sums": True, "slack": 1}


def pixels(shape):
    """Bools that are all true, which have no sums that are halves."""
    return Input(shape, nonzero=True)



add("image.resize1d",
    *[row(f'image.resize1d(%x, size=[12], method="{method}", roi=[0f, 0f], '
          f'coordinate_transformation_mode="{mode}")', x=pixels("n,4,w"), **SUM)
      for method, mode in [("linear", "half_pixel"), ("cubic", "align_corners"),
                           ("nearest_neighbor", "asymmetric")]],
    row('image.resize1d(%x, size=[7], layout="NWC", roi=[0.25f, 1.25f], extrapolation_value=2f64, '
        'coordinate_transformation_mode="tf_crop_and_resize")', x=pixels("n,w,3"), **SUM))
add("image.resize2d",
    row('image.resize2d(%x, size=[7, 12], layout="NHWC", roi=[0.2f, -0.25f, 0.9f, 0.75f], '
        'coordinate_transformation_mode="tf_crop_and_resize")', x=pixels("n,h,w,3"), **SUM))
add("image.resize3d",
    *[row(f'image.resize3d(%x, size=[3, 7, 5], method="{method}", roi=[0f, 0f, 0f, 0f, 0f, 0f], '
          f'layout="{layout}", coordinate_transformation_mode="{mode}")', x=pixels(shape), **SUM)
      for method, mode, layout, shape in [
          ("linear", "half_pixel", "NCDHW", "n,2,4,h,w"),
          ("cubic", "half_pixel", "NDHWC", "n,4,h,w,2"),
          ("nearest_neighbor", "align_corners", "NCDHW", "n,2,4,h,w")]])
add("nn.upsampling",
    row('nn.upsampling(%x, scale_h=1.5f64, scale_w=0.75f64, layout="NHWC")', x="n,h,w,3"),
    row('nn.upsampling(%x, scale_h=2f64, scale_w=1.5f64, method="bicubic", align_corners=True)',
        x=pixels("n,3,h,w"), **SUM))
add("nn.upsampling3d",
    *[row(f'nn.upsampling3d(%x, scale_d=2f64, scale_h={scale}f64, scale_w=2f64, '
          f'method="{method}", layout="{layout}", coordinate_transformation_mode="{mode}")',
          x=pixels(shape), **SUM)
      for scale, method, mode, layout, shape in [
          ("2", "nearest_neighbor", "asymmetric", "NCDHW", "n,2,3,h,w"),
          ("1.5", "nearest_neighbor", "half_pixel", "NCDHW", "n,2,3,h,w"),
          ("1.5", "trilinear", "align_corners", "NDHWC", "n,3,h,w,2")]])

# The scale is the size of an input, 1 or 5, or a constant.
SCALE = 'cast(take(shape_of(%y), 0), dtype="float32")'
OTHER = Input("n,3", "float32")
add("dyn.nn.upsampling",
    *[row(f'dyn.nn.upsampling(%x, {scale}, {SCALE}, method="{method}")', x=pixels("2,3,h,4"), y=OTHER,
          zero=None, **SUM)
      for method, scale in [("nearest_neighbor", "take(shape_of(%y), 1)"), ("bilinear", "1.5f"),
                            ("bicubic", "2f")]])
add("dyn.nn.upsampling3d",
    *[row(f'dyn.nn.upsampling3d(%x, {SCALE}, 2f, 1.5f, method="{method}", '
          f'coordinate_transformation_mode="{mode}")', x=pixels("2,2,3,h,4"), y=OTHER, zero=None, **SUM)
      for method, mode in [("nearest_neighbor", "asymmetric"), ("trilinear", "half_pixel")]])
add("dyn.image.resize2d",
    *[row('dyn.image.resize2d(%x, shape_of(%y, dtype="int64"), '
          f'%r, method="{method}", coordinate_transformation_mode="{mode}")',
          x=pixels("2,3,h,w"), r=Input("4", "float32", low=0.25, high=0.75), y=Input("m,h", "float32"),
          **SUM)
      for method, mode in [("nearest_neighbor", "asymmetric"), ("linear", "half_pixel"),
                           ("cubic", "align_corners"), ("linear", "tf_crop_and_resize")]])

#===-----------------------------------------------------------------------===#
# Dilation
#===-----------------------------------------------------------------------===#

add("image.dilation2d",
    row("image.dilation2d(%x, %w, padding=[1, 1, 1, 1])", x=special("n,4,h,w"), w="4,3,3"),
    row("image.dilation2d(%x, %w, strides=[2, 1], padding=[0, 2], dilations=[2, 1])",
        x=Input("n,3,h,w", low=-128, high=127), w=Input("3,2,3", low=-128, high=127),
        ones=False),
    row('image.dilation2d(%x, %w, data_layout="NHWC", kernel_layout="HWI", out_dtype="int32", '
        'strides=[2, 3, 1, 1], padding=[1, 0, 0, 1])', x=Input("n,h,w,2", whole=True), w="2,2,2",
        ones=False))

#===-----------------------------------------------------------------------===#
# Images at the places of a grid
#===-----------------------------------------------------------------------===#

# Some points of the grid are outside of [-1, 1], in which the image lies.
add("image.affine_grid", row("image.affine_grid(%x, target_shape=[4, 7])", x="n,2,3", sums=True))
add("image.grid_sample",
    *[row(f'image.grid_sample(%x, %g, method="{method}", padding_mode="{padding}", '
          f'align_corners={aligns})', x="n,3,h,w", g=Input("n,2,3,h", low=-2.1, high=2.2), sums=True)
      for method, padding, aligns in [
          ("bilinear", "border", True), ("nearest", "reflection", False), ("bicubic", "zeros", False),
          ("bicubic", "reflection", True)]],
    row('image.grid_sample(%x, %g, align_corners=False)', x="n,11,h,w",
        g=Input("n,2,5,h", "float32", special=True), sums=True),
    *[row(f'image.grid_sample(%x, %g, method="{method}", padding_mode="{padding}", layout="NCDHW", '
          f'align_corners={aligns})', x=f"n,{channels},4,h,3", g=Input("n,3,2,w,5", low=-1.5, high=1.5),
          sums=True)
      for method, padding, aligns, channels in [
          ("bilinear", "zeros", True, 2), ("nearest", "border", False, 9)]])
