"""Passes after which programs take weights in another form."""

import numpy as np
import pytest

from pass_checks import check, evaluate, module, operators
from relay_mlir import relay
from relay_mlir.relay import transform


def var(name, *shape):
    return relay.var(name, shape=shape, dtype="float32")


def names(mod):
    return [param.name_hint for param in mod["main"].params]


def random(*shape, zeros=0.0):
    rng = np.random.default_rng(1)
    values = rng.uniform(-1, 1, shape).astype("float32")
    values[rng.random(shape) < zeros] = 0
    return values


def bsr(matrix, rows, columns):
    """A matrix without its blocks of zeros: data, indices, indptr."""
    data, indices, indptr = [], [], [0]
    for i in range(0, matrix.shape[0], rows):
        for j in range(0, matrix.shape[1], columns):
            block = matrix[i:i + rows, j:j + columns]
            if block.any():
                data.append(block)
                indices.append(j // columns)
        indptr.append(len(indices))
    return (np.array(data, "float32").reshape(-1, rows, columns), np.array(indices, "int32"),
            np.array(indptr, "int32"))


def compare(mod, after, values, weights):
    """Compares results; `weights` are what new parameters are given."""
    old = evaluate(mod, [values[name] for name in names(mod)])
    new = evaluate(after, [{**values, **weights}[name] for name in names(after)])
    for a, b in zip(new, old, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_transposed_weights():
    x, w, v = var("x", 2, 3), var("w", 3, 4), var("v", 3, 4)
    mod = module(relay.nn.dense(x, relay.transpose(w, [1, 0])) +
                 relay.nn.dense(x, relay.transpose(v)), relay.exp(v))
    assert relay.analysis.search_fc_transpose(mod) == ["w", "v"]
    after = transform.SimplifyFCTranspose(["w", "v", "none"])(mod)
    assert names(after) == ["x", "w.T", "v", "v.T"]
    assert "transpose" not in operators(after)
    values = {"x": random(2, 3), "w": random(3, 4), "v": random(3, 4)}
    compare(mod, after, values, {"w.T": values["w"].T, "v.T": values["v"].T})
    assert names(transform.SimplifyFCTranspose(["w"])(mod)) == ["x", "w.T", "v"]
    # The weight itself.
    mod = module(relay.nn.dense(x, var("u", 4, 3)))
    assert relay.structural_equal(transform.SimplifyFCTranspose(["u", "w"])(mod), mod)
    # A transpose that is data stays, and so does what it reads.
    mod = module(relay.nn.dense(relay.transpose(w), relay.transpose(w)))
    after = transform.SimplifyFCTranspose(["w"])(mod)
    assert names(after) == ["w", "w.T"] and operators(after)["transpose"] == 1
    compare(mod, after, {"w": values["w"]}, {"w.T": values["w"].T})


@pytest.mark.parametrize("blocks", [(1, 1), (4, 1), (2, 3)])
def test_dense_to_sparse(blocks):
    weight = random(8, 6, zeros=0.8)
    data, indices, indptr = bsr(weight, *blocks)
    x, w = var("x", 3, 6), var("w", 8, 6)
    mod = module(relay.nn.relu(relay.nn.dense(x, w)), relay.nn.dense(x, var("v", 2, 6)))
    shape = [*data.shape, *indices.shape, *indptr.shape]
    after = transform.DenseToSparse(["w"], [shape])(mod)
    assert names(after) == ["x", "w.data", "w.indices", "w.indptr", "v"]
    assert operators(after)["nn.sparse_dense"] == operators(after)["nn.dense"] == 1
    compare(mod, after, {"x": random(3, 6), "w": weight, "v": random(2, 6)},
            {"w.data": data, "w.indices": indices, "w.indptr": indptr})
    assert relay.structural_equal(transform.DenseToSparse(["u"], [shape])(mod), mod)


def convolution(layout, size, **attrs):
    shape = {"N": 1, "H": 6, "W": 5, "C": 4}
    x = var("x", *[shape[letter] for letter in layout])
    kernel_layout = {"NHWC": "HWIO", "NCHW": "OIHW"}[layout]
    sizes = {"O": 8, "I": 4, "H": size, "W": size}
    shape_of_weight = [sizes[letter] for letter in kernel_layout]
    attrs = {"padding": (size // 2, size // 2), "kernel_size": (size, size), "channels": 8,
             "data_layout": layout, "kernel_layout": kernel_layout, **attrs}
    order = [kernel_layout.index(letter) for letter in "OHWI"]
    return x, shape_of_weight, order, attrs


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_convolutions_to_sparse(layout, size):
    x, shape, order, attrs = convolution(layout, size)
    weight = random(*shape, zeros=0.8)
    data, indices, indptr = bsr(weight.transpose(order).reshape(8, -1), 2, 1)
    mod = module(relay.nn.conv2d(x, var("w", *shape), **attrs))
    after = transform.Conv2dToSparse(
        ["w"], [[*data.shape, *indices.shape, *indptr.shape]], layout, size)(mod)
    assert operators(after) == {"nn.sparse_conv2d": 1}
    x_value = random(*[p.checked_type.concrete_shape for p in mod["main"].params][0])
    compare(mod, after, {"x": x_value, "w": weight},
            {"w.data": data, "w.indices": indices, "w.indptr": indptr})

    constant = module(relay.nn.relu(relay.nn.conv2d(x, relay.const(weight), **attrs)))
    after = check(constant, transform.Conv2dToSparse2(layout, size, (2, 1), 0.6), rtol=1e-5,
                  atol=1e-5)
    assert operators(after) == {"nn.sparse_conv2d": 1, "nn.relu": 1}
    # Too dense, blocks that do not divide, another layout, another size.
    other = "NCHW" if layout == "NHWC" else "NHWC"
    for wrong in ((layout, size, (2, 1), 0.99), (layout, size, (3, 1), 0.1),
                  (other, size, (1, 1), 0.1), (layout, 4 - size, (1, 1), 0.1)):
        assert relay.structural_equal(transform.Conv2dToSparse2(*wrong)(constant), constant)


@pytest.mark.parametrize("attrs", [{"strides": (2, 2)}, {"dilation": (2, 2)},
                                   {"padding": (0, 0)}])
def test_convolutions_that_stay(attrs):
    x, shape, _, attrs = convolution("NHWC", 3, **attrs)
    constant = module(relay.nn.conv2d(x, relay.const(random(*shape, zeros=0.9)), **attrs))
    after = transform.Conv2dToSparse2("NHWC", 3, (1, 1), 0.5)(constant)
    assert relay.structural_equal(after, constant)
    mod = module(relay.nn.conv2d(x, var("w", *shape), **attrs))
    after = transform.Conv2dToSparse(["w"], [[1, 1, 1, 1, 9]], "NHWC", 3)(mod)
    assert relay.structural_equal(after, mod)


def test_wrong_weights():
    mod = module(relay.nn.dense(var("x", 3, 6), var("w", 8, 6)))
    with pytest.raises(relay.DiagnosticError, match="expects a sparse weight that gives"):
        transform.DenseToSparse(["w"], [[5, 2, 1, 5, 6]])(mod)
    with pytest.raises(relay.DiagnosticError, match="expects"):
        transform.DenseToSparse(["w"], [[5, 2, 5, 6]])(mod)
    with pytest.raises(TypeError, match="the weight_shape of w"):
        transform.DenseToSparse(["w"], [[5]])
    with pytest.raises(ValueError, match="a weight_shape for each weight_name, but got 0 for 1"):
        transform.DenseToSparse(["w"], [])
    with pytest.raises(ValueError, match="without spaces"):
        transform.SimplifyFCTranspose(["a b"])
    with pytest.raises(ValueError, match="layout to be NHWC or NCHW, but got NWHC"):
        transform.Conv2dToSparse2("NWHC", 1, (1, 1), 0.5)
    with pytest.raises(ValueError, match="kernel_size to be 1 or 3, but got 2"):
        transform.Conv2dToSparse([], [], "NHWC", 2)
    with pytest.raises(ValueError, match="blocksize to be two sizes"):
        transform.Conv2dToSparse2("NHWC", 1, (1, 1, 1), 0.5)
    with pytest.raises(TypeError, match="sparsity_threshold to be a number from 0 to 1"):
        transform.Conv2dToSparse2("NHWC", 1, (1, 1), 1.5)


#===------------------------------------------------------------------------===#
# Programs with their weights
#===------------------------------------------------------------------------===#


def converted(convert, func, params, *args, **kwargs):
    """Converts a function and compares results, with the weights in their new form."""
    new, weights = convert(func, params, *args, **kwargs)
    mod = transform.InferType()(relay.IRModule.from_expr(func))
    after = transform.InferType()(relay.IRModule.from_expr(new))
    x = {param.name_hint: random(*param.checked_type.concrete_shape)
         for param in mod["main"].params if param.name_hint not in params}
    old = evaluate(mod, [{**x, **params}[name] for name in names(mod)])
    now = evaluate(after, [{**x, **weights}[name] for name in names(after)])
    for a, b in zip(now, old, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    return new, weights, operators(after)


def test_transposing_weights():
    x, w = var("x", 2, 3), var("w", 3, 4)
    func = relay.Function([x, w], relay.nn.dense(x, relay.transpose(w, [1, 0])))
    params = {"w": random(3, 4), "other": random(2)}
    new, weights, counts = converted(relay.data_dep_optimization.simplify_fc_transpose.convert,
                                     func, params)
    assert sorted(weights) == ["other", "w.T"] and counts == {"nn.dense": 1}
    assert [param.name_hint for param in new.params] == ["x", "w.T"]


def test_sparse_weights_of_products():
    x, w, v, u = var("x", 2, 8), var("w", 4, 8), var("v", 4, 8), var("u", 4, 8)
    y = [relay.nn.dense(x, weight) for weight in (w, v, u)]
    func = relay.Function([x, w, v, u], relay.Tuple([*y, relay.exp(u)]))
    params = {"w": random(4, 8, zeros=0.9), "v": random(4, 8), "u": random(4, 8, zeros=0.9)}
    _, weights, counts = converted(relay.data_dep_optimization.bsr_dense.convert, func, params,
                                   (2, 1), 0.6)
    assert sorted(weights) == ["u", "v", "w.data", "w.indices", "w.indptr"]
    assert counts == {"nn.sparse_dense": 1, "nn.dense": 2, "exp": 1}
    with pytest.raises(ValueError, match="blocksize to be two sizes"):
        relay.data_dep_optimization.bsr_dense.convert(func, params, (2,), 0.6)
    with pytest.raises(TypeError, match="func to be a function"):
        relay.data_dep_optimization.bsr_dense.convert(func.body, {}, (2, 1), 0.6)


def test_sparse_weights_of_convolutions():
    x, shape, _, attrs = convolution("NHWC", 3)
    w = var("w", *shape)
    func = relay.Function([x, w], relay.nn.conv2d(x, w, **attrs))
    _, weights, counts = converted(
        relay.data_dep_optimization.bsr_conv2d.convert, func,
        {"w": random(*shape, zeros=0.9)}, (1, 1), 0.6, "NHWC", 3)
    assert not weights and counts == {"nn.sparse_conv2d": 1}
    _, weights, counts = converted(
        relay.data_dep_optimization.bsr_conv2d.convert, func, {"w": random(*shape)}, (1, 1), 0.6,
        "NHWC", 3)
    assert list(weights) == ["w"] and counts == {"nn.conv2d": 1}
