"""`relay.build`: native code, and how programs of Relay run it."""

import json
import re
import warnings
from typing import Any

import numpy as np
import pytest

import relay_mlir as rm
import relay_mlir.compat as tvm
from relay_mlir import relay

X = np.array([[0.5, -2, 3], [1, 0, -1]], "float32")
W = np.arange(12, dtype="float32").reshape(4, 3) - 5
CPU = relay.device.cpu(0)


def dense():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    return relay.IRModule.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w))))


def expected(x=X, w=W):
    return np.maximum(x @ w.T, 0)


def test_is_callable():
    """It is a function, and its module has another name."""
    assert callable(relay.build)
    assert relay.build_module.build is relay.build


@pytest.mark.parametrize("program", [dense(), dense()["main"]], ids=["module", "function"])
def test_function_call(program):
    lib = relay.build(program, target="llvm")
    np.testing.assert_allclose(lib(X, W), expected(), rtol=1e-5)
    np.testing.assert_allclose(lib(w=W, x=X), expected(), rtol=1e-5)


@pytest.mark.parametrize("program", [dense(), dense()["main"]], ids=["module", "function"])
def test_compile_takes_programs(program, tmp_path):
    """relay_mlir.compile, which takes other models, takes them as well."""
    model = rm.compile(program, executor="graph")
    assert [(info.name, info.shape) for info in model.inputs] == [("x", (2, 3)), ("w", (4, 3))]
    np.testing.assert_allclose(model(X, W), expected(), rtol=1e-5)
    np.testing.assert_allclose(model(w=W, x=X), expected(), rtol=1e-5)
    fixed = rm.compile(program, inputs={"w": W}, executor="graph")
    np.testing.assert_allclose(fixed(X), expected(), rtol=1e-5)
    rm.emit(program, tmp_path / "dense.so", "so")
    np.testing.assert_allclose(rm.load(tmp_path / "dense.so")(X, W), expected(),
                               rtol=1e-5)


def test_compile_takes_programs_of_all_kinds():
    x = relay.var("x", shape=(relay.Any(), 3))
    model = rm.compile(relay.nn.relu(x), dims={"d0": 2})
    assert isinstance(model, rm.Module) and model.inputs[0].shape == (2, 3)
    np.testing.assert_array_equal(model(X), np.maximum(X, 0))
    n = relay.var("n", "int32")
    mod = relay.IRModule({"unused": relay.Function([], relay.const(1.0))})
    mod["main"] = relay.Function([n], relay.If(relay.less(n, relay.const(0)), -n, n))
    program = rm.compile(mod)
    assert isinstance(program, rm.Program) and program(np.array(-3, "int32")) == 3
    y = relay.var("y", shape=(5,))
    with pytest.raises(rm.DiagnosticError, match="shapes that broadcast"):
        rm.compile(relay.nn.relu(x + y))


def test_graph_module():
    lib = relay.build(dense(), "llvm")
    module = tvm.contrib.graph_executor.GraphModule(lib["default"](CPU))
    assert (module.get_num_inputs(), module.get_num_outputs()) == (2, 1)
    module.set_input("x", X)
    module.set_input(1, W)
    module.run()
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    # Inputs stay what they were set to, whatever becomes of the array.
    np.testing.assert_array_equal(module.get_input("w"), W)
    x = 2 * X
    module.set_input(x=x)
    x[:] = 0
    module.run()
    out = np.empty((2, 4), "float32")
    module.get_output(0, out)
    np.testing.assert_allclose(out, expected(2 * X), rtol=1e-5)


def test_benchmark():
    x = relay.var("x", shape=(2,))
    lib = relay.build(relay.IRModule.from_expr(relay.Function([x], x + x)), target="llvm")
    module = tvm.contrib.graph_executor.GraphModule(lib["default"](CPU))
    with pytest.raises(ValueError):
        module.benchmark(CPU)
    times = module.benchmark(CPU, repeat=3, number=2, x=np.ones(2, "float32"))
    assert len(times.results) == 3 and 0 < times.min <= times.mean <= times.max
    assert module.get_output(0).tolist() == [2, 2]
    with pytest.raises(ValueError, match="expects func_name to be 'run', but got 'main'"):
        module.benchmark(CPU, func_name="main")
    with pytest.raises(ValueError, match="expects repeat"):
        module.benchmark(CPU, repeat=0)


