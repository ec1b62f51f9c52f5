"""Schedules written in Python: numbers against NumPy, scripts, refusals.

Products of floats in [-1, 1], some dozens of them in a sum, agree to 1e-5 in
whatever order they are added.
"""

import re

import numpy as np
import pytest

import relay_mlir as rm
from relay_mlir import tir

RNG = np.random.default_rng(7)

MATMUL = """
tir.prim_func @matmul(%a: memref<33x45xf32>, %b: memref<45x52xf32>, %c: memref<33x52xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 33 {
    tir.for %j = 0 to 52 {
      tir.for %k = 0 to 45 {
        tir.block @C(%v0 = spatial %i in 33, %v1 = spatial %j in 52, %v2 = reduce %k in 45)
            reads(%c[%v0, %v1] : memref<33x52xf32>, %a[%v0, %v2] : memref<33x45xf32>,
                  %b[%v2, %v1] : memref<45x52xf32>)
            writes(%c[%v0, %v1] : memref<33x52xf32>) {
          tir.init {
            affine.store %zero, %c[%v0, %v1] : memref<33x52xf32>
          }
          %0 = affine.load %c[%v0, %v1] : memref<33x52xf32>
          %1 = affine.load %a[%v0, %v2] : memref<33x45xf32>
          %2 = affine.load %b[%v2, %v1] : memref<45x52xf32>
          %3 = arith.mulf %1, %2 : f32
          %4 = arith.addf %0, %3 : f32
          affine.store %4, %c[%v0, %v1] : memref<33x52xf32>
        }
      }
    }
  }
}
"""

CHAIN = """
func.func @main(%x: tensor<6x40xf32> {relay.name = "x"}, %w: tensor<24x40xf32> {relay.name = "w"},
                %b: tensor<24xf32> {relay.name = "b"}) -> (tensor<6x24xf32> {relay.name = "y"}) {
  %0 = relay.nn.dense %x, %w : (tensor<6x40xf32>, tensor<24x40xf32>) -> tensor<6x24xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<6x24xf32>, tensor<24xf32>) -> tensor<6x24xf32>
  %2 = relay.nn.relu %1 : (tensor<6x24xf32>) -> tensor<6x24xf32>
  return %2 : tensor<6x24xf32>
}
"""


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def check_matmul(sch):
    a, b = random(33, 45), random(45, 52)
    c = tir.build(sch, cache=False)(a, b)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64),
                               rtol=1e-5, atol=1e-5)


def nothing(sch):
    assert sch.name == "matmul"


def loops(sch):
    i, j, k = sch.get_loops(sch.get_block("C"))
    io, ii = sch.split(i, factors=[None, 4])
    jo, ji = sch.split(j, factors=[None, 16])
    sch.reorder(io, jo, k, ii, ji)
    outer = sch.fuse(io, jo)
    sch.parallel(outer)
    sch.unroll(ii)
    sch.vectorize(ji)


def partitions(sch):
    i, j, k = sch.get_loops(sch.get_block("C"))
    jo, ji, rest = sch.split(j, [None, 8], tail="partition")
    sch.vectorize(ji)
    sch.vectorize(rest)
    first, second = sch.loop_partition(i, [1, None])
    assert len(sch.get_child_blocks(second)) == len(sch.get_child_blocks(first))


