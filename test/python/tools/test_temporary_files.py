# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that other programs are given go, whatever ends the tool that made them."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
PROGRAM = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def interrupt(command, folder, number, **environment):
    """Ends a tool by a signal once a program that it has started is running."""
    temporary = folder / "tmp"
    temporary.mkdir()
    with subprocess.Popen([str(word) for word in command], cwd=folder, start_new_session=True,
                          stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          env={**os.environ, "TMPDIR": str(temporary), **environment}) as process:
        try:
            for _ in range(1200):
                if (folder / "started").exists():
                    break
                assert process.poll() is None
                time.sleep(0.05)
            assert list(temporary.iterdir())
            process.send_signal(number)
            assert process.wait(60) == -number
        finally:
            # What it has started, too.
            os.killpg(process.pid, signal.SIGKILL)
    # Those of mktemp are the shell's.
    return [path for path in temporary.iterdir() if not path.name.startswith("tmp.")]


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_assembler_of_ptx(tmp_path, number):
    (tmp_path / "program.mlir").write_text(PROGRAM)
    (tmp_path / "bin").mkdir()
    write_program(tmp_path / "bin" / "ptxas", f"touch {tmp_path}/started; exec sleep 600")
    assert not interrupt([BIN / "relay-compile", "program.mlir", "--no-cache", "-o", "program.so",
                          "--target=cuda -arch=sm_90a -code=cubin"],
                         tmp_path, number, CUDA_HOME=str(tmp_path))


def test_command_of_reduce(tmp_path):
    (tmp_path / "program.mlir").write_text(PROGRAM)
    assert not interrupt([BIN / "relay-reduce", "program.mlir",
                          f"--command=touch {tmp_path}/started; sleep 600; true"],
                         tmp_path, signal.SIGTERM)


def test_compiler_of_c(tmp_path):
    plugin = f"--load-dialect-plugin={BIN.parent / 'lib' / 'ExampleCodegen.so'}"
    (tmp_path / "program.mlir").write_text("""
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
""")
    subprocess.run([BIN / "relay-opt", plugin, "program.mlir",
                    "--relay-annotate-target=targets=example", "--relay-partition-graph",
                    "-o", "parts.mlir"], cwd=tmp_path, check=True)
    write_program(tmp_path / "cc", f"touch {tmp_path}/started; exec sleep 600")
    assert not interrupt([BIN / "relay-compile", plugin, "parts.mlir", "-o", "program.so"],
                         tmp_path, signal.SIGTERM, RELAY_CC=str(tmp_path / "cc"))
