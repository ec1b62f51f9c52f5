# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instances of rules whose arguments and attributes have to fit together: a function
for each name in a check of a rule. It takes what the rule matches."""

import itertools

import numpy as np

from instances import DOMAINS, INTEGERS, NUMBERS, Instance, Leaf, fill, moderate, specials
from relay_eval import FLOATS, SIGNED, TYPES, UNSIGNED
from rewrite_rules import Operation

RNG = np.random.default_rng(11)
ANY = DOMAINS["any"]


def data(shape, dtype):
    return Leaf(fill(RNG, shape, dtype))


def constant(value, dtype):
    with np.errstate(over="ignore"):
        return Leaf(np.asarray(value, np.float64).astype(TYPES[dtype]), is_constant=True)


def ints(values):
    return "[" + ", ".join(map(str, values)) + "]"


#===------------------------------------------------------------------------===#
# Shapes of other tensors
#===------------------------------------------------------------------------===#


def full_like(_):
    for dtype, shape in itertools.product(ANY, [(), (0,), (7,), (2, 3)]):
        yield Instance({"x": data(shape, dtype), "value": data((), dtype)})


def reshape_like(_):
    for shape, like in [((2, 3), (6,)), ((6,), (3, 1, 2)), ((0, 3), (5, 0)), ((1,), ()),
                        ((), (1, 1)), ((13,), (13,))]:
        for dtype in ("f32", "i8", "i1"):
            yield Instance({"x": data(shape, dtype), "like": data(like, "f16")})
    part = {"lhs_begin": "1 : i64", "lhs_end": "2 : i64", "rhs_begin": "1 : i64",
            "rhs_end": "3 : i64"}
    yield Instance({"x": data((5, 6, 2), "i32"), "like": data((5, 2, 3, 7), "i32")},
                   {"root": part})


def collapse_sum_like(_):
    for shape, like in [((2, 3), (3,)), ((2, 3), (1, 3)), ((2, 3), ()), ((2, 3), (2, 1)),
                        ((4, 0), (1, 0)), ((0, 3), (3,)), ((7,), (7,))]:
        for dtype in NUMBERS:
            yield Instance({"x": Leaf(moderate(RNG, shape, dtype)), "like": data(like, dtype)})


def broadcast_to_like(_):
    for shape, like in [((3,), (2, 3)), ((), (2,)), ((1, 3), (0, 3)), ((1, 1), (7, 5)),
                        ((2, 1), (3, 2, 4)), ((7,), (7,))]:
        for dtype in ANY:
            yield Instance({"x": data(shape, dtype), "like": data(like, dtype)})


def cast_like(_):
    for dtype, other in itertools.product(ANY, ANY):
        yield Instance({"x": data((17,), dtype), "like": data((2, 3), other)})


#===------------------------------------------------------------------------===#
# Orders and shapes
#===------------------------------------------------------------------------===#


def reshapes(root):
    for shape, first, second in [
            ((2, 3, 4), (6, 4), (4, 6)), ((2, 3, 4), (24,), (-1, 8)), ((7,), (1, 7), (7,)),
            ((1,), (1, 1), ()), ((), (1,), (1, 1, 1)), ((13, 1), (1, -1), (13,)),
            ((2, 2, 9), (4, -1), (-1, 9))]:
        for dtype in ("f32", "ui8", "i1"):
            yield Instance({"x": data(shape, dtype)}, {
                "inner": {"newshape": ints(first)}, "root": {"newshape": ints(second)}},
                applies=True)
    zero = {"allowzero": "true"}
    yield Instance({"x": data((0, 3), "f32")}, {
        "inner": {"newshape": "[5, 0]", **zero}, "root": {"newshape": "[0, 2, 1]", **zero}})
    # A size that is copied from what the first one made.
    if root.name == "reshape":
        yield Instance({"x": data((2, 3, 4), "f32")}, {
            "inner": {"newshape": "[6, 4]"}, "root": {"newshape": "[0, 2, 2]"}})


def _order(operation, axes):
    """The attributes with which an operator permutes dimensions."""
    if operation.name == "transpose":
        return {"axes": ints(axes)}
    letters = "NCHWD"[:len(axes)]
    return {"src_layout": f'"{letters}"', "dst_layout": f'"{"".join(letters[a] for a in axes)}"'}


def transposes(root):
    inner = root.operands[0]
    for shape in [(2, 3), (1, 5), (2, 3, 4), (0, 2, 3), (2, 1, 3, 5)]:
        orders = list(itertools.permutations(range(len(shape))))
        for index, (first, second) in enumerate(itertools.product(orders, orders)):
            if len(shape) == 4 and index % 17:
                continue
            dtype = ("f32", "i8", "bf16", "i1", "ui64")[index % 5]
            yield Instance({"x": data(shape, dtype)},
                           {"inner": _order(inner, first), "root": _order(root, second)},
                           has_open_form=index % 3 == 0)
    if inner.name == root.name == "transpose":
        # Without axes the order is reversed; axes count from the last one, too.
        orders_as_text: list = [({}, {"axes": "[1, 0, 2]"}), ({"axes": "[-1, 0, 1]"}, {}),
                                ({}, {})]
        for before, after in orders_as_text:
            yield Instance({"x": data((2, 3, 4), "f32")}, {"inner": before, "root": after})


def tiles(root):
    """One of the operators splits or joins axes, the other is a transpose."""
    inner = root.operands[0]
    for shape, source, target in [((2, 8, 3, 5), "NCHW", "NCHW4c"),
                                  ((2, 2, 3, 5, 4), "NCHW4c", "NCHW"),
                                  ((2, 3, 5, 8), "NHWC", "NCHW2c"), ((6,), "W", "W3w"),
                                  ((0, 4), "NC", "NC2c")]:
        layout = {"from": f'"{source}"', "to": f'"{target}"'}
        rank = len([c for c in (target if root.name == "transpose" else source) if c.isalpha()])
        for axes in list(itertools.permutations(range(rank)))[::7]:
            order = {"axes": ints(axes)}
            if root.name == "transpose":
                yield Instance({"x": data(shape, "f32")}, {**layout, "root": order})
                continue
            # The transpose makes what the layout is of.
            before = [0] * rank
            for i, axis in enumerate(axes):
                before[axis] = shape[i]
            yield Instance({"x": data(tuple(before), "f32")}, {**layout, "inner": order})
    # Parts of one axis that would change places.
    split = {"from": '"NC"', "to": '"NC4c2c"'}
    joined = {"from": '"NC4c2c"', "to": '"NC"'}
    swap = {"axes": "[0, 1, 3, 2]"}
    if root.name == "transpose":
        yield Instance({"x": data((3, 16), "f32")}, {**split, "root": swap}, applies=False)
    else:
        yield Instance({"x": data((3, 2, 2, 4), "f32")}, {**joined, "inner": swap}, applies=False)
    assert inner.name != root.name


def layouts(_):
    for shape, *names in [((2, 8, 3, 5), "NCHW", "NHWC", "NCHW4c"),
                          ((2, 8, 3, 5), "NCHW", "NCHW8c", "NCHW"),
                          ((2, 8, 3, 5), "NCHW", "NCHW8c", "NCHW2c"),
                          ((2, 4, 3, 5, 2), "NCHW2c", "NCHW4c", "NHWC8c"),
                          ((2, 8, 3, 5), "NCHW", "WCHN", "NCHW"), ((0, 3), "NC", "CN", "NC"),
                          ((3, 8), "NC", "NC4c2c", "NC2c4c")]:
        first, second, third = (f'"{name}"' for name in names)
        for dtype in ("f32", "i16"):
            yield Instance({"x": data(shape, dtype)}, {
                "from": first, "middle": second, "to": third})


def no_transpose(_):
    for shape in [(), (7,), (2, 3), (3, 3), (2, 1, 0)]:
        yield Instance({"x": data(shape, "f32")}, {"root": {"axes": ints(range(len(shape)))}})
    yield Instance({"x": data((7,), "f32")})
    yield Instance({"x": data((2, 3), "f32")}, {"root": {"axes": "[0, -1]"}})
    yield Instance({"x": data((3, 3), "f32")}, applies=False)
    yield Instance({"x": data((1, 3, 3), "f32")}, {"root": {"axes": "[0, 2, 1]"}}, applies=False)


def no_layout_transform(_):
    for shape, first, second in [((2, 3), "NC", "NC"), ((2, 3, 4), "NC4c", "NC4c"),
                                 ((3, 3), "NC", "CN"), ((2, 2, 2), "NC2c", "NC2c"),
                                 ((2, 4, 4, 2), "NC4c2c", "NC2c4c")]:
        yield Instance({"x": data(shape, "f32")}, {"root": {
            "src_layout": f'"{first}"', "dst_layout": f'"{second}"'}}, applies=first == second)


#===------------------------------------------------------------------------===#
# Casts and clips
#===------------------------------------------------------------------------===#


def no_cast(_):
    for dtype, other in itertools.product(ANY, ANY):
        yield Instance({"x": data((17,), dtype)}, {"root": {"dtype": other}},
                       applies=dtype == other)


# What is to be one cast, and what must not be.
ONE_CAST = [("i8", "i16", "i8"), ("i8", "i32", "f32"), ("ui8", "i16", "ui8"), ("i1", "i8", "f32"),
            ("f16", "f32", "f16"), ("f16", "f32", "i8"), ("bf16", "f32", "f16"),
            ("f32", "f64", "i64"), ("i8", "f32", "i8"), ("i16", "f32", "i32"),
            ("i8", "f16", "f32"), ("i32", "f64", "f32"), ("ui8", "bf16", "i16")]
TWO_CASTS = [("i32", "f32", "i32"), ("i16", "f32", "i8"), ("f32", "i32", "f32"),
             ("i8", "ui16", "i32"), ("i16", "i8", "i16"), ("f32", "f16", "f32"),
             ("f16", "bf16", "f32"), ("ui8", "i8", "i16"), ("i16", "f16", "f32"),
             ("i64", "f64", "i64"), ("ui16", "bf16", "f32"), ("ui8", "f32", "i8")]


def casts(_):
    """All combinations of element types."""
    for triple in itertools.product(ANY, ANY, ANY):
        x, between, to = triple
        applies = True if triple in ONE_CAST else False if triple in TWO_CASTS else None
        yield Instance({"x": Leaf(specials(x))}, {"inner": {"dtype": between}, "dtype": to},
                       applies=applies, has_open_form=False)


def _bounds(low, high):
    return {"a_min": f"{float(low)!r} : f64" if "e" not in repr(float(low)) else
            f"{float(low):.17e} : f64",
            "a_max": f"{float(high)!r} : f64" if "e" not in repr(float(high)) else
            f"{float(high):.17e} : f64"}


def clips(_):
    for x, between, to in itertools.product(INTEGERS, INTEGERS, ["i8", "ui8", "i32", "f32", "i64"]):
        wide, narrow = np.iinfo(TYPES[x]), np.iinfo(TYPES[between])
        for low, high in [(0, 100), (-5, 5), (0, 255), (narrow.min, narrow.max),
                          (wide.min, wide.max), (3, 2)]:
            inside = low <= high and all(narrow.min <= min(max(b, wide.min), wide.max)
                                         <= narrow.max for b in (low, high))
            applies = inside if abs(high) < 2**53 and wide.max < 2**53 and low <= high else None
            yield Instance({"x": Leaf(specials(x))},
                           {"clip": _bounds(low, high), "inner": {"dtype": between}, "dtype": to},
                           applies=applies, has_open_form=False)
    yield Instance({"x": data((17,), "f32")},
                   {"clip": _bounds(0, 100), "inner": {"dtype": "i8"}, "dtype": "f32"},
                   applies=False)


def wide_clips(_):
    for dtype in INTEGERS:
        info = np.iinfo(TYPES[dtype])
        yield Instance({"x": data((17,), dtype)}, {"root": _bounds(info.min, info.max)})
        yield Instance({"x": data((17,), dtype)}, {"root": _bounds(-1e30, 1e30)})
        yield Instance({"x": data((17,), dtype)}, {"root": _bounds(info.min + 1, info.max)},
                       applies=False if info.max < 2**53 or info.min == 0 else None)
        yield Instance({"x": data((17,), dtype)}, {"root": _bounds(info.min, 100)},
                       applies=False)
    for dtype in FLOATS:
        yield Instance({"x": data((17,), dtype)}, {"root": _bounds(-1e300, 1e300)},
                       applies=False)
    # It is a part of patterns after operators on quantised tensors.
    quantized = Operation("qnn.quantize", ["x", "scale", "zero"], {}, "quantize")
    yield Instance({"x": Leaf(np.array([-300, 1, 300], np.float32)), "scale": constant(1, "f32"),
                    "zero": constant(0, "i32")},
                   {"quantize": {"out_dtype": "i8"}, "root": _bounds(-128, 127)},
                   applies=False, root=Operation("clip", [quantized], {}, "root"))


#===------------------------------------------------------------------------===#
# Tensors of one value
#===------------------------------------------------------------------------===#


def _filled(is_right):
    fills = [("zeros", []), ("ones", []), ("full", ["value"]), ("zeros_like", ["like"]),
             ("full_like", ["like", "value"])]
    for index, ((fill_name, operands), name) in enumerate(itertools.product(
            fills, ["add", "subtract", "divide", "maximum", "less", "not_equal"])):
        dtype = NUMBERS[index % len(NUMBERS)]
        for x, filled in [((2, 3), (2, 3)), ((2, 3), (1, 3)), ((2, 3), (3,)), ((7,), (1,)),
                          ((0, 2), (1, 2)), ((1, 3), (2, 3)), ((3,), (1, 3)), ((), (1,)),
                          ((1,), (0,))]:
            tensor = Operation(fill_name, operands, {}, "filled")
            root = Operation(name, ["x", tensor] if is_right else [tensor, "x"], {}, "root")
            leaves = {"x": data(x, dtype)}
            attributes = {"shape": ints(filled), "dtype": dtype}
            if "value" in operands:
                leaves["value"] = data((), dtype)
                attributes = {"shape": ints(filled)}
            if "like" in operands:
                leaves["like"] = data(filled, dtype)
                attributes = {}
            fits = np.broadcast_shapes(x, filled) == x
            yield Instance(leaves, {"filled": attributes}, applies=fits, root=root)


def filled_right(_):
    yield from _filled(True)
    # It takes no scalars.
    bias = Operation("nn.bias_add", ["x", Operation("ones", [], {}, "filled")], {}, "root")
    yield Instance({"x": data((2, 3), "f32")}, {"filled": {"shape": "[3]", "dtype": "f32"}},
                   applies=False, root=bias)


def filled_left(_):
    yield from _filled(False)


#===------------------------------------------------------------------------===#
# Others
#===------------------------------------------------------------------------===#


def _dequantized(attributes_of):
    for dtype, shape in itertools.product(["i8", "ui8", "i16", "ui16", "i32"],
                                          [(7,), (2, 5), (3, 1, 4)]):
        for attributes in attributes_of(len(shape)):
            for scale, zero in [(0.25, 0), (3e-5, 17), (-1.0, 0)]:
                yield Instance(
                    {"x": data(shape, dtype), "scale": constant(scale, "f32"),
                     "zero": constant(zero, "i32")},
                    {"inner": {"out_dtype": "f32"}, "root": attributes},
                    applies=dtype != "i32" and scale > 0)
    # A scale for each channel.
    yield Instance({"x": data((2, 3), "i8"), "scale": constant([1, 2, 3], "f32"),
                    "zero": constant(0, "i32")},
                   {"inner": {"out_dtype": "f32", "axis": "1 : i64"},
                    "root": attributes_of(2)[0]}, applies=False)


def _extreme(rank):
    return [{"axis": "[-1]"}, {}, {"axis": "[0]", "keepdims": "true"},
            {"axis": f"[{rank - 1}]", "select_last_index": "true"},
            {"axis": "[0]", "exclude": "true"} if rank > 1 else {}]


def dequantized_argmax(_):
    yield from _dequantized(_extreme)


def dequantized_argmin(_):
    yield from _dequantized(_extreme)


def dequantized_argsort(_):
    yield from _dequantized(lambda rank: [{}, {"axis": "0 : i64", "is_ascend": "false"},
                                          {"dtype": "i64"}])


def divisions(_):
    for dtype in FLOATS:
        x = Leaf(specials(dtype))
        for divisor in [1, 2, -0.5, 3, 0.1, 1e3, 0, -0.0, np.inf, -np.inf]:
            yield Instance({"x": x, "c": constant(divisor, dtype)})
        yield Instance({"x": data((2, 3), dtype), "c": constant([3, -7, 0.3], dtype)})
        yield Instance({"x": data((1, 3), dtype), "c": constant([[3], [7]], dtype)})
        # Their reciprocals are too large, or too small for all digits, or no numbers.
        info = np.finfo(TYPES[dtype]) if dtype != "bf16" else np.finfo(np.float32)
        for divisor in [float(info.smallest_subnormal) if dtype != "bf16" else 2.0**-133,
                        float(info.max) * (0.98 if dtype == "bf16" else 1), np.nan]:
            yield Instance({"x": x, "c": constant(divisor, dtype)},
                           applies=None if dtype == "f16" and divisor > 1 else False)
    for dtype in SIGNED + UNSIGNED:
        yield Instance({"x": data((7,), dtype), "c": constant(3, dtype)}, applies=False)


def softmax(_):
    for dtype, shape in itertools.product(FLOATS, [(7,), (2, 3), (0, 3), (2, 1, 5)]):
        for axis in range(-1, len(shape)):
            yield Instance({"x": Leaf(moderate(RNG, shape, dtype))}, {"axis": f"{axis} : i64"})


def _bias(shapes):
    for dtype in NUMBERS:
        for shape, axis in shapes:
            yield Instance({"x": data(shape, dtype), "bias": data((shape[axis],), dtype)},
                           {"root": {"axis": f"{axis} : i64"}})


def last_bias(_):
    yield from _bias([((7,), 0), ((2, 3), 1), ((2, 3), -1), ((0, 3), 1), ((2, 3, 1), 2)])


def inner_bias(_):
    yield from _bias([((2, 3), 0), ((2, 3, 5), 1), ((2, 3, 5), -2), ((2, 0, 3), 0),
                      ((1, 5, 1, 2), 1), ((1, 3), -2)])


def binomials(_):
    """Sums in several forms; `a`, `p` and `q` are what the claim is about."""
    factors = [(1, 3, 2), (2, 4, 2), (1, -1, -6), (-2, 1, 1), (0.5, 2.5, 3), (1, 2, 1),
               (1, 1, 1), (1, 1e6, 1)]
    forms = itertools.product(["product", "power"], ["left", "right"], ["first", "last"])
    for (power, side, where), (a, b, c), dtype in itertools.product(forms, factors, FLOATS):

        constants: dict = {}

        def times(factor, term):
            name = f"k{len(constants)}"
            constants[name] = constant(factor, dtype)
            return Operation("multiply", [term, name] if where == "last" else [name, term], {})

        if power == "power":
            constants["two"] = constant(2, dtype)
            squares = [Operation("power", [v, "two"], {}) for v in "xy"]
        else:
            squares = [Operation("multiply", [v, v], {}) for v in "xy"]
        terms = [times(a, squares[0]), times(b, Operation("multiply", ["x", "y"], {})),
                 times(c, squares[1])]
        if side == "left":
            inner = Operation("add", [terms[0], terms[1]], {})
            root = Operation("add", [inner, terms[2]], {}, "root")
        else:
            inner = Operation("add", [terms[1], terms[2]], {})
            root = Operation("add", [terms[0], inner], {}, "root")
        discriminant = b * b - 4 * a * c
        applies = discriminant >= 0 and abs(b) < 100
        half = (b + np.copysign(np.sqrt(max(discriminant, 0)), b)) / 2
        values = {"a": a, "p": half / a, "q": c / half}
        leaves = {v: Leaf(fill(RNG, (3, 7), dtype)) for v in "xy"} | constants
        yield Instance(leaves, applies=applies, root=root, values=values)
    x = {"x": Leaf(np.arange(5, dtype=np.int32)), "y": Leaf(np.arange(5, dtype=np.int32))}
    square, mixed = (Operation("multiply", names, {}) for names in (["x", "x"], ["x", "y"]))
    other = Operation("multiply", ["y", "y"], {})
    inner = Operation("add", [square, Operation("add", [mixed, mixed], {})], {})
    yield Instance(x, applies=False, root=Operation("add", [inner, other], {}, "root"))
