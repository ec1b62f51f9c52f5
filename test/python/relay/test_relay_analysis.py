"""Analyses of networks and modules, call graphs, features, visitors of types."""

import numpy as np
import pytest

from relay_mlir import relay
from relay_mlir.relay import analysis, op
from relay_mlir.relay.analysis import Feature


def infer(function):
    return relay.transform.InferType()(relay.IRModule.from_expr(function))["main"]


def test_check_constant():
    c = relay.const(1)
    assert analysis.check_constant(c) and analysis.check_constant(relay.Tuple([c, c]))
    assert not analysis.check_constant(relay.Tuple([c, relay.var("x")]))
    assert not analysis.check_constant(c + c)


def test_detect_feature():
    x, y, z = (relay.var(name, "int32") for name in "xyz")
    shared = x + x
    assert analysis.detect_feature(x) == {Feature.fVar}
    tree = {Feature.fVar, Feature.fCall, Feature.fOp}
    assert analysis.detect_feature(shared) == tree
    assert analysis.detect_feature(shared * shared) == tree | {Feature.fGraph}
    let = relay.Let(y, relay.const(1), y)
    assert analysis.detect_feature(let) == {Feature.fLet, Feature.fVar, Feature.fConstant}
    loop = relay.Let(z, relay.Function([y], z(y)), z)
    assert Feature.fLetRec in analysis.detect_feature(loop)
    assert Feature.fLetRec not in analysis.detect_feature(let)
    # What a kernel consists of does not count.
    kernel = relay.Function([x], shared, attrs={"Primitive": 1})
    assert analysis.detect_feature(kernel) == {Feature.fFunction}
    refs = relay.RefWrite(relay.RefCreate(x), relay.RefRead(relay.RefCreate(y)))
    assert analysis.detect_feature(refs) == {
        Feature.fVar, Feature.fRefCreate, Feature.fRefRead, Feature.fRefWrite}
    prelude = {Feature["f" + name] for name in (
        "Var", "GlobalVar", "Constant", "Tuple", "TupleGetItem", "Function", "Op", "Call", "Let",
        "If", "Constructor", "Match", "LetRec")}
    mod = relay.Prelude().mod
    assert analysis.detect_feature(mod) == prelude
    assert analysis.detect_feature(refs, mod) == prelude | analysis.detect_feature(refs)
    assert analysis.detect_feature(mod, refs) == analysis.detect_feature(refs, mod)


def test_basic_block_normal_form():
    cond, x = relay.var("cond", "bool"), relay.var("x", "float32")
    check = analysis.check_basic_block_normal_form
    sum_ = relay.add(x, x)
    assert check(relay.multiply(sum_, sum_)) and check(relay.Let(relay.var("y"), x, x))

    def branches(value):
        return relay.If(cond, relay.exp(value), relay.tanh(value))

    for invalid in (branches(sum_),
                    relay.Tuple([relay.Function([], relay.exp(sum_)),
                                 relay.Function([], relay.tanh(sum_))]),
                    relay.Tuple([branches(relay.const(1.0)), relay.If(cond, sum_, x), sum_])):
        with pytest.raises(relay.DiagnosticError, match="basic block normal form"):
            check(invalid)
    y = relay.var("y")
    for valid in (relay.Function([x, cond], relay.Let(y, sum_, branches(y))),
                  relay.Function([cond, x], branches(x)), branches(x),
                  relay.Tuple([sum_, relay.Function([], relay.exp(sum_))])):
        assert check(valid)
    deep: relay.Expr = x
    for _ in range(20000):
        deep = relay.exp(deep)
    assert check(deep)


