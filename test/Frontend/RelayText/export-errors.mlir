// RUN: relay-translate --export-relay --split-input-file --verify-diagnostics %s

func.func @foreign(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{expects an operation of the language, but got 'builtin.unrealized_conversion_cast'}}
  %0 = builtin.unrealized_conversion_cast %x : tensor<f32> to tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{expects a function with a body, but got '@declared'}}
func.func private @declared(tensor<f32>) -> tensor<f32>

// -----

module {
  // expected-error@+1 {{expects functions and data types only, but got 'builtin.module'}}
  module @inner {
  }
}
