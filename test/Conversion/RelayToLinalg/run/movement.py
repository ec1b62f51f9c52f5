# RUN: %python %s relay-opt mlir-translate %t
"""Reshapes, transposes, slices, joins, padding and layouts."""

import itertools

import numpy as np

from harness import Suite, random

suite = Suite()
x = random(2, 3, 4)


def last_first(values):
    return np.ascontiguousarray(values)


# Reshapes: data, newshape, result, dynamic dimensions of data and result.
RESHAPES = [
    ((2, 3, 4), [6, 4], (6, 4)), ((2, 3, 4), [2, 12], (2, 12)),
    ((6, 4), [2, 3, 4], (2, 3, 4)), ((6, 4), [3, 8], (3, 8)),
    ((2, 3, 4), [4, 3, 2], (4, 3, 2)), ((2, 3, 4), [-1], (24,)),
    ((2, 3, 4), [0, -1], (2, 12)), ((2, 3, 4), [-2], (2, 3, 4)),
    ((2, 3, 4), [-3, 0], (6, 4)), ((2, 3, 4), [0, -4, -1, 3, 0], (2, 1, 3, 4)),
    ((2, 3, 4), [-4, 1, 2, -2], (1, 2, 3, 4)), ((2, 1, 4), [2, 4, 1], (2, 4, 1)),
    ((1, 1), [1], (1,)), ((1, 1, 1), [1, 1], (1, 1)), ((4,), [1, 4, 1], (1, 4, 1)),
    ((1, 6, 1), [2, 3], (2, 3)),
]
for shape, newshape, result in RESHAPES:
    data = random(*shape)
    suite.add("reshape", [data], data.reshape(result), attrs=f"newshape = {newshape}")
suite.add("reshape", [np.float32(3)], np.full((1, 1), 3, np.float32),
          attrs="newshape = [1, 1]")
suite.add("reshape", [np.full((1, 1), 3, np.float32)], np.float32(3),
          attrs="newshape = []")
DYNAMIC_RESHAPES = [
    ((2, 3, 4), (0,), [0, 12], (2, 12), (0,)),
    ((2, 3, 4), (0,), [-1, 12], (2, 12), (0,)),
    ((2, 3, 4), (0,), [0, -1], (2, 12), (0,)),
    ((2, 3, 4), (0,), [-1], (24,), (0,)),
    ((2, 3, 4), (0,), [-1, 4], (6, 4), (0,)),
    ((2, 3, 4), (0,), [-3, 0], (6, 4), (0,)),
    ((2, 3, 4), (0,), [-1, 8], (3, 8), (0,)),
    ((2, 3, 4), (0, 1), [0, 0, 2, 2], (2, 3, 2, 2), (0, 1)),
    ((2, 3, 4), (0, 1), [-3, 4], (6, 4), (0,)),
    ((2, 3, 4), (0, 1), [0, -1], (2, 12), (0, 1)),
    ((6, 4), (0,), [-4, -1, 3, 4], (2, 3, 4), (0,)),
    ((6, 4), (0,), [2, -1, 4], (2, 3, 4), (1,)),
    ((2, 3, 4), (0, 1, 2), [-2, 1], (2, 3, 4, 1), (0, 1, 2)),
    ((2, 3, 4), (0, 1, 2), [2, 3, 4], (2, 3, 4), ()),
    ((2, 3, 4), (0,), [2, -1], (2, 12), (1,)),
]
for shape, dims, newshape, result, result_dims in DYNAMIC_RESHAPES:
    data = random(*shape)
    suite.add("reshape", [data], data.reshape(result), dynamic=[dims],
              dynamic_result=result_dims, attrs=f"newshape = {newshape}")
for axis, count in [(0, 1), (1, 2), (-1, 1), (3, 1), (-4, 1)]:
    position = axis if axis >= 0 else axis + 4
    shape = x.shape[:position] + (1,) * count + x.shape[position:]
    dims = tuple(i if i < position else i + count for i in (0, 2))
    suite.add("expand_dims", [x], x.reshape(shape),
              attrs=f"axis = {axis}, num_newaxis = {count}")
    suite.add("expand_dims", [x], x.reshape(shape), dynamic=[(0, 2)],
              dynamic_result=dims, attrs=f"axis = {axis}, num_newaxis = {count}")
