"""Operators as objects: their attributes, and how programs add operators.

    relay.op.op.register("my.scale", "Multiplies by a constant.")
    op = relay.op.get("my.scale")
    op.set_num_inputs(1)
    op.add_type_rel("Identity")

    @relay.op.register_compute("my.scale")
    def scale(attrs, inputs, out_type):
        return [inputs[0] * attrs["factor"]]

Such an operator is inferred, printed, read and evaluated by the interpreter;
compiled programs cannot have one yet.
"""

from __future__ import annotations

from typing import Any, Callable, NoReturn, Sequence, TypeVar

from ..._arguments import expect_callable, expect_int, expect_text
from .._core import core
from ..expr import Op, extend
from . import _added, _attribute_table, _levels, _registry
from ._added import Argument, Relation
from ._registry import get
from ._relations import RELATIONS

T = TypeVar("T")

# What says how an operator is computed.
_DEFINITIONS = ("FTVMCompute", "FTVMStrategy", "FTVMSchedule")
# More operands than any program has; their names are made all at once.
_MAX_INPUTS = 1 << 16


class OpPattern:
    """How an operator relates its result's elements to its operands', which decides
    what it is computed together with."""

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


#===------------------------------------------------------------------------===#
# Methods of Op
#===------------------------------------------------------------------------===#


def _added_operator(op: Op) -> _added.AddedOperator:
    if op.name not in _added.ADDED:
        raise ValueError(f"expects an operator that the program has added, but {op.name!r} is "
                         "one of Relay")
    return _added.ADDED[op.name]


def _set_attr(self: Op, attr_name: str, value: Any, plevel: int = 10) -> None:
    """Sets an attribute. One of a higher level stays; raises ValueError if there is one
    of the same level, NotImplementedError for another definition of an operator of
    Relay."""
    expect_text(attr_name, "the name of an attribute")
    if attr_name in _DEFINITIONS and self.name not in _added.ADDED:
        raise NotImplementedError(
            f"the definition of {self.name!r} cannot be replaced: which code computes "
            "operators of Relay, and its schedules, is not chosen by strategies yet")
    _attribute_table.put(self.name, attr_name, value, plevel)


def _get_attr(self: Op, attr_name: str) -> Any:
    """The value of an attribute, or None if the operator does not have it."""
    if _attribute_table.has(self.name, expect_text(attr_name, "the name of an attribute")):
        return _attribute_table.get(self.name, attr_name)
    if attr_name == "TOpPattern" and self.name in _registry.SCHEMAS:
        return core.operator_pattern(self.name)
    if attr_name == "TOpIsStateful" and self.name in _registry.SCHEMAS:
        return core.operator_is_stateful(self.name)
    if attr_name == "FPrimalGradient" and core.operator_has_gradient(self.name):
        return _gradients_of_call
    return None


def _gradients_of_call(orig: Any, grad: Any) -> list[Any]:
    """The gradients of a call's operands that the compiler knows."""
    from .._gradients import gradients_of_call

    return gradients_of_call(orig, grad)


def _has_attr(self: Op, attr_name: str) -> bool:
    """Whether the operator has an attribute."""
    return _get_attr(self, attr_name) is not None


def _reset_attr(self: Op, attr_name: str) -> None:
    """Removes what Python has set of an attribute."""
    _attribute_table.remove(self.name, expect_text(attr_name, "the name of an attribute"))


def _add_type_rel(self: Op, rel_name: str, type_rel_func: Relation | None = None) -> None:
    """Says what the type of a call is.

    `type_rel_func(types, attrs)` takes the operands' types, and the attributes or
    None. It returns the type of the result, or raises. Without one, `rel_name` is
    the name of a relation that is there: Broadcast, BroadcastComp, Identity,
    IdentityCompRel; ValueError for any other.
    """
    op = _added_operator(self)
    expect_text(rel_name, "rel_name")
    if type_rel_func is None and rel_name not in RELATIONS:
        raise ValueError(f"expects a function, or a type relation of {', '.join(RELATIONS)}, "
                         f"but got {rel_name!r}")
    op.relation = expect_callable(type_rel_func, "type_rel_func") \
        if type_rel_func is not None else RELATIONS[rel_name]


