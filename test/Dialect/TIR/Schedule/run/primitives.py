# RUN: %python %s relay-opt mlir-translate %t
"""Schedules keep what a kernel computes: numbers against NumPy.

Each program is compiled once per schedule, at sizes that leave remainders.
"""

import os
import sys

import numpy as np

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "..", "..", "..", "..")
sys.path.insert(0, os.path.join(TESTS, "Inputs"))

from kernels import Kernels

PASSES = ["convert-linalg-to-tir", "tir-apply-schedules"]
# Two ways on from there.
FINISH = {"plain": ["tir.prim_func(verify-tir-scheduled)"],
          "compact": ["tir.prim_func(tir-simplify,tir-compact-buffers,"
                      "tir-simplify,verify-tir-scheduled)"]}

RNG = np.random.default_rng(0)


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


# relu(conv2d(pad(x), w) + b), dynamic batch, 20 outputs, 8 x 10 pixels.
CONVOLUTION = """
func.func @NAME(%x: tensor<?x3x8x10xf32>, %w: tensor<20x3x3x3xf32>,
                %b: tensor<20xf32>) -> tensor<?x20x8x10xf32>
    attributes {tir.layout_free = [1, 2]} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x8x10xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } {tir.block_name = "pad"} : tensor<?x3x8x10xf32> to tensor<?x3x10x12xf32>
  %e = tensor.empty(%n) : tensor<?x20x8x10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x20x8x10xf32>) -> tensor<?x20x8x10xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(n, o, y, x, c, kh, kw) -> (n, c, y + kh, x + kw)>,
      affine_map<(n, o, y, x, c, kh, kw) -> (o, c, kh, kw)>,
      affine_map<(n, o, y, x, c, kh, kw) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<?x3x10x12xf32>, tensor<20x3x3x3xf32>)
      outs(%f : tensor<?x20x8x10xf32>) attrs = {tir.block_name = "conv2d"} {
  ^bb0(%a: f32, %v: f32, %c: f32):
    %m = arith.mulf %a, %v : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x20x8x10xf32>
  %1 = linalg.generic {indexing_maps = [
      affine_map<(n, o, y, x) -> (n, o, y, x)>, affine_map<(n, o, y, x) -> (o)>,
      affine_map<(n, o, y, x) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%0, %b : tensor<?x20x8x10xf32>, tensor<20xf32>)
      outs(%e : tensor<?x20x8x10xf32>) attrs = {tir.block_name = "bias_add"} {
  ^bb0(%a: f32, %v: f32, %c: f32):
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<?x20x8x10xf32>
  %2 = linalg.generic {indexing_maps = [
      affine_map<(n, o, y, x) -> (n, o, y, x)>,
      affine_map<(n, o, y, x) -> (n, o, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<?x20x8x10xf32>) outs(%e : tensor<?x20x8x10xf32>)
      attrs = {tir.block_name = "relu"} {
  ^bb0(%a: f32, %c: f32):
    %s = arith.maximumf %a, %zero : f32
    linalg.yield %s : f32
  } -> tensor<?x20x8x10xf32>
  return %2 : tensor<?x20x8x10xf32>
}
"""

# Softmax over rows of dynamic number and length, in four blocks.
SOFTMAX = """
#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @NAME(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%fm : tensor<?xf32>) attrs = {tir.block_name = "max"} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) attrs = {tir.block_name = "exp"} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%fs : tensor<?xf32>) attrs = {tir.block_name = "sum"} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %div = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) attrs = {tir.block_name = "divide"} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %div : tensor<?x?xf32>
}
"""


def convolve(x, w, b):
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    result = np.einsum("ncyxhw,ochw->noyx", windows, w.astype(np.float64))
    return np.maximum(result + b.reshape(1, -1, 1, 1), 0).astype(np.float32)


