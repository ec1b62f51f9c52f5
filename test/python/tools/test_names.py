"""Names of inputs, outputs and dimensions are any text, or are refused."""

import os
import pathlib
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"


def write_model(path, **names):
    """y = x + x of NxM elements, with bytes in place of the names."""
    x = helper.make_tensor_value_info("xxx", TensorProto.FLOAT, ["NNN", 3])
    y = helper.make_tensor_value_info("yyy", TensorProto.FLOAT, ["NNN", 3])
    graph = helper.make_graph([helper.make_node("Add", ["xxx", "xxx"], ["yyy"])], "g", [x], [y])
    data = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                             ir_version=8).SerializeToString()
    for name, new in names.items():
        assert len(new) == 3
        data = data.replace(name.encode(), new)
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["xxx", "yyy", "NNN"])
@pytest.mark.parametrize("new", [b"a\0b", b"a\xffb", b"\xed\xa0\x80", b"\xc0\x80a"])
def test_names_that_are_no_text(tmp_path, name, new):
    write_model(tmp_path / "model.onnx", **{name: new})
    result = subprocess.run([BIN / "relay-compile", "model.onnx", "-o", "model.so"], cwd=tmp_path,
                            capture_output=True, check=False)
    assert result.returncode == 1
    assert b"error: " in result.stderr and b"UTF-8" in result.stderr
    assert not (tmp_path / "model.so").exists()
    with pytest.raises(Exception, match="UTF-8"):
        rm.compile(tmp_path / "model.onnx")


@pytest.mark.parametrize("new", ["\u20ac", "a\"b", "\n\t ", "a=b", "%d ", "../"])
def test_names_that_are_text(tmp_path, new):
    text = new.encode()
    write_model(tmp_path / "model.onnx", xxx=text, NNN=text)
    model = rm.compile(tmp_path / "model.onnx")
    assert [(each.name, tuple(each.shape)) for each in model.inputs] == [(new, (new, 3))]
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(model(**{new: data}), data + data)


def test_names_that_are_given_twice(tmp_path):
    (tmp_path / "model.mlir").write_text("""
func.func @main(%x: tensor<2xf32> {relay.name = "a"}, %y: tensor<2xf32> {relay.name = "a"})
    -> tensor<2xf32> {
  %0 = relay.add %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
""")
    result = subprocess.run([BIN / "relay-compile", "model.mlir", "-o", "model.so"], cwd=tmp_path,
                            capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "expects names that differ, but got 'a' for input 0 and input 1" in result.stderr
