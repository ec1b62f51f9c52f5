"""Reports: what the page and the file for Model Explorer have is what passes did."""

import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import onnx
import pytest

import relay_mlir as rm

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "utils" / "models"))
import build  # noqa: E402

BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"

MODEL = """
func.func @main(%x: tensor<4x8xf32>, %c: tensor<i1>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %w = relay.constant dense<0.5> : tensor<16x8xf32>
  %0 = relay.nn.dense %x, %w : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = relay.nn.relu %0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = relay.nn.softmax %1 {axis = -1 : i64} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}
"""


def run(tool, *arguments, expect=0, timeout=300):
    result = subprocess.run([BIN / tool, *map(str, arguments)], capture_output=True, text=True,
                            timeout=timeout, check=False)
    assert result.returncode == expect, result.stderr
    return result


def read_page(path) -> Any:
    """The data of a page."""
    text = path.read_text()
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert match
    return json.loads(match.group(1))


def report(tmp_path, model, *passes, expect=0, timeout=300):
    """What `relay-opt` reports of passes, and what is left of the model."""
    (tmp_path / "model.mlir").write_text(model)
    result = run("relay-opt", tmp_path / "model.mlir", *passes, expect=expect, timeout=timeout,
                 *[f"--relay-report={tmp_path / 'report.html'}"])
    return read_page(tmp_path / "report.html"), result.stdout


def count(text):
    """The operations of a module by name, of its text in generic form."""
    counts: dict[str, int] = {}
    for name in re.findall(r'(?:= |^\s*)"([\w.]+)"\(', text, re.M):
        if name != "builtin.module":
            counts[name] = counts.get(name, 0) + 1
    return counts


def nodes_of(data, graph, function):
    """The nodes of a function with their texts in place of numbers."""
    texts = data["texts"]
    (found,) = [f for f in data["graphs"][graph]["functions"] if f["name"] == function]
    return [{**node, **{key: texts[node[key]] for key in ("op", "value", "attributes",
                                                          "location")},
             "types": [texts[t] for t in node["types"]],
             "callee": texts[node.get("callee", 0)]} for node in found["nodes"]]


def test_steps_and_counts(tmp_path):
    pipeline = "--pass-pipeline=builtin.module(relay-infer-types,func.func(canonicalize,cse)," \
               "relay-fuse-ops)"
    data, text = report(tmp_path, MODEL, pipeline, "--mlir-print-op-generic")
    steps = data["steps"]
    assert [step["name"] for step in steps] == ["relay-infer-types", "canonicalize", "cse",
                                                "relay-fuse-ops"]
    assert [step["operation"] for step in steps] == ["builtin.module", "func.func", "func.func",
                                                     "builtin.module"]
    assert all(step["seconds"] >= 0 and step["kind"] == "pass" for step in steps)
    assert not any(step["failed"] for step in steps)
    before = run("relay-opt", tmp_path / "model.mlir", "--mlir-print-op-generic").stdout
    assert steps[0]["before"] == count(before)
    assert steps[-1]["after"] == count(text) != count(before)
    assert len(data["pipelines"]) == 1 and "relay-fuse-ops" in data["pipelines"][0]
    assert not steps[0]["differences"] and steps[-1]["differences"]


def test_graph(tmp_path):
    data, _ = report(tmp_path, MODEL, "--relay-fuse-ops")
    assert [graph["title"] for graph in data["graphs"]] == ["at the start",
                                                            "after relay-fuse-ops"]
    nodes = nodes_of(data, 0, "main")
    assert [node["op"] for node in nodes] == [
        "argument", "argument", "relay.constant", "relay.nn.dense", "relay.nn.relu",
        "relay.nn.softmax", "func.return"]
    dense, relu, softmax, end = nodes[3:]
    assert [dense["inputs"], relu["inputs"], softmax["inputs"], end["inputs"]] == [
        [[0, 0], [2, 0]], [[3, 0]], [[4, 0]], [[5, 0], [4, 0]]]
    assert dense["types"] == ["tensor<4x16xf32>"] and nodes[0]["types"] == ["tensor<4x8xf32>"]
    assert "axis = -1" in softmax["attributes"]
    # The place is that of the operation in the file.
    line = MODEL.splitlines().index(next(l for l in MODEL.splitlines() if "softmax" in l)) + 1
    assert softmax["location"] == f"{tmp_path / 'model.mlir'}:{line}:8"
    # What is fused is called, and keeps its places.
    functions = {f["name"]: f for f in data["graphs"][1]["functions"]}
    calls = [node for node in nodes_of(data, 1, "main") if node["callee"]]
    assert calls and all(functions[call["callee"]]["kind"] == "primitive" for call in calls)
    places = {node["location"] for call in calls for node in nodes_of(data, 1, call["callee"])}
    assert {dense["location"], relu["location"], softmax["location"]} <= places


