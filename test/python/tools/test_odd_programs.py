# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each pass of the project, alone, over programs that are not what it is for: it may leave
them or say what it expects, but does not crash or hang."""

import concurrent.futures
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
OPT = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin" / "relay-opt"
LIMIT_SECONDS = 120
PASS = re.compile(r"^ {6}--((?:relay|relax|tir|vta|verify|convert-(?:relay|relax|tir)|"
                  r"convert-linalg-to-tir)-?[\w-]*)", re.M)
# Loads plugins, and is no pass.
OTHERS = {"relay-dialect-passes"}

# Nothing here makes a dialect of the project known before a pass does.
FOREIGN = """
module {}
// -----
func.func private @main(tensor<2xf32>) -> tensor<2xf32>
// -----
func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @declared(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @main(%x: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : tensor<2xf32>
^b:
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// -----
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}
// -----
func.func @main(%x: tensor<2xf32>) { return }
// -----
func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> { return %x : tensor<*xf32> }
// -----
module {
  module @inner {
    func.func @main(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
      return %x : tensor<0x3xf32>
    }
  }
}
// -----
memref.global "private" constant @w : memref<4xf32> = dense<1.0>
func.func @main(%x: index, %m: memref<?xf32>, %v: vector<4xf32>) -> index {
  %0 = arith.addi %x, %x : index
  return %0 : index
}
// -----
func.func @main(%x: tensor<2xcomplex<f32>>, %y: tensor<2xf8E4M3FN>, %z: tensor<2xi128>)
    -> tensor<2xcomplex<f32>> {
  return %x : tensor<2xcomplex<f32>>
}
"""

RELAY = """
func.func @main(%x: tensor<2x!relay.incomplete>) -> tensor<2x!relay.incomplete> {
  return %x : tensor<2x!relay.incomplete>
}
// -----
func.func @main(%x: tensor<2xf32>) -> !relay.ref<tuple<>> {
  %0 = relay.tuple : ()
  %1 = relay.ref_create %0 : (tuple<>) -> !relay.ref<tuple<>>
  return %1 : !relay.ref<tuple<>>
}
// -----
func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A">
    attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}
func.func private @outside(tensor<?xf32>) -> tensor<?xf32>
    attributes {relay.compiler = "nobody", relay.primitive}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.call @id(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.call @outside(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
// -----
func.func @main(%x: tensor<8x2xf32>, %y: tensor<4x8xi4>) -> tensor<0x2xf32> {
  %0 = relay.repeat %x {axis = 0, repeats = 0} : (tensor<8x2xf32>) -> tensor<0x2xf32>
  return %0 : tensor<0x2xf32>
}
"""


def find_passes():
    text = subprocess.run([OPT, "--help"], capture_output=True, text=True, check=True).stdout
    return sorted(set(PASS.findall(text)) - OTHERS)


@pytest.mark.parametrize("program", [FOREIGN, RELAY], ids=["foreign", "relay"])
def test_no_pass_crashes(program, tmp_path):
    file = tmp_path / "odd.mlir"
    file.write_text(program, encoding="utf-8")

    def run(name):
        return subprocess.run([OPT, "--split-input-file", f"--{name}", file, "-o", os.devnull],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)

    passes = find_passes()
    assert len(passes) > 100
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(passes, pool.map(run, passes)))
    failed = {name: result.stderr[-2000:] for name, result in results.items()
              if result.returncode not in (0, 1)
              or bool(result.returncode) != ("error: " in result.stderr)}
    assert not failed
