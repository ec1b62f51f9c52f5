# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models of a test file: onnx-text.py TEST FOLDER

A model begins after a line `#--- name.onnx` and is in the textual syntax of
onnx.parser. Other lines that begin with # are comments, but `#! statement` runs
the statement on the parsed `model`. `raw` is what becomes of the bytes of the
file.
"""

import pathlib
import sys

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, numpy_helper


def external(name, count, **entries):
    """A float tensor in another file."""
    return TensorProto(
        name=name, data_type=TensorProto.FLOAT, dims=[count],
        data_location=TensorProto.EXTERNAL,
        external_data=[
            onnx.StringStringEntryProto(key=key, value=str(value))
            for key, value in entries.items()
        ])


def write(path, lines):
    text = "\n".join(line for line in lines if not line.startswith("#"))
    model = onnx.parser.parse_model(text)
    scope = {"model": model, "graph": model.graph, "np": np,
             "numpy_helper": numpy_helper, "TensorProto": TensorProto,
             "external": external, "folder": path.parent, "raw": None}
    for line in lines:
        if line.startswith("#!"):
            exec(line[2:].strip(), scope)
    data = model.SerializeToString()
    path.write_bytes(scope["raw"](data) if scope["raw"] else data)


def main():
    test, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    name, lines = None, []
    for line in [*test.read_text().splitlines(), "#--- "]:
        if not line.startswith("#---"):
            lines.append(line)
            continue
        if name:
            write(folder / name, lines)
        name, lines = line[4:].strip(), []


main()
