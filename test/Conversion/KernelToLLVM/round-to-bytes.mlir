// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefix=WIDE
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefix=PLAIN

// Bounds that are those of the bytes, or below them after a conversion that makes
// the lowest integer of what is beyond, are saturation.
// CHECK-LABEL: func.func @signed
// CHECK-SAME:    (%[[X:.*]]: vector<8xf32>)
// CHECK-DAG:   %[[HIGH:.*]] = arith.constant dense<1.270000e+02> : vector<8xf32>
// CHECK:       %[[C:.*]] = arith.cmpf olt, %[[X]], %[[HIGH]]
// CHECK:       %[[M:.*]] = arith.select %[[C]], %[[X]], %[[HIGH]]
// CHECK-DAG:   llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"(%[[M]])
// CHECK-DAG:   arith.cmpf ord, %[[X]], %[[X]]
// CHECK:       llvm.call_intrinsic "llvm.x86.sse2.packssdw.128"
// CHECK:       llvm.call_intrinsic "llvm.x86.sse2.packsswb.128"
// CHECK-NOT:   roundeven
// PLAIN-LABEL: func.func @signed
// PLAIN:       math.roundeven
// PLAIN-NOT:   llvm.call_intrinsic
func.func @signed(%x: vector<8xf32>) -> vector<8xi8> {
  %low = arith.constant dense<-128.0> : vector<8xf32>
  %high = arith.constant dense<127.0> : vector<8xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.addf %0, %zero : vector<8xf32>
  %2 = arith.maximumf %1, %low : vector<8xf32>
  %3 = arith.minimumf %2, %high : vector<8xf32>
  %4 = arith.cmpf une, %3, %3 : vector<8xf32>
  %5 = arith.select %4, %zero, %3 : vector<8xi1>, vector<8xf32>
  %6 = arith.fptosi %5 : vector<8xf32> to vector<8xi32>
  %7 = arith.trunci %6 : vector<8xi32> to vector<8xi8>
  return %7 : vector<8xi8>
}

// -----

// A zero point comes after the conversion, and moves both bounds.
// CHECK-LABEL: func.func @zero_point
// CHECK-DAG:   %[[LOW:.*]] = arith.constant dense<-3.000000e+00> : vector<8xf32>
// CHECK-DAG:   %[[HIGH:.*]] = arith.constant dense<2.520000e+02> : vector<8xf32>
// CHECK-DAG:   %[[Z:.*]] = arith.constant dense<3> : vector<8xi32>
// CHECK:       arith.cmpf ogt, %{{.*}}, %[[LOW]]
// CHECK:       arith.cmpf olt, %{{.*}}, %[[HIGH]]
// CHECK:       %[[I:.*]] = llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// CHECK:       arith.addi %[[I]], %[[Z]]
// CHECK:       llvm.call_intrinsic "llvm.x86.sse2.packuswb.128"
func.func @zero_point(%x: vector<8xf32>) -> vector<8xi8> {
  %low = arith.constant dense<0.0> : vector<8xf32>
  %high = arith.constant dense<255.0> : vector<8xf32>
  %z = arith.constant dense<3.0> : vector<8xf32>
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.addf %0, %z : vector<8xf32>
  %2 = arith.maximumf %1, %low : vector<8xf32>
  %3 = arith.minimumf %2, %high : vector<8xf32>
  %6 = arith.fptosi %3 : vector<8xf32> to vector<8xi32>
  %7 = arith.trunci %6 : vector<8xi32> to vector<8xi8>
  return %7 : vector<8xi8>
}

// -----

