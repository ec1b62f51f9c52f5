"""relay.quantize: partition, annotation, calibration and realization.

Integers against what simulates them (a step of the last quantizer, but for sums whose
addends are rounded), and accuracy on networks that are trained (utils/models/trained.py):
the share of unseen digits is within half a point of that of floats, or a digit.
"""

import functools
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

from pass_checks import evaluate, operators
from relay_mlir import relay
from relay_mlir.relay import nn, quantize, transform
from relay_mlir.relay.quantize import _calibration as calibration
from relay_mlir.relay.quantize import current_qconfig, qconfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils" / "models"))
import trained  # noqa: E402

RNG = np.random.default_rng(0)
SIMULATED = "relay.op.annotation.simulated_quantize"


def constant(*shape, scale=0.3):
    return relay.const(RNG.normal(0, scale, shape).astype("float32"))


def conv(x, channels=4, inputs=4):
    return nn.conv2d(x, constant(channels, inputs, 3, 3), padding=(1, 1), channels=channels,
                     kernel_size=(3, 3))


def module(body, *params):
    return transform.InferType()(relay.IRModule.from_expr(relay.Function(list(params), body)))


def image():
    return relay.var("x", shape=(2, 4, 8, 8))


def samples(count=4, shape=(2, 4, 8, 8)):
    return [{"x": RNG.normal(0, 1, shape).astype("float32")} for _ in range(count)]


NETWORKS = {
    "layers": lambda x: nn.relu(conv(nn.max_pool2d(nn.relu(conv(x)), (2, 2), strides=(2, 2)))),
    "bias": lambda x: nn.relu(nn.bias_add(conv(nn.relu(nn.bias_add(conv(x), constant(4)))),
                                          constant(4))),
    "batch norm": lambda x: nn.relu(nn.batch_norm(
        conv(x), relay.const(RNG.uniform(0.5, 2, 4).astype("float32")), constant(4), constant(4),
        relay.const(RNG.uniform(0.5, 2, 4).astype("float32")))[0]),
    "residual": lambda x: (lambda y: nn.relu(relay.add(conv(nn.relu(conv(y))), y)))(
        nn.relu(conv(x))),
    "concatenation": lambda x: conv(relay.concatenate([nn.relu(conv(x)), nn.relu(conv(x))], 1),
                                    inputs=8),
    "ends": lambda x: nn.softmax(nn.batch_flatten(nn.global_avg_pool2d(nn.relu(conv(conv(x)))))),
    "average": lambda x: conv(nn.avg_pool2d(nn.relu(conv(x)), (2, 2), strides=(2, 2))),
    "dense": lambda x: nn.dense(nn.batch_flatten(nn.relu(conv(x))), constant(5, 256)),
    "clip": lambda x: conv(relay.clip(conv(x), 0.0, 6.0)),
    "product": lambda x: conv(relay.multiply(conv(x), relay.const(np.float32(0.5)))),
    "matrices": lambda x: nn.batch_matmul(relay.reshape(conv(x), (2, 32, 8)),
                                          relay.reshape(conv(x), (2, 32, 8))),
}


@pytest.mark.parametrize("weight_scale", ["power2", "max", "per_channel"])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, weight_scale):
    x = image()
    mod = module(NETWORKS[name](x), x)
    data = samples()
    options = dict(skip_conv_layers=[], skip_dense_layer=False, calibrate_mode="min_max",
                   weight_scale=weight_scale)
    with qconfig(**options):
        integers = quantize.quantize(mod, dataset=data)
    with qconfig(do_simulation=True, **options):
        simulated = quantize.quantize(mod, dataset=data)
    found = operators(integers)
    assert SIMULATED in operators(simulated) and SIMULATED not in found
    assert {"qnn.conv2d"} <= set(found) and not {"nn.conv2d", "nn.dense"} & set(found)
    value = [data[0]["x"]]
    (got,), (between,), (wanted,) = (evaluate(each, value) for each in (integers, simulated, mod))
    scale = np.abs(wanted).max()
    assert np.abs(between - wanted).max() <= 0.15 * scale
    assert np.abs(got - wanted).max() <= 0.15 * scale
    if weight_scale != "per_channel":
        assert np.mean(np.abs(got - between)) <= 0.01 * scale
    native = relay.create_executor("graph", integers, target="llvm").evaluate()(*value)
    np.testing.assert_allclose(np.asarray(native), got, rtol=1e-5, atol=1e-6 * scale)


