# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in which elements of tensors decide on sizes, in native code and the
interpreter. What no tensor can have is an error in both."""

import numpy as np
import pytest

import relay_mlir as rm
from operator_table import vector
from relay_mlir import relay

MOST = 2**63 - 1
X = "%x: Tensor[(4, 6), float32]"
DATA = np.arange(24, dtype=np.float32).reshape(4, 6)
ERRORS = (rm.RuntimeError, relay.DiagnosticError, ValueError)


def ints(*values):
    return np.array(values, np.int64)


def parse(parameters, body):
    return relay.parse(f'#[version = "0.0.5"]\ndef @main({parameters}) {{ {body} }}')


def flatten(value):
    if isinstance(value, tuple):
        return [leaf for field in value for leaf in flatten(field)]
    return [np.asarray(value)]


def check(module, good, bad=()):
    compiled, interpreted = (relay.create_executor(executor, mod=module).evaluate()
                             for executor in ("aot", "debug"))
    for arguments in good:
        got, want = flatten(compiled(*arguments)), flatten(interpreted(*arguments))
        for one, other in zip(got, want, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
    for arguments in bad:
        for function in (compiled, interpreted):
            with pytest.raises(ERRORS, match="expects"):
                function(*arguments)


def test_reshape():
    codes = [(2, 3, 4), (2, -1, 4), (0, 2, 3), (0, 0, -1), (1, 1, -1)]
    wrong = [(2, 2, 2), (-1, -1, 2), (-5, 2, 2), (2, 2, 0), (5, -1, 1), (2**62, 2**62, 16)]
    module = parse(f"{X}, %s: Tensor[(3), int64]", "dyn.reshape(%x, %s) * 2f")
    check(module, [(DATA, ints(*code)) for code in codes], [(DATA, ints(*code)) for code in wrong])
    module = parse(f"{X}, %s: Tensor[(2), int32]", "dyn.reshape(%x, %s + %s, allowzero=True)")
    check(module, [(DATA, np.array([6, 1], np.int32))], [(DATA, np.array([0, 6], np.int32))])
    # What has one dimension, or ends with merged ones, has as many elements.
    module = parse("%x: Tensor[(?, 4), float32], %s: Tensor[(1), int64]", "dyn.reshape(%x, %s)")
    check(module, [(DATA.reshape(6, 4), ints(code)) for code in (24, -1, -3)]
          + [(DATA.reshape(6, 4)[:0], ints(0))],
          [(DATA.reshape(6, 4), ints(code)) for code in (23, 7, 0, 25, -2)]
          + [(DATA.reshape(6, 4)[:0], ints(4))])
    module = parse("%x: Tensor[(0), float32], %s: Tensor[(1), int64]", "dyn.reshape(%x, %s)")
    check(module, [(DATA[0, :0], ints(0))], [(DATA[0, :0], ints(4))])
    module = parse("%x: Tensor[(?, 2, 3), float32], %s: Tensor[(2), int64]", "dyn.reshape(%x, %s)")
    check(module, [(DATA.reshape(4, 2, 3), ints(0, size)) for size in (6, -1, -3)],
          [(DATA.reshape(4, 2, 3), ints(0, size)) for size in (5, 7)])
    # -3 is the product of two sizes.
    module = parse("%x: Tensor[(?, 3, 2, ?), float32], %s: Tensor[(3), int64]",
                   "dyn.reshape(%x, %s)")
    data = [DATA.reshape(4, 3, 2, 1), DATA[:0].reshape(0, 3, 2, 5)]
    check(module, [(data[0], ints(*code)) for code in [
        (0, -3, 0), (-3, 0, 0), (0, 0, -3), (-3, -3, 1), (-3, -1, 1), (-1, -3, 1), (2, -3, -1)]]
          + [(data[1], ints(*code)) for code in [(0, -3, 0), (-3, 0, 0), (0, 0, -3), (-3, 2, -1)]],
          [(data[0], ints(*code)) for code in [(-3, -3, -3), (0, -3, 5), (-4, 0, 0), (-2, 1, 1)]])
    module = parse("%x: Tensor[(?, 6), float32], %s: Tensor[(2), int64]", "dyn.reshape(%x, %s)")
    check(module, [(DATA, ints(-1, 8)), (DATA[:0], ints(0, 6)), (DATA[:1], ints(6, 1))])


@pytest.mark.parametrize("call", [
    'dyn.zeros(%s, dtype="int8")', 'dyn.full(2f, %s, dtype="float32")', "dyn.tile(%x, %s)",
    "dyn.broadcast_to(sum(%x), %s)"])
def test_shapes(call):
    good = [(2, 3), (0, 3), (1, 1)]
    bad = [(-1, 3), (3, -MOST - 1), (2**40, 2**40), (2**31, 2**32)]
    module = parse(f"{X}, %s: Tensor[(2), int64]", call)
    check(module, [(DATA, ints(*shape)) for shape in good],
          [(DATA, ints(*shape)) for shape in bad])


@pytest.mark.parametrize("strides", [(1, 2), (-1, 1)])
def test_slices(strides):
    bounds = [((1, 2), (3, 6)), ((-1, 2), (-5, 6)), ((0, 0), (100, -1)), ((3, 0), (1, -1)),
              ((-MOST - 1, MOST), (MOST, -MOST - 1)), ((MOST, -MOST), (-MOST - 1, MOST))]
    module = parse(f"{X}, %b: Tensor[(2), int64], %e: Tensor[(2), int64]",
                   f"dyn.strided_slice(%x, %b, %e, {vector(*strides)})")
    check(module, [(DATA, ints(*begin), ints(*end)) for begin, end in bounds])


def test_slices_by_strides_of_the_run_time():
    bounds = [((1, 2), (3, 6)), ((-1, 2), (-5, 6)), ((0, 0), (100, -1)), ((3, 5), (0, -7)),
              ((-MOST - 1, MOST), (MOST, -MOST - 1)), ((MOST, -MOST), (-MOST - 1, MOST)),
              ((2, 2), (2, 1)), ((-100, 0), (100, 0))]
    strides = [(1, 1), (2, 3), (-1, 2), (3, -2), (-MOST - 1, MOST), (100, -100)]
    module = parse(f"{X}, %b: Tensor[(2), int64], %e: Tensor[(2), int64], %s: Tensor[(2), int64]",
                   "dyn.strided_slice(%x, %b, %e, %s) * 2f")
    check(module, [(DATA, ints(*begin), ints(*end), ints(*step))
                   for begin, end in bounds for step in strides],
          [(DATA, ints(0, 0), ints(3, 3), ints(1, 0))])
    # Of one axis, of int32, and of data that may be empty.
    module = parse("%x: Tensor[(?, ?), float32], %b: Tensor[(1), int32], %s: Tensor[(1), int32]",
                   f"dyn.strided_slice(%x, %b, {vector(MOST)}, %s, axes=[-1])")
    one = [np.array([value], np.int32) for value in range(-4, 5)]
    check(module, [(data, begin, step) for data in (DATA, DATA[:0], DATA[:, :0], DATA[:1, :1])
                   for begin in one[::3] for step in one if step[0]])


def test_slices_by_sizes_of_the_run_time():
    module = parse(f"{X}, %b: Tensor[(2), int64], %e: Tensor[(2), int64]",
                   f'dyn.strided_slice(%x, %b, %e, {vector(1, 1)}, slice_mode="size")')
    check(module, [(DATA, ints(*begin), ints(*end)) for begin, end in [
        ((0, 0), (2, 3)), ((1, 2), (-1, -1)), ((3, -2), (4, 1)), ((-9, 7), (2, MOST)),
        ((0, 1), (0, 2)), ((2, 2), (-MOST - 1, MOST))]])


def test_numbers():
    module = parse(f"{X}, %k: int64", "dyn.topk(%x, %k, axis=1)")
    check(module, [(DATA, np.int64(k)) for k in (2, 0, -1, 6)], [(DATA, np.int64(9))])
    module = parse("%i: Tensor[(3), int32], %d: int32",
                   'dyn.one_hot(%i, 1f, 0f, %d, axis=-1, dtype="float32")')
    indices = np.array([0, 2, 9], np.int32)
    check(module, [(indices, np.int32(4)), (indices, np.int32(0))], [(indices, np.int32(-3))])
    module = parse(f"{X}, %w: Tensor[(2, 2), int64]", "dyn.nn.pad(%x, %w, 0f)")
    check(module, [(DATA, ints([1, 2], [0, 3])), (DATA, ints([0, 0], [0, 0]))])


def test_what_follows():
    module = parse(f"{X}, %y: {X[4:]}",
                   "let %i = argwhere(%x); gather_nd(%y, transpose(%i)) * 2f")
    check(module, [(DATA % 3, DATA), (DATA * 0, DATA), (DATA + 1, DATA)])
    module = parse("%x: Tensor[(?), float32]",
                   f"let %u = unique(%x); dyn.strided_slice(%u.0, {vector(0)}, "
                   f'cast(%u.3, dtype="int64"), {vector(1)}) * 2f')
    check(module, [(DATA[0] % 2,), (DATA[0],), (DATA[0, :0],)])
    module = parse("%x: Tensor[(9), float32]", "argwhere(argwhere(%x))")
    check(module, [(DATA[:2].reshape(-1)[:9] % 2,), (np.zeros(9, np.float32),)])


def test_empty_rows():
    module = parse("%i: Tensor[(?, 2), int64], %v: Tensor[(?), int32], %s: Tensor[(2), int64], %d: int64",
                   "sparse_fill_empty_rows(%i, %v, %s, %d)")
    indices = ints([3, 1], [0, 2], [3, 0], [1, 1], [0, 0], [5, 2])
    values, fill = np.arange(6, dtype=np.int32), np.int64(-9)
    check(module, [(indices, values, ints(7, 3), fill), (indices[:0], values[:0], ints(4, 3), fill),
                   (indices[:0], values[:0], ints(0, 3), fill)],
          [(indices, values, ints(5, 3), fill), (-indices, values, ints(7, 3), fill),
           (indices, values, ints(-7, 3), fill)])


@pytest.mark.parametrize("parameters, body", [
    (X, "argwhere(%x)"), (f"{X}, %s: Tensor[(2), int64]", "dyn.reshape(%x, %s)"),
    ("%s: Tensor[(2), int64]", 'dyn.zeros(%s, dtype="int8")')])
def test_graphs_refuse(parameters, body):
    with pytest.raises(relay.CompileError, match="the executors aot and vm compile that"):
        relay.build(parse(parameters, body))


def test_sparse_reshape():
    module = parse("%i: Tensor[(?, 2), int64], %a: Tensor[(2), int64], %b: Tensor[(3), int64]",
                   "sparse_reshape(%i, %a, %b)")
    indices, shape = ints([0, 1], [2, 3], [1, 5]), ints(3, 4)
    good = [(2, -1, 3), (3, 4, 1), (1, 1, -1)]
    bad = [(2, 2, 2), (-1, -1, 12), (0, -1, 3), (-2, 2, 3), (2**62, 2**62, 16), (5, -1, 1)]
    check(module, [(indices, shape, ints(*new)) for new in good] + [(indices[:0], shape, ints(*good[0]))],
          [(indices, shape, ints(*new)) for new in bad] +
          [(wrong, shape, ints(*good[0])) for wrong in (indices + 2, -indices)] +
          [(indices, ints(-3, 4), ints(*good[0])), (ints([MOST, MOST]), shape, ints(*good[0]))])
