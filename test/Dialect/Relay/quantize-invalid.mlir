// RUN: relay-opt %s --relay-quantize-realize --split-input-file --verify-diagnostics
// RUN: not relay-opt %s --relay-quantize-realize=dtype-input=f32 --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not relay-opt %s --relay-quantize-calibrate=weight-scale=least --split-input-file 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not relay-opt %s --relay-quantize-calibrate=thresholds=1,2 --split-input-file 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relay-opt %s --relay-quantize-calibrate=nbit-input=1 --split-input-file 2>&1 | FileCheck %s --check-prefix=BITS
// TYPE: expects a quantized type, i8, ui8, i16 or i32, but got 'f32'
// SCALE: expects weight-scale to be power2 or max, but got 'least'
// NUMBER: expects thresholds for 1 values that are quantized, but got 2
// BITS: expects 2 to 32 bits, but got 1

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects a scale that is a positive and finite constant; relay-quantize-calibrate chooses it}}
  %0 = relay.relay.op.annotation.simulated_quantize %x, %s, %s, %s {kind = 1} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
