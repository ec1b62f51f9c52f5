"""Runs programs in Relay text through the tools, in the interpreter."""

import os
import re
import subprocess
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("RELAY_BUILD_DIR", "build")
HEADER = '#[version = "0.0.5"]\n'


def run_tool(tool, *args, text=None):
    result = subprocess.run(
        [BUILD / "bin" / tool, *map(str, args)],
        input=text,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[:4000]
    return result.stdout


def standard(name):
    """A part of the prelude without its version line: a file, or tensor arrays
    ("float32", or of one shape: "float32 2,any")."""
    return run_tool("relay-test-prelude", *name.split(" ")).split("\n", 1)[1]


def compile_text(definitions, prelude=("prelude.rly",)):
    """Returns the typed module of the relay dialect."""
    module = HEADER + "".join(map(standard, prelude)) + definitions
    imported = run_tool("relay-translate", "--import-relay", text=module)
    return run_tool("relay-opt", "--relay-infer-types", text=imported)


def evaluate_all(definitions, prelude=("prelude.rly",)):
    """Runs every function without parameters; returns {name: printed value}.

    Values of data types are printed as Relay spells them.
    """
    output = run_tool(
        "relay-opt",
        f"--load-pass-plugin={BUILD}/lib/RelayTestPasses.so",
        "--pass-pipeline=builtin.module(test-relay-interpret)",
        "-o",
        os.devnull,
        text=compile_text(definitions, prelude),
    )
    return dict(re.findall(r"^@(\w+)#0 = (.*)$", output, re.MULTILINE))


def run_main(definitions, inputs, num_outputs, tmp_path, prelude=("prelude.rly",)):
    """Runs @main on a dict of arrays; returns its tensors."""
    model = tmp_path / "program.mlir"
    model.write_text(compile_text(definitions, prelude))
    args = []
    for name, array in inputs.items():
        np.save(tmp_path / f"{name}.npy", array)
        args.append(f"--input={name}={tmp_path}/{name}.npy")
    outputs = [tmp_path / f"output{i}.npy" for i in range(num_outputs)]
    args += [f"--output={path}" for path in outputs]
    run_tool("relay-run", model, "--interpret", *args)
    return [np.load(path) for path in outputs]


def spell(value):
    """How Relay spells a Python value; lists are those of the prelude."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, tuple):
        return "(%s)" % ", ".join(map(spell, value))
    if isinstance(value, list):
        text = "Nil"
        for item in reversed(value):
            text = f"Cons({spell(item)}, {text})"
        return text
    return str(value)
