"""Schedules as files: dumped, edited, compiled with, against NumPy.

Sums of 40 products of floats in [-1, 1] agree to 1e-5 in whatever order.
"""

import os
import pathlib
import re
import subprocess

import numpy as np
import onnx
import pytest
from onnx import helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

MODEL = """
func.func @main(%x: tensor<30x40xf32> {relay.name = "x"}, %w: tensor<24x40xf32> {relay.name = "w"})
    -> (tensor<30x24xf32> {relay.name = "y"}) {
  %0 = relay.nn.dense %x, %w : (tensor<30x40xf32>, tensor<24x40xf32>) -> tensor<30x24xf32>
  %1 = relay.nn.softmax %0 : (tensor<30x24xf32>) -> tensor<30x24xf32>
  return %1 : tensor<30x24xf32>
}
"""


@pytest.fixture()
def model(tmp_path):
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def relay_compile(*arguments, check=True):
    return subprocess.run([BIN / "relay-compile", *arguments], check=check,
                          capture_output=True, text=True)


def run(path):
    rng = np.random.default_rng(3)
    x, w = (rng.uniform(-1, 1, shape).astype(np.float32) for shape in [(30, 40), (24, 40)])
    logits = x.astype(np.float64) @ w.T.astype(np.float64)
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = rm.load(path)(x, w)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    return y


def test_dump_edit_compile(model, tmp_path):
    """The whole loop: the threads go."""
    folder = tmp_path / "schedules"
    relay_compile(model, f"--save-schedules={folder}", f"--cache-dir={tmp_path / 'cache'}",
                  "-o", tmp_path / "rules.so")
    files = sorted(folder.glob("*.mlir"))
    assert len(files) == 2
    relay_compile(model, f"--schedules={folder}", f"--cache-dir={tmp_path / 'cache'}",
                  "-o", tmp_path / "same.so")
    np.testing.assert_array_equal(run(tmp_path / "rules.so"), run(tmp_path / "same.so"))
    for path in files:
        text = path.read_text()
        assert text.startswith("// The kernel before the schedule:\n//\n// tir.prim_func")
        path.write_text(re.sub(r"\n.*transform\.tir\.parallel.*", "", text))
    before = relay_compile(model, "--emit=tir").stdout
    after = relay_compile(model, "--emit=tir", f"--schedules={folder}").stdout
    assert "kind(parallel)" in before
    assert "kind(parallel)" not in after and "tir.schedule" not in after
    # With a cache that knows the kernels under other schedules.
    relay_compile(model, f"--schedules={folder}", f"--cache-dir={tmp_path / 'cache'}",
                  "-o", tmp_path / "edited.so")
    run(tmp_path / "edited.so")


def test_every_factor(model, tmp_path):
    """Whichever factor is edited: the same numbers, or an error that says where.

    Some factors belong together with others, such as that of a layout."""
    path = tmp_path / "all.mlir"
    relay_compile(model, "--emit=schedules", "-o", path)
    text = path.read_text()
    places = list(re.finditer(r"transform\.tir\.split \S+ \[\?, (\d+)\]", text))
    worked = 0
    for place in places:
        path.write_text(text[:place.start(1)] + "5" + text[place.end(1):])
        result = relay_compile(model, f"--schedules={path}", "--no-cache", "-o",
                               tmp_path / "edited.so", check=False)
        if result.returncode == 0:
            run(tmp_path / "edited.so")
            worked += 1
        else:
            assert re.search(r"all.mlir:\d+:\d+: error: cannot apply step \d+, transform\.tir\.\w+, "
                             r"to kernel @\w+: (expects|cannot tensorize)", result.stderr), result.stderr
    assert places and worked


def test_one_file(model, tmp_path):
    """--emit=schedules writes one file, of which a part may be left out."""
    path = tmp_path / "all.mlir"
    relay_compile(model, "--emit=schedules", "-o", path)
    text = path.read_text()
    assert text.count("transform.named_sequence") == 2
    again = relay_compile(model, "--emit=schedules", f"--schedules={path}").stdout
    assert again == text
    first = text.index("  transform.named_sequence", text.index("named_sequence @"))
    path.write_text(text[:first] + "}\n")
    relay_compile(model, f"--schedules={path}", "--no-cache", "-o", tmp_path / "model.so")
    run(tmp_path / "model.so")


