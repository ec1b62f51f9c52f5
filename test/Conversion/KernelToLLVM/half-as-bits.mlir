// RUN: relay-opt %s --tir-half-as-bits | FileCheck %s

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME:    %[[ZERO:[a-z0-9]+]]: vector<8xbf16>
// CHECK:         %[[ZERO_BITS:.*]] = llvm.bitcast %[[ZERO]] : vector<8xbf16> to vector<8xi16>
// CHECK:         %[[BITS:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZERO_BITS]] {{.*}} -> vector<8xi16>
// CHECK-NEXT:    llvm.intr.masked.store %[[BITS]]
llvm.func @copy(%x: !llvm.ptr, %y: !llvm.ptr, %mask: vector<8xi1>, %zero: vector<8xbf16>) {
  %0 = llvm.intr.masked.load %x, %mask, %zero {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %0, %y, %mask {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}

// Other types stay.
// CHECK-LABEL: llvm.func @single
// CHECK-NOT:     bitcast
llvm.func @single(%x: !llvm.ptr, %mask: vector<8xi1>, %zero: vector<8xf32>) -> vector<8xf32> {
  %0 = llvm.intr.masked.load %x, %mask, %zero {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.return %0 : vector<8xf32>
}

// CHECK-LABEL: llvm.func @blocks
llvm.func @blocks(%p: !llvm.ptr, %q: !llvm.ptr, %c: i1) {
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(16384 : i16) : i16
  %two = llvm.mlir.constant(2.0 : bf16) : bf16
  // CHECK: %[[V:.*]] = llvm.load {{.*}} -> i16
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2(%[[TWO]] : i16)
  %v = llvm.load %p : !llvm.ptr -> bf16
  llvm.cond_br %c, ^bb1, ^bb2(%two : bf16)
^bb1:
  // CHECK: llvm.br ^bb2(%[[V]] : i16)
  llvm.br ^bb2(%v : bf16)
// CHECK: ^bb2(%[[R:.*]]: i16):
// CHECK: llvm.store %[[R]], %{{.*}} : i16
^bb2(%r: bf16):
  llvm.store %r, %q : bf16, !llvm.ptr
  llvm.return
}

// What computes gets numbers, and gives bits to what moves them.
// CHECK-LABEL: llvm.func @arithmetic
llvm.func @arithmetic(%p: !llvm.ptr) {
  // CHECK:      %[[ONES:.*]] = llvm.mlir.constant(dense<15360> : vector<4xi16>) : vector<4xi16>
  // CHECK:      %[[V:.*]] = llvm.load {{.*}} -> vector<4xi16>
  // CHECK:      %[[S:.*]] = llvm.shufflevector %[[V]], %[[ONES]] [0, 4, 1, 5] : vector<4xi16>
  // CHECK:      %[[X:.*]] = llvm.bitcast %[[S]] : vector<4xi16> to vector<4xf16>
  // CHECK:      %[[Y:.*]] = llvm.fpext %[[X]] : vector<4xf16> to vector<4xf32>
  // CHECK:      %[[Z:.*]] = llvm.fptrunc %[[Y]] : vector<4xf32> to vector<4xf16>
  // CHECK:      %[[B:.*]] = llvm.bitcast %[[Z]] : vector<4xf16> to vector<4xi16>
  // CHECK:      llvm.store %[[B]]
  %ones = llvm.mlir.constant(dense<1.0> : vector<4xf16>) : vector<4xf16>
  %0 = llvm.load %p : !llvm.ptr -> vector<4xf16>
  %1 = llvm.shufflevector %0, %ones [0, 4, 1, 5] : vector<4xf16>
  %2 = llvm.fpext %1 : vector<4xf16> to vector<4xf32>
  %3 = llvm.fptrunc %2 : vector<4xf32> to vector<4xf16>
  llvm.store %3, %p : vector<4xf16>, !llvm.ptr
  llvm.return
}