def test_defaults():
    """The first convolution and dense layers stay; the scale of data is 8 / 128."""
    x = image()
    mod = module(nn.dense(nn.batch_flatten(conv(conv(x))), constant(5, 256)), x)
    found = operators(quantize.quantize(mod))
    assert (found["nn.conv2d"], found["qnn.conv2d"], found["nn.dense"]) == (1, 1, 1)
    assert "0.0625" in str(quantize.quantize(mod))
    with qconfig(skip_conv_layers=None, skip_dense_layer=False) as config:
        assert current_qconfig() is config
        found = operators(quantize.quantize(mod))
    assert not {"nn.conv2d", "nn.dense"} & set(found)
    assert current_qconfig() == quantize.QConfig()


def test_stop():
    """Behind a global pool nothing is quantized."""
    x = image()
    mod = module(conv(nn.global_avg_pool2d(conv(x))), x)
    with qconfig(skip_conv_layers=[]):
        found = operators(quantize.quantize(mod))
    assert (found["nn.conv2d"], found["qnn.conv2d"]) == (1, 1)


def test_zeros():
    """Weights of zeros, and data that is all zero, have a scale."""
    x = image()
    w = relay.const(np.zeros((4, 4, 3, 3), "float32"))
    mod = module(nn.relu(relay.add(nn.conv2d(x, w, padding=(1, 1)),
                                   relay.const(np.zeros((4, 1, 1), "float32")))), x)
    for weight_scale in ("power2", "max", "per_channel"):
        with qconfig(skip_conv_layers=[], calibrate_mode="min_max", weight_scale=weight_scale):
            integers = quantize.quantize(mod, dataset=[{"x": np.zeros((2, 4, 8, 8), "float32")}])
        assert not evaluate(integers, [samples(1)[0]["x"]])[0].any()


def test_parameters():
    x, w = image(), relay.var("w", shape=(4, 4, 3, 3))
    mod = module(nn.conv2d(x, w, padding=(1, 1)), x, w)
    weight = RNG.normal(0, 0.3, (4, 4, 3, 3)).astype("float32")
    with qconfig(skip_conv_layers=[]):
        integers = quantize.quantize(mod, {"w": weight})
        assert len(integers["main"].params) == 1
        with pytest.raises(relay.DiagnosticError, match="expects weights that are constants"):
            quantize.quantize(mod)


def test_bits():
    """Fewer bits are fewer values."""
    x = image()
    mod = module(conv(x), x)
    data = samples()
    errors = []
    for bits in (8, 6, 4):
        with qconfig(skip_conv_layers=[], nbit_input=bits, nbit_weight=bits,
                     calibrate_mode="min_max", weight_scale="max"):
            integers = quantize.quantize(mod, dataset=data)
        got, wanted = (evaluate(each, [data[0]["x"]])[0] for each in (integers, mod))
        errors.append(np.abs(got - wanted).mean())
        assert len(np.unique(got)) < 2**bits
    assert errors[0] < errors[1] < errors[2]


