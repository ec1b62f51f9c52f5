// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math --split-input-file | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --tir-approximate-math --split-input-file | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: relay-opt %s --relay-attach-target=target=icelake-server --tir-approximate-math --split-input-file | FileCheck %s --check-prefixes=CHECK,VNNI
// RUN: relay-opt %s --relay-attach-target=target=alderlake --tir-approximate-math --split-input-file | FileCheck %s --check-prefixes=CHECK,AVXVNNI
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --tir-approximate-math --split-input-file | FileCheck %s --check-prefix=PLAIN

// Weights that two pixels meet have their upper halves cleared, once.
// CHECK-LABEL: func.func @weights
// CHECK-SAME:    (%[[X:.*]]: vector<16xi8>, %[[Y:.*]]: vector<16xi8>, %[[W:.*]]: vector<16xi8>
// CHECK:       %[[WIDE:.*]] = arith.extsi %[[W]] : vector<16xi8> to vector<16xi32>
// CHECK:       arith.andi %[[WIDE]]
// CHECK-NOT:   arith.andi
// AVX2-COUNT-4: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVX512-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// VNNI-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"({{.*}}) : (vector<16xi32>, vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// AVXVNNI-COUNT-4: llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.256"
// CHECK:       return
// PLAIN-LABEL: func.func @weights
// PLAIN-NOT:   llvm.call_intrinsic
// PLAIN:       arith.muli
func.func @weights(%x: vector<16xi8>, %y: vector<16xi8>, %w: vector<16xi8>, %s: vector<16xi32>) -> (vector<16xi32>, vector<16xi32>) {
  %0 = arith.extsi %x : vector<16xi8> to vector<16xi32>
  %1 = arith.extsi %y : vector<16xi8> to vector<16xi32>
  %2 = arith.extsi %w : vector<16xi8> to vector<16xi32>
  %3 = arith.muli %0, %2 : vector<16xi32>
  %4 = arith.muli %1, %2 : vector<16xi32>
  %5 = arith.addi %s, %3 : vector<16xi32>
  %6 = arith.addi %4, %s : vector<16xi32>
  return %5, %6 : vector<16xi32>, vector<16xi32>
}

// -----

// The upper halves of bytes without a sign are 0; a product that is used twice is
// not part of a sum.
// CHECK-LABEL: func.func @unsigned
// CHECK-NOT:   arith.andi
// AVX2:        llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// AVX512:      llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// VNNI:        llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// CHECK:       arith.addi
func.func @unsigned(%x: vector<8xi8>, %w: vector<8xi8>) -> vector<8xi32> {
  %0 = arith.extui %x : vector<8xi8> to vector<8xi32>
  %1 = arith.extsi %w : vector<8xi8> to vector<8xi32>
  %2 = arith.muli %0, %1 : vector<8xi32>
  %3 = arith.addi %2, %2 : vector<8xi32>
  return %3 : vector<8xi32>
}

// -----

// Words without a sign are no numbers of 16 bits with one; i64, half a register
// and numbers that nothing widens stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   llvm.call_intrinsic
func.func @others(%x: vector<8xi16>, %y: vector<8xi32>, %z: vector<4xi8>) -> (vector<8xi32>, vector<8xi32>, vector<8xi64>, vector<4xi32>) {
  %0 = arith.extui %x : vector<8xi16> to vector<8xi32>
  %1 = arith.extsi %x : vector<8xi16> to vector<8xi32>
  %2 = arith.muli %0, %1 : vector<8xi32>
  %3 = arith.muli %1, %y : vector<8xi32>
  %4 = arith.extsi %x : vector<8xi16> to vector<8xi64>
  %5 = arith.muli %4, %4 : vector<8xi64>
  %6 = arith.extsi %z : vector<4xi8> to vector<4xi32>
  %7 = arith.muli %6, %6 : vector<4xi32>
  return %2, %3, %5, %7 : vector<8xi32>, vector<8xi32>, vector<8xi64>, vector<4xi32>
}
