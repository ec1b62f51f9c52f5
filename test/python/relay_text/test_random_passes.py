"""Passes on functions leave what random programs compute as it is: each alone, and
several in random order."""

import random

import pytest
from generate_programs import Weakened, generate
from nightly import nightly
from test_generated_programs import import_text, interpret, run

COUNT = 300  # Programs in one module.
ENTRIES = ",".join(f"p{i}" for i in range(COUNT))

PASSES = {
    "a-normal form": "relay-to-a-normal-form",
    "basic blocks": "relay-to-basic-block-normal-form",
    "graph": "relay-to-graph-normal-form",
    "eta expansion": "relay-eta-expand{expand-global-var=true}",
    "lambda lifting": "relay-lambda-lift",
    "inlining": "relay-inline-functions",
    "unused functions": f"relay-remove-unused-functions{{entries={ENTRIES}}}",
    "continuations": "relay-to-cps,relay-un-cps",
    # Defunctionalized calls match on the closures of all programs of the module.
    "partial evaluation": "relay-partial-evaluate{max-evaluated=1000}",
    # All programs of the module have copies for their types.
    "defunctionalization": f"relay-defunctionalize{{entries={ENTRIES} max-instances=10000}}",
    "static operators": "relay-dynamic-to-static",
    "dead code": "relay-dead-code{inline-once=true}",
}


def program(seed):
    """The module of a seed. Its functions are to be inlined where that is possible."""
    annotations = Weakened(seed) if seed % 2 else None
    module = import_text(generate(seed, COUNT, annotations))
    for name in ("compose", "get_or"):
        start = module.index(f"func.func @{name}(")
        place = module.index("attributes {", start) + len("attributes {")
        module = module[:place] + "relay.inline, " + module[place:]
    return run("relay-opt", text=module)


@pytest.fixture(name="before", scope="module", params=[100, *nightly(range(101, 117))])
def fixture_before(request):
    module = program(request.param)
    values = interpret(module)
    assert len(values) == COUNT
    return request.param, module, values


def passes_on(module, names):
    pipeline = ",".join(PASSES[name] for name in names)
    return run("relay-opt", f"--pass-pipeline=builtin.module({pipeline})", text=module)


def assert_equal(found, expected, what):
    wrong = [pair for pair in zip(expected, found) if pair[0] != pair[1]]
    assert len(found) == len(expected) and not wrong, f"{what}: {wrong[:3]}"


@pytest.mark.parametrize("name", PASSES)
def test_each_pass(before, name):
    _, module, values = before
    result = passes_on(module, [name])
    # The programs have what most passes are about.
    unchanged = result == module
    assert unchanged == (name in ("eta expansion", "unused functions"))
    assert_equal(interpret(result), values, name)


@pytest.mark.parametrize("number", [*range(8), *nightly(range(8, 40))])
def test_random_orders(before, number):
    """Text has what comes out as well."""
    seed, module, values = before
    rng = random.Random(1000 * seed + number)
    # What a pass makes of what another has made grows: programs have an end.
    names = rng.sample(list(PASSES), rng.randrange(2, 6))
    result = passes_on(module, names)
    assert_equal(interpret(result), values, names)
    text = run("relay-translate", "--export-relay", text=result)
    assert_equal(interpret(import_text(text)), values, f"text after {names}")
