"""Reading, compiling and running models."""

from __future__ import annotations

import os
import sys
import typing
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from . import _relay_mlir
from ._arguments import expect_int, expect_list, expect_mapping, expect_path, expect_text
from ._console import write_file
from ._errors import CompileError
from ._inputs import Fixed, fixed_inputs, variant_texts
from ._strings import StringSignature

if TYPE_CHECKING:
    from ._program import Program

PathLike = typing.Union[str, "os.PathLike[str]"]
# One array, or a tuple of them if a model has several outputs.
Outputs = Any


class TensorInfo(typing.NamedTuple):
    """Name, shape and NumPy dtype of an input or output.

    A dynamic size is a string, the expression of its symbols: "n", "2 * n". The dtype of
    strings is object.
    """

    name: str
    shape: tuple[int | str, ...]
    dtype: np.dtype[Any]


class KernelProfile(typing.NamedTuple):
    """What one kernel did in a run of a model, all its calls together.

    Times are in seconds; `share` is the part of the time of all kernels. `flop`
    (arithmetic operations on elements) and `bytes` (of inputs and outputs) are
    None where they do not follow from the shapes. `busy` is the part of the time
    of all threads in which one is at work, None on a device that is no processor.
    `device` is "cpu:0" and so on; of a copy, where it ends. `counters` has what the device
    has counted in a run, such as "cycles" of "vta:tsim"; it is empty if it counts nothing.
    """

    name: str
    calls: int
    min: float
    median: float
    share: float
    flop: int | None
    bytes: int | None
    busy: float | None
    device: str
    counters: dict[str, int] = {}

    @property
    def gflops(self) -> float | None:
        """GFLOP/s, or None."""
        return self.flop / self.median / 1e9 if self.flop is not None and self.median else None

    @property
    def gbytes(self) -> float | None:
        """GB/s, or None."""
        return self.bytes / self.median / 1e9 if self.bytes is not None and self.median else None


class IRModule:
    """A module of MLIR: relay, or any stage that passes make of it."""

    def __init__(self, impl: _relay_mlir.IRModule) -> None:
        self._impl = impl

    @staticmethod
    def parse(text: str, name: str = "<string>") -> IRModule:
        """Parses MLIR text. Raises CompileError with the place of an error."""
        return IRModule(_relay_mlir.IRModule.parse(expect_text(text, "text"),
                                                   expect_text(name, "name")))

    @staticmethod
    def load(path: PathLike) -> IRModule:
        """Reads an .onnx, .relay or .mlir file."""
        return IRModule(_relay_mlir.IRModule.load(expect_path(path)))

    def run_passes(self, pipeline: str) -> IRModule:
        """Runs a pipeline, such as "builtin.module(relay-fuse-ops)", in place.

        Raises ValueError if there is no such pipeline, CompileError if it fails; the module is
        then as it was before. Returns the module itself.
        """
        self._impl.run_passes(expect_text(pipeline, "pipeline"))
        return self

    def print(self, *, elide_larger: int | None = 16, locations: bool = False,
              generic: bool = False) -> str:
        """Returns the text; `elide_larger=None` writes out every weight."""
        if elide_larger is not None:
            expect_int(elide_larger, "elide_larger", 0, 2**63 - 1)
        return self._impl.print(elide_larger, bool(locations), bool(generic))

    def save(self, path: PathLike) -> None:
        """Writes the text with every weight, which `load` reads, to an .mlir file."""
        write_file(expect_path(path), self.print(elide_larger=None))

    def clone(self) -> IRModule:
        """Returns a copy, which shares the weights."""
        return IRModule(self._impl.clone())

    def __str__(self) -> str:
        return self.print()


