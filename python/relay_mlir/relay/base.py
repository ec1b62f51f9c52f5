"""Places in sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable

from .._arguments import expect, expect_list


class _Object:
    """What all of them have."""

    def same_as(self, other: object) -> bool:
        """Whether this is the very same object."""
        return self is other


@dataclass(frozen=True)
class SourceName(_Object):
    """The name of a source, such as a file."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Span(_Object):
    """A place in a source, from its first line and column (from 1) to the last; the last
    column is that behind it. Without a source, its name is None."""

    source_name: Any  # A SourceName, which is made of a name, or None.
    line: int
    end_line: int
    column: int
    end_column: int

    def __post_init__(self) -> None:
        if self.source_name is not None and not isinstance(self.source_name, SourceName):
            object.__setattr__(self, "source_name", SourceName(str(self.source_name)))

    def _parts(self) -> tuple[str, int, int, int, int]:
        name = "" if self.source_name is None else self.source_name.name
        return (name, self.line, self.end_line, self.column, self.end_column)

    def __str__(self) -> str:
        return f"Span({', '.join(map(str, self._parts()))})"


class SequentialSpan(_Object):
    """The places that an expression was made from, each once."""

    spans: list[Span]

    def __init__(self, spans: Iterable[Span | SequentialSpan]) -> None:
        parts: list[Span] = []
        for span in expect_list(spans, "spans", "spans"):
            expect(span, (Span, SequentialSpan), "each of spans", "a Span")
            parts += span.spans if isinstance(span, SequentialSpan) else [span]
        self.spans = list(dict.fromkeys(parts))
        if not self.spans:
            raise ValueError("expects places, but got none")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SequentialSpan) and self.spans == other.spans

    def __hash__(self) -> int:
        return hash(tuple(self.spans))

    def __repr__(self) -> str:
        return f"SequentialSpan({self.spans!r})"


def to_core(span: Any) -> Any:
    """A place as the extension takes it: a tuple, or a list of them. Raises TypeError
    for anything else than a place or None."""
    if span is None:
        return None
    if isinstance(span, SequentialSpan):
        parts = [part._parts() for part in span.spans]
        return parts if len(parts) > 1 else parts[0]
    if isinstance(span, Span):
        return span._parts()
    raise TypeError(f"expects a Span, but got {span!r}")


def _from_parts(name: str, *numbers: int) -> Span:
    return Span(SourceName(name) if name else None, *numbers)


def from_core(span: Any) -> Span | SequentialSpan | None:
    """The place that the extension gives."""
    if span is None:
        return None
    if isinstance(span, list):
        return SequentialSpan(_from_parts(*part) for part in span)
    return _from_parts(*span)


__all__ = ["SequentialSpan", "SourceName", "Span"]
