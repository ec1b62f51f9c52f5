"""recast, ChangeBatch and LayoutConfig. Integers are compared exactly; layouts change the
order of sums, within 1e-5."""

import concurrent.futures

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import transform


def names(expr):
    """The operators of an expression, inputs first, with the types that casts make."""
    found = []

    def visit(node):
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Op):
            name = node.op.name
            found.append(f"{name} {node.attrs.dtype}" if name == "cast" else name)

    relay.post_order_visit(expr, visit)
    return found


def convolutions(count):
    x = relay.var("x", shape=(1, 8, 8, 8))
    weights = [relay.var(f"w{i}", shape=(8, 8, 3, 3)) for i in range(count)]
    y: relay.Expr = x
    for weight in weights:
        y = relay.nn.conv2d(y, weight, channels=8, kernel_size=(3, 3), padding=(1, 1))
    return relay.Function([x, *weights], y)


def evaluate(expr, args):
    mod = expr if isinstance(expr, relay.IRModule) else relay.IRModule.from_expr(expr)
    return relay.create_executor("debug", mod=mod).evaluate()(*args).numpy()


def small(shapes):
    rng = np.random.default_rng(0)
    return [rng.integers(-2, 3, shape).astype("float32") for shape in shapes]


SHAPES = [(1, 8, 8, 8), *[(8, 8, 3, 3)] * 3]

#===------------------------------------------------------------------------===#
# recast
#===------------------------------------------------------------------------===#


def test_recast_of_a_tuple():
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(1, 3))
    pair = relay.var("pair")
    body = relay.Let(pair, relay.Tuple([x, y]), relay.concatenate(pair, 0))
    function = relay.Function([x, y], body)
    result = transform.recast(function, "float64", "float64", ops=["concatenate"])
    assert names(result) == ["cast float64", "cast float64", "concatenate", "cast float32"]
    args = small([(2, 3), (1, 3)])
    np.testing.assert_array_equal(evaluate(result, args), evaluate(function, args))


def test_recast():
    function = convolutions(1)
    result = transform.recast(function, "int8", "int32")
    assert names(result) == ["cast int8", "cast int8", "nn.conv2d", "cast float32"]
    args = small(SHAPES[:2])
    # Whole numbers stay what they are.
    np.testing.assert_array_equal(evaluate(result, args), evaluate(function, args))
    mod = transform.recast(relay.IRModule.from_expr(function), "int8", "int32")
    assert mod["main"].ret_type == relay.TensorType((1, 8, 8, 8))
    np.testing.assert_array_equal(evaluate(mod, args), evaluate(function, args))


@pytest.mark.parametrize("skipped, changed", [([0], 2), ([-1], 2), ([0, -1], 1), ([7], 3), ([], 3)])
def test_recast_skips(skipped, changed):
    result = transform.recast(convolutions(3), "float16", "float16", skip_layers=skipped)
    found = names(result)
    assert found.count("cast float16") == 2 * changed
    assert found[0] == ("nn.conv2d" if 0 in skipped else "cast float16")
    assert found[-1] == ("nn.conv2d" if -1 in skipped else "cast float32")


def test_recast_of_tuples_and_other_operators():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    function = relay.Function([x, y], relay.nn.relu(relay.concatenate([x, x + y], axis=0)))
    result = transform.recast(function, "int32", "int32", ops=["concatenate", "add"])
    assert names(result) == ["cast int32", "cast int32", "cast int32", "add", "cast float32",
                             "cast int32", "concatenate", "cast float32", "nn.relu"]
    args = [np.array([1, -2], "float32"), np.array([3, -4], "float32")]
    np.testing.assert_array_equal(evaluate(result, args), [1, 0, 4, 0])


