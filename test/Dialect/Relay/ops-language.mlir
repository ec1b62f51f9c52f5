// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt | FileCheck %s

// CHECK-LABEL: relay.adt @List["A"] {
// CHECK-NEXT:    relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
// CHECK-NEXT:    relay.constructor @Nil
// CHECK-NEXT:  }
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}

// CHECK: relay.adt extern @Storage
relay.adt extern @Storage

// CHECK-LABEL: func.func @length
func.func @length(%list: !relay.adt<@List, [!relay.typevar<"A">]>) -> tensor<i32>
    attributes {relay.type_params = ["A"]} {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  // CHECK: relay.match %{{.*}} : !relay.adt<@List, [!relay.typevar<"A">]> -> tensor<i32> {
  // CHECK-NEXT: case @List::@Cons(_, "rest" %[[REST:.*]]: !relay.adt<@List, [!relay.typevar<"A">]>) {
  // CHECK-NEXT: relay.call @length(%[[REST]])
  // CHECK: case @List::@Nil {
  // CHECK-NEXT: relay.yield
  %0 = relay.match %list : !relay.adt<@List, [!relay.typevar<"A">]> -> tensor<i32> {
  case @List::@Cons(_, "rest" %rest: !relay.adt<@List, [!relay.typevar<"A">]>) {
    %1 = relay.call @length(%rest) : (!relay.adt<@List, [!relay.typevar<"A">]>) -> tensor<i32>
    %2 = relay.add %1, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %2 : tensor<i32>
  }
  case @List::@Nil {
    relay.yield %zero : tensor<i32>
  }
  }
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @construct
func.func @construct(%x: tensor<f32>) -> tensor<i32> {
  // CHECK: relay.construct @List::@Nil() : () -> !relay.adt<@List, [tensor<f32>]>
  %nil = relay.construct @List::@Nil() : () -> !relay.adt<@List, [tensor<f32>]>
  // CHECK: relay.construct @List::@Cons(%{{.*}}, %{{.*}}) : (tensor<f32>, !relay.adt<@List, [tensor<f32>]>) -> !relay.adt<@List, [tensor<f32>]>
  %one = relay.construct @List::@Cons(%x, %nil)
      : (tensor<f32>, !relay.adt<@List, [tensor<f32>]>) -> !relay.adt<@List, [tensor<f32>]>
  // CHECK: relay.global @List::@Cons : !relay.forall<["A"], (!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.adt<@List, [!relay.typevar<"A">]>>
  %cons = relay.global @List::@Cons : !relay.forall<["A"], (!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.adt<@List, [!relay.typevar<"A">]>>
  // CHECK: relay.call_indirect %{{.*}}(%{{.*}}, %{{.*}}) : !relay.forall<{{.*}}> as (tensor<f32>, !relay.adt<@List, [tensor<f32>]>) -> !relay.adt<@List, [tensor<f32>]>
  %two = relay.call_indirect %cons(%x, %one) : !relay.forall<["A"], (!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.adt<@List, [!relay.typevar<"A">]>>
      as (tensor<f32>, !relay.adt<@List, [tensor<f32>]>) -> !relay.adt<@List, [tensor<f32>]>
  // An instance of a polymorphic function.
  // CHECK: relay.global @length : (!relay.adt<@List, [tensor<f32>]>) -> tensor<i32>
  %length = relay.global @length : (!relay.adt<@List, [tensor<f32>]>) -> tensor<i32>
  // CHECK: relay.call_indirect %{{.*}}(%{{.*}}) : (!relay.adt<@List, [tensor<f32>]>) -> tensor<i32>
  %n = relay.call_indirect %length(%two) : (!relay.adt<@List, [tensor<f32>]>) -> tensor<i32>
  return %n : tensor<i32>
}

// CHECK-LABEL: func.func @closures
func.func @closures(%n: tensor<i32>) -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  // CHECK: %[[LOOP:.*]] = relay.fn rec %[[SELF:.*]] (%[[I:.*]]: tensor<i32> {relay.name = "i"}) -> tensor<i32> {
  %loop = relay.fn rec %self (%i: tensor<i32> {relay.name = "i"}) -> tensor<i32> {
    %c = relay.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    // CHECK: relay.if %{{.*}} : tensor<i1> -> tensor<i32> {
    %0 = relay.if %c : tensor<i1> -> tensor<i32> {
      %next = relay.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      // CHECK: relay.call_indirect %[[SELF]](%{{.*}}) : (tensor<i32>) -> tensor<i32>
      %1 = relay.call_indirect %self(%next) : (tensor<i32>) -> tensor<i32>
      relay.yield %1 : tensor<i32>
    // CHECK: } else {
    } else {
      relay.yield %i : tensor<i32>
    }
    relay.yield %0 : tensor<i32>
  }
  // CHECK: relay.let "loop" %[[LOOP]] : (tensor<i32>) -> tensor<i32>
  %let = relay.let "loop" %loop : (tensor<i32>) -> tensor<i32>
  // CHECK: relay.fn ["A", "B"] (%{{.*}}: !relay.typevar<"A">, %{{.*}}: !relay.typevar<"B">) -> !relay.typevar<"A"> attributes {relay.inline = 1 : i32} {
  %first = relay.fn ["A", "B"] (%a: !relay.typevar<"A">, %b: !relay.typevar<"B">) -> !relay.typevar<"A"> attributes {relay.inline = 1 : i32} {
    relay.yield %a : !relay.typevar<"A">
  }
  %2 = relay.call_indirect %let(%one) : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}

// CHECK-LABEL: func.func @references
func.func @references(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: relay.ref_create %{{.*}} : (tensor<2xf32>) -> !relay.ref<tensor<2xf32>>
  %r = relay.ref_create %x : (tensor<2xf32>) -> !relay.ref<tensor<2xf32>>
  // CHECK: relay.ref_write %{{.*}}, %{{.*}} : (!relay.ref<tensor<2xf32>>, tensor<2xf32>) -> tuple<>
  %u = relay.ref_write %r, %y : (!relay.ref<tensor<2xf32>>, tensor<2xf32>) -> tuple<>
  // CHECK: relay.ref_read %{{.*}} : (!relay.ref<tensor<2xf32>>) -> tensor<2xf32>
  %z = relay.ref_read %r : (!relay.ref<tensor<2xf32>>) -> tensor<2xf32>
  return %z : tensor<2xf32>
}

// CHECK-LABEL: func.func @patterns
func.func @patterns(%t: tuple<tensor<f32>, !relay.adt<@List, [tensor<f32>]>>) -> tensor<f32> {
  // CHECK: relay.match partial
  %0 = relay.match partial %t : tuple<tensor<f32>, !relay.adt<@List, [tensor<f32>]>> -> tensor<f32> {
  // CHECK: case ("x" %{{.*}}: tensor<f32>, @List::@Nil) {
  case ("x" %x: tensor<f32>, @List::@Nil) {
    relay.yield %x : tensor<f32>
  }
  // CHECK: case (_, @List::@Cons("y" %{{.*}}: tensor<f32>, @List::@Cons(_, _))) {
  case (_, @List::@Cons("y" %y: tensor<f32>, @List::@Cons(_, _))) {
    relay.yield %y : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @incomplete
func.func @incomplete(%x: tensor<1x8xf32>, %w: !relay.incomplete) -> !relay.incomplete {
  // CHECK: relay.apply "nn.dense"(%{{.*}}, %{{.*}}) {units = 10 : i64} : (tensor<1x8xf32>, !relay.incomplete) -> !relay.incomplete
  %0 = relay.apply "nn.dense"(%x, %w) {units = 10 : i64} : (tensor<1x8xf32>, !relay.incomplete) -> !relay.incomplete
  // CHECK: relay.tuple_get_item %{{.*}}[1] : !relay.incomplete
  %1 = relay.tuple_get_item %0[1] : !relay.incomplete
  return %1 : !relay.incomplete
}
