// Types, and with them copies, may be more with each function.
// RUN: not relay-opt %s --relay-defunctionalize=max-instances=3 2>&1 | FileCheck %s
// RUN: not relay-opt %s --relay-defunctionalize=max-instances=-1 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: relay-opt %s --relay-defunctionalize=max-instances=4 -o /dev/null

// CHECK: [[#@LINE+8]]:8: error: expects at most 3 copies of generic closures, of types that can be written, but got more
// CHECK: [[#@LINE+11]]:10: note: it is used here
// RANGE: error: expects option 'max-instances' to be at least 0, but got -1
!a = !relay.typevar<"A">
!b = !relay.typevar<"B">
!generic = !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
!other = !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">>
func.func @main(%x: tensor<f32>, %y: tensor<i32>) -> tensor<f32> {
  %f = relay.fn ["A"] (%z: !a) -> !a {
    relay.yield %z : !a
  }
  %g = relay.fn ["B"] (%z: !b) -> !b {
    %1 = relay.call_indirect %f(%z) : !generic as (!b) -> !b
    relay.yield %1 : !b
  }
  %0 = relay.call_indirect %g(%x) : !other as (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %g(%y) : !other as (tensor<i32>) -> tensor<i32>
  return %0 : tensor<f32>
}
