# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks on matrix units at the default precision, against double
precision: trained ones and such with random weights, narrow and deep ones. Errors
stay below bounds.NETWORK of the scale of each output, and below
bounds.NETWORK_RATIO times those of plain float32 (ONNX Runtime's or our own,
whichever are larger), as root mean square over the outputs for several inputs.

What ONNX Runtime and we compute in plain float32 differs by its order alone.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import pytest

import bounds
import network_worker
from worker_process import emulator, WorkerProcess

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402
import narrow_networks  # noqa: E402
import trained  # noqa: E402
from exact_network import run_exact  # noqa: E402

VECTORS = "x86-64-v4" if bounds.has("AVX-512") else "x86-64-v3"
TILES = f"{VECTORS},+amx-tile,+amx-bf16,+amx-int8"
SHARED = ROOT.parent / "shared" / "models"

pytestmark = pytest.mark.skipif(
    not {"avx2", "fma"} <= bounds.FLAGS, reason="the machine lacks AVX2")


@pytest.fixture(scope="module", name="run")
def fixture_run(tmp_path_factory):
    environment = {"RELAY_CACHE_DIR": str(tmp_path_factory.mktemp("cache")), **emulator()}
    with WorkerProcess(network_worker.answer, environment=environment) as process:
        def run(model, inputs, **options):
            return process.ask((model.SerializeToString(), inputs, options))
        yield run


def measure(results, exact):
    """For each output the largest error, and its root mean square, over the
    scale."""
    errors = []
    for result, wanted in zip(results, exact):
        scale = np.abs(wanted).max()
        error = np.abs(result - wanted)
        assert np.isfinite(error).all()
        errors.append((error.max() / scale, np.sqrt((error**2).mean()) / scale))
    return np.array(errors)


def check(run, model, make_inputs, count=3):
    """`make_inputs` returns inputs by name for a seed."""
    session = onnxruntime.InferenceSession(model.SerializeToString(),
                                           providers=["CPUExecutionProvider"])
    inputs = [make_inputs(seed) for seed in range(count)]
    exact = [run_exact(model, x) for x in inputs]

    def errors(results):
        return np.array([measure(y, wanted) for y, wanted in zip(results, exact)])

    plain = [errors([session.run(None, x) for x in inputs]),
             errors(run(model, inputs, target=VECTORS, precision="highest"))]
    tiles = errors(run(model, inputs, target=TILES, precision="high"))
    same = errors(run(model, inputs, target=TILES, precision="highest"))
    print("largest: ONNX Runtime {:.1e}, highest {:.1e}, with AMX {:.1e}, high with AMX {:.1e}"
          .format(*(e[..., 0].max() for e in (*plain, same, tiles))))
    assert tiles[..., 0].max() <= bounds.NETWORK
    # Of all inputs, of each output.
    whole = lambda e: np.sqrt((e[..., 1]**2).mean(0))
    base = np.maximum(whole(plain[0]), whole(plain[1]))
    print("ratios of root mean squares:", whole(tiles) / base, "at highest:", whole(same) / base)
    assert (whole(tiles) <= bounds.NETWORK_RATIO * base).all()
    assert (whole(same) <= 2 * base).all()


@pytest.mark.parametrize("name", trained.NETWORKS)
def test_trained(run, name):
    model = trained.load(name, batch=16)
    x, _ = trained.samples(name, 48)
    parts = np.split(x, 3)
    check(run, model, lambda seed: {model.graph.input[0].name: parts[seed]})


@pytest.mark.share(4)
@pytest.mark.parametrize("name", narrow_networks.NETWORKS)
def test_random(run, name):
    model = narrow_networks.NETWORKS[name]()
    check(run, model, lambda seed: build.random_inputs(model, seed=seed))


@pytest.mark.parametrize("name", ["dqn", "mobilenetv2"])
def test_models(run, name):
    model = build.build(name)
    check(run, model, lambda seed: build.random_inputs(model, seed=seed), count=2)


@pytest.mark.parametrize("name", ["mnist", "ultraface-rfb-320"])
def test_shared(run, name):
    path = SHARED / f"{name}.onnx"
    if not path.exists():
        pytest.skip("the shared models are absent")
    model = onnx.load(path)
    check(run, model, lambda seed: build.random_inputs(model, seed=seed), count=2)


@pytest.mark.parametrize("name", trained.NETWORKS)
def test_networks_are_trained(name):
    """Nobody guesses that well."""
    assert trained.share(name) > (0.3 if name == "digits_detector" else 0.95)
