// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --tir-approximate-math --canonicalize --split-input-file | FileCheck %s --check-prefix=PLAIN

// The nearest integer of 32 bits: the conversion makes the lowest one of what is
// below, and the largest is selected for what is above.
// CHECK-LABEL: func.func @nearest
// CHECK-SAME:    (%[[X:.*]]: vector<16xf32>)
// CHECK-DAG:   %[[LARGEST:.*]] = arith.constant dense<2147483647> : vector<16xi32>
// CHECK-DAG:   %[[BEYOND:.*]] = arith.constant dense<2.14748365E+9> : vector<16xf32>
// CHECK-DAG:   arith.cmpf ord, %[[X]], %[[X]]
// NARROW-COUNT-2: llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// WIDE:        llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"
// CHECK:       %[[HIGH:.*]] = arith.cmpf oge, %[[X]], %[[BEYOND]]
// CHECK:       %[[R:.*]] = arith.select %[[HIGH]], %[[LARGEST]], %{{.*}}
// CHECK:       return %[[R]]
// CHECK-NOT:   roundeven
// PLAIN-LABEL: func.func @nearest
// PLAIN:       math.roundeven
// PLAIN-NOT:   llvm.call_intrinsic
func.func @nearest(%x: vector<16xf32>) -> vector<16xi32> {
  %largest = arith.constant dense<2147483647> : vector<16xi32>
  %beyond = arith.constant dense<2147483648.0> : vector<16xf32>
  %lowest = arith.constant dense<-2147483648.0> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = math.roundeven %x : vector<16xf32>
  %1 = arith.addf %0, %zero : vector<16xf32>
  %2 = arith.cmpf oge, %1, %beyond : vector<16xf32>
  %3 = arith.select %2, %zero, %1 : vector<16xi1>, vector<16xf32>
  %4 = arith.cmpf olt, %3, %lowest : vector<16xf32>
  %5 = arith.select %4, %lowest, %3 : vector<16xi1>, vector<16xf32>
  %6 = arith.cmpf uno, %5, %5 : vector<16xf32>
  %7 = arith.select %6, %zero, %5 : vector<16xi1>, vector<16xf32>
  %8 = arith.fptosi %7 : vector<16xf32> to vector<16xi32>
  %9 = arith.select %2, %largest, %8 : vector<16xi1>, vector<16xi32>
  return %9 : vector<16xi32>
}

// -----

// A zero point that is not 0 may round again; other bounds are not those of the
// integers; NaN that nobody looks for may become what it likes, but not this.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   llvm.call_intrinsic
func.func @others(%x: vector<16xf32>) -> (vector<16xi32>, vector<16xi32>, vector<16xi32>) {
  %largest = arith.constant dense<2147483647> : vector<16xi32>
  %beyond = arith.constant dense<2147483648.0> : vector<16xf32>
  %lowest = arith.constant dense<-2147483648.0> : vector<16xf32>
  %low = arith.constant dense<-1024.0> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %one = arith.constant dense<1.0> : vector<16xf32>
  %0 = math.roundeven %x : vector<16xf32>
  %1 = arith.addf %0, %one : vector<16xf32>
  %2 = arith.cmpf oge, %1, %beyond : vector<16xf32>
  %3 = arith.select %2, %zero, %1 : vector<16xi1>, vector<16xf32>
  %4 = arith.cmpf olt, %3, %lowest : vector<16xf32>
  %5 = arith.select %4, %lowest, %3 : vector<16xi1>, vector<16xf32>
  %6 = arith.cmpf uno, %5, %5 : vector<16xf32>
  %7 = arith.select %6, %zero, %5 : vector<16xi1>, vector<16xf32>
  %8 = arith.fptosi %7 : vector<16xf32> to vector<16xi32>
  %a = arith.select %2, %largest, %8 : vector<16xi1>, vector<16xi32>
  %9 = arith.cmpf oge, %0, %beyond : vector<16xf32>
  %10 = arith.select %9, %zero, %0 : vector<16xi1>, vector<16xf32>
  %11 = arith.cmpf olt, %10, %low : vector<16xf32>
  %12 = arith.select %11, %low, %10 : vector<16xi1>, vector<16xf32>
  %13 = arith.cmpf uno, %12, %12 : vector<16xf32>
  %14 = arith.select %13, %zero, %12 : vector<16xi1>, vector<16xf32>
  %15 = arith.fptosi %14 : vector<16xf32> to vector<16xi32>
  %b = arith.select %9, %largest, %15 : vector<16xi1>, vector<16xi32>
  %16 = arith.cmpf olt, %10, %lowest : vector<16xf32>
  %17 = arith.select %16, %lowest, %10 : vector<16xi1>, vector<16xf32>
  %18 = arith.fptosi %17 : vector<16xf32> to vector<16xi32>
  %c = arith.select %9, %largest, %18 : vector<16xi1>, vector<16xi32>
  return %a, %b, %c : vector<16xi32>, vector<16xi32>, vector<16xi32>
}

// -----

// A byte times a number is below 2^31, and a number.
// CHECK-LABEL: func.func @multiple_of_byte
// CHECK:       %[[P:.*]] = arith.mulf
// CHECK-NOT:   arith.cmpf
// NARROW-COUNT-2: %{{.*}} = llvm.call_intrinsic "llvm.x86.avx.cvt.ps2dq.256"
// WIDE:        %{{.*}} = llvm.call_intrinsic "llvm.x86.avx512.mask.cvtps2dq.512"(%[[P]]
// CHECK-NOT:   arith.cmpf
// CHECK:       return
func.func @multiple_of_byte(%x: vector<16xi8>) -> vector<16xi32> {
  %largest = arith.constant dense<2147483647> : vector<16xi32>
  %beyond = arith.constant dense<2147483648.0> : vector<16xf32>
  %lowest = arith.constant dense<-2147483648.0> : vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %scale = arith.constant dense<100.0> : vector<16xf32>
  %wide = arith.extsi %x : vector<16xi8> to vector<16xi32>
  %float = arith.sitofp %wide : vector<16xi32> to vector<16xf32>
  %product = arith.mulf %float, %scale : vector<16xf32>
  %0 = math.roundeven %product : vector<16xf32>
  %2 = arith.cmpf oge, %0, %beyond : vector<16xf32>
  %3 = arith.select %2, %zero, %0 : vector<16xi1>, vector<16xf32>
  %4 = arith.cmpf olt, %3, %lowest : vector<16xf32>
  %5 = arith.select %4, %lowest, %3 : vector<16xi1>, vector<16xf32>
  %6 = arith.cmpf uno, %5, %5 : vector<16xf32>
  %7 = arith.select %6, %zero, %5 : vector<16xi1>, vector<16xf32>
  %8 = arith.fptosi %7 : vector<16xf32> to vector<16xi32>
  %9 = arith.select %2, %largest, %8 : vector<16xi1>, vector<16xi32>
  return %9 : vector<16xi32>
}
