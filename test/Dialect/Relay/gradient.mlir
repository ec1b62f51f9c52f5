// RUN: relay-opt %s --relay-gradient --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-gradient --relay-partial-evaluate \
// RUN:     --relay-dead-code="ignore-impurity=true" --split-input-file \
// RUN:   | FileCheck %s --check-prefix=STRAIGHT

// An operator computes what it did, and leaves what goes back.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<f32>) -> tuple<tensor<f32>, tuple<tensor<f32>>>
// CHECK: %[[DX:.*]] = relay.ref_create
// CHECK: %[[FIRST:.*]] = relay.fn () -> tuple<>
// CHECK: %[[BACK:.*]] = relay.ref_create %[[FIRST]]
// CHECK: %[[Y:.*]] = relay.exp %[[X]]
// CHECK: %[[DY:.*]] = relay.ref_create
// CHECK: %[[BEFORE:.*]] = relay.ref_read %[[BACK]]
// CHECK: %[[STEP:.*]] = relay.fn () -> tuple<>
// CHECK:   %[[G:.*]] = relay.ref_read %[[DY]]
// CHECK:   %[[MORE:.*]] = relay.multiply %[[G]], %[[Y]]
// CHECK:   %[[OLD:.*]] = relay.ref_read %[[DX]]
// CHECK:   %[[SUM:.*]] = relay.add %[[OLD]], %[[MORE]]
// CHECK:   relay.ref_write %[[DX]], %[[SUM]]
// CHECK:   relay.call_indirect %[[BEFORE]]()
// CHECK: relay.ref_write %[[BACK]], %[[STEP]]
// CHECK: relay.ones
// CHECK: relay.ref_write %[[DY]]
// CHECK: %[[LAST:.*]] = relay.ref_read %[[BACK]]
// CHECK: relay.call_indirect %[[LAST]]()
// CHECK: %[[RESULT:.*]] = relay.ref_read %[[DX]]
// CHECK: relay.tuple %[[RESULT]]
// STRAIGHT-LABEL: func.func @main(
// STRAIGHT-NOT: relay.ref
// STRAIGHT-NOT: relay.fn
// STRAIGHT: relay.exp
// STRAIGHT: relay.multiply
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A function that is called has a gradient of its own; main calls itself, and what
// it was is kept for nobody: its gradient calls gradients only.
// CHECK-LABEL: func.func @main(
// CHECK: relay.call @main_grad
// CHECK-LABEL: func.func private @main_grad(
// CHECK-SAME: tensor<i32>
// CHECK-SAME: tuple<tensor<f32>, !relay.ref<tensor<f32>>>
// CHECK-SAME: %[[BACK:[a-z0-9]*]]: !relay.ref<() -> tuple<>> {relay.name = "back"}) -> tuple<tensor<f32>, !relay.ref<tensor<f32>>>
// CHECK: relay.if
// CHECK: relay.call @main_grad(%{{.*}}, %{{.*}}, %[[BACK]])
// CHECK-NOT: @main_value
func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %c = relay.equal %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = relay.if %c : tensor<i1> -> tensor<f32> {
    relay.yield %x : tensor<f32>
  } else {
    %m = relay.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = relay.tanh %x : (tensor<f32>) -> tensor<f32>
    %1 = relay.call @main(%m, %y) : (tensor<i32>, tensor<f32>) -> tensor<f32>
    relay.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// Others that call main mean what it was.
// CHECK-LABEL: func.func @main(
// CHECK-LABEL: func.func private @main_value(
// CHECK-LABEL: func.func @other(
// CHECK: relay.call @main_value
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func @other(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A data type with floats becomes another one; others stay, with other arguments.
// CHECK: relay.adt @Leaf {
// CHECK: relay.adt @Leaf_grad {
// CHECK-NEXT: relay.constructor @Make_grad(tuple<tensor<f32>, !relay.ref<tensor<f32>>>)
// CHECK: relay.adt @Box["A"]
// CHECK-NOT: @Box_grad
// CHECK-NOT: @Unused_grad
// CHECK-LABEL: func.func @main(
// CHECK: relay.construct @Leaf_grad::@Make_grad
// CHECK: relay.construct @Box::@Full({{.*}}) : (!relay.adt<@Leaf_grad>) -> !relay.adt<@Box, [!relay.adt<@Leaf_grad>]>
// CHECK: case @Box::@Full(@Leaf_grad::@Make_grad("y" %{{.*}}: tuple<tensor<f32>, !relay.ref<tensor<f32>>>))
relay.adt @Leaf { relay.constructor @Make(tensor<f32>) }
relay.adt @Box["A"] { relay.constructor @Full(!relay.typevar<"A">) }
relay.adt @Unused { relay.constructor @None(tensor<f32>) }
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.construct @Leaf::@Make(%x) : (tensor<f32>) -> !relay.adt<@Leaf>
  %1 = relay.construct @Box::@Full(%0)
      : (!relay.adt<@Leaf>) -> !relay.adt<@Box, [!relay.adt<@Leaf>]>
  %2 = relay.match %1 : !relay.adt<@Box, [!relay.adt<@Leaf>]> -> tensor<f32> {
  case @Box::@Full(@Leaf::@Make("y" %y: tensor<f32>)) {
    relay.yield %y : tensor<f32>
  }
  }
  return %2 : tensor<f32>
}

// -----

// Closures and their types have one more parameter; references hold pairs.
// CHECK-LABEL: func.func @main(
// CHECK: %[[F:.*]] = relay.fn (%{{.*}}: tuple<tensor<f32>, !relay.ref<tensor<f32>>>
// CHECK-SAME: %[[B:.*]]: !relay.ref<() -> tuple<>> {relay.name = "back"})
// CHECK: relay.ref_read %[[B]]
// CHECK: relay.ref_create %[[F]] : ((tuple<tensor<f32>, !relay.ref<tensor<f32>>>, !relay.ref<() -> tuple<>>) -> tuple<tensor<f32>, !relay.ref<tensor<f32>>>)
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn (%y: tensor<f32> {relay.name = "y"}) -> tensor<f32> {
    %0 = relay.exp %y : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %r = relay.ref_create %f
      : ((tensor<f32>) -> tensor<f32>) -> !relay.ref<(tensor<f32>) -> tensor<f32>>
  %g = relay.ref_read %r
      : (!relay.ref<(tensor<f32>) -> tensor<f32>>) -> ((tensor<f32>) -> tensor<f32>)
  %0 = relay.call_indirect %g(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Before a checkpoint nothing is kept: sinh is computed again on the way back. What
// else uses a value keeps it.
// CHECK-LABEL: func.func @main(
// CHECK: %[[KEPT:.*]] = relay.sin %
// CHECK: relay.sinh %[[KEPT]]
// CHECK: relay.cosh
// CHECK-NOT: relay.annotation.checkpoint
// CHECK: relay.fn () -> tuple<>
// CHECK:   relay.ref_create
// CHECK:   relay.sinh %[[KEPT]]
// CHECK:   relay.cosh
// CHECK-NOT: relay.sin %
// CHECK: return
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.sin %x : (tensor<f32>) -> tensor<f32>
  %1 = relay.sinh %0 : (tensor<f32>) -> tensor<f32>
  %2 = relay.cosh %1 : (tensor<f32>) -> tensor<f32>
  %3 = relay.annotation.checkpoint %2 : (tensor<f32>) -> tensor<f32>
  %4 = relay.add %3, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %4 : tensor<f32>
}
