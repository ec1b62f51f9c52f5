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

sys.path.insert(0, str(ROOT / "utils" / "docs"))
import excerpts  # noqa: E402

BUILD_DIR = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
DECISIONS = ROOT / "docs" / "Decisions"


def blocks(language):
    """Returns (document, text) of the code blocks of a language."""
    found: list[Any] = []
    for path in DOCUMENTS:
        for match in re.finditer(rf"^```{language}\n(.*?)^```", path.read_text(),
                                 re.M | re.S):
            found.append(pytest.param(path, match.group(1),
                                      id=f"{path.stem}-{len(found)}"))
    return found


def find_missing_files(text):
    """The files of the checkout that commands name, and that are not there."""
    names = re.findall(r"(?:^|\./|[\s='\"])((?:utils|test|docs|lib|include|python|tools)/[\w./*-]+)",
                       re.sub(r"build[\w-]*/\S+", "", text))
    return [name for name in names if not list(ROOT.glob(name.rstrip(".")))]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_of_commands(document):
    """What takes too long to be run, such as utils/check.sh, exists at least."""
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```", document.read_text(), re.M | re.S):
        assert language not in ("", "sh") or not find_missing_files(text)


def test_missing_files_are_found():
    assert find_missing_files("utils/check.sh; python test/python/none.py\n"
                              "build/test/Unit/Some -x=utils/none.sh") == [
                                  "test/python/none.py", "utils/none.sh"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("documents")
    onnx.save(build.build("mlp"), str(path / "model.onnx"))
    (path / "program.relay").write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) { nn.relu(%x + 1f) }\n')
    (path / "utils").symlink_to(ROOT / "utils")
    (path / "build").symlink_to(BUILD_DIR)
    (path / "include").symlink_to(ROOT / "include")
    search = f"{BUILD_DIR / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": search,
                   "RELAY_CACHE_DIR": str(path / "cache")}
    # A command may use what an earlier one, of another document, wrote.
    for command in ("relay-translate --import-onnx model.onnx -o model.mlir",
                    "relay-compile model.onnx -o model.so"):
        subprocess.run(command, shell=True, cwd=path, env=environment, check=True)
    return path, environment


# The pages that are filled in run in test_excerpts.py. Commands use what those before them
# have made.
@pytest.mark.whole
@pytest.mark.parametrize("document,text", [block for block in blocks("sh")
                                           if block.values[0] not in excerpts.PAGES])
def test_commands(document, text, folder):
    path, environment = folder
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=path,
                   env=environment, check=True, timeout=600)


@pytest.mark.whole
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
    (cmake,), (program,) = ([block.values[1] for block in blocks(language)
                             if block.values[0].stem == "Embedding"]
                            for language in ("cmake", "c"))
    (source / "CMakeLists.txt").write_text(cmake)
    (source / "example.c").write_text(program)
    prefix = path / "prefix"
    subprocess.run(["cmake", "--install", BUILD_DIR, "--prefix", prefix],
                   check=True, stdout=subprocess.DEVNULL)
    # Of a build with sanitizers only the program is watched: what is preloaded for it
    # has something to say of make, and cmake waits forever for a child under it.
    tools = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    # And only what is preloaded has what the library then calls.
    linker = ["-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined"]
    linker *= (BUILD_DIR / "sanitizer-runtime").exists()
    for arguments in (["-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
                       *linker],
                      ["--build", source / "build"]):
        subprocess.run(["cmake", *arguments], check=True, env=tools, timeout=600)
    result = subprocess.run([source / "build" / "example", path / "model.so"],
                            check=True, capture_output=True, text=True)
    assert re.fullmatch(r"\S+ -> 2 dimensions, first value \S+\n", result.stdout)
    failed = subprocess.run([source / "build" / "example", path / "model.onnx"],
                            capture_output=True, text=True, check=False)
    assert failed.returncode == 1 and "not an ELF file" in failed.stderr
    shutil.rmtree(prefix)


def without_code(text):
    """The text of a document without its code, which has brackets of its own."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "code", text)


def get_anchors(document):
    """The names of a document's headings in links, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.M | re.S)
    anchors: list[str] = []
    for title in re.findall(r"^#+ +(.*)$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title.strip()).lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        same = sum(name == anchor or re.fullmatch(rf"{re.escape(anchor)}-\d+", name) is not None
                   for name in anchors)
        anchors.append(f"{anchor}-{same}" if same else anchor)
    return anchors


def find_broken_links(document):
    """The links of a document that lead to no file, or to no heading."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(document.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = document.parent / name if name else document
        if not path.exists() or (anchor and anchor not in get_anchors(path)):
            broken.append(target)
    return broken


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links(document):
    """Links between the documents lead somewhere."""
    assert not find_broken_links(document)


def test_broken_links_are_found(tmp_path):
    document = tmp_path / "page.md"
    document.write_text("# A page of `code`, and more\n\n## Twice\n\n## Twice\n\n"
                        "```sh\n# No heading ](nor a link)\n```\n\n"
                        "[1](#a-page-of-code-and-more) [2](page.md#twice-1) [3](#no-heading)\n"
                        "[4](other.md) [5](page.md#thrice) [6](https://example.com/#x)\n")
    assert find_broken_links(document) == ["#no-heading", "other.md", "page.md#thrice"]


def test_decisions():
    """Each record has the same parts, and one line in the index."""
    records = sorted(path.name for path in DECISIONS.glob("*.md") if path.name != "README.md")
    listed = re.findall(r"^\* .*?\]\(([^)/#]+\.md)\)", (DECISIONS / "README.md").read_text(), re.M)
    assert sorted(listed) == records
    for name in records:
        headings = re.findall(r"^(#+ .*)$", (DECISIONS / name).read_text(), re.M)
        assert headings[1:] == ["## Context", "## Choice", "## Rejected alternative",
                                "## Consequence", "## In the code"], name
        assert headings[0].startswith("# "), name
