"""utils/gpu: a folder for a machine with a GPU, prepared and used here for the processor."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "gpu"))
import pack  # noqa: E402

BUILD = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()


def prepare(folder, *arguments):
    return subprocess.run([ROOT / "utils/gpu/prepare.sh", folder, *arguments],
                          capture_output=True, text=True, check=False)


def check(folder, *arguments, path=None):
    environment = {**os.environ, **({"PATH": f"{path}:{os.environ['PATH']}"} if path else {})}
    return subprocess.run([folder / "check.sh", *arguments], capture_output=True, text=True,
                          check=False, env=environment)


@pytest.fixture(name="folder", scope="module")
def prepare_folder(tmp_path_factory):
    """One with the smallest models; sums that are benchmarked too are among them."""
    folder = tmp_path_factory.mktemp("gpu") / "folder"
    result = prepare(folder, "--only", "[dr][qe][nl]*", "--target", "native")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "check relu(x*a+b) 100003: compiled" in result.stdout
    return folder


def test_a_folder_needs_no_compiler(folder):
    libraries = sorted(path.name for path in (folder / "lib").iterdir())
    assert {"libRelayRuntime.so.0.1", "librelay_device_cuda.so"} < set(libraries)
    assert not [name for name in libraries if "LLVM" in name or "MLIR" in name]
    listing = subprocess.run(["ldd", folder / "bin" / "relay-exec"], capture_output=True, text=True,
                             check=True, env={"LD_LIBRARY_PATH": str(folder / "lib")}).stdout
    assert "not found" not in listing and "LLVM" not in listing


def test_models_are_compared_and_timed(folder, tmp_path):
    # What compute-sanitizer says is its last line.
    tool = tmp_path / "compute-sanitizer"
    tool.write_text("#!/bin/sh\n[ $1 = --tool ] || exit 3\nkind=$2\nshift 4\n"
                    '"$@"\nstatus=$?\necho "$kind says nothing"\nexit $status\n')
    tool.chmod(0o755)
    result = check(folder, path=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    rows = result.stdout.splitlines()
    assert re.search(r"^check +dqn +right: error [0-9.e-]+, bound 0.0001; median of \d+ runs",
                     result.stdout, re.M), result.stdout
    assert re.search(r"^sanitize +dqn +memcheck: memcheck says nothing  racecheck: racecheck says "
                     "nothing", result.stdout, re.M)
    start = next(i for i, row in enumerate(rows) if row.startswith("benchmark  relu(x*a+b) 33554432"))
    assert "median of" in rows[start] and "GB/s" in rows[start + 1]
    assert re.match(r" +fused_\w+ +cpu:0 +1 ", rows[start + 2])
    assert re.fullmatch(r"7 rows, 0 wrong, \d+ seconds", rows[-1])


@pytest.fixture(name="checks")
def leave_checks(folder):
    """The folder with checks alone, which take little time."""
    path = folder / "list.txt"
    rows = path.read_text()
    path.write_text("".join(row for row in rows.splitlines(True) if row.startswith("check ")))
    yield folder
    path.write_text(rows)


def test_a_wrong_result_is_found(checks):
    path = checks / "models" / "dqn.out0"
    right = path.read_bytes()
    path.write_bytes(bytes(4) + right[4:])
    try:
        result = check(checks)
    finally:
        path.write_bytes(right)
    assert result.returncode == 1
    assert re.search(r"^check +dqn +WRONG: wrong: output '\w+' has -?[0-9.]+ instead of 0.0+ at "
                     r"element 0 \(error", result.stdout, re.M), result.stdout
    assert "0 wrong" not in result.stdout


def test_a_model_that_fails_is_found(checks):
    path = checks / "models" / MODEL
    right = path.read_bytes()
    path.write_bytes(right[:-1])
    try:
        result = check(checks)
    finally:
        path.write_bytes(right)
    assert result.returncode == 1
    assert re.search(r"^check +relu\(x\*a\+b\) 100003 +WRONG: error: ", result.stdout, re.M)


def test_no_time_is_told(folder):
    result = check(folder, "--seconds", "0")
    assert result.returncode == 1
    assert len(re.findall("not run: no time is left", result.stdout)) >= 3
    assert check(folder, "--second").returncode == 2


def test_what_is_not_compiled_is_a_row(tmp_path):
    folder = tmp_path / "folder"
    result = prepare(folder, "--only", "dqn", "--target", "no-such-processor")
    assert result.returncode == 1 and "1 could not be compiled" in result.stderr
    result = check(folder)
    assert result.returncode == 1
    assert re.search(r"^failed +dqn +.*no-such-processor", result.stdout, re.M), result.stdout


def test_wrong_arguments_are_told(tmp_path):
    result = prepare(tmp_path)
    assert result.returncode == 2 and "expects a new folder" in result.stderr
    result = prepare(tmp_path / "new", "--only", "nothing")
    assert result.returncode == 2 and "expects a pattern that a case matches" in result.stderr


#===-----------------------------------------------------------------------===#
# relay-exec
#===-----------------------------------------------------------------------===#


# It is short enough not to be packed.
MODEL = "relu_x_a_b_100003.so"


def run_exec_in(folder, *arguments):
    return subprocess.run([BUILD / "bin" / "relay-exec", *arguments], cwd=folder,
                          capture_output=True, text=True, check=False)


def run_exec(folder, *arguments):
    return run_exec_in(folder / "models", *arguments)


@pytest.mark.parametrize("line, message", [
    ("input nobody 1x2 file", "expects a tensor of the model, but got 'nobody'"),
    ("output", "expects 'input <name> <dims> <file>' or"),
    ("input x 1xx4 file", "expects dims such as 1x3x224x224, but got '1xx4'"),
    ("input x 1x4 nowhere", "cannot read 'nowhere'"),
    ("", "expects 'input <name>"),
    ("output y 100003 nowhere 1e-4", "cannot read 'nowhere'"),
    ("output y 100003 wrong.case 1e-4", "expects 400012 bytes in 'wrong.case', but got 32"),
])
def test_wrong_cases_are_told(folder, tmp_path, line, message):
    path = tmp_path / "wrong.case"
    path.write_text(line + "\n")
    result = run_exec(folder, MODEL, path)
    assert result.returncode == 1
    assert message in result.stderr.replace(str(tmp_path) + "/", ""), result.stderr


@pytest.mark.parametrize("arguments, message", [
    ([], "expects a model; --help says more"),
    ([MODEL, "--repeat=0"], "expects a number above 0 for --repeat, but got '0'"),
    ([MODEL, "--fast"], "expects an option of --help, but got '--fast'"),
    ([MODEL, "a", "b"], "expects a model and a case, but got 'b' too"),
    (["dqn.case"], "dqn.case: error: "),
])
def test_wrong_options_are_told(folder, arguments, message):
    result = run_exec(folder, *arguments)
    assert result.returncode == 1 and message in result.stderr, result.stderr


@pytest.mark.parametrize("count", [0, 1, 3, 4096 * 4, 4096 * 4 + 1, 100003])
@pytest.mark.parametrize("kinds", [1, 2, 3, 5, 16, 17, 256, 257, 1 << 31])
def test_packed_files_are_what_they_were(tmp_path, count, kinds):
    random = np.random.default_rng(count + kinds)
    values = random.integers(0, 1 << 32, min(kinds, 1000), np.uint32)
    data = random.choice(values, count // 4 + 1).tobytes()[:count]
    (tmp_path / "model").write_bytes(data)
    pack.pack(tmp_path / "model", tmp_path / "packed")
    result = run_exec_in(tmp_path, "--unpack", "packed", "unpacked")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "unpacked").read_bytes() == data
    if count == 100003 and kinds <= 16:
        assert (tmp_path / "packed").stat().st_size < count / 5


def test_damaged_packed_files_are_told(tmp_path):
    (tmp_path / "model").write_bytes(bytes(100000))
    pack.pack(tmp_path / "model", tmp_path / "packed")
    data = (tmp_path / "packed").read_bytes()
    for damaged, message in [
            (data[:-1], "expects more in 'packed'"), (b"", "expects more in 'packed'"),
            (data[:15], "expects more in 'packed'"),
            (b"x" + data[1:], "expects a packed file, but got 'packed'"),
            (data[:21] + b"\3" + data[22:], "expects words of 1, 2, 4, 8 or 32 bits in 'packed', but got 3")]:
        (tmp_path / "packed").write_bytes(damaged)
        result = run_exec_in(tmp_path, "--unpack", "packed", "unpacked")
        assert result.returncode == 1 and message in result.stderr, result.stderr
    result = run_exec_in(tmp_path, "--unpack", "nowhere", "unpacked")
    assert result.returncode == 1 and "cannot read 'nowhere'" in result.stderr
    result = run_exec_in(tmp_path, "--unpack", "packed")
    assert result.returncode == 1 and "expects a packed file and a new one" in result.stderr


def test_help_names_all_options(folder):
    result = run_exec(folder, "--help")
    assert result.returncode == 0
    for option in ("--benchmark", "--profile", "--repeat", "--seconds", "--name", "--unpack"):
        assert option in result.stdout
