"""Functions of Python for operators, made from their schemas.

The signature is that of the schema, operands first, unless `_signatures` has
another: other defaults, another order. The code of each function is written out
and compiled, so that it has a real signature.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from typing import Any, Callable, Sequence

from ..expr import Call
from . import _registry
from ._signatures import SIGNATURES

_SPATIAL = {"strides", "dilation", "dilations", "kernel_size", "pool_size", "output_padding"}


def _rank_of(name: str) -> int:
    match = re.search(r"([123])d", name)
    return int(match[1]) if match else 2


def _expand(value: Any, rank: int, what: str) -> Any:
    """`rank` integers, of one or a list. `what` is the operator and its argument, for
    errors."""
    if value is None:
        return None
    values = _registry.to_ints(value, what)
    return values * rank if len(values) == 1 else values


def _pad(value: Any, rank: int, what: str) -> Any:
    """Padding before and after each dimension, of its shorter forms."""
    values = _expand(value, rank, what)
    return values * 2 if values is not None and len(values) == rank else values


def _is_windowed(schema: _registry.Schema) -> bool:
    names = {a.name for a in schema.attributes}
    return ("padding" in names and schema.name != "nn.correlation" and
            bool(names & {"strides", "kernel_size", "pool_size"}))


def _converters(schema: _registry.Schema) -> dict[str, Callable[[Any], Any]]:
    """What happens to arguments of operators with a sliding window."""
    if not _is_windowed(schema):
        return {}
    rank = _rank_of(schema.name)
    names = {a.name for a in schema.attributes}
    converters = {**dict.fromkeys(names & _SPATIAL, _expand), "padding": _pad}
    return {name: functools.partial(convert, rank=rank, what=f"{schema.name}: '{name}'")
            for name, convert in converters.items()}


# What an attribute may be, by its kind.
_TYPES = {
    "bool": "bool", "int": "int", "float": "float", "string": "str",
    "ints": "int | Sequence[Any]", "floats": "float | Sequence[float]",
    "int_or_ints": "int | Sequence[int]",
}


def _attribute_type(attribute: _registry.Attribute) -> str:
    type_ = _TYPES.get(attribute.kind, "Any")
    optional = attribute.presence in (_registry.NULLABLE, _registry.OPTIONAL_ATTR)
    return f"{type_} | None" if optional and type_ != "Any" else type_


def _default_text(attribute: _registry.Attribute) -> str | None:
    if attribute.presence == _registry.REQUIRED:
        return None
    value = attribute.default
    if attribute.kind == "dtype":
        value = "" if value is None else value
    return repr(tuple(value) if isinstance(value, list) else value)


def _schema_parameters(schema: _registry.Schema) -> list[tuple[str, str | None]]:
    """Parameters as (name, default text or None), required ones first."""
    parameters = []
    for name, kind in schema.operands:
        parameters.append((name, "None" if kind == _registry.OPTIONAL else None))
    for attribute in schema.attributes:
        parameters.append((attribute.name, _default_text(attribute)))
    return sorted(parameters, key=lambda p: p[1] is not None)


def parse_signature(text: str) -> tuple[str, list[tuple[str, str | None]]]:
    """Name and parameters of a signature such as `f(x, axis=1)`."""
    node = ast.parse(f"def {text}: pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    names = [a.arg for a in node.args.args]
    defaults: list[str | None] = [None] * (len(names) - len(node.args.defaults))
    defaults += [ast.unparse(d) for d in node.args.defaults]
    return node.name, list(zip(names, defaults))


def _doc(schema: _registry.Schema) -> str:
    lines = [schema.summary.strip().rstrip(".") + "."]
    if schema.description.strip():
        lines += ["", inspect.cleandoc(schema.description)]
    return "\n".join(lines)


def make_function(schema: _registry.Schema, name: str | None = None,
                  parameters: list[tuple[str, str | None]] | None = None,
                  make: Callable[..., Call] = _registry.make_call) -> Callable[..., Call]:
    """Makes the function for an operator, which is called by `make`."""
    name = name or schema.name.rpartition(".")[2]
    parameters = parameters or _schema_parameters(schema)
    attribute_names = {a.name for a in schema.attributes}
    operands = [p for p, _ in parameters if p not in attribute_names]
    if len(operands) != len(schema.operands):
        raise AssertionError(f"{schema.name}: the signature has operands {operands}, the "
                             f"schema {schema.operands}")
    if set(operands) == {n for n, _ in schema.operands}:
        operands = [n for n, _ in schema.operands]
    converters = _converters(schema)
    signature = ", ".join(p if d is None else f"{p}={d}" for p, d in parameters)
    attributes = ", ".join(
        f"{p!r}: _convert[{p!r}]({p})" if p in converters else f"{p!r}: {p}"
        for p, _ in parameters if p in attribute_names)
    source = (f"def {name}({signature}):\n"
              f"    return _make({schema.name!r}, ({''.join(o + ', ' for o in operands)}), "
              f"{{{attributes}}})\n")
    scope: dict[str, Any] = {"_make": make, "_convert": converters}
    exec(compile(source, f"<operator {schema.name}>", "exec"), scope)  # pylint: disable=exec-used
    function = scope[name]
    function.__doc__ = _doc(schema)
    types = {a.name: _attribute_type(a) for a in schema.attributes}
    function.__annotations__ = {p: types.get(p, "ExprLike") for p, _ in parameters}
    function.__annotations__["return"] = "Call"
    return function


def populate(scope: dict[str, Any], prefix: str, groups: Sequence[str] = (),
             skip: Sequence[str] = (),
             make: Callable[..., Call] = _registry.make_call) -> None:
    """Adds the operators `prefix`NAME to a module's globals: those of the groups
    of signatures, then all others by their schema, but for those to skip. Names that
    are there stay. `make` makes their calls."""
    added = []
    done = set(skip)
    for group in groups:
        for text in SIGNATURES[group].strip().splitlines():
            text, _, op_name = text.partition(" -> ")
            name, parameters = parse_signature(text)
            op_name = op_name or prefix + name
            done.add(op_name)
            if name not in scope and op_name in _registry.SCHEMAS:
                scope[name] = make_function(_registry.SCHEMAS[op_name], name, parameters, make)
                added.append(name)
    for op_name, schema in _registry.SCHEMAS.items():
        short = op_name[len(prefix):]
        if not op_name.startswith(prefix) or "." in short or op_name in done:
            continue
        if short not in scope:
            scope[short] = make_function(schema, short, make=make)
            added.append(short)
    for name in added:
        scope[name].__module__ = scope["__name__"]
    scope.setdefault("__all__", []).extend(added)