def test_count_layers():
    x = relay.var("x", shape=(1, 8, 8, 8))
    w = relay.var("w", shape=(8, 8, 3, 3))

    def conv(data):
        return relay.nn.conv2d(data, w, padding=(1, 1))

    net = relay.add(conv(relay.nn.relu(conv(x))), conv(x))
    assert analysis.count_layers(net, ["nn.conv2d"]) == 2
    assert analysis.count_layers(net, ["nn.conv2d", "nn.relu", "add"]) == 4
    assert analysis.count_layers(relay.IRModule.from_expr(net), ["nn.dense"]) == 0
    # A chain of shared halves has 2**40 paths.
    for _ in range(40):
        net = relay.add(net, net)
    assert analysis.count_layers(net, ["add"]) == 41


def test_mac_count():
    x, w = relay.var("x", shape=(2, 8, 10, 10)), relay.var("w", shape=(6, 4, 3, 3))
    conv = relay.nn.conv2d(x, w, groups=2)
    assert analysis.get_total_mac_number(infer(relay.Function([x, w], conv))) == \
        2 * 6 * 8 * 8 * 9 * 4
    w = relay.var("w", shape=(8, 5, 3, 3))
    conv = relay.nn.conv2d_transpose(x, w, channels=5, kernel_size=(3, 3))
    assert analysis.get_total_mac_number(infer(relay.Function([x, w], conv))) == \
        2 * 5 * 12 * 12 * 9 * 8
    packed = relay.var("x", shape=(1, 2, 10, 10, 4))
    w = relay.var("w", shape=(1, 2, 3, 3, 4, 6))
    conv = relay.nn.contrib_conv2d_nchwc(packed, w, kernel_size=(3, 3), channels=6,
                                         data_layout="NCHW4c", kernel_layout="OIHW4i6o",
                                         out_layout="NCHW6c")
    assert analysis.get_total_mac_number(infer(relay.Function([packed, w], conv))) == 0
    a, b = relay.var("a", shape=(3, 4)), relay.var("b", shape=(5, 4))
    p, q = relay.var("p", shape=(2, 3, 4)), relay.var("q", shape=(2, 5, 4))
    both = relay.Tuple([relay.nn.dense(a, b), relay.nn.batch_matmul(p, q)])
    assert analysis.get_total_mac_number(infer(relay.Function([a, b, p, q], both))) == 60 + 120
    with pytest.raises(ValueError, match="types have been inferred"):
        analysis.get_total_mac_number(both)


def test_search_fc_transpose():
    x, u, v, w = (relay.var(name, shape=(4, 4)) for name in "xuvw")
    y = relay.nn.dense(relay.nn.dense(x, relay.transpose(u)), v)
    y = relay.nn.dense(y, relay.transpose(w, axes=[1, 0]))
    assert analysis.search_fc_transpose(y) == ["w", "u"]


def test_extract_intermediate():
    x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(3, 3, 3, 3))
    conv = relay.nn.conv2d(x, w, padding=(1, 1))
    sum_ = relay.add(conv, x)
    parts = relay.split(sum_, 3, axis=1)
    mod = relay.IRModule.from_expr(relay.add(parts[0], relay.const(1.0)))
    assert relay.structural_equal(analysis.extract_intermdeiate_expr(mod, 0),
                                  relay.IRModule.from_expr(conv))
    assert relay.structural_equal(analysis.extract_intermdeiate_expr(mod, 3),
                                  relay.IRModule.from_expr(parts[0]))
    for number in (-1, 5):
        with pytest.raises(ValueError, match="one of 5 expressions"):
            analysis.extract_intermdeiate_expr(mod, number)


def test_extract_fused_functions():
    x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
    net = relay.nn.relu(relay.nn.conv2d(x, w) + relay.const(1.0))
    net = relay.nn.softmax(relay.nn.batch_flatten(net))
    functions = analysis.extract_fused_functions(relay.IRModule.from_expr(net))
    assert len(functions) >= 2 and all(f.attrs.Primitive for f in functions.values())
    counts = analysis.list_op_freqs(relay.IRModule(functions))
    assert counts["nn.conv2d"] == 1 and counts["nn.softmax"] == 1


