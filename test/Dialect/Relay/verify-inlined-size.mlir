// RUN: relay-opt %s --verify-relay-inlined-size=max-operations=20 --split-input-file --verify-diagnostics

func.func private @two(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func private @five(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @two(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @two(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func private @eleven(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @five(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @five(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// expected-error @below {{expects calls in @main that stand for at most 20 operations once inlined, but got 22}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @below {{this call of @eleven stands for 11 of them; does each function call the one before several times?}}
  %0 = relay.call @eleven(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @eleven(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A kernel is not inlined, nor is what calls itself.
func.func private @kernel(%x: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.exp %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func private @again(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @again(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @kernel(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call @kernel(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = relay.call @again(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
