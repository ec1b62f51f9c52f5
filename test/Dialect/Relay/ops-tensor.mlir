// Operators that make, move and index elements: assembly, and types where all
// result sizes are left open.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt --verify-relay-typed | FileCheck %s
// RUN: relay-opt %s --relay-infer-types --emit-bytecode | relay-opt | FileCheck %s

// Codes of reshape: 0 copies, -1 is inferred, -2 copies the rest, -3 joins two
// dimensions, -4 splits one.
// CHECK-LABEL: func.func @reshape
func.func @reshape(%a0: tensor<2x3x4xf32>, %a1: tensor<1xf32>, %a2: tensor<0x3xf32>, %a3: tensor<?x3x4xf32>, %a4: tensor<?x12xf32>, %a5: tensor<?x?x4xf32>) {
  // CHECK: relay.reshape %{{.*}} {newshape = [6, 4]} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %0 = relay.reshape %a0 {newshape = [6, 4]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, -1]} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %1 = relay.reshape %a0 {newshape = [0, -1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [-1]} : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %2 = relay.reshape %a0 {newshape = [-1]} : (tensor<2x3x4xf32>) -> tensor<?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [-3, -2]} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %3 = relay.reshape %a0 {newshape = [-3, -2]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, -3]} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %4 = relay.reshape %a0 {newshape = [0, -3]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, 0, -4, 2, -1]} : (tensor<2x3x4xf32>) -> tensor<2x3x2x2xf32>
  %5 = relay.reshape %a0 {newshape = [0, 0, -4, 2, -1]} : (tensor<2x3x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [-2, 1, 1]} : (tensor<2x3x4xf32>) -> tensor<2x3x4x1x1xf32>
  %6 = relay.reshape %a0 {newshape = [-2, 1, 1]} : (tensor<2x3x4xf32>) -> tensor<?x?x?x?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [1, -1, 2]} : (tensor<2x3x4xf32>) -> tensor<1x12x2xf32>
  %7 = relay.reshape %a0 {newshape = [1, -1, 2]} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = []} : (tensor<1xf32>) -> tensor<f32>
  %8 = relay.reshape %a1 {newshape = []} : (tensor<1xf32>) -> tensor<f32>
  // CHECK: relay.reshape %{{.*}} {allowzero = true, newshape = [3, 0]} : (tensor<0x3xf32>) -> tensor<3x0xf32>
  %9 = relay.reshape %a2 {allowzero = true, newshape = [3, 0]} : (tensor<0x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, -1]} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  %10 = relay.reshape %a3 {newshape = [0, -1]} : (tensor<?x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [-1, 12]} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  %11 = relay.reshape %a3 {newshape = [-1, 12]} : (tensor<?x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, 3, 4]} : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %12 = relay.reshape %a4 {newshape = [0, 3, 4]} : (tensor<?x12xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [0, -4, 3, -1]} : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  %13 = relay.reshape %a4 {newshape = [0, -4, 3, -1]} : (tensor<?x12xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.reshape %{{.*}} {newshape = [-3, 4]} : (tensor<?x?x4xf32>) -> tensor<?x4xf32>
  %14 = relay.reshape %a5 {newshape = [-3, 4]} : (tensor<?x?x4xf32>) -> tensor<?x?xf32>
  return
}

