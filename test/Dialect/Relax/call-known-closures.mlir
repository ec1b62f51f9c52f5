// A closure whose making is in sight is called by its function.
//
// RUN: relay-opt --relax-call-known-closures %s | FileCheck %s

// A loop: the closure calls itself, and is not made in the iterations.
//
// CHECK-LABEL: relax.func private @loop
// CHECK-NOT:     make_closure
// CHECK:         %[[NEXT:.*]] = relax.call @loop(%arg0, %{{.*}})
// CHECK-NEXT:    relax.yield %[[NEXT]]
relax.func private @loop(%n: !relax.object, %i: !relax.object) -> !relax.object {
  %self = relax.make_closure @loop(%n)
  %done = relax.read_condition %i
  %0 = relax.if %done -> !relax.object {
    relax.yield %n : !relax.object
  } else {
    %next = relax.make_tuple(%i, %n)
    %1 = relax.invoke_closure %self(%next)
    relax.yield %1 : !relax.object
  }
  relax.return %0 : !relax.object
}

// What is used otherwise is made, and what is not in sight is invoked.
//
// CHECK-LABEL: relax.func @kept
// CHECK:         %[[F:.*]] = relax.make_closure @loop(%arg0)
// CHECK-NEXT:    %[[A:.*]] = relax.call @loop(%arg0, %arg1)
// CHECK-NEXT:    %[[B:.*]] = relax.invoke_closure %arg2(%[[F]], %[[A]])
// CHECK-NEXT:    relax.return %[[B]]
relax.func @kept(%n: !relax.object, %i: !relax.object, %g: !relax.object) -> !relax.object {
  %f = relax.make_closure @loop(%n)
  %0 = relax.invoke_closure %f(%i)
  %1 = relax.invoke_closure %g(%f, %0)
  relax.return %1 : !relax.object
}

// A wrong number of arguments is an error when the program runs.
//
// CHECK-LABEL: relax.func @wrong
// CHECK-NEXT:    relax.make_closure
// CHECK-NEXT:    relax.invoke_closure
relax.func @wrong(%n: !relax.object) -> !relax.object {
  %f = relax.make_closure @loop(%n)
  %0 = relax.invoke_closure %f(%n, %n)
  relax.return %0 : !relax.object
}
