# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop and Scan at run time, compared with ONNX Runtime."""

import time

import onnxruntime
import pytest
from onnx_control_flow_models import MODELS, UNROLLED, compare, parse

import onnx_backend
import relay_mlir as rm


def run_reference(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    names = [info.name for info in session.get_inputs()]
    return session.run(None, dict(zip(names, feeds)))


def check(text, *runs, executors=("aot", "vm")):
    """Compiles a model once for each executor, and compares all runs with ONNX Runtime."""
    model = parse(text)
    references = [run_reference(model, feeds) for feeds in runs]
    for executor in executors:
        compiled = onnx_backend.Compiler(executor).compile(model)
        for feeds, reference in zip(runs, references):
            compare(compiled(*feeds), reference)


@pytest.mark.parametrize("name", UNROLLED)
def test_unrolled(name):
    text, runs = UNROLLED[name]
    check(text, *runs, executors=["graph"])


@pytest.mark.parametrize("name", MODELS)
def test_run_time(name):
    text, runs = MODELS[name]
    check(text, *runs)


def test_loops_in_loops_whose_sizes_change():
    """Time doubled with each loop that is in another: 45 s for 18. The limit is one that only
    such growth comes near."""
    body = "r0 = Concat<axis = 0>(v1, v1)"
    for i in range(1, 19):
        body = (f"r{i} = Loop (n, , v{i + 1}) <body = b{i} (int64 i{i}, bool c{i}, v{i}) => "
                f"(d{i}, r{i - 1}) {{ d{i} = Identity(c{i}) {body} }}>")
    start = time.process_time()
    rm.import_onnx(parse(f"g (int64 n, float[2] v19) => (r18) {{ {body} }}"))
    assert time.process_time() - start < 20
