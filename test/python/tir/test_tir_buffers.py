"""Primitives on buffers, domains and samples: numbers against NumPy, scripts
that replay, refusals.

Products of floats in [-1, 1], some dozens of them in a sum, agree to 1e-5 in
whatever order they are added; bf16 has 8 bits, so rounded operands agree to
2**-8 of each product.
"""

import platform
import re

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import tir

RNG = np.random.default_rng(3)

MATMUL = """
tir.prim_func @matmul(%a: memref<24x45xf32>, %b: memref<45x32xf32>, %c: memref<24x32xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 24 {
    tir.for %j = 0 to 32 {
      tir.for %k = 0 to 45 {
        tir.block @C(%v0 = spatial %i in 24, %v1 = spatial %j in 32, %v2 = reduce %k in 45)
            reads(%c[%v0, %v1] : memref<24x32xf32>, %a[%v0, %v2] : memref<24x45xf32>,
                  %b[%v2, %v1] : memref<45x32xf32>)
            writes(%c[%v0, %v1] : memref<24x32xf32>) {
          tir.init {
            affine.store %zero, %c[%v0, %v1] : memref<24x32xf32>
          }
          %0 = affine.load %c[%v0, %v1] : memref<24x32xf32>
          %1 = affine.load %a[%v0, %v2] : memref<24x45xf32>
          %2 = affine.load %b[%v2, %v1] : memref<45x32xf32>
          %3 = arith.mulf %1, %2 : f32
          %4 = arith.addf %0, %3 : f32
          affine.store %4, %c[%v0, %v1] : memref<24x32xf32>
        }
      }
    }
  }
}
"""

# Sums of three neighbours, twice: y[i] = t[i] + t[i + 1] + t[i + 2].
WINDOWS = """
tir.prim_func @windows(%x: memref<5x21xf32>, %y: memref<5x17xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %t = tir.alloc_buffer() : memref<5x19xf32>
  tir.for %n = 0 to 5 {
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %n in 5, %v1 = spatial %i in 19)
          reads(%x[%v0, %v1] : memref<5x21xf32>, %x[%v0, %v1 + 1] : memref<5x21xf32>,
                %x[%v0, %v1 + 2] : memref<5x21xf32>)
          writes(%t[%v0, %v1] : memref<5x19xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<5x21xf32>
        %1 = affine.load %x[%v0, %v1 + 1] : memref<5x21xf32>
        %2 = affine.load %x[%v0, %v1 + 2] : memref<5x21xf32>
        %3 = arith.addf %0, %1 : f32
        %4 = arith.addf %3, %2 : f32
        affine.store %4, %t[%v0, %v1] : memref<5x19xf32>
      }
    }
  }
  tir.for %n = 0 to 5 {
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %n in 5, %v1 = spatial %i in 17)
          reads(%t[%v0, %v1] : memref<5x19xf32>, %t[%v0, %v1 + 1] : memref<5x19xf32>,
                %t[%v0, %v1 + 2] : memref<5x19xf32>)
          writes(%y[%v0, %v1] : memref<5x17xf32>) {
        %0 = affine.load %t[%v0, %v1] : memref<5x19xf32>
        %1 = affine.load %t[%v0, %v1 + 1] : memref<5x19xf32>
        %2 = affine.load %t[%v0, %v1 + 2] : memref<5x19xf32>
        %3 = arith.addf %0, %1 : f32
        %4 = arith.addf %3, %2 : f32
        affine.store %4, %y[%v0, %v1] : memref<5x17xf32>
      }
    }
  }
}
"""

