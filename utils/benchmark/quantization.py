#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What 8 bits cost and gain: the trained networks of utils/models/trained.py in floats, as
relay_mlir.quantize makes integers of them, and as ONNX Runtime's static quantizer does, both
with the same samples, which are some that the networks were trained on.

    quantization.py                     # all, a table in Markdown
    quantization.py digits_cnn --batch 1,32 --threads 1

Right is the share of inputs that the networks were not trained on. Times are of runs in turns,
so that whatever else the machine does meets all of them; ratios are of the medians of rounds.
"""

import argparse
import pathlib
import platform
import sys
import time

import numpy as np
import onnxruntime
from onnxruntime.quantization import QuantType

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "utils" / "models"), str(ROOT / "utils")]

import option_types  # noqa: E402
import quantized  # noqa: E402
import relay_mlir as rm  # noqa: E402
import trained  # noqa: E402


def ort_session(model, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])


def networks(name, args):
    """What computes the outputs, by what it is called."""
    model = trained.load(name)
    inputs = trained.training_samples(name, args.samples)[0].astype(np.float32)
    key = model.graph.input[0].name
    result = rm.quantize(model, {key: inputs}, calibration=args.calibration,
                         metric="top1", budget=args.budget)
    feeds = [{key: part} for part in np.array_split(inputs, max(len(inputs) // 32, 1))]
    # What ONNX Runtime recommends for x86: both with a sign, weights by channels.
    peer = quantized.quantize(model, feeds, activation=QuantType.QInt8, weight=QuantType.QInt8,
                              per_channel=True)
    runs = {"float": rm.compile(model), "int8": rm.compile(result.module)}
    sessions = {"ORT float": ort_session(model, args.threads),
                "ORT int8": ort_session(peer, args.threads)}
    if args.import_peer:
        runs["int8 of ORT"] = rm.compile(peer)

    def call(run):
        def outputs(x):
            y = run.run({key: x})
            return y if isinstance(y, tuple) else (y,)

        return outputs

    by_name = {kind: call(run) for kind, run in runs.items()}
    for kind, session in sessions.items():
        by_name[kind] = lambda x, session=session: session.run(None, {key: x})
    return by_name, result


def time_in_turns(calls, x, rounds, turn):
    """The median seconds of a run of each."""
    times: dict[str, list[float]] = {kind: [] for kind in calls}
    for call in calls.values():
        call(x)
    for _ in range(rounds):
        for kind, call in calls.items():
            start, count = time.perf_counter(), 0
            while count == 0 or time.perf_counter() - start < turn:
                call(x)
                count += 1
            times[kind].append((time.perf_counter() - start) / count)
    return {kind: float(np.median(values)) for kind, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", metavar="network", help="all, if none is named: "
                        + ", ".join(trained.NETWORKS))
    parser.add_argument("--batch", type=option_types.positives, default=[1, 32],
                        help="batch sizes that are timed, 1,32 by default")
    parser.add_argument("--threads", type=option_types.positive, default=1)
    parser.add_argument("--samples", type=option_types.positive, default=256, help="for the ranges")
    parser.add_argument("--calibration", default="mse", choices=rm.quantization.CALIBRATIONS)
    parser.add_argument("--budget", type=float, help="see relay_mlir.quantize")
    parser.add_argument("--import-peer", action="store_true",
                        help="also compile what ONNX Runtime's quantizer made")
    parser.add_argument("--rounds", type=option_types.positive, default=7)
    parser.add_argument("--turn", type=option_types.seconds, default=0.2, help="seconds of each in a round")
    args = parser.parse_args()
    for name in args.networks:
        if name not in trained.NETWORKS:
            parser.error(f"expects one of {', '.join(trained.NETWORKS)}, but got {name!r}")
    rm.set_num_threads(args.threads)
    print(f"relay-mlir {rm.__version__}, ONNX Runtime {onnxruntime.__version__}, "
          f"{platform.machine()}, threads: {args.threads}\n")
    columns = ["network", "float", "int8", "ORT int8", *(["int8 of ORT"] * args.import_peer),
               "in integers"]
    columns += [f"{what}, batch {batch}" for batch in args.batch
                for what in ("float/int8", "ORT int8/int8")]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for name in args.networks or trained.NETWORKS:
        calls, result = networks(name, args)
        x, y = trained.samples(name, None)
        x = x.astype(np.float32)
        right = {kind: trained.measure(name, call(x), y) for kind, call in calls.items()}
        cells = [name] + [f"{right[kind]:.1%}" for kind in ("float", "int8", "ORT int8")]
        if args.import_peer:
            cells.append(f"{right['int8 of ORT']:.1%}")
        cells.append(f"{result.report.num_integer} of {len(result.report.layers)}")
        for batch in args.batch:
            times = time_in_turns(calls, x[:batch], args.rounds, args.turn)
            cells += [f"{times['float'] / times['int8']:.2f}",
                      f"{times['ORT int8'] / times['int8']:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
