"""Passes that hand parts of a program to the code generators of others.

    @tvm.ir.register_op_attr("add", "target.mine")
    def add(call):
        return call.checked_type.dtype == "float32"

    mod = relay.transform.AnnotateTarget("mine")(mod)
    mod = relay.transform.MergeCompilerRegions()(mod)
    mod = relay.transform.PartitionGraph()(mod)
"""

from __future__ import annotations

import re
from typing import Any, Iterable, Sequence

from . import _diagnostics, codegen, collage, expr as _expr
from .._arguments import (describe, expect, expect_callable, expect_int, expect_names,
                          expect_text)
from ._core import core
from .env_func import get_global_func
from .module import IRModule
from .op import _attribute_table
from .pass_manager import (FunctionPass, ModulePass, Pass, PassContext, PassInfo,
                           as_class)


#===------------------------------------------------------------------------===#
# Which operators a target takes
#===------------------------------------------------------------------------===#


def _is_known(op_name: str, target: str) -> tuple[bool | None, str | None]:
    return _attribute_table.has(op_name, f"target.{target}"), None


def _ask(op_name: str, target: str, call: _expr.Expr) -> tuple[bool | None, str | None]:
    try:
        takes = expect_callable(_attribute_table.get(op_name, f"target.{target}"),
                                f"the attribute target.{target} of {op_name}")
        return bool(takes(call)), None
    except BaseException as error:  # pylint: disable=broad-exception-caught
        if hasattr(error, "add_note"):
            error.add_note(f"raised in target.{target} of {op_name!r}")
        return None, _diagnostics.hold(error)


core.register_offload(_is_known, _ask)


def _target_names(targets: str | Sequence[str]) -> list[str]:
    names = [targets] if isinstance(targets, str) else expect_names(targets, "targets")
    for name in names:
        if not re.fullmatch(r"[\w-]+", name) or name == "default":
            raise ValueError("expects names of targets of letters, digits, _ and -, other than "
                             f"'default', but got {name!r}")
    return names


def _run(mod: IRModule, name: str, **options: Any) -> IRModule:
    from .transform import _run as run

    written = [f"{key.replace('_', '-')}={str(value).lower() if isinstance(value, bool) else value}"
               for key, value in options.items() if value != ""]
    return run(mod, f"builtin.module({name}{{{' '.join(written)}}})")


#===------------------------------------------------------------------------===#
# Passes
#===------------------------------------------------------------------------===#


def AnnotateTarget(  # pylint: disable=invalid-name
        targets: str | Sequence[str], include_non_call_ops: bool = True) -> Pass:
    """Marks what each of `targets` takes: calls for which the operator's attribute
    `target.<name>`, a function, returns True, and calls of functions whose attribute
    Composite begins with the name and a dot. The first target wins; the others are
    compiled by default.

    With `include_non_call_ops`, tuples, their fields and references go where their
    parts are. Raises ValueError for what is no name, and the pass whatever those
    functions raise."""
    names = _target_names(targets)

    def run(mod: IRModule, _: PassContext) -> IRModule:
        return _run(mod, "relay-annotate-target", targets=",".join(names),
                    include_non_call_ops=bool(include_non_call_ops))

    return FunctionPass(run, PassInfo("AnnotateTarget", 0))


def MergeCompilerRegions() -> Pass:  # pylint: disable=invalid-name
    """Merges regions of a target that need one another, unless the merged region
    would need its own result."""
    return FunctionPass(lambda mod, _: _run(mod, "relay-merge-compiler-regions"),
                        PassInfo("MergeCompilerRegions", 0))


