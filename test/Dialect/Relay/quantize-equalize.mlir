// RUN: relay-opt %s --relay-quantize-equalize --relay-fold-constant | FileCheck %s
// RUN: relay-opt %s "--relay-quantize-equalize=per-channel=true" --relay-fold-constant | FileCheck %s --check-prefix=PERCHANNEL

// Rows of 4 and 1, read by columns of 1 and 4: the first channel becomes a
// quarter, as seen from the second one.
// CHECK-LABEL: @layers
// CHECK:       %[[V:.*]] = relay.constant dense<1.000000e+00> : tensor<2x1xf32>
// CHECK:       %[[X:.*]] = relay.nn.dense %arg0, %[[V]]
// CHECK:       %[[B:.*]] = relay.constant dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK:       %[[A:.*]] = relay.add %[[X]], %[[B]]
// CHECK:       %[[R:.*]] = relay.nn.relu %[[A]]
// CHECK:       %[[W:.*]] = relay.constant dense<4.000000e+00> : tensor<1x2xf32>
// CHECK:       relay.nn.dense %[[R]], %[[W]]
func.func @layers(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %v = relay.constant dense<[[4.0], [1.0]]> : tensor<2x1xf32>
  %b = relay.constant dense<[8.0, 3.0]> : tensor<2xf32>
  %w = relay.constant dense<[[1.0, 4.0]]> : tensor<1x2xf32>
  %0 = relay.nn.dense %x, %v : (tensor<3x1xf32>, tensor<2x1xf32>) -> tensor<3x2xf32>
  %1 = relay.add %0, %b : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %2 = relay.nn.relu %1 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = relay.nn.dense %2, %w : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
  return %3 : tensor<3x1xf32>
}

// A depthwise convolution: with a scale of each channel its weight does not
// count. Pooling and the flattening of pixels are no hindrance.
// CHECK-LABEL: @depthwise
// CHECK:       %[[V:.*]] = relay.constant dense<{{.*}}[1.000000e+00]{{.*}}[4.000000e+00]{{.*}}> : tensor<2x1x1x1xf32>
// CHECK:       relay.nn.conv2d %arg0, %[[V]]
// CHECK:       %[[D:.*]] = relay.constant dense<{{.*}}[1.000000e+00]{{.*}}[2.000000e+00]{{.*}}> : tensor<2x1x1x1xf32>
// CHECK:       relay.nn.conv2d %{{.*}}, %[[D]]
// CHECK:       %[[W:.*]] = relay.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32>
// CHECK:       relay.nn.dense %{{.*}}, %[[W]]
// PERCHANNEL-LABEL: @depthwise
// PERCHANNEL: %[[V:.*]] = relay.constant dense<1.000000e+00> : tensor<2x1x1x1xf32>
// PERCHANNEL: relay.nn.conv2d %arg0, %[[V]]
// PERCHANNEL: %[[D:.*]] = relay.constant dense<{{.*}}[1.000000e+00]{{.*}}[4.000000e+00]{{.*}}> : tensor<2x1x1x1xf32>
// PERCHANNEL: relay.nn.conv2d %{{.*}}, %[[D]]
// PERCHANNEL: %[[W:.*]] = relay.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
// PERCHANNEL: relay.nn.dense %{{.*}}, %[[W]]
func.func @depthwise(%x: tensor<1x1x4x4xf32>) -> tensor<1x1xf32> {
  %v = relay.constant dense<[[[[1.0]]], [[[16.0]]]]> : tensor<2x1x1x1xf32>
  %d = relay.constant dense<1.0> : tensor<2x1x1x1xf32>
  %w = relay.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
  %0 = relay.nn.conv2d %x, %v {} : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = relay.nn.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = relay.nn.conv2d %1, %d {groups = 2} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = relay.nn.global_avg_pool2d %2 : (tensor<1x2x4x4xf32>) -> tensor<1x2x1x1xf32>
  %4 = relay.nn.batch_flatten %3 : (tensor<1x2x1x1xf32>) -> tensor<1x2xf32>
  %5 = relay.nn.dense %4, %w : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1xf32>
  return %5 : tensor<1x1xf32>
}

// What somebody else reads stays as it is, and so does what a function bends.
// CHECK-LABEL: @others
// CHECK-DAG:   %[[V:.*]] = relay.constant dense<{{\[\[}}4.000000e+00], [1.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG:   %[[W:.*]] = relay.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
// CHECK-NOT:   relay.multiply
// CHECK:       return
func.func @others(%x: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3x2xf32>, tensor<3x1xf32>) {
  %v = relay.constant dense<[[4.0], [1.0]]> : tensor<2x1xf32>
  %w = relay.constant dense<[[1.0, 4.0]]> : tensor<1x2xf32>
  %0 = relay.nn.dense %x, %v : (tensor<3x1xf32>, tensor<2x1xf32>) -> tensor<3x2xf32>
  %1 = relay.nn.dense %0, %w : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
  %2 = relay.nn.dense %x, %v : (tensor<3x1xf32>, tensor<2x1xf32>) -> tensor<3x2xf32>
  %3 = relay.tanh %2 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = relay.nn.dense %3, %w : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<3x1xf32>
  return %1, %0, %4 : tensor<3x1xf32>, tensor<3x2xf32>, tensor<3x1xf32>
}
