// RUN: relay-opt %s --relay-dynamic-to-static | FileCheck %s

// The shape of a value of a static type is a constant; types follow, also that of
// the function.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME:      -> tensor<2x6xf32>
// CHECK-NEXT:    %[[R:.*]] = relay.reshape %arg0 {newshape = [2, 6]} : (tensor<3x4xf32>) -> tensor<2x6xf32>
// CHECK-NEXT:    return %[[R]] : tensor<2x6xf32>
func.func @reshape(%x: tensor<3x4xf32>, %y: tensor<2x6xf32>) -> tensor<?x?xf32> {
  %shape = relay.shape_of %y {dtype = i64} : (tensor<2x6xf32>) -> tensor<2xi64>
  %0 = relay.dyn.reshape %x, %shape : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// Other attributes stay, numbers of floats are integers where those are meant, and
// a scalar is a list where one is meant.
// CHECK-LABEL: func.func @attributes
// CHECK-NEXT:    relay.topk %arg0 {is_ascend = true, k = 2, ret_type = "values"} : (tensor<3x4xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    relay.strided_slice %{{.*}} {begin = [0, 1], end = [2, 1], slice_mode = "size", strides = [1, 1]}
func.func @attributes(%x: tensor<3x4xf32>) -> tensor<?x?xf32> {
  %k = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.dyn.topk %x, %k {ret_type = "values", is_ascend = true} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x?xf32>
  %b = relay.constant dense<[0, 1]> : tensor<2xi64>
  %e = relay.constant dense<[2, 1]> : tensor<2xi64>
  %s = relay.constant dense<[1, 1]> : tensor<2xi64>
  %1 = relay.dyn.strided_slice %0, %b, %e, %s {slice_mode = "size"} : (tensor<3x?xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Constants that do not fit, and operands that are not known, stay.
// CHECK-LABEL: func.func @stay
// CHECK:         relay.dyn.reshape
// CHECK:         relay.dyn.reshape
func.func @stay(%x: tensor<3x4xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %bad = relay.constant dense<5> : tensor<2xi64>
  %0 = relay.dyn.reshape %x, %bad : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %1 = relay.dyn.reshape %0, %shape : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
