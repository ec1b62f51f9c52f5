// RUN: relay-opt %s --relay-collapse-kernels --split-input-file | FileCheck %s

// Pixels of a 1x1 convolution are one loop, in its epilogue too; calls reshape.

#x = affine_map<(n, o, y, x, c, kh, kw) -> (n, y + kh, x + kw, c)>
#w = affine_map<(n, o, y, x, c, kh, kw) -> (o, c, kh, kw)>
#y = affine_map<(n, o, y, x, c, kh, kw) -> (n, y, x, o)>
#in = affine_map<(n, y, x, o) -> (0, y, x, o)>
#b = affine_map<(n, y, x, o) -> (o)>
#id = affine_map<(n, y, x, o) -> (n, y, x, o)>

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[Y:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func private @conv(
// CHECK-SAME: %[[DATA:.*]]: tensor<196x8xf32>, %[[WEIGHT:.*]]: tensor<4x8xf32>, %[[BIAS:.*]]: tensor<4xf32>) -> tensor<196x4xf32>
// CHECK: linalg.fill {tir.block_name = "init"} ins({{.*}}) outs({{.*}} : tensor<196x4xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[B]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
func.func private @conv(%x: tensor<1x14x14x8xf32>, %w: tensor<4x8x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x14x14x4xf32> attributes {relay.primitive} {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x14x14x4xf32>
  %0 = linalg.fill {tir.block_name = "init"} ins(%cst : f32) outs(%e : tensor<1x14x14x4xf32>) -> tensor<1x14x14x4xf32>
  %1 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : tensor<1x14x14x8xf32>, tensor<4x8x1x1xf32>) outs(%0 : tensor<1x14x14x4xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.mulf %in, %in_0 : f32
    %4 = arith.addf %out, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x14x14x4xf32>
  %2 = linalg.generic {indexing_maps = [#in, #b, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %b : tensor<1x14x14x4xf32>, tensor<4xf32>) outs(%e : tensor<1x14x14x4xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %3 = arith.addf %in, %in_0 : f32
    linalg.yield %3 : f32
  } -> tensor<1x14x14x4xf32>
  return %2 : tensor<1x14x14x4xf32>
}

// CHECK-LABEL: relax.func @main
// CHECK: %[[W2:.*]] = relax.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK: relax.reshape %{{.*}} : !relax.tensor<[1, 14, 14, 8], f32> to !relax.tensor<[196, 8], f32>
// CHECK: relax.call_tir @conv(%{{.*}}, %[[W2]], %{{.*}})
// CHECK: relax.reshape %{{.*}} : !relax.tensor<[196, 4], f32> to !relax.tensor<[1, 14, 14, 4], f32>
relax.func @main(%x: !relax.tensor<[1, 14, 14, 8], f32>, %b: !relax.tensor<[4], f32>) -> !relax.tensor<[1, 14, 14, 4], f32> {
  %w = relax.constant dense<1.0> : tensor<4x8x1x1xf32>
  %0 = relax.call_tir @conv(%x, %w, %b) : (!relax.tensor<[1, 14, 14, 8], f32>, !relax.tensor<[4, 8, 1, 1], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[1, 14, 14, 4], f32>
  relax.return %0 : !relax.tensor<[1, 14, 14, 4], f32>
}

// -----

// A dynamic size stays apart; a size asked for is that of another dimension.

#id = affine_map<(i, n, y, x) -> (i, n, y, x)>

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x12xf32>) -> tensor<?x12xf32>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK: tensor.empty(%[[N]]) : tensor<?x12xf32>
// CHECK: iterator_types = ["parallel", "parallel"]
func.func private @dynamic(%x: tensor<1x?x3x4xf32>) -> tensor<1x?x3x4xf32> attributes {relay.primitive} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<1x?x3x4xf32>
  %e = tensor.empty(%n) : tensor<1x?x3x4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x?x3x4xf32>) outs(%e : tensor<1x?x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.exp %in : f32
    linalg.yield %1 : f32
  } -> tensor<1x?x3x4xf32>
  return %0 : tensor<1x?x3x4xf32>
}

// CHECK-LABEL: relax.func @main
// CHECK: relax.reshape %{{.*}} : !relax.tensor<[1, n, 3, 4], f32> to !relax.tensor<[n, 12], f32>
relax.func @main(%x: !relax.tensor<[1, n, 3, 4], f32>) -> !relax.tensor<[1, n, 3, 4], f32> {
  %0 = relax.call_tir @dynamic(%x) : (!relax.tensor<[1, n, 3, 4], f32>) -> !relax.tensor<[1, n, 3, 4], f32>
  relax.return %0 : !relax.tensor<[1, n, 3, 4], f32>
}

// -----

// A concatenation keeps its axis, a transposition what it takes apart.

#id = affine_map<(a, b, c) -> (a, b, c)>
#t = affine_map<(a, b, c) -> (c, a, b)>

// CHECK-LABEL: func.func private @concat(
// CHECK-SAME: %{{.*}}: tensor<6x5xf32>, %{{.*}}: tensor<6x2xf32>) -> (tensor<6x7xf32>, tensor<7x6xf32>)
// CHECK: tensor.concat dim(1)
func.func private @concat(%x: tensor<2x3x5xf32>, %y: tensor<2x3x2xf32>) -> (tensor<2x3x7xf32>, tensor<7x2x3xf32>) attributes {relay.primitive} {
  %0 = tensor.concat dim(2) %x, %y : (tensor<2x3x5xf32>, tensor<2x3x2xf32>) -> tensor<2x3x7xf32>
  %e = tensor.empty() : tensor<7x2x3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #t], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<2x3x7xf32>) outs(%e : tensor<7x2x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<7x2x3xf32>
  return %0, %1 : tensor<2x3x7xf32>, tensor<7x2x3xf32>
}

// -----

// Windows, broadcasts along one of two dimensions, and positions stay apart.

#x = affine_map<(y, x, k) -> (y, x + k)>
#w = affine_map<(y, x, k) -> (k)>
#y = affine_map<(y, x, k) -> (y, x)>

// CHECK-LABEL: func.func private @window(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<3xf32>) -> tensor<4x6xf32>
func.func private @window(%x: tensor<4x8xf32>, %w: tensor<3xf32>) -> tensor<4x6xf32> attributes {relay.primitive} {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x8xf32>, tensor<3xf32>) outs(%e : tensor<4x6xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %1 = arith.maximumf %in, %k : f32
    linalg.yield %1 : f32
  } -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

#id2 = affine_map<(y, x) -> (y, x)>
#row = affine_map<(y, x) -> (x)>

// CHECK-LABEL: func.func private @row(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8xf32>) -> tensor<4x8xf32>
func.func private @row(%x: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> attributes {relay.primitive} {
  %e = tensor.empty() : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %k: f32, %out: f32):
    %1 = arith.addf %in, %k : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func private @position(%{{.*}}: tensor<4x8xi64>) -> tensor<4x8xi64>
func.func private @position(%x: tensor<4x8xi64>) -> tensor<4x8xi64> attributes {relay.primitive} {
  %e = tensor.empty() : tensor<4x8xi64>
  %0 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xi64>) outs(%e : tensor<4x8xi64>) {
  ^bb0(%in: i64, %out: i64):
    %i = linalg.index 1 : index
    %1 = arith.index_cast %i : index to i64
    linalg.yield %1 : i64
  } -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

// -----

// A reduction of one element keeps the dimension that tells so.

#in1 = affine_map<(y, x, k) -> (y, x, k)>
#out1 = affine_map<(y, x, k) -> (y, x, 0)>

// CHECK-LABEL: func.func private @single(%{{.*}}: tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
func.func private @single(%x: tensor<4x5x1xf32>) -> tensor<4x5x1xf32> attributes {relay.primitive} {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x5x1xf32>
  %0 = linalg.fill ins(%cst : f32) outs(%e : tensor<4x5x1xf32>) -> tensor<4x5x1xf32>
  %1 = linalg.generic {indexing_maps = [#in1, #out1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<4x5x1xf32>) outs(%0 : tensor<4x5x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = arith.addf %in, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4x5x1xf32>
  return %1 : tensor<4x5x1xf32>
}

// -----

// Channels in groups: callers pass and get the dimensions that the kernel
// computes with, and rows of pixels are merged.

#x = affine_map<(n, g, o, y, x, c) -> (n, y, x, g * 3 + c)>
#w = affine_map<(n, g, o, y, x, c) -> (g * 5 + o, c)>
#y = affine_map<(n, g, o, y, x, c) -> (n, y, x, g, o)>
#id = affine_map<(n, y, x, g, o) -> (n, y, x, g, o)>
#b = affine_map<(n, y, x, g, o) -> (g, o)>

// CHECK-LABEL: func.func private @grouped(
// CHECK-SAME: tensor<?x28x6xf32>, %{{.*}}: tensor<10x3xf32>, %{{.*}}: tensor<2x5xf32>, %{{.*}}: tensor<?x28x2x5xf32>) -> tensor<?x28x2x5xf32>
// CHECK-NOT: shape
// CHECK: tensor.empty(%{{.*}}) : tensor<?x28x2x5xf32>
// CHECK-NOT: shape
func.func private @grouped(%x: tensor<?x4x7x6xf32>, %w: tensor<10x3xf32>, %b: tensor<10xf32>, %r: tensor<?x4x7x10xf32>) -> tensor<?x4x7x10xf32> attributes {relay.primitive} {
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x7x6xf32>
  %e = tensor.empty(%n) : tensor<?x4x7x2x5xf32>
  %0 = linalg.fill ins(%cst : f32) outs(%e : tensor<?x4x7x2x5xf32>) -> tensor<?x4x7x2x5xf32>
  %1 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x4x7x6xf32>, tensor<10x3xf32>) outs(%0 : tensor<?x4x7x2x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %4 = arith.mulf %in, %in_0 : f32
    %5 = arith.addf %out, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<?x4x7x2x5xf32>
  %b2 = tensor.expand_shape %b [[0, 1]] output_shape [2, 5] : tensor<10xf32> into tensor<2x5xf32>
  %r2 = tensor.expand_shape %r [[0], [1], [2], [3, 4]] output_shape [%n, 4, 7, 2, 5] : tensor<?x4x7x10xf32> into tensor<?x4x7x2x5xf32>
  %f = tensor.empty(%n) : tensor<?x4x7x10xf32>
  %f2 = tensor.expand_shape %f [[0], [1], [2], [3, 4]] output_shape [%n, 4, 7, 2, 5] : tensor<?x4x7x10xf32> into tensor<?x4x7x2x5xf32>
  %2 = linalg.generic {indexing_maps = [#id, #b, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%1, %b2, %r2 : tensor<?x4x7x2x5xf32>, tensor<2x5xf32>, tensor<?x4x7x2x5xf32>) outs(%f2 : tensor<?x4x7x2x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %in_1: f32, %out: f32):
    %4 = arith.addf %in, %in_0 : f32
    %5 = arith.addf %4, %in_1 : f32
    linalg.yield %5 : f32
  } -> tensor<?x4x7x2x5xf32>
  %3 = tensor.collapse_shape %2 [[0], [1], [2], [3, 4]] : tensor<?x4x7x2x5xf32> into tensor<?x4x7x10xf32>
  return %3 : tensor<?x4x7x10xf32>
}

// CHECK-LABEL: relax.func @main
// CHECK-DAG: %[[B:.*]] = relax.reshape %{{.*}} : !relax.tensor<[10], f32> to !relax.tensor<[2, 5], f32>
// CHECK-DAG: %[[R:.*]] = relax.reshape %{{.*}} : !relax.tensor<[n, 4, 7, 10], f32> to !relax.tensor<[n, 28, 2, 5], f32>
// CHECK: relax.call_tir @grouped(%{{.*}}, %{{.*}}, %[[B]], %[[R]])
// CHECK: relax.reshape %{{.*}} to !relax.tensor<[n, 4, 7, 10], f32>
relax.func @main(%x: !relax.tensor<[n, 4, 7, 6], f32>, %w: !relax.tensor<[10, 3], f32>, %b: !relax.tensor<[10], f32>, %r: !relax.tensor<[n, 4, 7, 10], f32>) -> !relax.tensor<[n, 4, 7, 10], f32> {
  %0 = relax.call_tir @grouped(%x, %w, %b, %r) : (!relax.tensor<[n, 4, 7, 6], f32>, !relax.tensor<[10, 3], f32>, !relax.tensor<[10], f32>, !relax.tensor<[n, 4, 7, 10], f32>) -> !relax.tensor<[n, 4, 7, 10], f32>
  relax.return %0 : !relax.tensor<[n, 4, 7, 10], f32>
}

// -----

// A change of shape stays if other users need the argument as it is, if a size
// would have to be divided, and if it is all there is.

// CHECK-LABEL: func.func private @kept(
// CHECK-SAME: tensor<6xf32>, %{{.*}}: tensor<?xf32>) -> (tensor<2x3xf32>, tensor<?x2xf32>, tensor<6xf32>)
// CHECK-COUNT-2: tensor.expand_shape
func.func private @kept(%x: tensor<6xf32>, %y: tensor<?xf32>) -> (tensor<2x3xf32>, tensor<?x2xf32>, tensor<6xf32>) attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %h = arith.divui %n, %c2 : index
  %1 = tensor.expand_shape %y [[0, 1]] output_shape [%h, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %0, %1, %x : tensor<2x3xf32>, tensor<?x2xf32>, tensor<6xf32>
}

// -----

// A scalar does not say which sizes the other tensor has.

// CHECK-LABEL: func.func private @open_scalar(
// CHECK-SAME: %{{.*}}: tensor<?xf32>) -> tensor<f32>
// CHECK: tensor.collapse_shape %{{.*}} [] : tensor<?xf32> into tensor<f32>
func.func private @open_scalar(%x: tensor<?xf32>) -> tensor<f32> attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %0 = tensor.empty(%n) : tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %3 = math.exp %in : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  %2 = tensor.collapse_shape %1 [] : tensor<?xf32> into tensor<f32>
  return %2 : tensor<f32>
}
