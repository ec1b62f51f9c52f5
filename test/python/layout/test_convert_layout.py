# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators between convolutions, compiled with channels last, against the
interpreter on the model as it was written."""

import os
import pathlib
import re
import subprocess

import pytest

pytestmark = pytest.mark.share(2)

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

# What comes between two convolutions. %0 is the (N, 8, 6, 10) data, %f and %v
# are a tensor of that type and a vector of 8; T is its type, and each line but
# the last defines a value. The last line gives the result and its type.
FOLLOWERS = {
    "unary": """
        %1 = relay.nn.relu %0 : (T) -> T
        %2 = relay.sigmoid %1 : (T) -> T
        %3 = relay.clip %2 {a_min = 0.1, a_max = 0.9} : (T) -> T
        %3 T""",
    "vector": """
        %e = relay.expand_dims %v {axis = 1, num_newaxis = 2} : (tensor<8xf32>) -> tensor<8x1x1xf32>
        %1 = relay.multiply %0, %e : (T, tensor<8x1x1xf32>) -> T
        %2 = relay.subtract %e, %1 : (tensor<8x1x1xf32>, T) -> T
        %2 T""",
    "row": """
        %c = relay.constant dense<[1., 2., 3., 4., 5., 6., 7., 8., 9., 10.]> : tensor<10xf32>
        %1 = relay.add %0, %c : (T, tensor<10xf32>) -> T
        %1 T""",
    "bias_prelu": """
        %1 = relay.nn.bias_add %0, %v : (T, tensor<8xf32>) -> T
        %2 = relay.nn.prelu %1, %v : (T, tensor<8xf32>) -> T
        %2 T""",
    "residual": """
        %1 = relay.nn.relu %0 : (T) -> T
        %2 = relay.add %1, %0 : (T, T) -> T
        %2 T""",
    "where": """
        %1 = relay.greater %0, %0 : (T, T) -> tensor<2x8x6x10xi1>
        %2 = relay.where %1, %0, %v0 : (tensor<2x8x6x10xi1>, T, tensor<f32>) -> T
        %2 T""",
    "gate": """
        %1 = relay.nn.global_avg_pool2d %0 : (T) -> tensor<2x8x1x1xf32>
        %2 = relay.sigmoid %1 : (tensor<2x8x1x1xf32>) -> tensor<2x8x1x1xf32>
        %3 = relay.multiply %0, %2 : (T, tensor<2x8x1x1xf32>) -> T
        %3 T""",
    "dense_gate": """
        %1 = relay.nn.adaptive_avg_pool2d %0 {output_size = [1, 1]} : (T) -> tensor<2x8x1x1xf32>
        %2 = relay.squeeze %1 {axis = [2, 3]} : (tensor<2x8x1x1xf32>) -> tensor<2x8xf32>
        %3 = relay.nn.dense %2, %d {units = 8} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
        %4 = relay.reshape %3 {newshape = [2, 8, 1, 1]} : (tensor<2x8xf32>) -> tensor<2x8x1x1xf32>
        %5 = relay.multiply %0, %4 : (T, tensor<2x8x1x1xf32>) -> T
        %5 T""",
    "pools": """
        %1 = relay.nn.max_pool2d %0 {pool_size = [3, 2], strides = [2, 1], padding = [1, 0, 1, 1]} : (T) -> tensor<2x8x3x10xf32>
        %2 = relay.nn.avg_pool2d %1 {pool_size = [2, 2], padding = [1, 1, 0, 0], count_include_pad = true} : (tensor<2x8x3x10xf32>) -> tensor<2x8x3x10xf32>
        %3 = relay.nn.adaptive_max_pool2d %2 {output_size = [2, 5]} : (tensor<2x8x3x10xf32>) -> tensor<2x8x2x5xf32>
        %3 tensor<2x8x2x5xf32>""",
    "concat_split": """
        %1 = relay.nn.relu %0 : (T) -> T
        %2 = relay.concatenate %0, %1 {axis = 1} : (T, T) -> tensor<2x16x6x10xf32>
        %3 = relay.split %2 {axis = -3, indices_or_sections = [4, 12]} : (tensor<2x16x6x10xf32>) -> tuple<tensor<2x4x6x10xf32>, tensor<2x8x6x10xf32>, tensor<2x4x6x10xf32>>
        %4 = relay.tuple_get_item %3[1] : tuple<tensor<2x4x6x10xf32>, tensor<2x8x6x10xf32>, tensor<2x4x6x10xf32>>
        %4 T""",
    "pad": """
        %p = relay.constant dense<0.5> : tensor<f32>
        %1 = relay.nn.pad %0, %p {pad_width = [0, 0, 0, 0, 1, 2, 3, 0]} : (T, tensor<f32>) -> tensor<2x8x9x13xf32>
        %1 tensor<2x8x9x13xf32>""",
    "slice": """
        %1 = relay.strided_slice %0 {begin = [0, 2], end = [2, 6], strides = [1, 1]} : (T) -> tensor<2x4x6x10xf32>
        %2 = relay.strided_slice %1 {begin = [9, 0], end = [0, 6], strides = [-1, 2], axes = [3, -2]} : (tensor<2x4x6x10xf32>) -> tensor<2x4x3x9xf32>
        %2 tensor<2x4x3x9xf32>""",
    "softmax": """
        %1 = relay.nn.softmax %0 {axis = 1} : (T) -> T
        %2 = relay.nn.log_softmax %1 : (T) -> T
        %2 T""",
    "lrn": """
        %1 = relay.nn.lrn %0 {size = 3} : (T) -> T
        %1 T""",
    "norms": """
        %1 = relay.nn.instance_norm %0, %v, %v : (T, tensor<8xf32>, tensor<8xf32>) -> T
        %2 = relay.nn.group_norm %1, %v, %v {num_groups = 4} : (T, tensor<8xf32>, tensor<8xf32>) -> T
        %3 = relay.nn.l2_normalize %2 {eps = 1.0e-5, axis = [1, 3]} : (T) -> T
        %3 T""",
    "batch_norm": """
        %1 = relay.abs %v : (tensor<8xf32>) -> tensor<8xf32>
        %2 = relay.nn.batch_norm %0, %v, %v, %v, %1 : (T, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tuple<T, tensor<8xf32>, tensor<8xf32>>
        %3 = relay.tuple_get_item %2[0] : tuple<T, tensor<8xf32>, tensor<8xf32>>
        %3 T""",
    "reductions": """
        %1 = relay.mean %0 {axis = [2, 3], keepdims = true} : (T) -> tensor<2x8x1x1xf32>
        %2 = relay.max %0 {axis = [1], keepdims = true} : (T) -> tensor<2x1x6x10xf32>
        %3 = relay.sum %0 {axis = [0, 1], exclude = true, keepdims = true} : (T) -> tensor<2x8x1x1xf32>
        %4 = relay.add %1, %2 : (tensor<2x8x1x1xf32>, tensor<2x1x6x10xf32>) -> T
        %5 = relay.add %4, %3 : (T, tensor<2x8x1x1xf32>) -> T
        %5 T""",
    "resize": """
        %1 = relay.nn.upsampling %0 {scale_h = 2.0, scale_w = 1.0} : (T) -> tensor<2x8x12x10xf32>
        %2 = relay.image.resize2d %1 {size = [5, 7]} : (tensor<2x8x12x10xf32>) -> tensor<2x8x5x7xf32>
        %2 tensor<2x8x5x7xf32>""",
    "depth_to_space": """
        %1 = relay.nn.depth_to_space %0 {block_size = 2} : (T) -> tensor<2x2x12x20xf32>
        %2 = relay.nn.space_to_depth %1 {block_size = 2} : (tensor<2x2x12x20xf32>) -> T
        %2 T""",
    "repeat_tile": """
        %1 = relay.repeat %0 {repeats = 2, axis = 2} : (T) -> tensor<2x8x12x10xf32>
        %2 = relay.tile %1 {reps = [1, 2, 1, 1]} : (tensor<2x8x12x10xf32>) -> tensor<2x16x12x10xf32>
        %3 = relay.reverse %2 {axis = 1} : (tensor<2x16x12x10xf32>) -> tensor<2x16x12x10xf32>
        %3 tensor<2x16x12x10xf32>""",
    "take": """
        %i = relay.constant dense<[7, 0, 3]> : tensor<3xi32>
        %1 = relay.take %0, %i {axis = 1} : (T, tensor<3xi32>) -> tensor<2x3x6x10xf32>
        %1 tensor<2x3x6x10xf32>""",
    "pixels": """
        %1 = relay.reshape %0 {newshape = [0, 0, -1]} : (T) -> tensor<2x8x60xf32>
        %2 = relay.nn.softmax %1 : (tensor<2x8x60xf32>) -> tensor<2x8x60xf32>
        %3 = relay.reshape %2 {newshape = [2, 8, 10, 6]} : (tensor<2x8x60xf32>) -> tensor<2x8x10x6xf32>
        %3 tensor<2x8x10x6xf32>""",
    "transposed": """
        %1 = relay.transpose %0 {axes = [0, 2, 3, 1]} : (T) -> tensor<2x6x10x8xf32>
        %2 = relay.nn.layer_norm %1, %v, %v : (tensor<2x6x10x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x6x10x8xf32>
        %3 = relay.transpose %2 {axes = [0, 3, 1, 2]} : (tensor<2x6x10x8xf32>) -> T
        %3 T""",
}

# What needs a change of order between the convolutions, one more than above.
BORDERS = {
    "shuffle": """
        %1 = relay.reshape %0 {newshape = [2, 2, 4, 6, 10]} : (T) -> tensor<2x2x4x6x10xf32>
        %2 = relay.transpose %1 {axes = [0, 2, 1, 3, 4]} : (tensor<2x2x4x6x10xf32>) -> tensor<2x4x2x6x10xf32>
        %3 = relay.reshape %2 {newshape = [2, 8, 6, 10]} : (tensor<2x4x2x6x10xf32>) -> T
        %3 T""",
    "mixed": """
        %1 = relay.reshape %0 {newshape = [2, 6, 8, 10]} : (T) -> tensor<2x6x8x10xf32>
        %1 tensor<2x6x8x10xf32>""",
}


def make_model(middle):
    *lines, last = [line.strip() for line in middle.strip().splitlines()]
    value, result = last.split()
    data = "tensor<2x8x6x10xf32>"
    shape = [int(size) for size in re.findall(r"(\d+)x", result)] if result != "T" \
        else [2, 8, 6, 10]
    final = f"tensor<2x5x{shape[2]}x{shape[3]}xf32>"
    weight = f"tensor<5x{shape[1]}x1x1xf32>"
    body = "\n".join(lines).replace("(T", f"({data}")
    text = f"""
func.func @main(%x: tensor<2x3x6x10xf32>, %w: tensor<8x3x3x3xf32>, %u: {weight},
                %v: tensor<8xf32>, %d: tensor<8x8xf32>, %v0: tensor<f32>) -> {final} {{
%0 = relay.nn.conv2d %x, %w {{padding = [1, 1, 1, 1]}} : (tensor<2x3x6x10xf32>, tensor<8x3x3x3xf32>) -> {data}
{body}
%end = relay.nn.conv2d {value}, %u : ({result}, {weight}) -> {final}
return %end : {final}
}}
"""
    return re.sub(r"\bT\b", data, text)


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def check(tmp_path, text, transforms, layout="NHWC", arguments=()):
    path = tmp_path / "model.mlir"
    path.write_text(text)
    # All constants fold, so that only what moves data at run time is left.
    converted = run([BIN / "relay-opt", path, "--pass-pipeline=builtin.module(func.func("
                     f"relay-convert-layout{{desired-layouts={layout}}},"
                     "relay-fold-constant))"])
    count = len(re.findall(r"relay\.(layout_transform|transpose) ", converted))
    assert count == transforms, converted
    run([BIN / "relay-run", path, "--check=interpreter", f"--desired-layout={layout}", "--no-cache",
         *arguments])


@pytest.mark.parametrize("name", FOLLOWERS)
def test_follows(name, tmp_path):
    check(tmp_path, make_model(FOLLOWERS[name]), transforms=2)


@pytest.mark.parametrize("name", BORDERS)
def test_border(name, tmp_path):
    check(tmp_path, make_model(BORDERS[name]), transforms=4 if name == "mixed" else 3)


def conv(rank, transposed=False):
    spatial = "x".join(["5", "6", "7"][:rank])
    kernel = "x".join(["3"] * rank)
    out = "x".join(str(size + (2 if transposed else -2)) for size in [5, 6, 7][:rank])
    name = f"nn.conv{rank}d" + ("_transpose" if transposed else "")
    weight = f"tensor<{'4x6' if transposed else '6x4'}x{kernel}xf32>"
    result = f"tensor<1x6x{out}xf32>"
    channels = "{channels = 6, kernel_size = [%s]}" % ", ".join(["3"] * rank)
    return f"""
func.func @main(%x: tensor<1x4x{spatial}xf32>, %w: {weight}) -> {result} {{
%0 = relay.{name} %x, %w {channels} : (tensor<1x4x{spatial}xf32>, {weight}) -> {result}
return %0 : {result}
}}
"""


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_convolutions(rank, transposed, tmp_path):
    check(tmp_path, conv(rank, transposed), transforms=2)


def test_kernel_layout(tmp_path):
    check(tmp_path, conv(2), transforms=3, layout="nn.conv2d=NHWC:HWIO")
    check(tmp_path, conv(2), transforms=0, layout="NCHW")


def test_channels_first_again(tmp_path):
    text = """
func.func @main(%x: tensor<1x8x8x4xf32>, %w: tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32> {
%0 = relay.nn.conv2d %x, %w {data_layout = "NHWC"} : (tensor<1x8x8x4xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
return %0 : tensor<1x6x6x6xf32>
}
"""
    check(tmp_path, text, transforms=0)
    check(tmp_path, text, transforms=2, layout="NCHW")


@pytest.mark.parametrize("sizes", [(1, 8, 8), (3, 7, 10)])
def test_dynamic(sizes, tmp_path):
    text = """
func.func @main(%x: tensor<?x8x?x?xf32> {relay.dims = ["n", "", "h", "w"]},
                %w: tensor<8x8x3x3xf32>) -> tensor<?x8xf32> {
%0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1]} : (tensor<?x8x?x?xf32>, tensor<8x8x3x3xf32>) -> tensor<?x8x?x?xf32>
%1 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
%2 = relay.add %1, %1 : (tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
%3 = relay.nn.global_avg_pool2d %2 : (tensor<?x8x?x?xf32>) -> tensor<?x8x1x1xf32>
%4 = relay.nn.batch_flatten %3 : (tensor<?x8x1x1xf32>) -> tensor<?x8xf32>
return %4 : tensor<?x8xf32>
}
"""
    dims = [f"--dim={name}={size}" for name, size in zip("nhw", sizes)]
    check(tmp_path, text, transforms=1, arguments=dims)


def test_chosen(tmp_path):
    """Without a wish the compiler decides; an image is taken as it comes."""
    text = """
func.func @main(%x: tensor<1x3x64x64xf32>, %w: tensor<32x3x3x3xf32>, %v: tensor<32x32x3x3xf32>) -> tensor<1x32xf32> {
%0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], strides = [2, 2]} : (tensor<1x3x64x64xf32>, tensor<32x3x3x3xf32>) -> tensor<1x32x32x32xf32>
%1 = relay.nn.conv2d %0, %v {padding = [1, 1, 1, 1]} : (tensor<1x32x32x32xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x32x32xf32>
%2 = relay.max %1 {axis = [2, 3]} : (tensor<1x32x32x32xf32>) -> tensor<1x32xf32>
return %2 : tensor<1x32xf32>
}
"""
    path = tmp_path / "model.mlir"
    path.write_text(text)
    optimized = run([BIN / "relay-opt", path, "--relay-optimize"])
    assert 'out_layout = "NHWC"' in optimized and "layout_transform" not in optimized
    assert "data_layout" not in run([BIN / "relay-opt", path,
                                     "--relay-optimize=desired-layout=default"])
    run([BIN / "relay-run", path, "--check=interpreter", "--no-cache"])


# Columns that are fewer than a vector is long, and rows that are not.
@pytest.mark.parametrize("columns", [2, 3, 4, 5, 7])
@pytest.mark.parametrize("rows", [8, 34, 68, 129])
def test_narrow_transpose(columns, rows, tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(f"""
func.func @main(%x: tensor<3x{columns}x{rows}xf32>) -> tensor<3x{rows}x{columns}xf32> {{
%0 = relay.transpose %x {{axes = [0, 2, 1]}} : (tensor<3x{columns}x{rows}xf32>) -> tensor<3x{rows}x{columns}xf32>
return %0 : tensor<3x{rows}x{columns}xf32>
}}
""")
    run([BIN / "relay-run", path, "--check=interpreter", "--no-cache"])
