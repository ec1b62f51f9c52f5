// RUN: relay-run %s --interpret | FileCheck %s
// RUN: not relay-run %s --interpret --max-depth=2 2>&1 | FileCheck --check-prefix=DEPTH %s

// Tuples are inputs and outputs field by field; other values are printed.

relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}

// DEPTH: error: 'relay.call' op expects at most 2 nested calls, but got more
// DEPTH: note: in calls of this function; does its recursion end?
func.func private @deeper(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @deep(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @deeper(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.abs %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-DAG: output1: Some(3)
// CHECK-DAG: output2.0: Some(None)
// CHECK-DAG: output2.1: <closure>
// CHECK-DAG: output3: ()
// CHECK-DAG: output0.0: tensor<2xf32> [{{.*}}]
// CHECK-DAG: output0.1.0: tensor<i32> [{{[0-9]}}]
func.func @main(%t: tuple<tensor<2xf32>, tuple<tensor<i32>>> {relay.name = "t"})
    -> (tuple<tensor<2xf32>, tuple<tensor<i32>>>, !relay.adt<@Option, [tensor<i32>]>,
        tuple<!relay.adt<@Option, [!relay.adt<@Option, [tensor<i32>]>]>, () -> tensor<i32>>, tuple<>) {
  %x = relay.tuple_get_item %t[0] : tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %y = relay.tuple_get_item %t[1] : tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %0 = relay.call @deep(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.tuple %0, %y : tensor<2xf32>, tuple<tensor<i32>>
  %three = relay.constant dense<3> : tensor<i32>
  %some = relay.construct @Option::@Some(%three) : (tensor<i32>) -> !relay.adt<@Option, [tensor<i32>]>
  %none = relay.construct @Option::@None() : () -> !relay.adt<@Option, [tensor<i32>]>
  %nested = relay.construct @Option::@Some(%none) : (!relay.adt<@Option, [tensor<i32>]>) -> !relay.adt<@Option, [!relay.adt<@Option, [tensor<i32>]>]>
  %f = relay.fn () -> tensor<i32> {
    relay.yield %three : tensor<i32>
  }
  %2 = relay.tuple %nested, %f : !relay.adt<@Option, [!relay.adt<@Option, [tensor<i32>]>]>, () -> tensor<i32>
  %3 = relay.tuple
  return %1, %some, %2, %3 : tuple<tensor<2xf32>, tuple<tensor<i32>>>, !relay.adt<@Option, [tensor<i32>]>,
    tuple<!relay.adt<@Option, [!relay.adt<@Option, [tensor<i32>]>]>, () -> tensor<i32>>, tuple<>
}
