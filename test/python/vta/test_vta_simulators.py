# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""relay-vta-sim: random programs against NumPy, and vectors that others made."""

import json
import os
import pathlib
import re
import subprocess

import pytest

import random_programs

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
VECTORS = ROOT / "test" / "VTA" / "Inputs" / "vectors"
# More of them, where they are.
ALL_VECTORS = ROOT.parent / "shared" / "reference" / "vta-vectors"


def simulate(*arguments, cwd=None, code=0):
    result = subprocess.run([BIN / "relay-vta-sim", *arguments], cwd=cwd, capture_output=True,
                            text=True, check=False, timeout=300)
    assert result.returncode == code, result.stderr + result.stdout
    return result.stdout if code == 0 else result.stdout + result.stderr


@pytest.mark.parametrize("mode", ["functional", "cycle"])
@pytest.mark.parametrize("name", random_programs.CONFIGS)
def test_random_programs(name, mode, tmp_path):
    cases = []
    for seed in range(40):
        data, image, counts = random_programs.make_program(random_programs.CONFIGS[name], seed)
        (tmp_path / f"random_{seed}.vtao").write_bytes(data)
        (tmp_path / f"random_{seed}.out").write_bytes(image)
        cases.append({"name": f"random_{seed}", "profiler": counts})
    (tmp_path / "cases.json").write_text(json.dumps({"cases": cases}))
    out = simulate("--check", f"--mode={mode}", *sorted(tmp_path.glob("*.vtao")))
    assert out.endswith("40 of 40 vectors are as expected\n")


def test_programs_do_something():
    """What is compared is not zeros."""
    before = after = counts = 0
    for config in random_programs.CONFIGS.values():
        data, image, count = random_programs.make_program(config, 0)
        before += len(image)
        after += sum(a != b for a, b in zip(data[80:], image))
        counts += count["gemm_counter"] > 0 and count["alu_counter"] > 0
    assert after > before // 2000 and counts > len(random_programs.CONFIGS) // 2


@pytest.mark.parametrize("mode", ["functional", "cycle"])
@pytest.mark.parametrize("folder", [VECTORS, ALL_VECTORS], ids=["shipped", "all"])
def test_vectors(folder, mode):
    if not folder.exists():
        pytest.skip("the machine lacks the vectors that are not in the checkout")
    files = sorted(folder.glob("*.vtao"))
    out = simulate("--check", f"--mode={mode}", *files)
    assert files and f"{len(files)} of {len(files)} vectors are as expected" in out
    # Faults are found at the instruction that has them.
    assert "(cases.json:" not in out
    for line in out.splitlines()[:-1]:
        assert re.search(r"\.vtao: (ok|refused, \w+: )", line), line


def test_strict_mode_is_where_implementations_differ():
    """A program that all implementations run the same is accepted."""
    cases = json.loads((VECTORS / "cases.json").read_text())["cases"]
    refused = 0
    for case in cases:
        if case.get("negative"):
            continue
        path = VECTORS / f"{case['name']}.vtao"
        differs = "hls" not in case["backends"] or "note" in case
        out = simulate("--strict", path, code=1 if differs else 0)
        assert not differs or "not_portable" in out
        refused += differs
    assert refused


def test_a_fast_network(tmp_path):
    """1.7 G products, as ResNet-18 has, with their loads and stores."""
    config = random_programs.CONFIGS["1x16"]
    loops = {"opcode": random_programs.GEMM, "iter_out": 56, "iter_in": 3, "dst_out": 1,
             "src_out": 1, "src_in": 1, "wgt_in": 1, "uop_begin": 0, "uop_end": 48}
    step = [{"opcode": 0, "memory": random_programs.INP, "sram": 0, "dram": 4096 // 16,
             "y_size": 1, "x_size": 60, "x_stride": 60},
            {"opcode": 0, "memory": random_programs.WGT, "sram": 0, "dram": 4096 // 256,
             "y_size": 1, "x_size": 16, "x_stride": 16}, loops]
    program = random_programs.add_tokens(
        [{"opcode": 0, "memory": 0, "sram": 0, "dram": 2048, "y_size": 1, "x_size": 48,
          "x_stride": 48}, *step * 822])
    data = random_programs.write_program(
        config, 4096, bytes(8192), [random_programs.encode(config, insn) for insn in program])
    (tmp_path / "network.vtao").write_bytes(data)
    out = simulate("--stats", tmp_path / "network.vtao")
    assert f"micro-ops: gemm {822 * 56 * 3 * 48}, alu 0" in out
