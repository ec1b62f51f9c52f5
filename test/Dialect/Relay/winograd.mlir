// RUN: relay-opt %s --split-input-file --relay-attach-target=target=znver3 --relay-winograd | FileCheck %s
// On matrix units the convolution itself is faster.
// RUN: relay-opt %s --split-input-file --relay-attach-target=target=sapphirerapids --relay-winograd | FileCheck %s --check-prefix=MATRIX
// RUN: relay-opt %s --split-input-file --relay-winograd=tile-size=2 | FileCheck %s --check-prefix=TWO
// RUN: relay-opt %s --split-input-file --relay-winograd=tile-size=4 --relay-fold-constant | FileCheck %s --check-prefix=FOLDED

// MATRIX-LABEL: @large
// MATRIX-NOT:   winograd
// MATRIX:       relay.nn.conv2d
// MATRIX-NOT:   winograd

// CHECK-LABEL: @large
// CHECK:      %[[W:.*]] = relay.constant
// CHECK-NEXT: %[[U:.*]] = relay.nn.contrib_conv2d_winograd_weight_transform %[[W]] {tile_size = 4} : (tensor<64x64x3x3xf32>) -> tensor<6x6x64x64xf32>
// CHECK-NEXT: relay.nn.contrib_conv2d_winograd_without_weight_transform %arg0, %[[U]]
// CHECK-SAME: channels = 64
// CHECK-SAME: data_layout = "NHWC"
// CHECK-SAME: kernel_size = [3, 3]
// CHECK-SAME: padding = [1, 1]
// CHECK-SAME: tile_size = 4
// TWO-LABEL: @large
// TWO: winograd_weight_transform %{{.*}} {tile_size = 2} : (tensor<64x64x3x3xf32>) -> tensor<4x4x64x64xf32>
// The weight is folded whatever its size.
// FOLDED-LABEL: @large
// FOLDED-NOT: weight_transform %
// FOLDED: winograd_without_weight_transform %arg0, %{{.*}}{{.*}} : (tensor<1x56x56x64xf32>, tensor<6x6x64x64xf32>)
func.func @large(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
  %w = relay.constant dense<0.5> : tensor<64x64x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

// -----

// Transforms of few channels cost more than they save.
// CHECK-LABEL: @few_channels
// MATRIX-LABEL: @few_channels
// CHECK: relay.nn.conv2d
func.func @few_channels(%x: tensor<1x56x56x3xf32>) -> tensor<1x56x56x8xf32> {
  %w = relay.constant dense<0.5> : tensor<8x3x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x56x56x3xf32>, tensor<8x3x3x3xf32>) -> tensor<1x56x56x8xf32>
  return %0 : tensor<1x56x56x8xf32>
}

// -----

// Tiles of 4 have 38 MB of transformed weights, for 49 results, from memory;
// tiles of 2 half of that, and results that are better than the direct ones.
// CHECK-LABEL: @large_weights
// CHECK: winograd_weight_transform %{{.*}} {tile_size = 2} : (tensor<512x512x3x3xf32>) -> tensor<4x4x512x512xf32>
func.func @large_weights(%x: tensor<1x7x7x512xf32>) -> tensor<1x7x7x512xf32> {
  %w = relay.constant dense<0.5> : tensor<512x512x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x7x7x512xf32>, tensor<512x512x3x3xf32>) -> tensor<1x7x7x512xf32>
  return %0 : tensor<1x7x7x512xf32>
}

// -----

// Nine results are not worth any more weights.
// CHECK-LABEL: @larger_weights
// CHECK-NOT: winograd
// CHECK: relay.nn.conv2d
func.func @larger_weights(%x: tensor<1x3x3x1024xf32>) -> tensor<1x3x3x1024xf32> {
  %w = relay.constant dense<0.5> : tensor<1024x1024x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x3x3x1024xf32>, tensor<1024x1024x3x3xf32>) -> tensor<1x3x3x1024xf32>
  return %0 : tensor<1x3x3x1024xf32>
}

// -----

