// RUN: relay-opt %s --relay-lazy-gradient-init --split-input-file --verify-diagnostics

relay.adt @GradCell["T"] {
  relay.constructor @Raw(!relay.typevar<"T">)
  relay.constructor @One(() -> !relay.typevar<"T">)
  relay.constructor @Zero(() -> !relay.typevar<"T">)
}
func.func private @FromGradCell(!relay.adt<@GradCell, [!relay.typevar<"T">]>)
    -> !relay.typevar<"T"> attributes {relay.type_params = ["T"]}
func.func private @AddGradCell()
func.func private @MultiplyGradCell()
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects functions that are not compiled as they are for lazy gradients, but got one; relay-defuse-ops makes operators of it}}
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
    relay.yield %y : tensor<2xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

relay.adt @GradCell["T"] {
  relay.constructor @Raw(!relay.typevar<"T">)
  relay.constructor @One(() -> !relay.typevar<"T">)
  relay.constructor @Zero(() -> !relay.typevar<"T">)
}
func.func private @FromGradCell(!relay.adt<@GradCell, [!relay.typevar<"T">]>)
    -> !relay.typevar<"T"> attributes {relay.type_params = ["T"]}
func.func private @AddGradCell()
func.func private @MultiplyGradCell()
func.func private @apply((tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>)
    -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> {
    relay.yield %y : tensor<2xf32>
  }
  // expected-error@below {{expects functions of the module on tensors, and tuples of them, for lazy gradients, but got '((tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'; relay-partial-evaluate leaves closures only}}
  %0 = relay.call @apply(%f, %x)
      : ((tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
