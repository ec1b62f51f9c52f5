# RUN: %python %s relay-opt mlir-translate %t
"""Primitives on loop structure, domains and reductions keep what a kernel
computes: numbers against NumPy, at sizes that leave remainders.

rfactor adds in another order: sums of a few hundred floats in [-1, 1] then
agree to 1e-5. Everything else is equal to the unscheduled kernel up to the
order in which NumPy adds, for which the same tolerance is used.
"""

import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from primitives import CONVOLUTION, Variants, convolve, instantiate

RNG = np.random.default_rng(1)


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


# a (13 x 21) times b (21 x 19), plus bias, in two blocks.
MATMUL = """
func.func @NAME(%a: tensor<13x21xf32>, %b: tensor<21x19xf32>,
                %c: tensor<19xf32>) -> tensor<13x19xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<13x19xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<13x19xf32>) -> tensor<13x19xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<13x21xf32>, tensor<21x19xf32>)
      outs(%f : tensor<13x19xf32>) attrs = {tir.block_name = "matmul"} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<13x19xf32>
  %1 = linalg.generic {indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0, %c : tensor<13x19xf32>, tensor<19xf32>)
      outs(%e : tensor<13x19xf32>) attrs = {tir.block_name = "bias"} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<13x19xf32>
  return %1 : tensor<13x19xf32>
}
"""

# The largest element of each row.
ROW_MAX = """
func.func @NAME(%x: tensor<?x37xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x37xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x37xf32>) outs(%f : tensor<?xf32>) attrs = {tir.block_name = "max"} {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""

# Zeros around x.
PAD = """
func.func @NAME(%x: tensor<?x7x9xf32>) -> tensor<?x10x12xf32> {
  %two = arith.constant 2.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 2, 3] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %two : f32
  } {tir.block_name = "pad"} : tensor<?x7x9xf32> to tensor<?x10x12xf32>
  return %p : tensor<?x10x12xf32>
}
"""

LOOPS = """
    %matmul = transform.tir.get_block @matmul in %f
    %bias = transform.tir.get_block @bias in %f
    %i, %j, %k = transform.tir.get_loops %matmul
"""

MATMUL_SCHEDULES = {
    "unscheduled": "",
    "reverse_spatial": LOOPS + """
    transform.tir.reverse %i
    transform.tir.reverse %j
    %jo, %ji = transform.tir.split %j [?, 4]
    transform.tir.vectorize %ji
""",
    "reverse_reduction": LOOPS + """
    %init = transform.tir.decompose_reduction %matmul, %k
    transform.tir.reverse %k
""",
    "loop_partition": LOOPS + """
    %a, %b, %c = transform.tir.loop_partition %i [4, ?, 2]
    %bi, %bj = transform.tir.get_loops %bias
    %d, %e = transform.tir.loop_partition %bj [?, 16]
    transform.tir.vectorize %e
    transform.tir.parallel %b
""",
    "loop_partition_reduction": LOOPS + """
    %a, %b = transform.tir.loop_partition %k [8, ?]
    %bo, %bi = transform.tir.split %b [?, 4]
""",
    "merge": LOOPS + """
    %bi, %bj = transform.tir.get_loops %bias
    %rows = transform.tir.merge %i, %bi
    transform.tir.parallel %rows
""",
    "add_unit_loop": LOOPS + """
    %one = transform.tir.add_unit_loop %i
    %two = transform.tir.add_unit_loop %bias
    transform.tir.annotate %two "note" = "kept" 
    transform.tir.unannotate %two "note"
""",
    "rfactor_inner": LOOPS + """
    %ko, %ki = transform.tir.split %k [?, 8]
    %partial = transform.tir.rfactor %ki axis = 2
    %a, %b, %c, %d = transform.tir.get_loops %partial
    transform.tir.reorder %c, %d
    transform.tir.vectorize %d
""",
    "rfactor_outer": LOOPS + """
    %ko, %ki = transform.tir.split %k [3, ?]
    transform.tir.reorder %ko, %i, %j, %ki
    %partial = transform.tir.rfactor %ko axis = 0
    transform.tir.parallel %ko
    %fi, %fj, %fk = transform.tir.get_loops %matmul
    transform.tir.reorder %fk, %fi, %fj
    transform.tir.vectorize %fj
""",
    "rfactor_whole": LOOPS + """
    %partial = transform.tir.rfactor %k axis = -1
    transform.tir.parallel %i
