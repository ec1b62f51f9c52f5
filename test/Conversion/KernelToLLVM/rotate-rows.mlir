// RUN: relay-opt %s --split-input-file --tir-stream-stores=min-bytes=1048576 | FileCheck %s

// The last step of a row moves into the step of the next row that fills its
// buffer, before elements are overwritten; that of the last row stays behind.
// CHECK-LABEL: func @softmax
// CHECK-SAME: (%[[IN:[a-z0-9]+]]: memref<16x64xf32>, %[[OUT:[a-z0-9]+]]: memref<16x64xf32>
// CHECK: %[[BUFFER:.*]] = memref.alloca() : memref<1x64xf32>
// CHECK: scf.for %[[ROW:[a-z0-9]*]] =
// CHECK:   %[[HAS:.*]] = arith.cmpi sgt, %[[ROW]]
// CHECK:   scf.if %[[HAS]] {
// CHECK:     %[[PREVIOUS:.*]] = arith.subi %[[ROW]]
// CHECK:     scf.for %[[I:[a-z0-9]*]] = %{{.*}} to %{{.*}} step %c16
// CHECK:       vector.load %[[BUFFER]][%{{.*}}, %[[I]]] : memref<1x64xf32>, vector<8xf32>
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[PREVIOUS]], %[[I]]]
// CHECK:       vector.load %[[BUFFER]]
// CHECK:       vector.store %{{.*}}, %[[OUT]][%[[PREVIOUS]],
// CHECK:       vector.load %[[IN]][%[[ROW]], %[[I]]]
// CHECK:       vector.store %{{.*}}, %[[BUFFER]]
// CHECK:   } else {
// CHECK-NOT: %[[OUT]]
// CHECK:       vector.store %{{.*}}, %[[BUFFER]]
// CHECK:   }
// CHECK:   memref.store
// CHECK-NOT: %[[OUT]]
// CHECK: %[[ANY:.*]] = arith.cmpi slt
// CHECK: scf.if %[[ANY]] {
// CHECK:   %[[LAST:.*]] = arith.subi
// CHECK:   scf.for
// CHECK:     vector.store %{{.*}}, %[[OUT]][%[[LAST]],
func.func @softmax(%in: memref<16x64xf32>, %out: memref<16x64xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %row = memref.alloca() : memref<1x64xf32>
  %total = memref.alloca() : memref<1xf32>
  scf.for %i = %begin to %end step %c1 {
    scf.for %j = %c0 to %c64 step %c16 {
      %0 = vector.load %in[%i, %j] : memref<16x64xf32>, vector<16xf32>
      %1 = math.exp %0 : vector<16xf32>
      vector.store %1, %row[%c0, %j] : memref<1x64xf32>, vector<16xf32>
    }
    %sum = scf.for %j = %c0 to %c64 step %c8 iter_args(%a = %zero) -> (vector<8xf32>) {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %1 = arith.addf %a, %0 : vector<8xf32>
      scf.yield %1 : vector<8xf32>
    }
    %2 = vector.reduction <add>, %sum : vector<8xf32> into f32
    memref.store %2, %total[%c0] : memref<1xf32>
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %1 = memref.load %total[%c0] : memref<1xf32>
      %3 = vector.broadcast %1 : f32 to vector<8xf32>
      %4 = arith.divf %0, %3 : vector<8xf32>
      vector.store %4, %out[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// What the last step reads changes before the next row fills the buffer, or is
// no memory at all.
// CHECK-LABEL: func @changed
// CHECK-NOT: scf.if
// CHECK-LABEL: func @value
// CHECK-NOT: scf.if
func.func @changed(%in: memref<16x64xf32>, %out: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %row = memref.alloca() : memref<1x64xf32>
  %first = memref.alloca() : memref<1xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %f = memref.load %in[%i, %c0] : memref<16x64xf32>
    memref.store %f, %first[%c0] : memref<1xf32>
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<16x64xf32>, vector<8xf32>
      vector.store %0, %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
    }
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %1 = memref.load %first[%c0] : memref<1xf32>
      %2 = vector.broadcast %1 : f32 to vector<8xf32>
      %3 = arith.mulf %0, %2 : vector<8xf32>
      vector.store %3, %out[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}
func.func @value(%in: memref<16x64xf32>, %out: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %row = memref.alloca() : memref<1x64xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    %f = memref.load %in[%i, %c0] : memref<16x64xf32>
    %b = vector.broadcast %f : f32 to vector<8xf32>
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<16x64xf32>, vector<8xf32>
      vector.store %0, %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
    }
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %3 = arith.mulf %0, %b : vector<8xf32>
      vector.store %3, %out[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// Of an intrinsic LLVM says whether it only computes. One that it does not know
// may do anything.
// CHECK-LABEL: func @computes
// CHECK: scf.if
// CHECK-LABEL: func @unknown
// CHECK-NOT: scf.if
func.func @computes(%in: memref<16x64xf32>, %out: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %row = memref.alloca() : memref<1x64xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<16x64xf32>, vector<8xf32>
      %1 = llvm.call_intrinsic "llvm.x86.avx.rsqrt.ps.256"(%0) : (vector<8xf32>) -> vector<8xf32>
      vector.store %1, %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
    }
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %out[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}
func.func @unknown(%in: memref<16x64xf32>, %out: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %row = memref.alloca() : memref<1x64xf32>
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %in[%i, %j] : memref<16x64xf32>, vector<8xf32>
      %1 = llvm.call_intrinsic "llvm.unknown.scalef.v8f32"(%0) : (vector<8xf32>) -> vector<8xf32>
      vector.store %1, %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
    }
    scf.for %j = %c0 to %c64 step %c8 {
      %0 = vector.load %row[%c0, %j] : memref<1x64xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %out[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}
