// RUN: relay-opt %s --relay-to-kernels | FileCheck %s

// A program without kernels.

// CHECK-LABEL: relax.func @main
// CHECK: relax.constant dense<[1, 2]>
// CHECK-NOT: tir.prim_func
func.func @main(%x: tensor<2xf32> {relay.name = "x"})
    -> (tensor<2xi64> {relay.name = "y"}, tensor<2xf32> {relay.name = "z"}) {
  %0 = relay.constant dense<[1, 2]> : tensor<2xi64>
  return %0, %x : tensor<2xi64>, tensor<2xf32>
}
