# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ONNX project's own tests as cases for anything that runs a model.

A case is a small model with inputs and the outputs they must give. An executor
is anything with

    run(model: onnx.ModelProto, inputs: list[array]) -> list[array]

that raises `ExecutionError` with a message if it cannot: `Interpreter`,
`Compiler`, or another one that is given to `check_case`.
"""

import copy
import dataclasses
import functools
import os
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import onnx
import onnx.backend.test
from onnx import numpy_helper, version_converter

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build"))


class ExecutionError(Exception):
    pass


@dataclasses.dataclass
class Case:
    name: str
    model: onnx.ModelProto
    inputs: list
    outputs: list
    rtol: float = 1e-3
    atol: float = 1e-7

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


# Operands that must be known when a model is compiled. The tests pass them at
# run time; `freeze` makes initializers of them.
SHAPE_OPERANDS = {
    "CenterCropPad": [1], "Clip": [1, 2], "ConstantOfShape": [0],
    "CumProd": [1], "CumSum": [1], "Dropout": [1, 2], "Expand": [1],
    "GRU": [4], "If": [0], "LSTM": [4], "OneHot": [1], "Pad": [1, 3], "RNN": [4],
    "Range": [0, 1, 2],
    "ReduceL1": [1], "ReduceL2": [1], "ReduceLogSum": [1],
    "ReduceLogSumExp": [1], "ReduceMax": [1], "ReduceMean": [1],
    "ReduceMin": [1], "ReduceProd": [1], "ReduceSum": [1],
    "ReduceSumSquare": [1], "Reshape": [1], "Resize": [1, 2, 3],
    "Slice": [1, 2, 3, 4], "Split": [1], "Squeeze": [1], "Tile": [1],
    "TopK": [1], "Unsqueeze": [1], "Upsample": [1]
}


def freeze(case):
    """`case` with its shape operands as initializers."""
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
    if not any(frozen):
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


def is_array(value):
    """True for what a .npy file and the compiler can hold."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


@functools.lru_cache(maxsize=None)
def node_cases():
    """One case for each test of a single operator."""
    from onnx.backend.test.case.node import collect_testcases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = collect_testcases(None)
    cases = []
    for test in tests:
        if not test.model:
            continue
        inputs, outputs = test.data_sets[0]
        inputs, outputs = ([np.asarray(value) if np.isscalar(value) else value
                            for value in values] for values in (inputs, outputs))
        if all(is_array(value) for value in (*inputs, *outputs)):
            cases.append(Case(test.name, test.model, inputs, outputs,
                              max(test.rtol, 1e-3), max(test.atol, 1e-6)))
    return cases


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
        self.process = subprocess.Popen(
            [BUILD / "bin" / "relay-test-onnx"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.folder = tempfile.TemporaryDirectory()

    def _ask(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            code = self.process.wait()
            self.__init__()
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
            np.save(files[-1], value)
        count = self._ask("run", path, folder / "output", *files)
        return [np.load(folder / f"output{i}.npy") for i in range(count)]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


class Compiler:
    """Compiles models to native code and runs it."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()

    def run(self, model, inputs):
        folder = pathlib.Path(self.folder.name)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        outputs = [folder / f"output{i}.npy"
                   for i in range(len(model.graph.output))]
        command = [BUILD / "bin" / "relay-run", folder / "model.onnx"]
        for i, value in enumerate(inputs):
            np.save(folder / f"input{i}.npy", value)
            command.append(f"--input={folder}/input{i}.npy")
        command += [f"--output={path}" for path in outputs]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise ExecutionError(result.stderr[:2000])
        return [np.load(path) for path in outputs]

    def close(self):
        self.folder.cleanup()


def check_case(case, executor):
    """Runs `case` and compares its outputs."""
    outputs = executor.run(case.model, case.inputs)
    assert len(outputs) == len(case.outputs)
    for expected, actual in zip(case.outputs, outputs):
        assert actual.dtype == expected.dtype
        assert actual.shape == expected.shape
        if expected.dtype.kind == "f" and expected.dtype.itemsize == 2:
            np.testing.assert_allclose(actual.astype(np.float32),
                                       expected.astype(np.float32), rtol=1e-2,
                                       atol=1e-2)
        elif expected.dtype.kind == "f":
            np.testing.assert_allclose(actual, expected, rtol=case.rtol,
                                       atol=case.atol)
        else:
            np.testing.assert_array_equal(actual, expected)
