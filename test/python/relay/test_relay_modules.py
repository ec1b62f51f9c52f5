"""Modules: functions, data types, standard definitions, models of ONNX."""

import numpy as np
import onnx
import onnx.helper as helper
import onnxruntime
import pytest

from relay_mlir import relay


def identity(name="x"):
    x = relay.var(name, shape=(2,))
    return relay.Function([x], x)


def test_functions():
    mod = relay.IRModule({"f": identity()})
    f = mod.get_global_var("f")
    assert mod["f"] is mod[f] and "f" in mod and f in mod and len(mod) == 1
    mod["g"] = identity()
    other = relay.IRModule({"f": identity("y"), "h": identity()})
    mod.update(other)
    assert {v.name_hint for v in mod} == {"f", "g", "h"}
    assert mod["f"].params[0].name_hint == "y"
    del mod["g"]
    assert "g" not in mod
    for broken, message in [(lambda: mod["g"], "no function 'g'"),
                            (lambda: mod.get_type("T"), "no data type 'T'"),
                            (lambda: mod.get_global_var("g"), "no function 'g'")]:
        with pytest.raises(ValueError, match=message):
            broken()
    with pytest.raises(TypeError, match="expects a function"):
        mod["x"] = 1  # type: ignore[assignment]


def test_from_expr():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    mod = relay.IRModule.from_expr(x - y)
    assert mod["main"].params == [x, y]
    f = identity()
    assert relay.IRModule.from_expr(f, {"g": identity()})["main"] is f


def test_the_old_module_checks_types():
    mod = relay.Module({"f": identity()})
    assert mod["f"].ret_type == relay.TensorType((2,))
    assert isinstance(relay.transform.InferType()(mod), relay.Module)


def test_standard_definitions():
    mod = relay.IRModule()
    mod.import_from_std("nat.rly")
    mod.import_from_std("prelude.rly")
    assert mod.get_type("nat")[0].name_hint == "nat"
    assert str(mod["map"].checked_type) == "fn [A, B](fn (A) -> B, List[A]) -> List[B]"
    with pytest.raises(ValueError, match="expects a file of the standard definitions"):
        mod.import_from_std("missing.rly")


def test_tensor_arrays():
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    write = prelude.get_global_var("tensor_array_write", "float32")
    make = prelude.get_global_var("tensor_array", "float32")
    read = prelude.get_global_var("tensor_array_read", "float32")
    vector = prelude.get_tensor_ctor("tensor1", "float32")
    value = relay.const(np.array([1, 2, 3], "float32"))
    written = write(make(relay.const(2)), relay.const(1), vector(value))
    result = relay.create_executor(mod=mod).evaluate(read(written, relay.const(1)))
    assert result.name_hint == "tensor1_float32"
    np.testing.assert_array_equal(result.fields[0], [1, 2, 3])


def conv_model(batch):
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((4, 3, 3, 3), dtype="float32")
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
         helper.make_node("Relu", ["c"], ["y"])], "g",
        [helper.make_tensor_value_info("x", 1, [batch, 3, 8, 8])],
        [helper.make_tensor_value_info("y", 1, [batch, 4, 8, 8])],
        [onnx.numpy_helper.from_array(weight, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("freeze", [True, False])
def test_from_onnx(freeze):
    model = conv_model(1)
    mod, params = relay.frontend.from_onnx(model, freeze_params=freeze)
    assert relay.analysis.list_op_freqs(mod)["nn.conv2d"] == 1
    assert len(params) == (0 if freeze else 1)
    data = np.random.default_rng(1).standard_normal((1, 3, 8, 8), dtype="float32")
    result = relay.create_executor(mod=mod).evaluate()(data, **params)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    # ONNX Runtime sums 27 products in float32.
    np.testing.assert_allclose(result, session.run(None, {"x": data})[0], rtol=1e-4, atol=1e-5)


def test_from_onnx_with_shapes():
    mod, _ = relay.frontend.from_onnx(conv_model("n"), shape={"x": (2, 3, 8, 8)})
    assert mod["main"].ret_type == relay.TensorType((2, 4, 8, 8))
    with pytest.raises(ValueError, match="expects the shape of one of the inputs x"):
        relay.frontend.from_onnx(conv_model("n"), shape={"q": (1,)})