// Dimensions that come and go.
// CHECK-LABEL: func.func @dimensions
func.func @dimensions(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<1x3x1x?xf32>, %a3: tensor<?x3x4xf32>, %a4: tensor<2x?x4xf32>, %a5: tensor<3x1xf32>, %a6: tensor<?x1xf32>) {
  // CHECK: relay.expand_dims %{{.*}} {axis = 0} : (tensor<2x3x4xf32>) -> tensor<1x2x3x4xf32>
  %0 = relay.expand_dims %a0 {axis = 0} : (tensor<2x3x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.expand_dims %{{.*}} {axis = -1} : (tensor<2x3x4xf32>) -> tensor<2x3x4x1xf32>
  %1 = relay.expand_dims %a0 {axis = -1} : (tensor<2x3x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.expand_dims %{{.*}} {axis = 1, num_newaxis = 2} : (tensor<4xf32>) -> tensor<4x1x1xf32>
  %2 = relay.expand_dims %a1 {axis = 1, num_newaxis = 2} : (tensor<4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.squeeze %{{.*}} : (tensor<1x3x1x?xf32>) -> tensor<3x?xf32>
  %3 = relay.squeeze %a2 : (tensor<1x3x1x?xf32>) -> tensor<?x?xf32>
  // CHECK: relay.squeeze %{{.*}} {axis = [0]} : (tensor<1x3x1x?xf32>) -> tensor<3x1x?xf32>
  %4 = relay.squeeze %a2 {axis = [0]} : (tensor<1x3x1x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.squeeze %{{.*}} {axis = [-1, -2]} : (tensor<1x3x1x?xf32>) -> tensor<1x3xf32>
  %5 = relay.squeeze %a2 {axis = [-1, -2]} : (tensor<1x3x1x?xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.batch_flatten %{{.*}} : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  %6 = relay.nn.batch_flatten %a0 : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.batch_flatten %{{.*}} : (tensor<?x3x4xf32>) -> tensor<?x12xf32>
  %7 = relay.nn.batch_flatten %a3 : (tensor<?x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.batch_flatten %{{.*}} : (tensor<2x?x4xf32>) -> tensor<2x?xf32>
  %8 = relay.nn.batch_flatten %a4 : (tensor<2x?x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.broadcast_to %{{.*}} {shape = [2, 3, 4]} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  %9 = relay.broadcast_to %a5 {shape = [2, 3, 4]} : (tensor<3x1xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.broadcast_to %{{.*}} {shape = [2, -1, 4]} : (tensor<?x1xf32>) -> tensor<2x?x4xf32>
  %10 = relay.broadcast_to %a6 {shape = [2, -1, 4]} : (tensor<?x1xf32>) -> tensor<?x?x?xf32>
  return
}

// Shapes as values are int32 unless said otherwise.
// CHECK-LABEL: func.func @shapes
func.func @shapes(%a0: tensor<2x3x4xf32>, %a1: tensor<?x?xf32>) {
  // CHECK: relay.shape_of %{{.*}} : (tensor<2x3x4xf32>) -> tensor<3xi32>
  %0 = relay.shape_of %a0 : (tensor<2x3x4xf32>) -> tensor<?xi32>
  // CHECK: relay.shape_of %{{.*}} {dtype = i64} : (tensor<?x?xf32>) -> tensor<2xi64>
  %1 = relay.shape_of %a1 {dtype = i64} : (tensor<?x?xf32>) -> tensor<?xi64>
  // CHECK: relay.ndarray_size %{{.*}} : (tensor<2x3x4xf32>) -> tensor<i32>
  %2 = relay.ndarray_size %a0 : (tensor<2x3x4xf32>) -> tensor<i32>
  // CHECK: relay.ndarray_size %{{.*}} {dtype = i64} : (tensor<2x3x4xf32>) -> tensor<i64>
  %3 = relay.ndarray_size %a0 {dtype = i64} : (tensor<2x3x4xf32>) -> tensor<i64>
  return
}

// Tensors of given values.
// CHECK-LABEL: func.func @creation
func.func @creation(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<2x3x4xf32>, %a4: tensor<2x3xi32>, %a5: tensor<2x?xi32>) {
  // CHECK: relay.zeros {dtype = f32, shape = [2, 3]} : () -> tensor<2x3xf32>
  %0 = relay.zeros {dtype = f32, shape = [2, 3]} : () -> tensor<?x?xf32>
  // CHECK: relay.ones {dtype = i8, shape = []} : () -> tensor<i8>
  %1 = relay.ones {dtype = i8, shape = []} : () -> tensor<i8>
  // CHECK: relay.full %{{.*}} {shape = [2, 3]} : (tensor<f32>) -> tensor<2x3xf32>
  %2 = relay.full %a0 {shape = [2, 3]} : (tensor<f32>) -> tensor<?x?xf32>
  // CHECK: relay.full %{{.*}} {dtype = f32, shape = [2]} : (tensor<f32>) -> tensor<2xf32>
  %3 = relay.full %a0 {dtype = f32, shape = [2]} : (tensor<f32>) -> tensor<?xf32>
  // CHECK: relay.full_like %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %4 = relay.full_like %a3, %a0 : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.arange %{{.*}}, %{{.*}}, %{{.*}} {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  %5 = relay.arange %a0, %a1, %a2 {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?xf32>
  // CHECK: relay.one_hot %{{.*}}, %{{.*}}, %{{.*}} {depth = 5} : (tensor<2x3xi32>, tensor<f32>, tensor<f32>) -> tensor<2x3x5xf32>
  %6 = relay.one_hot %a4, %a0, %a1 {depth = 5} : (tensor<2x3xi32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.one_hot %{{.*}}, %{{.*}}, %{{.*}} {axis = 0, depth = 5} : (tensor<2x?xi32>, tensor<f32>, tensor<f32>) -> tensor<5x2x?xf32>
  %7 = relay.one_hot %a5, %a0, %a1 {axis = 0, depth = 5} : (tensor<2x?xi32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?xf32>
  return
}

// Movement.
// CHECK-LABEL: func.func @movement
func.func @movement(%a0: tensor<2x3x4xf32>, %a1: tensor<?x3x4xf32>, %a2: tensor<1x32x8x8xf32>, %a3: tensor<?x2x8x8x16xf32>, %a4: tensor<?xf32>, %a5: tensor<3x3xf32>, %a6: tensor<i64>, %a7: tensor<f32>) {
  // CHECK: relay.transpose %{{.*}} : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %0 = relay.transpose %a0 : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.transpose %{{.*}} {axes = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = relay.transpose %a0 {axes = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.transpose %{{.*}} {axes = [-1, 0, 1]} : (tensor<?x3x4xf32>) -> tensor<4x?x3xf32>
  %2 = relay.transpose %a1 {axes = [-1, 0, 1]} : (tensor<?x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.layout_transform %{{.*}} {dst_layout = "NHWC", src_layout = "NCHW"} : (tensor<1x32x8x8xf32>) -> tensor<1x8x8x32xf32>
  %3 = relay.layout_transform %a2 {dst_layout = "NHWC", src_layout = "NCHW"} : (tensor<1x32x8x8xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.layout_transform %{{.*}} {dst_layout = "NCHW16c", src_layout = "NCHW"} : (tensor<1x32x8x8xf32>) -> tensor<1x2x8x8x16xf32>
  %4 = relay.layout_transform %a2 {dst_layout = "NCHW16c", src_layout = "NCHW"} : (tensor<1x32x8x8xf32>) -> tensor<?x?x?x?x?xf32>
  // CHECK: relay.layout_transform %{{.*}} {dst_layout = "NCHW", src_layout = "NCHW16c"} : (tensor<?x2x8x8x16xf32>) -> tensor<?x32x8x8xf32>
  %5 = relay.layout_transform %a3 {dst_layout = "NCHW", src_layout = "NCHW16c"} : (tensor<?x2x8x8x16xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.reverse %{{.*}} {axis = -1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %6 = relay.reverse %a0 {axis = -1} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.tile %{{.*}} {reps = [2, 1, 3]} : (tensor<2x3x4xf32>) -> tensor<4x3x12xf32>
  %7 = relay.tile %a0 {reps = [2, 1, 3]} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.tile %{{.*}} {reps = [2]} : (tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %8 = relay.tile %a0 {reps = [2]} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.tile %{{.*}} {reps = [2, 3]} : (tensor<?xf32>) -> tensor<2x?xf32>
  %9 = relay.tile %a4 {reps = [2, 3]} : (tensor<?xf32>) -> tensor<?x?xf32>
  // CHECK: relay.repeat %{{.*}} {axis = 1, repeats = 2} : (tensor<2x3x4xf32>) -> tensor<2x6x4xf32>
  %10 = relay.repeat %a0 {axis = 1, repeats = 2} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.repeat %{{.*}} {repeats = 2} : (tensor<2x3x4xf32>) -> tensor<48xf32>
  %11 = relay.repeat %a0 {repeats = 2} : (tensor<2x3x4xf32>) -> tensor<?xf32>
  // CHECK: relay.trilu %{{.*}}, %{{.*}} : (tensor<3x3xf32>, tensor<i64>) -> tensor<3x3xf32>
  %12 = relay.trilu %a5, %a6 {upper = true} : (tensor<3x3xf32>, tensor<i64>) -> tensor<?x?xf32>
  // CHECK: relay.trilu %{{.*}}, %{{.*}} {upper = false} : (tensor<3x3xf32>, tensor<i64>) -> tensor<3x3xf32>
  %13 = relay.trilu %a5, %a6 {upper = false} : (tensor<3x3xf32>, tensor<i64>) -> tensor<?x?xf32>
  // CHECK: relay.nn.pad %{{.*}}, %{{.*}} {pad_width = [0, 0, 1, 2, 3, 0]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x6x7xf32>
  %14 = relay.nn.pad %a0, %a7 {pad_width = [0, 0, 1, 2, 3, 0]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.pad %{{.*}}, %{{.*}} {pad_width = [0, 0, 0, 0, -1, -1]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x2xf32>
  %15 = relay.nn.pad %a0, %a7 {pad_width = [0, 0, 0, 0, -1, -1]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.pad %{{.*}}, %{{.*}} {pad_mode = "reflect", pad_width = [0, 0, 2, 2, 0, 0]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x7x4xf32>
  %16 = relay.nn.pad %a0, %a7 {pad_mode = "reflect", pad_width = [0, 0, 2, 2, 0, 0]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.nn.pad %{{.*}}, %{{.*}} {pad_mode = "edge", pad_width = [0, 0, 1, 1, 0, 0]} : (tensor<?x3x4xf32>, tensor<f32>) -> tensor<?x5x4xf32>
  %17 = relay.nn.pad %a1, %a7 {pad_mode = "edge", pad_width = [0, 0, 1, 1, 0, 0]} : (tensor<?x3x4xf32>, tensor<f32>) -> tensor<?x?x?xf32>
  // CHECK: relay.copy %{{.*}} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %18 = relay.copy %a0 : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  return
}

// Joining and cutting.
// CHECK-LABEL: func.func @joining
func.func @joining(%a0: tensor<2x3x4xf32>, %a1: tensor<2x3x4xf32>, %a2: tensor<2x3x4xf32>, %a3: tensor<2x5x4xf32>, %a4: tensor<?x3xf32>, %a5: tensor<2x3xf32>) {
  // CHECK: relay.concatenate %{{.*}}, %{{.*}} {axis = 1} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x8x4xf32>
  %0 = relay.concatenate %a0, %a3 {axis = 1} : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.concatenate %{{.*}}, %{{.*}}, %{{.*}} {axis = -3} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<6x3x4xf32>
  %1 = relay.concatenate %a0, %a1, %a2 {axis = -3} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.concatenate %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %2 = relay.concatenate %a4, %a5 {axis = 0} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.concatenate %{{.*}}, %{{.*}} {axis = 1} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %3 = relay.concatenate %a4, %a5 {axis = 1} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.stack %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x2x3x4xf32>
  %4 = relay.stack %a0, %a1 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.stack %{{.*}}, %{{.*}}, %{{.*}} {axis = -1} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4x3xf32>
  %5 = relay.stack %a0, %a1, %a2 {axis = -1} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.split %{{.*}} {axis = 2, indices_or_sections = 2} : (tensor<2x3x4xf32>) -> tuple<tensor<2x3x2xf32>, tensor<2x3x2xf32>>
  %6 = relay.split %a0 {axis = 2, indices_or_sections = 2} : (tensor<2x3x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?x?xf32>>
  // CHECK: relay.split %{{.*}} {axis = 1, indices_or_sections = [1]} : (tensor<2x3x4xf32>) -> tuple<tensor<2x1x4xf32>, tensor<2x2x4xf32>>
  %7 = relay.split %a0 {axis = 1, indices_or_sections = [1]} : (tensor<2x3x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?x?xf32>>
  // CHECK: relay.split %{{.*}} {indices_or_sections = 2} : (tensor<?x3xf32>) -> tuple<tensor<?x3xf32>, tensor<?x3xf32>>
  %8 = relay.split %a4 {indices_or_sections = 2} : (tensor<?x3xf32>) -> tuple<tensor<?x?xf32>, tensor<?x?xf32>>
  // CHECK: relay.split %{{.*}} {indices_or_sections = [2, 5]} : (tensor<?x3xf32>) -> tuple<tensor<2x3xf32>, tensor<3x3xf32>, tensor<?x3xf32>>
  %9 = relay.split %a4 {indices_or_sections = [2, 5]} : (tensor<?x3xf32>) -> tuple<tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>>
  return
}

// Slices are clamped as in NumPy.
// CHECK-LABEL: func.func @slices
func.func @slices(%a0: tensor<10x8xf32>, %a1: tensor<?x8xf32>) {
  // CHECK: relay.strided_slice %{{.*}} {begin = [2], end = [7]} : (tensor<10x8xf32>) -> tensor<5x8xf32>
  %0 = relay.strided_slice %a0 {begin = [2], end = [7]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [2, 0], end = [100, -1]} : (tensor<10x8xf32>) -> tensor<8x7xf32>
  %1 = relay.strided_slice %a0 {begin = [2, 0], end = [100, -1]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [1, 0], end = [10, 8], strides = [3, 2]} : (tensor<10x8xf32>) -> tensor<3x4xf32>
  %2 = relay.strided_slice %a0 {begin = [1, 0], end = [10, 8], strides = [3, 2]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [9], end = [-100], strides = [-1]} : (tensor<10x8xf32>) -> tensor<10x8xf32>
  %3 = relay.strided_slice %a0 {begin = [9], end = [-100], strides = [-1]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [8], end = [1], strides = [-2]} : (tensor<10x8xf32>) -> tensor<4x8xf32>
  %4 = relay.strided_slice %a0 {begin = [8], end = [1], strides = [-2]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {axes = [1], begin = [3], end = [5]} : (tensor<10x8xf32>) -> tensor<10x2xf32>
  %5 = relay.strided_slice %a0 {axes = [1], begin = [3], end = [5]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {axes = [-1], begin = [-3], end = [8]} : (tensor<10x8xf32>) -> tensor<10x3xf32>
  %6 = relay.strided_slice %a0 {axes = [-1], begin = [-3], end = [8]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [2, 3], end = [4, -1], slice_mode = "size"} : (tensor<10x8xf32>) -> tensor<4x5xf32>
  %7 = relay.strided_slice %a0 {begin = [2, 3], end = [4, -1], slice_mode = "size"} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [5], end = [2]} : (tensor<10x8xf32>) -> tensor<0x8xf32>
  %8 = relay.strided_slice %a0 {begin = [5], end = [2]} : (tensor<10x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {begin = [0, 1], end = [3, 4]} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  %9 = relay.strided_slice %a1 {begin = [0, 1], end = [3, 4]} : (tensor<?x8xf32>) -> tensor<?x?xf32>
  // CHECK: relay.strided_slice %{{.*}} {axes = [1], begin = [1], end = [4]} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  %10 = relay.strided_slice %a1 {axes = [1], begin = [1], end = [4]} : (tensor<?x8xf32>) -> tensor<?x?xf32>
  return
}

// Indexing.
// CHECK-LABEL: func.func @indexing
func.func @indexing(%a0: tensor<2x3x4xf32>, %a1: tensor<5x6xi64>, %a2: tensor<i64>, %a3: tensor<2x5xi32>, %a4: tensor<30x8xf32>, %a5: tensor<?xi64>, %a6: tensor<2x5x4xi64>, %a7: tensor<2x5xi64>, %a8: tensor<3x5x6xi64>, %a9: tensor<1x2xi64>, %a10: tensor<2x1x4xi64>, %a11: tensor<2x1x4xf32>, %a12: tensor<5x4xf32>) {
  // CHECK: relay.take %{{.*}}, %{{.*}} {axis = 1} : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> tensor<2x5x6x4xf32>
  %0 = relay.take %a0, %a1 {axis = 1} : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.take %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> tensor<5x6xf32>
  %1 = relay.take %a0, %a1 : (tensor<2x3x4xf32>, tensor<5x6xi64>) -> tensor<?x?xf32>
  // CHECK: relay.take %{{.*}}, %{{.*}} {axis = 0, mode = "wrap"} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<3x4xf32>
  %2 = relay.take %a0, %a2 {axis = 0, mode = "wrap"} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<?x?xf32>
  // CHECK: relay.take %{{.*}}, %{{.*}} {axis = 1, batch_dims = 1} : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  %3 = relay.take %a0, %a3 {axis = 1, batch_dims = 1} : (tensor<2x3x4xf32>, tensor<2x5xi32>) -> tensor<?x?x?xf32>
  // CHECK: relay.take %{{.*}}, %{{.*}} {axis = 0} : (tensor<30x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  %4 = relay.take %a4, %a5 {axis = 0} : (tensor<30x8xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  // CHECK: relay.gather %{{.*}}, %{{.*}} {axis = 1} : (tensor<2x3x4xf32>, tensor<2x5x4xi64>) -> tensor<2x5x4xf32>
  %5 = relay.gather %a0, %a6 {axis = 1} : (tensor<2x3x4xf32>, tensor<2x5x4xi64>) -> tensor<?x?x?xf32>
  // CHECK: relay.gather_nd %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x5xi64>) -> tensor<5x4xf32>
  %6 = relay.gather_nd %a0, %a7 : (tensor<2x3x4xf32>, tensor<2x5xi64>) -> tensor<?x?xf32>
  // CHECK: relay.gather_nd %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<3x5x6xi64>) -> tensor<5x6xf32>
  %7 = relay.gather_nd %a0, %a8 : (tensor<2x3x4xf32>, tensor<3x5x6xi64>) -> tensor<?x?xf32>
  // CHECK: relay.gather_nd %{{.*}}, %{{.*}} {batch_dims = 1} : (tensor<2x3x4xf32>, tensor<1x2xi64>) -> tensor<2x4xf32>
  %8 = relay.gather_nd %a0, %a9 {batch_dims = 1} : (tensor<2x3x4xf32>, tensor<1x2xi64>) -> tensor<?x?xf32>
  // CHECK: relay.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} {axis = 1} : (tensor<2x3x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %9 = relay.scatter_elements %a0, %a10, %a11 {axis = 1} : (tensor<2x3x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} {axis = 1, reduction = "add"} : (tensor<2x3x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %10 = relay.scatter_elements %a0, %a10, %a11 {axis = 1, reduction = "add"} : (tensor<2x3x4xf32>, tensor<2x1x4xi64>, tensor<2x1x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<2x5xi64>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %11 = relay.scatter_nd %a0, %a7, %a12 : (tensor<2x3x4xf32>, tensor<2x5xi64>, tensor<5x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {mode = "max"} : (tensor<2x3x4xf32>, tensor<2x5xi64>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  %12 = relay.scatter_nd %a0, %a7, %a12 {mode = "max"} : (tensor<2x3x4xf32>, tensor<2x5xi64>, tensor<5x4xf32>) -> tensor<?x?x?xf32>
  return
}

// Scans and orders. Positions are int32 unless said otherwise.
// CHECK-LABEL: func.func @orders
func.func @orders(%a0: tensor<2x3x4xf32>, %a1: tensor<?xf32>) {
  // CHECK: relay.cumsum %{{.*}} {axis = 1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %0 = relay.cumsum %a0 {axis = 1} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.cumsum %{{.*}} {dtype = f64, exclusive = true} : (tensor<2x3x4xf32>) -> tensor<24xf64>
  %1 = relay.cumsum %a0 {dtype = f64, exclusive = true} : (tensor<2x3x4xf32>) -> tensor<?xf64>
  // CHECK: relay.sort %{{.*}} {is_ascend = false} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %2 = relay.sort %a0 {is_ascend = false} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.argsort %{{.*}} {axis = 0} : (tensor<2x3x4xf32>) -> tensor<2x3x4xi32>
  %3 = relay.argsort %a0 {axis = 0} : (tensor<2x3x4xf32>) -> tensor<?x?x?xi32>
  // CHECK: relay.argsort %{{.*}} {dtype = i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xi64>
  %4 = relay.argsort %a0 {dtype = i64} : (tensor<2x3x4xf32>) -> tensor<?x?x?xi64>
  // CHECK: relay.topk %{{.*}} {k = 2} : (tensor<2x3x4xf32>) -> tuple<tensor<2x3x2xf32>, tensor<2x3x2xi32>>
  %5 = relay.topk %a0 {k = 2} : (tensor<2x3x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?x?xi32>>
  // CHECK: relay.topk %{{.*}} {axis = 1, dtype = i64, k = 1, ret_type = "indices"} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi64>
  %6 = relay.topk %a0 {axis = 1, dtype = i64, k = 1, ret_type = "indices"} : (tensor<2x3x4xf32>) -> tensor<?x?x?xi64>
  // CHECK: relay.topk %{{.*}} {k = 3, ret_type = "values"} : (tensor<?xf32>) -> tensor<3xf32>
  %7 = relay.topk %a1 {k = 3, ret_type = "values"} : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: relay.topk %{{.*}} {k = 0} : (tensor<2x3x4xf32>) -> tuple<tensor<2x3x4xf32>, tensor<2x3x4xi32>>
  %8 = relay.topk %a0 {k = 0} : (tensor<2x3x4xf32>) -> tuple<tensor<?x?x?xf32>, tensor<?x?x?xi32>>
  return
}
