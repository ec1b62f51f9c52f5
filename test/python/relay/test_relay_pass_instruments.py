"""Instruments that compare modules, and Python's passes that go wrong."""

import io
import json
import re
import traceback

import numpy as np
import pytest

from pass_checks import module, operators
from relay_mlir import relay
from relay_mlir.relay import instrument, transform


def network():
    x, w = relay.var("x", shape=(2, 3)), relay.const(np.ones((4, 3), "float32"))
    y = relay.nn.relu(relay.nn.dense(x, w))
    return module(y * relay.const(2.0) + relay.const(1.0) * relay.const(3.0))


@transform.function_pass(opt_level=0)
def add_one(function, mod, context):
    return relay.Function(function.params, function.body + relay.const(1.0))


@transform.function_pass(opt_level=0)
def keep(function, mod, context):
    return function


def test_interpreter_check_names_the_pass():
    mod = network()
    passes = transform.Sequential([transform.FoldConstant(), keep, add_one,
                                   transform.FuseOps()])
    with transform.PassContext(instruments=[instrument.InterpreterCheck()]):
        with pytest.raises(instrument.ResultChangedError,
                           match=r"pass add_one to keep what @main computes, but result 0 "
                                 r"differs by 1 at \[\d, \d\]") as error:
            passes(mod)
    assert error.value.pass_name == "add_one" and isinstance(error.value, ValueError)
    # Where nothing changes, everything runs; and what is allowed is no error.
    fine = transform.Sequential([transform.FoldConstant(), keep, transform.FuseOps(),
                                 transform.DefuseOps()])
    check = instrument.InterpreterCheck(inputs=[np.zeros((2, 3), "float32")])
    with transform.PassContext(opt_level=3, instruments=[check]):
        assert "nn.dense" in operators(fine(mod))
    assert not check.skipped
    with transform.PassContext(instruments=[instrument.InterpreterCheck(atol=1.5)]):
        add_one(mod)


def test_interpreter_check_of_other_results():
    mod = network()

    def returning(make):

        @transform.function_pass(opt_level=0, name="other")
        def other(function, mod, context):
            return relay.Function(function.params, make(function))

        return other

    cases = {
        "there are 2 results instead of 1": lambda f: relay.Tuple([f.body, f.body]),
        r"result 0 has shape \(4, 2\) instead of \(2, 4\)": lambda f: relay.transpose(f.body),
        "it fails": lambda f: relay.Call(relay.op.get("test.fails"), [f.body]),
        "result 0 differs": lambda f: f.body / relay.const(0.0),
    }
    if relay.op.get("nn.relu") and "test.fails" not in relay.op.op.list_op_names():
        relay.op.op.register("test.fails", "Cannot be evaluated.")
        relay.op.get("test.fails").set_num_inputs(1)
        relay.op.get("test.fails").add_type_rel("Identity")

        @relay.op.op.register_compute("test.fails")
        def fails(attrs, inputs, out_type):
            raise ValueError("no")

    for what, make in cases.items():
        with transform.PassContext(instruments=[instrument.InterpreterCheck()]):
            with pytest.raises(instrument.ResultChangedError, match=f"pass other .*{what}"):
                returning(make)(mod)


def test_interpreter_check_of_what_has_no_result():
    check = instrument.InterpreterCheck()
    generic = relay.IRModule({"other": relay.Function([], relay.const(1.0))})
    with transform.PassContext(instruments=[check]):
        keep(generic)
        assert check.skipped == ["keep"]
    x = relay.var("x", shape=(4,))
    with transform.PassContext(opt_level=3, instruments=[instrument.InterpreterCheck(
            rtol=1e-2, atol=1e-2)]):
        half = transform.ToMixedPrecision()(module(relay.nn.relu(x)))
    assert half["main"].checked_type.ret_type.dtype == "float16"
    with pytest.raises(TypeError, match="rtol to be a number"):
        instrument.InterpreterCheck(rtol="x")  # type: ignore[arg-type]


def test_differences_of_texts():
    stream = io.StringIO()
    with transform.PassContext(instruments=[instrument.PrintIRDiff(stream)]):
        transform.Sequential([keep, transform.FoldConstant()], name="both")(network())
    text = stream.getvalue()
    assert "Pass keep: no change" in text and "Pass FoldConstant: changed" in text
    assert text.index("Pass keep") < text.index("Pass FoldConstant") < text.index("Pass both")
    assert "\n-" in text and "\n+" in text and "3f" in text


def test_printing_to_standard_error(capfd):
    with transform.PassContext(instruments=[instrument.PrintIRDiff()]):
        keep(network())
    assert "Pass keep: no change" in capfd.readouterr().err


def test_statistics():
    statistics = instrument.PassStatisticsInstrument()
    mod = network()
    with transform.PassContext(opt_level=4, instruments=[statistics]):
        transform.Sequential([transform.FoldConstant(), keep], name="both")(mod)
        lines = statistics.render().splitlines()
    assert lines == ["both: 5 -> 4 operators; multiply 2 -> 1",
                     "  FoldConstant: 5 -> 4 operators; multiply 2 -> 1",
                     "  keep: 4 -> 4 operators"]


def test_statistics_of_passes_that_fail():

    @transform.module_pass(opt_level=0)
    def fails(mod, context):
        raise KeyError("mine")

    statistics = instrument.PassStatisticsInstrument()
    mod = network()
    with transform.PassContext(instruments=[statistics]):
        with pytest.raises(KeyError):
            transform.Sequential([fails])(mod)
        keep(mod)
        assert "keep: 5 -> 5 operators" in statistics.render()


