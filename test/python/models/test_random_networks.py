"""Random networks, compiled and run, against ONNX Runtime without its own
optimisations.

Tolerance: 2e-5 of the output's largest magnitude. A thousand more networks run
with RELAY_NIGHTLY=1 (utils/check.sh --nightly).
"""

import os

import numpy as np
import onnx
import onnxruntime
import pytest

import random_networks
import relay_mlir as rm

NIGHTLY = os.environ.get("RELAY_NIGHTLY") == "1"
CASES = [(seed, dynamic) for seed in range(1000 if NIGHTLY else 30)
         for dynamic in (False, True)]


def reference(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def assert_agree(actual, expected):
    actual = actual if isinstance(actual, tuple) else (actual,)
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected):
        assert got.shape == want.shape and got.dtype == want.dtype
        finite = want[np.isfinite(want)]
        scale = float(np.abs(finite).max(initial=0)) or 1.0
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-5 * scale)


@pytest.mark.parametrize("seed, dynamic", CASES)
def test_agrees_with_onnx_runtime(seed, dynamic, tmp_path):
    model, inputs = random_networks.build(seed, dynamic)
    expected = reference(model, inputs)
    path = tmp_path / "model.onnx"
    onnx.save(model, str(path))
    compiled = rm.compile(path)
    for threads in (1, 2):
        rm.set_num_threads(threads)
        assert_agree(compiled(**inputs), expected)
