// Changes of scale by powers of two that round halves to the even number, as
// those of ONNX do in floats, are computed in integers on the device.
// RUN: relay-opt %s --relay-decompose --relay-fold-constant --canonicalize --relay-attach-target="device-targets={vta=#vta.config<batch=1,block=16>}" --vta-partition-graph --canonicalize --split-input-file | FileCheck %s

// Half of 2^8 is added, less one where the last bit of the quotient is not set;
// that bit is the sign after a shift to the left by 23.
// CHECK-LABEL: func.func @shift
// CHECK-NOT:     f32
// CHECK:         %[[C:.*]] = relay.nn.conv2d
// CHECK:         %[[A:.*]] = relay.add %[[C]], %[[BIT:[^ ]+]] :
// CHECK:         %[[L:.*]] = relay.left_shift %[[A]]
// CHECK:         %[[N:.*]] = relay.minimum %[[L]]
// CHECK:         %[[M:.*]] = relay.maximum %[[N]]
// CHECK:         %[[H:.*]] = relay.add %[[M]]
// CHECK:         %[[S:.*]] = relay.add %[[C]], %[[H]]
// CHECK:         %[[Q:.*]] = relay.right_shift %[[S]]
// CHECK:         relay.maximum %[[Q]]
// CHECK-NOT:     f32
// CHECK:         return
func.func @shift(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %from = relay.constant dense<0.0625> : tensor<f32>
  %to = relay.constant dense<16.0> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.qnn.requantize %0, %from, %z, %to, %z {axis = 1, compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"} : (tensor<1x16x4x4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x4x4xi8>
  return %1 : tensor<1x16x4x4xi8>
}

// -----

// A factor of four is exact.
// CHECK-LABEL: func.func @factor
// CHECK-NOT:     f32
// CHECK:         %[[C:.*]] = relay.nn.conv2d
// CHECK:         %[[P:.*]] = relay.multiply %[[C]]
// CHECK:         %[[M:.*]] = relay.maximum %[[P]]
// CHECK:         relay.minimum %[[M]]
// CHECK-NOT:     f32
// CHECK:         return
func.func @factor(%x: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %from = relay.constant dense<0.25> : tensor<f32>
  %to = relay.constant dense<0.0625> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.qnn.requantize %0, %from, %z, %to, %z {axis = 1, compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"} : (tensor<1x16x4x4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x4x4xi8>
  return %1 : tensor<1x16x4x4xi8>
}

// -----

// Another factor, one for each channel, and bytes without a sign are the
// processor's. So is a shift by 20 of sums beyond 2^24, which floats round and
// which are not all beyond bytes.
// CHECK-LABEL: func.func @stays
// CHECK-NOT:     device_copy
// CHECK:         return
func.func @stays(%x: tensor<1x16x4x4xi8>, %long: tensor<1x2048x1x1xi8>) -> (tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>, tensor<1x16x4x4xui8>, tensor<1x16x1x1xi8>) {
  %w = relay.constant dense<2> : tensor<16x16x1x1xi8>
  %v = relay.constant dense<3> : tensor<16x2048x1x1xi8>
  %third = relay.constant dense<0.3> : tensor<f32>
  %each = relay.constant dense<[0.5, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]> : tensor<16xf32>
  %half = relay.constant dense<0.5> : tensor<f32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %large = relay.constant dense<1048576.0> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.qnn.requantize %0, %third, %z, %one, %z {axis = 1, compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"} : (tensor<1x16x4x4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x4x4xi8>
  %2 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %3 = relay.qnn.requantize %2, %each, %z, %one, %z {axis = 1, compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"} : (tensor<1x16x4x4xi32>, tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x4x4xi8>
  %4 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %5 = relay.qnn.requantize %4, %half, %z, %one, %z {axis = 1, compute_dtype = "float32", out_dtype = ui8, rounding = "TOEVEN"} : (tensor<1x16x4x4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x4x4xui8>
  %6 = relay.nn.conv2d %long, %v {out_dtype = i32} : (tensor<1x2048x1x1xi8>, tensor<16x2048x1x1xi8>) -> tensor<1x16x1x1xi32>
  %7 = relay.qnn.requantize %6, %one, %z, %large, %z {axis = 1, compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"} : (tensor<1x16x1x1xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x16x1x1xi8>
  return %1, %3, %5, %7 : tensor<1x16x4x4xi8>, tensor<1x16x4x4xi8>, tensor<1x16x4x4xui8>, tensor<1x16x1x1xi8>
}
