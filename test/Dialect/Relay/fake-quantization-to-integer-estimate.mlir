// RUN: relay-opt %s --relay-fake-quantization-to-integer=estimate=true --split-input-file | FileCheck %s

// A product becomes integers, and its quantize a change of scale in floats that
// rounds as it does.
// CHECK-LABEL: func.func @product
// CHECK:      %[[D:.*]] = relay.qnn.dense
// CHECK:      %[[R:.*]] = relay.qnn.requantize %[[D]], {{.*}} {axis = 1, compute_dtype = "float32", out_dtype = ui8, rounding = "TOEVEN"}
// CHECK-NEXT: return %[[R]]
func.func @product(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>) -> tensor<2x3xui8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %n = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<2x4xui8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.qnn.dequantize %w, %s, %n {out_dtype = f32} : (tensor<3x4xi8>, tensor<f32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = relay.nn.dense %0, %1 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %3 = relay.qnn.quantize %2, %s, %z {out_dtype = ui8, rounding = "TOEVEN"} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xui8>
  return %3 : tensor<2x3xui8>
}

// -----

// Sums of 32 bits are changed in scale likewise, before they meet bytes.
// CHECK-LABEL: func.func @residual
// CHECK:      %[[D:.*]] = relay.qnn.dense
// CHECK:      relay.qnn.requantize %[[D]], {{.*}} {axis = 1, compute_dtype = "float32", out_dtype = i32, rounding = "TOEVEN"}
// CHECK:      relay.qnn.requantize %arg2, {{.*}} {{{.*}}compute_dtype = "float32", out_dtype = i32, rounding = "TOEVEN"}
// CHECK:      relay.qnn.requantize {{.*}} {{{.*}}compute_dtype = "float32", out_dtype = i8, rounding = "TOEVEN"}
func.func @residual(%q: tensor<2x4xi8>, %w: tensor<3x4xi8>, %r: tensor<2x3xi8>) -> tensor<2x3xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %t = relay.constant dense<0.3> : tensor<f32>
  %u = relay.constant dense<0.7> : tensor<f32>
  %n = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %n {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.qnn.dequantize %w, %s, %n {out_dtype = f32} : (tensor<3x4xi8>, tensor<f32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = relay.nn.dense %0, %1 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %3 = relay.qnn.dequantize %r, %t, %n {out_dtype = f32} : (tensor<2x3xi8>, tensor<f32>, tensor<i32>) -> tensor<2x3xf32>
  %4 = relay.add %2, %3 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = relay.nn.relu %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = relay.qnn.quantize %5, %u, %n {out_dtype = i8, rounding = "TOEVEN"} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xi8>
  return %6 : tensor<2x3xi8>
}

// -----

// Without the rounding of ONNX a program says itself what it computes in.
// CHECK-LABEL: func.func @other_rounding
// CHECK:      relay.nn.dense {{.*}} -> tensor<2x3xf32>
// CHECK:      relay.qnn.quantize
func.func @other_rounding(%q: tensor<2x4xi8>, %w: tensor<3x4xi8>) -> tensor<2x3xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %n = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %n {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.qnn.dequantize %w, %s, %n {out_dtype = f32} : (tensor<3x4xi8>, tensor<f32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = relay.nn.dense %0, %1 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %3 = relay.qnn.quantize %2, %s, %n {out_dtype = i8} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xi8>
  return %3 : tensor<2x3xi8>
}

// -----

// Bytes are moved as they are.
// CHECK-LABEL: func.func @move
// CHECK-SAME:    (%[[Q:.*]]: tensor<1x4x8x8xui8>)
// CHECK:      %[[P:.*]] = relay.nn.max_pool2d %[[Q]]
// CHECK-NEXT: return %[[P]]
func.func @move(%q: tensor<1x4x8x8xui8>) -> tensor<1x4x4x4xui8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<1x4x8x8xui8>, tensor<f32>, tensor<i32>) -> tensor<1x4x8x8xf32>
  %1 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = ui8, rounding = "TOEVEN"} : (tensor<1x4x4x4xf32>, tensor<f32>, tensor<i32>) -> tensor<1x4x4x4xui8>
  return %2 : tensor<1x4x4x4xui8>
}

// -----

// Where only scales would change, floats cost less, and nothing is left behind.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:  qnn.add
// CHECK-NOT:  qnn.requantize
// CHECK:      relay.add {{.*}} -> tensor<4xf32>
// CHECK:      relay.qnn.quantize
// CHECK:      relay.qnn.dequantize
// CHECK-NOT:  qnn.requantize
// CHECK:      relay.qnn.quantize
func.func @sum(%a: tensor<4xui8>, %b: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>) {
  %s = relay.constant dense<0.5> : tensor<f32>
  %t = relay.constant dense<0.25> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %0 = relay.qnn.dequantize %a, %s, %z {out_dtype = f32} : (tensor<4xui8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.qnn.dequantize %b, %t, %z {out_dtype = f32} : (tensor<4xui8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.qnn.quantize %2, %s, %z {out_dtype = ui8, rounding = "TOEVEN"} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xui8>
  %4 = relay.qnn.dequantize %a, %s, %z {out_dtype = f32} : (tensor<4xui8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %5 = relay.qnn.quantize %4, %t, %z {out_dtype = ui8, rounding = "TOEVEN"} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xui8>
  return %3, %5 : tensor<4xui8>, tensor<4xui8>
}
