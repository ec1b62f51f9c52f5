"""The standard definitions: lists, options, trees, and arrays of tensors."""

from __future__ import annotations

import re
from typing import Any, Iterable

from .._arguments import expect_int, expect_text
from ._core import core
from .adt import Constructor
from .expr import GlobalVar
from .module import IRModule, expect_module
from .text import parse_module
from .tensor_array import (StaticTensorArrayOps, TensorArrayOps, check_dtype, check_shape,
                           get_tensor_array_shape, static_name)
from .transform import infer_types
from .ty import GlobalTypeVar

_TENSOR_DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                  "uint16")
# What the text of one file uses of another.
_REQUIRED = {"nat.rly": "prelude.rly"}


def add_text(mod: IRModule, text: str, name: str) -> None:
    """Adds the definitions of a text to a module, in place."""
    base = IRModule.shallow_copy(mod)
    mod._assign(infer_types(parse_module(text, name, init_module=base)))


def import_from_std(mod: IRModule, path: str) -> None:
    """Adds a file of the standard definitions to a module, once."""
    if expect_text(path, "path") in expect_module(mod)._imported:
        return
    text = core.prelude_text(path)
    if text is None:
        raise ValueError(f"expects a file of the standard definitions "
                         f"({', '.join(core.prelude_names())}), but got {path!r}")
    if path in _REQUIRED:
        import_from_std(mod, _REQUIRED[path])
    add_text(mod, text, path)
    mod._imported.add(path)


def add_tensor_type(mod: IRModule, name: str) -> None:
    """Adds the arrays of tensors whose type has a name such as tensor_float32_t; what has
    another name is not there. The standard definitions have them for all data types, and
    modules those that are asked for."""
    match = re.fullmatch(r"tensor_((?:float|u?int)\d+)_t", name)
    if match and match[1] in _TENSOR_DTYPES:
        Prelude(mod).register_tensor_array(match[1])


