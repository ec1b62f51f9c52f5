"""Writes wheels and source archives of the project, whose data are in pyproject.toml."""

import base64
import hashlib
import io
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import time
import zipfile
from typing import Any, Iterable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What a source archive has where there is no git that knows.
_SOURCES = ["CMakeLists.txt", "LICENSE", "README.md", "include", "lib", "python", "tools", "utils"]


class Project:
    """What pyproject.toml says, as the files of a wheel say it."""

    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.toml = (root / "python" / "pyproject.toml").read_text()
        self.data: dict[str, Any] = tomllib.loads(self.toml)["project"]
        self.name = self.data["name"].replace("-", "_")
        self.version: str = self.data["version"]
        self.dist_info = f"{self.name}-{self.version}.dist-info"

    def metadata(self, licenses: Iterable[str] = ()) -> str:
        data = self.data
        lines = ["Metadata-Version: 2.4", f"Name: {data['name']}", f"Version: {self.version}",
                 f"Summary: {data['description']}", f"License-Expression: {data['license']}"]
        lines += [f"License-File: {name}" for name in licenses]
        lines.append(f"Requires-Python: {data['requires-python']}")
        lines += [f"Requires-Dist: {package}" for package in data["dependencies"]]
        for extra, packages in data.get("optional-dependencies", {}).items():
            lines.append(f"Provides-Extra: {extra}")
            lines += [f"Requires-Dist: {package}; extra == '{extra}'" for package in packages]
        lines += ["Description-Content-Type: text/markdown", "",
                  (self.root / "README.md").read_text()]
        return "\n".join(lines)

    def metadata_files(self, licenses: Iterable[str] = ()) -> dict[str, str]:
        scripts = [f"{name} = {entry}" for name, entry in self.data["scripts"].items()]
        return {"METADATA": self.metadata(licenses),
                "entry_points.txt": "\n".join(["[console_scripts]", *scripts, ""])}


def native_tag() -> str:
    """The tag of what is built here: for this Python, and systems at least as new."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    libc, version = platform.libc_ver()
    system = (f"manylinux_{version.replace('.', '_')}" if libc == "glibc" else "linux")
    return f"{python}-{python}-{system}_{platform.machine()}"


def _epoch() -> "int | None":
    value = os.environ.get("SOURCE_DATE_EPOCH")
    return int(value) if value else None


def write_wheel(project: Project, folder: pathlib.Path, tree: pathlib.Path,
                licenses: dict[str, pathlib.Path], tag: str, compression: int) -> str:
    """Writes a wheel with the files of `tree`; returns its name."""
    name = f"{project.name}-{project.version}-{tag}.whl"
    records: list[str] = []
    epoch = _epoch()
    with zipfile.ZipFile(folder / name, "w") as archive:
        def add(path: str, contents: bytes, mode: int = 0o644, modified: float = time.time()) -> None:
            # The format begins in 1980.
            date = max(time.gmtime(modified if epoch is None else epoch)[:6],
                       (1980, 1, 1, 0, 0, 0))
            info = zipfile.ZipInfo(path, date)
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
            archive.writestr(info, contents, compresslevel=compression or None)
            digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest())
            records.append(f"{path},sha256={digest.rstrip(b'=').decode()},{len(contents)}")

        for path in sorted(tree.rglob("*")):
            if path.is_file():
                stat = path.stat()
                add(path.relative_to(tree).as_posix(), path.read_bytes(), stat.st_mode & 0o777,
                    stat.st_mtime)
        for license, path in sorted(licenses.items()):
            add(f"{project.dist_info}/licenses/{license}", path.read_bytes())
        for file, text in project.metadata_files(sorted(licenses)).items():
            add(f"{project.dist_info}/{file}", text.encode())
        add(f"{project.dist_info}/WHEEL", "\n".join(
            ["Wheel-Version: 1.0", "Generator: relay_wheel", "Root-Is-Purelib: false",
             f"Tag: {tag}", ""]).encode())
        record = f"{project.dist_info}/RECORD"
        archive.writestr(record, "\n".join([*records, f"{record},,", ""]))
    return name


def _list_sources(root: pathlib.Path) -> list[str]:
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--", *_SOURCES],
                                check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
    files = [name for name in listed if name and (root / name).is_file()]
    if files:
        return files
    paths = [path for name in _SOURCES
             for path in [root / name, *sorted((root / name).rglob("*"))]]
    return [path.relative_to(root).as_posix() for path in paths
            if path.is_file() and "__pycache__" not in path.parts]


def write_sdist(project: Project, folder: pathlib.Path) -> str:
    """Writes a source archive, whose top is that of the project; returns its name."""
    top = f"{project.name}-{project.version}"
    epoch = _epoch()
    # The same project, one folder above.
    toml = project.toml.replace('backend-path = ["."]', 'backend-path = ["python"]')
    assert toml != project.toml
    with tarfile.open(folder / f"{top}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        def clean(info: tarfile.TarInfo) -> tarfile.TarInfo:
            info.uid = info.gid = 0
            info.uname = info.gname = ""
            if epoch is not None:
                info.mtime = epoch
            return info

        for name in _list_sources(project.root):
            archive.add(project.root / name, f"{top}/{name}", recursive=False, filter=clean)
        for name, text in (("pyproject.toml", toml), ("PKG-INFO", project.metadata())):
            contents = text.encode()
            info = tarfile.TarInfo(f"{top}/{name}")
            info.size = len(contents)
            info.mtime = int(time.time())
            archive.addfile(clean(info), io.BytesIO(contents))
    return f"{top}.tar.gz"
