"""The whole language compiled, in bytecode and in native code."""

import resource
import threading
from typing import Any

import numpy as np
import pytest

import relay_mlir.compat as tvm
from relay_mlir import relay

VERSION = '#[version = "0.0.5"]\n'
LISTS = VERSION + '''
type List[A] { Cons(A, List[A]), Nil, }
def @range(%n: int32, %tail: List[int32]) -> List[int32] {
  if (less_equal(%n, 0)) { %tail } else { @range(subtract(%n, 1), Cons(%n, %tail)) }
}
def @sum(%l: List[int32]) -> int32 {
  match (%l) { Cons(%x, %rest) => add(%x, @sum(%rest)), Nil => 0, }
}
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)), Nil => Nil, }
}
def @reverse[A](%l: List[A], %done: List[A]) -> List[A] {
  match (%l) { Cons(%x, %rest) => @reverse(%rest, Cons(%x, %done)), Nil => %done, }
}
def @loop(%n: int32) -> int32 {
  if (less_equal(%n, 0)) { %n } else { @loop(subtract(%n, 1)) }
}
def @list(%n: int32) -> List[int32] { @range(%n, Nil) }
def @add(%x: int32) -> fn (int32) -> int32 { fn (%y: int32) -> int32 { add(%x, %y) } }
def @main(%n: int32) -> int32 { @sum(@map(@add(%n), @list(%n))) }
'''


class Mode:
    """What the programs of these tests are compiled to."""

    exec_mode = "bytecode"
    executor = "vm"


@pytest.fixture(scope="module", params=["bytecode", "compiled"], autouse=True, name="mode")
def choose_mode(request):
    Mode.exec_mode = request.param
    Mode.executor = {"bytecode": "vm", "compiled": "aot"}[request.param]
    return request.param


def build(mod, target=None, params=None):
    return relay.vm.compile(mod, target, params, exec_mode=Mode.exec_mode)


@pytest.fixture(scope="module", name="lists")
def make_lists(mode):
    del mode
    return relay.vm.VirtualMachine(build(relay.parse(LISTS), "llvm"))


def text(value):
    """A value as text that tells everything but what is in closures."""
    if isinstance(value, tuple):
        return f"({', '.join(map(text, value))})"
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.tolist()}"
    return str(value)


def compare(program, *args, name="main"):
    """The value of a function, which the interpreter finds, too."""
    mod = relay.parse(VERSION + program)
    function = mod.get_global_var(name)
    expected = relay.create_executor("debug", mod).evaluate(function)(*args)
    actual = relay.create_executor(Mode.executor, mod).evaluate(function)(*args)
    assert text(actual) == text(expected)
    return actual


def test_lists_closures_and_recursion(lists):
    assert lists.run(4) == 26
    numbers = lists.invoke("list", 3)
    assert isinstance(numbers, relay.ConstructorValue)
    assert str(numbers) == "Cons(1, Cons(2, Cons(3, Nil)))"
    assert numbers.name_hint == "Cons" and numbers.constructor.name_hint == "Cons"
    assert numbers.fields[0] == 1 and numbers.fields[1].fields[1].fields[1].fields == []
    assert lists.invoke("sum", numbers) == 6
    add_two = lists.invoke("add", 2)
    assert add_two(3) == 5 and str(add_two) == "<closure>"
    assert str(lists.invoke("map", add_two, numbers)) == "Cons(3, Cons(4, Cons(5, Nil)))"


def test_values_of_python():
    """What Python made of constructors, and the interpreter, goes in."""
    mod = relay.IRModule()
    prelude = relay.Prelude(mod)
    made = relay.ConstructorValue(prelude.nil.tag, [], prelude.nil)
    for i in (3, 2, 1):
        made = relay.ConstructorValue(prelude.cons.tag, [np.int32(i), made], prelude.cons)
    machine = relay.vm.VirtualMachine(build(mod))
    reversed_list = machine.invoke("rev", made)
    assert relay.prelude.to_list(reversed_list) == [3, 2, 1]
    assert reversed_list.tag == prelude.cons.tag
    interpreted = relay.create_executor("debug", mod).evaluate(mod.get_global_var("rev"))(made)
    assert relay.prelude.to_list(machine.invoke("rev", interpreted)) == [1, 2, 3]
    closure = relay.create_executor("debug").evaluate(relay.Function([], relay.Function(
        [], relay.const(1))))()
    with pytest.raises(TypeError, match="expects closures and references of this program"):
        machine.invoke("id", closure)
    other = relay.vm.VirtualMachine(build(mod))
    with pytest.raises(TypeError, match="expects a value of this virtual machine"):
        machine.invoke("rev", other.invoke("rev", made))
    with pytest.raises(TypeError, match="expects a value of the interpreter"):
        relay.create_executor("debug", mod).evaluate(mod.get_global_var("rev"))(reversed_list)