class Module:
    """A compiled model: call it with its inputs."""

    def __init__(self, path: PathLike, map_weights: bool = False,
                 _file: object = None, device: str | None = None,
                 _impl: _relay_mlir.LoadedModule | None = None) -> None:
        self._path = expect_path(path)
        self._file = _file  # Keeps an artefact in memory.
        self._impl = _impl or _relay_mlir.LoadedModule(
            self._path, bool(map_weights),
            None if device is None else expect_text(device, "device"))
        self._strings = StringSignature.of(self._impl.make_strings, self)

    @staticmethod
    def _open(path: PathLike, map_weights: bool, device: str | None) -> Module | None:
        """Loads an artefact; None if it is a program."""
        impl = _relay_mlir.LoadedModule.open(
            expect_path(path), bool(map_weights),
            None if device is None else expect_text(device, "device"))
        return None if impl is None else Module(path, _impl=impl)

    @staticmethod
    def _make(name: str, write: Callable[[str], object]) -> Module:
        """Loads the artefact that `write` writes to a path."""
        file = _relay_mlir.MemoryFile(name)
        write(file.path())
        # What nobody can change need not be copied when it is loaded.
        file.seal()
        return Module(file.path(), _file=file)

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs, as a list of TensorInfo."""
        return [TensorInfo(*info) for info in self._impl.inputs()]

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs, as a list of TensorInfo."""
        return [TensorInfo(*info) for info in self._impl.outputs()]

    @property
    def variants(self) -> list[dict[str, int]]:
        """The sizes for which there is code besides that for any size, as `compile` was given
        them."""
        return [{name: int(size) for name, _, size in
                 (dim.rpartition("=") for dim in text.removeprefix("main.").split(","))}
                for text in self._impl.variants()]

    @property
    def devices(self) -> list[str]:
        """What the model runs on: "cpu:0", the host, and others such as "cuda:0"."""
        return self._impl.devices()

    @property
    def precision(self) -> str:
        """How exactly results in float32 are computed: "highest", "high" or
        "medium", as the model was compiled."""
        return self._impl.precision()

    @property
    def metadata(self) -> dict[str, str]:
        """What the model's file says of itself: of an ONNX model "producer_name" and other
        fields that are not empty, and properties of its own behind "metadata_props."."""
        return self._impl.metadata()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Outputs:
        """Runs the model.

        Inputs go by position or by name: NumPy arrays and other DLPack tensors
        of the right dtype and shape, which are not copied if they are
        contiguous; lists and numbers are converted. Strings are str or bytes (UTF-8) in
        lists or arrays; those of outputs are str in arrays of objects. Returns a NumPy array, or a
        tuple of them if the model has several outputs. Raises ValueError for
        wrong inputs.
        """
        if self._strings is not None:
            return self._strings.run(self._impl.run, args, kwargs)
        return self._impl.run(*args, **kwargs)

    def run(self, inputs: Mapping[str, Any]) -> Outputs:
        """The same with a mapping, for names that are no identifiers."""
        inputs = expect_mapping(inputs, "inputs")
        for name in inputs:
            expect_text(name, "the name of an input")
        return self(**inputs)

    def profile(self, inputs: Mapping[str, Any] | Sequence[Any], *, repeat: int = 50,
                warm_up: int = 5, trace: PathLike | None = None) -> list[KernelProfile]:
        """Runs the model `repeat` times and returns where the time goes.

        `inputs` is a mapping by name, or a sequence. Returns a KernelProfile for
        each kernel, those that take longest first; the names say what is fused.
        `trace` names a file for all calls of all runs, which Perfetto and
        chrome://tracing open. Waits for runs of other threads, which wait for it.
        Raises ValueError for wrong inputs.
        """
        expect_int(repeat, "repeat", 0, 2**31 - 1)
        expect_int(warm_up, "warm_up", 0, 2**31 - 1)
        by_name = hasattr(inputs, "keys")
        if not by_name:
            inputs = expect_list(inputs, "inputs", "arrays")

        def run(*args: Any, **named: Any) -> list[tuple[Any, ...]]:
            return self._impl.profile(*args, named=named, repeat=repeat, warm_up=warm_up, trace=(
                "" if trace is None else expect_path(trace, "trace")))

        args: Sequence[Any] = () if by_name else list(inputs)
        named = dict(inputs) if by_name else {}
        rows = (run(*args, **named) if self._strings is None
                else self._strings.run(run, args, named, decode=False))
        return [KernelProfile(*row) for row in rows]

    def save(self, path: PathLike) -> None:
        """Writes the artefact, which load() and the C interface read."""
        _relay_mlir.copy_file(self._path, expect_path(path))

    def verify(self) -> None:
        """Checks that the weights are those that the compiler wrote.

        Raises RuntimeError if they are not. Loading has checked everything, but for
        weights that are mapped.
        """
        self._impl.verify()


def import_onnx(model: Any) -> IRModule:
    """Reads an ONNX model (a path, its bytes, or a ModelProto) into an IRModule."""
    return _read(model, "a path to a model, the bytes of one, or an onnx.ModelProto")


