// Reductions: assembly, and types where all result sizes are left open.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt --relay-infer-types | FileCheck %s
// RUN: relay-opt %s --relay-infer-types | relay-opt --verify-relay-typed | FileCheck %s
// RUN: relay-opt %s --relay-infer-types --emit-bytecode | relay-opt | FileCheck %s

// Without axes all are reduced.
// CHECK-LABEL: func.func @all_axes
func.func @all_axes(%a0: tensor<2x3x4xf32>, %a1: tensor<2x3x4xi1>) {
  // CHECK: relay.sum %{{.*}} : (tensor<2x3x4xf32>) -> tensor<f32>
  %0 = relay.sum %a0 : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.prod %{{.*}} : (tensor<2x3x4xf32>) -> tensor<f32>
  %1 = relay.prod %a0 : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.mean %{{.*}} : (tensor<2x3x4xf32>) -> tensor<f32>
  %2 = relay.mean %a0 : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.max %{{.*}} : (tensor<2x3x4xf32>) -> tensor<f32>
  %3 = relay.max %a0 : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.min %{{.*}} : (tensor<2x3x4xf32>) -> tensor<f32>
  %4 = relay.min %a0 : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.all %{{.*}} : (tensor<2x3x4xi1>) -> tensor<i1>
  %5 = relay.all %a1 : (tensor<2x3x4xi1>) -> tensor<i1>
  // CHECK: relay.any %{{.*}} : (tensor<2x3x4xi1>) -> tensor<i1>
  %6 = relay.any %a1 : (tensor<2x3x4xi1>) -> tensor<i1>
  // CHECK: relay.argmax %{{.*}} : (tensor<2x3x4xf32>) -> tensor<i32>
  %7 = relay.argmax %a0 : (tensor<2x3x4xf32>) -> tensor<i32>
  // CHECK: relay.argmin %{{.*}} : (tensor<2x3x4xf32>) -> tensor<i32>
  %8 = relay.argmin %a0 : (tensor<2x3x4xf32>) -> tensor<i32>
  return
}

// Reduced axes vanish or stay with size 1; negative ones count from the last.
// CHECK-LABEL: func.func @axes
func.func @axes(%a0: tensor<2x3x4xf32>, %a1: tensor<2x3x4xi1>, %a2: tensor<2x3xui8>, %a3: tensor<f32>) {
  // CHECK: relay.sum %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %0 = relay.sum %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.prod %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %1 = relay.prod %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.mean %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %2 = relay.mean %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.max %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %3 = relay.max %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.min %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %4 = relay.min %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sum %{{.*}} {axis = [-1]} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %5 = relay.sum %a0 {axis = [-1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  // CHECK: relay.sum %{{.*}} {axis = [0, 2]} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %6 = relay.sum %a0 {axis = [0, 2]} : (tensor<2x3x4xf32>) -> tensor<?xf32>
  // CHECK: relay.sum %{{.*}} {axis = [2, 0], keepdims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  %7 = relay.sum %a0 {axis = [2, 0], keepdims = true} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.sum %{{.*}} {keepdims = true} : (tensor<2x3x4xf32>) -> tensor<1x1x1xf32>
  %8 = relay.sum %a0 {keepdims = true} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.sum %{{.*}} {axis = []} : (tensor<2x3x4xf32>) -> tensor<f32>
  %9 = relay.sum %a0 {axis = []} : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: relay.sum %{{.*}} {axis = [0], exclude = true} : (tensor<2x3x4xf32>) -> tensor<2xf32>
  %10 = relay.sum %a0 {axis = [0], exclude = true} : (tensor<2x3x4xf32>) -> tensor<?xf32>
  // CHECK: relay.sum %{{.*}} {axis = [0], exclude = true, keepdims = true} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %11 = relay.sum %a0 {axis = [0], exclude = true, keepdims = true} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.all %{{.*}} {axis = [0]} : (tensor<2x3x4xi1>) -> tensor<3x4xi1>
  %12 = relay.all %a1 {axis = [0]} : (tensor<2x3x4xi1>) -> tensor<?x?xi1>
  // CHECK: relay.any %{{.*}} {axis = [0], keepdims = true} : (tensor<2x3x4xi1>) -> tensor<1x3x4xi1>
  %13 = relay.any %a1 {axis = [0], keepdims = true} : (tensor<2x3x4xi1>) -> tensor<?x?x?xi1>
  // CHECK: relay.max %{{.*}} {axis = [0]} : (tensor<2x3xui8>) -> tensor<3xui8>
  %14 = relay.max %a2 {axis = [0], keepdims = false} : (tensor<2x3xui8>) -> tensor<?xui8>
  // CHECK: relay.sum %{{.*}} : (tensor<f32>) -> tensor<f32>
  %15 = relay.sum %a3 : (tensor<f32>) -> tensor<f32>
  return
}

// Positions are int32.
// CHECK-LABEL: func.func @positions
func.func @positions(%a0: tensor<2x3x4xf32>) {
  // CHECK: relay.argmax %{{.*}} {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xi32>
  %0 = relay.argmax %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<?x?xi32>
  // CHECK: relay.argmax %{{.*}} {axis = [1], keepdims = true, select_last_index = true} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi32>
  %1 = relay.argmax %a0 {axis = [1], keepdims = true, select_last_index = true} : (tensor<2x3x4xf32>) -> tensor<?x?x?xi32>
  // CHECK: relay.argmin %{{.*}} {axis = [-1], exclude = true} : (tensor<2x3x4xf32>) -> tensor<4xi32>
  %2 = relay.argmin %a0 {axis = [-1], exclude = true} : (tensor<2x3x4xf32>) -> tensor<?xi32>
  return
}

// The mean that variance takes has size 1 along the axes.
// CHECK-LABEL: func.func @variance
func.func @variance(%a0: tensor<2x3x4xf32>, %a1: tensor<2x3x1xf32>) {
  // CHECK: relay.variance %{{.*}}, %{{.*}} {axis = [-1], keepdims = true} : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %0 = relay.variance %a0, %a1 {axis = [-1], keepdims = true} : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.variance %{{.*}}, %{{.*}} {axis = [2], unbiased = true} : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %1 = relay.variance %a0, %a1 {axis = [2], unbiased = true} : (tensor<2x3x4xf32>, tensor<2x3x1xf32>) -> tensor<?x?xf32>
  return
}

// Dynamic sizes.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%a0: tensor<?x3x?xf32>) {
  // CHECK: relay.sum %{{.*}} {axis = [1]} : (tensor<?x3x?xf32>) -> tensor<?x?xf32>
  %0 = relay.sum %a0 {axis = [1]} : (tensor<?x3x?xf32>) -> tensor<?x?xf32>
  // CHECK: relay.mean %{{.*}} {axis = [2], keepdims = true} : (tensor<?x3x?xf32>) -> tensor<?x3x1xf32>
  %1 = relay.mean %a0 {axis = [2], keepdims = true} : (tensor<?x3x?xf32>) -> tensor<?x?x?xf32>
  // CHECK: relay.argmax %{{.*}} {axis = [0]} : (tensor<?x3x?xf32>) -> tensor<3x?xi32>
  %2 = relay.argmax %a0 {axis = [0]} : (tensor<?x3x?xf32>) -> tensor<?x?xi32>
  return
}
