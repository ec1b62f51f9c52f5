// Packed, transformed and bitwise data: result types, and unknown sizes.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @conv2d_NCHWc(
// CHECK:         relay.nn.contrib_conv2d_NCHWc {{.*}} -> tensor<1x4x?x9x16xf32>
func.func @conv2d_NCHWc(%a0: tensor<1x2x?x9x8xf32>, %a1: tensor<4x2x3x3x8x16xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.contrib_conv2d_NCHWc %a0, %a1 {channels = 64, data_layout = "NCHW8c", kernel_layout = "OIHW8i16o", kernel_size = [3, 3], out_layout = "NCHW16c", padding = [1, 1]} : (tensor<1x2x?x9x8xf32>, tensor<4x2x3x3x8x16xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @depthwise_NCHWc(
// CHECK:         relay.nn.contrib_depthwise_conv2d_NCHWc {{.*}} -> tensor<1x2x3x3x8xf32>
func.func @depthwise_NCHWc(%a0: tensor<1x2x8x8x8xf32>, %a1: tensor<2x1x3x3x1x8xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.contrib_depthwise_conv2d_NCHWc %a0, %a1 {channels = 16, data_layout = "NCHW8c", groups = 16, kernel_layout = "OIHW1i8o", kernel_size = [3, 3], strides = [2, 2]} : (tensor<1x2x8x8x8xf32>, tensor<2x1x3x3x1x8xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @dense_pack(
// CHECK:         relay.nn.contrib_dense_pack {{.*}} -> tensor<?x32xi32>
func.func @dense_pack(%a0: tensor<?x8xi8>, %a1: tensor<2x2x16x4xi8>) -> tensor<?x?xi32> {
  %r = relay.nn.contrib_dense_pack %a0, %a1 {out_dtype = i32, weight_layout = "NC16n4c"} : (tensor<?x8xi8>, tensor<2x2x16x4xi8>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: func.func @gemm_weight_f32(
// CHECK:         relay.nn.contrib_conv2d_gemm_weight_transform {{.*}} -> tensor<1x12x4x16xf32>
func.func @gemm_weight_f32(%a0: tensor<3x3x5x10xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.contrib_conv2d_gemm_weight_transform %a0 {tile_K = 4, tile_N = 16} : (tensor<3x3x5x10xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @gemm_weight_i8(
// CHECK:         relay.nn.contrib_conv2d_gemm_weight_transform {{.*}} -> tensor<?x4x4x16xi8>
func.func @gemm_weight_i8(%a0: tensor<3x3x5x?xi8>) -> tensor<?x?x?x?xi8> {
  %r = relay.nn.contrib_conv2d_gemm_weight_transform %a0 {tile_K = 16, tile_N = 4} : (tensor<3x3x5x?xi8>) -> tensor<?x?x?x?xi8>
  return %r : tensor<?x?x?x?xi8>
}

// CHECK-LABEL: func.func @gemm(
// CHECK:         relay.nn.contrib_conv2d_gemm_without_weight_transform {{.*}} -> tensor<1x8x8x10xi32>
func.func @gemm(%a0: tensor<1x8x8x5xi8>, %a1: tensor<?x4x4x16xi8>) -> tensor<?x?x?x?xi32> {
  %r = relay.nn.contrib_conv2d_gemm_without_weight_transform %a0, %a1 {channels = 10, data_layout = "NHWC", kernel_layout = "HWIO", kernel_size = [3, 3], out_dtype = i32, padding = [1, 1, 1, 1]} : (tensor<1x8x8x5xi8>, tensor<?x4x4x16xi8>) -> tensor<?x?x?x?xi32>
  return %r : tensor<?x?x?x?xi32>
}

// CHECK-LABEL: func.func @winograd_weight(
// CHECK:         relay.nn.contrib_conv2d_winograd_weight_transform {{.*}} -> tensor<6x6x8x3xf32>
func.func @winograd_weight(%a0: tensor<8x3x3x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.contrib_conv2d_winograd_weight_transform %a0 {tile_size = 4} : (tensor<8x3x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @winograd(
// CHECK:         relay.nn.contrib_conv2d_winograd_without_weight_transform {{.*}} -> tensor<?x8x8x8xf32>
func.func @winograd(%a0: tensor<?x3x8x8xf32>, %a1: tensor<6x6x8x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.contrib_conv2d_winograd_without_weight_transform %a0, %a1 {channels = 8, kernel_size = [3, 3], padding = [1, 1], tile_size = 4} : (tensor<?x3x8x8xf32>, tensor<6x6x8x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @winograd3d_weight(
// CHECK:         relay.nn.contrib_conv3d_winograd_weight_transform {{.*}} -> tensor<4x6x4x8x3xf32>
func.func @winograd3d_weight(%a0: tensor<8x3x3x5x3xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.contrib_conv3d_winograd_weight_transform %a0 {tile_size = 2} : (tensor<8x3x3x5x3xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @winograd3d_weight_flat(
// CHECK:         relay.nn.contrib_conv3d_winograd_weight_transform {{.*}} -> tensor<4x4x1x8x3xf32>
func.func @winograd3d_weight_flat(%a0: tensor<8x3x1x3x3xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.contrib_conv3d_winograd_weight_transform %a0 {tile_size = 2} : (tensor<8x3x1x3x3xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @winograd3d(
// CHECK:         relay.nn.contrib_conv3d_winograd_without_weight_transform {{.*}} -> tensor<1x8x4x?x6xf32>
func.func @winograd3d(%a0: tensor<1x3x4x?x8xf32>, %a1: tensor<4x4x1x8x3xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.contrib_conv3d_winograd_without_weight_transform %a0, %a1 {channels = 8, kernel_size = [1, 3, 3], tile_size = 2} : (tensor<1x3x4x?x8xf32>, tensor<4x4x1x8x3xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// CHECK-LABEL: func.func @nnpack_weight(
// CHECK:         relay.nn.contrib_conv2d_winograd_nnpack_weight_transform {{.*}} -> tensor<8x?x8x8xf16>
func.func @nnpack_weight(%a0: tensor<8x?x3x3xf32>) -> tensor<?x?x?x?xf16> {
  %r = relay.nn.contrib_conv2d_winograd_nnpack_weight_transform %a0 {convolution_algorithm = 6, out_dtype = f16} : (tensor<8x?x3x3xf32>) -> tensor<?x?x?x?xf16>
  return %r : tensor<?x?x?x?xf16>
}

// CHECK-LABEL: func.func @bitpack(
// CHECK:         relay.nn.bitpack {{.*}} -> tensor<1x2x3x?xui32>
func.func @bitpack(%a0: tensor<1x64x?xi16>) -> tensor<?x?x?x?xui32> {
  %r = relay.nn.bitpack %a0 {bit_axis = 2, bits = 3, pack_type = ui32} : (tensor<1x64x?xi16>) -> tensor<?x?x?x?xui32>
  return %r : tensor<?x?x?x?xui32>
}

// CHECK-LABEL: func.func @bitpack_last(
// CHECK:         relay.nn.bitpack {{.*}} -> tensor<1x2x?x3xui32>
func.func @bitpack_last(%a0: tensor<1x64x?xi16>) -> tensor<?x?x?x?xui32> {
  %r = relay.nn.bitpack %a0 {bits = 3, pack_type = ui32} : (tensor<1x64x?xi16>) -> tensor<?x?x?x?xui32>
  return %r : tensor<?x?x?x?xui32>
}

// CHECK-LABEL: func.func @bitserial_conv2d(
// CHECK:         relay.nn.bitserial_conv2d {{.*}} -> tensor<1x4x?x8xi16>
func.func @bitserial_conv2d(%a0: tensor<1x32x?x8xi16>, %a1: tensor<4x32x3x3xi16>) -> tensor<?x?x?x?xi16> {
  %r = relay.nn.bitserial_conv2d %a0, %a1 {channels = 4, out_dtype = i16, padding = [1, 1]} : (tensor<1x32x?x8xi16>, tensor<4x32x3x3xi16>) -> tensor<?x?x?x?xi16>
  return %r : tensor<?x?x?x?xi16>
}

// CHECK-LABEL: func.func @bitserial_conv2d_packed(
// CHECK:         relay.nn.bitserial_conv2d {{.*}} -> tensor<1x6x6x4xi16>
func.func @bitserial_conv2d_packed(%a0: tensor<1x8x8x32xui8>, %a1: tensor<3x3x4x4x2xui8>) -> tensor<?x?x?x?xi16> {
  %r = relay.nn.bitserial_conv2d %a0, %a1 {channels = 4, data_layout = "NHWC", kernel_layout = "HWIO", out_dtype = i16, pack_dtype = ui8, weight_bits = 2} : (tensor<1x8x8x32xui8>, tensor<3x3x4x4x2xui8>) -> tensor<?x?x?x?xi16>
  return %r : tensor<?x?x?x?xi16>
}

// CHECK-LABEL: func.func @bitserial_dense(
// CHECK:         relay.nn.bitserial_dense {{.*}} -> tensor<?x10xi16>
func.func @bitserial_dense(%a0: tensor<?x64xui8>, %a1: tensor<10x2x2xui32>) -> tensor<?x?xi16> {
  %r = relay.nn.bitserial_dense %a0, %a1 {out_dtype = i16, units = 10, weight_bits = 2} : (tensor<?x64xui8>, tensor<10x2x2xui32>) -> tensor<?x?xi16>
  return %r : tensor<?x?xi16>
}