""",
    "rfactor_decomposed": LOOPS + """
    %init = transform.tir.decompose_reduction %matmul, %i
    %ko, %ki = transform.tir.split %k [?, 4]
    %partial = transform.tir.rfactor %ki axis = 1
""",
    "rfactor_guarded": LOOPS + """
    %io, %ii = transform.tir.split %i [?, 4]
    %jo, %ji = transform.tir.split %j [?, 8]
    %ko, %ki = transform.tir.split %k [?, 5]
    transform.tir.reorder %io, %jo, %ki, %ko, %ii, %ji
    %partial = transform.tir.rfactor %ki axis = 0
""",
    "blockize": LOOPS + """
    %io, %ii = transform.tir.split %i [?, 4]
    %jo, %ji = transform.tir.split %j [?, 8]
    %ko, %ki = transform.tir.split %k [?, 6]
    transform.tir.reorder %io, %jo, %ko, %ii, %ji, %ki
    %tile = transform.tir.blockize %ii
    transform.tir.parallel %io
""",
    "blockize_reduction": LOOPS + """
    %jo, %ji = transform.tir.split %j [?, 5]
    transform.tir.reorder %i, %jo, %ji, %k
    %tile = transform.tir.blockize %ji
    %to, %tj = transform.tir.get_loops %tile
    transform.tir.reorder %tj, %to
""",
    "blockize_element": LOOPS + """
    %bi, %bj = transform.tir.get_loops %bias
    %row = transform.tir.blockize %bj
    transform.tir.parallel %bi
""",
    "reindex": LOOPS + """
    %a = transform.tir.reindex %matmul, read 0
    %b = transform.tir.reindex %matmul, read 1
    %c = transform.tir.reindex %matmul, write 0
    transform.tir.reverse_compute_at %c, %i
    transform.tir.compute_at %a, %i
""",
    "pad_einsum": LOOPS + """
    transform.tir.pad_einsum %matmul [4, 8, 8]
    %jo, %ji = transform.tir.split %j [?, 8]
    transform.tir.reorder %jo, %k, %ji
    transform.tir.vectorize %ji
    %a = transform.tir.get_block @matmul_pad_0 in %f
    transform.tir.compute_at %a, %i
""",
    "pad_einsum_spatial": LOOPS + """
    transform.tir.pad_einsum %matmul [1, 16, 1]
    %crop = transform.tir.get_block @matmul_crop in %f
    transform.tir.reverse_compute_at %crop, %i
    %bi, %bj = transform.tir.get_loops %bias
    %none = transform.tir.cache_read %bias, 1, "global"
    transform.tir.pad_einsum %bias [2, 8]
""",
    "storage_align": LOOPS + """
    %copy = transform.tir.cache_read %matmul, 1, "global"
    transform.tir.storage_align %copy, 0, axis = 0, factor = 16, offset = 4
    transform.tir.storage_align %matmul, 0, axis = 0, factor = 8, offset = 0
    transform.tir.vectorize %j
""",
    "cache_inplace": LOOPS + """
    %init = transform.tir.decompose_reduction %matmul, %i
    %in, %out = transform.tir.cache_inplace %matmul, 0, "global"
    transform.tir.vectorize %j
""",
    # A loop on threads between two that run on one.
    "cache_inplace_parallel": LOOPS + """
    %in, %out = transform.tir.cache_inplace %matmul, 0, "global"
    transform.tir.parallel %i
""",
    "reorder_block_iter_var": LOOPS + """
    transform.tir.reorder_block_iter_var %matmul [2, 1, 0]
    %ko, %ki = transform.tir.split %k [?, 8]
    %init = transform.tir.decompose_reduction %matmul, %i
    transform.tir.reverse_compute_at %bias, %i
""",
}

ROW_LOOPS = """
    %max = transform.tir.get_block @max in %f
    %i, %j = transform.tir.get_loops %max
"""

ROW_MAX_SCHEDULES = {
    "unscheduled": "",
    "rfactor": ROW_LOOPS + """
    %jo, %ji = transform.tir.split %j [?, 8]
    %partial = transform.tir.rfactor %ji axis = 1
    transform.tir.reverse_compute_at %max, %i
    %a, %b, %c = transform.tir.get_loops %partial
    transform.tir.vectorize %c
    transform.tir.parallel %i
