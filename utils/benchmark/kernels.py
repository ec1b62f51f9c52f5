#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times single kernels against ONNX Runtime.

    kernels.py                      all groups
    kernels.py conv matmul --threads 2 --rounds 30

Each kernel is a model of one operator (convolutions with bias and relu, as the
fusion leaves them). Both run in this process, in turn; the medians are
printed, with GFLOP/s where the work is known. A ratio above 1 means ours is
faster.
"""

import argparse
import statistics
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import relay_mlir as rm

RNG = np.random.default_rng(0)


class Kernel:
    def __init__(self, name, nodes, inputs, constants, shape, flops=0):
        self.name, self.flops = name, flops
        self.inputs = {key: random(*size) for key, size in inputs.items()}
        weights = [numpy_helper.from_array(random(*size), key)
                   for key, size in constants.items()]
        values = [helper.make_tensor_value_info(key, TensorProto.FLOAT, size)
                  for key, size in inputs.items()]
        result = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
        graph = helper.make_graph(nodes, "kernel", values, [result], weights)
        self.model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def random(*shape):
    return RNG.uniform(-1, 1, shape).astype(np.float32)


def conv(channels, size, outputs, kernel, stride=1, groups=1):
    pad = kernel // 2
    out = (size + 2 * pad - kernel) // stride + 1
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[pad] * 4,
                              strides=[stride] * 2, kernel_shape=[kernel] * 2,
                              group=groups),
             helper.make_node("Relu", ["c"], ["y"])]
    kind = "depthwise" if groups == channels else "conv"
    return Kernel(
        f"{kind} {kernel}x{kernel}/{stride} {channels}->{outputs} @{size}", nodes,
        {"x": [1, channels, size, size]},
        {"w": [outputs, channels // groups, kernel, kernel], "b": [outputs]},
        [1, outputs, out, out],
        2 * outputs * channels // groups * kernel ** 2 * out ** 2)


def dense(rows, columns, depth, constant=True):
    name = f"{'dense' if constant else 'matmul'} {rows}x{columns}x{depth}"
    sizes = {"x": [rows, depth]}, {"w": [depth, columns]}
    inputs, constants = sizes if constant else ({**sizes[0], **sizes[1]}, {})
    return Kernel(name, [helper.make_node("MatMul", ["x", "w"], ["y"])], inputs,
                  constants, [rows, columns], 2 * rows * columns * depth)


def batch(count, rows, columns, depth):
    return Kernel(f"batch_matmul {count}x{rows}x{columns}x{depth}",
                  [helper.make_node("MatMul", ["a", "b"], ["y"])],
                  {"a": [count, rows, depth], "b": [count, depth, columns]}, {},
                  [count, rows, columns], 2 * count * rows * columns * depth)


def unary(operator, *shape, **attributes):
    return Kernel(f"{operator} {'x'.join(map(str, shape))}",
                  [helper.make_node(operator, ["x"], ["y"], **attributes)],
                  {"x": shape}, {}, shape)


def layer_norm(rows, columns):
    return Kernel(f"LayerNormalization {rows}x{columns}",
                  [helper.make_node("LayerNormalization", ["x", "g", "b"], ["y"])],
                  {"x": [rows, columns]}, {"g": [columns], "b": [columns]},
                  [rows, columns])


def pool(operator, channels, size, kernel, stride):
    pad = kernel // 2
    out = (size + 2 * pad - kernel) // stride + 1
    return Kernel(f"{operator} {kernel}x{kernel}/{stride} {channels} @{size}",
                  [helper.make_node(operator, ["x"], ["y"], pads=[pad] * 4,
                                    kernel_shape=[kernel] * 2, strides=[stride] * 2)],
                  {"x": [1, channels, size, size]}, {}, [1, channels, out, out])


GROUPS = {
    "matmul": lambda: [dense(1024, 1024, 1024, False), dense(1024, 1024, 1024),
                       dense(128, 768, 768), dense(128, 3072, 768),
                       dense(128, 768, 3072), dense(1, 1000, 2048),
                       dense(7, 301, 123), batch(12, 128, 128, 64),
                       batch(12, 128, 64, 128)],
    "conv": lambda: [conv(3, 224, 64, 7, 2), conv(64, 56, 64, 3),
                     conv(128, 28, 128, 3), conv(256, 14, 256, 3),
                     conv(512, 7, 512, 3), conv(64, 56, 256, 1),
                     conv(256, 56, 64, 1), conv(512, 28, 1024, 1, 2),
                     conv(1024, 14, 256, 1), conv(2048, 7, 512, 1),
                     conv(32, 112, 32, 3, 1, 32), conv(96, 112, 96, 3, 2, 96),
                     conv(960, 7, 960, 3, 1, 960), conv(128, 28, 128, 3, 1, 32)],
    "row": lambda: [unary("Softmax", 1536, 128, axis=-1),
                    unary("Softmax", 1, 1000, axis=-1), layer_norm(128, 768)],
    "pool": lambda: [pool("MaxPool", 64, 112, 3, 2), pool("AveragePool", 64, 56, 3, 1)],
    "elementwise": lambda: [unary("Relu", 1, 64, 112, 112), unary("Exp", 1, 64, 112, 112),
                            unary("Sigmoid", 1, 64, 56, 56), unary("Erf", 128, 3072)],
}


def measure(kernel, threads, rounds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(
        kernel.model.SerializeToString(), options,
        providers=["CPUExecutionProvider"])
    module = rm.compile(kernel.model)
    runs = [lambda: module.run(kernel.inputs),
            lambda: session.run(None, kernel.inputs)[0]]
    ours, theirs = (run() for run in runs)
    scale = max(np.abs(theirs).max(), 1e-30)
    error = np.abs(ours - theirs).max() / scale
    times = [[], []]
    for _ in range(rounds):
        for run, list_ in zip(runs, times):
            start = time.perf_counter()
            run()
            list_.append(time.perf_counter() - start)
    return error, *map(statistics.median, times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=30)
    arguments = parser.parse_args()
    rm.set_num_threads(arguments.threads)
    print(f"{'kernel':<34}{'error':>9}{'ours us':>11}{'ORT us':>11}{'ratio':>7}"
          f"{'GFLOP/s':>9}{'ORT':>7}")
    for group in arguments.groups or GROUPS:
        for kernel in GROUPS[group]():
            error, ours, theirs = measure(kernel, arguments.threads,
                                          arguments.rounds)
            rates = ""
            if kernel.flops:
                rates = (f"{kernel.flops / ours / 1e9:>9.0f}"
                         f"{kernel.flops / theirs / 1e9:>7.0f}")
            print(f"{kernel.name:<34}{error:>9.1e}{ours * 1e6:>11.1f}"
                  f"{theirs * 1e6:>11.1f}{theirs / ours:>7.2f}{rates}", flush=True)


if __name__ == "__main__":
    main()
