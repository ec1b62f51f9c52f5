"""Errors in Relay text: in the words of Relay, and no more than a person reads."""

import os
import pathlib
import re
import subprocess

import onnx
import onnx.helper
import pytest

from relay_mlir import relay
from relay_mlir.relay.op import _registry

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / os.environ.get("RELAY_BUILD_DIR", "build") / "bin"
HEADER = '#[version = "0.0.5"]\n'

# What no message may have: MLIR's types, attributes, operations, constraints.
FOREIGN = re.compile(r"tensor<|tuple<|!relay|'relay[.']|' op |signless|0D |operand #|result #|"
                     r"attribute '\w+' failed|dense<|array<i|unrealized|\bi32\b|\bf32\b|\bi1\b|"
                     r"incomplete")


def error_of(text):
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse(HEADER + text)
    return str(error.value)


# (program, what the message says)
WORDS = [
    ("def @main(%x: int32) { if (%x) { 1 } else { 2 } }",
     "expects a condition of type bool, but got int32"),
    ("def @main(%x: Tensor[(2), bool]) { if (%x) { 1 } else { 2 } }",
     "expects a condition of type bool, but got Tensor[(2), bool]"),
    ("def @main(%x: int32) { if (True) { %x } else { 2f } }",
     "to be of type int32, but got float32"),
    ("def @main(%x: int32) { %x(1) }", "expects a function to call, but got int32"),
    ("def @main(%x: int32) { %x.0 }", "expects a tuple, but got int32"),
    ("def @main(%x: (int32, bool)) { %x.2 }", "(int32, bool)"),
    ("def @main(%x: int32) { ref_read(%x) }", "ref(_), but got int32"),
    ("def @main(%x: ref(int32)) { ref_write(%x, 1f) }", "of type int32, but got float32"),
    ("def @main(%x: ref(int32)) { tanh(%x) }", "but got ref(int32)"),
    ("def @main() { tanh(fn (%x: int32) { %x }) }", "but got fn (int32) -> int32"),
    ("def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) { add(%x, %y) }",
     "Tensor[(2), float32]"),
    ("def @main(%x: Tensor[(2, 3), float32]) { nn.dense(%x, 1f) }",
     "nn.dense expects"),
    ("def @f(%x: int32) { %x } def @main() { @f(1f) }",
     "expects argument 0 of type int32, but got float32"),
    ("def @f(%x: int32) { %x } def @main() { @f(1, 2) }", "expects 1 argument"),
    ("type B { T, F, } def @main(%x: int32) { match (%x) { T => { 1 }, F => { 2 }, } }",
     "B[]"),
    ("type B { T, F, } def @main(%x: B[]) { match (%x) { T => { 1 }, } }", "F"),
]


@pytest.mark.parametrize("text,expected", WORDS)
def test_words(text, expected):
    message = error_of(text)
    assert expected in message
    assert not FOREIGN.search(message), message


def operands(schema, wrong, place):
    """Operands of a schema, where one is of a wrong type, in Relay text."""
    written = []
    for index, (_, kind) in enumerate(schema.operands):
        value = wrong if index == place else "%x"
        written.append(f"({value}, %x)" if kind == _registry.TUPLE else value)
    return written


# Their operand may be of any type.
OF_ANYTHING = {"annotation.bitpack_end", "annotation.bitpack_start", "annotation.checkpoint",
               "annotation.stop_fusion", "memory.kill"}


@pytest.mark.parametrize("name", sorted(_registry.SCHEMAS))
def test_operators_with_wrong_operands(name):
    """Whatever an operator gets, it says so in the words of Relay."""
    schema = _registry.SCHEMAS[name]
    header = "def @main(%x: Tensor[(2, 3), float32]) { "
    messages = []
    for place in range(len(schema.operands)):
        for wrong in ("fn (%y: int32) { %y }", "ref(1)", "(%x, 1)", "True", "1i64", "%x"):
            args = ", ".join(operands(schema, wrong, place))
            try:
                relay.parse(f"{HEADER}{header}{name}({args}) }}")
            except relay.DiagnosticError as error:
                messages.append(str(error))
    for attribute in schema.attributes:
        for wrong in ('"no"', "[1, 2]", "-7", "2.5f", "None"):
            args = ", ".join([*operands(schema, "", -1), f"{attribute.name}={wrong}"])
            try:
                relay.parse(f"{HEADER}{header}{name}({args}) }}")
            except relay.DiagnosticError as error:
                messages.append(str(error))
    assert messages or not schema.operands or name in OF_ANYTHING
    for message in messages:
        # Without the program.
        said = "\n".join(line for line in message.splitlines()
                         if re.match(r"\S*(error|note): |.*:\d+:\d+: ", line))
        assert said and not FOREIGN.search(said), message


