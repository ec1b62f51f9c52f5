// Packed, transformed and bitwise data that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @nn_contrib_conv2d_NCHWc(%a0: tensor<1x2x9x9x8xf32>, %a1: tensor<4x2x3x3x8x16xf32>) {
  // expected-error @below {{expects kernel_size, but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_NCHWc %a0, %a1 {data_layout = "NCHW8c", kernel_layout = "OIHW8i16o"} : (tensor<1x2x9x9x8xf32>, tensor<4x2x3x3x8x16xf32>) -> tensor<1x4x7x7x16xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_NCHWc(%a0: tensor<1x2x9x9x8xf32>, %a1: tensor<4x3x3x3x8x16xf32>) {
  // expected-error @below {{expects a weight of shape (64, 16, 3, 3) in OIHW, but got (64, 24, 3, 3)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_NCHWc %a0, %a1 {channels = 64, data_layout = "NCHW8c", kernel_layout = "OIHW8i16o", kernel_size = [3, 3]} : (tensor<1x2x9x9x8xf32>, tensor<4x3x3x3x8x16xf32>) -> tensor<1x8x7x7x8xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_NCHWc(%a0: tensor<1x2x9x9x7xf32>, %a1: tensor<4x2x3x3x8x16xf32>) {
  // expected-error @below {{expects size 8 of dimension 4 for data_layout "NCHW8c", but got 7}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_NCHWc %a0, %a1 {channels = 64, data_layout = "NCHW8c", kernel_layout = "OIHW8i16o", kernel_size = [3, 3]} : (tensor<1x2x9x9x7xf32>, tensor<4x2x3x3x8x16xf32>) -> tensor<1x8x7x7x8xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_NCHWc(%a0: tensor<1x2x9x9x8xf32>, %a1: tensor<4x2x3x3x8x16xf32>) {
  // expected-error @below {{expects the size of C to be a multiple of 24 for layout "NCHW24c", but got 64}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_NCHWc %a0, %a1 {channels = 64, data_layout = "NCHW8c", kernel_layout = "OIHW8i16o", kernel_size = [3, 3], out_layout = "NCHW24c"} : (tensor<1x2x9x9x8xf32>, tensor<4x2x3x3x8x16xf32>) -> tensor<1x8x7x7x8xf32>
  return
}

// -----

func.func @nn_contrib_dense_pack(%a0: tensor<3x8xf32>, %a1: tensor<4x9x4xf32>) {
  // expected-error @below {{expects data of size 9 along dimension 1, but got 'tensor<3x8xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_dense_pack %a0, %a1 : (tensor<3x8xf32>, tensor<4x9x4xf32>) -> tensor<3x16xf32>
  return
}

// -----

func.func @nn_contrib_dense_pack(%a0: tensor<3x8xf32>, %a1: tensor<4x8x4xf32>) {
  // expected-error @below {{expects size 8 of dimension 2 for weight_layout "NC8n", but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_dense_pack %a0, %a1 {weight_layout = "NC8n"} : (tensor<3x8xf32>, tensor<4x8x4xf32>) -> tensor<3x16xf32>
  return
}

// -----

func.func @nn_contrib_dense_pack(%a0: tensor<3x8xf32>, %a1: tensor<4x8x4xf32>) {
  // expected-error @below {{expects units 16 as of weight, but got 12}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_dense_pack %a0, %a1 {units = 12} : (tensor<3x8xf32>, tensor<4x8x4xf32>) -> tensor<3x16xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_gemm_weight_transform(%a0: tensor<3x3x5x10xf32>) {
  // expected-error @below {{expects positive tile_K, but got 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_gemm_weight_transform %a0 {tile_K = 0, tile_N = 16} : (tensor<3x3x5x10xf32>) -> tensor<1x12x4x16xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_gemm_without_weight_transform(%a0: tensor<1x8x8x5xf32>, %a1: tensor<1x12x4x16xf32>) {
  // expected-error @below {{expects data_layout to be one of NHWC, but got NCHW}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_gemm_without_weight_transform %a0, %a1 {channels = 10, kernel_size = [3, 3]} : (tensor<1x8x8x5xf32>, tensor<1x12x4x16xf32>) -> tensor<1x6x6x10xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_weight_transform(%a0: tensor<8x3x3x3xf32>) {
  // expected-error @below {{expects tile_size in the range [1, 8], but got 9}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_weight_transform %a0 {tile_size = 9} : (tensor<8x3x3x3xf32>) -> tensor<6x6x8x3xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_without_weight_transform(%a0: tensor<1x3x8x8xf32>, %a1: tensor<6x6x8x3xf32>) {
  // expected-error @below {{expects a transformed weight of shape (4, 4, 8, 3), but got 'tensor<6x6x8x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_without_weight_transform %a0, %a1 {channels = 8, kernel_size = [3, 3], tile_size = 2} : (tensor<1x3x8x8xf32>, tensor<6x6x8x3xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_without_weight_transform(%a0: tensor<1x3x8x8xf32>, %a1: tensor<6x6x8x3xf32>) {
  // expected-error @below {{expects strides of 1, but got [2, 2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_without_weight_transform %a0, %a1 {channels = 8, kernel_size = [3, 3], strides = [2, 2], tile_size = 4} : (tensor<1x3x8x8xf32>, tensor<6x6x8x3xf32>) -> tensor<1x8x3x3xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_weight_transform(%a0: tensor<8x3x5x5xi8>) {
  // expected-error @below {{expects a window of 3 x 3 of integers, but got (5, 5)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_weight_transform %a0 {tile_size = 2} : (tensor<8x3x5x5xi8>) -> tensor<6x6x8x3xi16>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_weight_transform(%a0: tensor<8x3x3x3xi8>) {
  // expected-error @below {{expects tile_size in the range [1, 4] of integers, but got 5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_weight_transform %a0 {tile_size = 5} : (tensor<8x3x3x3xi8>) -> tensor<7x7x8x3xi16>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_without_weight_transform(%a0: tensor<1x3x8x8xi8>, %a1: tensor<4x4x8x3xi16>) {
  // expected-error @below {{expects data, weight and result of floats, or of bytes, i16 and i32, but got 'tensor<1x3x8x8xi8>', 'tensor<4x4x8x3xi16>' and 'tensor<1x8x6x6xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_without_weight_transform %a0, %a1 {channels = 8, kernel_size = [3, 3], tile_size = 2} : (tensor<1x3x8x8xi8>, tensor<4x4x8x3xi16>) -> tensor<1x8x6x6xi8>
  return
}

