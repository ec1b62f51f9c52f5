"""Runs relay functions through linalg, loops and LLVM, and compares with NumPy.

A test file collects cases in a Suite and ends with `suite.main()`. All cases
of a file are functions of one module, so that they are compiled together. The
way down from linalg is MLIR's own, not this project's.
"""

import ctypes
import os
import subprocess
import sys

import ml_dtypes
import numpy as np

PIPELINE = """builtin.module(
  func.func(convert-relay-to-linalg),
  one-shot-bufferize{bufferize-function-boundaries
    function-boundary-type-conversion=identity-layout-map},
  func.func(convert-linalg-to-loops),
  canonicalize,
  expand-strided-metadata, lower-affine, convert-scf-to-cf,
  func.func(math-expand-ops{ops=rsqrt}, arith-expand{include-bf16=true}),
  convert-vector-to-llvm, convert-math-to-libm, convert-math-to-llvm, finalize-memref-to-llvm,
  convert-func-to-llvm, convert-arith-to-llvm, convert-index-to-llvm,
  convert-cf-to-llvm, reconcile-unrealized-casts)"""

ELEMENT_TYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "ui64", "uint32": "ui32", "uint16": "ui16", "uint8": "ui8",
    "bool": "i1",
}
BFLOAT16 = ml_dtypes.bfloat16


def random(*shape, dtype=np.float32, low=-2.0, high=2.0, seed=0):
    """Numbers between `low` and `high` that depend on shape and seed only."""
    count = int(np.prod(shape, dtype=np.int64))
    index = np.arange(1, count + 1, dtype=np.uint64) + np.uint64(1000 * seed)
    bits = (index * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)
    unit = bits.astype(np.float64) / 2.0**24
    values = (low + unit * (high - low)).reshape(shape)
    if np.issubdtype(dtype, np.integer):
        values = np.floor(values)
    return values.astype(dtype)


def type_of(array, dynamic=()):
    """The tensor type of `array`; the dimensions in `dynamic` become `?`."""
    dims = ["?" if axis in dynamic else str(size)
            for axis, size in enumerate(array.shape)]
    return f"tensor<{'x'.join(dims + [ELEMENT_TYPES[array.dtype.name]])}>"


def descriptor_type(rank):
    class Descriptor(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p),
                    ("offset", ctypes.c_int64), ("sizes", ctypes.c_int64 * rank),
                    ("strides", ctypes.c_int64 * rank)]
    return Descriptor


