# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX project's own tests as cases for anything that runs a model.

A case is a small model with inputs and the outputs they must give. An executor
is anything with

    run(model: onnx.ModelProto, inputs: list[value]) -> list[value]

that raises `ExecutionError` with a message if it refuses the model: `Interpreter`,
`Compiler`, `Machine`, or another one that is given to `check_case`. A value is an
array, of str as objects where it has strings; a list of values, which is a sequence; or None, an optional value that is not
there.
"""

import copy
import dataclasses
import functools
import os
import pathlib
import subprocess
import tempfile
import warnings
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper, version_converter

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build"))


class ExecutionError(Exception):
    """A model is refused, with a message."""


@dataclasses.dataclass
class Case:
    """`inputs` and `outputs` are values; None and the reason why not in
    `unrepresentable` if there is something else than numbers and strings in one of them."""
    name: str
    model: onnx.ModelProto
    inputs: list | None
    outputs: list | None
    rtol: float = 1e-3
    atol: float = 1e-7
    unrepresentable: str = ""

    @property
    def operators(self):
        """Types of all operators, also in branches and functions."""
        found = set()

        def visit(nodes):
            for node in nodes:
                found.add(node.op_type)
                for attribute in node.attribute:
                    visit(attribute.g.node)

        visit(self.model.graph.node)
        for function in self.model.functions:
            found.discard(function.name)
            visit(function.node)
        return found


def get_name(node):
    """The operator of a node, with its domain unless that is the default one."""
    domain = node.domain if node.domain != "ai.onnx" else ""
    return f"{domain}.{node.op_type}" if domain else node.op_type


class Unrepresentable(Exception):
    """There is something else than numbers and strings in a value."""


def to_value(value):
    """A value of a test. Arrays of the types that NumPy lacks are those of ml_dtypes."""
    if value is None:
        return None
    if isinstance(value, list):
        return [to_value(element) for element in value]
    if isinstance(value, dict):
        raise Unrepresentable("a map")
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    value = np.asarray(value)
    return value.astype(str).astype(object) if value.dtype.kind in "OUS" else value


def make_case(name, model, inputs, outputs, rtol, atol):
    try:
        inputs, outputs = ([to_value(value) for value in values]
                           for values in (inputs, outputs))
    except Unrepresentable as error:
        return Case(name, model, None, None, rtol, atol, str(error))
    return Case(name, model, inputs, outputs, rtol, atol)


@functools.lru_cache(maxsize=None)
def node_cases():
    """One case for each test of a single operator, all of them."""
    from onnx.backend.test.case.node import collect_testcases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = collect_testcases(None)
    cases = []
    for test in tests:
        assert test.data_sets is not None, test.name
        inputs, outputs = test.data_sets[0]
        cases.append(make_case(test.name, test.model, inputs, outputs,
                               max(test.rtol, 1e-3), max(test.atol, 1e-6)))
    return cases


# Where the expected outputs contradict the specification.
CONTRADICTORY = dict.fromkeys([
    "test_resize_downsample_scales_cubic_align_corners",
    "test_resize_downsample_scales_linear_align_corners",
], "coordinates follow from a fraction of a pixel; ONNX Runtime computes what we do")
CONTRADICTORY.update(dict.fromkeys([
    "test_bernoulli", "test_bernoulli_double", "test_bernoulli_seed",
    "test_bernoulli_expanded", "test_bernoulli_double_expanded", "test_bernoulli_seed_expanded",
    "test_training_dropout", "test_training_dropout_default", "test_training_dropout_mask",
    "test_training_dropout_default_mask",
], "the outputs are random numbers of NumPy's generator"))
CONTRADICTORY["test_maxunpool_export_with_output_shape"] = (
    "the indices are those of a smaller tensor than the one that was pooled; ONNX Runtime computes "
    "what we do")


# Operands that say which shape a result has, or what an operator does.
SHAPE_OPERANDS = {
    "AffineGrid": [1], "BlackmanWindow": [0],
    "CenterCropPad": [1], "Clip": [1, 2], "Col2Im": [1, 2], "ConstantOfShape": [0],
    "CumProd": [1], "CumSum": [1], "DFT": [1, 2], "Dropout": [1, 2], "Expand": [1],
    "HammingWindow": [0], "HannWindow": [0], "If": [0], "MaxUnpool": [2],
    "MelWeightMatrix": [0, 1, 2, 3, 4], "OneHot": [1], "Pad": [1, 3],
    "Range": [0, 1, 2],
    "ReduceL1": [1], "ReduceL2": [1], "ReduceLogSum": [1],
    "ReduceLogSumExp": [1], "ReduceMax": [1], "ReduceMean": [1],
    "ReduceMin": [1], "ReduceProd": [1], "ReduceSum": [1],
    "ReduceSumSquare": [1], "Reshape": [1], "Resize": [1, 2, 3],
    "STFT": [1, 3], "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1],
    "TopK": [1], "Unsqueeze": [1], "Upsample": [1]
}


def freeze(case):
    """`case` with such operands as initializers, which is how networks have them;
    the tests pass them at run time. `case` itself if it has none."""
    names = set()

    def visit(node):
        for i in SHAPE_OPERANDS.get(node.op_type, []):
            if i < len(node.input):
                names.add(node.input[i])

    for node in case.model.graph.node:
        visit(node)
    # What a shape is computed from, in the expanded forms of operators.
    for node in reversed(case.model.graph.node):
        if set(node.output) & names and node.op_type not in ("Shape", "Size"):
            names.update(node.input)
    weights = {tensor.name for tensor in case.model.graph.initializer}
    infos = [i for i in case.model.graph.input if i.name not in weights]
    frozen = [info.name in names for info in infos]
    if not any(frozen) or case.unrepresentable:
        return case
    model = copy.deepcopy(case.model)
    del model.graph.input[:]
    inputs = []
    for info, value, is_frozen in zip(infos, case.inputs, frozen):
        if is_frozen:
            model.graph.initializer.append(
                numpy_helper.from_array(value, info.name))
        else:
            model.graph.input.append(info)
            inputs.append(value)
    model.ir_version = max(model.ir_version, 4)
    return dataclasses.replace(case, model=model, inputs=inputs)


def frozen_cases():
    """The tests of node_cases that change by that."""
    pairs = [(case, freeze(case)) for case in node_cases()]
    return [frozen for case, frozen in pairs if frozen is not case]


def _read_protos(folder, prefix, infos):
    values = []
    for i, info in enumerate(infos):
        path = folder / f"{prefix}_{i}.pb"
        if info.type.HasField("sequence_type") or not path.exists():
            return None
        values.append(numpy_helper.to_array(onnx.load_tensor(path)))
    return values


@functools.lru_cache(maxsize=None)
def converted_cases():
    """Small networks that PyTorch wrote long ago, brought to opset 13."""
    data = pathlib.Path(onnx.backend.test.__file__).parent / "data"
    cases = []
    for folder in sorted(data.glob("pytorch-*/test_*")):
        model = onnx.load(folder / "model.onnx")
        weights = {tensor.name for tensor in model.graph.initializer}
        infos = [i for i in model.graph.input if i.name not in weights]
        inputs = _read_protos(folder / "test_data_set_0", "input", infos)
        outputs = _read_protos(folder / "test_data_set_0", "output",
                               model.graph.output)
        if inputs is None or outputs is None:
            continue
        try:
            model = version_converter.convert_version(model, 13)
        except Exception:  # Not all old operators have a successor.
            continue
        cases.append(Case(folder.name, model, inputs, outputs))
    return cases


class Interpreter:
    """Imports models and runs the reference interpreter."""

    def __init__(self):
        self._start()

    def _start(self):
        self.process: Any = subprocess.Popen(
            [BUILD / "bin" / "relay-test-onnx"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()

    def _ask(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self._start()
            raise AssertionError(f"relay-test-onnx exited with {code}")
        status, _, text = answer.rstrip("\n").partition(" ")
        if status != "ok":
            raise ExecutionError(text)
        return int(text)

    def run(self, model, inputs):
        folder = pathlib.Path(self.folder.name)
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
        files = []
        for i, value in enumerate(inputs):
            files.append(folder / f"input{i}.npy")
            np.save(files[-1], value.astype(str) if value.dtype.hasobject else value)
        count = self._ask("run", path, folder / "output", *files)
        outputs = [np.load(folder / f"output{i}.npy") for i in range(count)]
        return [x.astype(object) if x.dtype.kind == "U" else x for x in outputs]

    def operators(self):
        """The operators of the importer's table, as get_name names them:
        {name: (since, until)}."""
        self.process.stdin.write("operators\n")
        self.process.stdin.flush()
        words = self.process.stdout.readline().split()[2:]
        found = {}
        for word in words:
            name, since, until = word.split(":")
            found[name] = int(since), int(until)
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


class Compiled:
    """A compiled model as a function of the inputs, which returns the outputs."""

    def __init__(self, model, is_program):
        self.model = model
        self.is_program = is_program

    def __call__(self, *inputs):
        return _as_list(self.model(*inputs))


class Compiler:
    """Compiles models for an executor ("aot" or "vm") as users do, and runs them."""

    def __init__(self, executor="aot"):
        self.executor = executor

    def compile(self, model):
        import relay_mlir as rm
        try:
            compiled = rm.compile(model, executor=self.executor)
        except rm.CompileError as error:
            raise ExecutionError(str(error)) from None
        return Compiled(compiled, isinstance(compiled, rm.Program))

    def run(self, model, inputs):
        return self.compile(model)(*inputs)

    def close(self):
        pass


def _as_list(outputs):
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def check_outputs(case, outputs):
    """Compares with the outputs that `case` must give."""
    _check_value(case, case.outputs, outputs)


def _check_value(case, expected, actual):
    if expected is None:
        assert actual is None
        return
    if isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected)
        for pair in zip(expected, actual):
            _check_value(case, *pair)
        return
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    is_narrow = expected.dtype.itemsize <= 2 and np.can_cast(
        expected.dtype, np.float32) and expected.dtype.kind not in "biu"
    if is_narrow:
        np.testing.assert_allclose(actual.astype(np.float32), expected.astype(np.float32),
                                   rtol=1e-2, atol=1e-2)
    elif expected.dtype.kind == "f":
        np.testing.assert_allclose(actual, expected, rtol=case.rtol, atol=case.atol)
    else:
        np.testing.assert_array_equal(actual, expected)


def check_case(case, executor):
    """Runs `case` and compares its outputs."""
    check_outputs(case, executor.run(case.model, case.inputs))
