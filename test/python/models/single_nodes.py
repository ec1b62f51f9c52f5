# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of one node, compiled and in ONNX Runtime."""

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import bounds
import relay_mlir as rm
from relay_mlir import relay


def make(op, inputs, opset, attributes, constants=None, outputs=1, dims=None, order=None,
         domain=""):
    """A model of one node, whose inputs are `inputs` and then `constants`, or `order`.
    `outputs` is their number, or their names, of which some may be empty. `opset` is
    that of the default domain."""
    constants = constants or {}
    names = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
    opsets = [helper.make_opsetid("", opset)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    graph = helper.make_graph(
        [helper.make_node(op, order or [*inputs, *constants], names, domain=domain, **attributes)],
        "g", [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype),
                                          (dims or {}).get(name, array.shape))
            for name, array in inputs.items()],
        [helper.make_empty_tensor_value_info(name) for name in names if name],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def runtime(op, inputs, opset, attributes, constants=None, outputs=1, order=None, domain=""):
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    model = make(op, inputs, opset, attributes, constants, outputs, order=order, domain=domain)
    return onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=[
        "CPUExecutionProvider"]).run(None, inputs)


def compiled(*arguments, **options):
    inputs = arguments[1]
    actual = rm.compile(make(*arguments, **options)).run(inputs)
    return actual if isinstance(actual, tuple) else (actual,)


def machine(*arguments, **options):
    """By the virtual machine, which runs what elements decide the sizes of."""
    module, _ = relay.frontend.from_onnx(make(*arguments, **options))
    runner = relay.vm.VirtualMachine(relay.vm.compile(module, "native"))
    actual = runner.run(*arguments[1].values())
    return actual if isinstance(actual, (tuple, list)) else (actual,)


def reference(op, inputs, opset, attributes, constants=None, outputs=1, order=None):
    """By the reference evaluator of the package onnx."""
    model = make(op, inputs, opset, attributes, constants, outputs, order=order)
    return onnx.reference.ReferenceEvaluator(model).run(None, inputs)


def compare(actual, expected):
    for result, wanted in zip(actual, expected, strict=True):
        assert result.shape == wanted.shape and result.dtype == wanted.dtype
        if wanted.dtype.kind != "f":
            np.testing.assert_array_equal(result, wanted)
            continue
        factor = 2.0**-10 / 1e-6 if wanted.dtype == np.float16 else 10
        scale = float(np.abs(wanted.astype(np.float64)).max(initial=0,
                                                            where=np.isfinite(wanted))) or 1
        np.testing.assert_allclose(result, wanted, rtol=0,
                                   atol=bounds.bound("functions") * factor * scale)


def random(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def check_refused(message, *arguments, **options):
    with pytest.raises(rm.CompileError) as caught:
        rm.compile(make(*arguments, **options))
    assert message in str(caught.value)
