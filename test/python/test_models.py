# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of utils/models, imported and interpreted, against ONNX Runtime."""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

sys.path.insert(
    0, str(pathlib.Path(__file__).parents[2] / "utils" / "models"))

import build
import light
import onnx_backend
import trained
from nightly import nightly

# What the interpreter takes a second or less for.
SMALL = ["dqn", "gru", "light_shufflenet", "light_squeezenet", "lstm", "mlp",
         "mobilenetv2", *trained.NETWORKS]


def models(select=lambda name: True):
    """The small models of those that are selected, and nightly the others."""
    names = [name for name in build.MODELS if select(name)]
    return ([name for name in names if name in SMALL]
            + nightly(name for name in names if name not in SMALL))


@pytest.fixture(scope="module")
def interpreter():
    executor = onnx_backend.Interpreter()
    yield executor
    executor.close()


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options,
        providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def check(model, inputs, executor):
    expected = run_onnxruntime(model, inputs)
    actual = executor.run(model, list(inputs.values()))
    assert len(actual) == len(expected)
    for a, b in zip(actual, expected):
        assert a.shape == b.shape and a.dtype == b.dtype
        scale = np.abs(b).max()
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5 * scale)


@pytest.mark.parametrize("name", models())
def test_fixed_batch(name, interpreter):
    model = build.build(name)
    check(model, build.random_inputs(model), interpreter)


@pytest.mark.parametrize("name", models(lambda name: not name.startswith("light_")))
def test_dynamic_batch(name, interpreter):
    model = build.build(name, batch="N")
    for batch in (1, 2, 7):
        check(model, build.random_inputs(model, batch), interpreter)


def test_weights_follow_from_the_seed():
    first, again, other = (build.build("mlp", seed=seed) for seed in (0, 0, 1))
    assert first.SerializeToString() == again.SerializeToString()
    assert first.SerializeToString() != other.SerializeToString()


@pytest.mark.parametrize("name", [name for name in build.MODELS if name.startswith("light_")])
def test_light_models_keep_their_structure(name):
    """Only the constants become weights."""
    old = onnx.load(light.data_folder() / f"{name}.onnx")
    new = build.build(name)
    kept = [node for node in old.graph.node
            if node.op_type != "ConstantOfShape"]
    assert list(new.graph.node) == kept
    onnx.checker.check_model(new)
