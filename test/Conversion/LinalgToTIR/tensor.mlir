// RUN: relay-opt %s --convert-linalg-to-tir --split-input-file | FileCheck %s

// Padding is one block; only dimensions that are padded are tested.
// CHECK-LABEL: tir.prim_func @pad
// CHECK-SAME:    (%[[X:.*]]: memref<4x?xf32>, %[[Y:.*]]: memref<4x?xf32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         %[[E:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK:         tir.block @pad(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in %[[E]])
// CHECK:           affine.if #{{.*}}(%[[V0]], %[[V1]])[%[[N]]] -> f32 {
// CHECK-NEXT:        affine.load %[[X]][%[[V0]], %[[V1]] - 1]
// CHECK:             affine.yield
// CHECK:           } else {
// CHECK-NEXT:        affine.yield %[[ZERO:.*]] : f32
func.func @pad(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x?xf32> to tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// Operands that are computed for the concatenation alone are written in place.
// CHECK-LABEL: tir.prim_func @concat
// CHECK-SAME:    (%[[X:.*]]: memref<2x4xf32>, %[[Y:.*]]: memref<2x6xf32>)
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.block @negative
// CHECK:           affine.store %{{.*}}, %[[Y]][%{{.*}}, %{{.*}}]
// CHECK:         tir.block @concatenate(%{{.*}} = spatial %{{.*}} in 2, %{{.*}} = spatial %{{.*}} in 2)
// CHECK:           affine.load %[[X]][%[[V0:.*]], %[[V1:.*]] + 1]
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V0]], %[[V1]] + 4]
#map = affine_map<(i, j) -> (i, j)>
func.func @concat(%x: tensor<2x4xf32>) -> tensor<2x6xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) attrs = {tir.block_name = "negative"} {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.negf %a : f32
    linalg.yield %2 : f32
  } -> tensor<2x4xf32>
  %1 = tensor.extract_slice %x[0, 1] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
  %2 = tensor.concat dim(1) %0, %1 : (tensor<2x4xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  return %2 : tensor<2x6xf32>
}

// -----

// What two operands are made of is in the place of the first; the second one's
// is a copy.
// CHECK-LABEL: tir.prim_func @concat_twice
// CHECK-SAME:    (%[[X:.*]]: memref<2x3xf32>, %[[Y:.*]]: memref<12xf32>)
// CHECK:         tir.block @compute
// CHECK:           affine.store %{{.*}}, %[[Y]][%{{.*}} * 3 + %{{.*}}]
// CHECK:         tir.block @concatenate(%[[V:.*]] = spatial %{{.*}} in 6)
// CHECK:           affine.load %[[Y]][%[[V]]]
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V]] + 6]
// CHECK-NOT:     tir.block
func.func @concat_twice(%x: tensor<2x3xf32>) -> tensor<12xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %0 = linalg.exp ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %2 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %3 = tensor.concat dim(0) %1, %2 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
  return %3 : tensor<12xf32>
}

// -----

// A concatenation of nothing is nothing, as a fill of it shows.
// CHECK-LABEL: tir.prim_func @concat_nothing
// CHECK-SAME:    (%[[Y:.*]]: memref<2xf32>)
// CHECK-NOT:     tir.alloc_buffer
// CHECK:         tir.block @fill
// CHECK-NOT:     tir.block
func.func @concat_nothing() -> tensor<2xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %0 = tensor.concat dim(0) %e, %e : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %1 = linalg.fill ins(%one : f32) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// Elements that nobody wrote are read as zeros, wherever that is.
// CHECK-LABEL: tir.prim_func @nothing
// CHECK-DAG:     arith.constant 0.000000e+00 : f32
// CHECK:         tir.block @concatenate
// CHECK-NOT:       affine.load
// CHECK:         tir.block @concatenate
// CHECK:         tir.block @insert_slice
// CHECK:         tir.block @pad
// CHECK:         tir.block @compute
// CHECK:         tir.block @copy
func.func @nothing(%x: tensor<2xf32>, %c: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %0 = tensor.concat dim(0) %e, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = tensor.insert_slice %e into %c[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %2 = tensor.pad %e low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  %3 = linalg.exp ins(%e : tensor<2xf32>) outs(%x : tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// A reshape at the end is how the last op writes, one in the middle how the
// next one reads.
// CHECK-LABEL: tir.prim_func @reshape
// CHECK-SAME:    (%[[X:.*]]: memref<?x4x6xf32>, %[[Y:.*]]: memref<?x3x8xf32>)
// CHECK-NOT:     @copy
// CHECK:         tir.block @negative
// CHECK:           affine.load %[[X]][%[[V0:.*]], %[[V1:.*]] floordiv 6, %[[V1]] mod 6]
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V0]], %[[V1]] floordiv 8, %[[V1]] mod 8]
#map = affine_map<(i, j) -> (i, j)>
func.func @reshape(%x: tensor<?x4x6xf32>) -> tensor<?x3x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4x6xf32>
  %flat = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x4x6xf32> into tensor<?x24xf32>
  %e = tensor.empty(%n) : tensor<?x24xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%flat : tensor<?x24xf32>) outs(%e : tensor<?x24xf32>) attrs = {tir.block_name = "negative"} {
  ^bb0(%a: f32, %b: f32):
    %2 = arith.negf %a : f32
    linalg.yield %2 : f32
  } -> tensor<?x24xf32>
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [%n, 3, 8] : tensor<?x24xf32> into tensor<?x3x8xf32>
  return %1 : tensor<?x3x8xf32>
}

