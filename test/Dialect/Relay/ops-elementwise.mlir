// Elementwise operators: assembly, and types where all result sizes are left open.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt --verify-relay-typed | FileCheck %s
// RUN: relay-opt %s --relay-infer-types --emit-bytecode | relay-opt | FileCheck %s

// Unary operators keep the type.
// CHECK-LABEL: func.func @unary
func.func @unary(%a0: tensor<2x3xf32>) {
  // CHECK: relay.log %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = relay.log %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.log2 %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.log2 %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.log10 %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.log10 %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.tan %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = relay.tan %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.cos %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.cos %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.cosh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = relay.cosh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sin %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = relay.sin %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sinh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = relay.sinh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.acos %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = relay.acos %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.acosh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = relay.acosh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.asin %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = relay.asin %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.asinh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = relay.asinh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.atan %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = relay.atan %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.atanh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = relay.atanh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.exp %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = relay.exp %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.fast_exp %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = relay.fast_exp %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.erf %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %16 = relay.erf %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.fast_erf %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %17 = relay.fast_erf %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sqrt %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %18 = relay.sqrt %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.rsqrt %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = relay.rsqrt %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.zeros_like %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %20 = relay.zeros_like %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.ones_like %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = relay.ones_like %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sigmoid %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = relay.sigmoid %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.copy %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %23 = relay.copy %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.floor %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %24 = relay.floor %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.ceil %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %25 = relay.ceil %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.trunc %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %26 = relay.trunc %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.round %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %27 = relay.round %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sign %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %28 = relay.sign %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.abs %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %29 = relay.abs %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.tanh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %30 = relay.tanh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.fast_tanh %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %31 = relay.fast_tanh %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.negative %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %32 = relay.negative %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.relu %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %33 = relay.nn.relu %a0 : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// Dynamic sizes stay dynamic.
// CHECK-LABEL: func.func @unary_dynamic
func.func @unary_dynamic(%a0: tensor<?x3xf32>) {
  // CHECK: relay.exp %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = relay.exp %a0 : (tensor<?x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.isnan %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xi1>
  %1 = relay.isnan %a0 : (tensor<?x3xf32>) -> tensor<?x?xi1>
  return
}

// Operators on integers and bools.
// CHECK-LABEL: func.func @unary_integers
func.func @unary_integers(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi1>, %a2: tensor<4xui8>) {
  // CHECK: relay.abs %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %0 = relay.abs %a0 : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.bitwise_not %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = relay.bitwise_not %a0 : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.negative %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = relay.negative %a0 : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.sign %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = relay.sign %a0 : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.logical_not %{{.*}} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %4 = relay.logical_not %a1 : (tensor<2x3xi1>) -> tensor<?x?xi1>
  // CHECK: relay.abs %{{.*}} : (tensor<4xui8>) -> tensor<4xui8>
  %5 = relay.abs %a2 : (tensor<4xui8>) -> tensor<?xui8>
  return
}

// Tests of floating-point values give bools.
// CHECK-LABEL: func.func @tests
func.func @tests(%a0: tensor<2x3xf32>) {
  // CHECK: relay.isnan %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = relay.isnan %a0 : (tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.isfinite %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %1 = relay.isfinite %a0 : (tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.isinf %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = relay.isinf %a0 : (tensor<2x3xf32>) -> tensor<?x?xi1>
  return
}

// Attributes; those with the default are not printed.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>, %a2: tensor<?x3xf32>, %a3: tensor<2x3xi1>, %a4: tensor<1x4x2x2xf32>, %a5: tensor<4xf32>, %a6: tensor<3xf32>) {
  // CHECK: relay.clip %{{.*}} {a_max = 6.000000e+00, a_min = -1.000000e+00} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = relay.clip %a0 {a_min = -1.0, a_max = 6.0} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.clip %{{.*}} {a_max = 2.550000e+02, a_min = 0.000000e+00} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = relay.clip %a1 {a_min = 0.0, a_max = 255.0} : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.fixed_point_multiply %{{.*}} {multiplier = 1073741824, shift = -2} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = relay.fixed_point_multiply %a1 {multiplier = 1073741824, shift = -2} : (tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.nn.leaky_relu %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = relay.nn.leaky_relu %a0 {alpha = 0.25} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.leaky_relu %{{.*}} {alpha = 1.250000e-01} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.nn.leaky_relu %a0 {alpha = 0.125} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.cast %{{.*}} {dtype = i8} : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %5 = relay.cast %a0 {dtype = i8} : (tensor<2x3xf32>) -> tensor<?x?xi8>
  // CHECK: relay.cast %{{.*}} {dtype = bf16} : (tensor<?x3xf32>) -> tensor<?x3xbf16>
  %6 = relay.cast %a2 {dtype = bf16} : (tensor<?x3xf32>) -> tensor<?x?xbf16>
  // CHECK: relay.cast %{{.*}} {dtype = i1} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %7 = relay.cast %a0 {dtype = i1} : (tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.cast %{{.*}} {dtype = ui8} : (tensor<2x3xi1>) -> tensor<2x3xui8>
  %8 = relay.cast %a3 {dtype = ui8} : (tensor<2x3xi1>) -> tensor<?x?xui8>
  // CHECK: relay.nn.prelu %{{.*}}, %{{.*}} : (tensor<1x4x2x2xf32>, tensor<4xf32>) -> tensor<1x4x2x2xf32>
  %9 = relay.nn.prelu %a4, %a5 {axis = 1} : (tensor<1x4x2x2xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.prelu %{{.*}}, %{{.*}} {axis = -1} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %10 = relay.nn.prelu %a0, %a6 {axis = -1} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.nn.bias_add %{{.*}}, %{{.*}} : (tensor<1x4x2x2xf32>, tensor<4xf32>) -> tensor<1x4x2x2xf32>
  %11 = relay.nn.bias_add %a4, %a5 {axis = 1} : (tensor<1x4x2x2xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  // CHECK: relay.nn.bias_add %{{.*}}, %{{.*}} {axis = -1} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %12 = relay.nn.bias_add %a0, %a6 {axis = -1} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<?x?xf32>
  return
}

// Binary operators.
// CHECK-LABEL: func.func @binary
func.func @binary(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = relay.add %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.subtract %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.subtract %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.multiply %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.multiply %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.divide %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = relay.divide %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.power %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.power %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.maximum %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = relay.maximum %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.minimum %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = relay.minimum %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.mod %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = relay.mod %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.floor_mod %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = relay.floor_mod %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.trunc_mod %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = relay.trunc_mod %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.floor_divide %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = relay.floor_divide %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.trunc_divide %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = relay.trunc_divide %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  return
}

// Binary operators on integers and bools.
// CHECK-LABEL: func.func @binary_integers
func.func @binary_integers(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi32>, %a2: tensor<2x3xi1>, %a3: tensor<2x3xi1>) {
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %0 = relay.add %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.right_shift %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = relay.right_shift %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.left_shift %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = relay.left_shift %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.bitwise_and %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = relay.bitwise_and %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.bitwise_or %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %4 = relay.bitwise_or %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.bitwise_xor %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %5 = relay.bitwise_xor %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.floor_divide %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %6 = relay.floor_divide %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.mod %{{.*}}, %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %7 = relay.mod %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<?x?xi32>
  // CHECK: relay.logical_and %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %8 = relay.logical_and %a2, %a3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<?x?xi1>
  // CHECK: relay.logical_or %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %9 = relay.logical_or %a2, %a3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<?x?xi1>
  // CHECK: relay.logical_xor %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  %10 = relay.logical_xor %a2, %a3 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<?x?xi1>
  return
}

// Comparisons give bools.
// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // CHECK: relay.equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %0 = relay.equal %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.not_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %1 = relay.not_equal %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.less %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %2 = relay.less %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.less_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %3 = relay.less_equal %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.greater %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %4 = relay.greater %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.greater_equal %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %5 = relay.greater_equal %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<?x?xi1>
  return
}

// Shapes broadcast from the last dimension. A dynamic size beside one above 1
// must be that one; beside 1 it stays.
// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<2x1xf32>, %a5: tensor<1x3xf32>, %a6: tensor<4x1x3xf32>, %a7: tensor<?x3xf32>, %a8: tensor<?x3xf32>, %a9: tensor<0x3xf32>, %a10: tensor<3xi1>, %a11: tensor<?x3xi1>) {
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = relay.add %a0, %a1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.add %a2, %a0 : (tensor<f32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %2 = relay.add %a4, %a5 : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<4x2x3xf32>
  %3 = relay.add %a6, %a4 : (tensor<4x1x3xf32>, tensor<2x1xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  %4 = relay.add %a7, %a5 : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = relay.add %a7, %a0 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %6 = relay.add %a7, %a8 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.add %{{.*}}, %{{.*}} : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>
  %7 = relay.add %a9, %a5 : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<?x?xf32>
  // CHECK: relay.less %{{.*}}, %{{.*}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %8 = relay.less %a4, %a1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<?x?xi1>
  // CHECK: relay.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
  %9 = relay.where %a10, %a4, %a2 : (tensor<3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK: relay.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3xi1>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  %10 = relay.where %a11, %a2, %a3 : (tensor<?x3xi1>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  return
}
