"""Programs that code generators share by cost. What a partition computes is compared with
the program before, in the interpreter; what it costs, with every other way to choose."""

import itertools
import os
import pathlib
import random
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from compiler_checks import module, register
from relay_mlir import relay
from relay_mlir.relay import collage
from relay_mlir.relay.dataflow_pattern import is_op, wildcard
from relay_mlir.relay.op.contrib import dnnl, register_pattern_table

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
transform: Any = relay.transform


def vector(name):
    return relay.var(name, shape=(10,))


def evaluate(mod, *values):
    return relay.create_executor("debug", mod=mod).evaluate()(*values)


def parts(mod):
    """Of each function for a code generator: its name, and its operators in order."""
    found = []
    for _, function in mod.functions_items():
        target = (function.attrs or {}).get("Compiler")
        if not target:
            continue
        names: list[str] = []

        def visit(node, names=names):
            if isinstance(node, relay.Call) and isinstance(node.op, relay.Op):
                names.append(node.op.name)

        relay.post_order_visit(function.body, visit)
        found.append((str(target), names))
    return sorted(found)


def partition(mod, targets, costs, **config):
    with transform.PassContext(config={f"relay.collage.{key}": value
                                       for key, value in config.items()}):
        return transform.CollagePartition(targets, collage.MockCostEstimator(costs))(mod)


register("swift", "nn.relu", "add", "tanh")
register("quick", "nn.relu", "exp")


def chain():
    x = vector("x")
    return module([x], relay.nn.relu(relay.exp(relay.tanh(x + x))))


#===------------------------------------------------------------------------===#
# Which parts
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("costs,expected", [
    # Ours is cheaper, or as cheap.
    ({"llvm": 1, "swift": 2, "quick": 2}, []),
    ({"llvm": 1, "swift": 1, "quick": 1}, []),
    ({"llvm": 2, "swift": 1, "quick": 5}, [("swift", ["add", "tanh"]), ("swift", ["nn.relu"])]),
    ({"llvm": 2, "swift": 5, "quick": 1}, [("quick", ["exp", "nn.relu"])]),
    ({"llvm": 9, "swift": 1, "quick": 1}, [("swift", ["add", "tanh"]), ("quick", ["exp", "nn.relu"])]),
    # The relu alone is dear for "quick".
    ({"llvm": 9, "swift": 1, "quick": 1, "quick:nn.relu": 4},
     [("swift", ["add", "tanh"]), ("swift", ["nn.relu"]), ("quick", ["exp"])]),
])
def test_cheapest_way(costs, expected):
    mod = chain()
    result = partition(mod, ["llvm", "swift", "quick"], costs)
    assert parts(result) == sorted(expected)
    x = np.linspace(-1, 1, 10, dtype="float32")
    np.testing.assert_array_equal(evaluate(result, x), evaluate(mod, x))


def test_names_and_attributes():
    result = partition(chain(), ["quick"], {"llvm": 2, "quick": 1})
    (var, function), = [(var, f) for var, f in result.functions_items() if var.name_hint != "main"]
    assert var.name_hint.startswith("tvmgen_collage_quick_main_")
    assert function.attrs["global_symbol"] == var.name_hint
    assert function.attrs["Primitive"] == 1


@pytest.mark.parametrize("style,depth,expected", [
    ("NoFusion", 8, [["add"], ["exp"], ["nn.relu"], ["tanh"]]),
    ("TVMFusion", 8, [["add", "tanh", "exp", "nn.relu"]]),
    ("ArbitraryFusion", 8, [["add", "tanh", "exp", "nn.relu"]]),
    ("ArbitraryFusion", 2, [["add", "tanh"], ["exp", "nn.relu"]]),
])
def test_styles_and_depth(style, depth, expected):
    register("all", "add", "tanh", "exp", "nn.relu")
    result = partition(chain(), ["all"], {"llvm": 5, "all": 1}, byoc_max_depth=depth,
                       byoc_fusion_style=[f"all.{style}"])
    assert sorted(names for _, names in parts(result)) == expected