def PartitionGraph(  # pylint: disable=invalid-name
        mod_name: str = "default", bind_constants: bool = True, *, min_operators: int = 0,
        min_cost: float = 0) -> Pass:
    """Moves each region into a function of the module, with the attribute Compiler.

    Its name is `tvmgen_<mod_name>_<target>_<function>_<number>`. Constants are parts
    of it with `bind_constants`. Regions with fewer operators or less cost than
    `min_operators` and `min_cost` stay: the cost is the number of products of
    convolutions and the like, and of elements of other results. A registered function
    `relay.ext.<target>.optimize` takes a module with each new function as @main, and
    returns one with what takes its place."""
    expect_text(mod_name, "mod_name")
    if not re.fullmatch(r"[\w.-]+", mod_name):
        raise ValueError("expects mod_name to be letters, digits, _, - and ., but got "
                         f"{mod_name!r}")
    expect_int(min_operators, "min_operators", 0, 2**31 - 1)
    if isinstance(min_cost, bool) or not isinstance(min_cost, (int, float)) or \
            not 0 <= min_cost < float("inf"):
        raise ValueError(f"expects min_cost to be a number of at least 0, but got "
                         f"{describe(min_cost)}")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        result = _run(mod, "relay-partition-graph", mod_name=mod_name,
                      bind_constants=bool(bind_constants), min_operators=min_operators,
                      min_cost=float(min_cost))
        return _optimize(result, mod)

    return ModulePass(run, PassInfo("PartitionGraph", 0))


# The styles of combination, as the option relay.collage.byoc_fusion_style has them.
_STYLES = {"NoFusion": "none", "TVMFusion": "kernels", "ArbitraryFusion": "any"}


def _styles(context: PassContext) -> dict[str, str]:
    """How the parts of targets are combined: "dnnl.NoFusion"."""
    styles = {}
    for entry in context.config.get("relay.collage.byoc_fusion_style", ()):
        name, _, style = expect_text(entry, "a style of fusion").rpartition(".")
        if style not in _STYLES or not name:
            raise ValueError("expects relay.collage.byoc_fusion_style to be names of targets, a "
                             f"dot, and one of {', '.join(_STYLES)}, but got {entry!r}")
        styles[name] = _STYLES[style]
    return styles


def CollagePartition(  # pylint: disable=invalid-name
        config: Any, cost_estimator: collage.CostEstimator | None = None) -> Pass:
    """Moves parts of the program into functions for code generators, as PartitionGraph
    does, so that the sum of the costs of all parts, ours included, is least.

    `config` is a list of targets, whose first words are names of code generators, or what
    relay.collage.make_compilation_config returns. What each could take are the operators
    and patterns that it has registered, and their combinations. `cost_estimator` says
    what parts cost; without one, they are compiled and timed. Where costs are equal, a part
    stays ours, or else goes to the first target.

    The context's options relay.collage.tvm_max_depth (4) and relay.collage.byoc_max_depth
    (8) say how many operators may follow each other in a part of ours and of others;
    relay.collage.byoc_fusion_style has for names of targets whether they combine what is
    connected ("dnnl.ArbitraryFusion", the default), what one of our kernels could be
    ("dnnl.TVMFusion"), or nothing ("dnnl.NoFusion").

    The pass raises ValueError for a target without operators, patterns and a code
    generator, DiagnosticError for an operator that no target compiles, and whatever an
    estimator, or a function that says what a target takes, raises."""
    names = _target_names(list(collage.target_names(config)))
    estimator = collage.expect_estimator(cost_estimator)

    def estimate(functions: Any, types: Any, target: str) -> float:
        mod = IRModule._from_core(functions, types, like=IRModule())
        return estimator.estimate(mod, "llvm" if target == "default" else target)

    def run(mod: IRModule, context: PassContext) -> IRModule:
        from .op.contrib.register import get_pattern_table

        for name in names:
            _expect_known(name)
        styles = _styles(context)
        rows = [(name, styles.get(name, "any"),
                 [(row[0], row[1], row[2] if len(row) == 3 else lambda expr: True)
                  for row in get_pattern_table(name) or ()])
                for name in names]

        def depth(name: str, default: int) -> int:
            return expect_int(context.config.get(name, default), name, 1, 2**31 - 1)

        ours = depth("relay.collage.tvm_max_depth", 4)
        others = depth("relay.collage.byoc_max_depth", 8)
        with _diagnostics.raising():
            functions, types = core.collage_partition(*mod._to_core(), rows, ours, others,
                                                      estimate)
        result = as_class(IRModule._from_core(functions, types, like=mod), mod)
        return _optimize(result, mod)

    return ModulePass(run, PassInfo("CollagePartition", 0))