def test_calibration_data():
    x, y, z = (relay.var(name, shape=(4, 4)) for name in "xyz")
    mod = relay.IRModule()
    mod["both"] = relay.Function([x, y], relay.Tuple([x + y, x - y])).with_attr("Compiler", "c")
    mod["sub"] = relay.Function([x, y], x - y).with_attr("Compiler", "c")
    mod["plain"] = relay.Function([x], relay.exp(x))
    both, sub, plain = map(relay.GlobalVar, ("both", "sub", "plain"))
    first = relay.Call(both, [x, y])
    mod["main"] = relay.Function([x, y, z], plain(sub(relay.TupleGetItem(first, 0), z)))
    rng = np.random.default_rng(0)
    data = {name: rng.random((4, 4), "float32") for name in "xyz"}
    result = analysis.get_calibration_data(mod, data)
    assert set(result) == {both, sub}
    total, difference = data["x"] + data["y"], data["x"] - data["y"]
    for got, expected in [
            (result[both]["inputs"], [data["x"], data["y"]]),
            (result[both]["outputs"], [total, difference]),
            (result[sub]["inputs"], [total, data["z"]]),
            (result[sub]["outputs"], [total - data["z"]])]:
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    mod["main"] = relay.Function([x, y], sub(sub(x, y), y))
    with pytest.raises(relay.DiagnosticError, match="@sub is called again"):
        analysis.get_calibration_data(mod, data)


#===------------------------------------------------------------------------===#
# Call graphs and regions
#===------------------------------------------------------------------------===#


def test_call_graph():
    x, y, n = relay.var("x", shape=(2,)), relay.var("y", shape=(2,)), relay.var("n", "int32")
    a, b, loop = map(relay.GlobalVar, ("a", "b", "loop"))
    mod = relay.IRModule({
        a: relay.Function([x, y], x + y), b: relay.Function([x, y], a(x, y)),
        loop: relay.Function([n], loop(n), relay.scalar_type("int32")),
        "main": relay.Function([x, y], a(x, y) * b(x, y))})
    graph = analysis.CallGraph(mod)
    assert graph.module is mod
    assert [graph.ref_count(v) for v in (a, b, "main", loop)] == [2, 1, 0, 1]
    assert [graph.global_call_count(v) for v in (a, "b", "main")] == [0, 1, 2]
    assert graph.is_recursive(loop) and not graph.is_recursive("main")
    assert "#refs = 2" in graph.print_var(a) and "uses @a" in graph.print_var(b)
    text = str(graph)
    assert text.index("@main") < text.index("@b:") < text.index("@a:") and "@loop" in text
    with pytest.raises(ValueError, match="'none'"):
        graph.ref_count("none")


def regions_of(expr):
    return analysis.AnnotatedRegionSet(expr, op.get("annotation.compiler_begin"),
                                       op.get("annotation.compiler_end"))


def begin(expr, target="mine"):
    return op.annotation.compiler_begin(expr, target)


def end(expr, target="mine"):
    return op.annotation.compiler_end(expr, target)


def test_annotated_regions():
    data = relay.var("data", shape=(10, 10))
    b1 = begin(data)
    o1 = relay.abs(b1)
    e1, e2 = end(o1), end(o1)
    b2 = begin(e1)
    o2 = relay.nn.relu(b2)
    e3 = end(o2)
    bd = begin(e2, "default")
    od = relay.tanh(bd)
    ed = end(od, "default")
    b3, b4 = begin(e3), begin(ed)
    o3 = relay.add(b3, b4)
    pair = relay.Tuple([o3, o3])
    e4 = end(pair)
    regions = regions_of(relay.Function([data], e4))
    assert len(regions) == 4
    for target, args, nodes, rets in [
            ("mine", [b1], [b1, o1, e1, e2], [e1, e2]), ("mine", [b2], [b2, o2, e3], [e3]),
            ("default", [bd], [bd, od, ed], [ed]),
            ("mine", [b3, b4], [b3, b4, o3, pair, e4], [e4])]:
        region = regions.get_region(args[0])
        assert region.target == target and region in list(regions)
        assert set(region.args) == set(args) and set(region.nodes) == set(nodes)
        assert set(region.rets) == set(rets)
    assert regions.get_region(data) is None
    assert len({region.id for region in regions}) == 4
    with pytest.raises(relay.DiagnosticError, match="after one that begins it"):
        regions_of(end(data))
    with pytest.raises(relay.DiagnosticError, match="of 'mine', but got one of 'other'"):
        regions_of(end(relay.abs(begin(data)), "other"))
    with pytest.raises(relay.DiagnosticError, match="all operands in a region"):
        regions_of(relay.add(begin(data), data))


