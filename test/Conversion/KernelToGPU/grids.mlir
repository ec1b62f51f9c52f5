// RUN: relay-opt %s --tir-kernel-to-gpu --canonicalize --split-input-file | FileCheck %s

#bx = #gpu.block<x>
#by = #gpu.block<y>

// Along y there are 65535 blocks at most: each goes over several iterations.
// CHECK-LABEL: func.func @many(
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 65535 : index
// CHECK-DAG:     %[[X:.*]] = arith.constant 100000 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[X]], %[[LIMIT]], %[[C1]])
// CHECK:       gpu.func @many(
// CHECK-DAG:     %[[END:.*]] = arith.constant 100003 : index
// CHECK-DAG:     %[[ROW:.*]] = gpu.block_id x
// CHECK-DAG:     %[[FIRST:.*]] = gpu.block_id y
// CHECK-DAG:     %[[STEP:.*]] = gpu.grid_dim y
// CHECK:         scf.for %[[I:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]]
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[ROW]], %[[I]]]
func.func @many(%x: memref<100000x100003xf32>) attributes {tir.kernel} {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (100000) {
    scf.forall (%j) in (100003) {
      memref.store %zero, %x[%i, %j] : memref<100000x100003xf32>
    } {mapping = [#by]}
  } {mapping = [#bx]}
  return
}

// -----

#bx = #gpu.block<x>
#by = #gpu.block<y>

// CHECK-LABEL: func.func @open(
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 65535 : index
// CHECK-DAG:     %[[X:.*]] = arith.maxsi %{{.*}}, %[[C0]]
// CHECK-DAG:     %[[SIZE:.*]] = arith.maxsi %{{.*}}, %[[C0]]
// CHECK-DAG:     %[[Y:.*]] = arith.minsi %[[SIZE]], %[[LIMIT]]
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[X]], %[[Y]], %{{.*}})
// CHECK:       gpu.func @open(
// CHECK:         scf.for
func.func @open(%x: memref<?x?xf32>) attributes {tir.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.forall (%i) in (%m) {
    scf.forall (%j) in (%n) {
      memref.store %zero, %x[%i, %j] : memref<?x?xf32>
    } {mapping = [#by]}
  } {mapping = [#bx]}
  return
}

// -----

#bx = #gpu.block<x>
#by = #gpu.block<y>

// What fits has no loop.
// CHECK-LABEL: gpu.func @few(
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
func.func @few(%x: memref<4x65535xf32>) attributes {tir.kernel} {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (4) {
    scf.forall (%j) in (65535) {
      memref.store %zero, %x[%i, %j] : memref<4x65535xf32>
    } {mapping = [#by]}
  } {mapping = [#bx]}
  return
}
