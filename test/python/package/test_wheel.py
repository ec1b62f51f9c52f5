"""What `pip wheel ./python` makes of a build folder works where none of our packages is: in
a Debian that has Python and nothing of LLVM."""

import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import numpy as np
import onnx
import onnx.helper as oh
import onnxruntime
import pip
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
sys.path.append(str(ROOT / "python"))
from relay_wheel import carry  # noqa: E402

PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
# Debian's Python and what it needs. All of it is in the smallest image of Python.
PACKAGES = [
    "libc6", "libgcc-s1", "libstdc++6", "zlib1g", f"{PYTHON}-minimal", f"lib{PYTHON}-minimal",
    f"lib{PYTHON}-stdlib", "libbz2-1.0", "libexpat1", "libffi8", "liblzma5", "libssl3",
]


def without_preload():
    """The environment for CMake, which waits forever under what a sanitizer preloads."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def run_pip(*arguments, **variables):
    environment = {**without_preload(), **variables}
    if "RELAY_BUILD_DIR" not in variables:
        environment.pop("RELAY_BUILD_DIR", None)
    return subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True, text=True, env=environment)


def make_wheel(source, folder, *settings, **variables):
    return run_pip("wheel", source, "--no-deps", "--no-build-isolation", "-w", folder,
               *[word for setting in settings for word in ("--config-settings", setting)],
               **variables)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One for half a gigabyte, which does not stay."""
    path = tmp_path_factory.mktemp("wheel")
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def wheel(folder):
    if os.environ.get("RELAY_SANITIZE"):
        pytest.skip("the package cannot carry the run time of sanitizers")
    result = make_wheel(ROOT / "python", folder, f"build-dir={os.path.relpath(BUILD, ROOT)}",
                        "compression=1")
    assert result.returncode == 0, result.stdout + result.stderr
    # Licences of all that is carried were found.
    assert "warning: no licence" not in result.stdout + result.stderr
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def unpacked(wheel, folder):
    path = folder / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(path)
    return path


def test_documented_commands():
    """The fixture is the second of them, without isolation and in a hurry."""
    page = (ROOT / "docs" / "Tutorials" / "Wheels.md").read_text()
    assert "pip install ./python\n" in page
    assert "pip wheel ./python --no-deps --config-settings build-dir=build -w wheels\n" in page
    assert "pip install -e ./python --config-settings build-dir=build\n" in page


def test_libraries_are_in_the_wheel(unpacked):
    files = [path for path in unpacked.rglob("*") if path.is_file() and carry.is_elf(path)]
    assert len(files) > 20
    for path in files:
        runpath = subprocess.run([carry.find_patchelf() or "", "--print-rpath", path], check=True,
                                 capture_output=True, text=True).stdout.strip()
        assert re.fullmatch(r"\$ORIGIN(/[\w./]+)?", runpath), (path, runpath)
        folder = pathlib.Path(runpath.replace("$ORIGIN", str(path.parent))).resolve()
        for name in carry.needed(path):
            # oneDNN, for models that are told to use it, is the system's.
            assert (name in carry.SYSTEM_LIBRARIES or (folder / name).is_file() or
                    (path.name, name) == ("librelay_device_dnnl.so", "libdnnl.so.2")), (path, name)


def test_tools_are_all_of_the_build(unpacked):
    tools = {path.name for path in (unpacked / "relay_mlir_tools" / "bin").iterdir()}
    built = {path.name for path in (BUILD / "bin").glob("relay-*")
             if not re.match("relay-(fuzz|test)-", path.name)}
    [scripts] = unpacked.glob("*.dist-info/entry_points.txt")
    entries = dict(line.split(" = ") for line in scripts.read_text().splitlines()[1:])
    assert set(entries) == built
    assert built - tools == {"relay-quantize", "relay-vta-explore"} and tools - built == {"ld.lld"}


def test_licences(unpacked):
    [metadata] = unpacked.glob("*.dist-info/METADATA")
    message = email.message_from_string(metadata.read_text())
    assert message["License-Expression"] == "Apache-2.0 WITH LLVM-exception"
    names = message.get_all("License-File", [])
    assert {path.name for path in (metadata.parent / "licenses").iterdir()} == set(names)
    assert {"LICENSE", "dagre.txt", "libllvm22.txt", "libmlir-22.txt", "lld-22.txt",
            "libxxhash-dev.txt", "libz3-4.txt", "pybind11.txt"} <= set(names)


class Debian:
    """A folder of files that is the root of programs."""

    def __init__(self, root):
        self.root = root

    def __call__(self, *command, **variables):
        """Runs a command at the top of the root."""
        # The linker reads its inputs in /proc.
        script = ('mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && '
                  'exec /usr/sbin/chroot "$0" "$@"')
        return subprocess.run(
            ["unshare", "--map-root-user", "--mount", "sh", "-c", script, self.root, *command],
            capture_output=True, text=True,
            env={"PATH": "/venv/bin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", **variables})


