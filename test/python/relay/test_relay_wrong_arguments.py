"""Wrong arguments raise errors that say which one is wrong, and what it should be."""

import pathlib
import subprocess
import sys
from typing import Any

import pytest

import relay_mlir
import relay_mlir.relay
import relay_mlir.relay.ir

# Not the modules, for checkers of types: what they would say of the calls is true.
rm: Any = relay_mlir
relay: Any = relay_mlir.relay
analysis, transform = relay.analysis, relay.transform

BIG = 2**70
X = relay.var("x", shape=(2, 3))
MOD = relay.IRModule.from_expr(relay.Function([X], X + X))


def test_every_function(tmp_path):
    """No public function answers with errors of pybind11, or from inside."""
    script = pathlib.Path(__file__).with_name("wrong_arguments.py")
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True,
                            text=True, check=False, timeout=600)
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("call,error,message", [
    (lambda: relay.GlobalVar(None), TypeError, "expects 'name_hint' to be a string, but got None"),
    (lambda: relay.GlobalVar("\ud800"), ValueError, "'name_hint' to be text, but got"),
    (lambda: relay.TupleGetItem(X, "q"), TypeError,
     "expects 'index' to be an integer, but got 'q'"),
    (lambda: relay.TupleGetItem(X, BIG), OverflowError, "'index' to be an integer of 64 bits"),
    (lambda: relay.TupleGetItem(X), TypeError, "expects 'index', but it is missing"),
    (lambda: relay.TupleGetItem(X, 1, 2), TypeError, "at most 2 arguments, but got 3"),
    (lambda: relay.TupleGetItem(X, index=1, other=2), TypeError, "no argument 'other'"),
    (lambda: relay.TupleGetItem(X, 1, index=1), TypeError, "'index' once, but got it twice"),
    (lambda: relay.Match(X, [None]), TypeError, "'clauses' to be a list whose entries are each"),
    (lambda: relay.Match(X, [], "yes"), TypeError, "'complete' to be a bool, but got 'yes'"),
    (lambda: relay.PatternVar(None), TypeError, "'var' to be a Var, but got None"),
    (lambda: relay.TypeData(relay.GlobalTypeVar("T"), [], [None]), TypeError,
     "each entry of 'constructors' to be a Constructor, but got None"),
    (lambda: relay.TensorType((BIG,)), OverflowError, "a size to be an integer of 64 bits"),
    (lambda: relay.TensorType(("n",)), TypeError, "a size to be an integer, but got 'n'"),
    (lambda: relay.TypeVar("T", "kind"), TypeError, "'kind' to be an integer, but got 'kind'"),
    (lambda: relay.TupleType(3), TypeError, "a list of types, but got 3"),
    (lambda: relay.Call(X, 3), TypeError, "a list of expressions, but got 3"),
    (lambda: relay.Function(X, X), TypeError, "a list of variables, but got"),
    (lambda: relay.Call(X, [X], {3: 4}), TypeError,
     "name of an attribute to be a string, but got 3"),
    (lambda: relay.Call(X, [X], {"a": BIG}), OverflowError, "an attribute to be an integer of 64"),
    (lambda: relay.Call(X, [X], {"a": [BIG]}), OverflowError, "an attribute to be an integer"),
    (lambda: relay.Call(X, [X], {"a": object()}), TypeError, "expects an attribute .*, but got"),
    (lambda: relay.Function([X], X).with_attr("a", BIG), OverflowError, "an attribute to be"),
    (lambda: relay.Tuple([X], span=relay.Span(None, -1, 1, 1, 1)), ValueError,
     "lines and columns that are numbers of 32 bits"),
    (lambda: relay.astext(None), TypeError, "an expression of Relay, but got None"),
    (lambda: relay.parse(3), TypeError, "the source to be a string, but got 3"),
    (lambda: relay.parse("", init_module="x"), TypeError, "init_module to be a relay.IRModule"),
    (lambda: rm.parse(None), TypeError, "text to be a string, but got None"),
    (lambda: rm.load(3), TypeError, "path to be a path, but got 3"),
    (lambda: rm.set_num_threads("all"), TypeError, "'count' to be an integer, but got 'all'"),
    (lambda: rm.set_num_threads(2**40), OverflowError, "'count' to be an integer of 32 bits"),
    (lambda: rm.get_num_threads(1), TypeError, "at most 0 arguments, but got 1"),
    (lambda: rm.tir.kernels(3), TypeError, "a relay_mlir.IRModule or text of MLIR, but got 3"),
    (lambda: relay.const(1, "number"), TypeError,
     "a data type such as 'float32', but got 'number'"),
    (lambda: relay.const([[1], [1, 2]]), ValueError, "at one level have the same length"),
    (lambda: relay.IRModule({"main": X, "f": 3}), TypeError, "a function or a type definition"),
    (lambda: relay.IRModule("main"), TypeError, "functions to be a dict, but got 'main'"),
    (lambda: relay.CallWithFields(X, args=[]), TypeError, "the expression to be a Call, but got"),
    (lambda: relay.create_executor("debug", 3), TypeError, "but got 3"),
    (lambda: relay.create_executor().evaluate(1), TypeError, "an expression of Relay, but got 1"),
    (lambda: relay.loops.while_loop(None, [X], lambda x: [x]), TypeError, "cond to be a function"),
])
def test_nodes_and_programs(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_modules_that_hold_anything():
    mod = relay.IRModule()
    mod.functions[relay.GlobalVar("main")] = None
    with pytest.raises(TypeError, match="'main' of the module to be a Function, but got None"):
        relay.transform.InferType()(mod)
    mod = relay.IRModule()
    mod.type_definitions[relay.GlobalTypeVar("T")] = None
    with pytest.raises(TypeError, match="a type definition of the module to be a TypeData"):
        mod.astext()


def test_values_inside_of_themselves():
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        relay.Call(X, [X], {"a": loop})
    with pytest.raises(RecursionError):
        relay.Tuple(loop)
    entries: dict[str, Any] = {}
    entries["a"] = entries
    with pytest.raises(RecursionError):
        relay.Call(X, [X], entries)


@pytest.mark.parametrize("function", [
    lambda value: relay.ir.structural_equal(value, value), relay.ir.structural_hash,
    relay.ir.save_json], ids=["equal", "hash", "save_json"])
def test_containers_inside_of_themselves(function):
    """No end would be found; what is in two places is no circle."""
    loop: list[Any] = [X]
    entries: dict[str, Any] = {}
    twice = [X]
    loop.append((1, {"a": loop}))
    entries["a"] = [entries]
    for value, kind in ((loop, "list"), (entries, "dict"), ([1, loop], "list")):
        with pytest.raises(ValueError, match=f"finite, but got a {kind} that holds itself"):
            function(value)
    function([twice, twice, {"a": twice}])


def test_long_values_are_cut():
    with pytest.raises(TypeError) as error:
        analysis.CallGraph("x" * 10000)
    assert len(str(error.value)) < 400
    with pytest.raises(TypeError) as error:
        relay.GlobalVar(["x"] * 10000)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("call,error,message", [
    (lambda: relay.reshape(X, "x"), TypeError,
     "reshape: expects attribute 'newshape' to be integers"),
    (lambda: relay.reshape(X, BIG), OverflowError,
     "attribute 'newshape' to be integers of 64 bits"),
    (lambda: relay.nn.conv2d(X, X, strides="x"), TypeError,
     "conv2d: 'strides': expects an integer"),
    (lambda: relay.nn.conv2d(X, X, data_layout=3), TypeError,
     "'data_layout' to be a string, but got 3"),
    (lambda: relay.nn.conv2d(X, X, channels=[1, 2]), TypeError, "'channels' to be an integer"),
    (lambda: relay.sum(X, keepdims="no"), TypeError, "'keepdims' to be a bool, but got 'no'"),
    (lambda: relay.nn.leaky_relu(X, "x"), TypeError, "'alpha' to be a number, but got 'x'"),
    (lambda: relay.nn.pad(X, 3), TypeError, "'pad_width' to be pairs of integers, but got 3"),
    (lambda: relay.cast(X, object()), TypeError, "'dtype' to be a dtype, but got"),
    (lambda: relay.split(X, "x"), TypeError, "split: 'indices_or_sections': expects an integer"),
    (lambda: relay.strided_set(X, X, "x", [1]), TypeError,
     "strided_set: 'begin': expects an integer"),
    (lambda: relay.op.get(None), TypeError, "op_name to be a string, but got None"),
    (lambda: relay.op.memory.to_tuple_type(relay.TupleType([]), [X]), ValueError, "0 expressions"),
    (lambda: relay.op.random.threefry_key(-1), ValueError, "seed to be 0 or more, but got -1"),
])
def test_operators(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("call,message", [
    (lambda: analysis.CallGraph(None), "module to be a relay.IRModule, but got None"),
    (lambda: analysis.unmatched_cases(X), "match to be a Match, but got"),
    (lambda: analysis.unmatched_cases(relay.Match(X, []), 3),
     "mod to be a relay.IRModule, but got 3"),
    (lambda: analysis.extract_fused_functions(None), "a relay.IRModule, but got None"),
    (lambda: analysis.extract_intermdeiate_expr({}, 0), "mod to be a relay.IRModule"),
    (lambda: analysis.extract_intermdeiate_expr(MOD, "0"), "expr_id to be an integer, but got '0'"),
    (lambda: analysis.get_calibration_data(None, {}), "a relay.IRModule, but got None"),
    (lambda: analysis.count_layers(X, "nn.dense"), "valid_ops to be a list of names"),
    (lambda: analysis.count_layers([], 3), "valid_ops to be a list of names, but got 3"),
    (lambda: analysis.post_order_visit(X, None), "fvisit to be a function, but got None"),
    (lambda: analysis.AnnotatedRegionSet(X, None, None), "region_begin_op to be an operator"),
    (lambda: analysis.check_kind("x"), "expects a type, but got 'x'"),
    (lambda: analysis.free_vars(None), "an expression of Relay, but got None"),
    (lambda: analysis.list_op_freqs(3), "an expression of Relay, but got 3"),
])
def test_analyses(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("arguments,error,message", [
    ({"opt_level": "3"}, TypeError, "opt_level to be an integer, but got '3'"),
    ({"required_pass": ["Nope"]}, ValueError, "required_pass to be names of passes .*FoldConstant.*"
     "but got 'Nope'"),
    ({"disabled_pass": ["FoldConstnat"]}, ValueError, "but got 'FoldConstnat'"),
    ({"required_pass": "InferType"}, TypeError, "required_pass to be a list of names"),
    ({"instruments": 3}, TypeError, "instruments to be a list of instruments, but got 3"),
    ({"instruments": [None]}, TypeError, "instruments to have any of the methods "
     "enter_pass_ctx, .*, but got None"),
    ({"config": {"nope": 1}}, AttributeError, "an option of passes .*, but got 'nope'"),
    ({"config": ["tir.noalias"]}, TypeError, "config to be a dict"),
    ({"config": {"relay.FuseOps.max_depth": "1"}}, TypeError,
     "the option relay.FuseOps.max_depth to be an integer, but got '1'"),
])
def test_pass_contexts(arguments, error, message):
    with pytest.raises(error, match=message):
        relay.PassContext(**arguments)


def test_names_of_passes():
    """Those of TVM, of lower layers, and of the program are known."""

    @transform.module_pass
    class OfTheProgram:
        def transform_module(self, mod, _):
            return mod

    names = ["AlterOpLayout", "tir.UnrollLoop", "OfTheProgram", "QnnLegalize"]
    assert relay.PassContext(disabled_pass=names, required_pass=names).disabled_pass == names
    options = {"tir.noalias": True, "tir.UnrollLoop": {}, "relay.backend.tir_converter": "default"}
    assert relay.PassContext(config=options).config == options


@pytest.mark.parametrize("call,error,message", [
    (lambda: transform.RemoveUnusedFunctions("main"), TypeError,
     "entry_functions to be a list of names"),
    (lambda: transform.RemoveUnusedFunctions(["mian"])(MOD), ValueError, "no function 'mian'"),
    (lambda: transform.RemoveUnusedFunctions()(relay.IRModule()), ValueError, "no function 'main'"),
    (lambda: transform.ConvertLayout(None), TypeError, "desired_layouts to be a dict of layouts"),
    (lambda: transform.ConvertLayout({"nn.conv2d": 3}), TypeError,
     "the layouts of nn.conv2d to be"),
    (lambda: transform.ConvertLayout({3: "NHWC"}), TypeError, "name of an operator to be a string"),
    (lambda: transform.Sequential([3]), TypeError, "each of passes to be a pass, but got 3"),
    (lambda: transform.Sequential(3), TypeError, "passes to be a list of passes, but got 3"),
    (lambda: transform.PassInfo("x", "1"), TypeError, "opt_level to be an integer, but got '1'"),
    (lambda: transform.infer_types(None), TypeError, "mod to be a relay.IRModule, but got None"),
    (lambda: transform.infer_expr(X, "x"), TypeError, "mod to be a relay.IRModule, but got 'x'"),
    (lambda: transform.InferTypeLocal([]), TypeError, "expr to be an expression"),
    (lambda: transform.ApplyPassToFunction(None, "x"), TypeError, "transform to be a pass"),
])
def test_passes(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("shape,error,message", [
    (None, TypeError, "shape to be a list of sizes, but got None"),
    ("ab", TypeError, "shape to be a list of sizes, but got 'ab'"),
    (("a",), TypeError, "a size to be an integer, but got 'a'"),
    ((-1,), ValueError, "sizes that are not negative, but got -1"),
    ((1.5,), TypeError, "a size to be an integer, but got 1.5"),
])
def test_arrays_of_tensors(shape, error, message):
    prelude = relay.Prelude(relay.IRModule())
    with pytest.raises(error, match=message):
        relay.prelude.StaticTensorArrayOps(prelude, "float32", shape)
    with pytest.raises(error, match=message):
        prelude.register_static_tensor_array("float32", shape)
    with pytest.raises(TypeError, match="a data type such as 'float32', but got 'number'"):
        relay.prelude.TensorArrayOps(prelude, "number")
    with pytest.raises(TypeError, match="prelude to be a Prelude, but got None"):
        relay.prelude.StaticTensorArrayOps(None, "float32", (1,))


@pytest.mark.parametrize("name", ["let", "fn", "if", "match", "ref", "ref_read", "free_var", "type",
                                  "def", "extern", "else", "_", "True", "False", "inff"])
def test_words_of_the_text_format(name):
    with pytest.raises(ValueError, match="no word of the text format"):
        relay.op.op.register(name)


def test_what_is_said_of_operators():
    relay.op.op.register("wrong.operator")
    op = relay.op.get("wrong.operator")
    with pytest.raises(TypeError, match="the number of operands to be an integer, but got '1'"):
        op.set_num_inputs("1")
    for number in (-2, BIG):
        with pytest.raises(ValueError, match="the number of operands from -1 to 65536, but got"):
            op.set_num_inputs(number)
    with pytest.raises(TypeError, match="level to be an integer"):
        op.set_support_level("3")
    with pytest.raises(ValueError, match="level to be 1 or more, but got 0"):
        relay.op.register_compute("wrong.operator", print, level=0)
    with pytest.raises(TypeError, match="type_rel_func to be a function, but got 3"):
        op.add_type_rel("mine", 3)