# Each pixel of x four times.
RESIZE = """
tir.prim_func @resize(%x: memref<6x7xf32>, %y: memref<12x14xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 12 {
    tir.for %j = 0 to 14 {
      tir.block @resize(%v0 = spatial %i in 12, %v1 = spatial %j in 14)
          reads(%x[%v0 floordiv 2, %v1 floordiv 2] : memref<6x7xf32>)
          writes(%y[%v0, %v1] : memref<12x14xf32>) {
        %0 = affine.load %x[%v0 floordiv 2, %v1 floordiv 2] : memref<6x7xf32>
        affine.store %0, %y[%v0, %v1] : memref<12x14xf32>
      }
    }
  }
}
"""


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def check_matmul(sch, atol=1e-5):
    a, b = random(24, 45), random(45, 32)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(tir.build(sch, cache=False)(a, b), expected, rtol=1e-5, atol=atol)


def check_windows(sch):
    x = random(5, 21)
    t = x[:, :-2].astype(np.float64) + x[:, 1:-1] + x[:, 2:]
    y = t[:, :-2] + t[:, 1:-1] + t[:, 2:]
    np.testing.assert_allclose(tir.build(sch, cache=False)(x), y, rtol=1e-5, atol=1e-5)


def check_resize(sch):
    x = random(6, 7)
    np.testing.assert_array_equal(tir.build(sch, cache=False)(x),
                                  x.repeat(2, axis=0).repeat(2, axis=1))


CHECKS = {MATMUL: check_matmul, WINDOWS: check_windows, RESIZE: check_resize}


