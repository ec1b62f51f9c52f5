"""Nodes as JSON, functions by name, symbolic sizes, and `tvm.ir`."""

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay import ir, sizes


def round_trip(value):
    return ir.load_json(ir.save_json(value))


def network():
    x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
    y = relay.nn.conv2d(x, w, padding=(1, 1), groups=1, channels=4, kernel_size=(3, 3))
    y = relay.nn.max_pool2d(relay.nn.relu(y), pool_size=(2, 2), strides=(2, 2), ceil_mode=True)
    parts = relay.split(relay.clip(y, -1.5, 6.0), 2, axis=1)
    y = relay.concatenate([parts[0], relay.cast(parts[1], "float32")], axis=-1)
    y = relay.take(y, relay.const(np.array([0, 2], "int64")), axis=3)
    y = relay.reshape(relay.mean(y, axis=[2], keepdims=True), (1, -1))
    y = relay.nn.dense(y, relay.const(np.ones((5, 4), "float32")), units=5)
    return relay.Function([x, w], relay.strided_slice(y, [0, 1], [1, 4]))


def test_networks():
    function = network()
    again = round_trip(function)
    assert relay.structural_equal(again, function)
    typed = relay.transform.InferType()(relay.IRModule.from_expr(function))
    assert relay.structural_equal(relay.transform.InferType()(round_trip(typed)), typed)
    mod, _ = relay.testing.mobilenet.get_workload(batch_size=1)
    assert relay.structural_equal(round_trip(mod), mod)


def test_language():
    mod = relay.Prelude().mod
    mod.import_from_std("nat.rly")
    again = round_trip(mod)
    assert relay.structural_equal(again, mod)
    assert again.type_definitions.keys() == mod.type_definitions.keys()
    assert [c.tag for c in again[relay.GlobalTypeVar("List")].constructors] == \
        [c.tag for c in mod[relay.GlobalTypeVar("List")].constructors]
    x, r = relay.var("x", "int32"), relay.var("r")
    refs = relay.Let(r, relay.RefCreate(x), relay.RefWrite(r, relay.RefRead(r)))
    assert relay.structural_equal(round_trip(relay.Function([x], refs)),
                                  relay.Function([x], refs))
    mod = relay.IRModule({"main": relay.Function([x], x).with_attr("Compiler", "c")},
                         attrs={"level": 2})
    again = round_trip(mod)
    assert again.attrs == {"level": 2} and again["main"].attrs.Compiler == "c"


def test_sharing_and_depth():
    x = relay.var("x", shape=(2,))
    shared: relay.Expr = x
    for _ in range(20000):
        shared = relay.add(shared, shared)
    again = round_trip(shared)
    assert again.args[0] is again.args[1]
    assert relay.structural_equal(again, shared, map_free_vars=True)
    pair = round_trip([x, relay.Tuple([x, relay.const(1)])])
    assert pair[0] is pair[1].fields[0]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint8", "int64",
                                   "bool", "float64"])
def test_constants(dtype):
    constant = relay.const(np.array([[0, 1, 2], [3, 1, 0]]), dtype)
    again = round_trip(constant)
    assert again.data.dtype == constant.data.dtype
    np.testing.assert_array_equal(again.data, constant.data)
    assert round_trip(relay.const(True)).data.shape == ()


def test_types_and_containers():
    a, tree = relay.TypeVar("A"), relay.GlobalTypeVar("Tree")
    t = relay.TensorType((1, relay.Any()), "int8")
    for value in (a, tree, t, relay.FuncType([a], relay.TupleType([t]), [a]), tree(t),
                  relay.RefType(t), relay.op.get("add"), relay.GlobalVar("g")):
        assert relay.structural_equal(round_trip(value), value, map_free_vars=True)
    kind = relay.TypeKind.ShapeVar
    assert round_trip(relay.TypeVar("S", kind)).kind == kind
    assert round_trip({"a": [1, 2.5, "x", None, True]}) == {"a": [1, 2.5, "x", None, True]}
    assert round_trip([]) == [] and round_trip({}) == {} and round_trip("") == ""
    attrs = ir.make_node("attrs.TestAttrs", name="attr", padding=(3, 4))
    assert round_trip(attrs) == attrs
    n = sizes.size_var("n")
    assert round_trip(n).name == "n" and isinstance(round_trip(n), sizes.SizeVar)


