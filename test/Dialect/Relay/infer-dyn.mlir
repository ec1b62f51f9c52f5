// Operators with shapes for operands: the rank follows from the length of the
// operand, even of a constant one, and the sizes are open.
// RUN: relay-opt %s --relay-infer-types --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @shapes
// CHECK: relay.dyn.reshape {{.*}} -> tensor<?x?x?xf32>
// CHECK: relay.dyn.reshape {{.*}} -> tensor<?x?xf32>
// CHECK: relay.dyn.expand_dims {{.*}} {num_newaxis = 2} {{.*}} -> tensor<?x?x?x?xf32>
// CHECK: relay.dyn.squeeze {{.*}} -> tensor<f32>
// CHECK: relay.dyn.broadcast_to {{.*}} -> tensor<?x?x?xf32>
// CHECK: relay.dyn.zeros {{.*}} -> tensor<?x?x?xi8>
// CHECK: relay.dyn.ones {{.*}} -> tensor<?x?xf32>
// CHECK: relay.dyn.full {{.*}} -> tensor<?x?xi32>
// CHECK: relay.dyn.full {{.*}} {dtype = f16} {{.*}} -> tensor<?x?xf16>
// CHECK: relay.dyn.one_hot {{.*}} {axis = 0} {{.*}} -> tensor<?x2x2xi32>
// CHECK: relay.dyn.sparse_to_dense {{.*}} -> tensor<?x?xi32>
func.func @shapes(%x: tensor<2x3xf32>, %three: tensor<3xi64>, %two: tensor<2xi32>, %s: tensor<i32>,
                  %i: tensor<2x2xi32>) {
  %c = relay.constant dense<[3, 2]> : tensor<2xi32>
  %0 = relay.dyn.reshape %x, %three : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %1 = relay.dyn.reshape %x, %c : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %2 = relay.dyn.expand_dims %x, %s {num_newaxis = 2} : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x?x?x?xf32>
  %3 = relay.dyn.squeeze %x, %two : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<f32>
  %4 = relay.dyn.broadcast_to %x, %three : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %5 = relay.dyn.zeros %three {dtype = i8} : (tensor<3xi64>) -> tensor<?x?x?xi8>
  %6 = relay.dyn.ones %two {dtype = f32} : (tensor<2xi32>) -> tensor<?x?xf32>
  %7 = relay.dyn.full %s, %two : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
  %8 = relay.dyn.full %s, %two {dtype = f16} : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xf16>
  %9 = relay.dyn.one_hot %i, %s, %s, %s {axis = 0} : (tensor<2x2xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?x?x?xi32>
  %10 = relay.dyn.sparse_to_dense %i, %two, %s, %two : (tensor<2x2xi32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
  return
}

// -----

// CHECK-LABEL: func.func @movement
// CHECK: relay.dyn.tile {{.*}} -> tensor<?x?x?xf32>
// CHECK: relay.dyn.strided_slice {{.*}} -> tensor<?x?x4xf32>
// CHECK: relay.dyn.strided_slice {{.*}} {axes = [0, -1]} {{.*}} -> tensor<?x3x?xf32>
// CHECK: relay.dyn.nn.pad {{.*}} -> tensor<?x?x?xf32>
// CHECK: relay.dyn.topk {{.*}} -> tuple<tensor<2x3x?xf32>, tensor<2x3x?xi32>>
// CHECK: relay.dyn.topk {{.*}} -> tensor<2x?x4xi64>
func.func @movement(%x: tensor<2x3x4xf32>, %p: tensor<2xi64>, %w: tensor<3x2xi32>, %f: tensor<f32>,
                    %k: tensor<1xi64>) {
  %0 = relay.dyn.tile %x, %p : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<?x?x?xf32>
  %1 = relay.dyn.strided_slice %x, %p, %p, %p : (tensor<2x3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?xf32>
  %2 = relay.dyn.strided_slice %x, %p, %p, %p {axes = [0, -1]} : (tensor<2x3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?x?xf32>
  %3 = relay.dyn.nn.pad %x, %w, %f : (tensor<2x3x4xf32>, tensor<3x2xi32>, tensor<f32>) -> tensor<?x?x?xf32>
  %4 = relay.dyn.topk %x, %k : (tensor<2x3x4xf32>, tensor<1xi64>) -> tuple<tensor<?x?x?xf32>, tensor<?x?x?xi32>>
  %5 = relay.dyn.topk %x, %k {axis = 1, ret_type = "indices", dtype = i64} : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<?x?x?xi64>
  return
}

// -----

// CHECK-LABEL: func.func @images
// CHECK: relay.dyn.nn.upsampling {{.*}} -> tensor<1x3x?x?xf32>
// CHECK: relay.dyn.nn.upsampling {{.*}} -> tensor<1x?x?x5xf32>
// CHECK: relay.dyn.nn.upsampling3d {{.*}} -> tensor<1x3x?x?x?xf32>
// CHECK: relay.dyn.image.resize2d {{.*}} -> tensor<1x3x?x?xi8>
func.func @images(%x: tensor<1x3x4x5xf32>, %v: tensor<1x3x4x5x6xf32>, %s: tensor<f32>, %size: tensor<2xi64>,
                  %roi: tensor<4xf32>) {
  %0 = relay.dyn.nn.upsampling %x, %s, %s : (tensor<1x3x4x5xf32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?x?xf32>
  %1 = relay.dyn.nn.upsampling %x, %s, %s {layout = "NHWC"} : (tensor<1x3x4x5xf32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?x?xf32>
  %2 = relay.dyn.nn.upsampling3d %v, %s, %s, %s : (tensor<1x3x4x5x6xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?x?x?xf32>
  %3 = relay.dyn.image.resize2d %x, %size, %roi {out_dtype = i8} : (tensor<1x3x4x5xf32>, tensor<2xi64>, tensor<4xf32>) -> tensor<?x?x?x?xi8>
  return
}