// -----

func.func @nn_contrib_conv3d_winograd_weight_transform(%a0: tensor<8x3x?x3x3xf32>) {
  // expected-error @below {{expects a weight of known depth, but got 'tensor<8x3x?x3x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv3d_winograd_weight_transform %a0 {tile_size = 2} : (tensor<8x3x?x3x3xf32>) -> tensor<4x4x4x8x3xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_nnpack_weight_transform(%a0: tensor<8x3x5x5xf32>) {
  // expected-error @below {{expects weight of size 3 along dimension 2, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_nnpack_weight_transform %a0 {convolution_algorithm = 3} : (tensor<8x3x5x5xf32>) -> tensor<8x3x8x8xf32>
  return
}

// -----

func.func @nn_contrib_conv2d_winograd_nnpack_weight_transform(%a0: tensor<8x3x3x3xf32>) {
  // expected-error @below {{expects convolution_algorithm 0, 3 or 6, but got 1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.contrib_conv2d_winograd_nnpack_weight_transform %a0 {convolution_algorithm = 1} : (tensor<8x3x3x3xf32>) -> tensor<8x3x8x8xf32>
  return
}

// -----

func.func @nn_bitpack(%a0: tensor<1x64xi32>) {
  // expected-error @below {{expects pack_type, but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitpack %a0 : (tensor<1x64xi32>) -> tensor<1x2x1xui32>
  return
}

// -----

func.func @nn_bitpack(%a0: tensor<1x60xi32>) {
  // expected-error @below {{expects a size divisible by 32 along pack_axis, but got 60}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitpack %a0 {pack_type = ui32} : (tensor<1x60xi32>) -> tensor<1x2x1xui32>
  return
}

// -----

func.func @nn_bitpack(%a0: tensor<1x64xi8>) {
  // expected-error @below {{expects bits in the range [1, 8], but got 9}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitpack %a0 {bits = 9, pack_type = ui32} : (tensor<1x64xi8>) -> tensor<1x2x9xui32>
  return
}

// -----

func.func @nn_bitserial_conv2d(%a0: tensor<1x16x8x8xi16>, %a1: tensor<4x16x3x3xi16>) {
  // expected-error @below {{expects a number of elements to sum over that is a multiple of 32, the bits of pack_dtype, but got 16}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitserial_conv2d %a0, %a1 {channels = 4} : (tensor<1x16x8x8xi16>, tensor<4x16x3x3xi16>) -> tensor<1x4x6x6xi16>
  return
}

// -----

func.func @nn_bitserial_conv2d(%a0: tensor<1x32x8x8xi16>, %a1: tensor<4x32x3x3xi16>) {
  // expected-error @below {{expects a weight of shape (8, 32, 3, 3), but got 'tensor<4x32x3x3xi16>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitserial_conv2d %a0, %a1 {channels = 8} : (tensor<1x32x8x8xi16>, tensor<4x32x3x3xi16>) -> tensor<1x8x6x6xi16>
  return
}

// -----

func.func @nn_bitserial_dense(%a0: tensor<2x64xui8>, %a1: tensor<10x2x1xui32>) {
  // expected-error @below {{expects weight of size 2 along dimension 2, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.bitserial_dense %a0, %a1 {weight_bits = 2} : (tensor<2x64xui8>, tensor<10x2x1xui32>) -> tensor<2x10xui8>
  return
}
