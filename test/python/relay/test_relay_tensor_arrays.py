"""Arrays of tensors of the standard definitions: their names, and what they compute."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.prelude import (StaticTensorArrayOps, TensorArrayOps,
                                      get_tensor_array_shape)

RNG = np.random.default_rng(0)


def make(shape, batch_dim=None, dtype="float32"):
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    arrays = StaticTensorArrayOps(prelude, dtype, shape, batch_dim)
    arrays.register()
    return mod, prelude, arrays


def evaluate(mod, params, body, *args):
    """What the interpreter finds, and the virtual machine, too."""
    function = relay.Function(params, body)
    expected = relay.create_executor("debug", mod=mod).evaluate(function)(*args)
    actual = relay.create_executor("vm", mod=mod).evaluate(function)(*args)
    assert str(actual) == str(expected)
    return actual


def to_arrays(value):
    """Tensors of an array; None for those without one."""
    return [element.fields[0] if element.fields else None
            for element in relay.prelude.to_list(value)]


def test_constructors_of_the_prelude():
    prelude = relay.Prelude(relay.IRModule())
    prelude.register_tensor_array("float32")
    tensor1 = prelude.get_ctor("tensor_float32_t", "tensor1", "float32")
    assert tensor1 == prelude.get_tensor_ctor("tensor1", "float32")
    assert tensor1.name_hint == "tensor1_float32"
    with pytest.raises(ValueError, match="tensor9_float32"):
        prelude.get_ctor("tensor_float32_t", "tensor9", "float32")


def test_tensor_array_ops():
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    arrays = TensorArrayOps(prelude, "int32")
    arrays.register()
    assert arrays.get_name("tensor_array_write") == "tensor_array_write_int32"
    assert arrays.get_type("tensor_t").name_hint == "tensor_int32_t"
    assert arrays.get_ctor("tensor1").name_hint == "tensor1_int32"
    assert arrays.cons == prelude.cons and arrays.nil == prelude.nil
    v = relay.var("v", shape=(3,), dtype="int32")
    array = arrays.get_global_var("tensor_array")(relay.const(2))
    array = arrays.get_global_var("tensor_array_write")(array, relay.const(1),
                                                        arrays.get_ctor("tensor1")(v))
    first, second = to_arrays(evaluate(mod, [v], array, np.array([1, 2, 3], "int32")))
    assert first is None
    np.testing.assert_array_equal(second, [1, 2, 3])


def test_names_of_one_shape():
    shape = [2, relay.Any()]
    _, prelude, arrays = make(shape)
    assert arrays.get_name("tensor_t") == "static_tensor_float32_2_any_t"
    assert arrays.get_name("tensor_array_read") == "tensor_array_read_float32_2_any"
    assert prelude.get_name_static("tensor_t", "int8", ()) == "static_tensor_int8_scalar_t"
    assert (prelude.get_name_static("tensor_array_stack", "int8", (3,), 1) ==
            "tensor_array_stack_int8_batch1_3")
    assert (prelude.get_name_static("tensor_constructor", "int8", (3,), 1) ==
            "tensor_constructor_int8_3")
    assert (arrays.get_name("tensor_array_scatter", {"indices": [5]}) ==
            "tensor_array_scatter_float32_2_any_indices_5")
    assert arrays.get_type("tensor_t") == prelude.get_type_static("tensor_t", "float32", shape)
    assert (arrays.get_global_var("tensor_array_read") ==
            prelude.get_global_var_static("tensor_array_read", "float32", shape))
    constructor = prelude.get_tensor_ctor_static("tensor_constructor", "float32", shape)
    assert constructor == arrays.get_ctor("tensor_constructor")
    assert constructor == prelude.get_ctor_static("tensor_t", "tensor_constructor", "float32",
                                                  shape)
    with pytest.raises(ValueError, match="there is no function"):
        prelude.get_global_var_static("tensor_array_read", "float32", (7, 7))


@pytest.mark.parametrize("batch_dim", [None, 1])
def test_writing_reading_and_stacking(batch_dim):
    mod, prelude, arrays = make((2, 3), batch_dim)
    v = relay.var("v", shape=(2, 3))
    tensor = arrays.get_ctor("tensor_constructor")
    array = arrays.get_global_var("tensor_array")(relay.const(1))
    array = arrays.get_global_var("tensor_array_write")(array, relay.const(0), tensor(v))
    data = RNG.random((2, 3), "float32")
    read = arrays.get_global_var("tensor_array_read")(array, relay.const(0))
    get_data = arrays.get_global_var("tensor_get_data")
    np.testing.assert_array_equal(evaluate(mod, [v], get_data(read), data), data)
    stacked = evaluate(mod, [v], arrays.get_global_var("tensor_array_stack")(array), data)
    np.testing.assert_array_equal(stacked.fields[0], data[None])
    # Both kinds of stacks may be in one module.
    other = StaticTensorArrayOps(prelude, "float32", (2, 3), None if batch_dim else 1)
    other.register()
    assert other.get_global_var("tensor_array_stack") in mod


@pytest.mark.parametrize("indices_shape", [None, [3]])
def test_scatter(indices_shape):
    mod, prelude, arrays = make((2,))
    arrays.define_tensor_array_scatter(indices_shape, True)
    arrays.define_tensor_array_scatter(indices_shape, True)  # Once more, in its place.
    extra = None if indices_shape is None else {"indices": indices_shape}
    scatter = mod.get_global_var(arrays.get_name("tensor_array_scatter", extra))
    if indices_shape:
        assert mod[scatter].params[1].type_annotation == relay.TensorType((3,), "int32")
    tensor = arrays.get_ctor("tensor_constructor")
    values = [relay.var(f"v{i}", shape=(2,)) for i in range(3)]
    indices = relay.var("indices", shape=(3,), dtype="int32")
    cells = arrays.get_global_var("tensor_array")(relay.const(4))
    elements = prelude.nil()
    for value in reversed(values):
        elements = prelude.cons(tensor(value), elements)
    data = RNG.random((3, 2), "float32")
    result = to_arrays(evaluate(mod, [*values, indices], scatter(cells, indices, elements),
                                *data, np.array([3, 0, 2], "int32")))
    assert result[1] is None
    np.testing.assert_array_equal([result[3], result[0], result[2]], data)


@pytest.mark.parametrize("value_shape, lengths_shape", [
    (None, None), ([5, 3], None), (None, [2]), ([5, 3], [2])])
def test_split(value_shape, lengths_shape):
    shape = (relay.Any(), 3)
    mod, prelude, arrays = make(shape)
    arrays.define_tensor_array_split(value_shape, lengths_shape, True)
    values = StaticTensorArrayOps(prelude, "float32", value_shape or shape)
    split = arrays.get_global_var("tensor_array_split")
    size = relay.Any() if lengths_shape is None else 2
    assert mod[split].params[2].type_annotation == relay.TensorType((size,), "int32")
    v = relay.var("v", shape=(5, 3))
    lengths = relay.var("lengths", shape=(2,), dtype="int32")
    cells = arrays.get_global_var("tensor_array")(relay.const(2))
    data = RNG.random((5, 3), "float32")
    body = split(cells, values.get_ctor("tensor_constructor")(v), lengths)
    first, second = to_arrays(evaluate(mod, [v, lengths], body, data, np.array([2, 3], "int32")))
    np.testing.assert_array_equal(first, data[:2])
    np.testing.assert_array_equal(second, data[2:])


def test_shapes_of_arrays():
    mod, prelude, arrays = make((2, relay.Any()))
    array = arrays.get_global_var("tensor_array")(relay.const(2))
    assert get_tensor_array_shape(array, "float32", prelude) == (2, relay.Any())
    scalars = StaticTensorArrayOps(prelude, "int8", ())
    scalars.register()
    array = scalars.get_global_var("tensor_array")(relay.const(2))
    assert get_tensor_array_shape(array, "int8", prelude) == ()
    prelude.register_tensor_array("float32")
    array = prelude.get_global_var("tensor_array", "float32")(relay.const(2))
    assert get_tensor_array_shape(array, "float32", prelude) is None
    with pytest.raises(TypeError, match="expects an array of tensors"):
        get_tensor_array_shape(relay.const(2), "float32", prelude)
    assert "main" not in mod