def test_what_kernels_do_not_fuse():
    """A reduction is no part of what follows it in one of our kernels."""
    register("sums", "sum", "exp")
    x = vector("x")
    mod = module([x], relay.exp(relay.sum(x)))
    costs = {"llvm": 5, "sums": 1}
    assert len(parts(partition(mod, ["sums"], costs, byoc_fusion_style=["sums.TVMFusion"]))) == 2
    assert len(parts(partition(mod, ["sums"], costs))) == 1


def make_table(seen):

    def check(root):
        seen.append(root.op.name)
        # With types, and all that has matched.
        return root.args[0].args[1].checked_type.shape[0] == 3

    dense = is_op("nn.dense")(wildcard(), wildcard())
    return [("pat.dense_relu", is_op("nn.relu")(dense), check), ("pat.dense", dense)]


@pytest.mark.parametrize("units,costs,expected", [
    (3, {"llvm": 9, "pat": 1}, ["pat.dense_relu"]),
    (4, {"llvm": 9, "pat": 1}, ["pat.dense"]),
    # A pattern is taken as one or not at all.
    (3, {"llvm": 2, "pat": 1, "pat:nn.relu": 8}, ["pat.dense"]),
    (3, {"llvm": 2, "pat:nn.dense": 5, "pat:nn.relu": 0}, []),
])
def test_patterns(units, costs, expected):
    seen: list[str] = []
    register_pattern_table("pat", lambda: make_table(seen))
    x, w = relay.var("x", shape=(2, 5)), relay.const(np.ones((units, 5), "float32"))
    mod = module([x], relay.nn.relu(relay.nn.dense(x, w)))
    result = partition(mod, ["pat"], costs)
    names: list[str] = []

    def visit(node):
        if isinstance(node, relay.Function) and (node.attrs or {}).get("Composite"):
            names.append(str(node.attrs["Composite"]))

    for _, function in result.functions_items():
        relay.post_order_visit(function, visit)
    assert names == expected and "nn.relu" in seen
    value = np.linspace(-1, 1, 10, dtype="float32").reshape(2, 5)
    np.testing.assert_array_equal(evaluate(result, value), evaluate(mod, value))


#===------------------------------------------------------------------------===#
# Against all ways
#===------------------------------------------------------------------------===#


def random_program(seed):
    """A few operators, each with operands before it, all of which are needed."""
    dice = random.Random(seed)
    x = vector("x")
    values: list[Any] = [x]
    for _ in range(dice.randrange(3, 7)):
        op = dice.choice(["exp", "tanh", "nn.relu", "add"])
        args = [dice.choice(values[-3:]) for _ in range(2 if op == "add" else 1)]
        values.append(relay.Call(relay.op.get(op), args))
    used = {arg for value in values[1:] for arg in value.args}
    rest = [value for value in values[1:] if value not in used]
    body = rest[0] if len(rest) == 1 else relay.Tuple(rest)
    return module([x], body)


def cheapest_alone(mod, takes, costs):
    """The least sum where each operator is a part of its own, by trying all ways."""
    names: list[str] = []

    def visit(node):
        if isinstance(node, relay.Call):
            names.append(node.op.name)

    relay.post_order_visit(mod["main"].body, visit)
    ways = itertools.product(*([("llvm",) + tuple(t for t in takes if name in takes[t])
                                for name in names]))
    return min(sum(costs[target] for target in way) for way in ways)


@pytest.mark.parametrize("seed", range(30))
def test_sum_is_least(seed):
    """No way costs less, of those that a search by hand can list; and what comes out
    computes the same."""
    mod = random_program(seed)
    takes = {"swift": ["nn.relu", "add", "tanh"], "quick": ["nn.relu", "exp"]}
    dice = random.Random(seed)
    costs = {target: dice.randrange(1, 9) for target in ("llvm", "swift", "quick")}
    with transform.PassContext(config={
            "relay.collage.byoc_fusion_style": ["swift.NoFusion", "quick.NoFusion"],
            "relay.collage.tvm_max_depth": 1}):
        result = transform.CollagePartition(["swift", "quick"],
                                            collage.MockCostEstimator(costs))(mod)
    found = 0
    total = sum(relay.analysis.list_op_freqs(mod).values())
    for target, names in parts(result):
        assert len(names) == 1 and names[0] in takes[target]
        found += costs[target]
        total -= 1
    assert found + total * costs["llvm"] == cheapest_alone(mod, takes, costs)
    free = partition(mod, ["swift", "quick"], costs)
    x = np.linspace(-1, 1, 10, dtype="float32")
    expected = evaluate(mod, x)
    for other in (result, free):
        actual = evaluate(other, x)
        pairs = zip(actual, expected) if isinstance(expected, list) else [(actual, expected)]
        for a, b in pairs:
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


