"""Artefacts that are damaged or change, and compilers that are interrupted."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import onnx
import pytest

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402

BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"


def run_program(text, *arguments, **environment):
    """Runs a Python program of its own, which must not die, and returns its output."""
    result = subprocess.run([sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)],
                            env={**os.environ, **environment}, capture_output=True, text=True,
                            timeout=600, check=False)
    assert result.returncode == 0, (result.returncode, result.stdout, result.stderr)
    return result.stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A model with weights, and a dynamic size."""
    folder = tmp_path_factory.mktemp("artefacts")
    weights = np.random.default_rng(0).standard_normal((16, 16)).astype(np.float32)
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 16])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 16])],
        [onnx.numpy_helper.from_array(weights, "w")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)],
                                   ir_version=8)
    onnx.save(model, str(folder / "small.onnx"))
    rm.emit(folder / "small.onnx", folder / "small.so", "so")
    return folder / "small.so", weights


# Every byte of the file, weights included, and every bit of the first ones.
FLIP = """
    import os, random, sys
    import relay_mlir as rm
    data = bytearray(open(sys.argv[1], "rb").read())
    generator = random.Random(0)
    file = os.memfd_create("damaged.so")
    damaged = f"/proc/self/fd/{file}"

    def is_refused():
        os.ftruncate(file, len(data))
        os.pwrite(file, data, 0)
        try:
            rm.load(damaged)
            return False
        except rm.RuntimeError as error:
            assert damaged in str(error), error
            return True

    assert not is_refused()
    for i in range(len(data)):
        bits = range(8) if i < 640 else [generator.randrange(8)]
        for bit in bits:
            data[i] ^= 1 << bit
            assert is_refused(), (i, bit)
            data[i] ^= 1 << bit
    assert not is_refused()
    whole = data
    for size in [*range(0, len(whole), 61), len(whole) - 1]:
        data = whole[:size]
        assert is_refused(), size
    print("refused", len(whole))
"""


def test_flipped_bits_and_truncations(small):
    assert run_program(FLIP, small[0]).startswith("refused ")


def test_file_that_changes_while_in_use(small, tmp_path):
    path, weights = small
    copy = tmp_path / "copy.so"
    copy.write_bytes(path.read_bytes())
    model = rm.load(copy)
    x = np.ones((3, 16), np.float32)
    expected = model(x)
    np.testing.assert_allclose(expected, x @ weights, rtol=1e-4, atol=1e-4)
    with open(copy, "r+b") as file:
        file.write(b"\xcc" * copy.stat().st_size)
    np.testing.assert_array_equal(model(x), expected)
    os.truncate(copy, 0)
    np.testing.assert_array_equal(model(x), expected)
    copy.unlink()
    np.testing.assert_array_equal(model(x), expected)
    model.verify()


def test_weights_that_are_mapped(small, tmp_path):
    path, weights = small
    model = rm.load(path, map_weights=True)
    model.verify()
    x = np.ones((3, 16), np.float32)
    np.testing.assert_allclose(model(x), x @ weights, rtol=1e-4, atol=1e-4)
    # They are the end of the file.
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    copy = tmp_path / "damaged.so"
    copy.write_bytes(damaged)
    with pytest.raises(rm.RuntimeError, match="checksum of its weights is wrong"):
        rm.load(copy)
    with pytest.raises(rm.RuntimeError, match="checksum of the weights of '.*' is wrong"):
        rm.load(copy, map_weights=True).verify()


def test_verify_on_the_command_line(small, tmp_path):
    path, _ = small
    result = subprocess.run([BIN / "relay-run", path, "--verify"], capture_output=True, text=True,
                            check=True)
    assert result.stdout == "code, tables and 1024 bytes of weights are as compiled\n"
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "damaged.so").write_bytes(damaged)
    for options in (["--verify"], ["--verify", "--map-weights"], []):
        result = subprocess.run([BIN / "relay-run", tmp_path / "damaged.so", *options],
                                capture_output=True, text=True, check=False)
        assert result.returncode == 1 and "error: " in result.stderr
        assert "weights" in result.stderr and "damaged" in result.stderr