def test_values_of_other_types():
    """Those of one kind become the input's; others are refused by the run."""
    module = relay.build(dense(), "llvm")["default"](CPU)
    for x in (X.astype("float64"), X.tolist()):
        module.run(x=x, w=W)
        np.testing.assert_array_equal(module.get_input("x"), X)
        np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    x = relay.var("x", shape=(2,), dtype="int32")
    module = relay.build(relay.Function([x], x + x), "llvm")["default"](CPU)
    module.run(x=[1, 2])
    np.testing.assert_array_equal(module.get_output(0), [2, 4])
    for value, error in (([1.5, 2], ValueError), (["a", "b"], TypeError), (None, TypeError)):
        with pytest.raises(error, match="x|numbers"):
            module.run(x=value)


def test_errors_of_graph_modules():
    module = relay.build(dense(), "llvm")["default"](CPU)
    with pytest.raises(ValueError, match="expects `run` before"):
        module.get_output(0)
    with pytest.raises(KeyError, match="expects one of the inputs x, w, but got 'y'"):
        module.set_input("y", X)
    with pytest.raises(IndexError, match="below 2, but got 2"):
        module.set_input(2, X)
    with pytest.raises(ValueError, match="w"):
        module.run(x=X)
    with pytest.raises(ValueError, match="x"):
        module.run(x=X[:, :2], w=W)
    module.run(x=X, w=W)
    with pytest.raises(IndexError, match="below 1, but got 1"):
        module.get_output(1)


def test_params_are_constants():
    lib = relay.build(dense(), "llvm", params={"w": W})
    assert [info.name for info in lib.compiled.inputs] == ["x"]
    module = lib["default"](CPU)
    module.set_input(x=X, **lib.get_params())
    module.run()
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    with pytest.raises(ValueError, match="expects the value that 'w' was compiled with"):
        module.set_input("w", W + 1)


@pytest.mark.parametrize("use", [
    lambda mod, params: relay.build(mod, "llvm", params=params),
    lambda mod, params: relay.optimize(mod, "llvm", params=params),
    lambda mod, params: relay.create_executor("debug", mod=mod, params=params)])
def test_params_of_other_names(use):
    """A misspelled name is said, and so are those that there are."""
    with pytest.warns(UserWarning) as caught:
        use(dense(), {"w": W, "nope": W})
    assert [str(warning.message) for warning in caught] == [
        "expects params of 'x', 'w', which @main has, but got 'nope', which has no effect"]
    assert caught[0].filename == __file__


def test_params_that_are_bound_already():
    """As programs do that partition with parameters, and then build with them."""
    mod = dense()
    mod["main"] = relay.bind_params_by_name(mod["main"], {"w": W})
    with pytest.warns(UserWarning, match="expects params of 'x', .* but got 'w'"):
        lib = relay.build(mod, "llvm", params={"w": W})
    np.testing.assert_allclose(lib(X), expected(), rtol=1e-5)
    many = {f"w{i}": W for i in range(20)}
    with pytest.warns(UserWarning, match="got 'w0', .*'w7' and 12 more, which"):
        relay.build(mod, "llvm", params=many)


def test_three_parts():
    graph, lib, params = relay.build(dense(), "llvm", params={"w": W})
    assert [node["name"] for node in json.loads(graph)["nodes"]][0] == "x"
    np.testing.assert_array_equal(params["w"], W)
    module = tvm.contrib.graph_executor.create(graph, lib, CPU)
    module.run(x=X)
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)


