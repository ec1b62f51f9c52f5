// RUN: relay-opt %s --relay-fake-quantization-to-integer --split-input-file | FileCheck %s

// A layer: sums of products are exact, the bias has their scale, and there is
// one change of scales at the end.
// CHECK-LABEL: func.func @conv2d
// CHECK-SAME:    (%[[Q:.*]]: tensor<1x4x8x8xui8>, %[[W:.*]]: tensor<3x4x3x3xi8>)
// CHECK-DAG:  %[[S:.*]] = relay.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG:  %[[WS:.*]] = relay.constant dense<[1.562500e-02, 3.125000e-02, 4.687500e-02]>
// CHECK-DAG:  %[[OS:.*]] = relay.constant dense<2.500000e-01>
// CHECK-DAG:  %[[Z:.*]] = relay.constant dense<3>
// CHECK-DAG:  %[[B:.*]] = relay.constant dense<[1.000000e-01,
// CHECK:      %[[P:.*]] = relay.constant dense<[7.812500e-03, 1.562500e-02, 2.343750e-02]>
// CHECK:      %[[C:.*]] = relay.qnn.conv2d %[[Q]], %[[W]], %[[Z]], %{{.*}}, %[[S]], %[[WS]] {out_dtype = i32, padding = [1, 1]}
// CHECK:      %[[I:.*]] = relay.qnn.quantize %[[B]], %[[P]], %{{.*}} {axis = 0, out_dtype = i32}
// CHECK:      %[[A:.*]] = relay.nn.bias_add %[[C]], %[[I]]
// CHECK:      %[[R:.*]] = relay.maximum %[[A]], %{{.*}} : (tensor<1x3x8x8xi32>, tensor<i32>)
// CHECK:      %[[E:.*]] = relay.qnn.requantize %[[R]], %[[P]], %{{.*}}, %[[OS]], %[[Z]] {axis = 1, out_dtype = ui8}
// CHECK:      return %[[E]]
func.func @conv2d(%q: tensor<1x4x8x8xui8>, %w: tensor<3x4x3x3xi8>) -> tensor<1x3x8x8xui8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %ws = relay.constant dense<[0.015625, 0.03125, 0.046875]> : tensor<3xf32>
  %os = relay.constant dense<0.25> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %o = relay.constant dense<0> : tensor<i32>
  %b = relay.constant dense<[0.1, 0.2, 0.3]> : tensor<3xf32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<1x4x8x8xui8>, tensor<f32>, tensor<i32>) -> tensor<1x4x8x8xf32>
  %1 = relay.qnn.dequantize %w, %ws, %o {out_dtype = f32, axis = 0} : (tensor<3x4x3x3xi8>, tensor<3xf32>, tensor<i32>) -> tensor<3x4x3x3xf32>
  %2 = relay.nn.conv2d %0, %1 {padding = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<3x4x3x3xf32>) -> tensor<1x3x8x8xf32>
  %3 = relay.nn.bias_add %2, %b : (tensor<1x3x8x8xf32>, tensor<3xf32>) -> tensor<1x3x8x8xf32>
  %4 = relay.nn.relu %3 : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %5 = relay.qnn.quantize %4, %os, %z {out_dtype = ui8} : (tensor<1x3x8x8xf32>, tensor<f32>, tensor<i32>) -> tensor<1x3x8x8xui8>
  return %5 : tensor<1x3x8x8xui8>
}

// -----

// What is quantized as it was is nothing; in another way, a change of scale.
// CHECK-LABEL: func.func @same
// CHECK-SAME:    (%[[Q:.*]]: tensor<4xi8>)
// CHECK:      %[[R:.*]] = relay.qnn.requantize %[[Q]], {{.*}} {axis = 0, out_dtype = ui8}
// CHECK-NEXT: return %[[Q]], %[[R]]
func.func @same(%q: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xui8>) {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<3> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.qnn.quantize %0, %s, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  %2 = relay.qnn.quantize %0, %s, %z {out_dtype = ui8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xui8>
  return %1, %2 : tensor<4xi8>, tensor<4xui8>
}

// -----

// The last operator rounds to the scale of the result; one before it to a
// 256th, in 32 bits.
// CHECK-LABEL: func.func @sums
// CHECK-DAG:  %[[T:.*]] = relay.constant dense<2.500000e-01>
// CHECK:      %[[R:.*]] = relay.qnn.add %{{.*}}, %{{.*}}, {{.*}} %[[T]], %{{.*}} : (tensor<4xi8>
// CHECK:      %[[F:.*]] = relay.constant dense<9.765625E-4>
// CHECK:      relay.qnn.requantize %{{.*}} %[[F]], %{{.*}} {{.*}}out_dtype = i32
// CHECK:      relay.qnn.requantize %{{.*}} %[[F]], %{{.*}} {{.*}}out_dtype = i32
// CHECK:      %[[S:.*]] = relay.add
// CHECK:      relay.subtract
// CHECK:      relay.qnn.requantize
// CHECK-NOT:  relay.qnn.dequantize
func.func @sums(%p: tensor<4xi8>, %q: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %s = relay.constant dense<0.5> : tensor<f32>
  %t = relay.constant dense<0.25> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.qnn.quantize %2, %t, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  %4 = relay.subtract %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = relay.qnn.quantize %4, %t, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %3, %5 : tensor<4xi8>, tensor<4xi8>
}

// -----

// A region stays that depends on floats, or on an operator without a form.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-2: relay.qnn.dequantize
// CHECK:         relay.qnn.quantize
// CHECK:         relay.nn.log_softmax
// CHECK:         relay.qnn.quantize
func.func @stays(%p: tensor<2x4xi8>, %x: tensor<2x4xf32>) -> (tensor<2x4xi8>, tensor<2x4xi8>) {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.add %0, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %3 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  %4 = relay.nn.log_softmax %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = relay.qnn.quantize %4, %s, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %3, %5 : tensor<2x4xi8>, tensor<2x4xi8>
}

// -----

// Others that read the floats keep them.
// CHECK-LABEL: func.func @others
// CHECK:      %[[D:.*]] = relay.qnn.dequantize
// CHECK:      %[[F:.*]] = relay.nn.relu %[[D]]
// CHECK:      %[[R:.*]] = relay.maximum
// CHECK:      return %[[R]], %[[F]]
func.func @others(%p: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xf32>) {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %2, %1 : tensor<4xi8>, tensor<4xf32>
}

// -----

// No integer stands for NaN, wherever among the factors it is.
// CHECK-LABEL: func.func @nan
// CHECK:      relay.qnn.dequantize
// CHECK:      relay.multiply
// CHECK:      relay.qnn.quantize
func.func @nan(%p: tensor<4xi8>) -> tensor<4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %c = relay.constant dense<[0x7FC00000, 1.0, 2.0, 3.0]> : tensor<4xf32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.multiply %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %2 : tensor<4xi8>
}
