"""Parts of a program for oneDNN, Intel's library of operators for processors.

    from relay_mlir.relay.op.contrib.dnnl import partition_for_dnnl

    mod = partition_for_dnnl(mod, params)
    lib = relay.build(mod, target="llvm")

NaN is not kept everywhere: its ReLU, clip and maxima ignore it.

Convolutions and products with their bias, a sum and an activation become functions that
oneDNN computes, in float32 on static shapes, and with them the pooling, softmax, layer
normalization and elementwise operators that they are connected to. The artefact needs
librelay_device_dnnl.so, which is part of the run time where oneDNN is installed, and uses the
threads of OpenMP (OMP_NUM_THREADS).
"""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np

from . import register
from ..op import register_op_attr
from ... import codegen, transform
from ...._arguments import expect, expect_mapping
from ...analysis import post_order_visit
from ...build_module import bind_main
from ...dataflow_pattern import DFPattern, is_op, wildcard
from ...expr import Call, Constant, Expr, Function, Op, Tuple, Var
from ...module import IRModule

_CONVOLUTIONS = {"nn.conv1d": ("NCW", "OIW"), "nn.conv2d": ("NCHW", "OIHW"),
                 "nn.conv3d": ("NCDHW", "OIDHW")}
_MATRIX_RANKS = {"nn.dense": 2, "nn.matmul": 2, "nn.batch_matmul": 3}
_PRODUCTS = (*_CONVOLUTIONS, *_MATRIX_RANKS)
_POOLING = {f"nn.{kind}_pool{n}d": (kind, layout) for kind in ("max", "avg")
            for n, layout in ((1, "NCW"), (2, "NCHW"), (3, "NCDHW"))}
_GLOBAL_POOLING = {"nn.global_max_pool2d": "max", "nn.global_avg_pool2d": "avg"}
# What oneDNN calls operators, and its two numbers.
_ELEMENTWISE = {"nn.relu": ("relu", 0.0, 0.0), "sigmoid": ("logistic", 0.0, 0.0),
                "tanh": ("tanh", 0.0, 0.0)}
_BINARY = {"add": "add", "multiply": "multiply"}


def _shape(expr: Expr) -> tuple[int, ...]:
    return tuple(expr.checked_type.shape)


def _is_float(expr: Expr) -> bool:
    """Whether it is a tensor of float32, of a static shape with elements, of so many
    dimensions that oneDNN knows how to copy it."""
    type_ = expr.checked_type
    return (getattr(type_, "dtype", None) == "float32" and 0 < len(type_.shape) <= 6
            and all(isinstance(size, int) and size > 0 for size in type_.shape))


