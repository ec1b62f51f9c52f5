"""Random programs, of which random parts go to several targets, as they take them or by
random costs: every partition is valid, computes the same bits, and, without costs, no two
of its functions could have been one."""

import random

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay import collage
from relay_mlir.relay._core import core
from nightly import nightly

TARGETS = ["p", "q", "r"]
SHAPE = (2, 3)
UNARY = ["exp", "tanh", "negative", "nn.relu", "abs"]
BINARY = ["add", "subtract", "maximum", "minimum"]

# What the predicates below do: the chance of each target to take a call, and the
# generator that decides.
CHANCES: dict[str, float] = {}
DICE = random.Random()


def _register(op_name, target):

    @tvm.ir.register_op_attr(op_name, f"target.{target}")
    def predicate(call):
        assert call.op.name == op_name and call.checked_type is not None
        return DICE.random() < CHANCES[target]


for _name in UNARY + BINARY:
    for _target in TARGETS:
        _register(_name, _target)


class Generator:
    """Makes a program whose values all have one shape."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.params = [relay.var(f"x{i}", shape=SHAPE) for i in range(3)]
        self.values: list[relay.Expr] = list(self.params)
        self.straight = True

    def pick(self):
        # Most use what is new, some what is old.
        if self.dice.random() < 0.6:
            return self.values[-1 - self.dice.randrange(min(4, len(self.values)))]
        return self.dice.choice(self.values)

    def composite(self):
        a, b = relay.var("a", shape=SHAPE), relay.var("b", shape=SHAPE)
        body = getattr(relay, self.dice.choice(BINARY))(relay.tanh(a), b)
        target = self.dice.choice([*TARGETS, "other"])
        function = relay.Function([a, b], body).with_attr(
            {"PartitionedFromPattern": "tanh_add_", "Composite": f"{target}.pair"})
        return relay.Call(function, [self.pick(), self.pick()])

    def branch(self, depth):
        self.straight = False
        condition = relay.less(relay.sum(self.pick()), relay.const(0.0))
        outer, arms = list(self.values), []
        for _ in range(2):
            self.values = list(outer)
            for _ in range(self.dice.randrange(1, 4)):
                self.step(depth + 1)
            arms.append(self.values[-1])
        self.values = outer
        return relay.If(condition, *arms)

    def step(self, depth=0):
        kind = self.dice.random()
        if kind < 0.35:
            op = self.dice.choice(UNARY)
            value = (relay.nn.relu if op == "nn.relu" else getattr(relay, op))(self.pick())
        elif kind < 0.7:
            value = getattr(relay, self.dice.choice(BINARY))(self.pick(), self.pick())
        elif kind < 0.76:
            value = self.pick() + relay.const(np.full(SHAPE, 0.5, "float32"))
        elif kind < 0.84:
            fields = [self.pick(), self.pick()]
            value = relay.TupleGetItem(relay.Tuple(fields), self.dice.randrange(2))
        elif kind < 0.94:
            value = self.composite()
        elif depth < 2 and self.dice.random() < 0.5:
            value = self.branch(depth)
        else:
            value = relay.sigmoid(self.pick())
        self.values.append(value)

    def module(self):
        for _ in range(self.dice.randrange(3, 40)):
            self.step()
        results = [self.values[-1]] + [self.pick() for _ in range(self.dice.randrange(3))]
        body = relay.Tuple(results) if len(results) > 1 else results[0]
        return relay.transform.InferType()(
            relay.IRModule.from_expr(relay.Function(self.params, body)))


def run(mod, inputs):
    result = relay.create_executor("debug", mod=mod).evaluate()(*inputs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def ways(main):
    """For each call of a function, the nodes that its operands need."""
    reached: dict[relay.Expr, set[relay.Expr]] = {}
    for node in core.post_order(main.body):
        needs = set()
        for child in core.children(node):
            needs |= {child} | reached[child]
        reached[node] = needs
    return reached


def check_is_maximal(mod):
    """No call needs another one of its target directly only."""
    reached = ways(mod["main"])
    calls = {node for node in reached if isinstance(node, core.Call)
             and isinstance(node.op, core.GlobalVar)}

    def target(call):
        return mod[call.op].attrs["Compiler"]

    def is_result(node):
        return isinstance(node, core.TupleGetItem) and node.tuple_value in calls

    for call in calls:
        for arg in call.args:
            other = arg.tuple_value if is_result(arg) else arg
            if other not in calls or target(other) != target(call):
                continue
            between = [node for node in reached[call]
                       if other in reached[node] and not is_result(node)]
            assert between, f"{other.op.name_hint} and {call.op.name_hint} could be one"


def check_functions(parts, targets):
    """That what is somebody's is a function of his, of what he may take."""
    text = parts.astext()
    assert "compiler_begin" not in text and "compiler_end" not in text
    for var, function in parts.functions.items():
        if var.name_hint == "main":
            continue
        assert function.attrs["Compiler"] in targets
        assert function.attrs["global_symbol"] == var.name_hint
        assert not relay.analysis.free_vars(function)
        names = {name for name, n in relay.analysis.list_op_freqs(function).items() if n}
        assert names <= {*UNARY, *BINARY}


