"""Arrays of tensors, of any rank and of one shape."""

import numpy as np
import pytest
from relay_programs import compile_text, evaluate_all

DTYPES = [
    "float32", "float16", "float64", "int32", "uint8", "int8", "int16",
    "uint16", "int64",
]  # fmt: skip


def ints(*values):
    """Relay text for a vector of values that are equally far apart."""
    step = values[1] - values[0] if len(values) > 1 else 1
    return f'arange({values[0]}, {values[-1] + step}, {step}, dtype="int32")'


def tensor(first, *shape, dtype="float32"):
    """Relay text for first, first + 1, ... in a shape, and the array."""
    size = int(np.prod(shape))
    text = f"reshape({ints(*range(first, first + size))}, newshape={list(shape)})"
    array = np.arange(first, first + size).reshape(shape)
    return f'cast({text}, dtype="{dtype}")', array


def spell(array):
    return str(np.asarray(array).astype(int).tolist())


def spell_list(items):
    text = "Nil"
    for item in reversed(items):
        text = f"Cons({item}, {text})"
    return text


def check(prelude, cases):
    definitions = "".join(
        f"def @case{i}() {{\n  Some({expr})\n}}\n"
        for i, (expr, _) in enumerate(cases)
    )
    values = evaluate_all(definitions, prelude)
    for i, (expr, expected) in enumerate(cases):
        assert values[f"case{i}"] == f"Some({expected})", expr


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_any_rank(dtype):
    def wrap(array):
        return f"tensor{np.ndim(array)}_{dtype}({spell(array)})"

    cases = []
    for shape in ((3,), (2, 3), (2, 1, 2)):
        rank = len(shape)
        (x_text, x), (y_text, y) = (
            tensor(first, *shape, dtype=dtype) for first in (0, 50)
        )
        x_text, y_text = (f"tensor{rank}_{dtype}({t})" for t in (x_text, y_text))
        array = f"@tensor_array_{dtype}(2)"
        array = f"@tensor_array_write_{dtype}({array}, 1, {y_text})"
        one = f"Cons(tensor_nil_{dtype}, Cons({wrap(y)}, Nil))"
        cases.append((array, one))
        array = f"@tensor_array_write_{dtype}({array}, 0, {x_text})"
        whole, whole_array = tensor(0, 5, *shape, dtype=dtype)
        whole_value = f"tensor{rank + 1}_{dtype}({whole})"
        rows = f"@tensor_array_unstack_tensor{rank + 1}_{dtype}({whole})"
        cases += [
            (f"@tensor_array_read_{dtype}({array}, 1)", wrap(y)),
            (f"@tensor_array_stack_{dtype}({array})", wrap(np.stack([x, y]))),
            (f"@tensor_array_concat_{dtype}({array})", wrap(np.concatenate([x, y]))),
            (rows, spell_list([wrap(row) for row in whole_array])),
            (f"@tensor_take_{dtype}({whole_value}, 1, 3)", wrap(whole_array[1:3])),
            (f"@tensor_expand_dims_{dtype}({x_text})", wrap(x[None])),
            (
                f"@tensor_array_split_{dtype}(@tensor_array_{dtype}(2), {whole_value}, {ints(2, 3)})",
                spell_list([wrap(whole_array[:2]), wrap(whole_array[2:])]),
            ),
            (
                f"@tensor_array_scatter_{dtype}(@tensor_array_{dtype}(6), {ints(4, 2, 0)}, {rows})",
                spell_list(
                    [wrap(whole_array[2]), f"tensor_nil_{dtype}",
                     wrap(whole_array[1]), f"tensor_nil_{dtype}",
                     wrap(whole_array[0]), f"tensor_nil_{dtype}"]
                ),
            ),
        ]
    check(("prelude.rly", dtype), cases)


def test_scalars():
    rows, array = tensor(3, 4)
    cases = [
        (
            f"@tensor_array_unstack_tensor1_float32({rows})",
            spell_list([f"tensor0_float32({i})" for i in array]),
        ),
        (
            f"@tensor_array_stack_float32(@tensor_array_unstack_tensor1_float32({rows}))",
            f"tensor1_float32({spell(array)})",
        ),
    ]
    check(("prelude.rly", "float32"), cases)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), ("any", 2)])
def test_one_shape(shape):
    def suffix(*sizes):
        return "_".join(["float32", *(map(str, sizes) if sizes else ["scalar"])])

    def wrap(array, *sizes):
        return f"tensor_constructor_{suffix(*sizes)}({spell(array)})"

    sizes = [2 if size == "any" else size for size in shape]
    name = suffix(*shape)
    parts = [tensor(7 * i, *sizes) for i in range(4)]
    array = np.stack([part for _, part in parts])
    elements = spell_list([f"tensor_constructor_{name}({text})" for text, _ in parts])
    written = f"@tensor_array_write_{name}(@tensor_array_{name}(2), 1, @hd({elements}))"
    cases = [
        (written, spell_list([f"tensor_nil_{name}", wrap(array[0], *shape)])),
        (f"@tensor_array_read_{name}({elements}, 2)", wrap(array[2], *shape)),
        (f"@tensor_get_data_{name}(@hd({elements}))", spell(array[0])),
        (f"@tensor_array_stack_{name}({elements})", wrap(array, "any", *shape)),
        (
            f"@tensor_array_gather_{name}({elements}, {ints(3, 1)})",
            wrap(array[[3, 1]], "any", *shape),
        ),
        (
            f"@tensor_array_scatter_{name}(@tensor_array_{name}(4), {ints(3, 2, 1, 0)}, {elements})",
            spell_list([wrap(row, *shape) for row in array[::-1]]),
        ),
    ]
    if shape:
        slices = ("any", *shape[1:])
        nil = f"tensor_nil_{suffix(*slices)}"
        value, value_array = tensor(7, *sizes)
        cases.append((f"@tensor_array_unstack_{name}({value})",
                      spell_list([wrap(row, *shape[1:]) for row in value_array])))
        if sizes[0] == 3:
            cases.append(
                (
                    f"@tensor_array_split_{name}({spell_list([nil, nil])}, "
                    f"tensor_constructor_{name}({value}), {ints(1, 2)})",
                    spell_list(
                        [wrap(value_array[:1], *slices), wrap(value_array[1:], *slices)]
                    ),
                )
            )
        cases += [
            (
                f"@tensor_array_concat_{name}({elements})",
                wrap(np.concatenate(array), *slices),
            ),
            (
                f"@tensor_take_{name}(@hd({elements}), 1, 2)",
                wrap(array[0][1:2], *slices),
            ),
        ]
    check(("prelude.rly", f"float32 {','.join(map(str, shape))}"), cases)


def test_static_batch():
    parts = [tensor(start, 3) for start in (0, 5)]
    array = np.stack([part for _, part in parts])
    elements = spell_list([f"tensor_constructor_float32_3({text})" for text, _ in parts])
    expr = f"@tensor_array_stack_float32_3({elements})"
    check(
        ("prelude.rly", "float32 3 2"),
        [(expr, f"tensor_constructor_float32_2_3({spell(array)})")],
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_types(dtype):
    """The definitions for every element type are well typed."""
    typed = compile_text("", ("prelude.rly", dtype, f"{dtype} 2,any"))
    assert "relay.apply" not in typed and "!relay.incomplete" not in typed
