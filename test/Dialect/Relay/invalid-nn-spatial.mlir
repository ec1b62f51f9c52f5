// Spatial operators that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @nn_adaptive_avg_pool1d(%a0: tensor<1x2x9xf32>) {
  // expected-error @below {{expects 0, 1 or 1 positive output sizes, but got [0]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.adaptive_avg_pool1d %a0 {output_size = [0]} : (tensor<1x2x9xf32>) -> tensor<1x2x1xf32>
  return
}

// -----

func.func @nn_adaptive_max_pool3d(%a0: tensor<1x2x9xf32>) {
  // expected-error @below {{expects data of rank 5 for layout "NCDHW", but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.adaptive_max_pool3d %a0 {output_size = [1]} : (tensor<1x2x9xf32>) -> tensor<1x2x1xf32>
  return
}

// -----

func.func @nn_max_pool2d_grad(%a0: tensor<1x2x4x3xf32>, %a1: tensor<1x2x6x6xf32>) {
  // expected-error @below {{expects a gradient of type 'tensor<1x2x3x3xf32>' as of the pool's result, but got 'tensor<1x2x4x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.max_pool2d_grad %a0, %a1 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x2x4x3xf32>, tensor<1x2x6x6xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @nn_space_to_batch_nd(%a0: tensor<1x5x4x1xf32>) {
  // expected-error @below {{expects a padded size divisible by 2 along dimension 1, but got 5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.space_to_batch_nd %a0 {block_shape = [2, 2], paddings = [0, 0, 0, 0]} : (tensor<1x5x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @nn_space_to_batch_nd(%a0: tensor<1x5x4x1xf32>) {
  // expected-error @below {{expects 4 paddings that are not negative, but got [0, 0, 0]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.space_to_batch_nd %a0 {block_shape = [2, 2], paddings = [0, 0, 0]} : (tensor<1x5x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @nn_batch_to_space_nd(%a0: tensor<3x5x4x1xf32>) {
  // expected-error @below {{expects a batch divisible by 4, but got 'tensor<3x5x4x1xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_to_space_nd %a0 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<3x5x4x1xf32>) -> tensor<4x2x2x1xf32>
  return
}

// -----

func.func @nn_batch_to_space_nd(%a0: tensor<4x2x4x1xf32>) {
  // expected-error @below {{expects crops of at most 4 along dimension 1, but got 3 and 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_to_space_nd %a0 {block_shape = [2, 2], crops = [3, 2, 0, 0]} : (tensor<4x2x4x1xf32>) -> tensor<1x0x8x1xf32>
  return
}

// -----

func.func @nn_batch_to_space_nd(%a0: tensor<4x2xf32>) {
  // expected-error @below {{expects data of rank 3 or more, but got 'tensor<4x2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_to_space_nd %a0 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x2xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @nn_mirror_pad(%a0: tensor<3xf32>) {
  // expected-error @below {{expects pad_width of at most 2 along dimension 0, but got 3 and 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.mirror_pad %a0 {mode = "REFLECT", pad_width = [3, 0]} : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @nn_mirror_pad(%a0: tensor<3xf32>) {
  // expected-error @below {{expects mode to be one of SYMMETRIC, REFLECT, but got edge}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.mirror_pad %a0 {mode = "edge", pad_width = [3, 0]} : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @nn_dilate(%a0: tensor<3x3xf32>) {
  // expected-error @below {{expects 2 positive strides, but got [2, 0]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.dilate %a0 {strides = [2, 0]} : (tensor<3x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @nn_fifo_buffer(%a0: tensor<3x3xf32>, %a1: tensor<3x4xf32>) {
  // expected-error @below {{expects data of size 4 along dimension 1, but got 'tensor<3x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.fifo_buffer %a0, %a1 : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @nn_fifo_buffer(%a0: tensor<3x4xf16>, %a1: tensor<3x4xf32>) {
  // expected-error @below {{expects data of element type 'f32', but got 'tensor<3x4xf16>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.fifo_buffer %a0, %a1 : (tensor<3x4xf16>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @nn_fast_softmax(%a0: tensor<3x4xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.fast_softmax %a0 {axis = 2} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @nn_correlation(%a0: tensor<1x3x6x6xf32>, %a1: tensor<1x3x6x6xf32>) {
  // expected-error @below {{expects odd kernel_size, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.correlation %a0, %a1 {kernel_size = 2} : (tensor<1x3x6x6xf32>, tensor<1x3x6x6xf32>) -> tensor<1x9x4x4xf32>
  return
}

