// Result types of operators on sparse tensors.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s

// CHECK-LABEL: func.func @coo
// CHECK: relay.sparse_to_dense {{.*}} -> tensor<4x5xf32>
// CHECK: relay.sparse_to_dense {{.*}} -> tensor<9xi64>
// CHECK: relay.sparse_fill_empty_rows {{.*}} -> tuple<tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>>
// CHECK: relay.sparse_reshape {{.*}} -> tuple<tensor<3x4xi64>, tensor<4xi64>>
func.func @coo(%i: tensor<3x2xi64>, %v: tensor<3xf32>, %f: tensor<f32>, %j: tensor<3xi64>, %z: tensor<i64>,
               %p: tensor<2xi64>, %n: tensor<4xi64>) {
  %0 = relay.sparse_to_dense %i, %v, %f {output_shape = [4, 5]} : (tensor<3x2xi64>, tensor<3xf32>, tensor<f32>) -> tensor<?x?xf32>
  %1 = relay.sparse_to_dense %j, %z, %z {output_shape = [9]} : (tensor<3xi64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  %2 = relay.sparse_fill_empty_rows %i, %j, %p, %z : (tensor<3x2xi64>, tensor<3xi64>, tensor<2xi64>, tensor<i64>) -> tuple<tensor<?x?xi64>, tensor<?xi64>, tensor<?xi64>>
  %3 = relay.sparse_reshape %i, %p, %n : (tensor<3x2xi64>, tensor<2xi64>, tensor<4xi64>) -> tuple<tensor<?x?xi64>, tensor<?xi64>>
  return
}

// CHECK-LABEL: func.func @csr
// CHECK: relay.nn.sparse_dense {{.*}} -> tensor<2x6xf32>
// CHECK: relay.nn.sparse_dense {{.*}} {sparse_lhs = true} {{.*}} -> tensor<6x2xf32>
// CHECK: relay.nn.sparse_dense {{.*}} -> tensor<2x24xf32>
// CHECK: relay.nn.internal.sparse_dense_padded {{.*}} -> tensor<2x6xf32>
// CHECK: relay.nn.sparse_transpose {{.*}} -> tuple<tensor<3xf32>, tensor<3xi32>, tensor<7xi32>>
// CHECK: relay.nn.sparse_add {{.*}} -> tensor<6x8xf32>
// CHECK: relay.nn.sparse_conv2d {{.*}} -> tensor<1x4x5x24xf32>
// CHECK: relay.nn.sparse_conv2d {{.*}} -> tensor<1x6x5x8xf32>
// CHECK: relay.nn.sparse_dense {{.*}} -> tensor<2x?xf32>
func.func @csr(%x: tensor<2x8xf32>, %d: tensor<3xf32>, %i: tensor<3xi32>, %p: tensor<7xi32>, %b: tensor<3x4x2xf32>,
               %y: tensor<6x8xf32>, %image: tensor<1x4x5x8xf32>, %q: tensor<?xi32>) {
  %0 = relay.nn.sparse_dense %x, %d, %i, %p : (tensor<2x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?xf32>
  %1 = relay.nn.sparse_dense %x, %d, %i, %p {sparse_lhs = true} : (tensor<2x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?xf32>
  %2 = relay.nn.sparse_dense %x, %b, %i, %p : (tensor<2x8xf32>, tensor<3x4x2xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?xf32>
  %3 = relay.nn.internal.sparse_dense_padded %x, %d, %i, %p : (tensor<2x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?xf32>
  %4 = relay.nn.sparse_transpose %d, %i, %p : (tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tuple<tensor<?xf32>, tensor<?xi32>, tensor<?xi32>>
  %5 = relay.nn.sparse_add %y, %d, %i, %p : (tensor<6x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?xf32>
  %6 = relay.nn.sparse_conv2d %image, %b, %i, %p : (tensor<1x4x5x8xf32>, tensor<3x4x2xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?x?x?xf32>
  %7 = relay.nn.sparse_conv2d %image, %d, %i, %p {layout = "NCHW", kernel_size = [3, 3]} : (tensor<1x4x5x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<7xi32>) -> tensor<?x?x?x?xf32>
  %8 = relay.nn.sparse_dense %x, %d, %i, %q : (tensor<2x8xf32>, tensor<3xf32>, tensor<3xi32>, tensor<?xi32>) -> tensor<?x?xf32>
  return
}
