// Operators that read images at places that are data: what is the same for all
// channels is computed once.
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' | FileCheck %s

// Channels get last, where a loop over them runs on vectors.
// CHECK-LABEL: func @roi_align
// CHECK: linalg.generic
// CHECK-SAME: tir.block_name = "channels_last"
// CHECK: tir.opaque
// CHECK: cf.assert {{.*}}, "expects regions of images, within 1e6 pixels"
// CHECK: tir.opaque along [0]
// CHECK: tir.for {{.*}} = 0 to 16 kind(vectorized)
// CHECK: linalg.generic
// CHECK-SAME: tir.block_name = "channels_first"
func.func @roi_align(%x: tensor<2x16x9x10xf32>, %r: tensor<4x5xf32>) -> tensor<4x16x3x2xf32> {
  %0 = relay.vision.roi_align %x, %r {pooled_size = [3, 2], spatial_scale = 0.5} : (tensor<2x16x9x10xf32>, tensor<4x5xf32>) -> tensor<4x16x3x2xf32>
  return %0 : tensor<4x16x3x2xf32>
}

// A table for each axis, which all channels read.
// CHECK-LABEL: func @few_channels
// CHECK: %[[Y:.*]]:4 = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x2x5x6xf32>)
// CHECK: %[[X:.*]]:4 = linalg.generic {{.*}} ins(%{{.*}} : tensor<2x2x5x6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]]#0, %[[Y]]#1, %[[Y]]#2, %[[Y]]#3, %[[X]]#0
// CHECK-COUNT-4: tensor.extract
func.func @few_channels(%x: tensor<2x3x9x10xf32>, %g: tensor<2x2x5x6xf32>) -> tensor<2x3x5x6xf32> {
  %0 = relay.image.grid_sample %x, %g : (tensor<2x3x9x10xf32>, tensor<2x2x5x6xf32>) -> tensor<2x3x5x6xf32>
  return %0 : tensor<2x3x5x6xf32>
}

// CHECK-LABEL: func @many_channels
// CHECK: tir.opaque along [0, 1]
// CHECK: tir.for {{.*}} kind(vectorized)
func.func @many_channels(%x: tensor<2x?x9x10xf32>, %g: tensor<2x2x5x6xf32>, %y: tensor<2x32x9x10xf32>) -> (tensor<2x?x5x6xf32>, tensor<2x32x5x6xf32>) {
  %0 = relay.image.grid_sample %x, %g : (tensor<2x?x9x10xf32>, tensor<2x2x5x6xf32>) -> tensor<2x?x5x6xf32>
  %1 = relay.image.grid_sample %y, %g : (tensor<2x32x9x10xf32>, tensor<2x2x5x6xf32>) -> tensor<2x32x5x6xf32>
  return %0, %1 : tensor<2x?x5x6xf32>, tensor<2x32x5x6xf32>
}

// Where no size is known, windows are read at computed places.
// CHECK-LABEL: func @adaptive_pool_of_open_size
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
func.func @adaptive_pool_of_open_size(%x: tensor<1x2x?xf32>) -> tensor<1x2x3xf32> {
  %0 = relay.nn.adaptive_max_pool1d %x {output_size = [3]} : (tensor<1x2x?xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// Padding never wins: of floats it is NaN, of integers it is left out.
// CHECK-LABEL: func @dilation2d
// CHECK: arith.constant 0x7FC00000 : f32
// CHECK: tensor.pad
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpi ult
func.func @dilation2d(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x3xf32>, %y: tensor<1x3x8x8xi8>, %v: tensor<3x3x3xi8>) -> (tensor<1x3x8x8xf32>, tensor<1x3x8x8xi8>) {
  %0 = relay.image.dilation2d %x, %w {padding = [1, 1, 1, 1]} : (tensor<1x3x8x8xf32>, tensor<3x3x3xf32>) -> tensor<1x3x8x8xf32>
  %1 = relay.image.dilation2d %y, %v {padding = [1, 1, 1, 1]} : (tensor<1x3x8x8xi8>, tensor<3x3x3xi8>) -> tensor<1x3x8x8xi8>
  return %0, %1 : tensor<1x3x8x8xf32>, tensor<1x3x8x8xi8>
}

// A region for each anchor of a pixel, a sort, and a selection for each image.
// CHECK-LABEL: func @proposal
// CHECK: tir.opaque along [0, 1, 2]
// CHECK: math.exp
// CHECK: tir.opaque along [0]
// CHECK-SAME: tensor<2x100xi64>
// CHECK: tir.opaque along [0]
// CHECK-SAME: tensor<2x30x5xf32>
// CHECK: tensor.collapse_shape {{.*}} : tensor<2x30x5xf32> into tensor<60x5xf32>
func.func @proposal(%s: tensor<2x6x?x8xf32>, %b: tensor<2x12x?x8xf32>, %i: tensor<2x3xf32>) -> tensor<60x5xf32> {
  %0 = relay.vision.proposal %s, %b, %i {scales = [8.0], rpn_pre_nms_top_n = 100, rpn_post_nms_top_n = 30} : (tensor<2x6x?x8xf32>, tensor<2x12x?x8xf32>, tensor<2x3xf32>) -> tensor<60x5xf32>
  return %0 : tensor<60x5xf32>
}
