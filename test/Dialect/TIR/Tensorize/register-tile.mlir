// RUN: relay-opt %s --split-input-file --tir-apply-schedules | FileCheck %s

// A matrix product: four accumulators (two rows of two vectors) go through the
// reduction loop, which is unrolled by four; each row is broadcast once per step.
// CHECK-LABEL: tir.prim_func @matmul
// CHECK: tir.block @matmul(%[[M:.*]] = spatial %{{.*}} in 4)
// CHECK-NEXT: reads(%{{.*}} : memref<8x64xf32>, %{{.*}} : memref<64x8xf32>)
// CHECK-NEXT: writes(%{{.*}} : memref<8x8xf32>)
// CHECK: %[[ACC:.*]]:4 = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-16: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
// CHECK: vector.store %[[ACC]]#0
// CHECK: vector.store %[[ACC]]#1
// CHECK: vector.store %[[ACC]]#2
// CHECK: vector.store %[[ACC]]#3
module attributes {transform.with_named_sequence} {
tir.prim_func @matmul(%a: memref<8x64xf32>, %b: memref<64x8xf32>, %c: memref<8x8xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %m = 0 to 8 { tir.for %n = 0 to 8 { tir.for %k = 0 to 64 {
    tir.block @matmul(%vm = spatial %m in 8, %vn = spatial %n in 8, %vk = reduce %k in 64)
        reads(%a[%vm, %vk] : memref<8x64xf32>, %b[%vk, %vn] : memref<64x8xf32>, %c[%vm, %vn] : memref<8x8xf32>)
        writes(%c[%vm, %vn] : memref<8x8xf32>) {
      tir.init { affine.store %zero, %c[%vm, %vn] : memref<8x8xf32> }
      %0 = affine.load %a[%vm, %vk] : memref<8x64xf32>
      %1 = affine.load %b[%vk, %vn] : memref<64x8xf32>
      %2 = affine.load %c[%vm, %vn] : memref<8x8xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %c[%vm, %vn] : memref<8x8xf32>
    }
  } } }
}
transform.named_sequence @matmul.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @matmul in %f
  %m, %n, %k = transform.tir.get_loops %block
  %mo, %mi = transform.tir.split %m [?, 2]
  transform.tir.reorder %mo, %k, %mi, %n
  %tile = transform.tir.tensorize %k, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

// The result is contiguous along the rows, and nothing but them lies between
// the lanes: registers are interleaved and stored whole.
// CHECK-LABEL: tir.prim_func @transposed
// CHECK: vector.shuffle {{.*}} [0, 4, 0, 1]
// CHECK: vector.shuffle {{.*}} [0, 1, 4, 3]
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.maskedstore
module attributes {transform.with_named_sequence} {
tir.prim_func @transposed(%a: memref<3x64xf32>, %b: memref<64x4xf32>, %c: memref<4x3xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %k = 0 to 64 { tir.for %m = 0 to 3 { tir.for %n = 0 to 4 {
    tir.block @transposed(%vm = spatial %m in 3, %vn = spatial %n in 4, %vk = reduce %k in 64)
        reads(%a[%vm, %vk] : memref<3x64xf32>, %b[%vk, %vn] : memref<64x4xf32>, %c[%vn, %vm] : memref<4x3xf32>)
        writes(%c[%vn, %vm] : memref<4x3xf32>) {
      tir.init { affine.store %zero, %c[%vn, %vm] : memref<4x3xf32> }
      %0 = affine.load %a[%vm, %vk] : memref<3x64xf32>
      %1 = affine.load %b[%vk, %vn] : memref<64x4xf32>
      %2 = affine.load %c[%vn, %vm] : memref<4x3xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %c[%vn, %vm] : memref<4x3xf32>
    }
  } } }
}
transform.named_sequence @transposed.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @transposed in %f
  %k, %m, %n = transform.tir.get_loops %block
  %tile = transform.tir.tensorize %k, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

// A sum over an unknown number of elements: four partial sums, then single
// vectors, then what is left under a mask.
// CHECK-LABEL: tir.prim_func @row_sum
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK: scf.for
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: vector.reduction <add>
module attributes {transform.with_named_sequence} {
tir.prim_func @row_sum(%x: memref<5x?xf32>, %y: memref<5xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<5x?xf32>
  tir.for %i = 0 to 5 { tir.for %k = 0 to %n {
    tir.block @sum(%v0 = spatial %i in 5, %v1 = reduce %k in %n)
        reads(%x[%v0, %v1] : memref<5x?xf32>, %y[%v0] : memref<5xf32>)
        writes(%y[%v0] : memref<5xf32>) {
      tir.init { affine.store %zero, %y[%v0] : memref<5xf32> }
      %0 = affine.load %x[%v0, %v1] : memref<5x?xf32>
      %1 = affine.load %y[%v0] : memref<5xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<5xf32>
    }
  } }
}
transform.named_sequence @row_sum.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @sum in %f
  %i, %k = transform.tir.get_loops %block
  %row = transform.tir.tensorize %k, "row_reduction" {vector_bits = 256 : i64}
  transform.yield
}
}

// -----

// Three whole vectors, and two in the last tile: no vector needs a mask.
// CHECK-LABEL: tir.prim_func @column_tail
// CHECK: tir.block @column_tail
// CHECK-NOT: mask
// CHECK: scf.if
// CHECK: %[[ACC:.*]]:6 = scf.for
// CHECK-COUNT-6: vector.store
// CHECK: } else {
// CHECK: scf.if
// CHECK: %[[ACC:.*]]:4 = scf.for
// CHECK-COUNT-4: vector.store
// CHECK-NOT: mask
// CHECK-NOT: vector.store
// CHECK: } else {
module attributes {transform.with_named_sequence} {
tir.prim_func @column_tail(%a: memref<2x64xf32>, %b: memref<64x20xf32>, %c: memref<2x20xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %m = 0 to 2 { tir.for %n = 0 to 20 { tir.for %k = 0 to 64 {
    tir.block @column_tail(%vm = spatial %m in 2, %vn = spatial %n in 20, %vk = reduce %k in 64)
        reads(%a[%vm, %vk] : memref<2x64xf32>, %b[%vk, %vn] : memref<64x20xf32>, %c[%vm, %vn] : memref<2x20xf32>)
        writes(%c[%vm, %vn] : memref<2x20xf32>) {
      tir.init { affine.store %zero, %c[%vm, %vn] : memref<2x20xf32> }
      %0 = affine.load %a[%vm, %vk] : memref<2x64xf32>
      %1 = affine.load %b[%vk, %vn] : memref<64x20xf32>
      %2 = affine.load %c[%vm, %vn] : memref<2x20xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %c[%vm, %vn] : memref<2x20xf32>
    }
  } } }
}
transform.named_sequence @column_tail.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @column_tail in %f
  %m, %n, %k = transform.tir.get_loops %block
  %no, %ni = transform.tir.split %n [?, 12]
  transform.tir.reorder %no, %k, %m, %ni
  %tile = transform.tir.tensorize %k, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}
