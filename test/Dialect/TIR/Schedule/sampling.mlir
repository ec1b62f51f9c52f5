// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file | relay-opt --tir-apply-schedules --split-input-file | FileCheck %s

// Decisions of an earlier run: 6 x 4, then lanes from a list.
// CHECK-LABEL: tir.prim_func @decided
// CHECK:       tir.for %{{.*}} = 0 to 6 {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 2 {
// CHECK-NEXT:      tir.for %{{.*}} = 0 to 2 {
module attributes {transform.with_named_sequence} {
  tir.prim_func @decided(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @decided.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 16 seed = 3 decision = [6, 4]
    %o, %m = transform.tir.split %i [%a, %b]
    %lanes = transform.tir.sample_categorical [2, 8] probabilities [0.5, 0.5] decision = 0
    %p, %q = transform.tir.split %m [?, %lanes]
    transform.tir.enter_postproc
    transform.yield
  }
}

// -----

// CHECK-LABEL: tir.prim_func @partitioned
// CHECK:       tir.for %{{.*}} = 0 to 2 {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 3 {
// CHECK-NEXT:      tir.for %{{.*}} = 0 to 4 {
module attributes {transform.with_named_sequence} {
  tir.prim_func @partitioned(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @partitioned.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    %a, %b, %c = transform.tir.sample_partitioned_tile %i partition = 1 inner = 6 decision = [2, 3, 4]
    %o, %m, %n = transform.tir.split %i [%a, %b, %c]
    transform.yield
  }
}

// -----

// Without a decision the seed decides, always the same.
// CHECK-LABEL: tir.prim_func @seeded
// CHECK:       tir.for %{{.*}} = 0 to [[A:.*]] {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to [[B:.*]] {
// CHECK-LABEL: tir.prim_func @seeded_again
// CHECK:       tir.for %{{.*}} = 0 to [[A]] {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to [[B]] {
module attributes {transform.with_named_sequence} {
  tir.prim_func @seeded(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @seeded.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 24 seed = 11
    %o, %m = transform.tir.split %i [%a, %b]
    transform.yield
  }
  tir.prim_func @seeded_again(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @seeded_again.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 24 seed = 11
    %o, %m = transform.tir.split %i [%a, %b]
    transform.yield
  }
}
