# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time grows with the length of a model, not faster.

What is counted is the work that scheduling leaves, operations of tir, and the
size of the compiled model: numbers that every run gives again. A compiler that
takes minutes for what takes it a second or two is taken to hang. The results of
all models agree with ONNX Runtime or the interpreter.

More and longer chains are nightly.
"""

import os
import pathlib
import resource
import subprocess
import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from nightly import nightly
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import chains  # noqa: E402
import quantized  # noqa: E402

pytestmark = pytest.mark.share(2)

BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
# Seconds of processor time: far more than any model here takes, also where others
# keep the machine busy, far less than 2^30 steps.
HANG = 240
# What a few operations on values of about one lose in f32. A chain does not enlarge
# it, but may make everything else smaller: a small result has it all the same.
ROUNDING = 2.0 ** -21


def relay_compile(*arguments, **options):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (HANG, HANG))

    return subprocess.run([BIN / "relay-compile", *arguments], text=True, preexec_fn=limit,
                          **options)


def compile_model(path, folder):
    """Operations after scheduling, bytes of the artefact, and its path."""
    output = folder / "model.so"
    tir = relay_compile(path, "--emit=tir", "-o", "-", check=True, capture_output=True).stdout
    relay_compile(path, "--no-cache", "-o", output, check=True)
    operations = sum(" = " in line or ".store" in line for line in tir.splitlines())
    return operations, output.stat().st_size, output


def run_onnxruntime(model, inputs):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def check(model, inputs, folder, name="model", steps=0):
    """Compiles and runs a model; elements of the first output may be off by
    `steps`, apart from 1e-5 of its largest magnitude and ROUNDING."""
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    operations, size, artefact = compile_model(path, folder)
    actual = rm.load(artefact).run(inputs)
    expected = run_onnxruntime(model, inputs)[0]
    assert actual.shape == expected.shape and actual.dtype == expected.dtype
    finite = expected[np.isfinite(expected)]
    scale = float(np.abs(finite).max(initial=0)) or 1.0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5 * scale + ROUNDING + steps)
    return operations, size, actual, expected


def assert_linear(lengths, counts):
    """An operator more takes no more than one before did, about: operators are the same,
    more often. (Kernels that are the same are there once, and where their ends are among
    the operators, the first ones may have fewer to do than later ones.)"""
    slopes = [(count - before) / (length - shorter) for length, shorter, count, before
              in zip(lengths, [0, *lengths], counts, [0, *counts])]
    assert slopes[-1] <= 1.5 * max(slopes[:-1]), (lengths, counts)


#===-----------------------------------------------------------------------===#
# Random chains
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("seed", [0, *nightly(range(1, 20))])
def test_random_chains(seed, tmp_path):
    lengths, work, sizes = [125, 250, 500], [], []
    x = np.random.default_rng(seed).standard_normal(chains.SHAPE, np.float32)
    for length in lengths:
        model = chains.build(seed, length, period=lengths[0])
        operations, size, _, _ = check(model, {"x": x}, tmp_path)
        work.append(operations)
        sizes.append(size)
    assert_linear(lengths, work)
    assert_linear(lengths, sizes)


@pytest.mark.parametrize("seed", [0, *nightly(range(1, 20))])
def test_random_quantized_chains(seed, tmp_path):
    # Where a value lies between two numbers, the last bit decides which it is:
    # few elements may be off by a few steps.
    lengths, work, sizes = [125, 250, 500], [], []
    x = np.random.default_rng(seed).standard_normal(chains.SHAPE, np.float32)
    for length in lengths:
        model = chains.build(seed, length, quantized=True, period=lengths[0])
        operations, size, actual, expected = check(model, {"x": x}, tmp_path,
                                                   steps=3 * chains.STEP)
        assert np.mean(np.abs(actual - expected) > 1e-4) < 0.02
        work.append(operations)
        sizes.append(size)
    assert_linear(lengths, work)
    assert_linear(lengths, sizes)


#===-----------------------------------------------------------------------===#
# Chains of one kind
#===-----------------------------------------------------------------------===#


def build(nodes, constants, output, dtype=TensorProto.FLOAT, shape=(1, 4, 8, 8),
          result=None):
    declare = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "g", [declare("x", TensorProto.FLOAT, shape)],
        [declare(output, dtype, result or shape)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def gates(length):
    nodes = [helper.make_node("Relu", ["x"], ["v0"])]
    for i in range(length // 2):
        nodes += [helper.make_node("Sigmoid", [f"v{i}"], [f"s{i}"]),
                  helper.make_node("Mul", [f"v{i}", f"s{i}"], [f"v{i + 1}"])]
    return build(nodes, {}, f"v{length // 2}")


def squares(length):
    names = ["x", *(f"v{i}" for i in range(length))]
    nodes = [helper.make_node("Mul", [a, a], [b]) for a, b in zip(names, names[1:])]
    return build(nodes, {}, names[-1])


def quantized_relus(length):
    nodes, value = [], "x"
    for i in range(length // 3):
        nodes += [helper.make_node("Relu", [value], [f"r{i}"]),
                  helper.make_node("QuantizeLinear", [f"r{i}", "s", "z"], [f"q{i}"]),
                  helper.make_node("DequantizeLinear", [f"q{i}", "s", "z"], [f"v{i}"])]
        value = f"v{i}"
    return build(nodes, {"s": np.float32(0.05), "z": np.int8(0)}, value)


def mirrors(length):
    """Values that are read at two places, again and again."""
    nodes, value = [], "x"
    for i in range(length // 4):
        nodes += [helper.make_node("Transpose", [value], [f"t{i}"], perm=[0, 1, 3, 2]),
                  helper.make_node("Tanh", [f"t{i}"], [f"h{i}"]),
                  helper.make_node("Add", [value, f"h{i}"], [f"a{i}"]),
                  helper.make_node("Mul", [f"a{i}", "half"], [f"v{i}"])]
        value = f"v{i}"
    return build(nodes, {"half": np.float32(0.5)}, value)


def shuffles(length):
    """Indices whose quotients and remainders do not simplify."""
    shapes = [(6, 35), (10, 21), (14, 15), (5, 42), (7, 30)]
    nodes, value = [], "x"
    constants = {f"s{i}": np.array(shape) for i, shape in enumerate(shapes)}
    for i in range(length // 2):
        nodes += [helper.make_node("Reshape", [value, f"s{i % 5}"], [f"r{i}"]),
                  helper.make_node("Transpose", [f"r{i}"], [f"v{i}"], perm=[1, 0])]
        value = f"v{i}"
    rows, columns = shapes[(length // 2 - 1) % 5]
    return build(nodes, constants, value, shape=(6, 35), result=(columns, rows))


@pytest.mark.parametrize("chain", [gates, squares, quantized_relus, mirrors, shuffles])
def test_chains_of_one_kind(chain, tmp_path):
    lengths, work, sizes = [60, 500], [], []
    for length in lengths:
        model = chain(length)
        shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        operations, size, _, _ = check(model, {"x": x}, tmp_path)
        work.append(operations)
        sizes.append(size)
    assert_linear(lengths, work)
    assert_linear(lengths, sizes)


def test_quantized_resize(tmp_path):
    nodes = [helper.make_node("Resize", ["x", "", "", "size"], ["r"], mode="linear"),
             helper.make_node("QuantizeLinear", ["r", "s", "z"], ["q"]),
             helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
             helper.make_node("QuantizeLinear", ["d", "s", "z"], ["y"])]
    constants = {"size": np.array([1, 2, 8, 10]), "s": np.float32(0.05), "z": np.int8(0)}
    model = build(nodes, constants, "y", TensorProto.INT8, (1, 2, 4, 5), (1, 2, 8, 10))
    x = np.random.default_rng(0).standard_normal((1, 2, 4, 5), np.float32)
    check(model, {"x": x}, tmp_path, steps=1)


#===-----------------------------------------------------------------------===#
# Quantized networks
#===-----------------------------------------------------------------------===#


@pytest.mark.parametrize("network", ["bert", "gpt2", "mobilenetv3"])
def test_quantized_networks(network, tmp_path):
    # Each layer has the work of the one before. Numbers are multiples of a step,
    # the same as those of ONNX Runtime but where a value is between two.
    lengths, work, sizes = [1, 4], [], []
    for length in lengths:
        model = getattr(quantized, network)(length)
        info = model.graph.input[0]
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        rng = np.random.default_rng(5)
        if info.type.tensor_type.elem_type == TensorProto.INT64:
            x: Any = rng.integers(0, 100, shape)
        else:
            x = rng.standard_normal(shape, np.float32)
        scale = float(np.abs(run_onnxruntime(model, {info.name: x})[0]).max())
        operations, size, actual, expected = check(model, {info.name: x}, tmp_path,
                                                   steps=0.1 * scale)
        assert np.mean(np.abs(actual - expected) > 1e-4 * scale) < 0.02
        work.append(operations)
        sizes.append(size)
    assert_linear(lengths, work)
    assert_linear(lengths, sizes)


#===-----------------------------------------------------------------------===#
# Long chains around what is scheduled in tiles
#===-----------------------------------------------------------------------===#


def epilogue(nodes, value, length):
    for i in range(length // 2):
        nodes += [helper.make_node("Softplus", [value], [f"p{i}"]),
                  helper.make_node("Tanh", [f"p{i}"], [f"e{i}"])]
        value = f"e{i}"
    return value


def after_matmul(length):
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"])]
    w = np.random.default_rng(1).standard_normal((64, 96), np.float32) / 8
    return build(nodes, {"w": w}, epilogue(nodes, "m", length), shape=(48, 64), result=(48, 96))


def after_convolution(length):
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1] * 4)]
    w = np.random.default_rng(1).standard_normal((32, 16, 3, 3), np.float32) / 12
    return build(nodes, {"w": w}, epilogue(nodes, "c", length), shape=(1, 16, 12, 12),
                 result=(1, 32, 12, 12))


def before_transposition(length):
    nodes: list[Any] = []
    value = epilogue(nodes, "x", length)
    nodes.append(helper.make_node("Transpose", [value], ["y"], perm=[1, 0]))
    return build(nodes, {}, "y", shape=(96, 64), result=(64, 96))


def before_sum(length):
    nodes: list[Any] = []
    value = epilogue(nodes, "x", length)
    nodes.append(helper.make_node("ReduceSum", [value, "axes"], ["y"], keepdims=0))
    return build(nodes, {"axes": np.array([0])}, "y", shape=(96, 64), result=(64,))


@pytest.mark.parametrize("chain", [after_matmul, after_convolution, before_transposition,
                                   before_sum])
def test_chains_beside_tiles(chain, tmp_path):
    # A tile is written out for each of its vectors, which a long body is not.
    sizes = []
    for length in (16, 64):
        model = chain(length)
        shape = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
        x = np.random.default_rng(0).standard_normal(shape, np.float32)
        _, size, _, _ = check(model, {"x": x}, tmp_path)
        sizes.append(size)
    assert_linear([16, 64], sizes)


#===-----------------------------------------------------------------------===#
# Every elementwise operator
#===-----------------------------------------------------------------------===#

FLOAT = """log log2 log10 tan cos cosh sin sinh acos acosh asin asinh atan atanh exp fast_exp erf
    fast_erf sqrt rsqrt sigmoid copy floor ceil trunc round sign abs tanh fast_tanh negative
    nn.relu nn.leaky_relu zeros_like ones_like""".split()
FLOAT_PAIRS = """add subtract maximum minimum divide floor_divide trunc_divide multiply power mod
    floor_mod trunc_mod""".split()
INTEGER = "negative abs bitwise_not sign copy".split()
INTEGER_PAIRS = """add subtract maximum minimum multiply left_shift right_shift bitwise_and
    bitwise_or bitwise_xor""".split()


def write_operators(path, dtype, single, pairs, length):
    """A chain of each operator; of two operands, both are the value before."""
    lines: list[str] = []
    results = []
    for operator in single + pairs:
        value = "%x"
        for _ in range(length):
            arguments = f"{value}, {value}" if operator in pairs else value
            lines.append(f"  %{len(lines)} = {operator}({arguments});")
            value = f"%{len(lines) - 1}"
        results.append(value)
    path.write_text("\n".join(['#[version = "0.0.5"]',
                               f"def @main(%x: Tensor[(64), {dtype}]) {{", *lines,
                               f"  ({', '.join(results)})", "}", ""]))


@pytest.mark.parametrize("dtype,single,pairs", [
    ("float32", FLOAT, FLOAT_PAIRS), ("float16", FLOAT, FLOAT_PAIRS),
    ("int32", INTEGER, INTEGER_PAIRS), ("uint8", INTEGER[1:], INTEGER_PAIRS)])
@pytest.mark.parametrize("lengths", [[8, 32], *nightly([[32, 500]])])
def test_chains_of_every_operator(dtype, single, pairs, lengths, tmp_path):
    work, sizes = [], []
    for length in lengths:
        path = tmp_path / "model.relay"
        write_operators(path, dtype, single, pairs, length)
        operations, size, _ = compile_model(path, tmp_path)
        work.append(operations)
        sizes.append(size)
    assert_linear(lengths, work)
    assert_linear(lengths, sizes)


#===-----------------------------------------------------------------------===#
# Functions
#===-----------------------------------------------------------------------===#


def test_functions_that_call_each_other_twice(tmp_path):
    # Two to the power of 40 calls, were they inlined.
    lines = ['#[version = "0.0.5"]', "def @f0(%x: Tensor[(4), float32]) { exp(%x) }"]
    lines += [f"def @f{i}(%x: Tensor[(4), float32]) {{ @f{i - 1}(@f{i - 1}(%x)) }}"
              for i in range(1, 41)]
    lines.append("def @main(%x: Tensor[(4), float32]) { @f40(%x) }")
    path = tmp_path / "model.relay"
    path.write_text("\n".join([*lines, ""]))
    result = relay_compile(path, "--executor=graph", "-o", tmp_path / "model.so",
                           capture_output=True)
    assert result.returncode == 1
    assert "that stand for at most 100000 operations once inlined, but got" in result.stderr
    assert not (tmp_path / "model.so").exists()


def seconds(path, folder):
    """The processor's time for a compilation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    relay_compile(path, "--no-cache", "-o", folder / "model.so", check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def nested_closures(length):
    """Each takes a value, and has those of all around it."""
    lines = ["def @main(%x: Tensor[(4), float32]) {"]
    lines += [f"fn (%a{i}: Tensor[(4), float32]) {{ let %b{i} = exp(%a{i});" for i in range(length)]
    lines += [f"let %c{i} = add(%b{i}, %{f'c{i - 1}' if i else 'x'});" for i in range(length)]
    return [*lines, f"%c{length - 1}" + "}" * (length + 1)]


