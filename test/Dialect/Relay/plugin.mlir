// Operators that a plugin adds (test/lib/SampleOperators) take part in the passes
// by what they say of themselves.
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-convert-layout | FileCheck %s --check-prefix=FOLLOW
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-convert-layout=desired-layouts=sample.correlate=NHWC:default | FileCheck %s --check-prefix=NAMED
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis))' | FileCheck %s --check-prefix=SCALE
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --pass-pipeline='builtin.module(func.func(relay-widen-products))' | FileCheck %s --check-prefix=WIDE
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-infer-types --verify-relay-typed --relay-fuse-ops --verify-relay-fused | FileCheck %s --check-prefix=FUSED
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --pass-pipeline='builtin.module(func.func(relay-legalize))' | FileCheck %s --check-prefix=LEGAL
// RUN: relay-opt --load-dialect-plugin=%relay_lib/SampleOperators%shlibext %s --relay-to-mixed-precision | FileCheck %s --check-prefix=MIXED
// RUN: not relay-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: {{.*}}sample

// An elementwise operator follows a convolution, one that is asked for leads.

// FOLLOW-LABEL: func.func @follow
// FOLLOW:         %[[C:.*]] = relay.nn.conv2d {{.*}} {data_layout = "NHWC"}
// FOLLOW-NEXT:    %[[S:.*]] = sample.soften %[[C]] : (tensor<1x7x7x4xf32>) -> tensor<1x7x7x4xf32>
// FOLLOW-NEXT:    %[[T:.*]] = relay.layout_transform %[[S]] {dst_layout = "NCHW", src_layout = "NHWC"}
// FOLLOW-NEXT:    return %[[T]]
// LEGAL-LABEL: func.func @follow
// LEGAL:         %[[C:.*]] = relay.nn.conv2d
// LEGAL-NEXT:    %[[S:.*]] = relay.nn.leaky_relu %[[C]] {alpha = 1.250000e-01}
// LEGAL-NEXT:    return %[[S]]
// MIXED-LABEL: func.func @follow
// MIXED:         %[[C:.*]] = relay.nn.conv2d {{.*}} -> tensor<1x4x7x7xf16>
// MIXED-NEXT:    sample.soften %[[C]] : (tensor<1x4x7x7xf16>) -> tensor<1x4x7x7xf16>
func.func @follow(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  %1 = sample.soften %0 : (tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  return %1 : tensor<1x4x7x7xf32>
}

// A layout for all convolutions is for this one, too. A factor of the channels
// goes into its weight.

// FOLLOW-LABEL: func.func @lead
// FOLLOW:         sample.correlate {{.*}} {data_layout = "NHWC"}
// NAMED-LABEL:  func.func @lead
// NAMED-DAG:      %[[X:.*]] = relay.layout_transform %{{.*}} {dst_layout = "NHWC", src_layout = "NCHW"}
// NAMED-DAG:      %[[W:.*]] = relay.layout_transform %{{.*}} {dst_layout = "HWIO", src_layout = "OIHW"}
// NAMED:          %[[C:.*]] = sample.correlate %[[X]], %[[W]] {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x9x9x8xf32>, tensor<3x3x8x4xf32>) -> tensor<1x7x7x4xf32>
// NAMED-NEXT:     %[[S:.*]] = sample.soften %[[C]]
// SCALE-LABEL:  func.func @lead
// SCALE-DAG:      %[[F:.*]] = relay.constant dense<2.000000e+00>
// SCALE:          %[[W:.*]] = relay.multiply %arg1, %{{.*}} : (tensor<4x8x3x3xf32>, tensor<{{.*}}>) -> tensor<4x8x3x3xf32>
// SCALE-NEXT:     %[[C:.*]] = sample.correlate %arg0, %[[W]]
// SCALE-NEXT:     %[[S:.*]] = sample.soften %[[C]]
// SCALE-NEXT:     return %[[S]]
// FUSED-LABEL:  func.func private @fused_correlate_soften_multiply
// FUSED:          sample.correlate
// FUSED-NEXT:     sample.soften
// FUSED-NEXT:     relay.multiply
func.func @lead(%x: tensor<1x8x9x9xf32>, %w: tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32> {
  %two = relay.constant dense<2.0> : tensor<f32>
  %0 = sample.correlate %x, %w : (tensor<1x8x9x9xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x7x7xf32>
  %1 = sample.soften %0 : (tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %2 = relay.multiply %1, %two : (tensor<1x4x7x7xf32>, tensor<f32>) -> tensor<1x4x7x7xf32>
  return %2 : tensor<1x4x7x7xf32>
}

// Sums of many products are computed in f32.

// WIDE-LABEL: func.func @half
// WIDE-DAG:     %[[X:.*]] = relay.cast %arg0 {dtype = f32}
// WIDE-DAG:     %[[W:.*]] = relay.cast %arg1 {dtype = f32}
// WIDE:         %[[C:.*]] = sample.correlate %[[X]], %[[W]]
// WIDE-NEXT:    relay.cast %[[C]] {dtype = f16}
func.func @half(%x: tensor<1x64x32x32xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x64x30x30xf16> {
  %0 = sample.correlate %x, %w : (tensor<1x64x32x32xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x30x30xf16>
  return %0 : tensor<1x64x30x30xf16>
}
