"""Which functions of a module use which, and regions that annotations mark."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from .._errors import DiagnosticError
from .._arguments import describe, expect
from ._core import core
from .expr import Expr, GlobalVar, Op
from .module import IRModule, expect_module


class CallGraph:
    """The functions of a module, and for each the functions that it uses."""

    def __init__(self, module: IRModule) -> None:
        self._module = expect_module(module, "module")
        self._uses: dict[GlobalVar, list[GlobalVar]] = {
            var: [node for node in core.post_order(function)
                  if isinstance(node, core.GlobalVar)]
            for var, function in module.functions.items()
        }

    @property
    def module(self) -> IRModule:
        return self._module

    def _find(self, var: str | GlobalVar) -> GlobalVar:
        if isinstance(var, str):
            var = self._module.get_global_var(var)
        if not isinstance(var, core.GlobalVar):
            raise TypeError(f"expects the name of a function, but got {describe(var)}")
        if var not in self._uses:
            raise ValueError(f"there is no function {var.name_hint!r} in the call graph")
        return var

    def ref_count(self, var: str | GlobalVar) -> int:
        """How many references to a function there are in all functions."""
        found = self._find(var)
        return sum(used.count(found) for used in self._uses.values())

    def global_call_count(self, var: str | GlobalVar) -> int:
        """How many references to functions a function has."""
        return len(self._uses[self._find(var)])

    def is_recursive(self, var: str | GlobalVar) -> bool:
        """Whether a function uses itself directly."""
        found = self._find(var)
        return found in self._uses[found]

    def print_var(self, var: str | GlobalVar) -> str:
        """The name of a function, how often it is referred to, and what it uses."""
        found = self._find(var)
        used = "".join(f"  uses @{callee.name_hint}\n" for callee in self._uses[found])
        return f"@{found.name_hint}: #refs = {self.ref_count(found)}\n{used}"

    def __str__(self) -> str:
        """All functions, those that use others before those that they use, as far
        as there is such an order."""
        order: list[GlobalVar] = []
        seen: set[GlobalVar] = set()
        for root in self._uses:
            stack = [(root, iter(self._uses[root]))] if root not in seen else []
            seen.add(root)
            while stack:
                var, used = stack[-1]
                callee = next((c for c in used if c not in seen and c in self._uses), None)
                if callee is None:
                    order.append(var)
                    stack.pop()
                else:
                    seen.add(callee)
                    stack.append((callee, iter(self._uses[callee])))
        return "".join(map(self.print_var, reversed(order)))


class AnnotatedRegion:
    """A part of a program between annotations: its number, the compiler that it is
    for, all its nodes, and the annotations that begin (`args`) and end it (`rets`)."""

    def __init__(self, number: int, target: str) -> None:
        self.id = number
        self.target = target
        self.nodes: list[Expr] = []
        self.args: list[Expr] = []
        self.rets: list[Expr] = []


class AnnotatedRegionSet:
    """The regions of an expression that annotations begin and end, such as
    annotation.compiler_begin and annotation.compiler_end.

    Raises DiagnosticError for an annotation that ends no region, or one of another
    compiler, and for an operator only some of whose operands are in a region.
    """

    def __init__(self, expr: Expr, region_begin_op: Op, region_end_op: Op) -> None:
        expect(region_begin_op, core.Op, "region_begin_op", "an operator")
        expect(region_end_op, core.Op, "region_end_op", "an operator")
        self._begin, self._end = region_begin_op, region_end_op
        self._of: dict[Expr, AnnotatedRegion] = {}
        self.regions: list[AnnotatedRegion] = []
        self._count = 0
        for node in core.post_order(expr):
            if isinstance(node, core.Call) and node.op == region_begin_op:
                self._open(node)
            elif isinstance(node, core.Call) and node.op == region_end_op:
                self._close(node)
            elif isinstance(node, core.Call):
                self._add(node, node.args)
            elif isinstance(node, (core.Tuple, core.TupleGetItem)):
                self._add(node, core.children(node))

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[AnnotatedRegion]:
        return iter(self.regions)

    def get_region(self, expr: Expr) -> AnnotatedRegion | None:
        """The region that a node is in, or None."""
        return self._of.get(expect(expr, Expr, "expr", "an expression"))

    def _put(self, region: AnnotatedRegion, node: Expr) -> None:
        region.nodes.append(node)
        self._of[node] = region

    @staticmethod
    def _compiler(node: Any) -> str:
        return str(dict(node._attrs).get("compiler", ""))

    def _open(self, node: Any) -> None:
        region = AnnotatedRegion(self._count, self._compiler(node))
        self._count += 1
        self.regions.append(region)
        self._put(region, node)
        region.args.append(node)

    def _close(self, node: Any) -> None:
        region = self._of.get(node.args[0])
        if region is None:
            raise DiagnosticError("expects an annotation that ends a region after one that "
                                  f"begins it, but got\n{node}")
        if region.target != self._compiler(node):
            raise DiagnosticError(f"expects the end of a region of {region.target!r}, but got "
                                  f"one of {self._compiler(node)!r}")
        self._put(region, node)
        region.rets.append(node)

    def _is_end(self, node: Expr) -> bool:
        return isinstance(node, core.Call) and node.op == self._end

    def _add(self, node: Expr, operands: Sequence[Expr]) -> None:
        """Adds a node to the region that its operands are in, merging theirs."""
        regions = [self._of.get(arg) for arg in operands if not self._is_end(arg)]
        known = [region for region in regions if region is not None]
        if not known:
            return
        if len(known) != len(regions):
            raise DiagnosticError("expects all operands in a region, or none, but got some "
                                  f"outside in\n{node}")
        for other in known[1:]:
            self._merge(other, known[0])
        self._put(self._of[next(a for a in operands if not self._is_end(a))], node)

    def _merge(self, region: AnnotatedRegion, into: AnnotatedRegion) -> None:
        if region is into or region not in self.regions:
            return
        for node in region.nodes:
            self._put(into, node)
        into.args += region.args
        into.rets += region.rets
        # What ends one and begins the other is inside now.
        for begin in [arg for arg in into.args if self._of.get(core.children(arg)[0]) is into]:
            into.args.remove(begin)
            end = core.children(begin)[0]
            into.rets = [ret for ret in into.rets if ret is not end]
        self.regions.remove(region)


__all__ = ["AnnotatedRegion", "AnnotatedRegionSet", "CallGraph"]
