// RUN: relay-opt %s --relax-name-kernels | FileCheck %s

// Kernels are numbered in the order of their calls; a name that is taken is
// skipped, and names that fusion did not give stay.

// CHECK-DAG: func.func private @dense(tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
func.func private @fused_nn_dense_1(tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
// CHECK-DAG: func.func private @dense1(tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
func.func private @fused_nn_dense(tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
// CHECK-DAG: func.func private @tanh1(tensor<?x4xf32>) -> tensor<?x4xf32>
func.func private @fused_tanh(tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-DAG: func.func private @tanh(tensor<?x4xf32>) -> tensor<?x4xf32>
func.func private @tanh(tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-DAG: func.func private @fused_2(tensor<?x4xf32>) -> tensor<?x4xf32>
func.func private @fused_2(tensor<?x4xf32>) -> tensor<?x4xf32>

// CHECK-LABEL: relax.func @main
// CHECK: relax.call_tir @dense(
// CHECK: relax.call_tir @dense1(
// CHECK: relax.call_tir @tanh1(
// CHECK: relax.call_tir @tanh(
// CHECK: relax.call_tir @fused_2(
// CHECK: relax.call_tir @dense(
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %0 = relax.call_tir @fused_nn_dense_1(%x, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %1 = relax.call_tir @fused_nn_dense(%0, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %2 = relax.call_tir @fused_tanh(%1) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %3 = relax.call_tir @tanh(%2) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %4 = relax.call_tir @fused_2(%3) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %5 = relax.call_tir @fused_nn_dense_1(%4, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %5 : !relax.tensor<[n, 4], f32>
}
