"""The annotations of the package: complete, true, and of use to a type checker; the
programs that use it pass one too."""

import ast
import importlib
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "python" / "relay_mlir"
CONFIG = ROOT / "python" / "pyproject.toml"
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAMS = [path for folder in ("test/python", "utils")
            for path in sorted((ROOT / folder).rglob("*.py"))]
# They find each other by sys.path: all folders are in it that are no packages.
FOLDERS = sorted({path.parent for path in PROGRAMS
                  if not (path.parent / "__init__.py").exists()})

# A program of a user who annotates, and what is wrong with some of its lines.
PROGRAM = """
from typing import Any

import numpy as np

import relay_mlir as rm
import relay_mlir.compat as tvm
from relay_mlir import relay


def network(batch: int) -> relay.Function:
    x = relay.var("x", shape=(batch, 3, 8, 8))
    y = relay.nn.conv2d(x, relay.var("w"), channels=4, kernel_size=(3, 3))
    y = relay.nn.relu(y + relay.const(1.0))
    return relay.Function(relay.analysis.free_vars(y), y)


def names(mod: relay.IRModule) -> list[str]:
    result: list[str] = []

    def visit(node: relay.Expr) -> None:
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Op):
            result.append(node.op.name)

    relay.post_order_visit(mod["main"], visit)
    return result


def run(path: str) -> Any:
    model = rm.compile(path, target="native", opt_level=3)
    shapes: list[tuple[int | str, ...]] = [info.shape for info in model.inputs]
    return model(*[np.zeros([n if isinstance(n, int) else 1 for n in shape])
                   for shape in shapes])


def build(mod: tvm.IRModule) -> None:
    lib = relay.build(mod, target="llvm", params={"w": np.zeros((4, 3, 3, 3))})
    lib.export_library("model.so")


relay.nn.conv2d(relay.var("x"), relay.var("w"), chanels=4)  # E: "chanels"
relay.nn.softmax(relay.const)  # E: incompatible type
relay.var(3)  # E: incompatible type "int"
rm.compile("model.onnx", opt_level="high")  # E: No overload variant of "compile" matches argument types "str", "str"
rm.load("model.so").inputs[0].size  # E: no attribute "size"
network("one")  # E: incompatible type "str"
relay.create_executor("debug").evaluate(1)  # E: incompatible type "int"
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    cache = tmp_path_factory.mktemp("mypy")

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "mypy", "--cache-dir", str(cache), *map(str, arguments)],
            cwd=cache,
            env={**os.environ, "MYPYPATH": ":".join(map(str, [ROOT / "python", *FOLDERS]))},
            capture_output=True, text=True, check=False, timeout=600)

    return run


def test_package(mypy):
    """Every function is annotated, and no annotation contradicts its code."""
    result = mypy("--config-file", CONFIG, *(ROOT / "python" / name for name in (
        "relay_mlir", "relay_mlir_tools", "relay_wheel")))
    assert result.returncode == 0, result.stdout + result.stderr


def stubbed(body):
    """Names that a stub declares, classes with their members."""
    names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = stubbed(node.body)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names[node.name] = {}
        elif isinstance(node, ast.AnnAssign):
            names[ast.unparse(node.target)] = {}
    return {name: members for name, members in names.items()
            if not name.startswith("_") or name == "__version__"}


@pytest.mark.parametrize("name,path", [
    ("relay_mlir._relay_mlir", "__init__.pyi"), ("relay_mlir._relay_mlir.relay", "relay.pyi")])
def test_extension(name, path):
    """The stubs of the extension module name what is there, and nothing else."""
    importlib.import_module("relay_mlir.relay")  # Completes classes of expressions.
    extension = sys.modules["relay_mlir._relay_mlir"]
    module = extension.relay if name.endswith(".relay") else extension
    stub = stubbed(ast.parse((PACKAGE / "_relay_mlir" / path).read_text()).body)
    there = {key for key, value in vars(module).items()
             if (not key.startswith("_") or key == "__version__")
             and not isinstance(value, type(sys))}
    assert stub.keys() == there
    for key, members in stub.items():
        known = getattr(module, key)
        if isinstance(known, type):
            own = {member for member in vars(known) if not member.startswith("_")}
            assert own <= members.keys(), key
            assert all(hasattr(known, member) for member in members), key


def test_documents(mypy, tmp_path):
    """Programs of the documents are right as they stand."""
    paths: list[pathlib.Path] = []
    for document in DOCUMENTS:
        for text in re.findall(r"^```python\n(.*?)^```", document.read_text(), re.M | re.S):
            paths.append(tmp_path / f"{document.stem.lower()}_{len(paths)}.py")
            paths[-1].write_text(text)
    assert len(paths) > 5
    result = mypy("--config-file", os.devnull, "--ignore-missing-imports",
                  "--check-untyped-defs", "--scripts-are-modules", *paths)
    assert result.returncode == 0, result.stdout + result.stderr


def test_tests_and_utilities(mypy):
    """Tests and other programs, which are not annotated throughout, contradict neither
    the package's annotations nor their own. Wrong arguments of tests of errors are marked."""
    assert len(PROGRAMS) > 100
    result = mypy("--config-file", os.devnull, "--ignore-missing-imports",
                  "--check-untyped-defs", "--explicit-package-bases", *PROGRAMS)
    assert result.returncode == 0, result.stdout + result.stderr


def test_program(mypy, tmp_path):
    """What is right passes, and what is wrong is found where it is."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    result = mypy("--config-file", os.devnull, "--strict", "--no-warn-return-any",
                  path)
    found = dict(re.findall(r"program\.py:(\d+): error: (.*)", result.stdout))
    expected = {str(number): line.partition("# E: ")[2]
                for number, line in enumerate(PROGRAM.splitlines(), 1) if "# E: " in line}
    assert found.keys() == expected.keys(), result.stdout
    for number, text in expected.items():
        assert text in found[number], result.stdout
