"""Arrays of tensors, by data type and shape: what adds and finds their definitions.

    prelude = relay.Prelude(mod)
    arrays = StaticTensorArrayOps(prelude, "float32", (2, 3))
    arrays.register()
    write = arrays.get_global_var("tensor_array_write")

An array is a list of values of a type that has a constructor for a tensor. The definitions
of one data type, or of one shape, are added all at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from . import ty
from .._arguments import expect, expect_int, expect_list, expect_mapping, expect_text
from .adt import Constructor
from .expr import Expr, GlobalVar
from .module import IRModule

if TYPE_CHECKING:
    from .prelude import Prelude

# Constructors, which stacks of one row share with all others.
_WITHOUT_BATCH = ("tensor_constructor", "tensor_nil")


def check_dtype(dtype: Any) -> str:
    """The name of a dtype itself. Raises TypeError for anything else."""
    expect_text(dtype, "dtype")
    return ty.scalar_type(dtype).dtype


def check_shape(shape: Any, name: str = "shape") -> list[Any]:
    """A shape as a list. Raises TypeError for anything but sizes, None and Any for unknown
    ones among them, ValueError for those that no tensor has."""
    sizes = expect_list(shape, name, "sizes")
    # The type has the checks of sizes.
    ty.TensorType([ty.Any() if size is None else size for size in sizes])
    return sizes


def _shape_name(shape: Sequence[Any]) -> str:
    return "_".join(str(size) if isinstance(size, int) else "any" for size in shape)


def static_name(canonical: str, dtype: str, shape: Any, batch_dim: int | None = None,
                extra_shapes: Mapping[str, Any] | None = None) -> str:
    """The name of a definition for tensors of one shape. `extra_shapes` has those of
    operands, by name."""
    expect_text(canonical, "the name of a definition")
    check_dtype(dtype)
    text = _shape_name(check_shape(shape))
    for name, extra in expect_mapping(extra_shapes, "extra_shapes").items():
        text += f"_{name}_{_shape_name(check_shape(extra, f'the shape of {name}'))}"
    text = text or "scalar"
    if canonical == "tensor_t":
        return f"static_tensor_{dtype}_{text}_t"
    if batch_dim == 1 and canonical not in _WITHOUT_BATCH:
        return f"{canonical}_{dtype}_batch1_{text}"
    return f"{canonical}_{dtype}_{text}"


def _shape_text(shape: Sequence[Any] | None) -> str:
    sizes = ["?"] if shape is None else [str(s) if isinstance(s, int) else "?" for s in shape]
    return f"({', '.join(sizes)},)"


def _limit(name: str, shape: Sequence[Any] | None) -> str:
    """The number of elements of a vector, as text."""
    if shape and isinstance(shape[0], int):
        return str(shape[0])
    return f'take(shape_of(%{name}, dtype="int32"), 0)'


def get_tensor_array_shape(expr: Expr, dtype: str, prelude: Prelude) -> tuple[Any, ...] | None:
    """The shape of the tensors in an array, or None if each may have another. Raises
    TypeError for an expression that is no array of tensors."""
    from .transform import infer_expr

    check_dtype(dtype)
    type_ = infer_expr(expr, _module_of(prelude)).checked_type
    element = type_.args[0] if isinstance(type_, ty.TypeCall) and type_.args else None
    if not isinstance(element, ty.TypeCall):
        raise TypeError(f"expects an array of tensors, but got an expression of type {type_}")
    name, prefix = element.func.name_hint, f"static_tensor_{dtype}_"
    if not name.startswith(prefix):
        return None
    text = name[len(prefix):-len("_t")]
    if text == "scalar":
        return ()
    return tuple(ty.Any() if size == "any" else int(size) for size in text.split("_"))


def _module_of(prelude: Any) -> IRModule:
    from .prelude import Prelude

    mod: IRModule = expect(prelude, Prelude, "prelude", "a Prelude").mod
    return mod


class TensorArrayOps:
    """Arrays of tensors of a data type, of any rank up to 6."""

    def __init__(self, prelude: Prelude, dtype: str) -> None:
        self.list, self.cons, self.nil = _module_of(prelude).get_type("List")
        self.prelude = prelude
        self.dtype = check_dtype(dtype)

    def get_name(self, canonical: str) -> str:
        """The name of a definition: tensor_array_write is tensor_array_write_float32."""
        return self.prelude.get_name(canonical, self.dtype)

    def get_global_var(self, canonical: str) -> GlobalVar:
        """A function."""
        return self.prelude.get_global_var(canonical, self.dtype)

    def get_type(self, canonical: str) -> ty.GlobalTypeVar:
        """The type of the tensors, by "tensor_t"."""
        return self.prelude.get_type(canonical, self.dtype)

    def get_ctor(self, canonical: str) -> Constructor:
        """A constructor, such as "tensor1". Raises ValueError."""
        return self.prelude.get_tensor_ctor(canonical, self.dtype)

    def register(self) -> None:
        """Adds the definitions, once."""
        self.prelude.register_tensor_array(self.dtype)


class StaticTensorArrayOps:
    """Arrays of tensors of a data type and a shape, in which Any is an unknown size.
    `batch_dim` is 1 if stacks have one row. Raises TypeError or ValueError for what is no
    shape."""

    def __init__(self, prelude: Prelude, dtype: str, shape: Any,
                 batch_dim: int | None = None) -> None:
        self.list, self.cons, self.nil = _module_of(prelude).get_type("List")
        self.prelude = prelude
        self.dtype = check_dtype(dtype)
        self.shape = tuple(check_shape(shape))
        self.batch_dim = None if batch_dim is None else expect_int(batch_dim, "batch_dim", 0)

    def get_name(self, canonical: str, extra_shapes: Mapping[str, Any] | None = None) -> str:
        """The name of a definition: tensor_array_write is tensor_array_write_float32_2_3."""
        return static_name(canonical, self.dtype, self.shape, self.batch_dim, extra_shapes)

    def get_global_var(self, canonical: str) -> GlobalVar:
        """A function. Raises ValueError if it is not registered."""
        return self.prelude.get_global_var_static(canonical, self.dtype, self.shape,
                                                  self.batch_dim)

    def get_type(self, canonical: str) -> ty.GlobalTypeVar:
        """The type of the tensors, by "tensor_t". Raises ValueError."""
        return self.prelude.get_type_static(canonical, self.dtype, self.shape)

    def get_ctor(self, canonical: str) -> Constructor:
        """A constructor, "tensor_constructor" or "tensor_nil". Raises ValueError."""
        return self.prelude.get_tensor_ctor_static(canonical, self.dtype, self.shape)

    def is_cached(self, name: str) -> bool:
        """Whether there is a function of a name."""
        return name in self.prelude.mod

    def register(self) -> None:
        """Adds the definitions, once."""
        self.prelude.register_static_tensor_array(self.dtype, self.shape, self.batch_dim)

    define_tensor_adt = define_tensor_take = define_tensor_concatenate = register
    define_tensor_expand_dims = define_tensor_array = define_tensor_array_read = register
    define_tensor_array_write = define_tensor_array_unstack = register
    define_tensor_array_concat = define_tensor_array_stack = register
    define_tensor_array_gather = define_tensor_get_data = register

    def _define(self, text: str) -> None:
        from .prelude import add_text

        add_text(self.prelude.mod, '#[version = "0.0.5"]\n' + text, "tensor_array")

    def define_tensor_array_scatter(self, indices_shape: Sequence[Any] | None = None,
                                    force_update: bool = False) -> None:
        """Adds tensor_array_scatter. With `indices_shape`, that for indices of this shape,
        the name of which is that of `get_name(.., {"indices": indices_shape})`."""
        self.register()
        if indices_shape is None:
            return
        check_shape(indices_shape, "indices_shape")
        extra = {"indices": indices_shape}
        name = self.get_name("tensor_array_scatter", extra)
        helper = self.get_name("tensor_array_scatter_helper", extra)
        if self.is_cached(name) and not force_update:
            return
        self._remove(name, helper)
        array = f"List[{self.get_name('tensor_t')}[]]"
        indices = f"Tensor[{_shape_text(indices_shape)}, int32]"
        write, read = self.get_name("tensor_array_write"), self.get_name("tensor_array_read")
        self._define(f"""
