"""Diagnostics of the compiler as exceptions, with the line and a caret."""

from __future__ import annotations

from .._errors import CompileError, DiagnosticError

# Texts that were parsed, for errors that type inference finds in them later.
_sources: dict[str, str] = {}
_MAX_SOURCES = 64


def _remember(name: str, text: str) -> None:
    _sources.pop(name, None)
    _sources[name] = text
    while len(_sources) > _MAX_SOURCES:
        del _sources[next(iter(_sources))]


# Of a long line, so many characters before and after the place are shown.
_CONTEXT = 80


def _excerpt(location: str, width: int) -> str:
    """The line of a location with what is meant underlined, or ""."""
    name, _, position = location.rpartition(":")
    name, _, line = name.rpartition(":")
    if name not in _sources or not line.isdigit() or not position.isdigit():
        return ""
    lines = _sources[name].splitlines()
    if not 0 < int(line) <= len(lines):
        return ""
    text = lines[int(line) - 1]
    column = min(max(int(position), 1) - 1, len(text))
    end = min(max(column + width, column + 1), len(text), column + _CONTEXT)
    if len(text) > column + _CONTEXT:
        text = text[:column + _CONTEXT] + "..."
    if column > _CONTEXT:
        dropped = column - _CONTEXT - 3
        text = "..." + text[column - _CONTEXT:]
        column, end = column - dropped, end - dropped
    indent = "".join(c if c == "\t" else " " for c in text[:column])
    return f"\n{text}\n{indent}^{'~' * (end - column - 1)}"


def _render(severity: str, location: str, message: str, width: int) -> str:
    place = f"{location}: " if location else ""
    return f"{place}{severity}: {message}{_excerpt(location, width)}"


# What Python raised while the compiler called it, by the message that it got.
_held: dict[str, BaseException] = {}
_MAX_HELD = 16


def hold(error: BaseException) -> str:
    """Keeps an exception for `raising`, and returns the message that the compiler
    reports in its place."""
    text = f"{type(error).__name__}: {error}"
    _held.pop(text, None)
    _held[text] = error
    while len(_held) > _MAX_HELD:
        del _held[next(iter(_held))]
    return text


def take_held(error: CompileError) -> BaseException | None:
    """What Python raised where the compiler reports `error`; None if that is the compiler's
    own."""
    # An older one may have become a warning, and may be a part of the text of this one.
    for text in reversed(_held):
        if text in str(error):
            return _held.pop(text)
    return None


class raising:  # pylint: disable=invalid-name
    """Turns the extension's CompileError into DiagnosticError, or into what Python
    raised below it: `with raising(): ...`. A class, as calls of programs are short."""

    __slots__ = ()

    def __init__(self, source_name: str | None = None, text: str | None = None) -> None:
        if source_name is not None and text is not None:
            _remember(source_name, text)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, CompileError):
            raise _translate(error) from None


def _translate(error: CompileError) -> BaseException:
    held = take_held(error)
    if held is not None:
        return held
    parts = []
    for location, message, width, notes in getattr(error, "_details", ()):
        parts.append(_render("error", location, message, width))
        parts += [_render("note", *note) for note in notes]
    omitted = getattr(error, "_omitted", "")
    if omitted:
        parts.append(f"error: {omitted}")
    result = DiagnosticError("\n".join(parts) or str(error))
    result.location = error.location
    result.notes = error.notes
    result.diagnostics = error.diagnostics
    return result
