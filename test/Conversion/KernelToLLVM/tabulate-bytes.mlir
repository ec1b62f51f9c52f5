// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefix=PLAIN

// round(127 * sigmoid(x / 16)): the first sixteen bytes are those of 0 to 15, and
// the last those of -16 to -1. Upper bits choose, from bit 4 on.
// CHECK-LABEL: func.func @sigmoid
// CHECK-SAME:    (%[[X:.*]]: vector<16xi8>)
// CHECK-DAG:   %[[FIRST:.*]] = arith.constant dense<[64, 65, 67, 69, 71, 73, 75, 77, 79, 81, 83, 85, 86, 88, 90, 91]> : vector<16xi8>
// CHECK-DAG:   %[[LAST:.*]] = arith.constant dense<[34, 36, 37, 39, 41, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62]> : vector<16xi8>
// CHECK-DAG:   %[[MASK:.*]] = arith.constant dense<15> : vector<16xi8>
// CHECK:       %[[LOW:.*]] = arith.andi %[[X]], %[[MASK]]
// CHECK:       llvm.call_intrinsic "llvm.x86.ssse3.pshuf.b.128"(%[[FIRST]], %[[LOW]])
// CHECK-COUNT-14: llvm.call_intrinsic "llvm.x86.ssse3.pshuf.b.128"
// CHECK:       llvm.call_intrinsic "llvm.x86.ssse3.pshuf.b.128"(%[[LAST]], %[[LOW]])
// CHECK:       arith.shli %{{.*}} : vector<8xi16>
// CHECK-COUNT-14: arith.select
// CHECK:       %[[SIGN:.*]] = arith.cmpi slt, %[[X]], %{{.*}} : vector<16xi8>
// CHECK:       %[[R:.*]] = arith.select %[[SIGN]]
// CHECK:       return %[[R]]
// PLAIN-LABEL: func.func @sigmoid
// PLAIN-NOT:   pshuf
func.func @sigmoid(%x: vector<16xi8>) -> vector<16xi8> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %scale = arith.constant dense<0.0625> : vector<16xf32>
  %largest = arith.constant dense<127.0> : vector<16xf32>
  %0 = arith.sitofp %x : vector<16xi8> to vector<16xf32>
  %1 = arith.mulf %0, %scale : vector<16xf32>
  %2 = arith.negf %1 : vector<16xf32>
  %3 = math.exp %2 : vector<16xf32>
  %4 = arith.addf %3, %one : vector<16xf32>
  %5 = arith.divf %largest, %4 : vector<16xf32>
  %6 = math.roundeven %5 : vector<16xf32>
  %7 = arith.fptosi %6 : vector<16xf32> to vector<16xi8>
  return %7 : vector<16xi8>
}

// -----

// Two bytes, bytes that are converted only, and what is no number of 32 lanes.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   pshuf
func.func @others(%x: vector<32xi8>, %y: vector<32xi8>, %z: vector<12xi8>) -> (vector<32xi8>, vector<32xi8>, vector<12xi8>) {
  %zero = arith.constant dense<0> : vector<32xi8>
  %0 = arith.sitofp %x : vector<32xi8> to vector<32xf32>
  %1 = arith.sitofp %y : vector<32xi8> to vector<32xf32>
  %2 = math.exp %0 : vector<32xf32>
  %3 = arith.divf %1, %2 : vector<32xf32>
  %a = arith.fptosi %3 : vector<32xf32> to vector<32xi8>
  %b = arith.maxsi %x, %zero : vector<32xi8>
  %4 = arith.sitofp %z : vector<12xi8> to vector<12xf32>
  %5 = math.tanh %4 : vector<12xf32>
  %c = arith.fptosi %5 : vector<12xf32> to vector<12xi8>
  return %a, %b, %c : vector<32xi8>, vector<32xi8>, vector<12xi8>
}

// -----

// A byte on the way is not looked up, but what is computed of it and of something
// else is: the last byte before.
// CHECK-LABEL: func.func @between
// CHECK-SAME:    (%[[X:.*]]: vector<32xi8>, %[[Y:.*]]: vector<32xf32>)
// CHECK-COUNT-16: llvm.call_intrinsic "llvm.x86.avx2.pshuf.b"
// CHECK-NOT:   pshuf
// CHECK:       %[[F:.*]] = arith.sitofp %{{.*}} : vector<32xi8> to vector<32xf32>
// CHECK:       arith.addf %[[F]], %[[Y]]
func.func @between(%x: vector<32xi8>, %y: vector<32xf32>) -> vector<32xf32> {
  %0 = arith.sitofp %x : vector<32xi8> to vector<32xf32>
  %1 = math.tanh %0 : vector<32xf32>
  %2 = arith.fptosi %1 : vector<32xf32> to vector<32xi8>
  %3 = arith.sitofp %2 : vector<32xi8> to vector<32xf32>
  %4 = math.exp %3 : vector<32xf32>
  %5 = arith.fptosi %4 : vector<32xf32> to vector<32xi8>
  %6 = arith.sitofp %5 : vector<32xi8> to vector<32xf32>
  %7 = arith.addf %6, %y : vector<32xf32>
  return %7 : vector<32xf32>
}

// -----

// NaN is no integer: that does not fold, and is computed as it was.
// CHECK-LABEL: func.func @not_a_number
// CHECK-NOT:   pshuf
func.func @not_a_number(%x: vector<32xi8>) -> vector<32xi8> {
  %0 = arith.sitofp %x : vector<32xi8> to vector<32xf32>
  %1 = math.log %0 : vector<32xf32>
  %2 = arith.fptosi %1 : vector<32xf32> to vector<32xi8>
  return %2 : vector<32xi8>
}
