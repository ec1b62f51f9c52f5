"""Programs that use the whole language, and what passes must not change of them:
references, recursion, data types, closures, branches, and functions of functions."""

import functools
from typing import Any

import numpy as np

from relay_mlir import relay

X = np.array([0.5, -1.0, 2.0], np.float32)

# Name, text, arguments of @main.
PROGRAMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "arithmetic": ("""
        def @main(%x: Tensor[(3), float32]) { let %y = exp(%x); (%y + %y) * 2f - %y }""", (X,)),
    "shared by branches": ("""
        def @main(%c: bool, %x: Tensor[(3), float32]) {
            %0 = exp(%x);
            %1 = tanh(%0);
            if (%c) { %0 + %1 } else { if (less(min(%1), 0f)) { %1 } else { %0 * %1 } }
        }""", (False, X)),
    "nested branches": ("""
        def @main(%a: int32, %b: int32) {
            %0 = %a * 3;
            %1 = if (less(%a, %b)) { %0 + 1 } else { let %z = %0 - %b; %z * %z };
            if (greater(%1, 4)) { if (equal(%b, 2)) { %1 } else { %0 } } else { %1 + %0 }
        }""", (7, 2)),
    "tuples": ("""
        def @main(%x: Tensor[(3), float32]) {
            %0 = (%x, exp(%x));
            let %t = (%0, concatenate(%0, axis=0));
            %1 = split(%t.1, indices_or_sections=2);
            (%1.0, concatenate(%1, axis=0), %t.0.1)
        }""", (X,)),
    "order of effects": ("""
        def @main(%x: int32) {
            let %r = ref(%x);
            let %a = ref_read(%r);
            let %u = ref_write(%r, %a + 1);
            %0 = ref_read(%r);
            let %v = ref_write(%r, %0 * 10);
            (%a, %0, ref_read(%r))
        }""", (3,)),
    "effects in branches": ("""
        def @main(%c: bool) {
            let %r = ref(1);
            let %f = fn (%y: int32) -> int32 {
                let %u = ref_write(%r, ref_read(%r) + %y);
                ref_read(%r)
            };
            let %a = if (%c) { %f(10) } else { 0 };
            let %b = (%f(%a), %f(100));
            (%a, %b.1 - %b.0, ref_read(%r))
        }""", (True,)),
    "effects of arguments": ("""
        def @bump(%r: ref(int32), %by: int32) -> int32 {
            let %u = ref_write(%r, ref_read(%r) * 2 + %by);
            ref_read(%r)
        }
        def @main() {
            let %r = ref(1);
            %0 = @bump(%r, 1) - (@bump(%r, 2) * @bump(%r, 3));
            (%0, ref_read(%r))
        }""", ()),
    "references of references": ("""
        def @main(%x: int32) {
            let %inner = ref(%x);
            let %outer = ref(%inner);
            let %u = ref_write(%inner, 5);
            let %v = ref_write(%outer, ref(ref_read(ref_read(%outer)) + 1));
            (ref_read(%inner), ref_read(ref_read(%outer)))
        }""", (2,)),
    "local recursion": ("""
        def @main(%n: int32) {
            let %sum = fn (%i: int32, %acc: int32) -> int32 {
                if (equal(%i, 0)) { %acc } else { %sum(%i - 1, %acc + %i) }
            };
            %sum(%n, 0) + %sum(3, 1)
        }""", (20,)),
    "local recursion with variables": ("""
        def @main(%n: int32, %step: int32) {
            let %twice = fn (%y: int32) -> int32 { %y * 2 };
            let %count = fn (%i: int32) -> int32 {
                if (less(%i, %step)) { %twice(%i) } else { 1 + %count(%i - %step) }
            };
            let %again = fn (%k: int32) -> int32 {
                let %inner = fn (%j: int32) -> int32 { %count(%j) + %k + %step };
                %inner(%k * 2)
            };
            (%count(%n), %again(%n))
        }""", (17, 3)),
    "global recursion": ("""
        def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(%n - 1) } }
        def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(%n - 1) } }
        def @main(%n: int32) { (@even(%n), @odd(%n)) }""", (9,)),
    "recursion that is not last": ("""
        def @fib(%n: int32) -> int32 {
            if (less(%n, 2)) { %n } else { @fib(%n - 1) + @fib(%n - 2) }
        }
        def @main(%n: int32) { @fib(%n) }""", (10,)),
    "closures in closures": ("""
        def @main(%a: int32) {
            let %f = fn (%b: int32) {
                fn (%c: int32) { fn (%d: int32) -> int32 { %a * 1000 + %b * 100 + %c * 10 + %d } }
            };
            let %g = %f(2);
            %g(3)(4) + %f(5)(6)(7)
        }""", (1,)),
    "closures in branches": ("""
        def @main(%c: bool, %x: int32) {
            let %f = if (%c) { fn (%y: int32) -> int32 { %y + %x } }
                     else { fn (%y: int32) -> int32 { %y * %x } };
            (%f(3), %f(%f(2)))
        }""", (False, 5)),
    "composition": ("""
        def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
            fn (%x: A) -> C { %f(%g(%x)) }
        }
        def @twice[A](%f: fn (A) -> A) -> fn (A) -> A { @compose(%f, %f) }
        def @main(%x: int32) {
            let %inc = fn (%y: int32) -> int32 { %y + 1 };
            let %double = fn (%y: int32) -> int32 { %y * 2 };
            let %h = @twice(@compose(%inc, %double));
            %h(%x)
        }""", (3,)),
    "functions in data": ("""
        def @main(%x: int32) {
            let %fs = Cons(fn (%y: int32) -> int32 { %y + %x },
                           Cons(fn (%y: int32) -> int32 { %y * %x }, Nil));
            let %apply = fn (%acc: int32, %f: fn (int32) -> int32) -> int32 { %f(%acc) };
            @foldl(%apply, 4, %fs)
        }""", (3,)),
    "functions in tuples and references": ("""
        def @main(%x: int32) {
            let %r = ref(fn (%y: int32) -> int32 { %y + 1 });
            let %t = (ref_read(%r), %r, %x);
            let %u = ref_write(%t.1, fn (%y: int32) -> int32 { %t.0(%y) * 10 });
            ref_read(%r)(%t.2)
        }""", (3,)),
    "lists": ("""
        def @main(%x: int32) {
            let %list = Cons(%x, Cons(%x + 1, Cons(%x * 2, Nil)));
            let %mapped = @map(fn (%y: int32) -> int32 { %y * %y }, %list);
            (@foldl(fn (%a: int32, %b: int32) -> int32 { %a * 3 + %b }, 1, %mapped),
             @foldr(fn (%a: int32, %b: int32) -> int32 { %a - %b }, 0, %mapped),
             @rev(@filter(fn (%y: int32) -> bool { greater(%y, 10) }, %mapped)))
        }""", (3,)),
    "names as values": ("""
        def @double(%x: int32) -> int32 { %x * 2 }
        def @main(%x: int32) {
            let %cons = Cons;
            let %d = @double;
            @map(%d, %cons(%x, @map(@double, Cons(1, Nil))))
        }""", (3,)),
    "trees": ("""
        def @main(%x: int32) {
            let %tree = Rose(%x, Cons(Rose(2, Nil), Cons(Rose(3, Cons(Rose(4, Nil), Nil)), Nil)));
            (@size(%tree), @tmap(fn (%y: int32) -> int32 { %y + %x }, %tree))
        }""", (5,)),
    "nested patterns": ("""
        def @classify(%p: (List[int32], Option[int32])) -> int32 {
            match (%p) {
                (Cons(%a, Cons(%b, _)), Some(%c)) => { %a + %b + %c },
                (Cons(%a, Nil), _) => { %a },
                (_, Some(%c)) => { 0 - %c },
                _ => { 77 },
            }
        }
        def @main(%x: int32) {
            (@classify((Cons(%x, Cons(2, Nil)), Some(3))), @classify((Cons(%x, Nil), None)),
             @classify((Nil, Some(%x))), @classify((Nil, None)))
        }""", (5,)),
    "match? on what there is": ("""
        def @main(%x: int32) {
            let %list = Cons(%x, Nil);
            let %r = ref(0);
            let %y = match? (%list) { Cons(%h, _) => { let %u = ref_write(%r, %h); %h * 2 } };
            (%y, ref_read(%r))
        }""", (5,)),
    "numbers": ("""
        def @main(%x: int32) {
            let %n = succ(succ(succ(zero)));
            let %f = @nat_iterate(fn (%y: int32) -> int32 { %y * 2 }, @nat_double(%n));
            (%f(%x), @nat_nth(Cons(1, Cons(2, Cons(3, Cons(4, Nil)))), %n))
        }""", (3,)),
    "polymorphic closures": ("""
        def @main(%x: int32) {
            let %id = fn [A](%y: A) -> A { %y };
            let %pair = fn [A, B](%a: A, %b: B) -> (B, A) { (%b, %a) };
            %pair(%id(%x), %id(True))
        }""", (3,)),
    "polymorphic functions": ("""
        def @swap[A, B](%p: (A, B)) -> (B, A) {
            let %keep = fn (%q: A) -> A { %q };
            (%p.1, %keep(%p.0))
        }
        def @main(%x: int32) { @swap(@swap((%x, 2.5f))) }""", (3,)),
    "polymorphic functions as values": ("""
        def @id[A](%x: A) -> A { %x }
        def @pair[A, B](%x: A, %y: B) -> (A, B) { (%x, %y) }
        def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
            fn (%x: A) -> C { %f(%g(%x)) }
        }
        def @main(%x: int32) {
            let %f: fn (float32) -> float32 = @id;
            let %p = @pair(@pair(%x, 1f), @pair);
            (@id(@id)(%x), @id(%f)(2f), @compose(@id, @id(@id))(%x), %p.0, %p.1(2f, %x))
        }""", (3,)),
    "polymorphic functions of polymorphic functions": ("""
        def @id[A](%x: A) -> A { %x }
        def @apply[A, B](%f: fn (A) -> B, %x: A) -> B { %f(%x) }
        def @twice[A](%f: fn (A) -> A) -> fn (A) -> A { fn (%x: A) -> A { %f(%f(%x)) } }
        def @compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B) -> fn (A) -> C {
            fn (%x: A) -> C { %f(%g(%x)) }
        }
        def @main(%x: int32) {
            let %double = fn (%y: int32) { %y * 2 };
            (@apply(@id, @id)(%x), @twice(@twice)(%double)(%x), @twice(@twice)(@twice)(%double)(1),
             @compose(@compose(@id, @id), @compose(%double, @id))(%x))
        }""", (3,)),
    "polymorphic functions in data": ("""
        def @id[A](%x: A) -> A { %x }
        def @pick(%c: bool) -> fn (int32) -> int32 {
            if (%c) { @id } else { fn (%y: int32) -> int32 { %y * 3 } }
        }
        def @main(%x: int32) {
            let %twice = fn [A](%f: fn (A) -> A) -> fn (A) -> A { fn (%y: A) -> A { %f(%f(%y)) } };
            let %other = %twice;
            let %inc = fn (%y: int32) -> int32 { %y + 1 };
            let %r = ref(%inc);
            let %a = ref_read(%r)(%x);
            let %u = ref_write(%r, @id);
            let %f = match (Cons(@id, Nil)) { Cons(%g, _) => { %g(%x) }, Nil => { 0 } };
            (%twice(%other)(%twice)(%inc)(%x), @id(%twice)(%inc)(%x), %f, %a, ref_read(%r)(%x),
             @pick(less(%x, 2))(%x), @pick(less(%x, 5))(%x))
        }""", (3,)),
    "functions of several sizes": ("""
        def @main(%x: Tensor[(3), float32], %y: Tensor[(2), float32]) {
            let %f = fn (%p: Tensor[(3), float32]) { exp(%p) };
            let %g = fn (%p: Tensor[(2), float32]) { tanh(%p) };
            (%f(%x), %g(%y))
        }""", (X, X[1:])),
    "operators as values": ("""
        def @main(%x: int32) {
            let %f = if (less(%x, 2)) { negative } else { abs };
            (%f(%x), @foldl(add, 0, Cons(%x, Cons(2, Nil))))
        }""", (-3,)),
    "unused and partial": ("""
        def @main(%x: int32) {
            let %unused = fn (%y: int32) -> int32 { %y + %x };
            let %dead = Cons(%unused, Nil);
            let %none: Option[int32] = None;
            match (%none) { Some(%y) => { %y }, None => { %x } }
        }""", (-3,)),
    "primitive closures": ("""
        def @main(%x: Tensor[(3), float32]) {
            %0 = fn (%y: Tensor[(3), float32], Primitive=1) -> Tensor[(3), float32] {
                %1 = exp(%y);
                %1 + tanh(%1)
            };
            %2 = %0(%x);
            %0(%2) + %2
        }""", (X,)),
    "unknown sizes": ("""
        def @first(%x: Tensor[(?), float32]) -> Tensor[(?), float32] { exp(%x) }
        def @main(%x: Tensor[(3), float32]) {
            let %y: Tensor[(?), float32] = %x;
            let %f = fn (%z: Tensor[(?), float32]) { @first(%z) + %y };
            %f(%x)
        }""", (X,)),
}


