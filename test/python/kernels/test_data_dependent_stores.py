"""Sorts, selections, scatters and running sums at sizes that people have,
against NumPy. Values are moved, not computed: results are equal bit by bit,
but for sums, whose tolerance is stated there.
"""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper, save

import relay_mlir as rm

pytestmark = pytest.mark.share(3)


def compile_operator(path, node, inputs, constants, results):
    """`inputs` and `results` map names to (element type, dimensions)."""
    def describe(values):
        return [helper.make_tensor_value_info(name, *value)
                for name, value in values.items()]
    graph = helper.make_graph(
        [node], "operator", describe(inputs), describe(results),
        [numpy_helper.from_array(np.asarray(value), name)
         for name, value in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                              ir_version=9)
    save(model, str(path))
    return rm.compile(path)


def compile_topk(tmp_path, dims, k, axis, largest):
    results = {"values": (TensorProto.FLOAT, None), "places": (TensorProto.INT64, None)}
    return compile_operator(
        tmp_path / "topk.onnx",
        helper.make_node("TopK", ["x", "k"], ["values", "places"], axis=axis,
                         largest=int(largest)),
        {"x": (TensorProto.FLOAT, dims)}, {"k": np.array([k], np.int64)}, results)


def expect_topk(x, k, axis, largest):
    """NumPy's stable order; of equal elements the first comes first, and NaN
    is the largest."""
    key = x.astype(np.float64)
    if largest:
        # NaN sorts last, whatever its sign.
        key = np.where(np.isnan(key), -np.inf, -key)
        order = np.lexsort((~np.isnan(x), key), axis=axis) if np.isnan(x).any() \
            else np.argsort(key, axis, kind="stable")
    else:
        order = np.argsort(key, axis, kind="stable")
    places = np.take(order, range(k), axis)
    return np.take_along_axis(x, places, axis), places


def many_ties(shape, seed=0):
    return np.random.default_rng(seed).integers(-50, 50, shape).astype(np.float32)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("shape, axis, k", [
    ((8, 10000), -1, 10), ((8, 10000), 1, 64), ((8, 10000), 1, 65), ((3, 1025), 1, 1025),
    ((4, 700, 3), 1, 5), ((4, 700, 3), 1, 200), ((513, 2), 0, 100), ((1, 1), 1, 1),
    ((5, 64), 1, 64), ((7,), 0, 3), ((3, 4096), 1, 1000), ((2, 600, 2), 1, 600),
    ((2, 511), 1, 511), ((2, 512), 1, 512),
])
def test_topk(tmp_path, shape, axis, k, largest):
    x = many_ties(shape)
    values, places = compile_topk(tmp_path, list(shape), k, axis, largest)(x=x)
    want_values, want_places = expect_topk(x, k, axis, largest)
    np.testing.assert_array_equal(values, want_values)
    np.testing.assert_array_equal(places, want_places)


@pytest.mark.parametrize("k", [7, 100])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_special_values(tmp_path, k, largest):
    x = many_ties((4, 300), seed=1)
    rng = np.random.default_rng(2)
    for value in (np.nan, np.inf, -np.inf, -0.0):
        x[rng.integers(0, 4, 9), rng.integers(0, 300, 9)] = value
    values, places = compile_topk(tmp_path, [4, 300], k, 1, largest)(x=x)
    want_values, want_places = expect_topk(x, k, 1, largest)
    np.testing.assert_array_equal(values, want_values)
    np.testing.assert_array_equal(places, want_places)


@pytest.mark.parametrize("order", ["ascending", "descending", "constant"])
@pytest.mark.parametrize("k", [64, 1000])
def test_topk_of_sorted_rows(tmp_path, order, k):
    """The worst case of a list is that each element enters it at its front."""
    x = np.sort(many_ties((2, 20000)), axis=1)
    x = {"ascending": x, "descending": np.ascontiguousarray(x[:, ::-1]),
         "constant": np.ones_like(x)}[order]
    values, places = compile_topk(tmp_path, [2, 20000], k, 1, True)(x=x)
    want_values, want_places = expect_topk(x, k, 1, True)
    np.testing.assert_array_equal(values, want_values)
    np.testing.assert_array_equal(places, want_places)


def test_topk_of_open_sizes(tmp_path):
    compiled = compile_topk(tmp_path, ["rows", "columns"], 3, 1, True)
    for shape in [(1, 3), (5, 100), (0, 4), (33, 257)]:
        x = many_ties(shape, seed=sum(shape))
        for threads in (1, 2):
            rm.set_num_threads(threads)
            values, places = compiled(x=x)
            want_values, want_places = expect_topk(x, 3, 1, True)
            np.testing.assert_array_equal(values, want_values)
            np.testing.assert_array_equal(places, want_places)


@pytest.mark.parametrize("dims", [[300, 40], ["n", 40], ["n", "m"]])
def test_scatter_rows(tmp_path, dims):
    """Rows that several updates name hold the last one."""
    rng = np.random.default_rng(3)
    index_dims = [dims[0] if isinstance(dims[0], str) else 500, 1]
    updates_dims = [index_dims[0], dims[1]]
    names = {"n": 300, "m": 40}
    if isinstance(dims[0], str):
        index_dims[0] = updates_dims[0] = "count"
    compiled = compile_operator(
        tmp_path / "scatter.onnx",
        helper.make_node("ScatterND", ["x", "i", "u"], ["y"]),
        {"x": (TensorProto.FLOAT, dims), "i": (TensorProto.INT64, index_dims),
         "u": (TensorProto.FLOAT, updates_dims)}, {}, {"y": (TensorProto.FLOAT, None)})
    x = rng.standard_normal([names.get(dim, dim) for dim in dims]).astype(np.float32)
    indices = rng.integers(-300, 300, (500, 1))
    updates = rng.standard_normal((500, 40)).astype(np.float32)
    want = x.copy()
    for index, update in zip(indices[:, 0], updates):
        want[index] = update
    np.testing.assert_array_equal(compiled(x=x, i=indices, u=updates), want)


def test_scatter_refuses_updates_of_other_sizes(tmp_path):
    compiled = compile_operator(
        tmp_path / "scatter.onnx",
        helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], axis=0),
        {"x": (TensorProto.FLOAT, ["n", 4]), "i": (TensorProto.INT64, ["m", 4]),
         "u": (TensorProto.FLOAT, ["k", 4])}, {}, {"y": (TensorProto.FLOAT, None)})
    x = np.zeros((5, 4), np.float32)
    indices = np.zeros((3, 4), np.int64)
    assert compiled(x=x, i=indices, u=np.ones((3, 4), np.float32))[0, 0] == 1
    with pytest.raises(ValueError, match="expects m to equal k, but got 3 and 2; m = 3 is "
                       "dimension 0 of input 'i', k = 2 is dimension 0 of input 'u'"):
        compiled(x=x, i=indices, u=np.ones((2, 4), np.float32))


