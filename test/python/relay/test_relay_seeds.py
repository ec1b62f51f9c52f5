"""Programs of TVM's tutorials and talks, with other import lines only.

What the notebooks print is compared up to white space.
"""

import re
from typing import Any

import numpy
import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay
from relay_mlir.relay import transform
import relay_mlir.relay.testing
import relay_mlir.relay.op
from relay_mlir.relay.expr_functor import ExprMutator


def words(text):
    return re.sub(r"\s+", " ", str(text)).strip()


def check(actual, expected):
    assert words(actual) == words(expected)


@pytest.fixture
def text_v001():
    relay.set_text_version("v0.0.1")
    yield
    relay.set_text_version("0.0.5")


#===------------------------------------------------------------------------===#
# "Relay: an Extensible Deep Learning IR", 2019
#===------------------------------------------------------------------------===#


def test_tutorial_language(text_v001):
    # A single Relay variable, the string is just a hint
    x = relay.var('x')
    # A Relay variable with a different dtype, defaults to float32.
    x = relay.var('x', dtype='int32')
    # A Relay variable with a different shape.
    x = relay.var('x', shape=(10, 1))

    w = relay.op.add(x, x)
    check(w, """v0.0.1
        free_var %x: Tensor[(10, 1), float32]
        add(%x, %x)""")
    z = x + x
    check(z, """v0.0.1
        free_var %x: Tensor[(10, 1), float32]
        add(%x, %x)""")
    f = relay.Function([x], z)
    check(f, """v0.0.1
        fn (%x: Tensor[(10, 1), float32]) {
          add(%x, %x)
        }""")
    mod = relay.Module({})
    fname = relay.GlobalVar('f')
    mod[fname] = f
    check(mod, """v0.0.1
        def @f(%x: Tensor[(10, 1), float32]) -> Tensor[(10, 1), float32] {
          add(%x, %x) /* ty=Tensor[(10, 1), float32] */
        }""")


MLP = """v0.0.1
fn (%data: Tensor[(1, 1, 28, 28), float32], %fc1_weight: Tensor[(128, 784), float32], %fc1_bias: Tensor[(128,), float32], %fc2_weight: Tensor[(64, 128), float32], %fc2_bias: Tensor[(64,), float32], %fc3_weight: Tensor[(10, 64), float32], %fc3_bias: Tensor[(10,), float32]) -> Tensor[(1, 10), float32] {
  %0 = nn.batch_flatten(%data) /* ty=Tensor[(1, 784), float32] */
  %1 = nn.dense(%0, %fc1_weight, units=128) /* ty=Tensor[(1, 128), float32] */
  %2 = nn.bias_add(%1, %fc1_bias, axis=-1) /* ty=Tensor[(1, 128), float32] */
  %3 = nn.relu(%2) /* ty=Tensor[(1, 128), float32] */
  %4 = nn.dense(%3, %fc2_weight, units=64) /* ty=Tensor[(1, 64), float32] */
  %5 = nn.bias_add(%4, %fc2_bias, axis=-1) /* ty=Tensor[(1, 64), float32] */
  %6 = nn.relu(%5) /* ty=Tensor[(1, 64), float32] */
  %7 = nn.dense(%6, %fc3_weight, units=10) /* ty=Tensor[(1, 10), float32] */
  %8 = nn.bias_add(%7, %fc3_bias, axis=-1) /* ty=Tensor[(1, 10), float32] */
  nn.softmax(%8) /* ty=Tensor[(1, 10), float32] */
}
"""

