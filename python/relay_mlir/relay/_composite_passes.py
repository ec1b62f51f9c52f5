"""Functions that stand for patterns of operators."""

from __future__ import annotations

from typing import Any, Iterable

from .._arguments import describe, expect_callable, expect_list, expect_text
from . import dataflow_pattern
from .dataflow_pattern import DFPattern
from .module import IRModule
from .pass_manager import FunctionPass, Pass, PassContext, PassInfo


def expect_table(value: Any, name: str) -> list[tuple[Any, ...]]:
    """The rows of a table of patterns: (name, pattern) or (name, pattern, check). Raises
    TypeError for anything else."""
    rows = expect_list(value, name, "(name, pattern) or (name, pattern, check)")
    for row in rows:
        if not isinstance(row, (tuple, list)) or len(row) not in (2, 3):
            raise TypeError(f"expects each of {name} to be (name, pattern) or "
                            f"(name, pattern, check), but got {describe(row)}")
        expect_text(row[0], "the name of a pattern")
        if not isinstance(row[1], DFPattern):
            raise TypeError(f"expects {row[0]} to have a pattern, but got {describe(row[1])}")
        if len(row) == 3:
            expect_callable(row[2], f"the check of {row[0]}")
    return [tuple(row) for row in rows]


def MergeComposite(pattern_table: Iterable[tuple[Any, ...]]) -> Pass:  # pylint: disable=invalid-name
    """Makes functions of what matches the patterns of a table, and calls of them.

    The table has rows (name, pattern) or (name, pattern, check), where `check` takes the
    last call of a match, with types, and returns whether it counts. The first row comes
    first, so larger patterns belong before smaller ones. A function has the attributes
    Composite, which is the name, and PartitionedFromPattern, which names the operators.
    """
    rows = [(row[0], row[1], row[2] if len(row) == 3 else lambda expr: True)
            for row in expect_table(pattern_table, "pattern_table")]

    def run(mod: IRModule, context: PassContext) -> IRModule:
        del context
        from .transform import infer_types

        mod = infer_types(mod)
        for name, pattern, check in rows:
            changed = False
            for var, function in list(mod.functions.items()):
                new = dataflow_pattern.partition(pattern, function, {"Composite": name}, check)
                if new is not function:
                    mod.functions[var] = new
                    changed = True
            if changed:
                # The next check looks at types again.
                mod = infer_types(mod)
        return mod

    return FunctionPass(run, PassInfo("MergeComposite", 0))


__all__ = ["MergeComposite"]
