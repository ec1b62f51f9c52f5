// RUN: relay-opt %s --relay-inline-functions -split-input-file | FileCheck %s

// A chain, from its end; and a name as a value.
// CHECK-NOT:   @leaf
// CHECK-NOT:   @middle
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[E:.*]] = relay.exp %arg0
// CHECK-NEXT:    %[[T:.*]] = relay.tanh %[[E]]
// CHECK-NEXT:    %[[F:.*]] = relay.fn (%[[A:.*]]: tensor<f32> {relay.name = "x"}) -> tensor<f32> attributes {relay.attrs = {Own = 1 : i32}} {
// CHECK-NEXT:      relay.exp %[[A]]
// CHECK-NEXT:      relay.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    relay.call_indirect %[[F]](%[[T]])
func.func private @leaf(%x: tensor<f32> {relay.name = "x"}) -> tensor<f32> attributes {relay.inline, relay.attrs = {Own = 1 : i32}} {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @middle(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline} {
  %0 = relay.call @leaf(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.tanh %0 : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call @middle(%x) : (tensor<f32>) -> tensor<f32>
  %f = relay.global @leaf : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %f(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Not: without the attribute, one that calls another that stays, one that calls
// itself, and one that is a kernel. Nobody asks for the entry.
// CHECK-LABEL: func.func private @ordinary
// CHECK-LABEL: func.func private @caller
// CHECK-LABEL: func.func private @self
// CHECK-LABEL: func.func private @kernel
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    relay.call @ordinary
// CHECK-NEXT:    relay.call @caller
// CHECK-NEXT:    relay.call @self
// CHECK-NEXT:    relay.call @kernel
func.func private @ordinary(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
func.func private @caller(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline} {
  %0 = relay.call @ordinary(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @self(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline} {
  %0 = relay.call @self(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @kernel(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline, relay.primitive} {
  return %x : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline} {
  %0 = relay.call @ordinary(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.call @caller(%0) : (tensor<f32>) -> tensor<f32>
  %2 = relay.call @self(%1) : (tensor<f32>) -> tensor<f32>
  %3 = relay.call @kernel(%2) : (tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// A function for a code generator stays one function, where it is called.
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[F:.*]] = relay.fn (%[[A:.*]]: tensor<f32>) -> tensor<f32> attributes {relay.compiler = "somebody", relay.global_symbol = "kernel"} {
// CHECK-NEXT:      relay.exp %[[A]]
// CHECK:         relay.call_indirect %[[F]](%arg0)
func.func private @kernel(%x: tensor<f32>) -> tensor<f32> attributes {relay.inline, relay.compiler = "somebody", relay.global_symbol = "kernel"} {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call @kernel(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Polymorphic functions become what they are at a call. What a parameter declares
// of a value is still declared.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    relay.fn (%{{.*}}: tensor<2xi32>) -> tensor<2xi32>
// CHECK:         %[[R:.*]] = relay.call_indirect
// CHECK-NEXT:    %[[U:.*]] = relay.ascribe %[[R]] : tensor<2xi32> as tensor<?xi32>
// CHECK-NEXT:    relay.negative %[[U]] : (tensor<?xi32>) -> tensor<?xi32>
// CHECK-NEXT:    relay.fn ["A"] (%{{.*}}: !relay.typevar<"A">) -> !relay.typevar<"A">
func.func private @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"], relay.inline} {
  %f = relay.fn (%a: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %a : !relay.typevar<"A">
  }
  %0 = relay.call_indirect %f(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  return %0 : !relay.typevar<"A">
}
func.func private @open(%x: tensor<?xi32>) -> tensor<?xi32> attributes {relay.inline} {
  %0 = relay.negative %x : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @main(%x: tensor<2xi32>) -> tensor<?xi32> {
  %0 = relay.call @id(%x) : (tensor<2xi32>) -> tensor<2xi32>
  %1 = relay.call @open(%0) : (tensor<2xi32>) -> tensor<?xi32>
  %f = relay.global @id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %2 = relay.call_indirect %f(%1) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<?xi32>) -> tensor<?xi32>
  return %2 : tensor<?xi32>
}
