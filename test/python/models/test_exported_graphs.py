# This file is licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of exported models in ONNX's text format, with open sizes, against ONNX Runtime.

Tolerance: 2e-5 of the output's largest magnitude."""

import numpy as np
import onnx.parser
import onnxruntime
import pytest

import relay_mlir as rm

HEADER = '<ir_version: 8, opset_import: ["": 17]>\n'


def floats(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def i64(*values):
    return np.array(values, np.int64)


def check(text, *runs, header=HEADER):
    """Compiles a model without and with optimization, and compares all runs."""
    model = onnx.parser.parse_model(header + text)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings,
                                           providers=["CPUExecutionProvider"])
    for level in (0, 3):
        compiled = rm.compile(model, opt_level=level)
        for feeds in runs:
            actual = compiled.run(feeds)
            actual = actual if isinstance(actual, tuple) else (actual,)
            for ours, theirs in zip(actual, session.run(None, feeds), strict=True):
                assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
                scale = np.abs(theirs.astype(np.float64)).max(initial=0)
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-5 * scale)
    return compiled


@pytest.mark.parametrize("side", ["then", "else"])
def test_a_dimension_that_is_squeezed_if_it_is_1(side):
    """torch.squeeze of a size that is not known: what follows has one rank."""
    squeeze = "g1 () => (r) { axes = Constant<value_ints = [-1]>() r = Squeeze(z, axes) }"
    keep = "g2 () => (r2) { r2 = Identity(z) }"
    branches = (squeeze, keep) if side == "then" else (keep, squeeze)
    condition = "c = Equal(size, one)" if side == "then" else "d = Equal(size, one) c = Not(d)"
    with pytest.warns(UserWarning, match="the dimension is taken to be 1, which .*_branch removes"):
        compiled = check(f"""g (float[b,4,n] x) => (float[b,4] y) {{
          z = AveragePool<kernel_shape = [3], strides = [3]>(x)
          size = Shape<start = 2>(z)
          one = Constant<value_ints = [1]>()
          {condition}
          s = If(c)<then_branch = {branches[0]}, else_branch = {branches[1]}>
          w = Constant<value = float[4] {{1, 2, 3, 4}}>()
          y = Mul(s, w)
        }}""", {"x": floats(2, 4, 3)}, {"x": floats(1, 4, 5)})
    assert isinstance(compiled, rm.Module)
    with pytest.raises(ValueError):
        compiled.run({"x": floats(2, 4, 6)})


def test_sizes_of_minus_one():
    """Exporters write them for what they do not know; each is a size of its own."""
    model = onnx.parser.parse_model(HEADER + "g (float[1,1] x) => (float[a,b] y) { y = Relu(x) }")
    for dim in model.graph.input[0].type.tensor_type.shape.dim:
        dim.dim_value = -1
    compiled = rm.compile(model)
    for shape in ((2, 3), (4, 1)):
        x = floats(*shape)
        np.testing.assert_array_equal(compiled(x), np.maximum(x, 0))


def test_rows_repeated_by_counts():
    """torch.repeat_interleave by a tensor, of the exporter that traces."""
    check("""g (float[b,4] x, int64[b] n) => (float[r,4] y) {
      axis = Constant<value_ints = [0]>()
      shape = Shape(n)
      ones = ConstantOfShape<value = int64[1] {1}>(shape)
      counts = SplitToSequence<axis = 0>(n, ones)
      rows = SplitToSequence<axis = 0>(x, ones)
      true = Constant<value = bool {1}>()
      none = SequenceEmpty<dtype = 1>()
      all = Loop(shape, true, none)<body = body (int64[1] i, bool c, seq(float[?,?]) s)
          => (bool d, seq(float[?,?]) t) {
        count = SequenceAt(counts, i)
        row = SequenceAt(rows, i)
        one = Constant<value_ints = [1]>()
        four = Constant<value_ints = [4]>()
        size = Concat<axis = 0>(one, count, four)
        last = Unsqueeze(row, one)
        wide = Expand(last, size)
        flat = Constant<value_ints = [-1, 4]>()
        part = Reshape(wide, flat)
        t = SequenceInsert(s, part)
        d = Identity(true)
      }>
      y = ConcatFromSequence<axis = 0>(all)
    }""", {"x": floats(3, 4), "n": i64(2, 0, 3)}, {"x": floats(1, 4), "n": i64(1)})