class Prelude:
    """The definitions of "prelude.rly" in a module: `Prelude(mod).map`.

    Constructors are attributes in lower case (`cons`, `nil`, `some`, `none`,
    `rose`), types are `l`, `optional` and `tree`.
    """

    def __init__(self, mod: IRModule | None = None) -> None:
        self.mod = expect_module(mod) if mod is not None else IRModule()
        self.mod.import_from_std("prelude.rly")
        self.l, self.cons, self.nil = self._by_name("List", "Cons", "Nil")
        self.optional, self.some, self.none = self._by_name("Option", "Some", "None")
        self.tree, self.rose = self._by_name("Tree", "Rose")

    def _by_name(self, type_name: str, *constructors: str) -> tuple[Any, ...]:
        return (self.mod.get_global_type_var(type_name),
                *(self.mod.get_constructor(type_name, name) for name in constructors))

    def __getattr__(self, name: str) -> GlobalVar:
        if name.startswith("_") or name == "mod":
            raise AttributeError(name)
        try:
            return self.mod.get_global_var(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def get_ctor(self, ty_name: str, canonical: str, dtype: str) -> Constructor:
        """The constructor of a dtype, of the type `ty_name`. Raises ValueError."""
        return self.mod.get_constructor(ty_name, self.get_name(canonical, dtype))

    #===--------------------------------------------------------------------===#
    # Arrays of tensors
    #===--------------------------------------------------------------------===#

    def register_tensor_array(self, dtype: str) -> None:
        """Adds the arrays of tensors of any rank up to 6."""
        check_dtype(dtype)
        key = f"tensor_array:{dtype}"
        if key not in self.mod._imported:
            add_text(self.mod, core.tensor_array_text(dtype), f"tensor_array_{dtype}")
            self.mod._imported.add(key)

    def register_static_tensor_array(self, dtype: str, shape: Iterable[Any],
                                     batch_dim: int | None = None) -> None:
        """Adds the arrays of tensors of one shape, where None or Any is an unknown
        size. Raises TypeError or ValueError for what is no shape."""
        check_dtype(dtype)
        sizes = [size if isinstance(size, int) else -1 for size in check_shape(shape)]
        key = f"static_tensor_array:{dtype}:{sizes}:{batch_dim}"
        if key in self.mod._imported:
            return
        # Functions on stacks of one row have names of their own, unlike types.
        tag = f"_{dtype}_batch1_" if batch_dim == 1 else f"_{dtype}_"
        names = {var.name_hint.replace(tag, f"_{dtype}_") for var in self.mod.functions
                 if batch_dim != 1 or tag in var.name_hint}
        names |= {var.name_hint for var in self.mod.type_definitions}
        text = core.static_tensor_array_text(
            dtype, sizes,
            -1 if batch_dim is None else expect_int(batch_dim, "batch_dim", 0, 2**31 - 1),
            sorted(names))
        if batch_dim == 1:
            text = re.sub(rf"(@\w+?)_{dtype}_", rf"\1{tag}", text)
        add_text(self.mod, text, key.replace(":", "_"))
        self.mod._imported.add(key)

    @staticmethod
    def get_name(canonical: str, dtype: str) -> str:
        """The name of a definition for a dtype: tensor_t is tensor_float32_t."""
        if canonical == "tensor_t":
            return f"tensor_{dtype}_t"
        return f"{canonical}_{dtype}"

    def get_global_var(self, canonical: str, dtype: str) -> GlobalVar:
        """A function on arrays of tensors of a dtype."""
        self.register_tensor_array(dtype)
        return self.mod.get_global_var(self.get_name(canonical, dtype))

    def get_tensor_ctor(self, canonical: str, dtype: str) -> Constructor:
        """A constructor of the tensors of a dtype, such as "tensor1"."""
        self.register_tensor_array(dtype)
        return self.get_ctor(f"tensor_{dtype}_t", canonical, dtype)

    def get_type(self, canonical: str, dtype: str) -> GlobalTypeVar:
        """The type of the tensors of a dtype."""
        self.register_tensor_array(dtype)
        return self.mod.get_global_type_var(self.get_name(canonical, dtype))

    @staticmethod
    def get_name_static(canonical: str, dtype: str, shape: Iterable[Any],
                        batch_dim: int | None = None) -> str:
        """The name of a definition for tensors of one shape: tensor_t of (2, ?) is
        static_tensor_float32_2_any_t."""
        return static_name(canonical, dtype, shape, batch_dim)

    def get_global_var_static(self, canonical: str, dtype: str, shape: Iterable[Any],
                              batch_dim: int | None = None) -> GlobalVar:
        """A function on arrays of tensors of one shape, which must be registered.
        Raises ValueError."""
        return self.mod.get_global_var(static_name(canonical, dtype, shape, batch_dim))

    def get_type_static(self, canonical: str, dtype: str, shape: Iterable[Any]) -> GlobalTypeVar:
        """The type of the tensors of one shape. Raises ValueError."""
        return self.mod.get_global_type_var(static_name(canonical, dtype, shape))

    def get_ctor_static(self, ty_name: str, name: str, dtype: str,
                        shape: Iterable[Any]) -> Constructor:
        """The constructor of tensors of one shape, of their type `ty_name`. Raises
        ValueError."""
        sizes = check_shape(shape)
        return self.mod.get_constructor(static_name(ty_name, dtype, sizes),
                                        static_name(name, dtype, sizes))

    def get_tensor_ctor_static(self, name: str, dtype: str, shape: Iterable[Any]) -> Constructor:
        """The constructor of tensors of one shape: "tensor_constructor" or "tensor_nil".
        Raises ValueError."""
        return self.get_ctor_static("tensor_t", name, dtype, shape)


def to_list(value: Any) -> list[Any]:
    """A list of Python of a value of `List`."""
    result = []
    while isinstance(value, core.ConstructorValue) and value.name_hint == "Cons":
        head, value = value.fields
        result.append(head)
    return result


__all__ = ["Prelude", "StaticTensorArrayOps", "TensorArrayOps", "get_tensor_array_shape",
           "import_from_std", "to_list"]