def test_thresholds():
    values = RNG.normal(0, 1, 100000).astype("float32")
    values[0] = 20
    assert calibration.min_max(values) == 20
    assert 3 < calibration.percentile(values, 0.999) < 4
    # To clip the outlier costs as much as the steps that it takes cost the others.
    assert 5 < calibration.mse(values) < 16
    assert 2 < calibration.kl_divergence(values) < 16
    # What integers hold exactly has the least error at its own scale.
    steps = np.round(values[1:].clip(-3, 3) * 32) / 32
    assert abs(calibration.mse(np.append(steps, np.float32(127 / 32))) - 4) < 0.2
    for mode in ("kl_divergence", "percentile", "min_max", "mse"):
        assert calibration.threshold_of(mode, np.zeros(10, "float32"), 8) == 0
        assert calibration.threshold_of(mode, np.zeros(0, "float32"), 8) == 0
    # Neither squares that overflow nor steps that are too small to count.
    small = (values / 20).astype("float32")
    for choose in (calibration.mse, functools.partial(calibration.kl_divergence, num_bins=801)):
        for factor in (2.0**-100, 2.0**126):
            assert choose((small * factor).astype("float32")) == choose(small) * factor
        assert 0 < choose((small * 1e-43).astype("float32")) < 1e-42


@pytest.mark.parametrize("mode", ["kl_divergence", "percentile", "mse"])
def test_modes(mode):
    """All are about as good on data without outliers; chunks make no difference."""
    x = image()
    mod = module(nn.relu(conv(nn.relu(conv(x)))), x)
    data = samples(20)
    results = []
    for chunk in (-1, 1):
        with qconfig(skip_conv_layers=[], calibrate_mode=mode, weight_scale="max",
                     calibrate_chunk_by=chunk):
            integers = quantize.quantize(mod, dataset=data)
        results += evaluate(integers, [data[1]["x"]])
    np.testing.assert_array_equal(results[0], results[1])
    wanted, = evaluate(mod, [data[1]["x"]])
    assert np.abs(results[0] - wanted).mean() < 0.05 * np.abs(wanted).mean()


def test_errors():
    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"nbit_input": 9}, ValueError, "expects nbit_input to be from 2 to 8"),
        ({"calibrate_mode": "best"}, ValueError, "expects calibrate_mode to be one of"),
        ({"global_scale": 0.0}, ValueError, "expects global_scale to be positive"),
        ({"calibrate_chunk_by": 0}, ValueError, "expects calibrate_chunk_by"),
        ({"dtype_activation": "int16"}, ValueError, "expects dtype_activation"),
        ({"round_for_shift": False}, NotImplementedError, "is not there"),
        ({"partition_conversions": "enabled"}, NotImplementedError, "not there yet"),
        ({"speed": 3}, TypeError, "unexpected keyword")]
    for fields, error, message in cases:
        with pytest.raises(error, match=message):
            qconfig(**fields)
    x = image()
    mod = module(conv(x), x)
    with qconfig(skip_conv_layers=[], calibrate_mode="min_max"):
        with pytest.raises(ValueError, match="expects a data set for calibrate_mode 'min_max'"):
            quantize.quantize(mod)
        data: Any
        for data, error, message in [
                ([], ValueError, "expects a data set with samples"),
                ([{"y": 3}], ValueError, "expects samples with a value for each of x"),
                ([5], TypeError, "expects a sample of the data set"),
                ([{"x": np.full((2, 4, 8, 8), np.nan, "float32")}], ValueError,
                 "computes finite numbers"),
                ([{"x": np.zeros((3, 3), "float32")}], Exception, "expects|shape")]:
            with pytest.raises(error, match=message):
                quantize.quantize(mod, dataset=data)


def noise(mod, integers, data):
    """Signal to noise in dB of integers, over samples."""
    floats, others = (np.concatenate([evaluate(each, [sample["x"]])[0].ravel()
                                      for sample in data]) for each in (mod, integers))
    return 10 * np.log10(np.sum(floats ** 2) / np.sum((floats - others) ** 2))


