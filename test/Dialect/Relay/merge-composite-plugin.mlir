// Patterns that a plugin brings (test/lib/SampleOperators).
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --pass-pipeline='builtin.module(func.func(relay-merge-composite{compiler=sample}))' | FileCheck %s
// RUN: not relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --pass-pipeline='builtin.module(func.func(relay-merge-composite{compiler=other}))' 2>&1 | FileCheck %s --check-prefix=OTHER

// OTHER: error: expects the name of a compiler that has patterns, but got 'other'

// CHECK-LABEL: func.func @biased
// CHECK:         relay.fn
// CHECK-SAME:      relay.composite = "sample.correlate_soften"
// CHECK-SAME:      relay.partitioned_from_pattern = "sample.correlate_nn.bias_add_sample.soften_"
func.func @biased(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %bias = relay.constant dense<1.0> : tensor<4xf32>
  %0 = sample.correlate %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  %1 = relay.nn.bias_add %0, %bias : (tensor<1x4x7x7xf32>, tensor<4xf32>) -> tensor<1x4x7x7xf32>
  %2 = sample.soften %1 : (tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  return %2 : tensor<1x4x7x7xf32>
}

// CHECK-LABEL: func.func @open
// CHECK-NOT:     relay.fn
// CHECK:         return
func.func @open(%x: tensor<?x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) -> tensor<?x4x7x7xf32> {
  %0 = sample.correlate %x, %w : (tensor<?x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<?x4x7x7xf32>
  %1 = sample.soften %0 : (tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  return %1 : tensor<?x4x7x7xf32>
}
