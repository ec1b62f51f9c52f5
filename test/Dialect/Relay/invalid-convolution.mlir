// Convolutions that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

// Channels of data and weight.
func.func @nn_conv2d(%a0: tensor<1x5x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 4 input channels (weight is 'tensor<6x4x3x3xf32>', groups is 1), but got 5 (data is 'tensor<1x5x8x8xf32>')}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<1x5x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 8 input channels (weight is 'tensor<6x4x3x3xf32>', groups is 2), but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {groups = 2} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<5x2x3x3xf32>) {
  // expected-error @below {{expects output channels divisible by groups 2, but got 5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {groups = 2} : (tensor<1x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects positive groups, but got 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {groups = 0} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects channels 6 as of weight, but got 7}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {channels = 7} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x?xf32>) {
  // expected-error @below {{expects kernel_size (3, ?) as of weight, but got (5, 5)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {kernel_size = [5, 5]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x?xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects data of rank 4, but got 'tensor<4x8x8xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3xf32>) {
  // expected-error @below {{expects weight of rank 4, but got 'tensor<6x4x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf16>) {
  // expected-error @below {{expects data and weight of the same element type, or of bytes, but got 'f32' and 'f16'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf16>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 2 positive strides, but got [1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {strides = [1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 2 positive dilation, but got [0, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {dilation = [0, 1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 1, 2 or 4 padding values, but got [1, 1, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {padding = [1, 1, 1]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects padding not to be negative, but got [-1, 0]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {padding = [-1, 0]} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects data_layout to have the dimensions of "NCHW", but got "NHW"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {data_layout = "NHW"} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects kernel_layout to have the dimensions of "OIHW", but got "HWOO"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {kernel_layout = "HWOO"} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects the size of C to be a multiple of 4 for layout "NCHW4c", but got 6}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 {out_layout = "NCHW4c"} : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

// The window must fit.
func.func @nn_conv2d(%a0: tensor<1x4x2x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects padded data of at least 3 along spatial dimension 0, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<1x4x2x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv1d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3xf32>) {
  // expected-error @below {{expects data of rank 3, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv1d %a0, %a1 : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

func.func @nn_conv2d_transpose(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x3x3xf32>) {
  // expected-error @below {{expects 6 input channels (weight is 'tensor<6x4x3x3xf32>'), but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_transpose %a0, %a1 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d_transpose(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4x6x3x3xf32>) {
  // expected-error @below {{expects 2 output_padding values that are not negative}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_transpose %a0, %a1 {output_padding = [-1, 0]} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d_transpose(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4x6x3x3xf32>) {
  // expected-error @below {{expects padding that leaves a result, but got size -8 along spatial dimension 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d_transpose %a0, %a1 {padding = [9, 9]} : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @nn_conv2d(%a0: tensor<1x4x8x8xf32>, %a1: tensor<6x4x0x3xf32>) {
  // expected-error @below {{expects a kernel that is not empty, but got 'tensor<6x4x0x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.conv2d %a0, %a1 : (tensor<1x4x8x8xf32>, tensor<6x4x0x3xf32>) -> tensor<1x6x9x6xf32>
  return
}
