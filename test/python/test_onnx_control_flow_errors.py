# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with If, Loop, Scan and sequences: when it is imported, and when it runs."""

import numpy as np
import onnxruntime
import pytest
from onnx_control_flow_models import MODELS, compare, f32, i64, parse, true

import onnx_backend
import relay_mlir as rm

# What is wrong, and what the message says.
BAD = {
    "sequence_left_out": ("""
g (float[2] x) => (y) {
  s = SequenceConstruct(x, x)
  y = SequenceMap (s, , x) <body = b (float[2] u, float[2] q, float[2] w) => (r) { r = Add(u, w) }>
}""", '(SequenceMap, opset 18): expects input 1, which is left out'),
    "element_left_out": ("""
g (float[2] x) => (y) {
  s = SequenceConstruct(x, , x)
  y = ConcatFromSequence<axis = 0>(s)
}""", '(SequenceConstruct, opset 18): expects input 1, which is left out'),
    "optional_of_optional": ("""
g (int64 n, float[2] x) => (y) {
  o = Optional<type = float[2]>()
  y = Loop (n, , o) <body = b (int64 i, bool c, u) => (c2, u2) { c2 = Identity(c) u2 = Optional(u) }>
}""", '(Optional, opset 18): expects a tensor or a sequence, but "u" is an optional value itself'),
    "number_as_condition": ("""
g (float[2] x) => (y) {
  c = Constant<value = int64 {2}>()
  y = If (c) <then_branch = t () => (a) { a = Relu(x) }, else_branch = e () => (b) { b = Neg(x) }>
}""", '(If, opset 18): expects a condition of BOOL, but "c" is of'),
    "number_as_condition_of_loop": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (t, v2) {
    t = Constant<value = int64 {1}>()
    v2 = Neg(v)
  }>
}""", '(Loop, opset 18): expects a condition of BOOL, but "t" is of'),
    "captures_nothing": ("""
g (bool c, float[2] x) => (float[2] y) {
  y = If <then_branch = t () => (a) { a = Add(x, nowhere) },
          else_branch = e () => (b) { b = Neg(x) }> (c)
}""", 'node that computes "a" (Add, opset 18): expects input "nowhere" to be a value, but there is '
      'none of this name'),
    "element_types": ("""
g (bool c, float[2] x) => (y) {
  y = If (c) <then_branch = t () => (a) { a = Relu(x) },
              else_branch = e () => (b) { b = Cast<to = 7>(x) }>
}""", '(If, opset 18): expects values of one element type and rank for output 0 ("y") from both '
      'branches, but "a" of then_branch is'),
    "ranks": ("""
g (bool c, float[2] x) => (y) {
  y = If (c) <then_branch = t () => (a) { a = Relu(x) },
              else_branch = e () => (b) { b = ReduceSum<keepdims = 0>(x) }>
}""", 'expects values of one element type and rank for output 0 ("y")'),
    "rank_of_a_branch": ("""
g (bool c, float a, float[1] b) => (y) {
  s = If (c) <then_branch = t () => (p) { p = Neg(a) },
              else_branch = e () => (q) { q = Relu(b) }>
  y = Shape(s)
}""", '(Shape, opset 18): expects an input of one rank, but "s" is'),
    "rank_of_an_output": ("""
g (bool c, float a, float[1] b) => (s) {
  s = If (c) <then_branch = t () => (p) { p = Neg(a) },
              else_branch = e () => (q) { q = Relu(b) }>
}""", 'expects an output of one rank, but "s" is'),
    "rank_that_counts": ("""
g (bool c, float a, float[1] b) => (y) {
  s = If (c) <then_branch = t () => (p) { p = Neg(a) },
              else_branch = e () => (q) { q = Relu(b) }>
  y = Mul(s, a)
}""", '(Mul, opset 18): expects an input of one rank, but "s" is'),
    "rank_of_a_row": ("""
g (int64 n, bool c, float a, float[1] b) => (y) {
  s = If (c) <then_branch = t () => (p) { p = Neg(a) },
              else_branch = e () => (q) { q = Relu(b) }>
  y = Loop (n, , ) <body = b (int64 i, bool c1) => (c2, r) { c2 = Identity(c1) r = Identity(s) }>
}""", 'expects an output of body of one rank, but'),
    "elements_of_a_sequence": ("""
g (seq(float[]) s, int64[2] x) => (t) {
  t = SequenceInsert(s, x)
}""", 'expects elements of type \'f32\' in the sequence of input "s", but got \'tensor<2xi64>\''),
    "ranks_of_a_sequence": ("""
