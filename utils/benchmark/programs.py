#!/usr/bin/env python3
# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs cost: instructions, calls, recursion over data types, and recurrent layers
one token at a time.

    programs.py [--only NAME] [--rounds 7] [--models resnet50,bert_base]

All with one thread, in time of the processor, which others on the machine change little.
Two that are compared run in turn, and the medians of all rounds are printed: a ratio above
1 means that ours is faster. Outputs must agree to 1e-4 of the scale,
or the program fails. PyTorch and ONNX Runtime are left out, with a message, if they are not
installed (requirements.txt).
"""

import argparse
import ctypes
import importlib
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
# Before NumPy, PyTorch and our run time start threads.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                 "RELAY_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path[:0] = [str(BUILD / "python_packages"), str(HERE.parent), str(HERE.parent / "models")]
import build as models  # noqa: E402
import numpy as np  # noqa: E402
import option_types  # noqa: E402

TOLERANCE = 1e-4
VERSION = '#[version = "0.0.5"]\n'


def find(name):
    """A peer, or None with a message."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None
    if name == "torch":
        module.set_num_threads(1)
        module.set_grad_enabled(False)
    return module


def time_in_turn(functions, rounds, seconds=0.3):
    """The median time of each function: all run in each round."""
    counts = []
    for function in functions:
        function()
        start = time.process_time()
        function()
        counts.append(max(1, int(seconds / max(time.process_time() - start, 1e-7))))
    samples: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for function, count, times in zip(functions, counts, samples):
            start = time.process_time()
            for _ in range(count):
                function()
            times.append((time.process_time() - start) / count)
    return [statistics.median(times) for times in samples]


def check(ours, theirs):
    """Ends the program if results differ."""
    for got, wanted in zip(ours, theirs, strict=True):
        got, wanted = np.asarray(got, "float64"), np.asarray(wanted, "float64")
        scale = max(1e-30, np.abs(wanted).max(initial=0.0))
        error = np.abs(got - wanted).max(initial=0.0) / scale
        if got.shape != wanted.shape or not error <= TOLERANCE:
            sys.exit(f"results differ by {error:.1e} of their scale")


def report(name, text, goal):
    print(f"{name:28} {text}; goal: {goal}", flush=True)


def report_ratio(name, times, peer, goal):
    ours, theirs = times
    report(name, f"{ours * 1e6:10.1f} us, {peer} {theirs * 1e6:10.1f} us, ratio {theirs / ours:6.2f}",
           goal)


#===-----------------------------------------------------------------------===#
# Without Python
#===-----------------------------------------------------------------------===#


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int * 2), ("ndim", ctypes.c_int),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _ManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Artefact:
    """A model through the C interface: `call` runs it on the given arrays."""

    def __init__(self, path, arrays):
        self.library = ctypes.CDLL(str(BUILD / "lib" / "libRelayRuntime.so"))
        self.library.relayGetLastError.restype = ctypes.c_char_p
        self.arrays = arrays
        self.module = ctypes.c_void_p()
        self._check(self.library.relayModuleLoad(str(path).encode(), ctypes.byref(self.module)))
        self.tensors = [self._describe(array) for array in arrays]

    def _check(self, status):
        if status != 0:
            sys.exit(self.library.relayGetLastError().decode())

    @staticmethod
    def _describe(array):
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        code = 2 if array.dtype.kind == "f" else 0
        return _DLTensor(array.ctypes.data, (ctypes.c_int * 2)(1, 0), array.ndim, code,
                         8 * array.itemsize, 1, shape, None, 0)

    def as_model(self, outputs):
        """A function that runs an artefact of the executor aot into `outputs`."""
        inputs = (ctypes.c_void_p * len(self.tensors))(*map(ctypes.addressof, self.tensors))
        managed = [_ManagedTensor(self._describe(array), None, None) for array in outputs]
        results = (ctypes.c_void_p * len(managed))(*map(ctypes.addressof, managed))
        run, module = self.library.relayModuleRun, self.module
        count, num_results = len(self.tensors), len(managed)
        keep = (inputs, managed, outputs)

        def call():
            if run(module, inputs, count, results, num_results):
                self._check(keep and 1)

        return call

    def as_program(self):
        """A function that runs @main of an artefact of the executor vm."""
        values = []
        for tensor in self.tensors:
            value = ctypes.c_void_p()
            self._check(self.library.relayValueFromTensor(ctypes.byref(tensor),
                                                          ctypes.byref(value)))
            values.append(value)
        args = (ctypes.c_void_p * len(values))(*(value.value for value in values))
        run, module, release = (self.library.relayModuleInvoke, self.module,
                                self.library.relayValueRelease)
        result, count = ctypes.c_void_p(), len(values)
        reference = ctypes.byref(result)

        def call():
            if run(module, b"main", args, count, reference):
                self._check(1)
            release(result)

        return call


