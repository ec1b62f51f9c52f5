"""Parameters by name as bytes, in the format of TVM's `save_param_dict`."""

from __future__ import annotations

import math
import struct
from typing import Any, Mapping

import numpy as np

from .._arguments import expect_mapping, expect_text
from .expr import NDArray, ndarray, numpy_dtype

_LIST_MAGIC = 0xF7E58D4F05049CB7
_ARRAY_MAGIC = 0xDD5E40F096B4A13F
_CPU = 1
_CODES = {"i": 0, "u": 1, "f": 2, "b": 1}
_BFLOAT = 4
_DTYPES = {(1, 1): "bool", (_BFLOAT, 16): "bfloat16",
           **{(0, bits): f"int{bits}" for bits in (8, 16, 32, 64)},
           **{(1, bits): f"uint{bits}" for bits in (8, 16, 32, 64)},
           **{(2, bits): f"float{bits}" for bits in (16, 32, 64)}}


def _write_array(value: Any) -> bytes:
    # A scalar stays one, unlike with ascontiguousarray.
    array = np.asarray(value, order="C")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    is_bfloat = array.dtype.name == "bfloat16"
    if not is_bfloat and array.dtype.kind not in _CODES:
        raise TypeError(f"expects an array of numbers or bools, but got dtype {array.dtype}")
    code = _BFLOAT if is_bfloat else _CODES[array.dtype.kind]
    bits = 1 if array.dtype.kind == "b" else array.dtype.itemsize * 8
    data = array.tobytes()
    return (struct.pack("<QQiiiBBH", _ARRAY_MAGIC, 0, _CPU, 0, array.ndim, code, bits, 1) +
            struct.pack(f"<{array.ndim}q", *array.shape) + struct.pack("<q", len(data)) + data)


class _Reader:
    """Reads numbers and bytes one after another. Raises ValueError at the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = 0

    def bytes(self, size: int) -> bytes:
        if not 0 <= size <= len(self._data) - self._next:
            raise ValueError("expects the bytes of save_param_dict, but they end early")
        self._next += size
        return self._data[self._next - size:self._next]

    def numbers(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))

    def count(self, size: int) -> int:
        """A number of entries, each of which has at least `size` bytes."""
        value: int = self.numbers("Q")[0]
        if value * size > len(self._data) - self._next:
            raise ValueError(f"expects {value} entries, but the bytes end early")
        return value

    def expect_magic(self, magic: int, what: str) -> None:
        found, _ = self.numbers("QQ")
        if found != magic:
            raise ValueError(f"expects {what} of save_param_dict, but got bytes that begin "
                             f"with {found:#x}")


def _read_array(reader: _Reader) -> NDArray:
    reader.expect_magic(_ARRAY_MAGIC, "an array")
    _, _, rank, code, bits, lanes = reader.numbers("iiiBBH")
    if (code, bits) not in _DTYPES or lanes != 1 or rank < 0:
        raise ValueError(f"expects an array of numbers or bools, but got type code {code}, "
                         f"{bits} bits, {lanes} lanes, rank {rank}")
    dtype = numpy_dtype(_DTYPES[code, bits])
    if rank > 32:  # NumPy has no more.
        raise ValueError(f"expects an array of rank 32 or less, but got {rank}")
    shape = reader.numbers(f"{rank}q")
    size, = reader.numbers("q")
    if any(n < 0 for n in shape) or size != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"expects the bytes of an array of shape {shape} and dtype "
                         f"{dtype.name}, but got {size}")
    data = np.frombuffer(reader.bytes(size), dtype.newbyteorder("<"))
    return ndarray(data.astype(dtype).reshape(shape))


def save_param_dict(params: Mapping[str, Any]) -> bytearray:
    """The bytes of arrays by name. Raises TypeError for anything else."""
    params = expect_mapping(params, "params")
    result = bytearray(struct.pack("<QQQ", _LIST_MAGIC, 0, len(params)))
    for name in params:
        text = expect_text(name, "the name of a parameter").encode()
        result += struct.pack("<Q", len(text)) + text
    result += struct.pack("<Q", len(params))
    for value in params.values():
        result += _write_array(value)
    return result


def load_param_dict(param_bytes: bytes | bytearray) -> dict[str, NDArray]:
    """The arrays of save_param_dict, also of that of TVM. Raises ValueError for other
    bytes."""
    if not isinstance(param_bytes, (bytes, bytearray)):
        raise TypeError(f"expects bytes, but got {param_bytes!r}")
    reader = _Reader(bytes(param_bytes))
    reader.expect_magic(_LIST_MAGIC, "parameters")
    names = [reader.bytes(reader.count(1)).decode() for _ in range(reader.count(8))]
    count = reader.count(28)
    if count != len(names):
        raise ValueError(f"expects {len(names)} arrays, but got {count}")
    return {name: _read_array(reader) for name in names}


__all__ = ["load_param_dict", "save_param_dict"]