BYTES = """
tir.prim_func @bytes(%a: memref<40x96xi8>, %b: memref<96x48xi8> {tir.layout_free},
                     %c: memref<40x48xi32>) attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0 : i32
  tir.for %i = 0 to 40 {
    tir.for %j = 0 to 48 {
      tir.for %k = 0 to 96 {
        tir.block @C(%v0 = spatial %i in 40, %v1 = spatial %j in 48, %v2 = reduce %k in 96)
            reads(%c[%v0, %v1] : memref<40x48xi32>, %a[%v0, %v2] : memref<40x96xi8>,
                  %b[%v2, %v1] : memref<96x48xi8>)
            writes(%c[%v0, %v1] : memref<40x48xi32>) {
          tir.init {
            affine.store %zero, %c[%v0, %v1] : memref<40x48xi32>
          }
          %0 = affine.load %c[%v0, %v1] : memref<40x48xi32>
          %1 = affine.load %a[%v0, %v2] : memref<40x96xi8>
          %2 = affine.load %b[%v2, %v1] : memref<96x48xi8>
          %3 = arith.extsi %1 : i8 to i32
          %4 = arith.extsi %2 : i8 to i32
          %5 = arith.muli %3, %4 : i32
          %6 = arith.addi %0, %5 : i32
          affine.store %6, %c[%v0, %v1] : memref<40x48xi32>
        }
      }
    }
  }
}
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"),
                    reason="the machine lacks pmaddwd")
@pytest.mark.parametrize("tile, panel, parallel", [
    ([4, 16], 40, False), ([6, 32], 12, True), ([16, 48], 48, False)])
def test_matrix_tiles(tile, panel, parallel):
    """Products of bytes by pairs, exact: tiles that divide the result or not, one
    panel or several."""
    sch = tir.Schedule(BYTES)
    sch.matrix_tiles(sch.get_block("C"), "pmaddwd", tile, panel, vector_bits=256,
                     parallel=parallel)
    a, b = (RNG.integers(-128, 128, shape).astype(np.int8) for shape in [(40, 96), (96, 48)])
    result = tir.build(sch, cache=False)(a, b)
    np.testing.assert_array_equal(result, a.astype(np.int32) @ b.astype(np.int32))
    assert f'"pmaddwd", tile = {tile}, panel_rows = {panel}' in str(sch.trace)


def test_matrix_tiles_without_the_unit():
    sch = tir.Schedule(BYTES)
    sch.matrix_tiles(sch.get_block("C"), "amx", [16, 16], 48)
    with pytest.raises(rm.CompileError, match="expects a target with amx-tile"):
        tir.build(sch, target="x86-64-v3", cache=False)


# Schedules, each with the kernel that it is for.

def one_loop(sch):
    block = sch.get_block("C")
    sch.transform_block_layout(block, lambda i, j, k: (i * 32 + j, k))
    ij, k = sch.get_loops(block)
    assert repr(ij) == "LoopRV(768)"
    sch.parallel(ij)


def blocked(sch):
    block = sch.get_block("C")
    sch.transform_block_layout(block, lambda i, j, k: (i // 4, j // 16, k % 5, k // 5,
                                                       i % 4, j % 16))
    loops = sch.get_loops(block)
    assert [repr(loop) for loop in loops] == [f"LoopRV({n})" for n in (6, 2, 5, 9, 4, 16)]
    sch.vectorize(loops[-1])
    sch.unroll(loops[-2])
    sch.parallel(loops[0])


def mixed_places(sch):
    block = sch.get_block("C")
    sch.transform_block_layout(block, lambda i, j, k: (k, j % 4 * 6 + i // 4, j // 4, i % 4))
    sch.reverse(sch.get_loops(block)[2])


def separators(sch):
    block = sch.get_block("C")
    copy = sch.reindex_cache_read(block, 1, "global", lambda j, k: (j // 8, k, j % 8))
    sch.set_axis_separator(copy, ("write", 0), [1])
    assert "memref<4x360xf32>" in str(sch.mod)
    other = sch.cache_read(block, 0, "global")
    sch.set_axis_separator(other, ("write", 0), [])
    assert "memref<1080xf32>" in str(sch.mod)


def bf16(sch):
    block = sch.get_block("C")
    for index in (0, 1):
        copy = sch.cache_read(block, index, "global")
        sch.unsafe_set_dtype(copy, 0, "bfloat16")


def half_sums(sch):
    block = sch.get_block("C")
    sch.cache_write(block, 0, "global")
    sch.unsafe_set_dtype(block, 0, "float64")


def copies(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    sch.read_at(i, block, 0, "global")
    sch.write_at(j, block, 0, "local")
    sch.parallel(i)


def reindexed(sch):
    block = sch.get_block("C")
    sch.reindex_cache_read(block, 0, "global", lambda i, k: (i // 4, k, i % 4))
    sch.reindex_cache_write(block, 0, "global", lambda i, j: (j, i))


def sampled(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    tile = sch.sample_perfect_tile(i, 3, max_innermost_factor=4)
    assert np.prod([int(f) for f in tile]) == 24 and int(tile[-1]) <= 4
    parts = sch.sample_partitioned_tile(j, 3, 1, 8)
    assert np.prod([sch.get(f) for f in parts]) == 32
    assert int(parts[1]) * int(parts[2]) % 8 == 0
    lanes = sch.sample_categorical([3, 5, 9], [0.2, 0.3, 0.5])
    io, im, ii = sch.split(i, tile)
    jo, jm, ji = sch.split(j, parts)
    ko, ki = sch.split(k, [None, lanes])
    sch.reorder(io, jo, im, jm, ko, ki, ii, ji)
    sch.enter_postproc()
    sch.parallel(io)
    sch.vectorize(ji)


def rolling(sch):
    first, second = sch.get_block("first"), sch.get_block("second")
    n, i = sch.get_loops(second)
    sch.compute_at(first, i)
    sch.rolling_buffer(first, 0)
    assert "memref<5x3xf32>" in str(sch.mod)
    sch.parallel(n)


def rolling_tiles(sch):
    """Windows of 4 and 6 elements, parts of the loop, a compacted buffer."""
    first, second = sch.get_block("first"), sch.get_block("second")
    n, i = sch.get_loops(second)
    io, ii = sch.split(i, [None, 4])
    sch.compute_at(first, io)
    sch.rolling_buffer(first, 0)
    assert "memref<5x6xf32>" in str(sch.mod)
    sch.loop_partition(io, [2, None])
    sch.compact_buffers()
    sch.parallel(n)


def rolling_rows(sch):
    first, second = sch.get_block("first"), sch.get_block("second")
    n, i = sch.get_loops(second)
    sch.reorder(i, n)
    sch.compute_at(first, i)
    sch.rolling_buffer(first, 0)
    io, ii = sch.split(i, [None, 5])
    sch.unroll(ii)
    sch.storage_align(first, 0, axis=0, factor=8, offset=1)


def tables(sch):
    rows, columns = sch.cache_index(sch.get_block("resize"), "global", 1)
    assert [repr(rows), repr(columns)] == ["BlockRV(resize_index)", "BlockRV(resize_index_1)"]
    i, j = sch.get_loops(sch.get_block("resize"))
    sch.parallel(i)


def fused_resize(sch):
    sch.transform_block_layout(sch.get_block("resize"), lambda i, j: (i * 14 + j,))


SCHEDULES = [(MATMUL, schedule) for schedule in
             (one_loop, blocked, mixed_places, separators, half_sums, copies, reindexed,
              sampled)]
SCHEDULES += [(WINDOWS, schedule) for schedule in (rolling, rolling_tiles, rolling_rows)]
SCHEDULES += [(RESIZE, schedule) for schedule in (tables, fused_resize)]


@pytest.mark.parametrize("kernel,schedule", SCHEDULES, ids=lambda f: getattr(f, "__name__", ""))
def test_numbers_and_trace(kernel, schedule):
    sch = tir.Schedule(kernel, seed=5)
    schedule(sch)
    CHECKS[kernel](sch)
    # The script alone does the same to a fresh kernel, whatever its seed.
    fresh = tir.Schedule(kernel, seed=6)
    sch.trace.apply_to_schedule(fresh)
    assert str(fresh.mod) == str(sch.mod)
    assert fresh.trace == sch.trace
    text = str(sch.trace).rstrip()[:-1] + kernel + "\n}\n"
    applied = rm.parse(text).run_passes("builtin.module(tir-apply-schedules)")
    assert str(applied) == str(sch.mod)


def test_dtype():
    sch = tir.Schedule(MATMUL)
    bf16(sch)
    assert "memref<24x45xbf16>" in str(sch.mod) and "memref<45x32xbf16>" in str(sch.mod)
    # 45 products, each of two operands rounded to 2**-9 of their size.
    check_matmul(sch, atol=45 * 2 * 2.0**-9)
    a, b = random(24, 45), random(45, 32)
    rounded = [tir.build(sch, cache=False)(a, b), a.astype(np.float64) @ b.astype(np.float64)]
    assert np.abs(rounded[0] - rounded[1]).max() > 1e-4  # It did round.


@pytest.mark.parametrize("seed", range(8))
def test_seeds(seed):
    first, second = (tir.Schedule(MATMUL, seed=seed) for _ in range(2))
    sampled(first)
    sampled(second)
    assert first.trace == second.trace
    check_matmul(first)


def test_samples_differ_and_spread():
    seen = set()
    sch = tir.Schedule(MATMUL, seed=0)
    i, j, k = sch.get_loops(sch.get_block("C"))
    for _ in range(300):
        seen.add(tuple(int(f) for f in sch.sample_perfect_tile(i, 2, 64)))
    # All eight ways to write 24 as a product of two.
    assert seen == {(24 // d, d) for d in (1, 2, 3, 4, 6, 8, 12, 24)}
    counts = np.bincount([int(sch.sample_categorical([0, 1, 2], [0.5, 0.0, 0.5]))
                          for _ in range(400)], minlength=3)
    # Within four standard deviations of a fair coin.
    assert counts[1] == 0 and abs(counts[0] - 200) < 40
    copy = sch.copy()
    ours = [int(f) for _ in range(20) for f in sch.sample_perfect_tile(i, 2)]
    loop = copy.get_loops(copy.get_block("C"))[0]
    theirs = [int(f) for _ in range(20) for f in copy.sample_perfect_tile(loop, 2)]
    assert ours != theirs


def test_decisions():
    sch = tir.Schedule(MATMUL, seed=1)
    i, j, k = sch.get_loops(sch.get_block("C"))
    tile = sch.sample_perfect_tile(i, 2, decision=[6, 4])
    assert [int(f) for f in tile] == [6, 4] and repr(tile[1]) == "ExprRV(4)"
    sch.split(i, tile)
    text = str(sch.trace)
    assert "decision = [6, 4]" in text
    edited = tir.Schedule(MATMUL)
    tir.Trace(text.replace("[6, 4]", "[12, 2]")).apply_to_schedule(edited)
    assert "0 to 12" in str(edited.mod)
    check_matmul(edited)
    refused = tir.Schedule(MATMUL)
    loop = refused.get_loops(refused.get_block("C"))[0]
    for decision, message in (([5, 4], "product of 24"), ([6], "expects 2 factors"),
                              ([1, 24], "at most 16")):
        with pytest.raises(tir.ScheduleError, match=message):
            refused.sample_perfect_tile(loop, 2, decision=decision)
    with pytest.raises(tir.ScheduleError, match="add up to 1"):
        refused.sample_categorical([1, 2], [0.5, 0.6])
    with pytest.raises(ValueError, match="expects seed from 0"):
        tir.Schedule(MATMUL, seed=-1)


def test_compute_locations():
    """Every location that can be drawn gives the same numbers, and all are drawn."""
    drawn = {}
    for seed in range(40):
        sch = tir.Schedule(WINDOWS, seed=seed)
        where = sch.sample_compute_location(sch.get_block("first"))
        sch.compute_at(sch.get_block("first"), where)
        decision = re.search(r"decision = (-?\d+)", str(sch.trace))
        assert decision is not None
        location = decision.group(1)
        if location not in drawn:
            check_windows(sch)
            drawn[location] = sch
    assert sorted(drawn, key=int) == ["-2", "-1", "0", "1"]
    assert "@first" not in str(drawn["-2"].mod)
    fresh = tir.Schedule(WINDOWS)
    drawn["1"].trace.apply_to_schedule(fresh)
    assert str(fresh.mod) == str(drawn["1"].mod)
    with pytest.raises(tir.ScheduleError, match="expects a decision from -2 to 1"):
        fresh.sample_compute_location(fresh.get_block("first"), decision=2)
    with pytest.raises(tir.ScheduleError, match="can be computed, but got -2: .*argument"):
        fresh.sample_compute_location(fresh.get_block("second"), decision=-2)


def test_several_kernels():
    both = MATMUL + WINDOWS
    sch = tir.Schedule(both, "matmul", seed=2)
    loop = sch.get_loops(sch.get_block("C"))[0]
    sch.parallel(loop)
    sch.work_on("windows")
    assert sch.name == "windows"
    rolling(sch)
    with pytest.raises(ValueError, match="of the kernel windows"):
        sch.unroll(loop)
    with pytest.raises(ValueError, match="one of the kernels matmul, windows"):
        sch.work_on("other")
    sch.work_on("matmul")
    sch.unroll(sch.get_loops(sch.get_block("C"))[1])
    copy = sch.copy()
    assert str(copy.mod) == str(sch.mod) and copy.trace == sch.trace
    a, b, x = random(24, 45), random(45, 32), random(5, 21)
    np.testing.assert_allclose(tir.build(sch.mod, "matmul", cache=False)(a, b),
                               a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)
    assert tir.build(sch.mod, "windows", cache=False)(x).shape == (5, 17)


def on_matmul(step):
    sch = tir.Schedule(MATMUL)
    block = sch.get_block("C")
    loops = sch.get_loops(block)
    return sch, lambda: step(sch, block, *loops)


def on_windows(loop, step, before=lambda sch, first, n, i: None):
    """With the first block computed in a loop of the second."""
    sch = tir.Schedule(WINDOWS)
    first, second = sch.get_block("first"), sch.get_block("second")
    n, i = sch.get_loops(second)
    before(sch, first, n, i)
    if loop is not None:
        sch.compute_at(first, (n, i)[loop])
    return sch, lambda: step(sch, first, second, n, i)


def after_rolling(step):
    def rolled(sch, first, second, n, i):
        sch.rolling_buffer(first, 0)
        before = str(sch.mod)
        try:
            step(sch, first, second, n, i)
        finally:
            assert str(sch.mod) == before
    return on_windows(1, rolled)


REFUSALS = [
    ("result 0 leaves out values", lambda: on_matmul(
        lambda s, b, i, j, k: s.transform_block_layout(b, lambda i, j, k: (i * 40 + j, k)))),
    ("digits of index 0 do not make up", lambda: on_matmul(
        lambda s, b, i, j, k: s.transform_block_layout(b, lambda i, j, k: (i // 5, i % 5, j, k)))),
    ("variables of one kind in result 1", lambda: on_matmul(
        lambda s, b, i, j, k: s.transform_block_layout(b, lambda i, j, k: (i, j * 45 + k)))),
    ("digits of index 2 do not make up", lambda: on_matmul(
        lambda s, b, i, j, k: s.transform_block_layout(b, lambda i, j, k: (i, j)))),
    ("layout of the 3 variables", lambda: on_matmul(
        lambda s, b, i, j, k: s.transform_block_layout(b, lambda i, j: (i, j)))),
    ("keeps every element apart", lambda: on_matmul(
        lambda s, b, i, j, k: s.reindex_cache_read(b, 0, "global", lambda i, k: (i + k,)))),
    ("reduction runs over it", lambda: on_matmul(
        lambda s, b, i, j, k: s.write_at(k, b, 0, "global"))),
    ("argument that is tir.layout_free", lambda: on_matmul(
        lambda s, b, i, j, k: s.set_axis_separator(b, ("read", 0), [1]))),
    (r"from 1 to 1, but got \[2\]", lambda: on_matmul(
        lambda s, b, i, j, k: s.set_axis_separator(b, ("read", 0), [2]))),
    ("got an argument", lambda: on_matmul(
        lambda s, b, i, j, k: s.unsafe_set_dtype(b, 0, "float16"))),
    ("products of bytes for instructions on vectors, but got f32", lambda: on_matmul(
        lambda s, b, i, j, k: s.matrix_tiles(b, "dotprod", [4, 16], 4, vector_bits=128))),
    ("16 or 32 rows and columns, but got 24 and 24(?!expects)", lambda: on_matmul(
        lambda s, b, i, j, k: s.matrix_tiles(b, "amx", [24, 24], 24, pieces=2))),
    ('"dotprod", but got "mma"', lambda: on_matmul(
        lambda s, b, i, j, k: s.matrix_tiles(b, "mma", [4, 16], 4))),
    ("constant argument that transform_layout has packed", lambda: on_matmul(
        lambda s, b, i, j, k: s.narrow_weights(b, 1))),
    ("expects loads in block @C that share an index", lambda: on_matmul(
        lambda s, b, i, j, k: s.cache_index(b, "global"))),
    ("write one intermediate buffer", lambda: on_matmul(
        lambda s, b, i, j, k: s.rolling_buffer(b, 0))),
    ("but got 'i32' for 'f32'", lambda: on_windows(
        None, lambda s, first, second, n, i: s.unsafe_set_dtype(first, 0, "int32"))),
    ("all readers of block @first_read_global inside the loop", lambda: on_windows(
        None, lambda s, first, second, n, i: s.read_at(n, first, 0, "global"))),
    ("in one loop; compute_at brings it there", lambda: on_windows(
        None, lambda s, first, second, n, i: s.rolling_buffer(first, 0))),
    ("that overlap, but they have 1 elements and move by 1", lambda: on_windows(
        0, lambda s, first, second, n, i: s.rolling_buffer(first, 0))),
    ("inside every loop that is not serial", lambda: on_windows(
        1, lambda s, first, second, n, i: s.rolling_buffer(first, 0),
        lambda s, first, n, i: s.parallel(n))),
    ("not rolling yet", lambda: after_rolling(
        lambda s, first, second, n, i: s.rolling_buffer(first, 0))),
    ("feeds an? opaque variable of block @first", lambda: after_rolling(
        lambda s, first, second, n, i: s.parallel(i))),
    ("feeds no opaque variable", lambda: after_rolling(
        lambda s, first, second, n, i: s.reverse(i))),
    ("feed spatial variables only, but got opaque", lambda: after_rolling(
        lambda s, first, second, n, i: s.reorder(i, n))),
]


@pytest.mark.parametrize("message,case", REFUSALS, ids=lambda value: "" if callable(value) else value[:30])
def test_refusals(message, case):
    sch, step = case()
    before, trace = str(sch.mod), str(sch.trace)
    with pytest.raises(tir.ScheduleError, match=message):
        step()
    if "rolling_buffer" not in str(sch.trace):
        assert str(sch.mod) == before and str(sch.trace) == trace


def test_memory_of_no_target():
    """Which memories there are is the target's matter."""
    sch = tir.Schedule(MATMUL)
    sch.cache_read(sch.get_block("C"), 0, "shared")
    with pytest.raises(rm.CompileError, match=r"expects a memory of .* \(global, local\), but got shared"):
        tir.build(sch, cache=False)


