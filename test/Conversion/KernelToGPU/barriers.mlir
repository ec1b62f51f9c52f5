// RUN: relay-opt %s --tir-kernel-to-gpu --split-input-file | FileCheck %s

#bx = #gpu.block<x>
#tx = #gpu.thread<x>

// What other threads wrote is there after a barrier; in a loop, nobody writes
// again before everybody has read.
// CHECK-LABEL: gpu.func @shared(
// CHECK-SAME:      workgroup(%[[TILE:.*]] : memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK:         scf.for
// CHECK:           memref.store %{{.*}}, %[[TILE]]
// CHECK-NEXT:      gpu.barrier
// CHECK:           scf.if
// CHECK:             memref.load %[[TILE]]
// CHECK:           gpu.barrier
// CHECK-NEXT:    }
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
module attributes {target.spec = #cuda.gpu<"sm_80">} {
func.func @shared(%x: memref<4x64xf32>, %y: memref<32xf32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  scf.forall (%i) in (1) {
    %tile = memref.alloca() : memref<64xf32, #target.memory<"shared">>
    scf.for %k = %c0 to %c4 step %c1 {
      scf.forall (%t) in (64) {
        %0 = memref.load %x[%k, %t] : memref<4x64xf32>
        memref.store %0, %tile[%t] : memref<64xf32, #target.memory<"shared">>
      } {mapping = [#tx]}
      scf.forall (%t) in (32) {
        %j = arith.subi %c63, %t : index
        %0 = memref.load %tile[%j] : memref<64xf32, #target.memory<"shared">>
        memref.store %0, %y[%t] : memref<32xf32>
      } {mapping = [#tx]}
    }
  } {mapping = [#bx]}
  return
}
}

// -----

#bx = #gpu.block<x>
#tx = #gpu.thread<x>

// Buffers that do not meet need none, nor do buffers of one thread.
// CHECK-LABEL: gpu.func @apart(
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
func.func @apart(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) attributes {tir.kernel} {
  scf.forall (%i) in (1) {
    %own = memref.alloca() : memref<1xf32>
    %c0 = arith.constant 0 : index
    scf.forall (%t) in (64) {
      %0 = memref.load %x[%t] : memref<64xf32>
      memref.store %0, %own[%c0] : memref<1xf32>
      memref.store %0, %y[%t] : memref<64xf32>
    } {mapping = [#tx]}
    scf.forall (%t) in (64) {
      %0 = memref.load %own[%c0] : memref<1xf32>
      memref.store %0, %z[%t] : memref<64xf32>
    } {mapping = [#tx]}
  } {mapping = [#bx]}
  return
}

// -----

#bx = #gpu.block<x>
#tx = #gpu.thread<x>

// What is outside of loops over threads runs on one.
// CHECK-LABEL: gpu.func @alone(
// CHECK:         %[[ISFIRST:.*]] = arith.cmpi eq, %thread_id_x, %c0
// CHECK:         scf.if %[[ISFIRST]]
// CHECK-NEXT:      memref.store %{{.*}}, %arg0[%c0] : memref<64xf32>
// CHECK:         gpu.barrier
// CHECK:         memref.load %arg0
func.func @alone(%x: memref<64xf32>, %y: memref<64xf32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (1) {
    memref.store %zero, %x[%c0] : memref<64xf32>
    scf.forall (%t) in (64) {
      %0 = memref.load %x[%c0] : memref<64xf32>
      memref.store %0, %y[%t] : memref<64xf32>
    } {mapping = [#tx]}
  } {mapping = [#bx]}
  return
}
