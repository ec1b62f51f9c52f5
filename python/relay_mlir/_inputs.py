"""What a user says of the inputs of a model before it is compiled."""

from __future__ import annotations

import io
import numbers
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np

from ._arguments import describe, expect_int, expect_list, expect_mapping, expect_text

#: The name of an input, and numbers as text and their shape (None: that of the input), or
#: the bytes of a .npy file.
Value = tuple[str, str, Optional[list[int]], bytes]
#: Sizes and shapes as the command line has them, and values.
Fixed = tuple[list[str], list[str], list[Value]]


def _name(name: Any, what: str) -> str:
    if not expect_text(name, what):
        raise ValueError(f"expects {what} that is not empty")
    return str(name)


def _shape(name: str, shape: Any) -> str:
    sizes = ["?" if size is None else str(expect_int(size, f"a size of {name!r}", 0, 2**62))
             for size in expect_list(shape, f"the shape of {name!r}", "sizes")]
    return f"{name}={'x'.join(sizes)}"


def _numbers(value: Any) -> Iterator[Any]:
    """What lists of lists hold."""
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _numbers(part)
    else:
        yield value


def _text(parts: Iterable[Any]) -> str:
    values = (part.item() if isinstance(part, np.generic) else part for part in parts)
    return ",".join(str(value).lower() if isinstance(value, bool) else repr(value)
                    for value in values)


def _value(name: str, value: Any) -> Value:
    """Numbers of Python take the type of the input; arrays have one."""
    if isinstance(value, (list, tuple)) and value and not all(
            isinstance(part, numbers.Real) for part in value):
        try:
            array = np.asarray(value)
            if all(isinstance(part, numbers.Real) for part in _numbers(value)):
                return name, _text(_numbers(value)), list(array.shape), b""
            value = array
        except ValueError as error:
            raise ValueError(f"expects rows of one length for input {name!r}, but got "
                             f"{describe(value)}: {error}") from None
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError(f"expects numbers for input {name!r}, but got an array of "
                            f"{array.dtype}")
        file = io.BytesIO()
        np.save(file, array, allow_pickle=False)
        return name, "", None, file.getvalue()
    parts = value if isinstance(value, (list, tuple)) else [value]
    if not parts or not all(isinstance(part, numbers.Real) for part in parts):
        raise TypeError(f"expects numbers or an array for input {name!r}, but got "
                        f"{describe(value)}")
    return name, _text(parts), None, b""


def parse_fixed_inputs(dims: Sequence[str], shapes: Sequence[str],
                       inputs: Sequence[str]) -> Fixed | None:
    """Returns what a command line fixes as relay-compile has it; None if that is nothing.
    Raises OSError for a file that cannot be read."""
    values: list[Value] = []
    for text in inputs:
        # A name may have a "=" itself.
        name, _, value = text.rpartition("=")
        if not name or not value:
            raise ValueError("expects the name of an input and its elements or a file, such as "
                             f"scale=0.5 or x=values.npy, but got {text!r}")
        if value.endswith(".npy"):
            with open(value, "rb") as file:
                values.append((name, "", None, file.read()))
        else:
            values.append((name, value, None, b""))
    return (list(dims), list(shapes), values) if dims or shapes or values else None


def variant_texts(variants: Sequence[Mapping[str, int]] | None) -> list[str]:
    """Returns sizes of each variant as relay-compile --specialize has them."""
    if hasattr(variants, "keys"):
        raise TypeError("expects specialize to be a list of sizes by name, but got "
                        f"{describe(variants)}")
    texts = []
    for sizes in [] if variants is None else expect_list(variants, "specialize", "sizes by name"):
        dims = [f"{_name(name, 'a name of a size')}="
                f"{expect_int(size, f'the size {name!r}', 0, 2**62)}"
                for name, size in expect_mapping(sizes, "the sizes of a variant").items()]
        if not dims:
            raise ValueError("expects a variant to have sizes by name, but got none")
        texts.append(",".join(dims))
    return texts


def fixed_inputs(dims: Mapping[str, int] | None,
                 shapes: Mapping[str, Sequence[int | None]] | None,
                 inputs: Mapping[str, Any] | None) -> Fixed | None:
    """Returns what is fixed; None if nothing is."""
    sizes = [f"{_name(name, 'a name of a size')}="
             f"{expect_int(size, f'the size {name!r}', 0, 2**62)}"
             for name, size in expect_mapping(dims, "dims").items()]
    given = [_shape(_name(name, "a name of an input"), shape)
             for name, shape in expect_mapping(shapes, "shapes").items()]
    values = [_value(_name(name, "a name of an input"), value)
              for name, value in expect_mapping(inputs, "inputs").items()]
    return (sizes, given, values) if sizes or given or values else None
