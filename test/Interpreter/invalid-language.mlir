// RUN: relay-opt %s --split-input-file --verify-diagnostics \
// RUN:   --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)'

!list = !relay.adt<@List, [tensor<i32>]>
relay.adt @List["A"] {
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @partial() -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  %nil = relay.construct @List::@Nil() : () -> !list
  %0 = relay.construct @List::@Cons(%one, %nil) : (tensor<i32>, !list) -> !list
  %1 = relay.construct @List::@Cons(%one, %0) : (tensor<i32>, !list) -> !list
  %2 = relay.construct @List::@Cons(%one, %1) : (tensor<i32>, !list) -> !list
  %3 = relay.construct @List::@Cons(%one, %2) : (tensor<i32>, !list) -> !list
  // expected-error @below {{expects a case that matches the value, but got Cons(1, Cons(1, Cons(1, Cons(...))))}}
  %4 = relay.match partial %3 : !list -> tensor<i32> {
  case @List::@Nil {
    relay.yield %one : tensor<i32>
  }
  }
  return %4 : tensor<i32>
}

// -----

func.func @apply() -> !relay.incomplete {
  %one = relay.constant dense<1> : tensor<i32>
  // expected-error @below {{expects a program with inferred types, but got an operator that has none yet; run type inference (--relay-infer-types) first}}
  %0 = relay.apply "add"(%one, %one) : (tensor<i32>, tensor<i32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// The types say no more than that there is a function.
func.func @untyped() -> !relay.incomplete {
  %one = relay.constant dense<1> : tensor<i32>
  %0 = relay.ascribe %one : tensor<i32> as !relay.incomplete
  // expected-error @below {{expects a function to call, but got 1}}
  %1 = relay.call_indirect %0(%one) : !relay.incomplete as (tensor<i32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

func.func @closure(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @arity() -> tensor<i32> {
  %one = relay.constant dense<1> : tensor<i32>
  %f = relay.global @closure : (tensor<i32>) -> tensor<i32>
  %0 = relay.ascribe %f : (tensor<i32>) -> tensor<i32> as !relay.incomplete
  // expected-error @below {{expects 1 inputs, but got 2}}
  %1 = relay.call_indirect %0(%one, %one) : !relay.incomplete as (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// -----

// What is declared is checked.
func.func @declared() -> tensor<3xi32> {
  %two = relay.constant dense<[1, 2]> : tensor<2xi32>
  %any = relay.ascribe %two : tensor<2xi32> as tensor<?xi32>
  // expected-error @below {{expects a result of type 'tensor<3xi32>', but got 'tensor<2xi32>'}}
  %0 = relay.ascribe %any : tensor<?xi32> as tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// Sizes that are known at run time only.
func.func @sizes() -> tensor<i32> {
  %two = relay.constant dense<[1, 2]> : tensor<2xi32>
  %any = relay.ascribe %two : tensor<2xi32> as tensor<?xi32>
  %f = relay.fn (%x: tensor<3xi32> {relay.name = "x"}) -> tensor<i32> {
    %0 = relay.sum %x : (tensor<3xi32>) -> tensor<i32>
    relay.yield %0 : tensor<i32>
  }
  // expected-error @below {{expects input 0 ("x") of type 'tensor<3xi32>', but got 'tensor<2xi32>'}}
  %0 = relay.call_indirect %f(%any) : (tensor<3xi32>) -> tensor<i32> as (tensor<?xi32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// More memory than there is.
func.func @large() -> tensor<1099511627776xf32> {
  // expected-error-re @below {{expects tensors of at most {{[0-9]+}} bytes, but got one of type 'tensor<1099511627776xf32>'}}
  %0 = relay.zeros {shape = [1099511627776], dtype = f32} : () -> tensor<1099511627776xf32>
  return %0 : tensor<1099511627776xf32>
}
