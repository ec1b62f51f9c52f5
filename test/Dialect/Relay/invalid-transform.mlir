// Operators that follow shapes, search and transform, on the wrong types.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3x3xf32>) {
  // expected-error @below {{expects data that broadcasts to shape (3, 3), but got 'tensor<2x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.broadcast_to_like %a0, %a1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<3xf32>, %a1: tensor<3xi32>) {
  // expected-error @below {{expects broadcast_type of element type 'f32' as of data, but got 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.broadcast_to_like %a0, %a1 : (tensor<3xf32>, tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2xf32>) {
  // expected-error @below {{expects collapse_type that broadcasts to shape (2, 3), but got 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.collapse_sum_like %a0, %a1 : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<?xi32>) {
  // expected-error @below {{expects target to be a vector of static size, but got 'tensor<?xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.collapse_sum_to %a0, %a1 : (tensor<2x3xf32>, tensor<?xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<1xi32>) {
  // expected-error @below {{expects 1 sizes in shape, as in target, but got [1, 3]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.collapse_sum_to %a0, %a1 {shape = [1, 3]} : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<7xf32>) {
  // expected-error @below {{expects dimensions of shape_like with 6 elements, but got 7 of 'tensor<7xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape_like %a0, %a1 : (tensor<2x3xf32>, tensor<7xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<6xf32>) {
  // expected-error @below {{expects lhs_begin and lhs_end to be a range of 2 dimensions, but got 3 and 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape_like %a0, %a1 {lhs_begin = 3} : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects shape_like within 'tensor<2x3xf32>' along axis 0, but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.slice_like %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2xf32>) {
  // expected-error @below {{expects shape_like to have axis 1, but got 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.slice_like %a0, %a1 {axes = [1]} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects newshape to divide the 6 elements of data}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib_reverse_reshape %a0 {newshape = [4, -1]} : (tensor<2x3xf32>) -> tensor<4x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>) {
  // expected-error @below {{expects a dtype of 32 bits, as 'f32' has, but got 'i8'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reinterpret %a0 {dtype = i8} : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @f(%a0: tensor<8x4xf32>) {
  // expected-error @below {{expects tiles of axis n in dst_layout with product 8}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.auto_scheduler_layout_transform %a0 {src_layout = "8n4c", dst_layout = "2n2n4c"} : (tensor<8x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x4xf32>) {
  // expected-error @below {{expects src_layout such as "4N16C", but got "NC"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.auto_scheduler_layout_transform %a0 {src_layout = "NC", dst_layout = "8n4c"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<8x4xf32>) {
  // expected-error @below {{expects data of the sizes of src_layout}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.auto_scheduler_layout_transform %a0 {src_layout = "8n5c", dst_layout = "5c8n"} : (tensor<8x4xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<6xf32>) {
  // expected-error @below {{expects a bijective index_map for 'tensor<6xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.meta_schedule_layout_transform %a0 {index_map = affine_map<(i) -> (i floordiv 4, i mod 4)>} : (tensor<6xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<6xf32>) {
  // expected-error @below {{expects an index_map of 1 dimensions}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.meta_schedule_layout_transform %a0 {index_map = affine_map<(i, j) -> (i)>} : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects 2 positive values in window_shape, but got [1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sliding_window %a0 {axis = 0, window_shape = [1], strides = [1, 1]} : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects a window within 'tensor<2x3xf32>', but got [4]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sliding_window %a0 {axis = 1, window_shape = [4], strides = [1]} : (tensor<2x3xf32>) -> tensor<2x0x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<f32>, %a2: tensor<2xi32>, %a3: tensor<2xi32>, %a4: tensor<2xi32>) {
  // expected-error @below {{expects at most 1 positions, but got 'tensor<2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.strided_set %a0, %a1, %a2, %a3, %a4 : (tensor<2xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x2xf32>, %a1: tensor<f32>, %a2: tensor<2xi32>, %a3: tensor<1xi32>, %a4: tensor<3xi32>) {
  // expected-error @below {{expects at most 2 positions, but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.strided_set %a0, %a1, %a2, %a3, %a4 : (tensor<2x2xf32>, tensor<f32>, tensor<2xi32>, tensor<1xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects diagonal of shape (3), but got 'tensor<4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.matrix_set_diag %a0, %a1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @below {{expects k1 up to k2, but got 1 and 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.matrix_set_diag %a0, %a1 {k1 = 1, k2 = 0} : (tensor<3x4xf32>, tensor<2x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x4xf32>, %a1: tensor<1xf32>) {
  // expected-error @below {{expects diagonals of 'tensor<3x4xf32>', but got those from 4 to 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.matrix_set_diag %a0, %a1 {k1 = 4, k2 = 4} : (tensor<3x4xf32>, tensor<1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3xi32>) {
  // expected-error @below {{expects seq_lengths for 2 sequences, but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reverse_sequence %a0, %a1 : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects seq_axis and batch_axis to differ, but got 0 and 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reverse_sequence %a0, %a1 {seq_axis = 0} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3xi32>) {
  // expected-error @below {{expects axis 0 or 1, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sequence_mask %a0, %a1 {axis = 2} : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects valid_length of size 3, but got 'tensor<2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sequence_mask %a0, %a1 : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects integer indices, but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.adv_index %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<3xi32>, %a2: tensor<3xi32>) {
  // expected-error @below {{expects indices for up to 1 dimensions, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.adv_index %a0, %a1, %a2 : (tensor<2xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<3x1xf32>) {
  // expected-error @below {{expects vectors, but got 'tensor<3x1xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.meshgrid %a0, %a1 : (tensor<2xf32>, tensor<3x1xf32>) -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects indexing to be one of ij, xy, but got yx}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.meshgrid %a0, %a1 {indexing = "yx"} : (tensor<2xf32>, tensor<3xf32>) -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3x3xf32>) {
  // expected-error @below {{expects values with the leading dimensions of sorted_sequence 'tensor<2x3xf32>', but got 'tensor<3x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.searchsorted %a0, %a1 : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi32>
  return
}

