// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' | FileCheck %s

// A closure keeps what it captured, also after the function that made it has
// returned.
func.func private @adder(%n: tensor<i32>) -> ((tensor<i32>) -> tensor<i32>) {
  %f = relay.fn (%x: tensor<i32>) -> tensor<i32> {
    %0 = relay.add %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
    relay.yield %0 : tensor<i32>
  }
  return %f : (tensor<i32>) -> tensor<i32>
}
// CHECK: @captures#0 = dense<12> : tensor<i32>
func.func @captures() -> tensor<i32> {
  %two = relay.constant dense<2> : tensor<i32>
  %ten = relay.constant dense<10> : tensor<i32>
  %f = relay.call @adder(%ten) : (tensor<i32>) -> ((tensor<i32>) -> tensor<i32>)
  %0 = relay.call_indirect %f(%two) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// Closures in closures; the inner one captures through the outer one.
// CHECK: @curried#0 = dense<111> : tensor<i32>
func.func @curried() -> tensor<i32> {
  %a = relay.constant dense<1> : tensor<i32>
  %b = relay.constant dense<10> : tensor<i32>
  %c = relay.add %b, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %f = relay.fn (%x: tensor<i32>) -> (tensor<i32>) -> tensor<i32> {
    %g = relay.fn (%y: tensor<i32>) -> tensor<i32> {
      %0 = relay.multiply %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %1 = relay.add %0, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
      relay.yield %1 : tensor<i32>
    }
    relay.yield %g : (tensor<i32>) -> tensor<i32>
  }
  %h = relay.call_indirect %f(%b) : (tensor<i32>) -> ((tensor<i32>) -> tensor<i32>)
  %0 = relay.call_indirect %h(%b) : (tensor<i32>) -> tensor<i32>
  %1 = relay.call_indirect %h(%a) : (tensor<i32>) -> tensor<i32>
  %2 = relay.subtract %0, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %3 = relay.subtract %2, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %4 = relay.add %3, %1 : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %5 = relay.add %4, %a : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %5 : tensor<i32>
}

// A loop: sums 0 + 1 + ... + 9 in two variables.
// CHECK: @loop#0 = dense<45> : tensor<i32>
func.func @loop() -> tensor<i32> {
  %zero = relay.constant dense<0> : tensor<i32>
  %one = relay.constant dense<1> : tensor<i32>
  %n = relay.constant dense<10> : tensor<i32>
  %loop = relay.fn rec %self (%i: tensor<i32>, %sum: tensor<i32>) -> tensor<i32> {
    %c = relay.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %0 = relay.if %c : tensor<i1> -> tensor<i32> {
      %next = relay.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %new = relay.add %sum, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %1 = relay.call_indirect %self(%next, %new) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      relay.yield %1 : tensor<i32>
    } else {
      relay.yield %sum : tensor<i32>
    }
    relay.yield %0 : tensor<i32>
  }
  %let = relay.let "loop" %loop : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %2 = relay.call_indirect %let(%zero, %zero) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %2 : tensor<i32>
}

// One polymorphic function at two types, as a global and as a closure.
func.func private @id(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  return %x : !relay.typevar<"A">
}
// CHECK: @polymorphic#0 = (dense<7> : tensor<i32>, (dense<7> : tensor<i32>, dense<true> : tensor<i1>))
func.func @polymorphic() -> tuple<tensor<i32>, tuple<tensor<i32>, tensor<i1>>> {
  %seven = relay.constant dense<7> : tensor<i32>
  %true = relay.constant dense<true> : tensor<i1>
  %0 = relay.call @id(%seven) : (tensor<i32>) -> tensor<i32>
  %pair = relay.tuple %0, %true : tensor<i32>, tensor<i1>
  %id = relay.fn ["B"] (%x: !relay.typevar<"B">) -> !relay.typevar<"B"> {
    %y = relay.let "y" %x : !relay.typevar<"B">
    relay.yield %y : !relay.typevar<"B">
  }
  %1 = relay.call_indirect %id(%pair) : !relay.forall<["B"], (!relay.typevar<"B">) -> !relay.typevar<"B">>
      as (tuple<tensor<i32>, tensor<i1>>) -> tuple<tensor<i32>, tensor<i1>>
  %2 = relay.tuple %0, %1 : tensor<i32>, tuple<tensor<i32>, tensor<i1>>
  return %2 : tuple<tensor<i32>, tuple<tensor<i32>, tensor<i1>>>
}

// A function of the module as a value, and a function that takes one.
func.func private @double(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.add %x, %x : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @twice(%f: (tensor<i32>) -> tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
  %0 = relay.call_indirect %f(%x) : (tensor<i32>) -> tensor<i32>
  %1 = relay.call_indirect %f(%0) : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
// CHECK: @higher_order#0 = dense<20> : tensor<i32>
// CHECK: @higher_order#1 = <closure>
func.func @higher_order() -> (tensor<i32>, (tensor<i32>) -> tensor<i32>) {
  %five = relay.constant dense<5> : tensor<i32>
  %f = relay.global @double : (tensor<i32>) -> tensor<i32>
  %0 = relay.call @twice(%f, %five) : ((tensor<i32>) -> tensor<i32>, tensor<i32>) -> tensor<i32>
  return %0, %f : tensor<i32>, (tensor<i32>) -> tensor<i32>
}

// Only one branch runs: the other one would take what is not there. Values of
// which one branch has no use, unused values, and branches in branches.
// CHECK: @branches#0 = dense<[3, 0]> : tensor<2xi32>
func.func @branches() -> tensor<2xi32> {
  %zero = relay.constant dense<0> : tensor<2xi32>
  %three = relay.constant dense<3> : tensor<2xi32>
  %x = relay.add %three, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %y = relay.add %zero, %zero : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %mask = relay.constant dense<[1, 0]> : tensor<2xi32>
  %true = relay.constant dense<true> : tensor<i1>
  %false = relay.constant dense<false> : tensor<i1>
  %0 = relay.if %true : tensor<i1> -> tensor<2xi32> {
    %unused = relay.exp %mask : (tensor<2xi32>) -> tensor<2xi32>
    %1 = relay.if %false : tensor<i1> -> tensor<2xi32> {
      relay.yield %y : tensor<2xi32>
    } else {
      %2 = relay.multiply %x, %mask : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
      relay.yield %2 : tensor<2xi32>
    }
    %3 = relay.add %1, %1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %4 = relay.subtract %3, %1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    relay.yield %4 : tensor<2xi32>
  } else {
    %1 = relay.gather %x, %x {axis = 0 : i64} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %2 = relay.add %1, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    relay.yield %2 : tensor<2xi32>
  }
  return %0 : tensor<2xi32>
}
