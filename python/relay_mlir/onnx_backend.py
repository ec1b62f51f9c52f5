"""The interface that ONNX asks of backends (onnx.backend.base), for its tests and for tools.

    import onnx.backend.test
    import relay_mlir.onnx_backend
    tests = onnx.backend.test.BackendTest(relay_mlir.onnx_backend, __name__)

Needs the package onnx.
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import onnx
import onnx.checker
import onnx.helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType, namedtupledict

from ._errors import CompileError
from ._session import InferenceSession


class RelayBackendRep(BackendRep):
    """A model that is compiled."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._names = [info.name for info in session.get_inputs()]
        self._outputs = [info.name for info in session.get_outputs()]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Runs the model with a mapping of names to arrays, a sequence of arrays, or one array.
        Returns the outputs as a named tuple. Raises ValueError for wrong inputs."""
        if not hasattr(inputs, "keys"):
            values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            if len(values) != len(self._names):
                raise ValueError(f"expects {len(self._names)} inputs, but got {len(values)}")
            inputs = dict(zip(self._names, values))
        return namedtupledict("Outputs", self._outputs)(*self._session.run(None, inputs))


class RelayBackend(Backend):
    """Compiles for the processor."""

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model compiles."""
        try:
            cls.prepare(model, device, **kwargs)
        except (CompileError, ValueError):
            return False
        return True

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> BackendRep:
        """Compiles a model; `sess_options` may be SessionOptions. Raises ValueError for a
        device that is no processor, CompileError for a model that does not compile, and
        onnx.checker.ValidationError for one that is none."""
        if not cls.supports_device(device):
            raise ValueError(f"expects device CPU, but got {device}")
        super().prepare(model, device)
        return RelayBackendRep(InferenceSession(model, kwargs.get("sess_options")))

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: Any, device: str = "CPU",
                  **kwargs: Any) -> Any:
        """Compiles a model and runs it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node: onnx.NodeProto, inputs: Any, device: str = "CPU",
                 outputs_info: Sequence[tuple[Any, Sequence[int]]] | None = None,
                 **kwargs: Any) -> Any:
        """Runs a node with arrays for its inputs. `outputs_info` are types and shapes of the
        outputs, which are inferred without. `kwargs` may have opset_version, of the newest
        opset by default, and those of `prepare`."""
        version = kwargs.pop("opset_version", onnx.defs.onnx_opset_version())
        names = [name for name in node.input if name]
        arrays = ([inputs[name] for name in names] if hasattr(inputs, "keys") else
                  list(inputs) if isinstance(inputs, (list, tuple)) else [inputs])
        arrays = [np.asarray(array) for array in arrays]
        if len(arrays) != len(names):
            raise ValueError(f"expects {len(names)} inputs of node {node.op_type}, but got "
                             f"{len(arrays)}")
        infos = [onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, arrays)]
        known: Sequence[Any] = outputs_info or []
        results = [onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(np.dtype(known[index][0])),
            known[index][1]) if index < len(known) else onnx.ValueInfoProto(name=name)
            for index, name in enumerate(node.output) if name]
        graph = onnx.helper.make_graph([node], "node", infos, results)
        model = onnx.helper.make_model(
            graph, opset_imports=[onnx.helper.make_opsetid(node.domain, version)])
        if not known:
            model = onnx.shape_inference.infer_shapes(model)
        return cls.run_model(model, arrays, device, **kwargs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether `device`, such as "CPU" or "CPU:0", is a processor."""
        try:
            return bool(Device(device).type == DeviceType.CPU)
        except AttributeError:
            return False


is_compatible = RelayBackend.is_compatible
prepare = RelayBackend.prepare
run_model = RelayBackend.run_model
run_node = RelayBackend.run_node
supports_device = RelayBackend.supports_device
