#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of few rows of floats and weights of 4 bits, as in language models, with ONNX
Runtime's MatMulNBits as the peer.

    few_bits.py                              # a table in Markdown
    few_bits.py --rows 1 --blocks 32 --layers 1 --open

A chain of products, each with a weight of its own, so that together they are more than the
last cache holds: --layers 1 is one product whose weight may stay there. With --open also
compiled for an open number of rows, of which each number is run. Runs are in turns; ratios are of the medians of rounds, and what
is in brackets is how far their quarters are apart. The peer adds up in floats, and, where a
column says so, products of data rounded to 8 bits (accuracy_level 4).
"""

import argparse
import platform
import sys
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "utils")]

import option_types  # noqa: E402
import relay_mlir as rm  # noqa: E402
from quantization import ort_session, ratio, time_in_turns  # noqa: E402


def make_chain(rows, size, block, layers, accuracy=0):
    """Products of size x size; what is summed is small, so that a chain stays finite."""
    rng = np.random.default_rng(0)
    blocks = size // block
    nodes, constants = [], []
    for layer in range(layers):
        numbers = rng.integers(0, 256, (size, blocks, block // 2)).astype(np.uint8)
        scales = rng.uniform(0.5, 1.5, size * blocks) / size
        constants += [numpy_helper.from_array(numbers, f"w{layer}"),
                      numpy_helper.from_array(scales.astype(np.float32), f"s{layer}")]
        nodes.append(helper.make_node(
            "MatMulNBits", [f"x{layer}", f"w{layer}", f"s{layer}"], [f"x{layer + 1}"],
            domain="com.microsoft", N=size, K=size, bits=4, block_size=block,
            accuracy_level=accuracy))
    shape = [rows, size]
    graph = helper.make_graph(
        nodes, "products", [helper.make_tensor_value_info("x0", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(f"x{layers}", TensorProto.FLOAT, shape)], constants)
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def make_row(rows, is_open, block, args):
    size = "rows" if is_open else rows
    model = make_chain(size, args.size, block, args.layers)
    program = rm.compile(model)
    bytes8 = make_chain(size, args.size, block, args.layers, accuracy=4)
    sessions = [ort_session(each, args.threads) for each in (model, bytes8)]
    key, output = model.graph.input[0].name, model.graph.output[0].name
    x = np.random.default_rng(1).normal(size=(rows, args.size)).astype(np.float32)
    ours, theirs = program.run({key: x}), sessions[0].run([output], {key: x})[0]
    error = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if not error < 1e-4:
        raise SystemExit(f"expects results as of ONNX Runtime, but got an error of {error:.1e}")
    calls = {"ours": program.run,
             "floats": lambda feed: sessions[0].run([output], feed),
             "bytes": lambda feed: sessions[1].run([output], feed)}
    times = time_in_turns(calls, {key: x}, args.rounds, args.turn)
    ms = {kind: np.median(values) * 1e3 for kind, values in times.items()}
    rate = args.layers * args.size ** 2 / 2 / np.median(times["ours"]) / 1e9
    return [f"{rows}, open" if is_open else str(rows), str(block), f"{ms['ours']:.2f} ms", f"{rate:.1f} GB/s",
            f"{ms['floats']:.2f} ms", ratio(times["floats"], times["ours"]),
            f"{ms['bytes']:.2f} ms", ratio(times["bytes"], times["ours"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=option_types.positives, default=[1, 4, 32],
                        help="1,4,32 by default")
    parser.add_argument("--open", action="store_true",
                        help="also with code for any number of rows")
    parser.add_argument("--blocks", type=option_types.positives, default=[32, 128],
                        help="numbers that share a scale, 32,128 by default")
    parser.add_argument("--size", type=option_types.positive, default=4096,
                        help="of the weights, a multiple of the blocks, 4096 by default")
    parser.add_argument("--layers", type=option_types.positive, default=16)
    parser.add_argument("--threads", type=option_types.positive, default=1)
    parser.add_argument("--rounds", type=option_types.positive, default=7)
    parser.add_argument("--turn", type=option_types.seconds, default=0.2,
                        help="seconds of each in a round")
    args = parser.parse_args()
    for block in args.blocks:
        if block < 16 or block & (block - 1) or args.size % block:
            parser.error("expects blocks that are powers of two from 16 on and divide "
                         f"{args.size}, but got {block}")
    rm.set_num_threads(args.threads)
    print(f"relay-mlir {rm.__version__}, ONNX Runtime {onnxruntime.__version__}, "
          f"{platform.machine()}, threads: {args.threads}, {args.layers} x {args.size} x "
          f"{args.size}\n")
    columns = ["rows", "block", "time", "weights", "ORT", "ORT/ours", "ORT, bytes",
               "ORT, bytes/ours"]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for is_open in [False, True][:1 + args.open]:
        for rows in args.rows:
            for block in args.blocks:
                print("| " + " | ".join(make_row(rows, is_open, block, args)) + " |", flush=True)


if __name__ == "__main__":
    main()