def test_types_of_expressions():
    typed = relay.transform.InferType()(relay.IRModule.from_expr(network()))["main"]
    again = round_trip(typed)
    assert again.checked_type == typed.checked_type
    found, expected = [], []
    relay.post_order_visit(again, lambda node: found.append(node._checked_type))
    relay.post_order_visit(typed, lambda node: expected.append(node._checked_type))
    assert found == expected and sum(type_ is not None for type_ in found) > 10
    # A type is one node, however many expressions have it.
    x = relay.var("x", shape=(7,))
    deep: relay.Expr = x
    for _ in range(50):
        deep = relay.add(deep, x)
    nodes = json.loads(ir.save_json(relay.transform.infer_expr(relay.Function([x], deep))))["nodes"]
    assert sum(node["type_key"] == "relay.TensorType" for node in nodes) == 1


def copies(value):
    return copy.deepcopy(value), pickle.loads(pickle.dumps(value))


def test_copies():
    mod = relay.transform.InferType()(relay.IRModule.from_expr(network()))
    for again in copies(mod):
        assert relay.structural_equal(again, mod)
        assert again["main"].checked_type == mod["main"].checked_type
        assert again["main"].params[0] is not mod["main"].params[0]
        relay.build(again, "llvm")
    assert mod.get_attrs() is None
    assert mod.with_attr("level", 2).get_attrs() == tvm.ir.DictAttrs({"level": 2})
    shallow = copy.copy(mod)
    shallow["other"] = mod["main"]
    assert "other" not in mod
    a, data = relay.TypeVar("A"), relay.Prelude().mod[relay.GlobalTypeVar("List")]
    x, call = relay.var("x", shape=(2,)), mod["main"].body
    for value in (x, call, mod["main"], relay.const([1, 2]), relay.Tuple([x, x]),
                  relay.Let(x, relay.const(1), x), relay.If(x, x, x), relay.RefCreate(x),
                  relay.op.get("add"), relay.GlobalVar("g"), relay.TensorType((relay.Any(), 2)),
                  relay.FuncType([a], a, [a]), data, data.constructors[0],
                  relay.PatternConstructor(data.constructors[0], [relay.PatternVar(x)])):
        assert copy.copy(value) is value
        for again in copies(value):
            assert type(again) is type(value)
            if isinstance(value, (relay.Expr, relay.Type)):
                assert relay.structural_equal(again, value, map_free_vars=True)
    assert copy.deepcopy(relay.op.get("add")) is relay.op.get("add")
    for attrs in (call.attrs, mod["main"].with_attr("a", 1).attrs):
        for again in copies(attrs):
            assert again == attrs and type(again) is type(attrs)


