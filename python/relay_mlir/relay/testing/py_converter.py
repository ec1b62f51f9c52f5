"""Programs of Relay as programs of Python: `to_python`, `run_as_python`.

A function becomes a function of Python, `if` and `match` become if statements, tuples
become tuples, and values of data types and references become ConstructorValue and
RefValue, or classes like them where functions are among what they hold. An operator is
run by the interpreter. A node that is used several times is computed once, in the
innermost block around its uses.
"""

from __future__ import annotations

import ast
import re
import types
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from .. import _deep, adt, analysis, expr as _expr, transform, ty
from .._core import core
from ..executor import ConstructorValue, RefValue, create_executor
from ..expr import Expr, Function, TupleWrapper
from ..features import Scope, common_scope
from ..module import IRModule

OUTPUT_VAR_NAME = "_py_out"

_PROLOGUE = """
import numpy
from relay_mlir import relay
from relay_mlir.relay.testing.py_converter import make_data, make_reference, run_operator
"""


#===------------------------------------------------------------------------===#
# What the program calls
#===------------------------------------------------------------------------===#


def _type_of(value: Any) -> ty.Type:
    if isinstance(value, tuple):
        return ty.TupleType(list(map(_type_of, value)))
    if isinstance(value, np.ndarray):
        return ty.TensorType(value.shape, value.dtype.name)
    raise TypeError(f"expects a tensor or a tuple of tensors for an operator, but got {value!r}")


_operators: dict[Any, Callable[..., Any]] = {}


def run_operator(name: str, attrs: dict[str, Any], *args: Any) -> Any:
    """Runs an operator on tensors and tuples of tensors."""
    from ..op import get

    # A caller may pass numbers to a function that the program returned.
    args = tuple(_expr.const(arg).data if isinstance(arg, (bool, int, float, np.generic)) else arg
                 for arg in args)
    arg_types = tuple(map(_type_of, args))
    key = (name, repr(attrs), arg_types)
    if key not in _operators:
        params = [_expr.Var(f"arg{i}", type_) for i, type_ in enumerate(arg_types)]
        function = Function(params, _expr.Call(get(name), params, attrs))
        _operators[key] = create_executor("debug").evaluate(function)
    return _operators[key](*args)


def _literal(value: Any) -> str:
    """A value as Python writes it; infinities and NaN by their names in NumPy."""
    if isinstance(value, float) and not np.isfinite(value):
        return "numpy.nan" if np.isnan(value) else f"{'-' if value < 0 else ''}numpy.inf"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return "{%s}" % ", ".join(f"{key!r}: {_literal(item)}" for key, item in value.items())
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise NotImplementedError(f"expects numbers, strings and lists as attributes of an "
                                  f"operator, but got {value!r}")
    return repr(value)


@dataclass
class PythonReference:
    """A reference to a value that has functions of Python in it, which the interpreter
    does not know."""

    value: Any


@dataclass
class PythonData:
    """A value of a data type that has functions of Python in it."""

    tag: int
    fields: list[Any]
    constructor: adt.Constructor

    @property
    def name_hint(self) -> str:
        return self.constructor.name_hint


def _has_function(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_has_function, value))
    return isinstance(value, (types.FunctionType, PythonData, PythonReference))


def make_data(constructor: adt.Constructor, fields: list[Any]) -> ConstructorValue | PythonData:
    """What a constructor makes of its fields."""
    if any(map(_has_function, fields)):
        return PythonData(constructor.tag, fields, constructor)
    return ConstructorValue(constructor.tag, fields, constructor)


def make_reference(value: Any) -> RefValue | PythonReference:
    """A reference that holds a value."""
    return PythonReference(value) if _has_function(value) else RefValue(value)


#===------------------------------------------------------------------------===#
# Where nodes are computed
#===------------------------------------------------------------------------===#


# Python has 100 levels of blocks inside of each other. Of so many, the innermost
# becomes a function of its own, outside of all others.
_MAX_LEVELS = 20


