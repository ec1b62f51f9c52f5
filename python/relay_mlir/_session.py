"""Models behind the interface of ONNX Runtime: a program that uses it changes one import.

    import relay_mlir as ort
    session = ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
    [y] = session.run(None, {"x": x})
"""

from __future__ import annotations

import typing
import warnings
from typing import Any, Mapping, Sequence

from . import _relay_mlir
from ._arguments import describe, expect, expect_int, expect_list, expect_mapping, expect_text
from ._compile import TensorInfo, compile, import_onnx
from ._program import ValueInfo

_CPU = "CPUExecutionProvider"

# How ONNX Runtime names the types of tensors.
_TYPES = {"float32": "float", "float64": "double", "float8_e4m3fn": "float8e4m3fn",
          "float8_e4m3fnuz": "float8e4m3fnuz", "float8_e5m2": "float8e5m2",
          "float8_e5m2fnuz": "float8e5m2fnuz", "float8_e8m0fnu": "float8e8m0",
          "float4_e2m1fn": "float4e2m1", "object": "string"}


class NodeArg(typing.NamedTuple):
    """An input or output: `type` is as in "tensor(float)"; sizes that are not known are
    names, as in the model, or expressions of them."""

    name: str
    type: str
    shape: list[int | str]


class ModelMetadata(typing.NamedTuple):
    """What a model's file says of itself; `custom_metadata_map` has its own properties."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: dict[str, str]


class GraphOptimizationLevel:
    """How much a session optimizes: nothing is fused with ORT_DISABLE_ALL."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode:
    """How ONNX Runtime orders nodes; programs here have one order."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class RunOptions:
    """For programs that hand it to `run`; its attributes change nothing."""

    def __init__(self) -> None:
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False


# The levels that `compile` knows.
_OPT_LEVELS = {
    GraphOptimizationLevel.ORT_DISABLE_ALL: 0,
    GraphOptimizationLevel.ORT_ENABLE_BASIC: 1,
    GraphOptimizationLevel.ORT_ENABLE_EXTENDED: 2,
    GraphOptimizationLevel.ORT_ENABLE_LAYOUT: 3,
    GraphOptimizationLevel.ORT_ENABLE_ALL: 3,
}


class SessionOptions:
    """What a session is made with.

    `graph_optimization_level` and `intra_op_num_threads` have a meaning here; the latter is
    the number of threads of the whole process (`set_num_threads`), 0 to leave it as it is.
    The other attributes are there for programs that set them, and change nothing. `add_session_config_entry("precision", "highest")`, `"target"` and
    `"cache_dir"` are those of `compile`; other entries change nothing.
    """

    def __init__(self) -> None:
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self._entries: dict[str, str] = {}

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Sets an entry."""
        self._entries[expect_text(key, "key")] = expect_text(value, "value")

    def get_session_config_entry(self, key: str) -> str:
        """The value of an entry that was set. Raises RuntimeError for another one."""
        if key not in self._entries:
            raise RuntimeError(f"expects a config entry that was set, but got {describe(key)}")
        return self._entries[key]


def _describe(info: TensorInfo | ValueInfo) -> NodeArg:
    kind = info.kind if isinstance(info, ValueInfo) else "tensor"
    tensor = f"tensor({_TYPES.get(info.dtype.name, info.dtype.name)})"
    # Of sequences and optional values the sizes are those of tensors in them.
    shape = list(info.shape) if kind == "tensor" else []
    return NodeArg(info.name, kind.replace("tensor", tensor), shape)


def _check_providers(providers: Sequence[Any] | None) -> None:
    """Warns, as ONNX Runtime does, if a program asks for what is not there."""
    names = [item[0] if isinstance(item, tuple) and item else item
             for item in expect_list(providers if providers is not None else [_CPU], "providers",
                                     "names")]
    others = [name for name in names if expect_text(name, "a provider") != _CPU]
    if others:
        warnings.warn(f"expects providers of {[_CPU]}, but got {others}; the model runs on the "
                      "processor", UserWarning, stacklevel=3)


class InferenceSession:
    """A model, compiled, with the methods of onnxruntime.InferenceSession.

    `path_or_bytes` is a path to an .onnx file, the bytes of one, or an onnx.ModelProto.
    `sess_options` are SessionOptions; `providers` other than the CPUExecutionProvider are not
    there, and a warning says so. A model that is no function of tensors with sizes that are
    known before it runs, as with a Loop, is compiled for the virtual machine. Raises
    CompileError for a model that does not compile.

    What a session does not have (IOBinding, OrtValue, profiling) raises AttributeError; for
    profiles see `Module.profile`.
    """

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None,
                 providers: Sequence[Any] | None = None,
                 provider_options: Sequence[Mapping[str, Any]] | None = None) -> None:
        options = SessionOptions() if sess_options is None else expect(
            sess_options, SessionOptions, "sess_options", "relay_mlir.SessionOptions")
        del provider_options
        _check_providers(providers)
        level = expect_int(options.graph_optimization_level, "graph_optimization_level")
        if level not in _OPT_LEVELS:
            raise ValueError(f"expects graph_optimization_level of {list(_OPT_LEVELS)}, but got "
                             f"{level}")
        threads = expect_int(options.intra_op_num_threads, "intra_op_num_threads", 0, 2**31 - 1)
        self._options = options
        self._model = compile(
            import_onnx(path_or_bytes), opt_level=_OPT_LEVELS[level],
            target=options._entries.get("target"), precision=options._entries.get("precision"),
            cache_dir=options._entries.get("cache_dir"))
        if threads:
            _relay_mlir.set_num_threads(threads)

    def get_inputs(self) -> list[NodeArg]:
        """The inputs."""
        return [_describe(info) for info in self._model.inputs]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return [_describe(info) for info in self._model.outputs]

    def get_modelmeta(self) -> ModelMetadata:
        """What the model's file says of itself."""
        texts = self._model.metadata
        prefix = "metadata_props."
        return ModelMetadata(
            texts.get("producer_name", ""), texts.get("graph_name", ""), texts.get("domain", ""),
            texts.get("description", ""), texts.get("graph_description", ""),
            int(texts.get("version", 0)),
            {key.removeprefix(prefix): text for key, text in texts.items()
             if key.startswith(prefix)})

    def get_providers(self) -> list[str]:
        """What the model runs on."""
        return [_CPU]

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
            run_options: object = None) -> list[Any]:
        """Runs the model with arrays, or lists of them for sequences, by the names of inputs.

        Returns the outputs that are named, in that order, or all of them for None or an
        empty list. Raises ValueError for names the model does not have and for inputs of
        another type or shape. `run_options` change nothing.
        """
        del run_options
        names = [output.name for output in self._model.outputs]
        wanted = expect_list(output_names or names, "output_names", "names")
        for name in wanted:
            if expect_text(name, "the name of an output") not in names:
                raise ValueError(f"expects names of outputs of {names}, but got {describe(name)}")
        results = self._model.run(expect_mapping(input_feed, "input_feed"))
        outputs = results if isinstance(results, tuple) else (results,)
        return [outputs[names.index(name)] for name in wanted]


def get_available_providers() -> list[str]:
    """What models can run on."""
    return [_CPU]


def set_default_logger_severity(severity: int) -> None:
    """For programs that call it: nothing is logged here. Raises ValueError for what is none
    of ONNX Runtime's levels."""
    expect_int(severity, "severity", 0, 4)


def get_device() -> str:
    """The kind of devices that sessions use."""
    return "CPU"