#===------------------------------------------------------------------------===#
# Estimators
#===------------------------------------------------------------------------===#


def test_estimators_are_asked_once_for_equal_parts():
    x = vector("x")
    y = x
    for _ in range(40):
        y = relay.exp(y)
    asked = []

    def cost(mod, target):
        names = [target]
        for _, function in mod.functions_items():
            relay.post_order_visit(function.body, lambda node: names.append(node.op.name)
                                   if isinstance(node, relay.Call)
                                   and isinstance(node.op, relay.Op) else None)
        asked.append(tuple(names))
        return 1.0 if target == "quick" else 3.0

    result = transform.CollagePartition(["quick"], collage.CustomCostEstimator(cost))(
        module([x], y))
    assert len(asked) == len(set(asked)) == 4 + 8
    # The longest parts are the fewest.
    assert [len(names) for _, names in parts(result)] == [8] * 5


def test_timing():
    """Real times: of a generator that computes something in a way that takes long, and
    of one whose code is C and fast."""

    def write(mod, times):
        lines = ["#include <stdint.h>", "#include <math.h>"]
        for var, function in mod.functions_items():
            size = int(np.prod(function.ret_type.concrete_shape))
            lines.append(
                f"int32_t {var.name_hint}(void *const *args, const int64_t *dims, "
                "const void *context) {\n  const float *x = args[0];\n  float *y = args[1];\n"
                f"  for (int n = 0; n < {times}; ++n)\n    for (int i = 0; i < {size}; ++i)\n"
                "      ((volatile float *)y)[i] = x[i] > 0 ? x[i] : 0;\n  return 0;\n}")
        return relay.codegen.CSource("\n".join(lines))

    relay.codegen.register("slow", lambda mod: write(mod, 20_000))
    register("slow", "nn.relu")
    x = relay.var("x", shape=(1000,))
    mod = module([x], relay.nn.relu(x))
    estimator = collage.CostEstimator()
    assert parts(transform.CollagePartition(["slow"], estimator)(mod)) == []
    ours = estimator.estimate(mod, "llvm")
    forced = partition(mod, ["slow"], {"llvm": 2, "slow": 1})
    assert parts(forced) == [("slow", ["nn.relu"])]
    assert estimator.estimate(forced, "slow") > 10 * ours > 0


def test_what_does_not_compile_is_left_out():

    @relay.codegen.register("broken")
    def generate(mod):
        raise relay.CompileError("no code today")

    register("broken", "nn.relu")
    x = vector("x")
    mod = module([x], relay.nn.relu(x))
    assert parts(transform.CollagePartition(["broken"])(mod)) == []


def test_onednn(monkeypatch):
    """Timed parts of oneDNN and ours, compiled and run."""
    assert dnnl.pattern_table()
    monkeypatch.setenv("RELAY_DEVICE_PATH", str(BUILD / "lib"))
    x = relay.var("x", shape=(1, 8, 12, 12))
    rng = np.random.default_rng(0)
    w = relay.const(rng.standard_normal((8, 8, 3, 3)).astype("float32") / 8)
    y = relay.nn.relu(relay.nn.conv2d(x, w, channels=8, kernel_size=(3, 3), padding=(1, 1)))
    y = relay.erf(relay.nn.max_pool2d(y, pool_size=(2, 2), strides=(2, 2)))
    mod = module([x], y)
    timed = transform.CollagePartition(["dnnl"])(mod)
    taken = partition(mod, ["dnnl"], {"llvm": 9, "dnnl": 1})
    assert parts(taken) == [("dnnl", ["nn.conv2d", "nn.relu", "nn.max_pool2d"])]
    value = rng.standard_normal((1, 8, 12, 12)).astype("float32")
    expected = np.asarray(evaluate(mod, value))
    for result in (timed, taken):
        run = relay.build(result, target="llvm")["default"](tvm.cpu(0))
        run.run(x=value)
        np.testing.assert_allclose(run.get_output(0).numpy(), expected, rtol=0, atol=1e-4)


