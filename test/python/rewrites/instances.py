# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that rules match, made of the patterns of the rules and their checks.

A check says of each variable of a pattern what it is an instance of:

    number, float, integer, any     an argument; all such have one element type
    0, 1, 2.5                       a constant of that value, a scalar or of the
                                    other's shape
    constant, factor                a constant, of numbers that are not extreme
    like                            an argument of the type of the first
    attr<...>                       an attribute, as it is

or `by NAME`, which is a function of instances_by_name.py, for rules that need arguments
and attributes that fit together.
"""

import dataclasses
import itertools
import pathlib
import re
import sys
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test/python/interpreter"), str(ROOT / "utils/docs")]
from relay_eval import BF16, FLOATS, NAMES, SIGNED, TYPES, UNSIGNED, constant, tensor_type  # noqa: E402
import rewrite_rules  # noqa: E402

INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
DOMAINS = {"float": FLOATS, "integer": INTEGERS, "number": NUMBERS, "any": NUMBERS + ["i1"]}
SHAPES = [(), (1,), (0,), (7,), (2, 3), (1, 5), (3, 1, 2), (0, 3), (13, 1)]


@dataclasses.dataclass
class Leaf:
    """What a variable stands for."""

    value: np.ndarray
    is_constant: bool = False
    # Of an argument: the dimensions whose size the program does not know.
    open: tuple = ()

    @property
    def type(self):
        sizes = ["?" if i in self.open else str(n) for i, n in enumerate(self.value.shape)]
        return f"tensor<{'x'.join(sizes + [NAMES[self.value.dtype]])}>"


@dataclasses.dataclass
class Instance:
    """Values of the variables of a pattern, and attributes of its operations by the
    name of the operation's variable. `applies` says whether the rule has to; None if
    it may."""

    leaves: dict
    attributes: dict = dataclasses.field(default_factory=dict)
    applies: bool | None = True
    # The program, where the pattern does not say what it is.
    root: Any = None
    has_open_form: bool = True
    # What a claim speaks of besides the variables.
    values: dict = dataclasses.field(default_factory=dict)

    def open(self):
        """The same program for any sizes; the rule need not apply then."""
        leaves = {
            name: leaf if leaf.is_constant else dataclasses.replace(
                leaf, open=tuple(range(leaf.value.ndim)))
            for name, leaf in self.leaves.items()
        }
        return dataclasses.replace(self, leaves=leaves,
                                   applies=None if self.applies else self.applies)


def specials(dtype):
    """Values at which functions change, and some others."""
    kind = TYPES[dtype]
    if dtype == "i1":
        return np.array([False, True])
    if kind.kind in "iu":
        info = np.iinfo(kind)
        integers = [0, 1, 2, 3, 100, info.min, info.max, info.max - 1, info.min + 1, -1, -2, -77]
        return np.array([v for v in integers if info.min <= v <= info.max], kind)
    tiny = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}[dtype]
    largest = {"f16": 65504.0, "bf16": 3.3895314e38, "f32": 3.4028235e38,
               "f64": 1.7976931348623157e308}[dtype]
    values = [0.0, -0.0, 1.0, -1.0, 0.5, 3.25, -2.75, 1e-3, 1234.5, largest, -largest, tiny,
              -tiny, tiny / 8, np.inf, -np.inf, np.nan]
    return np.array(values, np.float64).astype(kind)


def fill(rng, shape, dtype):
    """An array of special and random values; of any order, so that several arrays
    bring them together."""
    count = int(np.prod(shape))
    values = specials(dtype)
    if dtype != "i1" and TYPES[dtype].kind not in "iu":
        more = rng.uniform(-10, 10, count).astype(TYPES[dtype])
        values = np.concatenate([values, more[:count // 2]])
    return rng.permutation(np.resize(values, max(count, values.size)))[:count].reshape(shape)


def pairs(values, index, number):
    """The `index`-th of `number` arrays that have all combinations of values."""
    grid = np.stack(np.meshgrid(*[values] * number, indexing="ij"))
    return grid[index].reshape(-1)


def moderate(rng, shape, dtype):
    """Numbers that are not extreme, none of them 0."""
    kind = TYPES[dtype]
    if dtype == "i1":
        return np.ones(shape, bool)
    if kind.kind in "iu":
        return rng.integers(1, 100, shape).astype(kind)
    values = rng.uniform(0.25, 4, shape) * rng.choice([-1, 1], shape)
    return values.astype(kind)


def parse_check(check):
    return dict(re.findall(r"(\w+): ([^,]+)", check))


def leaves_of(domains, dtype, shape, rng, constant_shape):
    arguments = [name for name, domain in domains.items() if domain in (*DOMAINS, "like")]
    leaves = {}
    for name, domain in domains.items():
        if name in arguments:
            if shape == "pairs":
                value = pairs(specials(dtype), arguments.index(name), len(arguments))
            else:
                value = fill(rng, shape, dtype)
            leaves[name] = Leaf(value)
            continue
        size = leaves[arguments[0]].value.shape if constant_shape == "same" else constant_shape
        if domain in ("constant", "factor"):
            value = moderate(rng, size, dtype)
        else:
            value = np.full(size, float(domain)).astype(TYPES[dtype])
        leaves[name] = Leaf(value, is_constant=True)
    return leaves


def by_types(domains):
    """Instances for each element type, shapes and constants of shapes that broadcast."""
    rng = np.random.default_rng(7)
    dtypes = next(DOMAINS[d] for d in domains.values() if d in DOMAINS)
    has_constants = any(d not in (*DOMAINS, "like") for d in domains.values())
    for dtype in dtypes:
        for shape in [*SHAPES, "pairs"]:
            yield Instance(leaves_of(domains, dtype, shape, rng, ()))
            if has_constants and shape != "pairs" and 0 not in shape:
                yield Instance(leaves_of(domains, dtype, shape, rng, "same"))
                yield Instance(leaves_of(domains, dtype, shape, rng, (1,) * len(shape)))
                # It repeats the elements, or would add a dimension.
                yield Instance(leaves_of(domains, dtype, shape, rng, (2, *shape)), applies=None)
                yield Instance(leaves_of(domains, dtype, shape, rng, (1, *shape)), applies=None)


#===------------------------------------------------------------------------===#
# Programs
#===------------------------------------------------------------------------===#


def with_open_forms(made):
    """Instances, and the same programs for any sizes."""
    for instance in made:
        yield instance
        if instance.has_open_form and any(leaf.value.ndim and not leaf.is_constant
                                          for leaf in instance.leaves.values()):
            yield instance.open()


def write_function(name, root, instance):
    """The text of a function that is an instance of what a rule matches."""
    root = instance.root or root
    arguments = {leaf: f"%{leaf}" for leaf in instance.leaves}
    lines: list[str] = []
    values: dict[int, str] = {}
    for leaf, value in instance.leaves.items():
        if value.is_constant:
            lines.append(f"  %{leaf} = {constant(value.value)}")
    for operation in rewrite_rules.walk(root):
        if id(operation) in values:
            continue
        operands = [values[id(o)] if isinstance(o, rewrite_rules.Operation) else arguments[o]
                    for o in operation.operands]
        types = ["!relay.incomplete" if isinstance(o, rewrite_rules.Operation)
                 else instance.leaves[o].type for o in operation.operands]
        attributes = dict(operation.attributes)
        for key, variable in attributes.items():
            attributes[key] = instance.attributes[variable] if not variable.startswith("attr<") \
                else variable[6:-2]
        attributes |= instance.attributes.get(operation.variable, {})
        text = ", ".join(f"{key} = {value}" for key, value in attributes.items())
        values[id(operation)] = f"%v{len(values)}"
        lines.append(f'  {values[id(operation)]} = relay.apply "{operation.name}"'
                     f"({', '.join(operands)}){'{' + text + '}' if text else ''}"
                     f" : ({', '.join(types)}) -> !relay.incomplete")
    parameters = ", ".join(f"{arguments[leaf]}: {value.type}"
                           for leaf, value in instance.leaves.items() if not value.is_constant)
    return (f"func.func @{name}({parameters}) -> !relay.incomplete {{\n" + "\n".join(lines)
            + f"\n  return {values[id(root)]} : !relay.incomplete\n}}\n")


def write_call(name, instance, result):
    """The text of a function that calls one with the arrays of an instance."""
    arguments = {leaf: value for leaf, value in instance.leaves.items() if not value.is_constant}
    lines = [f"  %{leaf} = {constant(value.value)}" for leaf, value in arguments.items()]
    types = ", ".join(tensor_type(value.value) for value in arguments.values())
    names = ", ".join(f"%{leaf}" for leaf in arguments)
    return (f"func.func @call_{name}() -> {result} {{\n" + "\n".join(lines)
            + f"\n  %r = relay.call @{name}({names}) : ({types}) -> {result}\n"
            f"  return %r : {result}\n}}\n")
