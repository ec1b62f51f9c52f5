// Less common spatial operators: result types, and unknown sizes.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @adaptive_avg_pool1d(
// CHECK:         relay.nn.adaptive_avg_pool1d %arg0 {output_size = [4]} : (tensor<2x3x9xf32>) -> tensor<2x3x4xf32>
func.func @adaptive_avg_pool1d(%a0: tensor<2x3x9xf32>) -> tensor<?x?x?xf32> {
  %r = relay.nn.adaptive_avg_pool1d %a0 {output_size = [4], out_layout = ""} : (tensor<2x3x9xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @adaptive_max_pool3d_any(
// CHECK:         relay.nn.adaptive_max_pool3d {{.*}} -> tensor<?x2x2x2x5xf32>
func.func @adaptive_max_pool3d_any(%a0: tensor<?x?x3x?x5xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.adaptive_max_pool3d %a0 {layout = "NDHWC", output_size = [2]} : (tensor<?x?x3x?x5xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @adaptive_avg_pool3d_same(
// CHECK:         relay.nn.adaptive_avg_pool3d {{.*}} -> tensor<1x2x3x4x5xi32>
func.func @adaptive_avg_pool3d_same(%a0: tensor<1x2x3x4x5xi32>) -> tensor<?x?x?x?x?xi32> {
  %r = relay.nn.adaptive_avg_pool3d %a0 : (tensor<1x2x3x4x5xi32>) -> tensor<?x?x?x?x?xi32>
  return %r : tensor<?x?x?x?x?xi32>
}

// CHECK-LABEL: func.func @max_pool2d_grad(
// CHECK:         relay.nn.max_pool2d_grad {{.*}} -> tensor<1x2x?x6xf32>
func.func @max_pool2d_grad(%a0: tensor<1x2x3x3xf32>, %a1: tensor<1x2x?x6xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.max_pool2d_grad %a0, %a1 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x2x3x3xf32>, tensor<1x2x?x6xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @avg_pool2d_grad(
// CHECK:         relay.nn.avg_pool2d_grad {{.*}} -> tensor<1x2x6x6xf32>
func.func @avg_pool2d_grad(%a0: tensor<1x2x3x3xf32>, %a1: tensor<1x2x6x6xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.avg_pool2d_grad %a0, %a1 {count_include_pad = true, pool_size = [2, 2], strides = [2, 2]} : (tensor<1x2x3x3xf32>, tensor<1x2x6x6xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @space_to_batch_nd(
// CHECK:         relay.nn.space_to_batch_nd %arg0 {block_shape = [2, 3], paddings = [1, 1, 0, 0]} : (tensor<2x4x?x3xf32>) -> tensor<12x3x?x3xf32>
func.func @space_to_batch_nd(%a0: tensor<2x4x?x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.space_to_batch_nd %a0 {block_shape = [2, 3], paddings = [1, 1, 0, 0]} : (tensor<2x4x?x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @batch_to_space_nd(
// CHECK:         relay.nn.batch_to_space_nd {{.*}} -> tensor<?x5x6x3xf32>
func.func @batch_to_space_nd(%a0: tensor<?x3x4x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.batch_to_space_nd %a0 {block_shape = [2, 2], crops = [1, 0, 0, 2]} : (tensor<?x3x4x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @mirror_pad(
// CHECK:         relay.nn.mirror_pad {{.*}} -> tensor<6x?xi8>
func.func @mirror_pad(%a0: tensor<3x?xi8>) -> tensor<?x?xi8> {
  %r = relay.nn.mirror_pad %a0 {mode = "REFLECT", pad_width = [2, 1, 0, 5]} : (tensor<3x?xi8>) -> tensor<?x?xi8>
  return %r : tensor<?x?xi8>
}

// CHECK-LABEL: func.func @dilate(
// CHECK:         relay.nn.dilate {{.*}} -> tensor<5x?x1xf32>
func.func @dilate(%a0: tensor<3x?x1xf32>) -> tensor<?x?x?xf32> {
  %r = relay.nn.dilate %a0 {strides = [2, 3, 4]} : (tensor<3x?x1xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @fifo_buffer(
// CHECK:         relay.nn.fifo_buffer {{.*}} -> tensor<1x?x2xf32>
func.func @fifo_buffer(%a0: tensor<1x5x2xf32>, %a1: tensor<1x?x2xf32>) -> tensor<?x?x?xf32> {
  %r = relay.nn.fifo_buffer %a0, %a1 {axis = -2} : (tensor<1x5x2xf32>, tensor<1x?x2xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @fast_softmax(
// CHECK:         relay.nn.fast_softmax {{.*}} -> tensor<?x5xf16>
func.func @fast_softmax(%a0: tensor<?x5xf16>) -> tensor<?x?xf16> {
  %r = relay.nn.fast_softmax %a0 : (tensor<?x5xf16>) -> tensor<?x?xf16>
  return %r : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @correlation(
// CHECK:         relay.nn.correlation {{.*}} -> tensor<1x25x4x3xf32>
func.func @correlation(%a0: tensor<1x3x10x?xf32>, %a1: tensor<1x3x10x8xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.correlation %a0, %a1 {kernel_size = 3, max_displacement = 4, padding = [4, 4], stride1 = 2, stride2 = 2} : (tensor<1x3x10x?xf32>, tensor<1x3x10x8xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @deformable_conv2d(
// CHECK:         relay.nn.deformable_conv2d {{.*}} -> tensor<2x6x5x5xf32>
func.func @deformable_conv2d(%a0: tensor<?x4x7x7xf32>, %a1: tensor<2x18x?x5xf32>, %a2: tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.deformable_conv2d %a0, %a1, %a2 {channels = 6, kernel_size = [3, 3]} : (tensor<?x4x7x7xf32>, tensor<2x18x?x5xf32>, tensor<6x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @conv2d_backward_weight(
// CHECK:         relay.nn.conv2d_backward_weight {{.*}} -> tensor<6x2x3x3xf32>
func.func @conv2d_backward_weight(%a0: tensor<2x6x5x5xf32>, %a1: tensor<2x4x7x7xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.conv2d_backward_weight %a0, %a1 {groups = 2, kernel_layout = "NCHW", kernel_size = [3, 3]} : (tensor<2x6x5x5xf32>, tensor<2x4x7x7xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @conv2d_backward_weight_layouts(
// CHECK:         relay.nn.conv2d_backward_weight {{.*}} -> tensor<3x3x?x6xf64>
func.func @conv2d_backward_weight_layouts(%a0: tensor<2x5x5x6xf32>, %a1: tensor<2x7x7x?xf32>) -> tensor<?x?x?x?xf64> {
  %r = relay.nn.conv2d_backward_weight %a0, %a1 {data_layout = "NHWC", kernel_layout = "NHWC", kernel_size = [3, 3], out_dtype = f64, out_layout = "HWIO"} : (tensor<2x5x5x6xf32>, tensor<2x7x7x?xf32>) -> tensor<?x?x?x?xf64>
  return %r : tensor<?x?x?x?xf64>
}

// CHECK-LABEL: func.func @upsampling3d(
// CHECK:         relay.nn.upsampling3d {{.*}} -> tensor<1x2x6x?x8xf32>
func.func @upsampling3d(%a0: tensor<1x2x3x?x5xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.upsampling3d %a0 {scale_d = 2.0, scale_h = 2.0, scale_w = 1.5} : (tensor<1x2x3x?x5xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}
