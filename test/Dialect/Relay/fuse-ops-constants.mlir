// Constants with one element move into kernels, others are arguments.
// RUN: relay-opt %s --relay-fuse-ops --verify-relay-fused --split-input-file | FileCheck %s

// CHECK:       func.func private @fused_add_multiply_add(%{{.*}}: tensor<2xf32>, %[[W:.*]]: tensor<2xf32>)
// CHECK-DAG:     relay.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:     relay.constant dense<2.500000e-01> : tensor<1xf32>
// CHECK-LABEL: func.func @constants
// CHECK-NEXT:    %[[C:.*]] = relay.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NEXT:    relay.call @fused_add_multiply_add(%arg0, %[[C]])
// CHECK-NEXT:    return
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = relay.constant dense<0.5> : tensor<f32>
  %c1 = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c2 = relay.constant dense<0.25> : tensor<1xf32>
  %0 = relay.add %x, %c0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.multiply %0, %c1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.add %1, %c2 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// A constant that two kernels use is in both, and does not join them.
// CHECK-LABEL: func.func @shared_constant
// CHECK-NEXT:    relay.call @fused_add(%arg0)
// CHECK-NEXT:    relay.call @fused_multiply(%arg0)
// CHECK-NEXT:    return
func.func @shared_constant(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.add %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.multiply %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Kernels that differ in an inline constant are different.
// CHECK-DAG:   func.func private @fused_add(
// CHECK-DAG:   func.func private @fused_add_1(
// CHECK-LABEL: func.func @different_constants
func.func @different_constants(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = relay.constant dense<0.5> : tensor<f32>
  %c1 = relay.constant dense<1.5> : tensor<f32>
  %0 = relay.add %x, %c0 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.add %x, %c1 : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// The contents of a resource with one element are inline; a bool is one byte.
// CHECK:       func.func private @fused_add_where(%{{.*}}: tensor<2xf32>)
// CHECK-DAG:     relay.constant dense<1.500000e+00> : tensor<f32>
// CHECK-DAG:     relay.constant dense<true> : tensor<i1>
// CHECK-LABEL: func.func @resources
// CHECK-NEXT:    relay.call @fused_add_where(%arg0)
func.func @resources(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = relay.constant dense_resource<scale> : tensor<f32>
  %t = relay.constant dense_resource<flag> : tensor<i1>
  %0 = relay.add %x, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.where %t, %0, %x : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      scale: "0x040000000000C03F",
      flag: "0x0100000001"
    }
  }
#-}

// -----

// A returned constant stays where it is.
// CHECK-LABEL: func.func @returned_constant
// CHECK-NEXT:    %[[C:.*]] = relay.constant
// CHECK-NEXT:    return %[[C]]
func.func @returned_constant() -> tensor<f32> {
  %c = relay.constant dense<0.5> : tensor<f32>
  return %c : tensor<f32>
}
