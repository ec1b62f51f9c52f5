// Modules are verified when types are complete, also what returns check.
// RUN: relay-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --relay-infer-types --split-input-file --verify-diagnostics

// The element types of two operands; both come from somewhere.
// expected-note @+2 {{operand 1 of type 'tensor<i32>' comes from here}}
// expected-note @+1 {{operand 0 of type 'tensor<f32>' comes from here}}
func.func @dtype(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  // expected-error @+1 {{'relay.add' op expects operands of the same element type, but got 'f32' and 'i32'}}
  %0 = relay.apply "add"(%x, %y) : (tensor<f32>, tensor<i32>) -> !relay.incomplete
  // No error of its own follows.
  %1 = relay.apply "exp"(%0) : (!relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Shapes. Two errors in one run.
// expected-note @+2 {{operand 1 of type 'tensor<4xf32>' comes from here}}
// expected-note @+1 {{operand 0 of type 'tensor<2x3xf32>' comes from here}}
func.func @shape(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> !relay.incomplete {
  // expected-error @+1 {{'relay.add' op expects shapes that broadcast, but got (2, 3) and (4)}}
  %0 = relay.apply "add"(%x, %y) : (tensor<2x3xf32>, tensor<4xf32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.subtract' op expects shapes that broadcast, but got (2, 3) and (4)}}
  %1 = relay.apply "subtract"(%x, %y) : (tensor<2x3xf32>, tensor<4xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

func.func @operator(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects the name of an operator, but got "no.such"}}
  %0 = relay.apply "no.such"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expects the name of an operator, but got "tuple"}}
  %1 = relay.apply "tuple"(%x) : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expects attributes of 'relay.nn.softmax' (axis), but got 'axes'}}
  %2 = relay.apply "nn.softmax"(%x){axes = 1 : i64} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'relay.nn.softmax' op attribute 'axis' failed to satisfy constraint: 64-bit integer attribute}}
  %0 = relay.apply "nn.softmax"(%x){axis = "one"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The number and kinds of operands.
// expected-note @+1 {{operand 0 of type 'tensor<4xf32>' comes from here}}
func.func @operands(%x: tensor<4xf32>) -> !relay.incomplete {
  // expected-error @+1 {{'relay.add' op expects 2 operands, but got 1}}
  %0 = relay.apply "add"(%x) : (tensor<4xf32>) -> !relay.incomplete
  // expected-note @+1 {{operand 1 of type 'tuple<tensor<4xf32>>' comes from here}}
  %t = relay.tuple %x : tensor<4xf32>
  // expected-error @+1 {{'relay.add' op expects operand 1 (rhs) to be ranked tensor of}}
  %1 = relay.apply "add"(%x, %t) : (tensor<4xf32>, tuple<tensor<4xf32>>) -> !relay.incomplete
  // expected-error @+1 {{expects attribute 'a_max' of 'relay.clip'}}
  %2 = relay.apply "clip"(%x){a_min = 0.0} : (tensor<4xf32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// An operator's own verifier, after types are known.
// expected-note @+1 {{bias is defined here}}
func.func @verifier(%x: tensor<1x4xf32>, %b: tensor<3xf32>) -> !relay.incomplete {
  // expected-error @+1 {{'relay.nn.bias_add' op expects bias of length 4 to match axis 1 of data, but got length 3}}
  %0 = relay.apply "nn.bias_add"(%x, %b) : (tensor<1x4xf32>, tensor<3xf32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// The result is not what is declared.
func.func @declared_result(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{'relay.exp' op expects a result of type 'tensor<5xf32>', but got 'tensor<4xf32>'}}
  %0 = relay.apply "exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Nothing tells the type of a parameter. What follows from it is no error.
// expected-error @+1 {{expects a type annotation, cannot infer the type of parameter "x" of @unknown}}
func.func @unknown(%x: !relay.incomplete {relay.name = "x"}) -> !relay.incomplete {
  %0 = relay.apply "exp"(%x) : (!relay.incomplete) -> !relay.incomplete
  // expected-error @+1 {{expects a type annotation, cannot infer the type of parameter 0 of the closure}}
  %f = relay.fn (%y: !relay.incomplete) -> !relay.incomplete {
    relay.yield %y : !relay.incomplete
  }
  return %0 : !relay.incomplete
}

// -----

// Only a part of a type is not known.
// expected-error @+1 {{expects a type annotation, cannot infer the type of parameter "x" of @unknown_part, only 'tuple<!relay.incomplete, tensor<f32>>'}}
func.func @unknown_part(%x: tuple<!relay.incomplete, tensor<f32>> {relay.name = "x"}) -> !relay.incomplete {
  %0 = relay.tuple_get_item %x[1] : tuple<!relay.incomplete, tensor<f32>>
  return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{expects a type annotation, cannot infer its type, only '(tensor<f32>) -> !relay.incomplete'}}
func.func private @external(tensor<f32>) -> !relay.incomplete

// -----

// A call with an argument that does not fit the annotation.
// expected-note @+1 {{'tensor<i32>' is declared here}}
func.func @callee(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @argument(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %f = relay.fn (%y: !relay.incomplete) -> !relay.incomplete {
    // expected-error @+1 {{'relay.call' op expects argument 0 of type 'tensor<i32>', but got 'tensor<f32>'}}
    %1 = relay.call @callee(%y) : (!relay.incomplete) -> !relay.incomplete
    relay.yield %1 : !relay.incomplete
  }
  %2 = relay.call_indirect %f(%x) : (!relay.incomplete) -> !relay.incomplete as (tensor<f32>) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// Two calls that do not go together; the first one is where the type is from.
// expected-note @+1 {{the value comes from here}}
func.func @calls(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  %f = relay.fn (%z: !relay.incomplete) -> !relay.incomplete {
    relay.yield %z : !relay.incomplete
  }
  // expected-note @+1 {{'tensor<f32>' is inferred from here}}
  %0 = relay.call_indirect %f(%x) : (!relay.incomplete) -> !relay.incomplete as (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.call_indirect' op expects argument 0 of type 'tensor<f32>', but got 'tensor<i32>'}}
  %1 = relay.call_indirect %f(%y) : (!relay.incomplete) -> !relay.incomplete as (tensor<i32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

// The number of arguments.
func.func @arity(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the callee is of type '(!relay.incomplete) -> !relay.incomplete'}}
  %f = relay.fn (%z: !relay.incomplete) -> !relay.incomplete {
    relay.yield %z : !relay.incomplete
  }
  // expected-error @+1 {{'relay.call_indirect' op expects 1 arguments, but got 2}}
  %0 = relay.call_indirect %f(%x, %x) : (!relay.incomplete) -> !relay.incomplete as (tensor<f32>, tensor<f32>) -> !relay.incomplete
  return %0 : !relay.incomplete
}

// -----

func.func @not_a_function(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the callee comes from here}}
  %f = relay.fn (%g: !relay.incomplete) -> !relay.incomplete {
    // expected-error @+1 {{'relay.call_indirect' op expects a function to call, but got 'tensor<f32>'}}
    %0 = relay.call_indirect %g(%x) : !relay.incomplete as (tensor<f32>) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  %1 = relay.call_indirect %f(%x) : (!relay.incomplete) -> !relay.incomplete as (tensor<f32>) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

func.func @not_a_tuple(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.tuple_get_item' op expects a tuple, but got 'tensor<f32>'}}
  %1 = relay.tuple_get_item %0[0] : !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

func.func @field(%x: tensor<4xf32>) -> !relay.incomplete {
  // expected-note @+1 {{the tuple of type 'tuple<tensor<2xf32>, tensor<2xf32>>' comes from here}}
  %0 = relay.apply "split"(%x){indices_or_sections = 2 : i64} : (tensor<4xf32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.tuple_get_item' op expects index in the range [0, 2), but got 2}}
  %1 = relay.tuple_get_item %0[2] : !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// Branches of different types.
func.func @branches(%c: tensor<i1>, %x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  %0 = relay.if %c : tensor<i1> -> !relay.incomplete {
    %1 = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
    // expected-note @+1 {{'tensor<f32>' is inferred from here}}
    relay.yield %1 : !relay.incomplete
  } else {
    // expected-note @+1 {{the value comes from here}}
    %2 = relay.apply "negative"(%y) : (tensor<i32>) -> !relay.incomplete
    // expected-error @+1 {{'relay.yield' op expects the value of each branch to be of type 'tensor<f32>', but got 'tensor<i32>'}}
    relay.yield %2 : !relay.incomplete
  }
  return %0 : !relay.incomplete
}

// -----

func.func @condition(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %c = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.if' op expects a condition of type 'tensor<i1>', but got 'tensor<f32>'}}
  %0 = relay.if %c : !relay.incomplete -> !relay.incomplete {
    relay.yield %x : tensor<f32>
  } else {
    relay.yield %x : tensor<f32>
  }
  return %0 : !relay.incomplete
}

// -----

// A let says what it does not get.
func.func @let(%x: tensor<2xf32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "exp"(%x) : (tensor<2xf32>) -> !relay.incomplete
  // expected-note @+1 {{'tensor<3xf32>' is declared here}}
  %1 = relay.ascribe %0 : !relay.incomplete as tensor<3xf32>
  // expected-error @+1 {{'relay.let' op expects a value of type 'tensor<3xf32>', but got 'tensor<2xf32>'}}
  %2 = relay.let "y" %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}

// -----

// expected-note @+1 {{'tensor<2x2xf32>' is declared here}}
func.func @return_type(%x: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = relay.call @identity(%x) : (tensor<2xf32>) -> !relay.incomplete
  // expected-note @+1 {{the value comes from here}}
  %1 = relay.let "y" %0 : !relay.incomplete
  // expected-error @+1 {{'func.return' op expects result 0 of type 'tensor<2x2xf32>', but got 'tensor<2xf32>'}}
  return %1 : !relay.incomplete
}
func.func @identity(%x: tensor<2xf32>) -> !relay.incomplete {
  return %x : tensor<2xf32>
}

// -----

// A function that takes itself.
func.func @occurs(%x: tensor<f32>) -> tensor<f32> {
  // expected-note @+1 {{the value comes from here}}
  %f = relay.fn (%g: !relay.incomplete) -> !relay.incomplete {
    // expected-error @+1 {{'relay.call_indirect' op expects argument 0 of a type that does not contain itself, but '!relay.incomplete' would have to be '(!relay.incomplete) -> !relay.incomplete'}}
    %0 = relay.call_indirect %g(%g) : !relay.incomplete as (!relay.incomplete) -> !relay.incomplete
    relay.yield %0 : !relay.incomplete
  }
  return %x : tensor<f32>
}

// -----

// A type parameter stands for any type, not for one that fits.
// expected-note @+1 {{'!relay.typevar<"A">' is declared here}}
func.func @rigid(%x: tensor<f32>) -> !relay.typevar<"A"> attributes {relay.type_params = ["A"]} {
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{expects result 0 of type '!relay.typevar<"A">', but got 'tensor<f32>'}}
  return %0 : !relay.incomplete
}

// -----

// The fields of a constructor.
relay.adt @List["A"] {
  // expected-note @+1 {{is declared here}}
  relay.constructor @Cons(!relay.typevar<"A">, !relay.adt<@List, [!relay.typevar<"A">]>)
  relay.constructor @Nil
}
func.func @fields(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  %nil = relay.construct @List::@Nil() : () -> !relay.incomplete
  %0 = relay.construct @List::@Cons(%x, %nil) : (tensor<f32>, !relay.incomplete) -> !relay.incomplete
  // expected-note @+1 {{the value comes from here}}
  %1 = relay.let "l" %0 : !relay.incomplete
  // expected-error @+1 {{'relay.construct' op expects field 1 of type '!relay.adt<@List, [tensor<i32>]>', but got '!relay.adt<@List, [tensor<f32>]>'}}
  %2 = relay.construct @List::@Cons(%y, %1) : (tensor<i32>, !relay.incomplete) -> !relay.incomplete
  return %2 : !relay.incomplete
}

// -----

// A pattern of another type than the value.
relay.adt @Nat {
  relay.constructor @Zero
  relay.constructor @Succ(!relay.adt<@Nat>)
}
func.func @pattern(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.match' op expects patterns for a value of type 'tensor<f32>', but got one for '!relay.adt<@Nat>'}}
  %1 = relay.match partial %0 : !relay.incomplete -> !relay.incomplete {
  case @Nat::@Zero {
    relay.yield %x : tensor<f32>
  }
  }
  return %1 : !relay.incomplete
}

// -----

// The contents of a reference.
func.func @contents(%x: tensor<f32>, %y: tensor<i32>) -> !relay.incomplete {
  // expected-note @+1 {{'tensor<f32>' is inferred from here}}
  %r = relay.ref_create %x : (tensor<f32>) -> !relay.incomplete
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "negative"(%y) : (tensor<i32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.ref_write' op expects contents of type 'tensor<f32>', but got 'tensor<i32>'}}
  %u = relay.ref_write %r, %0 : (!relay.incomplete, !relay.incomplete) -> !relay.incomplete
  return %u : !relay.incomplete
}

// -----

func.func @not_a_reference(%x: tensor<f32>) -> !relay.incomplete {
  // expected-note @+1 {{the value comes from here}}
  %0 = relay.apply "exp"(%x) : (tensor<f32>) -> !relay.incomplete
  // expected-error @+1 {{'relay.ref_read' op expects a reference of type '!relay.ref<!relay.incomplete>', but got 'tensor<f32>'}}
  %1 = relay.ref_read %0 : (!relay.incomplete) -> !relay.incomplete
  return %1 : !relay.incomplete
}

// -----

// A type parameter that leaves its closure.
func.func @escape(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{expects a type parameter in scope, but got '!relay.typevar<"A">'}}
  %r = relay.fn (%c: !relay.incomplete) -> !relay.incomplete {
    %f = relay.fn ["A"] (%a: !relay.typevar<"A">) -> !relay.incomplete {
      %u = relay.ref_write %c, %a : (!relay.incomplete, !relay.typevar<"A">) -> !relay.incomplete
      relay.yield %a : !relay.typevar<"A">
    }
    relay.yield %x : tensor<f32>
  }
  return %x : tensor<f32>
}