""",
    "reverse": ROW_LOOPS + """
    transform.tir.reverse %i
""",
    "blockize": ROW_LOOPS + """
    %row = transform.tir.blockize %j
    transform.tir.parallel %i
""",
    "loop_partition": ROW_LOOPS + """
    %a, %b, %c = transform.tir.loop_partition %j [16, 16, 5]
    transform.tir.unroll %c
""",
}

PAD_LOOPS = """
    %pad = transform.tir.get_block @pad in %f
    %n, %y, %x = transform.tir.get_loops %pad
"""

PAD_SCHEDULES = {
    "unscheduled": "",
    "decompose_padding": PAD_LOOPS + """
    %fill = transform.tir.decompose_padding %pad, %n
    %a, %b, %c = transform.tir.get_loops %fill
    transform.tir.vectorize %c
    transform.tir.parallel %n
""",
    "reverse": PAD_LOOPS + """
    transform.tir.reverse %y
    transform.tir.reverse %x
    transform.tir.vectorize %x
""",
    "blockize": PAD_LOOPS + """
    %yo, %yi = transform.tir.split %y [?, 4]
    %tile = transform.tir.blockize %yi
    transform.tir.parallel %n
""",
}

CONVOLUTION_SCHEDULES = {
    # The columns of the image.
    "reindex": """
    %conv = transform.tir.get_block @conv2d in %f
    %n, %o, %y, %x, %c, %kh, %kw = transform.tir.get_loops %conv
    %columns = transform.tir.reindex %conv, read 0
    transform.tir.compute_at %columns, %n
    %pad = transform.tir.get_block @pad in %f
    transform.tir.compute_inline %pad
""",
    "rfactor": """
    %conv = transform.tir.get_block @conv2d in %f
    %n, %o, %y, %x, %c, %kh, %kw = transform.tir.get_loops %conv
    %partial = transform.tir.rfactor %kw axis = 4
    %r = transform.tir.get_block @relu in %f
    transform.tir.reverse_compute_inline %r
""",
    "rfactor_fused": """
    %conv = transform.tir.get_block @conv2d in %f
    %n, %o, %y, %x, %c, %kh, %kw = transform.tir.get_loops %conv
    transform.tir.reorder %n, %kh, %o, %y, %x, %c, %kw
    %partial = transform.tir.rfactor %kh axis = 1
    transform.tir.parallel %n
""",
    "blockize": """
    %conv = transform.tir.get_block @conv2d in %f
    %n, %o, %y, %x, %c, %kh, %kw = transform.tir.get_loops %conv
    %xo, %xi = transform.tir.split %x [?, 4]
    transform.tir.reorder %n, %o, %y, %xo, %c, %xi, %kh, %kw
    %tile = transform.tir.blockize %xi
    transform.tir.parallel %n
""",
}


def main(relay_opt, mlir_translate, stem):
    text = "\n".join([instantiate(MATMUL, "matmul", MATMUL_SCHEDULES),
                      instantiate(ROW_MAX, "max", ROW_MAX_SCHEDULES),
                      instantiate(PAD, "pad", PAD_SCHEDULES),
                      instantiate(CONVOLUTION, "conv", CONVOLUTION_SCHEDULES)])
    module = "module attributes {transform.with_named_sequence} {\n" + text + "\n}\n"
    variants = Variants(module, relay_opt, mlir_translate, stem)
    a, b, c = random(13, 21), random(21, 19), random(19)
    product = (a.astype(np.float64) @ b.astype(np.float64) + c).astype(np.float32)
    for name in MATMUL_SCHEDULES:
        variants.check(f"matmul_{name}", [a, b, c], product)
    for batch in [1, 5]:
        rows = random(batch, 37)
        for name in ROW_MAX_SCHEDULES:
            variants.check(f"max_{name}", [rows], rows.max(axis=1))
        image = random(batch, 7, 9)
        padded = np.pad(image, [(0, 0), (1, 2), (0, 3)], constant_values=2)
        for name in PAD_SCHEDULES:
            variants.check(f"pad_{name}", [image], padded)
        x, w, bias = random(batch, 3, 8, 10), random(20, 3, 3, 3), random(20)
        for name in CONVOLUTION_SCHEDULES:
            variants.check(f"conv_{name}", [x, w, bias], convolve(x, w, bias))
    variants.finish()


if __name__ == "__main__":
    main(*sys.argv[1:4])