def _of_relay(model: Any) -> IRModule | None:
    """A module, a function or an expression of relay_mlir.relay in MLIR; None for anything
    else."""
    # Who has one has imported that.
    relay = sys.modules.get("relay_mlir.relay")
    if relay is None or not isinstance(model, (relay.IRModule, relay.Expr)):
        return None
    module: IRModule = relay.build_module.to_mlir(relay.module.module_arguments(model))
    return module


def _to_module(model: Any, fixed: Fixed | None = None) -> IRModule:
    module = _of_relay(model)
    if module is not None:
        if fixed is not None:
            module._impl.fix_inputs(fixed)
        return module
    if not isinstance(model, IRModule):
        return _read(model, "a path to an .onnx, .relay or .mlir file, a relay_mlir.IRModule, a "
                     "relay.IRModule, an onnx.ModelProto, or the bytes of an .onnx file", fixed)
    if fixed is None:
        return model
    module = model.clone()
    module._impl.fix_inputs(fixed)
    return module


def _read(model: Any, expected: str, fixed: Fixed | None = None) -> IRModule:
    """Reads what import_onnx does; the TypeError for anything else says what is
    `expected`."""
    if isinstance(model, (str, os.PathLike)):
        return IRModule(_relay_mlir.IRModule.load(expect_path(model), fixed))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return IRModule(_relay_mlir.IRModule.load_onnx(bytes(model), fixed))
    if hasattr(model, "SerializeToString"):
        return IRModule(_relay_mlir.IRModule.load_onnx(model.SerializeToString(), fixed))
    kind = type(model)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise TypeError(f"expects {expected}, but got {name}")


def load_dialect_plugin(path: PathLike) -> None:
    """Loads dialects from a shared object (MLIR's DialectPlugin.h), such as operators and kinds
    of targets. Modules that are made after that know them. Raises ValueError for what is no
    such plugin."""
    text = expect_path(path)
    if not text or "\0" in text:
        raise ValueError(f"expects a dialect plugin, but got {text!r}")
    _relay_mlir.load_dialect_plugin(text)


def device_targets_text(targets: Mapping[str, str] | None) -> str:
    """Targets of devices as the option device-targets has them."""
    return ", ".join(f"{expect_text(kind, 'a kind of devices')} = {expect_text(text, 'a target')}"
                     for kind, text in expect_mapping(targets, "device_targets").items())


def emit(model: Any, path: PathLike, kind: str, *, target: str | None = None, opt_level: int = 3,
         precision: str | None = None, device_targets: Mapping[str, str] | None = None,
         force_matrix_tiles: bool = False, desired_layout: str | None = None,
         integer_regions: str = "on", cache: bool = True, cache_dir: PathLike | None = None,
         vta_search: int | None = None, report: PathLike | None = None, executor: str = "aot",
         dims: Mapping[str, int] | None = None,
         shapes: Mapping[str, Sequence[int | None]] | None = None,
         inputs: Mapping[str, Any] | None = None,
         specialize: Sequence[Mapping[str, int]] | None = None) -> None:
    """Writes a stage of the compilation to `path`.

    `kind` is "relay", "relax", "schedules", "tir", "llvm", "asm", "obj" or "so". `vta_search`,
    `report`, `executor`, `dims`, `shapes`, `inputs` and `specialize` are as in `compile`.
    """
    _emit(model, path, kind, target=target, opt_level=opt_level, precision=precision,
          device_targets=device_targets, force_matrix_tiles=force_matrix_tiles,
          desired_layout=desired_layout, integer_regions=integer_regions, cache=cache,
          cache_dir=cache_dir, vta_search=vta_search, report=report, executor=executor,
          fixed=fixed_inputs(dims, shapes, inputs), variants=variant_texts(specialize))


