"""The model zoo: types of all models, values of small ones."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import testing

MODELS = {
    "mlp": (lambda: testing.mlp.get_workload(2), (2, 10)),
    "resnet18": (lambda: testing.resnet.get_workload(), (1, 1000)),
    "resnet50": (lambda: testing.resnet.get_workload(num_layers=50), (1, 1000)),
    "resnet_small": (lambda: testing.resnet.get_workload(
        1, 10, 20, (3, 32, 32)), (1, 10)),
    "resnet_nhwc": (lambda: testing.resnet.get_workload(
        layout="NHWC", image_shape=(224, 224, 3)), (1, 1000)),
    "vgg": (lambda: testing.vgg.get_workload(1, num_layers=13, batch_norm=True), (1, 1000)),
    "mobilenet": (lambda: testing.mobilenet.get_workload(), (1, 1000)),
    "mobilenet_nhwc": (lambda: testing.mobilenet.get_workload(
        layout="NHWC", image_shape=(224, 224, 3)), (1, 1000)),
    "densenet": (lambda: testing.densenet.get_workload(), (4, 1000)),
    "squeezenet1.0": (lambda: testing.squeezenet.get_workload(), (1, 1000)),
    "squeezenet1.1": (lambda: testing.squeezenet.get_workload(version="1.1"), (1, 1000)),
    "inception_v3": (lambda: testing.inception_v3.get_workload(), (1, 1000)),
    "dcgan": (lambda: testing.dcgan.get_workload(2), (2, 3, 64, 64)),
    "dqn": (lambda: testing.dqn.get_workload(3), (3, 18)),
    "lstm": (lambda: testing.lstm.get_workload(3, 8), (1, 8)),
    "synthetic": (lambda: testing.synthetic.get_workload(), (1, 3, 24, 12)),
    "resnet_3d": (lambda: testing.resnet_3d.get_workload(), (1, 1000)),
}


@pytest.mark.parametrize("name", MODELS)
def test_types(name):
    make, shape = MODELS[name]
    mod, params = make()
    main = mod["main"]
    assert main.ret_type == relay.TensorType(shape)
    names = {v.name_hint for v in main.params}
    assert set(params) == names - {"data"}
    for var in main.params:
        if var.name_hint != "data":
            value = params[var.name_hint]
            assert value.shape == var.checked_type.concrete_shape
            if var.name_hint.endswith(("gamma", "var")):
                assert (value == 1).all()
            elif var.name_hint.endswith(("beta", "mean", "bias")):
                assert (value == 0).all()
            else:
                assert value.std() > 0


def run(mod, params, data):
    return relay.create_executor("debug", mod=mod).evaluate()(data, **params)


def randomize(params):
    """Values for biases and statistics too, so that a test sees them."""
    rng = np.random.default_rng(0)
    for name, value in params.items():
        if name.endswith(("bias", "beta", "mean")):
            value[:] = rng.normal(size=value.shape, scale=0.1)
        elif name.endswith(("gamma", "var")):
            value[:] = rng.uniform(0.5, 1.5, size=value.shape)
    return params


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def conv(x, weight, stride=1, padding=0):
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    windows = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))
    return np.einsum("nchwij,ocij->nohw", windows[:, :, ::stride, ::stride], weight,
                     optimize=True)


def channels(x):
    return x[:, None, None]


def test_synthetic():
    mod, params = testing.synthetic.get_workload()
    p = {k: v.astype("float64") for k, v in randomize(params).items()}
    data = np.random.default_rng(1).standard_normal((1, 3, 24, 12), dtype="float32")

    def dense(x, weight):
        return np.maximum(x @ weight.T, 0)

    total = dense(data, p["dense_weight"]) + softmax(conv(data, p["conv_weight"], padding=1))
    total += channels(p["bias"]) - channels(p["batch_norm_moving_mean"])
    total /= np.sqrt(channels(p["batch_norm_moving_var"]) + 1e-5)
    total = total * channels(p["batch_norm_gamma"]) + channels(p["batch_norm_beta"])
    np.testing.assert_allclose(run(mod, params, data), dense(total, p["dense2_weight"]),
                               rtol=1e-4, atol=1e-5)


def test_dqn():
    mod, params = testing.dqn.get_workload(1)
    p = {k: v.astype("float64") for k, v in randomize(params).items()}
    data = np.random.default_rng(1).standard_normal((1, 4, 84, 84), dtype="float32")
    out = data
    for i, stride in enumerate((4, 2, 1)):
        out = conv(out, p[f"conv{i + 1}_weight"], stride) + channels(p[f"conv{i + 1}_bias"])
        out = np.maximum(out, 0)
    out = out.reshape(1, -1)
    out = np.maximum(out @ p["dense1_weight"].T + p["dense1_bias"], 0)
    out = out @ p["dense2_weight"].T + p["dense2_bias"]
    np.testing.assert_allclose(run(mod, params, data), out, rtol=1e-4, atol=1e-5)


def test_lstm():
    steps, size = 3, 4
    mod, params = testing.lstm.get_workload(steps, size)
    randomize(params)
    rng = np.random.default_rng(1)
    inputs, arguments = [], []
    for var in mod["main"].params:
        if var.name_hint == "data":
            inputs.append(rng.standard_normal((1, size), dtype="float32"))
            arguments.append(inputs[-1])
        else:
            arguments.append(params[var.name_hint])
    assert len(inputs) == steps
    result = relay.create_executor("debug", mod=mod).evaluate()(*arguments)
    hidden = memory = np.zeros((1, size))
    for i, x in enumerate(inputs):
        gates = sum(v @ params[f"{k}_{i}_weight"].T.astype("float64") + params[f"{k}_{i}_bias"]
                    for k, v in (("i2h", x), ("h2h", hidden)))
        into, forget, transform, out = np.split(gates, 4, axis=1)
        memory = sigmoid(forget) * memory + sigmoid(into) * np.tanh(transform)
        hidden = sigmoid(out) * np.tanh(memory)
    np.testing.assert_allclose(result, hidden, rtol=1e-5, atol=1e-6)


def test_resnet_of_small_images():
    """A whole network, compiled and interpreted."""
    mod, params = testing.resnet.get_workload(1, 10, 8, (3, 16, 16))
    randomize(params)
    data = np.random.default_rng(1).standard_normal((1, 3, 16, 16), dtype="float32")
    interpreted = run(mod, params, data)
    assert abs(interpreted.sum() - 1) < 1e-5
    compiled = relay.create_executor("aot", mod=mod).evaluate()(data, **params)
    np.testing.assert_allclose(compiled, interpreted, rtol=1e-4, atol=1e-6)
