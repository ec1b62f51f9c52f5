#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What 8 bits cost and gain: networks in floats, as relay_mlir.quantize makes integers of
them, and as ONNX Runtime's static quantizer does, both with the same samples.

    quantization.py                     # all that are trained, a table in Markdown
    quantization.py digits_cnn --batch 1,32 --threads 1
    quantization.py resnet18 mobilenetv2 --layers
    quantization.py int8                # the large networks that are measured

Networks of utils/models/trained.py are trained: right is the share of inputs that they were
not trained on. Of those of utils/models/build.py, whose weights are random, signal to noise
against floats is printed instead, in dB, and their batch is 1. Times are of runs in turns, so
that whatever else the machine does meets all of them; ratios are of the medians of rounds,
and what is in brackets is how far their quarters are apart. With --layers a table for each
network says which kernels take longest in integers, and in floats.
"""

import argparse
import logging
import pathlib
import platform
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quant_pre_process

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "utils" / "models"), str(ROOT / "utils")]

import build  # noqa: E402
import option_types  # noqa: E402
import quantized  # noqa: E402
import relay_mlir as rm  # noqa: E402
import trained  # noqa: E402


def sqnr(values, others):
    """Signal to noise in dB."""
    noise = np.sum((values.astype(np.float64) - others) ** 2)
    return 10 * np.log10(np.sum(values.astype(np.float64) ** 2) / noise)


def fold(model):
    """A model with batch normalization in weights, as ONNX Runtime's quantizer wants it."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = (pathlib.Path(folder) / name for name in ("f.onnx", "g.onnx"))
        onnx.save(model, source)
        quant_pre_process(source, result, skip_symbolic_shape=True)
        return onnx.load(result)


def ort_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


# As many samples as a large network is looked at with.
NUM_RANDOM = 8
LARGE = ["resnet18", "resnet50", "mobilenetv2", "vgg16", "bert_base"]


