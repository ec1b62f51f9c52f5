"""Code generators in Python: what they return, what they do wrong, and what a compiled
program computes with them."""

import os
import pathlib
import traceback
import warnings
from typing import Any, cast

import numpy as np
import pytest

import relay_mlir as rm
import relay_mlir.compat as tvm
from compiler_checks import module
from relay_mlir import relay
from relay_mlir.relay import codegen

transform: Any = relay.transform

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")

ELEMENTWISE = {"add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}",
               "nn.relu": "{0} > 0 ? {0} : 0", "tanh": "tanhf({})"}


def emit(mod):
    """C for elementwise operators on one shape, and dense, all of float32. A size that is
    `?` is the first entry of `dims`."""
    lines = ["#include <math.h>", "#include <stdint.h>", "#include <stdlib.h>",
             "#include <string.h>"]
    for var, function in mod.functions_items():
        names: dict[relay.Expr, str] = {}
        freed: list[str] = []
        lines.append(f"int32_t {var.name_hint}(void *const *args, const int64_t *dims, "
                     "const void *context) {")

        def count(type_):
            return " * ".join(str(size) if isinstance(size, int) else "dims[0]"
                              for size in type_.shape) or "1"

        def visit(node, function=function, names=names, freed=freed, count=count):
            if isinstance(node, relay.Var):
                index = [p.same_as(node) for p in function.params].index(True)
                names[node] = f"((const float *)args[{index}])"
            elif isinstance(node, relay.Constant):
                name = f"c{len(names)}"
                values = ", ".join(f"{x:.9e}f" for x in node.data.numpy().ravel())
                lines.append(f"static const float {name}[] = {{{values}}};")
                names[node] = name
            elif isinstance(node, relay.Call):
                name = names[node] = f"v{len(names)}"
                freed.append(name)
                size = count(node.checked_type)
                lines.append(f"float *{name} = malloc(4 * ({size}));")
                args = [names[arg] for arg in node.args]
                if node.op.name == "nn.dense":
                    (n, k), m = node.args[1].checked_type.shape, \
                        count(node.args[0].checked_type)
                    lines.append(
                        f"for (long i = 0; i < ({m}) / {k}; ++i) for (long j = 0; j < {n}; ++j) "
                        f"{{ float sum = 0; for (long k = 0; k < {k}; ++k) "
                        f"sum += {args[0]}[i * {k} + k] * {args[1]}[j * {k} + k]; "
                        f"{name}[i * {n} + j] = sum; }}")
                else:
                    value = ELEMENTWISE[node.op.name].format(*(f"{a}[i]" for a in args))
                    lines.append(f"for (long i = 0; i < {size}; ++i) {name}[i] = {value};")

        relay.post_order_visit(function.body, visit)
        body = function.body
        results = body.fields if isinstance(body, relay.Tuple) else [body]
        for index, result in enumerate(results):
            lines.append(f"memcpy(args[{len(function.params) + index}], {names[result]}, "
                         f"4 * ({count(result.checked_type)}));")
        lines += [f"free({name});" for name in freed] + ["return 0; }"]
    return codegen.CSource("\n".join(lines))


def register(target, generator, *op_names):
    for name in op_names:
        relay.op.get(name).reset_attr(f"target.{target}")
        tvm.ir.register_op_attr(name, f"target.{target}", lambda call: True)
    codegen.register(target, generator)


def partition(mod, *targets):
    mod = transform.AnnotateTarget(list(targets))(mod)
    return transform.PartitionGraph()(transform.MergeCompilerRegions()(mod))


def run_compiled(mod, **inputs):
    run = relay.build(mod, target="llvm")["default"](tvm.cpu(0))
    run.run(**inputs)
    return [run.get_output(i).numpy() for i in range(run.get_num_outputs())]


def as_arrays(result):
    fields = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(field) for field in fields]


