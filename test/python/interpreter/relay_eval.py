"""Evaluates single relay operators and compares them with NumPy.

All cases of a check run in one relay-opt process. Each case runs twice: with
static types, and inside a function whose arguments have dynamic sizes. Operators
on quantised tensors also run as the basic operators that they are written in.
"""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")

BF16 = np.dtype(ml_dtypes.bfloat16)
TYPES = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": BF16,
    "i1": np.dtype(np.bool_),
    **{f"i{8 * n}": np.dtype(f"i{n}") for n in (1, 2, 4, 8)},
    **{f"ui{8 * n}": np.dtype(f"u{n}") for n in (1, 2, 4, 8)},
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
FLOATS = ["f64", "f32", "f16", "bf16"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]

# How far a result may be off: half a unit in the last place is one rounding;
# twice that is allowed where the reference rounds as well.
RTOL = {"f64": 1e-12, "f32": 2.5e-7, "f16": 1e-3, "bf16": 8e-3}


def tensor_type(array, dynamic=False):
    sizes = ["?" if dynamic else str(size) for size in array.shape]
    return "tensor<%s>" % "x".join(sizes + [NAMES[array.dtype]])


def constant(array):
    if array.size == 0:
        value = "dense<>"
    elif array.dtype == np.bool_:
        value = f"dense<{array.astype(int).tolist()}>"
        value = value.replace("1", "true").replace("0", "false")
    else:
        data = np.ascontiguousarray(array).tobytes().hex().upper()
        value = f'dense<"0x{data}">'
    return f"relay.constant {value} : {tensor_type(array)}"