def functions_in_a_row(length):
    lines = ["type T { A(T), B }", "def @f0(%t: T) -> T { A(%t) }"]
    lines += [f"def @f{i}(%t: T) -> T {{ @f{i - 1}(A(%t)) }}" for i in range(1, length)]
    return [*lines, f"def @main(%t: T) -> T {{ @f{length - 1}(%t) }}"]


def calls_and_branches(length):
    """One long function, whose calls each need a place to come back to."""
    lines = ["type T { A(T), B }", "def @f(%t: T) -> T { match (%t) { A(%u) => @f(%u), B => A(B) } }",
             "def @main(%t: T, %c: bool) -> T {"]
    lines += [f"let %t{i} = if (%c) {{ @f(%{f't{i - 1}' if i else 't'}) }} else {{ A(%t) }};"
              for i in range(length)]
    return [*lines, f"%t{length - 1} }}"]


# What closures capture grows with the square of their number, but is little each.
@pytest.mark.parametrize("write,lengths,most", [
    (nested_closures, [300, 900], 7.5), (functions_in_a_row, [2000, 8000], 8),
    (calls_and_branches, [2000, 8000], 8)])
def test_programs(write, lengths, most, tmp_path):
    def factor():
        times = []
        for length in lengths:
            path = tmp_path / f"{length}.relay"
            path.write_text("\n".join(['#[version = "0.0.5"]', *write(length), ""]))
            times.append(seconds(path, tmp_path))
        return times[1] / max(times[0], 0.05)

    assert factor() < most or factor() < most