def caches(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    a = sch.cache_read(block, 0, "global")
    b = sch.reindex_cache_read(block, 1, "global", lambda j, k: (j // 4, k, j % 4))
    sch.storage_align(a, 0, axis=0, factor=32, offset=8)
    sch.compute_at(a, i)
    c = sch.cache_write(block, 0, "global")
    sch.set_scope(c, ("read", 0), "local")
    sch.reverse_compute_at(c, i)
    assert [repr(p) for p in sch.get_producers(block)] == [repr(b), repr(a)]
    assert repr(sch.get_consumers(block)[0]) == repr(c)
    assert repr(sch.get_output_blocks()[0]) == repr(c)


def reductions(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    ko, ki = sch.split(k, [None, 8])
    partial = sch.rfactor(ki, 2)
    loops_ = sch.get_loops(partial)
    sch.reorder(loops_[2], loops_[3])
    sch.vectorize(loops_[3])
    sch.reverse_compute_at(block, i)
    sch.decompose_reduction(partial, loops_[2])


def reversed_reduction(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    sch.decompose_reduction(block, i)
    sch.reverse(k)
    sch.reverse(j)


def tiles(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    io, ii = sch.split(i, [None, 8])
    jo, ji = sch.split(j, [None, 8])
    sch.reorder(io, jo, ii, ji, k)
    sch.blockize(ii)
    sch.parallel(io)


def padding(sch):
    block = sch.get_block("C")
    sch.pad_einsum(block, [8, 16, 8])
    i, j, k = sch.get_loops(block)
    jo, ji = sch.split(j, [None, 16])
    sch.reorder(jo, k, ji)
    sch.vectorize(ji)
    sch.reverse_compute_at(sch.get_block("C_crop"), i)


def tensorized(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    io, ii = sch.split(i, [None, 3])
    jo, ji = sch.split(j, [None, 4])
    sch.reorder(io, jo, k, ii, ji)
    sch.tensorize(k, "register_tile", vector_bits=128)
    sch.simplify()


def layouts(sch):
    block = sch.get_block("C")
    b = sch.cache_read(block, 1, "global")
    sch.transform_layout(b, ("write", 0), lambda k, j: (j // 8, k, j % 8))
    sch.transform_layout(b, ("write", 0), "affine_map<(a, b, c) -> (a, c, b)>")
    sch.reorder_block_iter_var(block, [2, 0, 1])
    unit = sch.add_unit_loop(block)
    sch.annotate(unit, "note", [1, 2.5, True, "text"])
    sch.unannotate(unit, "note")
    out = sch.reindex(block, ("write", 0))
    sch.reverse_compute_at(out, sch.get_loops(block)[0])
    sch.compact_buffers()


AXPY = """
tir.prim_func @axpy(%a: memref<1x1xf32>, %x: memref<1x4xf32>, %y: memref<1x4xf32>) {{
  {body}
}}
"""
AXPY_LOOPS = """
  tir.for %i = 0 to 4 {
    tir.block @axpy(%v0 = spatial %i in 4)
        reads(%y[0, %v0] : memref<1x4xf32>, %a[0, 0] : memref<1x1xf32>, %x[0, %v0] : memref<1x4xf32>)
        writes(%y[0, %v0] : memref<1x4xf32>) {
      %0 = affine.load %y[0, %v0] : memref<1x4xf32>
      %1 = affine.load %a[0, 0] : memref<1x1xf32>
      %2 = affine.load %x[0, %v0] : memref<1x4xf32>
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      affine.store %4, %y[0, %v0] : memref<1x4xf32>
    }
  }
"""
AXPY_VECTORS = """
  %c0 = arith.constant 0 : index
  %0 = memref.load %a[%c0, %c0] : memref<1x1xf32>
  %1 = vector.broadcast %0 : f32 to vector<4xf32>
  %2 = vector.load %x[%c0, %c0] : memref<1x4xf32>, vector<4xf32>
  %3 = vector.load %y[%c0, %c0] : memref<1x4xf32>, vector<4xf32>
  %4 = vector.fma %1, %2, %3 : vector<4xf32>
  vector.store %4, %y[%c0, %c0] : memref<1x4xf32>, vector<4xf32>
"""
tir.TensorIntrin.register("axpy4", AXPY.format(body=AXPY_LOOPS), AXPY.format(body=AXPY_VECTORS))


def described(sch):
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    sch.decompose_reduction(block, i)
    jo, ji = sch.split(j, [None, 4])
    sch.reorder(i, jo, k, ji)
    sch.parallel(i)
    sch.tensorize(ji, "axpy4")
    # What the intrinsic writes is not known by element any more.
    with pytest.raises(tir.ScheduleError, match="before a nest inside becomes an intrinsic"):
        sch.parallel(jo)


SCHEDULES = [nothing, described, loops, partitions, caches, reductions, reversed_reduction, tiles,
             padding, tensorized, layouts]


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda f: f.__name__)
def test_numbers(schedule):
    sch = tir.Schedule(MATMUL)
    schedule(sch)
    check_matmul(sch)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda f: f.__name__)
def test_trace(schedule, tmp_path):
    """The script alone does the same to a fresh kernel, as text and as a pass."""
    sch = tir.Schedule(MATMUL)
    schedule(sch)
    path = tmp_path / "matmul.mlir"
    sch.trace.save(path)
    fresh = tir.Schedule(MATMUL)
    tir.Trace.load(path).apply_to_schedule(fresh)
    assert str(fresh.mod) == str(sch.mod)
    assert fresh.trace == sch.trace
    assert str(sch.copy().mod) == str(sch.mod)
    if schedule is not nothing:
        text = str(sch.trace).rstrip()[:-1] + MATMUL + "\n}\n"
        applied = rm.parse(text).run_passes("builtin.module(tir-apply-schedules)")
        assert str(applied) == str(sch.mod)


def test_edited_trace():
    sch = tir.Schedule(MATMUL)
    loops(sch)
    text = str(sch.trace)
    assert "[?, 16]" in text
    edited = tir.Schedule(MATMUL)
    tir.Trace(text.replace("[?, 16]", "[?, 8]")).apply_to_schedule(edited)
    assert str(edited.mod) != str(sch.mod)
    check_matmul(edited)


def test_inline_and_merge():
    mod = tir.lower(rm.parse(CHAIN))
    name, = tir.kernels(mod)
    x, w, b = random(6, 40), random(24, 40), random(24)
    expected = np.maximum(x.astype(np.float64) @ w.T.astype(np.float64) + b, 0)
    for inline in (True, False):
        sch = tir.Schedule(mod, name)
        dense, bias, relu = (sch.get_block(block) for block in names(sch))
        if inline:
            sch.reverse_compute_inline(relu)
            sch.reverse_compute_at(sch.get_block(names(sch)[-1]), sch.get_loops(dense)[0])
        else:
            sch.merge(*(sch.get_loops(block)[0] for block in (dense, bias, relu)))
            sch.parallel(sch.get_loops(dense)[0])
        y = tir.build(sch.mod, cache=False)(x, w, b)
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


def names(sch):
    """The names of the blocks of the kernel, in program order."""
    return re.findall(r"tir\.block @([\w.]+)\(", str(sch.mod))


def test_refusals_change_nothing():
    sch = tir.Schedule(MATMUL)
    i, j, k = sch.get_loops(sch.get_block("C"))
    before, trace = str(sch.mod), str(sch.trace)
    with pytest.raises(tir.ScheduleError, match="feeds spatial variables only, but it feeds a "
                       "reduce variable of block @C"):
        sch.parallel(k)
    with pytest.raises(tir.ScheduleError, match="product of at least 33, but got 8"):
        sch.split(i, [2, 4])
    with pytest.raises(tir.ScheduleError, match="expects a block @D in @matmul"):
        sch.get_block("D")
    with pytest.raises(tir.ScheduleError, match="expects no init in the reduction @C") as info:
        sch.reverse(k)
    assert isinstance(info.value, rm.DiagnosticError)
    assert any("decompose_reduction" in note for note in info.value.notes)
    assert str(sch.mod) == before and str(sch.trace) == trace
    sch.parallel(i)
    check_matmul(sch)


def test_handles():
    sch, other = tir.Schedule(MATMUL), tir.Schedule(MATMUL)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    assert repr(block) == "BlockRV(C)" and repr(i) == "LoopRV(33)"
    with pytest.raises(ValueError, match="of this schedule"):
        other.parallel(i)
    with pytest.raises(TypeError, match=r"expects loop to be a LoopRV, but got BlockRV\(C\)"):
        sch.parallel(block)  # type: ignore[arg-type]
    sch.blockize(i)
    with pytest.raises(tir.ScheduleError):
        sch.parallel(i)  # The nest is gone.


INTEGERS = "a list, of which each is an integer of 64 bits"


@pytest.mark.parametrize("method,arguments,message", [
    ("get_block", [3], "name to be a string, but got 3"),
    ("get_loops", ["C"], "block to be a BlockRV, but got 'C'"),
    ("work_on", [None], "func_name to be a string, but got None"),
    ("split", ["loop", 4], f"factors to be {INTEGERS} or an ExprRV or None, but got 4"),
    ("split", ["loop", [4, 2.5]], f"factors to be {INTEGERS} or an ExprRV or None, but got [4, "),
    ("split", ["loop", [4, True]], f"factors to be {INTEGERS} or an ExprRV or None, but got [4, "),
    ("fuse", ["loop", "j"], "loops to be a LoopRV, but got 'j'"),
    ("add_unit_loop", [3], "block_or_loop to be a BlockRV or a LoopRV, but got 3"),
    ("bind", ["loop", 3], "thread_axis to be a string, but got 3"),
    ("cache_read", ["block", "0", "global"], "read_buffer_index to be an integer of 64 bits, "),
    ("cache_read", ["block", 2**70, "global"], "read_buffer_index to be an integer of 64 bits, "),
    ("reindex", ["block", "read"], "buffer to be ('read', i) or ('write', i), but got 'read'"),
    ("set_scope", ["block", 1.5, "local"], "buffer to be ('read', i) or ('write', i) or an int"),
    ("transform_block_layout", ["block", 3], "index_map to be a function or the text of an affi"),
    ("sample_categorical", [[1, 2], [0.5, "x"]],
     "probs to be a list, of which each is a finite number, but got [0.5, 'x']"),
    ("sample_perfect_tile", ["loop", 2, 4, 3], f"decision to be {INTEGERS} or None, but got 3"),
    ("matrix_tiles", ["block", "amx", 16, 3], f"tile to be {INTEGERS}, but got 16"),
    ("tensorize", ["loop", None], "intrin to be a string, but got None"),
    ("compact_buffers", ["x"], "max_local_bytes to be an integer of 64 bits, but got 'x'"),
    ("get", [3], "rand_var to be an ExprRV, but got 3"),
    ("seed", ["x"], "seed to be an integer of 64 bits or None, but got 'x'")])
def test_wrong_types(method, arguments, message):
    """Errors name the argument, and what it should be."""
    sch = tir.Schedule(MATMUL)
    block = sch.get_block("C")
    known = {"block": block, "loop": sch.get_loops(block)[0]}
    trace = str(sch.trace)
    with pytest.raises(TypeError, match=re.escape("expects " + message)):
        getattr(sch, method)(*(known.get(a, a) if isinstance(a, str) else a for a in arguments))
    assert str(sch.trace) == trace


def test_wrong_numbers_of_factors():
    sch = tir.Schedule(MATMUL)
    loop = sch.get_loops(sch.get_block("C"))[0]
    for n in (-1, 0, 2**40):
        with pytest.raises(ValueError, match=f"expects n from 1 to 63, but got {n}"):
            sch.sample_perfect_tile(loop, n)
        with pytest.raises(ValueError, match=f"expects n from 1 to 63, but got {n}"):
            sch.sample_partitioned_tile(loop, n)


def test_wrong_types_beside_schedules():
    with pytest.raises(TypeError, match="expects text to be a string, but got 3"):
        tir.Trace(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects sch to be a Schedule, but got 3"):
        tir.Trace("").apply_to_schedule(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expects desc to be a string, but got None"):
        tir.TensorIntrin.register("wrong", None, "")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'loop'"):
        tir.Schedule(MATMUL).parallel()  # type: ignore[call-arg]


def test_replay_names_the_step():
    sch = tir.Schedule(MATMUL)
    loops(sch)
    with pytest.raises(tir.ScheduleError, match=r"cannot apply step 3, transform.tir.split, to "
                       r"kernel @matmul: expects positive factors"):
        tir.Trace(str(sch.trace).replace("[?, 4]", "[?, 0]")).apply_to_schedule(
            tir.Schedule(MATMUL))


def test_build():
    kernel = tir.build(MATMUL)
    assert [info.shape for info in kernel.inputs] == [(33, 45), (45, 52)]
    assert [info.shape for info in kernel.outputs] == [(33, 52)]
    a, b, c = random(33, 45), random(45, 52), np.zeros((33, 52), np.float32)
    assert kernel(a, b, c) is None
    np.testing.assert_array_equal(c, kernel(a, b))
    with pytest.raises(ValueError, match="expects 2 inputs"):
        kernel(a)
    with pytest.raises(rm.CompileError, match="expects a kernel with outputs"):
        tir.build(MATMUL.replace("attributes {tir.num_outputs = 1 : i64}", ""))
    with pytest.raises(ValueError, match="expects one of the kernels matmul"):
        tir.Schedule(MATMUL, "other")
