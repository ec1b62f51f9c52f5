#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as other programs write them, and how they compare with ONNX Runtime.

    exports.py list                                # what there is
    exports.py make FOLDER [--only PATTERN ...]    # writes models with inputs
    exports.py check FOLDER [--only PATTERN ...]   # compiles, runs and compares them

Networks of torchvision, timm and transformers have random weights and small
configurations, and are exported by both of PyTorch's exporters, with sizes that are
open or not. Pipelines of scikit-learn, LightGBM and XGBoost are trained on its digits.
Trained networks are taken from packages of the Python registry.

`make` needs what utils/models/exports.txt lists, and whatever of it is missing makes
fewer models. A folder has one folder for each model: model.onnx, run0.npz and run1.npz
with inputs of two sizes (or other numbers, where no size is open), log.txt, which says
why it was not written, and tolerance.txt, if the largest difference that is allowed is
not 1e-4 of the largest magnitude of an output. `check` takes any folder that looks so. It
prints a line for each model, and appends it to FOLDER/results.jsonl; models with a
result there are not run again without --again.
"""

import argparse
import contextlib
import fnmatch
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import traceback
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import export_list
import option_types


def matches(name, patterns):
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


#
# make
#


def write_model(name, folder):
    """Writes a model and inputs."""
    import onnx
    path = folder / name
    export = export_list.find(name)
    runs = export.write(path / "model.onnx")
    model = onnx.load(path / "model.onnx", load_external_data=False)
    weights = {tensor.name for tensor in model.graph.initializer}
    names = [info.name for info in model.graph.input if info.name not in weights]
    tolerance = getattr(export, "tolerance", None)
    if tolerance is not None:
        (path / "tolerance.txt").write_text(f"{tolerance}\n")
    for index, run in enumerate(runs):
        if not isinstance(run, dict):
            run = dict(zip(names, run, strict=True))
        # Exporters drop what a network does not read.
        np.savez(path / f"run{index}.npz", **{key: run[key] for key in names})


def write_apart(name, folder, seconds):
    """Writes a model in a process of its own, which has what this one has imported: that
    takes longer than most models. What went wrong, if something did."""
    log = folder / name / "log.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            signal.alarm(seconds)
            with log.open("w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            write_model(name, folder)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == -signal.SIGALRM:
        return f"takes more than {seconds} s"
    lines = log.read_text(errors="replace").strip().splitlines() if status else []
    return f"ends with {status}: {(lines or [''])[-1]}" if status else ""


def make(args):
    wanted = [name for name in export_list.names() if matches(name, args.only)]
    for module in ("onnx", "torch", "torchvision", "timm", "transformers", "skl2onnx"):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    count = 0
    for name in wanted:
        if (args.folder / name / "run0.npz").exists() and not args.again:
            continue
        begin = time.monotonic()
        problem = write_apart(name, args.folder, args.limit)
        count += not problem
        print(f"{name:48} {time.monotonic() - begin:6.1f} s  {problem or 'written'}", flush=True)
    print(f"{count} models are written")


#
# check
#


def run_limited(arguments, seconds):
    """Runs this script in a process of its own. The last line that it wrote, or why there
    is none; and how long it took. Threads of others end with it."""
    begin = time.monotonic()
    with subprocess.Popen([sys.executable, __file__, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, f"takes more than {seconds} s", time.monotonic() - begin
    elapsed = time.monotonic() - begin
    lines = out.strip().splitlines()
    if process.returncode == 0 and lines:
        return lines[-1], "", elapsed
    text = (err.strip().splitlines() or ["no message"])[-1]
    return None, f"ends with {process.returncode}: {text}", elapsed


def compare(ours, theirs):
    """The largest difference of two results, as a part of the largest magnitude. Raises
    ValueError if they are not of one kind."""
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            raise ValueError("expects a sequence of the same length")
        return max((compare(a, b) for a, b in zip(ours, theirs)), default=0.0)
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        raise ValueError(f"expects {theirs.dtype}{list(theirs.shape)}, but got "
                         f"{ours.dtype}{list(ours.shape)}")
    if theirs.dtype.kind not in "fc":
        equal = np.asarray(ours == theirs)
        return float(1 - equal.mean()) if equal.size else 0.0
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        raise ValueError("expects numbers that are not finite in the same places")
    a, b = a[np.isfinite(b)], b[np.isfinite(b)]
    scale = np.abs(b).max(initial=0)
    return float(np.abs(a - b).max(initial=0) / scale) if scale else float(np.abs(a).max(initial=0))


# Where nodes have weights in bytes, and the zero points of these.
BYTES = {"MatMulInteger": [(1, 3)], "ConvInteger": [(1, 3)],
         "DynamicQuantizeLSTM": [(1, 9), (2, 11)]}


def read_reference(path):
    """The model for ONNX Runtime: a path, or bytes of an equal one whose weights have no
    signs. Of those that have, its sums saturate on processors without VNNI, by a third of
    the largest number and more."""
    from onnx import load, numpy_helper
    model = load(path, load_external_data=False)
    weights = {tensor.name: tensor for tensor in model.graph.initializer}
    changed = set()
    for node in model.graph.node:
        for index, zero in BYTES.get(node.op_type, []):
            names = [node.input[index], *node.input[zero:zero + 1]]
            tensors = [weights.get(name) for name in names]
            if any(tensor is None or tensor.data_type != 3 for tensor in tensors):
                continue
            if len(tensors) == 1:
                node.input.extend([""] * (zero - len(node.input)) + [f"{names[0]}.zero"])
                model.graph.initializer.append(numpy_helper.from_array(np.array(128, np.uint8),
                                                                       node.input[zero]))
            changed.update(names)
    for name in changed:
        array = numpy_helper.to_array(weights[name]).astype(np.int16) + 128
        weights[name].CopyFrom(numpy_helper.from_array(array.astype(np.uint8), name))
    # External data is found by the path.
    return model.SerializeToString() if changed else str(path)


def check_model(path, level):
    """In a process of its own: what became of each run."""
    import onnxruntime as ort
    import relay_mlir as rm
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # What is compared with is what the model says, not what ONNX Runtime makes of it.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    file = path / "tolerance.txt"
    tolerance = float(file.read_text()) if file.exists() else 1e-4
    runs = []
    for file in sorted(path.glob("run*.npz")):
        with np.load(file, allow_pickle=True) as arrays:
            runs.append(dict(arrays))
    expected: list[Any] = []
    try:
        session = ort.InferenceSession(read_reference(path / "model.onnx"), options,
                                       providers=["CPUExecutionProvider"])
        names = [info.name for info in session.get_outputs()]
        kinds = [info.type for info in session.get_outputs()]
    except Exception as error:
        return {"status": "reference fails", "text": str(error).splitlines()[0]}
    for run in runs:
        try:
            expected.append(session.run(None, run))
        except Exception as error:
            expected.append(str(error).splitlines()[0])
    # An export that is wrong for all inputs says nothing of us, whether we refuse it or not.
    if all(isinstance(theirs, str) for theirs in expected):
        return {"status": "reference fails", "text": expected[0] if expected else "no inputs"}
    begin = time.monotonic()
    try:
        model = rm.compile(str(path / "model.onnx"), opt_level=level)
    except rm.CompileError as error:
        return {"status": "refused", "text": str(error).strip()}
    result: dict[str, Any] = {"status": "right", "executor": type(model).__name__,
              "seconds": round(time.monotonic() - begin, 2), "error": 0.0, "runs": 0, "text": ""}
    largest = 0.0
    for run, theirs in zip(runs, expected):
        if isinstance(theirs, str):
            result["text"] = f"reference fails: {theirs}"
            continue
        try:
            values = model.run(run)
        except Exception as error:
            return {**result, "status": "fails", "text": f"{type(error).__name__}: {error}"}
        values = list(values) if isinstance(values, tuple) else [values]
        for name, kind, a, b in zip(names, kinds, values, theirs, strict=True):
            if "map(" in kind:  # A map is a tensor here (docs/ONNX.md).
                b = np.array([[row[key] for key in sorted(row)] for row in b], np.float32)
            try:
                largest = max(largest, compare(a, b))
            except ValueError as problem:
                return {**result, "status": "wrong", "text": f"output '{name}' {problem}"}
        result["runs"] += 1
    result["error"] = largest
    if largest > tolerance:
        result["status"] = "wrong"
    return result


def check(args):
    record = args.folder / "results.jsonl"
    known = set()
    if record.exists() and not args.again:
        for line in record.read_text().splitlines():
            entry = json.loads(line)
            known.add((entry["name"], entry["level"]))
    for path in sorted(args.folder.iterdir()):
        if not (path / "run0.npz").exists() or not matches(path.name, args.only):
            continue
        for level in args.levels:
            if (path.name, level) in known:
                continue
            line, problem, seconds = run_limited(["compare", str(path), str(level)], args.limit)
            found = json.loads(line) if line else {"status": "fails", "text": problem}
            entry = {"name": path.name, "level": level, "total": round(seconds, 1), **found}
            with record.open("a") as file:
                file.write(json.dumps(entry) + "\n")
            print(f"{path.name:48} -O{level} {entry['status']:16} {entry.get('error', 0):8.1e} "
                  f"{seconds:6.1f} s  {entry.get('text', '')[:300]}", flush=True)
    return report(record)


def report(record):
    """Prints how many models are what at all levels; whether all are right."""
    order = ["right", "reference fails", "refused", "fails", "wrong"]
    # The last time counts.
    latest: dict[tuple[str, int], str] = {}
    for line in record.read_text().splitlines() if record.exists() else []:
        entry = json.loads(line)
        latest[entry["name"], entry["level"]] = entry["status"]
    worst: dict[str, str] = {}
    for (name, _), status in latest.items():
        worst[name] = max(worst.get(name, "right"), status, key=order.index)
    for status in order:
        print(f"{status:16} {sum(found == status for found in worst.values()):4}")
    return all(status in order[:2] for status in worst.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print the names of the models")
    for name, text in (("make", "write models and inputs"), ("check", "compare with ONNX Runtime")):
        command = commands.add_parser(name, help=text)
        command.add_argument("folder", type=option_types.output_folder if name == "make"
                             else option_types.existing_folder)
        command.add_argument("--only", nargs="+", metavar="PATTERN",
                             help="names, or patterns of names")
        command.add_argument("--limit", type=option_types.positive, default=300, metavar="SECONDS",
                             help="the time for a model (default: 300)")
        command.add_argument("--again", action="store_true", help="also what is there")
        if name == "check":
            command.add_argument("--levels", type=int, nargs="+", default=[0, 3], metavar="N",
                                 choices=range(4), help="levels of optimization (default: 0 3)")
    command = commands.add_parser("compare", help="compare one model, for check")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("level", type=int)
    args = parser.parse_args()
    known = (export_list.names() if args.command == "make" else
             [path.name for path in args.folder.iterdir()] if args.command == "check" else [])
    for pattern in getattr(args, "only", None) or []:
        if not fnmatch.filter(known, pattern):
            parser.error(f"expects names of models, but {pattern!r} is none")
    if args.command == "list":
        print("\n".join(export_list.names()))
    elif args.command == "make":
        make(args)
    elif args.command == "check":
        sys.exit(not check(args))
    else:
        print(json.dumps(check_model(args.folder, args.level)))


if __name__ == "__main__":
    main()
