"""The pass manager, instruments, and the passes that Python runs."""

from typing import Any

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import instrument, transform


def module():
    x, y = relay.var("x", shape=(3, 4)), relay.var("y", shape=(3, 4))
    return relay.IRModule.from_expr((x + y) * (x - y))


def infer(function):
    return transform.InferType()(relay.IRModule.from_expr(function))["main"]


#===------------------------------------------------------------------------===#
# The pass manager
#===------------------------------------------------------------------------===#


def test_classes_of_passes():

    @transform.module_pass(opt_level=1, name="named")
    def of_module(mod, ctx):
        return mod

    @transform.function_pass
    def of_function(func, mod, ctx):
        return func

    assert isinstance(of_module, transform.ModulePass) and of_module.info.name == "named"
    assert isinstance(of_function, transform.FunctionPass)
    assert "of_function" in str(of_function) and of_function.info.opt_level == 0
    assert isinstance(transform.FoldConstant(), transform.FunctionPass)
    assert isinstance(transform.RemoveUnusedFunctions(), transform.ModulePass)
    mod = module()
    assert of_module(mod) is mod

    @transform.module_pass(opt_level=2)
    class Replace:

        def __init__(self, new):
            self.new = new

        def transform_module(self, mod, ctx):
            return self.new

    other = relay.IRModule()
    replace: Any = Replace(other)  # A pass: the decorator makes the class one of passes.
    assert replace(mod) is other and issubclass(Replace, transform.ModulePass)
    with pytest.raises(TypeError, match="expects a function or a class"):
        transform.module_pass(3)


def test_functions_that_passes_leave_alone():
    x = relay.var("x", shape=(1,))
    functions = {name: relay.Function([x], relay.nn.relu(x)) for name in ("main", "other", "own")}
    functions["own"] = functions["own"].with_attr("Compiler", "mine")
    functions["skip"] = functions["other"].with_attr("SkipOptimization", 1)
    seen = []

    @transform.function_pass
    def visit(func, mod, ctx):
        seen.append(func.attrs)
        return func

    visit(relay.IRModule(functions))
    assert seen == [None, None]


def test_sequential():
    order = []

    def make(name, opt_level=0, required=()):

        @transform.module_pass(opt_level=opt_level, name=name, required=required)
        def run(mod, ctx):
            order.append(name)
            return mod

        return run

    passes = transform.Sequential([make("one"), make("high", 3), make("off")])
    with transform.PassContext(opt_level=2, disabled_pass=["off"]):
        passes(module())
    assert order == ["one"]
    with transform.PassContext(opt_level=2, required_pass=["high"]):
        passes(module())
    assert order == ["one", "one", "high", "off"]
    typed = transform.Sequential([make("needs types", required=["InferType"])])(module())
    assert typed["main"].body.checked_type == relay.TensorType((3, 4))
    with pytest.raises(ValueError, match="name of a pass to be required, but got 'Nothing'"):
        transform.Sequential([make("lost", required=["Nothing"])])(module())
    with pytest.raises(TypeError, match="required_pass to be a list of names"):
        transform.PassContext(required_pass=[transform.InferType()])  # type: ignore[list-item]


def test_options():
    configs = transform.PassContext.list_configs()
    assert configs["relay.backend.use_auto_scheduler"]["type"] == "IntImm"
    with transform.PassContext(config={"relay.FuseOps.max_depth": 1}) as context:
        assert transform.PassContext.current() is context
        assert context.config["relay.FuseOps.max_depth"] == 1
    with pytest.raises(AttributeError, match="'relay.Fuse.max_depth'"):
        transform.PassContext(config={"relay.Fuse.max_depth": 1})


def test_print_ir(capfd):
    mod = transform.Sequential([transform.InferType(), transform.PrintIR("here")])(module())
    err = capfd.readouterr().err
    assert "PrintIR(here)" in err and "multiply" in err and "ty=Tensor[(3, 4), float32]" in err
    assert relay.structural_equal(mod, transform.InferType()(module()))


