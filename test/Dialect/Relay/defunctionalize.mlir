// RUN: relay-opt %s --relay-defunctionalize -split-input-file -verify-diagnostics | FileCheck %s

// CHECK:       relay.adt @Function0 {
// CHECK-NEXT:    relay.constructor @Closure1(tensor<f32>)
// CHECK-NEXT:    relay.constructor @Closure2
// CHECK-NEXT:  }
// CHECK-NEXT:  relay.adt @Own
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[F:.*]] = relay.if %arg0 : tensor<i1> -> !relay.adt<@Function0> {
// CHECK-NEXT:      %[[G:.*]] = relay.construct @Function0::@Closure1(%arg1)
// CHECK-NEXT:      relay.yield %[[G]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[H:.*]] = relay.construct @Function0::@Closure2()
// CHECK-NEXT:      relay.yield %[[H]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = relay.call @apply_function0(%[[F]], %arg1)
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func private @apply_function0(
// CHECK-SAME:      %[[SELF:.*]]: !relay.adt<@Function0>, %[[Y:.*]]: tensor<f32>) -> tensor<f32> {
// CHECK-NEXT:    %[[M:.*]] = relay.match %[[SELF]]
// CHECK-NEXT:    case @Function0::@Closure1("captured" %[[X:.*]]: tensor<f32>) {
// CHECK-NEXT:      %[[S:.*]] = relay.add %[[X]], %[[Y]]
// CHECK-NEXT:      relay.yield %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    case @Function0::@Closure2 {
// CHECK-NEXT:      %[[A:.*]] = relay.call @apply_function0(%[[SELF]], %[[Y]])
// CHECK-NEXT:      relay.yield %[[A]]
// CHECK-NEXT:    }
// CHECK:         return %[[M]]
relay.adt @Own {
  relay.constructor @Closure0
}
func.func @main(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %f = relay.if %c : tensor<i1> -> (tensor<f32>) -> tensor<f32> {
    %g = relay.fn (%y: tensor<f32>) -> tensor<f32> {
      %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
      relay.yield %0 : tensor<f32>
    }
    relay.yield %g : (tensor<f32>) -> tensor<f32>
  } else {
    %h = relay.fn rec %self (%y: tensor<f32>) -> tensor<f32> {
      %0 = relay.call_indirect %self(%y) : (tensor<f32>) -> tensor<f32>
      relay.yield %0 : tensor<f32>
    }
    relay.yield %h : (tensor<f32>) -> tensor<f32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// A polymorphic function is one of each type, and a name is a closure. Functions
// that differ in sizes only are of one type.
// CHECK:       relay.adt @Function0 {
// CHECK-NEXT:    relay.constructor @Closure0
// CHECK-NEXT:    relay.constructor @Closure1
// CHECK-NEXT:  }
// CHECK-NOT:   @apply(
// CHECK-LABEL: func.func private @apply_0(
// CHECK-SAME:      !relay.adt<@Function0>
// CHECK-LABEL: func.func private @double
// CHECK-LABEL: func.func @main
// CHECK:         relay.call @apply_0
// CHECK-LABEL: func.func private @apply_function0(
// CHECK-SAME:      %{{.*}}: !relay.adt<@Function0>, %{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func private @apply(%f: (!relay.typevar<"A">) -> !relay.typevar<"A">, %x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  %0 = relay.call_indirect %f(%x) : (!relay.typevar<"A">) -> !relay.typevar<"A">
  return %0 : !relay.typevar<"A">
}
func.func private @double(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.global @double : (tensor<2xf32>) -> tensor<2xf32>
  %0 = relay.call @apply(%f, %x) : ((tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %g = relay.fn (%y: tensor<?xf32>) -> tensor<?xf32> {
    relay.yield %y : tensor<?xf32>
  }
  %1 = relay.call_indirect %g(%0) : (tensor<?xf32>) -> tensor<?xf32> as (tensor<2xf32>) -> tensor<?xf32>
  %2 = relay.ascribe %1 : tensor<?xf32> as tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// expected-error @+1 {{expects a function without functions for parameters or results, but got '@main' of type '((tensor<i32>) -> tensor<i32>) -> tensor<i32>'}}
func.func @main(%f: (tensor<i32>) -> tensor<i32>) -> tensor<i32> {
  %x = relay.constant dense<1> : tensor<i32>
  %0 = relay.call_indirect %f(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// A polymorphic closure is one for each type that it has.
// CHECK:       relay.adt @Function1 {
// CHECK-NEXT:    relay.constructor @Closure{{[01]}}
// CHECK-NEXT:  }
// CHECK:       relay.adt @Function0 {
// CHECK-NEXT:    relay.constructor @Closure{{[01]}}
// CHECK-NEXT:  }
func.func @main(%x: tensor<i32>, %y: tensor<f32>) -> tensor<f32> {
  %f = relay.fn ["A"] (%z: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %z : !relay.typevar<"A">
  }
  %g = relay.let "g" %f : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %0 = relay.call_indirect %g(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<i32>) -> tensor<i32>
  %1 = relay.call_indirect %g(%y) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  // expected-error @+1 {{expects functions as values of one type each, but got one of type}}
  %f = relay.fn ["A"] (%y: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %y : !relay.typevar<"A">
  }
  %t = relay.tuple %f : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %g = relay.tuple_get_item %t[0] : tuple<!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>>
  %0 = relay.call_indirect %g(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// What is inside of a polymorphic closure has a type in each copy of that.
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<7xf32>)
// CHECK:       func.func private @apply_function0(%{{.*}}: !relay.adt<@Function0>, %{{.*}}: tensor<7xf32>) -> tensor<7xf32>
// CHECK:         case @Function0::@Closure0 {
// CHECK:         case @Function0::@Closure1 {
// CHECK-NOT:     case
func.func @main(%x: tensor<7xf32>) -> tensor<7xf32> {
  %f = relay.fn ["A"] (%z: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    %g = relay.fn ["B"] (%y: !relay.typevar<"B">) -> !relay.typevar<"B"> {
      relay.yield %y : !relay.typevar<"B">
    }
    %1 = relay.call_indirect %g(%z) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">> as (!relay.typevar<"A">) -> !relay.typevar<"A">
    relay.yield %1 : !relay.typevar<"A">
  }
  %0 = relay.call_indirect %f(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// One that uses another makes a type of that as well; the two uses with tensors
// of f32 share their copies.
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<9xf32>, %{{.*}}: tensor<i32>)
// CHECK-DAG:   func.func private @apply_function{{[01]}}(%{{.*}}: !relay.adt<@Function{{[01]}}>, %{{.*}}: tensor<9xf32>) -> tensor<9xf32>
// CHECK-DAG:   func.func private @apply_function{{[01]}}(%{{.*}}: !relay.adt<@Function{{[01]}}>, %{{.*}}: tensor<i32>) -> tensor<i32>
// CHECK-NOT:   @Closure4
func.func @main(%x: tensor<9xf32>, %y: tensor<i32>) -> tensor<9xf32> {
  %f = relay.fn ["A"] (%z: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %z : !relay.typevar<"A">
  }
  %g = relay.fn ["B"] (%z: !relay.typevar<"B">) -> !relay.typevar<"B"> {
    %1 = relay.call_indirect %f(%z) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (!relay.typevar<"B">) -> !relay.typevar<"B">
    relay.yield %1 : !relay.typevar<"B">
  }
  %0 = relay.call_indirect %g(%x) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">> as (tensor<9xf32>) -> tensor<9xf32>
  %1 = relay.call_indirect %g(%0) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">> as (tensor<9xf32>) -> tensor<9xf32>
  %2 = relay.call_indirect %g(%y) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">> as (tensor<i32>) -> tensor<i32>
  return %1 : tensor<9xf32>
}
