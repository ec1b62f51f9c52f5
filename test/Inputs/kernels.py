"""Compiles tir kernels to a shared library and calls them with NumPy arrays.

Shared by the tests that run kernels; the calling convention is that of
Runtime/KernelABI.h.
"""

import ctypes
import os
import re
import subprocess

import numpy as np

PARALLEL_BODY = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64),
    ctypes.c_int64, ctypes.c_int64)
PARALLEL_FOR = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int64),
    ctypes.c_int64)


class Context(ctypes.Structure):
    _fields_ = [("parallel_for", PARALLEL_FOR), ("observer", ctypes.c_void_p),
                ("observer_data", ctypes.c_void_p),
                ("thread_pool", ctypes.c_void_p)]


def _parallel_for(context, body, args, dims, extent):
    """Runs the parts back to front, so that an order they need shows."""
    function = PARALLEL_BODY(body)
    bounds = [extent * i // 3 for i in range(4)]
    for begin, end in reversed(list(zip(bounds, bounds[1:]))):
        function(args, dims, begin, end)
    return 0


_callback = PARALLEL_FOR(_parallel_for)
CONTEXT = Context(_callback, None, None, None)


def _split_arguments(text):
    """The arguments of a printed signature, at commas outside of brackets."""
    arguments, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in "<({[":
            depth += 1
        elif character in ">)}]" and text[i - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            arguments.append(text[start:i])
            start = i + 1
    return arguments + [text[start:]] if text.strip() else []


def _parse_map(inputs, results):
    """An affine map as a function of the values of its inputs."""
    names = [name.strip() for name in inputs.split(",") if name.strip()]
    text = re.sub(r"(\w+|\([^()]*\)) ceildiv (\w+)", r"(-(-(\1) // \2))", results)
    text = text.replace("floordiv", "//").replace("mod", "%")
    return lambda *values: [eval(part, {}, dict(zip(names, values)))
                            for part in text.split(",") if part.strip()]


class Signature:
    """The argument types of a kernel, as printed after workspaces are lifted."""

    def __init__(self, line):
        head = line[line.index("(") + 1:]
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(head[end], 0)
            end += 1
        self.shapes, self.workspaces, self.layouts = [], [], []
        for argument in _split_arguments(head[:end - 1]):
            dims = re.search(r"memref<(.*?)>", argument).group(1).split("x")
            self.shapes.append(
                [None if dim == "?" else int(dim) for dim in dims[:-1]])
            layout = re.search(
                r"tir.layout = affine_map<\((.*?)\) -> \((.*?)\)>", argument)
            self.layouts.append(_parse_map(*layout.groups()) if layout else None)
            sizes = re.search(
                r"tir.workspace = affine_map<\(\)\[(.*?)\] -> \((.*)\)>",
                argument)
            if sizes or "tir.workspace" in argument:
                self.workspaces.append(sizes.groups() if sizes else ("", ""))


def _get_workspace(shape, symbols, results, dims):
    """Memory for a workspace, and its dynamic sizes."""
    sizes = _parse_map(symbols, results)(*dims)
    iterator = iter(sizes)
    full = [next(iterator) if size is None else size for size in shape]
    # Garbage shows reads of what was not written.
    memory = np.full(int(np.prod(full)) * 8 + 64, 0xA5, np.uint8)
    return memory, sizes


def _pack(array, layout, shape):
    packed = np.zeros(shape, array.dtype)
    packed[tuple(np.broadcast_to(index, array.shape)
                 for index in layout(*np.indices(array.shape)))] = array
    return packed


class Kernels:
    """A module of kernels, compiled by `passes` and then the code generator."""

    def __init__(self, text, passes, relay_opt, mlir_translate, stem):
        tools = os.path.dirname(os.path.realpath(mlir_translate))
        with open(stem + ".mlir", "w") as file:
            file.write(text)

        def run(*command):
            subprocess.run(command, check=True)

        run(relay_opt, stem + ".mlir", "--mlir-print-local-scope",
            "--pass-pipeline=builtin.module(" + ",".join(passes) +
            ",tir.prim_func(tir-lift-workspaces))", "-o", stem + ".tir.mlir")
        run(relay_opt, stem + ".tir.mlir", "--tir-to-llvm", "-o",
            stem + ".llvm.mlir")
        run(mlir_translate, "--mlir-to-llvmir", "--allow-unregistered-dialect",
            stem + ".llvm.mlir", "-o",
            stem + ".ll")
        run(os.path.join(tools, "llc"), "-O1", "-mcpu=native",
            "-relocation-model=pic", "-filetype=obj", stem + ".ll", "-o",
            stem + ".o")
        run("cc", "-shared", stem + ".o", "-o", stem + ".so", "-lm")
        self.library = ctypes.CDLL(stem + ".so")
        self.signatures = {}
        with open(stem + ".tir.mlir") as file:
            for line in file:
                match = re.match(r"\s*tir\.prim_func (?:private )?@([\w.]+)\(",
                                 line)
                if match:
                    self.signatures[match.group(1)] = Signature(line)

    def call(self, name, arrays):
        """Calls kernel `name` on inputs and outputs; outputs are filled.

        Arguments whose layout the schedule has changed are packed here."""
        signature = self.signatures[name]
        dims = [size for array, shape in zip(arrays, signature.shapes)
                for size, known in zip(array.shape, shape) if known is None]
        arrays = [array if layout is None else _pack(array, layout, shape)
                  for array, layout, shape in zip(arrays, signature.layouts,
                                                  signature.shapes)]
        pointers = [array.ctypes.data for array in arrays]
        kept = []
        symbols = list(dims)
        for shape, (names, results) in zip(signature.shapes[len(arrays):],
                                           signature.workspaces):
            memory, sizes = _get_workspace(shape, names, results, symbols)
            kept.append(memory)
            dims += sizes
            pointers.append((memory.ctypes.data + 63) // 64 * 64)
        function = getattr(self.library, name)
        function.restype = ctypes.c_int32
        status = function((ctypes.c_void_p * len(pointers))(*pointers),
                          (ctypes.c_int64 * len(dims))(*dims),
                          ctypes.byref(CONTEXT))
        assert status == 0, f"{name} returned {status}"
