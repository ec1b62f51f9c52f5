"""Models that are split over devices: cpu number 0 is the host. Devices of kind scalar are
those of test/lib/ScalarTarget, which the project knows nothing of."""

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import relay
from relay_mlir.relay.device import VirtualDevice, cpu

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
BIN = BUILD / "bin"
SCALAR = {"scalar": "#scalar.core<memory = 256>"}


@pytest.fixture(name="scalar", autouse=True)
def load_scalar(monkeypatch):
    """Devices of kind scalar by their number; cpu ones are there as well."""
    rm.load_dialect_plugin(BUILD / "lib" / "ScalarTarget.so")
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD / "lib"))


def scalar_device(number):
    return VirtualDevice(12, number, "scalar")


def random_array(seed, *shape) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def write_layers(folder, devices):
    """A chain of products and sums, each part on a device of the list, as a file."""
    x = relay.var("x", shape=(relay.Any(), 8), dtype="float32")
    value: relay.Expr = x
    for number, device in enumerate(devices):
        value = relay.tanh(relay.nn.bias_add(
            relay.nn.dense(value, relay.const(random_array(number, 8, 8))),
            relay.const(random_array(100 + number, 8))))
        value = relay.on_device(value, cpu(device))
    path = folder / "split.relay"
    path.write_text(relay.IRModule.from_expr(
        relay.Function([x], relay.add(value, x))).astext())
    return path


def expected(x, num_layers):
    value = x.astype(np.float64)
    for number in range(num_layers):
        value = np.tanh(value @ random_array(number, 8, 8).T + random_array(100 + number, 8))
    return value + x


def count_copies(devices):
    """Into the first layer, between layers, and back."""
    places = [0, *devices, 0]
    return sum(a != b for a, b in zip(places, places[1:]))


@pytest.mark.parametrize("devices", [[0], [1], [1, 0, 1], [1, 1, 2], [2, 1, 0, 0, 1], [3, 1, 2]],
                         ids=str)
@pytest.mark.parametrize("opt_level", [0, 3])
def test_split_models_are_right(devices, opt_level, tmp_path):
    model = rm.compile(write_layers(tmp_path, devices), opt_level=opt_level)
    for batch in (5, 1, 0, 33):
        x = random_array(batch, batch, 8)
        # Products of 8 terms in f32.
        np.testing.assert_allclose(model.run({"x": x}), expected(x, len(devices)), atol=5e-6)


def test_copies_are_in_the_profile(tmp_path):
    devices = [1, 1, 0, 2]
    model = rm.compile(write_layers(tmp_path, devices))
    rows = model.profile({"x": random_array(0, 5, 8)}, repeat=2)
    copies = {row.name: row.calls for row in rows if " to " in row.name}
    assert copies == {"cpu:0 to cpu:1": 1, "cpu:1 to cpu:0": 1, "cpu:0 to cpu:2": 1,
                      "cpu:2 to cpu:0": 1}
    assert sum(copies.values()) == count_copies(devices)