ANNOTATED_MLP = """v0.0.1
fn (%data: Tensor[(1, 1, 28, 28), float32], %fc1_weight: Tensor[(128, 784), float32], %fc1_bias: Tensor[(128,), float32], %fc2_weight: Tensor[(64, 128), float32], %fc2_bias: Tensor[(64,), float32], %fc3_weight: Tensor[(10, 64), float32], %fc3_bias: Tensor[(10,), float32]) -> Tensor[(1, 10), float32] {
  %0 = nn.batch_flatten <expression: 1>(%data) <expression: 2>
  %1 = nn.dense <expression: 3>(%0, %fc1_weight, units=128) <expression: 4>
  %2 = nn.bias_add <expression: 5>(%1, %fc1_bias, axis=-1) <expression: 6>
  %3 = nn.relu <expression: 7>(%2) <expression: 8>
  %4 = nn.dense <expression: 3>(%3, %fc2_weight, units=64) <expression: 9>
  %5 = nn.bias_add <expression: 5>(%4, %fc2_bias, axis=-1) <expression: 10>
  %6 = nn.relu <expression: 7>(%5) <expression: 11>
  %7 = nn.dense <expression: 3>(%6, %fc3_weight, units=10) <expression: 12>
  %8 = nn.bias_add <expression: 5>(%7, %fc3_bias, axis=-1) <expression: 13>
  nn.softmax <expression: 14>(%8) <expression: 15>
} <expression: 16>
"""


