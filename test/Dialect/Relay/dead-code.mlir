// RUN: relay-opt %s --relay-dead-code --split-input-file | FileCheck %s

// A chain of unused operations goes, with the constants that it used.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[E:.*]] = relay.exp %arg0
// CHECK-NEXT:    return %[[E]]
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %0, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An operation of which one field is used stays.
// CHECK-LABEL: func.func @fields
// CHECK-NEXT:    %[[S:.*]] = relay.split
// CHECK-NEXT:    %[[F:.*]] = relay.tuple_get_item %[[S]][1]
// CHECK-NEXT:    return %[[F]]
func.func @fields(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = relay.split %x {indices_or_sections = 2} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  return %2 : tensor<2xf32>
}

// -----

// Calls without a use go, then functions that only those called.
// CHECK-NOT:   @unused
// CHECK-NOT:   @only_by_unused
// CHECK:       func.func private @used
// CHECK-NOT:   @only_by_unused
// CHECK-LABEL: func.func @calls
// CHECK-NEXT:    relay.call @used
// CHECK-NEXT:    return
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @only_by_unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @used(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @only_by_unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @used(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Functions that call each other and nobody else does are unreachable; a public
// function stays though nothing calls it.
// CHECK-NOT:   @ping
// CHECK-NOT:   @pong
// CHECK-LABEL: func.func @public
func.func private @ping(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @pong(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @pong(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @ping(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// Nobody knows what a function without a body does, nor one that calls it.
// CHECK:       func.func private @external
// CHECK:       func.func private @wrapper
// CHECK-LABEL: func.func @effects
// CHECK-NEXT:    relay.call @external
// CHECK-NEXT:    relay.call @wrapper
// CHECK-NEXT:    return
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @wrapper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @wrapper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// What calls itself counts as coming to an end; it is not used then.
// CHECK-NOT:   @forever
// CHECK-NOT:   @even
// CHECK-LABEL: func.func @recursion
// CHECK-NEXT:    return
func.func private @forever(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @forever(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @forever(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Unless one of those that call each other has an effect.
// CHECK-LABEL: func.func @recursive_effect
// CHECK-NEXT:    relay.call @first
func.func private @first(%x: tensor<4xf32>, %r: !relay.ref<tensor<4xf32>>) -> tensor<4xf32> {
  %0 = relay.call @second(%x, %r) : (tensor<4xf32>, !relay.ref<tensor<4xf32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @second(%x: tensor<4xf32>, %r: !relay.ref<tensor<4xf32>>) -> tensor<4xf32> {
  %0 = relay.call @first(%x, %r) : (tensor<4xf32>, !relay.ref<tensor<4xf32>>) -> tensor<4xf32>
  %1 = relay.ref_write %r, %x : (!relay.ref<tensor<4xf32>>, tensor<4xf32>) -> tuple<>
  return %0 : tensor<4xf32>
}
func.func @recursive_effect(%x: tensor<4xf32>, %r: !relay.ref<tensor<4xf32>>) -> tensor<4xf32> {
  %0 = relay.call @first(%x, %r) : (tensor<4xf32>, !relay.ref<tensor<4xf32>>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// Calls of closures: by a variable, from inside, of either of two, by the name
// of a function or a constructor.
// CHECK-LABEL: func.func @closures
// CHECK-NEXT:    return
relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}
func.func private @compute(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  %r = relay.ref_create %0 : (tensor<f32>) -> !relay.ref<tensor<f32>>
  return %0 : tensor<f32>
}
func.func @closures(%x: tensor<f32>, %c: tensor<i1>) -> tensor<f32> {
  %fn = relay.fn rec %self (%y: tensor<f32>) -> tensor<f32> {
    %0 = relay.call_indirect %self(%y) : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %loop = relay.let "loop" %fn : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %loop(%x) : (tensor<f32>) -> tensor<f32>
  %name = relay.global @compute : (tensor<f32>) -> tensor<f32>
  %either = relay.if %c : tensor<i1> -> (tensor<f32>) -> tensor<f32> {
    relay.yield %loop : (tensor<f32>) -> tensor<f32>
  } else {
    relay.yield %name : (tensor<f32>) -> tensor<f32>
  }
  %2 = relay.call_indirect %either(%1) : (tensor<f32>) -> tensor<f32>
  %some = relay.global @Option::@Some : (tensor<f32>) -> !relay.adt<@Option, [tensor<f32>]>
  %3 = relay.call_indirect %some(%2) : (tensor<f32>) -> !relay.adt<@Option, [tensor<f32>]>
  return %x : tensor<f32>
}

// -----

// A closure that has an effect, or calls one, or what nobody knows.
// CHECK-LABEL: func.func @closures_with_effects
// CHECK:         %[[WRITES:.*]] = relay.let "writes"
// CHECK:         %[[OUTER:.*]] = relay.fn rec %[[SELF:.*]] (
// CHECK:             relay.call_indirect %[[SELF]](
// CHECK:           relay.call_indirect
// CHECK-NEXT:      relay.call_indirect %[[WRITES]](
// CHECK:         relay.call_indirect %[[WRITES]](%[[X:.*]]) :
// CHECK-NEXT:    relay.call_indirect %[[OUTER]](%[[X]])
// CHECK-NEXT:    relay.call_indirect %{{.*}}(%[[X]])
// CHECK-NEXT:    return
func.func @closures_with_effects(%x: tensor<f32>, %r: !relay.ref<tensor<f32>>, %f: (tensor<f32>) -> tensor<f32>) -> tensor<f32> {
  %fn = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    %0 = relay.ref_write %r, %y : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
    relay.yield %y : tensor<f32>
  }
  %writes = relay.let "writes" %fn : (tensor<f32>) -> tensor<f32>
  %outer = relay.fn rec %self (%y: tensor<f32>) -> tensor<f32> {
    %again = relay.fn (%z: tensor<f32>) -> tensor<f32> {
      %1 = relay.call_indirect %self(%z) : (tensor<f32>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
    %2 = relay.call_indirect %again(%y) : (tensor<f32>) -> tensor<f32>
    %3 = relay.call_indirect %writes(%y) : (tensor<f32>) -> tensor<f32>
    relay.yield %y : tensor<f32>
  }
  %4 = relay.call_indirect %writes(%x) : (tensor<f32>) -> tensor<f32>
  %5 = relay.call_indirect %outer(%x) : (tensor<f32>) -> tensor<f32>
  %6 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}

// -----

// A size that only a declaration knows is checked, whoever uses the value; where
// both types know the same there is nothing to check.
// CHECK-LABEL: func.func @declarations
// CHECK-NEXT:    relay.ascribe %{{.*}} : tensor<?xf32> as tensor<4xf32>
// CHECK-NEXT:    return
func.func @declarations(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.ascribe %x : tensor<?xf32> as tensor<4xf32>
  %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.ascribe %y : tensor<4xf32> as tensor<?xf32>
  return %y : tensor<4xf32>
}
