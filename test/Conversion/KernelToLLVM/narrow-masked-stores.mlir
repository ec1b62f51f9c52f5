// RUN: relay-opt %s --split-input-file --relay-attach-target=target=x86-64-v3 --tir-narrow-masked-stores --canonicalize | FileCheck %s

// Seven lanes are four, two and one.
// CHECK-LABEL: func @constant
// CHECK-SAME: %[[V:.*]]: vector<8xf32>, %[[M:.*]]: memref<100xf32>, %[[I:.*]]: index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : index
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK: vector.store %[[LOW]], %[[M]][%[[I]]] : memref<100xf32>, vector<4xf32>
// CHECK: %[[I4:.*]] = arith.addi %[[I]], %[[C4]]
// CHECK: %[[PAIR:.*]] = vector.extract_strided_slice %[[V]] {offsets = [4], sizes = [2], strides = [1]}
// CHECK: vector.store %[[PAIR]], %[[M]][%[[I4]]] : memref<100xf32>, vector<2xf32>
// CHECK: %[[I6:.*]] = arith.addi %[[I]], %[[C6]]
// CHECK: %[[LAST:.*]] = vector.extract %[[V]][6]
// CHECK: memref.store %[[LAST]], %[[M]][%[[I6]]]
// CHECK-NOT: vector.maskedstore
func.func @constant(%v: vector<8xf32>, %m: memref<100xf32>, %i: index) {
  %mask = vector.constant_mask [7] : vector<8xi1>
  vector.maskedstore %m[%i], %mask, %v : memref<100xf32>, vector<8xi1>, vector<8xf32>
  return
}

// -----

// One store if all lanes are there, else one for each power of two in their
// number, and none if there is no lane.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[V:.*]]: vector<4xf32>, %[[M:.*]]: memref<?xf32>, %[[I:.*]]: index, %[[N:.*]]: index
// CHECK: arith.cmpi sge, %[[N]]
// CHECK: arith.cmpi sgt, %[[N]]
// CHECK: scf.if
// CHECK: vector.store %[[V]]
// CHECK: else
// CHECK: scf.if
// CHECK: %[[TWO:.*]] = arith.andi %[[N]]
// CHECK: scf.if
// CHECK: vector.store %{{.*}} : memref<?xf32>, vector<2xf32>
// CHECK: arith.select
// CHECK: arith.andi %[[N]]
// CHECK: scf.if
// CHECK: memref.store
// CHECK-NOT: vector.maskedstore
func.func @dynamic(%v: vector<4xf32>, %m: memref<?xf32>, %i: index, %n: index) {
  %mask = vector.create_mask %n : vector<4xi1>
  vector.maskedstore %m[%i], %mask, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return
}

// -----

// Other masks stay.
// CHECK-LABEL: func @any
// CHECK: vector.maskedstore
func.func @any(%v: vector<4xf32>, %m: memref<?xf32>, %i: index, %mask: vector<4xi1>) {
  vector.maskedstore %m[%i], %mask, %v : memref<?xf32>, vector<4xi1>, vector<4xf32>
  return
}
