"""Strings in the inputs and outputs of models, which have their numbers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from . import _relay_mlir
from ._arguments import describe

# The strings of one call: those of the model, and behind them others as they come.
_MakeStrings = Callable[[], Optional[_relay_mlir.RunStrings]]


def _to_text(value: Any, name: str) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise ValueError(f"expects bytes of UTF-8 for input {name!r}, but got "
                             f"{describe(value)}") from None
    if not isinstance(value, str):
        raise TypeError(f"expects strings for input {name!r}, but got {describe(value)}")
    return value


def _encode(strings: _relay_mlir.RunStrings, value: Any, name: str) -> np.ndarray[Any, Any]:
    """The numbers of str or bytes (UTF-8) in lists or arrays. Raises TypeError for anything
    else, and ValueError for what is no Unicode."""
    # Of an array without elements, the dtype tells what it is of.
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OUST":
        raise TypeError(f"expects strings for input {name!r}, but got an array of "
                        f"{value.dtype}")
    array = np.asarray(value, dtype=object)
    try:
        numbers = strings.encode([_to_text(text, name) for text in array.ravel()])
    except UnicodeEncodeError as error:
        raise ValueError(f"expects strings of Unicode for input {name!r}, but got "
                         f"{describe(error.object)}") from None
    return numbers.reshape(array.shape)


def _decode(strings: _relay_mlir.RunStrings, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of str, whose dtype is object."""
    result = np.empty(numbers.size, object)
    result[:] = strings.decode(numbers.ravel())
    return result.reshape(numbers.shape)


class StringSignature:
    """Which inputs and outputs of a model are strings, and how to make strings for a call."""

    def __init__(self, make: _MakeStrings, inputs: Mapping[str, bool],
                 outputs: Sequence[bool]) -> None:
        self._make = make
        self._names = list(inputs)
        self._inputs = inputs
        self._outputs = outputs

    @classmethod
    def of(cls, make: _MakeStrings, model: Any) -> StringSignature | None:
        """That of a model with `inputs` and `outputs`; None if there are no strings."""
        if make() is None:
            return None
        return cls(make, {info.name: _is_string(info) for info in model.inputs},
                   [_is_string(info) for info in model.outputs])

    def run(self, call: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], *,
            decode: bool = True) -> Any:
        """What `call` returns for inputs by position and by name, in which it gets numbers for
        strings; with strings for numbers if it is to `decode` the outputs of a model."""
        strings = self._make()
        assert strings is not None

        def encode(name: Any, value: Any) -> Any:
            return _encode(strings, value, name) if self._inputs.get(name) else value

        names = itertools.chain(self._names, itertools.repeat(None))
        args = [encode(name, value) for name, value in zip(names, args)]
        named = {name: encode(name, value) for name, value in named.items()}
        with strings:
            result = call(*args, **named)
        if not decode:
            return result
        if not isinstance(result, tuple):
            return _decode(strings, result) if self._outputs[0] else result
        return tuple(_decode(strings, output) if is_string else output
                     for is_string, output in zip(self._outputs, result))


def _is_string(info: Any) -> bool:
    return bool(info.dtype == np.dtype(object) and getattr(info, "kind", "tensor") == "tensor")
