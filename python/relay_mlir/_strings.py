"""Strings in the inputs and outputs of models, which have their numbers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._arguments import describe


class StringTable:
    """The strings of a model in the order of their numbers."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.numbers = {text: number for number, text in enumerate(texts)}


class StringNumbers:
    """Numbers for one call: those of the model, and behind them others as they come."""

    def __init__(self, table: StringTable) -> None:
        self._table = table
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def _number(self, text: Any, name: str) -> int:
        if isinstance(text, bytes):
            try:
                text = text.decode()
            except UnicodeDecodeError:
                raise ValueError(f"expects bytes of UTF-8 for input {name!r}, but got "
                                 f"{describe(text)}") from None
        if not isinstance(text, str):
            raise TypeError(f"expects strings for input {name!r}, but got {describe(text)}")
        number = self._table.numbers.get(text)
        if number is not None:
            return number
        if text not in self._numbers:
            self._numbers[text] = len(self._table.texts) + len(self._texts)
            self._texts.append(text)
        return self._numbers[text]

    def encode(self, value: Any, name: str) -> np.ndarray[Any, Any]:
        """The numbers of str or bytes (UTF-8) in lists or arrays. Raises TypeError for anything
        else, and ValueError for bytes that are no UTF-8."""
        # Of an array without elements, the dtype tells what it is of.
        if isinstance(value, np.ndarray) and value.dtype.kind not in "OUST":
            raise TypeError(f"expects strings for input {name!r}, but got an array of "
                            f"{value.dtype}")
        array = np.asarray(value, dtype=object)
        numbers = [self._number(text, name) for text in array.ravel()]
        return np.array(numbers, np.int64).reshape(array.shape)

    def decode(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """An array of str, whose dtype is object."""
        result = np.empty(numbers.size, object)
        first = len(self._table.texts)
        for position, number in enumerate(numbers.ravel().tolist()):
            texts, index = ((self._table.texts, number) if number < first
                            else (self._texts, number - first))
            if not 0 <= index < len(texts):
                raise RuntimeError(f"expects the number of a string, but got {number}")
            result[position] = texts[index]
        return result.reshape(numbers.shape)


class StringSignature:
    """Which inputs and outputs of a model are strings, and the strings of the model."""

    def __init__(self, texts: Sequence[str], inputs: Mapping[str, bool],
                 outputs: Sequence[bool]) -> None:
        self._table = StringTable(texts)
        self._names = list(inputs)
        self._inputs = inputs
        self._outputs = outputs

    @classmethod
    def of(cls, texts: Sequence[str], model: Any) -> StringSignature | None:
        """That of a model with `inputs` and `outputs`; None if there are no strings."""
        if not texts:
            return None
        return cls(texts, {info.name: _is_string(info) for info in model.inputs},
                   [_is_string(info) for info in model.outputs])

    def _encode(self, numbers: StringNumbers, name: Any, value: Any) -> Any:
        return numbers.encode(value, name) if self._inputs.get(name) else value

    def run(self, call: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], *,
            decode: bool = True) -> Any:
        """What `call` returns for inputs by position and by name, in which it gets numbers for
        strings; with strings for numbers if it is to `decode` the outputs of a model."""
        numbers = StringNumbers(self._table)
        names = itertools.chain(self._names, itertools.repeat(None))
        result = call(*[self._encode(numbers, name, value) for name, value in zip(names, args)],
                      **{name: self._encode(numbers, name, value)
                         for name, value in named.items()})
        if not decode:
            return result
        if not isinstance(result, tuple):
            return numbers.decode(result) if self._outputs[0] else result
        return tuple(numbers.decode(output) if is_string else output
                     for is_string, output in zip(self._outputs, result))


def _is_string(info: Any) -> bool:
    return bool(info.dtype == np.dtype(object) and getattr(info, "kind", "tensor") == "tensor")