def test_apply_pass_to_function():
    functions = {name: relay.Function([], relay.const(1) + relay.const(2))
                 for name in ("main", "sub_a", "sub_b")}
    mod = relay.IRModule(functions)
    result = transform.ApplyPassToFunction(transform.FoldConstant(), "sub_.*")(mod)
    assert [isinstance(f.body, relay.Constant) for f in result.functions.values()] == [
        False, True, True]
    apply = transform.ApplyPassToFunction(transform.FoldConstant(), "sub", True)
    with pytest.raises(ValueError, match="a function that matches 'sub'"):
        apply(mod)


@pytest.mark.parametrize("name, what", [
    ("LowerTE", "kernels are made by"), ("ManifestAlloc", "relax plans memory"),
    ("AnnotateMemoryScope", "textures of OpenCL"),
    ("RemoveStandaloneReshapes", "makes views of kernels"), ("Nothing", "has no attribute")])
def test_passes_that_are_not_there(name, what):
    """The error says what is in their place."""
    with pytest.raises(AttributeError, match=f"{name}.*{what}|{what}.*{name}"):
        getattr(transform, name)
    assert not hasattr(transform, name)


def test_errors_name_the_pass():
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], x))
    before = mod.astext()

    def widen(function, mod, context):
        return relay.Function(function.params, function.body + relay.const([1.0, 2.0, 3.0]))

    widens = transform.function_pass(widen, opt_level=0, name="Widens")

    @transform.function_pass(opt_level=0, name="Divides")
    def divides(function, mod, context):
        return 1 // 0

    with pytest.raises(relay.DiagnosticError, match=(
            r"expects pass Widens to return well-typed functions, but got\n"
            r"error: add expects shapes that broadcast, but got \(2\) and \(3\)")):
        transform.Sequential([transform.InferType(), widens])(mod)
    with pytest.raises(ZeroDivisionError) as caught:
        divides(mod)
    assert getattr(caught.value, "__notes__", ["raised in pass Divides"]) == [
        "raised in pass Divides"]
    assert mod.astext() == before

    @transform.module_pass(opt_level=0, name="Widens2")
    def widens_all(mod, context):
        result = mod.shallow_copy()
        result["main"] = widen(mod["main"], mod, context)
        return result

    # Nobody looks at types before the next pass.
    widens_all(mod)
    with pytest.raises(relay.DiagnosticError, match="shapes that broadcast") as found:
        transform.Sequential([widens_all, transform.FoldConstant()])(mod)
    assert getattr(found.value, "__notes__", ["in what pass Widens2 returned"]) == [
        "in what pass Widens2 returned"]
    with pytest.raises(relay.DiagnosticError) as found:
        transform.Sequential([transform.FoldConstant(), widens])(mod)
    assert not getattr(found.value, "__notes__", [])


def test_passes_write_into_a_copy():
    """What a pass writes into the module that it is given is in the result, not in the
    module of the caller."""
    mod = module()
    before = mod.astext()

    @transform.function_pass(opt_level=0)
    def add_function(function, mod, context):
        mod["added"] = function
        return relay.Function(function.params, relay.negative(function.body))

    @transform.module_pass(opt_level=0)
    def negate(mod, context):
        mod["main"] = relay.Function(mod["main"].params, relay.negative(mod["main"].body))
        return mod

    added = add_function(mod)
    assert {var.name_hint for var in added.functions} == {"main", "added"}
    assert added["main"].body.op.name == "negative"
    assert added["added"].body.op.name == "multiply"
    assert negate(mod)["main"].body.op.name == "negative"
    assert mod.astext() == before
    # So that instruments have what was there before.
    with transform.PassContext(instruments=[instrument.InterpreterCheck()]), \
            pytest.raises(instrument.ResultChangedError, match="expects pass negate to keep"):
        negate(mod)


@pytest.mark.parametrize("make, method", [(transform.function_pass, "transform_function"),
                                          (transform.module_pass, "transform_module")])
def test_classes_without_the_method_of_a_pass(make, method):

    class Empty:
        pass

    with pytest.raises(TypeError, match=f"expects class Empty to have a method {method}"):
        make(Empty, opt_level=0)


