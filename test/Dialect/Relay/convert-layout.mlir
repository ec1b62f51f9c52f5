// RUN: relay-opt %s --relay-convert-layout --split-input-file | FileCheck %s

// One change at the input and one at the output; weights stay.

// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<1x8x9x9xf32>, %[[W:.*]]: tensor<8x8x3x3xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[T:.*]] = relay.layout_transform %[[X]] {dst_layout = "NHWC", src_layout = "NCHW"} : (tensor<1x8x9x9xf32>) -> tensor<1x9x9x8xf32>
// CHECK-NEXT: %[[C:.*]] = relay.nn.conv2d %[[T]], %[[W]] {data_layout = "NHWC", padding = [1, 1, 1, 1]}
// CHECK-NEXT: %[[A:.*]] = relay.nn.bias_add %[[C]], %[[B]] {axis = 3}
// CHECK-NEXT: %[[R:.*]] = relay.nn.relu %[[A]]
// The residual is the transformed input.
// CHECK-NEXT: %[[S:.*]] = relay.add %[[R]], %[[T]] : (tensor<1x9x9x8xf32>, tensor<1x9x9x8xf32>)
// CHECK-NEXT: %[[P:.*]] = relay.nn.max_pool2d %[[S]] {layout = "NHWC", pool_size = [2, 2], strides = [2, 2]}
// CHECK-NEXT: %[[D:.*]] = relay.nn.conv2d %[[P]], %[[W]] {data_layout = "NHWC"}
// CHECK-NEXT: %[[O:.*]] = relay.layout_transform %[[D]] {dst_layout = "NCHW", src_layout = "NHWC"} : (tensor<1x2x2x8xf32>) -> tensor<1x8x2x2xf32>
// CHECK-NEXT: return %[[O]]
func.func @chain(%x: tensor<1x8x9x9xf32>, %w: tensor<8x8x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x2x2xf32> {
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1]} : (tensor<1x8x9x9xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x9x9xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<1x8x9x9xf32>, tensor<8xf32>) -> tensor<1x8x9x9xf32>
  %2 = relay.nn.relu %1 : (tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %3 = relay.add %2, %x : (tensor<1x8x9x9xf32>, tensor<1x8x9x9xf32>) -> tensor<1x8x9x9xf32>
  %4 = relay.nn.max_pool2d %3 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x8x9x9xf32>) -> tensor<1x8x4x4xf32>
  %5 = relay.nn.conv2d %4, %w : (tensor<1x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x2x2xf32>
  return %5 : tensor<1x8x2x2xf32>
}

// -----

// Images of one pixel change by a reshape, operands that are broadcast by less.