// -----

func.func @f(%a0: tensor<3xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects an integer dtype, but got 'f32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.searchsorted %a0, %a1 {dtype = f32} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x2xi32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects a vector of indices or one index, but got 'tensor<2x2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.unravel_index %a0, %a1 : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2x2xi32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.cumprod %a0 {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x5xf32>) {
  // expected-error @below {{expects one size for each letter of equation, but got 3 and 4 for 'j'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0, %a1 {equation = "ij,jk"} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects a term of equation for each of 1 operands, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0 {equation = "ij,jk"} : (tensor<2x3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects a tensor of rank 1 for term "i" of equation, but got rank 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0 {equation = "i"} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects letters of the terms in the result of equation, each once, but got 'k'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0 {equation = "ij->ik"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects letters and '...' in equation, but got '1'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0 {equation = "i1"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects '...' in the result of equation, as in its terms}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.einsum %a0 {equation = "i...->i"} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xi32>, %a1: tensor<3xi32>, %a2: tensor<3xi32>, %a3: tensor<3xi32>) {
  // expected-error @below {{expects multipliers and shifts of the dimensions [0] of 'tensor<2x3xi32>', but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.fixed_point_multiply_per_axis %a0, %a1, %a2, %a3 {axes = [0]} : (tensor<2x3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects re_data and im_data of one type, but got 'tensor<2xf32>' and 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dft %a0, %a1 : (tensor<2xf32>, tensor<3xf32>) -> tuple<tensor<2xf32>, tensor<3xf32>>
  return
}

// -----

func.func @f(%a0: tensor<9xf32>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects a positive n_fft, but got -1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.stft %a0, %a1 : (tensor<9xf32>, tensor<4xf32>) -> tensor<3x1x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<9xf32>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects a window of 8 elements, but got 'tensor<4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.stft %a0, %a1 {n_fft = 8} : (tensor<9xf32>, tensor<4xf32>) -> tensor<5x1x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<3xf32>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects 4 samples or more, but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.stft %a0, %a1 {n_fft = 4} : (tensor<3xf32>, tensor<4xf32>) -> tensor<3x1x2xf32>
  return
}