def _pads(padding: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    sizes = [int(size) for size in padding]
    if len(sizes) == 1:
        sizes *= 2 * rank
    if len(sizes) == rank:
        sizes *= 2
    return sizes[:rank], sizes[rank:]


def _numbers(values: Iterable[Any], rank: int) -> list[int]:
    sizes = [int(value) for value in values]
    return sizes * rank if len(sizes) == 1 else sizes


def _name(expr: Expr) -> str:
    return expr.op.name if isinstance(expr, Call) and isinstance(expr.op, Op) else ""


#===------------------------------------------------------------------------===#
# Patterns
#===------------------------------------------------------------------------===#


class _Chain:
    """A convolution or a product, and what follows it in one function: a bias, a tensor
    that is added, and an activation."""

    def __init__(self, root: Call) -> None:
        self.bias: Expr | None = None
        self.sum: Expr | None = None
        self.activation: tuple[str, float, float] | None = None
        node: Any = root
        name = _name(node)
        if name in _ELEMENTWISE:
            self.activation, node = _ELEMENTWISE[name], node.args[0]
        elif name == "clip":
            self.activation = ("clip", float(node.attrs.a_min), float(node.attrs.a_max))
            node = node.args[0]
        elif name == "multiply":
            self.activation, node = ("swish", 1.0, 0.0), self._inner(node)
        others: list[tuple[str, Expr, Any]] = []
        while _name(node) in ("add", "nn.bias_add"):
            inner = self._inner(node) if _name(node) == "add" else node.args[0]
            other = node.args[1] if node.args[0].same_as(inner) else node.args[0]
            others.append((_name(node), other, node))
            node = inner
        self.is_valid = True
        if self.activation and name == "clip":
            _, low, high = self.activation
            most = float(np.finfo("float32").max)
            self.is_valid = -most <= low <= high <= most
        self.main: Call = node
        rank = len(_shape(node))
        channel = 1 if _name(node) in _CONVOLUTIONS else rank - 1
        wanted = [1] * rank
        wanted[channel] = _shape(node)[channel]
        for name, other, add in reversed(others):
            shape = _shape(other)
            if any(other.same_as(part) for part in (node, *(part for _, _, part in others))):
                self.is_valid = False  # What is added is to be there before.
            if name == "nn.bias_add":
                axis = int(add.attrs.axis)
                is_bias = (axis + rank if axis < 0 else axis) == channel
            else:
                is_bias = [*[1] * (rank - len(shape)), *shape] == wanted
            if is_bias and self.bias is None and self.sum is None:
                self.bias = other
            elif name == "add" and shape == _shape(node) and self.sum is None:
                self.sum = other
            else:
                self.is_valid = False

    @staticmethod
    def _inner(node: Any) -> Any:
        """The operand that the convolution is in."""
        for arg in node.args:
            part = arg
            while _name(part) in ("add", "nn.bias_add"):
                part = next((a for a in part.args if _name(a)), part.args[0])
            if _name(part) in _PRODUCTS:
                return arg
        return node.args[0]


def _takes_main(call: Call) -> bool:
    """Whether oneDNN has a convolution or a product."""
    if not all(_is_float(expr) for expr in (call, *call.args)):
        return False
    name, attrs = _name(call), call.attrs
    if name not in _CONVOLUTIONS:
        return len(_shape(call.args[0])) == _MATRIX_RANKS[name]
    data, kernel = _CONVOLUTIONS[name]
    return (attrs.data_layout == data and attrs.kernel_layout == kernel
            and attrs.out_layout in ("", data))


def _make_check(parts: Sequence[str]) -> Callable[[Call], bool]:
    """Whether what matches a pattern has its parts: an addition may be either."""

    def check(root: Call) -> bool:
        chain = _Chain(root)
        return (chain.is_valid and _takes_main(chain.main)
                and all((other is not None) == (part in parts)
                        and (other is None or _is_float(other))
                        for part, other in (("bias", chain.bias), ("sum", chain.sum))))

    return check


def _pattern(op_name: str, parts: Sequence[str]) -> DFPattern:
    result: DFPattern = is_op(op_name)(wildcard(), wildcard())
    for part in parts:
        if part == "bias":
            result = is_op("add")(result, wildcard()) | is_op("nn.bias_add")(result, wildcard())
        elif part == "sum":
            result = is_op("add")(result, wildcard())
        elif part == "swish":
            result = is_op("multiply")(result, is_op("sigmoid")(result))
        else:
            result = is_op(part)(result)
    return result


def pattern_table() -> list[tuple[str, DFPattern, Callable[[Call], bool]]]:
    """(name, pattern, check), those of more operators first."""
    table = []
    activations = ["nn.relu", "clip", "sigmoid", "tanh", "swish"]
    for op_name in _PRODUCTS:
        tails = [[*middle, *last] for last in [[name] for name in activations] + [[]]
                 for middle in (["bias", "sum"], ["bias"], ["sum"], [])]
        if op_name == "nn.batch_matmul":
            tails = [tail for tail in tails if "bias" not in tail]
        for tail in sorted(tails, key=len, reverse=True):
            name = "_".join(["dnnl", op_name, *tail]).replace("nn.", "").replace("_", ".", 1)
            table.append((name, _pattern(op_name, tail), _make_check(tail)))
    return table


def _register_operators() -> None:
    """Which calls oneDNN takes that are in no pattern."""

    def elementwise(call: Call) -> bool:
        return _is_float(call) and _is_float(call.args[0])

    def pooling(call: Call) -> bool:
        _, layout = _POOLING[_name(call)]
        attrs = call.attrs
        if not elementwise(call) or attrs.layout != layout:
            return False
        rank = len(layout) - 2
        # A window that lies in the padding alone has no average.
        window = [(size - 1) * step + 1 for size, step in zip(
            _numbers(attrs.pool_size, rank), _numbers(attrs.dilation, rank))]
        return not attrs.ceil_mode and all(
            pad < size for pads in _pads(attrs.padding, rank) for pad, size in zip(pads, window))

    def global_pooling(call: Call) -> bool:
        return elementwise(call) and call.attrs.layout == "NCHW"

    def binary(call: Call) -> bool:
        return (all(_is_float(arg) for arg in call.args)
                and _shape(call.args[0]) == _shape(call.args[1]))

    def layer_norm(call: Call) -> bool:
        rank = len(_shape(call.args[0])) if elementwise(call) else 0
        return (2 <= rank <= 5 and int(call.attrs.axis) in (-1, rank - 1)
                and bool(call.attrs.center) and bool(call.attrs.scale))

    checks = {**dict.fromkeys(_ELEMENTWISE, elementwise), **dict.fromkeys(_POOLING, pooling),
              **dict.fromkeys(_GLOBAL_POOLING, global_pooling),
              **dict.fromkeys(_BINARY, binary), "nn.softmax": elementwise,
              "nn.layer_norm": layer_norm}
    for name, check in checks.items():
        register_op_attr(name, "target.dnnl", check)


#===------------------------------------------------------------------------===#
# Code
#===------------------------------------------------------------------------===#


class _Writer:
    """Writes one function, as lib/Runtime/OneDNN/Graph.h describes it."""

    def __init__(self, name: str, function: Function, weights: bytearray) -> None:
        self.lines = [f"function {name}"]
        self.function = function
        self.inputs = {param: index for index, param in enumerate(function.params)}
        self.weights = weights
        self.names = itertools.count()
        self.values: dict[Any, int] = {}
        self.numbers: dict[Expr, int] = {}
        self.arguments: dict[Expr, Expr] = {}

    @staticmethod
    def _format(shape: Sequence[int], strides: Sequence[int]) -> str:
        return " ".join(str(value) for value in (len(shape), *shape, *strides))

    @staticmethod
    def _strides(shape: Sequence[int]) -> list[int]:
        return [math.prod(shape[i + 1:]) for i in range(len(shape))]

    def _add(self, *words: Any) -> int:
        """A line whose second word is the number of a new value."""
        number = next(self.names)
        self.lines.append(" ".join(str(word) for word in (words[0], number, *words[1:])))
        return number

    def plain(self, expr: Expr, shape: Sequence[int] | None = None,
              strides: Sequence[int] | None = None) -> int:
        """The value of an expression, which may be seen in another shape."""
        expr = self.arguments.get(expr, expr)
        if isinstance(expr, Call) and shape is None:
            return self.numbers[expr]
        shape = _shape(expr) if shape is None else shape
        strides = self._strides(shape) if strides is None else strides
        key = (expr, tuple(shape), tuple(strides))
        if key not in self.values:
            form = self._format(shape, strides)
            if isinstance(expr, Call):
                number = self._add("view", self.numbers[expr], form)
            elif expr in self.inputs:
                number = self._add("value", "input", self.inputs[expr], form)
            elif not isinstance(expr, Constant):
                raise ValueError("expects a function of operators and patterns of oneDNN, but "
                                 f"got a {type(expr).__name__}")
            else:
                data = np.ascontiguousarray(expr.data.numpy(), "float32").tobytes()
                number = self._add("value", "weight", len(self.weights), form)
                self.weights += data
            self.values[key] = number
        return self.values[key]

    def _visit(self, fields: Sequence[Expr]) -> None:
        """Writes the calls that make the fields, each after its operands. There may be too
        many of them for a recursion."""
        stack = [field for field in reversed(fields) if isinstance(field, Call)]
        while stack:
            call = stack[-1]
            before = [arg for arg in call.args
                      if isinstance(arg, Call) and arg not in self.numbers]
            if call not in self.numbers and before:
                stack += reversed(before)
                continue
            stack.pop()
            if call not in self.numbers:
                self.numbers[call] = self._call(call)

    def _call(self, call: Call) -> int:
        if not isinstance(call.op, Function):
            return self._operator(call)
        # A pattern's function may be called again.
        self.arguments = dict(zip(call.op.params, call.args))
        number = self._chain(call.op.body)
        self.arguments = {}
        return number

    def _chain(self, root: Call) -> int:
        chain = _Chain(root)
        main = chain.main
        name, shape = _name(main), _shape(main)
        tail: list[Any] = []
        if chain.sum is not None:
            tail += ["sum", self.plain(chain.sum)]
        if chain.activation is not None:
            tail += ["eltwise", *chain.activation]
        if name in _CONVOLUTIONS:
            data = self.plain(main.args[0])
            return self._convolution(main, data, chain.bias, tail)
        transposed = ([False, True] if name == "nn.dense" else
                      [bool(main.attrs.transpose_a), bool(main.attrs.transpose_b)])
        sides = [self._matrix(arg, flag) for arg, flag in zip(main.args, transposed)]
        bias = [0]
        if chain.bias is not None:
            bias = [1, self.plain(chain.bias, [*[1] * (len(shape) - 1), shape[-1]])]
        return self._add("matmul", *sides, *bias, len(shape), *shape, *tail)

    def _matrix(self, arg: Expr, is_transposed: bool) -> int:
        if not is_transposed:
            return self.plain(arg)
        shape = list(_shape(arg))
        strides = self._strides(shape)
        return self.plain(arg, [*shape[:-2], shape[-1], shape[-2]],
                          [*strides[:-2], strides[-1], strides[-2]])

    def _convolution(self, conv: Call, data: int, bias_: Expr | None, tail: list[Any]) -> int:
        attrs, shape = conv.attrs, _shape(conv)
        rank = len(shape) - 2
        groups = int(attrs.groups)
        kernel = None
        if groups != 1:
            first, *rest = _shape(conv.args[1])
            kernel = (groups, first // groups, *rest)
        bias = [0]
        if bias_ is not None:
            bias = [1, self.plain(bias_, [shape[1]])]
        before, after = _pads(attrs.padding, rank)
        return self._add("conv", data, self.plain(conv.args[1], kernel), *bias, len(shape), *shape,
                         *_numbers(attrs.strides, rank), *_numbers(attrs.dilation, rank),
                         *before, *after, *tail)

    def _operator(self, call: Call) -> int:
        name, attrs, shape = _name(call), call.attrs, _shape(call)
        operands = [self.plain(arg) for arg in call.args[:3]]
        if name in _ELEMENTWISE:
            kind, alpha, beta = _ELEMENTWISE[name]
            return self._add("eltwise", kind, operands[0], alpha, beta)
        if name in _BINARY:
            return self._add("binary", _BINARY[name], *operands)
        if name == "nn.softmax":
            axis = int(attrs.axis)
            return self._add("softmax", operands[0], axis + len(shape) if axis < 0 else axis)
        if name == "nn.layer_norm":
            return self._add("layer_norm", *operands, float(attrs.epsilon))
        if name in _GLOBAL_POOLING:
            window = _shape(call.args[0])[2:]
            return self._add("pool", _GLOBAL_POOLING[name], operands[0], len(shape), *shape,
                             *window, *[1] * 4, *[0] * 4)
        if name not in _POOLING:
            raise ValueError(f"expects an operator or a pattern of oneDNN, but got {call.op}")
        kind, layout = _POOLING[name]
        rank = len(layout) - 2
        before, after = _pads(attrs.padding, rank)
        if kind == "avg" and attrs.count_include_pad:
            kind = "avg_padded"
        return self._add("pool", kind, operands[0], len(shape), *shape,
                         *_numbers(attrs.pool_size, rank), *_numbers(attrs.strides, rank),
                         *_numbers(attrs.dilation, rank), *before, *after)

    def write(self) -> list[str]:
        body = self.function.body
        fields = body.fields if isinstance(body, Tuple) else [body]
        self._visit(fields)
        for index, field in enumerate(fields):
            value, shape = self.plain(field), _shape(field)
            self.lines.append(f"output {index} {value} "
                              + self._format(shape, self._strides(shape)))
        return self.lines


def _generate(mod: IRModule) -> codegen.Blob:
    weights = bytearray()
    lines: list[str] = []
    for var, function in mod.functions_items():
        lines += _Writer(var.name_hint, function, weights).write()
    return codegen.Blob("dnnl 1", "\n".join(lines).encode() + b"\n\n" + weights)


# What makes a part worth a copy there and back, which costs more than an activation. TVM
# counts the global average among these: it follows convolutions, and reads all of an image.
_WORTH_A_CALL = (*_PRODUCTS, "nn.global_avg_pool2d")


def partition_for_dnnl(mod: IRModule, params: Mapping[str, Any] | None = None,
                       alter_layout: bool = True, prune_subgraphs: bool = True) -> IRModule:
    """Returns the program with functions for oneDNN of what it takes. `params` become
    constants. With `prune_subgraphs`, as in TVM, parts without a convolution, a product or
    nn.global_avg_pool2d stay ours. `alter_layout` has no effect: oneDNN chooses layouts."""
    del alter_layout
    expect(mod, IRModule, "mod", "a relay.IRModule")
    with transform.PassContext(opt_level=3):
        mod = bind_main(mod, expect_mapping(params or {}, "params"), stacklevel=2)
        mod = transform.Sequential([
            transform.InferType(), transform.SimplifyInference(), transform.FoldConstant(),
            transform.FoldScaleAxis(), transform.FoldConstant(),
            transform.MergeComposite(pattern_table()), transform.AnnotateTarget("dnnl"),
            transform.MergeCompilerRegions(), transform.PartitionGraph()])(mod)
        return transform.InlineCompilerFunctionsBoundTo(
            [var for var, function in mod.functions_items()
             if prune_subgraphs and (function.attrs or {}).get("Compiler") == "dnnl"
             and not _is_worth_a_call(function)])(mod)


def _is_worth_a_call(function: Function) -> bool:
    found = False

    def visit(node: Expr) -> None:
        nonlocal found
        found = found or _name(node) in _WORTH_A_CALL

    post_order_visit(function, visit)
    return found


_register_operators()
register.register_pattern_table("dnnl", pattern_table)
codegen.register("dnnl", _generate)

__all__ = ["partition_for_dnnl", "pattern_table"]
