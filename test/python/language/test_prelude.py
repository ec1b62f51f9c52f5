"""The prelude's functions against what Python computes."""

import functools
import random

from relay_programs import evaluate_all, spell

INT = "Tensor[(), int32]"
BOOL = "Tensor[(), bool]"
INCREMENT = f"fn (%a: {INT}) -> {INT} {{ %a + 1 }}"
# Neither commutative nor associative.
MIX = f"fn (%a: {INT}, %b: {INT}) -> {INT} {{ %a * 2 - %b }}"
SQUARE = f"fn (%a: {INT}) -> {INT} {{ %a * %a }}"
ODD = f"fn (%a: {INT}) -> {BOOL} {{ floor_mod(%a, 2) == 1 }}"
# Counts down, with the square as element.
COUNT = (
    f"fn (%s: {INT}) -> Option[({INT}, {INT})] {{"
    " if (%s == 0) { None } else { Some((%s - 1, %s * %s)) } }"
)
# The state is the sum so far; the element is multiplied by it.
RUNNING = (
    f"fn (%s: {INT}, %x: {INT}) -> ({INT}, {INT}) {{ (%s + %x, %s * %x) }}"
)


def mix(a, b):
    return a * 2 - b


def running(state, items):
    result = []
    for item in items:
        result.append(state * item)
        state += item
    return state, result


def fold_right(f, init, items):
    return functools.reduce(lambda acc, x: f(x, acc), reversed(items), init)


class Text(str):
    """Relay text, spelled as it is."""


def rose(value, *children):
    return Text(f"Rose({spell(value)}, {spell(list(children))})")


def nat(n):
    return Text("succ(" * n + "zero" + ")" * n)


def get_cases():
    """(expression, expected value); the expressions' types are inferred."""
    rng = random.Random(0)
    cases = [
        # The type of the elements is not inferred from nothing.
        ("(let %l: List[int32] = Nil; @length(%l))", 0),
        ("@sum(Nil)", 0),
        (f"@map({SQUARE}, Nil)", []),
        (f"@zip({spell([1, 2, 3])}, {spell([True, False])})", [(1, True), (2, False)]),
        (f"(let %l: List[int32] = Nil; @zip(%l, {spell([1])}))", []),
        (f"@unfoldr({COUNT}, 4)", [16, 9, 4, 1]),
        (f"@unfoldl({COUNT}, 4)", [1, 4, 9, 16]),
        (f"@unfoldr({COUNT}, 0)", []),
        ("@id((1, Cons(2, Nil)))", (1, [2])),
        (f"@compose({SQUARE}, {INCREMENT})(5)", 36),
        (f"@flip({MIX})(3, 10)", 17),
        (f"@iterate({SQUARE}, 0)(3)", 3),
        (f"@iterate({SQUARE}, 3)(3)", 3**8),
        ("@hd(Cons(Cons(1, Nil), Nil))", [1]),
    ]
    for length in (1, 2, 5, 9):
        xs = [rng.randint(-9, 9) for _ in range(length)]
        ys = [rng.randint(-9, 9) for _ in range(rng.randint(0, 9))]
        n = rng.randrange(length)
        text = spell(xs)
        cases += [
            (f"@hd({text})", xs[0]),
            (f"@tl({text})", xs[1:]),
            (f"@nth({text}, {n})", xs[n]),
            (f"@length({text})", length),
            (f"@update({text}, {n}, 42)", xs[:n] + [42] + xs[n + 1 :]),
            (f"@map({SQUARE}, {text})", [x * x for x in xs]),
            (f"@map({ODD}, {text})", [x % 2 == 1 for x in xs]),
            (f"@foldl({MIX}, 7, {text})", functools.reduce(mix, xs, 7)),
            (f"@foldr({MIX}, 7, {text})", fold_right(mix, 7, xs)),
            (f"@foldr1({MIX}, {text})", fold_right(mix, xs[-1], xs[:-1])),
            (f"@sum({text})", sum(xs)),
            (f"@concat({text}, {spell(ys)})", xs + ys),
            (f"@filter({ODD}, {text})", [x for x in xs if x % 2 == 1]),
            (f"@zip({text}, {spell(ys)})", list(zip(xs, ys))),
            (f"@rev({text})", xs[::-1]),
        ]
        state, items = running(3, xs)
        cases.append((f"@map_accuml({RUNNING}, 3, {text})", (state, items[::-1])))
        state, items = running(3, xs[::-1])
        cases.append((f"@map_accumr({RUNNING}, 3, {text})", (state, items[::-1])))

    grove = rose(1, rose(2, rose(3)), rose(4), rose(5, rose(6), rose(7)))
    squares = rose(1, rose(4, rose(9)), rose(16), rose(25, rose(36), rose(49)))
    cases += [
        (f"@tmap({SQUARE}, {grove})", squares),
        (f"@size({grove})", 7),
        (f"@size({rose(True)})", 1),
    ]
    return cases


