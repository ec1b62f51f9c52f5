# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator with one input or output more, and without each of those it has.

A model is imported or refused with a message. What random changes meet now and then
(test_onnx_mutations.py) is tried here at each operator.
"""

import pathlib
import sys

import onnx
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import model_workers  # noqa: E402
import onnx_seeds  # noqa: E402

# A third of them in an ordinary run.
CHUNKS = 12
pytestmark = pytest.mark.share(3)


def variants(model):
    """Changed copies of a model, each with what was changed."""
    for index, node in enumerate(model.graph.node):
        for field in ("input", "output"):
            names = list(getattr(node, field))
            changes = {f"{field} added": [*names, "one more" if field == "output" else names[0] if names else ""]}
            for i, name in enumerate(names):
                if name:
                    changes[f"{field} {i} left out"] = [*names[:i], "", *names[i + 1:]]
            if names:
                changes[f"{field} {len(names) - 1} removed"] = names[:-1]
            for what, changed in changes.items():
                variant = onnx.ModelProto()
                variant.CopyFrom(model)
                target = getattr(variant.graph.node[index], field)
                del target[:]
                target.extend(changed)
                yield f"node {index} ({node.op_type}): {what}", variant


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_other_counts(chunk, tmp_path):
    worker = model_workers.interpreter()
    path = tmp_path / "model.onnx"
    problems, count = [], 0
    for name, model in list(onnx_seeds.models())[chunk::CHUNKS]:
        for what, variant in variants(model):
            count += 1
            path.write_bytes(variant.SerializeToString())
            try:
                status, text = worker.ask("import", path)
            except model_workers.Crash as error:
                problems.append(f"{name}, {what}: {error}")
                continue
            if status != "ok" and not text:
                problems.append(f"{name}, {what}: an error without a message")
    worker.close()
    assert count > 300
    assert not problems, f"{len(problems)} of {count}:\n" + "\n".join(problems)
