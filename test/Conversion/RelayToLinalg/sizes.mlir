// Elements of operands that are sizes become arithmetic on the sizes of arguments.
//
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg,canonicalize))' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @slice
// CHECK:         %[[N:.*]] = tensor.dim %arg1
// CHECK:         arith.subi %{{.*}}, %c5_i64
// CHECK-NOT:     linalg.generic
// CHECK:         %[[LENGTH:.*]] = arith.maxsi
// CHECK:         tensor.empty(%{{.*}}, %[[LENGTH]]) : tensor<?x?xf32>
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.generic
func.func @slice(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %five = relay.constant dense<5> : tensor<1xi64>
  %zero = relay.constant dense<0> : tensor<1xi64>
  %one = relay.constant dense<1> : tensor<1xi64>
  %n = relay.shape_of %y {dtype = i64} : (tensor<?xf32>) -> tensor<1xi64>
  %end = relay.subtract %n, %five : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %r = relay.dyn.strided_slice %x, %zero, %end, %one {axes = [1]} : (tensor<?x?xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// A size that stands on both sides stays a plain one, and constants are static.

// CHECK-LABEL: func.func @reshape
// CHECK-DAG:     %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK:         tensor.expand_shape %arg0 {{\[}}[0], [1, 2]] output_shape [%[[N]], 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
func.func @reshape(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
  %two = relay.constant dense<2> : tensor<1xi64>
  %rest = relay.constant dense<-1> : tensor<1xi64>
  %shape = relay.shape_of %x {dtype = i64} : (tensor<?x6xf32>) -> tensor<2xi64>
  %n = relay.strided_slice %shape {axes = [0], begin = [0], end = [1], strides = [1]} : (tensor<2xi64>) -> tensor<1xi64>
  %sizes = relay.concatenate %n, %two, %rest : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xi64>
  %r = relay.dyn.reshape %x, %sizes : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<?x2x3xf32>
  return %r : tensor<?x2x3xf32>
}

// -----

func.func @elements(%x: tensor<2xi64>) -> tensor<?x?xf32> {
  // expected-error @below {{'relay.dyn.zeros' op has no lowering to linalg for these types and attributes}}
  // expected-note @below {{expects shape to follow from constants and the sizes of inputs, but it is computed from their elements; the executors aot and vm compile that, into a shared object}}
  %r = relay.dyn.zeros %x {dtype = f32} : (tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
