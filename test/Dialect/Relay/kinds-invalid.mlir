// RUN: relay-opt %s --relay-infer-types --split-input-file --verify-diagnostics

// All errors are reported.
// expected-note @+1 {{the type is defined here}}
relay.adt @Option["A"] {
  relay.constructor @Some(!relay.typevar<"A">)
  relay.constructor @None
}
// expected-error @+1 {{expects the name of a data type, but got 'Maybe' in '!relay.adt<@Maybe>'}}
func.func @data_types(%x: !relay.adt<@Maybe>, 
    // expected-error @+1 {{expects 1 arguments of 'Option', but got '!relay.adt<@Option>'}}
    %y: !relay.adt<@Option>,
    // expected-error @+1 {{expects 1 arguments of 'Option', but got '!relay.adt<@Option, [tensor<f32>, tensor<f32>]>'}}
    %z: tuple<!relay.adt<@Option, [tensor<f32>, tensor<f32>]>>) -> !relay.adt<@Maybe> {
  return %x : !relay.adt<@Maybe>
}

// -----

// A function is no data type.
func.func @f() -> tuple<> {
  %0 = relay.tuple ()
  return %0 : tuple<>
}
// expected-error @+1 {{expects the name of a data type, but got 'f' in '!relay.adt<@f>'}}
func.func @not_a_type(%x: !relay.ref<!relay.adt<@f>>) -> !relay.ref<!relay.adt<@f>> {
  return %x : !relay.ref<!relay.adt<@f>>
}

// -----

// In the fields of a constructor.
relay.adt @Tree["A"] {
  // expected-error @+1 {{expects the name of a data type, but got 'List' in '!relay.adt<@List, [!relay.adt<@Tree, [!relay.typevar<"A">]>]>'}}
  relay.constructor @Rose(!relay.typevar<"A">, !relay.adt<@List, [!relay.adt<@Tree, [!relay.typevar<"A">]>]>)
}

// -----

// Type parameters out of scope: those of another function, and of a closure
// after its end.
func.func @scope(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  // expected-error @+1 {{expects a type parameter in scope, but got '!relay.typevar<"B">'}}
  %0 = relay.fn (%y: !relay.typevar<"B">) -> tensor<f32> {
    %1 = relay.constant dense<0.0> : tensor<f32>
    relay.yield %1 : tensor<f32>
  }
  %2 = relay.fn ["C"] (%y: !relay.typevar<"C">) -> !relay.typevar<"C"> {
    relay.yield %y : !relay.typevar<"C">
  }
  return %x : !relay.typevar<"A">
}
// expected-error @+1 {{expects a type parameter in scope, but got '!relay.typevar<"A">'}}
func.func @other(%x: !relay.typevar<"A">) -> !relay.typevar<"A"> {
  return %x : !relay.typevar<"A">
}
