// RUN: relay-opt %s --relay-partial-evaluate -split-input-file | FileCheck %s

// A loop of a known number of steps.
// CHECK-LABEL: func.func @loop
// CHECK-NEXT:    %[[A:.*]] = relay.exp %arg0
// CHECK-NEXT:    %[[B:.*]] = relay.exp %[[A]]
// CHECK-NEXT:    return %[[B]]
func.func @loop(%x: tensor<f32>) -> tensor<f32> {
  %two = relay.constant dense<2> : tensor<i32>
  %f = relay.fn rec %self (%n: tensor<i32>, %y: tensor<f32>) -> tensor<f32> {
    %zero = relay.constant dense<0> : tensor<i32>
    %one = relay.constant dense<1> : tensor<i32>
    %done = relay.equal %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %0 = relay.if %done : tensor<i1> -> tensor<f32> {
      relay.yield %y : tensor<f32>
    } else {
      %m = relay.subtract %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %z = relay.exp %y : (tensor<f32>) -> tensor<f32>
      %1 = relay.call_indirect %self(%m, %z) : (tensor<i32>, tensor<f32>) -> tensor<f32>
      relay.yield %1 : tensor<f32>
    }
    relay.yield %0 : tensor<f32>
  }
  %r = relay.call_indirect %f(%two, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// What is known of data and references; the operations on references stay.
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
// CHECK-LABEL: func.func @known
// CHECK-NEXT:    %[[R:.*]] = relay.ref_create %arg0
// CHECK-NEXT:    %[[N:.*]] = relay.negative %arg0
// CHECK-NEXT:    relay.ref_write %[[R]], %[[N]]
// CHECK-NEXT:    %[[S:.*]] = relay.add %[[N]], %arg0
// CHECK-NEXT:    return %[[S]]
func.func @known(%x: tensor<i32>) -> tensor<i32> {
  %nil = relay.construct @List::@Nil() : () -> !relay.adt<@List, [tensor<i32>]>
  %list = relay.construct @List::@Cons(%x, %nil) : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>) -> !relay.adt<@List, [tensor<i32>]>
  %ref = relay.ref_create %x : (tensor<i32>) -> !relay.ref<tensor<i32>>
  %0 = relay.match %list : !relay.adt<@List, [tensor<i32>]> -> tensor<i32> {
  case @List::@Cons(_, @List::@Cons("a" %a: tensor<i32>, _)) {
    relay.yield %a : tensor<i32>
  }
  case @List::@Cons("a" %a: tensor<i32>, _) {
    %1 = relay.negative %a : (tensor<i32>) -> tensor<i32>
    %u = relay.ref_write %ref, %1 : (!relay.ref<tensor<i32>>, tensor<i32>) -> tuple<>
    relay.yield %a : tensor<i32>
  }
  case _ {
    relay.yield %x : tensor<i32>
  }
  }
  %2 = relay.ref_read %ref : (!relay.ref<tensor<i32>>) -> tensor<i32>
  %3 = relay.add %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}

// -----

// A polymorphic function becomes what it is at its call. Recursion that does not
// get smaller is a call, of the function as it is evaluated by itself.
// CHECK-LABEL: func.func private @again
// CHECK-NEXT:    %[[A:.*]] = relay.call @again(%arg0)
// CHECK-NEXT:    return %[[A]]
// CHECK-LABEL: func.func private @pair
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[A:.*]] = relay.call @again(%arg0)
// CHECK-NEXT:    %[[P:.*]] = relay.tuple %[[A]], %[[A]]
// CHECK-NEXT:    return %[[P]] : tuple<tensor<f32>, tensor<f32>>
func.func private @again(%x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @pair(%x: !relay.typevar<"A">) -> tuple<!relay.typevar<"A">, !relay.typevar<"A">> attributes {relay.type_params = ["A"]} {
  %0 = relay.tuple %x, %x : !relay.typevar<"A">, !relay.typevar<"A">
  return %0 : tuple<!relay.typevar<"A">, !relay.typevar<"A">>
}
func.func @main(%x: tensor<f32>) -> tuple<tensor<f32>, tensor<f32>> {
  %0 = relay.call @again(%x) : (tensor<f32>) -> tensor<f32>
  %1 = relay.call @pair(%0) : (tensor<f32>) -> tuple<tensor<f32>, tensor<f32>>
  return %1 : tuple<tensor<f32>, tensor<f32>>
}

// -----

// A closure that something unknown needs is made, with what is known of what it
// uses; primitive functions are called as they are.
// CHECK-LABEL: func.func private @kernel
// CHECK-NEXT:    relay.exp
// CHECK-LABEL: func.func @closure
// CHECK-NEXT:    %[[C:.*]] = relay.fn (%[[Y:.*]]: tensor<i32>) -> tensor<i32> {
// CHECK-NEXT:      %[[THREE:.*]] = relay.constant dense<3>
// CHECK-NEXT:      %[[S:.*]] = relay.add %[[Y]], %[[THREE]]
// CHECK-NEXT:      relay.yield %[[S]]
// CHECK-NEXT:    }
// CHECK-NEXT:    relay.call_indirect %arg0(%[[C]])
// CHECK-NEXT:    %[[K:.*]] = relay.call @kernel(%arg1)
// CHECK-NEXT:    return %[[K]]
func.func private @kernel(%x: tensor<f32>) -> tensor<f32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @closure(%f: ((tensor<i32>) -> tensor<i32>) -> tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %one = relay.constant dense<1> : tensor<i32>
  %two = relay.constant dense<2> : tensor<i32>
  %g = relay.fn (%y: tensor<i32>) -> tensor<i32> {
    %0 = relay.add %one, %two : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %1 = relay.add %y, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  }
  %2 = relay.call_indirect %f(%g) : ((tensor<i32>) -> tensor<i32>) -> tensor<i32>
  %3 = relay.call @kernel(%x) : (tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
