// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// One call for each element, with the params behind the operands.
// CHECK-LABEL: func.func @list_item(
// CHECK-SAME:      %[[X:.+]]: tensor<?x3xi64>, %[[I:.+]]: tensor<?x3xi64>)
// CHECK: tir.opaque ins(%[[X]], %[[I]] : tensor<?x3xi64>, tensor<?x3xi64>)
// CHECK:   %[[PADDING:.+]] = arith.constant 5 : i64
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       %[[LIST:.+]] = memref.load
// CHECK:       %[[POSITION:.+]] = memref.load
// CHECK:       %[[ITEM:.+]] = tir.string_call 8(%[[LIST]], %[[POSITION]], %[[PADDING]])
// CHECK:       memref.store %[[ITEM]]
func.func @list_item(%x: tensor<?x3xi64>, %i: tensor<?x3xi64>)
    -> tensor<?x3xi64> attributes {relay.primitive} {
  %0 = relay.string_map %x, %i {function = "list_item", params = [5]}
      : (tensor<?x3xi64>, tensor<?x3xi64>) -> tensor<?x3xi64>
  return %0 : tensor<?x3xi64>
}

// -----

// CHECK-LABEL: func.func @scalar(
// CHECK-NOT: scf.for
// CHECK: tir.string_call 13(%{{.+}})
func.func @scalar(%x: tensor<i64>) -> tensor<i64>
    attributes {relay.primitive} {
  %0 = relay.string_map %x {function = "format_int"}
      : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}