def @{helper}(%ta: {array}, %current: int32, %limit: int32, %indices: {indices},
              %values: {array}) -> {array} {{
  if (equal(%current, %limit)) {{ %ta }} else {{
    @{helper}(@{write}(%ta, take(%indices, %current, axis=None), @{read}(%values, %current)),
              %current + 1, %limit, %indices, %values)
  }}
}}
def @{name}(%ta: {array}, %indices: {indices}, %values: {array}) -> {array} {{
  @{helper}(%ta, 0, {_limit("indices", indices_shape)}, %indices, %values)
}}
""")

    def define_tensor_array_split(self, value_shape: Sequence[Any] | None = None,
                                  lengths_shape: Sequence[Any] | None = None,
                                  force_update: bool = False) -> None:
        """Adds tensor_array_split. With `force_update` defines it anew, for a value and
        lengths of these shapes."""
        self.register()
        if not self.shape or not force_update:
            return
        value = StaticTensorArrayOps(self.prelude, self.dtype,
                                     self.shape if value_shape is None else value_shape,
                                     self.batch_dim)
        output = StaticTensorArrayOps(self.prelude, self.dtype, (ty.Any(), *self.shape[1:]),
                                      self.batch_dim)
        value.register()
        output.register()
        name, helper = self.get_name("tensor_array_split"), self.get_name("ta_split_helper")
        self._remove(name, helper)
        array, tensor = f"List[{output.get_name('tensor_t')}[]]", f"{value.get_name('tensor_t')}[]"
        lengths = f"Tensor[{_shape_text(lengths_shape)}, int32]"
        write, take = output.get_name("tensor_array_write"), value.get_name("tensor_take")
        self._define(f"""
def @{helper}(%ta: {array}, %value: {tensor}, %offset: int32, %current: int32, %limit: int32,
              %lengths: {lengths}) -> {array} {{
  if (equal(%current, %limit)) {{ %ta }} else {{
    let %end = take(%lengths, %current, axis=None) + %offset;
    @{write}(@{helper}(%ta, %value, %end, %current + 1, %limit, %lengths), %current,
             @{take}(%value, %offset, %end))
  }}
}}
def @{name}(%ta: {array}, %value: {tensor}, %lengths: {lengths}) -> {array} {{
  @{helper}(%ta, %value, 0, 0, {_limit("lengths", lengths_shape)}, %lengths)
}}
""")

    def _remove(self, *names: str) -> None:
        mod: IRModule = self.prelude.mod
        for name in names:
            if name in mod:
                del mod[name]


__all__ = ["StaticTensorArrayOps", "TensorArrayOps", "get_tensor_array_shape"]
