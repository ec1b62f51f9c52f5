"""Printing and reading from Python; type inference and its errors."""

import re
from typing import Any

import numpy as np
import pytest

from relay_mlir import relay


def body(value, **options):
    """The text without the version line."""
    text = value.astext(**options)
    assert text.startswith('#[version = "0.0.5"]\n')
    return text.split("\n", 1)[1].strip()


def lines(*texts):
    return "\n".join(texts)


def test_printing_shares_and_inlines():
    zero = relay.const(0)
    t = relay.Tuple([zero, zero])
    x = relay.Var("x")
    assert body(relay.Let(x, t, t)) == lines("%0 = (0, 0);", "let %x = %0;", "%0")
    assert body(relay.Let(x, relay.Tuple([zero, zero]), x)) == lines("let %x = (0, 0);", "%x")


def test_module_with_types():
    x, y = relay.var("x", "float32"), relay.var("y", "float32")
    z = x + y
    mod = relay.IRModule({"myf": relay.Function([x, y], z + z)})
    mod = relay.transform.InferType()(mod)
    assert body(mod) == lines(
        "def @myf(%x: float32 /* ty=float32 */, %y: float32 /* ty=float32 */) -> float32 {",
        "  %0 = add(%x, %y) /* ty=float32 */;",
        "  add(%0, %0) /* ty=float32 */", "}")
    assert str(mod) == mod.astext().split("\n", 1)[1]


def test_attributes_that_are_printed():
    x = relay.var("x", shape=(2, 3))
    assert "nn.softmax(%x)" in body(relay.nn.softmax(x))
    assert "nn.softmax(%x, axis=2)" in body(relay.nn.softmax(x, axis=2))
    assert "nn.dense(%x, %x, units=None)" in body(relay.nn.dense(x, x))


def test_names():
    assert body(relay.Var("1")) == lines("free_var %v1;", "%v1")
    f = relay.Function([], relay.const(1)).with_attr("TestAttribute", None)
    assert "TestAttribute=None" in body(f)


def test_constants_repeat_their_types():
    c = relay.const(1)
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function([], c + c)))
    assert body(mod) == lines(
        "def @main() -> int32 {",
        "  add(1 /* ty=int32 */, 1 /* ty=int32 */) /* ty=int32 */", "}")


def test_meta_data():
    x = relay.var("x", shape=(3,))
    values = np.array([1, 2, 3], "float32")
    function = relay.Function([x], x + relay.const(values))
    text = relay.IRModule.from_expr(function).astext()
    assert "meta[relay.Constant][0]" in text and "#[metadata]" in text
    parsed = relay.parse(text)
    np.testing.assert_array_equal(parsed["main"].body.args[1].data, values)
    short = str(relay.IRModule.from_expr(function))
    assert "#[metadata]" not in short and "meta[relay.Constant][0]" in short


def test_annotate():
    x = relay.var("x", shape=(3,))
    y = relay.nn.relu(x)

    def annotate(expr):
        return " /* call */" if isinstance(expr, relay.Call) else ""

    assert body(relay.Function([x], y + y), annotate=annotate) == lines(
        "fn (%x: Tensor[(3), float32]) {", "  %0 = nn.relu(%x) /* call */;",
        "  add(%0, %0) /* call */", "}")

    def failing(expr):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        y.astext(annotate=failing)


def test_types_print():
    t = relay.TensorType((1, relay.Any()), "int8")
    a = relay.TypeVar("A")
    assert str(t) == "Tensor[(1, ?), int8]"
    assert str(relay.TupleType([t])) == "(Tensor[(1, ?), int8],)"
    assert str(relay.FuncType([a], a, [a])) == "fn [A](A) -> A"
    assert str(relay.GlobalTypeVar("List")(relay.scalar_type("bool"))) == "List[bool]"
    assert str(relay.RefType(t)) == "ref(Tensor[(1, ?), int8])"


def test_versions():
    x = relay.var("x", shape=(3,))
    call = relay.nn.relu(x)
    relay.set_text_version("v0.0.1")
    try:
        assert str(call).split() == "v0.0.1 free_var %x: Tensor[(3,), float32] nn.relu(%x)".split()
    finally:
        relay.set_text_version("0.0.5")
    assert call.astext(version="v0.0.4").startswith("v0.0.4\n")
    with pytest.raises(ValueError, match="expects one of"):
        relay.set_text_version("0.0.6")


PROGRAM = """#[version = "0.0.5"]
type Box[A] { Make(A), Empty }
def @unbox[A](%b: Box[A], %default: A) -> A {
  match (%b) {
    Make(%x) => { %x },
    Empty => { %default },
  }
}
def @main(%x: Tensor[(2), float32]) {
  @unbox(Make(%x), %x)
}
"""