def test_types_of_values():
    """A value that is not of the type of a parameter is refused before anything runs, with
    the way to what is wrong in it."""
    mod = relay.parse(VERSION + '''
        type Tree[A] { Node(Tree[A], A, Tree[A]), Leaf, }
        type Other { Leaf2, }
        def @main(%t: Tree[Tensor[(2, ?), float32]], %p: (int32, Tree[int32])) -> int32 {
          match? (%p) { (%n, _) => %n }
        }
        def @later(%n: int32) -> fn (Tree[int32]) -> int32 { fn (%t: Tree[int32]) { %n } }
        def @held(%r: ref(Tree[int32])) -> int32 { 3 }
        def @cell(%t: Tree[float32]) -> ref(Tree[float32]) { ref(%t) }
        def @tree(%x: float32) -> Tree[float32] { Node(Leaf, %x, Leaf) }
        def @apply(%f: fn (int32, int32) -> int32) -> int32 { %f(1, 2) }
        ''')
    machine = relay.vm.VirtualMachine(build(mod))
    node, leaf = mod.type_definitions[mod.get_global_type_var("Tree")].constructors
    leaf2, = mod.type_definitions[mod.get_global_type_var("Other")].constructors

    def make(value, left=None, right=None):
        nothing = relay.ConstructorValue(leaf.tag, [], leaf)
        fields = [left or nothing, value, right or nothing]
        return relay.ConstructorValue(node.tag, fields, node)

    good, number = np.ones((2, 3), "float32"), np.int32(7)
    assert machine.run(make(good, make(good)), (1, make(number))) == 1
    wrong = {
        "argument 0 of 'main' ('t'), field 1 of Node: expects a tensor of shape [2, ?], but got "
        "[3, 2]": (make(good.T), (1, make(number))),
        "argument 0 of 'main' ('t'), field 2 of Node, field 0 of Node, field 1 of Node: expects a "
        "tensor of float32, but got float64":
            (make(good, right=make(good, make(good.astype("float64")))), (1, make(number))),
        "argument 1 of 'main' ('p'), field 1 of a tuple, field 1 of Node: expects a tensor, but "
        "got a value of a data type": (make(good), (1, make(make(number)))),
        "argument 1 of 'main' ('p'), field 1 of a tuple, field 0 of Node: expects a value of "
        "'Tree', but got one of 'Other'":
            (make(good), (1, make(number, relay.ConstructorValue(leaf2.tag, [], leaf2)))),
        "argument 1 of 'main' ('p'): expects a tuple of 2 fields, but got 3":
            (make(good), (1, make(number), 2)),
    }
    for message, args in wrong.items():
        with pytest.raises(ValueError) as error:
            machine.run(*args)
        assert str(error.value) == message
    # Values that another function of the program made, and its closures.
    with pytest.raises(ValueError, match="field 1 of Node: expects a tensor of int32"):
        machine.invoke("later", 1)(machine.invoke("tree", 2))
    with pytest.raises(ValueError, match="contents of a reference, field 1 of Node: expects"):
        machine.invoke("held", machine.invoke("cell", machine.invoke("tree", 2)))
    with pytest.raises(ValueError, match="expects a function of 2 parameters, but got one of 1"):
        machine.invoke("apply", machine.invoke("later", 1))
    # What another program made, with the same types.
    other = relay.vm.VirtualMachine(build(mod))
    with pytest.raises(TypeError, match="of this virtual machine, but got one of another"):
        machine.run(make(good), (1, other.invoke("tree", 2)))


