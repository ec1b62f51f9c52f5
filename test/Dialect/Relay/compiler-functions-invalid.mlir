// RUN: relay-opt %s --split-input-file --relay-outline-compiler-functions --verify-diagnostics

// expected-note@+1 {{the value is computed here}}
func.func @uses_outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "f"} {
    // expected-error@+1 {{expects a function for a code generator to use its parameters and constants only, but got a value from around it}}
    %0 = relay.add %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-note@+1 {{the first one is here}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects functions of different names, but got another one called "f"}}
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "f"} {
    relay.yield %y : tensor<4xf32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expects a function for a code generator that does not call itself, and has no type parameters}}
  %f = relay.fn rec %self (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "t", relay.global_symbol = "r"} {
    %0 = relay.call_indirect %self(%y) : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