// What the algorithm is not for stays, even if a tile size is asked for.
// TWO-LABEL: @others
// TWO-COUNT-6: relay.nn.conv2d
// TWO-NOT: winograd
func.func @others(%x: tensor<1x56x56x64xf32>, %y: tensor<1x64x56x56xf32>, %z: tensor<1x?x56x64xf32>, %v: tensor<64x64x3x3xf32>)
    -> (tensor<1x56x56x64xf32>, tensor<1x28x28x64xf32>, tensor<1x54x54x64xf32>, tensor<1x56x56x64xf32>, tensor<1x64x54x54xf32>, tensor<1x?x54x64xf32>) {
  %w = relay.constant dense<0.5> : tensor<64x64x3x3xf32>
  %g = relay.constant dense<0.5> : tensor<64x8x3x3xf32>
  %p = relay.constant dense<0.5> : tensor<64x64x1x1xf32>
  // A weight that is no constant.
  %0 = relay.nn.conv2d %x, %v {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
  // Strides, many groups, kernel, layout, dynamic sizes.
  %1 = relay.nn.conv2d %x, %w {data_layout = "NHWC", strides = array<i64: 2, 2>, padding = array<i64: 1, 1>} : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x28x28x64xf32>
  %3 = relay.nn.conv2d %x, %g {data_layout = "NHWC", groups = 8} : (tensor<1x56x56x64xf32>, tensor<64x8x3x3xf32>) -> tensor<1x54x54x64xf32>
  %4 = relay.nn.conv2d %x, %p {data_layout = "NHWC"} : (tensor<1x56x56x64xf32>, tensor<64x64x1x1xf32>) -> tensor<1x56x56x64xf32>
  %5 = relay.nn.conv2d %y, %w : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x54x54xf32>
  %6 = relay.nn.conv2d %z, %w {data_layout = "NHWC"} : (tensor<1x?x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x?x54x64xf32>
  return %0, %1, %3, %4, %5, %6 : tensor<1x56x56x64xf32>, tensor<1x28x28x64xf32>, tensor<1x54x54x64xf32>, tensor<1x56x56x64xf32>, tensor<1x64x54x54xf32>, tensor<1x?x54x64xf32>
}

// -----

// Tiles of 2 of a window of 5 read 6 x 6 elements, as tiles of 4 of one of 3.
// CHECK-LABEL: @five
// TWO-LABEL: @five
// CHECK: winograd_weight_transform %{{.*}} {tile_size = 2} : (tensor<128x96x5x5xf32>) -> tensor<6x6x128x96xf32>
// CHECK: winograd_without_weight_transform
// CHECK-SAME: kernel_size = [5, 5]
func.func @five(%x: tensor<1x28x28x96xf32>) -> tensor<1x28x28x128xf32> {
  %w = relay.constant dense<0.5> : tensor<128x96x5x5xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 2, 2>} : (tensor<1x28x28x96xf32>, tensor<128x96x5x5xf32>) -> tensor<1x28x28x128xf32>
  return %0 : tensor<1x28x28x128xf32>
}

// -----

// A convolution for each of two groups.
// CHECK-LABEL: @groups
// CHECK: %[[X:.*]] = relay.split %arg0 {axis = 3, indices_or_sections = 2}
// CHECK: %[[W:.*]] = relay.split %{{.*}} {indices_or_sections = 2}
// CHECK-COUNT-2: relay.nn.contrib_conv2d_winograd_without_weight_transform {{.*}}channels = 192
// CHECK: relay.concatenate {{.*}} {axis = 3
func.func @groups(%x: tensor<1x28x28x384xf32>) -> tensor<1x28x28x384xf32> {
  %w = relay.constant dense<0.5> : tensor<384x192x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>, groups = 2} : (tensor<1x28x28x384xf32>, tensor<384x192x3x3xf32>) -> tensor<1x28x28x384xf32>
  return %0 : tensor<1x28x28x384xf32>
}

// -----

