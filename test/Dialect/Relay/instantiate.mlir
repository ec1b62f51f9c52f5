// RUN: relay-opt %s --relay-instantiate=max-instances=8 --split-input-file --verify-diagnostics | FileCheck %s

// One function for each type; what an instance calls has no parameters either.

// CHECK-LABEL: func.func @id(
// CHECK:       func.func private @[[I32:id_[0-9]+]](
// CHECK-SAME:  tensor<3xi32>
// CHECK-SAME:  -> tensor<3xi32> {
// CHECK:       func.func private @[[F32:id_[0-9]+]](
// CHECK-SAME:  tensor<2xf32>
// CHECK-SAME:  -> tensor<2xf32> {
func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}

// CHECK-LABEL: func.func @twice(
// CHECK:         relay.call @id(
// CHECK:       func.func private @[[TWICE:twice_[0-9]+]](
// CHECK-SAME:  tensor<2xf32>
// CHECK:         relay.call @[[F32]](
// CHECK:         relay.tuple {{.*}} : tensor<2xf32>, tensor<2xf32>
func.func @twice(%x: !relay.typevar<"A">) -> tuple<!relay.typevar<"A">, !relay.typevar<"A">> attributes {relay.type_params = ["A"]} {
  %0 = relay.call @id(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  %1 = relay.tuple %0, %x : !relay.typevar<"A">, !relay.typevar<"A">
  return %1 : tuple<!relay.typevar<"A">, !relay.typevar<"A">>
}

// CHECK-LABEL: func.func @main(
// CHECK:         relay.call @[[F32]](%{{.*}}) : (tensor<2xf32>)
// CHECK:         relay.call @[[I32]](%{{.*}}) : (tensor<3xi32>)
// CHECK:         relay.call @[[F32]](%{{.*}}) : (tensor<2xf32>)
// CHECK:         relay.call @[[TWICE]](%{{.*}}) : (tensor<2xf32>)
func.func @main(%x: tensor<2xf32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tuple<tensor<2xf32>, tensor<2xf32>>) {
  %0 = relay.call @id(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @id(%y) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = relay.call @id(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.call @twice(%2) : (tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  return %1, %3 : tensor<3xi32>, tuple<tensor<2xf32>, tensor<2xf32>>
}

// -----

// A function that calls itself at the same type is one instance.

// CHECK-LABEL: func.func @loop(
// CHECK:       func.func private @[[LOOP:loop_[0-9]+]](
// CHECK:         relay.call @[[LOOP]](
func.func @loop(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  %0 = relay.call @loop(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  return %0 : !relay.typevar<"A">
}

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @loop(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Calls without arguments.

// CHECK-LABEL: func.func @main(
// CHECK:         relay.call @zero() : () -> tensor<f32>
// CHECK:         relay.call @none_{{[0-9]+}}() : () -> tuple<>
func.func @zero() -> tensor<f32> {
  %0 = relay.constant dense<0.0> : tensor<f32>
  return %0 : tensor<f32>
}

func.func @none() -> tuple<> attributes {relay.type_params = ["A"]} {
  %0 = relay.tuple ()
  return %0 : tuple<>
}

func.func @main() -> (tensor<f32>, tuple<>) {
  %0 = relay.call @zero() : () -> tensor<f32>
  %1 = relay.call @none() : () -> tuple<>
  return %0, %1 : tensor<f32>, tuple<>
}

// -----

// A generic function that is a value is used as an instance, also where it is
// what another one is called with.

// CHECK-LABEL: func.func @id(
// CHECK-DAG:   func.func private @[[VALUE:id_[0-9]+]]({{.*}}tensor<2xf32>{{.*}}) -> tensor<2xf32> {
// CHECK-DAG:   func.func private @[[FUNCTION:id_[0-9]+]]({{.*}}(tensor<2xf32>) -> tensor<2xf32>{{.*}}) -> ((tensor<2xf32>) -> tensor<2xf32>) {
func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ID:.*]] = relay.global @[[VALUE]] : (tensor<2xf32>) -> tensor<2xf32>
// CHECK:         %[[F:.*]] = relay.call @[[FUNCTION]](%[[ID]])
// CHECK:         relay.call_indirect %[[F]](
// CHECK:         %[[ID2:.*]] = relay.global @[[VALUE]] : (tensor<2xf32>) -> tensor<2xf32>
// CHECK:         relay.call_indirect %[[ID2]](
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.global @id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %1 = relay.call @id(%0) : (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> ((tensor<2xf32>) -> tensor<2xf32>)
  %2 = relay.call_indirect %1(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = relay.ascribe %0 : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<2xf32>) -> tensor<2xf32>
  %4 = relay.call_indirect %3(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %4 : tensor<2xf32>
}

// -----

// Which instance an argument is follows from the result, and from the other argument.

// CHECK:       func.func private @id_{{[0-9]+}}(%{{.*}}: (tensor<f32>) -> tensor<f32> {{.*}}) -> ((tensor<f32>) -> tensor<f32>)
func.func @id(%x: !relay.typevar<"A"> {relay.name = "x"}) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}
func.func @apply(%f: (!relay.typevar<"A">) -> !relay.typevar<"B">, %x: !relay.typevar<"A">) -> !relay.typevar<"B"> attributes {relay.type_params = ["A", "B"]} {
  %0 = relay.call_indirect %f(%x) : (!relay.typevar<"A">) -> !relay.typevar<"B">
  return %0 : !relay.typevar<"B">
}
// CHECK-LABEL: func.func @both(
// CHECK:         relay.call @apply_{{[0-9]+}}(%{{.*}}, %{{.*}}) : (((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>), (tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
func.func @both() -> ((tensor<f32>) -> tensor<f32>) {
  %0 = relay.global @id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %1 = relay.call @apply(%0, %0) : (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>, !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> ((tensor<f32>) -> tensor<f32>)
  return %1 : (tensor<f32>) -> tensor<f32>
}

// -----

// expected-error @below {{expects at most 8 instances of generic functions, of types that can be written, but @grow asks for more: it calls itself with another type each time (polymorphic recursion)}}
func.func @grow(%x: !relay.typevar<"A">) -> tensor<f32> attributes {relay.type_params = ["A"]} {
  %0 = relay.tuple %x : !relay.typevar<"A">
  // expected-note @below {{this call asks for the first too many}}
  %1 = relay.call @grow(%0) : (tuple<!relay.typevar<"A">>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %0 = relay.call @grow(%x) : (tensor<2xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// The function that calls itself is named, not the one that it calls.

func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}

// expected-error @below {{but @grow asks for more}}
func.func @grow(%x: !relay.typevar<"A">) -> tensor<f32> attributes {relay.type_params = ["A"]} {
  %0 = relay.tuple %x : !relay.typevar<"A">
  %1 = relay.call @grow(%0) : (tuple<!relay.typevar<"A">>) -> tensor<f32>
  // expected-note @below {{this call asks for the first too many}}
  %2 = relay.call @id(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  return %1 : tensor<f32>
}

func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
  %0 = relay.call @id(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @grow(%0) : (tensor<2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// expected-error @below {{expects at most 8 instances of generic functions, of types that can be written, but got more with @id}}
func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}

func.func @main(%0: tensor<f32>, %1: tensor<1xf32>, %2: tensor<2xf32>, %3: tensor<3xf32>, %4: tensor<4xf32>, %5: tensor<5xf32>, %6: tensor<6xf32>, %7: tensor<7xf32>, %8: tensor<8xf32>) {
  %r0 = relay.call @id(%0) : (tensor<f32>) -> tensor<f32>
  %r1 = relay.call @id(%1) : (tensor<1xf32>) -> tensor<1xf32>
  %r2 = relay.call @id(%2) : (tensor<2xf32>) -> tensor<2xf32>
  %r3 = relay.call @id(%3) : (tensor<3xf32>) -> tensor<3xf32>
  %r4 = relay.call @id(%4) : (tensor<4xf32>) -> tensor<4xf32>
  %r5 = relay.call @id(%5) : (tensor<5xf32>) -> tensor<5xf32>
  %r6 = relay.call @id(%6) : (tensor<6xf32>) -> tensor<6xf32>
  %r7 = relay.call @id(%7) : (tensor<7xf32>) -> tensor<7xf32>
  // expected-note @below {{this call asks for the first too many}}
  %r8 = relay.call @id(%8) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