thin = random(1, 3, 1, 4)
suite.add("squeeze", [thin], thin.reshape(3, 4))
suite.add("squeeze", [thin], thin.reshape(3, 1, 4), attrs="axis = [0]")
suite.add("squeeze", [thin], thin.reshape(1, 3, 4), attrs="axis = [-2]",
          dynamic=[(1,)], dynamic_result=(1,))
suite.add("squeeze", [random(1, 1)], random(1, 1).reshape(()))
suite.add("nn.batch_flatten", [x], x.reshape(2, 12))
suite.add("nn.batch_flatten", [x], x.reshape(2, 12), dynamic=[(0,)],
          dynamic_result=(0,))
suite.add("nn.batch_flatten", [x], x.reshape(2, 12), dynamic=[(0, 2)],
          dynamic_result=(0, 1))

# Transposes.
for axes in itertools.permutations(range(3)):
    expected = last_first(x.transpose(axes))
    suite.add("transpose", [x], expected, attrs=f"axes = {list(axes)}")
    suite.add("transpose", [x], expected, attrs=f"axes = {list(axes)}",
              dynamic=[(0,)], dynamic_result=(axes.index(0),))
suite.add("transpose", [x], last_first(x.T))

# Broadcasts and repetitions.
suite.add("broadcast_to", [random(3, 1)],
          last_first(np.broadcast_to(random(3, 1), (2, 3, 4))),
          attrs="shape = [2, 3, 4]")
for reps in ([2, 1, 3], [2], [2, 1, 1, 2], [1, 1, 1]):
    result = np.tile(x, reps)
    suite.add("tile", [x], result, attrs=f"reps = {reps}")
suite.add("tile", [x], np.tile(x, (2, 1, 3)), attrs="reps = [2, 1, 3]",
          dynamic=[(0, 1)], dynamic_result=(0, 1))
for axis in (0, 1, -1):
    suite.add("repeat", [x], np.repeat(x, 3, axis),
              attrs=f"repeats = 3, axis = {axis}")
    suite.add("reverse", [x], last_first(np.flip(x, axis)), attrs=f"axis = {axis}")
    suite.add("reverse", [x], last_first(np.flip(x, axis)), attrs=f"axis = {axis}",
              dynamic=[(0, 1, 2)], dynamic_result=(0, 1, 2))
suite.add("repeat", [x], np.repeat(x, 2), attrs="repeats = 2")
suite.add("repeat", [x], np.repeat(x, 2, 0), attrs="repeats = 2, axis = 0",
          dynamic=[(0,)], dynamic_result=(0,))

# Joins and cuts.
for axis in (0, 1, -1):
    pieces = [np.moveaxis(random(n, 2, 3, seed=n), 0, axis) for n in (1, 3, 2)]
    pieces = [np.ascontiguousarray(piece) for piece in pieces]
    suite.add("concatenate", pieces, np.concatenate(pieces, axis),
              attrs=f"axis = {axis}")
    suite.add("concatenate", pieces, np.concatenate(pieces, axis),
              attrs=f"axis = {axis}", dynamic=[(axis % 3,)] * 3,
              dynamic_result=(axis % 3,))
    same = [random(2, 3, seed=n) for n in range(3)]
    suite.add("stack", same, last_first(np.stack(same, axis)),
              attrs=f"axis = {axis}")
parts = [random(2, 2, seed=1), random(3, 2, seed=2)]
suite.add("concatenate", parts, np.concatenate(parts), attrs="axis = 0",
          dynamic=[(0,), ()], dynamic_result=(0,))
parts = [random(2, 2, dtype=np.uint8, low=0, high=256, seed=n) for n in (1, 2)]
suite.add("concatenate", parts, np.concatenate(parts), attrs="axis = 0")

SPLIT = """%t = relay.split %a0 {{{{indices_or_sections = {where}, axis = {axis}}}}}
  : ({{0}}) -> tuple<{types}>
{gets}
return {values} : {types}"""
for axis, where, dims in [(0, 2, ()), (1, 3, ()), (-1, 2, ()), (1, [1], ()),
                          (2, [1, 3], ()), (2, [0, 2, 2], ()), (0, 2, (0,)),
                          (2, [1, 3], (0, 2)), (1, [2], (0,))]:
    data = random(4, 3, 4)
    pieces = [last_first(piece) for piece in np.split(data, where, axis)]
    names = [f"{{r{i}}}" for i in range(len(pieces))]
    types = ", ".join(names)
    gets = "\n".join(f"%p{i} = relay.tuple_get_item %t[{i}] : tuple<{types}>"
                     for i in range(len(pieces)))
    split_dims = dims
    if dims and isinstance(where, list) and axis in dims:
        split_dims = dims
    suite.add("split", [data], pieces, dynamic=[dims], dynamic_result=split_dims,
              body=SPLIT.format(where=f"{where} : i64" if isinstance(where, int)
                                else f"array<i64: {', '.join(map(str, where))}>",
                                axis=axis, types=types, gets=gets,
                                values=", ".join(f"%p{i}" for i in range(len(pieces)))))