def test_saved_models_are_whole(small, tmp_path):
    path, _ = small
    model = rm.compile(path.with_suffix(".onnx"))
    model.save(tmp_path / "saved.so")
    model.save(tmp_path / "saved.so")
    rm.load(tmp_path / "saved.so").verify()
    assert sorted(os.listdir(tmp_path)) == ["saved.so"]
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "no" / "saved.so")


def test_pipes_and_folders_are_refused(tmp_path):
    pipe = tmp_path / "pipe.so"
    os.mkfifo(pipe)
    for path, text in ((pipe, "a pipe"), (tmp_path, "a folder"), ("/dev/zero", "a device")):
        with pytest.raises(rm.RuntimeError, match=f"expects a file, but got {text}"):
            rm.load(path)


# What a library that Python loads must not touch.
PROCESS = """
    import os, re, sys
    import relay_mlir as rm

    def get_caught():
        # 32 and 33 are the C library's own, for its threads.
        caught = re.search("SigCgt:(.*)", open("/proc/self/status").read()).group(1)
        return int(caught, 16) & ~(3 << 31)

    before, folder = get_caught(), os.listdir(os.environ["TMPDIR"])
    model = rm.compile(sys.argv[1], cache=False)
    model.save(sys.argv[2])
    rm.load(sys.argv[2])
    for kind in ("relay", "relax", "tir", "llvm", "asm", "obj"):
        rm.emit(sys.argv[1], sys.argv[2] + "." + kind, kind)
    rm.compile(sys.argv[1], cache_dir=sys.argv[2] + ".cache")
    assert get_caught() == before, (before, get_caught())
    assert os.listdir(os.environ["TMPDIR"]) == folder
"""


def test_signals_and_temporary_files_of_the_process(small, tmp_path):
    (tmp_path / "empty").mkdir()
    run_program(PROCESS, small[0].with_suffix(".onnx"), tmp_path / "out.so",
                TMPDIR=str(tmp_path / "empty"))
    # None are made, so that nobody needs a folder for them.
    os.rmdir(tmp_path / "empty")
    subprocess.run([BIN / "relay-compile", small[0].with_suffix(".onnx"), "-o", "a.so"],
                   cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path / "empty")}, check=True)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_interrupted_compiler_leaves_nothing(tmp_path, number):
    onnx.save(build.build("mlp"), str(tmp_path / "model.onnx"))
    environment = {**os.environ, "TMPDIR": str(tmp_path), "RELAY_CACHE_DIR": str(tmp_path / "c")}
    command = [str(BIN / "relay-compile"), "model.onnx", "-o", "out.so"]
    start = time.monotonic()
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    duration = time.monotonic() - start
    generator = random.Random(int(number))
    for _ in range(15):
        (tmp_path / "out.so").unlink(missing_ok=True)
        process = subprocess.Popen(command, cwd=tmp_path, env=environment,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(generator.uniform(0, duration))
        # As a terminal does, to the linker as well.
        os.killpg(process.pid, number)
        process.wait(timeout=60)
        left = {path.name for path in tmp_path.iterdir()} - {"model.onnx", "c"}
        assert left <= {"out.so"}
        if left:
            rm.load(tmp_path / "out.so")
    assert not [name for name in os.listdir(tmp_path / "c") if "tmp" in name]


def test_linker_that_is_missing(small, tmp_path, monkeypatch):
    model = small[0].with_suffix(".onnx")
    monkeypatch.setenv("RELAY_LINKER", "/no/such/linker")
    message = ("cannot link: expects RELAY_LINKER to be the linker ld.lld, but "
               "'/no/such/linker' is no program")
    with pytest.raises(rm.CompileError, match=message):
        rm.compile(model)
    result = subprocess.run([BIN / "relay-compile", model, "-o", "out.so"], cwd=tmp_path,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1 and message in result.stderr
    assert not list(tmp_path.iterdir())
