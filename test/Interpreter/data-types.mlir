// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' | FileCheck %s

!A = !relay.typevar<"A">
!list = !relay.adt<@List, [tensor<i32>]>

relay.adt @List["A"] {
  relay.constructor @Cons(!A, !relay.adt<@List, [!A]>)
  relay.constructor @Nil
}
relay.adt @Shape {
  relay.constructor @Point
  relay.constructor @Box(tensor<2xf32>, tuple<tensor<f32>, tensor<i1>>)
}

// CHECK: @construct#0 = Cons(1, Cons(2, Nil))
func.func @construct() -> !list {
  %one = relay.constant dense<1> : tensor<i32>
  %two = relay.constant dense<2> : tensor<i32>
  %nil = relay.construct @List::@Nil() : () -> !list
  // A constructor as a function.
  %cons = relay.global @List::@Cons : (tensor<i32>, !list) -> !list
  %0 = relay.call_indirect %cons(%two, %nil) : (tensor<i32>, !list) -> !list
  %1 = relay.construct @List::@Cons(%one, %0) : (tensor<i32>, !list) -> !list
  return %1 : !list
}

// Tensors in values of data types are printed as Relay spells them.
// CHECK: @prints#0 = (Point, Box([1, 2.5], (3.5, True)))
func.func @prints() -> tuple<!relay.adt<@Shape>, !relay.adt<@Shape>> {
  %x = relay.constant dense<[1.0, 2.5]> : tensor<2xf32>
  %y = relay.constant dense<3.5> : tensor<f32>
  %z = relay.constant dense<true> : tensor<i1>
  %t = relay.tuple %y, %z : tensor<f32>, tensor<i1>
  %point = relay.construct @Shape::@Point() : () -> !relay.adt<@Shape>
  %box = relay.construct @Shape::@Box(%x, %t) : (tensor<2xf32>, tuple<tensor<f32>, tensor<i1>>) -> !relay.adt<@Shape>
  %0 = relay.tuple %point, %box : !relay.adt<@Shape>, !relay.adt<@Shape>
  return %0 : tuple<!relay.adt<@Shape>, !relay.adt<@Shape>>
}

func.func private @range(%from: tensor<i32>, %to: tensor<i32>) -> !list {
  %one = relay.constant dense<1> : tensor<i32>
  %c = relay.less %from, %to : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = relay.if %c : tensor<i1> -> !list {
    %next = relay.add %from, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %rest = relay.call @range(%next, %to) : (tensor<i32>, tensor<i32>) -> !list
    %1 = relay.construct @List::@Cons(%from, %rest) : (tensor<i32>, !list) -> !list
    relay.yield %1 : !list
  } else {
    %nil = relay.construct @List::@Nil() : () -> !list
    relay.yield %nil : !list
  }
  return %0 : !list
}

func.func private @foldl(%f: (!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"A">,
                         %acc: !relay.typevar<"A">, %list: !relay.adt<@List, [!relay.typevar<"B">]>)
    -> !relay.typevar<"A"> attributes {relay.type_params = ["A", "B"]} {
  %0 = relay.match %list : !relay.adt<@List, [!relay.typevar<"B">]> -> !relay.typevar<"A"> {
  case @List::@Nil {
    relay.yield %acc : !relay.typevar<"A">
  }
  case @List::@Cons("x" %x: !relay.typevar<"B">, "rest" %rest: !relay.adt<@List, [!relay.typevar<"B">]>) {
    %1 = relay.call_indirect %f(%acc, %x) : (!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"A">
    %2 = relay.call @foldl(%f, %1, %rest) : ((!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"A">, !relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"B">]>) -> !relay.typevar<"A">
    relay.yield %2 : !relay.typevar<"A">
  }
  }
  return %0 : !relay.typevar<"A">
}

// Reverses with a fold, and folds the digits to a number.
// CHECK: @folds#0 = Cons(4, Cons(3, Cons(2, Cons(1, Nil))))
// CHECK: @folds#1 = dense<4321> : tensor<i32>
func.func @folds() -> (!list, tensor<i32>) {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %five = relay.constant dense<5> : tensor<i32>
  %ten = relay.constant dense<10> : tensor<i32>
  %nil = relay.construct @List::@Nil() : () -> !list
  %list = relay.call @range(%one, %five) : (tensor<i32>, tensor<i32>) -> !list
  %push = relay.fn (%acc: !list, %x: tensor<i32>) -> !list {
    %0 = relay.construct @List::@Cons(%x, %acc) : (tensor<i32>, !list) -> !list
    relay.yield %0 : !list
  }
  %reversed = relay.call @foldl(%push, %nil, %list) : ((!list, tensor<i32>) -> !list, !list, !list) -> !list
  %digits = relay.fn (%acc: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
    %0 = relay.multiply %acc, %ten : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %1 = relay.add %0, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  }
  %number = relay.call @foldl(%digits, %zero, %reversed) : ((tensor<i32>, tensor<i32>) -> tensor<i32>, tensor<i32>, !list) -> tensor<i32>
  return %reversed, %number : !list, tensor<i32>
}

// Nested patterns, tried in order.
func.func private @describe(%pair: tuple<!list, tensor<i32>>) -> tensor<i32> {
  %c0 = relay.constant dense<100> : tensor<i32>
  %c1 = relay.constant dense<200> : tensor<i32>
  %0 = relay.match partial %pair : tuple<!list, tensor<i32>> -> tensor<i32> {
  case (@List::@Cons("x" %x: tensor<i32>, @List::@Nil), "n" %n: tensor<i32>) {
    %1 = relay.add %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %2 = relay.add %1, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %2 : tensor<i32>
  }
  case (@List::@Cons(_, @List::@Cons("y" %y: tensor<i32>, _)), _) {
    %1 = relay.add %y, %c1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  }
  case (_, "n" %n: tensor<i32>) {
    relay.yield %n : tensor<i32>
  }
  }
  return %0 : tensor<i32>
}
// CHECK: @patterns#0 = dense<110> : tensor<i32>
// CHECK: @patterns#1 = dense<203> : tensor<i32>
// CHECK: @patterns#2 = dense<9> : tensor<i32>
func.func @patterns() -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %nine = relay.constant dense<9> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %two = relay.constant dense<2> : tensor<i32>
  %four = relay.constant dense<4> : tensor<i32>
  %list1 = relay.call @range(%one, %two) : (tensor<i32>, tensor<i32>) -> !list
  %list2 = relay.call @range(%two, %four) : (tensor<i32>, tensor<i32>) -> !list
  %list0 = relay.call @range(%two, %two) : (tensor<i32>, tensor<i32>) -> !list
  %t1 = relay.tuple %list1, %nine : !list, tensor<i32>
  %t2 = relay.tuple %list2, %nine : !list, tensor<i32>
  %t0 = relay.tuple %list0, %nine : !list, tensor<i32>
  %0 = relay.call @describe(%t1) : (tuple<!list, tensor<i32>>) -> tensor<i32>
  %1 = relay.call @describe(%t2) : (tuple<!list, tensor<i32>>) -> tensor<i32>
  %2 = relay.call @describe(%t0) : (tuple<!list, tensor<i32>>) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<i32>, tensor<i32>
}