def _expect_known(target: str) -> None:
    from .op.contrib.register import get_pattern_table

    if not (_attribute_table.names(f"target.{target}") or get_pattern_table(target) or
            core.has_pattern_table(target) or target in codegen.names()):
        known = ", ".join(codegen.names())
        raise ValueError(f"expects a target that takes operators or patterns, or the name of a "
                         f"code generator ({known or 'there is none'}), but got {target!r}")


def _optimize(mod: IRModule, before: IRModule) -> IRModule:
    """Lets targets rewrite the functions that are new in a module."""
    from .transform import infer_types

    changed = False
    for var, function in list(mod.functions.items()):
        attrs = dict(function._attrs)
        target = attrs.get("Compiler")
        if var in before.functions or not target:
            continue
        name = f"relay.ext.{target}.optimize"
        optimize = get_global_func(name, allow_missing=True)
        if optimize is None:
            continue
        bare = function
        for key in attrs:
            bare = bare.without_attr(key)
        result = optimize(infer_types(IRModule.from_expr(bare)))
        if not isinstance(result, IRModule) or "main" not in result:
            raise TypeError(f"expects {name} to return a module with @main, but got "
                            f"{describe(result)}")
        new = infer_types(result)["main"]
        if new.checked_type != bare.checked_type:
            raise TypeError(f"expects {name} to return a function of type {bare.checked_type}, "
                            f"but got {new.checked_type}")
        mod.functions[var] = new.with_attr(attrs)
        changed = True
    return infer_types(mod) if changed else mod


def InlineCompilerFunctionsBoundTo(  # pylint: disable=invalid-name
        global_vars: Iterable[Any] | None) -> Pass:
    """Puts the bodies of functions with the attribute Compiler in the place of their
    calls. `global_vars` says which, as variables or names; others stay. The pass raises
    ValueError for one that is not in the module."""
    names = []
    if global_vars is not None:
        expect(global_vars, (list, tuple, set, frozenset), "global_vars", "a list of functions")
    for var in global_vars or ():
        if not isinstance(var, (str, _expr.GlobalVar)):
            raise TypeError(f"expects global_vars to be variables of functions, but got "
                            f"{describe(var)}")
        names.append(var if isinstance(var, str) else var.name_hint)

    def run(mod: IRModule, _: PassContext) -> IRModule:
        for name in names:
            mod.get_global_var(name)
        if not names:
            return mod
        return _run(mod, "relay-inline-compiler-functions", functions=",".join(names))

    return ModulePass(run, PassInfo("InlineCompilerFunctionsBoundTo", 0))


def OutlineCompilerFunctionsWithExistingGlobalSymbols(  # pylint: disable=invalid-name
        compiler_filter: str = "") -> Pass:
    """Makes functions of the module of those that are called where they are written,
    and have the attributes Compiler (equal to `compiler_filter` unless that is empty)
    and global_symbol, their name then."""
    _filter(compiler_filter)
    return ModulePass(
        lambda mod, _: _run(mod, "relay-outline-compiler-functions",
                            compiler_filter=compiler_filter),
        PassInfo("OutlineCompilerFunctionsWithExistingGlobalSymbols", 0))


def MarkCompilerFunctionsAsExtern(compiler_filter: str = "") -> Pass:  # pylint: disable=invalid-name
    """Replaces the attributes of functions with the attribute Compiler (equal to
    `compiler_filter` unless that is empty) by Extern=1: they are compiled already."""
    _filter(compiler_filter)
    return ModulePass(
        lambda mod, _: _run(mod, "relay-mark-compiler-functions-as-extern",
                            compiler_filter=compiler_filter),
        PassInfo("MarkCompilerFunctionsAsExtern", 0))


def _filter(compiler_filter: str) -> None:
    expect_text(compiler_filter, "compiler_filter")
    if compiler_filter:
        _target_names(compiler_filter)


__all__ = [
    "AnnotateTarget", "CollagePartition", "InlineCompilerFunctionsBoundTo", "MarkCompilerFunctionsAsExtern",
    "MergeCompilerRegions", "OutlineCompilerFunctionsWithExistingGlobalSymbols",
    "PartitionGraph",
]