def test_no_stack_no_growth(lists):
    """Loops need no memory; lists, and recursion that is no loop, need no stack."""
    lists.invoke("loop", 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert lists.invoke("loop", 1000000) == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # KiB
    numbers = lists.invoke("list", 1000000)
    assert lists.invoke("sum", numbers) == np.int64(500000500000).astype("int32")
    assert lists.invoke("sum", lists.invoke("reverse", numbers, lists.invoke("list", 0))) == \
        lists.invoke("sum", numbers)


def test_references_and_order():
    """Effects happen in the order of the program, each once."""
    assert compare('''
        def @push(%log: ref(int32), %x: int32) -> int32 {
          let %u = ref_write(%log, add(multiply(ref_read(%log), 10), %x));
          %x
        }
        def @main() -> (int32, int32) {
          let %log = ref(0);
          let %a = @push(%log, 1);
          let %b = if (less(@push(%log, 2), @push(%log, 3))) { @push(%log, 4) }
                   else { @push(%log, 5) };
          let %t = (@push(%log, 6), @push(%log, 7), @push(%log, 8));
          (ref_read(%log), add(%a, add(%b, %t.1)))
        }''') == (1234678, 12)
    made = relay.create_executor(Mode.executor).evaluate(relay.RefCreate(relay.const(1)))
    assert isinstance(made, relay.RefValue) and made.value == 1 and str(made) == "ref(1)"
    made.value = 2
    assert made.value == 2 and made.value.dtype == "int32"


@pytest.mark.parametrize("kind", ["debug", "aot", "vm"])
def test_references_keep_their_type(kind):
    """What is written from Python has the type of what was there: programs rely on it."""
    mod = relay.parse('''#[version = "0.0.5"]
        type Color { Red, Blue, }
        type Fruit { Apple, Pear, }
        def @main(%x: Tensor[(2), float32]) {
          (ref(%x), ref((1, 2f)), ref(Red), ref(Pear), ref(fn (%a: int32) { %a }),
           ref(fn () { 1 }), ref(ref(1)), ref(ref(2f)))
        }''')
    x = np.array([1, 2], np.float32)
    tensor, pair, color, fruit, unary, nullary, inner, other = (
        relay.create_executor(kind, mod=mod).evaluate()(x))
    tensor.value = [3, 4, 5]  # the type's sizes may be open
    assert tensor.value.dtype == "float32" and list(tensor.value) == [3, 4, 5]
    pair.value = (4, 5)
    assert pair.value == (4, 5) and pair.value[1].dtype == "float32"
    color.value = color.value
    inner.value = inner.value
    values = {"tensor": x, "matrix": np.array([[1]], np.float32),
              "integers": np.array([1, 2], np.int32),
              "pair": (1, 2.5), "one": (1,), "swapped": (np.float32(1), np.int32(1)),
              "color": color.value, "fruit": fruit.value, "unary": unary.value,
              "nullary": nullary.value, "inner": inner.value, "other": other.value}
    for ref, good in ((tensor, ["tensor"]), (pair, ["pair"]), (color, ["color"]),
                      (unary, ["unary"]), (inner, ["inner"])):
        for name, value in values.items():
            if name in good:
                ref.value = value
                continue
            before = str(ref)
            with pytest.raises(Exception, match="expects .*, but got"):
                ref.value = value
            assert str(ref) == before


def test_references_to_other_types_are_refused():
    """The interpreter looks into a reference that is an argument, as the machine does."""
    mod = relay.parse('''#[version = "0.0.5"]
        def @main(%r: ref(float32)) { ref_read(%r) }''')
    run = relay.create_executor("debug", mod=mod).evaluate()
    assert run(relay.RefValue(np.float32(3))) == 3
    with pytest.raises(Exception, match="expects .*float32.*, but got .*int32"):
        run(relay.RefValue(np.int32(3)))


def test_references_to_closures():
    """As programs have that compute gradients: a list of what is to be done in a reference."""
    result = compare('''
        def @main(%x: float32) -> (float32, float32) {
          let %bp = ref(fn () -> () { () });
          let %gx = ref(0f);
          let %y = multiply(%x, %x);
          let %gy = ref(0f);
          let %old = ref_read(%bp);
          let %u = ref_write(%bp, fn () -> () {
            let %v = ref_write(%gx, add(ref_read(%gx), multiply(multiply(2f, %x),
                                                                ref_read(%gy))));
            %old()
          });
          let %w = ref_write(%gy, 1f);
          let %run = ref_read(%bp);
          let %z = %run();
          (%y, ref_read(%gx))
        }''', np.float32(3))
    assert result == (9, 6)


def test_patterns():
    """Nested patterns, tuples in them, and those of which only a part is bound."""
    program = '''
        type Option[A] { Some(A), None, }
        type Tree { Leaf(int32), Node(Tree, int32, Tree), }
        def @depth(%t: Tree) -> int32 {
          match (%t) {
            Node(Leaf(_), %x, Leaf(_)) => %x,
            Node(Node(_, _, _), %x, Leaf(%y)) => add(%x, %y),
            Node(%l, _, %r) => add(@depth(%l), @depth(%r)),
            Leaf(%x) => %x,
          }
        }
        def @pair(%p: (Option[int32], Option[int32])) -> int32 {
          match (%p) {
            (Some(%x), Some(%y)) => subtract(%x, %y),
            (Some(%x), None) => %x,
            (_, Some(%y)) => negative(%y),
            _ => 0,
          }
        }
        def @main() -> (int32, int32, int32, int32, int32) {
          let %small = Node(Leaf(1), 20, Leaf(3));
          (@depth(Node(%small, 400, Leaf(5))), @depth(Node(%small, 1, %small)),
           @pair((Some(5), Some(3))), @pair((None, Some(4))), @pair((None, None)))
        }'''
    assert compare(program) == (405, 40, 2, -4, 0)
    mod = relay.parse(VERSION + '''
        type Option[A] { Some(A), None, }
        def @main(%x: int32) -> int32 {
          match? (if (less(%x, 0)) { None } else { Some(%x) }) { Some(%y) => %y, }
        }''')
    run = relay.create_executor("vm", mod).evaluate(mod.get_global_var("main"))
    assert run(3) == 3
    with pytest.raises(RuntimeError,
                       match="expects a case that matches the value, but got one of "
                             "constructor 'None'; in function 'main'"):
        run(-3)


def test_functions_of_any_kind():
    """Mutual recursion, polymorphism, constructors and functions as values."""
    result = compare('''
        type Box[A] { Box(A), }
        def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(subtract(%n, 1)) } }
        def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(subtract(%n, 1)) } }
        def @id[A](%x: A) -> A { %x }
        def @twice[A](%f: fn (A) -> A) -> fn (A) -> A { fn (%x: A) -> A { %f(%f(%x)) } }
        def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
        def @main(%n: int32) -> (bool, int32, Box[int32], (int32, float32), int32) {
          let %inc = fn (%x: int32) -> int32 { add(%x, 1) };
          let %fact = fn (%i: int32) -> int32 {
            if (less(%i, 2)) { 1 } else { multiply(%i, %fact(subtract(%i, 1))) }
          };
          let %shared = multiply(%n, %n);
          (@even(%n), @twice(@twice(%inc))(%shared), @apply(Box, %shared),
           @id((%n, 2.5f)), @apply(%fact, 5))
        }''', np.int32(10))
    assert text(result) == "(boolTrue, int32104, Box(100), (int3210, float322.5), int32120)"


def test_tensors_of_open_sizes():
    """A loop in which a tensor grows; what does not fit is told when it runs."""
    mod = relay.parse(VERSION + '''
        def @grow(%x: Tensor[(?), float32], %n: int32) -> Tensor[(?), float32] {
          if (less_equal(%n, 0)) { %x }
          else { @grow(concatenate((%x, %x), axis=0), subtract(%n, 1)) }
        }
        def @main(%x: Tensor[(?), float32], %y: Tensor[(?), float32])
            -> Tensor[(?), float32] {
          let %f = fn (%a: Tensor[(?), float32]) -> Tensor[(?), float32] { multiply(%a, %y) };
          %f(%x)
        }''')
    machine = relay.vm.VirtualMachine(build(mod))
    x = np.arange(3, dtype="float32")
    np.testing.assert_array_equal(machine.invoke("grow", x, 4), np.tile(x, 16))
    np.testing.assert_array_equal(machine.run(x, x), x * x)
    with pytest.raises(ValueError, match=r"but got 3 and 4.*; in function 'main"):
        machine.run(x, np.ones(4, "float32"))
    with pytest.raises(ValueError, match=r"argument 0 of 'grow' \('x'\): expects a tensor of "
                                         r"float32, but got int32"):
        machine.invoke("grow", np.arange(3, dtype="int32"), 1)


def test_sizes_that_elements_decide():
    """The machine makes them before it calls a function of tensors."""
    program = '''
        def @main(%from: int32, %to: int32, %shape: Tensor[(2), int64])
            -> (Tensor[(?), int32], Tensor[(?), float32], Tensor[(?, ?), float32]) {
          let %numbers = arange(%from, %to, 3, dtype="int32");
          (multiply(%numbers, %numbers), arange(0f, cast(%to, dtype="float32"), 2.5f,
                                                dtype="float32"),
           add(dyn.full(2f, %shape, dtype="float32"), 1f))
        }'''
    shape = np.array([2, 3], "int64")
    numbers, floats, full = compare(program, np.int32(-1), np.int32(9), shape)
    assert numbers.tolist() == [1, 4, 25, 64] and floats.tolist() == [0, 2.5, 5, 7.5]
    np.testing.assert_array_equal(full, np.full((2, 3), 3, "float32"))
    assert compare(program, np.int32(3), np.int32(0), shape)[0].shape == (0,)
    mod = relay.parse(VERSION + program)
    with pytest.raises(ValueError, match="expects sizes from 0, but got -2; an operator's result "
                                         "would have it; in function 'main'"):
        relay.vm.VirtualMachine(build(mod)).run(0, 1, np.array([3, -2]))


@pytest.mark.parametrize("to", [5, 0, -3])
def test_ranges_without_a_step(to):
    step = relay.var("step", shape=(), dtype="int64")
    stop = relay.var("stop", shape=(), dtype="int64")
    function = relay.Function([stop, step], relay.arange(
        relay.const(np.int64(0)), stop, step, dtype="int64"))
    run = relay.create_executor(Mode.executor).evaluate(function)
    np.testing.assert_array_equal(run(np.int64(to), np.int64(2)), np.arange(0, to, 2))
    with pytest.raises(ValueError, match="expects a step of arange other than 0"):
        run(np.int64(to), np.int64(0))


def test_more_of_the_largest_than_there_are():
    x, k = relay.var("x", shape=(2, relay.Any())), relay.var("k", shape=(1,), dtype="int32")
    run = relay.create_executor(Mode.executor).evaluate(relay.Function([x, k], relay.topk(
        x, k=k, axis=-1, ret_type="values")))
    data = np.random.default_rng(0).random((2, 6), "float32")
    for count, expected in ((1, 1), (6, 6), (0, 6), (-2, 6)):
        np.testing.assert_array_equal(run(data, np.array([count], np.int32)),
                                      -np.sort(-data, axis=1)[:, :expected])
    with pytest.raises(ValueError, match="expects k of topk up to the size of the data at its "
                       "axis"):
        run(data, np.array([7], np.int32))


def test_models():
    """A model without anything but operators is one call."""
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(3, 4))
    function = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
    weights = np.random.default_rng(0).normal(size=(3, 4)).astype("float32")
    data = np.random.default_rng(1).normal(size=(2, 4)).astype("float32")
    exe = build(function, params={"w": weights})
    assert exe.primitives == ["main.0"] and exe.get_function_params("main") == ["x"]
    result = relay.vm.VirtualMachine(exe).run(data)
    np.testing.assert_allclose(result, np.maximum(data @ weights.T, 0), rtol=1e-5, atol=1e-6)
    # A strided argument, and one that is kept: the caller's memory may change afterwards.
    strided = np.stack([data, data], axis=-1)[..., 0]
    np.testing.assert_array_equal(relay.vm.VirtualMachine(exe).run(strided), result)
    kept = relay.create_executor(Mode.executor).evaluate(relay.Function([x], relay.Function([], x)))
    argument = data.copy()
    closure = kept(argument)
    argument[:] = 0
    np.testing.assert_array_equal(closure(), data)


