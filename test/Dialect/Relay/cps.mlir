// RUN: relay-opt %s --relay-to-cps -split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-to-cps --relay-un-cps -split-input-file | FileCheck %s --check-prefix=BACK
// RUN: relay-opt %S/Inputs/continuations.mlir --relay-to-cps=entries=user | FileCheck %s --check-prefix=ENTRY

// What comes after a call is its continuation; a last call passes its own on.
// Operators are called as before.
// CHECK-LABEL: func.func @main(
// CHECK-SAME:      %[[X:.*]]: tensor<i32> {relay.name = "x"}, %[[K:.*]]: (tensor<i32>) -> !relay.typevar<"answer"> {relay.name = "k"}) -> !relay.typevar<"answer"> attributes {relay.type_params = ["answer"]} {
// CHECK-NEXT:    %[[A:.*]] = relay.abs %[[X]]
// CHECK-NEXT:    %[[REST:.*]] = relay.fn (%[[Y:.*]]: tensor<i32>) -> !relay.typevar<"answer"> {
// CHECK-NEXT:      %[[N:.*]] = relay.negative %[[Y]]
// CHECK-NEXT:      %[[R:.*]] = relay.call @f_cps(%[[N]], %[[K]])
// CHECK-NEXT:      relay.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = relay.call @f_cps(%[[A]], %[[REST]])
// CHECK-NEXT:    return %[[R]]

