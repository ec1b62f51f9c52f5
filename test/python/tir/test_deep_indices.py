# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices of stores that nobody's kernels have, but a file may: sums of many, and loops whose
bounds are sums of the loops around them. They take neither the stack nor forever."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

FUNCTION = """func.func @f(%out: memref<16777216xf32>, %v: vector<8xf32>) {{
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  {loops}
  vector.store %v, %out[%{index}] : memref<16777216xf32>, vector<8xf32>
  {ends}
  return
}}
"""


def chain(length):
    """A multiple of 8 by so many additions."""
    sums = "\n".join(f"%x{i + 1} = arith.addi %x{i}, %c8 : index" for i in range(length))
    return FUNCTION.format(loops="scf.for %x0 = %c0 to %c1024 step %c8 {\n" + sums,
                           index=f"x{length}", ends="}")


def nest(depth):
    """Each loop begins at the sum of the two around it: a Fibonacci number of paths."""
    loops = ["scf.for %i0 = %c0 to %c1024 step %c8 {", "scf.for %i1 = %c0 to %c1024 step %c8 {"]
    for i in range(2, depth):
        loops.append(f"%l{i} = arith.addi %i{i - 1}, %i{i - 2} : index")
        loops.append(f"scf.for %i{i} = %l{i} to %c1024 step %c8 {{")
    return FUNCTION.format(loops="\n".join(loops), index=f"i{depth - 1}", ends="}" * depth)


@pytest.mark.parametrize("text,streams", [
    (chain(10), True), (chain(200000), False), (nest(45), True)],
    ids=["short chain", "long chain", "nest"])
def test_stores_at_deep_indices(tmp_path, text, streams):
    path = tmp_path / "deep.mlir"
    path.write_text(text)
    # Far more than it takes, also where others keep the machine busy.
    result = subprocess.run([BIN / "relay-opt", path, "--tir-stream-stores=min-bytes=4096"],
                            capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == 0, result.stderr
    assert ("nontemporal" in result.stdout) == streams
