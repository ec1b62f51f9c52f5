// What is particular to the dialect; test_relay_rewrite_passes.py has a case for each
// group of rules.
// RUN: relay-opt %s --relay-simplify-expr | FileCheck %s

// Where a size is not known, a constant of size 2 may repeat what has size 1.
// CHECK-LABEL: func.func @open_sizes
// CHECK-SAME:    (%[[X:.*]]: tensor<?x3xf32>
// CHECK-NEXT:    %[[C:.*]] = relay.constant dense<0.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT:    %[[Y:.*]] = relay.add %[[X]], %[[C]]
// CHECK-NEXT:    return %[[X]], %[[X]], %[[Y]]
func.func @open_sizes(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>) {
  %scalar = relay.constant dense<0.0> : tensor<f32>
  %row = relay.constant dense<0.0> : tensor<1x3xf32>
  %rows = relay.constant dense<0.0> : tensor<2x3xf32>
  %0 = relay.add %x, %scalar : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  %1 = relay.add %x, %row : (tensor<?x3xf32>, tensor<1x3xf32>) -> tensor<?x3xf32>
  %2 = relay.add %x, %rows : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<2x3xf32>
}

// A declared type stays.
// CHECK-LABEL: func.func @declared
// CHECK-SAME:    (%[[X:.*]]: tensor<2x?x4xf32>)
// CHECK-NEXT:    %[[T:.*]] = relay.transpose %[[X]] {axes = [0, 2, 1]} : (tensor<2x?x4xf32>) -> tensor<2x4x?xf32>
// CHECK-NEXT:    return %[[T]]
func.func @declared(%x: tensor<2x?x4xf32>) -> tensor<2x4x?xf32> {
  %0 = relay.transpose %x {axes = [2, 0, 1]} : (tensor<2x?x4xf32>) -> tensor<4x2x?xf32>
  %1 = relay.transpose %0 {axes = [1, 0, 2]} : (tensor<4x2x?xf32>) -> tensor<2x4x?xf32>
  return %1 : tensor<2x4x?xf32>
}

// What only a rule's result needs goes with it; what others use stays.
// CHECK-LABEL: func.func @uses
// CHECK-SAME:    (%[[X:.*]]: tensor<4xi16>)
// CHECK-NEXT:    %[[W:.*]] = relay.cast %[[X]] {dtype = i32}
// CHECK-NEXT:    %[[F:.*]] = relay.cast %[[X]] {dtype = f32}
// CHECK-NEXT:    return %[[W]], %[[F]]
func.func @uses(%x: tensor<4xi16>) -> (tensor<4xi32>, tensor<4xf32>) {
  %0 = relay.cast %x {dtype = i32} : (tensor<4xi16>) -> tensor<4xi32>
  %1 = relay.cast %0 {dtype = i64} : (tensor<4xi32>) -> tensor<4xi64>
  %2 = relay.cast %1 {dtype = f32} : (tensor<4xi64>) -> tensor<4xf32>
  return %0, %2 : tensor<4xi32>, tensor<4xf32>
}

// Several groups of rules, one after the other.
// CHECK-LABEL: func.func @together
// CHECK-SAME:    (%[[X:.*]]: tensor<3x4xf32>)
// CHECK-NEXT:    %[[A:.*]] = relay.constant dense<6.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[Y:.*]] = relay.multiply %[[X]], %[[A]]
// CHECK-NEXT:    %[[B:.*]] = relay.constant dense<1.200000e+01> : tensor<f32>
// CHECK-NEXT:    %[[Z:.*]] = relay.add %[[Y]], %[[B]]
// CHECK-NEXT:    return %[[Z]]
func.func @together(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %two = relay.constant dense<2.0> : tensor<f32>
  %three = relay.constant dense<3.0> : tensor<f32>
  %ones = relay.ones_like %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = relay.multiply %x, %ones : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = relay.add %0, %two : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %2 = relay.multiply %1, %two : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %3 = relay.multiply %three, %2 : (tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}
