#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares a folder for check.sh; prepare.sh says more.

What a model has to compute is what the processor computes at precision "highest",
which tests compare with the interpreter. Large weights have two values each, so that
the folder stays small: what a kernel does with them is the same, and so is the time
it takes.
"""

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

import pack
import relay_mlir as rm

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "utils" / "benchmark"))
import cases  # noqa: E402
import compare  # noqa: E402

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
LIBRARIES = ("libRelayRuntime.so.0.1", "librelay_device_cuda.so")
# Weights of fewer elements stay what they are.
LARGE = 4096
# How many of the checks compute-sanitizer looks at: it takes a hundred times as long.
SANITIZED = 12
MOST_MIB = 60


def simplify(model):
    """Gives large weights two values of the same variance, and all channels of a
    normalization the same scale, which may be folded into weights."""
    scales = {name for node in model.graph.node if node.op_type == "BatchNormalization"
              for name in (node.input[1], node.input[4])}
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and values.size > LARGE:
            simple = np.where(values < 0, -values.std(), values.std()).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(simple, tensor.name))
        elif tensor.name in scales:
            tensor.CopyFrom(numpy_helper.from_array(np.full_like(values, values.mean()),
                                                    tensor.name))


def file_name(name):
    return re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")


def dims(shape):
    return "x".join(map(str, shape)) or "scalar"


def write_tensor(folder, name, array):
    path = folder / name
    path.write_bytes(np.ascontiguousarray(array).tobytes())
    return name


def bound(array):
    if array.dtype == np.float32:
        return compare.BOUNDS["high"]
    return compare.BOUNDS["f16"] if array.dtype == np.float16 else compare.BOUNDS["bf16"]


def write_case(folder, stem, case, is_check):
    """The tensors of a case, and the file that names them."""
    lines = []
    for number, (name, array) in enumerate(case.inputs.items()):
        source = (write_tensor(folder, f"{stem}.in{number}", array) if is_check
                  else f"random:{number + 1}")
        lines.append(f"input {name} {dims(array.shape)} {source}")
    if is_check:
        model = rm.compile(case.model, precision="highest", cache=False,
                              executor="graph")
        results = model.run(case.inputs)
        results = results if isinstance(results, tuple) else (results,)
        for number, (info, array) in enumerate(zip(model.outputs, results, strict=True)):
            source = write_tensor(folder, f"{stem}.out{number}", array)
            lines.append(f"output {info.name} {dims(array.shape)} {source} {bound(array)}")
    (folder / f"{stem}.case").write_text("\n".join(lines) + "\n")


def compile_case(case, path, target):
    """Compiles as a user would; returns the reason if that fails."""
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "model.onnx")
        onnx.save(case.model, model)
        command = [BUILD / "bin" / "relay-compile", model, f"--target={target}", "-o", path]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return None
    lines = [line for line in result.stderr.splitlines() if "error" in line]
    return (lines or result.stderr.splitlines() or ["it does not say why"])[0]


def prepare(folder, name, options, is_check):
    """Adds the cases of a list; returns the rows of the folder's list."""
    rows = []
    for case in cases.load(HERE / f"{name}.json",
                           lambda text: fnmatch.fnmatch(text, options.only)):
        stem = file_name(case.name)
        simplify(case.model)
        path = folder / "models" / f"{stem}.so"
        reason = compile_case(case, path, options.target)
        kind = "check" if is_check else "benchmark"
        print(f"{kind} {case.name}: {reason or 'compiled'}", flush=True)
        if reason:
            rows.append(f"failed {stem} {case.name}: {reason}")
            continue
        write_case(folder / "models", stem, case, is_check)
        if path.stat().st_size > 1 << 18:
            pack.pack(path, path.with_suffix(".pack"))
            path.unlink()
        rows.append(f"{kind} {stem} {case.name}")
    return rows


def copy_programs(folder):
    """The run time and what runs models, and the C++ library they were linked with."""
    for name in ("bin", "lib", "models"):
        (folder / name).mkdir(parents=True)
    shutil.copy2(BUILD / "bin" / "relay-exec", folder / "bin")
    for name in LIBRARIES:
        shutil.copy2((BUILD / "lib" / name).resolve(), folder / "lib" / name)
    listing = subprocess.run(["ldd", BUILD / "bin" / "relay-exec"], capture_output=True,
                             text=True, check=True).stdout
    for name, path in re.findall(r"(libstdc\+\+\S*|libgcc_s\S*) => (\S+)", listing):
        shutil.copy2(pathlib.Path(path).resolve(), folder / "lib" / name)
    shutil.copy2(HERE / "check.sh", folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="a new folder")
    parser.add_argument("--only", default="*", metavar="PATTERN",
                        help="the cases whose names match, as in 'matmul*'")
    parser.add_argument("--target", default="cuda", help="what relay-compile compiles for")
    options = parser.parse_args()
    if options.folder.exists():
        parser.error(f"expects a new folder, but got '{options.folder}', which "
                     "is there")
    copy_programs(options.folder)
    rows = prepare(options.folder, "checks", options, is_check=True)
    checks = [row for row in rows if row.startswith("check ")]
    rows += [row.replace("check ", "sanitize ", 1) for row in checks[:SANITIZED]]
    rows += prepare(options.folder, "benchmarks", options, is_check=False)
    if not rows:
        shutil.rmtree(options.folder)
        parser.error(f"expects a pattern that a case matches, but got '{options.only}'")
    (options.folder / "list.txt").write_text("\n".join(rows) + "\n")
    size = sum(path.stat().st_size for path in options.folder.rglob("*")) / 2**20
    print(f"{options.folder}: {size:.1f} MiB")
    failed = sum(row.startswith("failed ") for row in rows)
    if failed:
        print(f"{failed} could not be compiled", file=sys.stderr)
    if size > MOST_MIB:
        print(f"expects at most {MOST_MIB} MiB", file=sys.stderr)
    return 1 if failed or size > MOST_MIB else 0


if __name__ == "__main__":
    sys.exit(main())