# What TVM 0.18 writes for add(%x, 2f) with %x: Tensor[(3, 4), float32], inferred.
WRITTEN: dict[str, Any] = {
    "root": 1, "nodes": [
        {"type_key": ""},
        {"type_key": "relay.Call", "attrs": {
            "_checked_type_": "7", "args": "3", "attrs": "0", "op": "2", "span": "0",
            "type_args": "12", "virtual_device_": "0"}},
        {"type_key": "Op", "repr_str": "add"},
        {"type_key": "Array", "data": [4, 11]},
        {"type_key": "relay.Var", "attrs": {
            "_checked_type_": "7", "span": "0", "type_annotation": "7", "vid": "5",
            "virtual_device_": "0"}},
        {"type_key": "relay.Id", "attrs": {"name_hint": "6"}},
        {"type_key": "runtime.String", "repr_str": "x"},
        {"type_key": "relay.TensorType", "attrs": {"dtype": "float32", "shape": "8", "span": "0"}},
        {"type_key": "Array", "data": [9, 10]},
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "3"}},
        {"type_key": "IntImm", "attrs": {"dtype": "int32", "span": "0", "value": "4"}},
        {"type_key": "relay.Constant", "attrs": {
            "_checked_type_": "0", "data": "0", "span": "0", "virtual_device_": "0"}},
        {"type_key": "Array"}],
    "b64ndarrays": ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAAAAAAIgAQAEAAAAAAAAAAAAAEA="],
    "attrs": {"tvm_version": "0.18.0"}}


def test_reads_what_others_write():
    call = ir.load_json(json.dumps(WRITTEN))
    assert call.checked_type == relay.TensorType((3, 4), "float32")
    x = relay.var("x", shape=(3, 4))
    assert relay.structural_equal(call, relay.add(x, relay.const(2.0)), map_free_vars=True)
    # And writes the same tensors.
    assert json.loads(ir.save_json(relay.const(2.0)))["b64ndarrays"] == WRITTEN["b64ndarrays"]


def test_numbers_are_not_taken_for_nodes():
    # groups is a plain number, and node 9 a number as well; channels is a node.
    nodes = [dict(node) for node in WRITTEN["nodes"]]
    nodes[2] = {"type_key": "Op", "repr_str": "nn.conv2d"}
    nodes[1] = {"type_key": "relay.Call", "attrs": {**nodes[1]["attrs"], "attrs": "13"}}
    nodes.append({"type_key": "relay.attrs.Conv2DAttrs", "attrs": {
        "channels": "9", "groups": "9", "data_layout": "NCHW", "dilation": "8",
        "kernel_layout": "OIHW", "kernel_size": "0", "out_dtype": "void", "out_layout": "",
        "padding": "8", "strides": "8", "auto_scheduler_rewritten_layout": "",
        "meta_schedule_original_shape": "0"}})
    attrs = ir.load_json(json.dumps({**WRITTEN, "nodes": nodes})).attrs
    assert attrs.groups == 9 and attrs.channels == 3 and attrs.strides == [3, 4]
    assert attrs.kernel_size is None and attrs.out_dtype is None and attrs.out_layout == ""
    assert "meta_schedule_original_shape" not in attrs


def test_reads_older_versions():
    nodes = [{"type_key": ""},
             {"type_key": "relay.TypeVar", "attrs": {"kind": "0", "span": "0", "var": "2"}},
             {"type_key": "Variable", "attrs": {"dtype": "int32", "name": "in0"}},
             {"type_key": "relay.Op", "global_key": "nn.conv2d"},
             {"type_key": "relay.GlobalVar", "attrs": {"name_hint": "x", "span": "0"}},
             {"type_key": "StrMap", "keys": ["z"], "data": [4]}]

    def load(root):
        return ir.load_json(json.dumps({"root": root, "nodes": nodes}))

    assert isinstance(load(1), relay.TypeVar) and load(1).name_hint == "in0"
    assert load(3) == relay.op.get("nn.conv2d") and load(4) == relay.GlobalVar("x")
    assert load(5) == {"z": relay.GlobalVar("x")}