class _Block(Scope):
    """Statements that run together: a function's body, a branch, a clause."""

    def __init__(self, parent: _Block | None) -> None:
        super().__init__(parent)
        self.lines: list[str] = []


def _inner_parts(node: Expr) -> list[Expr]:
    """The parts of a node that are blocks of their own."""
    if isinstance(node, core.Function):
        return [node.body]
    if isinstance(node, core.If):
        return [node.true_branch, node.false_branch]
    if isinstance(node, core.Match):
        return [clause.rhs for clause in node.clauses]
    return []


def _outer_parts(node: Expr) -> list[Expr]:
    """The other parts."""
    if isinstance(node, core.Function):
        return []
    if isinstance(node, core.If):
        return [node.cond]
    if isinstance(node, core.Match):
        return [node.data]
    return core.children(node)


class _Converter:

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod
        self._names: dict[Expr, str] = {}
        self._used: set[str] = set()
        self._home: dict[Expr, _Block] = {}
        self._blocks: dict[tuple[Expr, int], _Block] = {}
        self._results: dict[Expr, str] = {}
        # Functions that stand for blocks of a deep level.
        self._outside: list[str] = []

    def name(self, hint: str) -> str:
        """A name that is not used yet."""
        hint = re.sub(r"\W", "_", hint, flags=re.ASCII)
        if not hint or hint[0].isdigit():
            hint = "v" + hint
        number = len(self._used)
        name = f"{hint}_{number}"
        self._used.add(name)
        return name

    def name_of(self, var: Expr, hint: str) -> str:
        """The name of a variable."""
        if var not in self._names:
            self._names[var] = self.name(hint)
        return self._names[var]

    #===--------------------------------------------------------------------===#
    # Blocks
    #===--------------------------------------------------------------------===#

    def _place(self, root: Expr, block: _Block) -> None:
        """Finds the block of each node: users come before what they use."""
        self._home[root] = block
        for node in reversed(core.post_order(root)):
            home = self._home.get(node)
            if home is None:  # A variable where it is bound.
                continue
            uses = [(part, home) for part in _outer_parts(node)]
            for index, part in enumerate(_inner_parts(node)):
                inner = self._blocks[node, index] = _Block(home)
                uses.append((part, inner))
            for part, where in uses:
                known = self._home.get(part)
                self._home[part] = where if known is None else common_scope(known, where)

    def _write(self, node: Expr, text: str) -> None:
        self._home[node].lines.append(text)

    def _assign(self, node: Expr, value: str) -> str:
        name = self.name("t")
        self._write(node, f"{name} = {value}")
        return name

    def _nest(self, node: Expr, index: int, last: Callable[[str], str]) -> list[str]:
        """The lines of a part that is a block, of which `last` makes the last line."""
        part = _inner_parts(node)[index]
        result = self.visit(part)
        block = self._blocks[node, index]
        if block.level % _MAX_LEVELS == 0:
            return [last(self._move_outside(block.lines, result))]
        return [*block.lines, last(result)]

    def _move_outside(self, lines: list[str], result: str) -> str:
        """Makes a function of statements, and returns its call, which has their result."""
        text = "\n".join([*lines, f"return {result}"])
        # No name is that of two variables.
        used: dict[str, None] = {}
        bound = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                used[node.id] = None
            elif isinstance(node, ast.Name):
                bound.add(node.id)
            elif isinstance(node, ast.FunctionDef):
                bound.add(node.name)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
        params = ", ".join(name for name in used if name in self._used and name not in bound)
        name = self.name("block")
        self._outside.append(f"def {name}({params}):\n{self._indent([text])}")
        return f"{name}({params})"

    @staticmethod
    def _indent(lines: list[str]) -> str:
        return "\n".join("    " + line for text in lines for line in text.split("\n"))

    #===--------------------------------------------------------------------===#
    # Nodes
    #===--------------------------------------------------------------------===#

    def visit(self, node: Expr) -> str:
        """The expression of Python for a node, with its statements before it."""
        lets = []
        while isinstance(node, core.Let) and node not in self._results:
            self._bind(node)
            lets.append(node)
            node = node.body
        if node not in self._results:
            self._results[node] = self._convert(node)
        for let in lets:
            self._results[let] = self._results[node]
        return self._results[node]

    def _bind(self, let: Any) -> None:
        name = self.name_of(let.var, let.var.name_hint)
        if isinstance(let.value, core.Function) and let.value not in self._results:
            # It may call itself.
            self._results[let.value] = name
            self._define(let.value, name)
        else:
            self._write(let, f"{name} = {self.visit(let.value)}")
        self._results[let.var] = name

    def _convert(self, node: Any) -> str:
        if isinstance(node, core.Var):
            if node not in self._names:
                raise ValueError("expects an expression without free variables, but "
                                 f"{node.name_hint!r} is free")
            return self._names[node]
        if isinstance(node, core.GlobalVar):
            if node not in self._mod.functions:
                raise ValueError(f"there is no function {node.name_hint!r} in the module")
            return self.name_of(node, node.name_hint)
        if isinstance(node, core.Constant):
            data = node._data
            # A list without elements does not have the other sizes.
            text = _literal(data.tolist()) if data.size else f"numpy.zeros({data.shape})"
            return self._assign(node, f"relay.const({text}, {data.dtype.name!r}).data")
        if isinstance(node, core.Tuple):
            fields = [self.visit(part) for part in node.fields]
            return self._assign(node, f"({''.join(f + ', ' for f in fields)})")
        if isinstance(node, core.TupleGetItem):
            return self._assign(node, f"{self.visit(node.tuple_value)}[{node.index}]")
        if isinstance(node, core.Op):
            return f"(lambda *args: run_operator({node.name!r}, {{}}, *args))"
        if isinstance(node, adt.Constructor):
            return f"(lambda *fields: {self._construct(node, '*fields')})"
        if isinstance(node, core.RefCreate):
            return self._assign(node, f"make_reference({self.visit(node.value)})")
        if isinstance(node, core.RefRead):
            return self._assign(node, f"{self.visit(node.ref)}.value")
        if isinstance(node, core.RefWrite):
            ref = self.visit(node.ref)
            self._write(node, f"{ref}.value = {self.visit(node.value)}")
            return "()"
        if isinstance(node, core.Call):
            return self._call(node)
        if isinstance(node, core.Function):
            name = self.name("function")
            self._define(node, name)
            return name
        if isinstance(node, core.If):
            return self._if(node)
        if isinstance(node, core.Match):
            return self._match(node)
        raise TypeError(f"expects an expression of Relay, but got {node!r}")

    @staticmethod
    def _construct(constructor: Any, fields: str) -> str:
        names = f"{constructor.belong_to.name_hint!r}, {constructor.name_hint!r}"
        return f"_construct({names}, [{fields}])"

    def _call(self, call: Any) -> str:
        args = [self.visit(arg) for arg in call.args]
        if isinstance(call.op, core.Op):
            args = [repr(call.op.name), _literal(dict(call._attrs)), *args]
            return self._assign(call, f"run_operator({', '.join(args)})")
        if isinstance(call.op, adt.Constructor):
            return self._assign(call, self._construct(call.op, ", ".join(args)))
        return self._assign(call, f"{self.visit(call.op)}({', '.join(args)})")

    def _define(self, function: Any, name: str) -> None:
        params = [self.name_of(param, param.name_hint) for param in function.params]
        lines = self._nest(function, 0, lambda result: f"return {result}")
        self._write(function, f"def {name}({', '.join(params)}):\n{self._indent(lines)}")

    def _if(self, node: Any) -> str:
        name = self.name("t")
        condition = self.visit(node.cond)
        branches = [self._nest(node, index, lambda result: f"{name} = {result}")
                    for index in range(2)]
        self._write(node, f"if {condition}:\n{self._indent(branches[0])}\nelse:\n"
                    f"{self._indent(branches[1])}")
        return name

    def _match(self, match: Any) -> str:
        name, data = self.name("t"), self.visit(match.data)
        texts = []
        for index, clause in enumerate(match.clauses):
            checks: list[str] = []
            bindings: list[str] = []
            self._pattern(clause.lhs, data, checks, bindings)
            lines = bindings + self._nest(match, index, lambda result: f"{name} = {result}")
            keyword = "elif" if index else "if"
            texts.append(f"{keyword} {' and '.join(checks) or 'True'}:\n{self._indent(lines)}")
        texts.append("else:\n    raise ValueError('expects a case that matches the value')"
                     if match.clauses else
                     "raise ValueError('expects a case that matches the value')")
        self._write(match, "\n".join(texts))
        return name

    def _pattern(self, pattern: Any, value: str, checks: list[str], bindings: list[str]) -> None:
        """Appends what a value must fulfil, and the variables that are parts of it."""
        if isinstance(pattern, adt.PatternVar):
            bindings.append(f"{self.name_of(pattern.var, pattern.var.name_hint)} = {value}")
        elif isinstance(pattern, adt.PatternTuple):
            for index, part in enumerate(pattern.patterns):
                self._pattern(part, f"{value}[{index}]", checks, bindings)
        elif isinstance(pattern, adt.PatternConstructor):
            checks.append(f"{value}.name_hint == {pattern.constructor.name_hint!r}")
            for index, part in enumerate(pattern.patterns):
                self._pattern(part, f"{value}.fields[{index}]", checks, bindings)

    #===--------------------------------------------------------------------===#
    # Programs
    #===--------------------------------------------------------------------===#

    def _prologue(self) -> str:
        definitions = IRModule(type_definitions=self._mod.type_definitions)
        return (f"{_PROLOGUE}\n_types = relay.parse({definitions.astext()!r})\n"
                "def _construct(type_name, name, fields):\n"
                "    return make_data(_types.get_constructor(type_name, name), fields)\n")

    def convert(self, expr: Expr) -> str:
        """The text of a program that computes an expression."""
        block = _Block(None)
        functions = self._mod.functions
        self._place(core.Tuple([*functions.values(), expr]), block)
        for var, function in functions.items():
            self._define(function, self.name_of(var, var.name_hint))
        result = self.visit(expr)
        return "\n".join([self._prologue(), *self._outside, *block.lines,
                          f"{OUTPUT_VAR_NAME} = {result}"])


def to_python(expr: Expr | TupleWrapper, mod: IRModule | None = None,
              target: Any = None) -> ast.Module:
    """A program of Python, as its syntax tree, that leaves the value of an expression in
    `_py_out`. `ast.unparse` makes text of it. `target` is not used: operators are run by
    the interpreter."""
    del target
    expr = core.to_expr(expr)
    mod = transform.infer_types(mod) if mod is not None else IRModule()
    if not analysis.well_formed(expr):
        raise ValueError("expects an expression that binds each variable once")
    roots = [expr, *mod.functions.values()]
    depth = max(map(_deep.depth_of, roots))
    return ast.parse(_deep.call_deep(_Converter(mod).convert, expr, depth))


def run_as_python(expr: Expr | TupleWrapper, mod: IRModule | None = None,
                  target: Any = None) -> Any:
    """The value of an expression, computed as a program of Python. A function becomes a
    function of Python."""
    code = compile(to_python(expr, mod, target), "<relay>", "exec")
    scope: dict[str, Any] = {}
    exec(code, scope)  # pylint: disable=exec-used
    return scope[OUTPUT_VAR_NAME]


__all__ = ["PythonData", "PythonReference", "make_data", "make_reference", "run_as_python",
           "run_operator", "to_python"]