@pytest.fixture(scope="module", name="debian")
def make_debian(wheel, folder):
    """One with a virtual environment, /venv, in which pip has installed the wheel."""
    root = folder / "debian"
    for link in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / link).mkdir(parents=True)
        (root / link).symlink_to(f"usr/{link}")
    listed = subprocess.run(["dpkg", "-L", *PACKAGES], check=True, capture_output=True, text=True)
    for name in set(listed.stdout.splitlines()):
        source, place = pathlib.Path(name), root / name.lstrip("/")
        if source.is_symlink() or source.is_file():
            place.parent.mkdir(parents=True, exist_ok=True)
            if not place.is_symlink() and not place.is_dir():
                shutil.copy2(source, place, follow_symlinks=False)
    for name in ("proc", "dev", "tmp", "work"):
        (root / name).mkdir()

    debian = Debian(root)
    if subprocess.run(["unshare", "--map-root-user", "--mount", "true"]).returncode:
        pytest.skip("the machine lacks roots of users (unshare --map-root-user)")
    assert "No module named 'numpy'" in debian(f"/usr/bin/{PYTHON}", "-c", "import numpy").stderr
    result = debian(f"/usr/bin/{PYTHON}", "-m", "venv", "--without-pip", "/venv")
    assert result.returncode == 0, result.stderr
    # Of the package index there are only what this environment has of it.
    packages = root / "venv" / "lib" / PYTHON / "site-packages"
    for pattern in ("numpy", "numpy-*", "numpy.libs", "tqdm", "tqdm-*"):
        for source in pathlib.Path(np.__file__).parents[1].glob(pattern):
            shutil.copytree(source, packages / source.name)
    shutil.copytree(pathlib.Path(pip.__file__).parent, root / "pip" / "pip")
    shutil.copy(wheel, root / wheel.name)
    result = debian("/venv/bin/python", "-m", "pip", "install", "--no-index", "--no-compile",
                 f"/{wheel.name}", PYTHONPATH="/pip")
    assert result.returncode == 0, result.stdout + result.stderr
    return debian


@pytest.fixture(scope="module")
def model():
    """A network with a dynamic size, and what ONNX Runtime computes of it."""
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((8, 3, 3, 3)).astype(np.float32)
    graph = oh.make_graph(
        [oh.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
         oh.make_node("Relu", ["c"], ["r"]),
         oh.make_node("ReduceMean", ["r"], ["m"], axes=[2, 3], keepdims=0),
         oh.make_node("Softmax", ["m"], ["y"])],
        "g", [oh.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3, 16, 16])],
        [oh.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 8])],
        [onnx.numpy_helper.from_array(weight, "w")])
    contents = oh.make_model(graph, opset_imports=[oh.make_opsetid("", 17)],
                             ir_version=8).SerializeToString()
    x = rng.standard_normal((5, 3, 16, 16)).astype(np.float32)
    [y] = onnxruntime.InferenceSession(contents).run(None, {"x": x})
    return contents, x, y


def test_python_in_debian(debian, model):
    contents, x, y = model
    (debian.root / "work" / "a.onnx").write_bytes(contents)
    np.save(debian.root / "work" / "a.npy", x)
    result = debian("/venv/bin/python", "-c", """if True:
        import importlib.metadata, numpy as np, relay_mlir as rm
        assert rm.__version__ == importlib.metadata.version("relay-mlir")
        x = np.load("work/a.npy")
        rm.compile("work/a.onnx").save("work/b.so")
        np.save("work/aot.npy", rm.load("work/b.so")(x))
        np.save("work/vm.npy", rm.compile("work/a.onnx", executor="vm")(x))
        np.save("work/session.npy", rm.InferenceSession("work/a.onnx").run(None, {"x": x})[0])
        """)
    assert result.returncode == 0, result.stderr
    for name in ("aot", "vm", "session"):
        np.testing.assert_allclose(np.load(debian.root / "work" / f"{name}.npy"), y, rtol=1e-5,
                                   atol=1e-6)


def test_tools_in_debian(debian, model):
    contents, x, y = model
    (debian.root / "work" / "t.onnx").write_bytes(contents)
    np.save(debian.root / "work" / "t.npy", x)
    for command in ("relay-translate --import-onnx work/t.onnx -o work/t.mlir",
                    "relay-opt work/t.mlir --relay-optimize -o work/fused.mlir",
                    "relay-compile work/t.mlir -o work/t.so",
                    "relay-run work/t.so --input x=work/t.npy --output work/ty.npy",
                    "relay-quantize --help", "relay-vta-explore --help"):
        result = debian(*command.split())
        assert result.returncode == 0, (command, result.stderr)
    np.testing.assert_allclose(np.load(debian.root / "work" / "ty.npy"), y, rtol=1e-5, atol=1e-6)
    # What a tool says and returns is what its program does, under its name.
    result = debian("relay-compile", "work/none.onnx", "-o", "work/none.so")
    assert result.returncode == 1 and "work/none.onnx" in result.stderr