def test_parse():
    mod = relay.parse(PROGRAM)
    box, make, empty = mod.get_type("Box")
    assert box.name_hint == "Box" and make.name_hint == "Make" and empty.inputs == []
    assert mod["main"].ret_type == relay.TensorType((2,))
    match = mod["unbox"].body
    assert isinstance(match, relay.Match) and match.complete
    assert match.clauses[0].lhs.constructor == make
    again = relay.fromtext(mod.astext())
    assert relay.structural_equal(again, mod)
    assert str(again) == str(mod)
    assert mod["main"].body.checked_type == relay.TensorType((2,))


def test_parse_expr():
    expr = relay.parse_expr("1 == 1 < 1 + 1 * 1")
    assert expr.op.name == "equal" and expr.args[1].op.name == "less"
    with pytest.raises(ValueError, match="type"):
        expr.checked_type  # pylint: disable=pointless-statement
    free = relay.parse_expr("free_var %x: float32; %x((%x,).0, %x)")
    assert free.op is free.args[1] and free.args[0].tuple_value.fields == [free.op]
    assert free.span is None or free.span.line == 1


def test_parse_with_definitions():
    mod = relay.parse(PROGRAM)
    more = relay.parse('#[version = "0.0.5"]\ndef @two(%b: Box[int32]) { @unbox(%b, 2) }',
                       init_module=mod)
    assert {v.name_hint for v in more} == {"unbox", "main", "two"}
    with_meta = relay.parse(
        '#[version = "0.0.5"]\ndef @main() { meta[relay.Constant][0] }',
        init_meta_table={"relay.Constant": [relay.const(np.arange(3))]})
    np.testing.assert_array_equal(with_meta["main"].body.data, np.arange(3))


def test_syntax_errors_show_the_line():
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse('#[version = "0.0.5"]\ndef @main(%x: int32) {\n  %x + %y\n}\n', "program.rly")
    text = str(error.value)
    assert text.startswith("program.rly:3:8: error: ")
    assert text.splitlines()[1:3] == ["  %x + %y", "       ^"]
    assert error.value.location == "program.rly:3:8"
    with pytest.raises(relay.DiagnosticError):
        relay.parse_expr("let @x = 1; ()")


def test_type_errors_show_the_line():
    with pytest.raises(relay.DiagnosticError) as error:
        relay.parse('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32], '
                    '%y: Tensor[(3), float32]) {\n  add(%x, %y)\n}\n', "program.rly")
    assert re.match(r"program.rly:3:\d+: error: ", str(error.value))
    assert "  add(%x, %y)\n" in str(error.value)


def test_type_errors_of_built_programs():
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(3,))
    with pytest.raises(relay.DiagnosticError):
        relay.transform.InferType()(relay.IRModule.from_expr(x + y))
    mod = relay.Module()
    with pytest.raises(relay.CompileError):
        mod["f"] = relay.Function([x, y], x + y)
    assert len(mod) == 0


def test_inference_keeps_names_and_sharing():
    x = relay.var("x", shape=(2, relay.Any()))
    y = relay.nn.relu(x)
    typed = relay.transform.infer_expr(relay.Tuple([y, y]))
    assert typed.fields[0] is typed.fields[1]
    assert typed.checked_type == relay.TupleType([relay.TensorType((2, relay.Any()))] * 2)
    assert relay.transform.InferTypeLocal(y) == relay.TensorType((2, relay.Any()))
    assert typed.fields[0].args[0].name_hint == "x"


def test_passes():
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(
        relay.Function([x], x + (relay.const([1.0, 2.0]) + relay.const([3.0, 4.0]))))
    folded = relay.transform.FoldConstant()(mod)
    np.testing.assert_array_equal(folded["main"].body.args[1].data, [4, 6])
    assert mod["main"].body.args[1].op.name == "add"

    @relay.transform.function_pass(opt_level=1)
    class Negate:
        """Negates what functions return."""

        def __init__(self, times):
            self.times = times

        def transform_function(self, function, mod, context):
            out = function.body
            for _ in range(self.times):
                out = -out
            return relay.Function(function.params, out)

    negate: Any = Negate(2)  # A pass: the decorator makes the class one of passes.
    sequence = relay.transform.Sequential([relay.transform.FoldConstant(), negate])
    result = sequence(mod)["main"]
    assert result.body.op.name == "negative" and result.body.args[0].op.name == "negative"
    with relay.transform.PassContext(opt_level=0):
        assert sequence(mod)["main"].body.op.name == "add"
    with relay.build_config(opt_level=3, disabled_pass=["Negate"]):
        assert sequence(mod)["main"].body.op.name == "add"


def test_spans():
    text = '#[version = "0.0.5"]\ndef @main(%x: int32) -> int32 {\n  add(%x, 1)\n}\n'
    mod = relay.parse(text, "in.relay")
    assert "add(%x, 1 /* ty=int32 span=in.relay:3:11 */)" in mod.astext()
    assert "span=in.relay:2:" in mod.astext() and "span" not in str(mod)
    assert "span" not in mod.astext(show_spans=False)
    assert "span" not in mod.astext(version="v0.0.4")
    assert "span" not in mod.astext(annotate=lambda _: "")
    assert relay.structural_equal(relay.parse(mod.astext()), mod)
