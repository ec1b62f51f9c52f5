"""Passes on modules."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping, NoReturn, Sequence

from . import _diagnostics, blocked_layouts, expr as _expr, ty
from .._arguments import (expect, expect_callable, expect_int, expect_list, expect_names,
                          expect_text)
from ._core import core
from ._replaced_passes import REPLACED
from ._scopes import Scopes
from ._common_subexpr import merge_equal_calls
from ._composite_passes import MergeComposite
from .module import IRModule, expect_module
from .pass_manager import (ApplyPassToFunction, FunctionPass, ModulePass, Pass, PassContext,
                           PassInfo, PrintIR, Sequential, as_class, build_config, function_pass,
                           module_pass)


def infer_types(mod: IRModule) -> IRModule:
    """Returns the module with the types of all expressions. Raises
    DiagnosticError with all errors."""
    return _run(mod, "")


def _run(mod: IRModule, pipeline: str) -> IRModule:
    """Infers types, runs a pipeline of MLIR's passes, and returns a module."""
    expect_module(mod)
    with _diagnostics.raising():
        functions, types = core.run_passes(*mod._to_core(), pipeline)
    result = IRModule._from_core(functions, types, like=mod)
    return as_class(result, mod)


def _compiler_pass(name: str, pipeline: str, doc: str, opt_level: int = 0) -> Callable[[], Pass]:
    """A class of passes that the compiler has."""

    def make() -> Pass:
        kind = FunctionPass if "func.func" in pipeline else ModulePass
        return kind(lambda mod, context: _run(mod, pipeline), PassInfo(name, opt_level))

    make.__name__ = make.__qualname__ = name
    make.__doc__ = doc
    return make


InferType = _compiler_pass("InferType", "", "Infers the types of all expressions.")
FoldScaleAxis = _compiler_pass(
    "FoldScaleAxis",
    "builtin.module(func.func(relay-fold-scale-axis,relay-fold-constant))",
    "Multiplies weights instead of data by scales of channels, where it can.", 3)
SimplifyInference = _compiler_pass(
    "SimplifyInference", "builtin.module(func.func(relay-simplify-inference))",
    "Replaces operators that are of use in training only.")
def EliminateCommonSubexpr(  # pylint: disable=invalid-name
        fskip: Callable[[_expr.Call], bool] | None = None) -> Pass:
    """Evaluates equal expressions once. Calls for which `fskip` returns True stay."""
    if fskip is not None:
        expect_callable(fskip, "fskip")
    pipeline = "builtin.module(func.func(cse))"

    def run(mod: IRModule, context: PassContext) -> IRModule:
        if fskip is None:
            return _run(mod, pipeline)
        mod = infer_types(mod)
        for var, function in mod.functions.items():
            mod.functions[var] = merge_equal_calls(function, fskip)
        return infer_types(mod)

    return FunctionPass(run, PassInfo("EliminateCommonSubexpr", 3))


def DeadCodeElimination(  # pylint: disable=invalid-name
        inline_once: bool = False, ignore_impurity: bool = False) -> Pass:
    """Removes what no result needs, also what may have an effect with
    `ignore_impurity`. With `inline_once`, a variable that is used once, and not in
    an inner function, is replaced by its value."""
    pipeline = (f"builtin.module(relay-dead-code{{inline-once={_flag(inline_once)} "
                f"ignore-impurity={_flag(ignore_impurity)}}})")
    return ModulePass(lambda mod, context: _run(mod, pipeline),
                      PassInfo("DeadCodeElimination", 1))


def _flag(value: bool) -> str:
    return str(bool(value)).lower()


def FoldConstant(fold_qnn: bool = False) -> Pass:  # pylint: disable=invalid-name
    """Evaluates operators on constants, of quantized tensors only with `fold_qnn`;
    variables that are bound to constants, and the branches that constants choose,
    take the place of `let` and `if`. Dropout stays."""
    pipeline = ("builtin.module(func.func(relay-fold-constant"
                f"{{fold-qnn={_flag(fold_qnn)}}}))")
    return FunctionPass(lambda mod, context: _run(mod, pipeline), PassInfo("FoldConstant", 2))


def FoldConstantExpr(expr: _expr.Expr, mod: IRModule | None = None,  # pylint: disable=invalid-name
                     fold_qnn: bool = False) -> Any:
    """Evaluates the operators on constants in an expression of a module."""
    return run_on_expr(FoldConstant(fold_qnn), expr, mod)


