# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the programs in utils/ that they must refuse: an error of the command
line, exit status 2 and no traceback."""

import itertools
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils"))
import option_types  # noqa: E402

# What is wrong with the arguments of each, apart from options that it does not have.
REFUSED = {
    "random_graphs/random_graphs.py": [
        (["--seeds=5:3"], "expects seeds as first:last, from 0 on and the first below"),
        (["--seeds=-3:5"], "but got '-3:5'"), (["--seeds=-1"], "but got '-1'"),
        (["--seeds=a:b"], "but got 'a:b'"), (["--seeds=1:2:3"], "but got '1:2:3'"),
        (["--seeds="], "but got ''"), (["--seeds=:5"], "but got ':5'"),
        (["--jobs=0"], "expects a positive number, but got '0'"),
        (["--limit=0"], "expects a positive number of seconds, but got '0'"),
        (["--seconds=nan"], "but got 'nan'"), (["--seconds=-1"], "but got '-1'"),
        (["--output={file}/out"], "expects a folder that can be made"),
    ],
    "benchmark/ablation.py": [
        (["--threads=0"], "expects a positive number, but got '0'"),
        (["--turn=-1"], "expects a positive number of seconds, but got '-1'"),
        (["nope"], "expects a model of utils/models/build.py, or a file, but got 'nope'"),
    ],
    "benchmark/compile_time.py": [
        (["no-such.onnx"], "expects a file that exists, but got 'no-such.onnx'"),
        (["--seeds=-1"], "expects a positive number, but got '-1'"),
        (["--lengths=10,,20"], "expects positive numbers, separated by commas"),
        (["--lengths=ten"], "but got 'ten'"), (["--lengths=0"], "but got '0'"),
    ],
    "benchmark/benchmark.py": [
        (["--threads=1,0"], "expects numbers of threads from 1 to 1024, but got '1,0'"),
        (["--turn=-1"], "expects a positive number of seconds, but got '-1'"),
        (["--output={file}"], "expects a folder that can be made"),
    ],
    "benchmark/few_bits.py": [
        (["--rows=0"], "expects positive numbers, separated by commas, but got '0'"),
        (["--blocks=48"], "expects blocks that are powers of two from 16 on and divide 4096"),
        (["--size=100"], "divide 100, but got 32"), (["--turn=0"], "but got '0'"),
    ],
    "benchmark/onnx_operators.py": [
        (["--sizes=huge"], "expects sizes of small, medium, large, but got 'huge'"),
        (["--rounds=0"], "but got '0'"), (["--turn=-1"], "but got '-1'"),
        (["--only=nope"], "expects a part of the name of a case, but got 'nope'"),
    ],
    "benchmark/programs.py": [
        (["--only=speed"], "invalid choice: 'speed'"), (["--rounds=0"], "but got '0'"),
        (["--models=mlp,nope"], "expects models, some of bert_base, "),
        (["--sizes=64,"], "expects positive numbers, separated by commas"),
    ],
    "benchmark/quantization.py": [
        (["--batch=1,x"], "expects positive numbers, separated by commas, but got '1,x'"),
        (["--turn=-1"], "expects a positive number of seconds, but got '-1'"),
        (["nope"], "expects int8, or some of bert_base"),
    ],
    "benchmark/regions.py": [
        (["resnet18", "--threads=0"], "expects a positive number, but got '0'"),
        (["resnet18", "--turn=-1"], "expects a positive number of seconds, but got '-1'"),
        (["nope"], "expects a model of utils/models/build.py, or a file, but got 'nope'"),
    ],
    "benchmark/sharing.py": [
        (["--only=crowd"], "expects situations, some of alone, "),
        (["--turn=inf"], "but got 'inf'"), (["--threads=x"], "but got 'x'"),
        (["--output=no/such/file"], "expects a file in a folder that exists"),
    ],
    "benchmark/vta.py": [(["nope"], "expects networks of ResNet-18, ")],
    "benchmark/vta_layers.py": [
        (["C99"], "expects layers of C2, "), (["--config=x"], "expects --config as '1x16_"),
        (["C2", "--pools"], "expects --pools or layers, but got both"),
    ],
    "gpu/prepare.py": [
        (["{file}"], "expects a new folder, but got '"), ([], "required: folder"),
    ],
    "sweep.py": [
        (["--build=no-such"], "expects a folder of a build"),
        (["--models=mlp,nope"], "expects models, some of bert_base, "),
        (["--threads=1,two"], "but got '1,two'"), (["--repeat=0"], "but got '0'"),
        (["--timeout=0"], "but got '0'"), (["--seconds=soon"], "but got 'soon'"),
        (["--log=no/such/log"], "expects a file in a folder that exists"),
    ],
    "models/build.py": [
        (["mlp", "--batch=0"], "expects a positive number, but got '0'"),
        (["mlp", "--batch=many"], "but got 'many'"),
        (["mlp", "--seed=-1"], "expects a number that is not negative, but got '-1'"),
        (["mlp", "-o", "no/such/model.onnx"], "expects a file in a folder that exists"),
        (["nope"], "invalid choice: 'nope'"), ([], "expects a model; --list names them"),
    ],
    "models/exports.py": [
        ([], "required: command"), (["check", "no-such"], "expects a folder that exists"),
        (["make", "new", "--limit=0"], "expects a positive number, but got '0'"),
        (["make", "{file}/new"], "expects a folder that can be made"),
        (["make", "new", "--only", "layers-*", "nope"], "expects names of models, but 'nope' is none"),
        (["check", ".", "--levels", "9"], "invalid choice: 9"),
    ],
    "docs/operator_page.py": [(["--build=no-such"], "expects a folder of a build")],
    "docs/excerpts.py": [(["--build=no-such"], "expects a folder of a build")],
    "docs/precision.py": [],
    "docs/onnx_page.py": [],
    "docs/passes_page.py": [],
    "docs/vta_page.py": [],
    "docs/rewrites_page.py": [],
    "onnx_schemas.py": [],
    "models/trained.py": [],
    "summarize.py": [([], "required: folder"), (["no-such"], "expects a folder that exists")],
    "sanitizer/reports.py": [
        (["no-such"], "expects a folder that exists"),
        ([".", "--junit=no/such/file"], "expects a file in a folder that exists"),
    ],
    "lint/lint.py": [(["--junit=no/such/file"], "expects a file in a folder that exists")],
    "lint/tidy.py": [(["no-such.cpp"], "expects a file that exists")],
}
FOLDERS = {"models/exports.py": ["list"], "benchmark/regions.py": ["mlp"], "gpu/prepare.py": ["new"], "summarize.py": ["."], "sanitizer/reports.py": ["."]}
CASES = [(program, *case) for program, cases in REFUSED.items() for case in [
    ([*FOLDERS.get(program, []), "--no-such-option"], "unrecognized arguments"), *cases]]


def test_programs_are_all_here():
    """But for what CMake or another one of them runs."""
    programs = {path.relative_to(ROOT / "utils").as_posix()
                for path in (ROOT / "utils").rglob("*.py")
                if '__name__ == "__main__"' in path.read_text(encoding="utf-8")}
    assert programs - {"operator_schema.py", "vta_instruction_set.py", "benchmark/peers.py"} == REFUSED.keys()


@pytest.mark.parametrize("program,arguments,message", CASES)
def test_refused(program, arguments, message, tmp_path):
    (tmp_path / "file").touch()
    arguments = [text.format(file=tmp_path / "file") for text in arguments]
    result = subprocess.run([sys.executable, ROOT / "utils" / program, *arguments], cwd=tmp_path,
                            capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 2, result.stderr
    assert message in result.stderr and "error: " in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_compile_time_of_what_is_no_model(tmp_path):
    (tmp_path / "model.onnx").write_text("no model")
    build = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve()
    result = subprocess.run(
        [sys.executable, ROOT / "utils" / "benchmark" / "compile_time.py", "model.onnx"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PATH": f"{build / 'bin'}:{os.environ['PATH']}"})
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and "'model.onnx'" in result.stderr


def test_seeds():
    assert option_types.seeds("3:5") == range(3, 5)
    assert option_types.seeds("7") == range(7, 8)
    assert list(itertools.islice(option_types.seeds("4:"), 2)) == [4, 5]