def test_parts_of_one_row_each():
    model = onnx.parser.parse_model(HEADER + """g (float[b,4] x, float[c] n) => (float[1,4] y) {
      shape = Shape(n)
      ones = ConstantOfShape<value = int64[1] {1}>(shape)
      rows = SplitToSequence<axis = 0>(x, ones)
      last = Constant<value_int = -1>()
      y = SequenceAt(rows, last)
    }""")
    compiled = rm.compile(model)
    x = floats(3, 4)
    np.testing.assert_array_equal(compiled.run({"x": x, "n": floats(3)}), x[2:])
    with pytest.raises(ValueError, match="expects parts that are together as long as the axis"):
        compiled.run({"x": x, "n": floats(2)})


def test_a_shape_that_is_written_to():
    """torch.index_copy, of the exporter that traces."""
    compiled = check("""g (float[5,l] x, int64[b] i, float[b,l] u) => (float[5,l] y) {
      one = Constant<value_ints = [1]>()
      zero = Constant<value_ints = [0]>()
      column = Unsqueeze(i, one)
      own = Shape(x)
      count = Shape(i)
      shape = ScatterElements<axis = 0>(own, zero, count)
      places = Expand(column, shape)
      y = ScatterElements<axis = 0>(x, places, u)
    }""", {"x": floats(5, 7), "i": i64(4, 1, 2), "u": floats(3, 7)},
                     {"x": floats(5, 1), "i": i64(0), "u": floats(1, 1)})
    assert isinstance(compiled, rm.Module)


@pytest.mark.parametrize("limit", ["ReduceProd<keepdims = 0>(s)", "Gather(s, i)", "Size(x)"])
def test_ranges_by_a_size(limit):
    compiled = check(f"""g (float[b,l] x) => (int64[n] y) {{
      s = Shape(x)
      zero = Constant<value_int = 0>()
      i = Constant<value_int = 1>()
      limit = {limit}
      step = Gather(s, i)
      y = Range(zero, limit, step)
    }}""", {"x": floats(2, 3)}, {"x": floats(1, 5)}, {"x": floats(0, 2)})
    with pytest.raises(ValueError, match="expects l to be at least 1, but got 0"):
        compiled.run({"x": floats(3, 0)})


def test_a_condition_of_unknown_size():
    check("""g (float[b] x, int64[1] i) => (float[n] y) {
      one = Constant<value_ints = [1]>()
      j = Add(i, one)
      k = Add(j, one)
      first = Slice(x, i, j)
      second = Slice(x, j, k)
      same = Equal(first, second)
      y = If(same)<then_branch = a () => (float[m] p) { p = Identity(x) },
                   else_branch = b () => (float[m] q) { q = Neg(x) }>
    }""", {"x": floats(5), "i": i64(1)}, {"x": np.ones(4, np.float32), "i": i64(2)})


@pytest.mark.parametrize("level", [0, 3])
def test_one_element_as_a_scalar(level):
    model = onnx.parser.parse_model(HEADER + """g (float[b] x) => (float y) {
      none = Constant<value = int64[0] {}>()
      e = Exp(x)
      y = Reshape(e, none)
    }""")
    compiled = rm.compile(model, opt_level=level)
    x = floats(1)
    np.testing.assert_allclose(compiled.run({"x": x}), np.exp(x[0]), rtol=1e-5)
    with pytest.raises(ValueError, match="expects .* to equal .*, but got 2"):
        compiled.run({"x": floats(2)})


def test_bounds_of_unknown_number():
    """Slices of bounds, as functions of PyTorch's exporter have them."""
    check("""g (float[n,m] x, int64[k] all, int64[1] i) => (float[r,c] y, float[s] z) {
      zero = Constant<value_ints = [0]>()
      one = Constant<value_ints = [1]>()
      j = Add(i, one)
      k = Add(j, one)
      begin = Slice(all, i, j)
      end = Slice(all, j, k)
      y = Slice(x, begin, end)
      line = Constant<value_ints = [-1]>()
      flat = Reshape(x, line)
      z = Slice(flat, begin, end)
    }""", {"x": floats(6, 3), "all": i64(0, 2, 5, -1), "i": i64(1)},
          {"x": floats(6, 3), "all": i64(0, 2, 5, -1), "i": i64(2)},
          {"x": floats(1, 5), "all": i64(0, 7), "i": i64(0)})