def remove_unused(mod: IRModule, entries: Sequence[str] = ("main",)) -> IRModule:
    """The module with the functions that `entries` use, directly or not. Raises
    ValueError for an entry that is not in the module."""
    for name in entries:
        mod[name]  # pylint: disable=pointless-statement
    used = set()
    work = [_expr.GlobalVar(name) for name in entries]
    while work:
        var = work.pop()
        if var in used or var not in mod.functions:
            continue
        used.add(var)
        work += [node for node in core.post_order(mod.functions[var])
                 if isinstance(node, _expr.GlobalVar)]
    result = as_class(mod.shallow_copy(), mod)
    result.functions = {var: f for var, f in mod.functions.items() if var in used}
    return result


def ConvertLayout(desired_layouts: Mapping[str, str | Sequence[str]]) -> Pass:  # pylint: disable=invalid-name
    """Runs convolutions, and the operators around them, in other layouts.

    `desired_layouts` has for names of convolutions the layout of the data, or a
    list of it and that of the kernel: `{"nn.conv2d": ["NHWC", "OHWI"]}`. "default"
    is the usual kernel for the layout of the data:
    OIHW (IOHW transposed) for channels first, else HWIO (HWOI depthwise). Without a
    kernel's layout, kernels stay as they are. Names of pooling, resizing, `vision.roi_align`
    and their like have a layout of the data alone. nn.conv2d may have a
    blocked layout: `{"nn.conv2d": ["NCHW8c", "OIHW8i8o"]}`, where the block divides
    all channels; elementwise operators between them go along. A LayoutConfig around the
    pass has the numbers of convolutions that stay as they are.

    Raises ValueError or CompileError for other operators and layouts.
    """
    entries, blocked = [], {}
    expect(desired_layouts, Mapping, "desired_layouts", "a dict of layouts by operator")
    for name, layouts in desired_layouts.items():
        expect_text(name, "the name of an operator")
        layouts = [layouts] if isinstance(layouts, str) else \
            expect_names(layouts, f"the layouts of {name}")
        if len(layouts) not in (1, 2):
            raise ValueError(f"expects one or two layouts of {name}, but got {layouts}")
        for layout in layouts:
            if not layout.isalnum():
                raise ValueError(f"expects a layout of {name} such as NHWC, but got {layout!r}")
        if layouts[0] == "default":
            raise ValueError(f"expects a layout of the data of {name} such as NHWC, but got "
                             "'default', which is for kernels")
        if not re.fullmatch(r"[\w.]+", name):
            raise ValueError(f"expects the name of an operator such as nn.conv2d, but got {name!r}")
        if blocked_layouts.is_blocked(layouts):
            blocked[name] = layouts
        else:
            entries.append(f"{name}={':'.join(map(str, layouts))}")

    def run(mod: IRModule, _: PassContext) -> IRModule:
        skipped = LayoutConfig.current.skip_layers if LayoutConfig.current else []
        if skipped and blocked and entries:
            raise ValueError("expects either blocked layouts or others where a LayoutConfig counts "
                             f"convolutions, but got both: {', '.join((*blocked, *entries))}")
        if blocked:
            mod = blocked_layouts.convert(mod, blocked, skipped)
        if not entries:
            return mod
        options = f"desired-layouts={','.join(entries)}"
        if skipped:
            options += f" skip-layers={','.join(map(str, skipped))}"
        return _run(mod, f"builtin.module(func.func(relay-convert-layout{{{options}}}))")

    return FunctionPass(run, PassInfo("ConvertLayout", 3))


class _InnermostLayoutConfig(type):
    @property
    def current(cls) -> LayoutConfig | None:
        """The one of the innermost `with` of this thread, or None."""
        entered = LayoutConfig._scopes.entered
        return entered[-1] if entered else None


class LayoutConfig(metaclass=_InnermostLayoutConfig):
    """What ConvertLayout leaves as it is, in `with LayoutConfig(skip_layers=[0, 2]):`.

    `skip_layers` has numbers of convolutions, counted from 0 in each function, of those
    of which a layout is desired, in the order in which they are computed. Raises
    ValueError for numbers below 0."""

    _scopes: Scopes[LayoutConfig] = Scopes()

    def __init__(self, skip_layers: Sequence[int] | None = None) -> None:
        self.skip_layers = [expect_int(layer, "each of skip_layers", 0)
                            for layer in expect_list(skip_layers or [], "skip_layers")]

    def __enter__(self) -> LayoutConfig:
        self._scopes.entered.append(self)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        self._scopes.leave(self)


def InferTypeLocal(expr: _expr.Expr | _expr.TupleWrapper) -> Any:  # pylint: disable=invalid-name
    """Infers the type of an expression, sets it (`expr.checked_type`), and returns
    it. The types of its parts stay as they are."""
    value = expr.astuple() if isinstance(expr, _expr.TupleWrapper) else expr
    expect(value, _expr.Expr, "expr", "an expression")
    type_ = infer_expr(value).checked_type
    value._checked_type = type_
    return type_


