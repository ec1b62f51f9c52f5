// What may have an effect stays; values go.
// RUN: relay-opt %s --relay-dead-code --split-input-file | FileCheck %s
// RUN: relay-opt %s --cse --split-input-file | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: func.func @pure
// CHECK-NEXT:    return
relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}
func.func @pure(%x: tensor<f32>, %r: !relay.ref<tensor<f32>>, %c: tensor<i1>) -> tensor<f32> {
  // A closure does nothing before it is called.
  %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    %u = relay.ref_write %r, %y : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
    relay.yield %y : tensor<f32>
  }
  %g = relay.let "g" %f : (tensor<f32>) -> tensor<f32>
  %0 = relay.construct @Option::@Some(%x) : (tensor<f32>) -> !relay.adt<@Option, [tensor<f32>]>
  %1 = relay.match %0 : !relay.adt<@Option, [tensor<f32>]> -> tensor<f32> {
  case @Option::@Some("y" %y: tensor<f32>) {
    %2 = relay.call @compute(%y) : (tensor<f32>) -> tensor<f32>
    relay.yield %2 : tensor<f32>
  }
  case @Option::@None {
    relay.yield %x : tensor<f32>
  }
  }
  %3 = relay.if %c : tensor<i1> -> tensor<f32> {
    relay.yield %1 : tensor<f32>
  } else {
    relay.yield %x : tensor<f32>
  }
  %4 = relay.global @compute : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}
func.func @compute(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @effects
// CHECK:         relay.call_indirect
// CHECK:         relay.call_indirect
// CHECK:         relay.ref_write
// CHECK:         relay.ref_write
// CHECK:         relay.match partial
// CHECK-NOT:     relay.call @down
// CHECK:         relay.call @calls
// CHECK:         relay.call @writes
// CHECK:         relay.if
// CHECK:           relay.ref_write
// CSE-LABEL:   func.func @effects
// CSE:           relay.call_indirect
// CSE:           relay.call_indirect
// CSE:           relay.ref_write
// CSE:           relay.ref_write
// CSE:           relay.match partial
// CSE:           relay.call @down
// CSE:           relay.call @down
// CSE:           relay.call @calls
// CSE:           relay.call @writes
// CSE:           relay.if
// CSE:             relay.ref_write
relay.adt @Nat {
  relay.constructor @Zero
  relay.constructor @Succ(!relay.adt<@Nat>)
}
func.func @effects(%f: (tensor<f32>) -> tensor<f32>, %r: !relay.ref<tensor<f32>>, %x: tensor<f32>, %n: !relay.adt<@Nat>, %c: tensor<i1>) -> tensor<f32> {
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  %2 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %3 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %4 = relay.match partial %n : !relay.adt<@Nat> -> tensor<f32> {
  case @Nat::@Zero {
    relay.yield %x : tensor<f32>
  }
  }
  %5 = relay.call @down(%n) : (!relay.adt<@Nat>) -> tensor<f32>
  %6 = relay.call @down(%n) : (!relay.adt<@Nat>) -> tensor<f32>
  %7 = relay.call @calls(%f, %x) : ((tensor<f32>) -> tensor<f32>, tensor<f32>) -> tensor<f32>
  %8 = relay.call @writes(%r, %x) : (!relay.ref<tensor<f32>>, tensor<f32>) -> tensor<f32>
  %9 = relay.if %c : tensor<i1> -> tuple<> {
    %10 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
    relay.yield %10 : tuple<>
  } else {
    %11 = relay.tuple ()
    relay.yield %11 : tuple<>
  }
  return %x : tensor<f32>
}
// Comes to itself through another function, as a value.
func.func private @down(%n: !relay.adt<@Nat>) -> tensor<f32> {
  %0 = relay.call @other(%n) : (!relay.adt<@Nat>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @other(%n: !relay.adt<@Nat>) -> tensor<f32> {
  %f = relay.global @down : (!relay.adt<@Nat>) -> tensor<f32>
  %0 = relay.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @calls(%f: (tensor<f32>) -> tensor<f32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @writes(%r: !relay.ref<tensor<f32>>, %x: tensor<f32>) -> tensor<f32> {
  %0 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  return %x : tensor<f32>
}

// -----

// Reads before and after a write are two.
// CSE-LABEL:   func.func @reads
// CSE:           %[[A:.*]] = relay.ref_read
// CSE:           relay.ref_write
// CSE:           %[[B:.*]] = relay.ref_read
// CSE:           relay.add %[[A]], %[[B]]
// Two cells are not one.
// CSE:           %[[C:.*]] = relay.ref_create
// CSE:           %[[D:.*]] = relay.ref_create
// CSE:           relay.tuple %[[C]], %[[D]]
func.func @reads(%r: !relay.ref<tensor<f32>>, %x: tensor<f32>) -> tuple<tensor<f32>, tuple<!relay.ref<tensor<f32>>, !relay.ref<tensor<f32>>>> {
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %1 = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  %2 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  %3 = relay.add %0, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %5 = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %6 = relay.tuple %4, %5 : !relay.ref<tensor<f32>>, !relay.ref<tensor<f32>>
  %7 = relay.tuple %3, %6 : tensor<f32>, tuple<!relay.ref<tensor<f32>>, !relay.ref<tensor<f32>>>
  return %7 : tuple<tensor<f32>, tuple<!relay.ref<tensor<f32>>, !relay.ref<tensor<f32>>>>
}
