// Loss functions: result types, and unknown sizes.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @cross_entropy(
// CHECK:         relay.nn.cross_entropy {{.*}} -> tensor<f32>
func.func @cross_entropy(%a0: tensor<?x10xf32>, %a1: tensor<4x?xf32>) -> tensor<f32> {
  %r = relay.nn.cross_entropy %a0, %a1 : (tensor<?x10xf32>, tensor<4x?xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @cross_entropy_with_logits(
// CHECK:         relay.nn.cross_entropy_with_logits {{.*}} -> tensor<f16>
func.func @cross_entropy_with_logits(%a0: tensor<4x10xf16>, %a1: tensor<4x10xf16>) -> tensor<f16> {
  %r = relay.nn.cross_entropy_with_logits %a0, %a1 : (tensor<4x10xf16>, tensor<4x10xf16>) -> tensor<f16>
  return %r : tensor<f16>
}

// CHECK-LABEL: func.func @nll_loss_mean(
// CHECK:         relay.nn.nll_loss %arg0, %arg1, %arg2 {ignore_index = -100} : (tensor<4x10x?xf32>, tensor<4x5xi64>, tensor<10xf32>) -> tensor<f32>
func.func @nll_loss_mean(%a0: tensor<4x10x?xf32>, %a1: tensor<4x5xi64>, %a2: tensor<10xf32>) -> tensor<f32> {
  %r = relay.nn.nll_loss %a0, %a1, %a2 {ignore_index = -100, reduction = "mean"} : (tensor<4x10x?xf32>, tensor<4x5xi64>, tensor<10xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @nll_loss_none(
// CHECK:         relay.nn.nll_loss {{.*}} -> tensor<4x5xf32>
func.func @nll_loss_none(%a0: tensor<?x10x?xf32>, %a1: tensor<4x5xi32>, %a2: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = relay.nn.nll_loss %a0, %a1, %a2 {ignore_index = 3, reduction = "none"} : (tensor<?x10x?xf32>, tensor<4x5xi32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