def get_nat_cases():
    cases = []
    for a in (0, 1, 4):
        cases.append((f"@nat_double({nat(a)})", nat(2 * a)))
        for b in (0, 3):
            cases.append((f"@nat_add({nat(a)}, {nat(b)})", nat(a + b)))
        cases.append((f"@nat_nth({spell([5, 6, 7, 8, 9])}, {nat(a)})", 5 + a))
        updated = [5, 6, 7, 8, 9]
        updated[a] = 0
        text = spell([5, 6, 7, 8, 9])
        cases.append((f"@nat_update({text}, {nat(a)}, 0)", updated))
        cases.append((f"@nat_iterate({SQUARE}, {nat(a)})(2)", 2 ** (2**a)))
    return cases


def check(cases, prelude, definitions=""):
    # In Some, tensors are printed as Relay spells them.
    for i, (expr, _) in enumerate(cases):
        definitions += f"def @case{i}() {{\n  Some({expr})\n}}\n"
    values = evaluate_all(definitions, prelude)
    for i, (expr, expected) in enumerate(cases):
        assert values[f"case{i}"] == f"Some({spell(expected)})", expr


def test_lists_options_and_trees():
    check(get_cases(), ("prelude.rly",))


def test_nat():
    check(get_nat_cases(), ("prelude.rly", "nat.rly"))


def test_grad_cells():
    multiply, add = (
        f"fn (%a: {INT}, %b: {INT}) -> {INT} {{ %a {op} %b }}" for op in "*+"
    )
    cells = {
        "raw": ("Raw(5)", 5),
        "one": (f"One(fn () -> {INT} {{ 1 }})", 1),
        "zero": (f"Zero(fn () -> {INT} {{ 0 }})", 0),
    }
    cases = []
    for x_kind, (x, x_value) in cells.items():
        for y_kind, (y, y_value) in cells.items():
            product = f"@MultiplyGradCell({multiply}, {x}, {y})"
            total = f"@AddGradCell({add}, {x}, {y})"
            cases.append((f"@FromGradCell({product})", x_value * y_value))
            cases.append((f"@FromGradCell({total})", x_value + y_value))
            # What stays lazy.
            kind = "raw"
            if "zero" in (x_kind, y_kind):
                kind = "zero"
            elif "one" in (x_kind, y_kind):
                kind = ({x_kind, y_kind} - {"one"} or {"one"}).pop()
            tests = {"raw": "Raw(_)", "one": "One(_)", "zero": "Zero(_)"}
            is_kind = f"match ({product}) {{ {tests[kind]} => {{ True }}, _ => {{ False }} }}"
            cases.append((is_kind, True))
    check(cases, ("prelude.rly", "gradient.rly"))


def test_long_lists():
    """Recursion on lists is as deep as they are long."""
    length = 100000
    definitions = f"""
def @range(%n: {INT}, %acc: List[{INT}]) -> List[{INT}] {{
  if (%n == 0) {{ %acc }} else {{ @range(%n - 1, Cons(%n, %acc)) }}
}}
"""
    total = sum(n * n for n in range(1, length + 1)) & 0xFFFFFFFF
    total -= (total >> 31) << 32  # int32 wraps.
    xs = f"@range({length}, Nil)"
    check(
        [
            (f"@length({xs})", length),
            (f"@sum(@map({SQUARE}, {xs}))", total),
            (f"@hd(@rev(@concat({xs}, {xs})))", length),
        ],
        ("prelude.rly",),
        definitions,
    )
