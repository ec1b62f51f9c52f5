"""Every pass of ours ends, with a result or an error, on every module of the tests.

Passes meet modules in forms that they are not made for: types that are not known yet,
another level of the compiler, programs that another pass refuses. An ordinary run gives
each pass another part of the modules, a nightly run all of them.
"""

import functools
import hashlib
import os
import pathlib
import re
import subprocess

import nightly
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"
# The names of our passes; all others are MLIR's.
NAMES = re.compile(r"((convert-|verify-)?(relay|relax|tir|vta)|convert-linalg-to-tir)(-|$)")
# An ordinary run takes a module of so many.
PARTS = 1 if os.environ.get(nightly.VARIABLE) == "1" else 24
SECONDS = 300
# Modules that make a pass slow by their size alone do not hide one that hangs.
SECONDS_OF_ONE = 60


def list_passes():
    text = subprocess.run([BIN / "relay-opt", "--help"], check=True, capture_output=True,
                          text=True).stdout
    passes = re.findall(r"^ {6}--([a-z][a-z0-9-]*) +-", text, re.M)
    return sorted({name for name in passes if NAMES.match(name)})


@functools.cache
def read_modules():
    """Pairs of where a module is, and its text."""
    modules = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        parts = re.split(r"^// -----.*$", path.read_text(), flags=re.M)
        modules += [(f"{path.relative_to(ROOT)}#{i}", part) for i, part in enumerate(parts)]
    return modules


def choose(name):
    def belongs(place):
        digest = hashlib.sha256(f"{name} {place}".encode()).digest()
        return int.from_bytes(digest[:4], "big") % PARTS == 0

    return [module for module in read_modules() if belongs(module[0])]


def find_fault(name, modules):
    """The first module that the pass does not end with, and how it ended; None if there
    is none. Modules share a process, which takes longer to start than they take."""
    text = "\n// -----\n".join(text for _, text in modules)
    command = [str(BIN / "relay-opt"), "--split-input-file", "--allow-unregistered-dialect",
               f"--{name}", "-o", os.devnull]
    try:
        result = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                                timeout=SECONDS if len(modules) > 1 else SECONDS_OF_ONE)
    except subprocess.TimeoutExpired:
        fault = "takes too long"
    else:
        if result.returncode in (0, 1) and "runtime error:" not in result.stderr:
            return None
        fault = f"ends with {result.returncode}: {result.stderr[-2000:]}"
    if len(modules) == 1:
        return modules[0][0], fault
    half = len(modules) // 2
    return find_fault(name, modules[:half]) or find_fault(name, modules[half:])


@pytest.mark.parametrize("name", list_passes())
def test_pass_ends(name):
    assert find_fault(name, choose(name)) is None
