"""Every operation of the dialects has an example in its description, and that is right.

An example is a block of MLIR in what `mlir-tblgen --gen-op-doc` makes of the .td files,
as the reference has it. Paragraphs of it that begin with a function or another operation
of a module stand as they are; the others are part of a function. A value that they use,
but do not define, is a parameter of that, of the type that the example itself says: the
parser tells which one it expects."""

import functools
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
INCLUDE = ROOT / "include"
DIALECTS = INCLUDE / "relay-mlir" / "Dialect"
BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
FILES = [*sorted(DIALECTS.glob("*/IR/*Ops.td")),
         DIALECTS / "TIR" / "TransformOps" / "TIRTransformOps.td"]

OF_MODULE = re.compile(r"(func\.func|relay\.adt|relax\.func|tir\.prim_func|vta\.program) ")
USE = re.compile(r"%\w+")
# Results and parameters: `%0 = `, `%a, %b = `, `%x: type`, and the closure itself, `rec %f (`.
# A use has a space before its colon.
DEFINITION = re.compile(r"((?:%\w+, )*%\w+)(?=(?::\d+)? = |: | \()")


@functools.cache
def read_examples(path):
    """Returns (name of the operation, its examples) for those that a .td file defines."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    (config,) = re.findall(r"^MLIR_DIR:\w+=(.*)", cache, re.M)
    prefix = pathlib.Path(config).parents[2]
    text = subprocess.run(
        [prefix / "bin" / "mlir-tblgen", "--gen-op-doc", "-I", INCLUDE, "-I", prefix / "include",
         path], capture_output=True, text=True, check=True).stdout
    # The heading of each operation and what belongs to it.
    parts = re.split(r"^### `([\w.]+)` .*\n", text, flags=re.M)[1:]
    return [(name, re.findall(r"^```mlir\n(.*?)^```$", part, re.M | re.S))
            for name, part in zip(parts[::2], parts[1::2])]


def split(example):
    """Returns the paragraphs that stand in a module, and those that are part of a function."""
    paragraphs = re.sub(r"//.*", "", example).split("\n\n")
    return ("\n".join(part for part in paragraphs if OF_MODULE.match(part)),
            "\n".join(part for part in paragraphs if not OF_MODULE.match(part)))


def find_undefined(example):
    _, code = split(example)
    defined = {value for match in DEFINITION.finditer(code) for value in USE.findall(match[1])}
    return [value for value in dict.fromkeys(USE.findall(code)) if value not in defined]


def write_module(name, example, types):
    """Returns an example as a module; `types` are those of undefined values."""
    module, function = split(example)
    attributes = ""
    if name.startswith("transform."):
        attributes = "attributes {transform.with_named_sequence}"
        head, end = "transform.named_sequence", "transform.yield"
    else:
        head, end = "func.func", "return"
    if function:
        parameters = ", ".join(f"{value}: {kind}" for value, kind in types.items())
        module += f"\n{head} @example({parameters}) {{\n{function}\n{end}\n}}"
    return f"module {attributes} {{\n{module}\n}}"


def check(examples):
    """Parses and verifies (name, text) of examples; returns what is wrong, by number, and
    the generic form of each if nothing is."""
    # No operand has this type, so that the parser tells the one it expects, one at a time.
    unknown = "!llvm.token"
    types = [{value: unknown for value in find_undefined(text)} for _, text in examples]
    for _ in range(1 + max(map(len, types), default=0)):
        lines: list[str] = []
        first = []
        for (name, text), kinds in zip(examples, types):
            first.append(len(lines) + 1)
            lines += [*write_module(name, text, kinds).splitlines(), "// -----"]
        result = subprocess.run(
            [BUILD / "bin" / "relay-opt", "-split-input-file", "-mlir-print-op-generic"],
            input="\n".join(lines[:-1]), capture_output=True, text=True, check=False)
        wrong: dict[int, str] = {}
        learned = False
        for line, error in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)", result.stderr, re.M):
            number = sum(start <= int(line) for start in first) - 1
            match = re.match(r"use of value '(%.*?)' expects different type than prior uses: "
                             rf"'(.*)' vs '{re.escape(unknown)}'$", error)
            if match and types[number].get(match[1]) == unknown:
                types[number][match[1]] = match[2]
                learned = True
            wrong.setdefault(number, error)
        if not learned:
            break
    assert wrong or result.returncode == 0, result.stderr
    return wrong, [] if wrong else re.split(r"^// -----$", result.stdout, flags=re.M)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples(path):
    operations = read_examples(path)
    assert operations
    missing = [name for name, examples in operations if not examples]
    assert not missing, f"no example in the description of {', '.join(missing)}"
    examples = [(name, text) for name, texts in operations for text in texts]
    wrong, generic = check(examples)
    assert not wrong, "\n".join(
        f"{examples[number][0]}: {error}\n{examples[number][1]}" for number, error in wrong.items())
    # A description shows its own operation, as it is written and as it is understood.
    assert len(generic) == len(examples)
    shown = {name for (name, text), form in zip(examples, generic)
             if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", re.sub(r"//.*", "", text))
             and f'"{name}"(' in form}
    others = [name for name, _ in operations if name not in shown]
    assert not others, f"the example shows another operation than {', '.join(others)}"


def test_all_operations_are_found():
    names = [name for path in FILES for name, _ in read_examples(path)]
    assert len(names) == len(set(names)) > 400
    assert {name.split(".")[0] for name in names} == {"relay", "relax", "tir", "transform",
                                                       "vta"}


@pytest.mark.parametrize("text,message", [
    ("%0 = relay.tanh %x : (tensor<8xf32>) -> tensor<9xf32>\n", "inferred type"),
    ("%0 = relay.tanhh %x : (tensor<8xf32>) -> tensor<8xf32>\n", "custom op 'relay.tanhh'"),
    ("%0 = relay.tanh %x {axis = 1} : (tensor<8xf32>) -> tensor<8xf32>\n", "expects attributes"),
    ("%0 = relay.add %x, %x : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>\n",
     "expects different type"),
])
def test_wrong_examples_are_found(text, message):
    wrong, _ = check([("relay.tanh", text)])
    assert message in wrong[0]