@pytest.mark.parametrize("text", [
    HEADER + "def @main() { " + "(" * 100_000 + " }",
    HEADER + "def @main() { " + ";\n".join(f"%x{i}" for i in range(10_000)) + " }",
    HEADER + "def @main() { " + "; ".join(f"%x{i}" for i in range(10_000)) + " }",
    HEADER + "\n".join(f"def @f{i}() -> bool {{ {i} }}" for i in range(3_000)),
    HEADER + "def @f() { ] }\n" * 10_000,
    HEADER + "$" * 100_000,
    "(" * 100_000,
    HEADER + "\"" * 100_001,
], ids=["parentheses", "names", "names in a line", "types", "definitions", "characters",
        "no header", "quotes"])
def test_number_of_errors(text, tmp_path):
    """The tools and Python show 20 errors and count the others."""
    path = tmp_path / "program.relay"
    path.write_text(text)
    for command in (["relay-translate", "--import-relay", path],
                    ["relay-compile", path, "-o", tmp_path / "model.so"],
                    ["relay-run", path]):
        result = subprocess.run([BIN / command[0], *command[1:]], capture_output=True,
                                text=True, check=False, timeout=600)
        assert result.returncode == 1
        check_number(result.stderr)
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse(text)
    check_number(str(error.value))


def check_number(output):
    assert len(output) < 20_000
    errors = re.findall(r"error: (.*)", output)
    assert 1 <= len(errors) <= 21, output
    if len(errors) == 21:
        assert re.fullmatch(r"[1-9]\d* more errors?", errors[-1])


def test_how_many_more():
    for count, end in [(100, "\nerror: 80 more errors"), (21, "\nerror: 1 more error"),
                       (20, "\ndef @f19() -> bool { 19 }\n              ^~~~")]:
        text = "\n".join(f"def @f{i}() -> bool {{ {i} }}" for i in range(count))
        assert error_of(text).endswith(end)


def test_number_of_errors_of_other_text(tmp_path):
    """Also where MLIR reads, as far as the errors are those of this project."""
    path = tmp_path / "program.mlir"
    path.write_text("".join(
        f"func.func @f{i}(%x: tensor<2xf32>) -> tensor<3xf32> {{\n"
        "  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<3xf32>\n"
        "  return %0 : tensor<3xf32>\n}\n" for i in range(1000)))
    result = subprocess.run([BIN / "relay-opt", path, "--verify-each"],
                            capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 1
    assert result.stderr.count("error: ") <= 21
    assert len(result.stderr) < 20_000


def test_number_of_undeclared_values(tmp_path):
    """Of a program that has no operator of ours in it, too."""
    path = tmp_path / "program.mlir"
    path.write_text("func.func @main(%x: i32) -> i32 {\n" + "".join(
        f"  %y{i} = arith.addi %u{i}, %x : i32\n" for i in range(1000)) + "  return %x : i32\n}\n")
    result = subprocess.run([BIN / "relay-opt", path], capture_output=True, text=True,
                            check=False, timeout=600)
    assert result.returncode == 1
    assert result.stderr.count("error: ") == 21 and "error: 980 more errors" in result.stderr


def test_number_of_missing_operators(tmp_path):
    nodes = [onnx.helper.make_node(f"Missing{i}", ["x"], [f"y{i}"]) for i in range(100)]
    floats = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
              for name in ("x", "y0")]
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", floats[:1], floats[1:])),
              tmp_path / "model.onnx")
    result = subprocess.run([BIN / "relay-compile", tmp_path / "model.onnx", "-o",
                             tmp_path / "model.so"],
                            capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 1 and "100 operators are not supported" in result.stderr
    assert result.stderr.count("note: ") == 21
    assert "and 80 more; relay-translate --onnx-coverage lists all" in result.stderr


@pytest.mark.parametrize("operator,dtype", [
    ("exp", "int32"), ("sigmoid", "bool"), ("erf", "int8"), ("sin", "uint8")])
def test_words_of_what_has_no_code(tmp_path, operator, dtype):
    path = tmp_path / "program.relay"
    path.write_text(f"{HEADER}def @main(%x: Tensor[(2, 3), {dtype}]) {{ {operator}(%x) }}")
    result = subprocess.run([BIN / "relay-compile", path, "-o", tmp_path / "program.so"],
                            capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == 1
    assert f"expects elements of a floating type, but got {dtype}\n" in result.stderr


def test_types_that_double():
    """A type of 2**41 tensors is a short text, and a small object, but no type."""
    lines = [f"let %t{i + 1} = (%t{i}, %t{i});" for i in range(40)]
    text = HEADER + "def @main(%t0: Tensor[(4), float32]) { " + "\n".join(lines) + " %t40 }"
    with pytest.raises(relay.DiagnosticError, match="expects a value of a type of at most 65536 "
                                                    "parts, but got a longer one"):
        relay.parse(text)
    relay.parse(HEADER + "def @main(%t0: Tensor[(4), float32]) { " + "\n".join(lines[:12]) + " %t12 }")