#===------------------------------------------------------------------------===#
# Modules and visitors
#===------------------------------------------------------------------------===#


def test_module_methods():
    x = relay.var("x", shape=(2,))
    f, g, h = map(relay.GlobalVar, "fgh")
    mod = relay.IRModule({g: relay.Function([x], x), f: relay.Function([x], g(g(x)))})
    assert [var.name_hint for var, _ in mod.functions_items()] == ["f", "g"]
    copy = mod.clone()
    copy["h"] = relay.Function([x], x)
    assert "h" not in mod and copy[f] is mod[f]
    assert mod.same_as(mod) and not mod.same_as(copy)
    renamed = mod.replace_global_vars({g: "h", "f": "main"})
    assert [v.name_hint for v in renamed.functions] == ["h", "main"]
    assert relay.structural_equal(renamed["main"], relay.Function([x], h(h(x))))
    assert g in mod and relay.structural_equal(mod[f], relay.Function([x], g(g(x))))
    swapped = mod.replace_global_vars({"f": "g", "g": "f"})
    assert relay.structural_equal(swapped["g"], relay.Function([x], f(f(x))))
    with pytest.raises(ValueError, match="two would be 'f'"):
        mod.replace_global_vars({g: f})
    with_attrs = mod.with_attrs({"a": 1, "b": "two"}).with_attrs(
        relay.attrs.make_node("DictAttrs", c=3))
    assert with_attrs.attrs == {"a": 1, "b": "two", "c": 3} and not mod.attrs
    assert with_attrs.without_attr("a").attrs == {"b": "two", "c": 3}
    assert with_attrs.get_attr("a") == 1 and with_attrs.without_attr("none") is not with_attrs
    assert not relay.structural_equal(mod, with_attrs)
    mod.update_global_info("vdevice", ["cpu"])
    assert mod.global_infos == {"vdevice": ["cpu"]} == mod.clone().global_infos


def test_functors_of_types():
    a, tree = relay.TypeVar("A"), relay.GlobalTypeVar("Tree")
    t = relay.TensorType((1, 2))
    data = relay.TypeData(tree, [a], [relay.Constructor("Leaf", [a, t], tree)])
    seen = []

    class Collect(relay.TypeVisitor):

        def visit_tensor_type(self, type_):
            seen.append(type_)

    for value in (a, tree, t, relay.TupleType([t]), relay.FuncType([t], a, [a]), tree(t),
                  relay.RefType(t), relay.IncompleteType(), data):
        with pytest.raises(NotImplementedError):
            relay.TypeFunctor().visit(value)
        Collect().visit(value)
        assert relay.structural_equal(relay.TypeMutator().visit(value), value)
    assert seen == [t] * 6
    with pytest.raises(TypeError, match="expects a type"):
        relay.TypeFunctor().visit(relay.const(1))

    class Wide(relay.TypeMutator):

        def visit_tensor_type(self, type_):
            return relay.TensorType(type_.shape, "float64")

    wide = Wide().visit(data)
    assert wide.constructors[0].inputs == [a, relay.TensorType((1, 2), "float64")]
    assert wide.header == tree and data.constructors[0].inputs == [a, t]


def test_functors_of_expressions():
    g = relay.GlobalVar("g")
    with pytest.raises(NotImplementedError, match="visit_global_var"):
        relay.ExprFunctor().visit_global_id(g)
    assert relay.ExprMutator().visit_global_id(g) is g