def _emit(model: Any, path: PathLike, kind: str, *, target: str | None, opt_level: int,
          precision: str | None, device_targets: Mapping[str, str] | None,
          force_matrix_tiles: bool, desired_layout: str | None, integer_regions: str,
          cache: bool, cache_dir: PathLike | None, vta_search: int | None,
          report: PathLike | None, executor: str, fixed: Fixed | None,
          variants: list[str]) -> bool:
    """What `emit` does. Returns whether the model has become a program, not one function."""
    layout = "" if desired_layout is None else expect_text(desired_layout, "desired_layout")
    folder = "" if cache_dir is None else expect_path(cache_dir, "cache_dir")
    arguments = (expect_path(path), expect_text(kind, "kind"),
                 None if target is None else expect_text(target, "target"),
                 expect_int(opt_level, "opt_level", 0, 3),
                 None if precision is None else expect_text(precision, "precision"),
                 device_targets_text(device_targets), bool(force_matrix_tiles), layout,
                 expect_text(integer_regions, "integer_regions"), bool(cache), folder,
                 None if vta_search is None else expect_int(vta_search, "vta_search", 0, 2**31 - 1))
    runs_on = expect_text(executor, "executor")
    module = _to_module(model, fixed)

    def run(page: _relay_mlir.Report | None) -> bool:
        try:
            return module._impl.compile(*arguments, page, executor=runs_on, variants=variants)
        except CompileError as error:
            # What a code generator in Python raised, which is of relay_mlir.relay.
            diagnostics = sys.modules.get("relay_mlir.relay._diagnostics")
            held = None if diagnostics is None else diagnostics.take_held(error)
            if held is None:
                raise
            raise held from None

    if report is None:
        return run(None)
    is_file = isinstance(model, (str, os.PathLike))
    page_path = expect_path(report, "report")
    for other in [path, *([model] if is_file else [])]:
        if page_path == os.fspath(other) or (os.path.isfile(page_path) and os.path.exists(other)
                                             and os.path.samefile(page_path, other)):
            raise ValueError(f"expects report to be another file than {os.fspath(other)!r}, but "
                             f"got {page_path!r}")
    page = _relay_mlir.Report(page_path, os.fspath(model) if is_file else type(model).__name__)
    # What failed is what one wants to see most.
    try:
        return run(page)
    finally:
        page.write()


@typing.overload
def compile(model: Any, *, target: str | None = None, opt_level: int = 3,
            precision: str | None = None, device_targets: Mapping[str, str] | None = None,
            force_matrix_tiles: bool = False, desired_layout: str | None = None,
            integer_regions: str = "on", cache: bool = True, cache_dir: PathLike | None = None,
            vta_search: int | None = None, report: PathLike | None = None,
            executor: typing.Literal["graph"],
            dims: Mapping[str, int] | None = None,
            shapes: Mapping[str, Sequence[int | None]] | None = None,
            inputs: Mapping[str, Any] | None = None,
            specialize: Sequence[Mapping[str, int]] | None = None,
            device: str | None = None) -> Module: ...


@typing.overload
def compile(model: Any, *, target: str | None = None, opt_level: int = 3,
            precision: str | None = None, device_targets: Mapping[str, str] | None = None,
            force_matrix_tiles: bool = False, desired_layout: str | None = None,
            integer_regions: str = "on", cache: bool = True, cache_dir: PathLike | None = None,
            vta_search: int | None = None, report: PathLike | None = None, executor: str = "aot",
            dims: Mapping[str, int] | None = None,
            shapes: Mapping[str, Sequence[int | None]] | None = None,
            inputs: Mapping[str, Any] | None = None,
            specialize: Sequence[Mapping[str, int]] | None = None,
            device: str | None = None) -> Module | Program: ...


