// Operators that a plugin adds (test/lib/SampleOperators) say how they are computed
// in integers, and what quantization does with them.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-fake-quantization-to-integer=hard-fail=true | FileCheck %s
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-quantize-annotate | FileCheck %s --check-prefix=ANNOTATE

// CHECK-LABEL: func.func @soften
// CHECK:     relay.cast
// CHECK:     relay.where
// CHECK:     relay.qnn.requantize
// CHECK-NEXT: return
func.func @soften(%q: tensor<4xi8>) -> tensor<4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = sample.soften %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %2 : tensor<4xi8>
}

// ANNOTATE-LABEL: func.func @layer
// ANNOTATE: %[[C:.*]] = relay.nn.conv2d
// ANNOTATE: %[[S:.*]] = sample.soften %[[C]]
// ANNOTATE: simulated_quantize %[[S]]
func.func @layer(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32> {
  %0 = relay.nn.conv2d %x, %w {} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %1 = sample.soften %0 : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>
  return %1 : tensor<1x1x4x4xf32>
}
