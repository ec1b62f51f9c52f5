# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the table of operators: convolutions and products on packed data, on
bits, and with windows that move, and what quantisation marks."""

from operator_rows import Input, add, row, special

for name in ["bitpack_start", "bitpack_end"]:
    add(f"annotation.{name}", row(f"annotation.{name}(%x)", x=special()))
add("relay.op.annotation.simulated_quantize",
    *[row(f"relay.op.annotation.simulated_quantize(%x, 0.3f, -7f, 8f, kind={kind})",
          x=special(low=-9, high=9)) for kind in range(4)])

#===-----------------------------------------------------------------------===#
# Windows
#===-----------------------------------------------------------------------===#

add("nn.correlation",
    *[row(f"nn.correlation(%x, %y, kernel_size={kernel}, max_displacement={reach}, "
          f"stride1={stride1}, stride2={stride2}, padding={padding}, is_multiply={multiplies})",
          x=f"n,3,{sizes}", y=f"n,3,{sizes}", sums=True, ones=kernel == 1)
      for kernel, reach, stride1, stride2, padding, multiplies, sizes in [
          (1, 1, 1, 1, [1], True, "h,w"), (3, 4, 2, 3, [4, 5], False, "h,w"),
          (1, 3, 1, 2, [4, 3, 2, 5], True, "6,7"), (1, 0, 1, 1, [0, 0, 0, 0], False, "h,w")]])


def deformable_row(how, data, offset, weight, low=-1.5, high=1.5, **options):
    return row(f"nn.deformable_conv2d(%x, %o, %w, {how})", x=data, w=weight,
               o=Input(offset, low=low, high=high), sums=True, **options)


add("nn.deformable_conv2d",
    deformable_row("padding=[1, 1, 1, 1], channels=6, kernel_size=[3, 3]",
                   "n,4,h,w", "n,18,h,w", "6,4,3,3"),
    deformable_row("strides=[2, 1], dilation=[1, 2], padding=[2, 1], groups=2, "
                   "deformable_groups=2, channels=6, kernel_size=[3, 2]",
                   "n,4,7,8", "n,24,5,8", "6,2,3,2", low=-9, high=9),
    deformable_row('data_layout="NHWC", kernel_layout="HWIO", channels=6, kernel_size=[1, 1]',
                   "n,h,w,4", "n,h,w,2", "1,1,4,6", low=-0.5, high=0.5),
    deformable_row('data_layout="NHWC", kernel_layout="HWIO", out_layout="NCHW", groups=4, '
                   'padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3], out_dtype="float32"',
                   "n,5,6,4", "n,5,6,18", "3,3,1,4"))

#===-----------------------------------------------------------------------===#
# Packed data
#===-----------------------------------------------------------------------===#

add("nn.contrib_conv2d_gemm_weight_transform",
    row("nn.contrib_conv2d_gemm_weight_transform(%w, tile_N=4, tile_K=3)", w="3,2,5,n"),
    row("nn.contrib_conv2d_gemm_weight_transform(%w, tile_N=8, tile_K=2)", w="h,1,4,16"))
add("nn.bitpack",
    *[row(f'nn.bitpack(%x, bits={bits}, pack_axis={axis}, bit_axis={bit_axis}, '
          f'pack_type="{word}")', x=Input(shape, low=0, high=250))
      for bits, axis, bit_axis, word, shape in [
          (3, 1, 2, "uint8", "n,16,h"), (8, 0, 0, "uint32", "32,n"), (1, -1, -1, "int16", "n,32"),
          (1, 1, 3, "uint64", "h,64,n"), (2, 0, 1, "int8", "40")]])

add("nn.contrib_dense_pack",
    row('nn.contrib_dense_pack(%x, %w, units=6, weight_layout="NC3n")', x="n,h", w="2,h,3",
        sums=True),
    row('nn.contrib_dense_pack(%x, %w, units=8, weight_layout="NC4n2c", out_dtype="float32")',
        x="n,6", w="2,3,4,2", sums=True))
for name, layouts in [("nn.contrib_conv2d_NCHWc", [
        ("NCHW4c", "OIHW4i3o", "NCHW3c", "n,2,h,w,4", "2,2,3,3,4,3", 1),
        ("NCHW2c", "OIHW2i", "", "n,4,7,8,2", "6,2,3,3,2", 2)]),
                      ("nn.contrib_depthwise_conv2d_NCHWc", [
        ("NCHW3c", "OIHW1i3o", "NCHW", "n,2,h,w,3", "2,1,3,3,1,3", 6),
        ("NCHW6c", "OIHW", "NHWC", "n,1,7,8,6", "6,1,3,3", 6)])]:
    add(name, *[
        row(f'{name}(%x, %w, {how}, groups={groups}, channels=6, kernel_size=[3, 3], '
            f'data_layout="{data}", kernel_layout="{kernel}", out_layout="{out}")',
            x=x, w=w, sums=True)
        for data, kernel, out, x, w, groups in layouts
        for how in ["padding=[1, 1]", "strides=[2, 1], dilation=[1, 2], padding=[1, 2, 2, 2]"]])
add("nn.contrib_conv2d_gemm_without_weight_transform",
    *[row(f"nn.contrib_conv2d_gemm_without_weight_transform(%x, %w, {how}, channels=5, "
          'kernel_size=[3, 2], data_layout="NHWC")', x="n,h,w,4", w=w, sums=True)
      for how, w in [("padding=[1, 1]", "2,8,4,4"),
                     ('strides=[2, 1], padding=[1, 0, 2, 1], out_layout="NCHW"', "1,4,8,8")]])

#===-----------------------------------------------------------------------===#
# Winograd's algorithm
#===-----------------------------------------------------------------------===#

TRANSFORM = "winograd_weight_transform"
add(f"nn.contrib_conv2d_{TRANSFORM}",
    row(f"nn.contrib_conv2d_{TRANSFORM}(%w, tile_size=2)", w="n,m,3,3", sums=True),
    row(f"nn.contrib_conv2d_{TRANSFORM}(%w, tile_size=4)", w="2,n,3,5", sums=True))
add(f"nn.contrib_conv3d_{TRANSFORM}",
    row(f"nn.contrib_conv3d_{TRANSFORM}(%w, tile_size=2)", w="n,3,3,4,2", sums=True),
    row(f"nn.contrib_conv3d_{TRANSFORM}(%w, tile_size=3)", w="2,n,2,3,3", sums=True))
add("nn.contrib_conv2d_winograd_nnpack_weight_transform",
    row("nn.contrib_conv2d_winograd_nnpack_weight_transform(%w, convolution_algorithm=3)",
        w="n,m,3,3", sums=True),
    row("nn.contrib_conv2d_winograd_nnpack_weight_transform(%w, convolution_algorithm=0, "
        'out_dtype="float16")', w="n,2,3,3", sums=True))
add("nn.contrib_conv3d_winograd_without_weight_transform",
    *[row(f"nn.contrib_conv3d_winograd_without_weight_transform(%x, %w, tile_size=2, "
          f"channels=4, {how})", x=x, w=w, sums=True)
      for how, x, w in [
          ("padding=[1, 1, 1], kernel_size=[3, 3, 3]", "n,2,5,h,w", "4,4,4,4,2"),
          ('padding=[0, 1, 1, 1, 0, 2], kernel_size=[2, 3, 2], out_layout="NDHWC"',
           "n,3,3,6,7", "4,3,2,4,3"),
          ('padding=[1, 1, 1], kernel_size=[3, 3, 3], data_layout="NDHWC"', "1,h,5,w,2",
           "4,4,4,4,2")]])

#===-----------------------------------------------------------------------===#
# Bits
#===-----------------------------------------------------------------------===#

for unipolar in [False, True]:
    add("nn.bitserial_dense",
        row(f'nn.bitserial_dense(%x, %w, units=3, data_bits=3, weight_bits=2, '
            f'pack_dtype="uint8", out_dtype="int32", unipolar={unipolar})',
            x=Input("n,16", low=-5, high=9), w=Input("3,16", low=0, high=9)),
        row(f'nn.bitserial_dense(%x, %w, units=3, data_bits=8, weight_bits=3, '
            f'pack_dtype="int16", unipolar={unipolar})', x=Input("n,32", low=-90, high=200),
            w=Input("3,3,2", "int16", low=-9999, high=9999)))
    add("nn.bitserial_conv2d",
        row('nn.bitserial_conv2d(%x, %w, padding=[1, 1], channels=3, activation_bits=4, '
            f'weight_bits=2, pack_dtype="uint8", out_dtype="int16", unipolar={unipolar})',
            x=Input("n,8,h,w", low=0, high=99), w=Input("3,8,3,3", "uint8", low=0, high=9)),
        row('nn.bitserial_conv2d(%x, %w, strides=[2, 1], kernel_size=[2, 3], channels=3, '
            f'activation_bits=2, weight_bits=2, pack_dtype="uint32", unipolar={unipolar}, '
            'data_layout="NHWC", kernel_layout="HWIO", out_dtype="float32")',
            x=Input("n,6,7,32", low=0, high=99),
            w=Input("2,3,1,3,2", "uint32", low=0, high=2**32 - 1)),
        row('nn.bitserial_conv2d(%x, %w, padding=[1, 1], channels=3, activation_bits=8, '
            f'weight_bits=1, pack_dtype="uint8", unipolar={unipolar})',
            x=Input("n,16,h,w", low=-99, high=99),
            w=Input("3,2,3,3,1", "uint8", low=0, high=255)))
