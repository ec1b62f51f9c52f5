# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with If, Loop, Scan and sequences, in ONNX's text format."""

from typing import Any

import numpy as np
import onnx.parser

HEADER = '<ir_version: 9, opset_import: ["" : 18]>\n'


def parse(text):
    return onnx.parser.parse_model(HEADER + text)


def compare(actual, expected):
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected):
        if isinstance(theirs, list):
            compare(ours, theirs)
            continue
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def f32(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def i64(value):
    return np.array(value, np.int64)


def true(value=True):
    return np.array(value)


# One text for each thing that may be different, and inputs to run it with.
MODELS: dict[str, tuple[str, list[Any]]] = {
    "if": ("""
g (bool c, float[2,3] x) => (float[2,3] y) {
  y = If (c) <then_branch = t () => (float[2,3] a) { a = Relu(x) },
              else_branch = e () => (float[2,3] b) { b = Neg(x) }>
}""", [(true(), f32(2, 3)), (true(False), f32(2, 3))]),
    "if_vector_condition": ("""
g (bool[1] c, float[n] x) => (float[n] y) {
  y = If (c) <then_branch = t () => (float[n] a) { a = Relu(x) },
              else_branch = e () => (float[n] b) { b = Neg(x) }>
}""", [(true([True]), f32(3)), (true([False]), f32(0))]),
    "if_of_elements": ("""
g (float[n] x) => (y, z) {
  s = ReduceSum<keepdims = 0>(x)
  zero = Constant<value = float {0}>()
  c = Greater(s, zero)
  y, z = If (c) <then_branch = t () => (a, w) { a = Add(x, x)  w = Identity(s) },
                 else_branch = e () => (b, v) { b = Sub(x, s)  v = Neg(s) }>
}""", [(f32(4),), (-f32(4),), (f32(0),)]),
    "if_other_sizes": ("""
g (bool c, float[n,4] x) => (y) {
  y = If (c) <then_branch = t () => (a) { two = Constant<value_ints = [2]>()
                                          zero = Constant<value_ints = [0]>()
                                          a = Slice(x, zero, two) },
              else_branch = e () => (b) { b = Concat<axis = 0>(x, x) }>
}""", [(true(), f32(3, 4)), (true(False), f32(3, 4)), (true(), f32(1, 4))]),
    "if_shadows": ("""
g (bool c, float[3] x) => (y) {
  w = Neg(x)
  y = If (c) <then_branch = t () => (a) { u = Relu(w)
               a = If (c) <then_branch = t2 () => (d) { d = Add(u, w) },
                           else_branch = e2 () => (d2) { d2 = Mul(u, x) }> },
              else_branch = e () => (b) { b = Identity(x) }>
}""", [(true(), f32(3)), (true(False), f32(3))]),
    "loop_counts": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2) {
    c2 = Identity(c)
    v2 = Add(v, v)
  }>
}""", [(i64(3), f32(2)), (i64(0), f32(2)), (i64(-2), f32(2))]),
    "loop_scans": ("""
g (int64 n, float[2] x) => (y, r, s) {
  y, r, s = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2, w, j) {
    c2 = Identity(c)
    f = Cast<to = 1>(i)
    v2 = Add(v, f)
    w = Mul(v2, v)
    j = Identity(i)
  }>
}""", [(i64(7), f32(2)), (i64(1), f32(2)), (i64(0), f32(2)), (i64(100), f32(2))]),
    "loop_ends_early": ("""
g (float[3] x, float limit) => (y, r) {
  t = Constant<value = bool {1}>()
  y, r = Loop ( , t, x) <body = b (int64 i, bool c, float[3] v) => (c2, v2, s) {
    v2 = Add(v, v)
    m = ReduceSum<keepdims = 0>(v2)
    s = Abs(m)
    c2 = Less(s, limit)
  }>
}""", [(f32(3), np.array(50, np.float32)), (f32(3), np.array(0, np.float32))]),
    "loop_both_ends": ("""
g (int64 n, bool go, float[3] x, float limit) => (y, r) {
  y, r = Loop (n, go, x) <body = b (int64 i, bool c, float[3] v) => (c2, v2, s) {
    v2 = Add(v, v)
    m = ReduceSum<keepdims = 0>(v2)
    s = Abs(m)
    c2 = Less(s, limit)
  }>
}""", [(i64(4), true(), f32(3), np.array(1e9, np.float32)), (i64(40), true(), f32(3), np.array(20, np.float32)),
       (i64(4), true(False), f32(3), np.array(20, np.float32)), (i64(0), true(), f32(3), np.array(20, np.float32))]),
    "loop_start_only": ("""