WITH_REGIONS = """
func.func private @npu(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {relay.compiler = "npu", relay.primitive} {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = relay.call @npu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    %2 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %2 : tensor<4xf32>
  } else {
    relay.yield %0 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
"""


def test_external_functions_and_regions(tmp_path):
    data, _ = report(tmp_path, WITH_REGIONS, "--cse")
    kinds = {f["name"]: (f["kind"], f["compiler"]) for f in data["graphs"][0]["functions"]}
    assert kinds == {"npu": ("external", "npu"), "main": ("function", "")}
    nodes = nodes_of(data, 0, "main")
    (choice,) = [i for i, node in enumerate(nodes) if node["op"] == "relay.if"]
    inner = [node["op"] for node in nodes if node.get("parent") == choice]
    assert inner == ["relay.exp", "relay.yield", "relay.yield"]
    # The ends of the regions give the results.
    ends = [i for i, node in enumerate(nodes) if node["op"] == "relay.yield"]
    assert nodes[choice]["inputs"] == [[1, 0], *[[i, 0] for i in ends]]


def test_numbers_of_values_are_no_difference(tmp_path):
    """A constant that goes changes the numbers of all values behind it."""
    lines = "\n".join(f"  %{i + 2} = relay.nn.relu %{i + 1} : (tensor<4xf32>) -> tensor<4xf32>"
                      for i in range(1, 20))
    data, text = report(tmp_path, f"""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.sigmoid %1 : (tensor<4xf32>) -> tensor<4xf32>
{lines}
  return %21 : tensor<4xf32>
}}
""", "--relay-dead-code")
    assert "relay.exp" not in text
    (difference,) = data["steps"][0]["differences"]
    changed = [line for line in difference["lines"] if line[0] in "+-"]
    assert len(changed) == 1 and changed[0].startswith("-    %0 = relay.exp")
    assert (difference["removed"], difference["added"], difference["omitted"]) == (1, 0, 0)
    # An operand that is another one is a difference.
    data, _ = report(tmp_path, """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
""", "--cse")
    changed = [line for step in data["steps"] for difference in step["differences"]
               for line in difference["lines"] if line[0] in "+-"]
    assert any("relay.add %0, %0" in line for line in changed if line[0] == "+")


def test_failed_pass(tmp_path):
    data, _ = report(tmp_path, MODEL, "--relay-infer-types", "--verify-relay-fused", "--cse",
                     expect=1)
    assert [(step["name"], step["failed"]) for step in data["steps"]] == [
        ("relay-infer-types", False), ("verify-relay-fused", True)]
    assert "primitive" in data["steps"][1]["errors"][0]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A model, its profile, and the report of its compilation with that."""
    folder = tmp_path_factory.mktemp("compiled")
    onnx.save(build.build("mlp"), str(folder / "model.onnx"))
    run("relay-compile", folder / "model.onnx", "-o", folder / "model.so",
        f"--cache-dir={folder / 'cache'}")
    run("relay-run", folder / "model.so", f"--profile={folder / 'trace.json'}", "--repeat=3",
        "--peak=100,10")
    run("relay-compile", folder / "model.onnx", "-o", folder / "model.so",
        f"--cache-dir={folder / 'cache'}", f"--report={folder / 'report.html'}",
        f"--report-profile={folder / 'trace.json'}")
    return folder


def test_compilation(compiled):
    data = read_page(compiled / "report.html")
    names = [step["name"] for step in data["steps"]]
    wanted = ["relay-attach-target", "relay-fuse-ops", "convert-relay-to-relax", "Kernels",
              "relax-plan-memory", "Artefact"]
    assert [name for name in names if name in wanted] == wanted
    kinds = {step["name"]: step["kind"] for step in data["steps"]}
    assert kinds["Kernels"] == "phase" and kinds["relax-plan-memory"] == "pass"
    # Kernels of the profile are those of the last graph, call by call.
    last = len(data["graphs"]) - 1
    calls = [node["callee"] for node in nodes_of(data, last, "main")
             if node["op"] == "relax.call_kernel"]
    assert calls == [entry["kernel"] for entry in data["profile"]]
    assert all(entry["us"] > 0 for entry in data["profile"])
    # Operators of the model have the names of its nodes, which the fused ones keep.
    fused = next(i for i, graph in enumerate(data["graphs"])
                 if graph["title"] == "after relay-fuse-ops" or any(
                     f["kind"] == "primitive" for f in graph["functions"]))
    places = {node["location"] for node in nodes_of(data, 0, "main")
              if node["op"] == "relay.nn.dense"}
    inner = {node["location"] for function in data["graphs"][fused]["functions"]
             if function["kind"] == "primitive"
             for node in nodes_of(data, fused, function["name"])}
    assert len(places) > 1 and places & inner


def test_memory_plan(compiled):
    memory = read_page(compiled / "report.html")["memory"]
    text = run("relay-compile", compiled / "model.onnx", "--emit=relax", "-o", "-").stdout
    sizes = [int(size) for size in re.findall(r"relax.alloc_storage size \[(\d+)\]", text)]
    assert sizes and [storage["bytes"] for storage in memory["storages"]] == sizes
    offsets = [int(o) for o in re.findall(r"relax.alloc_tensor %\w+\[(\d+)\]", text)]
    assert [tensor["offset"] for tensor in memory["tensors"]] == offsets
    assert memory["steps"] == re.findall(r"relax.call_kernel @(\w+)", text)
    for i, tensor in enumerate(memory["tensors"]):
        assert 0 <= tensor["first"] <= tensor["last"] < len(memory["steps"])
        assert tensor["offset"] + tensor["bytes"] <= sizes[tensor["storage"]]
        # What lives at the same time does not lie in the same place.
        for other in memory["tensors"][:i]:
            apart = other["last"] < tensor["first"] or tensor["last"] < other["first"] \
                or other["storage"] != tensor["storage"] \
                or other["offset"] + other["bytes"] <= tensor["offset"] \
                or tensor["offset"] + tensor["bytes"] <= other["offset"]
            assert apart, (tensor, other)


def test_memory_of_open_sizes(tmp_path):
    (tmp_path / "model.mlir").write_text("""
