// RUN: relay-opt %s --split-input-file --verify-diagnostics > /dev/null

// Products of sizes that 64 bits do not hold.

func.func @main(%x: tensor<1x1xf32>) -> tensor<2147483648x2147483648xf32> {
  // expected-error @+1 {{expects results of fewer than 2^63 bytes, but got 'tensor<2147483648x2147483648xf32>'}}
  %0 = relay.broadcast_to %x {shape = [2147483648, 2147483648]} : (tensor<1x1xf32>) -> tensor<2147483648x2147483648xf32>
  return %0 : tensor<2147483648x2147483648xf32>
}

// -----

func.func @main(%x: tensor<4294967296xi8>) -> tensor<0xi8> {
  // Not 2^64, which is none.
  // expected-error @+2 {{'tensor<9223372036854775807xi8>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = relay.tile %x {reps = [4294967296]} : (tensor<4294967296xi8>) -> tensor<0xi8>
  return %0 : tensor<0xi8>
}

// -----

// Nothing at all, however large the other sizes are.
func.func @main(%x: tensor<0x1x1xf32>) -> tensor<0x4611686018427387904x4611686018427387904xf32> {
  %0 = relay.broadcast_to %x {shape = [0, 4611686018427387904, 4611686018427387904]} : (tensor<0x1x1xf32>) -> tensor<0x4611686018427387904x4611686018427387904xf32>
  return %0 : tensor<0x4611686018427387904x4611686018427387904xf32>
}
