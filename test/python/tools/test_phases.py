# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation in pieces: each phase by relay-opt, from the file that the one before
it left, and relay-compile from and to the forms between them. The artefact is the same
to the byte: nothing that a phase depends on is outside of the module.
"""

import os
import pathlib
import re
import subprocess
import sys

import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils/models"))

import build  # noqa: E402

BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

# The phases, and the form that each of them leaves.
PHASES = [("--relay-optimize", "relay-fused"), ("--relay-to-kernels", "relax-kernels"),
          ("--tir-schedule", "tir-scheduled")]

TEXT = """
func.func @main(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %1 = relay.nn.relu %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
"""


def run(tool, *arguments):
    return subprocess.run([BIN / tool, *arguments], capture_output=True, text=True, check=True)


def refuse(*arguments):
    result = subprocess.run([BIN / "relay-compile", *arguments, "-o", "/dev/null"],
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1, result.stderr
    return result.stderr


@pytest.fixture()
def model(tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize("name,target,precision", [
    ("mobilenetv2", "sapphirerapids", "high"), ("gru", "x86-64-v4", "medium"),
    pytest.param("mobilenetv2", "x86-64-v3", "high", marks=pytest.mark.nightly),
    pytest.param("gru", "aarch64-neoverse-n1", "high", marks=pytest.mark.nightly),
    *(pytest.param(name, target, precision, marks=pytest.mark.nightly)
      for name in ["resnet50", "bert_base"]
      for target, precision in [("x86-64-v3", "highest"), ("sapphirerapids", "medium")])])
def test_each_phase_alone(name, target, precision, tmp_path):
    model = tmp_path / "model.onnx"
    onnx.save(build.build(name), model)
    current = tmp_path / "model.mlir"
    run("relay-translate", "--import-onnx", model, "-o", current)
    choice = [f"--target={target}", f"--precision={precision}"]
    run("relay-compile", current, *choice, "--no-cache", "-o", tmp_path / "model.so")
    expected = (tmp_path / "model.so").read_bytes()

    run("relay-opt", current, "--symbol-privatize=exclude=main",
        f"--relay-attach-target=target={target} precision={precision}", "-o",
        tmp_path / "attached.mlir")
    current = tmp_path / "attached.mlir"
    for phase, form in PHASES:
        path = tmp_path / f"{form}.mlir"
        run("relay-opt", current, phase, "-o", path)
        # All that a compilation depends on is in the file, the target included.
        run("relay-compile", path, f"--from={form}", "--no-cache", "-o", tmp_path / "from.so")
        assert (tmp_path / "from.so").read_bytes() == expected, form
        run("relay-compile", current, *choice, f"--to={form}", "-o", tmp_path / "to.mlir",
            *([f"--from={current.stem}"] if current.stem != "attached" else []))
        assert (tmp_path / "to.mlir").read_text().strip() == path.read_text().strip(), form
        current = path
    lowered = tmp_path / "llvm.mlir"
    run("relay-opt", current, "--tir-to-llvm", "-o", lowered)
    text = lowered.read_text()
    assert "llvm.func" in text and "tir.prim_func" not in text


def test_executable(model, tmp_path):
    run("relay-compile", model, "--no-cache", "-o", tmp_path / "model.so")
    run("relay-compile", model, "--to=relax-executable", "-o", tmp_path / "executable.mlir")
    run("relay-compile", tmp_path / "executable.mlir", "--from=relax-executable", "--no-cache",
        "-o", tmp_path / "from.so")
    assert (tmp_path / "from.so").read_bytes() == (tmp_path / "model.so").read_bytes()


def test_other_forms_are_refused(model):
    assert "run --relay-fuse-ops" in refuse(model, "--from=relay-fused")
    assert "expects" in refuse(model, "--from=relax-kernels")
    assert ("expects --from=relay-typed, relay-fused, relax-kernels, tir-scheduled or "
            "relax-executable, but got 'relay'") in refuse(model, "--from=relay")
    assert "expects --to=relay-fused, relax-kernels" in refuse(model, "--to=llvm")
    assert ("expects --to of a form after relay-fused, but got relay-fused"
            in refuse(model, "--from=relay-fused", "--to=relay-fused"))
    assert "--emit" in refuse(model, "--to=relay-fused", "--emit=tir")
    assert ("expects --emit of what comes after relax-kernels, but got relay"
            in refuse(model, "--from=relax-kernels", "--emit=relay"))


@pytest.mark.parametrize("offset,message", [
    (-64, "expects an offset that is not negative, but got"),
    (196, "expects an offset that is a multiple of the alignment of its storage, 64, but got")])
def test_broken_memory_plan(model, tmp_path, offset, message):
    run("relay-compile", model, "--target=x86-64-v3", "--to=relax-executable", "-o",
        tmp_path / "plan.mlir")
    text = (tmp_path / "plan.mlir").read_text()
    assert "[0] : !relax.tensor" in text
    (tmp_path / "plan.mlir").write_text(text.replace("[0] : !relax.tensor",
                                                     f"[{offset}] : !relax.tensor"))
    assert message in refuse(tmp_path / "plan.mlir", "--from=relax-executable")


@pytest.mark.parametrize("attribute,message", [
    ('target.spec = #target.cpu<"aarch64-unknown-linux-gnu", "neoverse-n1">',
     "expects a kernel for the target of cpu:0, cpu (x86_64-"),
    ("target.precision = #target.precision<medium>",
     "expects a kernel of the precision of the module, high, or higher, but got medium"),
    ("tir.flops = affine_map<(d0) -> (d0)>", "expects tir.flops to be a map from its 0 dynamic"),
    ("tir.flops = affine_map<() -> ()>", "as symbols, to one number, but got")])
def test_kernel_with_attributes(model, tmp_path, attribute, message):
    """What one artefact cannot have, or kernels say of themselves."""
    run("relay-compile", model, "--target=x86-64-v3", "--to=relax-kernels", "-o",
        tmp_path / "kernels.mlir")
    text = re.sub(r"tir\.flops = #?\w+, ", "", (tmp_path / "kernels.mlir").read_text())
    assert " attributes {" in text
    head, kernel = text.split("tir.prim_func", 1)
    kernel = kernel.replace(" attributes {", f" attributes {{{attribute}, ", 1)
    (tmp_path / "kernels.mlir").write_text(f"{head}tir.prim_func{kernel}")
    assert message in refuse(tmp_path / "kernels.mlir", "--from=relax-kernels")


def test_scheduled_for_another_target(model, tmp_path):
    scheduled = tmp_path / "scheduled.mlir"
    run("relay-compile", model, "--target=znver3", "--to=tir-scheduled", "-o", scheduled)
    assert ('expects the target.spec that the module has, #target.cpu<"x86_64-unknown-linux-gnu", '
            '"znver3">, but got #target.cpu<"x86_64-unknown-linux-gnu", "znver4">'
            in refuse(scheduled, "--from=tir-scheduled", "--target=znver4"))
    # Nor is another precision a matter of the label.
    assert ("expects the target.precision that the module has, #target.precision<high>, but got "
            "#target.precision<highest>"
            in refuse(scheduled, "--from=tir-scheduled", "--precision=highest"))
    assert "-O" in refuse(scheduled, "--from=tir-scheduled", "-O0")
    assert "--schedules" in refuse(scheduled, "--from=tir-scheduled", f"--schedules={tmp_path}")
    run("relay-compile", scheduled, "--from=tir-scheduled", "--target=znver3", "-o",
        tmp_path / "model.so")
