// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$SCALAR:.*]] = affine_map<(d0, d1, d2) -> ()>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2) -> (0, d2)>

// One nest; sizes of one repeat through the map, not through an op.
// CHECK-LABEL: func @broadcast
//  CHECK-SAME:     %[[LHS:.*]]: tensor<?x3x1xf32>, %[[RHS:.*]]: tensor<1x4xf32>
//       CHECK:   %[[SIZE:.*]] = tensor.dim %[[LHS]]
//       CHECK:   %[[INIT:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x3x4xf32>
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$LHS]], #[[$RHS]], #[[$ID]]]
//  CHECK-SAME:     ["parallel", "parallel", "parallel"]
//  CHECK-SAME:     ins(%[[LHS]], %[[RHS]] : {{.*}}) outs(%[[INIT]]
//  CHECK-SAME:     tir.block_name = "subtract"
//       CHECK:     arith.subf
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @broadcast(%lhs: tensor<?x3x1xf32>, %rhs: tensor<1x4xf32>) -> tensor<?x3x4xf32> {
  %0 = relay.subtract %lhs, %rhs : (tensor<?x3x1xf32>, tensor<1x4xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// CHECK-LABEL: func @scalar_operand
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$ID]], #[[$SCALAR]], #[[$ID]]]
func.func @scalar_operand(%lhs: tensor<2x3x4xf32>, %rhs: tensor<f32>) -> tensor<2x3x4xf32> {
  %0 = relay.multiply %lhs, %rhs : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A constant of one value is a scalar of the body, whatever its shape.
// CHECK-LABEL: func @constant_operand
//   CHECK-NOT:   tensor<1x1xf32>
//       CHECK:   linalg.generic
//  CHECK-SAME:     ins(%{{[a-z0-9]*}} : tensor<2x3x4xf32>)
//       CHECK:     %[[TWO:.*]] = arith.constant 2.0
//       CHECK:     arith.mulf %{{.*}}, %[[TWO]]
func.func @constant_operand(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %c = relay.constant dense<2.0> : tensor<1x1xf32>
  %0 = relay.multiply %x, %c : (tensor<2x3x4xf32>, tensor<1x1xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A constant that is a result is filled in.
// CHECK-LABEL: func @constant_result
//       CHECK:   %[[FILL:.*]] = linalg.fill
//       CHECK:   return %[[FILL]]
func.func @constant_result() -> tensor<2x3xf32> attributes {relay.primitive} {
  %c = relay.constant dense<2.0> : tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// Functions of narrow floats are computed in f32.
// CHECK-LABEL: func @half_exp
//       CHECK:   %[[WIDE:.*]] = arith.extf %{{.*}} : f16 to f32
//       CHECK:   %[[EXP:.*]] = math.exp %[[WIDE]] : f32
//       CHECK:   arith.truncf %[[EXP]] : f32 to f16
func.func @half_exp(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = relay.exp %x : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// Unsigned integers lose their sign, in the signature too; operations keep it.
// CHECK-LABEL: func @unsigned
//  CHECK-SAME:     (%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> tensor<4xi8>
//       CHECK:   arith.maxui
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = relay.maximum %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func @unsigned_to_float
//       CHECK:   arith.uitofp %{{.*}} : i8 to f32
func.func @unsigned_to_float(%x: tensor<4xui8>) -> tensor<4xf32> {
  %0 = relay.cast %x {dtype = f32} : (tensor<4xui8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Neither zero nor the overflow of -128 / -1 may reach the division.
// CHECK-LABEL: func @guarded_division
//       CHECK:   %[[ZERO:.*]] = arith.cmpi eq, %[[RHS:.*]], %c0_i8
//       CHECK:   %[[MINUS:.*]] = arith.cmpi eq, %[[RHS]], %c-1_i8
//       CHECK:   %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[MINUS]]
//       CHECK:   %[[SAFE:.*]] = arith.select %[[TRAPS]], %c1_i8, %[[RHS]]
//       CHECK:   arith.divsi %{{.*}}, %[[SAFE]]
func.func @guarded_division(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %0 = relay.divide %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// NaN passes through relu.
// CHECK-LABEL: func @relu
//       CHECK:   ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
//       CHECK:     %[[ZERO:.*]] = arith.constant 0.0
//       CHECK:     %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[ZERO]]
//       CHECK:     arith.select %[[BELOW]], %[[ZERO]], %[[X]]
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[$CHANNEL:.*]] = affine_map<(d0, d1, d2, d3) -> (d1)>

// CHECK-LABEL: func @bias_add
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$ID]], #[[$CHANNEL]], #[[$ID]]]
//  CHECK-SAME:     tir.block_name = "bias_add"
//       CHECK:     arith.addf
func.func @bias_add(%x: tensor<?x16x8x8xf32>, %b: tensor<16xf32>) -> tensor<?x16x8x8xf32> {
  %0 = relay.nn.bias_add %x, %b : (tensor<?x16x8x8xf32>, tensor<16xf32>) -> tensor<?x16x8x8xf32>
  return %0 : tensor<?x16x8x8xf32>
}

// A size that only the result has is said by a cast.
// CHECK-LABEL: func @known_size
//       CHECK:   %[[CAST:.*]] = linalg.generic
//       CHECK:   tensor.cast %[[CAST]] : tensor<?x3xf32> to tensor<8x3xf32>
func.func @known_size(%x: tensor<?x3xi64>) -> tensor<8x3xf32> {
  %0 = relay.cast %x {dtype = f32} : (tensor<?x3xi64>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
