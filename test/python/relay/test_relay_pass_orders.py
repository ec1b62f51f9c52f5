"""Every pass, alone and in random orders with others, leaves what programs compute.

Random programs are those of utils/random_graphs, and so are the tolerances, at least 1e-5
of the scale for floats: exact for integers, and where elements may jump, not compared. A
nightly run takes 5,000 graphs, or RELAY_PROGRAMS, and all small models of utils/models,
whose outputs may be off by 1e-4 of the scale.
"""

import os
import pathlib
import random
import sys
from typing import Any

import numpy as np
import pytest

from nightly import nightly
import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay import collage, transform
from relay_mlir.relay.dataflow_pattern import is_op, wildcard

UTILS = pathlib.Path(__file__).resolve().parents[3] / "utils"
sys.path[:0] = [str(UTILS / "random_graphs"), str(UTILS / "models")]

import build  # noqa: E402
import random_graphs  # noqa: E402
from graphs import Options  # noqa: E402
from reference import Evaluation, explain_difference, scale_of  # noqa: E402

# The graphs of a test; a nightly run has more tests.
NUM_GRAPHS = 20
PARTS = [0, *nightly(range(1, int(os.environ.get("RELAY_PROGRAMS", "5000")) // NUM_GRAPHS))]
# Networks that the interpreter runs in no time.
MODELS = [name for name in build.MODELS if name.startswith("light_")]

# Those that change what a program takes or returns, or how exactly it computes (a product
# with 1 / 3 is not a third, and where it is rounded to an integer, it may be the one below),
# and one that refuses open sizes.
OTHER_PROGRAMS = {"AnnotateUsedMemory", "DivToMul",
                  "FastMath", "FirstOrderGradient", "LazyGradientInit", "ToCPS", "UnCPS",
                  "ToMixedPrecision", "FakeQuantizationToInteger"}
# Passes with arguments, or with those that find something in small graphs.
ARGUMENTS = {
    "BatchingOps": (), "CombineParallelConv2D": (2,), "CombineParallelDense": (2,),
    "CombineParallelBatchMatmul": (2,), "CombineParallelOpBatch": ("add", "add", 2),
    "Conv2dToSparse2": ("NCHW", 1, (1, 1), 0.0),
    "ConvertLayout": ({"nn.conv2d": ["NHWC", "default"]},), "SplitArgs": (3,),
}


# What somebody else takes, for the passes that hand it over.
for _name in ("add", "multiply", "nn.relu", "tanh", "nn.conv2d", "nn.dense", "concatenate"):
    tvm.ir.register_op_attr(_name, "target.orders", lambda call: True)


# Passes of relay-opt that have no name in Python, or that undo what the one before does.
PIPELINES = [
    "relay-to-cps,relay-un-cps", "func.func(relay-decompose)", "relay-instantiate",
    "func.func(relay-split-transposed-conv)", "func.func(relay-pool-before-conv)",
    "func.func(relay-combine-parallel-matmul)", "func.func(relay-combine-parallel-dense)",
    "relay-inline-indirect-calls", "func.func(relay-widen-products)",
    "relay-attach-target{target=znver4},func.func(relay-rows-to-integers)",
    "relay-attach-target{target=x86-64-v3},func.func(relay-winograd)",
    "func.func(relay-qnn-canonicalize)", "func.func(relay-crop-kernels)",
]


def _make_pipeline(text):

    @transform.module_pass(opt_level=0, name=text)
    def run_pipeline(mod, _):
        return transform._run(mod, f"builtin.module({text})")

    return run_pipeline


@transform.module_pass(opt_level=0, name="InlineCompilerFunctionsBoundTo")
def inline_all(mod, _):
    """Inlines all functions for others."""
    names = [var.name_hint for var, function in mod.functions.items()
             if function.attrs and "Compiler" in function.attrs]
    return transform.InlineCompilerFunctionsBoundTo(names)(mod)


@transform.module_pass(opt_level=0, name="Defunctionalization")
def defunctionalize(mod, _):
    mod = mod.shallow_copy()
    mod["main"] = transform.Defunctionalization(mod["main"], mod)
    return mod


def make_byoc_passes():
    """What hands parts over, each all the way: it can be done once."""
    product = is_op("add")(is_op("multiply")(wildcard(), wildcard()), wildcard())
    layer = is_op("nn.relu")(is_op("nn.conv2d")(wildcard(), wildcard()) | wildcard())
    return {
        "Partition": transform.Sequential(
            [transform.AnnotateTarget("orders"), transform.MergeCompilerRegions(),
             transform.PartitionGraph()], opt_level=0),
        "Partition calls": transform.Sequential(
            [transform.AnnotateTarget("orders", include_non_call_ops=False),
             transform.PartitionGraph(bind_constants=False)], opt_level=0),
        "MergeComposite": transform.MergeComposite(
            [("orders.product", product), ("other.layer", layer)]),
    }


def make_passes():
    """Passes by name, and again what passes have options that are off by default."""
    passes: dict[str, Any] = {
        **make_byoc_passes(), **{text: _make_pipeline(text) for text in PIPELINES}}
    for pass_ in (inline_all, defunctionalize):
        passes[pass_.info.name] = pass_
    for name in transform.__all__:
        make = getattr(transform, name)
        if name in OTHER_PROGRAMS or isinstance(make, type) or name in (
                "PrintIR", "ApplyPassToFunction", "InferTypeLocal"):
            continue
        try:
            pass_ = make(*ARGUMENTS.get(name, ()))
        except TypeError:
            continue
        if isinstance(pass_, transform.Pass):
            passes[name] = pass_
    passes["CombineParallelDense flat"] = transform.CombineParallelDense(2, to_batch=False)
    passes["DeadCodeElimination once"] = transform.DeadCodeElimination(inline_once=True)
    passes["EliminateCommonSubexpr fskip"] = transform.EliminateCommonSubexpr(
        lambda call: call.op == relay.op.get("cast"))
    passes["CollagePartition"] = transform.CollagePartition(
        ["orders"], collage.MockCostEstimator({"llvm": 2, "orders": 1.5, "orders:tanh": 3}))
    passes["FuseOps off"] = transform.FuseOps(0)
    return passes


PASSES = make_passes()
# The first step of handing parts over, and those that may run before the last one.
ANNOTATE = {"AnnotateTarget": transform.AnnotateTarget("orders"),
            "AnnotateTarget calls": transform.AnnotateTarget("orders", include_non_call_ops=False)}
# (Those that change how functions are called take regions apart: AnnotateTarget says so.)
BETWEEN = sorted(set(PASSES) - {
    "CollagePartition", "Defunctionalization", "MergeCompilerRegions", "Partition", "Partition calls",
    "PartitionGraph", "relay-to-cps,relay-un-cps"})


class Program:
    """A program, and what it computes."""

    tolerances: list[Any]

    def __init__(self, model, sample):
        self.mod = transform.InferType()(relay.frontend.from_onnx(model)[0])
        self.values = [sample[param.name_hint] for param in self.mod["main"].params]
        self.results = self.evaluate(self.mod)

    @classmethod
    def random(cls, seed):
        case = random_graphs.make_case(seed)
        self = cls(case.graph.model(), case.samples[0])
        self.tolerances = Evaluation(case.graph, case.samples).tolerances(
            0, Options(precision="high"))
        # Passes regroup what is summed and multiplied, and each result is rounded anew.
        self.tolerances = [
            tolerance if tolerance is None or result.dtype.kind != "f"
            else max(tolerance, 1e-5 * scale_of(result))
            for tolerance, result in zip(self.tolerances, self.results, strict=True)]
        return self

    @classmethod
    def of_model(cls, name):
        model = build.build(name)
        self = cls(model, build.random_inputs(model))
        self.tolerances = [1e-4 * scale_of(result) for result in self.results]
        return self

    def evaluate(self, mod):
        result = relay.create_executor("debug", mod).evaluate()(*self.values)
        fields = result if isinstance(result, (list, tuple)) else [result]
        return [np.asarray(field.numpy()) for field in fields]

    def explain(self, mod):
        """What is wrong with a module that passes have made; None if nothing is."""
        for i, (new, old, tolerance) in enumerate(zip(
                self.evaluate(mod), self.results, self.tolerances, strict=True)):
            difference = explain_difference(new, old, tolerance)
            if difference:
                return f"result {i}: {difference}"
        return None


def programs(first, count):
    """Programs of seeds from `first` on, without those that are refused."""
    seed = first
    while count:
        try:
            program = Program.random(seed)
        except (ValueError, RuntimeError, relay.DiagnosticError):
            program = None
        if program is not None:
            yield seed, program
            count -= 1
        seed += 1
        assert seed < first + 1000, "most programs are refused"


def run(seed, program, names):
    """Runs passes; an error names the program, the passes so far, and what is wrong."""
    mod = program.mod
    for i, name in enumerate(names):
        done = " ".join(names[:i + 1])
        try:
            mod = (PASSES | ANNOTATE)[name](mod)
            difference = program.explain(mod)
        except Exception as error:
            raise AssertionError(f"seed {seed}, {done}: {error}") from error
        assert difference is None, f"seed {seed}, {done}: {difference}"


def test_all_passes_are_here():
    assert len(PASSES) >= 65
    assert {"FuseOps", "FoldScaleAxis", "FoldConstant", "CombineParallelDense",
            "FoldExplicitPadding", "Legalize", "Conv2dToSparse2"} <= set(PASSES)


@pytest.mark.parametrize("part", PARTS)
def test_each_pass_alone(part):
    for seed, program in programs(part * 1000, NUM_GRAPHS):
        for name in PASSES:
            run(seed, program, [name])


@pytest.mark.parametrize("part", PARTS)
def test_passes_in_random_orders(part):
    for seed, program in programs(1_000_000 + part * 1000, NUM_GRAPHS):
        choice = random.Random(seed)
        run(seed, program, choice.sample(sorted(PASSES), 8))


@pytest.mark.parametrize("part", PARTS)
def test_passes_on_annotated_programs(part):
    for seed, program in programs(3_000_000 + part * 1000, NUM_GRAPHS):
        choice = random.Random(seed)
        names = choice.sample(BETWEEN, 7)
        run(seed, program, [names[0], choice.choice(sorted(ANNOTATE)), *names[1:4],
                            "MergeCompilerRegions", *names[4:], "PartitionGraph"])


@pytest.mark.parametrize("part", PARTS)
def test_each_pass_on_annotated_programs(part):
    for seed, program in programs(4_000_000 + part * 1000, NUM_GRAPHS // 4):
        for name in BETWEEN:
            run(seed, program, ["AnnotateTarget", name, "MergeCompilerRegions", name,
                                "PartitionGraph"])


@pytest.mark.parametrize("name", [MODELS[0], *nightly(MODELS[1:])])
def test_each_pass_on_models(name):
    program = Program.of_model(name)
    for pass_ in PASSES:
        run(name, program, [pass_])
    for seed in range(3):
        run(name, program, random.Random(seed).sample(sorted(PASSES), 8))


@pytest.mark.parametrize("level", [2, 4])
def test_all_passes_by_level(level):
    for seed, program in programs(2_000_000, NUM_GRAPHS // 2):
        order = sorted(PASSES)
        random.Random(seed).shuffle(order)
        with transform.PassContext(opt_level=level):
            mod = transform.Sequential([PASSES[name] for name in order])(program.mod)
        difference = program.explain(mod)
        assert difference is None, f"seed {seed}, {' '.join(order)}: {difference}"