// -----

// Nothing but a reshape, and an argument that is returned, are copies.
// CHECK-LABEL: tir.prim_func @copies
// CHECK-SAME:    (%[[X:.*]]: memref<2x?xf32>, %[[Y:.*]]: memref<?xf32>, %[[Z:.*]]: memref<2x?xf32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         tir.block @copy(
// CHECK:           affine.load %[[X]][%[[V0:.*]] floordiv symbol(%[[N]]), %[[V0]] mod symbol(%[[N]])]
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V0]]]
// CHECK:         tir.block @copy_1(
// CHECK:           affine.store %{{.*}}, %[[Z]]
func.func @copies(%x: tensor<2x?xf32>) -> (tensor<?xf32>, tensor<2x?xf32>) {
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<2x?xf32> into tensor<?xf32>
  return %0, %x : tensor<?xf32>, tensor<2x?xf32>
}

// -----

// Uniform tensors are scalars, small tables are written once.
// CHECK-LABEL: tir.prim_func @constants
// CHECK:         tir.block @constant()
// CHECK-NEXT:        writes(%[[T:.*]][0] : memref<2xf32>, %[[T]][1] : memref<2xf32>)
// CHECK:         tir.block @insert_slice(
// CHECK:           affine.store %{{.*}}, %[[Y:.*]][%{{.*}}]
// CHECK:         tir.block @insert_slice_1(
// CHECK:           affine.load %[[T]]
// CHECK:           affine.store %{{.*}}, %[[Y]][%{{.*}} * 2 + 1]
func.func @constants() -> tensor<5xf32> {
  %u = arith.constant dense<3.0> : tensor<5xf32>
  %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = tensor.insert_slice %t into %u[1] [2] [2] : tensor<2xf32> into tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Rank 0, and a function with calls that is left alone.
// CHECK-LABEL: tir.prim_func @scalar
// CHECK:         tir.block @fill()
// CHECK-NEXT:        writes(%{{.*}} : memref<f32>)
func.func @scalar() -> tensor<f32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<f32>
  %0 = linalg.fill ins(%one : f32) outs(%e : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK: func.func @main
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

// -----

// A dynamic offset enters the index as a symbol; each operand is copied behind
// the one before.
// CHECK-LABEL: tir.prim_func @concat_dynamic
// CHECK-SAME:    (%[[X:.*]]: memref<?xf32>, %[[W:.*]]: memref<4xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         tir.block @concatenate(%[[V0:.*]] = spatial %{{.*}} in %[[N]])
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V0]]]
// CHECK:         tir.block @concatenate_1(%[[V0:.*]] = spatial %{{.*}} in 4)
// CHECK:           affine.store %{{.*}}, %[[Y]][%[[V0]] + symbol(%[[N]])]
func.func @concat_dynamic(%x: tensor<?xf32>, %w: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.concat dim(0) %x, %w : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A generated tensor is a block over its indices; elements that are listed are
// stored one by one; a splat is a scalar.
// CHECK-LABEL: tir.prim_func @made
// CHECK:         tir.block @generate(%[[V0:.*]] = spatial %{{.*}} in 4)
// CHECK:           arith.index_cast %[[V0]]
// CHECK:         tir.block @from_elements()
// CHECK:           affine.store %{{.*}}, %{{.*}}[0, 0]
// CHECK:           affine.store %{{.*}}, %{{.*}}[1, 0]
// CHECK:         tir.block @copy(
// CHECK-NEXT:        writes
func.func @made() -> (tensor<4xi32>, tensor<2x1xf32>, tensor<3xf32>) {
  %a = arith.constant 1.0 : f32
  %b = arith.constant 2.0 : f32
  %0 = tensor.generate {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<4xi32>
  %1 = tensor.from_elements %a, %b : tensor<2x1xf32>
  %2 = tensor.splat %a : tensor<3xf32>
  return %0, %1, %2 : tensor<4xi32>, tensor<2x1xf32>, tensor<3xf32>
}