# Slices.
END = 2**31 - 1
wide = random(7, 8)
for begin, end, stride in [
        (0, 5, 1), (1, 5, 1), (2, 8, 3), (-3, END, 1), (0, -2, 1), (-5, -1, 2),
        (5, 1, -1), (END, -END, -2), (-1, -6, -1), (3, 100, 1), (4, 4, 1),
        (-100, 100, 2), (0, END, 1), (9, END, 1), (9, 3, 1)]:
    last = None if end in (END, -END) else end
    first = None if begin in (END, -END) else begin
    expected = last_first(wide[:, first:last:stride])
    attrs = (f"begin = [0, {begin}], end = [{END}, {end}], "
             f"strides = [1, {stride}]")
    suite.add("strided_slice", [wide], expected, attrs=attrs)
    suite.add("strided_slice", [wide], expected, attrs=attrs, dynamic=[(0, 1)],
              dynamic_result=(0, 1), name="dynamic")
    suite.add("strided_slice", [wide], expected, dynamic=[(0, 1)],
              dynamic_result=(0, 1), name="axes",
              attrs=f"begin = [{begin}], end = [{end}], strides = [{stride}], "
                    "axes = [-1]")
suite.add("strided_slice", [wide], last_first(wide[2:4, 3:]),
          attrs='begin = [2, 3], end = [2, -1], slice_mode = "size"')
suite.add("strided_slice", [wide], last_first(wide[1:3]),
          attrs="begin = [1], end = [3]")
suite.add("strided_slice", [wide], last_first(wide[1:3]), dynamic=[(0, 1)],
          attrs="begin = [1], end = [3]", dynamic_result=(0, 1))

# Strides that are left out are 1.
for dynamic in ((), (0, 1)):
    suite.add("strided_slice", [wide], last_first(wide[0:4:2, 1:5]), dynamic=[dynamic],
              attrs="begin = [0, 1], end = [4, 5], strides = [2]",
              dynamic_result=dynamic, name="one_stride")
# Bounds beyond the tensor, whose size may be known at run time only.
for begin, end, stride in [(0, 1000000000, 1), (3, 2**63 - 1, 2), (-9, 9, 1), (100, 200, 1),
                           (-1, -(2**63), -1), (50, -50, -2), (0, 2**31 - 1, 2**63 - 1)]:
    suite.add("strided_slice", [wide], wide[begin:end:stride].copy(), dynamic=[(0,)],
              attrs=f"begin = [{begin}], end = [{end}], strides = [{stride}], axes = [0]",
              dynamic_result=(0,), name="beyond")

# Padding.
PAD = """%c = relay.constant dense<{value}> : {scalar}
%0 = relay.nn.pad %a0, %c {{{{pad_width = {widths}, pad_mode = "{mode}"}}}}
  : ({{0}}, {scalar}) -> {{r0}}
return %0 : {{r0}}"""
data = random(3, 4)
for mode, widths, dims in itertools.product(
        ["constant", "edge", "reflect"], [(1, 2, 0, 3), (0, 0, 2, 2), (0, 0, 0, 0)],
        [(), (0,), (0, 1)]):
    if mode == "reflect" and widths[3] == 3:
        widths = (1, 2, 0, 2)
    pairs = [widths[:2], widths[2:]]
    options = dict(constant_values=1.5) if mode == "constant" else {}
    suite.add("nn.pad", [data], np.pad(data, pairs, mode, **options),
              dynamic=[dims], dynamic_result=dims,
              body=PAD.format(value=1.5, scalar="tensor<f32>",
                              widths=list(widths), mode=mode))
cropped = np.pad(data[1:, :-2], [(0, 1), (2, 0)], constant_values=1.5)
suite.add("nn.pad", [data], cropped, name="crop",
          body=PAD.format(value=1.5, scalar="tensor<f32>",
                          widths=[-1, 1, 2, -2], mode="constant"))
