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

// -----

// A function may be its own argument; each of its types has a copy of it.
// CHECK:       relay.adt @Function2
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<11xf32>)
// CHECK-NOT:     !relay.forall
// CHECK-NOT:     !relay.typevar
// CHECK:         relay.call @[[TWICE:apply_function[0-9]+]](
// CHECK-NOT:     relay.call_indirect
// CHECK:       func.func private @apply_function
func.func @main(%x: tensor<11xf32>) -> tensor<11xf32> {
  %twice = relay.fn ["A"] (%f: (!relay.typevar<"A">) -> !relay.typevar<"A">) -> (!relay.typevar<"A">) -> !relay.typevar<"A"> {
    %g = relay.fn (%y: !relay.typevar<"A">) -> !relay.typevar<"A"> {
      %1 = relay.call_indirect %f(%y) : (!relay.typevar<"A">) -> !relay.typevar<"A">
      %2 = relay.call_indirect %f(%1) : (!relay.typevar<"A">) -> !relay.typevar<"A">
      relay.yield %2 : !relay.typevar<"A">
    }
    relay.yield %g : (!relay.typevar<"A">) -> !relay.typevar<"A">
  }
  %h = relay.fn (%y: tensor<11xf32>) -> tensor<11xf32> {
    %1 = relay.exp %y : (tensor<11xf32>) -> tensor<11xf32>
    relay.yield %1 : tensor<11xf32>
  }
  %0 = relay.call_indirect %twice(%twice) : !relay.forall<["A"], ((!relay.typevar<"A">) -> !relay.typevar<"A">) -> ((!relay.typevar<"A">) -> !relay.typevar<"A">)> as (!relay.forall<["A"], ((!relay.typevar<"A">) -> !relay.typevar<"A">) -> ((!relay.typevar<"A">) -> !relay.typevar<"A">)>) -> (((tensor<11xf32>) -> tensor<11xf32>) -> ((tensor<11xf32>) -> tensor<11xf32>))
  %1 = relay.call_indirect %0(%h) : ((tensor<11xf32>) -> tensor<11xf32>) -> ((tensor<11xf32>) -> tensor<11xf32>)
  %2 = relay.call_indirect %1(%x) : (tensor<11xf32>) -> tensor<11xf32>
  return %2 : tensor<11xf32>
}

// -----

// Fields of constructors, results of branches, and cells tell types as well.
// CHECK:       relay.adt @Function0 {
// CHECK-NEXT:    relay.constructor @Closure{{[0-9]}}
// CHECK-NEXT:  }
// CHECK:       relay.adt @Box
// CHECK-NEXT:    relay.constructor @Full(!relay.typevar<"A">)
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<13xf32>, %{{.*}}: tensor<i1>)
// CHECK-DAG:     relay.construct @Box::@Full(%{{.*}}) : (!relay.adt<@Function0>) -> !relay.adt<@Box, [!relay.adt<@Function0>]>
// CHECK-DAG:     relay.if %{{.*}} : tensor<i1> -> !relay.adt<@Function0>
// CHECK-DAG:     relay.ref_write %{{.*}}, %{{.*}} : (!relay.ref<!relay.adt<@Function0>>, !relay.adt<@Function0>) -> tuple<>
relay.adt @Box ["A"] {
  relay.constructor @Full(!relay.typevar<"A">)
}
func.func @main(%x: tensor<13xf32>, %c: tensor<i1>) -> tensor<13xf32> {
  %id = relay.fn ["A"] (%z: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %z : !relay.typevar<"A">
  }
  %b = relay.construct @Box::@Full(%id) : (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> !relay.adt<@Box, [(tensor<13xf32>) -> tensor<13xf32>]>
  %f = relay.match %b : !relay.adt<@Box, [(tensor<13xf32>) -> tensor<13xf32>]> -> (tensor<13xf32>) -> tensor<13xf32> {
  case @Box::@Full("f" %g: (tensor<13xf32>) -> tensor<13xf32>) {
    relay.yield %g : (tensor<13xf32>) -> tensor<13xf32>
  }
  }
  %r = relay.ref_create %f : ((tensor<13xf32>) -> tensor<13xf32>) -> !relay.ref<(tensor<13xf32>) -> tensor<13xf32>>
  %h = relay.if %c : tensor<i1> -> (tensor<13xf32>) -> tensor<13xf32> {
    relay.yield %id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  } else {
    relay.yield %f : (tensor<13xf32>) -> tensor<13xf32>
  }
  %u = relay.ref_write %r, %id : (!relay.ref<(tensor<13xf32>) -> tensor<13xf32>>, !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> tuple<>
  %0 = relay.call_indirect %h(%x) : (tensor<13xf32>) -> tensor<13xf32>
  return %0 : tensor<13xf32>
}

// -----

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  // expected-error @+1 {{expects functions as values of one type each, but got one of type '!relay.forall<["A"]}}
  %f = relay.fn ["A"] (%y: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %y : !relay.typevar<"A">
  }
  %r = relay.ref_create %f : (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> !relay.ref<!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>>
  return %x : tensor<i32>
}

// -----

// Closures that differ in sizes give results of one type: Relay text has none
// for a match.
// CHECK-LABEL: func.func private @apply_function0(
// CHECK:         case @Function0::@Closure0 {
// CHECK:           %[[E:.*]] = relay.exp {{.*}} -> tensor<4xf32>
// CHECK-NEXT:      %[[R:.*]] = relay.ascribe %[[E]] : tensor<4xf32> as tensor<?xf32>
// CHECK-NEXT:      relay.yield %[[R]] : tensor<?xf32>
// CHECK:         case @Function0::@Closure1 {
// CHECK:           %[[T:.*]] = relay.tanh {{.*}} -> tensor<5xf32>
// CHECK-NEXT:      relay.ascribe %[[T]] : tensor<5xf32> as tensor<?xf32>
func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tuple<tensor<4xf32>, tensor<5xf32>>) {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> {
    %1 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %g = relay.fn (%p: tensor<5xf32>) -> tensor<5xf32> {
    %1 = relay.tanh %p : (tensor<5xf32>) -> tensor<5xf32>
    relay.yield %1 : tensor<5xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call_indirect %g(%y) : (tensor<5xf32>) -> tensor<5xf32>
  %2 = relay.tuple %0, %1 : tensor<4xf32>, tensor<5xf32>
  return %2 : tuple<tensor<4xf32>, tensor<5xf32>>
}

// -----

// Where a polymorphic closure ends, its copies do; `relay.memory.kill` tells no
// type.
// CHECK:       func.func @main(%{{.*}}: tensor<f32>, %{{.*}}: tensor<i1>)
// CHECK-NEXT:    %[[F:.*]] = relay.construct @Function0::@Closure0()
// CHECK-NEXT:    %[[G:.*]] = relay.construct @Function1::@Closure1()
// CHECK:         relay.call @apply_function0(%[[F]]
// CHECK:         relay.call @apply_function1(%[[G]]
// CHECK:         relay.memory.kill %[[F]]
// CHECK-NEXT:    relay.memory.kill %[[G]]
func.func @main(%x: tensor<f32>, %y: tensor<i1>) -> tuple<tensor<f32>, tensor<i1>> {
  %id = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %a : !relay.typevar<"A">
  }
  %f = relay.let "f" %id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %0 = relay.call_indirect %f(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %f(%y) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<i1>) -> tensor<i1>
  %2 = relay.memory.kill %f : (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> tuple<>
  %3 = relay.tuple %0, %1 : tensor<f32>, tensor<i1>
  return %3 : tuple<tensor<f32>, tensor<i1>>
}
