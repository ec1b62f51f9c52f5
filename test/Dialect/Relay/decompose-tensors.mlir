// RUN: relay-opt %s --relay-decompose --split-input-file | FileCheck %s

// CHECK-LABEL: func @space_to_batch_nd
//       CHECK:   relay.nn.pad
//       CHECK:   relay.reshape {{.*}} -> tensor<?x4x2x?x3x5xf32>
//       CHECK:   relay.transpose {{.*}} {axes = [2, 4, 0, 1, 3, 5]}
//       CHECK:   relay.reshape {{.*}} -> tensor<?x4x?x5xf32>
func.func @space_to_batch_nd(%x: tensor<?x8x?x5xf32>) -> tensor<?x4x?x5xf32> {
  %0 = relay.nn.space_to_batch_nd %x
      {block_shape = [2, 3], paddings = [0, 0, 1, 1]}
      : (tensor<?x8x?x5xf32>) -> tensor<?x4x?x5xf32>
  return %0 : tensor<?x4x?x5xf32>
}

// -----

// What is pushed out is known here, and there it is what is before the last.

// CHECK-LABEL: func @fifo_buffer
//       CHECK:   relay.strided_slice {{.*}} -> tensor<4x2xf32>
//       CHECK:   relay.concatenate
//       CHECK:   relay.concatenate
//       CHECK:   relay.strided_slice {{.*}} begin = [-7]
func.func @fifo_buffer(%x: tensor<2x2xf32>, %y: tensor<?x2xf32>,
                       %buffer: tensor<6x2xf32>, %other: tensor<7x2xf32>)
    -> (tensor<6x2xf32>, tensor<7x2xf32>) {
  %0 = relay.nn.fifo_buffer %x, %buffer
      : (tensor<2x2xf32>, tensor<6x2xf32>) -> tensor<6x2xf32>
  %1 = relay.nn.fifo_buffer %y, %other
      : (tensor<?x2xf32>, tensor<7x2xf32>) -> tensor<7x2xf32>
  return %0, %1 : tensor<6x2xf32>, tensor<7x2xf32>
}

// -----

// 4096 points are 64 times 64: two products with small matrices.

// CHECK-LABEL: func @dft
//       CHECK:   relay.einsum {{.*}} tensor<2x64x2x64xf32>
//       CHECK:   relay.multiply
//       CHECK:   relay.einsum {{.*}} tensor<2x64x2x64xf32>
//   CHECK-NOT:   relay.einsum
func.func @dft(%re: tensor<?x4096xf32>, %im: tensor<?x4096xf32>)
    -> tuple<tensor<?x4096xf32>, tensor<?x4096xf32>> {
  %0 = relay.dft %re, %im : (tensor<?x4096xf32>, tensor<?x4096xf32>)
      -> tuple<tensor<?x4096xf32>, tensor<?x4096xf32>>
  return %0 : tuple<tensor<?x4096xf32>, tensor<?x4096xf32>>
}

// -----

// A map that takes a dimension apart is a reshape and a transpose; any other
// bijection is a table.

// CHECK-LABEL: func @index_map
//       CHECK:   relay.reshape {{.*}} -> tensor<2x4x12xf32>
//       CHECK:   relay.transpose
//       CHECK:   relay.constant {{.*}} : tensor<96xi64>
//       CHECK:   relay.take
func.func @index_map(%x: tensor<8x12xf32>)
    -> (tensor<2x12x4xf32>, tensor<8x12xf32>) {
  %0 = relay.meta_schedule_layout_transform %x
      {index_map = affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>}
      : (tensor<8x12xf32>) -> tensor<2x12x4xf32>
  %1 = relay.meta_schedule_layout_transform %x
      {index_map = affine_map<(i, j) -> (7 - i, j)>}
      : (tensor<8x12xf32>) -> tensor<8x12xf32>
  return %0, %1 : tensor<2x12x4xf32>, tensor<8x12xf32>
}