class Network:
    """A network, the samples for its ranges, and those that it is measured with."""

    def __init__(self, name, args):
        self.name, self.is_trained = name, name in trained.NETWORKS
        if self.is_trained:
            self.model = trained.load(name)
            key = self.model.graph.input[0].name
            self.samples = {key: trained.training_samples(name, args.samples)[0]
                            .astype(np.float32)}
            x, self.labels = trained.samples(name, None)
            self.unseen = {key: x.astype(np.float32)}
            self.feeds = [{key: part} for part in np.array_split(
                self.samples[key], max(args.samples // 32, 1))]
        else:
            self.model = build.build(name)
            self.feeds = [build.random_inputs(self.model, seed=seed)
                          for seed in range(min(args.samples, NUM_RANDOM))]
            self.samples = {key: np.concatenate([feed[key] for feed in self.feeds])
                            for key in self.feeds[0]}
            self.unseen = build.random_inputs(self.model, seed=NUM_RANDOM)

    def batches(self, args):
        """Batch sizes, and inputs of each."""
        if not self.is_trained:
            return [(1, self.unseen)]
        return [(batch, {key: x[:batch] for key, x in self.unseen.items()})
                for batch in args.batch]

    def rate(self, calls):
        """How good each is, as text."""
        outputs = {kind: call(self.unseen) for kind, call in calls.items()}
        if self.is_trained:
            return {kind: f"{trained.measure(self.name, each, self.labels):.1%}"
                    for kind, each in outputs.items()}
        return {kind: "" if kind == "float" else f"{sqnr(outputs['float'][0], each[0]):.1f} dB"
                for kind, each in outputs.items()}


def compile_all(network, args):
    """What computes the outputs, by what it is called, and what was quantized."""

    def quantize(weight_bits):
        return rm.quantize(network.model, network.samples, calibration=args.calibration,
                           metric="top1" if network.is_trained else "cosine",
                           budget=args.budget, equalize=args.equalize,
                           correct_bias=args.correct_bias, weight_bits=weight_bits)

    result = quantize(8)
    # What ONNX Runtime recommends for x86: both with a sign, weights by channels.
    peer = quantized.quantize(fold(network.model), network.feeds, activation=QuantType.QInt8,
                              weight=QuantType.QInt8, per_channel=True)
    runs = {"float": rm.compile(network.model), "int8": rm.compile(result.module)}
    sessions = {"ORT float": ort_session(network.model, args.threads),
                "ORT int8": ort_session(peer, args.threads)}
    if args.reduce_range:
        runs["7 bits"] = rm.compile(quantize(7).module)
    if args.import_peer:
        runs["int8 of ORT"] = rm.compile(peer)

    def call(run):
        def outputs(feed):
            y = run.run(feed)
            return y if isinstance(y, tuple) else (y,)

        return outputs

    by_name = {kind: call(run) for kind, run in runs.items()}
    for kind, session in sessions.items():
        by_name[kind] = lambda feed, session=session: session.run(None, feed)
    return by_name, result, runs


def time_in_turns(calls, feed, rounds, turn):
    """The seconds of a run of each, in each round."""
    times: dict[str, list[float]] = {kind: [] for kind in calls}
    for call in calls.values():
        call(feed)
    for _ in range(rounds):
        for kind, call in calls.items():
            start, count = time.perf_counter(), 0
            while count == 0 or time.perf_counter() - start < turn:
                call(feed)
                count += 1
            times[kind].append((time.perf_counter() - start) / count)
    return {kind: np.array(values) for kind, values in times.items()}


def ratio(slow, fast):
    """How many times as long one takes, and how far the quarters of rounds are apart."""
    low, high = np.percentile(slow / fast, [25, 75])
    return f"{np.median(slow) / np.median(fast):.2f} ({high - low:.2f})"


def print_layers(runs, feed, count=8):
    """The kernels that take longest in integers, and the same of floats: a layer that is
    slower in integers is the longer one of both."""
    for kind in [kind for kind in ("float", "int8", "7 bits") if kind in runs]:
        rows = runs[kind].profile(feed, repeat=10)
        print(f"\n{kind}: {sum(row.median for row in rows) * 1e3:.2f} ms")
        for row in rows[:count]:
            print(f"  {row.median * 1e3:8.2f} ms {row.share:6.1%} {row.calls:3} x {row.name}")
    print()


def make_row(network, args):
    """The cells of a network in the table."""
    calls, result, runs = compile_all(network, args)
    rates = network.rate(calls)
    cells = [network.name] + [rates[kind] for kind in ("float", "int8", "ORT int8")]
    if args.reduce_range:
        cells.append(rates["7 bits"])
    if args.import_peer:
        cells.append(rates["int8 of ORT"])
    cells.append(f"{result.report.num_integer} of {len(result.report.layers)}")
    for _, feed in network.batches(args):
        times = time_in_turns(calls, feed, args.rounds, args.turn)
        cells += [f"{np.median(times['int8']) * 1e3:.3g} ms", ratio(times["float"], times["int8"]),
                  ratio(times["ORT int8"], times["int8"])]
        if args.reduce_range:
            cells += [ratio(times["float"], times["7 bits"]),
                      ratio(times["int8"], times["7 bits"])]
    if args.layers:
        print_layers(runs, network.batches(args)[0][1])
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", metavar="network", help="int8: "
                        + ", ".join(LARGE) + "; or names, all that are trained, if none is "
                        "named: " + ", ".join(trained.NETWORKS))
    parser.add_argument("--batch", type=option_types.positives, default=[1, 32],
                        help="batch sizes that trained networks are timed with, 1,32 by default")
    parser.add_argument("--threads", type=option_types.positive, default=1)
    parser.add_argument("--samples", type=option_types.positive, default=256,
                        help=f"for the ranges; of networks that are not trained {NUM_RANDOM} at "
                        "most")
    parser.add_argument("--calibration", default="mse", choices=rm.quantization.CALIBRATIONS)
    parser.add_argument("--budget", type=float, help="see relay_mlir.quantize")
    parser.add_argument("--equalize", type=float, help="see relay_mlir.quantize")
    parser.add_argument("--correct-bias", action="store_true", help="see relay_mlir.quantize")
    parser.add_argument("--reduce-range", action="store_true",
                        help="also with weights of 7 bits, see relay_mlir.quantize")
    parser.add_argument("--import-peer", action="store_true",
                        help="also compile what ONNX Runtime's quantizer made")
    parser.add_argument("--layers", action="store_true",
                        help="also print which kernels take longest")
    parser.add_argument("--rounds", type=option_types.positive, default=7)
    parser.add_argument("--turn", type=option_types.seconds, default=0.2,
                        help="seconds of each in a round")
    args = parser.parse_args()
    names = [each for name in args.networks or trained.NETWORKS
             for each in (LARGE if name == "int8" else [name])]
    for name in names:
        if name not in build.MODELS:
            parser.error(f"expects int8, or some of {', '.join(build.MODELS)}, but got {name!r}")
    rm.set_num_threads(args.threads)
    # Its quantizer says much about each weight.
    logging.getLogger().setLevel(logging.ERROR)
    print(f"relay-mlir {rm.__version__}, ONNX Runtime {onnxruntime.__version__}, "
          f"{platform.machine()}, threads: {args.threads}\n")
    columns = ["network", "float", "int8", "ORT int8", *(["7 bits"] * args.reduce_range),
               *(["int8 of ORT"] * args.import_peer),
               "in integers"]
    areTrained = all(name in trained.NETWORKS for name in names)
    for batch in args.batch if areTrained else [1]:
        columns += [f"int8, batch {batch}", "float/int8", "ORT int8/int8",
                    *(["float/7 bits", "int8/7 bits"] * args.reduce_range)]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for name in names:
        print("| " + " | ".join(make_row(Network(name, args), args)) + " |", flush=True)


if __name__ == "__main__":
    main()