g (int64 n, bool go, float[3] x) => (y, r) {
  y, r = Loop (n, go, x) <body = b (int64 i, bool c, float[3] v) => (c2, v2, s) {
    c2 = Constant<value = bool {1}>()
    v2 = Neg(v)
    s = Add(v, v2)
  }>
}""", [(i64(5), true(), f32(3)), (i64(5), true(False), f32(3))]),
    "loop_grows": ("""
g (int64 n, float[k,2] x) => (y, r) {
  y, r = Loop (n, , x) <body = b (int64 i, bool c, v) => (c2, v2, s) {
    c2 = Identity(c)
    one = Constant<value_ints = [1]>()
    zero = Constant<value_ints = [0]>()
    first = Slice(v, zero, one)
    v2 = Concat<axis = 0>(v, first)
    s = Shape(v2)
  }>
}""", [(i64(3), f32(2, 2)), (i64(20), f32(1, 2))]),
    "loop_captures": ("""
g (int64 n, float[2,2] x, float[2,2] w) => (y) {
  k = MatMul(w, w)
  y = Loop (n, , x) <body = b (int64 i, bool c, float[2,2] v) => (c2, v2) {
    c2 = Identity(c)
    u = MatMul(v, k)
    v2 = Tanh(u)
  }>
}""", [(i64(5), f32(2, 2), f32(2, 2) / 3)]),
    "loop_nested": ("""
g (int64 n, int64 m, float[2] x) => (y, r) {
  y, r = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2, q) {
    c2 = Identity(c)
    v2, q = Loop (m, , v) <body = b2 (int64 j, bool d, float[2] u) => (d2, u2, p) {
      d2 = Identity(d)
      t = Add(i, j)
      f = Cast<to = 1>(t)
      u1 = Add(u, f)
      u2 = Sub(u1, v)
      p = Identity(t)
    }>
  }>
}""", [(i64(3), i64(4), f32(2)), (i64(70), i64(3), f32(2))]),
    "if_in_loop": ("""
g (int64 n, float[2] x) => (y, r) {
  two = Constant<value = int64 {2}>()
  zero = Constant<value = int64 {0}>()
  y, r = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2, s) {
    c2 = Identity(c)
    rest = Mod(i, two)
    even = Equal(rest, zero)
    v2 = If (even) <then_branch = t () => (a) { a = Add(v, x) },
                    else_branch = e () => (b1) { b1 = Neg(v) }>
    s = Cast<to = 1>(even)
  }>
}""", [(i64(5), f32(2)), (i64(0), f32(2))]),
    "scan": ("""
g (float[n,2] x, float[2] s) => (e, y) {
  e, y = Scan <num_scan_inputs = 1, body = b (float[2] v, float[2] u) => (v2, r) {
    v2 = Add(v, u)
    r = Mul(v2, u)
  }> (s, x)
}""", [(f32(5, 2), f32(2)), (f32(1, 2), f32(2))]),
    "scan_directions": ("""
g (float[3,n] x, float[n,3] z, float[3] s) => (e, y, w) {
  e, y, w = Scan <num_scan_inputs = 2, scan_input_axes = [1, 0],
                  scan_input_directions = [1, 0], scan_output_axes = [1, -1],
                  scan_output_directions = [0, 1],
                  body = b (float[3] v, float[3] u, float[3] t) => (v2, r, q) {
    v1 = Add(v, u)
    v2 = Sub(v1, t)
    r = Mul(v2, u)
    q = Identity(v2)
  }> (s, x, z)
}""", [(f32(3, 5), f32(5, 3), f32(3))]),
    "scan_without_state": ("""
g (float[n,2] x) => (y) {
  y = Scan <num_scan_inputs = 1, body = b (float[2] u) => (r) {
    r = ReduceSum<keepdims = 0>(u)
  }> (x)
}""", [(f32(5, 2),), (f32(300, 2),)]),
    "sequence_in_loop": ("""
g (int64 n, float[k,2] x) => (y, z, m) {
  s0 = SequenceEmpty()
  s = Loop (n, , s0) <body = b (int64 i, bool c, s1) => (c2, s2) {
    c2 = Identity(c)
    f = Cast<to = 1>(i)
    v = Add(x, f)
    s2 = SequenceInsert(s1, v)
  }>
  y = ConcatFromSequence<axis = 0>(s)
  z = ConcatFromSequence<axis = 1, new_axis = 1>(s)
  m = SequenceLength(s)
}""", [(i64(3), f32(2, 2)), (i64(1), f32(0, 2)), (i64(100), f32(1, 2))]),
    "sequence_positions": ("""
