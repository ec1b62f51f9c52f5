// What is always better.
// RUN: relay-opt %s --canonicalize='test-convergence' | FileCheck %s

// CHECK-LABEL: func.func @identity
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT:    return %[[X]], %[[X]], %[[X]]
func.func @identity(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = relay.transpose %x {axes = [0, -1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.reshape %x {newshape = [2, -1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.cast %x {dtype = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// A square matrix is not its own transpose.
// CHECK-LABEL: func.func @square
// CHECK-NEXT:    relay.transpose
func.func @square(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = relay.transpose %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// Equal types with two dynamic sizes do not make a reshape the identity.
// CHECK-LABEL: func.func @dynamic_reshape
// CHECK-NEXT:    relay.reshape
func.func @dynamic_reshape(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = relay.reshape %x {newshape = [-1, 1]} : (tensor<?x?xf32>) -> tensor<?x1xf32>
  %1 = relay.reshape %0 {newshape = [1, -1]} : (tensor<?x1xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// One dynamic size follows from the number of elements, copied sizes stay.
// CHECK-LABEL: func.func @dynamic_identity
// CHECK-SAME:    (%[[X:.*]]: tensor<?x3xf32>, %[[Y:.*]]: tensor<?x?xf32>)
// CHECK-NEXT:    return %[[X]], %[[X]], %[[Y]]
func.func @dynamic_identity(%x: tensor<?x3xf32>, %y: tensor<?x?xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?xf32>) {
  %0 = relay.reshape %x {newshape = [0, 3]} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = relay.reshape %x {newshape = [-1, 3]} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = relay.reshape %y {newshape = [0, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x?xf32>
}

// Without elements, the other size is anything.
// CHECK-LABEL: func.func @no_elements
// CHECK-NEXT:    relay.reshape
func.func @no_elements(%x: tensor<?x0xf32>) -> tensor<?x0xf32> {
  %0 = relay.reshape %x {newshape = [-1, 0], allowzero = true} : (tensor<?x0xf32>) -> tensor<?x0xf32>
  return %0 : tensor<?x0xf32>
}

// axes[i] of the result is inner[outer[i]].
// CHECK-LABEL: func.func @transposes
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT:    %[[T:.*]] = relay.transpose %[[X]] {axes = [0, 2, 1]} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT:    return %[[T]], %[[X]]
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x4xf32>) {
  %0 = relay.transpose %x {axes = [2, 0, 1]} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %1 = relay.transpose %0 {axes = [1, 0, 2]} : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  %2 = relay.transpose %0 {axes = [1, 2, 0]} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  return %1, %2 : tensor<2x4x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT:    %[[R:.*]] = relay.reshape %[[X]] {newshape = [4, 6]} : (tensor<2x3x4xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    return %[[R]]
func.func @reshapes(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = relay.reshape %x {newshape = [-3, 0]} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = relay.reshape %0 {newshape = [4, -1]} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @fields
// CHECK-SAME:    (%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<3xf32>)
// CHECK-NEXT:    return %[[Y]]
func.func @fields(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = relay.tuple %x, %y : tensor<2xf32>, tensor<3xf32>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<3xf32>>
  return %1 : tensor<3xf32>
}
