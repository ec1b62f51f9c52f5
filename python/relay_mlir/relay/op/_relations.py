"""Type relations that operators of programs may name: `Op.add_type_rel("Broadcast")`."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from .. import ty


def _tensors(types: Sequence[ty.Type], count: int, name: str) -> list[ty.TensorType]:
    tensors = [t for t in types if isinstance(t, ty.TensorType)]
    if len(types) != count or len(tensors) != count:
        raise TypeError(f"expects {count} tensors for the relation {name}, but got "
                        f"{', '.join(map(str, types)) or 'none'}")
    return tensors


def identity(types: Sequence[ty.Type], attrs: Any) -> ty.Type:
    """The type of the first operand, which all have."""
    del attrs
    if not types or any(t != types[0] for t in types):
        raise TypeError("expects operands of one type for the relation Identity, but got "
                        f"{', '.join(map(str, types)) or 'none'}")
    return types[0]


def _broadcast_size(lhs: Any, rhs: Any) -> Any:
    """The size of two that meet; an unknown one yields to what is known, as it must
    be 1 or the same."""
    if lhs == rhs or rhs == 1:
        return lhs
    if lhs == 1 or isinstance(lhs, ty.Any):
        return rhs
    if isinstance(rhs, ty.Any):
        return lhs
    return None


def _broadcast_shape(lhs: ty.TensorType, rhs: ty.TensorType) -> list[Any]:
    rank = max(len(lhs.shape), len(rhs.shape))
    shapes: list[list[Any]] = [[1] * (rank - len(t.shape)) + [*t.shape] for t in (lhs, rhs)]
    sizes = [_broadcast_size(a, b) for a, b in zip(*shapes)]
    if None in sizes:
        raise TypeError(f"expects shapes that broadcast, but got {lhs} and {rhs}")
    return sizes


def broadcast(types: Sequence[ty.Type], attrs: Any) -> ty.Type:
    """Elementwise, of two tensors of one dtype."""
    del attrs
    lhs, rhs = _tensors(types, 2, "Broadcast")
    if lhs.dtype != rhs.dtype:
        raise TypeError(f"expects tensors of one dtype, but got {lhs} and {rhs}")
    return ty.TensorType(_broadcast_shape(lhs, rhs), lhs.dtype)


def broadcast_comp(types: Sequence[ty.Type], attrs: Any) -> ty.Type:
    """A comparison of two tensors: bools."""
    result = broadcast(types, attrs)
    assert isinstance(result, ty.TensorType)
    return ty.TensorType(result.shape, "bool")


def identity_comp(types: Sequence[ty.Type], attrs: Any) -> ty.Type:
    """A test of each element of a tensor: bools."""
    del attrs
    tensor, = _tensors(types, 1, "IdentityCompRel")
    return ty.TensorType(tensor.shape, "bool")


RELATIONS: dict[str, Callable[[Sequence[ty.Type], Any], ty.Type]] = {
    "Broadcast": broadcast,
    "BroadcastComp": broadcast_comp,
    "Identity": identity,
    "IdentityCompRel": identity_comp,
}