#===------------------------------------------------------------------------===#
# Wrong arguments
#===------------------------------------------------------------------------===#


def test_configuration():
    targets = [tvm.target.Target("llvm"), tvm.target.Target("swift"), tvm.target.Target("quick")]
    config = tvm.target.make_compilation_config(transform.PassContext.current(), targets)
    result = transform.CollagePartition(
        config, collage.MockCostEstimator({"llvm": 9, "swift": 1, "quick": 1}))(chain())
    assert {target for target, _ in parts(result)} == {"swift", "quick"}
    with pytest.raises(ValueError, match="expects targets of different kinds, but got 'swift'"):
        collage.CompilationConfig(["swift", "swift"])


@pytest.mark.parametrize("make,error,message", [
    (lambda: transform.CollagePartition(3), TypeError, "expects a target to be"),
    (lambda: transform.CollagePartition(["a.b"]), ValueError, "expects names of targets"),
    (lambda: transform.CollagePartition(["llvm"], 3), TypeError, "relay.collage.CostEstimator"),
    (lambda: transform.CollagePartition([]), ValueError, "expects at least one target"),
    (lambda: collage.MockCostEstimator({"llvm": -1}), ValueError, "at least 0, but got -1"),
    (lambda: collage.MockCostEstimator({"llvm": "1"}),  # type: ignore[dict-item]
     ValueError, "expects the cost for 'llvm'"),
    (lambda: collage.CustomCostEstimator(3), TypeError,  # type: ignore[arg-type]
     "expects function"),
])
def test_wrong_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_targets_that_take_nothing():
    """A misspelled name is an error, and not a program that stays as it is."""
    with pytest.raises(ValueError, match="expects a target that takes .*, but got 'nope'"):
        transform.CollagePartition(["swift", "nope"])(chain())
    # Ours alone is no mistake.
    assert parts(transform.CollagePartition(["llvm"], collage.MockCostEstimator(
        {"llvm": 1}))(chain())) == []
    with relay.testing.TempOpAttr("exp", "target.three", 3), \
            pytest.raises(TypeError, match="attribute target.three of exp to be a function, .* 3"):
        transform.AnnotateTarget("three")(relay.IRModule.from_expr(relay.exp(relay.const(1.0))))


def test_wrong_styles():
    for value in ["swift", "swift.Some", 3]:
        with pytest.raises((TypeError, ValueError), match="expects .*style"):
            partition(chain(), ["swift"], {"llvm": 1, "swift": 1}, byoc_fusion_style=[value])


def test_errors_arrive():
    """Those of estimators and of tables; the module is as before."""
    mod = chain()
    before = mod.astext()

    def cost(mod, target):
        raise ZeroDivisionError("nobody expects this")

    with pytest.raises(ZeroDivisionError, match="nobody expects this"):
        transform.CollagePartition(["swift"], collage.CustomCostEstimator(cost))(mod)
    with pytest.raises(TypeError, match="expects an estimator to return a number, but got 'x'"):
        text: Any = lambda mod, target: "x"  # noqa: E731
        transform.CollagePartition(["swift"], collage.CustomCostEstimator(text))(mod)
    with pytest.raises(relay.DiagnosticError, match='at least 0, but got -1'):
        transform.CollagePartition(["swift"], collage.CustomCostEstimator(
            lambda mod, target: -1.0))(mod)
    with pytest.raises(relay.DiagnosticError, match="no target, ours included"):
        transform.CollagePartition(["llvm"], collage.CustomCostEstimator(
            lambda mod, target: float("inf")))(mod)
    with pytest.raises(relay.DiagnosticError, match='the cost of .* for "swift"'):
        partition(mod, ["swift"], {"llvm": 1})
    with pytest.raises(ValueError, match="expects at most 2 estimates"):
        transform.CollagePartition(["swift"], collage.MockCostEstimator(
            {"llvm": 1, "swift": 1}, max_estimates=2))(mod)
    assert mod.astext() == before