def share(mod, targets, dice):
    """The program, shared by random costs, in random styles."""
    costs = {target: dice.randrange(1, 10) for target in ["llvm", *targets]}
    styles = [f"{target}.{dice.choice(['NoFusion', 'TVMFusion', 'ArbitraryFusion'])}"
              for target in targets]
    with relay.transform.PassContext(config={
            "relay.collage.byoc_fusion_style": styles,
            "relay.collage.byoc_max_depth": dice.randrange(1, 9)}):
        return relay.transform.CollagePartition(targets, collage.MockCostEstimator(costs))(mod)


def check(seed):
    DICE.seed(seed)
    generator = Generator(seed)
    mod = generator.module()
    count = generator.dice.randrange(1, 4)
    for target in TARGETS:
        CHANCES[target] = generator.dice.choice([0.0, 0.3, 0.6, 1.0])
    targets = generator.dice.sample(TARGETS, count)
    include = generator.dice.random() < 0.7
    # All targets at once, or one after another.
    if generator.dice.random() < 0.5:
        annotated = relay.transform.AnnotateTarget(targets, include)(mod)
    else:
        annotated = mod
        for target in targets:
            annotated = relay.transform.AnnotateTarget(target, include)(annotated)
    merged = relay.transform.MergeCompilerRegions()(annotated)
    parts = relay.transform.PartitionGraph(
        bind_constants=generator.dice.random() < 0.5)(merged)
    shared = share(mod, targets, generator.dice)
    for partition in (parts, shared):
        check_functions(partition, targets)
    if generator.straight and include:
        check_is_maximal(parts)
    rng = np.random.default_rng(seed)
    inputs = [rng.standard_normal(SHAPE, dtype="float32") for _ in range(3)]
    expected = run(mod, inputs)
    for stage in (annotated, merged, parts, shared):
        for a, b in zip(expected, run(stage, inputs), strict=True):
            # The same operators on the same numbers.
            np.testing.assert_array_equal(a, b)
    called = [var.name_hint for var in parts.functions if var.name_hint != "main"]
    inlined = relay.transform.InlineCompilerFunctionsBoundTo(called)(parts)
    assert len(inlined.functions) == 1
    for a, b in zip(expected, run(inlined, inputs), strict=True):
        np.testing.assert_array_equal(a, b)
    return len(called)


@pytest.mark.parametrize("first", [*range(0, 400, 100), *nightly(range(400, 10000, 100))])
def test_random_partitions(first):
    made = sum(check(seed) for seed in range(first, first + 100))
    # Programs of which nothing is taken test nothing.
    assert made > 100
