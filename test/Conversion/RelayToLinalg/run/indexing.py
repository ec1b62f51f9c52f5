# RUN: %python %s relay-opt mlir-translate %t
"""Gathers, scatters, sorting, and tensors made from scalars and shapes."""

import itertools

import numpy as np

from harness import Suite, random

suite = Suite()
x = random(3, 4, 5)

# take: out of range indices, several ranks, several axes.
vector = np.array([2, 0, -1, 7, 1], np.int64)
matrix = np.array([[1, 0], [2, 2], [-5, 4]], np.int32)
for indices, axis in itertools.product([vector, matrix, np.int64(2)], [0, 1, -1]):
    for mode in ("clip", "wrap"):
        expected = np.take(x, indices, axis, mode=mode)
        suite.add("take", [x, indices], expected,
                  attrs=f'axis = {axis}, mode = "{mode}"')
valid = np.array([2, 0, 1], np.int32)
suite.add("take", [x, valid], np.take(x, valid, 1), attrs='axis = 1, mode = "fast"')
suite.add("take", [x, valid], np.take(x, valid))
suite.add("take", [x, valid], np.take(x, valid, 0), attrs="axis = 0",
          dynamic=[(1,), (0,)], dynamic_result=(0, 1))
octets = np.array([250, 3], np.uint8)
suite.add("take", [random(300), octets], random(300)[octets], attrs="axis = 0")
batched = np.array([[0, 2], [1, 1], [3, 0]], np.int64)
suite.add("take", [x, batched], np.stack([x[i][batched[i]] for i in range(3)]),
          attrs="axis = 1, batch_dims = 1")

# gather, gather_nd
for axis in (0, 1, -1):
    indices = random(2, 3, 4, dtype=np.int64, low=-3, high=3, seed=axis + 1)
    data = x[:2, :3, :4] if axis % 3 != 0 else x[:, :3, :4]
    if axis == -1:
        data = x[:2, :3]
    data = np.ascontiguousarray(data)
    suite.add("gather", [data, indices], np.take_along_axis(data, indices, axis),
              attrs=f"axis = {axis}")
    suite.add("gather", [data, indices], np.take_along_axis(data, indices, axis),
              attrs=f"axis = {axis}", dynamic=[(axis % 3,), (axis % 3,)],
              dynamic_result=(axis % 3,))
columns = np.array([[0, 2, -1, 1], [3, 0, 1, -2]], np.int64)
suite.add("gather_nd", [x, columns], x[columns[0], columns[1]])
suite.add("gather_nd", [x, columns], x[columns[0], columns[1]],
          dynamic=[(0, 2), (1,)], dynamic_result=(0, 1))
suite.add("gather_nd", [x, columns[:1]], x[columns[0]])
full = np.array([[0, 1], [1, 2], [4, 3]], np.int32)
suite.add("gather_nd", [x, full], x[full[0], full[1], full[2]])
grid = np.array([[[0, 3], [1, 2], [2, 2]]], np.int64)
suite.add("gather_nd", [x, grid],
          np.stack([x[i][grid[0, i]] for i in range(3)]), attrs="batch_dims = 1")


# Scatters: later updates meet what earlier ones left.
def meet(mode, present, update):
    return {"update": lambda: update, "add": lambda: present + update,
            "mul": lambda: present * update, "min": lambda: min(present, update),
            "max": lambda: max(present, update),
            "mean": lambda: (present + update) / 2}[mode]()


def scatter_elements(data, indices, updates, axis, mode):
    result = data.copy()
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        result[tuple(target)] = meet(mode, result[tuple(target)], updates[place])
    return result


for mode in ("update", "add", "mul", "min", "max", "mean"):
    for axis, shape in [(0, (2, 4, 5)), (1, (3, 6, 5)), (-1, (2, 3, 4))]:
        indices = random(*shape, dtype=np.int64, low=-3, high=3, seed=5)
        updates = random(*shape, seed=6)
        expected = scatter_elements(x, indices, updates, axis, mode)
        suite.add("scatter_elements", [x, indices, updates], expected,
                  attrs=f'axis = {axis}, reduction = "{mode}"')
        suite.add("scatter_elements", [x, indices, updates], expected,
                  dynamic=[(0,), (0, 1), (0, 1)], dynamic_result=(0,),
                  attrs=f'axis = {axis}, reduction = "{mode}"')