// Pixels three apart are images of their own: nine of 28 x 28 results each, of
// which the last ones have one row and column less.
// CHECK-LABEL: @dilated
// CHECK: %[[PADDED:.*]] = relay.nn.pad %arg0, %{{.*}}pad_width = [0, 0, 3, 4, 3, 4, 0, 0]
// CHECK: relay.reshape %[[PADDED]] {newshape = [1, 30, 3, 30, 3, 128]}
// CHECK: relay.transpose %{{.*}} {axes = [0, 2, 4, 1, 3, 5]}
// CHECK: relay.nn.contrib_conv2d_winograd_without_weight_transform {{.*}} : (tensor<9x30x30x128xf32>, tensor<6x6x128x128xf32>) -> tensor<9x28x28x128xf32>
// CHECK: relay.transpose %{{.*}} {axes = [0, 3, 1, 4, 2, 5]}
// CHECK: relay.strided_slice {{.*}} -> tensor<1x83x83x128xf32>
func.func @dilated(%x: tensor<1x83x83x128xf32>) -> tensor<1x83x83x128xf32> {
  %w = relay.constant dense<0.5> : tensor<128x128x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", dilation = array<i64: 3, 3>, padding = array<i64: 3, 3>} : (tensor<1x83x83x128xf32>, tensor<128x128x3x3xf32>) -> tensor<1x83x83x128xf32>
  return %0 : tensor<1x83x83x128xf32>
}

// -----

// Sums of bytes are exact, if they have at most 26 bits; with tiles of 2, 30.
// CHECK-LABEL: @bytes
// CHECK: winograd_weight_transform %{{.*}} {tile_size = 4} : (tensor<64x64x3x3xi8>) -> tensor<6x6x64x64xi16>
// CHECK: winograd_without_weight_transform {{.*}}out_dtype = i32{{.*}} : (tensor<1x56x56x64xui8>, tensor<6x6x64x64xi16>) -> tensor<1x56x56x64xi32>
// CHECK: winograd_weight_transform %{{.*}} {tile_size = 2} : (tensor<128x128x3x3xi8>) -> tensor<4x4x128x128xi16>
// FOLDED-LABEL: @bytes
// FOLDED: winograd_without_weight_transform
// FOLDED: relay.nn.conv2d
// MATRIX-LABEL: @bytes
// MATRIX-NOT: winograd
func.func @bytes(%x: tensor<1x56x56x64xui8>, %y: tensor<1x56x56x128xui8>) -> (tensor<1x56x56x64xi32>, tensor<1x56x56x128xi32>) {
  %w = relay.constant dense<-50> : tensor<64x64x3x3xi8>
  %v = relay.constant dense<127> : tensor<128x128x3x3xi8>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>, out_dtype = i32} : (tensor<1x56x56x64xui8>, tensor<64x64x3x3xi8>) -> tensor<1x56x56x64xi32>
  %1 = relay.nn.conv2d %y, %v {data_layout = "NHWC", padding = array<i64: 1, 1>, out_dtype = i32} : (tensor<1x56x56x128xui8>, tensor<128x128x3x3xi8>) -> tensor<1x56x56x128xi32>
  return %0, %1 : tensor<1x56x56x64xi32>, tensor<1x56x56x128xi32>
}

// -----

// Windows, data and sums of integers that it is not for.
// TWO-LABEL: @other_integers
// TWO-NOT: winograd
func.func @other_integers(%x: tensor<1x28x28x64xi8>, %y: tensor<1x28x28x64xi16>) -> (tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi16>) {
  %five = relay.constant dense<1> : tensor<64x64x5x5xi8>
  %wide = relay.constant dense<1> : tensor<64x64x3x3xi16>
  %three = relay.constant dense<1> : tensor<64x64x3x3xi8>
  %0 = relay.nn.conv2d %x, %five {data_layout = "NHWC", padding = array<i64: 2, 2>, out_dtype = i32} : (tensor<1x28x28x64xi8>, tensor<64x64x5x5xi8>) -> tensor<1x28x28x64xi32>
  %1 = relay.nn.conv2d %y, %wide {data_layout = "NHWC", padding = array<i64: 1, 1>, out_dtype = i32} : (tensor<1x28x28x64xi16>, tensor<64x64x3x3xi16>) -> tensor<1x28x28x64xi32>
  %2 = relay.nn.conv2d %x, %three {data_layout = "NHWC", padding = array<i64: 1, 1>, out_dtype = i16} : (tensor<1x28x28x64xi8>, tensor<64x64x3x3xi8>) -> tensor<1x28x28x64xi16>
  return %0, %1, %2 : tensor<1x28x28x64xi32>, tensor<1x28x28x64xi32>, tensor<1x28x28x64xi16>
}
