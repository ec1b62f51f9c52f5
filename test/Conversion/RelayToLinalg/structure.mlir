// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// A caller keeps its own types; what it passes on has no sign.
// CHECK-LABEL: func private @kernel
//  CHECK-SAME:     (%{{.*}}: tensor<4xi8>) -> tensor<4xi8>
func.func private @kernel(%x: tensor<4xui8>) -> tensor<4xui8> attributes {relay.primitive} {
  %0 = relay.nn.relu %x : (tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
// CHECK-LABEL: func @main
//  CHECK-SAME:     (%[[X:.*]]: tensor<4xui8>) -> tensor<4xui8>
//       CHECK:   %[[IN:.*]] = tensor.bitcast %[[X]] : tensor<4xui8> to tensor<4xi8>
//       CHECK:   %[[A:.*]] = relay.call @kernel(%[[IN]]) : (tensor<4xi8>) -> tensor<4xi8>
//       CHECK:   %[[B:.*]] = relay.call @kernel(%[[A]]) : (tensor<4xi8>) -> tensor<4xi8>
//       CHECK:   %[[OUT:.*]] = tensor.bitcast %[[B]] : tensor<4xi8> to tensor<4xui8>
//       CHECK:   return %[[OUT]]
func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = relay.call @kernel(%x) : (tensor<4xui8>) -> tensor<4xui8>
  %1 = relay.call @kernel(%0) : (tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// -----

// Tuples are the sequence of their fields, in signatures too.
// CHECK-LABEL: func @tuples
//  CHECK-SAME:     (%[[A:.*]]: tensor<4xi8>, %[[B:.*]]: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xi8>)
//  CHECK-NEXT:   return %[[B]], %[[A]]
func.func @tuples(%t: tuple<tensor<4xui8>, tensor<2xi32>>) -> tuple<tensor<2xi32>, tensor<4xui8>> {
  %a = relay.tuple_get_item %t[0] : tuple<tensor<4xui8>, tensor<2xi32>>
  %b = relay.tuple_get_item %t[1] : tuple<tensor<4xui8>, tensor<2xi32>>
  %0 = relay.tuple %b, %a : tensor<2xi32>, tensor<4xui8>
  return %0 : tuple<tensor<2xi32>, tensor<4xui8>>
}

// -----

// At inference dropout is its operand.
// CHECK-LABEL: func @dropout
//  CHECK-SAME:     %[[X:.*]]: tensor<4xf32>
//       CHECK:   return %[[X]]
func.func @dropout(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = relay.nn.dropout %x : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %0 = relay.tuple_get_item %t[0] : tuple<tensor<4xf32>, tensor<4xf32>>
  return %0 : tensor<4xf32>
}

// -----

// A resource is not copied.
// CHECK-LABEL: func @weights
//       CHECK:   arith.constant dense_resource<w> : tensor<2xf32>
func.func @weights() -> tensor<2xf32> attributes {relay.primitive} {
  %w = relay.constant dense_resource<w> : tensor<2xf32>
  return %w : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  }
#-}
