# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with kernels of VTA: librelay_device_vta.so runs them on a simulator."""

import concurrent.futures
import os
import pathlib
import struct

import numpy as np
import pytest

import relay_mlir as rm
import relay_mlir.compat as tvm
from relay_mlir import relay

import vta_model
from vta_model import ACC8, ADD, ALU, LOAD, MAX, STORE, UOP, OUT, Config

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIB = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "lib"
ELEMENTS = 24
SHAPE = (ELEMENTS, 16)


def make_alu(function):
    """A program that reads one or two tensors of int8 and writes their maximum with zero, or
    their sum."""
    config, base, count = Config(), 8 * 4096, len(function.params)
    image = bytearray(4096)
    # Micro-ops that add a second block of elements to the first one.
    image[:4] = struct.pack("<I", vta_model.encode_uop(config, 0, ELEMENTS * (count - 1), 0))
    loads = [{"opcode": LOAD, "memory": ACC8, "sram": i * ELEMENTS, "y_size": 1,
              "dram": base // 16 + 64 + i * ELEMENTS, "x_size": ELEMENTS, "x_stride": ELEMENTS}
             for i in range(count)]
    alu = {"opcode": ALU, "alu": MAX if count == 1 else ADD, "use_imm": int(count == 1), "imm": 0,
           "uop_begin": 0, "uop_end": 1, "iter_out": 1, "iter_in": ELEMENTS, "dst_in": 1,
           "src_in": 1}
    store = {"opcode": STORE, "memory": OUT, "sram": 0, "y_size": 1, "x_size": ELEMENTS,
             "x_stride": ELEMENTS, "dram": base // 16 + 64 + 2 * ELEMENTS}
    uop = {"opcode": LOAD, "memory": UOP, "sram": 0, "dram": base // 4, "y_size": 1, "x_size": 1,
           "x_stride": 1}
    stream = [vta_model.encode(config, instruction)
              for instruction in vta_model.add_tokens([uop, *loads, alu, store])]
    program = vta_model.write_program(config, base, image, stream)
    size = ELEMENTS * 16
    buffers = [(base + 1024 + i * size, size, 1) for i in range(count)]
    return program, [*buffers, (base + 1024 + 2 * size, size, 2)]


def pack(name, program, buffers):
    return (struct.pack("<I", len(name)) + name.encode() + struct.pack("<I", len(buffers)) +
            b"".join(struct.pack("<QQI", *buffer) for buffer in buffers) +
            struct.pack("<Q", len(program)) + program)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(LIB))
    monkeypatch.delenv("RELAY_VTA_SIMULATOR", raising=False)


def build(change=lambda kernels: kernels, kind="vta 1"):
    """A model, part of which are kernels of VTA; `change` gets the bytes of these."""

    def takes(call):
        return all(t.dtype == "int8" and tuple(t.concrete_shape) == SHAPE
                   for t in (call.checked_type, *(arg.checked_type for arg in call.args)))

    for name in ("nn.relu", "add"):
        relay.op.get(name).reset_attr("target.vta")
        tvm.ir.register_op_attr(name, "target.vta", takes)

    def generate(mod):
        kernels = [pack(var.name_hint, *make_alu(function))
                   for var, function in mod.functions_items()]
        data = b"VTAK" + struct.pack("<I", len(kernels)) + b"".join(kernels)
        return relay.codegen.Blob(kind, change(data))

    relay.codegen.register("vta", generate)
    x, y = (relay.var(name, shape=SHAPE, dtype="int8") for name in "xy")
    out = relay.cast(relay.nn.relu(relay.add(x, y)), "int32") + relay.const(1000)
    mod = relay.IRModule.from_expr(relay.Function([x, y], out))
    mod = relay.transform.AnnotateTarget("vta")(mod)
    mod = relay.transform.PartitionGraph()(mod)
    return relay.build(mod, target="llvm")


def check(lib):
    run = lib["default"](tvm.cpu(0))
    rng = np.random.default_rng(1)
    for _ in range(3):
        x, y = (rng.integers(-128, 128, SHAPE, np.int8) for _ in range(2))
        run.run(x=x, y=y)
        # Results of 8 bits wrap around.
        expected = np.maximum(x + y, 0).astype(np.int32) + 1000
        np.testing.assert_array_equal(run.get_output(0).numpy(), expected)


@pytest.mark.parametrize("simulator", ["functional", "cycle"])
def test_model(simulator, monkeypatch):
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", simulator)
    check(build())


def test_simulator_that_there_is_not(monkeypatch):
    monkeypatch.setenv("RELAY_VTA_SIMULATOR", "fast")
    with pytest.raises(Exception, match="expects functional or cycle in RELAY_VTA_SIMULATOR, "
                       "but got 'fast'"):
        check(build())


def test_strict_mode_that_there_is_not(monkeypatch):
    for value in ("", "0", "1"):
        monkeypatch.setenv("RELAY_VTA_STRICT", value)
        # Sums of elements of bytes are what fsim alone loads.
        if value == "1":
            with pytest.raises(Exception, match="not_portable"):
                check(build())
        else:
            check(build())
    monkeypatch.setenv("RELAY_VTA_STRICT", "yes")
    with pytest.raises(Exception, match="expects 0 or 1 in RELAY_VTA_STRICT, but got 'yes'"):
        check(build())


def change_buffer(data, index, size):
    """Says of an output, which is alone at its place, that it has another size."""
    buffer = struct.pack("<QQI", 8 * 4096 + 1024 + index * 384, 384, 2)
    assert buffer in data
    return data.replace(buffer, buffer[:8] + struct.pack("<Q", size) + buffer[16:])


def drop_buffer(data):
    """Says of a kernel that it has a buffer less than its callers pass."""
    at = data.index(struct.pack("<Q", 8 * 4096 + 1024)) - 4
    count, = struct.unpack_from("<I", data, at)
    return data[:at] + struct.pack("<I", count - 1) + data[at + 24:]


@pytest.mark.parametrize("change,message", [
    (lambda data: b"", "expects kernels of VTA, which begin with 'VTAK'"),
    (lambda data: b"ELF" + data, "expects kernels of VTA, which begin with 'VTAK'"),
    (lambda data: data[:20], "expects more bytes of a kernel"),
    (lambda data: data[:-1], "expects more bytes of a kernel"),
    (lambda data: data + b"\0", "expects the end of the kernels"),
    (lambda data: data[:12] + b"\xff" + data[13:], "expects the name of a kernel in UTF-8"),
    (lambda data: data.replace(b"VTAO\1", b"VTAO\2"), "offset 4: expects version 1, but got 2"),
    (lambda data: data.replace(struct.pack("<QQ", 8 * 4096 + 1024, 384),
                               struct.pack("<QQ", 8 * 4096 + 1024, 3073)),
     "expects buffers inside of the memory of"),
    # Inside of the accelerator's memory, but not of what the model has.
    (lambda data: change_buffer(data, 2, 2048),
     "expects buffer [12] to have 384 bytes, but got 2048"),
    (lambda data: change_buffer(data, 2, 0), "expects buffer [12] to have 384 bytes, but got 0"),
    (drop_buffer, "expects [23] buffers, but got [12]"),
    (lambda data: data.replace(b"_main_0", b"_main_9"), "there is no function"),
])
def test_kernels_that_are_wrong(change, message):
    with pytest.raises(Exception, match=message):
        check(build(change))


def test_another_format():
    with pytest.raises(Exception, match="expects code in the format 'vta 1', but got 'vta 2'"):
        check(build(kind="vta 2"))


def test_a_program_that_fails():
    """What the simulator says of it is the error of the run."""
    config = Config()
    finish = vta_model.encode(config, {"opcode": vta_model.FINISH, "pop_next": 1})

    def change(data):
        assert finish in data
        return data.replace(finish, vta_model.encode(
            config, {"opcode": vta_model.FINISH, "pop_next": 1, "pop_prev": 1}))

    with pytest.raises(Exception, match="deadlock: no stage can go on: compute at instruction"):
        check(build(change))


@pytest.mark.parametrize("devices", [("vta:fsim", "vta:fsim"), ("vta:tsim", "vta:fsim")])
def test_threads_and_models_at_once(tmp_path, monkeypatch, devices):
    """Two models on the device, and two threads that run both."""
    monkeypatch.setenv("RELAY_VTA_STRICT", "1")
    rng = np.random.default_rng(0)
    models = []
    for i, device in enumerate(devices):
        x = relay.var("x", shape=(1, 32, 9, 9 + i), dtype="int8")
        weight = rng.integers(-128, 128, (32, 32, 3, 3)).astype("int8")
        value = relay.nn.conv2d(x, relay.const(weight), padding=(1, 1), out_dtype="int32")
        value = relay.cast(relay.clip(relay.right_shift(value, relay.const(8)), -128, 127), "int8")
        path = tmp_path / f"model{i}.relay"
        path.write_text(relay.IRModule.from_expr(relay.Function([x], value)).astext())
        models.append((rm.compile(path, target="vta,cpu", device=device),
                       rm.compile(path), (1, 32, 9, 9 + i)))

    cases = []
    for device, host, shape in models:
        for _ in range(4):
            inputs = {"x": rng.integers(-128, 128, shape).astype("int8")}
            cases.append((device, inputs, host.run(inputs)[0]))

    def run_all(seed):
        order = np.random.default_rng(seed).permutation(len(cases) * 5) % len(cases)
        return sum(not np.array_equal(device.run(inputs)[0], expected)
                   for device, inputs, expected in (cases[i] for i in order))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run_all, range(2))) == [0, 0]
