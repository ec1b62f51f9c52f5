#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times what oneDNN takes of a model against what we compile of it, in one run.

    regions.py resnet18 model.onnx --threads 1 --rounds 5

Models are names of utils/models/build.py, or files. The whole model comes first, then
each region, alone, on the same random inputs, in turn. The medians are printed: a ratio
above 1 means that ours is faster. Outputs must agree to 1e-4 of the scale, or the program
fails.
"""

import argparse
import ctypes
import os
import pathlib
import re
import statistics
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
sys.path[:0] = [str(BUILD / "python_packages"), str(HERE.parent), str(HERE.parent / "models")]
import option_types  # noqa: E402

TOLERANCE = 1e-4


def get_onednn_version():
    """That of the library that the run time loads."""
    library = ctypes.CDLL(str(BUILD / "lib" / "librelay_device_dnnl.so"))

    class Version(ctypes.Structure):
        _fields_ = [("numbers", ctypes.c_int * 3)]

    library.dnnl_version.restype = ctypes.POINTER(Version)
    return ".".join(str(number) for number in library.dnnl_version().contents.numbers)


def describe(function, relay):
    """The patterns and operators of a region, by how often they occur."""
    counts: dict[str, int] = {}
    inside: set[object] = set()

    def visit(node):
        if isinstance(node, relay.Function) and (node.attrs or {}).get("Composite"):
            name = str(node.attrs["Composite"]).removeprefix("dnnl.")
            counts[name] = counts.get(name, 0) + 1
            relay.post_order_visit(node.body, inside.add)

    relay.post_order_visit(function.body, visit)

    def visit_rest(node):
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Op) and node not in inside:
            name = node.op.name.removeprefix("nn.")
            counts[name] = counts.get(name, 0) + 1

    relay.post_order_visit(function.body, visit_rest)
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())


def compare(name, ours, theirs, rounds, turn):
    """Runs two modules of the same inputs in turn; whether they agree."""
    import numpy as np
    import relay_mlir.compat as tvm
    from relay_mlir import relay

    rng = np.random.default_rng(0)
    main = ours["main"]
    inputs = []
    for param in main.params:
        type_ = param.checked_type
        if any(not isinstance(size, int) for size in type_.shape):
            print(f"{name}: left out, its sizes are open")
            return True
        value = rng.standard_normal(type_.shape) if "float" in type_.dtype else \
            rng.integers(0, 2, type_.shape)
        inputs.append(value.astype(type_.dtype))
    runs = []
    for mod in (ours, theirs):
        # There is no code generator "ours": we compile its functions.
        with warnings.catch_warnings(), \
                relay.build_config(opt_level=3, config={"relay.ext.fallback": True}):
            warnings.simplefilter("ignore")
            run = relay.build(mod, target="llvm")["default"](tvm.cpu(0))
        for index, value in enumerate(inputs):
            run.set_input(index, value)
        start = time.perf_counter()
        run.run()
        runs.append((run, time.perf_counter() - start))
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for samples, (run, once) in zip(times, runs):
            for _ in range(max(3, min(200, int(turn / once)))):
                start = time.perf_counter()
                run.run()
                samples.append(time.perf_counter() - start)
    medians = [statistics.median(samples) * 1e3 for samples in times]
    error = 0.0
    for index in range(runs[0][0].get_num_outputs()):
        one, other = (run.get_output(index).numpy().astype("float64") for run, _ in runs)
        scale = max(1e-30, np.abs(one).max(initial=0.0))
        error = max(error, float(np.abs(one - other).max(initial=0.0)) / scale)
    agrees = error <= TOLERANCE
    print(f"{medians[0]:9.3f} {medians[1]:9.3f} {medians[1] / medians[0]:6.2f} {error:8.1e}  "
          f"{name}{'' if agrees else '  DIFFERS'}", flush=True)
    return agrees


def make_program(function, compiler, relay):
    """A program that is one region."""
    mod = relay.IRModule({"region": function.with_attr("Compiler", compiler)})
    params = [relay.var(p.name_hint, type_annotation=p.checked_type) for p in function.params]
    mod["main"] = relay.Function(params, relay.Call(mod.get_global_var("region"), params))
    return relay.transform.InferType()(mod)


def run_model(model, arguments):
    import onnx

    import build
    from relay_mlir import relay
    from relay_mlir.relay.op.contrib.dnnl import partition_for_dnnl

    loaded = build.build(model) if model in build.MODELS else onnx.load(model)
    mod, params = relay.frontend.from_onnx(loaded)
    mod["main"] = relay.bind_params_by_name(mod["main"], params)
    mod = relay.transform.InferType()(mod)
    parts = partition_for_dnnl(mod)
    agree = compare(f"{model}", mod, parts, arguments.rounds, arguments.turn)
    for var, function in parts.functions_items():
        attrs = dict(function.attrs or {})
        if attrs.get("Compiler") != "dnnl":
            continue
        own, region = (make_program(function, compiler, relay) for compiler in ("ours", "dnnl"))
        number = re.sub(r".*_(\d+)$", r"\1", var.name_hint)
        agree &= compare(f"  region {number}: {describe(function, relay)}", own, region,
                         arguments.rounds, arguments.turn)
    return agree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=option_types.model)
    parser.add_argument("--threads", type=option_types.positive, default=1)
    parser.add_argument("--rounds", type=option_types.positive, default=5)
    parser.add_argument("--turn", type=option_types.seconds, default=0.3,
                        help="seconds of a turn (default: %(default)s)")
    arguments = parser.parse_args()
    # Both ask when they are loaded.
    os.environ["RELAY_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    os.environ["RELAY_DEVICE_PATH"] = str(BUILD / "lib")
    import relay_mlir
    print(f"relay-mlir {relay_mlir.__version__}, oneDNN {get_onednn_version()}, "
          f"{arguments.threads} threads")
    print("  ours ms oneDNN ms  ratio    error")
    results = [run_model(model, arguments) for model in arguments.models]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