def check_graph(graph):
    """That a graph is one: entries of nodes, in an order in which they can run."""
    nodes, rows = graph["nodes"], graph["node_row_ptr"]
    assert rows[0] == 0 and len(rows) == len(nodes) + 1
    assert graph["arg_nodes"] == [i for i, node in enumerate(nodes) if node["op"] == "null"]
    assert len({node["name"] for node in nodes}) == len(nodes)
    last: dict[int, int] = {}
    for number, node in enumerate(nodes):
        outputs = int(node.get("attrs", {}).get("num_outputs", 1))
        assert rows[number + 1] - rows[number] == outputs
        assert node["op"] == "null" or int(node["attrs"]["num_inputs"]) == len(node["inputs"])
        for source, index, version in node["inputs"]:
            assert source < number and index < rows[source + 1] - rows[source] and version == 0
            last[rows[source] + index] = number
    for source, index, _ in graph["heads"]:
        last[rows[source] + index] = len(nodes)
    kinds = {name: values[0] for name, values in graph["attrs"].items()}
    assert kinds == {"dltype": "list_str", "storage_id": "list_int", "shape": "list_shape"}
    storage = graph["attrs"]["storage_id"][1]
    assert all(len(values[1]) == rows[-1] for values in graph["attrs"].values())
    # Nothing is overwritten before it has been read: but for views, which show the same.
    holder: dict[int, int] = {}
    for number, node in enumerate(nodes):
        is_view = node.get("attrs", {}).get("func_name") == "__nop"
        for entry in range(rows[number], rows[number + 1]):
            before = holder.get(storage[entry])
            assert before is None or is_view or last.get(before, -1) < number
            if is_view and before is not None:
                last[entry] = max(last.get(entry, -1), last.get(before, -1))
            holder[storage[entry]] = entry


@pytest.mark.parametrize("level", [0, 3])
def test_graphs(level):
    """Shapes and dtypes of all tensors, and storage that is shared."""
    mod, params = relay.testing.resnet.get_workload(num_layers=20, image_shape=(3, 32, 32),
                                                    num_classes=10)
    with relay.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    graph = json.loads(lib.get_graph_json())
    check_graph(graph)
    head = graph["node_row_ptr"][graph["heads"][0][0]]
    assert graph["attrs"]["shape"][1][head] == [1, 10]
    calls = [node for node in graph["nodes"] if node["op"] != "null"]
    assert len(set(graph["attrs"]["storage_id"][1])) < len(graph["nodes"]) - len(calls) / 2
    functions = " ".join(node["attrs"]["func_name"] for node in calls)
    assert functions.count("dense") == 1
    if level == 0:
        assert functions.count("conv2d") == relay.analysis.list_op_freqs(mod["main"])["nn.conv2d"]
    assert set(graph["params"]) == set(params)


def test_deployment(tmp_path):
    """Graph, code and parameters as three files, as programs of before 2020 have them."""
    graph, lib, params = relay.build(dense(), "llvm", params={"w": W})
    lib.export_library(tmp_path / "lib.so")
    data = relay.save_param_dict(params)
    module = tvm.contrib.graph_runtime.create(graph, tvm.runtime.load_module(tmp_path / "lib.so"),
                                              tvm.cpu())
    module.load_params(data)
    module.run(x=X)
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    with pytest.raises(ValueError, match="expects the value that 'w' was compiled with"):
        module.load_params(relay.save_param_dict({"w": W + 1}))
    with pytest.raises(ValueError, match="save_param_dict"):
        module.load_params(data[:-1])
    with pytest.raises(KeyError, match="expects one of the inputs x, but got 'v'"):
        module.load_params(relay.save_param_dict({"v": W}))
    x = relay.var("x", shape=(2, 3))
    other, _, _ = relay.build(relay.Function([x], relay.exp(x)), "llvm")
    with pytest.raises(ValueError, match="expects the graph of the library, with outputs"):
        tvm.contrib.graph_runtime.create(other, lib, tvm.cpu())
    with pytest.raises(TypeError, match="expects device to be a device, but got 3"):
        tvm.contrib.graph_runtime.create(graph, lib, 3)
    for wrong in ("", "[]", "{}", '{"params": 3}', '{"params": {"w": 3}}', "[" * 100000):
        with pytest.raises(ValueError, match="expects graph_json to be what"):
            tvm.contrib.graph_runtime.create(wrong, lib, tvm.cpu())


