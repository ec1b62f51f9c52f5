// Sizes that depend on conditions are sums of products with symbols that are 0 or 1;
// symbols stand for what is not negative, and long expressions for themselves.
//
// RUN: relay-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg),convert-relay-to-relax)' | FileCheck %s

func.func private @kernel(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> attributes {relay.primitive} {
  %five = relay.constant dense<5> : tensor<1xi64>
  %zero = relay.constant dense<0> : tensor<1xi64>
  %one = relay.constant dense<1> : tensor<1xi64>
  %n = relay.shape_of %y {dtype = i64} : (tensor<?xf32>) -> tensor<1xi64>
  %end = relay.subtract %n, %five : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = relay.dyn.strided_slice %x, %zero, %end, %one {axes = [0]} : (tensor<?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: relax.func @main
// CHECK:         relax.max_size "max(m - 4, 0)" of [m - 4, 0]
// CHECK-NEXT:    relax.min_size "min(max(m - 4, 0), 1)" of ["max(m - 4, 0)", 1]
// CHECK:         relax.call_tir @kernel(
func.func @main(%x: tensor<?xf32> {relay.dims = ["n"]}, %y: tensor<?xf32> {relay.dims = ["m"]}) -> tensor<?xf32> {
  %r = relay.call @kernel(%x, %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
