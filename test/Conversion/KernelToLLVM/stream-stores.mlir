// RUN: relay-opt %s --split-input-file --tir-stream-stores=min-bytes=4096 | FileCheck %s

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

// -----

// Vectors of half a line to rows far apart: another row is written to before a
// line is full, and where the innermost loop fills lines, too many others.
// Whole lines, and halves of a line side by side, may go anywhere.
// CHECK-LABEL: func @parts
// CHECK-NOT: nontemporal
// CHECK-LABEL: func @lines
// CHECK-COUNT-3: nontemporal
func.func @parts(%v: vector<8xf32>, %planes: memref<8192xf32>, %rows: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c8 {
    scf.for %plane = %c0 to %c8 step %c1 {
      %0 = arith.muli %plane, %c1024 : index
      %1 = arith.addi %0, %i : index
      vector.store %v, %planes[%1] : memref<8192xf32>, vector<8xf32>
    }
  }
  scf.for %i = %c0 to %c1024 step %c8 {
    %1 = arith.addi %i, %c1024 : index
    %2 = arith.addi %1, %c1024 : index
    %3 = arith.addi %2, %c1024 : index
    %4 = arith.addi %3, %c1024 : index
    vector.store %v, %rows[%i] : memref<8192xf32>, vector<8xf32>
    vector.store %v, %rows[%1] : memref<8192xf32>, vector<8xf32>
    vector.store %v, %rows[%2] : memref<8192xf32>, vector<8xf32>
    vector.store %v, %rows[%3] : memref<8192xf32>, vector<8xf32>
    vector.store %v, %rows[%4] : memref<8192xf32>, vector<8xf32>
  }
  return
}
func.func @lines(%v: vector<8xf32>, %w: vector<16xf32>, %halves: memref<8192xf32>, %whole: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c16 {
    scf.for %plane = %c0 to %c8 step %c1 {
      %0 = arith.muli %plane, %c1024 : index
      %1 = arith.addi %0, %i : index
      %2 = arith.addi %1, %c8 : index
      vector.store %v, %halves[%1] : memref<8192xf32>, vector<8xf32>
      vector.store %v, %halves[%2] : memref<8192xf32>, vector<8xf32>
    }
  }
  scf.for %i = %c0 to %c1024 step %c16 {
    scf.for %plane = %c0 to %c8 step %c1 {
      %0 = arith.muli %plane, %c1024 : index
      %1 = arith.addi %0, %i : index
      vector.store %w, %whole[%1] : memref<8192xf32>, vector<16xf32>
    }
  }
  return
}

// -----

// Results of a product: a reduction runs between the parts of a line, and of
// the next one.
// CHECK-LABEL: func @product
// CHECK-NOT: nontemporal
func.func @product(%v: vector<8xf32>, %out: memref<8192xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c16 {
    %0:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %v, %b = %v) -> (vector<8xf32>, vector<8xf32>) {
      %1 = arith.addf %a, %v : vector<8xf32>
      %2 = arith.addf %b, %v : vector<8xf32>
      scf.yield %1, %2 : vector<8xf32>, vector<8xf32>
    }
    %3 = arith.addi %i, %c8 : index
    vector.store %0#0, %out[%i] : memref<8192xf32>, vector<8xf32>
    vector.store %0#1, %out[%3] : memref<8192xf32>, vector<8xf32>
  }
  return
}

// -----

// Rows that are read twice: the last time fetches the next row, or at the end
// the same.
// CHECK-LABEL: func @rows
// CHECK-SAME: (%[[IN:[a-z0-9]+]]: memref<16x128xf32>
// CHECK: scf.for %[[ROW:[a-z0-9]*]] = %{{.*}} to %[[NUM:[a-z0-9]*]] step
// CHECK:   scf.for
// CHECK-NOT: prefetch
// CHECK:   %[[MORE:.*]] = arith.addi %[[ROW]]
// CHECK:   %[[HAS:.*]] = arith.cmpi slt, %[[MORE]], %[[NUM]]
// CHECK:   %[[NEXT:.*]] = arith.select %[[HAS]], %[[MORE]], %[[ROW]]
// CHECK:   scf.for %[[I:[a-z0-9]*]] =
// CHECK:     memref.prefetch %[[IN]][%[[NEXT]], %[[I]]], read, locality<2>, data
// CHECK:     %[[SECOND:.*]] = arith.addi %[[I]], %c16
// CHECK:     memref.prefetch %[[IN]][%[[NEXT]], %[[SECOND]]]
// CHECK:     vector.load %[[IN]][%[[ROW]], %[[I]]]
func.func @rows(%in: memref<16x128xf32>, %out: memref<16x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  scf.for %row = %c0 to %c16 step %c1 {
    %sum = scf.for %i = %c0 to %c128 step %c32 iter_args(%s = %zero) -> vector<32xf32> {
      %v = vector.load %in[%row, %i] : memref<16x128xf32>, vector<32xf32>
      %a = arith.addf %s, %v : vector<32xf32>
      scf.yield %a : vector<32xf32>
    }
    scf.for %i = %c0 to %c128 step %c32 {
      %v = vector.load %in[%row, %i] : memref<16x128xf32>, vector<32xf32>
      %d = arith.divf %v, %sum : vector<32xf32>
      vector.store %d, %out[%row, %i] : memref<16x128xf32>, vector<32xf32>
    }
  }
  return
}

// -----

// Read once, memory is busy anyway.
// CHECK-LABEL: func @once
// CHECK-NOT: prefetch
func.func @once(%in: memref<16x128xf32>, %out: memref<16x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  scf.for %row = %c0 to %c16 step %c1 {
    scf.for %i = %c0 to %c128 step %c32 {
      %v = vector.load %in[%row, %i] : memref<16x128xf32>, vector<32xf32>
      vector.store %v, %out[%row, %i] : memref<16x128xf32>, vector<32xf32>
    }
  }
  return
}