// Bounds that are no whole numbers, more than bytes, another way of rounding, NaN
// that would be beyond the bounds, and a bound before the zero point.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   llvm.call_intrinsic
func.func @others(%x: vector<8xf32>) -> (vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>) {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %one = arith.constant dense<1.0> : vector<8xf32>
  %half = arith.constant dense<0.5> : vector<8xf32>
  %low = arith.constant dense<-128.0> : vector<8xf32>
  %high = arith.constant dense<127.0> : vector<8xf32>
  %higher = arith.constant dense<200.0> : vector<8xf32>
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.maximumf %0, %low : vector<8xf32>
  %2 = arith.minimumf %1, %half : vector<8xf32>
  %3 = arith.fptosi %2 : vector<8xf32> to vector<8xi32>
  %a = arith.trunci %3 : vector<8xi32> to vector<8xi8>
  %4 = arith.minimumf %1, %higher : vector<8xf32>
  %5 = arith.fptosi %4 : vector<8xf32> to vector<8xi32>
  %b = arith.trunci %5 : vector<8xi32> to vector<8xi8>
  %6 = math.floor %x : vector<8xf32>
  %7 = arith.maximumf %6, %low : vector<8xf32>
  %8 = arith.minimumf %7, %high : vector<8xf32>
  %9 = arith.fptosi %8 : vector<8xf32> to vector<8xi32>
  %c = arith.trunci %9 : vector<8xi32> to vector<8xi8>
  %10 = arith.maximumf %0, %one : vector<8xf32>
  %11 = arith.minimumf %10, %high : vector<8xf32>
  %12 = arith.cmpf une, %11, %11 : vector<8xf32>
  %13 = arith.select %12, %zero, %11 : vector<8xi1>, vector<8xf32>
  %14 = arith.fptosi %13 : vector<8xf32> to vector<8xi32>
  %d = arith.trunci %14 : vector<8xi32> to vector<8xi8>
  %15 = arith.minimumf %0, %high : vector<8xf32>
  %16 = arith.addf %15, %one : vector<8xf32>
  %17 = arith.maximumf %16, %low : vector<8xf32>
  %18 = arith.minimumf %17, %high : vector<8xf32>
  %19 = arith.fptosi %18 : vector<8xf32> to vector<8xi32>
  %e = arith.trunci %19 : vector<8xi32> to vector<8xi8>
  return %a, %b, %c, %d, %e : vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>
}

// -----

// Bounds of the bytes are taken in; 0 in place of NaN is what the comparison with
// a bound of 0 makes.
// CHECK-LABEL: func.func @bounds_of_bytes
// CHECK-DAG:   %[[HIGH:.*]] = arith.constant dense<1.000000e+02> : vector<8xf32>
// CHECK-DAG:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK:       arith.cmpf ogt, %arg0, %[[ZERO]]
// CHECK:       arith.cmpf olt, %{{.*}}, %[[HIGH]]
// CHECK-NOT:   arith.cmpf
// CHECK:       llvm.call_intrinsic "llvm.x86.sse2.packuswb.128"
// CHECK-NOT:   arith.maxsi
// CHECK-NOT:   arith.minsi
func.func @bounds_of_bytes(%x: vector<8xf32>) -> vector<8xi8> {
  %low = arith.constant dense<0.0> : vector<8xf32>
  %high = arith.constant dense<127.0> : vector<8xf32>
  %first = arith.constant dense<-127> : vector<8xi8>
  %last = arith.constant dense<100> : vector<8xi8>
  %0 = math.roundeven %x : vector<8xf32>
  %1 = arith.maximumf %0, %low : vector<8xf32>
  %2 = arith.minimumf %1, %high : vector<8xf32>
  %3 = arith.cmpf une, %2, %2 : vector<8xf32>
  %4 = arith.select %3, %low, %2 : vector<8xi1>, vector<8xf32>
  %5 = arith.fptosi %4 : vector<8xf32> to vector<8xi32>
  %6 = arith.trunci %5 : vector<8xi32> to vector<8xi8>
  %7 = arith.maxsi %6, %first : vector<8xi8>
  %8 = arith.minsi %7, %last : vector<8xi8>
  return %8 : vector<8xi8>
}

// -----

