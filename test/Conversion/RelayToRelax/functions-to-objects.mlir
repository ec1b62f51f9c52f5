// RUN: relay-opt %s --split-input-file --convert-relay-to-objects | FileCheck %s

// A closure becomes a function of what it captures; one that calls itself makes
// itself anew.
//
// CHECK-LABEL: relax.func @closures(
// CHECK-SAME:    %[[X:.*]]: !relax.object
// CHECK:         %[[F:.*]] = relax.make_closure @closures.fn0(%[[X]])
// CHECK-NEXT:    %[[R:.*]] = relax.invoke_closure %[[F]](%[[X]])
// CHECK-NEXT:    relax.return %[[R]]
// CHECK:       relax.func private @closures.fn0(%[[X:.*]]: !relax.object, %[[Y:.*]]: !relax.object {relax.name = "y"})
// CHECK-NEXT:    %[[SELF:.*]] = relax.make_closure @closures.fn0(%[[X]])
// CHECK-NEXT:    %[[Z:.*]] = relax.call @tensors(%[[X]], %[[Y]])
// CHECK-NEXT:    %[[R:.*]] = relax.invoke_closure %[[SELF]](%[[Z]])
// CHECK-NEXT:    relax.return %[[R]]
func.func @closures(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn rec %self (%y: tensor<f32> {relay.name = "y"}) -> tensor<f32> {
    %0 = relay.call @tensors(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = relay.call_indirect %self(%0) : (tensor<f32>) -> tensor<f32>
    relay.yield %1 : tensor<f32>
  }
  %2 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func @tensors(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32>
    attributes {relay.tensor_function} {
  %0 = relay.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Nested patterns look at fields only after what is around them matches; the
// last case of a match that covers all needs no test, that of a partial one
// does.
//
// CHECK: module attributes {relax.constructor_types = [(tensor<f32>, !relay.adt<@List>) -> !relay.adt<@List>, () -> !relay.adt<@List>],
// CHECK-SAME: relax.constructors = [#relax.constructor<"List", "Cons", 0, 2>, #relax.constructor<"List", "Nil", 1, 0>]}
// CHECK-LABEL: relax.func @match(
// CHECK-SAME:    %[[L:.*]]: !relax.object, %[[D:[^:]*]]: !relax.object)
// CHECK-SAME:    relax.param_types = [!relay.adt<@List>, tensor<f32>]
// CHECK-NEXT:    %[[CONS:.*]] = relax.has_constructor #relax.constructor<"List", "Cons", 0, 2> of %[[L]]
// CHECK-NEXT:    %[[BOTH:.*]] = relax.if %[[CONS]] -> i1 {
// CHECK-NEXT:      %[[REST:.*]] = relax.get_field %[[L]][1]
// CHECK-NEXT:      %[[NIL:.*]] = relax.has_constructor #relax.constructor<"List", "Nil", 1, 0> of %[[REST]]
// CHECK-NEXT:      relax.yield %[[NIL]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[NO:.*]] = relax.truth false
// CHECK-NEXT:      relax.yield %[[NO]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = relax.if %[[BOTH]] -> !relax.object {
// CHECK-NEXT:      %[[X:.*]] = relax.get_field %[[L]][0]
// CHECK-NEXT:      relax.yield %[[X]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %[[D]]
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %[[R]]
// CHECK-LABEL: relax.func @partial(
// CHECK:         relax.has_constructor
// CHECK:         } else {
// CHECK-NEXT:      %[[END:.*]] = relax.fatal
// CHECK-NEXT:      relax.yield %[[END]]
relay.adt @List {
  relay.constructor @Cons(tensor<f32>, !relay.adt<@List>)
  relay.constructor @Nil
}
func.func @match(%l: !relay.adt<@List>, %d: tensor<f32>) -> tensor<f32> {
  %0 = relay.match %l : !relay.adt<@List> -> tensor<f32> {
  case @List::@Cons("x" %x: tensor<f32>, @List::@Nil) {
    relay.yield %x : tensor<f32>
  }
  case _ {
    relay.yield %d : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}
func.func @partial(%l: !relay.adt<@List>) -> tensor<f32> {
  %0 = relay.match partial %l : !relay.adt<@List> -> tensor<f32> {
  case @List::@Cons("x" %x: tensor<f32>, _) {
    relay.yield %x : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}

// -----

// A constructor as a value is a function; references, tuples and several results.
//
// CHECK-LABEL: relax.func @values(
// CHECK-SAME:    %[[X:.*]]: !relax.object
// CHECK:         %[[C:.*]] = relax.make_closure @Some()
// CHECK:         %[[R:.*]] = relax.make_ref %[[X]]
// CHECK-NEXT:    relax.write_ref %[[R]], %[[X]]
// CHECK-NEXT:    %[[U:.*]] = relax.make_tuple()
// CHECK-NEXT:    %[[T:.*]] = relax.make_tuple(%[[C]], %[[U]])
// CHECK-NEXT:    relax.return %[[T]]
// CHECK:       relax.func private @Some(%[[F:.*]]: !relax.object)
// CHECK-NEXT:    %[[D:.*]] = relax.make_data #relax.constructor<"Option", "Some", 0, 1> (%[[F]])
// CHECK-NEXT:    relax.return %[[D]]
relay.adt @Option {
  relay.constructor @Some(tensor<f32>)
  relay.constructor @None
}
func.func @values(%x: tensor<f32>)
    -> ((tensor<f32>) -> !relay.adt<@Option>, tuple<>) {
  %c = relay.global @Option::@Some : (tensor<f32>) -> !relay.adt<@Option>
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.ref<tensor<f32>>
  %u = relay.ref_write %r, %x : (!relay.ref<tensor<f32>>, tensor<f32>) -> tuple<>
  return %c, %u : (tensor<f32>) -> !relay.adt<@Option>, tuple<>
}

// -----

// Marks on closures are gone; a place to stop at is a call of the run time.
//
// CHECK-LABEL: relax.func @marks(
// CHECK-SAME:    %[[X:.*]]: !relax.object)
// CHECK-NEXT:    %[[F:.*]] = relax.make_closure @marks.fn0()
// CHECK-NEXT:    relax.debug "stop" (%[[X]])
// CHECK-NEXT:    %[[R:.*]] = relax.invoke_closure %[[F]](%[[X]])
// CHECK-NEXT:    relax.return %[[R]]
func.func @marks(%x: tensor<f32>) -> tensor<f32> {
  %f = relay.fn (%y: tensor<f32>) -> tensor<f32> {
    relay.yield %y : tensor<f32>
  }
  %g = relay.annotation.with_funcid %f {fid = 3} : ((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
  %0 = relay.debug %x {debug_func = "stop"} : (tensor<f32>) -> tensor<f32>
  %1 = relay.call_indirect %g(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