def _add_argument(self: Op, name: str, type: str,  # pylint: disable=redefined-builtin
                  description: str) -> None:
    """Describes the next operand."""
    op = _added_operator(self)
    op.arguments.append(Argument(expect_text(name, "name"), expect_text(type, "type"),
                                 expect_text(description, "description")))
    op.publish()


def _set_num_inputs(self: Op, n: int) -> None:
    """How many operands a call has; -1 for any number."""
    op = _added_operator(self)
    op.num_inputs = expect_int(n, "the number of operands", -1, _MAX_INPUTS)
    op.publish()


def _set_support_level(self: Op, level: int) -> None:
    """A number for documentation, 1 to 10."""
    _added_operator(self).support_level = expect_int(level, "level", 1)


def _set_attrs_type_key(self: Op, key: str) -> None:
    """The type of the attributes, for programs that ask for it: "DictAttrs"."""
    _added_operator(self).attrs_type_key = expect_text(key, "key")


def _num_inputs(self: Op) -> int:
    added = _added.ADDED.get(self.name)
    if added is not None:
        return added.num_inputs
    operands = _registry.SCHEMAS[self.name].operands
    fixed = all(kind in (_registry.SINGLE, _registry.TUPLE) for _, kind in operands)
    return len(operands) if fixed else -1


def _arguments(self: Op) -> list[Argument]:
    added = _added.ADDED.get(self.name)
    if added is not None:
        return list(added.arguments)
    return [Argument(name, "Tuple" if kind == _registry.TUPLE else "Tensor", "")
            for name, kind in _registry.SCHEMAS[self.name].operands]


def _support_level(self: Op) -> int:
    added = _added.ADDED.get(self.name)
    return added.support_level if added is not None else _levels.support_level(self.name)


def _attrs_type_key(self: Op) -> str:
    added = _added.ADDED.get(self.name)
    return added.attrs_type_key if added is not None else ""


def _description(self: Op) -> str:
    added = _added.ADDED.get(self.name)
    return added.description if added is not None else _registry.SCHEMAS[self.name].summary


def list_op_names() -> list[str]:
    """The names of all operators, those that the program has added as well."""
    return sorted([*_registry.SCHEMAS, *_added.ADDED])


def _no_init(self: Op) -> NoReturn:
    raise RuntimeError("an operator is not made, but found by its name: relay.op.get(name)")


extend(Op, __init__=_no_init, get=staticmethod(get), list_op_names=staticmethod(list_op_names),
       get_attr=_get_attr, set_attr=_set_attr, has_attr=_has_attr, reset_attr=_reset_attr,
       add_type_rel=_add_type_rel, add_argument=_add_argument,
       set_num_inputs=_set_num_inputs, set_support_level=_set_support_level,
       set_attrs_type_key=_set_attrs_type_key, num_inputs=property(_num_inputs),
       arguments=property(_arguments), support_level=property(_support_level),
       attrs_type_key=property(_attrs_type_key), description=property(_description))

#===------------------------------------------------------------------------===#
# Registration
#===------------------------------------------------------------------------===#