@pytest.mark.parametrize("document,message", [
    ([], "a table of nodes"), ({"nodes": [{}], "root": 7}, "number of a node, but got 7"),
    ({"nodes": [{}, {"type_key": "te.Tensor"}], "root": 1}, "of Relay, but got 'te.Tensor'"),
    ({"nodes": [{}, {"type_key": "Array", "data": [1]}], "root": 1}, "without cycles"),
    ({"nodes": [{}, {"type_key": "relay.Constant", "attrs": {"data": "3"}}], "root": 1},
     "number of a tensor, but got 3"),
    ({"nodes": [{}, {"type_key": "relay.Let", "attrs": {}}], "root": 1}, "JSON of nodes"),
    ({"nodes": [{}, {"type_key": "Op", "repr_str": "nothing"}], "root": 1}, "'nothing'"),
    ({"nodes": [{}, {"type_key": "relay.Constant", "attrs": {"data": "0"}}], "root": 1,
      "b64ndarrays": ["P6G0lvBAXt0AAAAA"]}, "JSON of nodes"),
])
def test_malformed(document, message):
    with pytest.raises(ValueError, match=message):
        ir.load_json(json.dumps(document))


def test_not_nodes():
    with pytest.raises(TypeError, match="a node of Relay"):
        ir.save_json(object())
    with pytest.raises(ValueError):
        ir.load_json("{")


#===------------------------------------------------------------------------===#
# tvm.ir
#===------------------------------------------------------------------------===#


def test_functions_by_name():
    broadcast = ir.EnvFunc.get("tvm.relay.type_relation.Broadcast")
    assert broadcast is ir.EnvFunc.get("tvm.relay.type_relation.Broadcast")
    assert broadcast != ir.EnvFunc.get("tvm.relay.type_relation.Identity")
    assert broadcast(relay.TensorType((3, 1)), relay.TensorType((4,))) == relay.TensorType((3, 4))
    with pytest.raises(ValueError, match="no registered function 'none'"):
        ir.EnvFunc.get("none")

    @tvm.register_func("test.twice", override=True)
    def twice(value):
        return 2 * value

    assert ir.EnvFunc.get("test.twice")(4) == 8 and tvm.get_global_func("test.twice") is twice
    with pytest.raises(ValueError, match="registered already"):
        tvm.register_func("test.twice", twice)
    assert tvm.get_global_func("none", allow_missing=True) is None


def test_names():
    assert tvm.ir is ir and ir.FuncType is relay.FuncType and ir.Op is relay.Op
    for name in ("TypeVar", "GlobalVar", "Span", "Map", "Array", "DictAttrs", "Constructor",
                 "TypeData", "PassContext", "RelayExpr", "ExprVisitor"):
        assert getattr(ir, name) is not None
    assert ir.instrument is relay.instrument and ir.transform is relay.transform
    assert not hasattr(ir, "nothing")


def test_symbolic_sizes():
    n, m = tvm.te.size_var("n"), tvm.tir.Var("m", "int64")
    t = relay.TensorType((n, 4, n + 1), "float32")
    assert t.shape[0] is n and t.shape[1] == 4 and str(t.shape[2]) == "(n + 1)"
    assert str(2 * n - m // 3 % 5) == "((2 * n) - ((m // 3) % 5))"
    with pytest.raises(TypeError, match="known sizes"):
        t.concrete_shape  # pylint: disable=pointless-statement
    # The program knows it as an unknown size.
    assert t == relay.TensorType((relay.Any(), 4, relay.Any()))
    x = relay.var("x", relay.TensorType((n, 3, 224, 224)))
    y = relay.nn.conv2d(x, relay.var("w"), channels=2, kernel_size=(3, 3), padding=(1, 1))
    mod = relay.transform.InferType()(relay.IRModule.from_expr(y))
    assert mod["main"].ret_type == relay.TensorType((n, 2, 224, 224))
    assert relay.structural_equal(relay.TensorType((n,)), relay.TensorType((n,)))
    assert relay.TensorType((tvm.tir.IntImm("int64", 3), 2)) == relay.TensorType((3, 2))
    a, b = relay.var("x", shape=(n, 4)), relay.var("y", shape=(1, 4))
    total = relay.create_executor("debug").evaluate(relay.Function([a, b], a + b))
    np.testing.assert_array_equal(total(np.ones((3, 4), "f"), np.ones((1, 4), "f")),
                                  np.full((3, 4), 2))
