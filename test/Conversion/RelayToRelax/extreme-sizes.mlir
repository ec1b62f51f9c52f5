// RUN: relay-opt %s --convert-relay-to-relax | FileCheck %s

// The smaller or larger of two sizes has a name of its own: a slice may reach
// beyond the end.

func.func private @head(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {relay.primitive} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %end = arith.minsi %c3, %n : index
  %size = arith.maxsi %end, %c0 : index
  %0 = tensor.empty(%size) : tensor<?xf32>
  %less = arith.subi %n, %c1 : index
  %rest = arith.maxsi %less, %c0 : index
  %1 = tensor.empty(%rest) : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: relax.func @slices(
//  CHECK-SAME:   -> (!relax.tensor<["min(3, n)"], f32>, !relax.tensor<["max(n - 1, 0)"], f32>)
//       CHECK:   relax.min_size "min(3, n)" of [3, n]
//  CHECK-NEXT:   relax.max_size "max(n - 1, 0)" of [n - 1, 0]
//   CHECK-NOT:   relax.max_size
//   CHECK-NOT:   relax.assert
func.func @slices(%x: tensor<?xf32> {relay.dims = ["n"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = relay.call @head(%x)
    : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}

// One of one, in two calls one name, and none that a dimension has.

// CHECK-LABEL: relax.func @nested(
//       CHECK:   relax.min_size "min(3, n)'" of [3, n]
//       CHECK:   relax.max_size "max(n - 1, 0)" of [n - 1, 0]
//       CHECK:   relax.max_size "max(min(3, n)' - 1, 0)" of ["min(3, n)'" - 1, 0]
//   CHECK-NOT:   _size
func.func @nested(%x: tensor<?xf32> {relay.dims = ["n"]},
                  %y: tensor<?xf32> {relay.dims = ["min(3, n)"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0:2 = relay.call @head(%x)
    : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %1:2 = relay.call @head(%0#0)
    : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %2:2 = relay.call @head(%x)
    : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %1#1, %2#0 : tensor<?xf32>, tensor<?xf32>
}