g (int64 i, float[2] x, float[2,2] z) => (u) {
  s = SequenceConstruct(x, x)
  t = SequenceInsert(s, x, i)
  u = SequenceInsert(t, z, i)
}""", "expects a tensor of the element type and rank of the sequence, 'tensor<2xf32>', but \"z\" is "
      "'tensor<2x2xf32>'"),
    "sequence_of_unknown_rank": ("""
g (seq(float[]) s, int64 i) => (y) {
  y = SequenceAt(s, i)
}""", 'input "s" has no shape; give it one'),
    "branch_outputs": ("""
g (bool c, float[2] x) => (y) {
  y = If (c) <then_branch = t () => (a) { a = Relu(x) },
              else_branch = e () => (b, d) { b = Neg(x) d = Neg(x) }>
}""", "expects 1 outputs of else_branch, but got 2"),
    "condition_type": ("""
g (float[2] x) => (y) {
  y = If (x) <then_branch = t () => (a) { a = Relu(x) },
              else_branch = e () => (b) { b = Neg(x) }>
}""", 'expects a condition of one element of type \'i1\', but "x" is'),
    "body_inputs": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c) => (c2, v2) { c2 = Identity(c) v2 = Neg(x) }>
}""", "(Loop, opset 18): expects 3 inputs of body, but got 2"),
    "body_outputs": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2) { c2 = Identity(c) }>
}""", "expects 2 or more outputs of body, but got 1"),
    "carried_type": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2) {
    c2 = Identity(c)
    v2 = Cast<to = 7>(v)
  }>
}""", 'expects a carried value to keep its element type and rank, but "x" is '
      "'tensor<2xf32>', and output \"v2\" of body is"),
    "declared_type": ("""
g (int64 n, float[2] x) => (y) {
  y = Loop (n, , x) <body = b (int64 i, bool c, int64[2] v) => (c2, v2) {
    c2 = Identity(c)
    v2 = Neg(v)
  }>
}""", 'expects a value of INT64 for input "v" of body, but "x" is'),
    "endless": ("""
g (float[2] x) => (y) {
  y = Loop (, , x) <body = b (int64 i, bool c, float[2] v) => (c2, v2) {
    c2 = Identity(c)
    v2 = Neg(v)
  }>
}""", "expects a trip count, or a condition that the body changes, but the loop has no end"),
    "scan_sizes": ("""
g (float[2,3] x, float[3,3] z) => (y) {
  y = Scan <num_scan_inputs = 2, body = b (float[3] u, float[3] v) => (w) { w = Add(u, v) }> (x, z)
}""", 'expects as many elements of all scan inputs, but got 2 of "x" and 3 of "z"'),
    "scan_count": ("""
g (float[2,3] x) => (y) {
  y = Scan <num_scan_inputs = 2, body = b (float[3] u) => (w) { w = Neg(u) }> (x)
}""", 'expects attribute "num_scan_inputs" from 1 to the number of inputs, 1, but got 2'),
    "sequence_as_tensor": ("""
g (float[2] x) => (y) {
  s = SequenceConstruct(x, x)
  y = Relu(s)
}""", '(Relu, opset 18): expects tensors, but "s" is a sequence or an optional value'),
    "tensor_as_sequence": ("""
g (float[2] x) => (y) {
  y = SequenceLength(x)
}""", 'expects a sequence in input 0, but "x" is none'),
    "position": ("""
g (float[2] x) => (y) {
  s = SequenceConstruct(x, x)
  two = Constant<value_int = 2>()
  y = SequenceAt(s, two)
}""", "expects a position in [-2, 2), but got 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_graph(name):
    text, message = BAD[name]
    with pytest.raises(rm.CompileError) as error:
        rm.import_onnx(parse(text))
    assert message in str(error.value)
    assert str(error.value).count("onnx.ModelProto:0:0: ") == 1


def test_graph_names_the_executors_that_take_it():
    with pytest.raises(rm.CompileError, match="the executors aot and vm compile"):
        rm.compile(parse(MODELS["if"][0]), executor="graph")


def test_position_out_of_range_at_run_time():
    text, _ = MODELS["sequence_positions"]
    run = onnx_backend.Compiler("vm").compile(parse(text))
    for position in (3, -4):
        with pytest.raises(ValueError, match="expects a position within the sequence"):
            run(f32(2), f32(3), i64(0), i64(position))


def test_shape_of_the_elements_of_a_sequence():
    """It is given as that of a tensor is; sizes that are given hold for all."""
    text = BAD["sequence_of_unknown_rank"][0]
    run = rm.compile(parse(text), shapes={"s": [None, 3]})
    compare([run(([f32(2, 3), f32(1, 3)]), i64(1))], [f32(1, 3)])
    with pytest.raises(rm.CompileError, match="expects 2 dimensions for input \"s\", but got 1"):
        rm.compile(parse(text.replace("float[]", "float[2,3]")), shapes={"s": [3]})
    with pytest.raises(rm.CompileError, match="expects the name of an input that is a tensor, but \"s\""):
        rm.compile(parse(text), inputs={"s": 1})


def test_wrong_elements_at_run_time():
    run = onnx_backend.Compiler("vm").compile(parse(MODELS["sequence_input"][0]))
    for elements in ([f32(3)], [f32(2, 3), f32()], [f32(2, 3).astype(np.float64)], [i64([[1]])]):
        with pytest.raises((ValueError, TypeError, rm.RuntimeError), match="expects"):
            run(elements, f32(2, 3), i64(0))


def test_sizes_of_one_name():
    """No function of tensors sees both inputs."""
    text = """
g (bool c, float[n] x, float[n,2] z) => (y) <int64[1] last = {1}> {
  y = If (c) <then_branch = t () => (a) { a = Neg(x) },
              else_branch = e () => (b) { b = ReduceSum<keepdims = 0>(z, last) }>
}"""
    run = onnx_backend.Compiler("vm").compile(parse(text))
    compare(run(true(), f32(3), f32(3, 2)), [-f32(3)])
    for feeds in ((true(), f32(3), f32(4, 2)), (true(False), f32(4), f32(3, 2))):
        with pytest.raises(ValueError, match=r"argument 2 of 'main' \('z'\): expects a tensor of shape "
                           r"\[n, 2\] with n = . as in an earlier dimension, but got \[., 2\]"):
            run(*feeds)


@pytest.mark.parametrize("split", [i64(0), i64(-1), i64([2, 2]), i64([6, -1]), i64([])])
def test_wrong_parts_at_run_time(split):
    shape = "[m]" if split.ndim else ""
    text = f"""
g (float[n,3] x, int64{shape} p) => (y) {{
  s = SplitToSequence<axis = 0>(x, p)
  y = SequenceLength(s)
}}"""
    run = onnx_backend.Compiler("vm").compile(parse(text))
    compare(run(f32(5, 3), split * 0 + 5 if split.size == 1 else i64([5])),
            [i64(1)])
    with pytest.raises(ValueError, match="expects parts (of at least 1|that are together as long as "
                                         "the axis), but kernel .*, of 's'"):
        run(f32(5, 3), split)


def test_scan_of_other_lengths():
    text = """
g (float[n,2] x, float[m,2] z) => (y) {
  y = Scan <num_scan_inputs = 2, body = b (float[2] v, float[2] u) => (v2) { v2 = Add(v, u) }> (x, z)
}"""
    run = onnx_backend.Compiler("vm").compile(parse(text))
    compare(run(f32(3, 2), f32(3, 2)), [f32(3, 2) * 2])
    for lengths in ((3, 2), (2, 3), (3, 0)):
        with pytest.raises(ValueError, match="expects as many elements of all scan inputs"):
            run(*(f32(length, 2) for length in lengths))


@pytest.mark.parametrize("text, valid, invalid, message", [
    ("(float[n] x, int64[1] k) => (y, i) { y, i = TopK(x, k) }",
     [i64([0]), i64([2])], [i64([-1])], "expects k to be 0 or positive"),
    ("(float[n] x, int64 step) => (y) { a = Constant<value_int = 0>() b = Constant<value_int = 5>() "
     "y = Range(a, b, step) }",
     [np.int64(2), np.int64(-1)], [np.int64(0)], "expects a step other than 0"),
    ("(float[n] x, int64 axis) => (y) { y = CumSum(x, axis) }",
     [np.int64(0), np.int64(-1)], [np.int64(1), np.int64(-2)], r"expects an axis in \[-1, 1\)"),
    ("(float[n,2] x, int32 axis) => (y) { y = CumSum(x, axis) }",
     [np.int32(1), np.int32(-2)], [np.int32(2), np.int32(-3)], r"expects an axis in \[-2, 2\)"),
], ids=["TopK", "Range", "CumSum-1", "CumSum-2"])
def test_numbers_that_an_input_has(text, valid, invalid, message):
    """They are refused as constants are."""
    model = parse("g " + text)
    theirs = onnxruntime.InferenceSession(model.SerializeToString(),
                                          providers=["CPUExecutionProvider"])
    names = [info.name for info in theirs.get_inputs()]
    ours = rm.compile(model)
    x = f32(*[3, 2][:len(theirs.get_inputs()[0].shape)])
    for number in valid:
        feeds = dict(zip(names, (x, np.asarray(number))))
        # What has no use for an input does not ask for it.
        actual = ours.run({info.name: feeds[info.name] for info in ours.inputs})
        compare(actual if isinstance(actual, tuple) else (actual,), theirs.run(None, feeds))
    for number in invalid:
        with pytest.raises(ValueError, match=message):
            ours.run({info.name: dict(zip(names, (x, np.asarray(number))))[info.name]
                      for info in ours.inputs})


@pytest.mark.parametrize("text, opset, feeds, message", [
    ("(int64 size) => (y) { y = HannWindow(size) }", 17, [np.array(-1)], "expects a size of 0 or more"),
    ("(float[1,1,2,2] x, int64[1,1,2,2] i) => (y) { y = MaxUnpool<kernel_shape = [2, 2], "
     "strides = [2, 2]>(x, i) }", 17, [f32(1, 1, 2, 2), i64([[[[0, 5], [10, -1]]]])],
     "expects indices that are not negative"),
    ("(float[2,1,4,4] x, float[n,4] r, int64[n] i) => (y) { y = RoiAlign<sampling_ratio = 1>(x, r, i) }",
     17, [f32(2, 1, 4, 4), f32(1, 4), i64([-1])], "expects batch_indices that are not negative"),
    ("(float[b,2,n,4] x, float[m,2] c, float[m,2] s, int64[b,n] p) => (y) "
     "{ y = RotaryEmbedding(x, c, s, p) }", 23, [f32(1, 2, 2, 4), f32(3, 2), f32(3, 2), i64([[0, -1]])],
     "expects position_ids that are not negative"),
], ids=["HannWindow", "MaxUnpool", "RoiAlign", "RotaryEmbedding"])
def test_negative_numbers_at_run_time(text, opset, feeds, message):
    """They do not count from the end where ONNX does not say so."""
    model = parse("g " + text)
    model.opset_import[0].version = opset
    theirs = onnxruntime.InferenceSession(model.SerializeToString(),
                                          providers=["CPUExecutionProvider"])
    inputs = dict(zip([info.name for info in theirs.get_inputs()], feeds, strict=True))
    with pytest.raises(Exception, match="onnxruntime|ONNXRuntime"):
        theirs.run(None, inputs)
    with pytest.raises(ValueError, match=message):
        rm.compile(model).run(inputs)


def test_messages_about_sizes():
    """They name no inputs that the model does not have, and of long expressions the begin."""
    run = onnx_backend.Compiler("vm").compile(parse("""
g (float[a,b] x, int64[3] s) => (y) { y = Reshape(x, s) }"""))
    compare(run(f32(4, 3), i64([2, -1, 3])), [f32(4, 3).reshape(2, 2, 3)])
    with pytest.raises(ValueError, match=r"d\d = \d is computed") as caught:
        run(f32(4, 3), i64([5, 2, 2]))
    assert "sizes:" not in str(caught.value)
    run = rm.compile(parse("g (float[n,1] x, int64[2] s) => (y) { r = Relu(x) y = Expand(r, s) }"))
    with pytest.raises(rm.RuntimeError, match=r"for output 'y' of shape \[2, 70368744177664\]"):
        run(f32(2, 1), i64([2, 2**46]))
    with pytest.warns(UserWarning, match="without axes"):
        run = rm.compile(parse("g (float[a,b,c] x) => (y) { y = Squeeze(x) }"))
    with pytest.raises(ValueError, match="expects sizes other than 1 to squeeze an input"):
        run(f32(1, 3, 1))
    sizes = [f"size_of_dimension_{i}" for i in range(12)]
    run = rm.compile(parse(f"""
g (float[{",".join(sizes)}] x, float[n] z) => (y) {{
  all = Constant<value_ints = [-1]>()
  flat = Reshape(x, all)
  y = Mul(flat, z)
}}"""))
    with pytest.raises(ValueError, match=r" \* \.\.\. to equal n, but got 4096 and 7; "):
        run(f32(*[2] * 12), f32(7))
