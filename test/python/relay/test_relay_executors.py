"""Evaluating programs: the interpreter, and native code."""

import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from memory_limit import limit_memory

from relay_mlir import relay

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = (ROOT / os.environ.get("RELAY_BUILD_DIR", "build")).resolve() / "bin"


def evaluate(expr, mod=None, **options):
    return relay.create_executor("debug", mod=mod, **options).evaluate(expr)


def test_values():
    assert evaluate(relay.const(2) + relay.const(3)) == 5
    x = relay.var("x", shape=(2,))
    double = evaluate(relay.Function([x], x + x))
    array = np.array([1, 2], "float32")
    np.testing.assert_array_equal(double(array), [2, 4])
    np.testing.assert_array_equal(double(x=array).numpy(), [2, 4])
    np.testing.assert_array_equal(double([1, 2]), [2, 4])
    first, (second, third) = evaluate(relay.Tuple(
        [relay.const(1), relay.Tuple([relay.const(2.5), relay.const(True)])]))
    assert (first, second, third) == (1, 2.5, True) and first.dtype == "int32"
    pair = relay.var("p", relay.TupleType([relay.scalar_type("int32")] * 2))
    difference = evaluate(relay.Function([pair], pair[0] - pair[1]))
    assert difference((5, 3)) == 2
    assert evaluate(relay.Tuple([])) == ()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                   "int64", "uint64", "float16", "float32", "float64",
                                   "bfloat16"])
def test_dtypes(dtype):
    x = relay.var("x", shape=(2, 2), dtype=dtype)
    array = relay.const(np.array([[0, 1], [1, 0]]), dtype).data
    result = evaluate(relay.Function([x], relay.transpose(x)))(array)
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result, np.asarray(array).T)


def test_arguments():
    x, y = relay.var("x", "int32"), relay.var("y", "int32")
    subtract = evaluate(relay.Function([x, y], x - y))
    assert subtract(5, y=3) == 2 and subtract(y=3, x=5) == 2
    for args, kwargs, message in [
            ((1,), {}, "expects parameter 'y', but it is missing"),
            ((1, 2, 3), {}, "expects 2 arguments, but got 3"),
            ((1, 2), {"x": 1}, "expects parameter 'x' once"),
            ((1,), {"z": 1}, "expects one of the parameters x, y, but got 'z'")]:
        with pytest.raises(TypeError, match=message):
            subtract(*args, **kwargs)
    with pytest.raises(ValueError, match="'x', 'y' is free"):
        evaluate(x + y)
    assert relay.create_executor().evaluate(x + y, binds={x: 2, y: relay.const(3)}) == 5


@pytest.mark.parametrize("kind", ["debug", "aot"])
def test_values_without_a_dtype(kind):
    """Numbers and lists take the parameter's; nothing is lost on the way."""
    x, y = relay.var("x", shape=(2,), dtype="int32"), relay.var("y", "float32")
    run = relay.create_executor(kind).evaluate(
        relay.Function([x, y], relay.Tuple([x + relay.const(1), y * relay.const(2.0)])))
    first, second = run([True, 2], 3)
    assert (first.dtype, second.dtype) == ("int32", "float32")
    assert first.tolist() == [2, 3] and second == 6
    for args, error, message in [
            (([1.5, 2], 1), TypeError, "integers of type int32, but got .1.5, 2."),
            (([1, None], 1), TypeError, "expects numbers, but got .1, None."),
            (([2**40, 1], 1), OverflowError, str(2**40)),
            (([2**70, 1], 1), OverflowError, "too large"),
            (([1, 2], None), TypeError, "expects numbers, but got None"),
            (([1, 2], "1"), TypeError, "expects numbers, but got '1'"),
            (([1, 2], 1j), TypeError, "expects numbers, but got 1j")]:
        with pytest.raises(error, match=message):
            run(*args)


