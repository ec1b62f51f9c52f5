// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-explicit-padding))' --split-input-file | FileCheck %s

// Padding adds up, in whatever layout; the pad stays for other readers.

// CHECK-LABEL: func.func @convolutions
// CHECK: %[[PAD:.*]] = relay.nn.pad
// CHECK: relay.nn.conv2d %arg0, %arg1 {padding = [1, 3, 2, 4]} : (tensor<?x4x8x8xf32>, tensor<5x4x3x3xf32>) -> tensor<?x5x9x13xf32>
// CHECK: relay.nn.relu %[[PAD]]
// CHECK-NOT: relay.nn.pad
// CHECK: relay.nn.conv2d %arg2, %arg3 {data_layout = "NHWC", kernel_layout = "HWIO", padding = [0, 2, 0, 1]}
// CHECK: relay.nn.conv1d %arg4, %arg5 {padding = [1, 0]}
func.func @convolutions(%x: tensor<?x4x8x8xf32>, %w: tensor<5x4x3x3xf32>, %y: tensor<1x8x8x4xf32>, %v: tensor<1x1x4x5xf32>, %z: tensor<1x4x8xf32>, %u: tensor<5x4x3xf32>) -> (tensor<?x5x9x13xf32>, tensor<?x4x9x11xf32>, tensor<1x8x11x5xf32>, tensor<1x5x7xf32>) {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 0, 1, 1, 2]} : (tensor<?x4x8x8xf32>, tensor<f32>) -> tensor<?x4x9x11xf32>
  %1 = relay.nn.conv2d %0, %w {padding = [1, 2]} : (tensor<?x4x9x11xf32>, tensor<5x4x3x3xf32>) -> tensor<?x5x9x13xf32>
  %2 = relay.nn.relu %0 : (tensor<?x4x9x11xf32>) -> tensor<?x4x9x11xf32>
  %3 = relay.nn.pad %y, %zero {pad_width = [0, 0, 0, 0, 1, 1, 0, 0]} : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x8x10x4xf32>
  %4 = relay.nn.pad %3, %zero {pad_width = [0, 0, 0, 0, 1, 0, 0, 0]} : (tensor<1x8x10x4xf32>, tensor<f32>) -> tensor<1x8x11x4xf32>
  %5 = relay.nn.conv2d %4, %v {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x8x11x4xf32>, tensor<1x1x4x5xf32>) -> tensor<1x8x11x5xf32>
  %6 = relay.nn.pad %z, %zero {pad_width = [0, 0, 0, 0, 1, 0]} : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x9xf32>
  %7 = relay.nn.conv1d %6, %u : (tensor<1x4x9xf32>, tensor<5x4x3xf32>) -> tensor<1x5x7xf32>
  return %1, %2, %5, %7 : tensor<?x5x9x13xf32>, tensor<?x4x9x11xf32>, tensor<1x8x11x5xf32>, tensor<1x5x7xf32>
}

// -----

// Other values, other modes, other dimensions, less instead of more.