def test_equalize():
    """Channels of which one is 256 times as large as the others, but not after it."""
    x = image()
    first = RNG.normal(0, 0.3, (4, 4, 3, 3)).astype("float32")
    second = RNG.normal(0, 0.3, (4, 4, 3, 3)).astype("float32")
    first[1] *= 256
    second[:, 1] /= 256
    conv2d: dict[str, Any] = {"padding": (1, 1), "channels": 4, "kernel_size": (3, 3)}
    y = nn.relu(nn.bias_add(nn.conv2d(x, relay.const(first), **conv2d), constant(4)))
    mod = module(nn.conv2d(y, relay.const(second), **conv2d), x)
    data = samples()
    values = []
    for equalize in (False, True):
        with qconfig(skip_conv_layers=[], calibrate_mode="min_max", weight_scale="max",
                     equalize=equalize):
            values.append(noise(mod, quantize.quantize(mod, dataset=data), data))
    assert values[0] < 10 and values[1] > 25, values
    with pytest.raises(TypeError, match="expects equalize to be True or False, but got 1"):
        qconfig(equalize=1)


def test_correct_bias():
    """Weights that are all rounded to the same side."""
    x = image()
    weight = np.full((4, 4, 3, 3), 1.4 / 127, "float32")
    weight[:, 0, 0, 0] = 1
    conv2d: dict[str, Any] = {"padding": (1, 1), "channels": 4, "kernel_size": (3, 3)}
    y = nn.relu(nn.bias_add(nn.conv2d(x, relay.const(weight), **conv2d), constant(4)))
    mod = module(nn.conv2d(y, relay.const(weight), **conv2d), x)
    data = [{"x": np.abs(sample["x"])} for sample in samples()]
    values = []
    for correct in (False, True):
        with qconfig(skip_conv_layers=[], calibrate_mode="min_max", weight_scale="max",
                     correct_bias=correct):
            # Samples may be had once only.
            values.append(noise(mod, quantize.quantize(mod, dataset=iter(data)), data))
    assert values[1] > values[0] + 3, values
    with qconfig(correct_bias=True):
        with pytest.raises(ValueError, match="expects a data set for correct_bias"):
            quantize.quantize(mod)


def test_kinds():
    assert [quantize.kind2str(kind) for kind in range(4)] == [
        "identity", "input", "weight", "activation"]
    with pytest.raises(ValueError, match="expects a kind from 0 to 3"):
        quantize.kind2str(4)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", ["digits_mlp", "digits_cnn", "digits_depthwise"])
def test_accuracy(name):
    images, labels = trained.samples(name, trained.NUM_TEST)
    # Scales come from some, and accuracy from the others.
    data, images, labels = images[:97], images[97:], np.asarray(labels)[97:]
    networks = {}
    for batch in (len(data), len(images)):
        mod, params = relay.frontend.from_onnx(trained.load(name, batch=batch))
        networks[batch] = quantize.prerequisite_optimize(mod, params)
    mod = networks[len(images)]
    with qconfig(skip_conv_layers=[], skip_dense_layer=False, weight_scale="per_channel",
                 calibrate_mode="percentile"):
        annotated = {batch: quantize.annotate()(quantize.partition()(each))
                     for batch, each in networks.items()}
        input_name = mod["main"].params[0].name_hint
        values, = quantize.collect(annotated[len(data)], [{input_name: data}])
        integers = quantize.realize()(quantize.calibrate_with(
            [calibration.percentile(value) for value in values])(annotated[len(images)]))
        integers = transform.FoldConstant(fold_qnn=True)(integers)
    right = []
    for each in (mod, integers):
        out = np.asarray(relay.create_executor("graph", each, target="llvm").evaluate()(images))
        right.append(np.mean(out.argmax(-1) == labels))
    print(f"{name}: {right[0]:.2%} of floats, {right[1]:.2%} of integers")
    assert any(key.startswith("qnn.") for key in operators(integers))
    # One digit is half a point.
    assert right[1] >= right[0] - 1.01 / len(images)
