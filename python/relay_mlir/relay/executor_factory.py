"""Compiled programs as programs of Relay run them: set inputs, run, get outputs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

import numpy as np

from .._arguments import describe, expect, expect_int, expect_mapping, expect_text
from ._benchmark import BenchmarkResult, Evaluated, measure
from .device import Device
from .expr import NDArray, ndarray
from .param_dict import load_param_dict

if TYPE_CHECKING:
    from .._compile import Module
    from .backend.vm import Executable


def _digest(value: Any) -> dict[str, Any]:
    """What tells values of a parameter apart, short enough for a graph in text."""
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "shape": list(array.shape),
            "sha256": hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()}


def _describe(infos: Any) -> tuple[dict[str, tuple[int | str, ...]], dict[str, str]]:
    """Shapes and dtypes by name."""
    return ({info.name: tuple(info.shape) for info in infos},
            {info.name: str(info.dtype) for info in infos})


class GraphModule(Evaluated):
    """A compiled program with inputs that stay set from run to run.

    `GraphModule(lib["default"](device))` is the module itself.
    """

    _state: dict[str, Any]

    def __new__(cls, module: GraphModule | ExecutorFactoryModule) -> GraphModule:
        if isinstance(module, GraphModule):
            return module
        result = super().__new__(cls)
        result._state = {"module": module, "inputs": {}, "outputs": None}
        return result

    @property
    def _factory(self) -> ExecutorFactoryModule:
        factory = self._state["module"]
        assert isinstance(factory, ExecutorFactoryModule)
        return factory

    def _index(self, key: int | str) -> int:
        names = [info.name for info in self._factory.compiled.inputs]
        if isinstance(key, str):
            if key in names:
                return names.index(key)
            raise KeyError(f"expects one of the inputs {', '.join(names)}, but got {key!r}")
        if not 0 <= expect_int(key, "key") < len(names):
            raise IndexError(f"expects the number of an input below {len(names)}, but got "
                             f"{key}")
        return int(key)

    def _name(self, key: int | str) -> str:
        name: str = self._factory.compiled.inputs[self._index(key)].name
        return name

    def _set(self, key: int | str, value: Any) -> None:
        is_compiled = self._factory._compare(key, value) if isinstance(key, str) else None
        if is_compiled is not None:
            # They are in the code; setting them again is what programs do.
            if not is_compiled:
                raise ValueError(f"expects the value that {key!r} was compiled with; build "
                                 "without it in `params` to change it later")
            return
        info = self._factory.compiled.inputs[self._index(key)]
        array = np.array(value)
        # Programs of Relay set float64, which NumPy makes, and lists.
        if np.can_cast(array.dtype, info.dtype, "same_kind"):
            array = array.astype(info.dtype, copy=False)
        self._state["inputs"][info.name] = array

    def set_input(self, key: Any = None, value: Any = None,
                  **params: Any) -> None:
        """Sets an input by name or number, or several by name, to a copy of the value,
        which becomes one of the input's dtype if that is of the same kind: float64
        float32, but not int32.

        Raises KeyError or IndexError for one that there is not, ValueError for
        another value of a parameter that is a constant of the compiled program."""
        if key is not None:
            self._set(key, value)
        for name, param in params.items():
            self._set(name, param)

    def run(self, **inputs: Any) -> None:
        """Runs the program, after setting `inputs`. Raises ValueError if an input
        is missing or of another shape or dtype."""
        self.set_input(**inputs)
        results = self._factory.compiled.run(self._state["inputs"])
        self._state["outputs"] = results if isinstance(results, tuple) else (results,)

    def benchmark(self, device: Device | None = None, func_name: str = "run", repeat: int = 5,
                  number: int = 5, **inputs: Any) -> BenchmarkResult:
        """Times runs, after setting `inputs`: `repeat` results, each the mean of `number`
        runs."""
        del device
        if expect_text(func_name, "func_name") != "run":
            raise ValueError(f"expects func_name to be 'run', but got {func_name!r}")
        self.set_input(**inputs)
        return measure(self.run, repeat, number)

    def get_output(self, index: int, out: Any = None) -> NDArray:
        """An output of the last run; also written to `out`, if that is given."""
        outputs = self._state["outputs"]
        if outputs is None:
            raise ValueError("expects `run` before `get_output`")
        if not 0 <= expect_int(index, "index") < len(outputs):
            raise IndexError(f"expects the number of an output below {len(outputs)}, but got "
                             f"{index}")
        if out is not None:
            np.copyto(out, outputs[index])
        return ndarray(outputs[index])

    def load_params(self, params_bytes: bytes | bytearray) -> None:
        """Sets the parameters that `relay.save_param_dict` has written. Raises ValueError for
        bytes that it has not."""
        self.set_input(**load_param_dict(params_bytes))

    def share_params(self, other: GraphModule, params_bytes: bytes | bytearray) -> None:
        """Sets the parameters whose names these bytes have to those of another module."""
        expect(other, GraphModule, "other", "a GraphModule")
        for name in load_param_dict(params_bytes):
            if self._factory._compare(name, 0) is None:
                self._set(name, other.get_input(name))

    def get_input_index(self, name: str) -> int:
        """The number of an input, -1 if there is none of the name."""
        names = [info.name for info in self._factory.compiled.inputs]
        return names.index(name) if expect_text(name, "name") in names else -1

    def get_input_name(self, index: int) -> str:
        """The name of the input of a number. Raises IndexError if there is none."""
        return self._name(expect_int(index, "index"))

    def get_input_info(self) -> tuple[dict[str, tuple[int | str, ...]], dict[str, str]]:
        """The shapes and the dtypes of inputs, by name."""
        return _describe(self._factory.compiled.inputs)

    def get_output_info(self) -> tuple[dict[str, tuple[int | str, ...]], dict[str, str]]:
        """The shapes and the dtypes of outputs, by name."""
        return _describe(self._factory.compiled.outputs)

    def get_input(self, key: int | str) -> NDArray:
        """An input that was set."""
        name = self._name(key)
        if name not in self._state["inputs"]:
            raise ValueError(f"expects input {name!r} to be set before it is read")
        return ndarray(self._state["inputs"][name])

    def get_num_inputs(self) -> int:
        """The number of inputs."""
        return len(self._factory.compiled.inputs)

    def get_num_outputs(self) -> int:
        """The number of outputs."""
        return len(self._factory.compiled.outputs)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """A method by name."""
        if expect_text(name, "name").startswith("_") or not hasattr(self, name):
            raise AttributeError(f"there is no function {name!r}")
        method: Callable[..., Any] = getattr(self, name)
        return method


class ExecutorFactoryModule:
    """What `relay.build` returns: native code for @main, and its constants."""

    def __init__(self, compiled: Module, params: Mapping[str, Any] | None = None,
                 name: str = "default", graph: Callable[[], str] | None = None,
                 source: Callable[[str], str] | None = None) -> None:
        self.compiled = compiled
        self.libmod_name = name
        self._params = {key: ndarray(value)
                        for key, value in expect_mapping(params, "params").items()}
        # Of parameters whose values are not here, as a graph has them.
        self._digests: dict[str, dict[str, Any]] = {}
        # Makes the graph when somebody asks for it.
        self._graph = graph
        self._source = source

    def _compare(self, name: str, value: Any) -> bool | None:
        """Whether a value is that of a parameter that is a constant of the code; None if the
        name is that of none."""
        if name in self._params:
            return bool(np.array_equal(np.asarray(self._params[name]), np.asarray(value)))
        if name in self._digests:
            return _digest(value) == self._digests[name]
        return None

    def __getitem__(self, name: str) -> Callable[..., GraphModule]:
        """`lib["default"](device)` makes a module to run. The device is the host, or one that
        the code is for; inputs and outputs are on the host."""
        if name not in ("default", self.libmod_name, "debug_create"):
            raise AttributeError(f"expects the function {self.libmod_name!r}, but got {name!r}")

        def create(*devices: Any) -> GraphModule:
            if name == "debug_create":
                # What is to be debugged comes first.
                if not devices or devices[0] not in ("default", self.libmod_name):
                    raise ValueError(f"expects {self.libmod_name!r} as the first argument, but got "
                                     f"{describe(devices[0]) if devices else 'none'}")
                devices = devices[1:]
            for device in devices:
                kind = expect(device, Device, "device", "a device").type
                # The host brings inputs to the device that the code is for.
                known = self.compiled.devices
                if kind != "cpu" and f"{kind}:{device.device_id}" not in known:
                    raise NotImplementedError(f"expects a device of the code, {' or '.join(known)}, "
                                              f"but got {device}")
            return GraphModule(self)

        return create

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program on arrays, by position or by name."""
        return self.compiled(*args, **kwargs)

    def get_params(self) -> dict[str, NDArray]:
        """The parameters that are constants of the code, by name."""
        return dict(self._params)

    def get_lib(self) -> ExecutorFactoryModule:
        """The code: this module."""
        return self

    def get_source(self, fmt: str = "") -> str:
        """The code as text: LLVM's ("" or "ll"), or that of an assembler ("asm" or "s"). Raises
        ValueError for other formats, and for code that was read from a file."""
        kinds = {"": "llvm", "ll": "llvm", "asm": "asm", "s": "asm"}
        if expect_text(fmt, "fmt") not in kinds:
            raise ValueError(f"expects fmt to be '', 'll', 'asm' or 's', but got {fmt!r}")
        if self._source is None:
            raise ValueError("expects what relay.build returns, but the code was read from a file")
        return self._source(kinds[fmt])

    def get_graph_json(self) -> str:
        """The graph in the format of TVM's graph executor: nodes for inputs, constants (p0,
        p1, ...) and calls of kernels, with shapes, dtypes and storage; and under `params`
        digests of the values of parameters that are constants of the code.

        It describes the code, which knows its graph and the values of its parameters: nothing
        changes with it. What is read from a file, and what has sizes that are unknown, has only
        inputs and outputs there."""
        infos = [*self.compiled.inputs, *self.compiled.outputs]
        graph = self._interface()
        if self._graph is not None and all(isinstance(size, int) for info in
                                           [*graph["inputs"], *graph["outputs"]]
                                           for size in info["shape"]):
            graph |= json.loads(self._graph())
        params = {name: _digest(value) for name, value in self._params.items()}
        return json.dumps(graph | {"params": self._digests | params}, indent=2)

    def _interface(self) -> dict[str, list[dict[str, Any]]]:
        """Inputs and outputs, as a graph has them."""
        return {key: [{"name": info.name, "shape": list(info.shape), "dtype": str(info.dtype)}
                      for info in found]
                for key, found in (("inputs", self.compiled.inputs),
                                   ("outputs", self.compiled.outputs))}

    def export_library(self, file_name: Any) -> None:
        """Writes the code to a shared object, which `relay_mlir.load` and the C
        interface read as well."""
        self.compiled.save(file_name)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.get_graph_json(), self, self.get_params()))


