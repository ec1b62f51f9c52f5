// RUN: relay-opt %s --relay-qnn-canonicalize --split-input-file | FileCheck %s

// Bytes are multiplied as they are; the sums of the weight take the data's zero
// point back.
// CHECK-LABEL: func.func @dense
// CHECK-SAME:    (%[[Q:.*]]: tensor<8x512xui8>, %[[W:.*]]: tensor<10x512xi8>)
// CHECK-DAG:  %[[Z:.*]] = relay.constant dense<3> : tensor<i32>
// CHECK-DAG:  %[[P:.*]] = relay.nn.dense %[[Q]], %[[W]] {out_dtype = i32, units = 10
// CHECK-DAG:  %[[C:.*]] = relay.cast %[[W]] {dtype = i32}
// CHECK-DAG:  %[[S:.*]] = relay.sum %[[C]] {axis = [1]}
// CHECK-DAG:  %[[M:.*]] = relay.multiply %[[S]], %[[Z]]
// CHECK:      %[[R:.*]] = relay.subtract %[[P]], %[[M]]
// CHECK:      return %[[R]]
func.func @dense(%q: tensor<8x512xui8>, %w: tensor<10x512xi8>) -> tensor<8x10xi32> {
  %z = relay.constant dense<3> : tensor<i32>
  %o = relay.constant dense<0> : tensor<i32>
  %s = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.qnn.dense %q, %w, %z, %o, %s, %s {units = 10, out_dtype = i32} : (tensor<8x512xui8>, tensor<10x512xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<8x10xi32>
  return %0 : tensor<8x10xi32>
}

// -----

// Rows and columns that a convolution adds hold the zero point.
// CHECK-LABEL: func.func @conv2d
// CHECK: %[[P:.*]] = relay.nn.pad %{{.*}}, %{{.*}} {pad_width = [0, 0, 0, 0, 1, 1, 2, 2]}
// CHECK: relay.nn.conv2d %[[P]], %{{[^ ]*}} {out_dtype = i32}
// CHECK-NOT: relay.qnn
func.func @conv2d(%q: tensor<1x4x8x8xui8>, %w: tensor<6x4x3x3xi8>) -> tensor<1x6x8x10xi32> {
  %z = relay.constant dense<128> : tensor<i32>
  %o = relay.constant dense<0> : tensor<i32>
  %s = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.qnn.conv2d %q, %w, %z, %o, %s, %s {padding = [1, 2], out_dtype = i32} : (tensor<1x4x8x8xui8>, tensor<6x4x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x6x8x10xi32>
  return %0 : tensor<1x6x8x10xi32>
}

// -----

// Zero points of both sides: that of the weight goes with the sums of rows.
// CHECK-LABEL: func.func @both
// CHECK-SAME:    (%[[Q:.*]]: tensor<8x512xui8>, %[[W:.*]]: tensor<10x512xi8>, %[[Z:.*]]: tensor<i32>)
// CHECK:      %[[P:.*]] = relay.nn.dense %[[Q]], %[[W]] {out_dtype = i32
// CHECK:      %[[A:.*]] = relay.subtract %[[P]],
// CHECK:      %[[D:.*]] = relay.subtract %{{.*}}, %[[Z]] : (tensor<8x512xi32>
// CHECK:      %[[S:.*]] = relay.sum %[[D]] {axis = [1], keepdims = true}
// CHECK:      %[[M:.*]] = relay.multiply %[[S]], %[[Z]]
// CHECK:      relay.subtract %[[A]], %[[M]]
// CHECK-NOT:  relay.qnn
func.func @both(%q: tensor<8x512xui8>, %w: tensor<10x512xi8>, %z: tensor<i32>) -> tensor<8x10xi32> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.qnn.dense %q, %w, %z, %z, %s, %s {units = 10, out_dtype = i32} : (tensor<8x512xui8>, tensor<10x512xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<8x10xi32>
  return %0 : tensor<8x10xi32>
}

// -----

// Of batches, transposed on both sides.
// CHECK-LABEL: func.func @batches
// CHECK:      %[[P:.*]] = relay.nn.batch_matmul %arg0, %arg1 {out_dtype = i32, transpose_a = true, transpose_b = true}
// CHECK:      %[[Y:.*]] = relay.sum %{{.*}} {axis = [2]} : (tensor<2x5x7xi32>) -> tensor<2x5xi32>
// CHECK:      relay.expand_dims %[[Y]] {axis = 1
// CHECK:      %[[X:.*]] = relay.sum %{{.*}} {axis = [1], keepdims = true} : (tensor<2x7x3xi32>) -> tensor<2x1x3xi32>
// CHECK:      relay.transpose %[[X]] {axes = [0, 2, 1]}
// CHECK-NOT:  relay.qnn
func.func @batches(%x: tensor<2x7x3xi8>, %y: tensor<2x5x7xui8>, %z: tensor<i32>) -> tensor<2x3x5xi32> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.qnn.batch_matmul %x, %y, %z, %z, %s, %s {out_dtype = i32, transpose_a = true, transpose_b = true} : (tensor<2x7x3xi8>, tensor<2x5x7xui8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x3x5xi32>
  return %0 : tensor<2x3x5xi32>
}

// -----

// 0.5 / 0.75 is 1431655765 * 2^-31 and no shift more.
// CHECK-LABEL: func.func @requantize
// CHECK-DAG: %[[M:.*]] = relay.constant dense<1431655765> : tensor<i64>
// CHECK-DAG: %[[H:.*]] = relay.constant dense<1073741824> : tensor<i64>
// CHECK-DAG: %[[S:.*]] = relay.constant dense<31> : tensor<i64>
// CHECK-DAG: %[[P:.*]] = relay.multiply %{{.*}}, %[[M]]
// CHECK-DAG: %[[A:.*]] = relay.add %[[P]], %[[H]]
// CHECK: relay.right_shift %[[A]], %[[S]]
// CHECK: relay.clip %{{.*}} {a_max = 1.270000e+02, a_min = -1.280000e+02}
func.func @requantize(%q: tensor<4xi32>) -> tensor<4xi8> {
  %z = relay.constant dense<0> : tensor<i32>
  %from = relay.constant dense<0.5> : tensor<f32>
  %to = relay.constant dense<0.75> : tensor<f32>
  %0 = relay.qnn.requantize %q, %from, %z, %to, %z {out_dtype = i8} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// A function of bytes is a table, here |x|; the scale follows from constants.
// CHECK-LABEL: func.func @abs
// CHECK: %[[T:.*]] = relay.constant dense_resource<relay.qnn.abs> : tensor<256xi8>
// CHECK: relay.take %[[T]]
// CHECK: relay.qnn.abs: "0x{{[0-9]*}}7F7F7E7D7C
func.func @abs(%q: tensor<?xi8>) -> tensor<?xi8> {
  %z = relay.constant dense<0> : tensor<i32>
  %half = relay.constant dense<0.5> : tensor<f32>
  %s = relay.add %half, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = relay.qnn.abs %q, %s, %z, %s, %z : (tensor<?xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// What others compile, they see as it is.
// CHECK-LABEL: func.func @external
// CHECK: relay.qnn.abs
func.func @external(%q: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xi8> attributes {relay.primitive, relay.compiler = "npu"} {
  %0 = relay.qnn.abs %q, %s, %z, %s, %z : (tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// Groups read bytes, too; the sums of the weight are those of each output.
// CHECK-LABEL: func.func @groups
// CHECK: %[[P:.*]] = relay.nn.pad %arg0
// CHECK: %[[S:.*]] = relay.nn.conv2d %[[P]], %arg1 {channels = 4, groups = 4, {{.*}}out_dtype = i32{{.*}}} : (tensor<1x4x10x10xui8>, tensor<4x1x3x3xi8>)
// CHECK: relay.subtract %[[S]],
// Several outputs for each channel have no such sums.
// CHECK: relay.nn.conv2d %{{.*}} : (tensor<1x4x8x8xi32>, tensor<{{.*}}xi32>)
func.func @groups(%q: tensor<1x4x8x8xui8>, %w: tensor<4x1x3x3xi8>, %v: tensor<4x2x3x3xi8>) -> (tensor<1x4x8x8xi32>, tensor<1x8x8x8xi32>) {
  %z = relay.constant dense<128> : tensor<i32>
  %o = relay.constant dense<0> : tensor<i32>
  %s = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.qnn.conv2d %q, %w, %z, %o, %s, %s {padding = [1, 1], groups = 4, channels = 4, out_dtype = i32} : (tensor<1x4x8x8xui8>, tensor<4x1x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  %1 = relay.qnn.conv2d %q, %v, %z, %o, %s, %s {padding = [1, 1], groups = 4, channels = 8, out_dtype = i32} : (tensor<1x4x8x8xui8>, tensor<4x2x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x8x8x8xi32>
  return %0, %1 : tensor<1x4x8x8xi32>, tensor<1x8x8x8xi32>
}

// -----

// Bounds of sums become those of bytes, if they are the same for all channels, or
// beyond what bytes hold; 100 times the second factor is not.
// CHECK-LABEL: func.func @bounds
// CHECK: relay.cast %arg0 {dtype = f32}
// CHECK: relay.clip %{{.*}} {a_max = 1.270000e+02, a_min = 3.000000e+00}
// CHECK: %[[M:.*]] = relay.minimum %arg0
// CHECK: relay.cast %[[M]] {dtype = f32}
// CHECK: relay.clip %{{.*}} {a_max = 1.270000e+02, a_min = -1.280000e+02}
// In a product of 64 bits they stay.
// CHECK: %[[N:.*]] = relay.maximum %arg0
// CHECK: relay.cast %[[N]] {dtype = i64}
func.func @bounds(%x: tensor<4x2xi32>) -> (tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xi8>) {
  %f = relay.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %one = relay.constant dense<1.0> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %three = relay.constant dense<3> : tensor<i32>
  %zeros = relay.constant dense<0> : tensor<2xi32>
  %most = relay.constant dense<[1000, 100]> : tensor<2xi32>
  %less = relay.constant dense<[100, 60]> : tensor<2xi32>
  %0 = relay.maximum %x, %zeros : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<4x2xi32>
  %1 = relay.minimum %0, %most : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<4x2xi32>
  %2 = relay.qnn.requantize %1, %f, %z, %one, %three {axis = 1, compute_dtype = "float32", rounding = "TOEVEN", out_dtype = i8} : (tensor<4x2xi32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x2xi8>
  %3 = relay.minimum %x, %less : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<4x2xi32>
  %4 = relay.qnn.requantize %3, %f, %z, %one, %z {axis = 1, compute_dtype = "float32", rounding = "TOEVEN", out_dtype = i8} : (tensor<4x2xi32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x2xi8>
  %5 = relay.maximum %x, %zeros : (tensor<4x2xi32>, tensor<2xi32>) -> tensor<4x2xi32>
  %6 = relay.qnn.requantize %5, %f, %z, %one, %z {axis = 1, out_dtype = i8} : (tensor<4x2xi32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x2xi8>
  return %2, %4, %6 : tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xi8>
}
