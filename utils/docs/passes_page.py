#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/Passes.md: which passes of TVM's Relay there are, and by what.

    PYTHONPATH=build/python_packages python utils/docs/passes_page.py [--check]

The names are those of TVM v0.18. What a pass runs is not written here: each is made and
run on a small program, and the passes of the compiler that it asks for are noted. Of
those that are not there, this file has the reason. With --check nothing is written; the
exit status is 1 if the page would change. test/python/documents/test_passes_page.py fails
then, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import operator
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Passes.md"
BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", ROOT / "build")).resolve()

# Names of passes with their level; those of modules have an m.
INDEX = """
AnnotateSpans 0m, AnnotateTarget 0, AnnotateMemoryScope 2, AnnotateUsedMemory 0m,
AOTLowerMain 0m, AlterOpLayout 3, AutoSchedulerLayoutRewrite 3, BackwardFoldScaleAxis 3,
BatchingOps 0, CanonicalizeCast 3, CanonicalizeOps 3, CapturePostDfsIndexInSpans 0,
ChangeBatch 1, CollagePartition 0m, CombineParallelBatchMatmul 4, CombineParallelConv2D 4,
CombineParallelDense 4, CombineParallelOpBatch 4, Conv2dToSparse 4, Conv2dToSparse2 5,
ConvertLayout 3, DeadCodeElimination 1m, Defunctionalization 0m, DefuseOps 3, DenseToSparse 4,
DivToMul 0, DynamicToStatic 2, EliminateCommonSubexpr 3, EtaExpand 1m,
ExtractFusedFunctions 1m, FakeQuantizationToInteger 0, FastMath 4, FirstOrderGradient 0m,
FlattenAtrousConv 0, FlattenNestedTuples 0m, FlexibleShapeDispatch 0m, FoldConstant 2,
FoldExplicitPadding 0, FoldScaleAxis 3, ForwardFoldScaleAxis 3, FuseOps 0, InferType 0m,
Inline 1m, InlineCompilerFunctionsBoundTo 0m, LabelOps 1, LambdaLift 1m, LazyGradientInit 2,
Legalize 1, LowerTE 0m, ManifestAlloc 0, ManifestAllocImportStorage 0m, ManifestLifetimes 0,
MarkCompilerFunctionsAsExtern 0m, MergeComposite 0, MergeCompilerRegions 0,
MetaScheduleLayoutRewrite 3, NameMangleExtFuncs 0m,
OutlineCompilerFunctionsWithExistingGlobalSymbols 0m, PartialEvaluate 1m, PartitionGraph 0m,
PlanDevices 0, PrintIR 0m, QnnCanonicalize 1, QnnLegalize 1, QuantizeAnnotate 1,
QuantizeCalibrate 1m, QuantizePartition 1, QuantizeRealize 1, RelayToTIRTargetHook 0m,
RemoveDefaultAnnotations 0m, RemoveStandaloneReshapes 0m, RemoveUnusedFunctions 1m,
SimplifyExpr 0, SimplifyExprPostAlterOp 0, SimplifyFCTranspose 4, SimplifyInference 0,
SplitArgs 1, ToANormalForm 1m, ToBasicBlockNormalForm 1m, ToCPS 1, ToGraphNormalForm 1,
ToMixedPrecision 0, UnCPS 1
"""

# Passes of relay-opt that are MLIR's.
_OF_MLIR = {"cse", "canonicalize", "inline", "sccp", "symbol-dce", "remove-dead-values"}
_WORD = re.compile(r"[a-z][a-z0-9-]*")

# What makes passes whose arguments have no default.
_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "AnnotateTarget": ("example",), "ChangeBatch": ({"x": 0},),
    "CollagePartition": (["llvm"],), "CombineParallelOpBatch": ("maximum", "maximum"),
    "Conv2dToSparse": ([], [], "NHWC", 1), "Conv2dToSparse2": ("NHWC", 1, (1, 1), 0.5),
    "ConvertLayout": ({"nn.conv2d": ["NHWC", "default"]},), "DenseToSparse": ([], []),
    "FlexibleShapeDispatch": ([8],), "MarkCompilerFunctionsAsExtern": ("example",), "MergeComposite": ([],),
    "InlineCompilerFunctionsBoundTo": ([],), "PlanDevices": (None,),
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": ("example",),
    "SimplifyFCTranspose": ([],), "SplitArgs": (4,),
}


# Passes whose Python asks the compiler for more than a pipeline, by flag.
_FLAGS = {"CollagePartition": ["relay-collage-partition"],
          "MergeComposite": ["relay-merge-composite"]}

# Where passes are in Python that are not in relay.transform.
_ELSEWHERE = {"QnnCanonicalize": "qnn.transform.CanonicalizeOps",
              **{f"Quantize{name.capitalize()}": f"quantize.{name}"
                 for name in ("annotate", "calibrate", "partition", "realize")}}


