// Result types of operators that follow other shapes, search and transform.
// RUN: relay-opt %s --relay-infer-types --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @like
// CHECK: relay.broadcast_to_like {{.*}} -> tensor<2x3xf32>
// CHECK: relay.cast_like {{.*}} -> tensor<3xi64>
// CHECK: relay.collapse_sum_like {{.*}} -> tensor<3xf32>
// CHECK: relay.collapse_sum_to {{.*}} {shape = [1, 3]} {{.*}} -> tensor<1x3xf32>
// CHECK: relay.collapse_sum_to {{.*}} -> tensor<?x?xf32>
// CHECK: relay.slice_like {{.*}} -> tensor<2x2xf32>
// CHECK: relay.slice_like {{.*}} {axes = [-1]} {{.*}} -> tensor<4x2xf32>
func.func @like(%v: tensor<3xf32>, %m: tensor<2x3xf32>, %i: tensor<7xi64>, %s: tensor<2xi32>,
                %big: tensor<4x5xf32>, %small: tensor<2x2xi8>) {
  %0 = relay.broadcast_to_like %v, %m : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  %1 = relay.cast_like %v, %i : (tensor<3xf32>, tensor<7xi64>) -> tensor<?xi64>
  %2 = relay.collapse_sum_like %m, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<?xf32>
  %3 = relay.collapse_sum_to %m, %s {shape = [1, 3]} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %4 = relay.collapse_sum_to %m, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %5 = relay.slice_like %big, %small : (tensor<4x5xf32>, tensor<2x2xi8>) -> tensor<?x?xf32>
  %6 = relay.slice_like %big, %small {axes = [-1]} : (tensor<4x5xf32>, tensor<2x2xi8>) -> tensor<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @reshapes
// CHECK: relay.reshape_like {{.*}} -> tensor<6x4xf32>
// CHECK: relay.reshape_like {{.*}} -> tensor<2x12xf32>
// CHECK: relay.reshape_like {{.*}} -> tensor<?x4xf32>
// CHECK: relay.contrib_reverse_reshape {{.*}} -> tensor<50x4xf32>
// CHECK: relay.reinterpret {{.*}} -> tensor<2x3x4xi32>
// CHECK: relay.auto_scheduler_layout_transform {{.*}} -> tensor<4x2x2x4xf32>
// CHECK: relay.meta_schedule_layout_transform {{.*}} -> tensor<2x8x4xf32>
// CHECK: relay.meta_schedule_layout_transform {{.*}} -> tensor<?x?xf32>
func.func @reshapes(%x: tensor<2x3x4xf32>, %a: tensor<6x4xi8>, %b: tensor<7x12xi8>, %c: tensor<?xi8>,
                    %r: tensor<10x5x4xf32>, %t: tensor<8x8xf32>, %d: tensor<?x8xf32>) {
  %0 = relay.reshape_like %x, %a : (tensor<2x3x4xf32>, tensor<6x4xi8>) -> tensor<?x?xf32>
  %1 = relay.reshape_like %x, %b {lhs_begin = 1, rhs_begin = -1} : (tensor<2x3x4xf32>, tensor<7x12xi8>) -> tensor<?x?xf32>
  %2 = relay.reshape_like %x, %c {lhs_end = 2} : (tensor<2x3x4xf32>, tensor<?xi8>) -> tensor<?x?xf32>
  %3 = relay.contrib_reverse_reshape %r {newshape = [-1, 0]} : (tensor<10x5x4xf32>) -> tensor<?x?xf32>
  %4 = relay.reinterpret %x {dtype = i32} : (tensor<2x3x4xf32>) -> tensor<?x?x?xi32>
  %5 = relay.auto_scheduler_layout_transform %t {src_layout = "8n8c", dst_layout = "4n2c2n4c"} : (tensor<8x8xf32>) -> tensor<?x?x?x?xf32>
  %6 = relay.meta_schedule_layout_transform %t {index_map = affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>} : (tensor<8x8xf32>) -> tensor<?x?x?xf32>
  %7 = relay.meta_schedule_layout_transform %d {index_map = affine_map<(i, j) -> (j, i)>} : (tensor<?x8xf32>) -> tensor<?x?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @parts
// CHECK: relay.sliding_window {{.*}} -> tensor<2x2x3x2x2xf32>
// CHECK: relay.strided_set {{.*}} -> tensor<2x4x7xf32>
// CHECK: relay.matrix_set_diag {{.*}} -> tensor<2x4x7xf32>
// CHECK: relay.reverse_sequence {{.*}} -> tensor<2x4x7xf32>
// CHECK: relay.sequence_mask {{.*}} -> tensor<2x4x7xf32>
func.func @parts(%x: tensor<2x4x7xf32>, %v: tensor<f32>, %p: tensor<2xi64>, %d: tensor<2x3x4xf32>,
                 %l: tensor<4xi32>) {
  %0 = relay.sliding_window %x {axis = 1, window_shape = [2, 2], strides = [2, 2]} : (tensor<2x4x7xf32>) -> tensor<?x?x?x?x?xf32>
  %1 = relay.strided_set %x, %v, %p, %p, %p : (tensor<2x4x7xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?xf32>
  %2 = relay.matrix_set_diag %x, %d {k1 = -1, k2 = 1} : (tensor<2x4x7xf32>, tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  %3 = relay.reverse_sequence %x, %l {seq_axis = 2, batch_axis = 1} : (tensor<2x4x7xf32>, tensor<4xi32>) -> tensor<?x?x?xf32>
  %4 = relay.sequence_mask %x, %l : (tensor<2x4x7xf32>, tensor<4xi32>) -> tensor<?x?x?xf32>
  return
}

// -----

// Sizes that depend on elements stay open.
// CHECK-LABEL: func.func @positions
// CHECK: relay.adv_index {{.*}} -> tensor<5x3x4xf32>
// CHECK: relay.argwhere {{.*}} -> tensor<?x3xi32>
// CHECK: relay.invert_permutation {{.*}} -> tensor<3xi64>
// CHECK: relay.meshgrid {{.*}} -> tuple<tensor<3x1x5xi64>, tensor<3x1x5xi64>, tensor<3x1x5xi64>>
// CHECK: relay.meshgrid {{.*}} -> tuple<tensor<5x3xi64>, tensor<5x3xi64>>
// CHECK: relay.searchsorted {{.*}} -> tensor<5x1xi32>
// CHECK: relay.searchsorted {{.*}} {dtype = i64} {{.*}} -> tensor<5x1xi64>
// CHECK: relay.unique {{.*}} -> tuple<tensor<3xi64>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>>
// CHECK: relay.unique {{.*}} -> tuple<tensor<3xi64>, tensor<3xi32>, tensor<3xi32>, tensor<1xi32>, tensor<3xi32>>
// CHECK: relay.unravel_index {{.*}} -> tensor<5x3xi64>
func.func @positions(%x: tensor<2x3x4xf32>, %a: tensor<3xi64>, %b: tensor<5x1xi64>, %s: tensor<i64>, %v: tensor<5xi64>) {
  %0 = relay.adv_index %x, %a, %b : (tensor<2x3x4xf32>, tensor<3xi64>, tensor<5x1xi64>) -> tensor<?x?x?xf32>
  %1 = relay.argwhere %x : (tensor<2x3x4xf32>) -> tensor<?x?xi32>
  %2 = relay.invert_permutation %a : (tensor<3xi64>) -> tensor<?xi64>
  %3 = relay.meshgrid %a, %s, %v : (tensor<3xi64>, tensor<i64>, tensor<5xi64>) -> tuple<tensor<?x?x?xi64>, tensor<?x?x?xi64>, tensor<?x?x?xi64>>
  %4 = relay.meshgrid %a, %v {indexing = "xy"} : (tensor<3xi64>, tensor<5xi64>) -> tuple<tensor<?x?xi64>, tensor<?x?xi64>>
  %5 = relay.searchsorted %a, %b : (tensor<3xi64>, tensor<5x1xi64>) -> tensor<?x?xi32>
  %6 = relay.searchsorted %a, %b {dtype = i64} : (tensor<3xi64>, tensor<5x1xi64>) -> tensor<?x?xi64>
  %7 = relay.unique %a : (tensor<3xi64>) -> tuple<tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>>
  %8 = relay.unique %a {return_counts = true} : (tensor<3xi64>) -> tuple<tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>>
  %9 = relay.unravel_index %a, %v : (tensor<3xi64>, tensor<5xi64>) -> tensor<?x?xi64>
  return
}

// -----

// CHECK-LABEL: func.func @arithmetic
// CHECK: relay.cumprod {{.*}} -> tensor<6xf64>
// CHECK: relay.cumprod {{.*}} -> tensor<2x3xf32>
// CHECK: relay.einsum {{.*}} -> tensor<2x4xf32>
// CHECK: relay.einsum {{.*}} -> tensor<4x2xf32>
// CHECK: relay.einsum {{.*}} -> tensor<5x?x2x4xf32>
// CHECK: relay.einsum {{.*}} -> tensor<f32>
// CHECK: relay.dft {{.*}} -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
// CHECK: relay.stft {{.*}} -> tensor<3x9x2xf32>
// CHECK: relay.stft {{.*}} -> tensor<4x4x?x2xf32>
func.func @arithmetic(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %b: tensor<5x1x2x3xf32>, %c: tensor<?x3x4xf32>,
                      %s: tensor<12xf32>, %t: tensor<4x?xf32>, %w: tensor<4xf32>) {
  %0 = relay.cumprod %x {dtype = f64} : (tensor<2x3xf32>) -> tensor<?xf64>
  %1 = relay.cumprod %x {axis = -1} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  %2 = relay.einsum %x, %y {equation = "ij,jk"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
  %3 = relay.einsum %x, %y {equation = "ij, jk -> ki"} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
  %4 = relay.einsum %b, %c {equation = "...ij,...jk->...ik"} : (tensor<5x1x2x3xf32>, tensor<?x3x4xf32>) -> tensor<?x?x?x?xf32>
  %5 = relay.einsum %x {equation = "ij->"} : (tensor<2x3xf32>) -> tensor<f32>
  %6 = relay.dft %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tuple<tensor<?x?xf32>, tensor<?x?xf32>>
  %7 = relay.stft %s, %w {n_fft = 4} : (tensor<12xf32>, tensor<4xf32>) -> tensor<?x?x?xf32>
  %8 = relay.stft %t, %w {n_fft = 4, hop_length = 2, onesided = false} : (tensor<4x?xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  return
}