g (float[2] a, float[3] b, int64 i, int64 j) => (y, z, w, k) {
  s = SequenceConstruct(a, b)
  t = SequenceInsert(s, b, i)
  y = SequenceAt(t, j)
  u = SequenceErase(t, j)
  z = SequenceAt(u, i)
  v = SequenceErase(u)
  w = ConcatFromSequence<axis = -1>(v)
  k = SequenceLength(v)
}""", [(f32(2), f32(3), i64(i), i64(j)) for i, j in [(0, 0), (1, 2), (-1, -1), (-2, 1)]]),
    "sequence_known": ("""
g (float[4,3] x) => (y, z, w) {
  s = SplitToSequence<axis = 0>(x)
  one = Constant<value_int = 1>()
  y = SequenceAt(s, one)
  t = SplitToSequence<axis = 1, keepdims = 0>(x)
  last = Constant<value_int = -1>()
  z = SequenceAt(t, last)
  w = ConcatFromSequence<axis = 1>(s)
}""", [(f32(4, 3),)]),
    "sequence_of_rows": ("""
g (float[n,3] x, int64 i) => (y, z) {
  s = SplitToSequence<axis = 0, keepdims = 0>(x)
  y = SequenceAt(s, i)
  t = SequenceMap (s) <body = b (float[3] r) => (float[3] q) { q = Mul(r, r) }>
  z = ConcatFromSequence<axis = 0, new_axis = 1>(t)
}""", [(f32(4, 3), i64(1)), (f32(1, 3), i64(-1))]),
    "sequence_of_parts": ("""
g (float[n,3] x, int64 p, int64[m] q, int32 r) => (y, z, w, v, u) {
  s = SplitToSequence<axis = 0>(x, p)
  y = ConcatFromSequence<axis = 0>(s)
  y2 = SequenceLength(s)
  z = SequenceLength(s)
  t = SplitToSequence<axis = 1, keepdims = 0>(x, q)
  last = Constant<value_int = -1>()
  w = SequenceAt(t, last)
  two = Constant<value_int = 2>()
  a = SplitToSequence<axis = 0>(x, two)
  v = SequenceAt(a, last)
  b = SplitToSequence<axis = 1>(x, r)
  u = SequenceAt(b, last)
}""", [(f32(5, 3), i64(2), i64([1, 2]), np.array(2, np.int32)),
       (f32(6, 3), i64(3), i64([3]), np.array(1, np.int32)),
       (f32(1, 3), i64(7), i64([1, 0, 1, 1]), np.array(3, np.int32))]),
    "if_of_sequences": ("""
g (bool c, float[2] x) => (y) {
  s = If (c) <then_branch = t () => (a) { a = SequenceConstruct(x, x) },
              else_branch = e () => (b) { n = Neg(x) b = SequenceConstruct(n) }>
  y = ConcatFromSequence<axis = 0>(s)
}""", [(true(), f32(2)), (true(False), f32(2))]),
    # Of which rank elements are, the first tensor that is put into the sequence says.
    "sequence_input": ("""
g (seq(float[]) s, float[2,3] x, int64 i) => (t, n, y) {
  t = SequenceInsert(s, x, i)
  n = SequenceLength(s)
  y = SequenceAt(t, i)
}""", [([f32(1, 3), f32(4, 1)], f32(2, 3), i64(1)), ([], f32(2, 3), i64(0))]),
    "sequence_input_in_loop": ("""
g (int64 n, seq(float) s, float[m] x) => (t) {
  t = Loop (n, , s) <body = b (int64 i, bool c, seq(float[]) u) => (c2, v) {
    c2 = Identity(c)
    f = Cast<to = 1>(i)
    r = Add(x, f)
    v = SequenceInsert(u, r)
  }>
}""", [(i64(3), [], f32(2)), (i64(1), [f32(4), f32(0)], f32(3)), (i64(0), [f32(1)], f32(3))]),
    "sequence_input_of_branches": ("""
g (bool c, seq(float[]) s, float[2] x) => (t) {
  t = If (c) <then_branch = a () => (u) { u = Identity(s) },
              else_branch = b () => (v) { v = SequenceConstruct(x, x) }>
}""", [(true(), [f32(3), f32(5)], f32(2)), (true(False), [f32(3)], f32(2))]),
    "sequence_input_of_scalars": ("""
g (seq(float) s, int64 i) => (y, n) {
  y = SequenceAt(s, i)
  n = SequenceLength(s)
}""", [([f32(), f32()], i64(1))]),
    # A scalar or a vector of one element, broadcast to what has a dimension.
    "if_of_scalars": ("""