def test_what_is_missing_is_said(debian, model):
    """A compiler of C is needed for code of others only; without a linker nothing compiles."""
    (debian.root / "work" / "m.onnx").write_bytes(model[0])
    linker = next(debian.root.glob("venv/lib/*/site-packages/relay_mlir_tools/bin/ld.lld"))
    linker.rename(linker.with_name("ld.none"))
    try:
        result = debian("relay-compile", "work/m.onnx", "-o", "work/m.so")
    finally:
        linker.with_name("ld.none").rename(linker)
    assert result.returncode == 1
    assert "cannot link: expects the linker ld.lld" in result.stderr
    assert "(Debian: package lld-22), but found none" in result.stderr
    tool = linker.with_name("relay-peak")
    tool.rename(tool.with_name("hidden"))
    result = debian("relay-peak")
    tool.with_name("hidden").rename(tool)
    assert result.returncode == 1
    assert re.search("relay-peak: error: cannot run /venv/.*/relay-peak: No such file",
                     result.stderr)


@pytest.mark.skipif(bool(os.environ.get("RELAY_SANITIZE")),
                    reason="the package is not built by what a sanitizer watches")
def test_source_archive(tmp_path):
    """It has all sources, and makes the same wheel."""
    script = "import relay_wheel; print(relay_wheel.build_sdist({!r}))"
    subprocess.run([sys.executable, "-c", script.format(str(tmp_path))], check=True,
                   cwd=ROOT / "python", capture_output=True)
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path)
    top = tmp_path / path.name.removesuffix(".tar.gz")
    for folder in ("include", "lib", "python", "tools", "utils"):
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files", folder], capture_output=True,
                                 text=True).stdout.split()
        for name in tracked:
            assert (top / name).is_file() or not (ROOT / name).is_file(), name
    assert not (top / "test").exists()
    result = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", top, "-B", tmp_path / "build", "-DRELAY_ENABLE_TESTS=OFF",
         f"-DPython3_EXECUTABLE={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"],
        capture_output=True, text=True,
        env={**os.environ, "CC": "clang-22", "CXX": "clang++-22"})
    assert result.returncode == 0, result.stderr
    # Not another 120 MB: what pip asks first.
    result = subprocess.run(
        [sys.executable, "-c",
         "import relay_wheel as w; print(w.prepare_metadata_for_build_wheel('.'), "
         "w.get_requires_for_build_wheel({'build-dir': 'x'}), w.get_requires_for_build_wheel())"],
        cwd=top, capture_output=True, text=True, check=True,
        env={**{name: value for name, value in os.environ.items() if name != "RELAY_BUILD_DIR"},
             "PYTHONPATH": str(top / "python")})
    assert "netron" in result.stdout
    assert 'backend-path = ["python"]' in (top / "pyproject.toml").read_text()
    metadata = next(top.glob("*.dist-info/METADATA")).read_text()
    assert metadata == (top / "PKG-INFO").read_text()


def test_editable(tmp_path):
    """`pip install -e ./python` takes package and tools from the build folder."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    result = run_pip("--python", python, "install", "--no-deps", "--no-build-isolation", "-e",
                     ROOT / "python", RELAY_BUILD_DIR=str(BUILD),
                     PYTHONPATH=str(pathlib.Path(np.__file__).parents[1]))
    assert result.returncode == 0, result.stdout + result.stderr
    result = subprocess.run([tmp_path / "venv" / "bin" / "relay-run", "--version"],
                            capture_output=True, text=True)
    direct = subprocess.run([BUILD / "bin" / "relay-run", "--version"], capture_output=True,
                            text=True)
    assert result.returncode == 0 and result.stdout == direct.stdout


@pytest.mark.parametrize("settings, message", [
    (["build-dir=/nowhere"], "to name a build folder, but '/nowhere' is none"),
    ([f"build-dir={BUILD}", "compression=10"],
     "expects the setting compression to be 0 to 9, but got '10'"),
    (["builddir=x"], "expects the settings build-dir and compression, but got builddir"),
])
def test_wrong_settings(settings, message, tmp_path):
    result = make_wheel(ROOT / "python", tmp_path, *settings)
    assert result.returncode != 0
    assert "relay-mlir: error: expects" in result.stdout + result.stderr
    assert message in result.stdout + result.stderr
    assert not list(tmp_path.iterdir())


def test_folder_of_another_python(tmp_path):
    module = tmp_path / "python_packages" / "relay_mlir" / "_relay_mlir.cpython-36m.so"
    module.parent.mkdir(parents=True)
    module.touch()
    (tmp_path / "CMakeCache.txt").touch()
    result = make_wheel(ROOT / "python", tmp_path / "wheels", f"build-dir={tmp_path}")
    assert "but it has _relay_mlir.cpython-36m.so" in result.stdout + result.stderr
