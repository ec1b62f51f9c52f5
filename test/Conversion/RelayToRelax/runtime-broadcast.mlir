// A size that is only known at run time may be 1 where it meets another.
// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-relay-to-relax | FileCheck %s

// The operand is read with a step of 0 or 1; nothing else is checked.
// CHECK-LABEL: func.func private @add
//       CHECK:   %[[N:.*]] = tensor.dim
//       CHECK:   %[[ONE:.*]] = arith.constant 1 : index
//       CHECK:   %[[IS_ONE:.*]] = arith.cmpi eq, %[[N]], %[[ONE]]
//       CHECK:   %[[STEP:.*]] = arith.select %[[IS_ONE]], %{{.*}}, %[[ONE]]
//       CHECK:   linalg.generic {{.*}}tir.block_name = "repeat"
//       CHECK:     %[[ROW:.*]] = arith.muli %{{.*}}, %[[STEP]]
//       CHECK:     tensor.extract %{{.*}}[%[[ROW]], %{{.*}}]
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<3x2xf32>, tensor<3x2xf32>)
// CHECK-LABEL: relax.func @main
//  CHECK-SAME:   -> !relax.tensor<[3, 2], f32>
//       CHECK:   relax.assert_broadcast [n], [3]
//   CHECK-NOT:   relax.assert
func.func private @add(%x: tensor<?x2xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> attributes {relay.primitive} {
  %0 = relay.add %x, %w : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
func.func @main(%x: tensor<?x2xf32> {relay.dims = ["n", ""]}, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = relay.call @add(%x, %w) : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Sizes of one name are equal, and of two are taken to be: no step.
// CHECK-LABEL: func.func private @add
//   CHECK-NOT:   arith.muli
// CHECK-LABEL: relax.func @main
//       CHECK:   relax.assert_equal [n], [m]
//   CHECK-NOT:   relax.assert
func.func private @add(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?x2xf32> attributes {relay.primitive} {
  %0 = relay.add %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @main(%x: tensor<?x2xf32> {relay.dims = ["n", ""]}, %y: tensor<?x2xf32> {relay.dims = ["m", ""]}) -> tensor<?x2xf32> {
  %0 = relay.call @add(%x, %y) : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
