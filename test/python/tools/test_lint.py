# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of utils/lint find what they are for."""

import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "lint"))
import lint  # noqa: E402
import operator_lists  # noqa: E402
import tests  # noqa: E402
import tidy  # noqa: E402


@pytest.mark.parametrize("text,message", [
    ('pytest.skip("no lowering yet")', "begins with one of"),
    ('pytest.skip(message)', "but got None"),
    ('pytest.skip(f"{name} is not there")', "but got None"),
    ('pytest.importorskip("torch")', "pytest.importorskip"),
    ('@pytest.mark.xfail\ndef test_it():\n    assert False', "pytest.mark.xfail"),
    ('@pytest.mark.skipif(True, reason="slow")\ndef test_it():\n    assert True', "'slow'"),
    ('def test_it():\n    compile("x")', "checks nothing"),
    ('def helper():\n    print()\ndef test_it():\n    helper()', "checks nothing"),
    ('def test_it():\n    if not is_there():\n        return\n    assert f()', "returns"),
    ('def test_it():\n    try:\n        assert f()\n    except Error:\n        pass', "ignores"),
])
def test_bad_python_tests(text, message):
    assert [found for _, found in tests.check_python_test(text) if message in found]


@pytest.mark.parametrize("text", [
    'pytest.skip("the machine lacks AVX2")',
    'pytest.skip(f"the package {name} is absent")',
    'pytest.mark.skipif(True, reason="nightly")',
    'def test_it():\n    with pytest.raises(ValueError):\n        f()',
    'def helper():\n    assert f()\ndef test_it():\n    helper()',
    'def test_it():\n    check_case(f())',
    'def test_it():\n    np.testing.assert_array_equal(f(), g())',
    'def test_it():\n    subprocess.run(command, check=True)',
    'def test_it():\n    def inner():\n        if x:\n            return 1\n    assert inner()',
    'def test_it():\n    if f():\n        assert g()\n        return\n    assert h()',
])
def test_good_python_tests(text):
    assert not list(tests.check_python_test(text))


@pytest.mark.parametrize("loop,lines", [
    ("for (auto [module, effort] :\n     llvm::zip_equal(modules, ArrayRef{1, 2}))", [1]),
    ("int x;\nfor (int each : ArrayRef<int>{1, 2})", [2]),
    ("for (int each : {1, 2})", []),
    ("for (auto [i, each] : llvm::enumerate(ArrayRef(values)))", []),
    ("for (int i = 0; i != f(ArrayRef{1, 2}); ++i)", []),
    ("for (llvm::StringRef each : kNames)\n  f(ArrayRef{each});", []),
])
def test_dangling_lists(loop, lines):
    assert list(lint.find_dangling_lists(loop + "\n  g();\n")) == lines


OPERATORS = operator_lists.read_operators({
    "RelayElementwiseOps.td": """
def Relay_AddOp : Relay_BinaryOp<"add", "sum">;
def Relay_TanhOp : Relay_UnaryOp<"tanh", "tangent">;
def Relay_NNReluOp
    : Relay_UnaryOp<"nn.relu", "max(x, 0)">;
def Relay_ModOp : Relay_DivisionOp<"mod",
    "remainder">;
""",
    "RelayQnnOps.td": 'def Relay_QNNAddOp : Relay_QnnOperator<"add", "Sum">;',
    "RelayCoreOps.td": 'def Relay_TupleOp : Op<Relay_Dialect, "tuple">;',
})


def test_names_of_operators():
    assert OPERATORS == ({"AddOp", "TanhOp", "NNReluOp", "ModOp", "QNNAddOp"},
                         {"add", "tanh", "nn.relu", "mod", "qnn.add"})