def compile(model: Any, *, target: str | None = None, opt_level: int = 3,
            precision: str | None = None, device_targets: Mapping[str, str] | None = None,
            force_matrix_tiles: bool = False, desired_layout: str | None = None,
            integer_regions: str = "on", cache: bool = True, cache_dir: PathLike | None = None,
            vta_search: int | None = None, report: PathLike | None = None, executor: str = "aot",
            dims: Mapping[str, int] | None = None,
            shapes: Mapping[str, Sequence[int | None]] | None = None,
            inputs: Mapping[str, Any] | None = None,
            specialize: Sequence[Mapping[str, int]] | None = None,
            device: str | None = None) -> Module | Program:
    """Compiles a model and loads it.

    `model` is a path to an .onnx, .relay or .mlir file, an IRModule, a module or a function of
    relay_mlir.relay, an onnx ModelProto, or the bytes of an .onnx file. `target` is "native", an LLVM CPU name, or a level such as
    "x86-64-v3"; by default that of the module, or else "native". "vta,cpu" puts what it
    can of a quantized network on a VTA (docs/VTA.md). `opt_level` goes
    from 0 (no fusion) to 3. `precision`, by default that of the module, or else
    "high", says how far results in float32 may be from exact ones
    (docs/Precision.md): "highest", as far as ONNX Runtime's; "high", within ten
    times that and 1e-4 of the scale of a network's output; "medium", products of
    bfloat16 where the processor has units for them (AMX), and weights of bfloat16
    where a few rows wait for them. With `force_matrix_tiles` these units are used
    also where they are estimated to be slower. `device_targets` has what kernels on
    devices that are no processor are compiled for, by the kind of the devices:
    {"npu": "#npu.core<lanes = 8>"}, of a dialect that `load_dialect_plugin` knows; by
    default those of the module. `desired_layout` is that of
    convolutions, such as "NHWC", "NCHW", or "default" for those of the model; by
    default the compiler chooses. `integer_regions` says whether floats between integers,
    as QuantizeLinear and DequantizeLinear of ONNX leave them, are computed in integers:
    "on", where that is faster, "off", "hard-fail", or it is an error, "use-qat", also
    where no quantizer comes after, or "hard-fail,use-qat". Objects of kernels are kept in `cache_dir`, by
    default a folder of the user's, unless `cache` is False. `vta_search` is how many tiles of
    each kernel for VTA are tried on the cycle simulator, 16 by default; 0 takes the one that
    is estimated to be fastest. `report` is a file for a
    page that shows what each pass did, or the graphs alone, for Model Explorer, if its
    name ends in ".json"; it is also written if compilation fails. `executor` is what runs
    the model: "aot", native code, which gives a Module of a model that is one function of
    tensors, and a Program of one with loops, branches, sequences, or sizes that elements of
    tensors decide; "vm", a virtual machine, a Program of any model; or "graph", a Module, and an
    error for what is not one function of tensors. `dims` has sizes that the model leaves open, by
    their names ({"batch": 8}), and `shapes` shapes of inputs by name, in the place of the
    model's ({"x": [1, 3, None, 224]}; None stays open): code is made for these sizes.
    `inputs` has values of inputs by name, which become constants: numbers or arrays. The
    compiled model has these inputs no longer. `specialize` is a list of such sizes that are
    often seen, by their names ([{"batch": 1}, {"batch": 8}]): for each there is code besides
    that for any size, which runs with inputs of these sizes. `device` is as in `load`. Raises
    CompileError;
    OSError if the report cannot be written; TypeError for what is no model; and what a code
    generator in Python raises (docs/Tutorials/Codegen.md).
    """
    from ._program import Program

    file = _relay_mlir.MemoryFile("model.so")
    is_program = _emit(
        model, file.path(), "so", target=target, opt_level=opt_level, precision=precision,
        device_targets=device_targets, force_matrix_tiles=force_matrix_tiles,
        desired_layout=desired_layout, integer_regions=integer_regions, cache=cache,
        cache_dir=cache_dir, vta_search=vta_search, report=report, executor=executor,
        fixed=fixed_inputs(dims, shapes, inputs), variants=variant_texts(specialize))
    # What nobody can change need not be copied when it is loaded.
    file.seal()
    if is_program:
        return Program._make(file.path(), file, device)
    return Module(file.path(), _file=file, device=device)


def load(path: PathLike, *, map_weights: bool = False,
         device: str | None = None) -> Module | Program:
    """Loads an artefact that relay-compile, Module.save or Program.save wrote, and checks it.

    The result is a Module of one function of tensors, and a Program of anything else; Module(path)
    is for what is known to be the first. The file may be changed or removed afterwards. With
    `map_weights`, which a Program does not have, weights are not read but mapped: processes that
    load one file share the memory, and Module.verify() checks it. Then the file must not be
    overwritten or cut, other than by replacing it, for as long as the module lives. `device` says
    what runs the kernels for a kind of devices where there is a choice: "vta:fsim", the
    functional simulator of VTA, or "vta:tsim", which counts cycles.
    Raises RuntimeError; ValueError for a device that the model or the machine lacks.
    """
    module = Module._open(path, map_weights, device)
    if module is not None:
        return module
    if map_weights:
        raise ValueError("expects map_weights with a model that is one function of tensors, but "
                         "got it with a program")
    from ._program import Program

    return Program._make(expect_path(path), device=device)
