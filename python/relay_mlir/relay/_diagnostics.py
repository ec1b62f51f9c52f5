"""Diagnostics of the compiler as exceptions, with the line and a caret."""

import contextlib

from .._errors import CompileError, DiagnosticError

# Texts that were parsed, for errors that type inference finds in them later.
_sources = {}
_MAX_SOURCES = 64


def _remember(name, text):
    _sources.pop(name, None)
    _sources[name] = text
    while len(_sources) > _MAX_SOURCES:
        del _sources[next(iter(_sources))]


def _excerpt(location):
    """The line of a location, with a caret below, or ""."""
    name, _, position = location.rpartition(":")
    name, _, line = name.rpartition(":")
    if name not in _sources or not line.isdigit() or not position.isdigit():
        return ""
    lines = _sources[name].splitlines()
    if not 0 < int(line) <= len(lines):
        return ""
    text = lines[int(line) - 1]
    column = max(int(position), 1) - 1
    return "\n%s\n%s^" % (text, "".join(c if c == "\t" else " " for c in text[:column])
                          + " " * max(column - len(text), 0))


def _render(severity, location, message):
    place = f"{location}: " if location else ""
    return f"{place}{severity}: {message}{_excerpt(location)}"


@contextlib.contextmanager
def raising(source_name=None, text=None):
    """Turns the extension's CompileError into DiagnosticError."""
    if source_name is not None:
        _remember(source_name, text)
    try:
        yield
    except CompileError as error:
        parts = []
        for location, message, notes in getattr(error, "_details", ()):
            parts.append(_render("error", location, message))
            parts += [_render("note", *note) for note in notes]
        result = DiagnosticError("\n".join(parts) or str(error))
        result.location = error.location
        result.notes = error.notes
        result.diagnostics = error.diagnostics
        raise result from None