@pytest.mark.parametrize("axis", [0, 1])
def test_scatter_adds_all_updates(tmp_path, axis):
    """Integers, so that the order of the sums does not matter."""
    rng = np.random.default_rng(4)
    compiled = compile_operator(
        tmp_path / "scatter.onnx",
        helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], axis=axis,
                         reduction="add"),
        {"x": (TensorProto.INT64, [64, 48]), "i": (TensorProto.INT64, [60, 40]),
         "u": (TensorProto.INT64, [60, 40])}, {}, {"y": (TensorProto.INT64, None)})
    x = rng.integers(0, 100, (64, 48))
    indices = rng.integers(0, 48, (60, 40))
    updates = rng.integers(0, 100, (60, 40))
    want = x.copy()
    places = list(np.indices(indices.shape))
    places[axis] = indices
    np.add.at(want, tuple(places), updates)
    np.testing.assert_array_equal(compiled(x=x, i=indices, u=updates), want)


@pytest.mark.parametrize("exclusive, reverse", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_running_sums(tmp_path, axis, exclusive, reverse):
    """Within 1e-5 of the sum of magnitudes."""
    x = np.random.default_rng(5).standard_normal((33, 500, 9)).astype(np.float32)
    compiled = compile_operator(
        tmp_path / "cumsum.onnx",
        helper.make_node("CumSum", ["x", "axis"], ["y"], exclusive=exclusive,
                         reverse=reverse),
        {"x": (TensorProto.FLOAT, list(x.shape))}, {"axis": np.array(axis)},
        {"y": (TensorProto.FLOAT, None)})
    wide = np.flip(x, axis) if reverse else x
    want = np.cumsum(wide.astype(np.float64), axis) - (wide if exclusive else 0)
    if reverse:
        want = np.flip(want, axis)
    np.testing.assert_allclose(compiled(x=x), want, rtol=0,
                               atol=1e-5 * np.abs(x).sum(axis).max())


@pytest.mark.parametrize("kind, dtype", [
    ("i8", np.int8), ("ui8", np.uint8), ("i32", np.int32), ("ui32", np.uint32),
    ("i64", np.int64), ("f16", np.float16), ("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize("size", [40, 700])
@pytest.mark.parametrize("ascending", ["true", "false"])
def test_argsort_of_all_types(kind, dtype, size, ascending):
    """Short keys by digits, few elements and long ones by merging; stable."""
    rng = np.random.default_rng(6)
    if np.dtype(dtype).kind == "f":
        x = (rng.integers(-300, 300, (3, size)) / 4).astype(dtype)
        x[0, ::17], x[1, 5], x[2, ::3] = -0.0, np.inf, -np.inf
    else:
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, (3, size), dtype, endpoint=True)
        x[1] = x[1] // dtype(max(info.max // 50, 1))
        x[2, :4] = info.min, info.max, info.min, info.max
    module = rm.compile(rm.parse(f"""
func.func @main(%x: tensor<3x{size}x{kind}>) -> tensor<3x{size}xi32> {{
  %0 = relay.argsort %x {{axis = 1, is_ascend = {ascending}}} : (tensor<3x{size}x{kind}>) -> tensor<3x{size}xi32>
  return %0 : tensor<3x{size}xi32>
}}"""))
    # The order of ranks turned around keeps that of equal elements.
    ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
    want = np.argsort(ranks if ascending == "true" else -ranks, 1, kind="stable")
    np.testing.assert_array_equal(np.asarray(module(x)), want)
