// Operators that a plugin adds (test/lib/SampleOperators) say what their gradients
// are; those that do not are errors.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-first-order-gradient=entries=soften | FileCheck %s
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-gradient=entries=soften | FileCheck %s
// RUN: not relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-gradient=entries=correlate 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: expects operators whose gradients are known, but got 'sample.correlate'

// CHECK-LABEL: func.func @soften(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
// CHECK: sample.soften %[[X]]
// CHECK: %[[C:.*]] = relay.greater %[[X]]
// CHECK: relay.where %[[C]]
func.func @soften(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sample.soften %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @correlate(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %0 = sample.correlate %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  return %0 : tensor<1x4x7x7xf32>
}
