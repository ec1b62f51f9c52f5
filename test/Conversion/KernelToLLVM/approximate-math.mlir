// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --tir-approximate-math --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --tir-approximate-math --split-input-file | FileCheck %s --check-prefix=SCALEF

// Vectors stay vectors.
// CHECK-LABEL: func.func @exp
// CHECK:         math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT:     math.exp
// CHECK-NOT:     call
// PLAIN-LABEL: func.func @exp
// PLAIN-NOT:     math.fma
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// What may be approximate takes one power of two instead of two.
// CHECK-LABEL: func.func @approximate_exp
// CHECK:         arith.shli
// CHECK-NOT:     arith.shli
// CHECK:         return
// CHECK-LABEL: func.func @exact_exp
// CHECK-COUNT-2: arith.shli
// CHECK:         return
// Where a register is scaled at once, tiny results are 0, too.
// SCALEF-LABEL: func.func @approximate_exp
// SCALEF:         %[[SCALED:.*]] = llvm.call_intrinsic
// SCALEF:         %[[TINY:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<8xf32>
// SCALEF:         %[[RESULT:.*]] = arith.select %[[TINY]], %{{.*}}, %[[SCALED]]
// SCALEF:         return %[[RESULT]]
// SCALEF-LABEL: func.func @exact_exp
// SCALEF:         %[[EXACT:.*]] = llvm.call_intrinsic
// SCALEF:         return %[[EXACT]]
func.func @approximate_exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x fastmath<afn> : vector<8xf32>
  return %0 : vector<8xf32>
}
func.func @exact_exp(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// Angles, in double precision until less than a quarter turn is left. Enormous
// ones are libm's, lane by lane.
// CHECK-LABEL: func.func @sin
// CHECK:         arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK:         arith.truncf
// CHECK:         %[[ANY:.*]] = vector.reduction <or>
// CHECK:         scf.if %[[ANY]]
// CHECK:           scf.for
// CHECK:             call @sinf
func.func @sin(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.sin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// CHECK-LABEL: func.func @vector_code
// CHECK-NOT:     call
// CHECK-NOT:     math.{{asin|acos|atan|sinh|cosh|asinh|acosh|atanh|powf|log}}
// CHECK:         return
func.func @vector_code(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.asin %x : vector<8xf32>
  %1 = math.acos %0 : vector<8xf32>
  %2 = math.atan %1 : vector<8xf32>
  %3 = math.sinh %2 : vector<8xf32>
  %4 = math.cosh %3 : vector<8xf32>
  %5 = math.asinh %4 : vector<8xf32>
  %6 = math.acosh %5 : vector<8xf32>
  %7 = math.atanh %6 : vector<8xf32>
  %8 = math.log2 %7 : vector<8xf32>
  %9 = math.log10 %8 : vector<8xf32>
  %10 = math.log1p %9 : vector<8xf32>
  %11 = math.powf %10, %y : vector<8xf32>
  return %11 : vector<8xf32>
}

// -----

// Rounding to even, which relay spells by rounding away from zero.
// CHECK-LABEL: func.func @round_even
// CHECK:         %[[R:.*]] = math.roundeven %{{.*}} : vector<8xf32>
// CHECK:         return %[[R]]
func.func @round_even(%x: vector<8xf32>) -> vector<8xf32> {
  %half = arith.constant dense<0.5> : vector<8xf32>
  %two = arith.constant dense<2.0> : vector<8xf32>
  %0 = math.trunc %x : vector<8xf32>
  %1 = arith.subf %x, %0 : vector<8xf32>
  %2 = math.absf %1 : vector<8xf32>
  %3 = arith.cmpf oeq, %2, %half : vector<8xf32>
  %4 = arith.divf %x, %two : vector<8xf32>
  %5 = math.round %4 : vector<8xf32>
  %6 = arith.mulf %5, %two : vector<8xf32>
  %7 = math.round %x : vector<8xf32>
  %8 = arith.select %3, %6, %7 : vector<8xi1>, vector<8xf32>
  return %8 : vector<8xf32>
}

// -----

// Exponentials of double precision: a longer series, and powers of two from the
// upper bits.
// CHECK-LABEL: func.func @wide_exp
// CHECK-DAG:     arith.constant dense<52> : vector<4xi64>
// CHECK-COUNT-15: math.fma %{{.*}} : vector<4xf64>
// CHECK-NOT:     call
// CHECK:         return
func.func @wide_exp(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = math.exp %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// -----

// Of tanh, the series and one division.
// CHECK-LABEL: func.func @wide_tanh
// CHECK-COUNT-14: math.fma %{{.*}} : vector<4xf64>
// CHECK:         arith.divf
// CHECK:         math.copysign
// CHECK-NOT:     call
// CHECK:         return
func.func @wide_tanh(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = math.tanh %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// -----

// Other functions of double precision, its scalars, and functions of arguments
// without bounds, are libm's.
// CHECK-LABEL: func.func @calls
// CHECK-COUNT-2: call @cbrt(
// CHECK:         call @sinf(
// CHECK:         math.sqrt
func.func @calls(%x: vector<2xf64>, %y: f32) -> (vector<2xf64>, f32) {
  %0 = math.cbrt %x : vector<2xf64>
  %1 = math.sin %y : f32
  %2 = math.sqrt %1 : f32
  return %0, %2 : vector<2xf64>, f32
}

// -----

// CHECK-LABEL: func.func @multiply_add
// CHECK-SAME:    (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32)
// CHECK:         math.fma %[[A]], %[[B]], %[[C]]
// PLAIN-LABEL: func.func @multiply_add
// PLAIN:         arith.mulf
// PLAIN-NEXT:    arith.addf
func.func @multiply_add(%a: f32, %b: f32, %c: f32) -> f32 {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %c, %0 : f32
  return %1 : f32
}

// -----

// A product that is needed elsewhere is rounded the same way in both places.
// CHECK-LABEL: func.func @shared_product
// CHECK:         %[[P:.*]] = arith.mulf
// CHECK:         arith.addf %{{.*}}, %[[P]]
func.func @shared_product(%a: f32, %b: f32, %c: f32) -> (f32, f32) {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %c, %0 : f32
  return %0, %1 : f32, f32
}

// -----

// CHECK-LABEL: func.func @half
// CHECK:         arith.extf
// CHECK:         arith.truncf
// PLAIN-LABEL: func.func @half
// PLAIN-NOT:     arith.extf
// PLAIN-NOT:     arith.truncf
func.func @half(%x: vector<8xf16>, %y: f32) -> (vector<8xf32>, f16) {
  %0 = arith.extf %x : vector<8xf16> to vector<8xf32>
  %1 = arith.truncf %y : f32 to f16
  return %0, %1 : vector<8xf32>, f16
}

// -----

// Powers that are cheaper in other ways.
// CHECK-LABEL: func.func @power
// CHECK-SAME:    (%[[X:.*]]: vector<8xf32>)
// CHECK:         arith.mulf %[[X]], %[[X]]
// CHECK-NOT:     call
func.func @power(%x: vector<8xf32>) -> vector<8xf32> {
  %two = arith.constant dense<2.0> : vector<8xf32>
  %0 = math.powf %x, %two : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// One register at a time is multiplied by a power of two, in one instruction
// where there is one.
// CHECK-LABEL: func.func @scale(
// CHECK:         arith.shrui
// CHECK:         arith.shli
// SCALEF-LABEL: func.func @scale(
// SCALEF-NOT:     arith.shli
// SCALEF-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"({{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
// SCALEF:         llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>, i8) -> vector<8xf32>
// SCALEF:         arith.shli
// SCALEF-NOT:     math.exp
func.func @scale(%x: vector<32xf32>, %y: vector<8xf32>, %z: f32) -> (vector<32xf32>, vector<8xf32>, f32) {
  %0 = math.exp %x : vector<32xf32>
  %1 = math.exp %y : vector<8xf32>
  %2 = math.exp %z : f32
  return %0, %1, %2 : vector<32xf32>, vector<8xf32>, f32
}

// -----

// CHECK-LABEL: func.func @rational
// CHECK-COUNT-2: arith.divf %{{.*}} : vector<8xf32>
// CHECK-NOT:     call
// CHECK:         return
func.func @rational(%x: vector<8xf32>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = math.erf %x : vector<8xf32>
  %1 = math.tanh %y : vector<8xf32>
  return %0, %1 : vector<8xf32>, vector<8xf32>
}

// -----

// The digits of a small x stay: no difference from 1 of what was rounded to 1.
// CHECK-LABEL: func.func @small(
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// CHECK-NOT:     math.{{exp|log}}
// CHECK-DAG:     %[[HALF:.*]] = arith.constant dense<5.000000e-01>
// CHECK-DAG:     %[[TWO:.*]] = arith.constant dense<2.000000e+00>
// CHECK:         %[[REST:.*]] = arith.subf %[[POWER:.*]], %[[HALF]]
// CHECK:         %[[SUM:.*]] = math.fma %{{.*}}, %[[POWER]], %[[REST]]
// CHECK:         arith.mulf %[[SUM]], %[[TWO]]
func.func @small(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = math.exp %x : vector<8xf32>
  %1 = arith.subf %0, %one : vector<8xf32>
  return %1 : vector<8xf32>
}

// CHECK-LABEL: func.func @near_one(
// CHECK-SAME:    %[[X:.*]]: vector<8xf32>
// CHECK:         %[[SUM:.*]] = arith.addf
// CHECK:         %[[ROUNDED:.*]] = arith.subf %[[SUM]]
// CHECK:         arith.subf %[[X]], %[[ROUNDED]]
func.func @near_one(%x: vector<8xf32>) -> vector<8xf32> {
  %one = arith.constant dense<1.0> : vector<8xf32>
  %0 = arith.addf %one, %x : vector<8xf32>
  %1 = math.log %0 : vector<8xf32>
  return %1 : vector<8xf32>
}

// -----

// A sum of dequantized numbers rounds its products.
// CHECK-LABEL: func.func @dequantized
// CHECK-NOT:     math.fma
// CHECK:         arith.addf
// CHECK:         return
func.func @dequantized(%q: vector<8xi32>, %scale: vector<8xf32>,
                       %factor: vector<8xf32>, %x: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.sitofp %q : vector<8xi32> to vector<8xf32>
  %1 = arith.mulf %0, %scale : vector<8xf32>
  %2 = arith.addf %1, %x : vector<8xf32>
  %3 = arith.mulf %2, %factor : vector<8xf32>
  %4 = arith.addf %x, %3 : vector<8xf32>
  return %4 : vector<8xf32>
}
