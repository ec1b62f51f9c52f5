// A small network survives printing and parsing; defaults are not printed.
// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<?x3x32x32xf32> {relay.name = "x"}, %w: tensor<16x3x3x3xf32>, %b: tensor<16xf32>, %w2: tensor<10x16xf32>)
    -> (tensor<?x10xf32> {relay.name = "y"}) {
  // CHECK: relay.constant dense<1.000000e+00> : tensor<f32>
  %c = relay.constant dense<1.0> : tensor<f32>
  // CHECK: relay.nn.conv2d %{{.*}}, %{{.*}} {padding = [1, 1, 1, 1]} : (tensor<?x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x32x32xf32>
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], strides = [1, 1]} : (tensor<?x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x32x32xf32>
  // CHECK: relay.nn.bias_add %{{.*}}, %{{.*}} : (tensor<?x16x32x32xf32>, tensor<16xf32>)
  %1 = relay.nn.bias_add %0, %b {axis = 1} : (tensor<?x16x32x32xf32>, tensor<16xf32>) -> tensor<?x16x32x32xf32>
  %2 = relay.nn.relu %1 : (tensor<?x16x32x32xf32>) -> tensor<?x16x32x32xf32>
  %3 = relay.nn.global_avg_pool2d %2 : (tensor<?x16x32x32xf32>) -> tensor<?x16x1x1xf32>
  %4 = relay.nn.batch_flatten %3 : (tensor<?x16x1x1xf32>) -> tensor<?x16xf32>
  %5 = relay.nn.dense %4, %w2 : (tensor<?x16xf32>, tensor<10x16xf32>) -> tensor<?x10xf32>
  %6 = relay.add %5, %c : (tensor<?x10xf32>, tensor<f32>) -> tensor<?x10xf32>
  // CHECK: relay.split %{{.*}} {axis = 1, indices_or_sections = 2} : (tensor<?x10xf32>) -> tuple<tensor<?x5xf32>, tensor<?x5xf32>>
  %7 = relay.split %6 {indices_or_sections = 2, axis = 1} : (tensor<?x10xf32>) -> tuple<tensor<?x5xf32>, tensor<?x5xf32>>
  // CHECK: relay.tuple_get_item %{{.*}}[1] : tuple<tensor<?x5xf32>, tensor<?x5xf32>>
  %8 = relay.tuple_get_item %7[1] : tuple<tensor<?x5xf32>, tensor<?x5xf32>>
  %9 = relay.tuple_get_item %7[0] : tuple<tensor<?x5xf32>, tensor<?x5xf32>>
  %10 = relay.concatenate %8, %9 {axis = 1} : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x10xf32>
  return %10 : tensor<?x10xf32>
}
