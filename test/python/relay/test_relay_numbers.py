# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as operands: which constants they become, and which are refused.

Results are those of NumPy with the number as a scalar of the array's dtype; those in
float32 within 1e-6 of them, relatively.
"""

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay
from relay_mlir.relay.op import _numbers, _registry

X = relay.var("x", shape=(2, 3))
B = relay.var("b", shape=(2,), dtype="bool")
I32 = relay.var("i", shape=(2,), dtype="int32")
I64 = relay.var("i", shape=(2,), dtype="int64")
I8 = relay.var("q", shape=(2, 3), dtype="int8")
F64 = relay.var("d", shape=(2, 3), dtype="float64")
F16 = relay.var("h", shape=(2, 3), dtype="float16")
BF16 = relay.var("h", shape=(2, 3), dtype="bfloat16")
# Both operands of one dtype, and shapes that broadcast; fit for a loop over all.
BINARY = sorted(name for name, schema in _registry.SCHEMAS.items()
                if [operand for operand, _ in schema.operands] == ["lhs", "rhs"])
DTYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64",
          "uint8", "uint16", "uint32", "uint64", "bool"]


def type_of(expr):
    return relay.transform.infer_expr(expr).checked_type


def dtypes(call):
    """The dtypes of the constants among the arguments."""
    return [arg.data.dtype.name for arg in call.args if isinstance(arg, relay.Constant)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_operators(name, dtype):
    """A number on either side has the dtype of the other side."""
    function = getattr(relay, name)
    tensor = relay.var("x", shape=(2, 3), dtype=dtype)
    same = function(tensor, relay.var("y", shape=(), dtype=dtype))
    try:
        expected = type_of(same)
    except relay.DiagnosticError:
        return  # Not for this dtype.
    number = True if dtype == "bool" else 3
    for call in (function(tensor, number), function(number, tensor)):
        assert dtypes(call) == [dtype]
        assert type_of(call) == expected


def test_most_operators_take_most_dtypes():
    """Or else the test above says little."""
    assert len(BINARY) >= 20
    taken = [_numbers.type_of(getattr(relay, name)(
        relay.var("x", shape=(2,), dtype=dtype), relay.var("y", shape=(), dtype=dtype)))
             for name in BINARY for dtype in DTYPES]
    assert taken.count(None) < len(taken) / 2


@pytest.mark.parametrize("make,expected", [
    # Beside tensors of one dtype, however deep.
    (lambda: relay.add(relay.nn.relu(F64), 1), ["float64"]),
    (lambda: relay.add(relay.split(F64, 3, axis=1)[0], 0.1), ["float64"]),
    (lambda: relay.maximum(relay.var("y", relay.TensorType((relay.Any(), 3), "int64")), 0),
     ["int64"]),
    (lambda: relay.add(relay.nn.conv2d(relay.var("x", shape=(1, 3, 8, 8)), relay.var("w"),
                                       channels=4, kernel_size=3), 2), ["float32"]),
    (lambda: relay.full_like(F64, 0.1), ["float64"]),
    (lambda: relay.where(B, I64, 0), ["int64"]),
    # An operand that is not of the dtype of the first one.
    (lambda: relay.where(B, 1.0, 0.0), ["float32", "float32"]),
    (lambda: relay.where(B, 1, 2), ["int32", "int32"]),
    (lambda: relay.take(X, 1), ["int32"]),
    (lambda: relay.take(I64, 1), ["int64"]),
    (lambda: relay.qnn.op.quantize(X, 0.1, 3), ["float32", "int32"]),
    (lambda: relay.qnn.op.quantize(X, 1, 3), ["float32", "int32"]),
    (lambda: relay.qnn.op.add(I8, I8, 0.1, 0, 1, 0, 0.2, 0), ["float32", "int32"] * 3),
    # Of a dtype that the call names.
    (lambda: relay.full(0.5, (2,), "float64"), ["float64"]),
    (lambda: relay.one_hot(I32, 1, 0, 3, -1, "float32"), ["float32", "float32"]),
    (lambda: relay.arange(0, 3, 1, "int64"), ["int64"] * 3),
    (lambda: relay.nn.pad(relay.nn.relu(I8), [(0, 0), (1, 1)], 5), ["int8"]),
    # Without a tensor.
    (lambda: relay.add(1, 2), ["int32", "int32"]),
    (lambda: relay.add(1, 2.5), ["float32", "float32"]),
    (lambda: relay.add(2**40, 1), ["int64", "int64"]),
    # Numbers of NumPy have no more to say than those of Python; arrays have.
    (lambda: relay.add(X, np.float64(0.5)), ["float32"]),
    (lambda: relay.add(F16, np.int64(2)), ["float16"]),
    (lambda: relay.add(F64, np.ones((2, 3))), ["float64"]),
    # Floats are rounded, and need not be finite.
    (lambda: relay.add(BF16, 0.1), ["bfloat16"]),
    (lambda: relay.add(F16, float("inf")), ["float16"]),
    (lambda: relay.add(I32, 2.0), ["int32"]),
])
def test_dtypes(make, expected):
    call = make()
    type_of(call)
    assert dtypes(call) == expected


def test_in_a_tuple():
    fields = relay.stack([relay.sum(F64), 1.0], 0)
    assert fields.args[0].fields[1].data.dtype == "float64"
    assert type_of(fields) == relay.TensorType((2,), "float64")


@pytest.mark.parametrize("make,message", [
    (lambda: relay.add(I32, 1.5),
     "add: 'rhs': expects a number that int32 has, but got 1.5; relay.const makes"),
    (lambda: relay.subtract(0.5, I64), "'lhs': expects a number that int64 has, but got 0.5"),
    (lambda: relay.add(I8, 200), "expects a number that int8 has, but got 200"),
    (lambda: relay.add(relay.var("u", shape=(2,), dtype="uint8"), -1),
     "expects a number that uint8 has, but got -1"),
    (lambda: relay.add(F16, 70000), "expects a number that float16 has, but got 70000"),
    (lambda: relay.add(X, 10**60), "expects a number that float32 has"),
    (lambda: relay.add(X, 10**400), "expects a number that float32 has"),
    (lambda: relay.add(I64, 2**70), "expects a number that int64 has"),
    (lambda: relay.add(I64, float("nan")), "expects a number that int64 has, but got nan"),
    (lambda: relay.logical_and(B, 1), "expects a number that bool has, but got 1"),
    (lambda: relay.take(X, 1.5), "'indices': expects a number that int32 has, but got 1.5"),
    (lambda: relay.full(1.5, (2,), "int32"), "full: 'fill_value': expects a number that int32"),
    (lambda: relay.arange(0, 2.5, 1, "int32"), "arange: 'stop': expects a number that int32"),
    (lambda: relay.nn.pad(I8, [(0, 0), (1, 1)], 0.5), "nn.pad: 'pad_value': expects a number"),
    (lambda: relay.add(relay.var("u"), 1),
     "add: expects operands of known types beside the number 1 for 'rhs', but got one of which"),
    (lambda: relay.add(X, 1j),  # type: ignore[arg-type]
     "expects an expression of Relay, but got 1j"),
    (lambda: relay.add(X, "1"), "expects an expression of Relay, but got '1'"),
])
def test_refused(make, message):
    with pytest.raises(TypeError) as error:
        make()
    assert message in str(error.value)


def test_wrong_ranks_are_for_type_inference():
    """As those of any other operand."""
    with pytest.raises(relay.DiagnosticError, match="nn.dense expects the second operand"):
        type_of(relay.nn.dense(X, 1.0))


@pytest.mark.parametrize("make,reference", [
    (lambda x: relay.divide(1.0, relay.add(relay.exp(x), 1)), lambda x: 1 / (np.exp(x) + 1)),
    (lambda x: relay.where(relay.greater(x, 0), relay.power(x, 2), -0.5),
     lambda x: np.where(x > 0, x**2, np.float32(-0.5))),
])
def test_results(make, reference):
    data = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    mod = relay.IRModule.from_expr(relay.Function([X], make(X)))
    for kind in ("debug", "aot"):
        result = relay.create_executor(kind, mod=mod).evaluate()(data)
        np.testing.assert_allclose(result.numpy(), reference(data), rtol=1e-6)


def test_integers_are_exact():
    data = np.array([2**62, -5], np.int64)
    mod = relay.IRModule.from_expr(relay.Function([I64], relay.add(I64, 2**53 + 1)))
    result = relay.create_executor("aot", mod=mod).evaluate()(data)
    np.testing.assert_array_equal(result.numpy(), data + (2**53 + 1))


def test_long_programs(monkeypatch):
    """What lies below an operand is looked at once, and not printed."""
    sizes, infer = [], _numbers._infer

    def measure(expr):
        sizes.append(len(_numbers.core.post_order(expr)))
        return infer(expr)

    monkeypatch.setattr(_numbers, "_infer", measure)
    value: relay.Expr = X
    for _ in range(2000):
        value = relay.nn.relu(value)
    assert dtypes(relay.add(value, 1)) == ["float32"]
    assert max(sizes) > 2000
    sizes.clear()
    value = relay.add(value, 1)
    for _ in range(100):
        value = relay.add(relay.nn.relu(value), 1.0)
    assert max(sizes) < 10
    assert "ty=" not in relay.add(X, 1).astext()


@pytest.mark.parametrize("model,message", [
    (3, "expects a path to an .onnx, .relay or .mlir file, a relay_mlir.IRModule, a "
        "relay.IRModule, an onnx.ModelProto, or the bytes of an .onnx file, but got int"),
    (None, "but got NoneType"),
    (np.ones(3), "but got numpy.ndarray"),
    (relay.TensorType((3,)), "but got relay_mlir._relay_mlir.relay.TensorType"),
])
def test_what_is_no_model(model, message, tmp_path):
    for attempt in (lambda: rm.compile(model),
                    lambda: rm.emit(model, tmp_path / "model.so", "so")):
        with pytest.raises(TypeError) as error:
            attempt()
        assert message in str(error.value)


def test_modules_of_the_other_kind():
    with pytest.raises(TypeError, match="expects a path to a model, the bytes of one, or an "
                                        "onnx.ModelProto, but got relay_mlir"):
        rm.import_onnx(rm.IRModule.parse(""))
    with pytest.raises(TypeError, match="a relay_mlir.IRModule, which relay_mlir.compile"):
        relay.build(rm.IRModule.parse(""))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects a relay.IRModule, a function or an expr"):
        relay.build(3)  # type: ignore[arg-type]