def test_unknown_passes_are_required():
    keeps = transform.function_pass(lambda function, mod, context: function, opt_level=0,
                                    name="keeps", required=["Nothing"])
    for passes in (keeps, transform.Sequential([keeps])):
        with pytest.raises(ValueError, match="the name of a pass to be required, but got 'Nothing'"):
            passes(module())


def test_options_below_zero():
    with pytest.raises(ValueError, match="relay.FuseOps.max_depth to be 0 or more, but got -4"):
        transform.PassContext(config={"relay.FuseOps.max_depth": -4})


#===------------------------------------------------------------------------===#
# Instruments
#===------------------------------------------------------------------------===#


@pytest.mark.parametrize("kind", ["decorator", "subclass", "plain"])
def test_instruments_are_called(kind):

    class Events:

        def __init__(self):
            self.events = []

        def enter_pass_ctx(self):
            self.events.append("enter")

        def exit_pass_ctx(self):
            self.events.append("exit")

        def run_before_pass(self, mod, info):
            self.events.append(f"before {info.name}")

        def run_after_pass(self, mod, info):
            self.events.append(f"after {info.name}")
            assert isinstance(mod, relay.IRModule)

    make: Any = Events
    if kind == "decorator":
        make = instrument.pass_instrument(Events)
    elif kind == "subclass":

        class Subclass(Events, instrument.PassInstrument):
            pass

        make = Subclass

    events = make()
    with transform.PassContext(instruments=[events]):
        transform.Sequential([transform.InferType()], name="all")(module())
    assert events.events == ["enter", "before all", "before InferType", "after InferType",
                             "after all", "exit"]
    with transform.PassContext(instruments=[events]):
        lib = relay.build(module(), "llvm")
    assert lib is not None and events.events[-3:-1] == ["before Compile", "after Compile"]


def test_instruments_decide():

    @instrument.pass_instrument
    class Only:

        def __init__(self, name):
            self.name = name
            self.ran = []

        def should_run(self, mod, info):
            return self.name in info.name

        def run_before_pass(self, mod, info):
            self.ran.append(info.name)

    passes = [transform.FoldConstant(), transform.InferType()]
    only = Only("InferType")
    with transform.PassContext(instruments=[only]):
        for pass_ in passes:
            pass_(module())
    with transform.PassContext(instruments=[only], required_pass=["FoldConstant"]):
        passes[0](module())
    assert only.ran == ["InferType", "FoldConstant"]


def test_instruments_that_fail():
    events = []

    @instrument.pass_instrument
    class Events:

        def __init__(self, name, broken=None):
            self.name, self.broken = name, broken

        def _event(self, hook):
            events.append(f"{hook} {self.name}")
            if self.broken == hook:
                raise RuntimeError("broken")

        def enter_pass_ctx(self):
            self._event("enter")

        def exit_pass_ctx(self):
            self._event("exit")

    context = transform.PassContext(instruments=[Events(1), Events(2, "enter"), Events(3)])
    with pytest.raises(RuntimeError, match="broken"):
        with context:
            pass
    assert events == ["enter 1", "enter 2", "exit 1"]
    assert transform.PassContext.current() is not context and not context.instruments
    events.clear()
    with pytest.raises(RuntimeError, match="broken"):
        with transform.PassContext(instruments=[Events(1), Events(2, "exit"), Events(3)]):
            pass
    assert events == ["enter 1", "enter 2", "enter 3", "exit 1", "exit 2"]
    assert not transform.PassContext.is_entered()
    # The context around the program may have instruments, too.
    current = transform.PassContext.current()
    events.clear()
    current.override_instruments([Events(1)])
    transform.InferType()(module())
    current.override_instruments(None)
    assert events == ["enter 1", "exit 1"] and not current.instruments


def test_timing():
    timing = instrument.PassTimingInstrument()
    with transform.PassContext(instruments=[timing]):
        transform.Sequential([transform.InferType(), transform.FoldConstant()], name="both")(
            module())
        lines = timing.render().splitlines()
    assert [line.split(":")[0] for line in lines] == ["both", "  InferType", "  FoldConstant"]
    assert timing.render() == ""