def test_tutorial_text_format(text_v001):
    mlp, params = relay.testing.mlp.get_workload(1)
    check(mlp, MLP)
    check(mlp.astext(show_meta_data=True), MLP)
    i = 0

    def ann(*args):
        nonlocal i
        i += 1
        return f" <expression: {i}>"

    check(mlp.astext(show_meta_data=True, annotate=ann), ANNOTATED_MLP)
    assert list(params) == ["fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias", "fc3_weight",
                            "fc3_bias"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def mlp_of_numpy(data, params):
    out = data.reshape(data.shape[0], -1).astype("float64")
    for i in (1, 2, 3):
        out = out @ params[f"fc{i}_weight"].T + params[f"fc{i}_bias"]
        out = np.maximum(out, 0) if i < 3 else softmax(out)
    return out


def test_tutorial_execution(text_v001):
    mlp, params = relay.testing.mlp.get_workload(1)
    mod = relay.Module()
    debug_ex = relay.create_executor('debug', mod=mod)
    debug_mlp = debug_ex.evaluate(mlp)
    data = numpy.random.rand(1, 1, 28, 28).astype('float32')
    result = debug_mlp(data, **params)
    assert result.shape == (1, 10) and result.dtype == "float32"
    # The interpreter computes in double precision and rounds after each operator.
    np.testing.assert_allclose(result, mlp_of_numpy(data, params), rtol=1e-5)
    graph_ex = relay.create_executor('graph', mod=mod)
    vm_ex = relay.create_executor('vm', mod=mod)
    graph_mlp = graph_ex.evaluate(mlp)
    vm_mlp = vm_ex.evaluate(mlp)
    np.testing.assert_allclose(graph_mlp(data, **params), result, rtol=1e-5)
    np.testing.assert_allclose(vm_mlp(data, **params), result, rtol=1e-5)


class ScheduleConv2d(ExprMutator):

    def __init__(self, device):
        self.device = device
        super().__init__()

    def visit_call(self, expr):
        visit = super().visit_call(expr)
        if expr.op == tvm.relay.op.get("nn.conv2d"):
            return relay.annotation.on_device(visit, self.device)
        else:
            return visit


def schedule_conv2d_on_gpu(expr):
    sched = ScheduleConv2d(tvm.gpu(0))
    return sched.visit(expr)


def check_copies(function, convolutions):
    """That convolutions, and nothing else, have operands and results on another device."""
    assert "on_device" not in relay.analysis.list_op_freqs(function)
    calls = []
    relay.analysis.post_order_visit(
        function, lambda node: calls.append(node)
        if isinstance(node, relay.Call) and isinstance(node.op, relay.Op) else None)
    found = [call for call in calls if call.op.name == "nn.conv2d"]
    assert len(found) == convolutions
    copies = {"device_copy"}
    for call in calls:
        inputs = {arg.op.name for arg in call.args if isinstance(arg, relay.Call)}
        if call in found:
            assert inputs == copies and len(call.args) == 2
            assert all(isinstance(arg, relay.Call) for arg in call.args)
        elif call.op.name != "device_copy":
            assert not inputs & {"nn.conv2d"}


def test_tutorial_heterogeneous_execution(text_v001):
    resnet, params = relay.testing.resnet.get_workload()
    assert words(resnet).startswith(words("""v0.0.1
        fn (%data: Tensor[(1, 3, 224, 224), float32], %bn_data_gamma: Tensor[(3,), float32],
            %bn_data_beta: Tensor[(3,), float32], %bn_data_moving_mean: Tensor[(3,), float32],
            %bn_data_moving_var: Tensor[(3,), float32],
            %conv0_weight: Tensor[(64, 3, 7, 7), float32], %bn0_gamma: Tensor[(64,), float32],
            %bn0_beta: Tensor[(64,), float32], %bn0_moving_mean: Tensor[(64,), float32],
            %bn0_moving_var: Tensor[(64,), float32],
            %stage1_unit1_bn1_gamma: Tensor[(64,), float32],
            %stage1_unit1_bn1_beta: Tensor[(64,), float32],
            %stage1_unit1_bn1_moving_mean: Tensor[(64,), float32],
            %stage1_unit1_bn1_moving_var: Tensor[(64,), float32],
            %stage1_unit1_conv1_weight: Tensor[(64, 64, 3, 3), float32],
            %stage1_unit1_bn2_gamma: Tensor[(64,), float32],
            %stage1_unit1_bn2_beta: Tensor[(64,), float32],
            %stage1_unit1_bn2_moving_mean: Tensor[(64,), float32],
            %stage1_unit1_bn2_moving_var: Tensor[(64,), float32],
            %stage1_unit1_conv2_weight: Tensor[(64, 64, 3, 3), float32],
            %stage1_unit1_sc_weight: Tensor[(64, 64, 1, 1)"""))
    assert "stage1_unit1_sc_weight" in params
    convolutions = relay.analysis.list_op_freqs(resnet)["nn.conv2d"]
    resnet = schedule_conv2d_on_gpu(resnet)
    assert relay.analysis.list_op_freqs(resnet)["on_device"] == convolutions
    text = words(resnet)
    assert text.count("on_device(") == convolutions
    resnet = relay.ir_pass.rewrite_annotated_ops(resnet, 0)
    check_copies(resnet, convolutions)
    text = words(resnet)
    assert text.count("device_copy(") == relay.analysis.list_op_freqs(resnet)["device_copy"]


def test_heterogeneous_execution():
    """The same with the second processor in place of the GPU, and run."""
    mod, params = relay.testing.resnet.get_workload(image_shape=(3, 32, 32), num_layers=20,
                                                    num_classes=10)
    convolutions = relay.analysis.list_op_freqs(mod["main"])["nn.conv2d"]
    split = relay.ir_pass.rewrite_annotated_ops(
        ScheduleConv2d(tvm.cpu(1)).visit(mod["main"]), tvm.cpu(0))
    check_copies(split, convolutions)
    data = np.random.default_rng(1).random((1, 3, 32, 32), "float32")
    with tvm.transform.PassContext(opt_level=3):
        lib = relay.build(split, "llvm", params=params)
    np.testing.assert_allclose(lib(data), relay.create_executor(
        "debug", mod=mod, params=params).evaluate()(data), rtol=1e-4, atol=1e-6)


def test_devices_of_what_is_not_marked():
    x = relay.var("x", shape=(4,))
    func = relay.Function([x], relay.tanh(relay.annotation.on_device(
        relay.nn.relu(x), tvm.cpu(1))))

    def devices(planned):
        """The device of each operator, by the last copy before it."""
        found = {}
        relay.analysis.post_order_visit(planned, lambda node: found.update(
            {node.op.name: dict(node.args[0].attrs.dst_virtual_device)}
            if isinstance(node, relay.Call) and isinstance(node.op, relay.Op) and
            node.op.name != "device_copy" and isinstance(node.args[0], relay.Call) else {}))
        return {name: (where["device_type"], where["virtual_device_id"])
                for name, where in found.items()}

    plan = transform.PlanDevices
    assert devices(plan()(tvm.IRModule.from_expr(func))["main"]) == \
        {"nn.relu": (1, 1), "tanh": (1, 0)}
    assert devices(plan(tvm.cuda(3))(tvm.IRModule.from_expr(func))["main"]) == \
        {"nn.relu": (1, 1), "tanh": (2, 3)}
    rewritten = transform.RewriteAnnotatedOps(tvm.cpu(2))(tvm.IRModule.from_expr(func))
    assert devices(rewritten["main"]) == {"nn.relu": (1, 1), "tanh": (1, 2)}
    for wrong in ("nowhere", 1.5, [1]):
        with pytest.raises((TypeError, ValueError), match="expects a device"):
            plan(wrong)


#===------------------------------------------------------------------------===#
# "How BYOC annotates a Relay graph", 2020: the program
#===------------------------------------------------------------------------===#


def get_demo_mod():
    # Loop
    iter1 = relay.var("iter1", shape=(), dtype="int32")
    cond = relay.less(iter1, relay.const(2, dtype="int32"))
    inc = iter1 + relay.const(1, dtype="int32")
    loop_var = relay.var("while_loop")

    # Loop body
    d1 = relay.var("d1", shape=(1, 32, 56, 56), dtype="float32")
    w1 = relay.var("w1", shape=(32, 32, 3, 3), dtype="float32")
    b1 = relay.var("b1", shape=(32,), dtype="float32")
    conv = relay.nn.conv2d(d1, w1, strides=(1, 1), padding=(1, 1))
    bias: Any = relay.nn.bias_add(conv, b1)
    relu = relay.nn.relu(bias)
    loop_cond_out = loop_var(inc, relu, w1, b1)

    conv = relay.nn.conv2d(d1, w1, strides=(1, 1), padding=(1, 1))
    bias = relay.nn.bias_add(conv, b1)
    relu = relay.nn.relu(bias)
    loop_break_out = relay.reshape(relu, (1, 56, 56, 32))

    ife = relay.If(cond, loop_cond_out, loop_break_out)

    data = relay.var("data", shape=(1, 32, 56, 56), dtype="float32")
    weight = relay.var("weight", shape=(32, 32, 3, 3), dtype="float32")
    bias = relay.var("bias", shape=(32,), dtype="float32")
    loop_func = relay.Function([iter1, d1, w1, b1], ife)

    out = relay.Let(loop_var, loop_func,
                    loop_var(relay.const(0, dtype="int32"), data, weight, bias))
    func = relay.Function([data, weight, bias], out)
    mod = tvm.IRModule.from_expr(func)
    mod = relay.transform.InferType()(mod)
    return mod


DEMO = """#[version = "0.0.5"]
fn (%data: Tensor[(1, 32, 56, 56), float32] /* ty=Tensor[(1, 32, 56, 56), float32] */, %weight: Tensor[(32, 32, 3, 3), float32] /* ty=Tensor[(32, 32, 3, 3), float32] */, %bias: Tensor[(32), float32] /* ty=Tensor[(32), float32] */) -> Tensor[(1, 56, 56, 32), float32] {
  let %while_loop: fn (int32, Tensor[(1, 32, 56, 56), float32], Tensor[(32, 32, 3, 3), float32], Tensor[(32), float32]) -> Tensor[(1, 56, 56, 32), float32] /* ty=fn (int32, Tensor[(1, 32, 56, 56), float32], Tensor[(32, 32, 3, 3), float32], Tensor[(32), float32]) -> Tensor[(1, 56, 56, 32), float32] */ = fn (%iter1: int32 /* ty=int32 */, %d1: Tensor[(1, 32, 56, 56), float32] /* ty=Tensor[(1, 32, 56, 56), float32] */, %w1: Tensor[(32, 32, 3, 3), float32] /* ty=Tensor[(32, 32, 3, 3), float32] */, %b1: Tensor[(32), float32] /* ty=Tensor[(32), float32] */) -> Tensor[(1, 56, 56, 32), float32] {
    %0 = less(%iter1, 2 /* ty=int32 */) /* ty=bool */;
    if (%0) {
      %1 = nn.conv2d(%d1, %w1, padding=[1, 1, """


def test_demo_prints():
    text = get_demo_mod()["main"].astext(show_meta_data=False)
    assert words(text).startswith(words(DEMO))


def test_demo_runs():
    """Three convolutions, the last one reshaped (not transposed)."""
    mod = get_demo_mod()
    rng = np.random.default_rng(1)
    data = rng.standard_normal((1, 32, 56, 56), dtype="float32")
    weight = rng.standard_normal((32, 32, 3, 3), dtype="float32") / 32
    bias = rng.standard_normal(32, dtype="float32")
    results = [relay.create_executor(kind, mod=mod).evaluate()(data, weight, bias)
               for kind in ("debug", "vm")]
    expected = data.astype("float64")
    for _ in range(3):
        padded = np.pad(expected, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        expected = np.einsum("nchwij,ocij->nohw", windows, weight, optimize=True)
        expected = np.maximum(expected + bias[:, None, None], 0)
    # float32 after each operator, over sums of 288 products.
    for result in results:
        np.testing.assert_allclose(result, expected.reshape(1, 56, 56, 32), rtol=1e-4, atol=1e-4)


def make_pattern(with_bias=True):
    from relay_mlir.relay.dataflow_pattern import is_op, wildcard
    data = wildcard()
    weight = wildcard()
    bias = wildcard()
    conv = is_op("nn.conv2d")(data, weight)
    if with_bias:
        conv_out = is_op("nn.bias_add")(conv, bias)
    else:
        conv_out = conv
    return is_op("nn.relu")(conv_out)


conv2d_bias_relu_pat = ("byoc-target.conv2d_relu_with_bias", make_pattern(with_bias=True))
conv2d_relu_pat = ("byoc-target.conv2d_relu_wo_bias", make_pattern(with_bias=False))
patterns = [conv2d_bias_relu_pat, conv2d_relu_pat]

# The notebook shows the first thousand characters; the rest is how it goes on.
COMPOSITE_DEMO = DEMO[:DEMO.index("%1 = nn.conv2d")] + """
      %3 = fn (%FunctionVar_1_0: Tensor[(1, 32, 56, 56), float32] /* ty=Tensor[(1, 32, 56, 56), float32] */, %FunctionVar_1_1: Tensor[(32, 32, 3, 3), float32] /* ty=Tensor[(32, 32, 3, 3), float32] */, %FunctionVar_1_2: Tensor[(32), float32] /* ty=Tensor[(32), float32] */, PartitionedFromPattern="nn.conv2d_nn.bias_add_nn.relu_", Composite="byoc-target.conv2d_relu_with_bias") -> Tensor[(1, 32, 56, 56), float32] {
        %1 = nn.conv2d(%FunctionVar_1_0, %FunctionVar_1_1, padding=[1, 1, 1, 1]) /* ty=Tensor[(1, 32, 56, 56), float32] */;
        %2 = nn.bias_add(%1, %FunctionVar_1_2) /* ty=Tensor[(1, 32, 56, 56), float32] */;
        nn.relu(%2) /* ty=Tensor[(1, 32, 56, 56), float32] */
      } /* ty=fn (Tensor[(1, 32, 56, 56), float32], Tensor[(32, 32, 3, 3), float32], Tensor[(32), float32]) -> Tensor[(1, 32, 56, 56), float32] */;
      %4 = add(%iter1, 1 /* ty=int32 */) /* ty=int32 */;
      %5 = %3(%d1, %w1, %b1) /* ty=Tensor[(1, 32, 56, 56), float32] */;
      %while_loop(%4, %5, %w1, %b1) /* ty=Tensor[(1, 56, 56, 32), float32] */
    } else {
      %8 = fn (%FunctionVar_0_0: Tensor[(1, 32, 56, 56), float32] /* ty=Tensor[(1, 32, 56, 56), float32] */, """


def test_demo_composite_functions():
    mod = get_demo_mod()
    mod2 = relay.transform.MergeComposite(patterns)(mod)
    text = mod2["main"].astext(show_meta_data=False)
    assert words(text).startswith(words(COMPOSITE_DEMO))
    assert text.count('Composite="byoc-target.conv2d_relu_with_bias"') == 2
    assert "conv2d_relu_wo_bias" not in text
    rng = np.random.default_rng(2)
    args = [rng.standard_normal(shape, dtype="float32") / 8
            for shape in [(1, 32, 56, 56), (32, 32, 3, 3), (32,)]]
    # The same operators on the same values.
    np.testing.assert_array_equal(*[
        relay.create_executor("debug", mod=m).evaluate()(*args) for m in (mod, mod2)])


D, W, B = "Tensor[(1, 32, 56, 56), float32]", "Tensor[(32, 32, 3, 3), float32]", \
    "Tensor[(32), float32]"
R = "Tensor[(1, 56, 56, 32), float32]"


def typed(name, type_):
    return f"%{name}: {type_} /* ty={type_} */"


HEAD = f"""#[version = "0.0.5"]
fn ({typed("data", D)}, {typed("weight", W)}, {typed("bias", B)}) -> {R} {{
  let %while_loop: fn (int32, {D}, {W}, {B}) -> {R} /* ty=fn (int32, {D}, {W}, {B}) -> {R} */ =
    fn ({typed("iter1", "int32")}, {typed("d1", D)}, {typed("w1", W)}, {typed("b1", B)}) -> {R} {{
"""


def test_demo_partitions():
    for name in ("reshape", "add"):
        relay.op.get(name).reset_attr("target.byoc-target")

    @tvm.ir.register_op_attr("reshape", "target.byoc-target")
    def reshape(expr):
        return True

    @tvm.ir.register_op_attr("add", "target.byoc-target")
    def add(expr):
        return True

    mod2 = relay.transform.MergeComposite(patterns)(get_demo_mod())
    mod3 = transform.AnnotateTarget("byoc-target")(mod2)
    annotated = HEAD + """
        %0 = annotation.compiler_begin(%iter1, compiler="default") /* ty=int32 */;
        %1 = annotation.compiler_begin(2"""
    assert words(mod3["main"].astext(show_meta_data=False)).startswith(words(annotated))
    mod4 = transform.MergeCompilerRegions()(mod3)
    text = mod4["main"].astext(show_meta_data=False)
    assert words(text).startswith(words(annotated))
    # "The add and the composite function call share the same set of annotation nodes."
    assert text.count('compiler="byoc-target"') == mod3["main"].astext(
        show_meta_data=False).count('compiler="byoc-target"') - 2
    mod5 = transform.PartitionGraph()(mod4)
    assert words(mod5["main"].astext(show_meta_data=False)).startswith(words(HEAD + """
        %0 = less(%iter1, 2 /* ty=int32 */) /* ty=bool */;
        if (%0) {
          %1 = @tvmgen_default_byoc_target_main_0("""))
    numbers = {var.name_hint.rpartition("_")[2] for var in mod5.functions} - {"main"}
    assert numbers == {"0", "2", "5"}

    def attrs(number):
        return (f'Compiler="byoc-target", Primitive=1, Inline=1, '
                f'global_symbol="tvmgen_default_byoc_target_main_{number}"')

    printed = {number: words(mod5[f"tvmgen_default_byoc_target_main_{number}"].astext(
        show_meta_data=False)) for number in (0, 2, 5)}
    assert printed[0] == words(f"""#[version = "0.0.5"]
        fn ({typed("byoc-target_0_i0", "int32")}, {attrs(0)}) -> int32 {{
          add(%byoc-target_0_i0, 1 /* ty=int32 */) /* ty=int32 */
        }} /* ty=fn (int32) -> int32 */""")
    assert printed[2].startswith(words(f"""#[version = "0.0.5"]
        fn ({typed("byoc-target_2_i0", D)}, {typed("byoc-target_2_i1", W)},
            {typed("byoc-target_2_i2", B)}, {attrs(2)}) -> {D} {{
          %2 = fn ({typed("FunctionVar_1_0", D)}, {typed("FunctionVar_1_1", W)},
                   {typed("FunctionVar_1_2", B)}"""))
    assert printed[5].endswith(words(f"""
          reshape(%3, newshape=[1, 56, 56, 32]) /* ty={R} */
        }} /* ty=fn ({D}, {W}, {B}) -> {R} */"""))


#===------------------------------------------------------------------------===#
# Notes on Relay and its optimisations, for version 0.6
#===------------------------------------------------------------------------===#


def test_hello_relay():
    x = relay.expr.var('x', relay.scalar_type('int64'), dtype='int64')
    one = relay.expr.const(1, dtype='int64')
    add = relay.op.tensor.add(x, one)
    func = relay.expr.Function([x], add, relay.scalar_type('int64'))

    mod = relay.Module.from_expr(func)  # note this API
    check(mod.astext(show_meta_data=False), """#[version = "0.0.5"]
        def @main(%x: int64 /* ty=int64 */) -> int64 {
          add(%x, 1i64 /* ty=int64 */) /* ty=int64 */
        }""")
    assert relay.create_executor(mod=mod).evaluate()(41) == 42


def batch_norm_infer(data, gamma=None, beta=None, moving_mean=None, moving_var=None, **kwargs):
    name: Any = kwargs.get("name")
    kwargs.pop("name")
    if not gamma:
        gamma = relay.var(name + "_gamma")
    if not beta:
        beta = relay.var(name + "_beta")
    if not moving_mean:
        moving_mean = relay.var(name + "_moving_mean")
    if not moving_var:
        moving_var = relay.var(name + "_moving_var")
    return relay.nn.batch_norm(data, gamma=gamma, beta=beta, moving_mean=moving_mean,
                               moving_var=moving_var, **kwargs)[0]


def conv2d(data, weight=None, **kwargs):
    name: Any = kwargs.get("name")
    kwargs.pop("name")
    if not weight:
        weight = relay.var(name + "_weight")
    return relay.nn.conv2d(data, weight, **kwargs)


def conv_block(data, name, channels, kernel_size=(3, 3), strides=(1, 1), padding=(1, 1),
               epsilon=1e-5):
    conv = conv2d(data=data, channels=channels, kernel_size=kernel_size, strides=strides,
                  padding=padding, data_layout='NCHW', name=name + '_conv')
    bn = batch_norm_infer(data=conv, epsilon=epsilon, name=name + '_bn')
    act = relay.nn.relu(data=bn)
    return act


def test_conv_block():
    data_shape = (1, 3, 224, 224)
    dtype = "float32"
    data = relay.var("data", shape=data_shape, dtype=dtype)
    act = conv_block(data, "graph", 32, strides=(2, 2))
    func = relay.Function(relay.analysis.free_vars(act), act)

    mod = relay.Module.from_expr(func)
    mod = relay.transform.InferType()(mod)
    assert transform is relay.transform
    shape_dict = {v.name_hint: v.checked_type for v in mod["main"].params}
    np.random.seed(0)
    params = {}
    for k, v in shape_dict.items():
        if k == "data":
            continue
        init_value = np.random.uniform(-1, 1, v.concrete_shape).astype(v.dtype)
        params[k] = tvm.nd.array(init_value, ctx=tvm.cpu(0))
    assert {k: v.shape for k, v in params.items()} == {
        "graph_conv_weight": (32, 3, 3, 3), "graph_bn_gamma": (32,), "graph_bn_beta": (32,),
        "graph_bn_moving_mean": (32,), "graph_bn_moving_var": (32,)}
    assert "nn.conv2d(%data, %graph_conv_weight, strides=[2, 2], padding=[1, 1, 1, 1], " \
        "channels=32, kernel_size=[3, 3])" in mod.astext(show_meta_data=False)


#===------------------------------------------------------------------------===#
# "Relay: a high level differentiable IR", 2018: the program of the talk
#===------------------------------------------------------------------------===#


def test_generative_rnn():
    """A loop as recursion, whose results a list collects."""
    size = 4
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    vector = relay.TensorType((1, size))
    matrix = relay.TensorType((size, size))
    pair = relay.TupleType([vector, vector])

    i, h = relay.var("i", vector), relay.var("h", vector)
    w, u = relay.var("w", matrix), relay.var("u", matrix)
    hidden = relay.tanh(relay.nn.dense(i, w) + relay.nn.dense(h, u))
    rnn_cell = relay.GlobalVar("rnn_cell")
    mod[rnn_cell] = relay.Function(
        [i, h, w, u], relay.Tuple([relay.sigmoid(hidden), hidden]), pair)

    n = relay.var("n", "int32")
    i, h = relay.var("i", vector), relay.var("h", vector)
    w, u = relay.var("w", matrix), relay.var("u", matrix)
    generate = relay.GlobalVar("generate")
    step = relay.var("step")
    output = relay.TupleGetItem(step, 0)
    rest = generate(n - relay.const(1), output, relay.TupleGetItem(step, 1), w, u)
    body = relay.If(relay.equal(n, relay.const(0)), prelude.nil(),
                    relay.Let(step, rnn_cell(i, h, w, u), prelude.cons(output, rest)))
    mod[generate] = relay.Function([n, i, h, w, u], body, prelude.l(vector))

    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s).astype("float32")
              for s in ((1, size), (1, size), (size, size), (size, size))]
    executor = relay.create_executor("debug", mod=mod)
    values = relay.prelude.to_list(executor.evaluate(generate)(5, *arrays))
    assert len(values) == 5
    x, state, weight, recurrent = (a.astype("float64") for a in arrays)
    for value in values:
        state = np.tanh(x @ weight.T + state @ recurrent.T)
        x = 1 / (1 + np.exp(-state))
        np.testing.assert_allclose(value, x, rtol=1e-5)


