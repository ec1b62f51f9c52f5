"""Time of passes grows in proportion to the number of operators.

What is measured is the time that the processor spends on a run of relay-opt, which
other programs on the machine change little.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import large_graphs  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
RELAY_OPT = pathlib.Path(os.environ.get("RELAY_BUILD_DIR", ROOT / "build")) / "bin" / "relay-opt"

PIPELINES = {
    "optimize": "relay-optimize{opt-level=3 target=x86-64-v3}",
    "combine": "func.func(relay-combine-parallel-conv2d,relay-combine-parallel-op-batch{op=exp "
               "batch-op=exp min-num-branches=2})",
    "defuse": "relay-fuse-ops,relay-label-ops,relay-defuse-ops",
    "fold": "func.func(relay-fold-explicit-padding,relay-flatten-atrous-conv,"
            "relay-fold-scale-axis,relay-fold-constant)",
    "layout": "func.func(relay-convert-layout{desired-layouts=NHWC})",
    "mixed": "relay-to-mixed-precision",
    "rest": "func.func(relay-canonicalize-cast,relay-split-args{max-function-args=4},"
            "relay-legalize,relay-simplify-inference),cse,relay-dead-code",
    "normal forms": "relay-to-a-normal-form,relay-to-graph-normal-form",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")

    def make(kind, size):
        path = folder / f"{kind}{size}.mlir"
        if not path.exists():
            path.write_text(large_graphs.write(kind, size))
        return path

    return make


def seconds(path, pipeline):
    """The processor's time for a pipeline, without reading and writing the program."""
    command = [RELAY_OPT, path, f"--pass-pipeline=builtin.module({pipeline})",
               "--mlir-disable-threading", "-o", os.devnull]
    times = []
    for arguments in (command, [RELAY_OPT, path, "--mlir-disable-threading", "-o", os.devnull]):
        process = subprocess.Popen(arguments)  # pylint: disable=consider-using-with
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        times.append(usage.ru_utime)
    return max(times[0] - times[1], 0.0)


@pytest.mark.parametrize("kind", large_graphs.KINDS)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_time_grows_linearly(program, pipeline, kind):
    # Four times is linear, sixteen times quadratic. Some hundredths of a second are
    # nothing that can be compared; and whoever else is at work may disturb once.
    def factor():
        before = seconds(program(kind, 4_000), PIPELINES[pipeline])
        return seconds(program(kind, 16_000), PIPELINES[pipeline]) / max(before, 0.05)

    assert any(factor() < 8 for _ in range(3))


def write_functions(path, number):
    """Functions each of which calls the next one."""
    lines = []
    for i in range(number):
        lines.append(
            f"func.func {'private @f' + str(i) if i else '@main'}(%x: tensor<4xf32>) "
            f"-> tensor<4xf32> {{\n  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>")
        if i + 1 != number:
            lines.append(f"  %1 = relay.call @f{i + 1}(%0) : (tensor<4xf32>) -> tensor<4xf32>")
        lines.append(f"  return %{int(i + 1 != number)} : tensor<4xf32>\n}}")
    path.write_text("\n".join(lines))
    return path


def test_inlining_grows_linearly(tmp_path):
    """Bodies are copied once, however many functions are around them."""
    small = write_functions(tmp_path / "small.mlir", 1_000)
    large = write_functions(tmp_path / "large.mlir", 4_000)
    pipeline = "relay-inline-functions{all}"

    def factor():
        return seconds(large, pipeline) / max(seconds(small, pipeline), 0.05)

    assert any(factor() < 8 for _ in range(3))


def test_deep_programs_in_python(program):
    """Twenty thousand operators, one after another, through expressions of Python."""
    from relay_mlir import relay
    from relay_mlir.relay import transform

    x = relay.var("x", shape=(4,))
    y: relay.Expr = x
    for _ in range(20_000):
        y = relay.nn.relu(y)
    mod = relay.IRModule.from_expr(relay.Function([x], y))
    passes = [transform.FoldExplicitPadding(), transform.FoldScaleAxis(),
              transform.CanonicalizeCast(), transform.CombineParallelDense(),
              transform.ToMixedPrecision(), transform.Legalize(), transform.AlterOpLayout(),
              transform.FuseOps(), transform.DefuseOps()]
    with transform.PassContext(opt_level=4):
        after = transform.Sequential(passes)(mod)
    assert relay.analysis.list_op_freqs(after)["nn.relu"] == 20_000
    assert re.fullmatch(r"[a-z0-9]+", after["main"].body.checked_type.dtype)
