// RUN: relay-opt %s --relay-lambda-lift | FileCheck %s
// RUN: relay-opt %s --relay-lambda-lift --relay-lambda-lift | FileCheck %s

// A closure without variables from outside is its function. Equal ones share it,
// whatever their variables are called; constants are part of it.
// CHECK-LABEL: func.func @closed
// CHECK-NEXT:    %[[ONE:.*]] = relay.constant
// CHECK-NEXT:    %[[F:.*]] = relay.global @[[CLOSED:lifted_name[0-9]+]] : (tensor<i32>) -> tensor<i32>
// CHECK-NEXT:    %[[G:.*]] = relay.global @[[CLOSED]]
// CHECK-NEXT:    relay.call_indirect %[[F]](%arg0)
// CHECK-NEXT:    relay.call_indirect %[[G]]
func.func @closed(%x: tensor<i32>) -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  %f = relay.fn (%a: tensor<i32> {relay.name = "a"}) -> tensor<i32> {
    %0 = relay.add %a, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %u = relay.let "u" %0 : tensor<i32>
    relay.yield %u : tensor<i32>
  }
  %g = relay.fn (%b: tensor<i32> {relay.name = "b"}) -> tensor<i32> {
    %0 = relay.add %b, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %v = relay.let "v" %0 : tensor<i32>
    relay.yield %v : tensor<i32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<i32>) -> tensor<i32>
  %2 = relay.call_indirect %g(%1) : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}

// One that calls itself, with and without variables from outside.
// CHECK-LABEL: func.func @recursive
// CHECK-NEXT:    %[[NAME:.*]] = relay.global @[[LOOP:lifted_name[0-9]+]]
// CHECK-NEXT:    %[[F:.*]] = relay.let "f" %[[NAME]]
// CHECK-NEXT:    %[[G:.*]] = relay.call @[[CAPTURE:lifted_name[0-9]+]](%[[F]], %arg0)
// CHECK-NEXT:    relay.call_indirect %[[G]](%arg0)
func.func @recursive(%c: tensor<i1>) -> tensor<i1> {
  %fn = relay.fn rec %self (%a: tensor<i1>) -> tensor<i1> {
    %0 = relay.call_indirect %self(%a) : (tensor<i1>) -> tensor<i1>
    relay.yield %0 : tensor<i1>
  }
  %f = relay.let "f" %fn : (tensor<i1>) -> tensor<i1>
  %g = relay.fn rec %self (%a: tensor<i1>) -> tensor<i1> {
    %0 = relay.if %c : tensor<i1> -> tensor<i1> {
      %1 = relay.call_indirect %self(%a) : (tensor<i1>) -> tensor<i1>
      relay.yield %1 : tensor<i1>
    } else {
      %1 = relay.call_indirect %f(%a) : (tensor<i1>) -> tensor<i1>
      relay.yield %1 : tensor<i1>
    }
    relay.yield %0 : tensor<i1>
  }
  %0 = relay.call_indirect %g(%c) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// Type variables of the function around are parameters; those of its own stay.
// CHECK-LABEL: func.func @generic
// CHECK-NEXT:    relay.call @[[GENERIC:lifted_name[0-9]+]]() : () -> ((!relay.typevar<"A">) -> !relay.typevar<"A">)
// CHECK-NEXT:    relay.call_indirect
// CHECK-NEXT:    relay.global @[[OWN:lifted_name[0-9]+]] : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">>
func.func @generic(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  %f = relay.fn (%a: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %a : !relay.typevar<"A">
  }
  %0 = relay.call_indirect %f(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  %g = relay.fn ["B"] (%a: !relay.typevar<"B">) -> !relay.typevar<"B"> {
    relay.yield %a : !relay.typevar<"B">
  }
  %1 = relay.call_indirect %g(%0) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">> as (!relay.typevar<"A">) -> !relay.typevar<"A">
  return %1 : !relay.typevar<"A">
}

// Primitive closures, and operators as values, stay.
// CHECK-LABEL: func.func @stay
// CHECK-NEXT:    relay.fn
// CHECK:         relay.fn
func.func @stay(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn (%a: tensor<f32>) -> tensor<f32> attributes {relay.primitive} {
    %0 = relay.exp %a : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %g = relay.fn (%a: tensor<f32>) -> tensor<f32> attributes {relay.operator = "exp"} {
    %0 = relay.exp %a : (tensor<f32>) -> tensor<f32>
    relay.yield %0 : tensor<f32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %g(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK:       func.func private @[[CLOSED]](%[[A:.*]]: tensor<i32> {relay.name = "a"}) -> tensor<i32> {
// CHECK-NEXT:    %[[ONE:.*]] = relay.constant dense<1>
// CHECK-NEXT:    relay.add %[[A]], %[[ONE]]

// CHECK:       func.func private @[[LOOP]](%[[A:.*]]: tensor<i1>) -> tensor<i1> {
// CHECK-NEXT:    %[[SELF:.*]] = relay.global @[[LOOP]]
// CHECK-NEXT:    relay.call_indirect %[[SELF]](%[[A]])

// CHECK:       func.func private @[[CAPTURE]](%[[F:.*]]: (tensor<i1>) -> tensor<i1> {relay.name = "f"}, %[[C:.*]]: tensor<i1>) -> ((tensor<i1>) -> tensor<i1>) attributes {relay.attrs = {Closure = 1 : i32}} {
// CHECK-NEXT:    %[[FN:.*]] = relay.fn (%[[A:.*]]: tensor<i1>) -> tensor<i1> {
// CHECK-NEXT:      %[[SELF:.*]] = relay.call @[[CAPTURE]](%[[F]], %[[C]])
// CHECK-NEXT:      relay.if %[[C]]
// CHECK-NEXT:        relay.call_indirect %[[SELF]](%[[A]])
// CHECK:             relay.call_indirect %[[F]](%[[A]])
// CHECK:         return %[[FN]]

// CHECK:       func.func private @[[GENERIC]]() -> ((!relay.typevar<"A">) -> !relay.typevar<"A">) attributes {relay.attrs = {Closure = 1 : i32}, relay.type_params = ["A"]} {
// CHECK-NEXT:    relay.fn (%{{.*}}: !relay.typevar<"A">)

// CHECK:       func.func private @[[OWN]](%{{.*}}: !relay.typevar<"B">) -> !relay.typevar<"B"> attributes {relay.type_params = ["B"]} {
// CHECK-NOT:   func.func