def test_closures():
    x, y = relay.var("x", "int32"), relay.var("y", "int32")
    add = evaluate(relay.Function([x], relay.Function([y], x + y)))
    add_two = add(2)
    assert add_two(3) == 5 and add_two(4) == 6
    f = relay.var("f", relay.FuncType([relay.scalar_type("int32")], relay.scalar_type("int32")))
    twice = evaluate(relay.Function([f], f(f(relay.const(0)))))
    assert twice(add_two) == 4


def test_references():
    r, v = relay.var("r"), relay.var("v")
    expr = relay.Let(r, relay.RefCreate(relay.const(1)), relay.Let(
        v, relay.RefWrite(r, relay.RefRead(r) + relay.const(41)), r))
    assert evaluate(expr).value == 42


def test_data_types():
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    numbers = prelude.cons(relay.const(1), prelude.cons(relay.const(2), prelude.nil()))
    value = evaluate(numbers, mod)
    assert value.name_hint == "Cons" and value.tag == prelude.cons.tag
    assert value.fields[0] == 1 and value.fields[1].fields[1].fields == []
    assert relay.prelude.to_list(value) == [1, 2]
    assert str(value) == "Cons(1, Cons(2, Nil))"
    assert evaluate(prelude.length(numbers), mod) == 2
    reverse = evaluate(mod.get_global_var("rev"), mod)
    made = relay.ConstructorValue(prelude.nil.tag, [], prelude.nil)
    for i in (3, 2, 1):
        made = relay.ConstructorValue(prelude.cons.tag, [np.int32(i), made], prelude.cons)
    assert relay.prelude.to_list(reverse(made)) == [3, 2, 1]
    x = relay.var("x", "int32")
    increment = relay.Function([x], x + relay.const(1))
    assert relay.prelude.to_list(evaluate(prelude.map(increment, numbers), mod)) == [2, 3]


def test_nat():
    mod = relay.IRModule()
    value = relay.testing.make_nat_value(mod, 5)
    assert relay.testing.count(value) == 5
    double = relay.create_executor(mod=mod).evaluate(mod.get_global_var("nat_double"))
    assert relay.testing.count(double(value)) == 10
    expr = relay.testing.make_nat_expr(mod, 3)
    assert relay.testing.count(relay.create_executor(mod=mod).evaluate(expr)) == 3


def test_recursion():
    mod = relay.parse('''#[version = "0.0.5"]
        def @sum(%n: int64, %total: int64) -> int64 {
          if (equal(%n, 0i64)) { %total } else { @sum(%n - 1i64, %total + %n) }
        }''')
    total = relay.create_executor(mod=mod).evaluate(mod.get_global_var("sum"))
    assert total(100000, 0) == 5000050000


def test_params():
    x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x, w], x * w))
    executor = relay.create_executor(mod=mod, params={"w": np.array([2, 3], "float32")})
    np.testing.assert_array_equal(executor.evaluate()(np.ones(2, "float32")), [2, 3])


def test_errors():
    x = relay.var("x", shape=(2,))
    relu = evaluate(relay.Function([x], relay.nn.relu(x)))
    with pytest.raises(relay.CompileError):
        relu(np.ones(3, "float32"))
    with pytest.raises(relay.CompileError):
        relu(np.ones(2, "float64"))
    with pytest.raises(relay.DiagnosticError, match="expects input 0"):
        relu((1, 2))
    with pytest.raises(relay.DiagnosticError):
        evaluate(relay.const(1) + relay.const(2.0))
    with pytest.raises(ValueError, match="expects an executor"):
        relay.create_executor("jit")


def test_native_code():
    x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
    function = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(s, dtype="float32") for s in ((2, 3), (4, 3)))
    compiled = relay.create_executor("aot").evaluate(function)
    interpreted = evaluate(function)
    np.testing.assert_allclose(compiled(a, w=b), np.maximum(a @ b.T, 0), rtol=1e-5)
    np.testing.assert_allclose(compiled(a, b), interpreted(a, b), rtol=1e-5)


