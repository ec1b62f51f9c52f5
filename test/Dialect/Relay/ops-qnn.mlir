// Types of quantised operators: sizes that are known, and those that are not.
// RUN: relay-opt %s --relay-infer-types --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file | relay-opt --split-input-file --relay-infer-types | FileCheck %s

// CHECK-LABEL: func.func @conversions
// CHECK: relay.qnn.quantize %{{.*}} {axis = 1, out_dtype = ui8} : (tensor<2x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2x3xui8>
// CHECK: relay.qnn.dequantize %{{.*}} {out_dtype = f16} : (tensor<2x3xui8>, tensor<f32>, tensor<i32>) -> tensor<2x3xf16>
// CHECK: relay.qnn.requantize %{{.*}} {axis = 0, compute_dtype = "float32", out_dtype = i16, rounding = "TONEAREST"} : {{.*}} -> tensor<2x3xi16>
// CHECK: relay.qnn.simulated_quantize {{.*}} -> tensor<2x3xf32>
// CHECK: relay.qnn.simulated_dequantize {{.*}} -> tensor<2x3xf32>
func.func @conversions(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %s: tensor<f32>, %z: tensor<i32>, %r: tensor<2xf32>) -> (tensor<?x?xf16>, tensor<?x?xi16>, tensor<?x3xf32>) {
  %0 = relay.qnn.quantize %x, %v, %z {axis = 1, out_dtype = ui8} : (tensor<2x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<?x?xui8>
  %1 = relay.qnn.dequantize %0, %s, %z {out_dtype = f16} : (tensor<?x?xui8>, tensor<f32>, tensor<i32>) -> tensor<?x?xf16>
  %2 = relay.qnn.requantize %0, %r, %z, %s, %z {axis = 0, out_dtype = i16, rounding = "TONEAREST", compute_dtype = "float32"} : (tensor<?x?xui8>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?xi16>
  %3 = relay.qnn.simulated_quantize %x, %z, %s, %z : (tensor<2x3xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x3xf32>
  %4 = relay.qnn.simulated_dequantize %3, %z, %s, %z : (tensor<?x3xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x3xf32>
  return %1, %2, %4 : tensor<?x?xf16>, tensor<?x?xi16>, tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @elementwise
// CHECK: relay.qnn.add {{.*}} -> tensor<4x?x3xui8>
// CHECK: relay.qnn.subtract {{.*}} {lhs_axis = 1} {{.*}} -> tensor<4x5x3xui8>
// CHECK: relay.qnn.mul {{.*}} -> tensor<4x5x3xui8>
// CHECK: relay.qnn.tanh {{.*}} -> tensor<4x5x3xui8>
// CHECK: relay.qnn.leaky_relu %{{.*}} {alpha = 1.000000e-01} : {{.*}} -> tensor<4x5x3xui8>
// CHECK: relay.qnn.softmax {{.*}} -> tensor<?x3xi8>
func.func @elementwise(%x: tensor<4x1x3xui8>, %y: tensor<?x3xui8>, %w: tensor<5x1xui8>, %q: tensor<?x3xi8>, %s: tensor<f32>, %z: tensor<i32>, %v: tensor<1xf32>) -> (tensor<?x?x?xui8>, tensor<?x?x?xui8>, tensor<?x3xi8>) {
  %0 = relay.qnn.add %x, %y, %s, %z, %s, %z, %s, %z : (tensor<4x1x3xui8>, tensor<?x3xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?xui8>
  %1 = relay.qnn.subtract %x, %w, %v, %z, %s, %z, %s, %z {lhs_axis = 1} : (tensor<4x1x3xui8>, tensor<5x1xui8>, tensor<1xf32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?xui8>
  %2 = relay.qnn.mul %1, %w, %s, %z, %s, %z, %s, %z : (tensor<?x?x?xui8>, tensor<5x1xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?xui8>
  %3 = relay.qnn.tanh %2, %s, %z, %s, %z : (tensor<?x?x?xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?xui8>
  %4 = relay.qnn.leaky_relu %3, %s, %z, %s, %z {alpha = 0.1} : (tensor<?x?x?xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?xui8>
  %5 = relay.qnn.softmax %q, %s, %z, %s, %z : (tensor<?x3xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x3xi8>
  return %0, %4, %5 : tensor<?x?x?xui8>, tensor<?x?x?xui8>, tensor<?x3xi8>
}

// -----

// CHECK-LABEL: func.func @concatenate
// CHECK: relay.qnn.concatenate {{.*}} {axis = 1} : {{.*}} -> tensor<?x7xi8>
// CHECK: relay.qnn.concatenate {{.*}} {axis = -1} : {{.*}} -> tensor<2x?xi8>
func.func @concatenate(%x: tensor<2x3xi8>, %y: tensor<?x4xi8>, %u: tensor<2x?xi8>, %s: tensor<f32>, %z: tensor<i32>) -> (tensor<?x?xi8>, tensor<?x?xi8>) {
  %t = relay.tuple %x, %y : tensor<2x3xi8>, tensor<?x4xi8>
  %ss = relay.tuple %s, %s : tensor<f32>, tensor<f32>
  %zs = relay.tuple %z, %z : tensor<i32>, tensor<i32>
  %0 = relay.qnn.concatenate %t, %ss, %zs, %s, %z {axis = 1} : (tuple<tensor<2x3xi8>, tensor<?x4xi8>>, tuple<tensor<f32>, tensor<f32>>, tuple<tensor<i32>, tensor<i32>>, tensor<f32>, tensor<i32>) -> tensor<?x?xi8>
  %r = relay.tuple %x, %u : tensor<2x3xi8>, tensor<2x?xi8>
  %1 = relay.qnn.concatenate %r, %ss, %zs, %s, %z {axis = -1} : (tuple<tensor<2x3xi8>, tensor<2x?xi8>>, tuple<tensor<f32>, tensor<f32>>, tuple<tensor<i32>, tensor<i32>>, tensor<f32>, tensor<i32>) -> tensor<?x?xi8>
  return %0, %1 : tensor<?x?xi8>, tensor<?x?xi8>
}

// -----

// Zero points come before scales.
// CHECK-LABEL: func.func @products
// CHECK: relay.qnn.conv2d {{.*}} -> tensor<?x8x30x30xi32>
// CHECK: relay.qnn.conv2d {{.*}} -> tensor<1x30x30x8xi16>
// CHECK: relay.qnn.conv2d {{.*}} -> tensor<1x8x30x30xi32>
// CHECK: relay.qnn.conv2d_transpose {{.*}} -> tensor<1x34x34x5xi32>
// CHECK: relay.qnn.dense {{.*}} -> tensor<2x?x5xi64>
// CHECK: relay.qnn.contrib_dense_pack {{.*}} -> tensor<3x64xi32>
// CHECK: relay.qnn.batch_matmul {{.*}} -> tensor<7x2x4xi32>
// CHECK: relay.qnn.avg_pool2d {{.*}} -> tensor<1x16x17x4xui8>
func.func @products(%x: tensor<?x4x32x32xui8>, %w: tensor<8x4x3x3xi8>, %h: tensor<1x32x32x4xui8>, %k: tensor<3x3x4x2xi8>, %hwio: tensor<3x3x4x8xi8>, %s: tensor<f32>, %z: tensor<i32>, %v: tensor<8xf32>, %vz: tensor<8xi32>,
    %hwoi: tensor<3x3x5x4xi8>, %d: tensor<2x?x7xi16>, %dw: tensor<5x7xi8>, %p: tensor<3x8xui8>, %pw: tensor<2x2x32x4xi8>, %a: tensor<7x3x2xi8>, %b: tensor<1x4x3xui8>)
    -> (tensor<?x?x?x?xi32>, tensor<?x?x?x?xi16>, tensor<?x?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi64>, tensor<?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xui8>) {
  %0 = relay.qnn.conv2d %x, %w, %z, %vz, %s, %v {out_dtype = i32} : (tensor<?x4x32x32xui8>, tensor<8x4x3x3xi8>, tensor<i32>, tensor<8xi32>, tensor<f32>, tensor<8xf32>) -> tensor<?x?x?x?xi32>
  %1 = relay.qnn.conv2d %h, %hwio, %z, %z, %s, %s {data_layout = "NHWC", kernel_layout = "HWIO", out_dtype = i16} : (tensor<1x32x32x4xui8>, tensor<3x3x4x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?x?xi16>
  %2 = relay.qnn.conv2d %h, %k, %z, %z, %s, %v {data_layout = "NHWC", kernel_layout = "HWOI", out_layout = "NCHW", groups = 4, channels = 8, kernel_size = [3, 3], out_dtype = i32} : (tensor<1x32x32x4xui8>, tensor<3x3x4x2xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<8xf32>) -> tensor<?x?x?x?xi32>
  %3 = relay.qnn.conv2d_transpose %h, %hwoi, %z, %z, %s, %s {data_layout = "NHWC", kernel_layout = "HWOI", out_dtype = i32} : (tensor<1x32x32x4xui8>, tensor<3x3x5x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?x?xi32>
  %4 = relay.qnn.dense %d, %dw, %z, %z, %s, %s {units = 5, out_dtype = i64} : (tensor<2x?x7xi16>, tensor<5x7xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?xi64>
  %5 = relay.qnn.contrib_dense_pack %p, %pw, %z, %z, %s, %s {units = 64, out_dtype = i32, weight_layout = "NC32n4c"} : (tensor<3x8xui8>, tensor<2x2x32x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?xi32>
  %6 = relay.qnn.batch_matmul %a, %b, %z, %z, %s, %s {out_dtype = i32, transpose_a = true, transpose_b = true} : (tensor<7x3x2xi8>, tensor<1x4x3xui8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x?x?xi32>
  %7 = relay.qnn.avg_pool2d %h, %s, %z, %s, %z {pool_size = [2, 3], strides = [2, 2], padding = [0, 1, 0, 2], layout = "NHWC"} : (tensor<1x32x32x4xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x?x?x?xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x?x?x?xi32>, tensor<?x?x?x?xi16>, tensor<?x?x?x?xi32>, tensor<?x?x?x?xi32>, tensor<?x?x?xi64>, tensor<?x?xi32>, tensor<?x?x?xi32>, tensor<?x?x?x?xui8>
}
