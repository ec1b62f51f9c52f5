// Resampling of images: result types, and unknown sizes.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @resize1d(
// CHECK:         relay.image.resize1d %arg0 {size = [5]} : (tensor<?x3x8xf32>) -> tensor<?x3x5xf32>
func.func @resize1d(%a0: tensor<?x3x8xf32>) -> tensor<?x?x?xf32> {
  %r = relay.image.resize1d %a0 {rounding_method = "round", size = [5]} : (tensor<?x3x8xf32>) -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @resize3d(
// CHECK:         relay.image.resize3d {{.*}} -> tensor<1x2x3x4x?xf32>
func.func @resize3d(%a0: tensor<1x4x5x6x?xui8>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.image.resize3d %a0 {layout = "NDHWC", out_dtype = f32, roi = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], size = [2, 3, 4]} : (tensor<1x4x5x6x?xui8>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @crop_and_resize(
// CHECK:         relay.image.crop_and_resize {{.*}} -> tensor<5x3x4x6xf32>
func.func @crop_and_resize(%a0: tensor<2x3x8x8xf32>, %a1: tensor<?x4xf32>, %a2: tensor<5xi32>) -> tensor<?x?x?x?xf32> {
  %r = relay.image.crop_and_resize %a0, %a1, %a2 {crop_size = [4, 6]} : (tensor<2x3x8x8xf32>, tensor<?x4xf32>, tensor<5xi32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @affine_grid(
// CHECK:         relay.image.affine_grid {{.*}} -> tensor<?x2x4x5xf32>
func.func @affine_grid(%a0: tensor<?x2x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.image.affine_grid %a0 {target_shape = [4, 5]} : (tensor<?x2x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @grid_sample(
// CHECK:         relay.image.grid_sample %arg0, %arg1 {method = "bicubic"} : (tensor<?x3x8x8xf32>, tensor<2x2x4x?xf32>) -> tensor<2x3x4x?xf32>
func.func @grid_sample(%a0: tensor<?x3x8x8xf32>, %a1: tensor<2x2x4x?xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.image.grid_sample %a0, %a1 {align_corners = true, method = "bicubic"} : (tensor<?x3x8x8xf32>, tensor<2x2x4x?xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @grid_sample_3d(
// CHECK:         relay.image.grid_sample {{.*}} -> tensor<1x3x4x5x6xf32>
func.func @grid_sample_3d(%a0: tensor<1x3x8x8x8xf32>, %a1: tensor<1x3x4x5x6xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.image.grid_sample %a0, %a1 {layout = "NCDHW"} : (tensor<1x3x8x8x8xf32>, tensor<1x3x4x5x6xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @dilation2d(
// CHECK:         relay.image.dilation2d {{.*}} -> tensor<1x3x?x3xf32>
func.func @dilation2d(%a0: tensor<1x3x?x8xf32>, %a1: tensor<3x3x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.image.dilation2d %a0, %a1 {dilations = [2, 2], padding = [1, 1], strides = [1, 2]} : (tensor<1x3x?x8xf32>, tensor<3x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
