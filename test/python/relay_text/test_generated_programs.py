"""Random programs survive text: import, infer, export, and again.

The second text is the first one, and the interpreter finds the same values
before and after.
"""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from generate_programs import Weakened, generate, generate_falsified
from nightly import nightly

from relay_mlir import relay

pytestmark = pytest.mark.share(2)

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
COUNT = 400  # Programs in one module.


def run(tool, *arguments, text):
    result = subprocess.run(
        [BUILD / "bin" / tool, *arguments], input=text, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[:4000]
    return result.stdout


def import_text(text):
    """Returns the module of a text, with all types."""
    module = run("relay-translate", "--import-relay", text=text)
    return run("relay-opt", "--relay-infer-types", text=module)


def interpret(module):
    """Returns what each function without parameters computes, as text."""
    output = run(
        "relay-opt",
        f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
        "--pass-pipeline=builtin.module(test-relay-interpret)",
        "-o", os.devnull, text=module)
    # Text has the functions in the order of their names.
    return sorted(line for line in output.splitlines() if line.startswith("@p"))


@pytest.mark.parametrize("seed", [0, 1, 2, *nightly(range(3, 8))])
@pytest.mark.parametrize("weakened", [False, True])
def test_round_trip(seed, weakened):
    annotations = Weakened(seed) if weakened else None
    before = import_text(generate(seed, COUNT, annotations))
    first = run("relay-translate", "--export-relay", text=before)
    after = import_text(first)
    second = run("relay-translate", "--export-relay", text=after)
    assert first == second
    values = interpret(before)
    assert len(values) == COUNT
    assert interpret(after) == values


@pytest.mark.parametrize("seed", range(10, 13))
def test_weaker_declarations_change_nothing(seed):
    """A declared type may leave open what follows, and know less."""
    exact = interpret(import_text(generate(seed, COUNT)))
    assert interpret(import_text(generate(seed, COUNT, Weakened(seed)))) == exact


def test_wrong_declarations_are_refused():
    """One wrong annotation in a program is one error, in the words of Relay."""
    count = 0
    for seed in range(600):
        text = generate_falsified(seed)
        if text is None:
            continue
        count += 1
        with pytest.raises(relay.DiagnosticError) as error:
            relay.parse(text)
            print(text)
        message = str(error.value)
        assert "expects" in message and "but got" in message, text + message
        for foreign in ("tensor<", "!relay", "'relay.", "tuple<", "' op "):
            assert foreign not in message, text + message
    assert count > 300


def test_long_programs():
    """A chain of 100,000 nodes, and as many lets: stacks do not grow with them."""
    length = 100_000
    chain = "".join(f"  %{i + 1} = add(%{i}, %x);\n" for i in range(length))
    lets = "".join(f"  let %a{i + 1} = add(%a{i}, %x);\n" for i in range(length))
    text = (
        '#[version = "0.0.5"]\n'
        f"def @chain(%x: int32) -> int32 {{\n  %0 = abs(%x);\n{chain}  negative(%{length})\n}}\n"
        f"def @lets(%x: int32) -> int32 {{\n  let %a0 = abs(%x);\n{lets}  %a{length}\n}}\n"
    )
    module = run("relay-translate", "--import-relay", text=text)
    assert module.count("relay.add ") == 2 * length
    assert module.count("relay.let ") == length + 1
    exported = run("relay-translate", "--export-relay-without-types", text=module)
    assert exported.count("add(") == 2 * length
    assert exported.count("let %") == length + 1


def describe(value):
    """A value as text: floats to six digits, since kernels may round otherwise."""
    if isinstance(value, tuple):
        return f"({', '.join(map(describe, value))})"
    array = np.asarray(value)
    if array.dtype.kind == "f":
        return f"{array.dtype}{np.vectorize(lambda x: f'{x:.6g}')(array).tolist()}"
    return f"{array.dtype}{array.tolist()}"


@pytest.mark.parametrize("seed", [20, 21, 22, 23, *nightly(range(100, 160))])
def test_compiled(seed):
    """The interpreter, bytecode and native code find the same values."""
    mod = relay.parse(generate(seed, 100, Weakened(seed) if seed % 2 else None))
    machines = [relay.vm.VirtualMachine(relay.vm.compile(mod, exec_mode=mode))
                for mode in ("bytecode", "compiled")]
    interpreter = relay.create_executor("debug", mod)
    names = [var.name_hint for var in mod.get_global_vars()
             if var.name_hint[0] == "p" and var.name_hint[1:].isdigit()]
    assert len(names) == 100
    for name in names:
        expected = interpreter.evaluate(mod.get_global_var(name))()
        for machine in machines:
            assert describe(machine.invoke(name)) == describe(expected), name
