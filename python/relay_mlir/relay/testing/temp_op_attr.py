"""Attributes of operators for the time of a test."""

from __future__ import annotations

from typing import Any

from ..op import get


class TempOpAttr:
    """Sets an attribute of an operator inside of a `with`, whatever is set outside.

        with TempOpAttr("nn.conv2d", "FTVMLegalize", legalize):
            ...
    """

    def __init__(self, op_name: str, attr_key: str, attr_value: Any) -> None:
        self._op = get(op_name)
        self._key, self._value = attr_key, attr_value
        self._older: Any = None

    def __enter__(self) -> TempOpAttr:
        self._older = self._op.get_attr(self._key)
        self._op.reset_attr(self._key)
        self._op.set_attr(self._key, self._value)
        return self

    def __exit__(self, type_: object, value: object, trace: object) -> None:
        self._op.reset_attr(self._key)
        if self._older is not None:
            self._op.set_attr(self._key, self._older)
