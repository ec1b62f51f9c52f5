# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the table of operators: shapes of other tensors, searches, sequences and
parts of tensors, einsum and spectra."""

from operator_rows import Input, add, row, special

#===-----------------------------------------------------------------------===#
# Types of other tensors
#===-----------------------------------------------------------------------===#

for kind in ["bool", "int8", "uint16", "int64", "float16", "float64"]:
    add("cast_like", row("cast_like(%x, %y)", x=Input("n,m", low=0, high=100),
                         y=Input("3", kind)))
for kind in ["int8", "uint8"]:
    add("reinterpret", row(f'reinterpret(%x, dtype="{kind}")', x=special()))
for kind in ["int16", "float16", "bfloat16", "float32", "uint32", "int64", "float64"]:
    add("reinterpret", row(f'reinterpret(%x, dtype="{kind}")', x="n,m"))
add("reshape_like", row("reshape_like(%x, %y)", x="n,6", y=Input("n,2,3", "float32")),
    row("reshape_like(%x, %y, lhs_begin=1, rhs_begin=1)", x="n,2,6", y=Input("4,3,4", "bool")),
    row("reshape_like(%x, %y, lhs_begin=-2, lhs_end=2, rhs_begin=0, rhs_end=1)", x="n,3,4",
        y=Input("3,m", "int8")))
add("broadcast_to_like", row("broadcast_to_like(%x, %y)", x="n,1,3", y="m,n,4,3"),
    row("broadcast_to_like(%x, %y)", x="", y="n,m"),
    row("broadcast_to_like(%x, %y)", x="n,3", y="n,3"))
add("meshgrid", row("meshgrid((%x, %y, %z))", x="n", y="m", z="3"),
    row('meshgrid((%x, %y, %z), indexing="xy")', x="n", y="m", z=""),
    row('meshgrid((%x,), indexing="xy")', x="n"))
add("contrib_reverse_reshape",
    row("contrib_reverse_reshape(%x, newshape=[-1, 0])", x="n,2,6", zero=None),
    row("contrib_reverse_reshape(%x, newshape=[-3, 0])", x="n,2,6"),
    row("contrib_reverse_reshape(%x, newshape=[0, 3, -1, -4])", x="2,6"))

#===-----------------------------------------------------------------------===#
# Searches and positions
#===-----------------------------------------------------------------------===#

add("unravel_index",
    *[row("unravel_index(%x, %y)", x=Input(shape, kind, 0, 59), y=Input("3", "int32", 4, 4))
      for shape, kind in [("n", "int64"), ("n", "int32"), ("", "int16"), ("", "uint8")]])
add("invert_permutation",
    row('invert_permutation(argsort(%x, dtype="int32"))', x="n"),
    row('invert_permutation(argsort(%x, dtype="int64"))', x="n"))
for right in ["False", "True"]:
    add("searchsorted",
        row(f"searchsorted(sort(%x), %y, right={right})", x=Input("m", whole=True),
            y=Input("n,3", whole=True)),
        row(f'searchsorted(sort(%x, axis=1), %y, right={right}, dtype="int64")',
            x=Input("n,m", whole=True), y=Input("n,h", whole=True)))
add("adv_index", row("adv_index((%x, %i))", x="4,m", i=Input("n", "int64", -4, 3)),
    row("adv_index((%x, %i, %j))", x="4,5,m", i=Input("n,1", "int32", 0, 3),
        j=Input("3", "int64", -5, 4)),
    row("adv_index((%x, %i))", x="4", i=Input("n,m", "uint8", 0, 3)))

#===-----------------------------------------------------------------------===#
# Sequences and parts
#===-----------------------------------------------------------------------===#

for kind in ["int32", "int64", "float32", "uint8"]:
    add("sequence_mask",
        row("sequence_mask(%x, %y, mask_value=2f64)", x=special("m,n,3"),
            y=Input("n", kind, 0, 20)))
add("sequence_mask", row("sequence_mask(%x, %y, axis=1)", x="n,m", y=Input("n", "int32", -3, 20)))
add("reverse_sequence",
    row("reverse_sequence(%x, %y, seq_axis=0, batch_axis=1)", x="m,n,3",
        y=Input("n", "int64", -3, 20)),
    row("reverse_sequence(%x, %y, seq_axis=-1, batch_axis=0)", x="n,3,h",
        y=Input("n", "int32", 0, 9)))
add("nn.mirror_pad",
    row('nn.mirror_pad(%x, mode="SYMMETRIC", pad_width=[[1, 0], [2, 3]])', x="m,h", ones=False),
    row('nn.mirror_pad(%x, mode="SYMMETRIC", pad_width=[[1, 1], [0, 0]])', x="h,n"),
    row('nn.mirror_pad(%x, mode="REFLECT", pad_width=[[0, 0], [1, 2]])', x="n,h", ones=False))
add("nn.dilate", row("nn.dilate(%x, strides=[1, 2, 3])", x="n,m,h"),
    row("nn.dilate(%x, strides=[2, 1], dilation_value=3f64)", x="n,m"))
add("sliding_window",
    row("sliding_window(%x, axis=1, window_shape=[3, 2], strides=[2, 1])", x="n,h,w",
        ones=False),
    row("sliding_window(%x, axis=-1, window_shape=[1], strides=[1])", x="n,m"))
add("strided_set",
    row("strided_set(%x, %v, %b, %e, %s)", x="6,7", v="2,2",
        b=Input("2", "int64", 1, 1), e=Input("2", "int64", 6, 6), s=Input("2", "int64", 3, 3)),
    row("strided_set(%x, %v, %b, %e, %s)", x="n,7", v="3", b=Input("2", "int32", -2, -2),
        e=Input("2", "int32", -8, -8), s=Input("2", "int32", -2, -2), ones=False),
    row("strided_set(%x, %v, %b, %e, %s)", x="n,m", v="", b=Input("1", "int64", 1, 1),
        e=Input("1", "int64", 3, 3), s=Input("1", "int64", 1, 1)))
add("matrix_set_diag", row("matrix_set_diag(%x, %y)", x="n,4,6", y="n,4"),
    row("matrix_set_diag(%x, %y, k1=-1, k2=2)", x="n,4,6", y="n,4,4"),
    row("matrix_set_diag(%x, %y, k1=-2, k2=1, super_diag_right_align=False, "
        "sub_diag_right_align=True)", x="m,5,3", y="m,4,3"),
    row("matrix_set_diag(%x, %y, k1=1, k2=1)", x="h,4", y="3", ones=False))
for shape, values, kind in [("n,2", "n", "int64"), ("n,2", "", "int32"), ("2,2", "2", "uint8")]:
    add("sparse_to_dense",
        row("sparse_to_dense(%i, %v, %d, output_shape=[5, 6])", i=Input(shape, kind, 0, 4),
            v=values, d=""))
add("sparse_to_dense",
    row("sparse_to_dense(%i, %v, %d, output_shape=[5])", i=Input("n", "int64", 0, 4), v="n", d=""),
    row("sparse_to_dense(%i, %v, %d, output_shape=[5])", i=Input("", "int64", 0, 4), v="", d=""))
add("dyn.sparse_to_dense",
    row("dyn.sparse_to_dense(%i, %v, %d, shape_of(%x))", i=Input("m,2", "int64", 0, 4), v="m",
        d="", x=Input("h,w", "float32"), ones=False))

#===-----------------------------------------------------------------------===#
# Products
#===-----------------------------------------------------------------------===#

for equation, x, y in [("ij,jk->ik", "n,m", "m,h"), ("bhqd,bkhd->bhqk", "n,2,h,4", "n,m,2,4"),
                       ("...ij,...jk", "n,3,m", "1,m,h"), ("iij,j->i", "4,4,m", "m"),
                       ("ab,ab->ba", "n,m", "n,m")]:
    add("einsum", row(f'einsum((%x, %y), equation="{equation}")', x=x, y=y, sums=True))
add("einsum", row('einsum((%x,), equation="iji->j")', x="3,n,3", sums=True),
    row('einsum((%x, %y, %z), equation="bi,bj,ijk->bk")', x="n,m", y="n,h", z="m,h,3", sums=True))
SHIFT = Input("n", "int32", 0, 9)
for to_left, to_right in [(False, False), (True, False), (False, True), (True, True)]:
    add("fixed_point_multiply_per_axis",
        row(f"fixed_point_multiply_per_axis(%x, %m, %l, %r, is_lshift_required={to_left}, "
            f"is_rshift_required={to_right}, axes=[1])", x=Input("3,n,m", "int32", -90000, 90000),
            m=Input("n", "int32", -2**31, 2**31 - 1), l=SHIFT, r=SHIFT))
add("fixed_point_multiply_per_axis",
    row("fixed_point_multiply_per_axis(%x, %m, %l, %r, is_lshift_required=True, "
        "is_rshift_required=True, axes=[2, 0])", x=Input("3,n,4", "int32", -90000, 90000),
        m=Input("4,3", "int32", -2**31, 2**31 - 1), l=Input("4,3", "int32", 0, 31),
        r=Input("4,3", "int32", 0, 31)),
    # Only the data has a size that is known, and the shifts are computed.
    row("fixed_point_multiply_per_axis(%x, %m, add(%l, 1), %l, is_lshift_required=True, axes=[0])",
        x=Input("5", "int32", -90000, 90000), m=Input("5", "int32", -2**31, 2**31 - 1), l=SHIFT,
        ones=False, zero=None))
add("nn.fast_softmax", row("nn.fast_softmax(%x)", x=Input("n,m", low=-9, high=9)),
    row("nn.fast_softmax(%x, axis=1)", x=Input("n,h,3", low=-9, high=9), ones=False))

#===-----------------------------------------------------------------------===#
# Losses
#===-----------------------------------------------------------------------===#

add("nn.cross_entropy",
    row("nn.cross_entropy(%x, %y)", x=Input("n,m", low=0.01, high=9), y="n,m", sums=True))
add("nn.cross_entropy_with_logits",
    row("nn.cross_entropy_with_logits(%x, %y)", x="n,m", y="n,m", sums=True))
for reduction in ["none", "sum", "mean"]:
    add("nn.nll_loss",
        row(f'nn.nll_loss(%x, %t, %w, reduction="{reduction}", ignore_index=-100)', x="n,4",
            t=Input("n", "int32", 0, 3), w=Input("4", low=0.5, high=3), sums=True),
        row(f'nn.nll_loss(%x, %t, %w, reduction="{reduction}", ignore_index=2)', x="n,4,m,3",
            t=Input("n,m,3", "int64", 0, 3), w=Input("4", low=0.5, high=3), sums=True,
            ones=False))

#===-----------------------------------------------------------------------===#
# Blocks and layouts
#===-----------------------------------------------------------------------===#

add("nn.space_to_batch_nd",
    row("nn.space_to_batch_nd(%x, block_shape=[2, 3], paddings=[[0, 0], [1, 2]])", x="n,h,w,3",
        ones=False),
    *[row(f"nn.space_to_batch_nd(%x, block_shape=[2], paddings=[[1, 0]], pad_value={value}f64)",
          x="n,m", ones=False) for value in ("2", "-1.5", "300", "-1e30")])
add("nn.batch_to_space_nd",
    row("nn.batch_to_space_nd(%x, block_shape=[2, 2], crops=[[0, 1], [1, 0]])", x="h,n,m,3",
        ones=False, zero=None),
    row("nn.batch_to_space_nd(%x, block_shape=[4], crops=[[0, 0]])", x="h,n", ones=False))
add("nn.fifo_buffer", row("nn.fifo_buffer(%x, %b, axis=1)", x="n,3", b="n,7"),
    row("nn.fifo_buffer(%x, %b, axis=0)", x="n,3", b="4,3"),
    row("nn.fifo_buffer(%x, %b, axis=-1)", x="2,m", b="2,h"))
add("collapse_sum_to", row("collapse_sum_to(%x, %t, shape=[1])", x="n,3,m",
                           t=Input("1", "int64", 1, 1), sums=True),
    row("collapse_sum_to(%x, %t, shape=[3, 3])", x="n,3,3", t=Input("2", "int32", 3, 3),
        sums=True),
    row("collapse_sum_to(%x, shape_of(%y))", x="m,n,h", y="n,1", sums=True),
    row("collapse_sum_to(%x, shape_of(%y) * 2)", x="m,10", y="n", sums=True, ones=False,
        zero=None))
add("auto_scheduler_layout_transform",
    row('auto_scheduler_layout_transform(%x, src_layout="8n12c", dst_layout="2n3c4n4c")',
        x="8,12"))
add("meta_schedule_layout_transform",
    *[row(f'meta_schedule_layout_transform(%x, index_map="affine_map<{index}>")', x="8,12")
      for index in ["(i, j) -> (i floordiv 4, j, i mod 4)", "(i, j) -> (j * 8 + i)",
                    "(i, j) -> (7 - i, j)"]],
    row('meta_schedule_layout_transform(%x, '
        'index_map="affine_map<(i, j) -> (j, i floordiv 4, i mod 4)>")', x="h,m", ones=False))

#===-----------------------------------------------------------------------===#
# Spectra
#===-----------------------------------------------------------------------===#

for shape, inverse in [("n,m", False), ("n,3,6", True), ("72", False)]:
    add("dft", row(f"dft(%x, %y, inverse={inverse})", x=shape, y=shape, sums=True))
# Each part knows a size that the other one does not.
for x, y in [("5", "n"), ("n", "5"), ("n,8", "5,h")]:
    add("dft", row("dft(%x, %y, inverse=True)", x=x, y=y, sums=True, ones=False, zero=None))
add("stft",
    row("stft(%x, %w, n_fft=8, hop_length=3)", x="n,20", w="8", sums=True),
    row("stft(%x, %w, n_fft=96, win_length=7, normalized=True, onesided=False)", x="150", w="7",
        sums=True),
    row("stft(%x, %w, n_fft=5, hop_length=2)", x="20", w="n", sums=True, ones=False, zero=None))
