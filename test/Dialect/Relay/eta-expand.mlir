// RUN: relay-opt %s --relay-eta-expand --verify-each | FileCheck %s --check-prefixes=CHECK,CONS
// RUN: relay-opt %s --relay-eta-expand="expand-constructor=false expand-global-var=true" | FileCheck %s --check-prefixes=CHECK,FUNC

relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}

func.func @id(%x: !relay.typevar<"A"> {relay.name = "x"}) -> !relay.typevar<"A">
    attributes {relay.type_params = ["A"], relay.attrs = {Own = 2 : i32}, relay.inline} {
  return %x : !relay.typevar<"A">
}

// An instance, and a polymorphic value.
// CHECK-LABEL: func.func @constructors
// CONS-NEXT:     %[[F:.*]] = relay.fn (%[[A:.*]]: tensor<i32> {relay.name = "eta_expand_param"}, %[[B:.*]]: !relay.adt<@List, [tensor<i32>]> {relay.name = "eta_expand_param"}) -> !relay.adt<@List, [tensor<i32>]> {
// CONS-NEXT:       %[[C:.*]] = relay.construct @List::@Cons(%[[A]], %[[B]])
// CONS-NEXT:       relay.yield %[[C]]
// CONS-NEXT:     }
// CONS-NEXT:     %[[G:.*]] = relay.fn ["A"] () -> !relay.adt<@List, [!relay.typevar<"A">]> {
// CONS-NEXT:       relay.construct @List::@Nil()
// FUNC-NEXT:     %[[F:.*]] = relay.global @List::@Cons
// FUNC-NEXT:     relay.global @List::@Nil
// CHECK:         relay.call_indirect %[[F]]
func.func @constructors(%x: tensor<i32>) -> !relay.adt<@List, [tensor<i32>]> {
  %f = relay.global @List::@Cons : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>) -> !relay.adt<@List, [tensor<i32>]>
  %g = relay.global @List::@Nil : !relay.forall<["A"], () -> !relay.adt<@List, [!relay.typevar<"A">]>>
  %0 = relay.call_indirect %g() : !relay.forall<["A"], () -> !relay.adt<@List, [!relay.typevar<"A">]>> as () -> !relay.adt<@List, [tensor<i32>]>
  %1 = relay.call_indirect %f(%x, %0) : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>) -> !relay.adt<@List, [tensor<i32>]>
  %2 = relay.construct @List::@Cons(%x, %1) : (tensor<i32>, !relay.adt<@List, [tensor<i32>]>) -> !relay.adt<@List, [tensor<i32>]>
  return %2 : !relay.adt<@List, [tensor<i32>]>
}

// Calls stay. The closure has the parameters' names and the attributes of the
// program, but not what is to be done with the function.
// CHECK-LABEL: func.func @functions
// CONS-NEXT:     relay.global @id
// CONS-NEXT:     relay.global @id
// FUNC-NEXT:     relay.fn (%[[A:.*]]: tensor<i32> {relay.name = "x"}) -> tensor<i32> attributes {relay.attrs = {Own = 2 : i32}} {
// FUNC-NEXT:       %[[B:.*]] = relay.call @id(%[[A]]) : (tensor<i32>) -> tensor<i32>
// FUNC-NEXT:       relay.yield %[[B]]
// FUNC-NEXT:     }
// FUNC-NEXT:     relay.fn ["A"] (%[[A:.*]]: !relay.typevar<"A"> {relay.name = "x"}) -> !relay.typevar<"A">
// FUNC-NEXT:       relay.call @id(%[[A]]) : (!relay.typevar<"A">) -> !relay.typevar<"A">
// FUNC-NEXT:       relay.yield
// FUNC-NEXT:     }
// CHECK-NEXT:    relay.call_indirect
// CHECK-NEXT:    relay.call_indirect
// CHECK-NEXT:    relay.call @id
func.func @functions(%x: tensor<i32>) -> tensor<i32> {
  %f = relay.global @id : (tensor<i32>) -> tensor<i32>
  %g = relay.global @id : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
  %0 = relay.call_indirect %f(%x) : (tensor<i32>) -> tensor<i32>
  %1 = relay.call_indirect %g(%0) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">> as (tensor<i32>) -> tensor<i32>
  %2 = relay.call @id(%1) : (tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}
