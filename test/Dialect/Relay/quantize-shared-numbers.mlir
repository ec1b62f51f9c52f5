// RUN: relay-opt %s --relay-quantize-realize | FileCheck %s

// One constant may be scale and bounds of several quantizers.

// CHECK-LABEL: func.func @main
// CHECK-NOT: simulated_quantize
// CHECK: relay.qnn.quantize
// CHECK: relay.qnn.quantize
// CHECK: return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.relay.op.annotation.simulated_quantize %x, %s, %s, %s {kind = 1} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  %1 = relay.relay.op.annotation.simulated_quantize %0, %s, %s, %s {kind = 3} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
