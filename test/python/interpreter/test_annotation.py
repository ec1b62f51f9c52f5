"""Markers, quantisation in floats, and what the interpreter says of operators
that it cannot run."""

import os
import subprocess
from typing import Any

import numpy as np
import pytest
from relay_eval import BUILD, Case, check


def f32(value):
    return np.array(value, np.float32)


def test_markers_return_their_operand():
    x = f32([[1, -2.5], [0, 3]])
    markers: list[tuple[str, dict[str, Any]]] = [
        ("annotation.stop_fusion", {}), ("annotation.cast_hint", {"dtype": "!i8"}), ("annotation.bitpack_start", {}),
        ("annotation.bitpack_end", {}), ("annotation.checkpoint", {}), ("annotation.compiler_begin", {"compiler": "c"}),
        ("annotation.compiler_end", {"compiler": "c"}), ("on_device", {"constrain_result": True}), ("device_copy", {}),
        ("debug", {"debug_func": "f"}),
    ]
    check([Case(name, [x], x, attrs) for name, attrs in markers])
    pair = (x, f32(4))
    check([Case(name, [pair], pair, attrs) for name, attrs in markers])


def test_simulated_quantize():
    x = f32([-9.3, -1.26, -0.125, 0.1, 0.125, 0.375, 1.3, 40])
    scale, low, high = f32(0.25), f32(-8), f32(7)
    scaled = np.clip(x / scale, low, high)
    expected = (np.sign(scaled) * np.floor(np.abs(scaled) + f32(0.5))) * scale
    assert expected.tolist() == [-2, -1.25, -0.25, 0, 0.25, 0.5, 1.25, 1.75]
    name = "relay.op.annotation.simulated_quantize"
    inputs = [x, scale, low, high]
    check([Case(name, inputs, expected, {"kind": kind}) for kind in (1, 2, 3)] + [Case(name, inputs, x, {"kind": 0})])


def test_virtual_machine():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    shape = np.array([3, 2], np.int64)
    check(
        [
            Case("vm.shape_of", [x], np.array([2, 3], np.int64)),
            Case("vm.shape_of", [x], np.array([2, 3], np.int32), {"dtype": "!i32"}),
            Case("vm.reshape_tensor", [x, shape], x.reshape(3, 2), {"newshape": [3, -1]}),
            Case("vm.reshape_tensor", [f32([5]), np.zeros(0, np.int64)], f32(5), {"newshape": "!array<i64>"}, dynamic=False),
        ]
    )


STORAGE = "relay.adt extern @Storage\n"
UNSUPPORTED = [
    ("%0 = relay.torch_op : () -> tensor<f32>", "expects operators of Relay instead of a TorchScript function"),
    ("%0 = relay.parser.MetaRef {node_type_key = \"k\", node_index = 0} : () -> tensor<f32>",
     "expects the contents of the metadata in its place"),
    ("%i = relay.constant dense<1> : tensor<i64>\n  %v = relay.constant dense<1> : tensor<1xi64>\n"
     "  %0 = relay.memory.alloc_storage %i, %v, %i : (tensor<i64>, tensor<1xi64>, tensor<i64>) -> !relay.adt<@Storage>",
     "expects the program before allocations are made explicit"),
]


@pytest.mark.parametrize("body,message", UNSUPPORTED)
def test_unsupported(body, message):
    text = f"{STORAGE}func.func @f() {{\n  {body}\n  return\n}}\n"
    command = [str(BUILD / "bin/relay-opt"), f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
               "--pass-pipeline=builtin.module(test-relay-interpret)", "-o", os.devnull]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and message in result.stderr, result.stderr


WRONG_SIZES = [
    ("qnn.quantize", ["4xf32", "3xf32", "i32"], "out_dtype = i8", "4xi8",
     "expects output_scale to be a scalar or a vector of 4 elements, but got 'tensor<3xf32>'"),
    ("qnn.dense", ["2x8xi8", "4x7xi8", "i32", "i32", "f32", "f32"], "units = 4, out_dtype = i32", "2x4xi32",
     "expects a reduced size of 7 (weight is 'tensor<4x7xi8>'), but got 8"),
    ("qnn.add", ["4xi8", "3xi8", "f32", "i32", "f32", "i32", "f32", "i32"], "", "4xi8",
     "expects shapes that broadcast, but got"),
    ("qnn.conv2d", ["1x3x4x4xi8", "2x2x1x1xi8", "i32", "i32", "f32", "f32"], "out_dtype = i32", "1x2x4x4xi32",
     "expects 2 input channels (weight is 'tensor<2x2x1x1xi8>', groups is 1), but got 3"),
    ("vm.reshape_tensor", ["6xf32", "1xi64"], "newshape = [-1]", "5xf32", "expects a shape of 6 elements, but got [1]"),
    ("random.threefry_split", ["9xui64"], "", "10xui64", "expects a key of type 'tensor<10xui64>', but got 'tensor<9xui64>'"),
    ("contrib.ethosu.pooling", ["1x2x2x5xi8", "1xi8"],
     'pooling_type = "MAX", ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, '
     'pool_shape = [1, 1], ofm_channels = 4, ofm_dtype = "int8"', "1x2x2x4xi8", "expects ofm_channels 5, but got 4"),
]


@pytest.mark.parametrize("name,types,attrs,result,message", WRONG_SIZES, ids=[row[0] for row in WRONG_SIZES])
def test_wrong_sizes_at_run_time(name, types, attrs, result, message):
    """Sizes that only the interpreter sees: an error, no crash."""

    def dynamic(type_):
        return "tensor<%s>" % "x".join("?" if part.isdigit() else part for part in type_.split("x"))

    values = "".join(
        f"  %v{i} = relay.constant dense<1{'.0' if 'f' in t else ''}> : tensor<{t}>\n" for i, t in enumerate(types)
    )
    names = ", ".join(f"%v{i}" for i in range(len(types)))
    arguments = ", ".join(f"%v{i}: {dynamic(t)}" for i, t in enumerate(types))
    result = dynamic(result)
    if name.startswith("random"):
        result = f"tuple<{result}, {result}>"
    text = (
        f"func.func private @callee({arguments}) -> {result} {{\n"
        f"  %0 = relay.{name} {names} {{{attrs}}} : ({', '.join(map(dynamic, types))}) -> {result}\n"
        f"  return %0 : {result}\n}}\n"
        f"func.func @f() -> {result} {{\n{values}"
        f"  %0 = relay.call @callee({names}) : ({', '.join(f'tensor<{t}>' for t in types)}) -> {result}\n"
        f"  return %0 : {result}\n}}\n"
    )
    command = [str(BUILD / "bin/relay-opt"), f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
               "--pass-pipeline=builtin.module(test-relay-interpret)", "-o", os.devnull]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode == 1 and message in result.stderr, result.stderr