func.func @main(%x: tensor<?x8xf32> {relay.name = "x", relay.dims = ["n", ""]}) -> tensor<?x8xf32> {
  %0 = relay.nn.softmax %x {axis = -1 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = relay.nn.softmax %0 {axis = 0 : i64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %1 : tensor<?x8xf32>
}
""")
    run("relay-compile", tmp_path / "model.mlir", "--emit=relax", "-o", tmp_path / "out.mlir",
        f"--report={tmp_path / 'report.html'}")
    memory = read_page(tmp_path / "report.html")["memory"]
    assert memory["symbols"] == ["n"]
    # As if n were 1: a row of 8 floats, in a storage that says on what it depends.
    assert any(tensor["bytes"] == 32 for tensor in memory["tensors"])
    assert any("n" in storage["size"] for storage in memory["storages"])


def test_model_explorer(tmp_path):
    """The file has the form of Model Explorer's graph_builder."""
    (tmp_path / "model.mlir").write_text(MODEL)
    run("relay-opt", tmp_path / "model.mlir", "--relay-fuse-ops",
        f"--relay-report={tmp_path / 'graphs.json'}")
    file = json.loads((tmp_path / "graphs.json").read_text())
    assert [graph["id"] for graph in file["graphs"]] == ["at the start", "after relay-fuse-ops"]
    for graph in file["graphs"]:
        ids = [node["id"] for node in graph["nodes"]]
        assert len(set(ids)) == len(ids)
        for node in graph["nodes"]:
            assert isinstance(node["label"], str) and node["namespace"].startswith("@")
            assert all(set(entry) == {"key", "value"} for entry in node["attrs"])
            for edge in node["incomingEdges"]:
                assert edge["sourceNodeId"] in ids
                assert int(edge["sourceNodeOutputId"]) >= 0 <= int(edge["targetNodeInputId"])
    (relu,) = [node for node in file["graphs"][0]["nodes"] if node["label"] == "relay.nn.relu"]
    assert relu["outputsMetadata"] == [
        {"id": "0", "attrs": [{"key": "type", "value": "tensor<4x16xf32>"}]}]
    assert {"key": "location", "value": f"{tmp_path / 'model.mlir'}:5:8"} in relu["attrs"]
    namespaces = {node["namespace"] for node in file["graphs"][1]["nodes"]}
    assert "@main" in namespaces and len(namespaces) > 1


HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>"


def hostile_model(tmp_path):
    (tmp_path / "model.mlir").write_text(
        f'func.func @"{HOSTILE}"(%x: tensor<4xf32> {{relay.name = "{HOSTILE}"}}) '
        "-> tensor<4xf32> {\n  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32> "
        f'loc("{HOSTILE}")\n  return %0 : tensor<4xf32>\n}}\n')
    run("relay-opt", tmp_path / "model.mlir", "--relay-infer-types", "--relay-fuse-ops",
        f"--relay-report={tmp_path / 'report.html'}")
    return tmp_path / "report.html"


def test_names_are_no_html(tmp_path):
    page = hostile_model(tmp_path)
    assert "<img" not in page.read_text() and page.read_text().count("</script>") == 2
    data = read_page(page)
    assert HOSTILE in [f["name"] for f in data["graphs"][0]["functions"]]
    assert HOSTILE in data["texts"]


def test_page_loads_nothing(compiled):
    text = (compiled / "report.html").read_text()
    head = text[:text.index('<script type="application/json"')]
    assert "default-src 'none'" in head
    code = re.sub(r'id="data">.*?</script>', "", text, flags=re.S)
    assert not re.search(r"""(src|href|action)\s*=\s*["']|@import|url\((?!#)|\bimport\b\s*[({"']"""
                         r"|\bfetch\s*\(|XMLHttpRequest|WebSocket", code)
    # The notice of what is not part of this project.
    assert "Permission is hereby granted" in text


def chain(length):
    """A model of operators one after another."""
    lines = "\n".join(f"  %v{i + 1} = relay.{'exp' if i % 3 else 'nn.relu'} %v{i} : "
                      "(tensor<4xf32>) -> tensor<4xf32>" for i in range(length))
    return (f"func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {{\n{lines}\n"
            f"  return %v{length} : tensor<4xf32>\n}}\n")


@pytest.mark.parametrize("length", [5000, 20000])
def test_large_graphs(tmp_path, length):
    data, _ = report(tmp_path, chain(length), "--relay-fuse-ops", "--symbol-dce", timeout=600)
    assert len(data["graphs"][0]["functions"][0]["nodes"]) == length + 2
    (difference,) = data["steps"][0]["differences"]
    assert len(difference["lines"]) <= 500 and difference["replaced"]
    assert difference["omitted"] + len(difference["lines"]) >= length
    assert os.path.getsize(tmp_path / "report.html") < 1_000_000 + 500 * length


def test_too_many_differences(tmp_path):
    """Functions beyond a number have no differences in the page, which says so."""
    function = """
func.func @f{0}(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}}
"""
    data, _ = report(tmp_path, "".join(function.format(i) for i in range(100)),
                     "--pass-pipeline=builtin.module(func.func(canonicalize))")
    (step,) = data["steps"]
    assert step["operations"] == 100 and step["before"]["relay.exp"] == 100
    assert "relay.exp" not in step["after"]
    assert len(step["differences"]) == 40 and step["omitted"] == 60


#===----------------------------------------------------------------------===#
# Python
#===----------------------------------------------------------------------===#


def test_compile_in_python(tmp_path):
    model = rm.compile(rm.parse(MODEL), cache=False, report=tmp_path / "report.html")
    assert len(model.outputs) == 2
    data = read_page(tmp_path / "report.html")
    assert "relay-fuse-ops" in [step["name"] for step in data["steps"]] and data["memory"]
    rm.emit(rm.parse(MODEL), tmp_path / "out.mlir", "relay", report=tmp_path / "graphs.json")
    assert json.loads((tmp_path / "graphs.json").read_text())["graphs"]
    # What cannot be compiled is reported, too.
    with pytest.raises(rm.CompileError):
        rm.compile(rm.parse("func.func @main(%f: !relay.ref<tensor<f32>>) -> tensor<f32> {\n"
                            "  %0 = relay.ref_read %f : (!relay.ref<tensor<f32>>) -> tensor<f32>\n"
                            "  return %0 : tensor<f32>\n}\n"), report=tmp_path / "failed.html",
                   executor="graph")
    data = read_page(tmp_path / "failed.html")
    assert data["steps"][-1]["failed"] and data["steps"][-1]["errors"]


def test_wrong_paths_in_python(tmp_path):
    module = rm.parse(MODEL)
    with pytest.raises(OSError, match="cannot write the report '/dev/full': No space left"):
        rm.compile(module, report="/dev/full")
    with pytest.raises(OSError, match="No such file or directory"):
        rm.compile(module, report=tmp_path / "none" / "report.html")
    (tmp_path / "model.mlir").write_text(MODEL)
    for path in (tmp_path / "model.mlir", tmp_path / "out.mlir"):
        with pytest.raises(ValueError, match="expects report to be another file than '.*', but"):
            rm.emit(tmp_path / "model.mlir", tmp_path / "out.mlir", "relay", report=path)
    assert (tmp_path / "model.mlir").read_text() == MODEL