def compile_file(source, executor, folder):
    output = folder / f"{pathlib.Path(source).stem}-{executor}.so"
    subprocess.run([BUILD / "bin/relay-compile", source, f"--executor={executor}", "-o", output],
                   check=True)
    return output


#===-----------------------------------------------------------------------===#
# Costs
#===-----------------------------------------------------------------------===#

WALK = VERSION + """
type List[A] { Cons(A, List[A]), Nil, }
def @make(%n: int32, %l: List[int32]) -> List[int32] {
  if (equal(%n, 0)) { %l } else { @make(subtract(%n, 1), Cons(%n, %l)) }
}
def @main(%n: int32) -> List[int32] { @make(%n, Nil) }
def @walk(%l: List[int32]) -> int32 {
  match (%l) { Cons(_, %rest) => @walk(%rest), Nil => 0, }
}
"""


def measure_instructions(arguments):
    """Walks through a list: a cell takes the instructions of @walk up to its call."""
    from relay_mlir import relay
    mod = relay.parse(WALK)
    lines = relay.vm.compile(mod).bytecode.split("@walk(")[1].split("\n")[1:]
    each = next(i for i, line in enumerate(lines) if "call  walk" in line) + 1
    size = 4_000
    functions = []
    for mode in ("bytecode", "compiled"):
        machine = relay.vm.VirtualMachine(relay.vm.compile(mod, exec_mode=mode))
        functions += [lambda machine=machine, cells=machine.invoke("main", np.int32(count)):
                      machine.invoke("walk", cells) for count in (size, 0)]
    times = time_in_turn(functions, arguments.rounds)
    for kind, long, short in (("bytecode", *times[:2]), ("native code", *times[2:])):
        report(kind, f"{(long - short) / size / each * 1e9:.1f} ns for an instruction "
               f"({each} for each cell of a list of {size})", "below 100 ns")


def measure_calls(arguments):
    """A call of a model that does nothing to speak of."""
    x = np.ones(4, "float32")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "add.relay"
        source.write_text(VERSION + "def @main(%x: Tensor[(4), float32], "
                          "%y: Tensor[(4), float32]) { add(%x, %y) }\n")
        aot = Artefact(compile_file(source, "aot", folder), [x, x])
        vm = Artefact(compile_file(source, "vm", folder), [x, x])
        # What Python takes for a call of C with as many arguments.
        nothing, values = ctypes.CDLL(None).abs, [ctypes.c_void_p(1)] * 4

        def call_nothing():
            if nothing(1, *values) != 1:
                raise AssertionError

        ours, program, python = time_in_turn(
            [aot.as_model([np.empty(4, "float32")]), vm.as_program(), call_nothing],
            arguments.rounds)
    report("call, aot", f"{(ours - python) * 1e6:.2f} us", "below 2 us")
    report("call, vm", f"{(program - python) * 1e6:.2f} us", "none")


