"""Loss functions, against NumPy and ONNX Runtime's NegativeLogLikelihoodLoss."""

import numpy as np
import pytest
from onnx_eval import run_onnx
from relay_eval import FLOATS, Case, check, random


@pytest.mark.parametrize("dtype", FLOATS)
def test_cross_entropy(dtype):
    rng = np.random.default_rng(0)
    x, y = random(rng, (5, 7), dtype, 0.1, 1), random(rng, (5, 7), dtype, 0, 1)
    wide_x, wide_y = x.astype(float), y.astype(float)
    plain = np.array(-np.sum(wide_y * np.log(wide_x)) / 5).astype(x.dtype)
    logits = np.array(-np.sum(wide_y * wide_x) / 5).astype(x.dtype)
    check([Case("nn.cross_entropy", [x, y], plain), Case("nn.cross_entropy_with_logits", [x, y], logits)])


@pytest.mark.parametrize("shape", [(6, 4), (3, 5, 2, 3)])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_nll_loss(shape, reduction):
    rng = np.random.default_rng(1)
    predictions = random(rng, shape, "f32")
    targets = rng.integers(0, shape[1], (shape[0], *shape[2:])).astype(np.int64)
    weights = random(rng, (shape[1],), "f32", 0.5, 2)
    targets.flat[1] = targets.flat[3] = 2
    cases = []
    for ignore in (-100, 2):
        picked = np.take_along_axis(predictions.astype(float), targets[:, None], 1)[:, 0]
        factor = weights.astype(float)[targets] * (targets != ignore)
        loss = -picked * factor
        expected = {"none": loss, "sum": loss.sum(), "mean": loss.sum() / factor.sum()}[reduction]
        expected = np.asarray(expected).astype(np.float32)
        attrs = {"reduction": reduction, "ignore_index": ignore}
        reference = run_onnx("NegativeLogLikelihoodLoss", [predictions, targets, weights], **attrs)
        np.testing.assert_allclose(expected, reference, rtol=1e-5)
        cases.append(Case("nn.nll_loss", [predictions, targets, weights], expected, attrs))
        cases.append(Case("nn.nll_loss", [predictions, targets.astype(np.int32), weights], expected, attrs))
    check(cases)
