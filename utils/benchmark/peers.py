# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who is measured, and the process in which each one lives.

Thread pools spin for a while after a run. Each runtime therefore has a process
of its own, which is stopped while others have their turn:

    peers.py <peer> <model.onnx> <inputs.npz> <threads> <precision> [<companion>]

reads requests, one JSON object per line, from standard input and answers
likewise. A companion is another peer in the same process, which has a run
between every two.
"""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")


#===-----------------------------------------------------------------------===#
# Peers
#===-----------------------------------------------------------------------===#


class Peer:
    """A runtime: `prepare` returns a function that runs the model once and
    returns its outputs, and sets `version` and `computes`, a key of
    compare.BOUNDS. It is told our precision; most have one of their own."""

    module = package = label = ""
    computes = "f32"
    # Whether it is measured only where a model leaves sizes open.
    of_open_sizes = False

    @classmethod
    def missing(cls):
        """The command that installs what is not there, or None."""
        for name in cls.module.split():
            try:
                found = importlib.util.find_spec(name) is not None
            except ModuleNotFoundError:
                found = False
            if not found:
                return f"pip install {cls.package}"
        return None

    @staticmethod
    def environment(threads):
        # None: as many as it chooses.
        return {"OMP_NUM_THREADS": str(threads)} if threads else {}


class Ours(Peer):
    module, package, label = "relay_mlir", "./python", "relay-mlir"

    @staticmethod
    def environment(threads):
        return {"RELAY_NUM_THREADS": str(threads)} if threads else {}

    def compile(self, path, inputs, precision):
        import relay_mlir
        return relay_mlir.compile(path, precision=precision)

    def prepare(self, path, inputs, threads, precision):
        import relay_mlir
        self.version = relay_mlir.__version__
        self.computes = precision
        model = self.compile(path, inputs, precision)

        def run():
            result = model.run(inputs)
            return result if isinstance(result, tuple) else (result,)

        return run


class OursStatic(Ours):
    """Ours with the sizes of the inputs known to the compiler, for models that leave
    them open."""

    label, of_open_sizes = "relay-mlir, static", True

    def compile(self, path, inputs, precision):
        import relay_mlir
        return relay_mlir.compile(path, precision=precision,
                                  shapes={name: value.shape for name, value in inputs.items()})


class OnnxRuntime(Peer):
    module, package, label = "onnxruntime", "onnxruntime", "ONNX Runtime"

    def prepare(self, path, inputs, threads, precision):
        import onnxruntime
        self.version = onnxruntime.__version__
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"])
        return lambda: session.run(None, inputs)


class OpenVINO(Peer):
    module, package, label = "openvino", "openvino", "OpenVINO"

    def prepare(self, path, inputs, threads, precision):
        import openvino
        self.version = openvino.__version__.split("-")[0]
        # As precise as ours.
        compiled = openvino.Core().compile_model(path, "CPU", {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if precision == "medium" else "f32"})
        # A processor without such arithmetic does not follow the hint.
        self.computes = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
        request = compiled.create_infer_request()

        def run():
            results = request.infer(inputs, share_inputs=True, share_outputs=True)
            return [results[output] for output in compiled.outputs]

        return run


class Torch(Peer):
    module, package, label = "torch", "torch", "PyTorch"
    compiles = False

    def prepare(self, path, inputs, threads, precision):
        import onnx
        import torch
        from torch_graph import TorchGraph
        self.version = torch.__version__
        torch.set_num_threads(threads)
        graph = TorchGraph(onnx.load(path)).eval()
        tensors = [torch.from_numpy(inputs[name]) for name in graph.inputs]
        call = torch.compile(graph) if self.compiles else graph

        def run():
            with torch.inference_mode():
                return [y.numpy() for y in call(*tensors)]

        return run


class TorchCompile(Torch):
    label, compiles = "torch.compile", True


class TVM(Peer):
    module, package, label = "tvm", "apache-tvm", "TVM"

    @staticmethod
    def environment(threads):
        return {"TVM_NUM_THREADS": str(threads)}

    def prepare(self, path, inputs, threads, precision):
        import onnx
        import tvm
        from tvm import relax
        from tvm.relax.frontend.onnx import from_onnx
        self.version = tvm.__version__
        proto = onnx.load(path)
        module = from_onnx(proto, keep_params_in_input=False)
        cpu = tvm.get_global_func("target.llvm_get_system_cpu")()
        target = tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": threads})
        with target:
            executable = tvm.compile(module, target)
        machine = relax.VirtualMachine(executable, tvm.cpu())
        weights = {t.name for t in proto.graph.initializer}
        values = [tvm.runtime.tensor(inputs[i.name]) for i in proto.graph.input
                  if i.name not in weights]

        def run():
            result = machine["main"](*values)
            results = [result] if hasattr(result, "numpy") else list(result)
            return [y.numpy() for y in results]

        return run


class IREE(Peer):
    module = "iree.compiler iree.runtime"
    package, label = "'iree-base-compiler[onnx]' iree-base-runtime", "IREE"

    def prepare(self, path, inputs, threads, precision):
        import iree.compiler.tools as tools
        import iree.compiler.version
        from iree import runtime
        self.version = iree.compiler.version.VERSION
        with tempfile.TemporaryDirectory() as folder:
            mlir = os.path.join(folder, "model.mlir")
            subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", path,
                            "-o", mlir, "--opset-version", "17"], check=True)
            binary = tools.compile_file(
                mlir, input_type="onnx", target_backends=["llvm-cpu"],
                extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3"])
        # One worker is on the caller's thread.
        if threads > 1:
            runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        config = runtime.Config("local-task" if threads > 1 else "local-sync")
        context = runtime.SystemContext(config=config)
        context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, binary))
        import onnx
        graph = onnx.load(path).graph
        weights = {t.name for t in graph.initializer}
        function = getattr(context.modules, "module")[graph.name]
        values = [runtime.asdevicearray(config.device, inputs[i.name]) for i in graph.input
                  if i.name not in weights]

        def run():
            result = function(*values)
            results = result if isinstance(result, (tuple, list)) else [result]
            return [y.to_host() for y in results]

        return run


OURS = "relay-mlir"
PEERS = {
    OURS: Ours, "static": OursStatic, "onnxruntime": OnnxRuntime, "openvino": OpenVINO, "torch": Torch,
    "torch.compile": TorchCompile, "tvm": TVM, "iree": IREE,
}
# Those that a user chooses from.
OTHERS = [name for name, peer in PEERS.items() if not issubclass(peer, Ours)]


#===-----------------------------------------------------------------------===#
# The process
#===-----------------------------------------------------------------------===#


def _time_runs(run, count, between=None):
    times = []
    for _ in range(count):
        if between:
            between()
        start = time.perf_counter()
        outputs = run()
        times.append(time.perf_counter() - start)
    del outputs
    return times


def _time_callers(functions, count):
    """The times of `count` runs of each function, all called at once, each from
    a thread of its own."""
    times, errors = [], []
    barrier = threading.Barrier(len(functions))

    def call(run):
        try:
            barrier.wait()
            part = _time_runs(run, count)
            times.extend(part)
        except Exception as error:  # Whatever a peer's packages raise.
            errors.append(error)
            barrier.abort()

    callers = [threading.Thread(target=call, args=(run,)) for run in functions]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    if errors:
        raise errors[0]
    return times


def _to_portable(value):
    """An array that a file of NumPy holds: bfloat16 is not among its types."""
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def serve(name, path, inputs_path, threads, precision, companion=None):
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**values):
        print(json.dumps(values), file=answers, flush=True)

    inputs = dict(np.load(inputs_path))
    peer: Any = PEERS[name]()
    try:
        start = time.perf_counter()
        run = peer.prepare(path, inputs, threads, precision)
        prepared = time.perf_counter()
        run()
        first = time.perf_counter()
        between = None
        if companion:
            beside: Any = PEERS[companion]()
            between = beside.prepare(path, inputs, threads, precision)
            between()
    except Exception as error:  # Whatever a peer's packages raise.
        lines = str(error).strip().splitlines() or [""]
        answer(error=f"{type(error).__name__}: {lines[0][:200]}")
        return
    answer(version=peer.version, computes=peer.computes, prepare=prepared - start,
           first=first - prepared)
    for line in sys.stdin:
        request = json.loads(line)
        if "outputs" in request:
            np.savez(request["outputs"], *map(_to_portable, run()))
            answer()
            continue
        run()
        if "callers" in request:
            # Callers of one model, or with a model each.
            functions = [run] * request["callers"]
            if request["models"]:
                functions = [run] + [peer.prepare(path, inputs, threads, precision)
                                     for _ in functions[1:]]
            answer(times=_time_callers(functions, request["runs"]))
        else:
            answer(times=_time_runs(run, request["runs"], between))


class Failure(Exception):
    """A peer that cannot run a model."""


class Process:
    """A peer at work on a model. It stands still but for its turns."""

    def __init__(self, name, path, inputs_path, threads, timeout=900, companion=None,
                 launcher=(), precision="high"):
        self.timeout = timeout
        package = BUILD / "python_packages"
        search = [str(package), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": ":".join(filter(None, search)),
                       **PEERS[name].environment(threads)}
        self.log = tempfile.TemporaryFile()
        self.process: Any = subprocess.Popen(
            [*launcher, sys.executable, __file__, name, str(path), str(inputs_path),
             str(threads), precision, *([companion] if companion else [])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env=environment, start_new_session=True)
        # A stopped process does not notice that whoever wrote to it has gone: the
        # guard, which nobody stops, reads from us and ends the peer, and what
        # that has started, when there is nothing more to read.
        self.guard: Any = subprocess.Popen(
            ["sh", "-c", 'read line; kill -KILL "-$1"', "sh", str(self.process.pid)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        try:
            ready = self._read()
            if "error" in ready:
                raise Failure(ready["error"])
        except Failure:
            self.close()
            raise
        self.version, self.computes = ready["version"], ready["computes"]
        self.prepare, self.first = ready["prepare"], ready["first"]
        self._stop()

    def _read(self):
        import select
        if not select.select([self.process.stdout], [], [], self.timeout)[0]:
            raise Failure(f"no answer within {self.timeout} s")
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.log.seek(0)
            last = self.log.read().decode(errors="replace").strip().splitlines()
            raise Failure(f"ended with {self.process.returncode}"
                          + (f": {last[-1][:200]}" if last else ""))
        return json.loads(line)

    def _stop(self):
        os.killpg(self.process.pid, signal.SIGSTOP)

    def _ask(self, **request):
        os.killpg(self.process.pid, signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return self._read()
        except BrokenPipeError:
            return self._read()
        finally:
            if self.process.poll() is None:
                self._stop()

    def run(self, runs):
        """The times of `runs` runs, after one that is not counted."""
        return self._ask(runs=runs)["times"]

    def run_callers(self, callers, runs, models=False):
        """The times of `runs` runs of each of so many threads, which all call one
        model or, with `models`, have one each."""
        return self._ask(callers=callers, runs=runs, models=models)["times"]

    def outputs(self, folder):
        path = os.path.join(folder, f"{self.process.pid}.npz")
        self._ask(outputs=path)
        with np.load(path) as arrays:
            return [arrays[key] for key in arrays.files]

    def close(self):
        self.guard.kill()
        self.guard.wait()
        self.guard.stdin.close()
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), *sys.argv[5:])
