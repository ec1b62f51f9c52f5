"""Algebraic data types: constructors, definitions, patterns, match."""

from ._core import core

Constructor = core.Constructor
TypeData = core.TypeData
Match = core.Match
Clause = core.Clause
Pattern = core.Pattern
PatternWildcard = core.PatternWildcard
PatternVar = core.PatternVar
PatternConstructor = core.PatternConstructor
PatternTuple = core.PatternTuple

__all__ = [
    "Clause", "Constructor", "Match", "Pattern", "PatternConstructor", "PatternTuple",
    "PatternVar", "PatternWildcard", "TypeData",
]
