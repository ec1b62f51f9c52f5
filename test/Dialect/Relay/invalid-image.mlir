// Pools and image operators that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @nn_max_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects 2 positive pool_size, but got [2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d %a0 {pool_size = [2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_max_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects padded data of at least 9 along dimension 2, but got 8}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d %a0 {pool_size = [9, 9]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_max_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{padding values that are not negative, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d %a0 {padding = [-1], pool_size = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_max_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects data of rank 3 for layout "NCW", but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d %a0 {layout = "NCW", pool_size = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_avg_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects a layout of N, C and spatial letters, of which only N and C are split, but got "NCHX"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.avg_pool2d %a0 {layout = "NCHX", pool_size = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_max_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects out_layout "NCHW", but got "NHWC"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d %a0 {out_layout = "NHWC", pool_size = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_adaptive_avg_pool2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects 0, 1 or 2 positive output sizes, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.adaptive_avg_pool2d %a0 {output_size = [1, 2, 3]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_global_avg_pool2d(%a0: tensor<1x4x8xf32>) {
  // expected-error @below {{expects data of rank 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.global_avg_pool2d %a0 : (tensor<1x4x8xf32>) -> tensor<1x4x1xf32>
  return
}

// -----

func.func @nn_upsampling(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects method to be one of nearest_neighbor, bilinear, bicubic, but got nearest}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.upsampling %a0 {method = "nearest", scale_h = 2.0, scale_w = 2.0} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_upsampling(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects layout "NCHW" or "NHWC", but got "CHWN"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.upsampling %a0 {layout = "CHWN", scale_h = 2.0, scale_w = 2.0} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_depth_to_space(%a0: tensor<1x3x8x8xf32>) {
  // expected-error @below {{expects dimension 1 divisible by 4, but got 'tensor<1x3x8x8xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.depth_to_space %a0 {block_size = 2} : (tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_space_to_depth(%a0: tensor<1x3x7x8xf32>) {
  // expected-error @below {{expects dimension 2 divisible by 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.space_to_depth %a0 {block_size = 2} : (tensor<1x3x7x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_depth_to_space(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects mode to be one of DCR, CDR, but got CRD}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.depth_to_space %a0 {block_size = 2, mode = "CRD"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @image_resize2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects size to be height and width, but got [16]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize2d %a0 {size = [16]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @image_resize2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects 4 values in roi, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize2d %a0 {roi = [0.0, 1.0], size = [16, 16]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @image_resize2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error-re @below {{expects coordinate_transformation_mode to be one of half_pixel, {{.*}}, but got half}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize2d %a0 {coordinate_transformation_mode = "half", size = [16, 16]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @image_resize2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects method to be one of nearest_neighbor, linear, cubic, but got area}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize2d %a0 {method = "area", size = [16, 16]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @image_resize2d(%a0: tensor<1x4x8x8xf32>) {
  // expected-error-re @below {{expects rounding_method to be one of {{.*}}, but got up}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.image.resize2d %a0 {rounding_method = "up", size = [16, 16]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_upsampling3d(%a0: tensor<1x1x1048576x1x1xf32>) {
  // expected-error @+2 {{expects scales that give tensors of at most 2^47 bytes, but got}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relay.nn.upsampling3d %a0 {scale_d = 2147483648.0, scale_h = 1.0, scale_w = 1.0} : (tensor<1x1x1048576x1x1xf32>) -> tensor<1x1x?x1x1xf32>
  return
}