def measure_models(arguments):
    """Whole models: what the machine adds to native code."""
    for name in arguments.models:
        model = models.build(name)
        inputs = models.random_inputs(model)
        arrays = list(inputs.values())
        with tempfile.TemporaryDirectory() as folder_name:
            folder = pathlib.Path(folder_name)
            source = folder / f"{name}.onnx"
            models.save(model, source)
            aot_path, vm_path = (compile_file(source, executor, folder)
                                 for executor in ("aot", "vm"))
            import relay_mlir
            outputs = relay_mlir.load(aot_path).run(inputs)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            outputs = [np.ascontiguousarray(output).copy() for output in outputs]
            aot, vm = time_in_turn([Artefact(aot_path, arrays).as_model(outputs),
                                    Artefact(vm_path, arrays).as_program()], arguments.rounds, 2)
        report(f"{name}, vm over aot", f"{aot * 1e3:.2f} ms, {vm * 1e3:.2f} ms, "
               f"{(vm / aot - 1) * 100:+.2f} %", "below 1 %")


#===-----------------------------------------------------------------------===#
# Recursion
#===-----------------------------------------------------------------------===#

def parse(text, *weights):
    """A program with weights, as a trained one has them."""
    from relay_mlir import relay
    table = {"relay.Constant": [relay.const(weight) for weight in weights]}
    return relay.parse(text, init_meta_table=table)


TREE_LSTM = VERSION + """
type Tree {{ Node(Tree, Tree), Leaf(Tensor[(1, {size}), float32]), }}
def @main(%t: Tree) -> (Tensor[(1, {size}), float32], Tensor[(1, {size}), float32]) {{
  match (%t) {{
    Leaf(%x) => {{
      let %z = split(nn.dense(%x, meta[relay.Constant][0], units={four}),
                     indices_or_sections=4, axis=1);
      let %c = multiply(sigmoid(%z.0), tanh(%z.2));
      (multiply(sigmoid(%z.3), tanh(%c)), %c)
    }},
    Node(%l, %r) => {{
      let %a = @main(%l);
      let %b = @main(%r);
      let %z = split(nn.dense(concatenate((%a.0, %b.0), axis=1), meta[relay.Constant][1],
                              units={five}), indices_or_sections=5, axis=1);
      let %c = add(multiply(sigmoid(%z.0), tanh(%z.3)),
                   add(multiply(sigmoid(%z.1), %a.1), multiply(sigmoid(%z.2), %b.1)));
      (multiply(sigmoid(%z.4), tanh(%c)), %c)
    }},
  }}
}}
"""


def measure_trees(arguments):
    """A binary Tree-LSTM, whose calls follow a tree of random shape."""
    torch = find("torch")
    from relay_mlir import relay
    for size in (16, 128):
        rng = np.random.default_rng(0)
        w, u = (rng.standard_normal(shape).astype("float32") / math.sqrt(size)
                for shape in ((4 * size, size), (5 * size, 2 * size)))
        mod = parse(TREE_LSTM.format(size=size, four=4 * size, five=5 * size), w, u)
        node, leaf = mod.type_definitions[mod.get_global_type_var("Tree")].constructors

        def grow(leaves, rng=rng, size=size):
            if leaves == 1:
                return rng.standard_normal((1, size)).astype("float32")
            left = int(rng.integers(1, leaves))
            return grow(left), grow(leaves - left)

        def convert(tree, node=node, leaf=leaf):
            if isinstance(tree, tuple):
                return relay.ConstructorValue(node.tag, [convert(part) for part in tree], node)
            return relay.ConstructorValue(leaf.tag, [tree], leaf)

        tree = grow(64)
        run = relay.create_executor("vm", mod=mod).evaluate()
        value = convert(tree)
        functions = [lambda run=run, value=value: run(value)]
        if torch:
            tw, tu = torch.from_numpy(w), torch.from_numpy(u)

            def to_torch(tree):
                return tuple(map(to_torch, tree)) if isinstance(tree, tuple) else \
                    torch.from_numpy(tree)

            def evaluate(tree, tw=tw, tu=tu):
                if not isinstance(tree, tuple):
                    i, _, g, o = torch.chunk(torch.nn.functional.linear(tree, tw), 4, 1)
                    c = torch.sigmoid(i) * torch.tanh(g)
                    return torch.sigmoid(o) * torch.tanh(c), c
                (lh, lc), (rh, rc) = evaluate(tree[0]), evaluate(tree[1])
                i, f, s, g, o = torch.chunk(
                    torch.nn.functional.linear(torch.cat((lh, rh), 1), tu), 5, 1)
                c = torch.sigmoid(i) * torch.tanh(g) + torch.sigmoid(f) * lc + torch.sigmoid(s) * rc
                return torch.sigmoid(o) * torch.tanh(c), c

            given = to_torch(tree)
            check(functions[0](), evaluate(given))
            functions.append(lambda evaluate=evaluate, given=given: evaluate(given))
        times = time_in_turn(functions, arguments.rounds)
        name = f"Tree-LSTM, {size} units"
        if torch:
            report_ratio(name, times, f"PyTorch {torch.__version__}", "at least 20")
        else:
            report(name, f"{times[0] * 1e6:10.1f} us for 64 leaves", "at least 20 times PyTorch")


