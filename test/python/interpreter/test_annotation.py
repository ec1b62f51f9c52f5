"""Markers, quantisation in floats, and what the interpreter says of operators
that it cannot run."""

import os
import subprocess

import numpy as np
import pytest
from relay_eval import BUILD, Case, check


def f32(value):
    return np.array(value, np.float32)


def test_markers_return_their_operand():
    x = f32([[1, -2.5], [0, 3]])
    markers = [
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
    ("%0 = relay.parser.MetaRef {node_type_key = \"k\", node_index = 0} : () -> !relay.incomplete",
     "expects the contents of the metadata in its place"),
    ("%i = relay.constant dense<1> : tensor<i64>\n  %v = relay.constant dense<1> : tensor<1xi64>\n"
     "  %0 = relay.memory.alloc_storage %i, %v, %i : (tensor<i64>, tensor<1xi64>, tensor<i64>) -> !relay.adt<@Storage>",
     "expects the program before allocations are made explicit"),
]


@pytest.mark.parametrize("body,message", UNSUPPORTED)
def test_unsupported(body, message):
    text = f"{STORAGE}func.func @f() {{\n  {body}\n  return\n}}\n"
    command = [BUILD / "bin/relay-opt", f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
               "--pass-pipeline=builtin.module(test-relay-interpret)", "-o", os.devnull]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode != 0 and message in result.stderr, result.stderr


def test_wrong_sizes_at_run_time():
    """Vectors of scales whose size only the interpreter sees."""
    text = """
func.func private @q(%x: tensor<?xf32>, %s: tensor<?xf32>, %z: tensor<i32>) -> tensor<?xi8> {
  %0 = relay.qnn.quantize %x, %s, %z {out_dtype = i8} : (tensor<?xf32>, tensor<?xf32>, tensor<i32>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
func.func @f() -> tensor<?xi8> {
  %x = relay.constant dense<1.0> : tensor<4xf32>
  %s = relay.constant dense<1.0> : tensor<3xf32>
  %z = relay.constant dense<1> : tensor<i32>
  %0 = relay.call @q(%x, %s, %z) : (tensor<4xf32>, tensor<3xf32>, tensor<i32>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""
    command = [BUILD / "bin/relay-opt", f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
               "--pass-pipeline=builtin.module(test-relay-interpret)", "-o", os.devnull]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "expects a scale and zero point of 4 values, but got 3" in result.stderr
