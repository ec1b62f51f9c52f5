"""Real networks, compiled and run, against ONNX Runtime.

Tolerance: rtol 1e-3, atol 1e-5 of the output's largest magnitude, with matrix
units what bounds.py says of networks. The largest models run nightly
(utils/check.sh --nightly).
"""

import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402
import trained  # noqa: E402
from bounds import NETWORK, native  # noqa: E402
from nightly import nightly  # noqa: E402

BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()

# What takes long where matrix units are emulated, and half a gigabyte of weights.
LARGE = ["resnet50", "bert_base", "bert_base_decomposed", "light_bvlc_alexnet",
         "light_densenet121", "light_inception_v2", "light_resnet50", "light_zfnet512"]
HUGE = ["vgg16", "light_vgg19"]


def parameters(names):
    return [pytest.param(name, marks=[pytest.mark.large] * (name in LARGE)) for name in names
            if name not in HUGE] + nightly(name for name in names if name in HUGE)


@pytest.fixture(autouse=True)
def two_threads():
    rm.set_num_threads(2)


def assert_agree(actual, expected):
    actual = actual if isinstance(actual, tuple) else (actual,)
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected):
        assert got.shape == want.shape and got.dtype == want.dtype
        if np.issubdtype(want.dtype, np.floating):
            scale = float(np.abs(want).max(initial=0))
            bound = NETWORK if native() == "AMX" else 1e-5
            np.testing.assert_allclose(got, want, rtol=1e-3, atol=bound * scale)
        else:
            np.testing.assert_array_equal(got, want)


def reference(path, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def save(model, path):
    onnx.save(model, str(path))
    return path


@pytest.mark.share(2)
@pytest.mark.parametrize("name", parameters(build.MODELS))
def test_agrees_with_onnx_runtime(name, tmp_path):
    """Through the Python API and through relay-compile, with 1 and 2 threads."""
    model = build.build(name)
    inputs = build.random_inputs(model)
    path = save(model, tmp_path / "model.onnx")
    expected = reference(path, inputs)

    compiled = rm.compile(path)
    assert [info.name for info in compiled.inputs] == list(inputs)
    for threads in (1, 2):
        rm.set_num_threads(threads)
        assert_agree(compiled.run(inputs), expected)

    artefact = tmp_path / "model.so"
    subprocess.run([BUILD_DIR / "bin" / "relay-compile", path, "-o", artefact],
                   check=True)
    assert_agree(rm.load(artefact).run(inputs), expected)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", parameters(
    ["mlp", "dqn", "mobilenetv2", "lstm", "gru", "resnet18", "resnet50", "bert_base", "vgg16"])
    + nightly(["bert_base_decomposed"]))
def test_dynamic_batch(name, tmp_path):
    """One artefact runs every batch size."""
    model = build.build(name, batch="N")
    path = save(model, tmp_path / "model.onnx")
    compiled = rm.compile(path)
    assert compiled.inputs[0].shape[0] == "N"
    for batch in (1, 2, 7):
        inputs = build.random_inputs(model, batch)
        assert_agree(compiled.run(inputs), reference(path, inputs))


@pytest.mark.parametrize("name", trained.NETWORKS)
def test_trained_network(name):
    """Small ones, on digits that they were not trained on."""
    path = trained.get(name)
    compiled = rm.compile(path)
    images, _ = trained.samples(name)
    assert_agree(compiled(images), reference(path, {compiled.inputs[0].name: images}))


SHARED = ROOT.parent / "shared" / "models"


@pytest.mark.parametrize("name", ["mnist", "ultraface-rfb-320"])
def test_shared_model(name):
    path = SHARED / f"{name}.onnx"
    if not path.exists():
        pytest.skip("the shared models are absent")
    model = onnx.load(str(path))
    compiled = rm.compile(path)
    inputs = build.random_inputs(model)
    assert_agree(compiled.run(inputs), reference(path, inputs))


LIGHT = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


@pytest.mark.share(2)
@pytest.mark.parametrize("network", parameters(
    [name for name in build.MODELS if name.startswith("light_")]))
def test_light_network(network):
    """The networks as the ONNX project ships them, with its expected output."""
    path = LIGHT / f"{network}.onnx"
    model = onnx.load(str(path))
    expected = onnx.TensorProto()
    expected.ParseFromString((LIGHT / f"{network}_output_0.pb").read_bytes())
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = {}
    for info in model.graph.input:
        if info.name in weights:
            continue
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        count = int(np.prod(shape))
        # The input that the ONNX project's own runner gives these networks.
        values = np.arange(count, dtype=np.float32) / count
        inputs[info.name] = values.reshape(shape)
    want = onnx.numpy_helper.to_array(expected)
    got = rm.compile(path).run(inputs)
    assert_agree(got.reshape(want.shape), [want])
