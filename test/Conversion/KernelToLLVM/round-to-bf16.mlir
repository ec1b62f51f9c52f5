// RUN: relay-opt %s '--relay-attach-target=target=cooperlake precision=medium' --tir-approximate-math --canonicalize | FileCheck %s
// RUN: relay-opt %s '--relay-attach-target=target=cooperlake precision=high' --tir-approximate-math --canonicalize | FileCheck %s --check-prefix=PLAIN
// RUN: relay-opt %s '--relay-attach-target=target=x86-64-v4 precision=medium' --tir-approximate-math --canonicalize | FileCheck %s --check-prefix=PLAIN

// One instruction where the processor has it and denormal numbers may be lost.
// PLAIN-NOT: call_intrinsic

// CHECK-LABEL: func.func @registers
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.512"(%{{.*}}) : (vector<16xf32>) -> vector<16xbf16>
// CHECK-NOT:     arith.truncf
// CHECK:         return
func.func @registers(%x: vector<32xf32>) -> vector<32xbf16> {
  %0 = arith.truncf %x : vector<32xf32> to vector<32xbf16>
  return %0 : vector<32xbf16>
}

// CHECK-LABEL: func.func @half_register
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.cvtneps2bf16.256"(%{{.*}}) : (vector<8xf32>) -> vector<8xbf16>
func.func @half_register(%x: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %x : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// Fewer numbers, and other types.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     call_intrinsic
// CHECK-COUNT-3: arith.truncf
func.func @others(%x: f32, %y: vector<4xf32>, %z: vector<16xf32>) -> (bf16, vector<4xbf16>, vector<16xf16>) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.truncf %y : vector<4xf32> to vector<4xbf16>
  %2 = arith.truncf %z : vector<16xf32> to vector<16xf16>
  return %0, %1, %2 : bf16, vector<4xbf16>, vector<16xf16>
}
