// Passes that need types say so where types are not inferred yet.
// RUN: not relay-opt %s --relay-eta-expand 2>&1 | FileCheck %s
// RUN: not relay-opt %s --relay-gradient 2>&1 | FileCheck %s
// RUN: not relay-opt %s --relay-defunctionalize 2>&1 | FileCheck %s
// RUN: not relay-opt %s --relay-to-mixed-precision 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not relay-opt %s --convert-relay-to-linalg 2>&1 | FileCheck %s --check-prefix=LINALG
// RUN: relay-opt %s --relay-infer-types --relay-defunctionalize
// RUN: relay-opt %s --relay-infer-types --relay-to-mixed-precision

// CHECK: [[#@LINE+8]]:8: error: expects complete types for eta expansion, but got '!relay.incomplete'
// CHECK: note: run --relay-infer-types to make types complete
func.func @twice(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> !relay.incomplete {
  // LINALG: [[#@LINE+2]]:8: error: 'relay.global' op has no lowering to linalg
  // LINALG: note: its types are not complete; run --relay-infer-types first
  %f = relay.global @twice : !relay.incomplete
  %0 = relay.call_indirect %f(%y) : !relay.incomplete as (tensor<f32>) -> !relay.incomplete
  %t = relay.apply "split"(%x){indices_or_sections = 1 : i64} : (tensor<4xf32>) -> !relay.incomplete
  // FIELD: [[#@LINE+2]]:8: error: expects complete types for mixed precision, but got '!relay.incomplete'
  // FIELD: note: run --relay-infer-types to make types complete
  %1 = relay.tuple_get_item %t[0] : !relay.incomplete
  %2 = relay.apply "add"(%0, %1){} : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %2 : !relay.incomplete
}