def parse(text: str) -> Any:
    """The module of a text, which may use the prelude."""
    mod = relay.IRModule()
    mod.import_from_std("nat.rly")
    return relay.parse(f'#[version = "0.0.5"]\n{text}', init_module=mod)


@functools.cache
def program(name: str) -> Any:
    """The module of a program. Passes leave it as it is."""
    text, _ = PROGRAMS[name]
    return relay.transform.InferType()(parse(text))


def plain(value: Any) -> Any:
    """A value as lists, arrays and names of constructors."""
    if isinstance(value, relay.ConstructorValue):
        # Lists may be long.
        return [value.constructor.name_hint, *map(plain, value.fields)]
    if isinstance(value, relay.RefValue):
        return ["ref", plain(value.value)]
    if isinstance(value, (tuple, list)):
        return list(map(plain, value))
    array = value.numpy()
    return [str(array.dtype), list(array.shape), array.tolist()]


def evaluate(mod: Any, args: Any) -> Any:
    return plain(relay.create_executor("debug", mod=mod).evaluate()(*args))


@functools.cache
def expected(name: str) -> Any:
    return evaluate(program(name), PROGRAMS[name][1])


def check(name: str, mod: Any) -> None:
    """Checks that a module, of a program of that name, has the same result. Passes
    of this kind leave operators as they are: results are equal, not only close."""
    found = evaluate(mod, PROGRAMS[name][1])
    assert found == expected(name), f"{name}\n{mod}"


def operators(mod: Any) -> dict[str, int]:
    return relay.analysis.list_op_freqs(mod)