def test_the_profile_names_devices(tmp_path):
    x = relay.var("x", shape=(4, 8), dtype="float32")
    there = relay.on_device(relay.tanh(x), scalar_device(2))
    path = tmp_path / "split.relay"
    path.write_text(relay.IRModule.from_expr(relay.Function([x], relay.exp(there))).astext())
    model = rm.compile(path, device_targets=SCALAR)
    trace = tmp_path / "trace.json"
    rows = model.profile({"x": random_array(0, 4, 8)}, repeat=2, trace=trace)
    devices = {"cpu:0 to scalar:2": "scalar:2", "fused_tanh": "scalar:2",
               "scalar:2 to cpu:0": "cpu:0", "fused_exp": "cpu:0"}
    assert {row.name: row.device for row in rows} == devices
    # Nobody counts the threads of a device.
    assert {row.device: row.busy is None for row in rows} == {"cpu:0": False, "scalar:2": True}
    # By the clock of the device: a nanosecond for a byte, a microsecond for each instruction,
    # of which there are several for each element.
    seconds = {row.name: (row.min, row.median) for row in rows}
    for copy in ("cpu:0 to scalar:2", "scalar:2 to cpu:0"):
        assert seconds[copy] == pytest.approx((128e-9, 128e-9))
    tanh, median = (1e6 * time for time in seconds["fused_tanh"])
    assert tanh == pytest.approx(median) == pytest.approx(round(tanh)) and 32 * 3 < tanh < 32 * 100
    events = [event for event in json.loads(trace.read_text())["traceEvents"]
              if event.get("cat") == "kernel"]
    assert {event["name"]: event["args"]["device"] for event in events} == devices
    model.save(tmp_path / "split.so")
    result = subprocess.run([BIN / "relay-run", tmp_path / "split.so", "--profile", "--peak=100,10"],
                            capture_output=True, text=True, check=True)
    assert re.search(r"^fused_tanh +scalar:2 +1 .* - +-$", result.stdout, re.M), result.stdout
    assert re.search(r"^fused_exp +cpu:0 +1 .*% +[0-9.]+%$", result.stdout, re.M), result.stdout
    result = subprocess.run([BIN / "relay-run", tmp_path / "split.so", "--info"],
                            capture_output=True, text=True, check=True)
    assert re.search(r"^device: cpu:0\ndevice: scalar:2\ncode for scalar: \d+ bytes, format scalar-text$",
                     result.stdout, re.M)