def test_parameters_that_are_inputs():
    mod = relay.build(dense(), "llvm")
    module, other = mod["default"](CPU), mod["default"](CPU)
    data = relay.save_param_dict({"w": W})
    module.load_params(data)
    other.share_params(module, data)
    other.run(x=X)
    np.testing.assert_allclose(other.get_output(0), expected(), rtol=1e-5)
    assert (module.get_input_index("w"), module.get_input_index("v")) == (1, -1)
    assert [module.get_input_name(i) for i in range(2)] == ["x", "w"]
    with pytest.raises(IndexError, match="number of an input below 2, but got 2"):
        module.get_input_name(2)
    assert module.get_input_info() == ({"x": (2, 3), "w": (4, 3)}, {"x": "float32", "w": "float32"})
    assert module.get_output_info()[0] == {"output0": (2, 4)}


def test_names_of_other_versions():
    """What TVM's programs of other years call it."""
    from relay_mlir.compat.runtime.executor import AotModule
    from relay_mlir.compat.runtime.executor.aot_executor import AotModule as Same

    assert Same is AotModule
    lib = relay.build(dense(), "llvm", executor=relay.backend.Executor("aot"))
    module = AotModule(lib["default"](CPU))
    params = tvm.runtime.save_param_dict({"w": W})
    module.set_input("x", X, **tvm.runtime.load_param_dict(params))
    module.run()
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    timing = tvm.instrument.PassTimingInstrument()
    assert isinstance(timing, tvm.ir.instrument.PassTimingInstrument)


def test_graph_of_open_sizes():
    x = relay.var("x", shape=(relay.Any(), 3))
    lib = relay.build(relay.Function([x], relay.tanh(x)), "llvm")
    graph = json.loads(lib.get_graph_json())
    assert list(graph) == ["inputs", "outputs", "params"]
    assert graph["inputs"][0]["name"] == "x" and graph["inputs"][0]["shape"][1] == 3


def test_several_outputs():
    x = relay.var("x", shape=(2, 3))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.Tuple([x + x, relay.exp(x)])))
    module = relay.build(mod, "llvm")["default"](CPU)
    module.run(x=X)
    assert module.get_num_outputs() == 2
    np.testing.assert_allclose(module.get_output(0), 2 * X, rtol=1e-6)
    np.testing.assert_allclose(module.get_output(1), np.exp(X), rtol=1e-5)


def test_saved(tmp_path):
    path = tmp_path / "dense.so"
    relay.build(dense(), "llvm", params={"w": W}).export_library(path)
    module = tvm.runtime.load_module(path)["default"](CPU)
    module.run(x=X)
    np.testing.assert_allclose(module.get_output(0), expected(), rtol=1e-5)
    np.testing.assert_allclose(rm.load(path)(X), expected(), rtol=1e-5)


@pytest.mark.parametrize("level", range(4))
def test_levels(level):
    with relay.transform.PassContext(opt_level=level):
        lib = relay.build(dense(), "llvm")
    np.testing.assert_allclose(lib(X, W), expected(), rtol=1e-5)


def test_optimized_twice():
    """What is optimized already has kernels."""
    mod, _ = relay.optimize(dense(), "llvm", params={"w": W})
    again, _ = relay.optimize(mod, "llvm")
    kernels = [var.name_hint for var, function in again.functions.items()
               if "Primitive" in (function.attrs or {})]
    assert kernels == ["fused_nn_dense_nn_relu"]
    for each in (mod, again):
        np.testing.assert_allclose(relay.build(each, "llvm")(X), expected(), rtol=1e-5)


def test_levels_of_pass_contexts():
    """Passes may have any level; the compiler's end at 3."""
    with relay.transform.PassContext(opt_level=4):
        lib = relay.build(dense(), "llvm")
    np.testing.assert_allclose(lib(X, W), expected(), rtol=1e-5)
    with pytest.raises(ValueError, match="expects opt_level to be 0 or more, but got -1"):
        relay.transform.PassContext(opt_level=-1)
    for level in (1.5, "3", None, True):
        with pytest.raises(TypeError, match="expects opt_level to be an integer, but got"):
            relay.transform.PassContext(opt_level=level)  # type: ignore[arg-type]