def load_module(path: Any) -> ExecutorFactoryModule | Executable:
    """Loads what `export_library` wrote, of a library or of an Executable."""
    from .._compile import Module
    from .backend.vm import Executable

    module = Module._open(path, False, None)
    return ExecutorFactoryModule(module) if module else Executable.load_exec(path)


def create(graph_json: str, lib: ExecutorFactoryModule, device: Any = None) -> GraphModule:
    """A module to run, of the parts of `graph, lib, params = build(...)`: the library may have
    been written and loaded since. Raises ValueError for what is no graph in JSON, or that of
    another library, with other inputs or outputs."""
    devices = device if isinstance(device, (list, tuple)) else [device] if device else []
    expect(lib, ExecutorFactoryModule, "lib", "what relay.build returns")
    try:
        graph = json.loads(expect_text(graph_json, "graph_json"))
        params = {str(name): dict(digest) for name, digest in graph["params"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("expects graph_json to be what get_graph_json returned, but got "
                         f"{describe(graph_json)}") from error
    for key, found in lib._interface().items():
        if graph.get(key) != found:
            raise ValueError(f"expects the graph of the library, with {key} {found}, but got "
                             f"{describe(graph.get(key))}")
    lib._digests.update(params)
    return lib["default"](*devices)


__all__ = ["ExecutorFactoryModule", "GraphModule", "create", "load_module"]
