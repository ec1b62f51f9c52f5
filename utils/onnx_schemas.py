# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what the schemas of ONNX's operators list: element types of inputs, and attributes.

    python utils/onnx_schemas.py

What is written, InputTypes.inc and AttributeNames.inc in lib/Frontend/ONNX, is a part of the
source, as a build has no need of the packages `onnx` and `onnxruntime`.
test/python/models/test_onnx_schemas.py fails if it would change.
"""

import argparse
import pathlib

import onnx.defs
import onnxruntime
from onnx import TensorProto
from onnxruntime.capi import onnxruntime_pybind11_state

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "lib/Frontend/ONNX"
# Those whose operators the importer knows, by the package that has their schemas.
DOMAINS = ("", "ai.onnx.ml")
CONTRIB_DOMAIN = "com.microsoft"
LICENSE = """\
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
"""
RULE = "//===----------------------------------------------------------------------===//"
TYPES_HEADER = f"""\
//===- InputTypes.inc - Element types that ONNX lists for inputs ----------===//
{LICENSE}// Written by utils/onnx_schemas.py from version {onnx.__version__} of the package onnx. Bit n
// is of the type n of TensorProto.DataType; all are set for what may be no
// tensor.
//
{RULE}

"""
NAMES_HEADER = f"""\
//===- AttributeNames.inc - Attributes that operators have ----------------===//
{LICENSE}// Written by utils/onnx_schemas.py from version {onnx.__version__} of the package onnx, and
// for what that does not have from version {onnxruntime.__version__} of the package onnxruntime.
// Each list is that of an opset and the later ones.
//
{RULE}

"""


def get_name(schema):
    """The operator's name, with its domain unless that is the default one."""
    return f"{schema.domain}.{schema.name}" if schema.domain else schema.name


def get_schemas():
    """Those of ONNX's own domains, in all versions."""
    return [schema for schema in onnx.defs.get_all_schemas_with_history()
            if schema.domain in DOMAINS]


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
    """For each operator the types of each of its inputs. They are those of all versions:
    exporters give models an older one than that which lists the types that they use. For
    the same reason bfloat16 is where float16 is."""
    operators: dict[str, list[int]] = {}
    for schema in get_schemas():
        masks = operators.setdefault(get_name(schema), [])
        masks += [0] * (len(schema.inputs) - len(masks))
        for i, operand in enumerate(schema.inputs):
            masks[i] |= get_mask(schema, operand)
    return operators


def get_attributes():
    """For each operator the names of its attributes, from each opset on in which they
    change. Versions count, as what a version lacks would be ignored."""
    versions: dict[str, dict[int, list[str]]] = {}
    for schema in get_schemas():
        lists = versions.setdefault(get_name(schema), {})
        lists[schema.since_version] = sorted(schema.attributes)
    first = {name: min(lists) for name, lists in versions.items()}
    for schema in onnxruntime_pybind11_state.get_all_operator_schema():
        name = get_name(schema)
        # ONNX Runtime has operators of its own, and some before ONNX had them.
        if schema.domain in (*DOMAINS, CONTRIB_DOMAIN) and (
                name not in first or schema.since_version < first[name]):
            versions.setdefault(name, {})[schema.since_version] = sorted(schema.attributes)
    operators = {}
    for name, lists in versions.items():
        changes: list[tuple[int, list[str]]] = []
        for since, names in sorted(lists.items()):
            if not changes or changes[-1][1] != names:
                changes.append((since, names))
        operators[name] = changes
    return operators


def write_types():
    """The text of InputTypes.inc."""
    return TYPES_HEADER + "".join(
        f"{{\"{name}\", {{{', '.join(f'{mask:#x}' for mask in masks)}}}}},\n"
        for name, masks in sorted(get_types().items()) if masks)


def write_attributes():
    """The text of AttributeNames.inc."""
    lines = []
    for name, changes in sorted(get_attributes().items()):
        lists = ", ".join(f'{{{since}, "{" ".join(names)}"}}' for since, names in changes)
        lines.append(f'{{"{name}", {{{lists}}}}},\n')
    return NAMES_HEADER + "".join(lines)


OUTPUTS = {
    FOLDER / "InputTypes.inc": write_types,
    FOLDER / "AttributeNames.inc": write_attributes,
}

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for path, write in OUTPUTS.items():
        path.write_text(write(), encoding="utf-8")
