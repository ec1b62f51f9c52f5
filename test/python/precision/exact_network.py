# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX networks in double precision: what errors are measured against."""

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

FLOAT, DOUBLE = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE


class Conv(OpRun):
    """As products of matrices: ONNX's own takes minutes for a small network."""

    def _run(self, x, w, b=None, auto_pad=None, dilations=None, group=None, kernel_shape=None,
             pads=None, strides=None):
        group, pads, strides = group or 1, pads or [0] * 4, strides or [1, 1]
        dilations = dilations or [1, 1]
        if auto_pad == "SAME_UPPER":
            counts = [-(-size // step) for size, step in zip(x.shape[2:], strides)]
            missing = [max(0, (count - 1) * step + (kernel - 1) * dilation + 1 - size)
                       for count, step, kernel, dilation, size in
                       zip(counts, strides, w.shape[2:], dilations, x.shape[2:])]
            pads = [n // 2 for n in missing] + [n - n // 2 for n in missing]
        else:
            assert auto_pad in (None, "NOTSET"), auto_pad
        x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
        reach = [(size - 1) * step + 1 for size, step in zip(w.shape[2:], dilations)]
        windows = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(2, 3))
        windows = windows[:, :, ::strides[0], ::strides[1], ::dilations[0], ::dilations[1]]
        n, c, height, width = windows.shape[:4]
        columns = windows.reshape(n, group, c // group, height, width, -1)
        columns = columns.transpose(1, 0, 3, 4, 2, 5).reshape(group, n * height * width, -1)
        y = columns @ w.reshape(group, w.shape[0] // group, -1).transpose(0, 2, 1)
        y = y.reshape(group, n, height, width, -1).transpose(1, 0, 4, 2, 3)
        y = y.reshape(n, w.shape[0], height, width)
        return (y if b is None else y + b[:, None, None],)


def run_exact(model, inputs):
    """The outputs for `inputs`, a mapping of float32 arrays, as float64."""
    wide = onnx.ModelProto.FromString(model.SerializeToString())

    def widen(tensor):
        if tensor.data_type == FLOAT:
            array = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

    for tensor in wide.graph.initializer:
        widen(tensor)
    for node in wide.graph.node:
        for attribute in node.attribute:
            if attribute.name == "value" and attribute.HasField("t"):
                widen(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == FLOAT:
                attribute.i = DOUBLE
    for info in [*wide.graph.input, *wide.graph.output]:
        if info.type.tensor_type.elem_type == FLOAT:
            info.type.tensor_type.elem_type = DOUBLE
    del wide.graph.value_info[:]
    arrays = {name: x.astype(np.float64) if x.dtype == np.float32 else x
              for name, x in inputs.items()}
    return ReferenceEvaluator(wide, new_ops=[Conv]).run(None, arrays)