@pytest.mark.parametrize("text", [
    "return isa<AddOp, relay::TanhOp, NNReluOp,\n    ModOp>(op);",
    "llvm::any_of(ops, llvm::IsaPred<AddOp, TanhOp, NNReluOp, ModOp>)",
    "if (auto a = dyn_cast<AddOp>(op))\n  f(a);\nif (isa<TanhOp, NNReluOp>(op) || isa<ModOp>(op))",
    "TypeSwitch<Operation *>(op).Case<AddOp, TanhOp>(f).Case<NNReluOp, ModOp>(g)",
    "TypeSwitch<Operation *>(op).Case([](AddOp op) {}).Case([&](TanhOp op) {})\n"
    "    .Case([](NNReluOp op) {}).Case([](ModOp op) {})",
    'static const StringSet names = {"add", "relay.tanh", "nn.relu", "qnn.add"};',
    'op->getName().getStringRef().starts_with("relay.nn.")',
])
def test_lists_of_operators(text):
    assert [line for line, _ in operator_lists.check_pass(text, *OPERATORS)] == [1]


@pytest.mark.parametrize("text", [
    "return isa<AddOp, TanhOp, NNReluOp>(op);",
    "// isa<AddOp, TanhOp, NNReluOp, ModOp>",
    "return isa<math::AddOp, math::TanhOp, math::NNReluOp, math::ModOp>(op);",
    "return isa<TupleOp, LetOp, AddOp, ConstantOp>(op);",
    "if (isa<AddOp, TanhOp>(first) && isa<NNReluOp, ModOp>(second))",
    "void f() {\n  isa<AddOp, TanhOp>(op);\n}\nvoid g() {\n  isa<NNReluOp, ModOp>(op);\n}\n",
    'setName("folded.");',
])
def test_no_lists_of_operators(text):
    assert not list(operator_lists.check_pass(text, *OPERATORS))


def test_other_tests():
    assert list(tests.check_unit_test("  GTEST_SKIP();"))
    assert list(tests.check_unit_test('  GTEST_SKIP() << "not implemented";'))
    assert not list(tests.check_unit_test('  GTEST_SKIP() << "the machine lacks AMX";'))
    assert list(tests.check_unit_test("TEST(A, DISABLED_B) {}"))
    for text in ("// UNSUPPORTED: system-windows", "// XFAIL: *", "# REQUIRES: amx",
                 "config.unsupported = True"):
        assert list(tests.check_lit_test(text))
    assert not list(tests.check_lit_test("// RUN: relay-opt %s | FileCheck %s"))


@pytest.mark.parametrize("path,include,message", [
    ("lib/Dialect/TIR/Analysis/A.cpp", "relay-mlir/Dialect/TIR/Transforms/Passes.h", "layer"),
    ("include/relay-mlir/Dialect/Relay/Analysis/A.h", "relay-mlir/Interpreter/Tensor.h", "layer"),
    ("include/relay-mlir/Dialect/Relay/IR/A.td", "relay-mlir/Frontend/RelayText/A.td", "layer"),
    ("tools/relay-run/A.cpp", "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h", "layer"),
    ("python/src/A.cpp", "relay-mlir/Dialect/Target/IR/CPUInfo.h", "layer"),
    ("lib/Runtime/A.cpp", "mlir/IR/Builders.h", "the run time includes"),
    ("lib/Somewhere/A.cpp", "mlir/IR/Builders.h", "expects a folder"),
    ("lib/Dialect/TIR/Analysis/A.cpp", "relay-mlir/Dialect/TIR/IR/TIR.h", None),
    ("tools/relay-run/A.cpp", "relay-mlir/Pipelines/Compiler.h", None),
])
def test_layers(path, include, message, tmp_path, monkeypatch):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(f'#include "{include}"\n')
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    monkeypatch.setattr(lint, "tracked", lambda *patterns: [file])
    found = list(lint.check_layers())
    assert bool(found) == bool(message)
    assert not message or (found[0][0] == path and message in found[0][2])


