// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-constant))' | FileCheck %s

// A chain folds to one constant; nothing of it stays.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = relay.constant dense<[3.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[R:.*]] = relay.multiply %{{.*}}, %[[C]]
// CHECK-NEXT: return %[[R]]
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.multiply %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.add %0, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.multiply %x, %1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Fields of a folded tuple are constants.
// CHECK-LABEL: func.func @split
// CHECK-DAG: relay.constant dense<[1, 2]>
// CHECK-DAG: relay.constant dense<[3, 4]>
// CHECK-NOT: relay.split
func.func @split() -> (tensor<2xi32>, tensor<2xi32>) {
  %a = relay.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = relay.split %a {indices_or_sections = 2} : (tensor<4xi32>) -> tuple<tensor<2xi32>, tensor<2xi32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xi32>, tensor<2xi32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<2xi32>, tensor<2xi32>>
  return %1, %2 : tensor<2xi32>, tensor<2xi32>
}

// Large results become resources.
// CHECK-LABEL: func.func @large
// CHECK: relay.constant dense_resource<folded{{.*}}> : tensor<8x4xf32>
func.func @large() -> tensor<8x4xf32> {
  %a = relay.constant dense<1.0> : tensor<4x8xf32>
  %0 = relay.transpose %a : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// 4 MiB out of four bytes are better made at run time.
// CHECK-LABEL: func.func @growth
// CHECK: relay.broadcast_to
func.func @growth() -> tensor<1024x1024xf32> {
  %a = relay.constant dense<1.0> : tensor<1x1xf32>
  %0 = relay.broadcast_to %a {shape = [1024, 1024]} : (tensor<1x1xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}
