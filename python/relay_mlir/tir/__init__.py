"""Kernels as loops over buffers, and how they run.

    from relay_mlir import tir

    mod = tir.lower("model.onnx")              # the kernels of a model
    sch = tir.Schedule(mod, "fused_nn_dense")
    i, j, k = sch.get_loops(sch.get_block("dense"))
    sch.parallel(i)
    kernel = tir.build(sch)
    y = kernel(x, w)
"""

from ._build import Kernel, build, kernels, lower
from .schedule import BlockRV, ExprRV, LoopRV, Schedule, ScheduleError, TensorIntrin, Trace

__all__ = [
    "BlockRV", "ExprRV", "Kernel", "LoopRV", "Schedule", "ScheduleError",
    "TensorIntrin", "Trace", "build", "kernels", "lower",
]