@pytest.mark.parametrize("make, error, message", [
    (lambda: transform.recast(3, "int8", "int32"), TypeError,  # type: ignore[arg-type]
     "an expression or a module"),
    (lambda: transform.recast(convolutions(1), "int9000", "int32"), TypeError, "int9000"),
    (lambda: transform.recast(convolutions(1), "int8", "int8", ops=["nope"]), ValueError,
     "there is no operator 'nope'"),
    (lambda: transform.recast(convolutions(1), "int8", "int8", skip_layers=["a"]),  # type: ignore[list-item]
     TypeError, "each of skip_layers"),
    (lambda: transform.ChangeBatch({3: 0}), TypeError, "keys of data to be parameters"),
    (lambda: transform.ChangeBatch({"x": 0}, 0), ValueError, "batch_size to be 1 or more"),
    (lambda: transform.ChangeBatch({"nope": 0})(relay.IRModule.from_expr(convolutions(1))),
     ValueError, "none is 'nope'"),
    (lambda: transform.ChangeBatch({"x": 4})(relay.IRModule.from_expr(convolutions(1))),
     ValueError, "'x' to be a tensor with axis 4"),
    (lambda: transform.LayoutConfig([-1]), ValueError, "each of skip_layers to be 0 or more"),
])
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


#===------------------------------------------------------------------------===#
# ChangeBatch
#===------------------------------------------------------------------------===#


def test_change_batch():
    function = convolutions(1)
    for mod in (relay.IRModule.from_expr(function),
                # Inference makes other variables.
                transform.InferType()(relay.IRModule.from_expr(function))):
        result = transform.ChangeBatch({function.params[0]: 0}, batch_size=5)(mod)
        assert result["main"].params[0].type_annotation == relay.TensorType((5, 8, 8, 8))
        assert result["main"].ret_type == relay.TensorType((5, 8, 8, 8))
        data, weight = small([(5, 8, 8, 8), (8, 8, 3, 3)])
        np.testing.assert_array_equal(evaluate(result, [data, weight])[3:4],
                                      evaluate(mod, [data[3:4], weight]))
    last = transform.ChangeBatch({"x": -4})(relay.IRModule.from_expr(function))
    assert last["main"].ret_type == relay.TensorType((16, 8, 8, 8))


#===------------------------------------------------------------------------===#
# LayoutConfig
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("layouts", [["NHWC", "default"], ["NCHW4c", "OIHW4i4o"]])
@pytest.mark.parametrize("skipped", [[], [0], [1, 2], [0, 1, 2], [9]])
def test_layout_config(layouts, skipped):
    mod = relay.IRModule.from_expr(convolutions(3))
    with transform.LayoutConfig(skip_layers=skipped) as config:
        assert transform.LayoutConfig.current is config
        result = transform.ConvertLayout({"nn.conv2d": layouts})(mod)
    assert transform.LayoutConfig.current is None
    found = []

    def visit(node):
        if isinstance(node, relay.Call) and "conv2d" in node.op.name:
            found.append(node.attrs.data_layout)

    relay.post_order_visit(result["main"], visit)
    assert found == ["NCHW" if i in skipped else layouts[0] for i in range(3)]
    args = small(SHAPES)
    np.testing.assert_allclose(evaluate(result, args), evaluate(mod, args), rtol=1e-5)


def test_layout_config_is_of_its_thread():
    with transform.LayoutConfig([0]), concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: transform.LayoutConfig.current).result() is None


def test_layout_config_counts_one_kind_of_layouts():
    mod = relay.IRModule.from_expr(convolutions(1))
    convert = transform.ConvertLayout({"nn.conv2d": ["NCHW4c", "OIHW4i4o"], "nn.conv1d": "NWC"})
    convert(mod)
    with transform.LayoutConfig([0]), pytest.raises(ValueError, match="either blocked layouts or"):
        convert(mod)


@pytest.mark.parametrize("layouts", ["default", ["default", "OHWI"], ["default", "default"]])
def test_data_has_no_default_layout(layouts):
    with pytest.raises(ValueError, match="data of nn.conv2d such as NHWC, but got 'default'"):
        transform.ConvertLayout({"nn.conv2d": layouts})
