"""Sizes whose products do not fit 64 bits, or any memory: an error that names the
tensor and its sizes, never a crash or a wrong answer."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm


def make(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in initializers])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


FLOAT = TensorProto.FLOAT


@pytest.mark.parametrize("shape", [
    [2**30, 2**30], [2**31, 2**31], [2**62, 2], [2**21, 2**21, 2**21], [2**62, 1, 2**62],
    [2**63 - 1]])
def test_constant_shape_is_too_large(shape):
    model = make([helper.make_node("Expand", ["x", "shape"], ["y"])],
                 [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 [("shape", np.array(shape, np.int64))])
    with pytest.raises(rm.CompileError, match=f"expects tensors of at most {2**47} bytes, "
                       f"but got 'tensor<{'x'.join(map(str, shape))}xf32>'"):
        rm.compile(model)


@pytest.mark.parametrize("shape", [[2**40], [2**20, 2**20]])
def test_constant_shape_that_no_memory_has(shape):
    model = make([helper.make_node("Expand", ["x", "shape"], ["y"])],
                 [("x", FLOAT, [1])], [("y", FLOAT, None)],
                 [("shape", np.array(shape, np.int64))])
    compiled = rm.compile(model)
    text = ", ".join(map(str, shape))
    with pytest.raises(rm.RuntimeError, match="out of memory: cannot allocate "
                       f"{4 * np.prod(shape)} bytes for output 'y' of shape \\[{text}\\]"):
        compiled(np.zeros(1, np.float32))


def test_sum_of_broadcast_inputs():
    """2^64 elements of three vectors."""
    model = make([helper.make_node("Add", ["x", "y"], ["s"]),
                  helper.make_node("Add", ["s", "z"], ["t"])],
                 [("x", FLOAT, ["n", 1, 1]), ("y", FLOAT, ["m", 1]), ("z", FLOAT, ["k"])],
                 [("t", FLOAT, ["n", "m", "k"])])
    compiled = rm.compile(model)
    ones = [np.ones((3, 1, 1), np.float32), np.ones((4, 1), np.float32), np.ones(5, np.float32)]
    np.testing.assert_array_equal(compiled(*ones), np.full((3, 4, 5), 3, np.float32))
    x, y, z = (np.zeros((2**22, 1, 1), np.float32), np.zeros((2**21, 1), np.float32),
               np.zeros(2**21, np.float32))
    with pytest.raises(ValueError, match="expects output 't' to have fewer than 2\\^63 bytes") as e:
        compiled(x, y, z)
    for name, size, tensor in (("n", 2**22, "x"), ("m", 2**21, "y"), ("k", 2**21, "z")):
        assert f"{name} = {size} is dimension 0 of input '{tensor}'" in str(e.value)
    # Empty, whatever the other sizes are.
    assert compiled(np.zeros((0, 1, 1), np.float32), y, z).shape == (0, 2**21, 2**21)
    # Sizes that fit, but not into memory.
    with pytest.raises(rm.RuntimeError, match="out of memory: cannot allocate .* output 't'"):
        compiled(x, y, np.zeros(2, np.float32))
    np.testing.assert_array_equal(compiled(*ones), np.full((3, 4, 5), 3, np.float32))


def test_product_of_matrices():
    model = make([helper.make_node("MatMul", ["a", "b"], ["c"])],
                 [("a", FLOAT, ["n", "k"]), ("b", FLOAT, ["k", "m"])],
                 [("c", FLOAT, ["n", "m"])])
    compiled = rm.compile(model)
    one = np.ones(1, np.float32)
    a, b = np.broadcast_to(one, (2**22, 2**21)), np.broadcast_to(one, (2**21, 2**21))
    with pytest.raises(rm.RuntimeError, match="out of memory: cannot allocate 35184372088832 bytes "
                       "for a contiguous copy of input 'a' of shape \\[4194304, 2097152\\]"):
        compiled(a, b)
    # The result is larger than its operands.
    with pytest.raises(rm.RuntimeError, match="out of memory: cannot allocate 70368744177664 bytes "
                       "for output 'c' of shape \\[4194304, 4194304\\]"):
        compiled(np.ones((2**22, 1), np.float32), np.ones((1, 2**22), np.float32))


def test_intermediate_tensor_is_too_large():
    """A small result by way of a large product."""
    model = make([helper.make_node("MatMul", ["x", "y"], ["s"]),
                  helper.make_node("MatMul", ["s", "z"], ["t"])],
                 [("x", FLOAT, ["n", 1]), ("y", FLOAT, [1, "m"]), ("z", FLOAT, ["k", 8])],
                 [("t", FLOAT, ["n", 8])])
    compiled = rm.compile(model)
    n = 2**20
    x, y, z = (np.ones(shape, np.float32) for shape in ((n, 1), (1, n), (n, 8)))
    np.testing.assert_array_equal(compiled(x[:3], y[:, :4], z[:4]), np.full((3, 8), 4))
    with pytest.raises(rm.RuntimeError, match="out of memory: cannot allocate 4398046511104 bytes "
                       "for intermediate tensors"):
        compiled(x, y, z)
    with pytest.raises(ValueError, match="expects m to equal k, but got 4 and 5; m = 4 is "
                       "dimension 1 of input 'y', k = 5 is dimension 0 of input 'z'"):
        compiled(x[:3], y[:, :4], z[:5])


@pytest.mark.parametrize("sizes,message", [
    ((3, 2), "expects input 'y' to have shape .n. with n = 3 as in an earlier dimension"),
])
def test_sizes_that_differ(sizes, message):
    model = make([helper.make_node("Add", ["x", "y"], ["z"])],
                 [("x", FLOAT, ["n"]), ("y", FLOAT, ["n"])], [("z", FLOAT, ["n"])])
    compiled = rm.compile(model)
    with pytest.raises(ValueError, match=message):
        compiled(*(np.zeros(size, np.float32) for size in sizes))
