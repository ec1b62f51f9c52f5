// RUN: relay-opt %s --relay-to-mixed-precision="skip-values=4,5" | FileCheck %s

// What computes a value of these numbers stays in f32, whatever it is; arguments
// are the first ones. What follows it follows.

// CHECK-LABEL: func.func @main
// CHECK: relay.nn.dense {{.*}} -> tensor<2x3xf16>
// CHECK: relay.nn.dense {{.*}} -> tensor<2x3xf32>
// CHECK: relay.add {{.*}} -> tensor<2x3xf32>
// CHECK: relay.nn.relu {{.*}} -> tensor<2x3xf32>
// CHECK: relay.nn.dense {{.*}} -> tensor<2x3xf16>
// CHECK: relay.nn.relu {{.*}} -> tensor<2x3xf16>
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = relay.nn.dense %0, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %2 = relay.add %1, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = relay.nn.relu %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.nn.dense %3, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %5 = relay.nn.relu %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}
