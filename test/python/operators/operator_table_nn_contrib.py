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
