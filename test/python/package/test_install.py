"""What `cmake --install` writes finds itself wherever it lies, and does without the build.
(That it is enough for a project of somebody else is what docs/Tutorials/Downstream.md does.)"""

import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder / "first"], check=True,
                   stdout=subprocess.DEVNULL)
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


def test_libraries_are_found(prefix):
    # Programs in Python have no libraries of their own.
    files = [path for path in [*prefix.glob("bin/*"), *prefix.rglob("*.so")]
             if path.read_bytes()[:4] == b"\x7fELF"]
    assert len(files) > 8
    for path in files:
        text = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        for name, place in re.findall(r"(libRelay\S+) => (.*)", text):
            assert place.startswith(str(prefix)), (path, name, place)


def test_the_package_names_no_folder_of_the_build(prefix):
    for path in prefix.rglob("*.cmake"):
        assert str(BUILD) not in path.read_text(), path
    for path in prefix.rglob("*"):
        assert "CMakeFiles" not in path.name and "pch" not in path.suffix, path
