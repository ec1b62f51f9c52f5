"""Models that the virtual machine runs."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Sequence

import numpy as np

from . import _relay_mlir
from ._arguments import (describe, expect_int, expect_list, expect_mapping, expect_path,
                         expect_text)
from ._compile import KernelProfile, Outputs, PathLike
from ._strings import StringSignature


def _to_python(value: Any) -> Any:
    """A result of the machine, where lists and None are values of data types."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, tuple):
        return tuple(map(_to_python, value))
    kind = getattr(value, "name_hint", None)
    if kind in ("Nil", "Cons"):
        elements = []
        while value._fields:
            first, value = value._fields
            elements.append(_to_python(first))
        return elements
    if kind in ("None", "Some"):
        return _to_python(value._fields[0]) if value._fields else None
    return value


class ValueInfo(NamedTuple):
    """Name, shape, NumPy dtype and kind of an input or output of a Program.

    A dynamic size is the name of its symbol, or "?" if it is not known before a run. `kind`
    is "tensor", or "seq(tensor)" or "optional(tensor)", whose tensors have that shape and
    dtype.
    """

    name: str
    shape: tuple[int | str, ...]
    dtype: np.dtype[Any]
    kind: str


class Program:
    """A compiled model for the virtual machine: call it with its inputs.

    `relay_mlir.compile` makes it of a model with loops, branches, sequences, or sizes that
    elements of tensors decide, and `relay_mlir.load` of what `save` wrote.
    """

    _path: str
    _file: object
    _impl: Any
    _inputs: list[ValueInfo]
    _outputs: list[ValueInfo]
    _strings: StringSignature | None

    def __new__(cls, *args: Any) -> Program:
        del args
        raise TypeError("expects relay_mlir.compile to make a Program, but got a call of the class")

    @classmethod
    def _make(cls, path: str, file: object = None, device: str | None = None) -> Program:
        from .relay._core import core
        from .relay.expr import numpy_dtype

        def inform(name: str, value: tuple[str, tuple[int | str, ...], str]) -> ValueInfo:
            kind, shape, dtype = value
            is_object = dtype in ("", "string")
            return ValueInfo(name, shape, np.dtype(object) if is_object else numpy_dtype(dtype),
                             kind)

        self = object.__new__(cls)
        self._path = path
        self._file = file  # Keeps an artefact in memory.
        self._impl = core.VMProgram(
            path, None if device is None else expect_text(device, "device"))
        inputs, outputs = self._impl.describe_function("main")
        self._inputs = [inform(*entry) for entry in inputs]
        self._outputs = [inform(*entry) for entry in outputs]
        self._strings = StringSignature.of(self._impl.make_strings, self)
        return self

    @property
    def inputs(self) -> list[ValueInfo]:
        """The inputs, as a list of ValueInfo."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[ValueInfo]:
        """The outputs, as a list of ValueInfo."""
        return list(self._outputs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Outputs:
        """Runs the model.

        Inputs go by position or by name: what `Module` takes; lists for sequences, and None
        for optional values that are not there. Returns an array, list or None, or a tuple of
        them if the model has several outputs. Raises ValueError for wrong inputs.
        """
        if not kwargs and self._strings is None and len(args) == len(self._inputs):
            return self._run(args)
        feed = self._name(args)
        for name, value in kwargs.items():
            if name in feed:
                raise ValueError(f"expects input {name!r} once, but got it twice")
            feed[name] = value
        return self.run(feed)

    def run(self, inputs: Mapping[str, Any]) -> Outputs:
        """The same with a mapping, for names that are no identifiers."""
        feed = self._order(inputs)
        if self._strings is None:
            return self._run(feed)
        return self._strings.run(lambda *args: self._run(args), feed, {})

    def _run(self, args: Sequence[Any]) -> Any:
        return _to_python(self._impl.run("main", list(args)))

    def _name(self, args: Sequence[Any]) -> dict[str, Any]:
        if len(args) > len(self._inputs):
            raise ValueError(f"expects {len(self._inputs)} inputs, but got {len(args)}")
        return {info.name: value for info, value in zip(self._inputs, args)}

    def _order(self, inputs: Mapping[str, Any]) -> list[Any]:
        names = [info.name for info in self._inputs]
        for name in expect_mapping(inputs, "inputs"):
            if expect_text(name, "the name of an input") not in names:
                raise ValueError(f"expects names of inputs of {names}, but got {describe(name)}")
        for name in names:
            if name not in inputs:
                raise ValueError(f"expects input {name!r}, but it is missing")
        return [inputs[name] for name in names]

    @property
    def precision(self) -> str:
        """As that of a `Module`."""
        return self._impl.precision()

    @property
    def metadata(self) -> dict[str, str]:
        """As that of a `Module`."""
        return self._impl.metadata()

    def profile(self, inputs: Mapping[str, Any] | Sequence[Any], *, repeat: int = 50,
                warm_up: int = 5, trace: PathLike | None = None) -> list[KernelProfile]:
        """As that of a `Module`; what the machine does between kernels is a row, too."""
        expect_int(repeat, "repeat", 0, 2**31 - 1)
        expect_int(warm_up, "warm_up", 0, 2**31 - 1)
        feed = (inputs if isinstance(inputs, Mapping)
                else self._name(expect_list(inputs, "inputs", "arrays")))
        path = "" if trace is None else expect_path(trace, "trace")
        values = self._order(feed)

        def run(*args: Any) -> list[tuple[Any, ...]]:
            return self._impl.profile("main", list(args), repeat, warm_up, path)

        rows = (run(*values) if self._strings is None
                else self._strings.run(run, values, {}, decode=False))
        return [KernelProfile(*row) for row in rows]

    def verify(self) -> None:
        """As that of a `Module`."""
        self._impl.verify()

    def save(self, path: PathLike) -> None:
        """Writes the artefact, which `relay_mlir.load`, `relay.vm.Executable.load_exec` and the
        C interface read."""
        _relay_mlir.copy_file(self._path, expect_path(path))
