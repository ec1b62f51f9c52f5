"""Every command and program that the documents show, run as a reader would."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402

BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(language):
    """Returns (document, text) of the code blocks of a language."""
    found: list[Any] = []
    for path in DOCUMENTS:
        for match in re.finditer(rf"^```{language}\n(.*?)^```", path.read_text(),
                                 re.M | re.S):
            found.append(pytest.param(path, match.group(1),
                                      id=f"{path.stem}-{len(found)}"))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("documents")
    onnx.save(build.build("mlp"), str(path / "model.onnx"))
    (path / "program.relay").write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x + 1f) }\n')
    (path / "utils").symlink_to(ROOT / "utils")
    search = f"{BUILD_DIR / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": search,
                   "RELAY_CACHE_DIR": str(path / "cache")}
    # A command may use what an earlier one, of another document, wrote.
    for command in ("relay-translate --import-onnx model.onnx -o model.mlir",
                    "relay-compile model.onnx -o model.so"):
        subprocess.run(command, shell=True, cwd=path, env=environment, check=True)
    return path, environment


@pytest.mark.parametrize("document,text", blocks("sh"))
def test_commands(document, text, folder):
    path, environment = folder
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=path,
                   env=environment, check=True, timeout=600)


@pytest.mark.parametrize("document,text", blocks("python"))
def test_programs(document, text, folder):
    path, environment = folder
    subprocess.run([sys.executable, "-c", text], cwd=path, env=environment,
                   check=True, timeout=600)


def test_c_example(folder):
    """The C program builds against the installed package and runs."""
    path, environment = folder
    source = path / "example"
    source.mkdir()
    (cmake,), (program,) = ([block.values[1] for block in blocks(language)]
                            for language in ("cmake", "c"))
    (source / "CMakeLists.txt").write_text(cmake)
    (source / "example.c").write_text(program)
    prefix = path / "prefix"
    subprocess.run(["cmake", "--install", BUILD_DIR, "--prefix", prefix],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "-S", source, "-B", source / "build",
                    f"-DCMAKE_PREFIX_PATH={prefix}"], check=True)
    # AddressSanitizer, if it is preloaded, has something to say of make.
    options = os.environ.get("ASAN_OPTIONS", "") + ":strict_string_checks=0"
    subprocess.run(["cmake", "--build", source / "build"], check=True,
                   env={**os.environ, "ASAN_OPTIONS": options})
    result = subprocess.run([source / "build" / "example", path / "model.so"],
                            check=True, capture_output=True, text=True)
    assert re.fullmatch(r"\S+ -> 2 dimensions, first value \S+\n", result.stdout)
    failed = subprocess.run([source / "build" / "example", path / "model.onnx"],
                            capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and "not an ELF file" in failed.stderr
    shutil.rmtree(prefix)


def test_links():
    """Links between the documents lead somewhere."""
    for document in DOCUMENTS:
        text = re.sub(r"`[^`\n]*`", "", document.read_text())  # Code has brackets of its own.
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (document.parent / target).exists(), f"{document}: {target}"
