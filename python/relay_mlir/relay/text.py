"""Reading and printing programs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from . import _diagnostics, adt, expr as _expr, ty
from .._arguments import expect_callable, expect_list, expect_mapping, expect_text
from ._core import core
from .module import IRModule, expect_module

if TYPE_CHECKING:
    from .transform import Pass, PassContext

_VERSIONS = ("0.0.5", "v0.0.4", "v0.0.1")
_version = "0.0.5"


def set_text_version(version: str) -> None:
    """Chooses the format in which `str` and `astext` print: "0.0.5", "v0.0.4" or
    "v0.0.1". Programs written for v0.0.1 also expect what that time had:
    `relay.testing` returns functions."""
    global _version  # pylint: disable=global-statement
    if version not in _VERSIONS:
        raise ValueError(f"expects one of {', '.join(_VERSIONS)}, but got {version!r}")
    _version = version


def get_text_version() -> str:
    """The format in which `str` and `astext` print."""
    return _version


#===------------------------------------------------------------------------===#
# Printing
#===------------------------------------------------------------------------===#


def print_text(value: Any, show_meta_data: bool = True,
               annotate: Callable[[_expr.Expr], str] | None = None, *,
               show_spans: bool | None = None, show_version: bool = True,
               version: str | None = None) -> str:
    """The text of a module or an expression.

    `annotate` is called with expressions and returns what is written after them,
    in place of their types. `show_spans` adds the places that expressions have in
    their source, NAME:LINE:COLUMN; if it is None, the newest format has them.
    """
    if annotate is not None:
        expect_callable(annotate, "annotate")
    if show_spans is None:
        show_spans = (version or _version) == "0.0.5" and annotate is None
    if isinstance(value, _expr.TupleWrapper):
        value = value.tuple_value
    options: Any = (version or _version, show_version, bool(show_meta_data),
                    annotate is None, show_spans, annotate)
    if isinstance(value, IRModule):
        return core.print_module(*value._to_core(), *options)
    if isinstance(value, ty.Type):
        return _type_text(value)
    return core.print_expr(value, *options)


def print_short(value: Any) -> str:
    """What `str` gives: without constants and places, and without the version from
    0.0.5 on."""
    return print_text(value, show_meta_data=False, show_spans=False,
                      show_version=_version != "0.0.5")


def astext(value: Any, show_meta_data: bool = True,
           annotate: Callable[[_expr.Expr], str] | None = None, **options: Any) -> str:
    """The text of a module or an expression; see print_text."""
    return print_text(value, show_meta_data, annotate, **options)


def pretty_print(value: Any) -> str:
    """The text of a value without the version, constants and places."""
    return print_text(value, show_meta_data=False, show_spans=False, show_version=False)


def _type_text(self: ty.Type) -> str:
    if isinstance(self, ty.GlobalTypeVar):
        return self.name_hint
    return core.print_type(self)


def _pattern_text(self: adt.Pattern) -> str:
    if isinstance(self, adt.PatternWildcard):
        return "_"
    if isinstance(self, adt.PatternVar):
        return "%" + self.var.name_hint
    assert isinstance(self, (adt.PatternTuple, adt.PatternConstructor))
    fields = ", ".join(map(str, self.patterns))
    if isinstance(self, adt.PatternTuple):
        return f"({fields},)" if len(self.patterns) == 1 else f"({fields})"
    name = self.constructor.name_hint
    return f"{name}({fields})" if self.patterns else name


_expr.extend(_expr.Expr, astext=astext, __str__=print_short, __repr__=print_short)
_expr.extend(ty.Type, __str__=_type_text, __repr__=_type_text,
             astext=lambda self, **_: _type_text(self))
_expr.extend(adt.Pattern, __str__=_pattern_text, __repr__=_pattern_text)

#===------------------------------------------------------------------------===#
# Reading
#===------------------------------------------------------------------------===#


def _metadata(table: Mapping[str, Sequence[Any]] | None) -> dict[str, list[_expr.Expr]]:
    """Entries of meta[key][index] as the parser takes them."""
    table = expect_mapping(table, "init_meta_table")
    return {key: list(map(_expr.as_expr, expect_list(values, f"meta[{key}]", "constants")))
            for key, values in table.items()}


def parse_module(text: str, source_name: str = "from_string", init_module: IRModule | None = None,
                 init_meta_table: Mapping[str, Sequence[Any]] | None = None) -> IRModule:
    """Reads a module without inferring its types."""
    expect_text(text, "the source")
    expect_text(source_name, "source_name")
    functions, types = expect_module(init_module, "init_module")._to_core() \
        if init_module is not None else ([], [])
    with _diagnostics.raising(source_name, text):
        result = core.parse_module(text, source_name, functions, types,
                                   _metadata(init_meta_table))
    return IRModule._from_core(*result, like=init_module)


def parse(source: str, source_name: str = "from_string", init_module: IRModule | None = None,
          init_meta_table: Mapping[str, Sequence[Any]] | None = None) -> IRModule:
    """Reads a module and infers its types. Raises DiagnosticError.

    The definitions of `init_module` become part of it; `init_meta_table` has
    constants for meta[key][index] after those of the text.
    """
    from .transform import infer_types

    return infer_types(parse_module(source, source_name, init_module, init_meta_table))


def fromtext(source: str, source_name: str = "from_string") -> IRModule:
    """Reads a module; see parse."""
    return parse(source, source_name)


def parse_expr(source: str, source_name: str = "from_string") -> Any:
    """Reads one expression. Raises DiagnosticError."""
    expect_text(source, "the source")
    expect_text(source_name, "source_name")
    with _diagnostics.raising(source_name, source):
        return core.parse_expr(source, source_name)


def SpanCheck() -> Pass:  # pylint: disable=invalid-name
    """A pass that changes nothing, and warns of expressions that have no place in a
    source: with the number of them in each function, and the first."""
    from .transform import Pass, PassInfo

    def check(mod: IRModule, context: PassContext) -> IRModule:
        del context
        for var, function in mod.functions.items():
            missing = [node for node in core.post_order(function)
                       if node.span is None and not isinstance(node, (_expr.Op, adt.Constructor))]
            if missing:
                warnings.warn(f"@{var.name_hint}: {len(missing)} expressions have no span; the "
                              f"first is {print_short(missing[0])}")
        return mod

    return Pass(check, PassInfo("SpanCheck"))


__all__ = [
    "SpanCheck", "astext", "fromtext", "get_text_version", "parse", "parse_expr", "pretty_print",
    "set_text_version",
]
