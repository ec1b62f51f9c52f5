// RUN: relay-opt %s --tir-kernel-to-gpu | FileCheck %s

#bx = #gpu.block<x>
#tx = #gpu.thread<x>

// Each nest is a launch; what they have in common, each computes for itself.
// The size of a grid is computed on the host.
// CHECK-LABEL: func.func @steps(
// CHECK-SAME:      %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK:         %[[SIZE:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[SIZE]], %c256
// CHECK:         %[[GRID:.*]] = arith.maxsi %[[BLOCKS]], %{{.*}}
// CHECK:         gpu.launch_func @kernels::@steps
// CHECK-SAME:        blocks in (%[[GRID]], %{{.*}}, %{{.*}}) threads in (%c256
// CHECK-SAME:        args(%[[X]] : memref<?xf32>, %[[Y]] : memref<?xf32>)
// CHECK:         gpu.launch_func @kernels::@steps$1
// CHECK-NEXT:    return
func.func @steps(%x: memref<?xf32>, %y: memref<?xf32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %blocks = arith.ceildivsi %size, %c256 : index
  scf.forall (%i) in (%blocks) {
    scf.forall (%j) in (256) {
      %0 = arith.muli %i, %c256 : index
      %k = arith.addi %0, %j : index
      %in = arith.cmpi slt, %k, %size : index
      scf.if %in {
        %1 = memref.load %x[%k] : memref<?xf32>
        memref.store %1, %y[%k] : memref<?xf32>
      }
    } {mapping = [#tx]}
  } {mapping = [#bx]}
  // Nothing is bound: one thread.
  scf.for %i = %c0 to %size step %c1 {
    %1 = memref.load %y[%i] : memref<?xf32>
    memref.store %1, %y[%c0] : memref<?xf32>
  }
  return
}

// A number of blocks that is an element of a buffer is not known to the host.
// CHECK-LABEL: func.func @data(
// CHECK:         %[[FIXED:.*]] = arith.constant 1024 : index
// CHECK:         gpu.launch_func @kernels::@data blocks in (%[[FIXED]],
func.func @data(%n: memref<1xindex>, %y: memref<8xf32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %count = memref.load %n[%c0] : memref<1xindex>
  scf.forall (%i) in (%count) {
    memref.store %zero, %y[%i] : memref<8xf32>
  } {mapping = [#bx]}
  return
}

// CHECK: gpu.module @kernels
// CHECK-LABEL: gpu.func @steps(
// CHECK-SAME:      known_block_size = array<i32: 256, 1, 1>
// CHECK:         %[[BID:.*]] = gpu.block_id x
// CHECK:         %[[TID:.*]] = gpu.thread_id x
// CHECK:         arith.muli %[[BID]]
// CHECK-NOT:     scf.for
// CHECK-LABEL: gpu.func @steps$1(
// CHECK-SAME:      known_block_size = array<i32: 1, 1, 1>
// CHECK:         scf.for
// CHECK-LABEL: gpu.func @data(
// CHECK:         %[[COUNT:.*]] = memref.load
// CHECK:         %[[FIRST:.*]] = gpu.block_id x
// CHECK:         %[[STEP:.*]] = gpu.grid_dim x
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[COUNT]] step %[[STEP]]
