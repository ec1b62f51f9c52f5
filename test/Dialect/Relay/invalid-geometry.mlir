// Resampling that makes no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @image_resize1d(%a0: tensor<1x3x8xf32>) {
  // expected-error @below {{expects 1 positive size, but got [5, 5]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize1d %a0 {size = [5, 5]} : (tensor<1x3x8xf32>) -> tensor<1x3x5xf32>
  return
}

// -----

func.func @image_resize1d(%a0: tensor<1x3x8xf32>) {
  // expected-error @below {{expects layout to be one of NCW, NWC, but got CNW}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize1d %a0 {layout = "CNW", size = [5]} : (tensor<1x3x8xf32>) -> tensor<1x3x5xf32>
  return
}

// -----

func.func @image_resize3d(%a0: tensor<1x3x4x5x6xf32>) {
  // expected-error @below {{expects 6 values in roi, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize3d %a0 {roi = [0.0, 1.0], size = [2, 3, 4]} : (tensor<1x3x4x5x6xf32>) -> tensor<1x3x2x3x4xf32>
  return
}

// -----

func.func @image_crop_and_resize(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x5xf32>, %a2: tensor<4xi32>) {
  // expected-error @below {{expects boxes of size 4 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.crop_and_resize %a0, %a1, %a2 {crop_size = [2, 2]} : (tensor<1x3x8x8xf32>, tensor<4x5xf32>, tensor<4xi32>) -> tensor<4x3x2x2xf32>
  return
}

// -----

func.func @image_crop_and_resize(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x4xf32>, %a2: tensor<3xi32>) {
  // expected-error @below {{expects box_indices of size 4 along dimension 0, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.crop_and_resize %a0, %a1, %a2 {crop_size = [2, 2]} : (tensor<1x3x8x8xf32>, tensor<4x4xf32>, tensor<3xi32>) -> tensor<4x3x2x2xf32>
  return
}

// -----

func.func @image_affine_grid(%a0: tensor<1x2x3xf32>) {
  // expected-error @below {{expects target_shape of 2 values above 1, but got [1, 4]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.affine_grid %a0 {target_shape = [1, 4]} : (tensor<1x2x3xf32>) -> tensor<1x2x1x4xf32>
  return
}

// -----

func.func @image_grid_sample(%a0: tensor<1x3x8x8xf32>, %a1: tensor<1x3x4x4xf32>) {
  // expected-error @below {{expects grid of size 2 along dimension 1, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.grid_sample %a0, %a1 : (tensor<1x3x8x8xf32>, tensor<1x3x4x4xf32>) -> tensor<1x3x4x4xf32>
  return
}

// -----

func.func @image_grid_sample(%a0: tensor<1x3x8x8x8xf32>, %a1: tensor<1x3x4x4x4xf32>) {
  // expected-error @below {{expects method of volumes to be one of bilinear, nearest, but got bicubic}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.grid_sample %a0, %a1 {layout = "NCDHW", method = "bicubic"} : (tensor<1x3x8x8x8xf32>, tensor<1x3x4x4x4xf32>) -> tensor<1x3x4x4x4xf32>
  return
}

// -----

func.func @image_dilation2d(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3xf32>) {
  // expected-error @below {{expects a weight of 3 channels as of data, but got 'tensor<4x3x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.dilation2d %a0, %a1 : (tensor<1x3x8x8xf32>, tensor<4x3x3xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @image_dilation2d(%a0: tensor<1x3x8x8xf32>, %a1: tensor<3x3x3xf32>) {
  // expected-error @below {{expects padded data of at least 9 along spatial dimension 0, but got 8}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.dilation2d %a0, %a1 {dilations = [4, 4]} : (tensor<1x3x8x8xf32>, tensor<3x3x3xf32>) -> tensor<1x3x6x6xf32>
  return
}
