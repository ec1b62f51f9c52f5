"""Operators as functions: signatures, attributes, composite functions."""

import inspect
import pathlib

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay.op import _registry, _stubs
from relay_mlir.relay.op._build import parse_signature
from relay_mlir.relay.op._signatures import SIGNATURES

X = relay.var("x", shape=(1, 3, 8, 8))
NAMESPACES = {
    "": relay.op, "nn.": relay.nn, "image.": relay.image, "vision.": relay.vision,
    "random.": relay.random, "qnn.": relay.qnn.op, "annotation.": relay.annotation,
    "memory.": relay.memory, "vm.": relay.op.vm, "dyn.": relay.op.dyn}
# What is built in another way: by a function of another name, or by passes.
ELSEWHERE = {"contrib_reverse_reshape": "reverse_reshape",
             "nn.contrib_conv2d_NCHWc": "nn.contrib_conv2d_nchwc",
             "nn.contrib_depthwise_conv2d_NCHWc": "nn.contrib_depthwise_conv2d_nchwc"}


def find(name):
    """The function for an operator, or None."""
    name = ELSEWHERE.get(name, name)
    for prefix, module in NAMESPACES.items():
        short = name[len(prefix):]
        if name.startswith(prefix) and "." not in short:
            function = getattr(module, short, None)
            if function is not None:
                return function
    return None


def test_every_operator_is_a_function():
    internal = ("parser.", "relay.op.", "contrib.ethosu.", "nn.internal.", "dyn.nn.",
                "dyn.image.")
    missing = [n for n in relay.op.list_ops() if not n.startswith(internal) and not find(n)]
    assert not missing


def test_every_function_has_a_docstring_and_a_signature():
    for name in relay.op.list_ops():
        function = find(name)
        if function is not None and inspect.isfunction(function):
            assert function.__doc__, name
            inspect.signature(function)


@pytest.mark.parametrize("group", sorted(SIGNATURES))
def test_signatures_name_attributes_of_the_schema(group):
    prefix = {"tensor": "", "nn": "nn."}.get(group, group + ".")
    for text in SIGNATURES[group].strip().splitlines():
        text, _, op = text.partition(" -> ")
        name, parameters = parse_signature(text)
        schema = _registry.SCHEMAS.get(op or prefix + name)
        if schema is None:
            continue  # Of a family that is not there yet.
        optional = {a.name for a in schema.attributes}
        # Those without a default in the schema are given.
        given = {p for p, _ in parameters}
        required = {a.name for a in schema.attributes if a.presence == "required"}
        assert required <= given, text
        assert len(given - optional) == len(schema.operands), text


def test_signature():
    signature = inspect.signature(relay.nn.conv2d)
    assert list(signature.parameters)[:4] == ["data", "weight", "strides", "padding"]
    assert signature.parameters["strides"].default == (1, 1)
    assert inspect.signature(relay.nn.leaky_relu).parameters["alpha"].default == 0.01
    assert inspect.signature(relay.nn.batch_matmul).parameters["transpose_b"].default is True
    assert list(inspect.signature(relay.add).parameters) == ["lhs", "rhs"]
    assert str(inspect.signature(relay.nn.softmax)) == \
        "(data: 'ExprLike', axis: 'int' = -1) -> 'Call'"


def written(expr):
    return expr.attrs.written()


def test_attributes():
    w = relay.var("w")
    conv = relay.nn.conv2d(X, w, strides=2, padding=1, kernel_size=3, channels=4)
    assert written(conv) == {"strides": [2, 2], "padding": [1, 1, 1, 1],
                             "channels": 4, "kernel_size": [3, 3]}
    assert conv.attrs.groups == 1 and conv.attrs.data_layout == "NCHW"
    assert relay.nn.conv2d(X, w, padding=(1, 2)).attrs.padding == [1, 2, 1, 2]
    assert relay.nn.conv2d(X, w, padding=(1, 2, 3, 4)).attrs.padding == [1, 2, 3, 4]
    # What has no default is always there.
    assert written(relay.nn.dense(X, w)) == {"units": None}
    assert written(relay.nn.softmax(X)) == {}
    assert written(relay.sum(X, axis=1)) == {"axis": [1]}
    assert written(relay.sum(X)) == {}
    assert written(relay.nn.batch_matmul(X, w)) == {"transpose_b": True}
    assert written(relay.nn.leaky_relu(X)) == {"alpha": 0.01}
    assert written(relay.cast(X, np.int8)) == {"dtype": "int8"}
    assert written(relay.clip(X, 0, 6)) == {"a_min": 0.0, "a_max": 6.0}
    assert written(relay.take(X, w, axis=1))["axis"] == 1
    assert relay.nn.max_pool2d(X, pool_size=2).attrs.pool_size == [2, 2]
    assert relay.nn.pad(X, [(0, 0), (1, 1)]).args[1].data.dtype == "float32"
    assert relay.transpose(X, (0, 2, 3, 1)).attrs.axes == [0, 2, 3, 1]
    assert relay.concatenate([X, X], axis=1).args[0].fields == [X, X]
    assert relay.squeeze(X, [0]).attrs.axis == [0]