suite.add("nn.pad", [data, np.float32(2.5)],
          np.pad(data, [(1, 0), (0, 2)], constant_values=2.5),
          attrs="pad_width = [1, 0, 0, 2]")
octets = random(2, 2, dtype=np.uint8, low=0, high=256)
suite.add("nn.pad", [octets], np.pad(octets, 1, constant_values=200),
          body=PAD.format(value=200, scalar="tensor<ui8>", widths=[1, 1, 1, 1],
                          mode="constant"))


# Layouts.
def depth_to_space(data, b, mode):
    n, c, h, w = data.shape
    d = c // (b * b)
    if mode == "DCR":
        parts = data.reshape(n, b, b, d, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = data.reshape(n, d, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, d, h * b, w * b)


def space_to_depth(data, b, mode):
    n, d, h, w = data.shape
    parts = data.reshape(n, d, h // b, b, w // b, b)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return parts.transpose(order).reshape(n, d * b * b, h // b, w // b)


image = random(2, 12, 4, 6)
for (operator, function), mode, layout, dims in itertools.product(
        [("nn.depth_to_space", depth_to_space),
         ("nn.space_to_depth", space_to_depth)],
        ["DCR", "CDR"], ["NCHW", "NHWC"], [(), (0,), (0, 2, 3)]):
    expected = function(image, 2, mode)
    data = image
    if layout == "NHWC":
        data, expected = image.transpose(0, 2, 3, 1), expected.transpose(0, 2, 3, 1)
        dims = tuple({0: 0, 2: 1, 3: 2}[dim] for dim in dims)
    suite.add(operator, [last_first(data)], last_first(expected), dynamic=[dims],
              dynamic_result=dims,
              attrs=f'block_size = 2, mode = "{mode}", layout = "{layout}"')
packed = image.reshape(2, 3, 4, 4, 6).transpose(0, 1, 3, 4, 2)
repacked = image.reshape(2, 6, 2, 4, 6).transpose(0, 1, 3, 4, 2)
for source, target, data, expected in [
        ("NCHW", "NHWC", image, image.transpose(0, 2, 3, 1)),
        ("NCHW", "NCHW4c", image, packed), ("NCHW4c", "NCHW", packed, image),
        ("NCHW4c", "NHWC", packed, image.transpose(0, 2, 3, 1)),
        ("NCHW4c", "NCHW2c", packed, repacked),
        ("NCHW2c", "NCHW4c", repacked, packed)]:
    suite.add("layout_transform", [last_first(data)], last_first(expected),
              attrs=f'src_layout = "{source}", dst_layout = "{target}"')
    suite.add("layout_transform", [last_first(data)], last_first(expected),
              dynamic=[(0,)], dynamic_result=(0,),
              attrs=f'src_layout = "{source}", dst_layout = "{target}"')

# Two inner parts of one axis, as in weights for instructions on bytes.
weight = random(6, 16, 1, 2)
blocked = weight.reshape(3, 2, 2, 4, 2, 1, 2).transpose(0, 2, 5, 6, 3, 1, 4)
for source, target, data, expected in [
        ("OIHW", "OIHW4i2o2i", weight, blocked),
        ("OIHW4i2o2i", "OIHW", blocked, weight),
        ("OIHW4i2o2i", "OIHW8i2o", blocked,
         weight.reshape(3, 2, 2, 8, 1, 2).transpose(0, 2, 4, 5, 3, 1))]:
    suite.add("layout_transform", [data], expected,
              attrs=f'src_layout = "{source}", dst_layout = "{target}"')

# Tuples are their fields.
suite.add("tuple", [x, wide], [wide, x], body="""
%t = relay.tuple %a0, %a1 : {0}, {1}
%u = relay.tuple %t, %a0 : tuple<{0}, {1}>, {0}
%v = relay.tuple_get_item %u[0] : tuple<tuple<{0}, {1}>, {0}>
%0 = relay.tuple_get_item %v[1] : tuple<{0}, {1}>
%1 = relay.tuple_get_item %u[1] : tuple<tuple<{0}, {1}>, {0}>
return %0, %1 : {1}, {0}""")
suite.add("nn.dropout", [x], [x, np.ones_like(x)], body="""
%t = relay.nn.dropout %a0 : ({0}) -> tuple<{0}, {0}>
%0 = relay.tuple_get_item %t[0] : tuple<{0}, {0}>
%1 = relay.tuple_get_item %t[1] : tuple<{0}, {0}>
return %0, %1 : {0}, {0}""")

suite.main()
