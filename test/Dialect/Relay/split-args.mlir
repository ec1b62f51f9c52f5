// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-split-args{max-function-args=3}))' | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-split-args{max-function-args=3}),relay-fuse-ops)' | FileCheck %s --check-prefix=FUSED
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-split-args))' | FileCheck %s --check-prefix=ANY
// RUN: not relay-opt %s --pass-pipeline='builtin.module(func.func(relay-split-args{max-function-args=2}))' 2>&1 | FileCheck %s --check-prefix=ERR

// ERR: error: expects max-function-args to be 0, or at least 3, but got 2

// Two tensors in each concatenation; three parts are two and one.

// CHECK-LABEL: func.func @five
// CHECK: %[[P0:.*]] = relay.concatenate %arg0, %arg1 {axis = 1} : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
// CHECK: %[[S0:.*]] = relay.annotation.stop_fusion %[[P0]]
// CHECK: %[[P1:.*]] = relay.concatenate %arg0, %arg2 {axis = 1} : (tensor<2x1xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
// CHECK: %[[S1:.*]] = relay.annotation.stop_fusion %[[P1]]
// CHECK: %[[P2:.*]] = relay.concatenate %[[S0]], %[[S1]] {axis = 1}
// CHECK: %[[S2:.*]] = relay.annotation.stop_fusion %[[P2]]
// CHECK: relay.concatenate %[[S2]], %arg1 {axis = -1} : (tensor<2x?xf32>, tensor<2x2xf32>) -> tensor<2x?xf32>
// FUSED-LABEL: func.func @five
// FUSED-COUNT-4: relay.call @fused_concatenate
// FUSED-NOT: stop_fusion
// ANY: relay.concatenate %arg0, %arg1, %arg0, %arg2, %arg1
func.func @five(%x: tensor<2x1xf32>, %y: tensor<2x2xf32>, %z: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = relay.concatenate %x, %y, %x, %z, %y {axis = -1} : (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x?xf32>, tensor<2x2xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @two
// CHECK-NEXT: relay.concatenate %arg0, %arg0
// CHECK-NEXT: return
func.func @two(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = relay.concatenate %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
