// Effects happen in the order of the block, whether or not the expression would
// run them in that order by itself.
//
// RUN: relay-translate --export-relay-without-types --split-input-file %s | FileCheck %s

// In order: nothing is needed.
// CHECK-LABEL: def @in_order(
// CHECK-NEXT:    %[[R:[0-9]+]] = ref_read(%r);
// CHECK-NEXT:    %[[F:[0-9]+]] = %f(%[[R]]);
// CHECK-NEXT:    add(%[[F]], %[[F]])
func.func @in_order(%r: !relay.ref<tensor<f32>> {relay.name = "r"}, %f: (tensor<f32>) -> tensor<f32> {relay.name = "f"}) -> tensor<f32> {
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %1 = relay.call_indirect %f(%0) : (tensor<f32>) -> tensor<f32>
  %2 = relay.add %1, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A write that nobody waits for.
// CHECK-LABEL: def @unused(
// CHECK-NEXT:    let %[[V:.*]]: () = ref_write(%r, %x);
// CHECK-NEXT:    ref_read(%r)
func.func @unused(%r: !relay.ref<tensor<f32>> {relay.name = "r"}, %x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
  %0 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %1 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// subtract(b, a) would read b first.
// CHECK-LABEL: def @swapped(
// CHECK-NEXT:    let %[[A:.*]]: float32 = %f(%x);
// CHECK-NEXT:    let %[[B:.*]]: float32 = %g(%x);
// CHECK-NEXT:    subtract(%[[B]], %[[A]])
func.func @swapped(%f: (tensor<f32>) -> tensor<f32> {relay.name = "f"}, %g: (tensor<f32>) -> tensor<f32> {relay.name = "g"}, %x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %g(%x) : (tensor<f32>) -> tensor<f32>
  %2 = relay.subtract %1, %0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Only one branch uses the call, but it is made in any case.
// CHECK-LABEL: def @outside(
// CHECK-NEXT:    let %[[A:.*]]: float32 = %f(%x);
// CHECK-NEXT:    if (%c) {
// CHECK-NEXT:      negative(%[[A]])
func.func @outside(%f: (tensor<f32>) -> tensor<f32> {relay.name = "f"}, %c: tensor<i1> {relay.name = "c"}, %x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.negative %0 : (tensor<f32>) -> tensor<f32>
  %2 = relay.if %c : tensor<i1> -> tensor<f32> {
    relay.yield %1 : tensor<f32>
  } else {
    relay.yield %x : tensor<f32>
  }
  return %2 : tensor<f32>
}

// -----

// A closure would read the cell when it is called.
// CHECK-LABEL: def @captured(
// CHECK-NEXT:    let %[[A:.*]]: float32 = ref_read(%r);
// CHECK-NEXT:    fn () -> float32 {
// CHECK-NEXT:      %[[A]]
func.func @captured(%r: !relay.ref<tensor<f32>> {relay.name = "r"}) -> (() -> tensor<f32>) {
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %1 = relay.fn () -> tensor<f32> {
    relay.yield %0 : tensor<f32>
  }
  return %1 : () -> tensor<f32>
}

// -----

// A let is where its effect happens.
// CHECK-LABEL: def @let(
// CHECK-NEXT:    let %a: float32 = ref_read(%r);
// CHECK-NEXT:    let %[[U:.*]]: () = ref_write(%r, %x);
// CHECK-NEXT:    add(%a, %x)
func.func @let(%r: !relay.ref<tensor<f32>> {relay.name = "r"}, %x: tensor<f32> {relay.name = "x"}) -> tensor<f32> {
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %a = relay.let "a" %0 : tensor<f32>
  %1 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %2 = relay.add %a, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