// Two registers, and four: bytes are packed in the halves of a register, in groups
// of four, which come into order at the end.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK:       llvm.call_intrinsic "llvm.x86.sse2.packuswb.128"
// CHECK:       vector.shuffle %{{.*}}, %{{.*}} [0, 2, 1, 3] : vector<4xi32>
// CHECK:       vector.bitcast %{{.*}} : vector<4xi32> to vector<16xi8>
// CHECK-LABEL: func.func @four
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx2.packssdw"
// CHECK:       llvm.call_intrinsic "llvm.x86.avx2.packsswb"
// CHECK:       vector.shuffle %{{.*}}, %{{.*}} [0, 4, 1, 5, 2, 6, 3, 7] : vector<8xi32>
// CHECK:       vector.bitcast %{{.*}} : vector<8xi32> to vector<32xi8>
// One register of AVX-512 and two, each of which makes its bytes: those without a
// sign need their lower bound, as all integers are without one then.
// WIDE-LABEL:  func.func @two
// WIDE:        arith.cmpf ogt
// WIDE:        arith.cmpf olt
// WIDE:        %[[I:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// WIDE:        arith.trunci %[[I]] : vector<16xi32> to vector<16xi8>
// WIDE-LABEL:  func.func @four
// WIDE:        arith.cmpf olt
// WIDE-NOT:    arith.cmpf
// WIDE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// WIDE-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.pmovs.db.512"
func.func @two(%x: vector<16xf32>) -> vector<16xi8> {
  %low = arith.constant dense<0.0> : vector<16xf32>
  %high = arith.constant dense<255.0> : vector<16xf32>
  %0 = math.roundeven %x : vector<16xf32>
  %2 = arith.maximumf %0, %low : vector<16xf32>
  %3 = arith.minimumf %2, %high : vector<16xf32>
  %6 = arith.fptosi %3 : vector<16xf32> to vector<16xi32>
  %7 = arith.trunci %6 : vector<16xi32> to vector<16xi8>
  return %7 : vector<16xi8>
}
func.func @four(%x: vector<32xf32>) -> vector<32xi8> {
  %low = arith.constant dense<-128.0> : vector<32xf32>
  %high = arith.constant dense<127.0> : vector<32xf32>
  %0 = math.roundeven %x : vector<32xf32>
  %2 = arith.maximumf %0, %low : vector<32xf32>
  %3 = arith.minimumf %2, %high : vector<32xf32>
  %6 = arith.fptosi %3 : vector<32xf32> to vector<32xi32>
  %7 = arith.trunci %6 : vector<32xi32> to vector<32xi8>
  return %7 : vector<32xi8>
}

// -----

// Bounds of the bytes by comparisons, as vectorized loops have them; NaN is a mask
// of the conversion.
// WIDE-LABEL: func.func @selected
// WIDE-SAME:    (%[[X:.*]]: vector<16xf32>)
// WIDE-DAG:   %[[LOW:.*]] = arith.constant dense<-1.270000e+02> : vector<16xf32>
// WIDE-DAG:   arith.cmpf ogt, %[[X]], %[[LOW]]
// WIDE-DAG:   %[[N:.*]] = arith.cmpf ord, %[[X]], %[[X]]
// WIDE-DAG:   %[[B:.*]] = vector.bitcast %[[N]] : vector<16xi1> to vector<1xi16>
// WIDE-DAG:   %[[M:.*]] = vector.extract %[[B]][0]
// WIDE:       llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"(%{{.*}}, %{{.*}}, %[[M]], %{{.*}})
// WIDE-NOT:   arith.cmpi
// WIDE:       return
func.func @selected(%x: vector<16xf32>) -> vector<16xi8> {
  %low = arith.constant dense<-128.0> : vector<16xf32>
  %high = arith.constant dense<127.0> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %first = arith.constant dense<-127> : vector<16xi8>
  %0 = math.roundeven %x : vector<16xf32>
  %1 = arith.maximumf %0, %low : vector<16xf32>
  %2 = arith.minimumf %1, %high : vector<16xf32>
  %3 = arith.cmpf une, %2, %2 : vector<16xf32>
  %4 = arith.select %3, %zero, %2 : vector<16xi1>, vector<16xf32>
  %5 = arith.fptosi %4 : vector<16xf32> to vector<16xi32>
  %6 = arith.trunci %5 : vector<16xi32> to vector<16xi8>
  %7 = arith.cmpi slt, %6, %first : vector<16xi8>
  %8 = arith.select %7, %first, %6 : vector<16xi1>, vector<16xi8>
  return %8 : vector<16xi8>
}
