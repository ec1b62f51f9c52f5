// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{the function is here}}
relax.func @call(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects 1 arguments for @call, but got 2}}
  %0 = relax.call @call(%x, %x)
  relax.return %0 : !relax.object
}

// -----

relax.func @closure(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects at most 1 values for parameters of @closure, but got 2}}
  %0 = relax.make_closure @closure(%x, %x)
  relax.return %0 : !relax.object
}

// -----

relax.func @tensors(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  // expected-error @below {{expects a function of objects, but @tensors is none}}
  %0 = relax.make_closure @tensors()
  relax.return %x : !relax.tensor<[], f32>
}

// -----

relax.func @yield(%x: !relax.object) -> !relax.object {
  %c = relax.truth true
  %0 = relax.if %c -> !relax.object {
    // expected-error @below {{expects a value of type '!relax.object', but got 'i1'}}
    relax.yield %c : i1
  } else {
    relax.yield %x : !relax.object
  }
  relax.return %0 : !relax.object
}

// -----

relax.func @data(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects 2 fields of "Cons", but got 1}}
  %0 = relax.make_data #relax.constructor<"List", "Cons", 0, 2> (%x)
  relax.return %0 : !relax.object
}

// -----

relax.func @packed(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects the name of a function without zeros, but got "a\00b"}}
  %0 = relax.call_packed "a\00b"(%x)
  relax.return %0 : !relax.object
}

// -----

relax.func @field(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects the number of a field, from 0 to 16777214, but got -1}}
  %0 = relax.get_field %x[-1]
  relax.return %0 : !relax.object
}

// -----

relax.func @place(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects the place of a constructor from 0 to 16777215, but got 4294967296}}
  %0 = relax.make_data #relax.constructor<"L", "A", 4294967296, 1> (%x)
  relax.return %0 : !relax.object
}

// -----

relax.func @fields(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects a number of fields from 0 to 16777215, but got -2}}
  %0 = relax.has_constructor #relax.constructor<"L", "A", 0, -2> of %x
  relax.return %x : !relax.object
}

// -----

relax.func @elements() -> !relax.object {
  // expected-error @below {{expects a tensor of integers or floats, but got 'tensor<2xcomplex<f32>>'}}
  %0 = relax.load_constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  relax.return %0 : !relax.object
}

// -----

relax.func @vector() -> !relax.object {
  // expected-error @below {{expects a tensor of integers or floats, but got 'vector<2xi32>'}}
  %0 = relax.load_constant dense<1> : vector<2xi32>
  relax.return %0 : !relax.object
}

// -----

// expected-note @below {{the kernel is here; relax.call_tir calls it in a function of tensors}}
func.func private @kernel(memref<?xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64}
relax.func @no_function(%x: !relax.object) -> !relax.object {
  // expected-error @below {{expects a function of tensors or of objects, but @kernel is a kernel}}
  %0 = relax.call @kernel(%x, %x)
  relax.return %0 : !relax.object
}

// -----

// expected-error @below {{expects all parameters to be objects, and one result, in a function of objects, but got '(!relax.object) -> ()'}}
relax.func @no_result(%x: !relax.object) {
  relax.return
}

// -----

// expected-error @below {{expects all parameters to be objects, and one result}}
relax.func @mixed(%x: !relax.object, %y: !relax.tensor<[n], f32>) -> !relax.object {
  relax.return %x : !relax.object
}

// -----

// expected-error @below {{expects "relax.constructors" to be a list of constructors (#relax.constructor), but got [3]}}
module attributes {relax.constructors = [3]} {}

// -----

// expected-error @below {{expects constructors of a type of names and places of their own, but got #relax.constructor<"L", "B", 0, 1> beside another one}}
module attributes {relax.constructors = [#relax.constructor<"L", "A", 0, 1>, #relax.constructor<"L", "B", 0, 1>]} {}

// -----

// expected-error @below {{expects "relax.constructor_types" to be as long as relax.constructors, 1, but got 2}}
module attributes {relax.constructors = [#relax.constructor<"L", "A", 0, 1>], relax.constructor_types = [i1, i1]} {}

// -----

// expected-error @below {{expects relax.param_types of at most 1 parameters, but got 2}}
relax.func @params(%x: !relax.object) -> !relax.object
    attributes {relax.param_types = [tensor<f32>, tensor<f32>]} {
  relax.return %x : !relax.object
}

// -----

// expected-error @below {{expects "relax.param_types" to be a list of types, but got 7 : i64}}
relax.func @no_list(%x: !relax.object) -> !relax.object attributes {relax.param_types = 7} {
  relax.return %x : !relax.object
}

// -----

// expected-error @below {{expects "relax.result_types" to be as long as relax.result_names, 0, but got 1}}
relax.func @results(%x: !relax.object) -> !relax.object
    attributes {relax.result_types = [tensor<f32>]} {
  relax.return %x : !relax.object
}

// -----

// expected-error @below {{expects "relax.result_names" to be a list of strings, but got [3]}}
relax.func @names(%x: !relax.object) -> !relax.object
    attributes {relax.result_names = [3], relax.result_types = [tensor<f32>]} {
  relax.return %x : !relax.object
}
