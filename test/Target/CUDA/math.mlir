// RUN: relay-compile %s --target=cuda --emit=asm -o - | FileCheck %s

// Functions that are instructions need no libdevice.
// CHECK: {{^}}.visible .entry fused_trunc(
// CHECK: cvt.rzi.f32.f32
// CHECK: {{^}}.visible .entry fused_trunc_1(
// CHECK: cvt.rzi.f64.f64
// CHECK: {{^}}.visible .entry fused_round(
// CHECK: cvt.rn.f16.f32
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf64>, %z: tensor<64xf16>) -> (tensor<64xf32>, tensor<64xf64>, tensor<64xf16>) {
  %0 = relay.trunc %x : (tensor<64xf32>) -> tensor<64xf32>
  %1 = relay.trunc %y : (tensor<64xf64>) -> tensor<64xf64>
  %2 = relay.round %z : (tensor<64xf16>) -> tensor<64xf16>
  return %0, %1, %2 : tensor<64xf32>, tensor<64xf64>, tensor<64xf16>
}