def test_quotients_of_sizes_in_parallel_loops():
    """Mamba 2 asks how many heads there are for each position of a padded length."""
    check("""g (float[b,n] x) => (float[p,q,m] y) {
      zero = Constant<value_int = 0>()
      i = Constant<value_int = 1>()
      four = Constant<value_int = 4>()
      axis = Constant<value_ints = [0]>()
      s = Shape(x)
      n = Gather(s, i)
      rest = Mod(n, four)
      missing = Sub(four, rest)
      pad = Mod(missing, four)
      whole = Add(n, pad)
      least = Min(n, whole)
      wide = Mul(least, four)
      part = Div(wide, n)
      batch = Gather(s, zero)
      b1 = Unsqueeze(batch, axis)
      n1 = Unsqueeze(n, axis)
      p1 = Unsqueeze(part, axis)
      shape = Concat<axis = 0>(b1, n1, p1)
      column = Constant<value_ints = [2]>()
      x3 = Unsqueeze(x, column)
      e = Exp(x3)
      ones = ConstantOfShape<value = float[1] {2.5}>(shape)
      y = Mul(ones, e)
    }""", {"x": floats(2, 7)}, {"x": floats(3, 8)}, {"x": floats(1, 1)})


def test_sizes_of_axes_that_are_not_padded():
    """VITS pads along one axis by a computed width; the others keep their sizes."""
    check("""g (float[b,m,4] x, float[1,9,4] e) => (float[b,m,w] y) {
      one = Constant<value_ints = [1]>()
      five = Constant<value_ints = [5]>()
      zero = Constant<value_ints = [0]>()
      shape = Shape<start = 1, end = 2>(x)
      more = Sub(shape, five)
      width = Max(more, zero)
      pads = Concat<axis = 0>(zero, width, zero, zero, width, zero)
      padded = Pad(e, pads)
      t = Transpose<perm = [0, 2, 1]>(padded)
      y = MatMul(x, t)
    }""", {"x": floats(3, 7, 4), "e": floats(1, 9, 4)}, {"x": floats(2, 3, 4), "e": floats(1, 9, 4)})


def test_einsum_of_parts_of_computed_sizes():
    """ProphetNet: two streams of positions, cut from one tensor, and several open sizes in each product."""
    check("""g (float[b,n,4] x, float[b,2,m,4] k) => (float[b,h,s,m] y) {
      axis = Constant<value_ints = [1]>()
      three = Constant<value_int = 3>()
      two = Constant<value_int = 2>()
      i = Constant<value_int = 1>()
      shape = Shape(x)
      n = Gather(shape, i)
      more = Add(n, two)
      part = Div(more, three)
      double = Mul(part, two)
      triple = Mul(part, three)
      first = Unsqueeze(part, axis0)
      second = Unsqueeze(double, axis0)
      third = Unsqueeze(triple, axis0)
      a = Slice(x, first, second, axis)
      c = Slice(x, second, third, axis)
      a4 = Unsqueeze(a, axis)
      c4 = Unsqueeze(c, axis)
      q = Concat<axis = 1>(a4, c4)
      y = Einsum<equation = "bhsc,bhmc->bhsm">(q, k)
    }""".replace("axis = Constant", "axis0 = Constant<value_ints = [0]>() axis = Constant", 1),
          {"x": floats(2, 6, 4), "k": floats(2, 2, 5, 4)}, {"x": floats(1, 3, 4), "k": floats(1, 2, 1, 4)})


@pytest.mark.parametrize("op", ["Conv", "MatMul"])
def test_products_of_many_bits_stay_in_floats(op):
    """Sums of products of integers of 16 bits are larger than 32 bits hold."""
    operand, weight = {"Conv": ("float[1,64,3,3]", "[8,64,1,1]"), "MatMul": ("float[5,64]", "[64,8]")}[op]
    weights = ",".join(["32000"] * 512)
    check(f"""g ({operand} x) => (float[a,b,c,d] y)
      <float scale = {{3.0e-5}}, int16 zero = {{0}}, float fine = {{0.03}}, int16{weight} w = {{{weights}}}> {{
      q = com.microsoft.QuantizeLinear(x, scale, zero)
      d = com.microsoft.DequantizeLinear(q, scale, zero)
      dw = com.microsoft.DequantizeLinear(w, scale, zero)
      p = {op}(d, dw)
      r = com.microsoft.QuantizeLinear(p, fine, zero)
      y = com.microsoft.DequantizeLinear(r, fine, zero)
    }}""".replace("float[a,b,c,d]", "float[5,8]" if op == "MatMul" else "float[a,b,c,d]"),
          {"x": np.full((1, 64, 3, 3) if op == "Conv" else (5, 64), 0.9, np.float32)},
          header='<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>\n')