def _unused_name(mod: IRModule) -> _expr.GlobalVar:
    name = "main"
    while name in mod:
        name += "_"
    return _expr.GlobalVar(name)


def _in_function(expr: _expr.Expr) -> tuple[_expr.Function, Callable[[_expr.Function], Any]]:
    """A function that stands for an expression, and the way back."""
    from .analysis import free_vars

    params = free_vars(expr)
    if isinstance(expr, _expr.Function) and not params:
        return expr, lambda function: function
    return _expr.Function(params, expr), lambda function: function.body


def run_on_expr(run: Callable[[IRModule], IRModule], expr: Any,
                mod: IRModule | None = None) -> Any:
    """What `run` makes of an expression, which may use the functions of a module."""
    mod = expect_module(mod).shallow_copy() if mod is not None else IRModule()
    function, rest = _in_function(core.to_expr(expr))
    var = _unused_name(mod)
    mod.functions[var] = function
    return rest(run(mod)[var])


def infer_expr(expr: Any, mod: IRModule | None = None) -> Any:
    """Returns an expression with the types of all its parts. Its free variables
    need annotations unless their types can be inferred."""
    mod = expect_module(mod).shallow_copy() if mod is not None else IRModule()
    function, rest = _in_function(core.to_expr(expr))
    var = _unused_name(mod)
    mod.functions[var] = function
    return rest(infer_types(mod)[var])


# The names of all passes, for those who ask for passes by name: besides those that
# programs call, those that are parts of others in TVM.
NAMES = {*REPLACED, *"""ConvertLayout DeadCodeElimination EliminateCommonSubexpr FoldConstant
    FoldScaleAxis InferType MergeComposite PrintIR RemoveUnusedFunctions SimplifyInference SpanCheck
    AOTLowerMain AnnotateMemoryScope CombineParallelConv2d CombineParallelOpBatch
    ExtractFusedFunctions FlattenNestedTuples InlineCompilerFunctionsBoundTo InlineGlobals
    LabelOps LowerTE ManifestAlloc ManifestAllocImportStorage MemoryPlan NameMangleExtFuncs
    PartialEval QnnCanonicalize QnnLegalize QuantizeAnnotate QuantizeCalibrate
    QuantizePartition QuantizeRealize RelayToTIRTargetHook RemoveDefaultAnnotations
    RemoveStandaloneReshapes SimplifyExprPostAlterOp""".split()}

# Passes in modules of their own, which use what is above.
from . import (_compiler_passes, _device_passes,  # pylint: disable=wrong-import-position
               _flexible_shapes, _functional_passes, _gradients, _graph_passes, _operator_rules,
               _quantization_passes, _recast, _rewrite_passes, _span_passes, _weight_passes)
from ._compiler_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._device_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._flexible_shapes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._functional_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._gradients import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._graph_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._operator_rules import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._quantization_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._recast import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._rewrite_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._span_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position
from ._weight_passes import *  # pylint: disable=wildcard-import,unused-wildcard-import,wrong-import-position

for _module in (_compiler_passes, _device_passes, _flexible_shapes, _functional_passes,
                _gradients, _graph_passes, _recast,
                _operator_rules, _quantization_passes, _rewrite_passes, _span_passes,
                _weight_passes):
    NAMES.update(_module.__all__)


def __getattr__(name: str) -> NoReturn:
    text = f"module {__name__!r} has no attribute {name!r}"
    if name in REPLACED:
        text = f"there is no pass relay.transform.{name}: {REPLACED[name]}"
    raise AttributeError(text)


__all__ = [
    *_compiler_passes.__all__, *_device_passes.__all__, *_flexible_shapes.__all__,
    *_functional_passes.__all__,
    *_gradients.__all__, *_graph_passes.__all__, *_operator_rules.__all__,
    *_quantization_passes.__all__, *_recast.__all__, *_rewrite_passes.__all__,
    *_span_passes.__all__,
    *_weight_passes.__all__,
    "ApplyPassToFunction", "ConvertLayout", "DeadCodeElimination", "EliminateCommonSubexpr",
    "FoldConstant", "FoldConstantExpr", "FoldScaleAxis", "FunctionPass", "InferType",
    "InferTypeLocal", "LayoutConfig", "MergeComposite", "ModulePass", "Pass", "PassContext",
    "PassInfo", "PrintIR",
    "Sequential", "SimplifyInference", "build_config", "function_pass", "infer_expr",
    "infer_types", "module_pass",
]