RNN = VERSION + """
type List[A] {{ Cons(A, List[A]), Nil, }}
def @generate(%n: int32, %token: int32, %h: Tensor[(1, {size}), float32], %done: List[int32])
    -> List[int32] {{
  if (equal(%n, 0)) {{ %done }}
  else {{
    let %x = expand_dims(take(meta[relay.Constant][0], %token, axis=0), axis=0);
    let %next = tanh(add(%x, nn.dense(%h, meta[relay.Constant][1], units={size})));
    let %scores = nn.dense(%next, meta[relay.Constant][2], units={words});
    let %word = cast(squeeze(argmax(%scores, axis=[1])), dtype="int32");
    @generate(subtract(%n, 1), %word, %next, Cons(%word, %done))
  }}
}}
def @main(%n: int32, %h: Tensor[(1, {size}), float32]) -> List[int32] {{
  @generate(%n, 0, %h, Nil)
}}
"""


def measure_generation(arguments):
    """A network that generates words, which are its next inputs, by recursion."""
    torch = find("torch")
    from relay_mlir import relay
    size, words, steps = 64, 100, 100
    rng = np.random.default_rng(1)
    e, u, v, h = (rng.standard_normal(shape).astype("float32") / math.sqrt(size)
                  for shape in ((words, size), (size, size), (words, size), (1, size)))
    mod = parse(RNN.format(size=size, words=words), e, u, v)
    run = relay.create_executor("vm", mod=mod).evaluate()
    functions = [lambda: run(np.int32(steps), h)]
    if torch:
        te, tu, tv, th = map(torch.from_numpy, (e, u, v, h))

        def evaluate():
            token, state, done = torch.tensor(0), th, []
            for _ in range(steps):
                state = torch.tanh(te[token][None] + torch.nn.functional.linear(state, tu))
                token = torch.argmax(torch.nn.functional.linear(state, tv), 1).squeeze()
                done.append(token)
            return done

        generated = relay.prelude.to_list(functions[0]())
        check([np.array(generated[::-1])], [torch.stack(evaluate()).numpy()])
        functions.append(evaluate)
    times = time_in_turn(functions, arguments.rounds)
    name = f"generative RNN, {size} units"
    if torch:
        report_ratio(name, times, f"PyTorch {torch.__version__}", "at least 5")
    else:
        report(name, f"{times[0] * 1e6:10.1f} us for {steps} words", "at least 5 times PyTorch")


#===-----------------------------------------------------------------------===#
# One token at a time
#===-----------------------------------------------------------------------===#