@pytest.mark.parametrize("folder,include,is_allowed", [
    ("CPU", "../A.h", True),
    ("CPU", "Vector/A.h", True),
    ("CPU/Vector", "../A.h", True),
    ("CPU", "../GPU/A.h", False),
    (".", "CPU/A.h", False),
])
def test_layers_of_files_beside(folder, include, is_allowed, tmp_path, monkeypatch):
    """The rules of one kind of targets are none of the others' business."""
    rules = tmp_path / "lib/Dialect/TIR/ScheduleRules"
    for name in (".", "CPU/Vector", "GPU"):
        (rules / name).mkdir(parents=True, exist_ok=True)
    for name in (".", "CPU", "CPU/Vector", "GPU"):
        (rules / name / "A.h").write_text("")
    file = rules / folder / "B.cpp"
    file.write_text(f'#include "{include}"\n')
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    monkeypatch.setattr(lint, "tracked", lambda *patterns: [file])
    assert not list(lint.check_layers()) == is_allowed


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder,
                   check=True, capture_output=True)


def test_changed_files(tmp_path, monkeypatch):
    """On a branch what differs from main, on main the last commits; and what is not
    committed, first. Only the lines count."""
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    git(tmp_path, "init", "-b", "main")
    for name in ("a.cpp", "b.cpp", "c.cpp"):
        (tmp_path / name).write_text("one\ntwo\nthree\n")
        git(tmp_path, "add", name)
        git(tmp_path, "commit", "-m", name)
    everything = [[1, 3]]
    assert list(tidy.find_changed().items()) == [("c.cpp", everything), ("b.cpp", everything)]
    git(tmp_path, "checkout", "-b", "work")
    (tmp_path / "b.cpp").write_text("one\n2\nthree\nfour\n")
    (tmp_path / "b.txt").write_text("text\n")
    git(tmp_path, "add", "b.txt")
    git(tmp_path, "commit", "-am", "b")
    assert tidy.find_changed() == {"b.cpp": [[2, 2], [4, 4]]}
    (tmp_path / "new.cpp").write_text("new\n")
    (tmp_path / "a.cpp").write_text("one\nthree\n")
    git(tmp_path, "rm", "-q", "c.cpp")
    assert list(tidy.find_changed()) == ["new.cpp", "b.cpp"], "only a line less in a.cpp"
    (tmp_path / "a.cpp").write_text("one\n2\nthree\n")
    assert list(tidy.find_changed()) == ["a.cpp", "new.cpp", "b.cpp"]


def test_files_that_clang_tidy_leaves_out_are_counted(monkeypatch, tmp_path):
    names = ["a.cpp", "b.cpp", "c.cpp"]
    commands = [{"file": str(tmp_path / name)} for name in names]
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps(commands))
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    monkeypatch.setattr(tidy, "FILES", 2)
    monkeypatch.setattr(tidy.shutil, "which", lambda name: name)
    monkeypatch.setattr(tidy, "find_changed", lambda: {name: [[1, 2]] for name in names})
    monkeypatch.setattr(tidy, "check_file", lambda name, build, lines: "bad" if name == "b.cpp" else "")
    monkeypatch.setattr(sys, "argv", ["tidy.py", "--build", "build", "--junit", str(tmp_path / "tidy.xml")])
    assert tidy.main() == 1
    suite = ElementTree.parse(tmp_path / "tidy.xml").getroot()
    assert {case.get("name"): [child.tag for child in case] for case in suite} == {
        "a.cpp": [], "b.cpp": ["failure"], "c.cpp": ["skipped"]}


def test_headers_are_seen_through_a_source():
    sources = {"lib/Interpreter/Tensor.cpp", "lib/Interpreter/Image.cpp",
               "lib/Conversion/RelayToLinalg/PoolBuilder.cpp"}
    assert tidy.find_user("include/relay-mlir/Interpreter/Tensor.h", sources) == (
        "lib/Interpreter/Tensor.cpp")
    assert tidy.find_user("lib/Conversion/RelayToLinalg/ElementMath.h", sources) == (
        "lib/Conversion/RelayToLinalg/PoolBuilder.cpp")
    assert tidy.find_user("include/relay-mlir/Nothing.h", sources) is None
