// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects distinct type parameters, but got "A" twice}}
relay.adt @Pair["A", "A"]

// -----

relay.adt @Box["A"] {
  // expected-error @+1 {{expects fields over the type parameters of @Box, but got '!relay.typevar<"B">'}}
  relay.constructor @Make(!relay.typevar<"B">)
}

// -----

// expected-error @+1 {{expects an extern type to have no constructors}}
relay.adt extern @Storage {
  relay.constructor @Make
}

// -----

relay.adt @Box["A"] {
  // expected-note @+1 {{the constructor is defined here}}
  relay.constructor @Make(!relay.typevar<"A">)
}
func.func @field_count() -> !relay.adt<@Box, [tensor<f32>]> {
  // expected-error @+1 {{expects 1 fields, but got 0}}
  %0 = relay.construct @Box::@Make() : () -> !relay.adt<@Box, [tensor<f32>]>
  return %0 : !relay.adt<@Box, [tensor<f32>]>
}

// -----

relay.adt @Box["A"] {
  // expected-note @+1 {{the constructor is defined here}}
  relay.constructor @Make(!relay.typevar<"A">)
}
func.func @field_type(%x: tensor<i32>) -> !relay.adt<@Box, [tensor<f32>]> {
  // expected-error @+1 {{expects field 0 of type 'tensor<f32>', but got 'tensor<i32>'}}
  %0 = relay.construct @Box::@Make(%x) : (tensor<i32>) -> !relay.adt<@Box, [tensor<f32>]>
  return %0 : !relay.adt<@Box, [tensor<f32>]>
}

// -----

func.func @no_constructor(%x: tensor<i32>) -> !relay.adt<@Box, [tensor<f32>]> {
  // expected-error @+1 {{expects the name of a constructor, but got @Box::@Make}}
  %0 = relay.construct @Box::@Make(%x) : (tensor<i32>) -> !relay.adt<@Box, [tensor<f32>]>
  return %0 : !relay.adt<@Box, [tensor<f32>]>
}

// -----

relay.adt @Box["A"] {
  // expected-note @+1 {{the constructor is defined here}}
  relay.constructor @Make(!relay.typevar<"A">)
}
func.func @pattern_arity(%b: !relay.adt<@Box, [tensor<f32>]>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects 1 patterns for the fields of @Box::@Make, but got 2}}
  %0 = relay.match %b : !relay.adt<@Box, [tensor<f32>]> -> tensor<f32> {
  case @Box::@Make(_, _) {
    relay.yield %x : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}

// -----

func.func @tuple_pattern(%t: tuple<tensor<f32>>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects a pattern for 'tuple<tensor<f32>>', but got a tuple of 2 patterns}}
  %0 = relay.match %t : tuple<tensor<f32>> -> tensor<f32> {
  case (_, _) {
    relay.yield %x : tensor<f32>
  }
  }
  return %0 : tensor<f32>
}

// -----

func.func @variable_type(%t: tuple<tensor<f32>>) -> tensor<i32> {
  // expected-error @+1 {{expects pattern variable "x" of type 'tensor<f32>', but got 'tensor<i32>'}}
  %0 = relay.match %t : tuple<tensor<f32>> -> tensor<i32> {
  case ("x" %x: tensor<i32>) {
    relay.yield %x : tensor<i32>
  }
  }
  return %0 : tensor<i32>
}

// -----

func.func @case_type(%t: tensor<f32>) -> tensor<i32> {
  // expected-note @+1 {{which begins here}}
  %0 = relay.match %t : tensor<f32> -> tensor<i32> {
  case _ {
    // expected-error @+1 {{expects a value of the type of the match 'tensor<i32>', but got 'tensor<f32>'}}
    relay.yield %t : tensor<f32>
  }
  }
  return %0 : tensor<i32>
}

// -----

