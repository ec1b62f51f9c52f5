// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' | FileCheck %s

!ref = !relay.ref<tensor<i32>>
!fun = (tensor<i32>) -> tensor<i32>

// Reads and writes run in order; two names may stand for one cell.
// CHECK: @order#0 = dense<12> : tensor<i32>
func.func @order() -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  %two = relay.constant dense<2> : tensor<i32>
  %ten = relay.constant dense<10> : tensor<i32>
  %r = relay.ref_create %one : (tensor<i32>) -> !ref
  %alias = relay.let "alias" %r : !ref
  %u = relay.ref_write %alias, %ten : (!ref, tensor<i32>) -> tuple<>
  %x = relay.ref_read %r : (!ref) -> tensor<i32>
  %v = relay.ref_write %r, %two : (!ref, tensor<i32>) -> tuple<>
  %y = relay.ref_read %alias : (!ref) -> tensor<i32>
  %0 = relay.add %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// A counter: each call changes what the closure captured.
// CHECK: @counter#0 = (ref(3), ())
func.func @counter() -> tuple<!ref, tuple<>> {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %r = relay.ref_create %zero : (tensor<i32>) -> !ref
  %next = relay.fn () -> tuple<> {
    %x = relay.ref_read %r : (!ref) -> tensor<i32>
    %y = relay.add %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %u = relay.ref_write %r, %y : (!ref, tensor<i32>) -> tuple<>
    relay.yield %u : tuple<>
  }
  %0 = relay.call_indirect %next() : () -> tuple<>
  %1 = relay.call_indirect %next() : () -> tuple<>
  %2 = relay.call_indirect %next() : () -> tuple<>
  %3 = relay.tuple %r, %2 : !ref, tuple<>
  return %3 : tuple<!ref, tuple<>>
}

// Recursion through a cell: a cycle.
// CHECK: @knot#0 = dense<120> : tensor<i32>
func.func @knot() -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  %five = relay.constant dense<5> : tensor<i32>
  %dummy = relay.fn (%x: tensor<i32>) -> tensor<i32> {
    relay.yield %x : tensor<i32>
  }
  %r = relay.ref_create %dummy : (!fun) -> !relay.ref<!fun>
  %factorial = relay.fn (%x: tensor<i32>) -> tensor<i32> {
    %c = relay.less_equal %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %0 = relay.if %c : tensor<i1> -> tensor<i32> {
      relay.yield %one : tensor<i32>
    } else {
      %f = relay.ref_read %r : (!relay.ref<!fun>) -> !fun
      %1 = relay.subtract %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %2 = relay.call_indirect %f(%1) : (tensor<i32>) -> tensor<i32>
      %3 = relay.multiply %x, %2 : (tensor<i32>, tensor<i32>) -> tensor<i32>
      relay.yield %3 : tensor<i32>
    }
    relay.yield %0 : tensor<i32>
  }
  %u = relay.ref_write %r, %factorial : (!relay.ref<!fun>, !fun) -> tuple<>
  %4 = relay.call_indirect %factorial(%five) : (tensor<i32>) -> tensor<i32>
  return %4 : tensor<i32>
}
