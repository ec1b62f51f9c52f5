"""Models behind the interface of ONNX Runtime: a program that uses it changes one import.

    import relay_mlir as ort
    session = ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
    [y] = session.run(None, {"x": x})
"""

from __future__ import annotations

import typing
import warnings
from typing import Any, Mapping, Sequence

import numpy as np

from . import _relay_mlir
from ._arguments import describe, expect, expect_int, expect_list, expect_mapping, expect_text
from ._compile import Module, compile, import_onnx
from ._errors import CompileError

_CPU = "CPUExecutionProvider"

# How ONNX Runtime names the types of tensors.
_TYPES = {"float32": "float", "float64": "double", "float16": "float16", "bfloat16": "bfloat16"}


class NodeArg(typing.NamedTuple):
    """An input or output: `type` is as in "tensor(float)"; sizes that are not known are
    names, as in the model, or expressions of them."""

    name: str
    type: str
    shape: list[int | str]


class GraphOptimizationLevel:
    """How much a session optimizes: nothing is fused with ORT_DISABLE_ALL."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


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


def _describe(name: str, dtype: np.dtype[Any], shape: Sequence[int | str]) -> NodeArg:
    return NodeArg(name, f"tensor({_TYPES.get(dtype.name, dtype.name)})", list(shape))


def _describe_type(name: str, type_: Any) -> NodeArg:
    """A NodeArg of a type of relay: a tensor, or the List or Option that is a sequence or an
    optional value."""
    from . import relay

    if isinstance(type_, relay.TensorType):
        # Sizes that have no name are not known before a call.
        sizes = [str(size) if isinstance(size, relay.Any) else size for size in type_.shape]
        return _describe(name, np.dtype(type_.dtype), sizes)
    if isinstance(type_, relay.TypeCall):
        kind = {"List": "seq", "Option": "optional"}.get(type_.func.name_hint)
        if kind is not None:
            return NodeArg(name, f"{kind}({_describe_type(name, type_.args[0]).type})", [])
    return NodeArg(name, str(type_), [])


class _Function:
    """A model as a function of tensors."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self.inputs = [_describe(info.name, info.dtype, info.shape) for info in module.inputs]
        self.outputs = [_describe(info.name, info.dtype, info.shape) for info in module.outputs]

    def run(self, feed: Mapping[str, Any]) -> Any:
        return self._module.run(feed)


class _Program:
    """A model for the virtual machine: one with loops, branches, sequences, or sizes that
    elements of tensors decide."""

    def __init__(self, model: Any, names: Sequence[str], target: str | None, level: int) -> None:
        from . import relay

        module, _ = relay.frontend.from_onnx(model)
        main = relay.transform.InferType()(module)["main"]
        with relay.transform.PassContext(opt_level=level):
            self._machine = relay.vm.VirtualMachine(relay.vm.compile(module, target or "native"))
        self.inputs = [_describe_type(var.name_hint, var.checked_type) for var in main.params]
        types = [main.ret_type] if len(names) == 1 else main.ret_type.fields
        self.outputs = [_describe_type(*pair) for pair in zip(names, types)]

    def run(self, feed: Mapping[str, Any]) -> Any:
        names = [info.name for info in self.inputs]
        for name in expect_mapping(feed, "input_feed"):
            if expect_text(name, "the name of an input") not in names:
                raise ValueError(f"expects names of inputs of {names}, but got {describe(name)}")
        for name in names:
            if name not in feed:
                raise ValueError(f"expects input {name!r}, but it is not in input_feed")
        return self._machine.run(*(feed[name] for name in names))


def _to_onnx(value: Any) -> Any:
    """A result of the virtual machine as ONNX Runtime has it: lists and None are values of
    data types there."""
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    kind = value.name_hint
    if kind in ("Nil", "Cons"):
        elements = []
        while value.fields:
            first, value = value.fields
            elements.append(_to_onnx(first))
        return elements
    return _to_onnx(value.fields[0]) if value.fields else None


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
        target = options._entries.get("target")
        self._model: _Function | _Program
        imported = import_onnx(path_or_bytes)
        names = imported._impl.result_names()
        try:
            self._model = _Function(compile(
                imported, opt_level=_OPT_LEVELS[level], target=target,
                precision=options._entries.get("precision"),
                cache_dir=options._entries.get("cache_dir")))
        except CompileError:
            # What the machine says of a model that it does not take, too, is what counts.
            self._model = _Program(path_or_bytes, names, target, _OPT_LEVELS[level])
        if threads:
            _relay_mlir.set_num_threads(threads)

    def get_inputs(self) -> list[NodeArg]:
        """The inputs."""
        return list(self._model.inputs)

    def get_outputs(self) -> list[NodeArg]:
        """The outputs."""
        return list(self._model.outputs)

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
        return [_to_onnx(outputs[names.index(name)]) for name in wanted]


def get_available_providers() -> list[str]:
    """What models can run on."""
    return [_CPU]


def get_device() -> str:
    """The kind of devices that sessions use."""
    return "CPU"

