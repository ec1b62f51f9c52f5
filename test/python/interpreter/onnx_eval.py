"""Runs single ONNX operators in ONNX Runtime."""

import numpy as np
import onnxruntime
from onnx import helper


def run_onnx(op, inputs, outputs=1, opset=20, **attrs):
    """Returns the result, or a list of `outputs` results. An input that is None
    is left out."""
    names = [f"i{n}" if x is not None else "" for n, x in enumerate(inputs)]
    results = [f"o{n}" for n in range(outputs)]
    node = helper.make_node(op, names, results, **attrs)
    given = {n: x for n, x in zip(names, inputs) if n}
    values = [
        helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given.items()
    ]
    kinds = [helper.make_tensor_value_info(n, 0, None) for n in results]
    for kind in kinds:  # Of a type that ONNX Runtime infers.
        kind.ClearField("type")
    graph = helper.make_graph([node], "g", values, kinds)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    arrays = [np.asarray(v) for v in session.run(None, given)]
    return arrays if outputs > 1 else arrays[0]
