# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models to start from.

They are the models of the importer's lit tests, which have functions, branches,
shape arithmetic and initializers of all kinds, and the models of the ONNX
project's tests of operators, half of them with constant operands.
"""

import pathlib
import sys
import sys

import onnx
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "python"))
import onnx_backend  # noqa: E402


def text_models():
    """The models in test/Frontend/ONNX, without what a test does to them."""
    for path in sorted((ROOT / "test" / "Frontend" / "ONNX").glob("*.test")):
        for part in path.read_text().split("\n#--- ")[1:]:
            name, _, text = part.partition("\n")
            lines = text.splitlines()
            text = "\n".join(line for line in lines if not line.startswith("#"))
            yield f"{path.stem}/{name}", onnx.parser.parse_model(text)


def models():
    """Pairs of a name and a model, in an order that does not change."""
    yield from text_models()
    for i, case in enumerate(onnx_backend.node_cases()):
        if len(case.model.SerializeToString()) < 20000:
            yield case.name, (onnx_backend.freeze(case) if i % 2 else case).model
