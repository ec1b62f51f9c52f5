// Types of random operators.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s | relay-opt --relay-infer-types | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: relay.random.threefry_generate %{{.*}} {out_shape = [2, 3]} : (tensor<10xui64>) -> tuple<tensor<10xui64>, tensor<2x3xui64>>
// CHECK: relay.random.threefry_split {{.*}} -> tuple<tensor<10xui64>, tensor<10xui64>>
// CHECK: relay.random.uniform {{.*}} -> tuple<tensor<10xui64>, tensor<4xf32>>
// CHECK: relay.random.normal {{.*}} -> tuple<tensor<10xui64>, tensor<4xf64>>
// CHECK: relay.random.multinomial %{{.*}} {num_samples = 7} : {{.*}} -> tuple<tensor<10xui64>, tensor<?x3x7xi32>>
func.func @main(%k: tensor<10xui64>, %a: tensor<f32>, %b: tensor<f64>, %p: tensor<?x3x5xf32>) -> (tuple<tensor<10xui64>, tensor<?x?xui64>>, tuple<tensor<?xui64>, tensor<10xui64>>, tuple<tensor<10xui64>, tensor<?xf32>>, tuple<tensor<10xui64>, tensor<4xf64>>, tuple<tensor<10xui64>, tensor<?x?x?xi32>>) {
  %0 = relay.random.threefry_generate %k {out_shape = [2, 3]} : (tensor<10xui64>) -> tuple<tensor<10xui64>, tensor<?x?xui64>>
  %1 = relay.random.threefry_split %k : (tensor<10xui64>) -> tuple<tensor<?xui64>, tensor<10xui64>>
  %2 = relay.random.uniform %k, %a, %a {out_shape = [4], out_dtype = f32} : (tensor<10xui64>, tensor<f32>, tensor<f32>) -> tuple<tensor<10xui64>, tensor<?xf32>>
  %3 = relay.random.normal %k, %b, %b {out_shape = [4], out_dtype = f64} : (tensor<10xui64>, tensor<f64>, tensor<f64>) -> tuple<tensor<10xui64>, tensor<4xf64>>
  %4 = relay.random.multinomial %k, %p {num_samples = 7} : (tensor<10xui64>, tensor<?x3x5xf32>) -> tuple<tensor<10xui64>, tensor<?x?x?xi32>>
  return %0, %1, %2, %3, %4 : tuple<tensor<10xui64>, tensor<?x?xui64>>, tuple<tensor<?xui64>, tensor<10xui64>>, tuple<tensor<10xui64>, tensor<?xf32>>, tuple<tensor<10xui64>, tensor<4xf64>>, tuple<tensor<10xui64>, tensor<?x?x?xi32>>
}
