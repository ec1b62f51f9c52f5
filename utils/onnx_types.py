# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes which element types ONNX lists for the inputs of its operators.

    python utils/onnx_types.py

What is written, lib/Frontend/ONNX/InputTypes.inc, is a part of the source, as a build has
no need of the package `onnx`. test/python/models/test_onnx_types.py fails if it would change.
"""

import argparse
import pathlib

import onnx.defs
from onnx import TensorProto

OUTPUT = pathlib.Path(__file__).resolve().parents[1] / "lib/Frontend/ONNX/InputTypes.inc"
# Those whose operators the importer knows.
DOMAINS = ("", "ai.onnx.ml")
HEADER = """\
//===- InputTypes.inc - Element types that ONNX lists for inputs ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written by utils/onnx_types.py from version {version} of the package onnx. Bit n
// is of the type n of TensorProto.DataType; all are set for what may be no
// tensor.
//
//===----------------------------------------------------------------------===//

"""


def get_mask(schema, operand):
    """The types of one input, as bits."""
    constraints = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    mask = 0
    for name in constraints.get(operand.type_str, [operand.type_str]):
        if not name.startswith("tensor("):
            return 0xffffffff
        mask |= 1 << TensorProto.DataType.Value(name[len("tensor("):-1].upper())
    # ONNX adds the one to operators that have the other, a few in each version.
    if mask & 1 << TensorProto.FLOAT16:
        mask |= 1 << TensorProto.BFLOAT16
    return mask


def get_types():
    """For each operator, named with its domain unless that is the default one, the types of
    each of its inputs. They are those of all versions: exporters give models an older one
    than that which lists the types that they use. For the same reason bfloat16 is where
    float16 is."""
    operators: dict[str, list[int]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain not in DOMAINS:
            continue
        name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
        masks = operators.setdefault(name, [])
        masks += [0] * (len(schema.inputs) - len(masks))
        for i, operand in enumerate(schema.inputs):
            masks[i] |= get_mask(schema, operand)
    return operators


def write():
    """The text of the file."""
    return HEADER.format(version=onnx.__version__) + "".join(
        f"{{\"{name}\", {{{', '.join(f'{mask:#x}' for mask in masks)}}}}},\n"
        for name, masks in sorted(get_types().items()) if masks)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    OUTPUT.write_text(write(), encoding="utf-8")
