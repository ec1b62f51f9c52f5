"""Models whose sizes are open, at many sizes of one artefact, against NumPy.

Tolerance: 1e-5 of the output's largest magnitude.
"""

import numpy as np
import pytest
from onnx import TensorProto, checker, helper, numpy_helper, save

import relay_mlir as rm

FEATURES, UNITS, POSITIONS = 40, 50, 16


def compile_model(nodes, constants, dims, path):
    graph = helper.make_graph(
        nodes, "dynamic",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT,
                                       [*dims[:-1], "features"])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                              ir_version=9)
    checker.check_model(model)
    save(model, str(path))
    return rm.compile(path)


def test_rows_of_two_open_dimensions(tmp_path):
    """A product, its bias and activation, for every batch and length."""
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((FEATURES, UNITS)).astype(np.float32)
    bias = rng.standard_normal(UNITS).astype(np.float32)
    compiled = compile_model(
        [helper.make_node("MatMul", ["x", "w"], ["product"]),
         helper.make_node("Add", ["product", "b"], ["sum"]),
         helper.make_node("Relu", ["sum"], ["y"])],
        {"w": weight, "b": bias}, ["batch", "length", FEATURES], tmp_path / "model.onnx")
    for batch, length in [(1, 1), (1, 128), (2, 7), (3, 31), (17, 1), (5, 5), (0, 3), (2, 0)]:
        x = rng.standard_normal((batch, length, FEATURES)).astype(np.float32)
        want = np.maximum(x.astype(np.float64) @ weight + bias, 0)
        for threads in (1, 2):
            rm.set_num_threads(threads)
            got = compiled(x=x)
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=0,
                                       atol=1e-5 * np.abs(want).max(initial=1))


def test_first_rows_of_a_table(tmp_path):
    """Positions of as many rows as the input has, and not of more than there are."""
    rng = np.random.default_rng(1)
    table = rng.standard_normal((1, POSITIONS, FEATURES)).astype(np.float32)
    ints = {"zero": [0], "one": [1], "two": [2]}
    compiled = compile_model(
        [helper.make_node("Shape", ["x"], ["shape"]),
         helper.make_node("Slice", ["shape", "one", "two"], ["length"]),
         helper.make_node("Slice", ["table", "zero", "length", "one"], ["rows"]),
         helper.make_node("Add", ["x", "rows"], ["y"])],
        {"table": table, **{name: np.array(value, np.int64) for name, value in ints.items()}},
        ["batch", "length", FEATURES], tmp_path / "model.onnx")
    for length in (1, 5, POSITIONS):
        x = rng.standard_normal((2, length, FEATURES)).astype(np.float32)
        np.testing.assert_array_equal(compiled(x=x), x + table[:, :length])
    message = (rf"expects length to equal min\(length, {POSITIONS}\), but got {POSITIONS + 1} and "
               f"{POSITIONS}; length = {POSITIONS + 1} is dimension 1 of input 'x'")
    with pytest.raises(ValueError, match=message):
        compiled(x=np.zeros((1, POSITIONS + 1, FEATURES), np.float32))