def test_blocks_of_blocks():
    """A loop around blocks of blocks is parallel if their elements are apart."""
    sch = tir.Schedule(MATMUL)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    io, ii = sch.split(i, [None, 5])
    jo, ji = sch.split(j, [None, 8])
    sch.reorder(io, jo, ii, ji, k)
    sch.blockize(ii)
    sch.parallel(io)
    sch.unroll(jo)
    check_matmul(sch)
    # Every tile adds to the same sums.
    sch = tir.Schedule(MATMUL)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    sch.decompose_reduction(block, i)
    ko, ki = sch.split(k, [None, 5])
    sch.reorder(ko, i, j, ki)
    sch.blockize(i)
    with pytest.raises(tir.ScheduleError, match="reduce variable"):
        sch.parallel(ko)


TILES = """
tir.prim_func @tiles(%x: memref<40xf32>, %y: memref<40xf32>)
    attributes {{tir.num_outputs = 1 : i64}} {{
  tir.for %i = 0 to 8 {{
    tir.block @tile(%v0 = spatial %i in 8)
        reads(%x : memref<40xf32>) writes(%y : memref<40xf32>) {{
      affine.for %j = 0 to {size} {{
        %0 = affine.load %x[%v0 * 5 + %j] : memref<40xf32>
        affine.store %0, %y[%v0 * {step} + %j] : memref<40xf32>
      }}
    }}
  }}
}}
"""


@pytest.mark.parametrize("step,size,apart", [(5, 5, True), (5, 4, True), (4, 5, False),
                                             (0, 5, False)])
def test_written_tiles(step, size, apart):
    sch = tir.Schedule(TILES.format(step=step, size=size))
    i, = sch.get_loops(sch.get_block("tile"))
    if apart:
        sch.parallel(i)
        x = random(40)
        y = tir.build(sch, cache=False)(x)
        expected = np.zeros(40, np.float32)
        for start in range(0, 40, 5):
            np.testing.assert_array_equal(y[start:start + size], x[start:start + size])
    else:
        # One block may compute an element twice, if to the same value: not here.
        with pytest.raises(tir.ScheduleError):
            sch.parallel(i)