def register(op_name: str, describe: str = "") -> None:
    """Adds an operator, of which Op's methods say more. Raises ValueError if there is
    one of that name, or text cannot have such a name."""
    expect_text(op_name, "op_name")
    if op_name in _registry.SCHEMAS or op_name in _added.ADDED:
        raise _registry.OperatorError(f"Operator {op_name} is registered before")
    _added.add(op_name, describe)


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Sets an attribute of an operator, which is added if there is none of that name.
    Without a value, returns a decorator for one."""

    expect_text(op_name, "op_name")
    expect_text(attr_key, "attr_key")
    expect_int(level, "level", 1)

    def set_value(new: T) -> T:
        if op_name not in _registry.SCHEMAS and op_name not in _added.ADDED:
            _added.add(op_name)
        get(op_name).set_attr(attr_key, new, level)
        return new

    return set_value(value) if value is not None else set_value


def register_stateful(op_name: str, stateful: bool, level: int = 10) -> Any:
    """Says whether calls of equal operands may differ."""
    return register_op_attr(op_name, "TOpIsStateful", stateful, level)


def register_pattern(op_name: str, pattern: int, level: int = 10) -> Any:
    """Says what an operator is computed together with; see OpPattern."""
    return register_op_attr(op_name, "TOpPattern", pattern, level)


def register_compute(op_name: str, compute: Any = None, level: int = 10) -> Any:
    """Defines an added operator: `compute(attrs, inputs, out_type)` takes and returns
    lists of NumPy arrays, without tuples around them."""
    return register_op_attr(op_name, "FTVMCompute", compute, level)


def register_shape_func(op_name: str, data_dependent: bool | list[bool], shape_func: Any = None,
                        level: int = 10) -> Any:
    """Says how the shapes of results follow from operands (`data_dependent`) or their
    shapes. The interpreter takes those of what it has computed."""
    flags = data_dependent if isinstance(data_dependent, list) else [data_dependent]
    get(op_name).set_attr("TShapeDataDependent", flags, level)
    return register_op_attr(op_name, "FShapeFunc", shape_func, level)


def register_gradient(op_name: str, fgradient: Any = None, level: int = 10) -> Any:
    """`fgradient(call, output_grad)` returns the gradients of the operands, a list of
    expressions, which take the place of those that the compiler knows. Types are known
    (`call.checked_type`); relay.transform.gradient asks for them."""
    return register_op_attr(op_name, "FPrimalGradient", fgradient, level)


def register_legalize(op_name: str, legal_op: Any = None, level: int = 10) -> Any:
    """`legal_op(attrs, inputs, types)` returns what a call becomes, or None."""
    return register_op_attr(op_name, "FTVMLegalize", legal_op, level)


def register_alter_op_layout(op_name: str, alter_layout: Any = None, level: int = 10) -> Any:
    """`alter_layout(attrs, inputs, types, out_type)` returns a call in another layout."""
    return register_op_attr(op_name, "FTVMAlterOpLayout", alter_layout, level)


def register_convert_op_layout(op_name: str, convert_layout: Any = None, level: int = 10) -> Any:
    """`convert_layout(attrs, inputs, types, layouts)` returns a call in those layouts."""
    return register_op_attr(op_name, "FTVMConvertOpLayout", convert_layout, level)


def register_infer_correct_layout(op_name: str, infer_layout: Any = None,
                                  level: int = 10) -> Any:
    """`infer_layout` says which layouts an operator has where others change theirs."""
    return register_op_attr(op_name, "FInferCorrectLayout", infer_layout, level)


def register_external_compiler(op_name: str, fexternal: Any = None, level: int = 10) -> Any:
    """`fexternal(attrs, args, compiler)` puts a call into a region of a compiler."""
    return register_op_attr(op_name, "FTVMExternalCompiler", fexternal, level)


def register_fake_quantization_to_integer(op_name: str, func: Any = None, level: int = 10) -> Any:
    """`func(expr, type_map)` returns a call on integers, and its affine type."""
    return register_op_attr(op_name, "FTVMFakeQuantizationToInteger", func, level)


def register_optional_fake_quantization_to_integer(op_name: str, func: Any = None,
                                                   level: int = 10) -> Any:
    """Like register_fake_quantization_to_integer, for calls where it is no must."""
    return register_op_attr(op_name, "FTVMOptionalFakeQuantizationToInteger", func, level)


def register_mixed_precision_conversion(op_name: str, func: Any = None, level: int = 10) -> Any:
    """`func(call, dtype)` returns [category, dtype of sums, dtype of the result]."""
    return register_op_attr(op_name, "FTVMMixedPrecisionConversionType", func, level)


#===------------------------------------------------------------------------===#
# Strategies
#===------------------------------------------------------------------------===#


class OpImplementation:
    """One way to compute an operator: a compute function and its schedule."""

    def __init__(self, compute: Callable[..., Any], schedule: Callable[..., Any] | None,
                 name: str, plevel: int) -> None:
        self._compute, self._schedule = compute, schedule
        self.name, self.plevel = name, plevel

    def compute(self, attrs: Any, inputs: Sequence[Any], out_type: Any) -> Any:
        """Computes the operator."""
        return self._compute(attrs, inputs, out_type)

    def schedule(self, attrs: Any, outs: Sequence[Any], target: Any) -> Any:
        """Calls the schedule function."""
        if self._schedule is None:
            raise ValueError(f"implementation {self.name!r} has no schedule")
        return self._schedule(attrs, outs, target)


class OpSpecialization:
    """Implementations that hold under a condition; None for always."""

    def __init__(self, condition: Any = None) -> None:
        self.condition = condition
        self.implementations: list[OpImplementation] = []


class OpStrategy:
    """The implementations of an operator, of which the one of the highest level is
    taken."""

    def __init__(self) -> None:
        self.specializations: list[OpSpecialization] = []

    def add_implementation(self, compute: Callable[..., Any], schedule: Callable[..., Any] | None,
                           name: str = "default", plevel: int = 10) -> None:
        """Adds an implementation. `compute` is as register_compute takes it."""
        if not self.specializations:
            self.specializations.append(OpSpecialization())
        self.specializations[0].implementations.append(
            OpImplementation(compute, schedule, name, plevel))


def register_strategy(op_name: str, fstrategy: Any = None, level: int = 10) -> Any:
    """Defines an added operator: `fstrategy(attrs, inputs, out_type, target)` returns an
    OpStrategy."""
    return register_op_attr(op_name, "FTVMStrategy", fstrategy, level)


def register_schedule(op_name: str, schedule: Any, level: int = 10) -> Any:
    """Makes a strategy of the operator's compute function, which must be registered,
    and a schedule."""
    compute = get(op_name).get_attr("FTVMCompute")
    if compute is None and op_name in _added.ADDED:
        raise ValueError(f"expects a compute function of {op_name!r} (register_compute) before "
                         "its schedule")

    def fstrategy(attrs: Any, inputs: Any, out_type: Any, target: Any) -> OpStrategy:
        del attrs, inputs, out_type, target
        strategy = OpStrategy()
        strategy.add_implementation(compute, schedule, name=f"{op_name}.generic")
        return strategy

    return register_strategy(op_name, fstrategy, level)


def _no_schedule(attrs: Any, outs: Any, target: Any) -> NoReturn:
    raise NotImplementedError("operators that programs add are evaluated by the interpreter; "
                              "code is not generated for them yet")


def register_injective_schedule(op_name: str, level: int = 10) -> Any:
    """Says that any loops compute the operator's compute function."""
    return register_schedule(op_name, _no_schedule, level)


register_broadcast_schedule = register_injective_schedule
register_reduce_schedule = register_injective_schedule

__all__ = [
    "OpImplementation", "OpPattern", "OpSpecialization", "OpStrategy", "get", "list_op_names",
    "register", "register_alter_op_layout", "register_broadcast_schedule", "register_compute",
    "register_convert_op_layout", "register_external_compiler",
    "register_fake_quantization_to_integer", "register_gradient",
    "register_infer_correct_layout", "register_injective_schedule", "register_legalize",
    "register_mixed_precision_conversion", "register_op_attr",
    "register_optional_fake_quantization_to_integer", "register_pattern",
    "register_reduce_schedule", "register_schedule", "register_shape_func",
    "register_stateful", "register_strategy",
]
