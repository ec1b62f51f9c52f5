"""Compiled programs as programs of Relay run them: set inputs, run, get outputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping

import numpy as np

from .._arguments import expect, expect_int, expect_mapping, expect_text
from .device import Device
from .expr import NDArray, ndarray

if TYPE_CHECKING:
    from .._compile import Module


class GraphModule:
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
        params = self._factory.get_params()
        if isinstance(key, str) and key in params:
            # They are in the code; setting them again is what programs do.
            if not np.array_equal(np.asarray(params[key]), np.asarray(value)):
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
                 name: str = "default") -> None:
        self.compiled = compiled
        self.libmod_name = name
        self._params = {key: ndarray(value)
                        for key, value in expect_mapping(params, "params").items()}

    def __getitem__(self, name: str) -> Callable[..., GraphModule]:
        """`lib["default"](device)` makes a module to run."""
        if name not in ("default", self.libmod_name):
            raise AttributeError(f"expects the function {self.libmod_name!r}, but got {name!r}")

        def create(*devices: Device) -> GraphModule:
            for device in devices:
                if device.type != "cpu":
                    raise NotImplementedError(f"there is no execution on {device} yet, only "
                                              "on cpu(0)")
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

    def get_graph_json(self) -> str:
        """Inputs and outputs in JSON. The graph itself is native code."""
        def describe(infos: Any) -> list[dict[str, Any]]:
            return [{"name": info.name, "shape": list(info.shape), "dtype": str(info.dtype)}
                    for info in infos]

        return json.dumps({"inputs": describe(self.compiled.inputs),
                           "outputs": describe(self.compiled.outputs)})

    def export_library(self, file_name: Any) -> None:
        """Writes the code to a shared object, which `relay_mlir.load` and the C
        interface read as well."""
        self.compiled.save(file_name)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.get_graph_json(), self, self.get_params()))


def load_module(path: Any) -> ExecutorFactoryModule:
    """Loads what `export_library` wrote."""
    from .._compile import load

    return ExecutorFactoryModule(load(path))


def create(graph_json: str, lib: ExecutorFactoryModule, device: Any = None) -> GraphModule:
    """A module to run, of the three parts of `graph, lib, params = build(...)`."""
    del graph_json  # The code knows its graph.
    devices = device if isinstance(device, (list, tuple)) else [device] if device else []
    expect(lib, ExecutorFactoryModule, "lib", "what relay.build returns")
    return lib["default"](*devices)


__all__ = ["ExecutorFactoryModule", "GraphModule", "create", "load_module"]