func.func @branch_type(%c: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  // expected-note @+1 {{which begins here}}
  %0 = relay.if %c : tensor<i1> -> tensor<2xf32> {
    relay.yield %x : tensor<2xf32>
  } else {
    // expected-error @+1 {{expects a value of the type of the if 'tensor<2xf32>', but got 'tensor<3xf32>'}}
    relay.yield %y : tensor<3xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @condition(%c: tensor<2xi1>, %x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{operand #0 must be}}
  %0 = relay.if %c : tensor<2xi1> -> tensor<f32> {
    relay.yield %x : tensor<f32>
  } else {
    relay.yield %x : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @call_arity(%f: (tensor<f32>) -> tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects 1 arguments, but got 0}}
  %0 = relay.call_indirect %f() : (tensor<f32>) -> tensor<f32> as () -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @call_type(%f: (tensor<f32>) -> tensor<f32>, %x: tensor<i32>) -> tensor<f32> {
  // expected-error @+1 {{expects argument 0 of type 'tensor<f32>', but got 'tensor<i32>'}}
  %0 = relay.call_indirect %f(%x) : (tensor<f32>) -> tensor<f32> as (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @call_syntax(%f: !relay.incomplete) -> tensor<f32> {
  // expected-error @+1 {{expects a function type, or 'as' and the type of the call, after '!relay.incomplete'}}
  %0 = relay.call_indirect %f() : !relay.incomplete
  return %0 : tensor<f32>
}

// -----

func.func @call_instance(%f: !relay.forall<["A"], (!relay.typevar<"A">, !relay.typevar<"A">) -> !relay.typevar<"A">>, %x: tensor<f32>, %y: tensor<i32>) -> tensor<f32> {
  // expected-error @+1 {{expects argument 1 of type '!relay.typevar<"A">', but got 'tensor<i32>'}}
  %0 = relay.call_indirect %f(%x, %y)
      : !relay.forall<["A"], (!relay.typevar<"A">, !relay.typevar<"A">) -> !relay.typevar<"A">>
      as (tensor<f32>, tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @read(%r: !relay.ref<tensor<f32>>) -> tensor<i32> {
  // expected-error @+1 {{expects contents of type 'tensor<f32>', but got 'tensor<i32>'}}
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// expected-note @+1 {{the symbol is defined here}}
func.func private @callee(tensor<f32>) -> tensor<f32>
func.func @global() -> ((tensor<i32>) -> tensor<f32>) {
  // expected-error @+1 {{expects a value of type '(tensor<f32>) -> tensor<f32>' or an instance of it, but got '(tensor<i32>) -> tensor<f32>'}}
  %0 = relay.global @callee : (tensor<i32>) -> tensor<f32>
  return %0 : (tensor<i32>) -> tensor<f32>
}

// -----

func.func @missing() -> ((tensor<i32>) -> tensor<f32>) {
  // expected-error @+1 {{expects the name of a function or constructor, but got @nothing}}
  %0 = relay.global @nothing : (tensor<i32>) -> tensor<f32>
  return %0 : (tensor<i32>) -> tensor<f32>
}

// -----

// expected-note @+1 {{the value comes from here}}
func.func @ascribe(%x: tensor<f32>) -> tensor<i32> {
  // expected-error @+1 {{expects a value of type 'tensor<i32>', but got 'tensor<f32>'}}
  %0 = relay.ascribe %x : tensor<f32> as tensor<i32>
  return %0 : tensor<i32>
}

// -----

// expected-note @+1 {{the value comes from here}}
func.func @ascribe_rank(%x: tensor<2x2xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expects a value of type 'tensor<?xf32>', but got 'tensor<2x2xf32>'}}
  %0 = relay.ascribe %x : tensor<2x2xf32> as tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @type_args(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects 'relay.type_args' on a call only}}
  %0 = relay.exp %x {relay.type_args = [tensor<f32>]} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @closure_result(%x: tensor<f32>) {
  // expected-note @+1 {{which begins here}}
  %0 = relay.fn () -> tensor<i32> {
    // expected-error @+1 {{expects a value of the closure's return type 'tensor<i32>', but got 'tensor<f32>'}}
    relay.yield %x : tensor<f32>
  }
  return
}

// -----

func.func @forall(%f: !relay.forall<["A", "A"], () -> tensor<f32>>) // expected-error {{expects distinct type parameters, but got "A" twice}}
