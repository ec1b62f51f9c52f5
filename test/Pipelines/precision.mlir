// Winograd's algorithm is for all precisions but the highest.
// RUN: relay-opt %s --relay-optimize="target=x86-64-v3" | FileCheck %s
// RUN: relay-opt %s --relay-optimize="precision=high target=x86-64-v3" | FileCheck %s
// RUN: relay-opt %s --relay-optimize="precision=medium target=x86-64-v3" | FileCheck %s
// RUN: relay-opt %s --relay-optimize="precision=highest target=x86-64-v3" | FileCheck %s --check-prefix=HIGHEST
// RUN: relay-compile %s --emit=relay --target=x86-64-v3 | FileCheck %s
// RUN: relay-compile %s --emit=relay --target=x86-64-v3 --precision=highest | FileCheck %s --check-prefix=HIGHEST

// RUN: not relay-opt %s --relay-optimize=precision=low 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not relay-compile %s --emit=relay --precision=low 2>&1 | FileCheck %s --check-prefix=TOOL
// RUN: not relay-run %s --precision=low 2>&1 | FileCheck %s --check-prefix=TOOL
// PIPELINE: error: expects a precision of highest, high or medium, but got 'low'
// TOOL: error: expects --precision=highest, high or medium, but got 'low'

// CHECK-NOT: weight_transform %
// CHECK: relay.nn.contrib_conv2d_winograd_without_weight_transform
// HIGHEST: relay.nn.conv2d
func.func @main(%x: tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32> {
  %w = relay.constant dense<0.5> : tensor<128x128x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1>} : (tensor<1x28x28x128xf32>, tensor<128x128x3x3xf32>) -> tensor<1x28x28x128xf32>
  return %0 : tensor<1x28x28x128xf32>
}
