// Movement, joining and slicing that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @transpose(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axes to be a permutation of 3 dimensions, but got [0, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.transpose %a0 {axes = [0, 1]} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @transpose(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axes to be a permutation of 3 dimensions, but got [0, 1, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.transpose %a0 {axes = [0, 1, 1]} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layout_transform(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects data of rank 4 for src_layout "NCHW", but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {dst_layout = "NHWC", src_layout = "NCHW"} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects the size of axis C to be divisible by 3, but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {dst_layout = "NCHW3c", src_layout = "NCHW"} : (tensor<1x4x8x8xf32>) -> tensor<1x1x8x8x3xf32>
  return
}

// -----

func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects the axes of src_layout "NCHW", but got "NCH"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {dst_layout = "NCH", src_layout = "NCHW"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects layouts such as "NCHW16c", but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {dst_layout = "16C", src_layout = "NCHW"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @reverse(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axis in the range [-3, 3), but got 3}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reverse %a0 {axis = 3} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @tile(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects reps not to be negative, but got [-1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.tile %a0 {reps = [-1]} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @repeat(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects repeats not to be negative, but got -1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.repeat %a0 {axis = 0, repeats = -1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @trilu(%a0: tensor<3xf32>, %a1: tensor<i64>) {
  // expected-error @below {{expects data of rank 2 or more, but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.trilu %a0, %a1 : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @trilu(%a0: tensor<3x3xf32>, %a1: tensor<f32>) {
  // expected-error @below {{expects an integer k, but got 'tensor<f32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.trilu %a0, %a1 : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @nn_pad(%a0: tensor<2x3x4xf32>, %a1: tensor<f32>) {
  // expected-error @below {{expects 6 values in pad_width, but got [1, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.pad %a0, %a1 {pad_width = [1, 1]} : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @nn_pad(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error-re @below {{expects pad_mode {{.*}}, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.pad %a0, %a1 {pad_mode = "wrap", pad_width = [0, 0, 0, 0]} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @nn_pad(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error @below {{expects pad_width below the size 3 of dimension 1 for pad_mode "reflect", but got 3 and 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.pad %a0, %a1 {pad_mode = "reflect", pad_width = [0, 0, 3, 0]} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @nn_pad(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error @below {{expects pad_width that leaves elements, but got [0, 0, -2, -2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.pad %a0, %a1 {pad_width = [0, 0, -2, -2]} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error @below {{expects tensors that agree in all dimensions but axis 0, but got 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.concatenate %a0, %a1 {axis = 0} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>) {
  // expected-error @below {{expects tensors of one rank and element type, but got 'tensor<2x3xf32>' and 'tensor<2x3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.concatenate %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concatenate() {
  // expected-error @below {{expects one tensor or more}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.concatenate  : () -> tensor<2x3xf32>
  return
}

// -----

func.func @stack(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error @below {{expects tensors of the same type, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.stack %a0, %a1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x2x3xf32>
  return
}

// -----

func.func @split(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects a number of sections that divides 3, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.split %a0 {axis = 1, indices_or_sections = 2} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

// However many there would be.
func.func @split(%a0: tensor<?xf32>) {
  // expected-error @below {{expects at most 65536 sections, but got 1099511627776}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.split %a0 {axis = 0, indices_or_sections = 1099511627776} : (tensor<?xf32>) -> tuple<tensor<?xf32>>
  return
}

// -----

func.func @split(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects increasing indices up to 3, but got [2, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.split %a0 {axis = 1, indices_or_sections = [2, 1]} : (tensor<2x3xf32>) -> tuple<tensor<2x3xf32>>
  return
}

// -----

func.func @split(%a0: tensor<4xf32>) {
  // expected-error @below {{op inferred type(s)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.split %a0 {indices_or_sections = 2} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
  return
}

// -----

func.func @strided_slice(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects at most 2 values in begin and end}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.strided_slice %a0 {begin = [0, 0, 0], end = [1, 1, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @strided_slice(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects strides not to be zero}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.strided_slice %a0 {begin = [0], end = [1], strides = [0]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @strided_slice(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects slice_mode "end" or "size", but got "until"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.strided_slice %a0 {begin = [0], end = [1], slice_mode = "until"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// A layout names an axis once.
func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects layouts such as "NCHW16c", but got "NCHW" and "NCCHW"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {src_layout = "NCHW", dst_layout = "NCCHW"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x8x8xf32>
  return
}

// -----

// A part of an axis needs the axis.
func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects layouts such as "NCHW16c", but got "NCHW" and "N4cHW"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {src_layout = "NCHW", dst_layout = "N4cHW"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @layout_transform(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects layouts such as "NCHW16c", but got "NCHW" and "NCHW99999999999999999999c"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.layout_transform %a0 {src_layout = "NCHW", dst_layout = "NCHW99999999999999999999c"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8x1xf32>
  return
}
