// Types of the language follow from how values are used.
// RUN: relay-opt %s --relay-infer-types --verify-relay-typed --split-input-file | FileCheck %s

// A closure learns its parameter from its call, after its body was seen.
// CHECK-LABEL: func.func @closure
// CHECK-SAME:    -> tensor<4xf32>
// CHECK:         relay.fn (%{{.*}}: tensor<4xf32> {relay.name = "y"}) -> tensor<4xf32>
// CHECK:           relay.add %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK:         relay.let "f" %{{.*}} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK:         relay.call_indirect %{{.*}}(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @closure(%x: tensor<4xf32>) -> !relay.incomplete {
  %f = relay.fn (%y: !relay.incomplete {relay.name = "y"}) -> !relay.incomplete {
    %0 = relay.apply "add"(%y, %x) : (!relay.incomplete, tensor<4xf32>) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %g = relay.let "f" %f : (!relay.incomplete) -> !relay.incomplete
  %1 = relay.call_indirect %g(%x) : (!relay.incomplete) -> !relay.incomplete as (tensor<4xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// A polymorphic function has other types at each call.
// CHECK-LABEL: func.func @id
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> tuple<tensor<f32>, tensor<i32>>
// CHECK:         relay.call @id(%{{.*}}) : (tensor<f32>) -> tensor<f32>
// CHECK:         relay.call @id(%{{.*}}) : (tensor<i32>) -> tensor<i32>
func.func @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}
func.func @main(%x: tensor<f32>, %y: tensor<i32>) -> tuple<!relay.incomplete, !relay.incomplete> {
  %0 = relay.call @id(%x) : (tensor<f32>) -> !relay.incomplete
  %1 = relay.call @id(%y) : (tensor<i32>) -> !relay.incomplete
  %2 = relay.tuple %0, %1 : !relay.incomplete, !relay.incomplete
  return %2 : tuple<!relay.incomplete, !relay.incomplete>
}

// -----

// So has a closure with type parameters, also through a let.
// CHECK-LABEL: func.func @let_polymorphism
// CHECK-SAME:    -> tuple<tensor<f32>, tensor<i32>>
// CHECK:         relay.let "id" %{{.*}} : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
// CHECK:         relay.call_indirect %{{.*}} as (tensor<f32>) -> tensor<f32>
// CHECK:         relay.call_indirect %{{.*}} as (tensor<i32>) -> tensor<i32>
func.func @let_polymorphism(%x: tensor<f32>, %y: tensor<i32>) -> tuple<!relay.incomplete, !relay.incomplete> {
  %f = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.incomplete {
    relay.yield %a : !relay.typevar<"A">
  }
  %id = relay.let "id" %f : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete>
  %0 = relay.call_indirect %id(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete> as (tensor<f32>) -> !relay.incomplete
  %1 = relay.call_indirect %id(%y) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete> as (tensor<i32>) -> !relay.incomplete
  %2 = relay.tuple %0, %1 : !relay.incomplete, !relay.incomplete
  return %2 : tuple<!relay.incomplete, !relay.incomplete>
}

// -----

// Lists: constructors, patterns, recursion, a constructor and a polymorphic
// function as values.
// CHECK-LABEL: func.func @foldr
// CHECK-SAME:    -> !relay.typevar<"B">
// CHECK:           case @List::@Cons("h" %{{.*}}: !relay.typevar<"A">, "t" %{{.*}}: !relay.adt<@List, [!relay.typevar<"A">]>)
// CHECK-LABEL: func.func @concat
// CHECK-SAME:    -> !relay.adt<@List, [!relay.typevar<"A">]>
// CHECK:         relay.global @List::@Cons : !relay.forall<["A"]
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> !relay.adt<@List, [tensor<i32>]>
// CHECK:         relay.construct @List::@Nil() : () -> !relay.adt<@List, [tensor<i32>]>
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @foldr(%f: (!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"B">, %z: !relay.typevar<"B">, %l: !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.incomplete attributes {relay.type_params = ["A", "B"]} {
  %0 = relay.match %l : !relay.adt<@List, [!relay.typevar<"A">]> -> !relay.incomplete {
  case @List::@Cons("h" %h: !relay.incomplete, "t" %t: !relay.incomplete) {
    %1 = relay.call @foldr(%f, %z, %t) : ((!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"B">, !relay.typevar<"B">, !relay.incomplete) -> !relay.incomplete
    %2 = relay.call_indirect %f(%h, %1) : (!relay.typevar<"A">, !relay.typevar<"B">) -> !relay.typevar<"B"> as (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
    relay.yield %2 : !relay.incomplete
  }
  case @List::@Nil {
    relay.yield %z : !relay.typevar<"B">
  }
  }
  return %0 : !relay.incomplete
}
func.func @concat(%x: !relay.adt<@List, [!relay.typevar<"A">]>, %y: !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.incomplete attributes {relay.type_params = ["A"]} {
  %cons = relay.global @List::@Cons : !relay.incomplete
  %0 = relay.call @foldr(%cons, %y, %x) : (!relay.incomplete, !relay.adt<@List, [!relay.typevar<"A">]>, !relay.adt<@List, [!relay.typevar<"A">]>) -> !relay.incomplete
  return %0 : !relay.incomplete
}
func.func @main(%x: tensor<i32>) -> !relay.incomplete {
  %nil = relay.construct @List::@Nil() : () -> !relay.incomplete
  %one = relay.construct @List::@Cons(%x, %nil) : (tensor<i32>, !relay.incomplete) -> !relay.incomplete
  %0 = relay.call @concat(%one, %one) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// A recursive closure without annotations.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    -> tensor<i32>
// CHECK:         relay.fn rec %{{.*}} (%{{.*}}: tensor<i32>) -> tensor<i32>
func.func @loop(%n: tensor<i32>) -> !relay.incomplete {
  %one = relay.constant dense<1> : tensor<i32>
  %f = relay.fn rec %self (%i: !relay.incomplete) -> !relay.incomplete {
    %c = relay.apply "less"(%i, %n) : (!relay.incomplete, tensor<i32>) -> !relay.incomplete
    %0 = relay.if %c : !relay.incomplete -> !relay.incomplete {
      %1 = relay.apply "add"(%i, %one) : (!relay.incomplete, tensor<i32>) -> !relay.incomplete
      %2 = relay.call_indirect %self(%1) : (!relay.incomplete) -> !relay.incomplete
      relay.yield %2 : !relay.incomplete
    } else {
      relay.yield %i : !relay.incomplete
    }
    relay.yield %0 : !relay.incomplete
  }
  %0 = relay.call_indirect %f(%one) : (!relay.incomplete) -> !relay.incomplete as (tensor<i32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// Global functions that call each other and say nothing of their types; one
// that is called before it is defined.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> tensor<i1>
// CHECK-LABEL: func.func @even
// CHECK-SAME:    (%{{.*}}: tensor<i32>) -> tensor<i1>
// CHECK-LABEL: func.func @odd
// CHECK-SAME:    (%{{.*}}: tensor<i32>) -> tensor<i1>
func.func @main(%n: tensor<i32>) -> !relay.incomplete {
  %0 = relay.call @even(%n) : (tensor<i32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}
func.func @even(%n: !relay.incomplete) -> !relay.incomplete {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %c = relay.apply "equal"(%n, %zero) : (!relay.incomplete, tensor<i32>) -> !relay.incomplete
  %0 = relay.if %c : !relay.incomplete -> !relay.incomplete {
    relay.yield %c : !relay.incomplete
  } else {
    %1 = relay.apply "subtract"(%n, %one) : (!relay.incomplete, tensor<i32>) -> !relay.incomplete
    %2 = relay.call @odd(%1) : (!relay.incomplete) -> !relay.incomplete
    relay.yield %2 : !relay.incomplete
  }
  return %0 : !relay.incomplete
}
func.func @odd(%n: !relay.incomplete) -> !relay.incomplete {
  %0 = relay.call @even(%n) : (!relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "logical_not"(%0) : (!relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// The sizes of branches that differ on them are `?`; the branches keep theirs.
// CHECK-LABEL: func.func @join
// CHECK-SAME:    -> tensor<?xf32>
// CHECK:         relay.if %{{.*}} : tensor<i1> -> tensor<?xf32> {
// CHECK:           relay.exp %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK:         relay.tanh %{{.*}} : (tensor<?xf32>) -> tensor<?xf32>
func.func @join(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<?xf32>) -> !relay.incomplete {
  %0 = relay.if %c : tensor<i1> -> !relay.incomplete {
    %1 = relay.apply "exp"(%x) : (tensor<2xf32>) -> !relay.incomplete
    relay.yield %1 : !relay.incomplete
  } else {
    relay.yield %y : tensor<?xf32>
  }
  %2 = relay.apply "tanh"(%0) : (!relay.incomplete) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// What is written to a reference later changes what was read before.
// CHECK-LABEL: func.func @reference
// CHECK-SAME:    -> tensor<?xf32>
// CHECK:         relay.ref_create %{{.*}} : (tensor<2xf32>) -> !relay.ref<tensor<?xf32>>
// CHECK:         relay.exp %{{.*}} : (tensor<?xf32>) -> tensor<?xf32>
// CHECK:         relay.ref_write {{.*}} -> tuple<>
func.func @reference(%x: tensor<2xf32>, %y: tensor<?xf32>) -> !relay.incomplete {
  %r = relay.ref_create %x : (tensor<2xf32>) -> !relay.incomplete
  %0 = relay.ref_read %r : (!relay.incomplete) -> !relay.incomplete
  %1 = relay.apply "exp"(%0) : (!relay.incomplete) -> !relay.incomplete
  %u = relay.ref_write %r, %y : (!relay.incomplete, tensor<?xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Fields are known when the tuple is.
// CHECK-LABEL: func.func @projection
// CHECK-SAME:    -> tensor<i32>
// CHECK:         relay.fn (%{{.*}}: tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
func.func @projection(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  %f = relay.fn (%t: !relay.incomplete) -> !relay.incomplete {
    %0 = relay.tuple_get_item %t[1] : !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %t = relay.tuple %x, %y : tensor<f32>, tensor<i32>
  %1 = relay.call_indirect %f(%t) : (!relay.incomplete) -> !relay.incomplete as (tuple<tensor<f32>, tensor<i32>>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// A function of which only the use is known: its argument.
// CHECK-LABEL: func.func @higher_order
// CHECK:         relay.fn (%{{.*}}: (tensor<f32>) -> tensor<f32>, %{{.*}}: tensor<f32>) -> tensor<f32>
// CHECK:         relay.fn (%{{.*}}: tensor<f32>) -> tensor<f32>
func.func @higher_order(%x: tensor<f32>) -> !relay.incomplete {
  %twice = relay.fn (%f: !relay.incomplete, %y: !relay.incomplete) -> !relay.incomplete {
    %0 = relay.call_indirect %f(%y) : !relay.incomplete as (!relay.incomplete) -> !relay.incomplete
    %1 = relay.call_indirect %f(%0) : !relay.incomplete as (!relay.incomplete) -> !relay.incomplete
    relay.yield %1 : !relay.incomplete
  }
  %g = relay.fn (%y: !relay.incomplete) -> !relay.incomplete {
    %0 = relay.apply "exp"(%y) : (!relay.incomplete) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %twice(%g, %x) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete as ((!relay.incomplete) -> !relay.incomplete, tensor<f32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// An annotation tells what comes in, and stays as it is.
// CHECK-LABEL: func.func @annotation
// CHECK-SAME:    -> tensor<?xf32>
// CHECK:         relay.fn (%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @annotation(%x: tensor<4xf32>) -> !relay.incomplete {
  %f = relay.fn (%y: tensor<?xf32>) -> !relay.incomplete {
    %0 = relay.apply "exp"(%y) : (tensor<?xf32>) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %f(%x) : (tensor<?xf32>) -> !relay.incomplete as (tensor<4xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Nested patterns, on a tuple of lists.
// CHECK-LABEL: func.func @zip
// CHECK-SAME:    -> !relay.adt<@List, [tuple<!relay.typevar<"A">, !relay.typevar<"B">>]>
// CHECK:         relay.construct @List::@Nil() : () -> !relay.adt<@List, [tuple<!relay.typevar<"A">, !relay.typevar<"B">>]>
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @zip(%x: !relay.adt<@List, [!relay.typevar<"A">]>, %y: !relay.adt<@List, [!relay.typevar<"B">]>) -> !relay.incomplete attributes {relay.type_params = ["A", "B"]} {
  %t = relay.tuple %x, %y : !relay.adt<@List, [!relay.typevar<"A">]>, !relay.adt<@List, [!relay.typevar<"B">]>
  %0 = relay.match %t : tuple<!relay.adt<@List, [!relay.typevar<"A">]>, !relay.adt<@List, [!relay.typevar<"B">]>> -> !relay.incomplete {
  case (@List::@Cons("a" %a: !relay.incomplete, "as" %as: !relay.incomplete), @List::@Cons("b" %b: !relay.incomplete, "bs" %bs: !relay.incomplete)) {
    %1 = relay.tuple %a, %b : !relay.incomplete, !relay.incomplete
    %2 = relay.call @zip(%as, %bs) : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
    %3 = relay.construct @List::@Cons(%1, %2) : (tuple<!relay.incomplete, !relay.incomplete>, !relay.incomplete) -> !relay.incomplete
    relay.yield %3 : !relay.incomplete
  }
  case _ {
    %4 = relay.construct @List::@Nil() : () -> !relay.incomplete
    relay.yield %4 : !relay.incomplete
  }
  }
  return %0 : !relay.incomplete
}

// -----

// Sizes on which elements of a list differ are not known.
// CHECK-LABEL: func.func @widen
// CHECK-SAME:    -> !relay.adt<@List, [tensor<?xf32>]>
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @widen(%x: tensor<2xf32>, %y: tensor<?xf32>) -> !relay.incomplete {
  %nil = relay.construct @List::@Nil() : () -> !relay.incomplete
  %0 = relay.construct @List::@Cons(%y, %nil) : (tensor<?xf32>, !relay.incomplete) -> !relay.incomplete
  %1 = relay.construct @List::@Cons(%x, %0) : (tensor<2xf32>, !relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Without annotations a match tells what it is applied to.
// CHECK-LABEL: func.func @length
// CHECK-SAME:    (%{{.*}}: !relay.adt<@Ints>) -> tensor<i32>
relay.adt @Ints {
  relay.constructor @More(tensor<i32>, !relay.adt<@Ints>)
  relay.constructor @End
}
func.func @length(%x: !relay.incomplete) -> !relay.incomplete {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %0 = relay.match %x : !relay.incomplete -> !relay.incomplete {
  case @Ints::@More(_, "rest" %rest: !relay.incomplete) {
    %1 = relay.call @length(%rest) : (!relay.incomplete) -> !relay.incomplete
    %2 = relay.apply "add"(%1, %one) : (!relay.incomplete, tensor<i32>) -> !relay.incomplete
    relay.yield %2 : !relay.incomplete
  }
  case @Ints::@End {
    relay.yield %zero : tensor<i32>
  }
  }
  return %0 : !relay.incomplete
}

// -----

// A polymorphic closure that calls itself.
// CHECK-LABEL: func.func @polymorphic_recursion
// CHECK-SAME:    -> tensor<f32>
// CHECK:         relay.fn rec %{{.*}} ["A"] (%{{.*}}: !relay.typevar<"A">, %{{.*}}: tensor<i1>) -> !relay.typevar<"A">
func.func @polymorphic_recursion(%x: tensor<f32>, %c: tensor<i1>) -> !relay.incomplete {
  %f = relay.fn rec %self ["A"] (%a: !relay.typevar<"A">, %d: tensor<i1>) -> !relay.incomplete {
    %0 = relay.if %d : tensor<i1> -> !relay.incomplete {
      %1 = relay.call_indirect %self(%a, %d) : !relay.forall<["A"], (!relay.typevar<"A">, tensor<i1>) -> !relay.incomplete> as (!relay.typevar<"A">, tensor<i1>) -> !relay.incomplete
      relay.yield %1 : !relay.incomplete
    } else {
      relay.yield %a : !relay.typevar<"A">
    }
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %f(%x, %c) : !relay.forall<["A"], (!relay.typevar<"A">, tensor<i1>) -> !relay.incomplete> as (tensor<f32>, tensor<i1>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// A declared type tells what the value is, if nothing else does; then nothing is
// left to check.
// CHECK-LABEL: func.func @ascribe
// CHECK-SAME:    (%[[X:.*]]: tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %[[X]]
func.func @ascribe(%x: !relay.incomplete) -> tensor<f32> {
  %0 = relay.ascribe %x : !relay.incomplete as tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Tuples are equal field by field; what one field tells the other uses.
// CHECK-LABEL: func.func @tuples
// CHECK:         relay.fn (%{{.*}}: tuple<tensor<f32>, tensor<10xf32>>, %{{.*}}: tensor<f32>) -> tuple<tensor<f32>, tensor<10xf32>>
func.func @tuples(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<10xf32>) -> !relay.incomplete {
  %f = relay.fn (%t: tuple<!relay.incomplete, tensor<10xf32>>, %a: !relay.incomplete) -> !relay.incomplete {
    %u = relay.tuple %a, %y : !relay.incomplete, tensor<10xf32>
    %0 = relay.if %c : tensor<i1> -> !relay.incomplete {
      relay.yield %t : tuple<!relay.incomplete, tensor<10xf32>>
    } else {
      relay.yield %u : tuple<!relay.incomplete, tensor<10xf32>>
    }
    relay.yield %0 : !relay.incomplete
  }
  %t = relay.tuple %x, %y : tensor<f32>, tensor<10xf32>
  %1 = relay.call_indirect %f(%t, %x) : (tuple<!relay.incomplete, tensor<10xf32>>, !relay.incomplete) -> !relay.incomplete as (tuple<tensor<f32>, tensor<10xf32>>, tensor<f32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// The instance of a polymorphic value follows from where it is used.
// CHECK-LABEL: func.func @instance
// CHECK-SAME:    -> tensor<f32>
// CHECK:         relay.fn (%{{.*}}: (tensor<f32>) -> tensor<f32>) -> tensor<f32>
func.func @instance(%x: tensor<f32>) -> !relay.incomplete {
  %id = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %a : !relay.typevar<"A">
  }
  %f = relay.fn (%g: (tensor<f32>) -> !relay.incomplete) -> !relay.incomplete {
    %0 = relay.call_indirect %g(%x) : (tensor<f32>) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %f(%id) : ((tensor<f32>) -> !relay.incomplete) -> !relay.incomplete as (!relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Two type parameters of one name are two.
// CHECK-LABEL: func.func @names
// CHECK-SAME:    -> tensor<f32>
func.func @names(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  %f = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.incomplete {
    %g = relay.fn ["A"] (%b: !relay.typevar<"A">) -> !relay.incomplete {
      relay.yield %b : !relay.typevar<"A">
    }
    %0 = relay.call_indirect %g(%y) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete> as (tensor<i32>) -> !relay.incomplete
    %1 = relay.call_indirect %g(%a) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete> as (!relay.typevar<"A">) -> !relay.incomplete
    relay.yield %1 : !relay.incomplete
  }
  %2 = relay.call_indirect %f(%x) : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.incomplete> as (tensor<f32>) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// What operators give is of the type parameters around them.
relay.adt @Box["T"] {
  relay.constructor @Keep(!relay.typevar<"T">)
}
// CHECK-LABEL: func.func @marked
// CHECK:         relay.annotation.compiler_end {{.*}} -> !relay.adt<@Box, [!relay.typevar<"T">]>
func.func @marked(%x: !relay.typevar<"T">) -> !relay.incomplete attributes {relay.type_params = ["T"]} {
  %0 = relay.construct @Box::@Keep(%x) : (!relay.typevar<"T">) -> !relay.incomplete
  %1 = relay.annotation.compiler_end %0 {compiler = "default"} : (!relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}