def registered_passes() -> set[str]:
    """The passes that relay-opt has, by flag."""
    text = subprocess.run([BUILD / "bin" / "relay-opt", "--help"], check=True,
                          capture_output=True, text=True).stdout
    return set(re.findall(r"^\s+--([a-z0-9-]+)", text, re.M))


def _program(relay: Any) -> Any:
    """Something for every pass to look at."""
    import numpy as np

    x = relay.var("x", shape=(1, 4, 8, 8))
    w = relay.const(np.ones((4, 4, 1, 1), "float32"))
    y = relay.nn.relu(relay.nn.conv2d(x, w, channels=4, kernel_size=(1, 1)))
    return relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([x], y)))


def trace(name: str, flags: set[str]) -> list[str] | None:
    """The passes of the compiler that one of relay.transform runs, in their order; None
    if there is none of this name."""
    from relay_mlir import relay
    from relay_mlir.relay import transform

    try:
        make = operator.attrgetter(_ELSEWHERE.get(name, f"transform.{name}"))(relay)
    except AttributeError:
        return None
    found: list[str] = []
    run = transform._run

    def note(mod: Any, pipeline: str) -> Any:
        words = pipeline.replace("builtin.module", " ").replace("func.func", " ")
        words = re.sub(r"\{[^{}]*\}", " ", re.sub(r"\{[^{}]*\}", " ", words))
        found.extend(word for word in _WORD.findall(words)
                     if word in flags | _OF_MLIR and word not in found)
        return run(mod, pipeline)

    transform._run = note
    mod = _program(relay)
    # A function on a function, in TVM, too.
    arguments = (mod["main"], mod) if name == "Defunctionalization" else _ARGUMENTS.get(name, ())
    try:
        with contextlib.redirect_stdout(io.StringIO()), transform.PassContext(opt_level=10):
            made = make(*arguments)
            if isinstance(made, transform.Pass):
                made(mod)
    except (TypeError, ValueError, relay.DiagnosticError) as error:
        print(f"{name}: {error}", file=sys.stderr)
    finally:
        transform._run = run
    return found + _FLAGS.get(name, [])


def _cell(flags: list[str] | None, name: str) -> tuple[str, str]:
    """How a pass is there, and by what."""
    from relay_mlir.relay import transform

    if flags is None:
        if name in transform.REPLACED:
            return "", transform.REPLACED[name]
        raise SystemExit(f"error: expects a pass {name}, or a reason in _replaced_passes.py")
    if name in transform.REPLACED and name not in _ELSEWHERE:
        raise SystemExit(f"error: expects no reason in _replaced_passes.py for {name}, which is "
                         "there")
    kinds = {flag in _OF_MLIR for flag in flags}
    status = "MLIR's" if kinds == {True} else "ours"
    by = ", ".join(f"`--{flag}`" for flag in flags) or "in Python"
    if name == "InferType":
        by = "`--relay-infer-types`"
    return status, by


def write_page() -> str:
    """The text of the page."""
    flags = registered_passes()
    rows = []
    counts = {"ours": 0, "MLIR's": 0, "": 0}
    for entry in " ".join(INDEX.split()).split(", "):
        name, level = entry.split()
        status, by = _cell(trace(name, flags), name)
        counts[status] += 1
        python = f"`relay.{_ELSEWHERE.get(name, f'transform.{name}')}`" if status else ""
        kind = "module" if level.endswith("m") else "function"
        rows.append(f"| {name} | {kind} | {level.rstrip('m')} | {status} | {python} | {by} |")
    own = sorted(flag for flag in flags if flag.startswith(("relay-", "verify-relay-"))
                 and flag not in ("relay-report", "relay-report-profile"))  # No passes.
    named = "\n".join(rows)
    more = [flag for flag in own if f"`--{flag}`" not in named]
    return f"""# Passes

<!-- Written by utils/docs/passes_page.py from the passes that are registered; do not edit. -->

Passes of TVM's Relay (v0.18), by name, and what does their job here. {counts["ours"]} are this project's, {counts["MLIR's"]}
are MLIR's, and {counts[""]} are not there or not passes of their own, with the reason. The flags are those of `relay-opt`,
whose `--help` has the options; [the passes in Python](Tutorials/Compiler.md) have TVM's arguments.

| pass | of | level | whose | in Python | flags of relay-opt, or why not |
|---|---|---|---|---|---|
{named}

Passes on Relay that TVM does not have, or not by a name: {", ".join(f"`--{flag}`" for flag in more)}.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="do not write the page")
    arguments = parser.parse_args()
    text = write_page()
    if arguments.check:
        sys.exit(text != (PAGE.read_text() if PAGE.exists() else ""))
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
