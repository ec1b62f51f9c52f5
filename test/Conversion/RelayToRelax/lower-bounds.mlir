// RUN: relay-opt %s --convert-relay-to-relax 2>/dev/null | FileCheck %s
// RUN: relay-opt %s --convert-relay-to-relax --verify-diagnostics -o /dev/null

// A slice is taken to lie within the tensor, and that is checked before a run.

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
//  CHECK-SAME:   -> (!relax.tensor<[3], f32>, !relax.tensor<[n - 1], f32>)
func.func @slices(%x: tensor<?xf32> {relay.dims = ["n"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  // CHECK: relax.assert_at_least [n, n - 1], [3, 0]
  // expected-remark @+2 {{takes n to be at least 3, which is checked before each run}}
  // expected-remark @+1 {{takes n - 1 to be at least 0, which is checked before each run}}
  %0:2 = relay.call @head(%x)
    : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xf32>
}