def test_numbers_of_numpy():
    assert relay.reshape(X, np.array([1, -1])).attrs.newshape == [1, -1]
    assert relay.reshape(X, (np.int64(3), 64)).attrs.newshape == [3, 64]
    assert relay.reshape(X, relay.const(np.array([3, 64]))).attrs.newshape == [3, 64]
    assert relay.expand_dims(X, np.int32(1)).attrs.axis == 1


@pytest.mark.parametrize("make,message", [
    (lambda: relay.nn.softmax(X, axis="a"),  # type: ignore[arg-type]
     "expects attribute 'axis' to be an integer"),
    (lambda: relay.nn.softmax(X, axis=1.5),  # type: ignore[arg-type]
     "expects attribute 'axis' to be an integer"),
    (lambda: relay.cast(X, "flaot32"), "expects attribute 'dtype' to be a dtype"),
    (lambda: relay.add(X, None),  # type: ignore[arg-type]
     "expects an expression for 'rhs', but got None"),
    (lambda: relay.nn.conv2d(X),  # type: ignore[call-arg]
     "missing 1 required positional argument"),
    (lambda: relay.op.get("nope"), "there is no operator 'nope'"),
])
def test_errors(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_tuple_wrappers():
    a, b, c, d = (relay.var(n) for n in "abcd")
    bn = relay.nn.batch_norm(X, a, b, c, d)
    assert len(bn) == 3 and bn[0].index == 0
    assert len(relay.split(X, [1, 2], axis=1)) == 3
    assert relay.nn.dropout(X).tuple_value.op.name == "nn.dropout"
    assert relay.nn.dropout_raw(X).op.name == "nn.dropout"
    mean, var = relay.mean_variance(X, 1)
    assert mean.tuple_value is var.tuple_value


@pytest.mark.parametrize("make,name", [
    (lambda s: relay.reshape(X, s), "dyn.reshape"),
    (lambda s: relay.tile(X, s), "dyn.tile"),
    (lambda s: relay.broadcast_to(X, s), "dyn.broadcast_to"),
    (lambda s: relay.zeros(s, "int32"), "dyn.zeros"),
    (lambda s: relay.ones(s, "int32"), "dyn.ones"),
    (lambda s: relay.full(relay.const(1), s), "dyn.full"),
    (lambda s: relay.strided_slice(X, s, s), "dyn.strided_slice"),
    (lambda s: relay.expand_dims(X, s), "dyn.expand_dims"),
    (lambda s: relay.squeeze(X, s), "dyn.squeeze"),
    (lambda s: relay.topk(X, s, ret_type="values"), "dyn.topk"),
    (lambda s: relay.one_hot(X, X, X, s, -1, "int32"), "dyn.one_hot"),
    (lambda s: relay.image.resize2d(X, s), "dyn.image.resize2d"),
    (lambda s: relay.nn.pad(X, s), "dyn.nn.pad"),
    (lambda s: relay.nn.upsampling(X, s, s), "dyn.nn.upsampling"),
])
def test_expressions_for_shapes(make, name):
    assert make(relay.var("s")).op.name == name


def test_arange():
    call = relay.arange(5, dtype="int32")
    assert [a.data.item() for a in call.args] == [0, 5, 1]
    assert call.args[0].data.dtype == "int32" and call.attrs.dtype == "int32"
    stop = relay.var("stop", "int32")
    assert relay.arange(relay.const(1), stop, dtype="int32").args[1] is stop


def test_on_device():
    call = relay.annotation.on_device(X, relay.device.cuda(1))
    assert call.attrs.virtual_device == {"device_type": 2, "virtual_device_id": 1}
    assert relay.on_device(X, "cpu").attrs.constrain_body is True


@pytest.mark.parametrize("name", _stubs.MODULES)
def test_stubs(name):
    """They name what there is: `python -m relay_mlir.relay.op._stubs` writes them."""
    path = pathlib.Path(_stubs.__file__).parents[1] / (name.replace(".", "/") + ".pyi")
    assert _stubs.stub(name) == path.read_text()


def test_constants_as_attributes():
    """Where an operator takes an expression or numbers, a constant is numbers."""
    x = relay.var("x", shape=(1, 3, 4, 4))
    width = relay.const(np.array([[0, 0], [0, 0], [1, 1], [2, 2]], "int64"))
    pad = relay.nn.pad(x, width, relay.const(3.0))
    assert pad.op.name == "nn.pad" and pad.attrs.pad_width == [[0, 0], [0, 0], [1, 1], [2, 2]]
    mirror = relay.nn.mirror_pad(x, width)
    assert mirror.attrs.pad_width == pad.attrs.pad_width
    size, roi = relay.const(np.array([8, 9], "int64")), relay.const([0.0, 0.0, 1.0, 1.0])
    for arguments in ((size, roi), ((8, 9), roi), (size, (0, 0, 1, 1))):
        resize = relay.image.resize2d(x, *arguments)
        assert resize.op.name == "image.resize2d"
        assert (resize.attrs.size, resize.attrs.roi) == ([8, 9], [0.0, 0.0, 1.0, 1.0])