g (bool c, float a, float[1] b, float[n] x, float[2,3] z) => (y, w, v) {
  s = If (c) <then_branch = t () => (p) { p = Neg(a) },
              else_branch = e () => (q) { q = Relu(b) }>
  y = Mul(x, s)
  r = Identity(s)
  w = Where(c, z, r)
  i = Constant<value_ints = [1, 2]>()
  v = CastLike(i, s)
}""", [(true(choice), f32(), f32(1), f32(n), f32(2, 3)) for choice in (True, False) for n in (1, 4)]),
    "growing_cache": ("""
g (int64 n, float[1,4] token, float[b,4] cache, float[4,4] w) => (out, last) {
  out, last = Loop (n, , cache, token) <body = step (int64 i, bool c, past, t) => (c2, present, t2) {
    c2 = Identity(c)
    k = MatMul(t, w)
    present = Concat<axis = 0>(past, k)
    keys = Transpose(present)
    scores = MatMul(t, keys)
    p = Softmax<axis = -1>(scores)
    t2 = MatMul(p, present)
  }>
}""", [(i64(4), f32(1, 4), f32(0, 4), f32(4, 4)), (i64(1), f32(1, 4), f32(3, 4), f32(4, 4))]),
    # What the body reads of the initial values is not dropped with what was tried.
    "end_not_in_sight": ("""
g (float[2] x) => (y, z) <float[2] k = {5, 6}> {
  t = Constant<value = bool {1}>()
  y, z = Loop (, t, k, x) <body = b (int64 i, bool c, float[2] u, float[2] v) => (c2, u2, v2) {
    n = Mul(u, u)
    u2 = Add(u, n)
    v2 = Add(v, v)
    m = ReduceSum<keepdims = 0>(v)
    limit = Constant<value = float {1000}>()
    s = Abs(m)
    c2 = Less(s, limit)
  }>
}""", [(f32(2),)]),
    "condition_as_output": ("""
g (int64 n, float[2] x, bool q) => (y, w, r) {
  y, w, r = Loop (n, , x, q) <body = b (int64 i, bool c, float[2] v, bool u) => (c, v2, c, c) {
    v2 = Neg(v)
  }>
}""", [(i64(3), f32(2), true(False)), (i64(0), f32(2), true(False))]),
}

# What is known at import to be short needs no virtual machine.
UNROLLED: dict[str, tuple[str, list[Any]]] = {
    "trips": ("""
g (float[n] x) => (y, r) {
  three = Constant<value_int = 3>()
  y, r = Loop (three, , x) <body = b (int64 i, bool c, float[n] v) => (c2, v2, s) {
    c2 = Identity(c)
    f = Cast<to = 1>(i)
    v2 = Add(v, f)
    s = ReduceSum<keepdims = 0>(v2)
  }>
}""", [(f32(2),), (f32(5),)]),
    "no_trips": ("""
g (float[2] x) => (y, r) {
  zero = Constant<value_int = 0>()
  y, r = Loop (zero, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2, s) {
    c2 = Identity(c)
    v2 = Add(v, v)
    s = Neg(v2)
  }>
}""", [(f32(2),)]),
    "condition": ("""
g (float[2] x) => (y) {
  start = Constant<value = bool {1}>()
  five = Constant<value_int = 5>()
  y = Loop (, start, x) <body = b (int64 i, bool c, float[2] v) => (c2, v2) {
    c2 = Less(i, five)
    v2 = Add(v, v)
  }>
}""", [(f32(2),)]),
    "growing": ("""
g (float[1,2] x) => (y) {
  three = Constant<value_int = 3>()
  y = Loop (three, , x) <body = b (int64 i, bool c, v) => (c2, v2) {
    c2 = Identity(c)
    v2 = Concat<axis = 0>(v, v)
  }>
}""", [(f32(1, 2),)]),
    "scan": ("""
g (float[4,2] x, float[2] s) => (e, y) {
  e, y = Scan <num_scan_inputs = 1, scan_input_directions = [1],
               body = b (float[2] v, float[2] u) => (v2, r) {
    v2 = Add(v, u)
    r = Mul(v2, u)
  }> (s, x)
}""", [(f32(4, 2), f32(2))]),
    "sequence": ("""
g (float[n,2] x) => (y) {
  s0 = SequenceEmpty()
  four = Constant<value_int = 4>()
  s = Loop (four, , s0) <body = b (int64 i, bool c, s1) => (c2, s2) {
    c2 = Identity(c)
    f = Cast<to = 1>(i)
    v = Add(x, f)
    s2 = SequenceInsert(s1, v)
  }>
  y = ConcatFromSequence<axis = 1>(s)
}""", [(f32(3, 2),)]),
}