def test_executable(lists, tmp_path, mode):
    exe = lists._exe  # pylint: disable=protected-access
    assert exe.globals == ["range", "sum", "map", "reverse", "loop", "list", "add", "main"]
    assert exe.get_function_params("range") == ["n", "tail"]
    assert set(exe.primitives) >= {"sum.0", "range.0"}
    ending = ", native code" if mode == "compiled" else ""
    assert f"@sum(%0 l) registers: 2{ending}\n" in exe.bytecode
    assert exe.as_text() == exe.bytecode
    assert 'Globals (#8): [("range", 0), ("sum", 1)' in exe.stats
    assert exe.constants == "VM Const[0]: int32[]"
    with pytest.raises(KeyError, match="expects one of the functions range, .*, but got 'f'"):
        exe.get_function_params("f")
    path = tmp_path / "lists.so"
    exe.save(path)
    loaded = relay.vm.VirtualMachine(relay.vm.Executable.load_exec(path))
    assert loaded.run(np.int32(4)) == 26 and loaded.run(n=4) == 26
    # Code and library apart, as programs of TVM have them.
    code, lib = exe.save()
    (tmp_path / "lists.ro").write_bytes(code)
    lib.export_library(tmp_path / "library.so")
    library = tvm.runtime.load_module(tmp_path / "library.so")
    again = tvm.runtime.vm.Executable.load_exec((tmp_path / "lists.ro").read_bytes(), library)
    assert tvm.runtime.vm.VirtualMachine(again, tvm.cpu()).run(np.int32(4)) == 26
    assert exe.lib is exe.mod is exe.module
    x = relay.var("x", shape=(2,))
    with pytest.raises(ValueError, match="expects the code of the library, but got that of anoth"):
        relay.vm.Executable.load_exec(build(relay.Function([x], x)).save()[0], library)
    with pytest.raises(TypeError, match="expects the library that was saved with the code"):
        relay.vm.Executable.load_exec(code)
    with pytest.raises(TypeError, match="expects the code to be bytes"):
        relay.vm.Executable.load_exec(path, library)
    relay.build(relay.Function([x], x + x)).export_library(tmp_path / "aot.so")
    with pytest.raises(ValueError, match="to be a program, but it is one function"):
        relay.vm.Executable.load_exec(tmp_path / "aot.so")
    with pytest.raises(TypeError, match="expects relay.vm.compile or Executable.load_exec"):
        relay.vm.Executable()


