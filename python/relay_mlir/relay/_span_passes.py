"""Passes that say where expressions are from."""

from __future__ import annotations

from . import expr as _expr
from ._core import core
from .module import IRModule
from .pass_manager import FunctionPass, ModulePass, Pass, PassContext, PassInfo


def AnnotateSpans() -> Pass:  # pylint: disable=invalid-name
    """Gives every expression its place in the text of the module: the module is printed
    and read again, as the source GeneratedSource."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        from .text import parse

        return parse(mod.astext(show_meta_data=True), "GeneratedSource")

    return ModulePass(run, PassInfo("AnnotateSpans", 0))


def CapturePostDfsIndexInSpans() -> Pass:  # pylint: disable=invalid-name
    """Numbers the expressions of each function, as patterns see them: parts first. The span
    of an expression has the source `index:<number>:<dominator>`, and the number as its line;
    the dominator is the first expression that all ways from it to the function lead
    through, or -1. Operators and names have no spans."""

    def run(mod: IRModule, _: PassContext) -> IRModule:
        from .transform import infer_types

        # Nodes that nobody else has.
        mod = infer_types(mod)
        for function in mod.functions.values():
            attrs = dict(function._attrs)
            if any(attrs.get(name) for name in ("Compiler", "Extern", "SkipOptimization")):
                continue
            for index, (node, dominator) in enumerate(core.post_dominators(function)):
                if not isinstance(node, (_expr.Op, _expr.GlobalVar, core.Constructor)):
                    node._span = (f"index:{index}:{dominator}", index, index, 0, 0)
        return mod

    return FunctionPass(run, PassInfo("CapturePostDfsIndexInSpans", 0))


__all__ = ["AnnotateSpans", "CapturePostDfsIndexInSpans"]