def test_copies_are_explicit_in_relax(tmp_path):
    path = write_layers(tmp_path, [1, 0])
    result = subprocess.run([BIN / "relay-compile", path, "--emit=relax", "-o", tmp_path / "relax.mlir"],
                            capture_output=True, text=True, check=True)
    text = (tmp_path / "relax.mlir").read_text()
    lines = text.splitlines()
    copies = [line for line in lines if "relax.copy" in line]
    assert len(copies) == 2
    assert all('#target.device<"cpu", 1>' in line for line in copies)
    # Constants and memory of the other device are its own.
    assert sum("relax.constant" in line and '"cpu", 1' in line for line in lines) == 2
    assert re.search(r'alloc_storage .* : !relax.storage<#target.device<"cpu", 1>>', text)
    # Kernels agree with the interpreter, one by one as well.
    result = subprocess.run([BIN / "relay-run", path, "--check=interpreter", "--dim=d0=5"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 0 and "agrees" in result.stdout, result.stderr


def test_other_kinds_of_devices_are_named(tmp_path):
    path = write_layers(tmp_path, [1])
    path.write_text(path.read_text().replace("device_type=1", "device_type=2"))
    result = subprocess.run([BIN / "relay-compile", path, "-o", tmp_path / "split.so"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1 and not (tmp_path / "split.so").exists()
    assert "expects a target for devices of kind cuda, but got none" in result.stderr


def test_objects_to_link_are_for_the_host(tmp_path):
    path = write_layers(tmp_path, [1])
    result = subprocess.run([BIN / "relay-compile", path, "--emit=obj", "-o", tmp_path / "split.o"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "expects a program for the host alone in a relocatable object" in result.stderr


@pytest.mark.parametrize("devices", [
    [cpu(0), cpu(1), cpu(2)], [cpu(0), scalar_device(0)],
    [cpu(0), cpu(1), scalar_device(0), scalar_device(3)]], ids=["cpu", "scalar", "both"])
@pytest.mark.parametrize("seed", range(20))
def test_random_splits_change_nothing(seed, devices, tmp_path):
    """A random graph, with each value on a random device or wherever it likes, computes what it
    computes on the host."""
    random = np.random.default_rng(seed)
    shape = (4, 6)

    def build(marks):
        draw = np.random.default_rng(seed)
        x, y = (relay.var(name, shape=shape, dtype="float32") for name in "xy")
        values = [x, y, relay.const(random_array(seed, *shape))]
        for number in range(12):
            a, b = (values[i] for i in draw.integers(len(values), size=2))
            kind = draw.integers(6)
            value = (relay.add(a, b) if kind == 0 else relay.tanh(a) if kind == 1
                     else relay.nn.dense(a, relay.const(random_array(number, 6, 6))) if kind == 2
                     else relay.nn.softmax(a) if kind == 3
                     else relay.split(relay.concatenate([a, b], axis=0), 2, axis=0)[1] if kind == 4
                     else relay.maximum(a, b))
            # What follows may be elsewhere: two marks between neighbours cannot conflict.
            if marks[number] is not None:
                value = relay.on_device(value, devices[marks[number]])
            values.append(value)
        results = relay.Tuple([values[-1], values[-2], values[draw.integers(3, len(values))]])
        path = tmp_path / "random.relay"
        path.write_text(relay.IRModule.from_expr(relay.Function([x, y], results)).astext())
        return rm.compile(path, device_targets=SCALAR)

    inputs = {"x": random_array(1, *shape), "y": random_array(2, *shape)}
    want = build([None] * 12).run(inputs)
    got = build(list(random.integers(len(devices), size=12))).run(inputs)
    for one, other in zip(want, got, strict=True):
        # The same kernels, fused another way.
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_relay_build_takes_targets_by_kind():
    x = relay.var("x", shape=(3, 4), dtype="float32")
    body = relay.on_device(relay.exp(relay.negative(x)), scalar_device(1))
    lib = relay.build(relay.IRModule.from_expr(relay.Function([x], relay.add(body, x))),
                      target={"cpu": "llvm", **SCALAR})
    module = lib["default"](cpu(0))
    value = random_array(0, 3, 4)
    module.run(x=value)
    np.testing.assert_allclose(module.get_output(0).numpy(), np.exp(-value) + value, rtol=1e-6)


def test_executors_take_targets_by_kind():
    x = relay.var("x", shape=(64,), dtype="float32")
    # Of no number: the first one.
    there = relay.on_device(relay.sum(relay.tanh(x)), VirtualDevice(12, target="scalar"))
    run = relay.create_executor("aot", relay.IRModule.from_expr(relay.Function([x], there)),
                                target={"cpu": "llvm", **SCALAR}).evaluate()
    value = random_array(0, 64)
    np.testing.assert_allclose(run(value).numpy(), np.tanh(value).sum(), rtol=1e-5)


def test_a_program_that_loads_a_plugin_ends_well():
    code = f"import relay_mlir; relay_mlir.load_dialect_plugin({str(BUILD / 'lib/ScalarTarget.so')!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_target_that_is_not_there_is_an_error(tmp_path):
    x = relay.var("x", shape=(4,), dtype="float32")
    path = tmp_path / "model.relay"
    path.write_text(relay.IRModule.from_expr(relay.Function(
        [x], relay.on_device(relay.tanh(x), scalar_device(0)))).astext())
    with pytest.raises(rm.CompileError, match="expects a target for devices of kind scalar"):
        rm.compile(path)
    with pytest.raises(rm.CompileError, match="its dialect is not known"):
        rm.compile(path, device_targets={"scalar": "#unknown.core"})
    # What the code generator does not know is named.
    path.write_text(relay.IRModule.from_expr(relay.Function(
        [x], relay.on_device(relay.erf(x), scalar_device(0)))).astext())
    with pytest.raises(rm.CompileError, match="expects an operation that a scalar core has"):
        rm.compile(path, device_targets=SCALAR)
    with pytest.raises(ValueError, match="expects a dialect plugin, but got '.*model.relay'"):
        rm.load_dialect_plugin(path)
    for text in ("", "\0"):
        with pytest.raises(ValueError, match="expects a dialect plugin"):
            rm.load_dialect_plugin(text)


def test_a_device_that_is_not_there_is_an_error(tmp_path, monkeypatch):
    x = relay.var("x", shape=(4,), dtype="float32")
    path = tmp_path / "model.relay"
    path.write_text(relay.IRModule.from_expr(relay.Function(
        [x], relay.on_device(relay.tanh(x), scalar_device(9)))).astext())
    # It has four.
    with pytest.raises(rm.RuntimeError, match="scalar:9"):
        rm.compile(path, device_targets=SCALAR)