def scatter_nd(data, indices, updates, mode):
    result = data.copy()
    for place in np.ndindex(*indices.shape[1:]):
        target = tuple(indices[(slice(None),) + place])
        slices = np.atleast_1d(result[target])
        new = np.atleast_1d(updates[place])
        result[target] = np.vectorize(lambda a, b: meet(mode, a, b))(
            slices, new).reshape(np.shape(result[target]))
    return result


for mode in ("update", "add", "mul", "min", "max"):
    for shape in [(1, 4), (2, 3), (3, 2), (2, 2, 2)]:
        indices = random(*shape, dtype=np.int64, low=0, high=3, seed=7)
        updates = random(*shape[1:], *x.shape[shape[0]:], seed=8)
        suite.add("scatter_nd", [x, indices, updates],
                  scatter_nd(x, indices, updates, mode), attrs=f'mode = "{mode}"')
        suite.add("scatter_nd", [x, indices, updates],
                  scatter_nd(x, indices, updates, mode), attrs=f'mode = "{mode}"',
                  dynamic=[(0,), (1,), (0,)], dynamic_result=(0,))

# Sorting: ties keep their order, NaN is the largest.
TUPLE = """%t = relay.topk %a0 {{{{k = {k}, axis = {axis}, is_ascend = {ascend}}}}}
  : ({{0}}) -> tuple<{{r0}}, {{r1}}>
%0 = relay.tuple_get_item %t[0] : tuple<{{r0}}, {{r1}}>
%1 = relay.tuple_get_item %t[1] : tuple<{{r0}}, {{r1}}>
return %0, %1 : {{r0}}, {{r1}}"""
special = np.array([[3, np.nan, -np.inf, 3, np.inf, 0], [1, 1, 1, np.nan, np.nan, 0]],
                   np.float32)
octets = np.array([[200, 3, 200], [0, 255, 1]], np.uint8)


def order(data, axis, ascend):
    if ascend:
        return np.argsort(data, axis, kind="stable")
    flipped = np.argsort(np.flip(data, axis), axis, kind="stable")
    return data.shape[axis] - 1 - np.flip(flipped, axis)


for data, ascend in itertools.product([x, special, octets], [True, False]):
    for axis in (0, -1):
        places = order(data, axis, ascend)
        values = np.take_along_axis(data, places, axis)
        attrs = f"axis = {axis}, is_ascend = {str(ascend).lower()}"
        suite.add("sort", [data], values, attrs=attrs)
        suite.add("sort", [data], values, attrs=attrs, dynamic=[(0, 1)],
                  dynamic_result=(0, 1))
        suite.add("argsort", [data], places.astype(np.int32), attrs=attrs)
        suite.add("argsort", [data], places.astype(np.int64),
                  attrs=attrs + ", dtype = i64")
        for k in (1, 2, 0):
            count = k or data.shape[axis]
            first = [np.take(places, range(count), axis),
                     np.take(values, range(count), axis)]
            suite.add("topk", [data],
                      [np.ascontiguousarray(first[1]),
                       np.ascontiguousarray(first[0]).astype(np.int32)],
                      body=TUPLE.format(k=k, axis=axis, ascend=str(ascend).lower()))
places = order(x, -1, False)[..., :2]
suite.add("topk", [x], np.take_along_axis(x, places, -1),
          attrs='k = 2, ret_type = "values"')
suite.add("topk", [x], np.ascontiguousarray(places).astype(np.int64),
          attrs='k = 2, ret_type = "indices", dtype = i64')

