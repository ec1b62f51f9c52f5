// RUN: relay-opt %s --split-input-file --stream-stores=min-bytes=4096 | FileCheck %s

// CHECK-LABEL: func @copy
// CHECK-SAME: %[[IN:.*]]: memref<1024xf32>, %[[OUT:.*]]: memref<1024xf32>
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: arith.andi %[[ADDRESS]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[OUT]]{{.*}} {alignment = 32 : i64, nontemporal = true}
// CHECK: llvm.fence seq_cst
// CHECK: else
// CHECK: scf.for
// CHECK: vector.store
// CHECK-NOT: nontemporal
func.func @copy(%in: memref<1024xf32>, %out: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c8 {
    %v = vector.load %in[%i] : memref<1024xf32>, vector<8xf32>
    vector.store %v, %out[%i] : memref<1024xf32>, vector<8xf32>
  }
  return
}

// -----

// Not to a buffer that is read, to a small one, or off the boundaries of
// vectors.
// CHECK-LABEL: func @not
// CHECK-NOT: nontemporal
func.func @not(%read: memref<1024xf32>, %small: memref<512xf32>, %odd: memref<2000xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c512 = arith.constant 512 : index
  scf.for %i = %c0 to %c512 step %c8 {
    %v = vector.load %read[%i] : memref<1024xf32>, vector<8xf32>
    vector.store %v, %read[%i] : memref<1024xf32>, vector<8xf32>
    vector.store %v, %small[%i] : memref<512xf32>, vector<8xf32>
    %j = arith.addi %i, %c4 : index
    vector.store %v, %odd[%j] : memref<2000xf32>, vector<8xf32>
  }
  return
}