// CHECK-LABEL: func.func @not_folded
// CHECK-COUNT-6: relay.nn.pad
func.func @not_folded(%x: tensor<1x4x8x8xf32>, %w: tensor<5x4x3x3xf32>, %v: tensor<5x5x3x3xf32>, %p: tensor<f32>) -> (tensor<1x5x8x8xf32>, tensor<1x5x8x8xf32>, tensor<1x5x6x6xf32>, tensor<2x5x6x6xf32>, tensor<1x5x4x6xf32>, tensor<1x5x8x8xf32>) {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.nn.pad %x, %one {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x4x10x10xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x8x8xf32>
  %2 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1, 1, 1], pad_mode = "edge"} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %3 = relay.nn.conv2d %2, %w : (tensor<1x4x10x10xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x8x8xf32>
  %4 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 1, 0, 0, 0, 0]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x5x8x8xf32>
  %5 = relay.nn.conv2d %4, %v : (tensor<1x5x8x8xf32>, tensor<5x5x3x3xf32>) -> tensor<1x5x6x6xf32>
  %6 = relay.nn.pad %x, %zero {pad_width = [0, 1, 0, 0, 0, 0, 0, 0]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %7 = relay.nn.conv2d %6, %w : (tensor<2x4x8x8xf32>, tensor<5x4x3x3xf32>) -> tensor<2x5x6x6xf32>
  %8 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, -1, -1, 0, 0]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x6x8xf32>
  %9 = relay.nn.conv2d %8, %w : (tensor<1x4x6x8xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x4x6xf32>
  %10 = relay.nn.pad %x, %p {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %11 = relay.nn.conv2d %10, %w : (tensor<1x4x10x10xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x8x8xf32>
  return %1, %3, %5, %7, %9, %11 : tensor<1x5x8x8xf32>, tensor<1x5x8x8xf32>, tensor<1x5x6x6xf32>, tensor<2x5x6x6xf32>, tensor<1x5x4x6xf32>, tensor<1x5x8x8xf32>
}

// -----

// Maxima: the smallest number, and -inf as long as no window is empty.

// CHECK-LABEL: func.func @maxima
// CHECK: relay.nn.max_pool2d %arg0 {padding = [1, 1, 1, 1], pool_size = [2, 2]}
// CHECK: relay.nn.max_pool2d %arg0 {padding = [1, 1, 1, 1], pool_size = [2, 2]}
// CHECK: relay.nn.max_pool2d %arg1 {padding = [1, 1, 1, 1], pool_size = [2, 2]}
// CHECK: %[[P:.*]] = relay.nn.pad
// CHECK: relay.nn.max_pool2d %[[P]]
// CHECK: %[[Q:.*]] = relay.nn.pad
// CHECK: relay.nn.max_pool2d %[[Q]]
func.func @maxima(%x: tensor<1x4x8x8xf32>, %i: tensor<1x4x8x8xi8>) -> (tensor<1x4x9x9xf32>, tensor<1x4x9x9xf32>, tensor<1x4x9x9xi8>, tensor<1x4x9x9xf32>, tensor<1x4x11x11xf32>) {
  %lowest = relay.constant dense<-3.40282347E+38> : tensor<f32>
  %inf = relay.constant dense<0xFF800000> : tensor<f32>
  %low = relay.constant dense<-128> : tensor<i8>
  %zero = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.nn.pad %x, %lowest {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %1 = relay.nn.max_pool2d %0 {pool_size = [2, 2]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x9x9xf32>
  %2 = relay.nn.pad %x, %inf {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %3 = relay.nn.max_pool2d %2 {pool_size = [2, 2]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x9x9xf32>
  %4 = relay.nn.pad %i, %low {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xi8>, tensor<i8>) -> tensor<1x4x10x10xi8>
  %5 = relay.nn.max_pool2d %4 {pool_size = [2, 2]} : (tensor<1x4x10x10xi8>) -> tensor<1x4x9x9xi8>
  %6 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x10x10xf32>
  %7 = relay.nn.max_pool2d %6 {pool_size = [2, 2]} : (tensor<1x4x10x10xf32>) -> tensor<1x4x9x9xf32>
  %8 = relay.nn.pad %x, %inf {pad_width = [0, 0, 0, 0, 2, 2, 2, 2]} : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x12x12xf32>
  %9 = relay.nn.max_pool2d %8 {pool_size = [2, 2]} : (tensor<1x4x12x12xf32>) -> tensor<1x4x11x11xf32>
  return %1, %3, %5, %7, %9 : tensor<1x4x9x9xf32>, tensor<1x4x9x9xf32>, tensor<1x4x9x9xi8>, tensor<1x4x9x9xf32>, tensor<1x4x11x11xf32>
}

// -----

// Means count what they pad: all of it, or there was none.

// CHECK-LABEL: func.func @means
// CHECK: relay.nn.avg_pool1d %arg0 {count_include_pad = true, padding = [1, 1], pool_size = [2]}
// CHECK: relay.nn.avg_pool1d %arg0 {count_include_pad = true, padding = [2, 2], pool_size = [3]}
// CHECK: %[[P:.*]] = relay.nn.pad
// CHECK: relay.nn.avg_pool1d %[[P]] {padding = [1, 1], pool_size = [3]}
func.func @means(%x: tensor<1x4x8xf32>) -> (tensor<1x4x9xf32>, tensor<1x4x10xf32>, tensor<1x4x10xf32>) {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1]} : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x10xf32>
  %1 = relay.nn.avg_pool1d %0 {pool_size = [2]} : (tensor<1x4x10xf32>) -> tensor<1x4x9xf32>
  %2 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1]} : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x10xf32>
  %3 = relay.nn.avg_pool1d %2 {pool_size = [3], padding = [1, 1], count_include_pad = true} : (tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
  %4 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1]} : (tensor<1x4x8xf32>, tensor<f32>) -> tensor<1x4x10xf32>
  %5 = relay.nn.avg_pool1d %4 {pool_size = [3], padding = [1, 1]} : (tensor<1x4x10xf32>) -> tensor<1x4x10xf32>
  return %1, %3, %5 : tensor<1x4x9xf32>, tensor<1x4x10xf32>, tensor<1x4x10xf32>
}

// -----

// Quantised: the zero point stands for zero.

// CHECK-LABEL: func.func @quantized
// CHECK: relay.qnn.conv2d %arg0, %{{.*}} {out_dtype = i32, padding = [1, 1, 1, 1]}
// CHECK: %[[P:.*]] = relay.nn.pad
// CHECK: relay.qnn.conv2d %[[P]]
func.func @quantized(%x: tensor<1x4x8x8xui8>, %w: tensor<5x4x3x3xi8>, %s: tensor<f32>) -> (tensor<1x5x8x8xi32>, tensor<1x5x8x8xi32>) {
  %zp = relay.constant dense<7> : tensor<i32>
  %wzp = relay.constant dense<0> : tensor<i32>
  %seven = relay.constant dense<7> : tensor<ui8>
  %zero = relay.constant dense<0> : tensor<ui8>
  %0 = relay.nn.pad %x, %seven {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xui8>, tensor<ui8>) -> tensor<1x4x10x10xui8>
  %1 = relay.qnn.conv2d %0, %w, %zp, %wzp, %s, %s {out_dtype = i32} : (tensor<1x4x10x10xui8>, tensor<5x4x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x5x8x8xi32>
  %2 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 1, 1, 1, 1]} : (tensor<1x4x8x8xui8>, tensor<ui8>) -> tensor<1x4x10x10xui8>
  %3 = relay.qnn.conv2d %2, %w, %zp, %wzp, %s, %s {out_dtype = i32} : (tensor<1x4x10x10xui8>, tensor<5x4x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x5x8x8xi32>
  return %1, %3 : tensor<1x5x8x8xi32>, tensor<1x5x8x8xi32>
}
