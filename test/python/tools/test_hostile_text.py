"""Programs that are nested too deep or ask for too much get an error, soon."""

import os
import pathlib
import subprocess

import language_client
import pytest

import relay_mlir as rm
from relay_mlir import relay

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"


def run(folder, *command):
    """A limit of time that only what never ends comes near."""
    return subprocess.run([BIN / command[0], *command[1:]], cwd=folder, timeout=100,
                          capture_output=True, text=True, check=False)


def fail(folder, *command):
    result = run(folder, *command)
    assert result.returncode == 1, (result.returncode, result.stderr[-1000:])
    assert "error: " in result.stderr
    return result.stderr


NESTED = {
    "modules": lambda n: "module {" * n + "}" * n,
    "arrays": lambda n: "module attributes {t.a = " + "[" * n + "]" * n + "} {}",
    "types": lambda n: "func.func private @f(" + "tuple<" * n + "f32" + ">" * n + ")",
    "functions": lambda n: "func.func private @f(" + "() -> (" * n + "f32" + ")" * n + ")",
    "affine": lambda n: "#m = affine_map<(d0) -> (" + "(" * n + "d0" + ")" * n + ")>",
    "signs": lambda n: "#m = affine_map<(d0) -> (" + "- " * n + "d0)>",
    "aliases": lambda n: "!t0 = f32\n" + "".join(
        f"!t{i + 1} = tuple<!t{i}>\n" for i in range(n)) + f"func.func private @f(!t{n})",
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("tool", [["relay-opt"], ["relay-compile", "--emit=relay"], ["relay-run"],
                                  ["relay-translate", "--export-relay"]])
def test_deep_text(tmp_path, kind, tool):
    (tmp_path / "deep.mlir").write_text(NESTED[kind](100000))
    text = fail(tmp_path, *tool, "deep.mlir")
    assert "deep.mlir:" in text and "expects at most 2000 levels of nesting" in text


@pytest.mark.parametrize("kind", NESTED)
def test_deep_text_in_python(kind):
    with pytest.raises(rm.CompileError, match="expects at most 2000 levels of nesting"):
        rm.IRModule.parse(NESTED[kind](100000))


@pytest.mark.parametrize("kind", sorted(set(NESTED) - {"arrays"}))
def test_text_that_is_not_too_deep(tmp_path, kind):
    (tmp_path / "deep.mlir").write_text(NESTED[kind](1900))
    result = run(tmp_path, "relay-opt", "deep.mlir")
    assert result.returncode == 0, result.stderr[-1000:]


UNALIGNED = """%c = relay.constant dense_resource<c> : tensor<f32>
{-#
  dialect_resources: {
    builtin: {
      c: "0x000000000000C03F"
    }
  }
#-}
"""


@pytest.mark.parametrize("tool", [["relay-opt"], ["relay-compile", "--emit=relay"], ["relay-run"],
                                  ["relay-translate", "--export-relay"]])
def test_resource_aligned_to_nothing(tmp_path, tool):
    """MLIR's parser ends the process where it gets no memory."""
    (tmp_path / "model.mlir").write_text(UNALIGNED)
    text = fail(tmp_path, *tool, "model.mlir")
    assert ("model.mlir:5:10: error: expects an alignment of a power of two in the first 4 bytes "
            "of a resource, but got 0") in text


def test_resource_aligned_to_nothing_in_python():
    with pytest.raises(rm.CompileError, match="expects an alignment of a power of two"):
        rm.IRModule.parse(UNALIGNED)


def serve(text):
    """What the language server says about a document."""
    return language_client.ask([BIN / "relay-lsp-server"], "file:///deep.mlir", text).diagnostics


@pytest.mark.parametrize("kind", NESTED)
def test_deep_text_in_an_editor(kind):
    diagnostics = serve(NESTED[kind](100000))
    assert [each["message"] for each in diagnostics] == [
        "expects at most 2000 levels of nesting"]


@pytest.mark.parametrize("kind", NESTED)
def test_text_in_an_editor_that_is_not_too_deep(kind):
    assert not serve(NESTED[kind](1900))


def test_what_is_not_nesting(tmp_path):
    """Brackets in strings and comments, arrows, comparisons, and many aliases."""
    (tmp_path / "flat.mlir").write_text(
        "// " + "(" * 5000 + "\n" + 'module attributes {t.a = "' + "[" * 5000 + '"} {\n'
        + "func.func private @f(f32) -> f32\n" + "".join(
            f"func.func private @f{i}(f32) -> f32 attributes {{t.s = affine_set<(d0) : "
            "(d0 >= 0, d0 - 3 <= 0)>}\n" for i in range(3000)) + "}\n")
    result = run(tmp_path, "relay-opt", "flat.mlir")
    assert result.returncode == 0, result.stderr[-1000:]


RELAY = '#[version = "0.0.5"]\n'


@pytest.mark.parametrize("shape,message", [
    (", ".join(["1"] * 3000), "expects tensors of at most 64 dimensions, but got 3000"),
    ("16777216, 16777216", "bytes, but got Tensor[(16777216, 16777216), float32]"),
])
def test_types_that_cannot_be(tmp_path, shape, message):
    text = f"{RELAY}def @main(%x: Tensor[({shape}), float32]) {{\n  exp(%x)\n}}\n"
    (tmp_path / "large.relay").write_text(text)
    for tool in (["relay-compile", "--emit=relay"], ["relay-run"],
                 ["relay-translate", "--import-relay"]):
        error = fail(tmp_path, *tool, "large.relay")
        assert "large.relay:2:15: error: " in error and message in error
    with pytest.raises(Exception, match="expects tensors of at most"):
        relay.parse(text)


def test_types_that_cannot_be_in_mlir(tmp_path):
    shape = "1x" * 3000 + "f32"
    (tmp_path / "rank.mlir").write_text(
        f"func.func @main(%x: tensor<{shape}>) -> tensor<{shape}> {{\n"
        f"  %0 = relay.exp %x : (tensor<{shape}>) -> tensor<{shape}>\n"
        f"  return %0 : tensor<{shape}>\n}}\n")
    for tool in (["relay-compile", "--emit=relay"], ["relay-run"],
                 ["relay-opt", "--relay-infer-types"]):
        assert "expects tensors of at most 64 dimensions, but got 3000" in fail(
            tmp_path, *tool, "rank.mlir")


def test_types_that_cannot_be_inferred(tmp_path):
    """Each operator adds dimensions."""
    (tmp_path / "grow.relay").write_text(
        f"{RELAY}def @main(%x: Tensor[(2), float32]) {{\n"
        "  expand_dims(%x, axis=0, num_newaxis=3000)\n}\n")
    for tool in (["relay-compile", "--emit=relay"], ["relay-run"]):
        assert "64 dimensions" in fail(tmp_path, *tool, "grow.relay")


def test_types_that_cannot_be_in_python():
    with pytest.raises(ValueError, match="at most 64 dimensions, but got 65"):
        relay.TensorType((1,) * 65, "float32")
    with pytest.raises(ValueError, match="bytes, but got the shape"):
        relay.var("x", shape=(1 << 40, 1 << 40))
    assert relay.TensorType((1,) * 64, "float32").shape is not None


LIST = "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n"


def write_match(path, *cases):
    path.write_text(RELAY + LIST + "def @main(%l: List[float32]) -> int32 {\n  match (%l) {\n"
                    + "".join(f"    {case} => 1,\n" for case in cases) + "  }\n}\n")


def test_deep_pattern(tmp_path):
    depth = 1900
    deep = "Cons(_, " * depth + "_" + ")" * depth
    write_match(tmp_path / "deep.relay", deep, "_")
    result = run(tmp_path, "relay-run", "--interpret", "deep.relay")
    assert "expects cases" not in result.stderr
    write_match(tmp_path / "missing.relay", deep)
    error = fail(tmp_path, "relay-run", "missing.relay")
    assert "expects cases for all values, but misses Cons(_, Cons(_, " in error
    assert len(error) < 5000


def test_wide_patterns(tmp_path):
    """A tuple of 40 lists has 2^40 combinations of constructors."""
    types = ", ".join(["List[float32]"] * 40)
    full = ", ".join(["Cons(_, _)"] * 40)
    (tmp_path / "wide.relay").write_text(
        RELAY + LIST + f"def @main(%t: ({types})) -> int32 {{\n"
        f"  match (%t) {{\n    ({full}) => 1,\n    _ => 2,\n  }}\n}}\n")
    result = run(tmp_path, "relay-translate", "--import-relay", "wide.relay", "-o", "wide.mlir")
    assert result.returncode == 0, result.stderr
    result = run(tmp_path, "relay-opt", "--relay-infer-types", "wide.mlir")
    assert result.returncode == 0, result.stderr


def test_patterns_that_take_exponential_time(tmp_path):
    """Case i has Cons in field i and Nil in the one after."""
    count = 40
    types = ", ".join(["List[float32]"] * count)
    cases = []
    for i in range(count):
        fields = ["_"] * count
        fields[i], fields[(i * 7 + 1) % count] = "Cons(_, _)", "Nil"
        cases.append(f"    ({', '.join(fields)}) => 1,\n")
    (tmp_path / "hard.relay").write_text(
        RELAY + LIST + f"def @main(%t: ({types})) -> int32 {{\n  match (%t) {{\n"
        + "".join(cases) + "    _ => 2,\n  }\n}\n")
    result = run(tmp_path, "relay-run", "--interpret", "hard.relay")
    assert "Stack dump" not in result.stderr


GENERIC = RELAY + """
def @id[A](%x: A) -> A { %x }
def @swap[A, B](%x: A, %y: B) -> (B, A) {
  let %z: A = @id(%x);
  (%y, %z)
}
def @main(%x: Tensor[(2), float32], %y: Tensor[(3), int32]) {
  %0 = @swap(@id(%x), @id(%y));
  %1 = @swap(%0.0, %0.1);
  (add(%1.0, %x), multiply(%0.0, %y))
}
"""


def test_generic_functions_are_compiled(tmp_path):
    """Also those that generic ones call; the interpreter is the reference."""
    (tmp_path / "generic.relay").write_text(GENERIC)
    result = run(tmp_path, "relay-run", "generic.relay", "--check=interpreter", "--rtol=0",
                 "--atol=0")
    assert result.returncode == 0, result.stderr
    assert "tensor<2xf32>" in result.stdout and "tensor<3xi32>" in result.stdout
    for level in range(4):
        assert run(tmp_path, "relay-compile", "generic.relay", f"-O{level}", "-o",
                   "generic.so").returncode == 0


def test_generic_functions_of_open_sizes(tmp_path):
    (tmp_path / "open.relay").write_text(RELAY + """
def @id[A](%x: A) -> A { %x }
def @main(%x: Tensor[(?, 2), float32], %y: Tensor[(3, 2), float32]) {
  (@id(%x), @id(%y))
}
""")
    result = run(tmp_path, "relay-run", "open.relay", "--check=interpreter")
    assert result.returncode == 0, result.stderr


def test_generic_function_of_ever_larger_types(tmp_path):
    (tmp_path / "larger.relay").write_text(RELAY + """
def @f[A](%x: A, %n: int32) -> int32 {
  if (greater(%n, 0)) { @f((%x, %x), subtract(%n, 1)) } else { %n }
}
def @main(%x: Tensor[(2), float32], %n: int32) -> int32 { @f(%x, %n) }
""")
    error = fail(tmp_path, "relay-compile", "--executor=graph", "larger.relay", "-o", "out.so")
    assert len(error) < 10000
    assert "larger.relay:3:5: error: expects at most 1000 instances" in error
    assert "but @f asks for more: it calls itself with another type each time" in error
    assert "larger.relay:4:25: note: this call asks for the first too many" in error
