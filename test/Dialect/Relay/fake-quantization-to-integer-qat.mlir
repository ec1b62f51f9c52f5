// RUN: relay-opt %s --relay-fake-quantization-to-integer=use-qat=true --split-input-file | FileCheck %s
// RUN: relay-opt %s "--relay-fake-quantization-to-integer=optional-ops=nn.softmax" --split-input-file | FileCheck %s --check-prefix=OPTIONAL

// Operators in integers, though nothing is quantized behind them.
// CHECK-LABEL: func.func @alone
// CHECK:     %[[C:.*]] = relay.qnn.dense
// CHECK:     %[[M:.*]] = relay.maximum %[[C]]
// CHECK:     %[[D:.*]] = relay.qnn.dequantize %[[M]]
// CHECK:     relay.nn.softmax %[[D]]
func.func @alone(%q: tensor<2x4xi8>, %w: tensor<3x4xi8>) -> tensor<2x3xf32> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.qnn.dequantize %w, %s, %z {out_dtype = f32} : (tensor<3x4xi8>, tensor<f32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = relay.nn.dense %0, %1 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %3 = relay.nn.relu %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.nn.softmax %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK: relay.nn.softmax
// OPTIONAL-LABEL: func.func @softmax
// OPTIONAL: relay.qnn.softmax
func.func @softmax(%q: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.nn.softmax %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %2 : tensor<2x4xi8>
}

// -----

// Of a tuple, each field.
// CHECK-LABEL: func.func @split
// CHECK:  relay.split %{{.*}} -> tuple<tensor<2xi8>, tensor<2xi8>>
// CHECK:  relay.qnn.dequantize
// CHECK:  relay.qnn.dequantize
func.func @split(%q: tensor<4xi8>) -> tuple<tensor<2xf32>, tensor<2xf32>> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %q, %s, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.split %0 {indices_or_sections = 2 : i64} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  return %1 : tuple<tensor<2xf32>, tensor<2xf32>>
}