def softmax(x):
    exp = np.exp(x - x.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


LOOPS = """
    %conv = transform.tir.get_block @conv2d in %f
    %n, %o, %y, %x, %c, %kh, %kw = transform.tir.get_loops %conv
"""

CONVOLUTION_SCHEDULES = {
    "unscheduled": "",
    "split_predicate": LOOPS + """
    %oo, %oi = transform.tir.split %o [?, 6]
    %xo, %xm, %xi = transform.tir.split %x [?, 2, 3]
    %co, %ci = transform.tir.split %c [?, 2]
""",
    "split_partition": LOOPS + """
    %oo, %oi, %orest = transform.tir.split %o [?, 8] tail = "partition"
    %xo, %xi, %xrest = transform.tir.split %x [?, 4] tail = "partition"
    %relu = transform.tir.get_block @relu in %f
    %rn, %ro, %ry, %rx = transform.tir.get_loops %relu
    %ra, %rb, %rrest = transform.tir.split %rn [?, 2] tail = "partition"
""",
    "split_reduction_partition": LOOPS + """
    %co, %ci, %crest = transform.tir.split %c [?, 2] tail = "partition"
""",
    "fuse": LOOPS + """
    %no = transform.tir.fuse %n, %o
    %yx = transform.tir.fuse %y, %x
    %k = transform.tir.fuse %c, %kh, %kw
    %a, %b = transform.tir.split %yx [?, 7]
    %d, %e = transform.tir.split %no [?, 3]
""",
    "reorder": LOOPS + """
    transform.tir.reorder %kw, %x, %c, %n, %kh, %o, %y
    transform.tir.unroll %kh
""",
    "parallel_vectorize": LOOPS + """
    %oo, %oi = transform.tir.split %o [?, 8]
    transform.tir.reorder %n, %oo, %y, %x, %c, %kh, %kw, %oi
    %no = transform.tir.fuse %n, %oo
    transform.tir.parallel %no
    transform.tir.vectorize %oi
""",
    "compute_inline": LOOPS + """
    %pad = transform.tir.get_block @pad in %f
    transform.tir.compute_inline %pad
    %bias = transform.tir.get_block @bias_add in %f
    transform.tir.compute_inline %bias
""",
    "reverse_compute_inline": """
    %relu = transform.tir.get_block @relu in %f
    transform.tir.reverse_compute_inline %relu
""",
    "compute_at": LOOPS + """
    %yo, %yi = transform.tir.split %y [?, 3]
    %pad = transform.tir.get_block @pad in %f
    transform.tir.reorder %n, %yo, %o, %yi
    transform.tir.compute_at %pad, %yo
""",
    "compute_at_inner": LOOPS + """
    %pad = transform.tir.get_block @pad in %f
    transform.tir.compute_at %pad, %kh
""",
    "reverse_compute_at": LOOPS + """
    %oo, %oi = transform.tir.split %o [?, 6]
    %xo, %xi = transform.tir.split %x [?, 4]
    transform.tir.reorder %n, %oo, %y, %xo, %c, %kh, %kw, %xi, %oi
    %bias = transform.tir.get_block @bias_add in %f
    transform.tir.compute_inline %bias
    %relu = transform.tir.get_block @relu in %f
    transform.tir.reverse_compute_at %relu, %xo
    transform.tir.parallel %n
""",
    "reverse_compute_at_twice": LOOPS + """
    %bias = transform.tir.get_block @bias_add in %f
    transform.tir.reverse_compute_at %bias, %y
    %relu = transform.tir.get_block @relu in %f
    transform.tir.reverse_compute_at %relu, %y
""",
    "cache_write": LOOPS + """
    %copy = transform.tir.cache_write %conv, 0, "global"
    transform.tir.reverse_compute_at %copy, %y
""",
    "cache_read": LOOPS + """
    %copy = transform.tir.cache_read %conv, 0, "global"
    transform.tir.compute_at %copy, %y
    %weight = transform.tir.cache_read %conv, 1, "global"
    transform.tir.transform_layout %weight, write 0, affine_map<(o, c, h, w) -> (c, h, w, o)>
""",
    "decompose_reduction": LOOPS + """
    %oo, %oi = transform.tir.split %o [?, 6]
    transform.tir.reorder %n, %oo, %y, %c, %kh, %kw, %x, %oi
    %init = transform.tir.decompose_reduction %conv, %c
""",
    "packed": LOOPS + """
    transform.tir.transform_layout %conv, read 1, affine_map<(o, c, h, w) -> (o floordiv 16, c, h, w, o mod 16)>
    transform.tir.transform_layout %conv, write 0, affine_map<(n, o, y, x) -> (n, o floordiv 16, y, x, o mod 16)>
    transform.tir.transform_layout %conv, read 0, affine_map<(n, c, y, x) -> (n, y, x, c)>
    %oo, %oi = transform.tir.split %o [?, 16]
    transform.tir.reorder %n, %oo, %y, %x, %c, %kh, %kw, %oi
    transform.tir.vectorize %oi
    %pad = transform.tir.get_block @pad in %f
    transform.tir.compute_at %pad, %y
    transform.tir.parallel %n
""",
}

SOFTMAX_SCHEDULES = {
    "unscheduled": "",
    "rows": """
    %div = transform.tir.get_block @divide in %f
    %i, %j = transform.tir.get_loops %div
    %sum = transform.tir.get_block @sum in %f
    %exp = transform.tir.get_block @exp in %f
    %max = transform.tir.get_block @max in %f
    transform.tir.compute_at %sum, %i
    transform.tir.compute_at %exp, %i
    transform.tir.compute_at %max, %i
    transform.tir.parallel %i
""",
    "rows_reverse": """
    %max = transform.tir.get_block @max in %f
    %i, %j = transform.tir.get_loops %max
    %io, %ii = transform.tir.split %i [?, 4]
    %exp = transform.tir.get_block @exp in %f
    transform.tir.reverse_compute_at %exp, %io
    %sum = transform.tir.get_block @sum in %f
    transform.tir.reverse_compute_at %sum, %io
    %div = transform.tir.get_block @divide in %f
    transform.tir.reverse_compute_at %div, %io
    transform.tir.parallel %io
""",
    "fused_vectors": """
    %exp = transform.tir.get_block @exp in %f
    transform.tir.compute_inline %exp
    %div = transform.tir.get_block @divide in %f
    %i, %j = transform.tir.get_loops %div
    %ij = transform.tir.fuse %i, %j
    %a, %b = transform.tir.split %ij [?, 8]
    transform.tir.vectorize %b
    transform.tir.parallel %a
""",
    "partition_dynamic": """
    %div = transform.tir.get_block @divide in %f
    %i, %j = transform.tir.get_loops %div
    %jo, %ji, %rest = transform.tir.split %j [?, 8] tail = "partition"
    transform.tir.vectorize %ji
    %sum = transform.tir.get_block @sum in %f
    %si, %sj = transform.tir.get_loops %sum
    %so, %sr, %srest = transform.tir.split %sj [?, 4] tail = "partition"
""",
}


def instantiate(program, prefix, schedules):
    text = []
    for name, script in schedules.items():
        symbol = f"{prefix}_{name}"
        text.append(program.replace("NAME", symbol))
        if script:
            text.append(
                f"transform.named_sequence @{symbol}.schedule"
                "(%f: !transform.any_op {transform.readonly}) {\n"
                f"{script}\n    transform.yield\n}}\n")
    return "\n".join(text)


class Variants:
    """Kernels of one module, compiled in each way of FINISH."""

    def __init__(self, module, relay_opt, mlir_translate, stem):
        self.kernels = {name: Kernels(module, PASSES + passes, relay_opt,
                                      mlir_translate, f"{stem}.{name}")
                        for name, passes in FINISH.items()}
        self.total = self.failures = 0

    def check(self, name, inputs, expected):
        for variant, kernels in self.kernels.items():
            output = np.full(expected.shape, np.nan, np.float32)
            kernels.call(name, inputs + [output])
            self.total += 1
            if not np.allclose(output, expected, rtol=1e-5, atol=1e-5):
                self.failures += 1
                print(f"{variant} {name} at {inputs[0].shape}: largest error "
                      f"{np.abs(output - expected).max()}", file=sys.stderr)

    def finish(self):
        print(f"{self.total - self.failures} of {self.total} results agree")
        sys.exit(self.failures != 0)


def main(relay_opt, mlir_translate, stem):
    # Aliases of attributes are declared before the module.
    programs = [instantiate(CONVOLUTION, "conv", CONVOLUTION_SCHEDULES),
                instantiate(SOFTMAX, "softmax", SOFTMAX_SCHEDULES)]
    text = "\n".join(programs)
    aliases = sorted({line for line in text.splitlines() if line.startswith("#")})
    body = "\n".join(line for line in text.splitlines()
                     if not line.startswith("#"))
    module = ("\n".join(aliases) +
              "\nmodule attributes {transform.with_named_sequence} {\n" + body +
              "\n}\n")
    variants = Variants(module, relay_opt, mlir_translate, stem)
    for batch in [1, 3]:
        x, w, b = random(batch, 3, 8, 10), random(20, 3, 3, 3), random(20)
        for name in CONVOLUTION_SCHEDULES:
            variants.check(f"conv_{name}", [x, w, b], convolve(x, w, b))
    for shape in [(1, 1), (3, 5), (7, 16), (9, 37)]:
        x = random(*shape)
        for name in SOFTMAX_SCHEDULES:
            variants.check(f"softmax_{name}", [x], softmax(x))
    variants.finish()


if __name__ == "__main__":
    main(*sys.argv[1:4])
