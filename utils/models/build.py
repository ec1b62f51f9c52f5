#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds ONNX models for tests and benchmarks, with seeded random weights; those
of `digits_...` are trained when they are first asked for.

    build.py resnet50 -o resnet50.onnx --batch dynamic --check
"""

import argparse
import pathlib
import sys
from typing import Any

import numpy as np
from onnx import helper

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import bert
import light
import mobilenet
import option_types
import recurrent
import resnet
import small
import trained
import vgg
from graph import save

MODELS = {
    "bert_base": bert.bert_base,
    "bert_base_decomposed": bert.bert_base_decomposed,
    "bert_base_open": bert.bert_base_open,
    "dqn": small.dqn,
    "gru": recurrent.gru,
    "lstm": recurrent.lstm,
    "mlp": small.mlp,
    "mobilenetv2": mobilenet.mobilenetv2,
    "resnet18": resnet.resnet18,
    "resnet50": resnet.resnet50,
    "vgg16": vgg.vgg16,
    **{f"light_{name}": light.light(name) for name in light.NAMES},
    **{name: trained.builder(name) for name in trained.NETWORKS},
}


def build(name, batch=1, seed=0):
    """The model as a protobuf. `batch` is a number, or a name for a dimension
    that is only known at run time. `seed` is that of random weights."""
    return MODELS[name](batch, seed)


def random_inputs(model, batch=1, seed=0, sizes=None):
    """An array for each input: normal for floats, any number for short integers,
    and for int64 0, 1 and, in names of ids, small numbers. Open sizes are those of
    `sizes`, by name, and else `batch`."""
    rng = np.random.default_rng(seed)
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs: dict[str, Any] = {}
    for info in model.graph.input:
        if info.name in weights:
            continue
        shape = [
            dim.dim_value if dim.HasField("dim_value")
            else (sizes or {}).get(dim.dim_param, batch)
            for dim in info.type.tensor_type.shape.dim
        ]
        if info.type.tensor_type.elem_type == 7:
            high = 30000 if info.name == "input_ids" else 2
            inputs[info.name] = rng.integers(0, high, shape, np.int64)
            continue
        dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
        if dtype == np.bool_:
            inputs[info.name] = rng.integers(0, 2, shape).astype(np.bool_)
        elif dtype.kind in "iu":
            limits = np.iinfo(dtype)
            inputs[info.name] = rng.integers(limits.min, limits.max, shape, dtype,
                                             endpoint=True)
        elif dtype != np.float32:
            inputs[info.name] = rng.standard_normal(shape).astype(dtype)
        else:
            inputs[info.name] = rng.standard_normal(shape, np.float32)
    return inputs


def check(path, model, batches):
    """Runs the model in ONNX Runtime. Its outputs must be finite and vary."""
    import onnxruntime as ort
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    for batch in batches:
        outputs = session.run(None, random_inputs(model, batch))
        for info, output in zip(session.get_outputs(), outputs):
            finite = bool(np.isfinite(output).all())
            print(f"{path}: {info.name} {output.shape} mean {output.mean():.4g}"
                  f" std {output.std():.4g} max {np.abs(output).max():.4g}"
                  f"{'' if finite else ' NOT FINITE'}")
            # One probability of nearly 1 hides all the others.
            if not finite or output.std() < 1e-5 or (
                    np.abs(output).max() > 0.999 and output.min() >= 0):
                raise SystemExit(f"{path}: {info.name} is saturated")


def parse_batch(text):
    return "N" if text == "dynamic" else option_types.positive(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", choices=MODELS, metavar="model")
    parser.add_argument("-o", "--output", type=option_types.output_file, metavar="FILE")
    parser.add_argument("--batch", type=parse_batch, default=1, metavar="N",
                        help='a number, or "dynamic" (default: 1)')
    parser.add_argument("--seed", type=option_types.natural, default=0)
    parser.add_argument("--check", action="store_true",
                        help="run the model in ONNX Runtime")
    parser.add_argument("--list", action="store_true",
                        help="print the names of the models")
    args = parser.parse_args()
    if args.list:
        print("\n".join(MODELS))
        return
    if not args.model:
        parser.error("expects a model; --list names them")
    try:
        model = build(args.model, args.batch, args.seed)
    except ValueError as error:
        parser.error(str(error))
    path = str(args.output or f"{args.model}.onnx")
    save(model, path)
    if args.check:
        check(path, model, [args.batch] if args.batch != "N" else [1, 2, 7])


if __name__ == "__main__":
    main()
