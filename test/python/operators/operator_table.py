# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A call, or several, of every operator that the compiler has code for: see
operator_rows.py for what a row is. Families that are less often met have files of
their own, which add to the same table.
"""

from operator_rows import DTYPES, TABLE, Input, add, row, special

__all__ = ["TABLE"]

#===-----------------------------------------------------------------------===#
# Elementwise
#===-----------------------------------------------------------------------===#

for name, low, high in [
        ("log", 0.01, 9), ("log2", 0.01, 9), ("log10", 0.01, 9), ("tan", -1.5, 1.5),
        ("cos", -9, 9), ("cosh", -5, 5), ("sin", -9, 9), ("sinh", -5, 5), ("acos", -1, 1),
        ("acosh", 1, 9), ("asin", -1, 1), ("asinh", -9, 9), ("atan", -9, 9),
        ("atanh", -0.99, 0.99), ("exp", -9, 9), ("fast_exp", -9, 9), ("erf", -3, 3),
        ("fast_erf", -3, 3), ("sqrt", 0, 9), ("rsqrt", 0.01, 9), ("sigmoid", -20, 20),
        ("floor", -9, 9), ("ceil", -9, 9), ("trunc", -9, 9), ("round", -9, 9), ("sign", -2, 2),
        ("abs", -9, 9), ("tanh", -9, 9), ("fast_tanh", -9, 9), ("negative", -9, 9),
        ("nn.relu", -9, 9), ("zeros_like", -9, 9), ("ones_like", -9, 9), ("copy", -9, 9),
        ("annotation.checkpoint", -9, 9),
        ("isnan", -9, 9), ("isfinite", -9, 9), ("isinf", -9, 9), ("logical_not", 0, 1),
        ("bitwise_not", -9, 9)]:
    add(name, row(f"{name}(%x)", x=special(low=low, high=high)))

for name in ["add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "less",
             "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or",
             "bitwise_xor", "logical_and", "logical_or", "logical_xor"]:
    add(name, row(f"{name}(%x, %y)", x=special(), y=special()),
        row(f"{name}(%x, %y)", x=special("n,3,1"), y=special("4")))
for name in ["divide", "floor_divide", "trunc_divide", "mod", "floor_mod", "trunc_mod"]:
    # Integers are not divided by zero, nor the smallest one by -1.
    add(name, row(f"{name}(%x, %y)", x="n,m", y=Input("n,m", low=4, high=9), sums=True),
        row(f"{name}(%x, %y)", x=Input("n,3,1", low=-9, high=9, whole=True),
            y=Input("4", nonzero=True, whole=True)))
for name in ["left_shift", "right_shift"]:
    add(name, row(f"{name}(%x, %y)", x="n,m", y=Input("n,m", low=0, high=6)))
add("power", row("power(%x, %y)", x=Input("n,m", low=0, high=3), y=Input("n,m", low=0, high=3)))

add("clip", row("clip(%x, a_min=-1f64, a_max=2f64)", x=special()))
add("cast", *[row(f'cast(%x, dtype="{to}")',
                  x=Input("n,m", low=0 if to.startswith("u") else -100, high=100))
              for to in DTYPES])
add("where", row("where(%c, %x, %y)", c=Input("n,m", "bool"), x=special(), y=special()))
add("nn.leaky_relu", row("nn.leaky_relu(%x, alpha=0.25f64)", x=special()))
add("nn.prelu", row("nn.prelu(%x, %a)", x=special("n,4,h"), a="4"))
add("nn.bias_add", row("nn.bias_add(%x, %b)", x=special("n,4,h"), b="4"))
add("nn.dropout", row("nn.dropout(%x)", x=special()))
add("fixed_point_multiply",
    row("fixed_point_multiply(%x, multiplier=1288490189, shift=1)",
        x=Input("n,m", low=-900, high=900)))

#===-----------------------------------------------------------------------===#
# Reductions
#===-----------------------------------------------------------------------===#

for name in ["sum", "prod", "mean"]:
    add(name, row(f"{name}(%x, axis=[1])", x=Input("n,h,3", low=-1.5, high=1.5), sums=True),
        row(f"{name}(%x, axis=[0, 2], keepdims=True)", x=Input("m,n,w", low=-120, high=120),
            sums=True, zero=None))
add("collapse_sum_like", row("collapse_sum_like(%x, %y)", x="m,n,h,3", y="n,1,3", sums=True),
    row("collapse_sum_like(%x, %y)", x="n,h", y="n,h", sums=True))
add("variance", row("variance(%x, mean(%x, axis=[1], keepdims=True), axis=[1])",
                    x="n,h,3", sums=True))
for name in ["max", "min"]:
    add(name, row(f"{name}(%x, axis=[1])", x=special("n,h,3")),
        row(f"{name}(%x)", x="m,w"))
for name in ["all", "any"]:
    add(name, row(f"{name}(%x, axis=[1])", x="n,h,3"))
for name in ["argmax", "argmin"]:
    add(name, row(f"{name}(%x, axis=[1])", x="n,h,3"),
        row(f'{name}(%x, axis=[0], keepdims=True, select_last_index=True)', x="m,w"))
for name in ["cumsum", "cumprod"]:
    add(name, row(f"{name}(%x, axis=1)", x=Input("n,h", low=-1.5, high=1.5), sums=True),
        row(f"{name}(%x, axis=0, exclusive=True)", x=Input("m,3", low=-1.5, high=1.5),
            sums=True))

#===-----------------------------------------------------------------------===#
# Shapes and movement
#===-----------------------------------------------------------------------===#

add("shape_of", row("shape_of(%x)", x="n,3,m"), row('shape_of(%x, dtype="int64")', x="n,3"))
add("ndarray_size", row("ndarray_size(%x)", x="n,3"))
add("expand_dims", row("expand_dims(%x, axis=1, num_newaxis=2)", x="n,3"))
add("squeeze", row("squeeze(%x, axis=[1])", x="n,1,m"))
add("reshape", row("reshape(%x, newshape=[0, -1])", x="n,2,6"),
    row("reshape(%x, newshape=[-1])", x="m,3"))
add("transpose", row("transpose(%x, axes=[2, 0, 1])", x="n,3,m"))
add("concatenate", row("concatenate((%x, %y, %x), axis=0)", x="n,3", y="m,3"),
    row("concatenate((%x, %y), axis=1)", x="4,n", y="4,m"))
add("stack", row("stack((%x, %y), axis=1)", x="n,3", y="n,3"))
add("split", row("split(%x, indices_or_sections=3, axis=1)", x="n,6"),
    row("split(%x, indices_or_sections=[1, 4], axis=1)", x="n,6"))
add("tile", row("tile(%x, reps=[2, 1, 3])", x="n,4"))
add("repeat", row("repeat(%x, repeats=2, axis=1)", x="n,m"))
add("reverse", row("reverse(%x, axis=0)", x="n,m"), row("reverse(%x, axis=1)", x="n,m"))
add("broadcast_to", row("broadcast_to(%x, shape=[4, 3, 5])", x="3,1"))
add("full", row('full(%x, shape=[3, 0, 2], dtype="{dtype}")', x=""),
    row('full(%x, shape=[3, 5], dtype="{dtype}")', x=""))
add("full_like", row("full_like(%x, %y)", x="n,m", y=""))
add("zeros", row('zeros(shape=[3, 5], dtype="{dtype}")'))
add("ones", row('ones(shape=[3, 5], dtype="{dtype}")'))
add("arange", row('arange({2}, {17}, {3}, dtype="{dtype}")'), row('arange({5}, {2}, {1}, dtype="{dtype}")'),
    row('arange(0, take(shape_of(%y), 0) + 3, 1, dtype="int32")', y=Input("n,m", "float32")),
    row('arange(take(shape_of(%y), 1) * 2, take(shape_of(%y), 0), -3, dtype="int32")',
        y=Input("n,m", "float32")))
add("strided_slice",
    row("strided_slice(%x, begin=[0, 5], end=[3, 0], strides=[1, -2], axes=[0, 1])", x="4,7"),
    row("strided_slice(%x, begin=[0], end=[1], axes=[1])", x="n,m"))
add("slice_like", row("slice_like(%x, %y, axes=[0])", x="9,3", y=Input("h,2", "float32")))
add("nn.batch_flatten", row("nn.batch_flatten(%x)", x="n,3,h"))
add("nn.pad", row("nn.pad(%x, {3}, pad_width=[[0, 0], [1, 2]])", x="n,m"),
    row('nn.pad(%x, {0}, pad_width=[[1, 0], [0, 2]], pad_mode="edge")', x="m,w"),
    row('nn.pad(%x, {0}, pad_width=[[0, 0], [1, 2]], pad_mode="reflect")', x="n,h",
        ones=False, zero=None))
add("layout_transform",
    row('layout_transform(%x, src_layout="NCHW", dst_layout="NHWC")', x="n,4,h,w"),
    row('layout_transform(%x, src_layout="NCHW", dst_layout="NCHW2c")', x="n,4,h,w"))
add("nn.depth_to_space", row("nn.depth_to_space(%x, block_size=2)", x="n,8,h,w"))
add("nn.space_to_depth", row("nn.space_to_depth(%x, block_size=2)", x="n,2,4,6"))
add("trilu", row("trilu(%x, %k, upper=True)", x="n,m", k=Input("", "int64", -2, 2)),
    row("trilu(%x, %k, upper=False)", x="n,m", k=Input("", "int64", -2, 2)))
add("one_hot", row('one_hot(%i, {5}, {2}, depth=7, axis=-1, dtype="{dtype}")',
                   i=Input("n,m", "int64", 0, 6)))

#===-----------------------------------------------------------------------===#
# Indexing and sorting
#===-----------------------------------------------------------------------===#

add("take", *[row(f'take(%x, %i, axis=0, mode="{mode}")', x="5,m", i=Input("n,2", kind, 0, 4))
              for mode, kind in [("clip", "int64"), ("wrap", "int32"), ("fast", "uint8")]],
    row("take(%x, %i, axis=1)", x="n,6", i=Input("m", "int64", 0, 5)))
add("gather", row("gather(%x, %i, axis=1)", x="n,6", i=Input("n,m", "int64", 0, 5)))
add("gather_nd", row("gather_nd(%x, %i)", x="5,6,m", i=Input("2,n", "int64", 0, 4)))
add("scatter_elements",
    *[row(f'scatter_elements(%x, %i, %u, axis=1, reduction="{reduction}")', x="n,6",
          i=Input("n,3", "int64", 0, 5), u=Input("n,3", low=-120, high=120), sums=True)
      for reduction in ["update", "add", "mul", "min", "max", "mean"]])
add("scatter_nd",
    *[row(f'scatter_nd(%x, %i, %u, mode="{mode}")', x="5,6", i=Input("2,n", "int64", 0, 4),
          u="n", sums=True) for mode in ["update", "add", "mul", "min", "max"]])
for name in ["sort", "argsort"]:
    add(name, row(f"{name}(%x, axis=1)", x="n,h"),
        row(f"{name}(%x, axis=0, is_ascend=0)", x="m,3"))
add("topk", row("topk(%x, k=3, axis=1)", x="n,7"),
    row('topk(%x, k=2, axis=0, ret_type="values", is_ascend=True)', x="m,3", ones=False))

#===-----------------------------------------------------------------------===#
# Products and convolutions
#===-----------------------------------------------------------------------===#

add("nn.dense", row("nn.dense(%x, %w)", x="n,m", w="h,m", sums=True))
add("nn.matmul", row("nn.matmul(%x, %w)", x="n,m", w="m,h", sums=True),
    row("nn.matmul(%x, %w, transpose_a=True, transpose_b=True)", x="m,n", w="h,m", sums=True))
add("nn.batch_matmul", row("nn.batch_matmul(%x, %y, transpose_b=True)", x="n,h,m", y="n,w,m", sums=True),
    row("nn.batch_matmul(%x, %y, transpose_b=False)", x="1,h,m", y="n,m,w", sums=True))
add("nn.conv1d", row("nn.conv1d(%x, %w, padding=[1, 1])", x="n,4,w", w="6,4,3", sums=True))
add("nn.conv2d",
    row("nn.conv2d(%x, %w, padding=[1, 1, 1, 1])", x="n,4,h,w", w="6,4,3,3", sums=True),
    row("nn.conv2d(%x, %w, padding=[1, 1, 1, 1], strides=[2, 2], groups=4)", x="n,4,h,w",
        w="4,1,3,3", sums=True),
    row('nn.conv2d(%x, %w, data_layout="NHWC", kernel_layout="HWIO")', x="n,h,w,4",
        w="1,1,4,6", sums=True))
add("nn.conv3d", row("nn.conv3d(%x, %w, padding=[1, 1, 1, 1, 1, 1])", x="n,2,4,h,w",
                     w="3,2,3,3,3", sums=True))
add("nn.conv1d_transpose", row("nn.conv1d_transpose(%x, %w, strides=[2], padding=[1, 1])",
                               x="n,4,w", w="4,3,4", sums=True))
add("nn.conv2d_transpose",
    row("nn.conv2d_transpose(%x, %w, strides=[2, 2], padding=[1, 1, 1, 1])", x="n,4,h,w",
        w="4,3,4,4", sums=True))
add("nn.conv3d_transpose",
    row("nn.conv3d_transpose(%x, %w, strides=[2, 2, 2], padding=[1, 1, 1, 1, 1, 1])",
        x="n,2,3,4,5", w="2,3,3,3,3", sums=True))
add("nn.conv2d_backward_weight",
    *[row("nn.conv2d_backward_weight(%g, %x, padding=[1, 1, 1, 1], kernel_size=[3, 3], "
          f'kernel_layout="NCHW", groups={groups})', g="n,4,h,w", x="n,4,h,w", sums=True)
      for groups in [1, 2, 4]],
    row("nn.conv2d_backward_weight(%g, %x, strides=[2, 1], kernel_size=[2, 3], "
        'data_layout="NHWC", kernel_layout="NHWC", out_layout="HWIO")', g="n,4,7,4",
        x="n,8,9,3", sums=True))
add("nn.contrib_conv2d_winograd_without_weight_transform",
    row("nn.contrib_conv2d_winograd_without_weight_transform(%x, %w, tile_size=4, "
        "padding=[1, 1, 1, 1], kernel_size=[3, 3], channels=6)", x="n,4,8,9", w="6,6,6,4",
        sums=True))

#===-----------------------------------------------------------------------===#
# Pooling and pictures
#===-----------------------------------------------------------------------===#

for rank, sizes in [(1, "h"), (2, "h,w"), (3, "4,h,w")]:
    window = ", ".join("3" * rank)
    rest = f"pool_size=[{window}], strides=[{', '.join('2' * rank)}], " \
        f"padding=[{', '.join('1' * 2 * rank)}]"
    add(f"nn.max_pool{rank}d", row(f"nn.max_pool{rank}d(%x, {rest})", x=special(f"n,4,{sizes}")))
    add(f"nn.avg_pool{rank}d", row(f"nn.avg_pool{rank}d(%x, {rest})", 
                                   x=Input(f"n,4,{sizes}", low=-120, high=120), sums=True),
        row(f"nn.avg_pool{rank}d(%x, {rest}, count_include_pad=True)",
            x=Input(f"n,4,{sizes}", low=-120, high=120), sums=True))
for kind, data in [("max", special("n,4,h,w")), ("avg", "n,4,h,w")]:
    # The first operand is the gradient, whatever its name is.
    add(f"nn.{kind}_pool2d_grad",
        row(f"nn.{kind}_pool2d_grad(%g, %x, pool_size=[3, 3], padding=[1, 1, 1, 1])",
            g="n,4,h,w", x=data, sums=True),
        row(f"nn.{kind}_pool2d_grad(%g, %x, pool_size=[2, 3], strides=[2, 2], "
            f'layout="NHWC", ceil_mode=True)', g="n,4,4,4", x="n,8,9,4", sums=True))
add("nn.global_max_pool2d", row("nn.global_max_pool2d(%x)", x=special("n,4,h,w")))
add("nn.global_avg_pool2d",
    row("nn.global_avg_pool2d(%x)", x=Input("n,4,h,w", low=-120, high=120), sums=True))
add("nn.adaptive_max_pool2d",
    row("nn.adaptive_max_pool2d(%x, output_size=[3, 2])", x="n,4,h,w", ones=False))
add("nn.adaptive_avg_pool2d",
    row("nn.adaptive_avg_pool2d(%x, output_size=[3, 2])",
        x=Input("n,4,h,w", low=-120, high=120), ones=False, sums=True))
add("nn.upsampling",
    *[row(f'nn.upsampling(%x, scale_h=2f64, scale_w=3f64, method="{method}")', x="n,4,h,w",
          sums=True, slack=int(method == "bilinear"))
      for method in ["nearest_neighbor", "bilinear"]])
add("image.resize2d",
    *[row(f'image.resize2d(%x, size=[7, 12], method="{method}", roi=[0f, 0f, 0f, 0f], '
          f'rounding_method="{rounding}")', x="n,4,h,w", sums=True,
          # Of halves, a rounding error decides.
          slack=int(method != "nearest_neighbor"))
      for method, rounding in [("linear", ""), ("cubic", ""), ("nearest_neighbor", "floor")]])

#===-----------------------------------------------------------------------===#
# Normalisations
#===-----------------------------------------------------------------------===#

for name in ["nn.softmax", "nn.log_softmax"]:
    add(name, row(f"{name}(%x)", x="n,m", sums=True),
        row(f"{name}(%x, axis=1)", x="n,h,3", sums=True))
channel = {"g": Input("4", low=0.5, high=1.5), "b": "4"}
add("nn.batch_norm",
    row("nn.batch_norm(%x, %g, %b, %u, %v).0", x="n,4,h,w", **channel, u="4",
        v=Input("4", low=0.5, high=1.5), sums=True))
add("nn.instance_norm", row("nn.instance_norm(%x, %g, %b)", x="n,4,h,w", **channel, sums=True))
add("nn.layer_norm", row("nn.layer_norm(%x, %g, %b)", x="n,m,4", **channel, sums=True))
add("nn.group_norm",
    row("nn.group_norm(%x, %g, %b, num_groups=2)", x="n,4,h,w", **channel, sums=True))
add("nn.l2_normalize", row("nn.l2_normalize(%x, eps=1e-5f64, axis=[1])", x="n,h,3", sums=True))
add("nn.lrn", row("nn.lrn(%x, size=3, axis=1)", x="n,6,h,w", sums=True))


#===-----------------------------------------------------------------------===#
# Shapes for operands, computed from sizes
#===-----------------------------------------------------------------------===#

def sizes_of(name, *positions):
    """Text: some sizes of an input, as a vector."""
    parts = [f'expand_dims(take(shape_of(%{name}, dtype="int64"), {position}), axis=0)'
             for position in positions]
    return f"concatenate(({', '.join(parts)},), axis=0)"


def vector(*numbers):
    parts = [f'expand_dims(cast({number}, dtype="int64"), axis=0)' for number in numbers]
    return f"concatenate(({', '.join(parts)},), axis=0)"


OTHER = Input("n,3,m", "float32")
add("dyn.reshape", row("dyn.reshape(%x, shape_of(%y))", x="n,6", y=Input("n,3,2", "float32")),
    row(f"dyn.reshape(%x, {vector('ndarray_size(%y)', -1)})", x="6,h,w",
        y=Input("h,3", "float32"), ones=False, zero="w"),
    row(f"dyn.reshape(%x, {sizes_of('x', 1, 0)}, allowzero=True)", x="n,m"),
    row(f"dyn.reshape(%x, {vector(0, 2, -1)})", x="n,6", zero=""))
add("dyn.expand_dims", row("dyn.expand_dims(%x, 1)", x="n,4"))
add("dyn.squeeze", row(f"dyn.squeeze(%x, {vector(1)})", x="n,1,4"))
add("dyn.broadcast_to", row("dyn.broadcast_to(%x, shape_of(%y))", x="3,1", y=OTHER),
    row("dyn.broadcast_to(%x, shape_of(%y))", x="m", y=OTHER))
add("dyn.zeros", row('dyn.zeros(shape_of(%y), dtype="{dtype}")', y=OTHER))
add("dyn.ones", row(f'dyn.ones({sizes_of("y", 2, 0)} * {vector(2, 1)}, dtype="{{dtype}}")', y=OTHER))
add("dyn.full", row('dyn.full(%x, shape_of(%y), dtype="{dtype}")', x="", y=OTHER))
add("dyn.one_hot", row('dyn.one_hot(%i, {5}, {2}, take(shape_of(%y), 2), dtype="{dtype}")',
                       i=Input("n,3", "int64", -1, 6), y=OTHER))
add("dyn.tile", row("dyn.tile(%x, shape_of(%y))", x="n,4", y=Input("2,m", "float32")),
    row("dyn.tile(%x, shape_of(%y))", x="3,4", y=OTHER))
add("dyn.strided_slice",
    row(f"dyn.strided_slice(%x, {vector(0)}, {sizes_of('y', 0)}, {vector(1)})", x="9,m", y=OTHER),
    row(f"dyn.strided_slice(%x, {sizes_of('y', 0)}, {vector(100)}, {vector(2)})", x="9,m", y=OTHER),
    row(f"dyn.strided_slice(%x, {vector(8)}, {sizes_of('y', 0)}, {vector(-2)})", x="9,m", y=OTHER),
    row(f"dyn.strided_slice(%x, {vector(-3, 1)}, {vector(100, -1)}, {vector(1, 1)})", x="n,m"),
    row(f"dyn.strided_slice(%x, {sizes_of('y', 0)} - {vector(7)}, {sizes_of('y', 2)} - {vector(9)}, "
        f"{vector(1)})", x="9,m", y=OTHER),
    row(f"dyn.strided_slice(%x, {sizes_of('y', 2)} - {vector(4)}, {sizes_of('y', 0)} - {vector(7)}, "
        f"{vector(-3)})", x="9,m", y=OTHER))
add("dyn.nn.pad",
    *(row(f'dyn.nn.pad(%x, reshape({vector("take(shape_of(%y), 0)", 0, 2, last)}, newshape=[2, 2]), '
          f'%p, pad_mode="{mode}")', x="4,m", p=Input("", "float32"), y=OTHER, ones=False, zero="n")
      for mode, last in [("constant", "take(shape_of(%y), 2) - 20"), ("edge", "1"),
                         ("constant", "take(shape_of(%y), 0)")]),
    row(f'dyn.nn.pad(%x, reshape({vector(0, "take(shape_of(%y), 0)")}, newshape=[1, 2]), 0f, '
        'pad_mode="reflect")', x="9", y=OTHER))
add("dyn.topk",
    *(row(f'dyn.topk(%x, take(shape_of(%y), 0), axis=1, ret_type="{ret}", is_ascend={ascend}, '
          'dtype="int64")', x=special("3,9"), y=OTHER)
      for ret, ascend in [("values", "False"), ("indices", "True")]))

#===-----------------------------------------------------------------------===#
# Quantized tensors: scales and zero points in turn, but for products
#===-----------------------------------------------------------------------===#

BYTES = Input("n,m", low=-128, high=255)
add("qnn.quantize", *[row(f'qnn.quantize(%x, 0.05f, {zero}, out_dtype="{to}")',
                          x=special(low=-9, high=9))
                      for to, zero in [("int8", 3), ("uint8", 128), ("int16", -7), ("int32", 0)]],
    *[row(f'qnn.quantize(%x, 0.5f, {zero}, out_dtype="{to}", rounding="TOEVEN")',
          x=special(low=-9, high=9)) for to, zero in [("int8", 3), ("uint8", 128)]])
add("qnn.dequantize", row("qnn.dequantize(%x, 0.05f, 3)", x=BYTES),
    row('qnn.dequantize(%x, 0.05f, -3, out_dtype="float16")', x=BYTES))
add("qnn.requantize",
    *[row(f'qnn.requantize(%x, 0.5f, 3, 1.3f, -4, out_dtype="{to}", rounding="{rounding}", '
          f'compute_dtype="{kind}")', x=Input("n,m", low=-3000, high=3000))
      for to, rounding, kind in [
          ("int8", "UPWARD", "int64"), ("uint8", "TONEAREST", "int64"),
          ("int16", "UPWARD", "float32"), ("int32", "TONEAREST", "float64"),
          ("int8", "TOEVEN", "float32"), ("int32", "TOEVEN", "float64")]])
for name in ["add", "subtract", "mul"]:
    add(f"qnn.{name}",
        row(f"qnn.{name}(%x, %y, 0.1f, 3, 0.2f, 4, 0.15f, 5)", x=BYTES, y=BYTES),
        row(f"qnn.{name}(%x, %y, 0.1f, 3, 0.1f, 3, 0.1f, 3)", x="n,3,1", y="4"))
for name in ["tanh", "exp", "sqrt", "rsqrt", "erf", "sigmoid", "hardswish", "log", "abs"]:
    add(f"qnn.{name}", row(f"qnn.{name}(%x, 0.03f, 4, 0.02f, 1)", x=BYTES))
add("qnn.leaky_relu", row("qnn.leaky_relu(%x, 0.1f, 3, 0.2f, 4, alpha=0.3f64)", x=BYTES))
add("qnn.softmax", row("qnn.softmax(%x, 0.1f, 3, 0.004f, -128)", x=BYTES, ones=False),
    row("qnn.softmax(%x, 0.1f, 3, 0.004f, -128, axis=1)", x=Input("n,h,3", low=-128, high=127)))
add("qnn.concatenate",
    row("qnn.concatenate((%x, %y), (0.1f, 0.2f), (3, 4), 0.2f, 4, axis=1)", x=BYTES,
        y=Input("n,3", low=-128, high=255)))
add("qnn.avg_pool2d",
    row("qnn.avg_pool2d(%x, 0.1f, 3, 0.2f, 4, pool_size=[2, 2], padding=[1, 1, 1, 1])",
        x=Input("n,4,h,w", low=-128, high=255)))
add("qnn.simulated_quantize",
    *[row(f"qnn.simulated_quantize(%x, {code}, 0.05f, 3)", x=special(low=-9, high=9))
      for code in range(4)],
    row("qnn.simulated_quantize(%x, %c, 0.05f, 3)", x=special(low=-9, high=9),
        c=Input("", "int32", low=0, high=4)))
add("qnn.simulated_dequantize",
    row("qnn.simulated_dequantize(%x, 1, 0.05f, 3)", x=special(low=-9, high=9)))
PRODUCT = '3, 4, 0.5f, 0.25f'
add("qnn.dense",
    *[row(f'qnn.dense(%x, %w, {PRODUCT}, units=7, out_dtype="{to}")',
          x=Input("n,m", low=-128, high=255), w=Input("7,m", kind, low=-128, high=255))
      for kind, to in [("int8", "int32"), ("uint8", "int64")]])
add("qnn.contrib_dense_pack",
    row(f'qnn.contrib_dense_pack(%x, %w, {PRODUCT}, units=6, out_dtype="int32", '
        'weight_layout="NC3n4c")', x=Input("n,8", low=-128, high=255),
        w=Input("2,2,3,4", "int8", low=-128, high=127)))
add("qnn.batch_matmul",
    row(f'qnn.batch_matmul(%x, %y, {PRODUCT}, out_dtype="int32", transpose_b=True)',
        x=Input("n,h,m", low=-128, high=255), y=Input("n,w,m", low=-128, high=255)))
add("qnn.conv2d",
    *[row(f'qnn.conv2d(%x, %w, {PRODUCT}, {how}, out_dtype="int32")',
          x=Input(x, low=-128, high=255), w=Input(w, "int8", low=-128, high=127))
      for x, w, how in [
          ("n,4,h,w", "6,4,3,3", "padding=[1, 1, 1, 1], channels=6, kernel_size=[3, 3]"),
          ("n,4,h,w", "4,1,3,3",
           "padding=[1, 1, 1, 1], strides=[2, 2], groups=4, channels=4, kernel_size=[3, 3]"),
          ("n,h,w,4", "1,1,4,6", 'data_layout="NHWC", kernel_layout="HWIO", channels=6, '
           'kernel_size=[1, 1]')]])
add("qnn.conv2d_transpose",
    row(f'qnn.conv2d_transpose(%x, %w, {PRODUCT}, channels=6, kernel_size=[3, 3], '
        'strides=[2, 2], out_dtype="int32")', x=Input("n,4,h,w", low=-128, high=255),
        w=Input("4,6,3,3", "int8", low=-128, high=127)))

#===-----------------------------------------------------------------------===#
# Marks, which change nothing, and the machine's names of operators
#===-----------------------------------------------------------------------===#

add("annotation.stop_fusion", row("abs(annotation.stop_fusion(nn.relu(%x)))", x="n,m"),
    row("annotation.stop_fusion(%x)", x=special()))
add("assert_op", row('assert_op(%x, less_equal(%y, 9f32), message="expects y of at most 9")',
                     x=special(), y=Input("h", "float32", low=0, high=9)))
add("string_map", row('string_map((%x,), function="format_int")', x="n,m"))
add("annotation.cast_hint", row('annotation.cast_hint(%x, dtype="int8")', x=special()))
add("annotation.with_funcid",
    row("annotation.with_funcid(fn (%y: Tensor[(4), {dtype}]) { copy(%y) }, fid=3)(%x)",
        x=special("4"), executor="vm"))
add("debug", row('add(debug(copy(%x), debug_func="none"), %x)', x="n,m", executor="vm"))
add("on_device", row("on_device(%x * %x)", x="n,m"))
add("device_copy", row("device_copy(%x) + %x", x="n,m"))
add("vm.shape_of", row("vm.shape_of(%x)", x="n,3,m"))
add("vm.reshape_tensor",
    row("vm.reshape_tensor(%x, shape_of(%y), newshape=[-1, 3])", x="3,n", y=Input("n,3", "int8")))

import operator_table_tensor  # noqa: E402,F401
import operator_table_nn_contrib  # noqa: E402,F401
import operator_table_sparse  # noqa: E402,F401
import operator_table_image  # noqa: E402,F401
import operator_table_vision  # noqa: E402,F401
import operator_table_data_dependent  # noqa: E402,F401
import operator_table_nms  # noqa: E402,F401
import operator_table_random  # noqa: E402,F401