def to_descriptor(array):
    rank = array.ndim
    strides = [stride // array.itemsize for stride in array.strides]
    return descriptor_type(rank)(array.ctypes.data, array.ctypes.data, 0,
                                 (ctypes.c_int64 * rank)(*array.shape),
                                 (ctypes.c_int64 * rank)(*strides))


def from_descriptor(descriptor, dtype):
    dtype = np.dtype(dtype)
    shape, strides = list(descriptor.sizes), list(descriptor.strides)
    if 0 in shape:
        return np.empty(shape, dtype)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    memory = (ctypes.c_char * (extent * dtype.itemsize)).from_address(
        descriptor.aligned + descriptor.offset * dtype.itemsize)
    flat = np.frombuffer(memory, dtype)
    return np.lib.stride_tricks.as_strided(
        flat, shape, [stride * dtype.itemsize for stride in strides]).copy()


class Case:
    def __init__(self, name, text, inputs, expected, rtol, atol):
        self.name, self.text = name, text
        self.inputs, self.expected = inputs, expected
        self.rtol, self.atol = rtol, atol

    def run(self, library):
        """Returns a description of what is wrong, or None."""
        # The function may work in place.
        inputs = [np.array(value, order="C", copy=True) for value in self.inputs]
        descriptors = [to_descriptor(value) for value in inputs]

        class Results(ctypes.Structure):
            _fields_ = [(f"r{i}", descriptor_type(value.ndim))
                        for i, value in enumerate(self.expected)]
        results = Results()
        function = getattr(library, "_mlir_ciface_" + self.name)
        function.restype = None
        function(ctypes.byref(results), *map(ctypes.byref, descriptors))
        for i, expected in enumerate(self.expected):
            actual = from_descriptor(getattr(results, f"r{i}"), expected.dtype)
            if actual.shape != expected.shape:
                return f"result {i} has shape {actual.shape}, not {expected.shape}"
            wide = np.float64 if expected.dtype.kind not in "iub" else expected.dtype
            if not np.allclose(actual.astype(wide), expected.astype(wide),
                               rtol=self.rtol, atol=self.atol, equal_nan=True):
                return f"result {i} is\n{actual}\nnot\n{expected}"
        return None


class Suite:
    def __init__(self):
        self.cases = []

    def add(self, operator, inputs, expected, attrs="", dynamic=None,
            dynamic_result=None, body=None, name="", rtol=1e-5, atol=1e-6):
        """Adds the case `expected = operator(inputs)`.

        `expected` is an array or a list of them. `dynamic` lists, per input,
        the dimensions whose types are `?`, `dynamic_result` those of every
        result. `body`, for more than one operator, replaces the generated text:
        it has the fields {0}, {1}... for the types of inputs and {r0}... for
        those of results, reads %a0, %a1... and ends with a return.
        """
        expected = expected if isinstance(expected, list) else [expected]
        expected = [np.asarray(value) for value in expected]
        inputs = [np.asarray(value) for value in inputs]
        dynamic = dynamic or [()] * len(inputs)
        dynamic_result = dynamic_result or ()
        types = [type_of(value, dims) for value, dims in zip(inputs, dynamic)]
        results = [type_of(value, dynamic_result) for value in expected]
        symbol = f"t{len(self.cases)}_{operator.replace('.', '_')}"
        symbol += "_" + name if name else ""
        parameters = ", ".join(f"%a{i}: {type}" for i, type in enumerate(types))
        operands = ", ".join(f"%a{i}" for i in range(len(types)))
        attrs = f" {{{attrs}}}" if attrs else ""
        if body is None:
            body = (f"%0 = relay.{operator} {operands}{attrs} : "
                    f"({', '.join(types)}) -> {results[0]}\n"
                    f"return %0 : {results[0]}")
        else:
            named = {f"r{i}": type for i, type in enumerate(results)}
            body = body.format(*types, **named)
        text = (f"func.func @{symbol}({parameters}) -> ({', '.join(results)})\n"
                "    attributes {llvm.emit_c_interface, relay.primitive} {\n"
                f"{body}\n}}\n")
        self.cases.append(Case(symbol, text, inputs, expected, rtol, atol))

    def compile(self, relay_opt, mlir_translate, stem):
        """Compiles all cases to a shared library."""
        tools = os.path.dirname(os.path.realpath(mlir_translate))
        llc = os.path.join(tools, "llc")
        libraries = os.path.join(os.path.dirname(tools), "lib")
        with open(stem + ".mlir", "w") as file:
            file.write("\n".join(case.text for case in self.cases))
        commands = [
            [relay_opt, stem + ".mlir", "-o", stem + ".llvm.mlir",
             "--pass-pipeline=" + "".join(PIPELINE.split("\n"))],
            [mlir_translate, "--mlir-to-llvmir", stem + ".llvm.mlir",
             "-o", stem + ".ll"],
            [llc, "-O1", "-relocation-model=pic", "-filetype=obj",
             stem + ".ll", "-o", stem + ".o"],
            ["cc", "-shared", stem + ".o", "-o", stem + ".so", "-lm",
             "-L" + libraries, "-Wl,-rpath," + libraries, "-lmlir_c_runner_utils"],
        ]
        for command in commands:
            subprocess.run(command, check=True)
        return ctypes.CDLL(stem + ".so")

    def main(self):
        library = self.compile(*sys.argv[1:4])
        failures = 0
        for case in self.cases:
            problem = case.run(library)
            if problem:
                failures += 1
                print(f"{case.name}: {problem}\n{case.text}", file=sys.stderr)
        print(f"{len(self.cases) - failures} of {len(self.cases)} cases agree")
        sys.exit(failures != 0)