def make_recurrent(kind, layers, size):
    """One step of recurrent layers: a token and the states, to the output and the states."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    rng = np.random.default_rng(layers)
    gates, states = (4, 2) if kind == "LSTM" else (3, 1)
    nodes, weights, inputs, outputs = [], [], [("x", [1, 1, size])], []
    value = "x"
    for layer in range(layers):
        names = []
        for name, shape in [("w", (1, gates * size, size)), ("r", (1, gates * size, size)),
                            ("b", (1, 2 * gates * size))]:
            array = rng.uniform(-1, 1, shape).astype("float32") / math.sqrt(size)
            weights.append(numpy_helper.from_array(array, f"{name}{layer}"))
            names.append(f"{name}{layer}")
        given = [f"s{layer}_{i}" for i in range(states)]
        made = [f"t{layer}_{i}" for i in range(states)]
        inputs += [(name, [1, 1, size]) for name in given]
        outputs += made
        attributes: Any = {"linear_before_reset": 1} if kind == "GRU" else {}
        nodes += [helper.make_node(kind, [value, *names, "", *given], [f"y{layer}", *made],
                                   hidden_size=size, **attributes),
                  helper.make_node("Squeeze", [f"y{layer}", "axes"], [f"z{layer}"])]
        value = f"z{layer}"
    weights.append(numpy_helper.from_array(np.array([1], "int64"), "axes"))

    def declare(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        nodes, "step", [declare(*pair) for pair in inputs],
        [declare(value, [1, 1, size]), *(declare(name, [1, 1, size]) for name in outputs)], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model, [pair[0] for pair in inputs]


def measure_tokens(arguments):
    """LSTM and GRU, called for each token, against ONNX Runtime."""
    runtime = find("onnxruntime")
    from relay_mlir import relay
    for kind in ("LSTM", "GRU"):
        for layers in (1, 2):
            for size in arguments.sizes:
                model, names = make_recurrent(kind, layers, size)
                rng = np.random.default_rng(0)
                arrays = [rng.standard_normal((1, 1, size)).astype("float32") for _ in names]
                with tempfile.TemporaryDirectory() as name:
                    source = pathlib.Path(name) / "step.onnx"
                    source.write_bytes(model.SerializeToString())
                    path = compile_file(source, "vm", pathlib.Path(name))
                    machine = relay.vm.VirtualMachine(relay.vm.Executable.load_exec(str(path)))
                functions = [lambda machine=machine, arrays=arrays: machine.run(*arrays)]
                if runtime:
                    options = runtime.SessionOptions()
                    options.intra_op_num_threads = options.inter_op_num_threads = 1
                    session = runtime.InferenceSession(model.SerializeToString(), options,
                                                       providers=["CPUExecutionProvider"])
                    feed = dict(zip(names, arrays))
                    functions.append(lambda session=session, feed=feed: session.run(None, feed))
                    check(functions[0](), functions[1]())
                times = time_in_turn(functions, arguments.rounds)
                label = f"{kind}, {layers} x {size}, a token"
                if runtime:
                    report_ratio(label, times, f"ONNX Runtime {runtime.__version__}", "at least 1")
                else:
                    report(label, f"{times[0] * 1e6:10.1f} us", "that of ONNX Runtime")


CASES = {"instructions": measure_instructions, "calls": measure_calls, "models": measure_models,
         "trees": measure_trees, "generation": measure_generation, "tokens": measure_tokens}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--only", choices=CASES, action="append",
                        help="a part of the measurements (default: all)")
    parser.add_argument("--rounds", type=option_types.positive, default=7)
    parser.add_argument("--models", type=option_types.names(models.MODELS, "models"),
                        default=["resnet50", "bert_base"], help="names of utils/models")
    parser.add_argument("--sizes", type=option_types.positives, default=[64, 256, 512],
                        help="units of the recurrent layers")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} processors, 1 thread, medians of {arguments.rounds} rounds")
    for name in arguments.only or CASES:
        CASES[name](arguments)


if __name__ == "__main__":
    main()
