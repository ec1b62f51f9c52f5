// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-split-transposed-conv))' --split-input-file | FileCheck %s

// Results 2q take elements 1 of the kernel, results 2q + 1 elements 2 and 0 of the
// data at q and q + 1.
// CHECK-LABEL: func @odd_kernel
//  CHECK-SAME:     %[[X:.*]]: tensor<1x8x16xf32>, %[[W:.*]]: tensor<16x4x3xf32>
//       CHECK:   %[[PADDED:.*]] = relay.nn.pad {{.*}} -> tensor<16x4x4xf32>
//       CHECK:   %[[PHASES:.*]] = relay.reverse
//  CHECK-SAME:     -> tensor<1x2x4x16x2xf32>
//       CHECK:   %[[ONE:.*]] = relay.strided_slice %[[PHASES]] {{.*}}begin = [1, 1], end = [2, 2]{{.*}} -> tensor<1x1x4x16x1xf32>
//       CHECK:   %[[W0:.*]] = relay.reshape %[[ONE]] {{.*}} -> tensor<4x16x1xf32>
//       CHECK:   %[[EVEN:.*]] = relay.nn.conv1d %[[X]], %[[W0]] {channels = 4, data_layout = "NWC", kernel_size = [1]} : {{.*}} -> tensor<1x8x4xf32>
//       CHECK:   %[[W1:.*]] = relay.reshape {{.*}} -> tensor<4x16x2xf32>
//       CHECK:   %[[ODD:.*]] = relay.nn.conv1d %[[X]], %[[W1]] {{.*}}padding = [0, 1]{{.*}} -> tensor<1x8x4xf32>
//       CHECK:   relay.concatenate {{.*}}axis = 2{{.*}} -> tensor<1x8x2x4xf32>
//       CHECK:   %[[Y:.*]] = relay.reshape {{.*}} -> tensor<1x16x4xf32>
//       CHECK:   return %[[Y]]
func.func @odd_kernel(%x: tensor<1x8x16xf32>, %w: tensor<16x4x3xf32>) -> tensor<1x16x4xf32> {
  %0 = relay.nn.conv1d_transpose %x, %w {strides = [2], padding = [1, 1], output_padding = [1], data_layout = "NWC"} : (tensor<1x8x16xf32>, tensor<16x4x3xf32>) -> tensor<1x16x4xf32>
  return %0 : tensor<1x16x4xf32>
}

// -----

// Phases that read the same elements are channels of one convolution.
// CHECK-LABEL: func @merged
//       CHECK:   relay.nn.conv2d {{.*}} -> tensor<1x36x5x6xf32>
//   CHECK-NOT:   relay.nn.conv2d
//       CHECK:   relay.transpose {{.*}} -> tensor<1x4x5x3x6x3xf32>
//   CHECK-NOT:   relay.concatenate
//       CHECK:   relay.reshape {{.*}} -> tensor<1x4x15x18xf32>
func.func @merged(%x: tensor<1x2x5x6xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<1x4x15x18xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [3, 3]} : (tensor<1x2x5x6xf32>, tensor<2x4x3x3xf32>) -> tensor<1x4x15x18xf32>
  return %0 : tensor<1x4x15x18xf32>
}

// -----

// One phase: a convolution with the mirrored kernel.
// CHECK-LABEL: func @unit_stride
//       CHECK:   relay.nn.conv2d %{{.*}}padding = [1, 1, 1, 1]
//   CHECK-NOT:   relay.concatenate
func.func @unit_stride(%x: tensor<?x2x5x6xf32>, %w: tensor<2x4x3x3xf32>) -> tensor<?x4x5x6xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {padding = [1, 1]} : (tensor<?x2x5x6xf32>, tensor<2x4x3x3xf32>) -> tensor<?x4x5x6xf32>
  return %0 : tensor<?x4x5x6xf32>
}

// -----

// Channels last, no padding, one element of the kernel for each result: the
// lowering stores results where they belong.
// CHECK-LABEL: func @separate
//       CHECK:   relay.nn.conv2d_transpose
func.func @separate(%x: tensor<1x5x6x2xf32>, %w: tensor<2x16x2x2xf32>) -> tensor<1x10x12x16xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 2], data_layout = "NHWC"} : (tensor<1x5x6x2xf32>, tensor<2x16x2x2xf32>) -> tensor<1x10x12x16xf32>
  return %0 : tensor<1x10x12x16xf32>
}

// -----

// CHECK-LABEL: func @stride_and_dilation
//       CHECK:   relay.nn.conv1d_transpose
func.func @stride_and_dilation(%x: tensor<1x2x6xf32>, %w: tensor<2x4x3xf32>) -> tensor<1x4x15xf32> {
  %0 = relay.nn.conv1d_transpose %x, %w {strides = [2], dilation = [2]} : (tensor<1x2x6xf32>, tensor<2x4x3xf32>) -> tensor<1x4x15xf32>
  return %0 : tensor<1x4x15xf32>
}

// -----

// One is the data of the other.
// CHECK-LABEL: func @chain
//   CHECK-NOT:   relay.nn.conv2d_transpose
//       CHECK:   return
func.func @chain(%x: tensor<1x2x3x3xf32>, %w: tensor<2x3x2x2xf32>, %v: tensor<3x4x3x3xf32>) -> tensor<1x4x13x13xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 2]} : (tensor<1x2x3x3xf32>, tensor<2x3x2x2xf32>) -> tensor<1x3x6x6xf32>
  %1 = relay.nn.conv2d_transpose %0, %v {strides = [2, 2]} : (tensor<1x3x6x6xf32>, tensor<3x4x3x3xf32>) -> tensor<1x4x13x13xf32>
  return %1 : tensor<1x4x13x13xf32>
}

// -----

// One element, as a generator of images begins with: each element of the kernel
// makes a result of its own, by one product.
// CHECK-LABEL: func @one_element
//       CHECK:   relay.nn.conv2d {{.*}} -> tensor<1x8192x1x1xf32>
//   CHECK-NOT:   relay.nn.conv2d
//       CHECK:   return %{{.*}} : tensor<1x512x4x4xf32>
func.func @one_element(%x: tensor<1x100x1x1xf32>, %w: tensor<100x512x4x4xf32>) -> tensor<1x512x4x4xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [1, 1]} : (tensor<1x100x1x1xf32>, tensor<100x512x4x4xf32>) -> tensor<1x512x4x4xf32>
  return %0 : tensor<1x512x4x4xf32>
}

// CHECK-LABEL: func @one_element_in_place
//       CHECK:   relay.nn.conv2d_transpose {{.*}}strides = [4, 4]
func.func @one_element_in_place(%x: tensor<1x1x1x100xf32>, %w: tensor<100x512x4x4xf32>) -> tensor<1x4x4x512xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [1, 1], data_layout = "NHWC"} : (tensor<1x1x1x100xf32>, tensor<100x512x4x4xf32>) -> tensor<1x4x4x512xf32>
  return %0 : tensor<1x4x4x512xf32>
}
