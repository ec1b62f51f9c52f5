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