@pytest.mark.parametrize("old,new,message", [
    (r"transform\.tir\.get_block @\w+", "transform.tir.get_block @nothing",
     r"cannot apply step 1, transform.tir.get_block, to kernel @\w+: expects a block @nothing"),
    (r"@(\w+)\.schedule", r"@other_\1.schedule", r"there is no kernel @other_\w+"),
    (r"\.schedule\(", "(", "expects a schedule called @<kernel>.schedule"),
    (r"transform\.tir\.get_loops", "transform.tir.get_lops", "get_lops"),
])
def test_errors(model, tmp_path, old, new, message):
    path = tmp_path / "all.mlir"
    relay_compile(model, "--emit=schedules", "-o", path)
    text, count = re.subn(old, new, path.read_text(), count=1)
    assert count
    path.write_text(text)
    result = relay_compile(model, f"--schedules={path}", "--no-cache", "-o",
                           tmp_path / "model.so", check=False)
    assert result.returncode == 1
    assert re.search(message, result.stderr), result.stderr
    assert not (tmp_path / "model.so").exists()


def test_missing_file(model, tmp_path):
    result = relay_compile(model, f"--schedules={tmp_path / 'none'}", "-o",
                           tmp_path / "model.so", check=False)
    assert result.returncode == 1 and "there is no" in result.stderr
    (tmp_path / "empty").mkdir()
    result = relay_compile(model, f"--schedules={tmp_path / 'empty'}", "-o",
                           tmp_path / "model.so", check=False)
    assert result.returncode == 1 and "there are none" in result.stderr


BYTES = """
func.func @main(%x: tensor<128x768xi8>) -> tensor<128x768xi32> {
  %w = relay.constant dense<WEIGHT> : tensor<768x768xi8>
  %0 = relay.nn.dense %x, %w {out_dtype = i32}
      : (tensor<128x768xi8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  return %0 : tensor<128x768xi32>
}
"""


def byte_product(path, weight):
    path.write_text(BYTES.replace("WEIGHT", str(weight)))
    return path


def network(path):
    """A first layer, a deep convolution, pooling, and a large dense layer of one
    row: what has rules of its own."""
    rng = np.random.default_rng(9)

    def weight(name, *shape):
        return onnx.numpy_helper.from_array(
            rng.uniform(-0.1, 0.1, shape).astype(np.float32), name)

    nodes = [
        helper.make_node("Conv", ["x", "w0"], ["c0"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["c0"], ["r0"]),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["c1"], ["s1"]),
        helper.make_node("Mul", ["c1", "s1"], ["m1"]),
        helper.make_node("MaxPool", ["m1"], ["p1"], kernel_shape=[3, 3], strides=[2, 2]),
        helper.make_node("Flatten", ["p1"], ["f1"]),
        helper.make_node("MatMul", ["f1", "w2"], ["d2"]),
        helper.make_node("Softmax", ["d2"], ["y"], axis=-1),
    ]
    graph = helper.make_graph(
        nodes, "network",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 3, 40, 36])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 700])],
        [weight("w0", 64, 3, 3, 3), weight("w1", 96, 64, 3, 3), weight("w2", 96 * 9 * 8, 700)])
    path.write_bytes(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString())
    return path


