"""What operators take and give in places where Relay's rules are less plain: types,
and numbers against NumPy, of the interpreter and of compiled programs."""

from typing import Any

import numpy as np
import pytest

from relay_mlir import relay

ANY = relay.Any()


def var(name, shape, dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


def infer(call):
    if isinstance(call, relay.TupleWrapper):
        call = call.astuple()
    return relay.transform.infer_expr(call).checked_type


def tensor(shape, dtype="float32"):
    return relay.TensorType(shape, dtype)


def arrays(value):
    if isinstance(value, (list, tuple)):
        return tuple(map(arrays, value))
    return np.asarray(value)


def run(call, params, *values, kind="debug"):
    """The value of an expression: NumPy arrays, or tuples of them."""
    if isinstance(call, relay.TupleWrapper):
        call = call.astuple()
    mod = relay.IRModule.from_expr(relay.Function(params, call))
    return arrays(relay.create_executor(kind, mod=mod).evaluate()(*values))


def count(*shape, dtype="float32"):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def check(got, want):
    want = np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


#===------------------------------------------------------------------------===#
# Segments and slices
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("shape,ids,segments", [
    ((6,), [0, 0, 1, 1, 0, 1], None), ((6, 4, 5), [2, 0, 1, 0, 3, 2], None),
    ((3, 4), [0, 2], 4), ((6, 4, 5), [0, 0, 1, 5, 5], 100), ((3, 4), [0, 2], None),
    ((3, 0), [1, 1, 0], None), ((3, 2), [], 2)])
def test_segment_sum(shape, ids, segments, is_open):
    data, ids = count(*shape, dtype="float64"), np.array(ids, "int32")
    d = var("d", [ANY] * len(shape) if is_open else shape, "float64")
    i = var("i", [ANY] if is_open else ids.shape, "int32")
    call = relay.segment_sum(d, i, segments)
    assert infer(call).dtype == "float64"
    want = np.zeros((segments or ids.max() + 1, *shape[1:]))
    np.add.at(want, ids, data[:len(ids)])
    check(run(call, [d, i], data, ids), want)


@pytest.mark.parametrize("ids", [[0, 1, 2, 0], [0, 7], []])
def test_segment_sum_errors(ids):
    """More ids than rows, ids that are no segment, and no segment at all."""
    d, i = var("d", (3, 2)), var("i", (len(ids),), "int32")
    with pytest.raises(relay.DiagnosticError):
        segments = None if len(ids) != 2 else 2
        run(relay.segment_sum(d, i, segments), [d, i], count(3, 2), np.array(ids, "int32"))


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("begin,end,strides", [
    ([0, 1], [1, -1, 4], [1, 1, 2, 1]), ([0, 1], [1, -1], [1, 1, 2, 3]), ([0], [1, 3, 4, 2], [1]),
    ([0, 3], [1, 0], [1, -1, -1]), ([0, 1, 0, 7], [1, -1], [1, 1, 2, -1])])
def test_strided_slice(begin, end, strides, is_open, kind):
    """Lists of different lengths: what is missing reaches to the end."""
    data = count(1, 4, 6, 8)
    x = var("x", [ANY] * 4 if is_open else data.shape)
    call = relay.strided_slice(x, begin, end, strides)
    padded = zip(begin + [None] * 4, end + [None] * 4, strides + [1] * 4, range(4))
    want = data[tuple(slice(*part[:3]) for part in padded)]
    if not is_open:
        assert infer(call) == tensor(want.shape)
    check(run(call, [x], data, kind=kind), want)


def test_strided_slice_errors():
    with pytest.raises(relay.DiagnosticError, match="at most 1 values in strides"):
        infer(relay.strided_slice(var("x", (4,)), [0], [2], [1, 1]))


@pytest.mark.parametrize("begin,end,strides", [
    ([1, 1, 0], [4, 4], None), ([1, 1], [4, 4, 3], None), ([1, -1, 0], [4, -5, 3], [2, -1]),
    ([], [2], [1, 1, -1])])
def test_strided_set(begin, end, strides):
    data = count(3, 4, 3)
    # NumPy has no position before the first.
    ends = [None if e == -5 else e for e in end] + [None] * 3
    index = tuple(map(slice, begin + [None] * 3, ends, (strides or []) + [1] * 3))[:3]
    want, v = data.copy(), -1 - count(*data[index].shape)
    want[index] = v
    x, y = var("x", data.shape), var("v", v.shape)
    first, last = (relay.const(np.array(b, "int32")) for b in (begin, end))
    call = relay.strided_set(x, y, first, last,
                             None if strides is None else relay.const(strides, "int32"))
    assert infer(call) == tensor(data.shape)
    check(run(call, [x, y], data, v), want)


@pytest.mark.parametrize("lengths", [[-1, 0, 1, 5], [4, 2**31 - 1, -2**31, 3]])
def test_reverse_sequence_clips(lengths):
    data = count(4, 4, dtype="int32")
    x = var("x", (4, 4), "int32")
    call = relay.reverse_sequence(x, relay.const(np.array(lengths, "int32")), 1, 0)
    want = data.copy()
    for row, n in enumerate(np.clip(lengths, 0, 4)):
        want[row, :n] = data[row, :n][::-1]
    check(run(call, [x], data), want)


#===------------------------------------------------------------------------===#
# Pooling
#===------------------------------------------------------------------------===#


def block(data, factor):
    n, c, h, w = data.shape
    return data.reshape(n, c // factor, factor, h, w).transpose(0, 1, 3, 4, 2)


POOLS = [lambda x, **kw: relay.nn.max_pool2d(x, (2, 3), (2, 1), padding=(1, 0), **kw),
         lambda x, **kw: relay.nn.avg_pool2d(x, (2, 2), (2, 2), padding=(1, 1), **kw),
         lambda x, **kw: relay.nn.avg_pool2d(x, (3, 3), (2, 2), ceil_mode=True, **kw),
         relay.nn.global_max_pool2d, relay.nn.global_avg_pool2d,
         lambda x, **kw: relay.nn.adaptive_max_pool2d(x, (4, 3), **kw),
         lambda x, **kw: relay.nn.adaptive_avg_pool2d(x, (4, 3), **kw)]


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("factor", [4, 16])
@pytest.mark.parametrize("pool", POOLS)
def test_blocked_pooling(pool, factor, kind):
    data = np.random.default_rng(0).standard_normal((2, 32, 7, 6)).astype("float32")
    x, layout = var("x", block(data, factor).shape), f"NCHW{factor}c"
    plain = var("x", data.shape)
    want = block(run(pool(plain), [plain], data), factor)
    assert infer(pool(x, layout=layout)) == tensor(want.shape)
    got = run(pool(x, layout=layout), [x], block(data, factor), kind=kind)
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


def test_blocked_pooling_of_lines_and_volumes():
    data = count(1, 8, 6)
    x = var("x", (1, 2, 6, 4))
    check(run(relay.nn.max_pool1d(x, 2, 2, layout="NCW4c"), [x],
              data.reshape(1, 2, 4, 6).transpose(0, 1, 3, 2)),
          data.reshape(1, 2, 4, 3, 2).max(-1).transpose(0, 1, 3, 2))
    y = var("y", (ANY, 2, ANY, 4, 4, 16))
    assert str(infer(relay.nn.max_pool3d(y, (1, 2, 2), (1, 2, 2), layout="NCDHW16c"))) == \
        "Tensor[(?, 2, ?, 2, 2, 16), float32]"
    assert str(infer(relay.nn.adaptive_avg_pool3d(y, (1, 2, 2), layout="NCDHW16c"))) == \
        "Tensor[(?, 2, 1, 2, 2, 16), float32]"


@pytest.mark.parametrize("layout,message", [
    ("NCHW4c", "expects size 4 of dimension 4"), ("NCHW", "expects data of rank 4"),
    ("NCH2hW", "of which only N and C are split"), ("NHW3n4c", "of which only N and C"),
    ("NCHWK", "of which only N and C"), ("", "of which only N and C"), ("NC3c5c", "split")])
def test_blocked_pooling_errors(layout, message):
    with pytest.raises(relay.DiagnosticError, match=message):
        infer(relay.nn.max_pool2d(var("x", (1, 2, 6, 6, 3)), (2, 2), layout=layout))


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_averages_of_integers(dtype, kind):
    """Rounded towards zero, of sums that do not overflow."""
    info = np.iinfo(dtype)
    large = info.max if info.bits < 64 else 2**60 + 1
    data = np.array([[[1, 2, 4, 7, large, large, 0]]], dtype)
    data[0, 0, 6] = 3 if info.min == 0 else -3
    x = var("x", data.shape, dtype)
    tail = 1 if info.min == 0 else -1
    for call, want in [
            (relay.nn.avg_pool1d(x, 2, 2, padding=(0, 1)), [1, 5, large, tail * 3]),
            (relay.nn.avg_pool1d(x, 2, 2, padding=(0, 1), count_include_pad=True),
             [1, 5, large, tail])]:
        assert infer(call) == tensor((1, 1, 4), dtype)
        check(run(call, [x], data, kind=kind), np.array([[want]], dtype))
    y = var("y", (1, 1, 7, 1), dtype)
    call = relay.nn.avg_pool2d(y, (2, 1), (2, 1))
    check(run(call, [y], data.reshape(1, 1, 7, 1), kind=kind),
          np.array([1, 5, large], dtype).reshape(1, 1, 3, 1))


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32"])
def test_maxima_of_padding(dtype, kind):
    """The smallest number of the type, not -inf."""
    lowest = np.finfo(dtype).min if dtype.startswith("float") else np.iinfo(dtype).min
    data = np.ones((1, 1, 2, 2), dtype)
    x = var("x", data.shape, dtype)
    want = np.full((1, 1, 3, 3), lowest, dtype)
    want[0, 0, 1, 1] = 1
    check(run(relay.nn.max_pool2d(x, 2, 2, padding=2), [x], data, kind=kind), want)
    # Many channels, last, which run on vectors.
    data = np.ones((1, 2, 2, 32), dtype)
    x = var("x", data.shape, dtype)
    want = np.full((1, 3, 3, 32), lowest, dtype)
    want[:, 1, 1] = 1
    check(run(relay.nn.max_pool2d(x, 2, 2, padding=2, layout="NHWC"), [x], data, kind=kind), want)


@pytest.mark.parametrize("kind", ["debug", "aot"])
def test_maxima_of_infinities(kind):
    """Of data alone, and NaN anywhere."""
    data = np.full((1, 1, 4, 4), -np.inf, "float32")
    data[0, 0, 0, 0] = np.nan
    x = var("x", data.shape)
    check(run(relay.nn.max_pool2d(x, 2, 2), [x], data, kind=kind),
          np.array([[[[np.nan, -np.inf], [-np.inf, -np.inf]]]], "float32"))
    # Each window has data where padding is less than the window.
    want = np.full((1, 1, 3, 3), -np.inf, "float32")
    want[0, 0, 0, 0] = np.nan
    check(run(relay.nn.max_pool2d(x, 2, 2, padding=1), [x], data, kind=kind), want)


#===------------------------------------------------------------------------===#
# Products
#===------------------------------------------------------------------------===#

PRODUCTS = {
    "dense": (lambda x, w, **kw: relay.nn.dense(x, w, **kw), (5, 33), (7, 33)),
    "matmul": (lambda x, w, **kw: relay.nn.matmul(x, w, **kw), (5, 33), (33, 7)),
    "batch_matmul": (lambda x, w, **kw: relay.nn.batch_matmul(x, w, **kw), (2, 5, 9), (2, 7, 9)),
    "conv1d": (lambda x, w, **kw: relay.nn.conv1d(x, w, kernel_size=3, channels=4, **kw),
               (1, 3, 8), (4, 3, 3)),
    "conv2d": (lambda x, w, **kw: relay.nn.conv2d(x, w, kernel_size=3, channels=8, **kw),
               (1, 16, 8, 8), (8, 16, 3, 3)),
    "conv3d": (lambda x, w, **kw: relay.nn.conv3d(x, w, kernel_size=3, channels=4, **kw),
               (1, 3, 5, 5, 5), (4, 3, 3, 3, 3)),
    "conv1d_transpose": (lambda x, w, **kw: relay.nn.conv1d_transpose(
        x, w, kernel_size=3, channels=4, **kw), (1, 3, 5), (3, 4, 3)),
    "conv2d_transpose": (lambda x, w, **kw: relay.nn.conv2d_transpose(
        x, w, kernel_size=3, channels=4, **kw), (1, 3, 5, 5), (3, 4, 3, 3)),
    "conv3d_transpose": (lambda x, w, **kw: relay.nn.conv3d_transpose(
        x, w, kernel_size=3, channels=4, **kw), (1, 3, 4, 4, 4), (3, 4, 3, 3, 3))}


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("dtypes", [("uint8", "int8"), ("int8", "uint8")])
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_of_bytes(name, dtypes, kind):
    make, *shapes = PRODUCTS[name]
    rng = np.random.default_rng(len(name))
    values = [rng.integers(np.iinfo(d).min, np.iinfo(d).max, s, d, endpoint=True)
              for d, s in zip(dtypes, shapes)]
    params = [var(n, s, d) for n, s, d in zip("xw", shapes, dtypes)]
    call = make(*params, out_dtype="int32")
    assert infer(call).dtype == "int32"
    assert infer(make(*params)).dtype == dtypes[0]
    try:
        got = run(call, params, *values, kind=kind)
    except relay.CompileError:
        assert kind == "aot" and "3d" in name
        return
    wide = [var(n, s, "int32") for n, s in zip("xw", shapes)]
    want = run(make(*wide), wide, *[v.astype("int32") for v in values])
    check(got, want)


def test_products_of_other_types():
    with pytest.raises(relay.DiagnosticError, match="of the same element type, or of bytes"):
        infer(relay.nn.dense(var("x", (2, 3), "int16"), var("w", (4, 3), "int8")))
    with pytest.raises(relay.DiagnosticError, match="of the same element type, or of bytes"):
        infer(relay.nn.conv2d(var("x", (1, 3, 4, 4)), var("w", (4, 3, 3, 3), "float16")))


@pytest.mark.parametrize("kind", ["debug", "aot"])
def test_conv1d_transpose_of_two_paddings(kind):
    x, w = var("x", (1, 3, 8)), var("w", (3, 10, 3))
    data = [count(1, 3, 8), count(3, 10, 3)]
    attributes: dict[str, Any] = dict(channels=10, kernel_size=(3,), strides=(2,), padding=(1,))
    call = relay.nn.conv1d_transpose(x, w, output_padding=(0, 0), **attributes)
    assert infer(call) == tensor((1, 10, 15))
    plain = relay.nn.conv1d_transpose(x, w, **attributes)
    np.testing.assert_allclose(run(call, [x, w], *data, kind=kind), run(plain, [x, w], *data))
    with pytest.raises(relay.DiagnosticError, match="output_padding"):
        infer(relay.nn.conv1d_transpose(x, w, output_padding=(0, 1), **attributes))


@pytest.mark.parametrize("kind", ["debug", "aot"])
def test_bias_of_one_element(kind):
    """Is added to all of a size that is open."""
    data = count(1, 2, 3)
    x = var("x", [ANY] * 3)
    call = relay.nn.bias_add(x, relay.const(np.array([5], "float32")))
    check(run(call, [x], data, kind=kind), data + 5)
    with pytest.raises(relay.DiagnosticError, match="of length 2 to match axis 1"):
        infer(relay.nn.bias_add(var("x", (1, 2, 3)), var("b", (1,))))


#===------------------------------------------------------------------------===#
# Sorting, dyn
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_positions_of_floats(dtype, kind):
    data = np.array([[3, 1, 2, 1], [9, 8, 7, 9]], "float32")
    x = var("x", data.shape)
    call = relay.argsort(x, dtype=dtype)
    assert infer(call) == tensor(data.shape, dtype)
    order = np.argsort(data, kind="stable")
    check(run(call, [x], data, kind=kind), order.astype(dtype))
    call = relay.topk(x, 2, is_ascend=True, dtype=dtype)
    values, positions = run(call, [x], data, kind=kind)
    check(values, np.sort(data)[:, :2])
    check(positions, order[:, :2].astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint64"])
def test_numbers_of_dyn_operators(dtype):
    data = count(2, 3)
    x = var("x", (2, 3))
    reps, k, size = var("r", (3,), dtype), var("k", (1,), dtype), var("s", (2,), dtype)
    check(run(relay.tile(x, reps), [x, reps], data, np.array([2, 1, 3], dtype)),
          np.tile(data, [2, 1, 3]))
    values, positions = run(relay.topk(x, k, dtype="float32"), [x, k], data, np.array([2], dtype))
    check(values, data[:, :0:-1])
    check(positions, np.array([[2, 1]] * 2, "float32"))
    check(run(relay.topk(x, k, ret_type="values"), [x, k], data, np.array([0], dtype)),
          data[:, ::-1])
    image = var("i", (1, 1, 2, 3))
    call = relay.image.resize2d(image, size, method="nearest_neighbor",
                                coordinate_transformation_mode="asymmetric",
                                rounding_method="floor")
    check(run(call, [image, size], data[None, None], np.array([4, 3], dtype)),
          data.repeat(2, 0)[None, None])


@pytest.mark.parametrize("value", [1.5, np.nan, np.inf, 1e30])
def test_numbers_that_are_not_whole(value):
    x, image = var("x", (2, 3)), var("i", (1, 1, 2, 3))
    one, two = var("n", (1,)), var("n", (2,))
    for call, params, data in [(relay.tile(x, one), [x, one], count(2, 3)),
                               (relay.topk(x, one), [x, one], count(2, 3)),
                               (relay.image.resize2d(image, two), [image, two], count(1, 1, 2, 3))]:
        with pytest.raises(relay.DiagnosticError, match="expects whole numbers"):
            run(call, params, data, np.full(params[1].type_annotation.concrete_shape, value,
                                            "float32"))


#===------------------------------------------------------------------------===#
# Sparse tensors, boxes, padding
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sparse_fill_empty_rows(dtype, is_open):
    inputs = [np.array(v, dtype) for v in ([[0, 1], [0, 3], [2, 0], [3, 1]], [1, 2, 3, 4], [5, 6],
                                           [10])]
    params = [var(n, [ANY] * v.ndim if is_open else v.shape, dtype)
              for n, v in zip("ivsd", inputs)]
    result = relay.sparse_fill_empty_rows(*params)
    assert isinstance(result, relay.Tuple)
    assert [infer(field).dtype for field in result.fields] == [dtype, dtype, "bool"]
    indices, values, is_empty = run(result, params, *inputs)
    check(indices, np.array([[0, 1], [0, 3], [1, 0], [2, 0], [3, 1], [4, 0]], dtype))
    check(values, np.array([1, 2, 10, 3, 4, 10], dtype))
    check(is_empty, np.array([0, 1, 0, 0, 1], bool))


def test_sparse_reshape_beyond_a_dimension():
    """An index may be larger than its dimension, while the tensor has the element."""
    params = [var("i", (ANY, 2), "int32"), var("f", (2,), "int32"), var("t", (2,), "int32")]
    call = relay.sparse_reshape(*params)

    def reshape(indices, to):
        return run(call, params, np.array(indices, "int32"), np.array([500, 20], "int32"),
                   np.array(to, "int32"))

    indices = [[0, 100], [200, 100], [300, 400], [50, 20], [400, 50]]
    flat = np.array(indices) @ [20, 1]
    got, shape = reshape(indices, [250, -1])
    check(got, np.stack(np.divmod(flat, 40), 1).astype("int32"))
    check(shape, np.array([250, 40], "int32"))
    got, shape = reshape(indices, [500, -1])
    check(got, np.array(indices, "int32"))
    for wrong in ([499, 20], [500, 0], [0, -1], [-1, 30], [2**31 - 1, 2**31 - 1]):
        with pytest.raises(relay.DiagnosticError, match="expects indices of one of 10000 elem"):
            reshape([wrong], [250, 40])


@pytest.mark.parametrize("return_indices", [True, False])
def test_non_max_suppression_with_indices_of_floats(return_indices):
    boxes = np.array([[[0, .8, 0, 0, 4, 4], [0, .9, 0, 0, 4, 4.1], [1, .5, 5, 5, 9, 9]]], "float32")
    results = []
    for dtype in ("int32", "float32"):
        x, v, i = var("x", boxes.shape), var("v", (1,), "int32"), var("i", (1, 3), dtype)
        call = relay.vision.non_max_suppression(x, v, i, -1, 0.5, return_indices=return_indices)
        results.append(run(call, [x, v, i], boxes, np.array([3], "int32"),
                           np.array([[5, 6, 7]], dtype)))
    for got, want in zip(*map(np.atleast_1d if not return_indices else list, results)):
        check(got, want)


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("width", [[(1, 1), (0, 2)], [(-1, 1), (0, 2)]])
@pytest.mark.parametrize("dtypes", [("float16", "int32"), ("int8", "float32"), ("float32", "bool")])
def test_pad_with_another_type(dtypes, width, kind):
    data = count(3, 2, dtype=dtypes[0])
    x, v = var("x", data.shape, dtypes[0]), var("v", (), dtypes[1])
    value = np.array(1 if dtypes[1] == "bool" else 7, dtypes[1])
    want = np.pad(data[1:] if width[0][0] < 0 else data, [(max(a, 0), b) for a, b in width],
                  constant_values=value.astype(dtypes[0]))
    for call, params, values in [
            (relay.nn.pad(x, width, relay.const(value)), [x], []),
            (relay.nn.pad(x, width, v), [x, v], [value])]:
        assert infer(call) == tensor(want.shape, dtypes[0])
        check(run(call, params, data, *values, kind=kind), want)


@pytest.mark.parametrize("kind", ["debug", "aot"])
@pytest.mark.parametrize("value,want", [(1e9, 127), (-np.inf, -128), (np.nan, 0), (2.9, 2)])
def test_pad_with_a_float_that_integers_lack(value, want, kind):
    x = var("x", (2,), "int8")
    call = relay.nn.pad(x, [(1, 0)], relay.const(np.array(value, "float32")))
    check(run(call, [x], np.ones(2, "int8"), kind=kind), np.array([want, 1, 1], "int8"))


def test_dilation2d_of_four_strides():
    x, w = var("x", (1, 3, 8, 8)), var("w", (3, 3, 3))
    long = relay.image.dilation2d(x, w, strides=[2, 1, 1, 1], dilations=[1, 2, 1, 1])
    short = relay.image.dilation2d(x, w, strides=[2, 1], dilations=[1, 2])
    assert infer(long) == infer(short) == tensor((1, 3, 3, 4))
    data = [count(1, 3, 8, 8), count(3, 3, 3)]
    check(run(long, [x, w], *data), run(short, [x, w], *data))
    with pytest.raises(relay.DiagnosticError, match="expects 2 positive strides"):
        infer(relay.image.dilation2d(x, w, strides=[1, 2, 2, 1]))


def test_trilu_of_a_number():
    data = count(2, 3, 3)
    x = var("x", data.shape)
    check(run(relay.trilu(x, 1), [x], data), np.triu(data, 1))
    check(run(relay.trilu(x, -1, upper=False), [x], data), np.tril(data, -1))


def test_alloc_tensor_of_a_constant_shape():
    mod = relay.IRModule()
    mod.import_from_std("core.rly")
    storage = relay.Var("s", relay.TypeCall(mod.get_global_type_var("Storage"), []))
    for shape in (relay.const(np.array([2, 3], "int64")), [2, 3]):
        call = relay.memory.alloc_tensor(storage, relay.const(0, "int64"), shape)
        mod["main"] = relay.Function([storage], call)
        assert relay.transform.InferType()(mod)["main"].body.checked_type == tensor((2, 3))


#===------------------------------------------------------------------------===#
# What stays an error, though Relay takes it (docs/RelayText.md)
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("make,message", [
    (lambda: relay.nn.depth_to_space(var("x", (1, 3, 4, 4)), 4), "16"),
    (lambda: relay.nn.batch_to_space_nd(var("x", (3, 2, 2, 1)), [2, 2], [[0, 0], [0, 0]]),
     "expects a batch divisible by 4"),
    (lambda: relay.scatter_nd(var("x", (3, 3)), var("i", (2, 2), "int64"), var("u", (2, 2))),
     "expects updates of shape"),
])
def test_refused(make, message):
    with pytest.raises(relay.DiagnosticError, match=message):
        infer(make())