def test_printing_and_dumping(capfd, tmp_path):
    passes = transform.Sequential([transform.InferType(), transform.FoldConstant()])
    with transform.PassContext(instruments=[
            instrument.PassPrintingInstrument(["InferType"], ["FoldConstant"])]):
        passes(module())
    err = capfd.readouterr().err
    assert err.count("Running Pass") == 2 and "After Running Pass: PassInfo(FoldConstant" in err
    with transform.PassContext(instruments=[
            instrument.PrintBeforeAll(), instrument.PrintAfterAll()]):
        transform.InferType()(module())
    assert capfd.readouterr().err.count("Running Pass: PassInfo(InferType") == 2
    folder = tmp_path / "dump"
    with transform.PassContext(instruments=[instrument.DumpIR(folder)]):
        passes(module())
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["000_InferType.relay", "001_FoldConstant.relay", "002_sequential.relay"]
    assert relay.structural_equal(relay.parse((folder / files[0]).read_text()),
                                  transform.InferType()(module()))
    with pytest.raises(FileExistsError):
        instrument.DumpIR(folder)
    instrument.DumpIR(folder, refresh=True)
    assert not list(folder.iterdir())


#===------------------------------------------------------------------------===#
# RemoveUnusedFunctions and FoldConstant
#===------------------------------------------------------------------------===#


def test_remove_unused_functions():
    prelude = relay.Prelude()
    mod = prelude.mod
    x = relay.var("x", shape=(2,))
    mod["main"] = relay.Function([x], prelude.hd(prelude.cons(x, prelude.nil())))
    mod["own"] = relay.Function([x], prelude.length(prelude.cons(x, prelude.nil())))
    assert len(mod.functions) > 20
    result = transform.RemoveUnusedFunctions()(mod)
    assert {var.name_hint for var in result.functions} == {"main", "hd"}
    result = transform.RemoveUnusedFunctions(entry_functions=["own", "main"])(mod)
    assert {v.name_hint for v in result.functions} == {"main", "hd", "own", "length"}
    assert len(mod.functions) > 20 and \
        set(mod.type_definitions) == set(result.type_definitions)
    # What a function uses through another one stays, and cycles end.
    text = """#[version = "0.0.5"]
    def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(subtract(%n, 1)) } }
    def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(subtract(%n, 1)) } }
    def @unused(%n: int32) -> bool { @even(%n) }
    def @main(%n: int32) -> bool { @odd(%n) }
    """
    result = transform.RemoveUnusedFunctions()(relay.parse(text))
    assert [var.name_hint for var in result.functions] == ["even", "odd", "main"]


def test_fold_lets():
    x, one = relay.var("x", shape=(1,)), np.float32(1)

    builder = relay.ScopeBuilder()
    c = builder.let("c", relay.const(one))
    twice = builder.let("twice", relay.add(c, c))
    builder.ret(builder.let("sum", relay.add(twice, x)))
    function = relay.Function([x], builder.get())
    folded = transform.FoldConstant()(relay.IRModule.from_expr(function))["main"]
    s = relay.var("s")
    expected = relay.Let(s, relay.add(relay.const(one + one), x), s)
    assert relay.structural_equal(folded, infer(relay.Function([x], expected)))


@pytest.mark.parametrize("taken", [True, False])
def test_fold_if(taken):
    c = relay.const(np.array([1, 2], "float32"))
    x = relay.var("x", shape=(2,))

    def choose(condition):
        inner = relay.If(relay.const(not taken), x, relay.add(c, c))
        return infer(relay.Function([x], relay.nn.relu(
            relay.If(condition, relay.multiply(inner, x), relay.subtract(c, x)))))

    constant = relay.equal(relay.const(1), relay.const(1 if taken else 2))
    folded = transform.FoldConstant()(relay.IRModule.from_expr(choose(constant)))["main"]
    sums = relay.const(np.array([2, 4], "float32"))
    branch = relay.multiply(sums if taken else x, x) if taken else relay.subtract(c, x)
    assert relay.structural_equal(folded, infer(relay.Function([x], relay.nn.relu(branch))))
    # A condition that is not known stays, and its branches are folded.
    cond = relay.var("cond", "bool")
    kept = transform.FoldConstant()(relay.IRModule.from_expr(
        relay.Function([cond], relay.If(cond, relay.add(c, c), c))))["main"]
    assert isinstance(kept.body, relay.If) and isinstance(kept.body.true_branch, relay.Constant)


