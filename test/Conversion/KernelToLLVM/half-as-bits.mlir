// RUN: relay-opt %s --tir-half-as-bits | FileCheck %s

// CHECK-LABEL: llvm.func @copy
// CHECK-SAME:    %[[ZERO:[a-z0-9]+]]: vector<8xbf16>
// CHECK:         %[[ZERO_BITS:.*]] = llvm.bitcast %[[ZERO]] : vector<8xbf16> to vector<8xi16>
// CHECK:         %[[BITS:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZERO_BITS]] {{.*}} -> vector<8xi16>
// CHECK:         %[[VALUE:.*]] = llvm.bitcast %[[BITS]] : vector<8xi16> to vector<8xbf16>
// CHECK:         %[[STORED:.*]] = llvm.bitcast %[[VALUE]] : vector<8xbf16> to vector<8xi16>
// CHECK:         llvm.intr.masked.store %[[STORED]]
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
  %zero = llvm.mlir.constant(0.0 : bf16) : bf16
  // CHECK: %[[V:.*]] = llvm.load {{.*}} -> bf16
  // CHECK: %[[V_BITS:.*]] = llvm.bitcast %[[V]] : bf16 to i16
  // CHECK: %[[ZERO_BITS:.*]] = llvm.bitcast %{{.*}} : bf16 to i16
  // CHECK: llvm.cond_br %{{.*}}, ^bb1, ^bb2(%[[ZERO_BITS]] : i16)
  %v = llvm.load %p : !llvm.ptr -> bf16
  llvm.cond_br %c, ^bb1, ^bb2(%zero : bf16)
^bb1:
  // CHECK: ^bb1:
  // CHECK: %[[HERE:.*]] = llvm.bitcast %[[V_BITS]] : i16 to bf16
  // CHECK: %[[PASSED:.*]] = llvm.bitcast %[[HERE]] : bf16 to i16
  // CHECK: llvm.br ^bb2(%[[PASSED]] : i16)
  llvm.br ^bb2(%v : bf16)
// CHECK: ^bb2(%[[ARG:.*]]: i16):
// CHECK: %[[R:.*]] = llvm.bitcast %[[ARG]] : i16 to bf16
// CHECK: llvm.store %[[R]]
^bb2(%r: bf16):
  llvm.store %r, %q : bf16, !llvm.ptr
  llvm.return
}
