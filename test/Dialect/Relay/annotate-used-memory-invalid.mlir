// RUN: relay-opt %s --relay-annotate-used-memory --split-input-file --verify-diagnostics

// expected-error @+1 {{expects tensors of sizes that are known, but got 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{expects tensors of sizes that are known, but got 'tensor<2x!relay.incomplete>'}}
func.func @main(%x: tensor<2x!relay.incomplete>) -> tensor<2x!relay.incomplete> {
  return %x : tensor<2x!relay.incomplete>
}