#===------------------------------------------------------------------------===#
# "Introduction to Relax", 2022
#===------------------------------------------------------------------------===#


def test_relax_introduction():
    from relay_mlir import relax
    from relay_mlir.relay import testing
    from relay_mlir.relax.testing import relay_translator
    vm_rt = tvm.runtime.vm

    dshape = (1, 28, 28)
    relay_mod, params_dict = testing.mlp.get_workload(batch_size=relay.Any())
    assert words(relay_mod["main"].astext()).startswith(words("""#[version = "0.0.5"]
        fn (%data: Tensor[(?, 1, 28, 28), float32] /* ty=Tensor[(?, 1, 28, 28), float32] */,
            %fc1_weight: Tensor[(128, 784), float32]"""))
    target = tvm.target.Target("llvm")
    relax_mod = relay_translator.from_relay(relay_mod["main"], target)
    # With another name of the symbol; biases are added along the last dimension as they are,
    # and a reshape is no kernel.
    check(relax_mod["main"], '''@relax.function
        def main(data: Tensor((d0, 1, 28, 28), "float32"), fc1_weight: Tensor((128, 784), "float32"),
                 fc1_bias: Tensor((128,), "float32"), fc2_weight: Tensor((64, 128), "float32"),
                 fc2_bias: Tensor((64,), "float32"), fc3_weight: Tensor((10, 64), "float32"),
                 fc3_bias: Tensor((10,), "float32")) -> Tensor((d0, 10), "float32"):
            with relax.dataflow():
                lv = relax.reshape(data, (d0, 784))
                lv1 = relax.call_tir(dense, (lv, fc1_weight), (d0, 128), dtype="float32")
                lv2 = relax.call_tir(add, (lv1, fc1_bias), (d0, 128), dtype="float32")
                lv3 = relax.call_tir(relu, (lv2,), (d0, 128), dtype="float32")
                lv4 = relax.call_tir(dense1, (lv3, fc2_weight), (d0, 64), dtype="float32")
                lv5 = relax.call_tir(add1, (lv4, fc2_bias), (d0, 64), dtype="float32")
                lv6 = relax.call_tir(relu1, (lv5,), (d0, 64), dtype="float32")
                lv7 = relax.call_tir(dense2, (lv6, fc3_weight), (d0, 10), dtype="float32")
                lv8 = relax.call_tir(add2, (lv7, fc3_bias), (d0, 10), dtype="float32")
                gv = relax.call_tir(softmax, (lv8,), (d0, 10), dtype="float32")
                relax.output(gv)
            return gv''')
    assert "@dense(" in str(relax_mod["dense"])

    batch_size = 2
    shape = (batch_size, *dshape)
    data = tvm.nd.array(np.random.rand(*shape).astype(np.float32))
    params = list(params_dict.values())
    ex = relax.vm.build(relax_mod, target)
    assert "Relax VM executable statistics" in ex.stats() and "softmax" in ex.as_text()
    vm = relax.VirtualMachine(ex, tvm.cpu())
    res = vm["main"](data, *params)
    # check correctness by comparing with relay result
    exe = relay.vm.compile(relay_mod, target)
    relay_vm = vm_rt.VirtualMachine(exe, tvm.cpu())
    inputs = [data] + params
    expected_output = relay_vm.run(*inputs)
    # Fused or not, sums have another order.
    assert not isinstance(res, tuple)
    tvm.testing.assert_allclose(res.numpy(), expected_output.numpy(), rtol=1e-5)