# Creation.
for name, value in [("zeros", 0), ("ones", 1)]:
    for dtype, mlir in [(np.float32, "f32"), (np.uint8, "ui8"), (np.bool_, "i1")]:
        suite.add(name, [], np.full((2, 3), value, dtype),
                  attrs=f"shape = [2, 3], dtype = {mlir}")
    suite.add(name + "_like", [x], np.full_like(x, value), dynamic=[(1,)],
              dynamic_result=(1,))
suite.add("full", [np.float32(2.5)], np.full((2, 3), 2.5, np.float32),
          attrs="shape = [2, 3]")
suite.add("full", [np.int32(7)], np.full((2, 3), 7, np.float32),
          attrs="shape = [2, 3], dtype = f32")
suite.add("full_like", [x, np.float32(2.5)], np.full_like(x, 2.5), dynamic=[(0,), ()],
          dynamic_result=(0,))
suite.add("full", [], np.full((2, 3), 4, np.int64), name="constant", body="""
%c = relay.constant dense<4> : tensor<i64>
%0 = relay.full %c {{shape = [2, 3]}} : (tensor<i64>) -> {r0}
return %0 : {r0}""")
ARANGE = """%start = relay.constant dense<{0}> : tensor<{3}>
%stop = relay.constant dense<{1}> : tensor<{3}>
%step = relay.constant dense<{2}> : tensor<{3}>
%0 = relay.arange %start, %stop, %step {{{{dtype = {3}}}}}
  : (tensor<{3}>, tensor<{3}>, tensor<{3}>) -> {{r0}}
return %0 : {{r0}}"""
for start, stop, step, dtype in [(0, 5, 1, np.int64), (7, -4, -3, np.int32),
                                 (0.5, 3.0, 0.75, np.float32)]:
    mlir = {np.int64: "i64", np.int32: "i32", np.float32: "f32"}[dtype]
    expected = np.arange(start, stop, step, dtype)
    suite.add("arange", [], expected, name="constant",
              body=ARANGE.format(start, stop, step, mlir))
    suite.add("arange", [dtype(start), dtype(stop), dtype(step)], expected,
              dynamic_result=(0,), attrs=f"dtype = {mlir}")
suite.add("arange", [np.int32(5), np.int32(2), np.int32(1)],
          np.empty(0, np.int32), dynamic_result=(0,), attrs="dtype = i32")
labels = np.array([[0, 3, 1], [2, 9, -1]], np.int64)
hot = np.where(labels[..., None] == np.arange(4), 5, -2).astype(np.float32)
for axis in (-1, 2, 0, 1):
    expected = np.ascontiguousarray(np.moveaxis(hot, -1, axis))
    suite.add("one_hot", [labels, np.float32(5), np.float32(-2)], expected,
              attrs=f"depth = 4, axis = {axis}, dtype = f32")
suite.add("one_hot", [labels, np.float32(5), np.float32(-2)], hot,
          attrs="depth = 4, dtype = f32", dynamic=[(0,), (), ()],
          dynamic_result=(0,))
suite.add("shape_of", [x], np.array([3, 4, 5], np.int32))
suite.add("shape_of", [x], np.array([3, 4, 5], np.int64), attrs="dtype = i64",
          dynamic=[(0, 2)])
suite.add("ndarray_size", [x], np.int64(60), attrs="dtype = i64", dynamic=[(0, 2)])
for k, upper in itertools.product([-2, 0, 1], [True, False]):
    function = np.triu if upper else np.tril
    suite.add("trilu", [x, np.int64(k)], function(x, k),
              attrs=f"upper = {str(upper).lower()}")
    suite.add("trilu", [x, np.int32(k)], function(x, k), dynamic=[(1, 2), ()],
              dynamic_result=(1, 2), attrs=f"upper = {str(upper).lower()}")
for k, upper in itertools.product([-2**63, 2 - 2**63, 2**63 - 2, 2**63 - 1], [True, False]):
    suite.add("trilu", [x, np.int64(k)], x if (k < 0) == upper else np.zeros_like(x),
              attrs=f"upper = {str(upper).lower()}")

suite.main()
