# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of the package: however they end, there is no trace."""

import io
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import relay_mlir.quantization.__main__ as quantization
import relay_mlir.vta.__main__ as vta

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
MODEL = """func.func @main(%x: tensor<2x4xf32> {relay.name = "x"}) -> tensor<2x4xf32> {
  %w = relay.constant dense<0.5> : tensor<4x4xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""


def entries():
    """The functions that pip's scripts call, by the name of the script."""
    text = (ROOT / "python" / "pyproject.toml").read_text()
    return re.findall(r'^(relay-[a-z-]+) = "([a-z_.]+):([a-z_]+)"$', text, re.M)


def command(name, is_script):
    """The program of the build, or what pip's script of that name does."""
    if not is_script:
        return [BUILD / "bin" / name]
    [(module, function)] = [entry[1:] for entry in entries() if entry[0] == name]
    return [sys.executable, "-c", f"import sys; from {module} import {function}; "
            f"sys.argv[0] = '{name}'; sys.exit({function}())"]


@pytest.mark.parametrize("is_script", [False, True])
@pytest.mark.parametrize("name", ["relay-quantize", "relay-vta-explore"])
def test_signal_while_a_program_loads(tmp_path, name, is_script):
    (tmp_path / "numpy.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n")
    path = os.pathsep.join([str(tmp_path), str(BUILD / "python_packages")])
    result = subprocess.run([*command(name, is_script), "model", "-o", tmp_path],
                            capture_output=True, text=True, check=False, timeout=50,
                            env={**os.environ, "PYTHONPATH": path},
                            preexec_fn=lambda: signal.signal(signal.SIGINT,
                                                             signal.default_int_handler))
    assert (result.returncode, result.stdout, result.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize("name", ["relay-quantize", "relay-vta-explore", "relay-run"])
def test_scripts_of_pip(name):
    result = subprocess.run([*command(name, True), "--help"], capture_output=True, text=True,
                            check=False, timeout=50,
                            env={**os.environ, "PYTHONPATH": str(BUILD / "python_packages")})
    assert (result.returncode, result.stderr) == (0, "")
    assert re.match(f"usage: {name} |OVERVIEW: Runs", result.stdout), result.stdout


@pytest.mark.parametrize("program,function,arguments,message", [
    (quantization, "quantize", ["model.mlir", "--data=x.npz", "-o", "out.mlir"],
     "relay-quantize: stopped\n"),
    (vta, "explore", ["model.mlir", "-o", "sweep"],
     "relay-vta-explore: stopped; the same command goes on\n"),
])
def test_signal_while_a_program_works(program, function, arguments, message, tmp_path, monkeypatch,
                                      capsys):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text(MODEL)
    monkeypatch.setattr(program, function, stop)
    assert program.main(arguments) == 130
    assert capsys.readouterr() == ("", message)


def member(header):
    """An .npz file with an array of 24 bytes that has another header."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(header)) + header +
                         bytes(24))
    return file.getvalue()


def samples():
    file = io.BytesIO()
    np.savez_compressed(file, x=np.random.default_rng(0).normal(size=(3, 2, 4)).astype("f4"))
    return file.getvalue()


WHOLE = samples()


@pytest.mark.parametrize("data", [
    WHOLE[:-1], WHOLE[:60], WHOLE[:70] + bytes([WHOLE[70] ^ 255]) + WHOLE[71:], WHOLE[50:], b"",
    member(b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 4)}\n"),
    member(b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4)}\n"),
    member(b"(" * 5000), member(b"{'descr': 'O', 'fortran_order': False, 'shape': (3,)}\n"),
])
def test_samples_that_are_damaged(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text(MODEL)
    (tmp_path / "x.npz").write_bytes(data)
    assert quantization.main(["model.mlir", "--data=x.npz", "-o", "out.mlir"]) == 1
    assert capsys.readouterr().err.startswith(
        "relay-quantize: error: expects an .npz file with arrays of numbers, but got 'x.npz': ")


def test_results_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text(MODEL)
    (tmp_path / "x.npz").write_bytes(WHOLE)
    for option in ("-o", "--report"):
        arguments = [option, "/dev/full"] if option == "-o" else ["-o", "o.mlir", option,
                                                                  "/dev/full"]
        assert quantization.main(["model.mlir", "--data=x.npz", *arguments]) == 1
        error = capsys.readouterr().err
        assert "No space left" in error and "/dev/full" in error
    with open("/dev/full", "wb") as full:
        result = subprocess.run([*command("relay-quantize", False), "model.mlir", "--data=x.npz",
                                 "-o", "o.mlir"], stdout=full, stderr=subprocess.PIPE, text=True,
                                check=False, timeout=100)
    assert (result.returncode, result.stderr) == (
        1, "relay-quantize: error: cannot write the standard output: No space left on device\n")