def test_other_functions_are_no_matter():
    """Only what @main uses is compiled."""
    mod = relay.parse("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil, }
def @unused(%l: List[int32]) -> int32 { match (%l) { Cons(%x, _) => { %x }, Nil => { 0 }, } }
def @main(%x: Tensor[(2, 3), float32]) { %x + %x }
""")
    np.testing.assert_allclose(relay.build(mod, "llvm")(X), 2 * X, rtol=1e-6)
    mod["main"] = relay.Function([], relay.Call(mod.get_global_var("unused"),
                                                [mod.get_constructor("List", "Nil")()]))
    with pytest.raises(relay.DiagnosticError, match="expects"):
        relay.build(mod, "llvm")


@pytest.mark.parametrize("arguments,text", [
    ({"target": "vulkan"}, "there is no code generation for 'vulkan'"),
    ({"target": {"cpu": "llvm", "rocm": "rocm"}}, "there is no code generation for 'rocm'"),
    ({"executor": "vm"}, "there is no executor 'vm'"),
    ({"runtime": "crt"}, "there is no run time 'crt'"),
    ({"workspace_memory_pools": object()}, "memory pools"),
])
def test_what_is_not_there_yet(arguments, text):
    with pytest.raises(NotImplementedError, match=text):
        relay.build(dense(), **{"target": "llvm", **arguments})


def test_executor_and_run_time_as_objects():
    """As programs for TVM give them; what would change nothing here is taken."""
    executor = relay.backend.Executor("aot", {"link-params": True})
    runtime = relay.backend.Runtime("cpp", {"system-lib": False})
    assert (executor.name, executor["link-params"], "interface-api" in executor) == ("aot", True, False)
    assert executor == relay.backend.Executor("aot", {"link-params": True}) != relay.backend.Executor("aot")
    lib = relay.build(dense(), "llvm", executor=executor, runtime=runtime)
    np.testing.assert_allclose(lib(X, W), expected(), rtol=1e-5)
    for make, text in ((lambda: relay.backend.Executor("vm"), "expects 'graph' or 'aot', but got 'vm'"),
                       (lambda: relay.backend.Runtime("crt"), "expects 'cpp', but got 'crt'"),
                       (lambda: relay.backend.Executor("aot", {"unpacked-api": True}),
                        "expects options link-params=True, but got unpacked-api=True"),
                       (lambda: relay.backend.Executor("graph", {"link-params": False}),
                        "but got link-params=False")):
        with pytest.raises(NotImplementedError, match=text):
            make()


def test_ill_typed():
    x = relay.var("x", shape=(2, 3))
    with pytest.raises(relay.DiagnosticError, match="nn.dense expects"):
        relay.build(relay.Function([x], relay.nn.dense(x, relay.const(W.T))), "llvm")


def test_settings_without_effect():
    """What the compiler does not read is named, and what it reads is not."""
    settings: dict[str, Any] = {"disabled_pass": ["FuseOps"], "required_pass": ["FastMath"],
                "config": {"relay.FuseOps.max_depth": 1}}
    for name, said in (("disabled_pass", "FuseOps"), ("required_pass", "FastMath"),
                       ("config", "the option relay.FuseOps.max_depth")):
        with relay.PassContext(opt_level=3, **{name: settings[name]}):
            for function in (relay.build, relay.optimize):
                with pytest.warns(UserWarning, match=f"{said}.* has no effect") as caught:
                    function(dense(), "llvm")
                assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with relay.PassContext(opt_level=1):
            relay.build(dense(), "llvm")


@pytest.mark.parametrize("value, got", [
    (np.zeros((2, 3), np.float32), "Tensor[(2, 3), float32]"),
    (W.astype(np.float64), f"Tensor[{tuple(W.shape)}, float64]"),
    (W.reshape(-1), f"Tensor[({W.size}), float32]"),
])
def test_parameters_of_another_type_are_refused(value, got):
    with pytest.raises(relay.DiagnosticError, match=re.escape(f"but got {got}")):
        relay.build(dense(), "llvm", params={"w": value})


def test_source():
    """Text of the code, before and after instructions are chosen."""
    x = relay.var("x", shape=(4,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    lib = relay.build(mod, target="llvm")
    assert "llvm" in lib.get_source() and lib.get_source("ll") == lib.get_source()
    assert re.search(r"^\s*ret", lib.get_source("asm"), re.M)
    with pytest.raises(ValueError, match="expects fmt to be '', 'll', 'asm' or 's', but got 'c'"):
        lib.get_source("c")