def test_machine(lists):
    lists.set_input("range", 2, lists.invoke("list", 0))
    assert str(lists.invoke("range")) == "Cons(1, Cons(2, Nil))"
    lists.invoke_stateful("range")
    assert [str(value) for value in lists.get_outputs()] == ["Cons(1, Cons(2, Nil))"]
    fresh = relay.vm.VirtualMachine(lists._exe)  # pylint: disable=protected-access
    with pytest.raises(ValueError, match="expects invoke_stateful before get_outputs"):
        fresh.get_outputs()
    with pytest.raises(ValueError, match=r"expects set_input\('main', ...\) before"):
        fresh.invoke_stateful("main")
    times = lists.benchmark(None, 3, repeat=2, number=2)
    assert len(times.results) == 2 and 0 < times.min <= times.median <= times.max
    for args, kwargs, message in [
            ((), {}, "expects parameter 'n', but it is missing"),
            ((1, 2), {}, "expects 1 arguments, but got 2"),
            ((1,), {"m": 1}, "expects one of the parameters n, but got 'm'")]:
        with pytest.raises(TypeError, match=message):
            fresh.run(*args, **kwargs)
    with pytest.raises(TypeError, match=r"argument 0 of 'sum' \('.*'\): expects a list, but got 1"):
        relay.vm.VirtualMachine(lists._exe)._exe._program.run("sum", [1], None)


def test_threads(lists):
    """Several calls of one program at a time, of values that they share."""
    numbers = lists.invoke("list", 1000)
    results = []

    def run():
        for _ in range(20):
            results.append(int(lists.invoke("sum", numbers)))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [500500] * 80


def test_memory_of_small_objects():
    """What a thread has freed is for the next ones; it may have been made by another thread,
    that has ended, and is no more than was in use at once."""
    x = relay.var("x", shape=(3,))
    pair = relay.Tuple([x + relay.const(1.0), relay.Tuple([x * x])])
    machine = relay.vm.VirtualMachine(build(relay.Function([x], pair)))
    made: list[Any] = []

    def make():
        made.extend(machine.run(np.full(3, i, "float32")) for i in range(200))

    before = 0
    for round_ in range(60):
        threads = [threading.Thread(target=make) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total = sum(float(first[0]) + float(second[0][0]) for first, second in made)
        assert total == 2 * sum(i + 1 + i * i for i in range(200))
        made.clear()
        if round_ == 20:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 16 * 1024
