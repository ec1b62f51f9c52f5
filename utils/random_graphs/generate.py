# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows random graphs of single operators.

A graph grows node by node; each new node runs in the reference at once, for all
samples, and is taken back where that refuses it, or where results are too large or
not numbers. So the operators need no shape functions, and every graph is valid.
"""

import numpy as np
from onnx import helper

from graphs import Case, Graph, Options
from reference import JUMPS, CannotEvaluate, Evaluation, bounds, scale_of, target_class

SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 23, 31, 32, 33, 64]
# Some operators exist only in old opsets, or in the newest. There the reference takes
# fewer of the others, as they are written here.
OPSETS = [9] + 2 * [13, 17, 18, 21, 22, 24, 26] + [28]
FLOATS = ["float32"] * 8 + ["float64"] * 2 + ["float16"]
INTEGERS = ["int64", "int64", "int32", "int32", "int8", "uint8", "int16", "uint16", "uint32",
            "uint64"]
# These meet each other in more ways than others.
FREQUENT = ["Add", "Concat", "Conv", "Gemm", "MatMul", "MaxPool", "Mul", "Pad", "Reshape",
            "Slice", "Softmax", "Transpose", "Where"]
MAX_ELEMENTS = 20_000
MAX_MAGNITUDE = {"float16": 500.0, "float32": 1e5, "float64": 1e5}

# Sizes of the symbols in each sample.
SYMBOLS = {"a": (3, 1, 7, 0), "b": (5, 2, 1, 4), "c": (16, 1, 33, 2)}


class Generator:
    """A graph that grows. Values have names; `values(name)` are their arrays, one
    for each sample."""

    def __init__(self, seed, dynamic):
        self.rng = np.random.default_rng([seed, int(dynamic)])
        self.dynamic = dynamic
        self.count = 0
        self.graph = Graph(opset=int(self.pick(OPSETS)))
        self.num_samples = 1
        if dynamic:
            self.num_samples = 4 if self.maybe(0.25) else 3
        self.evaluation = Evaluation(self.graph, [{} for _ in range(self.num_samples)])

    # Choices.

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def maybe(self, probability=0.5):
        return bool(self.rng.random() < probability)

    def integer(self, low, high):
        """A number of low..high."""
        return int(self.rng.integers(low, high + 1))

    def size(self):
        size = self.pick(SIZES)
        # Nothing of an empty graph can be wrong.
        return size if size or self.maybe(0.15) else self.pick(SIZES)

    # Values.

    def name(self, prefix="v"):
        self.count += 1
        return f"{prefix}{self.count}"

    def values(self, name):
        if name in self.graph.constants:
            return [self.graph.constants[name]] * self.num_samples
        return [values[name] for values in self.evaluation.values]

    def dtype(self, name):
        return self.values(name)[0].dtype

    def kind(self, name):
        return self.dtype(name).kind

    def rank(self, name):
        return self.values(name)[0].ndim

    def shape(self, name):
        """The sizes; None for those that differ between samples."""
        shapes = zip(*(v.shape for v in self.values(name)))
        return [sizes[0] if len(set(sizes)) == 1 else None for sizes in shapes]

    def is_exact(self, name):
        return name not in self.evaluation.inexact

    def numbers(self, shape, dtype):
        """An array with numbers of a size that fits the type."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.integers(0, 2, shape).astype(bool)
        if dtype.kind == "u":
            return self.rng.integers(0, 12, shape).astype(dtype)
        if dtype.kind == "i":
            return self.rng.integers(-8, 9, shape).astype(dtype)
        if self.maybe(0.3):
            return np.asarray(self.rng.integers(-12, 13, shape) / 4, dtype)
        return np.asarray(self.rng.standard_normal(shape), dtype)

    def constant(self, array, dtype=None):
        name = self.name("c")
        self.graph.constants[name] = np.asarray(array, dtype)
        return name

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def weights(self, shape, dtype="float32"):
        fan_in = max(1, int(np.prod(shape[1:]))) if len(shape) > 1 else 1
        return self.constant(self.numbers(shape, dtype) if np.dtype(dtype).kind != "f" else
                             np.asarray(self.rng.standard_normal(shape) / np.sqrt(fan_in)),
                             dtype)

    def dims(self, rank):
        """Sizes and, if the graph is dynamic, symbols."""
        dims = [self.size() for _ in range(rank)]
        # Of equal sizes, a value fits its own transpose.
        if self.maybe(0.2):
            dims = dims[:1] * rank
        while np.prod(dims, dtype=np.int64) > 4096:
            i = int(np.argmax(dims))
            dims[i] = max(1, dims[i] // 3)
        if self.dynamic:
            dims = [self.pick(list(SYMBOLS)) if self.maybe(0.4) else d for d in dims]
            while np.prod([8 if isinstance(d, str) else d for d in dims]) > 4096:
                dims[self.integer(0, rank - 1)] = 2
        return tuple(dims)

    def input(self, dims, dtype):
        name = self.name("x")
        self.graph.inputs[name] = (str(np.dtype(dtype)), tuple(dims))
        for i, values in enumerate(self.evaluation.values):
            shape = [SYMBOLS[d][i] if isinstance(d, str) else d for d in dims]
            values[name] = self.numbers(shape, dtype)
        return name

    def input_like(self, name, dtype=None, axes=None):
        """Another input of the shape of a value, or of some of its axes. None if sizes
        that differ between samples are no symbols."""
        dims, all_sizes = [], list(zip(*(v.shape for v in self.values(name))))
        for axis in range(len(all_sizes)) if axes is None else axes:
            sizes = all_sizes[axis]
            symbol = next((s for s, known in SYMBOLS.items()
                           if known[:self.num_samples] == sizes), None)
            if len(set(sizes)) > 1 and symbol is None:
                return None
            dims.append(sizes[0] if len(set(sizes)) == 1 else symbol)
        return self.input(dims, dtype or self.dtype(name))

    def indices_like(self, name, axes, low, high, dtype=np.int64):
        """An input of some axes of a value with numbers of low..high; or None."""
        indices = self.input_like(name, dtype, axes)
        if indices is not None:
            for values in self.evaluation.values:
                values[indices] = self.rng.integers(
                    low, high, values[indices].shape, endpoint=True).astype(dtype)
        return indices

    def find(self, accept):
        """One of the values that fulfil a condition, rather a late one; or None."""
        names = [n for n in self.evaluation.values[0] if accept(n)]
        if not names:
            return None
        return names[max(self.integer(0, len(names) - 1) for _ in range(2))]

    def find_or_input(self, accept, rank, dtypes):
        """A value that fulfils a condition, or else a new input of that rank."""
        name = self.find(accept) if self.maybe(0.85) else None
        if name is not None:
            return name
        return self.input(self.dims(rank), self.pick(dtypes))

    def any(self, dtypes=None, min_rank=0):
        """A value of one of these types, or of any."""
        def accept(name):
            return (self.rank(name) >= min_rank and
                    (dtypes is None or str(self.dtype(name)) in dtypes))

        return self.find_or_input(accept, max(min_rank, self.integer(0, 4)), dtypes or (
            FLOATS + INTEGERS + ["bool"] if self.maybe(0.4) else FLOATS))

    def float(self, min_rank=0):
        return self.any(FLOATS, min_rank)

    # Nodes.

    def op(self, op_type, *inputs, outputs=1, **attributes):
        """Appends a node, if the reference accepts it: returns the name of its first
        output, or None. Inputs that are None make it None."""
        if any(name is None for name in inputs):
            return None
        if op_type in JUMPS and any(n in self.evaluation.inexact for n in inputs):
            return None
        attributes = {k: v for k, v in attributes.items() if v != []}
        names = [self.name() for _ in range(outputs)]
        node = helper.make_node(op_type, list(inputs), names, **attributes)
        inexact = set(self.evaluation.inexact)
        try:
            self.evaluation.append(node)
        except CannotEvaluate:
            self._take_back(names)
            return None
        if not all(self._is_fit(n) for n in names):
            self._take_back(names)
            self.evaluation.nodes.pop()
            self.evaluation.inexact = inexact
            return None
        self.graph.nodes.append(node)
        return names[0]

    def _take_back(self, names):
        for values in self.evaluation.values:
            for name in names:
                values.pop(name, None)

    def _is_fit(self, name):
        for array in self.values(name):
            if not isinstance(array, np.ndarray) or array.size > MAX_ELEMENTS:
                return False
            if array.dtype.kind not in "fiub" or array.ndim > 6:
                return False
            if array.dtype.kind == "f" and (
                    not np.isfinite(array).all() or
                    scale_of(array) > MAX_MAGNITUDE[str(array.dtype)]):
                return False
            # Sums and products of integers must not overflow in the reference.
            if array.dtype.kind in "iu" and array.dtype.itemsize >= 4 and (
                    scale_of(array) > 1e8):
                return False
        return True

    def finish(self):
        """Chooses the outputs: all values that nobody reads, and some others."""
        used = {n for node in self.graph.nodes for n in node.input}
        made = [n for node in self.graph.nodes for n in node.output]
        self.graph.outputs = [n for n in made if n not in used or self.maybe(0.1)]
        self.graph.prune()
        return [{n: values[n] for n in self.graph.inputs}
                for values in self.evaluation.values]


def generate(seed, dynamic, operators, num_nodes=None):
    """A graph of random operators and its samples. `operators` maps names to
    functions that append nodes to a generator."""
    generator = Generator(seed, dynamic)
    names = sorted(operators) + 4 * [n for n in FREQUENT if n in operators]
    target = num_nodes or generator.integer(1, 9)
    generator.input(generator.dims(generator.integer(0, 4)), generator.pick(FLOATS))
    for _ in range(20 * target):
        if len(generator.graph.nodes) >= target:
            break
        operators[generator.pick(names)](generator)
    samples = generator.finish()
    return generator.graph, samples


def runnable_targets():
    """Names of the targets whose code this machine can run."""
    levels = {"x86-64-v2": {"sse4_2", "popcnt"}, "x86-64-v3": {"avx2", "fma", "bmi2"},
              "x86-64-v4": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"},
              "sapphirerapids": {"avx512_fp16", *bounds.TILE_FLAGS}}
    return ["native"] + [t for t, needed in levels.items() if needed <= bounds.FLAGS]


def draw_options(seed):
    """Two ways to compile a graph: without optimisations, or few, and with all."""
    rng = np.random.default_rng([seed, 2])

    def pick(*values):
        return values[int(rng.integers(len(values)))]

    targets = runnable_targets()
    plain = Options(target=pick(*targets), opt_level=pick(0, 0, 0, 1, 2),
                    threads=pick(1, 2))
    best = Options(target=pick(*targets), precision=pick("high", "high", "highest", "medium"),
                   desired_layout=pick("", "", "", "NHWC", "NCHW", "default"),
                   threads=pick(1, 2, 3))
    if target_class(best.target) == "AMX":
        best = Options(**{**vars(best), "force_matrix_tiles": pick(False, True)})
    return [plain, best]


def draw_case(seed, operators):
    """The case of a seed: every third graph is dynamic."""
    graph, samples = generate(seed, seed % 3 == 2, operators)
    return Case(graph, samples, draw_options(seed))
