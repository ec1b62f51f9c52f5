"""Random networks, compiled and run, against ONNX Runtime without its own
optimisations.

Tolerance: 2e-5 of the output's largest magnitude. Four thousand networks run
nightly (utils/check.sh --nightly).
"""

import numpy as np
import onnx
import onnxruntime
import pytest

import random_networks
import random_sequences
import relay_mlir as rm
from nightly import nightly

SEEDS = [*range(20), *nightly(range(20, 1000))]


class Reference:
    def __init__(self, model):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.graph_optimization_level = (
            onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def run(self, inputs):
        return self.session.run(None, inputs)


def assert_agree(actual, expected):
    actual = actual if isinstance(actual, tuple) else (actual,)
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected):
        assert got.shape == want.shape and got.dtype == want.dtype
        finite = want[np.isfinite(want)]
        scale = float(np.abs(finite).max(initial=0)) or 1.0
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * scale)


def check(model, samples, path):
    """Runs every sample in one artefact, with one and two threads."""
    reference = Reference(model)
    onnx.save(model, str(path))
    compiled = rm.compile(path)
    for sample in samples:
        expected = reference.run(sample)
        for threads in (1, 2):
            rm.set_num_threads(threads)
            assert_agree(compiled(**sample), expected)


def image_samples(x):
    return [x, np.concatenate([x, x[::-1] / 2]), x[:1]]


def sequence_samples(x):
    return [x, np.concatenate([x, x[::-1]]), np.concatenate([x, x], axis=1),
            x[:1, :1]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("networks, samples", [
    (random_networks, image_samples), (random_sequences, sequence_samples)],
    ids=["images", "sequences"])
def test_agrees_with_onnx_runtime(networks, samples, seed, dynamic, tmp_path):
    model, inputs = networks.build(seed, dynamic)
    (name, x), = inputs.items()
    values = samples(x) if dynamic else [x]
    check(model, [{name: value} for value in values], tmp_path / "model.onnx")