def test_fold_of_effects():
    text = """#[version = "0.0.5"]
    def @main(%r: ref(int32)) -> int32 {
      if (True) { ref_write(%r, 7); ref_read(%r) } else { 1 }
    }
    """
    mod = transform.FoldConstant()(relay.parse(text))
    assert "if" not in str(mod) and "ref_write(%r, 7" in str(mod)


def test_fold_leaves_quantized_and_dropout_alone():
    data = relay.const(np.ones((2, 3), "float32"))
    for expr in (relay.qnn.op.quantize(data, relay.const(1.0), relay.const(0)),
                 relay.nn.dropout(data) + relay.const(1.0)):
        function = infer(relay.Function([], expr))
        mod = relay.IRModule.from_expr(function)
        assert relay.structural_equal(transform.FoldConstant()(mod)["main"], function)
    quantize = relay.IRModule.from_expr(relay.qnn.op.quantize(
        data, relay.const(1.0), relay.const(0)))
    folded = transform.FoldConstant(fold_qnn=True)(quantize)["main"].body
    assert isinstance(folded, relay.Constant) and folded.data.dtype == "int8"


def test_fold_of_expressions():
    x = relay.var("x", shape=(2,))
    c = relay.const(np.array([1, 2], "float32"))
    folded = transform.FoldConstantExpr(x + (c + c), relay.IRModule())
    assert isinstance(folded.args[1], relay.Constant)
    np.testing.assert_array_equal(folded.args[1].data, [2, 4])


@pytest.mark.parametrize("error", [None, KeyError("here"), KeyboardInterrupt()])
def test_a_pass_that_fails_leaves_the_module(error):
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.exp(x)))
    before = str(mod)

    def change(mod):
        mod["main"] = relay.Function([x], x)
        mod["other"] = relay.Function([x], x)
        if error is not None:
            raise error

    @transform.module_pass(opt_level=0)
    def on_module(mod, _):
        change(mod)

    @transform.function_pass(opt_level=0)
    def on_function(_function, mod, _):
        change(mod)

    for each in (on_module, on_function, transform.Sequential([on_module])):
        with pytest.raises(TypeError if error is None else type(error)):
            each(mod)
        assert str(mod) == before


def test_function_passes_may_add_functions():
    @relay.transform.function_pass(opt_level=0)
    def add(function, mod, _):
        mod["extra"] = relay.Function([], relay.const(1.0))
        return function

    mod = relay.IRModule.from_expr(relay.const(2.0))
    assert "main" in [var.name_hint for var in add(mod).functions]


@pytest.mark.parametrize("attribute", ["SkipOptimization=1", 'Compiler="mine"'])
def test_functions_with_attributes_stay_as_they_are(attribute):
    mod = transform.InferType()(relay.parse(f"""#[version = "0.0.5"]
        def @g(%x: Tensor[(2), float32], {attribute}) {{
          %0 = nn.dropout(%x);
          %0.0 * 1f
        }}
        def @main(%x: Tensor[(2), float32]) {{ @g(nn.relu(%x) * 1f) }}"""))
    for pass_ in (transform.SimplifyInference(), transform.SimplifyExpr(),
                  transform.EliminateCommonSubexpr(), transform.ToGraphNormalForm(),
                  transform.FoldConstant(), transform.FastMath(), transform.FuseOps()):
        after = pass_(mod)
        relay.assert_structural_equal(after["g"], mod["g"])
    simple = transform.SimplifyExpr()(mod)
    assert relay.analysis.list_op_freqs(simple["main"]) == {"nn.relu": 1}