// -----

func.func @nn_correlation(%a0: tensor<1x3x6x6xf32>, %a1: tensor<1x3x6x6xf32>) {
  // expected-error @below {{expects padded data of at least 7 along dimension 2, but got 6}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.correlation %a0, %a1 {max_displacement = 3} : (tensor<1x3x6x6xf32>, tensor<1x3x6x6xf32>) -> tensor<1x49x1x1xf32>
  return
}

// -----

func.func @nn_deformable_conv2d(%a0: tensor<1x4x7x7xf32>, %a1: tensor<1x16x5x5xf32>, %a2: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects an offset of shape (1, 18, 5, 5) in NCHW, but got (1, 16, 5, 5)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.deformable_conv2d %a0, %a1, %a2 : (tensor<1x4x7x7xf32>, tensor<1x16x5x5xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x5x5xf32>
  return
}

// -----

func.func @nn_deformable_conv2d(%a0: tensor<1x4x7x7xf32>, %a1: tensor<1x18x5x5xf32>, %a2: tensor<6x3x3x3xf32>) {
  // expected-error @below {{expects 3 input channels as of weight and groups, but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.deformable_conv2d %a0, %a1, %a2 : (tensor<1x4x7x7xf32>, tensor<1x18x5x5xf32>, tensor<6x3x3x3xf32>) -> tensor<1x6x5x5xf32>
  return
}

// -----

func.func @nn_deformable_conv2d(%a0: tensor<1x4x7x7xf32>, %a1: tensor<1x18x5x5xf32>, %a2: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects data_layout to have the dimensions of "NCHW", but got "NCW"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.deformable_conv2d %a0, %a1, %a2 {data_layout = "NCW"} : (tensor<1x4x7x7xf32>, tensor<1x18x5x5xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x5x5xf32>
  return
}

// -----

func.func @nn_conv2d_backward_weight(%a0: tensor<1x6x5x5xf32>, %a1: tensor<1x4x7x7xf32>) {
  // expected-error @below {{expects kernel_size, but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_backward_weight %a0, %a1 {kernel_layout = "NCHW"} : (tensor<1x6x5x5xf32>, tensor<1x4x7x7xf32>) -> tensor<6x4x3x3xf32>
  return
}

// -----

func.func @nn_conv2d_backward_weight(%a0: tensor<1x6x5x5xf32>, %a1: tensor<1x4x7x7xf32>) {
  // expected-error @below {{expects kernel_layout (of data) to have the dimensions of "NCHW", but got "OIHW"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_backward_weight %a0, %a1 {kernel_size = [3, 3]} : (tensor<1x6x5x5xf32>, tensor<1x4x7x7xf32>) -> tensor<6x4x3x3xf32>
  return
}

// -----

func.func @nn_conv2d_backward_weight(%a0: tensor<1x6x4x5xf32>, %a1: tensor<1x4x7x7xf32>) {
  // expected-error @below {{expects a gradient of shape (1, 6, 5, 5) in NCHW, but got (1, 6, 4, 5)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_backward_weight %a0, %a1 {kernel_layout = "NCHW", kernel_size = [3, 3]} : (tensor<1x6x4x5xf32>, tensor<1x4x7x7xf32>) -> tensor<6x4x3x3xf32>
  return
}

// -----

func.func @nn_upsampling3d(%a0: tensor<1x2x3x4x5xf32>) {
  // expected-error @below {{expects method to be one of nearest_neighbor, trilinear, but got linear}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.upsampling3d %a0 {method = "linear", scale_d = 1.0, scale_h = 1.0, scale_w = 1.0} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x3x4x5xf32>
  return
}
