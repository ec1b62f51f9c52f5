// RUN: relay-opt %s "--relay-quantize-equalize=ranges=16,1,16,1" --relay-fold-constant | FileCheck %s
// RUN: relay-opt %s --relay-quantize-equalize --relay-fold-constant | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relay-opt %s "--relay-quantize-equalize=ranges=1,2" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relay-opt %s "--relay-quantize-equalize=ranges=1,-2" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not relay-opt %s "--relay-quantize-equalize=strength=2" 2>&1 | FileCheck %s --check-prefix=STRENGTH
// NUMBER: expects a range for each of 4 channels of the data of products, but got 2
// RANGE: expects ranges that are finite and not negative, but got -2
// STRENGTH: expects strength to be from 0 to 1, but got 2

// Data of 16 and 1 in channels, and the largest weights that read them, 1 and
// 4. All that read them are divided; the normalisation takes the factors in.
// CHECK: %[[G:.*]] = relay.constant dense<[1.250000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK: %[[B:.*]] = relay.constant dense<[2.500000e-01, -1.000000e+00]> : tensor<2xf32>
// CHECK: %[[N:.*]] = relay.nn.layer_norm %arg0, %[[G]], %[[B]]
// CHECK: %[[V:.*]] = relay.constant dense<{{\[\[}}8.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>
// CHECK: relay.nn.matmul %[[N]], %[[V]]
// CHECK: %[[W:.*]] = relay.constant dense<{{\[\[}}-4.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
// CHECK: relay.nn.matmul %[[N]], %[[W]] {transpose_b = true}

// Nothing is known of data without numbers.
// UNKNOWN:     relay.constant dense<1.000000e+00> : tensor<2xf32>
// UNKNOWN-NOT: relay.multiply
// UNKNOWN:     return
func.func @main(%x: tensor<?x2xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
  %g = relay.constant dense<1.0> : tensor<2xf32>
  %b = relay.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %v = relay.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %w = relay.constant dense<[[-0.5, 4.0]]> : tensor<1x2xf32>
  %0 = relay.nn.layer_norm %x, %g, %b : (tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %1 = relay.nn.matmul %0, %v : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %2 = relay.nn.matmul %0, %w {transpose_b = true} : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x1xf32>
  return %1, %2 : tensor<?x1xf32>, tensor<?x1xf32>
}
