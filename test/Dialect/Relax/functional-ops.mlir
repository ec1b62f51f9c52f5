// RUN: relay-opt %s | relay-opt | FileCheck %s

// CHECK: relax.func @all(%[[X:.*]]: !relax.object, %[[Y:.*]]: !relax.object)
relax.func @all(%x: !relax.object, %y: !relax.object) -> !relax.object {
  // CHECK: relax.call @all(%[[X]], %[[Y]])
  %0 = relax.call @all(%x, %y)
  // CHECK: relax.make_closure @all(%[[X]])
  %1 = relax.make_closure @all(%x)
  // CHECK: relax.call_packed "my.lookup" (%[[X]], %[[Y]])
  %packed = relax.call_packed "my.lookup"(%x, %y)
  // CHECK: relax.invoke_closure
  %2 = relax.invoke_closure %1(%y)
  // CHECK: relax.make_data #relax.constructor<"List", "Cons", 0, 2>
  %3 = relax.make_data #relax.constructor<"List", "Cons", 0, 2> (%2, %0)
  // CHECK: relax.has_constructor #relax.constructor<"List", "Nil", 1, 0> of %
  %4 = relax.has_constructor #relax.constructor<"List", "Nil", 1, 0> of %3
  // CHECK: relax.if %{{.*}} -> !relax.object {
  %5 = relax.if %4 -> !relax.object {
    // CHECK: relax.get_field %{{.*}}[1]
    %6 = relax.get_field %3[1]
    // CHECK: relax.yield %{{.*}} : !relax.object
    relax.yield %6 : !relax.object
  } else {
    // CHECK: relax.fatal
    %7 = relax.fatal %3
    relax.yield %7 : !relax.object
  }
  // CHECK: relax.load_constant dense<true> : tensor<i1>
  %8 = relax.load_constant dense<true> : tensor<i1>
  // CHECK: relax.read_condition
  %9 = relax.read_condition %8
  // CHECK: relax.if %{{.*}} -> i1 {
  %10 = relax.if %9 -> i1 {
    // CHECK: relax.truth false
    %11 = relax.truth false
    relax.yield %11 : i1
  } else {
    relax.yield %4 : i1
  }
  // CHECK: relax.make_ref
  %12 = relax.make_ref %5
  // CHECK: relax.read_ref
  %13 = relax.read_ref %12
  // CHECK: relax.write_ref
  relax.write_ref %12, %13
  // CHECK: relax.make_tuple(
  %14 = relax.make_tuple(%12, %13)
  relax.return %14 : !relax.object
}
