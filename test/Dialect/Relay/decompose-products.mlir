// RUN: relay-opt %s --relay-decompose --split-input-file --verify-diagnostics | FileCheck %s

// Packed data is unpacked.

// CHECK-LABEL: func @packed
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x5x5x4xf32>, %[[W:.*]]: tensor<2x2x3x3x4x3xf32>)
// CHECK-NEXT: %[[DATA:.*]] = relay.layout_transform %[[X]] {dst_layout = "NCHW", src_layout = "NCHW4c"}
// CHECK-NEXT: %[[WEIGHT:.*]] = relay.layout_transform %[[W]] {dst_layout = "OIHW", src_layout = "OIHW4i3o"}
// CHECK-NEXT: %[[RESULT:.*]] = relay.nn.conv2d %[[DATA]], %[[WEIGHT]]
// CHECK-NEXT: relay.layout_transform %[[RESULT]] {dst_layout = "NCHW3c", src_layout = "NCHW"}
func.func @packed(%x: tensor<1x2x5x5x4xf32>, %w: tensor<2x2x3x3x4x3xf32>) -> tensor<1x2x3x3x3xf32> {
  %0 = relay.nn.contrib_conv2d_NCHWc %x, %w
      {channels = 6, kernel_size = [3, 3], data_layout = "NCHW4c", kernel_layout = "OIHW4i3o", out_layout = "NCHW3c"}
      : (tensor<1x2x5x5x4xf32>, tensor<2x2x3x3x4x3xf32>) -> tensor<1x2x3x3x3xf32>
  return %0 : tensor<1x2x3x3x3xf32>
}

// -----

// Pixels are rows.

// CHECK-LABEL: func @sparse
// CHECK: %[[ROWS:.*]] = relay.reshape {{.*}} -> tensor<?x4xf32>
// CHECK: %[[PRODUCT:.*]] = relay.nn.sparse_dense %[[ROWS]]
// CHECK: relay.dyn.reshape %[[PRODUCT]]
func.func @sparse(%x: tensor<?x3x5x4xf32>, %d: tensor<14xf32>, %i: tensor<14xi32>, %p: tensor<7xi32>) -> tensor<?x3x5x6xf32> {
  %0 = relay.nn.sparse_conv2d %x, %d, %i, %p
      : (tensor<?x3x5x4xf32>, tensor<14xf32>, tensor<14xi32>, tensor<7xi32>) -> tensor<?x3x5x6xf32>
  return %0 : tensor<?x3x5x6xf32>
}

// -----

func.func @open_kernel(%w: tensor<4x2x3x?xf32>) -> tensor<4x?x4x2xf32> {
  // expected-error@+1 {{expects a weight of known kernel sizes, but got 'tensor<4x2x3x?xf32>'}}
  %0 = relay.nn.contrib_conv2d_winograd_weight_transform %w {tile_size = 2}
      : (tensor<4x2x3x?xf32>) -> tensor<4x?x4x2xf32>
  return %0 : tensor<4x?x4x2xf32>
}

// -----

func.func @few_tiles(%x: tensor<1x5x5x4xf32>, %w: tensor<1x4x4x4xf32>) -> tensor<1x3x3x6xf32> {
  // expected-error@+1 {{expects tiles of a matrix of at least 36x6, but got 'tensor<1x4x4x4xf32>'}}
  %0 = relay.nn.contrib_conv2d_gemm_without_weight_transform %x, %w
      {channels = 6, kernel_size = [3, 3], data_layout = "NHWC"}
      : (tensor<1x5x5x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x3x3x6xf32>
  return %0 : tensor<1x3x3x6xf32>
}