// CHECK-LABEL: func.func @gate
// CHECK: %[[C:.*]] = relay.nn.conv2d
// CHECK-NEXT: %[[P:.*]] = relay.nn.global_avg_pool2d %[[C]] {layout = "NHWC"} : (tensor<1x5x5x8xf32>) -> tensor<1x1x1x8xf32>
// CHECK-NEXT: %[[F:.*]] = relay.reshape %[[P]] {newshape = [1, 8]}
// CHECK-NEXT: %[[D:.*]] = relay.nn.dense %[[F]]
// CHECK-NEXT: %[[G:.*]] = relay.reshape %[[D]] {newshape = [1, 8, 1, 1]}
// CHECK-NEXT: %[[H:.*]] = relay.reshape %[[G]] {newshape = [1, 1, 1, 8]}
// CHECK-NEXT: %[[M:.*]] = relay.multiply %[[C]], %[[H]] : (tensor<1x5x5x8xf32>, tensor<1x1x1x8xf32>)
// CHECK-NEXT: %[[S:.*]] = relay.expand_dims
// CHECK-NEXT: %[[V:.*]] = relay.reshape %[[S]] {newshape = [8]}
// CHECK-NEXT: %[[A:.*]] = relay.add %[[M]], %[[V]] : (tensor<1x5x5x8xf32>, tensor<8xf32>)
// CHECK-NEXT: %[[O:.*]] = relay.mean %[[A]] {axis = [1, 2]} : (tensor<1x5x5x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: return %[[O]]
func.func @gate(%x: tensor<1x8x7x7xf32>, %w: tensor<8x8x3x3xf32>, %d: tensor<8x8xf32>, %s: tensor<8xf32>) -> tensor<1x8xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x5xf32>
  %1 = relay.nn.global_avg_pool2d %0 : (tensor<1x8x5x5xf32>) -> tensor<1x8x1x1xf32>
  %2 = relay.nn.batch_flatten %1 : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32>
  %3 = relay.nn.dense %2, %d : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %4 = relay.reshape %3 {newshape = [1, 8, 1, 1]} : (tensor<1x8xf32>) -> tensor<1x8x1x1xf32>
  %5 = relay.multiply %0, %4 : (tensor<1x8x5x5xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x5x5xf32>
  %6 = relay.expand_dims %s {axis = 1, num_newaxis = 2} : (tensor<8xf32>) -> tensor<8x1x1xf32>
  %7 = relay.add %5, %6 : (tensor<1x8x5x5xf32>, tensor<8x1x1xf32>) -> tensor<1x8x5x5xf32>
  %8 = relay.mean %7 {axis = [2, 3]} : (tensor<1x8x5x5xf32>) -> tensor<1x8xf32>
  return %8 : tensor<1x8xf32>
}

// -----

// Axes, lists of axes and values per dimension move with their dimensions.

// CHECK-LABEL: func.func @axes
// CHECK: %[[C:.*]] = relay.nn.conv2d
// CHECK-NEXT: %[[S:.*]] = relay.split %[[C]] {axis = 3, indices_or_sections = [4]} : (tensor<1x5x6x8xf32>) -> tuple<tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>>
// CHECK-NEXT: %[[F:.*]] = relay.tuple_get_item %[[S]][0] : tuple<tensor<1x5x6x4xf32>, tensor<1x5x6x4xf32>>
// CHECK-NEXT: %[[K:.*]] = relay.concatenate %[[F]], %[[F]] {axis = 3}
// CHECK-NEXT: %[[Z:.*]] = relay.constant
// CHECK-NEXT: %[[P:.*]] = relay.nn.pad %[[K]], %[[Z]] {pad_width = [0, 0, 1, 0, 0, 2, 3, 4]} : (tensor<1x5x6x8xf32>, tensor<f32>) -> tensor<1x6x8x15xf32>
// CHECK-NEXT: %[[T:.*]] = relay.strided_slice %[[P]] {axes = [0, 3], begin = [0, 3], end = [1, 11], strides = [1, 1]} : (tensor<1x6x8x15xf32>) -> tensor<1x6x8x8xf32>
// CHECK-NEXT: %[[L:.*]] = relay.nn.lrn %[[T]] {axis = 3}
// CHECK-NEXT: %[[N:.*]] = relay.nn.softmax %[[L]] {axis = 3}
// CHECK-NEXT: relay.sum %[[N]] {axis = [0, 3], keepdims = true} : (tensor<1x6x8x8xf32>) -> tensor<1x6x8x1xf32>
func.func @axes(%x: tensor<1x8x7x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x1x6x8xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x8xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x6xf32>
  %1 = relay.split %0 {axis = 1, indices_or_sections = [4]} : (tensor<1x8x5x6xf32>) -> tuple<tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>>
  %2 = relay.tuple_get_item %1[0] : tuple<tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>>
  %3 = relay.concatenate %2, %2 {axis = -3} : (tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>) -> tensor<1x8x5x6xf32>
  %z = relay.constant dense<0.0> : tensor<f32>
  %4 = relay.nn.pad %3, %z {pad_width = [0, 0, 3, 4, 1, 0, 0, 2]} : (tensor<1x8x5x6xf32>, tensor<f32>) -> tensor<1x15x6x8xf32>
  %5 = relay.strided_slice %4 {begin = [0, 3], end = [1, 11], strides = [1, 1]} : (tensor<1x15x6x8xf32>) -> tensor<1x8x6x8xf32>
  %6 = relay.nn.lrn %5 : (tensor<1x8x6x8xf32>) -> tensor<1x8x6x8xf32>
  %7 = relay.nn.softmax %6 {axis = 1} : (tensor<1x8x6x8xf32>) -> tensor<1x8x6x8xf32>
  %8 = relay.sum %7 {axis = [2, 3], keepdims = true, exclude = true} : (tensor<1x8x6x8xf32>) -> tensor<1x1x6x8xf32>
  return %8 : tensor<1x1x6x8xf32>
}