def attribute(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not value.startswith("!"):
        return f'"{value}"'
    if isinstance(value, str):
        return value[1:]  # A type.
    if isinstance(value, float):
        return f"{value:e} : f64"
    if isinstance(value, (list, tuple)):
        if any(isinstance(v, float) for v in value):
            return "array<f64: %s>" % ", ".join(repr(float(v)) for v in value)
        return "[%s]" % ", ".join(map(str, value))
    return str(value)


@dataclass
class Case:
    """An operator on inputs, and what it must return (a tuple of arrays for a
    tuple, else one array). An input that is a tuple of arrays becomes a tuple.
    `attrs` maps names to values; "!f32" is a type."""

    op: str
    inputs: list
    expected: Any
    attrs: dict = field(default_factory=dict)
    rtol: float | None = None
    atol: float = 0.0
    dynamic: bool = True  # False where sizes must be known to the compiler.
    basic: bool = True  # False where the basic operators refuse what is asked for.

    def text(self, name, dynamic):
        """Two functions, or one: only static functions run by themselves."""
        results = self.expected
        is_tuple = isinstance(results, (tuple, list))
        results = list(results) if is_tuple else [results]
        types = [tensor_type(r, dynamic) for r in results]
        result = f"tuple<{', '.join(types)}>" if is_tuple else types[0]
        arrays: list[Any] = []
        operands: list[str] = []
        operand_types: list[str] = []
        tuples = ""
        for input_ in self.inputs:
            fields = input_ if isinstance(input_, tuple) else (input_,)
            names = [f"%a{len(arrays) + i}" for i in range(len(fields))]
            types = [tensor_type(a, dynamic) for a in fields]
            arrays += fields
            if isinstance(input_, tuple):
                type_ = f"tuple<{', '.join(types)}>"
                tuples += f"  %t{len(operands)} = relay.tuple {', '.join(names)} : {', '.join(types)}\n"
                names, types = [f"%t{len(operands)}"], [type_]
            operands += names
            operand_types += types
        names = [f"%a{i}" for i in range(len(arrays))]
        static_types = [tensor_type(a) for a in arrays]
        op_types = [tensor_type(a, dynamic) for a in arrays]
        attrs = ", ".join(f"{k} = {attribute(v)}" for k, v in self.attrs.items())
        attrs = f" {{{attrs}}}" if attrs else ""
        body = tuples + (
            f"  %r = relay.{self.op} {', '.join(operands)}{attrs} : "
            f"({', '.join(operand_types)}) -> {result}\n"
        )
        constants = "".join(
            f"  %a{i} = {constant(a)}\n" for i, a in enumerate(arrays)
        )
        if not dynamic:
            return (
                f"func.func @{name}() -> {result} {{\n{constants}{body}"
                f"  return %r : {result}\n}}\n"
            )
        arguments = ", ".join(f"{o}: {t}" for o, t in zip(names, op_types))
        return (
            f"func.func private @{name}_callee({arguments}) -> {result} {{\n"
            f"{body}  return %r : {result}\n}}\n"
            f"func.func @{name}() -> {result} {{\n{constants}"
            f"  %r = relay.call @{name}_callee({', '.join(names)}) : "
            f"({', '.join(static_types)}) -> {result}\n"
            f"  return %r : {result}\n}}\n"
        )


def parse_value(text, dtype):
    """One element as the printer writes it."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("0x"):  # Bits of a float that is not a number.
        bits = int(text, 16).to_bytes(dtype.itemsize, "little")
        return np.frombuffer(bits, dtype)[0]
    return float(text) if "." in text or "e" in text else int(text)


def parse_tensor(value, type_):
    *sizes, element = type_.split("x")
    shape = tuple(map(int, sizes))
    dtype = TYPES[element]
    if value.startswith('"0x'):
        data = bytes.fromhex(value[3:-1])
        if dtype == np.bool_:
            bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")
            return bits[: int(np.prod(shape))].astype(bool).reshape(shape)
        return np.frombuffer(data, dtype).reshape(shape)
    words = re.findall(r"[^\[\], ]+", value)
    values = np.array([parse_value(w, dtype) for w in words]).astype(dtype)
    if len(words) == 1:
        return np.full(shape, values[0], dtype)
    return values.reshape(shape)


def run(text, passes=()):
    """Runs the functions of a module after passes; returns {name: [arrays]}."""
    pipeline = ",".join([*passes, "test-relay-interpret"])
    command = [
        str(BUILD / "bin/relay-opt"),
        f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
        f"--pass-pipeline=builtin.module({pipeline})",
        "--mlir-print-elementsattrs-with-hex-if-larger=0",
        "-o",
        os.devnull,
    ]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:4000]
    values = {}
    for line in result.stdout.splitlines():
        match = re.match(r"@(\w+)#0 = (.*)", line)
        if match:
            tensors = re.findall(r"dense<(.*?)> : tensor<(.*?)>", match[2])
            values[match[1]] = [parse_tensor(v, t) for v, t in tensors]
    return values


def compare(case, actual):
    expected = case.expected
    expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected):
        assert got.dtype == want.dtype and got.shape == want.shape, (
            f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
        )
        if want.dtype.kind in "iub" and case.rtol is None:
            np.testing.assert_array_equal(got, want)
        else:
            rtol = case.rtol or RTOL[NAMES[want.dtype]]
            np.testing.assert_allclose(
                got.astype(np.float64), want.astype(np.float64), rtol, case.atol
            )


def check(cases):
    assert cases
    text = ""
    for i, case in enumerate(cases):
        text += case.text(f"static{i}", dynamic=False)
        if case.dynamic:
            text += case.text(f"dynamic{i}", dynamic=True)
    values = run(text)
    basic = [i for i, case in enumerate(cases) if case.op.startswith("qnn.") and case.basic]
    if basic:
        written = run("".join(cases[i].text(f"basic{i}", dynamic=False) for i in basic),
                      ["func.func(relay-qnn-canonicalize)"])
        values.update(written)
    for i, case in enumerate(cases):
        kinds = ["static", "dynamic"] if case.dynamic else ["static"]
        kinds += ["basic"] if i in basic else []
        for kind in kinds:
            try:
                compare(case, values[f"{kind}{i}"])
            except AssertionError as error:
                shapes = [
                    f"{a.dtype}{a.shape}" for i in case.inputs for a in (i if isinstance(i, tuple) else (i,))
                ]
                raise AssertionError(
                    f"{case.op} {case.attrs} on {shapes} ({kind}): {error}"
                ) from None


def random(rng, shape, dtype, low=-3.0, high=3.0):
    """Values that the element type holds exactly."""
    dtype = TYPES[dtype] if isinstance(dtype, str) else dtype
    if dtype == np.bool_:
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        low = max(int(low), 0) if dtype.kind == "u" else int(low)
        return rng.integers(low, int(high), shape, endpoint=True).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def exact(fn, *arrays):
    """Computes in double and rounds once, to the type of the first array."""
    wide = [a.astype(np.float64) for a in arrays]
    with np.errstate(all="ignore"):
        return np.asarray(fn(*wide)).astype(arrays[0].dtype)
