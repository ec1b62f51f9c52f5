// RUN: relay-opt %s --split-input-file --relay-partition-graph --verify-diagnostics
// RUN: relay-opt %s --split-input-file --relay-merge-compiler-regions --verify-diagnostics

func.func @no_begin(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{the value is computed here}}
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects a value of a region that compiler_begin begins, but got one of none}}
  %1 = relay.annotation.compiler_end %0 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @other_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{the region begins here}}
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects the end of a region of "t", but got one of "u"}}
  %2 = relay.annotation.compiler_end %1 {compiler = "u"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// expected-note@+1 {{this one is not}}
func.func @half_open(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{this one is in it}}
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects all operands in a region, or none, but got some outside of that of "t"}}
  %1 = relay.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @two_compilers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.annotation.compiler_begin %x {compiler = "u"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects operands of a region for one compiler, but got "t" and "u"}}
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @no_end(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{the value is computed here}}
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects values that have left their region through compiler_end, but got one of a region of "t"}}
  return %1 : tensor<4xf32>
}

// -----

func.func @no_end_at_begin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects a value that has left its region through compiler_end, but got one of a region of "t"}}
  %2 = relay.annotation.compiler_begin %1 {compiler = "u"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.annotation.compiler_end %2 {compiler = "u"} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

func.func @two_blocks(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@+1 {{the operand is computed here}}
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    // expected-error@+1 {{expects the operations of a region in one block, but got an operand from another one}}
    %2 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    %3 = relay.annotation.compiler_end %2 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %3 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

func.func @needs_itself(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects regions that can be computed one after another, but a region of "t" needs its own result}}
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tanh %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.annotation.compiler_begin %3 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note@+1 {{this operation is in the same region}}
  %5 = relay.add %1, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = relay.annotation.compiler_end %5 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

func.func @variable(%x: tensor<4xf32>, %f: (tensor<4xf32>) -> tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{expects calls of known functions in a region of "t", but got one of a variable}}
  %1 = relay.call_indirect %f(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "t"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