def test_native_code_gives_what_the_type_says():
    x = relay.var("x", shape=(2,))
    array = np.array([1, 2], "float32")
    for body in (relay.exp(x), relay.Tuple([relay.exp(x)]), relay.split(x, 1).tuple_value,
                 relay.Tuple([relay.Tuple([relay.exp(x)]), x]), relay.Tuple([]),
                 relay.Tuple([relay.Tuple([]), relay.Tuple([x, relay.Tuple([x])])])):
        function = relay.Function([x], body)
        values = [relay.create_executor(kind, mod=relay.IRModule.from_expr(function))
                  .evaluate()(array) for kind in ("debug", "aot")]
        shapes = [str(nested_shape(value)) for value in values]
        assert shapes[0] == shapes[1]


def nested_shape(value):
    return tuple(map(nested_shape, value)) if isinstance(value, tuple) else [*value.shape]


def test_native_code_without_kernels():
    """Programs that only return what they are given, constants, and shapes."""
    x = relay.var("x", shape=(2, 3))
    array = np.arange(6, dtype="float32").reshape(2, 3)
    native = relay.create_executor("aot")
    expected: Any
    for result, expected in [
            (relay.const(2.5), [2.5]),
            (relay.Tuple([relay.const(2.5)]), [2.5]),
            (relay.Tuple([relay.const(2.5), x, relay.const(1)]), [2.5, array, 1]),
            (relay.Tuple([relay.shape_of(x)]), [[2, 3]]),
            (relay.shape_of(x), [[2, 3]])]:
        got = native.evaluate(relay.Function([x], result))(array)
        got = got if isinstance(got, tuple) else (got,)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_array_equal(a, b)


ENDLESS = """#[version = "0.0.5"]
def @main(%x: int32) -> int32 { @main(%x) }
"""


def test_recursion_without_an_end():
    """Of calls that wait for their result there is a limit."""
    endless = ENDLESS.replace("@main(%x) }", "add(@main(%x), 1) }")
    with pytest.raises(Exception, match="expects at most 4000000 nested calls, but got more"):
        evaluate(None, relay.parse(endless))(1)


GROWING = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @grow(%list: List[int32], %x: int32) -> int32 {
  if (less(%x, 0)) { %x } else { @grow(Cons(%x, %list), %x) }
}
def @main(%x: int32) -> int32 { @grow(Nil, %x) }
"""


@pytest.mark.skipif(bool(os.environ.get("RELAY_SANITIZE")),
                    reason="the machine lacks limits of addresses that sanitizers respect")
def test_values_without_an_end(tmp_path):
    """Where memory ends is an error, and what the program has made is freed without more."""
    (tmp_path / "growing.relay").write_text(GROWING)
    subprocess.run([BIN / "relay-compile", "growing.relay", "--executor=vm", "-o", "growing.so"],
                   cwd=tmp_path, check=True)
    run = subprocess.run([BIN / "relay-run", "growing.so"], cwd=tmp_path, capture_output=True,
                         text=True, preexec_fn=lambda: limit_memory(1 << 30), check=False)
    assert run.returncode == 1, run
    assert "out of memory; in function 'grow'" in run.stderr


def test_loop_without_an_end_is_interrupted(tmp_path):
    """By Ctrl-C; the program goes on."""
    # A parent in the background has its children ignore the signal.
    (tmp_path / "endless.py").write_text(f'''
import signal
from relay_mlir import relay
signal.signal(signal.SIGINT, signal.default_int_handler)
run = relay.create_executor("debug", mod=relay.parse("""{ENDLESS}""")).evaluate()
try:
    print("started", flush=True)
    run(1)
except KeyboardInterrupt:
    print("interrupted", relay.create_executor("debug").evaluate(relay.const(2) + relay.const(3)))
''')
    with subprocess.Popen([sys.executable, tmp_path / "endless.py"], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=100)
        finally:
            process.kill()
    assert output == "interrupted 5\n" and process.returncode == 0