#===------------------------------------------------------------------------===#
# Python's passes that go wrong
#===------------------------------------------------------------------------===#


def test_passes_that_return_something_else():

    @transform.function_pass(opt_level=0)
    def nothing(function, mod, context):
        return None

    @transform.function_pass(opt_level=0)
    class Body:

        def transform_function(self, function, mod, context):
            return function.body

    @transform.module_pass(opt_level=0)
    def a_function(mod, context):
        return mod["main"]

    body: transform.Pass = Body()  # type: ignore[assignment]
    mod = network()
    before = mod.astext()
    for pass_, what in ((nothing, "pass nothing to return a function for @main, but got None"),
                        (body, "pass Body to return a function for @main, but got"),
                        (a_function, "pass a_function to return a module, but got")):
        with pytest.raises(TypeError, match=what):
            transform.Sequential([transform.FoldConstant(), pass_])(mod)
        assert mod.astext() == before


def test_exceptions_in_passes():

    class MineError(Exception):
        pass

    def deeper(function):
        raise MineError(f"cannot do {len(function.params)} parameters")

    @transform.function_pass(opt_level=0)
    def fails(function, mod, context):
        return deeper(function)

    mod = network()
    before = mod.astext()
    with pytest.raises(MineError, match="cannot do 1 parameters") as error:
        transform.Sequential([transform.FoldConstant(), fails, transform.FuseOps()])(mod)
    lines = "".join(traceback.format_tb(error.tb))
    assert "in deeper" in lines and "in fails" in lines and __file__ in lines
    assert mod.astext() == before


def test_ill_typed_results_of_passes():

    @transform.function_pass(opt_level=0)
    def wrong(function, mod, context):
        return relay.Function(function.params, relay.nn.dense(function.body, function.body))

    mod = network()
    before = mod.astext()
    y = relay.var("y", shape=(3, 5))

    @transform.function_pass(opt_level=0)
    def no_fit(function, mod, context):
        return relay.Function([*function.params, y], relay.nn.dense(function.body, y))

    assert wrong(mod)["main"].checked_type.ret_type.concrete_shape == (2, 2)
    with pytest.raises(relay.DiagnosticError, match="expects"):
        no_fit(mod)
    assert mod.astext() == before


#===----------------------------------------------------------------------===#
# Reports
#===----------------------------------------------------------------------===#


def read_report(path):
    match = re.search(r'id="data">(.*?)</script>', path.read_text(), re.S)
    assert match
    return json.loads(match.group(1))


def test_report_has_passes_and_their_operators(tmp_path):
    path = tmp_path / "report.html"
    with transform.PassContext(opt_level=3, instruments=[instrument.ReportInstrument(path)]):
        transform.Sequential([transform.FoldConstant(), add_one, transform.FuseOps()])(network())
    data = read_report(path)
    steps = [step for step in data["steps"] if step["name"] != "InferType"]
    # The list ends after its passes.
    assert [step["name"] for step in steps] == ["FoldConstant", "add_one", "FuseOps",
                                                "sequential"]
    assert not any(step["failed"] for step in steps)
    assert steps[1]["after"]["relay.add"] == steps[1]["before"]["relay.add"] + 1
    assert steps[1]["differences"] and steps[3]["before"] == steps[0]["before"]
    assert steps[3]["after"] == steps[2]["after"]
    assert data["graphs"][0]["title"] == "at the start"
    assert data["graphs"][-1]["title"] == "after FuseOps"
    kinds = [node.get("kind") for node in data["graphs"][-1]["functions"][0]["nodes"]]
    assert kinds.count("primitive") == 1


def test_report_has_the_passes_of_build(tmp_path):
    path = tmp_path / "report.html"
    with transform.PassContext(opt_level=3, instruments=[instrument.ReportInstrument(path)]):
        relay.build(keep(network()), "llvm")
    data = read_report(path)
    names = [step["name"] for step in data["steps"]]
    assert "keep" in names and "relay-fuse-ops" in names and "Compile" not in names
    assert data["memory"]


def test_report_of_a_pass_that_fails(tmp_path):
    @transform.function_pass(opt_level=0)
    def broken(function, mod, context):
        raise RuntimeError("no")

    report = instrument.ReportInstrument(tmp_path / "report.html")
    with pytest.raises(RuntimeError, match="no"):
        with transform.PassContext(instruments=[report]):
            transform.Sequential([transform.FoldConstant(), broken])(network())
    data = read_report(tmp_path / "report.html")
    assert [(step["name"], step["failed"]) for step in data["steps"]
            if step["name"] != "InferType"] == [("FoldConstant", False), ("broken", True)]


def test_report_with_a_profile_and_of_wrong_files(tmp_path):
    (tmp_path / "trace.json").write_text(json.dumps({"traceEvents": [
        {"cat": "kernel", "name": "fused_exp", "dur": time, "args": {"call": 0}}
        for time in (3, 1, 2)]}))
    with transform.PassContext(instruments=[instrument.ReportInstrument(
            tmp_path / "report.html", profile=tmp_path / "trace.json")]):
        keep(network())
    assert read_report(tmp_path / "report.html")["profile"] == [{"kernel": "fused_exp", "us": 2}]
    (tmp_path / "no.json").write_text("[]")
    with pytest.raises(OSError, match="expects '.*no.json' to be a profile of relay-run "
                                      "--profile, but got JSON without traceEvents"):
        instrument.ReportInstrument(tmp_path / "report.html", profile=tmp_path / "no.json")
    with pytest.raises(OSError, match="cannot write the report '.*': No such file"):
        with transform.PassContext(
                instruments=[instrument.ReportInstrument(tmp_path / "none" / "report.html")]):
            keep(network())