// A function of the module ends with its continuation.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:      %[[X:.*]]: tensor<i32>, %[[K:.*]]: (tensor<i32>) -> !relay.typevar<"answer">
// CHECK-NEXT:    %[[R:.*]] = relay.call_indirect %[[K]](%[[X]])
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func private @f_cps(

// Only what is asked for, and what that calls.
// ENTRY-LABEL: func.func @direct(%{{.*}}: tensor<i32>) -> tensor<i32> {
// ENTRY-LABEL: func.func private @used(
// ENTRY-SAME:      attributes {relay.type_params = ["R"]}
// ENTRY-LABEL: func.func @user(
// ENTRY-SAME:      attributes {relay.type_params = ["R", "answer"]}
// ENTRY-NEXT:    relay.call @used_cps(
// ENTRY-LABEL: func.func private @used_cps(

// Back, a function is called with the identity; others keep their form.
// BACK:        func.func @main(%[[X:.*]]: tensor<i32> {relay.name = "x"}) -> tensor<i32> {
// BACK-NEXT:     %[[F:.*]] = relay.fn ["answer"] (
// BACK:          %[[ID:.*]] = relay.fn (%[[Y:.*]]: tensor<i32> {relay.name = "x"}) -> tensor<i32> {
// BACK-NEXT:       relay.yield %[[Y]]
// BACK-NEXT:     }
// BACK-NEXT:     %[[R:.*]] = relay.call_indirect %[[F]](%[[X]], %[[ID]]) : {{.*}} as (tensor<i32>, (tensor<i32>) -> tensor<i32>) -> tensor<i32>
// BACK-NEXT:     return %[[R]]
// BACK-LABEL:  func.func @f(%{{.*}}: tensor<i32>) -> tensor<i32> {
// BACK-LABEL:  func.func private @f_cps({{.*}} -> !relay.typevar<"answer">
func.func @main(%x: tensor<i32> {relay.name = "x"}) -> tensor<i32> {
  %0 = relay.abs %x : (tensor<i32>) -> tensor<i32>
  %1 = relay.call @f(%0) : (tensor<i32>) -> tensor<i32>
  %2 = relay.negative %1 : (tensor<i32>) -> tensor<i32>
  %3 = relay.call @f(%2) : (tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}
func.func @f(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}

// -----

// Branches that call something share what comes after them; others are values.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME:      %[[C:.*]]: tensor<i1>, %[[X:.*]]: tensor<i32>, %[[K:.*]]: (tensor<i32>) -> !relay.typevar<"answer">
// CHECK-NEXT:    %[[D:.*]] = relay.if %[[C]] : tensor<i1> -> tensor<i32> {
// CHECK-NEXT:      relay.yield %[[X]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[N:.*]] = relay.negative %[[X]]
// CHECK-NEXT:      relay.yield %[[N]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[FN:.*]] = relay.fn (%[[Y:.*]]: tensor<i32>) -> !relay.typevar<"answer"> {
// CHECK-NEXT:      %[[S:.*]] = relay.add %[[Y]], %[[D]]
// CHECK-NEXT:      %[[R:.*]] = relay.call_indirect %[[K]](%[[S]])
// CHECK-NEXT:      relay.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[F:.*]] = relay.let "f" %[[FN]]
// CHECK-NEXT:    %[[R:.*]] = relay.if %[[C]] : tensor<i1> -> !relay.typevar<"answer"> {
// CHECK-NEXT:      %[[A:.*]] = relay.call @branches_cps(%[[C]], %[[X]], %[[F]])
// CHECK-NEXT:      relay.yield %[[A]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[A:.*]] = relay.call_indirect %[[F]](%[[X]])
// CHECK-NEXT:      relay.yield %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @branches(%c: tensor<i1>, %x: tensor<i32>) -> tensor<i32> {
  %0 = relay.if %c : tensor<i1> -> tensor<i32> {
    relay.yield %x : tensor<i32>
  } else {
    %1 = relay.negative %x : (tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  }
  %2 = relay.if %c : tensor<i1> -> tensor<i32> {
    %1 = relay.call @branches(%c, %x) : (tensor<i1>, tensor<i32>) -> tensor<i32>
    relay.yield %1 : tensor<i32>
  } else {
    relay.yield %x : tensor<i32>
  }
  %3 = relay.add %2, %0 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}

// -----

relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}
func.func private @id(%x: !relay.typevar<"answer">) -> !relay.typevar<"answer"> attributes {relay.type_params = ["answer"]} {
  return %x : !relay.typevar<"answer">
}
func.func private @kernel(%x: tensor<i32>) -> tensor<i32> attributes {relay.primitive} {
  return %x : tensor<i32>
}
// Closures, names and constructors as values; primitive functions stay. Types of
// functions change everywhere, and names of type parameters do not meet.
// CHECK-LABEL: func.func private @id(
// CHECK-SAME:      %{{.*}}: !relay.typevar<"answer">, %{{.*}}: (!relay.typevar<"answer">) -> !relay.typevar<"answer1"> {relay.name = "k"}) -> !relay.typevar<"answer1"> attributes {relay.type_params = ["answer", "answer1"]} {
// CHECK-LABEL: func.func private @kernel(%{{.*}}: tensor<i32>) -> tensor<i32> attributes {relay.primitive}
// CHECK-LABEL: func.func @values(
// CHECK-NEXT:    %[[F:.*]] = relay.fn (%[[Y:.*]]: tensor<i32>, %[[K2:.*]]: (tensor<i32>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1"> {
// CHECK-NEXT:      %[[R:.*]] = relay.call_indirect %[[K2]](%[[Y]])
// CHECK-NEXT:      relay.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    relay.global @id_cps : (tensor<i32>, (tensor<i32>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1">
// CHECK-NEXT:    %[[S:.*]] = relay.fn (%[[Y:.*]]: tensor<i32>, %[[K2:.*]]: (!relay.adt<@Option, [tensor<i32>]>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1"> {
// CHECK-NEXT:      %[[D:.*]] = relay.construct @Option::@Some(%[[Y]])
// CHECK-NEXT:      %[[R:.*]] = relay.call_indirect %[[K2]](%[[D]])
// CHECK-NEXT:      relay.yield %[[R]]
// CHECK-NEXT:    }
// CHECK-NEXT:    relay.construct @Option::@Some(%[[F]]) : ((tensor<i32>, (tensor<i32>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1">) -> !relay.adt<@Option, [(tensor<i32>, (tensor<i32>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1">]>
// CHECK-NEXT:    relay.call @kernel
// CHECK-NEXT:    relay.fn (%[[Y:.*]]: tensor<i32>) -> !relay.typevar<"answer1">
func.func @values(%x: tensor<i32>) -> !relay.adt<@Option, [tensor<i32>]> {
  %f = relay.fn (%y: tensor<i32>) -> tensor<i32> {
    relay.yield %y : tensor<i32>
  }
  %g = relay.global @id : (tensor<i32>) -> tensor<i32>
  %s = relay.global @Option::@Some : (tensor<i32>) -> !relay.adt<@Option, [tensor<i32>]>
  %o = relay.construct @Option::@Some(%f) : ((tensor<i32>) -> tensor<i32>) -> !relay.adt<@Option, [(tensor<i32>) -> tensor<i32>]>
  %0 = relay.call @kernel(%x) : (tensor<i32>) -> tensor<i32>
  %1 = relay.call_indirect %g(%0) : (tensor<i32>) -> tensor<i32>
  %2 = relay.call_indirect %f(%1) : (tensor<i32>) -> tensor<i32>
  %3 = relay.call_indirect %s(%2) : (tensor<i32>) -> !relay.adt<@Option, [tensor<i32>]>
  return %3 : !relay.adt<@Option, [tensor<i32>]>
}

// A kernel that has a name is a closure that calls it.
// CHECK-LABEL: func.func @kernel_with_a_name
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>{{.*}}, %[[K:.*]]: (tensor<4xf32>) -> !relay.typevar<"answer1">
// CHECK-NEXT:    %[[F:.*]] = relay.fn (%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive}
// CHECK:         %[[C:.*]] = relay.fn (%[[P:.*]]: tensor<4xf32>, %[[R:.*]]: (tensor<4xf32>) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1"> {
// CHECK-NEXT:      %[[V:.*]] = relay.call_indirect %[[F]](%[[P]])
// CHECK-NEXT:      %[[A:.*]] = relay.call_indirect %[[R]](%[[V]])
// CHECK-NEXT:      relay.yield %[[A]]
// CHECK:         %[[G:.*]] = relay.let "g" %[[C]]
// CHECK-NEXT:    %[[D:.*]] = relay.call_indirect %[[F]](%[[X]])
// CHECK:         relay.call_indirect %[[G]](%[[D]], %[[K]])
func.func @kernel_with_a_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
    %2 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %2 : tensor<4xf32>
  }
  %g = relay.let "g" %f : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call_indirect %g(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Nor inside of functions: the parameter of a closure is another type than the
// answer around it.
// CHECK-LABEL: func.func @polymorphic(
// CHECK-SAME:      -> !relay.typevar<"answer1"> attributes {relay.type_params = ["answer1"]} {
// CHECK:         relay.fn ["answer"] (%{{.*}}: tensor<f32>, %{{.*}}: (tensor<f32>, (!relay.typevar<"answer">) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1">, %{{.*}}: (!relay.typevar<"answer">) -> !relay.typevar<"answer1">) -> !relay.typevar<"answer1"> {
func.func @polymorphic(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn ["answer"] (%y: tensor<f32>, %k: (tensor<f32>) -> !relay.typevar<"answer">) -> !relay.typevar<"answer"> {
    %0 = relay.call_indirect %k(%y) : (tensor<f32>) -> !relay.typevar<"answer">
    relay.yield %0 : !relay.typevar<"answer">
  }
  %id = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    relay.yield %y : tensor<f32>
  }
  %1 = relay.call_indirect %f(%x, %id) : !relay.forall<["answer"], (tensor<f32>, (tensor<f32>) -> !relay.typevar<"answer">) -> !relay.typevar<"answer">> as (tensor<f32>, (tensor<f32>) -> tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// What stands for a pattern of operators is called as it is.
// CHECK-LABEL: func.func @pattern(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<4xf32>, %[[K:[^:]*]]: (tensor<4xf32>)
// CHECK-NEXT:    %[[F:.*]] = relay.fn (%{{.*}}: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "a.exp"} {
// CHECK:         %[[E:.*]] = relay.call_indirect %[[F]](%[[X]]) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:    relay.call_indirect %[[K]](%[[E]])
func.func @pattern(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "a.exp"} {
    %1 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