def check(mod, tolerance=1e-5, **inputs):
    """Artefacts of either executor compute what the interpreter does; float32 sums of some
    10 products."""
    expected = as_arrays(relay.create_executor("debug", mod=mod).evaluate()(**inputs))
    for actual in (run_compiled(mod, **inputs),
                   as_arrays(relay.create_executor("vm", mod=mod).evaluate()(**inputs))):
        for a, b in zip(actual, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def mlp(rows=3):
    x = relay.var("x", shape=(rows, 4))
    rng = np.random.default_rng(0)
    weight = [relay.const(rng.standard_normal(s).astype("float32")) for s in ((5, 4), (2, 5))]
    hidden = relay.tanh(relay.nn.dense(x, weight[0]))
    return module([x], relay.erf(relay.nn.relu(relay.nn.dense(hidden, weight[1]))))


def value(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype("float32")


def test_c_source():
    register("csource", emit, "nn.dense", "tanh", "nn.relu")
    mod = partition(mlp(), "csource")
    assert len(mod.functions) == 2
    check(mod, x=value(3, 4))


def test_open_sizes():
    register("open", emit, "nn.dense", "tanh", "nn.relu")
    check(partition(mlp(relay.Any()), "open"), x=value(7, 4))


def test_several_outputs_and_inputs():
    register("several", emit, "add", "tanh", "multiply")
    x, y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
    total = relay.add(x, y)
    mod = partition(module([x, y], relay.Tuple(
        [relay.erf(total), relay.tanh(relay.multiply(total, x))])), "several")
    assert len(mod["tvmgen_default_several_main_0"].ret_type.fields) == 2
    check(mod, x=value(2, 3), y=value(2, 3) + 1)


def test_tuple_comes_in():
    register("pairs", emit, "add")
    x = relay.var("x", shape=(4,))
    pair = relay.var("pair", relay.TupleType([relay.TensorType((4,))] * 2))
    function = relay.Function([pair], relay.add(pair[0], pair[1])).with_attr(
        {"Compiler": "pairs", "Primitive": 1, "global_symbol": "of_pair"})
    mod = relay.IRModule({"of_pair": function})
    mod["main"] = relay.Function([x], relay.GlobalVar("of_pair")(relay.Tuple([x, relay.erf(x)])))
    seen = []

    def generator(mod):
        seen.append([p.checked_type for p in mod["of_pair"].params])
        return codegen.CSource("""#include <stdint.h>
            int32_t of_pair(void *const *a, const int64_t *dims, const void *context) {
              for (int i = 0; i < 4; ++i)
                ((float *)a[2])[i] = ((float *)a[0])[i] + ((float *)a[1])[i];
              return 0;
            }""")

    codegen.register("pairs", generator)
    check(transform.InferType()(mod), x=value(4))
    assert seen[0] == [relay.TensorType((4,))] * 2


def test_two_targets():
    register("one", emit, "tanh", "nn.dense")
    register("two", emit, "nn.relu")
    mod = partition(mlp(), "one", "two")
    assert {f.attrs["Compiler"] for v, f in mod.functions.items() if v.name_hint != "main"} == \
        {"one", "two"}
    check(mod, x=value(3, 4))


def test_pattern_as_a_whole():
    x, a = relay.var("x", shape=(3, 4)), relay.var("a", shape=(3, 4))
    function = relay.Function([a], relay.nn.relu(relay.tanh(a))).with_attr(
        {"Composite": "patterns.tanh_relu", "PartitionedFromPattern": "tanh_nn.relu_"})
    mod = partition(module([x], relay.erf(relay.Call(function, [x]))), "patterns")
    seen = []

    def generator(mod):
        (_, inner), = mod.functions_items()
        seen.append(inner.body.op.attrs["Composite"])
        return transform.InlineCompilerFunctionsBoundTo([])(mod)

    codegen.register("patterns", generator)
    # The module is as it was: what joins our lowering is the pattern itself.
    check(mod, x=value(3, 4))
    # Once for each of two artefacts.
    assert seen == 2 * ["patterns.tanh_relu"]


def test_relay():
    """relu(x) by another definition, which is fused with what is around it."""

    def generator(mod):
        for var, function in mod.functions.items():
            x, = function.params
            mod[var] = relay.Function([x], relay.maximum(x, relay.const(0.0)))
        return mod

    register("ours", generator, "nn.relu")
    mod = partition(mlp(), "ours")
    check(mod, x=value(3, 4))


def test_text_of_mlir():
    register("text", lambda mod: """
        func.func @tvmgen_default_text_main_0(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = relay.negative %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""", "nn.relu")
    x = relay.var("x", shape=(3, 4))
    mod = partition(module([x], relay.erf(relay.nn.relu(x))), "text")
    inputs = value(3, 4)
    expected = relay.create_executor(
        "debug", mod=module([x], relay.erf(relay.negative(x)))).evaluate()(inputs)
    np.testing.assert_allclose(run_compiled(mod, x=inputs)[0], expected, rtol=1e-5)


def test_parts_as_mlir():
    """A generator gets its functions as text, with constants and names, and may return what
    passes make of it."""
    texts = []

    def generator(mod):
        texts.append(mod.as_mlir())
        text = texts[0].replace("relay.nn.relu", "relay.negative")
        return rm.IRModule.parse(text).print(elide_larger=None)

    register("parts", generator, "nn.relu", "multiply")
    x, c = relay.var("x", shape=(3, 4)), relay.const(value(3, 4))
    mod = partition(module([x], relay.erf(relay.nn.relu(x * c))), "parts")
    inputs = value(3, 4)
    expected = relay.create_executor(
        "debug", mod=module([x], relay.erf(relay.negative(x * c)))).evaluate()(inputs)
    np.testing.assert_allclose(run_compiled(mod, x=inputs)[0], expected, rtol=1e-5)
    assert "func.func @tvmgen_default_parts_main_0" in texts[0]
    assert 'relay.name = "parts_0_i0"' in texts[0] and "relay.constant" in texts[0]
    y = relay.var("y", shape=(5,))
    with pytest.raises(relay.DiagnosticError, match="shapes that broadcast"):
        module([x, y], x + y).as_mlir()


def test_module_of_mlir():
    """What passes make of the text need not be text again."""

    def generator(mod):
        return rm.IRModule.parse(mod.as_mlir().replace("relay.nn.relu", "relay.negative"))

    mod = one_relu("module", generator)
    inputs = value(3, 4)
    expected = run_compiled(one_relu("same", lambda mod: mod.as_mlir().replace(
        "relay.nn.relu", "relay.negative")), x=inputs)
    np.testing.assert_array_equal(run_compiled(mod, x=inputs), expected)


#===------------------------------------------------------------------------===#
# What goes wrong
#===------------------------------------------------------------------------===#


def one_relu(target, generator):
    register(target, generator, "nn.relu")
    x = relay.var("x", shape=(3, 4))
    return partition(module([x], relay.erf(relay.nn.relu(x))), target)


def test_no_generator():
    tvm.ir.register_op_attr("nn.relu", "target.absent", lambda call: True)
    x = relay.var("x", shape=(3, 4))
    mod = partition(module([x], relay.nn.relu(x)), "absent")
    with pytest.raises(tvm.DiagnosticError,
                       match='code generator "absent": expects one that is registered, but'):
        relay.build(mod, target="llvm")


def test_exception_arrives():

    def generator(mod):
        raise ZeroDivisionError("no chip is here")

    mod = one_relu("raising", generator)
    with pytest.raises(ZeroDivisionError, match="no chip is here") as caught:
        relay.build(mod, target="llvm")
    assert "in generator" in "".join(traceback.format_tb(caught.value.__traceback__))
    notes = getattr(caught.value, "__notes__", ["raised in code generator 'raising'"])
    assert notes == ["raised in code generator 'raising'"]


def test_falls_back_only_if_asked():

    def generator(mod):
        raise ZeroDivisionError("no chip is here")

    mod = one_relu("failing", generator)
    inputs = value(3, 4)
    with relay.build_config(opt_level=3, config={"relay.ext.fallback": True}), \
            pytest.warns(Warning, match='code generator "failing": ZeroDivisionError: no chip'):
        lib = relay.build(mod, target="llvm")
    run = lib["default"](tvm.cpu(0))
    run.run(x=inputs)
    expected = relay.create_executor("debug", mod=mod).evaluate()(inputs)
    np.testing.assert_allclose(run.get_output(0).numpy(), expected, rtol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with relay.build_config(opt_level=3, config={"relay.ext.fallback": False}), \
                pytest.raises(ZeroDivisionError):
            relay.build(mod, target="llvm")


def test_the_last_exception_arrives():
    """Not an older one, of which only a warning was left."""
    errors = [ValueError(), ValueError("of now")]

    def generator(mod):
        raise errors.pop(0)

    mod = one_relu("failing", generator)
    with relay.build_config(opt_level=3, config={"relay.ext.fallback": True}), \
            pytest.warns(Warning, match='code generator "failing": ValueError'):
        relay.build(mod, target="llvm")
    with pytest.raises(ValueError, match="^of now"):
        relay.build(mod, target="llvm")


# C whose code holds the address of its data.
OF_ONE_PLACE = codegen.CSource(
    "static int data[9];\n"
    "int tvmgen_default_wrong_main_0(int *p) { return p == &data[*p] ? ++data[*p] : 0; }",
    ["-fno-pic", "-fno-pie"])


@pytest.mark.parametrize("executor", ["graph", "vm"])
@pytest.mark.parametrize("code,message", [
    (codegen.CSource("this is no C"), "expects C that .* compiles, but it says:(.|\n)*error"),
    (codegen.CSource("int x;"), "expects its C to define the function tvmgen_default_wrong_main"),
    (codegen.CSource("int there_is_none(void);\n"
                     "int tvmgen_default_wrong_main_0() { return there_is_none(); }"),
     "expects C that defines what it uses, .*, but got there_is_none"),
    (OF_ONE_PLACE, "cannot link: relocation .*; recompile with -fPIC"),
])
def test_falls_back_from_wrong_source(executor, code, message):
    """What only the compiler of C knows is known early enough."""
    mod = one_relu("wrong", lambda mod: code)
    inputs = value(3, 4)
    with relay.build_config(opt_level=3, config={"relay.ext.fallback": True}), \
            pytest.warns(Warning, match=f'code generator "wrong": {message}'):
        found = relay.create_executor(executor, mod=mod, target="llvm").evaluate()(inputs)
    expected = relay.create_executor("debug", mod=mod).evaluate()(inputs)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("code,error,message", [
    (3, TypeError, "code generator 'wrong' to return a CSource, a Blob, a module or a text"),
    (None, TypeError, "expects code generator 'wrong' to return a CSource"),
    (codegen.CSource("int x;"), tvm.DiagnosticError,
     'code generator "wrong": expects its C to define the function tvmgen_default_wrong_main_0'),
    (codegen.CSource("int tvmgen_default_wrong_main_0 = 3;"), tvm.DiagnosticError,
     "expects its C to define the function tvmgen_default_wrong_main_0"),
    (codegen.CSource("this is no C"), tvm.DiagnosticError,
     'code generator "wrong": expects C that .* compiles, but it says:(.|\n)*error'),
    (relay.IRModule(), tvm.DiagnosticError, 'code generator "wrong": expects it to define @tvmgen'),
    ("this is no MLIR", tvm.DiagnosticError, 'code generator "wrong": '),
    ("""func.func @tvmgen_default_wrong_main_0(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
          return %x : tensor<4x3xf32>
        }""", tvm.DiagnosticError, "expects it to define @tvmgen_default_wrong_main_0 of type"),
    ("""func.func @tvmgen_default_wrong_main_0(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = relay.annotation.compiler_begin %x {compiler = "other"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""", tvm.DiagnosticError,
     'code of wrong:2:16: error: code generator "wrong": .* expects nothing that is for another'),
    ("""func.func @tvmgen_default_wrong_main_0(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
          %0 = relay.call @tvmgen_default_wrong_main_0(%x) : (tensor<3x4xf32>) -> tensor<3x4xf32>
          return %0 : tensor<3x4xf32>
        }""", tvm.DiagnosticError, "code of wrong:2:16: error: expects a primitive function"),
    (codegen.CSource("int tvmgen_default_wrong_main_0() { return 0; }", ["-m32"]),
     tvm.DiagnosticError,
     'code generator "wrong": expects an object for x86_64, but got one for i386'),
    (OF_ONE_PLACE, tvm.DiagnosticError,
     'code generator "wrong": cannot link: relocation .*; recompile with -fPIC'),
])
def test_wrong_code(code, error, message):
    mod = one_relu("wrong", lambda mod: code)
    before = mod.astext()
    with pytest.raises(error, match=message):
        relay.build(mod, target="llvm")
    assert mod.astext() == before


def test_bytes_for_the_processor():
    mod = one_relu("cpu", lambda mod: codegen.Blob("any", b"x"))
    with pytest.raises(tvm.DiagnosticError, match='code generator "cpu": expects bytes for a '
                       'device, but "cpu" is the processor'):
        relay.build(mod, target="llvm")


def test_exception_arrives_from_compile():

    def generator(mod):
        raise ZeroDivisionError("no chip is here")

    mod = one_relu("raising", generator)
    for program in (mod, rm.IRModule.parse(mod.as_mlir())):
        with pytest.raises(ZeroDivisionError, match="no chip is here") as caught:
            rm.compile(program)
        assert "in generator" in "".join(traceback.format_tb(caught.value.__traceback__))


def returns_in_c(target, result, before=""):
    """A module with one relu, whose generator writes C that returns `result`."""
    return one_relu(target, lambda mod: codegen.CSource(f"""
        #include <stdint.h>
        {before}
        int32_t tvmgen_default_{target}_main_0(void *const *args, const int64_t *dims,
                                               const void *context) {{
          return {result};
        }}"""))


@pytest.mark.parametrize("before,result,message", [
    ("int nobody_has_this(void);", "nobody_has_this()", "or calls functions of libm or libc "
     "that artefacts may call, but got nobody_has_this"),
    ("static __thread int last;", "last++", "expects C without thread-local variables, but got "
     "last"),
])
def test_what_c_cannot_use(before, result, message):
    with pytest.raises(tvm.DiagnosticError, match=f'code generator "unlinked": .*{message}'):
        relay.build(returns_in_c("unlinked", result, before), target="llvm")


@pytest.mark.parametrize("result,code", [("7", 7), ("-1", 255), ("256", 255)])
def test_a_function_of_c_fails(result, code):
    mod = returns_in_c("failing", result)
    message = f"kernel 'tvmgen_default_failing_main_0' failed with code {code}"
    run = relay.build(mod, target="llvm")["default"](tvm.cpu(0))
    with pytest.raises(RuntimeError, match=message + "$"):
        run.run(x=value(3, 4))
    with pytest.raises(RuntimeError, match=message):
        relay.create_executor("vm", mod=mod).evaluate()(value(3, 4))


def test_nothing_is_partitioned():
    x = relay.var("x", shape=(2, 3))
    mod = module([x], relay.nn.relu(x))
    codegen.register("unparted", emit)
    tvm.ir.register_op_attr("nn.relu", "target.unparted", lambda call: True)
    with pytest.raises(tvm.DiagnosticError, match="expects functions of what is for other "
                       "compilers, but got annotation.compiler_begin outside of them") as info:
        relay.build(transform.AnnotateTarget("unparted")(mod), target="llvm")
    assert any("PartitionGraph" in note for note in info.value.notes)
    pattern = [("unparted.relu", relay.dataflow_pattern.is_op("nn.relu")(
        relay.dataflow_pattern.wildcard()))]
    with pytest.raises(tvm.DiagnosticError, match='but got the pattern "unparted.relu"'):
        relay.build(transform.MergeComposite(pattern)(mod), target="llvm")


@pytest.mark.parametrize("executor", ["aot", "vm", "graph"])
def test_closures_for_others(executor):
    """Their code is not ours to make, whatever runs the program."""
    mod = rm.IRModule.parse("""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> attributes {relay.compiler = "nobody"} {
    %r = relay.nn.relu %y : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %r : tensor<2xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}""")
    with pytest.raises(rm.CompileError, match='but got a closure for "nobody"\n.*'
                       "OutlineCompilerFunctionsWithExistingGlobalSymbols"):
        rm.compile(mod, executor=executor)


@pytest.mark.parametrize("call,error,message", [
    (lambda: codegen.register("a.b", emit), ValueError, "expects a name of letters"),
    (lambda: codegen.register("default", emit), ValueError, "other than 'default'"),
    (lambda: codegen.register("x", 3), TypeError, "expects generator"),
    (lambda: tvm.register_func("relay.ext.mine", emit), ValueError,
     r"registered by relay.codegen.register\('mine'\), which .* got .*relay.ext.mine"),
    (lambda: codegen.CSource(cast(Any, 3)), TypeError, "expects source"),
    (lambda: codegen.Blob("", b"x"), ValueError, "expects the name of a format, but got ''"),
    (lambda: codegen.Blob("x", cast(Any, "text")), TypeError, "expects data to be bytes, but"),
])
def test_wrong_arguments(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_names():
    codegen.register("listed", emit)
    assert "listed" in codegen.names()


def test_in_a_loop():
    """Code of others in a recursive function, under a condition, by way of a list."""
    register("looped", emit, "tanh", "add")
    mod = partition(relay.parse("""#[version = "0.0.5"]
        def @loop(%n: int32, %x: Tensor[(3, 4), float32]) -> Tensor[(3, 4), float32] {
          if (%n == 0) { %x } else { @loop(%n - 1, tanh(%x) + %x) }
        }
        def @main(%n: int32, %x: Tensor[(3, 4), float32]) { exp(@loop(%n, exp(%x))) }"""),
        "looped")
    assert len(mod.functions) == 3
    for count in (0, 1, 7):
        arguments = np.array(count, "int32"), value(3, 4)
        actual, expected = (relay.create_executor(kind, mod=mod).evaluate()(*arguments).numpy()
                            for kind in ("aot", "debug"))
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


WORDS = {"add": "add", "nn.relu": "relu", "tanh": "tanh"}


def emit_bytes(mod):
    """What test/lib/ExampleCodegen/ExampleBytes.c runs."""
    lines = []
    for var, function in mod.functions_items():

        def write(node, function=function):
            if isinstance(node, relay.Var):
                return [str([p.same_as(node) for p in function.params].index(True))]
            return [word for arg in node.args for word in write(arg)] + [WORDS[node.op.name]]

        shape = function.body.checked_type.shape
        count = int(np.prod([size for size in shape if isinstance(size, int)]))
        is_open = int(any(not isinstance(size, int) for size in shape))
        lines.append(" ".join([var.name_hint, str(len(function.params)), str(count), str(is_open),
                               *write(function.body)]))
    return codegen.Blob("postfix", "\n".join(lines).encode())


@pytest.fixture
def bytes_library(monkeypatch):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD / "lib"))
    register("bytes", emit_bytes, *WORDS)


@pytest.mark.usefixtures("bytes_library")
def test_blob():
    x, y = relay.var("x", shape=(3, 5)), relay.var("y", shape=(3, 5))
    inner = relay.exp(relay.nn.relu(x + y))
    mod = partition(module([x, y], relay.tanh(inner + x) * y), "bytes")
    assert len(mod.functions) == 3
    check(mod, x=value(3, 5), y=value(3, 5) - 1)


@pytest.mark.usefixtures("bytes_library")
def test_blob_of_open_sizes():
    x = relay.var("x", shape=(relay.Any(), 4))
    mod = partition(module([x], relay.exp(relay.nn.relu(x + x))), "bytes")
    for rows in (1, 3, 0):
        check(mod, x=value(rows, 4))


@pytest.mark.usefixtures("bytes_library")
def test_blob_beside_others():
    """A parameter of the model, a constant and what is computed here go there, twice."""
    register("csource", emit, "nn.dense")
    x = relay.var("x", shape=(3, 4))
    rng = np.random.default_rng(0)
    weight = relay.const(rng.standard_normal((4, 4)).astype("float32"))
    bias = relay.const(rng.standard_normal((3, 4)).astype("float32"))
    value_: relay.Expr = x
    for _ in range(2):
        value_ = relay.nn.relu(relay.nn.dense(value_, weight) + bias)
    mod = transform.AnnotateTarget(["bytes", "csource"])(module([x], value_))
    mod = transform.PartitionGraph(bind_constants=False)(transform.MergeCompilerRegions()(mod))
    assert len(mod.functions) > 2
    check(mod, x=value(3, 4))


@pytest.mark.usefixtures("bytes_library")
@pytest.mark.parametrize("code,message", [
    (codegen.Blob("other", b"x"), "expects code in the format postfix, but got other"),
    (codegen.Blob("postfix", b""), "there is no function tvmgen_default_bytes_main_0"),
    (codegen.Blob("postfix", b"tvmgen_default_bytes_main_0 1 12 0 0 cosh"),
     "tvmgen_default_bytes_main_0.*expects an operation, but got cosh"),
    (codegen.Blob("postfix", b"tvmgen_default_bytes_main_0 2 12 0 0 1 add"),
     "tvmgen_default_bytes_main_0.*expects 3 buffers, but got 2"),
])
def test_wrong_bytes(code, message):
    mod = one_relu("bytes", lambda mod: code)
    with pytest.raises(Exception, match=message):
        run_compiled(mod, x=value(3, 4))


def test_blob_without_library(monkeypatch, tmp_path):
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(tmp_path))
    mod = one_relu("nolibrary", lambda mod: codegen.Blob("any", b"x"))
    with pytest.raises(Exception, match="librelay_device_nolibrary.so"):
        run_compiled(mod, x=value(3, 4))


def test_blob_without_parameters():
    codegen.register("bare", lambda mod: codegen.Blob("any", b"x"))
    mod = relay.parse("""#[version = "0.0.5"]
        def @f(Compiler="bare") -> Tensor[(3), float32] { ones(shape=[3], dtype="float32") }
        def @main(%x: Tensor[(3), float32]) { %x + @f() }""")
    with pytest.raises(tvm.DiagnosticError, match="expects functions with parameters for a device"):
        relay.build(mod, target="llvm")
