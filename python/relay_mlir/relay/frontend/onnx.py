"""Models of ONNX."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from .. import _diagnostics, ty
from ..._arguments import expect_mapping, expect_path
from .._core import core
from ..expr import Constant, Expr, Function, Var, ndarray
from ..expr_functor import ExprMutator
from ..module import IRModule
from ..transform import infer_types


def from_onnx(model: Any, shape: Mapping[str, Sequence[Any]] | None = None,
              dtype: str | Mapping[str, str] = "float32", opset: int | None = None,
              freeze_params: bool = True, convert_config: Mapping[str, Any] | None = None,
              export_node_renamed_model_path: str | None = None) -> Any:
    """Reads an ONNX model: a path, a ModelProto, or its bytes. Returns a module and
    parameters.

    `shape` has shapes of inputs by name. With `freeze_params`, weights are
    constants; otherwise they are parameters, whose values are returned. `dtype` and
    `opset` are those of the model.
    """
    del dtype, opset, convert_config, export_node_renamed_model_path
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    is_bytes = isinstance(model, (bytes, bytearray, memoryview))
    if not is_bytes:
        model = expect_path(model, "model")
    shape = expect_mapping(shape, "shape")
    with _diagnostics.raising():
        loaded = core.load_onnx(bytes(model)) if is_bytes else core.load_model(model)
        mod = IRModule._from_core(*loaded)
    if shape:
        mod = _with_shapes(mod, shape)
    if freeze_params:
        return mod, {}
    return _extract_params(mod)


class _Replace(ExprMutator):
    """Puts other variables in the place of variables."""

    def __init__(self, variables: Mapping[Var, Var]) -> None:
        super().__init__()
        self._variables = variables

    def visit_var(self, var: Var) -> Any:
        return self._variables.get(var, var)


def _with_shapes(mod: IRModule, shapes: Mapping[str, Sequence[Any]]) -> IRModule:
    """Gives inputs the shapes that the caller says they have."""
    main = mod["main"]
    names = [var.name_hint for var in main.params]
    for name in shapes:
        if name not in names:
            raise ValueError(f"expects the shape of one of the inputs {', '.join(names)}, but "
                             f"got that of {name!r}")
    variables = {}
    for var in main.params:
        if var.name_hint in shapes:
            old = var.type_annotation
            assert isinstance(old, ty.TensorType)
            type_ = ty.TensorType(shapes[var.name_hint], old.dtype)
            variables[var] = Var(var.name_hint, type_)
    replace = _Replace(variables)
    params = [replace.visit(var) for var in main.params]
    mod["main"] = Function(params, replace.visit(main.body))
    return infer_types(mod)


class _Extract(ExprMutator):
    """Makes variables of constants that are no scalars."""

    def __init__(self, taken: Iterable[str]) -> None:
        super().__init__()
        self._taken = set(taken)
        self.params: dict[str, Any] = {}
        self.variables: list[Var] = []

    def visit_constant(self, const: Constant) -> Expr:
        type_ = const._type
        if not type_.shape:
            return const
        name = f"param_{len(self.params)}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        var = Var(name, type_)
        self.params[name] = ndarray(const._data)
        self.variables.append(var)
        return var


def _extract_params(mod: IRModule) -> tuple[IRModule, dict[str, Any]]:
    main = mod["main"]
    extract = _Extract(var.name_hint for var in main.params)
    body = extract.visit(main.body)
    mod["main"] = Function([*main.params, *extract.variables], body)
    return infer_types(mod), extract.params


__all__ = ["from_onnx"]