# The unit of bytes is that of floats, too, where there are matrix units.
@pytest.mark.parametrize("target, precision, unit", [
    ("x86-64-v2", "high", None),
    ("x86-64-v3", "high", "pmaddwd"),
    ("x86-64-v3", "medium", "pmaddwd"),
    ("x86-64-v3,+avxvnni", "high", "vpdpbusd"),
    ("x86-64-v4", "highest", "pmaddwd"),
    ("sapphirerapids", "highest", "amx"),
    ("sapphirerapids", "high", "amx"),
    ("sapphirerapids", "medium", "amx"),
    ("aarch64", "high", None),
    ("aarch64,+dotprod", "high", "dotprod"),
])
def test_what_is_saved_is_what_was_compiled(tmp_path, target, precision, unit):
    """For each kind of processor: the saved schedules give the same bytes, and no
    rule does anything that is not in them."""
    models = [network(tmp_path / "network.onnx"), byte_product(tmp_path / "wide.mlir", 127),
              byte_product(tmp_path / "narrow.mlir", 64)]
    for model in models:
        options = [f"--target={target}", f"--precision={precision}", "--no-cache"]
        folder = tmp_path / model.stem
        relay_compile(model, *options, f"--save-schedules={folder}", "-o", tmp_path / "rules.so")
        relay_compile(model, *options, f"--schedules={folder}", "-o", tmp_path / "read.so")
        assert (tmp_path / "rules.so").read_bytes() == (tmp_path / "read.so").read_bytes()
        text = "".join(path.read_text() for path in folder.glob("*.mlir"))
        units = set(re.findall(r'transform\.tir\.matrix_tiles \S+, "(\w+)"', text))
        has_floats = model.suffix == ".onnx"
        # Sums of two products with weights of -64 to 64 fit 16 bits.
        expected = "pmaddubsw" if unit == "pmaddwd" and model.stem == "narrow" else unit
        assert units == ({expected} if unit and (unit == "amx" or not has_floats) else set())
        assert ("transform.tir.narrow_weights" in text) == (has_floats and precision == "medium")


def save_and_read(model, tmp_path, saved, read, edit: tuple[str, str] | None = None):
    """Compiles with the options `saved`, then from that schedule with `read`; `edit` is a
    pattern in the schedule and what takes its place."""
    path = tmp_path / "schedules.mlir"
    relay_compile(model, *saved, "--emit=schedules", "-o", path)
    if edit:
        path.write_text(re.sub(*edit, path.read_text()))
    (tmp_path / "read.so").unlink(missing_ok=True)
    result = relay_compile(model, *read, f"--schedules={path}", "--no-cache", "-o",
                           tmp_path / "read.so", check=False)
    assert (result.returncode == 0) == (tmp_path / "read.so").exists()
    return result


@pytest.mark.parametrize("saved, read", [
    ("x86-64-v4", "x86-64-v3"), ("x86-64-v3", "aarch64-neoverse-n1"),
    ("sapphirerapids", "x86-64-v4")])
def test_schedule_of_another_target(model, tmp_path, saved, read):
    result = save_and_read(model, tmp_path, [f"--target={saved}"], [f"--target={read}"])
    assert result.returncode == 1
    assert re.search(r"schedules.mlir:\d+:\d+: error: expects a schedule for the target of the "
                     r"kernel, #target.cpu<.*>, but got one for #target.cpu<", result.stderr)
    assert "note: without target.spec, a schedule is for any target that it fits" in result.stderr


def test_schedule_of_any_target(model, tmp_path):
    """A schedule that does not say what it is for is tried. Tiles that the processor
    lacks are an error, not code that cannot run."""
    edit = (r", target\.spec = #target\.cpu<[^>]*>", "")
    result = save_and_read(model, tmp_path, ["--target=x86-64-v3"], ["--target=x86-64-v2"], edit)
    assert result.returncode == 0, result.stderr
    result = save_and_read(byte_product(tmp_path / "bytes.mlir", 3), tmp_path,
                           ["--target=sapphirerapids"], ["--target=x86-64-v3"], edit)
    assert result.returncode == 1
    assert "expects a target with amx-tile" in result.stderr


def test_schedule_of_another_precision(model, tmp_path):
    """Nobody gets less than they ask for."""
    highest, medium = (["--target=x86-64-v3", f"--precision={name}"] for name in ["highest", "medium"])
    result = save_and_read(model, tmp_path, medium, highest)
    assert result.returncode == 1
    assert ("expects a schedule of the precision of the kernel, highest, or higher, but got medium"
            in result.stderr)
    assert save_and_read(model, tmp_path, highest, medium).returncode == 0