// -----

// Reshapes that keep channels apart from pixels, and transpositions of parts of
// channels: a shuffle of channels.

// CHECK-LABEL: func.func @shuffle
// CHECK: %[[C:.*]] = relay.nn.conv2d
// CHECK-NEXT: %[[R:.*]] = relay.reshape %[[C]] {newshape = [1, 5, 6, 2, 4]}
// CHECK-NEXT: %[[T:.*]] = relay.transpose %[[R]] {axes = [0, 1, 2, 4, 3]}
// CHECK-NEXT: %[[S:.*]] = relay.reshape %[[T]] {newshape = [1, 5, 6, 8]}
// CHECK-NEXT: relay.nn.conv2d %[[S]]
func.func @shuffle(%x: tensor<1x8x7x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x3x4xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x8xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x6xf32>
  %1 = relay.reshape %0 {newshape = [1, 2, 4, 5, 6]} : (tensor<1x8x5x6xf32>) -> tensor<1x2x4x5x6xf32>
  %2 = relay.transpose %1 {axes = [0, 2, 1, 3, 4]} : (tensor<1x2x4x5x6xf32>) -> tensor<1x4x2x5x6xf32>
  %3 = relay.reshape %2 {newshape = [1, 8, 5, 6]} : (tensor<1x4x2x5x6xf32>) -> tensor<1x8x5x6xf32>
  %4 = relay.nn.conv2d %3, %w : (tensor<1x8x5x6xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x3x4xf32>
  return %4 : tensor<1x8x3x4xf32>
}

// -----

// Pixels as a sequence: the model's own transposition is all that is needed.

// CHECK-LABEL: func.func @patches
// CHECK: %[[C:.*]] = relay.nn.conv2d
// CHECK-NEXT: %[[R:.*]] = relay.reshape %[[C]] {newshape = [1, 4, 8]} : (tensor<1x2x2x8xf32>) -> tensor<1x4x8xf32>
// CHECK-NEXT: relay.nn.dense %[[R]]
func.func @patches(%x: tensor<1x3x8x8xf32>, %w: tensor<8x3x4x4xf32>, %d: tensor<5x8xf32>) -> tensor<1x4x5xf32> {
  %0 = relay.nn.conv2d %x, %w {strides = [4, 4]} : (tensor<1x3x8x8xf32>, tensor<8x3x4x4xf32>) -> tensor<1x8x2x2xf32>
  %1 = relay.reshape %0 {newshape = [1, 8, -1]} : (tensor<1x8x2x2xf32>) -> tensor<1x8x4xf32>
  %2 = relay.transpose %1 {axes = [0, 2, 1]} : (tensor<1x8x4xf32>) -> tensor<1x4x8xf32>
  %3 = relay.nn.dense %2, %d : (tensor<1x4x8xf32>, tensor<5x8xf32>) -> tensor<1x4x5xf32>
  return %3 : tensor<1x4x5xf32>
}

// -----

// Transpositions around a model that was exported with channels last vanish.

// CHECK-LABEL: func.func @exported
// CHECK-SAME: %[[X:.*]]: tensor<1x7x7x8xf32>
// CHECK-NEXT: %[[C:.*]] = relay.nn.conv2d %[[X]], %{{.*}} {data_layout = "NHWC"}
// CHECK-NEXT: return %[[C]]
func.func @exported(%x: tensor<1x7x7x8xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x5x5x8xf32> {
  %0 = relay.transpose %x {axes = [0, 3, 1, 2]} : (tensor<1x7x7x8xf32>) -> tensor<1x8x7x7xf32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x8x7x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x5xf32>
  %2 = relay.layout_transform %1 {src_layout = "NCHW", dst_layout = "NHWC"} : (tensor<1x8x5x5xf32>) -> tensor<1x5x5x8xf32>
  return %2 : tensor<1x5x5x8xf32>
}

// -----

// Merging channels with pixels needs the order of the value.

// CHECK-LABEL: func.func @flatten
// CHECK: %[[C:.*]] = relay.nn.conv2d
// CHECK-NEXT: %[[T:.*]] = relay.layout_transform %[[C]] {dst_layout = "NCHW", src_layout = "NHWC"}
// CHECK-NEXT: relay.nn.batch_flatten %[[T]]
func.func @flatten(%x: tensor<1x8x7x7xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x200xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x5xf32>
  %1 = relay.nn.batch_flatten %0 : (tensor<1x8x5x5xf32>) -> tensor<1x200xf32>
  return %1 : tensor<1x200xf32>
}

// -----

// Unknown sizes.

// CHECK-LABEL: func.func @dynamic
// CHECK: relay.layout_transform %{{.*}} : (tensor<?x8x?x?xf32>) -> tensor<?x?x?x8xf32>
// CHECK-NEXT: relay.nn.conv2d {{.*}} -> tensor<?x?x?x8xf32>
// CHECK-NEXT: relay.nn.avg_pool2d {{.*}}layout = "NHWC"
// CHECK-NEXT: %[[P:.*]] = relay.nn.adaptive_avg_pool2d {{.*}} -> tensor<?x1x1x8xf32>
// CHECK-NEXT: relay.reshape %[[P]] {newshape = [-1, 8]} : (tensor<?x1x1x8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: return
func.func @dynamic(%x: tensor<?x8x?x?xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<?x8xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<?x8x?x?xf32>, tensor<8x8x3x3xf32>) -> tensor<?x8x?x?xf32>
  %1 = relay.nn.avg_pool2d %0 {pool_size = [2, 2]} : (tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  %2 = relay.nn.adaptive_avg_pool2d %1 {output_size = [1, 1]} : (tensor<?x8x?x?xf32>) -> tensor<?x8x1x1xf32>
  %3 = relay.squeeze %2 {axis = [2, 3]} : (tensor<?x8x1x1xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

// -----

// Other ranks, and transposed convolutions.

// CHECK-LABEL: func.func @ranks
// CHECK: relay.nn.conv1d {{.*}} {data_layout = "NWC"} : (tensor<1x9x4xf32>, tensor<4x4x3xf32>) -> tensor<1x7x4xf32>
// CHECK: relay.nn.conv3d {{.*}} {data_layout = "NDHWC"} : (tensor<1x5x6x7x4xf32>, tensor<4x4x3x3x3xf32>) -> tensor<1x3x4x5x4xf32>
// CHECK: relay.nn.conv2d_transpose {{.*}}data_layout = "NHWC"
func.func @ranks(%x: tensor<1x4x9xf32>, %w: tensor<4x4x3xf32>, %y: tensor<1x4x5x6x7xf32>, %v: tensor<4x4x3x3x3xf32>, %z: tensor<1x4x5x5xf32>, %u: tensor<4x6x3x3xf32>) -> (tensor<1x4x7xf32>, tensor<1x4x3x4x5xf32>, tensor<1x6x7x7xf32>) {
  %0 = relay.nn.conv1d %x, %w : (tensor<1x4x9xf32>, tensor<4x4x3xf32>) -> tensor<1x4x7xf32>
  %1 = relay.nn.conv3d %y, %v : (tensor<1x4x5x6x7xf32>, tensor<4x4x3x3x3xf32>) -> tensor<1x4x3x4x5xf32>
  %2 = relay.nn.conv2d_transpose %z, %u {channels = 6, kernel_size = [3, 3]} : (tensor<1x4x5x5xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x7x7xf32>
  return %0, %1, %2 : tensor<1x4x7xf32>, tensor<1x4x3x4x5xf32>, tensor<1x6x7x7xf32>
}

// -----

// Without a convolution nothing changes, not even transpositions that could
// wait.

// CHECK-LABEL: func.func @attention
// CHECK-NEXT: relay.transpose %arg0 {axes = [0, 2, 1]}
// CHECK-NEXT: relay.exp
// CHECK-NEXT: relay.nn.batch_matmul
// CHECK-NEXT: return
func.func @attention(%x: tensor<2x3x4xf32>, %y: tensor<2x5x3xf32>) -> tensor<2x4x5xf32> {
  %0 = relay.transpose %x {axes = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = relay.exp %0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = relay.nn.batch_matmul %1, %y {transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  return %2 : tensor<2x4x5xf32>
}

// -----

// Kernels of an outer compiler and primitive functions are as they are.

// CHECK-LABEL: func.func private @primitive
// CHECK-NEXT: relay.nn.conv2d %arg0, %arg1 :
func.func private @primitive(%x: tensor<1x8x7x7xf32>, %w: tensor<8x8x3x3xf32>) -> tensor<1x8x5x5xf32> attributes {relay.primitive} {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x5x5xf32>
  return %0 : tensor<1x8x5x5xf32>
}

// -----

// The first dimension of these counts instances: it stays the first.

// CHECK-LABEL: func.func @instances
// CHECK: %[[C:.*]] = relay.nn.conv2d {{.*}} {data_layout = "NHWC"}
// CHECK-NEXT: %[[T:.*]] = relay.transpose %[[C]] {axes = [2, 1, 3, 0]}
// CHECK-NEXT: relay.nn.instance_norm %[[C]], %arg2, %arg2 {axis = 3}
// CHECK: relay.nn.instance_norm %[[T]], %arg3, %arg3 :
func.func @instances(%x: tensor<1x8x4x4xf32>, %w: tensor<8x8x1x1xf32>, %s: tensor<8xf32>, %t: tensor<4xf32>) -> (tensor<1x8x4x4xf32>, tensor<4x4x8x1xf32>) {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x4x4xf32>
  %1 = relay.nn.instance_norm %0, %s, %s : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %2 = relay.transpose %0 {axes = [3, 2, 1, 0]} : (tensor<1x8x4x4xf32>) -> tensor<4x4x8x1xf32>
  %3 = relay.nn.instance_norm %2, %t, %t : (tensor<4x4x8x1xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x4x8x1xf32>
  return %1, %3 : tensor<1x8x4x4xf32>, tensor<4x4x8x1xf32>
}

// -----

// A reshape whose size 0 would be the code for another dimension is none.

// CHECK-LABEL: func.func @nothing
// CHECK: %[[R:.*]] = relay.greater {{.*}} -> tensor<1x0x9x1xi1>
// CHECK-NEXT: relay.layout_transform %[[R]] {dst_layout = "NCHW", src_layout = "NHWC"} : (tensor<1x0x9x1xi1>) -> tensor<1x1x0x9xi1>
func.func @nothing(%x: tensor<1x17x8x9xf32>, %w: tensor<17x17x1x1xf32>, %c: tensor<f32>) -> tensor<1x1x0x9xi1> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x17x8x9xf32>, tensor<17x17x1x1xf32>) -> tensor<1x17x8x9xf32>
  %1 = relay.strided_slice %0 {axes = [1, 2], begin = [10, 0], end = [12, 3], strides = [2, -2]} : (tensor<1x17x8x9xf32>) -> tensor<1x1x0x9xf32>
  %2 = relay.greater %1, %c : (tensor<1x1x0x9xf32>, tensor<f32>) -> tensor<1x1x0x9xi1>
  return %2 : tensor<1x1x0x9xi1>
}
