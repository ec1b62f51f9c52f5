// A multiple of bytes is added by a product with the factor on the diagonal of a
// weight, and takes no instruction of the ALU.
// RUN: relay-compile %s --target=vta,cpu --emit=tir -o %t.mlir
// RUN: relay-opt %t.mlir --tir-to-vta --symbol-dce | FileCheck %s

// CHECK:     vta.gemm reset
// CHECK-COUNT-2: vta.gemm uops
// CHECK-NOT: vta.gemm
// CHECK:     vta.alu shr imm 8
// CHECK-NOT: vta.alu
// CHECK:     vta.finish
func.func @main(%x: tensor<1x16x4x4xi8>, %r: tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi8> {
  %w = relay.constant dense<3> : tensor<16x16x1x1xi8>
  %s = relay.constant dense<8> : tensor<i32>
  %k = relay.constant dense<37> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x16x4x4xi8>, tensor<16x16x1x1xi8>) -> tensor<1x16x4x4xi32>
  %1 = relay.cast %r {dtype = i32} : (tensor<1x16x4x4xi8>) -> tensor<1x16x4x4xi32>
  %2 = relay.multiply %1, %k : (tensor<1x16x4x4xi32>, tensor<i32>) -> tensor<1x16x4x4xi32>
  %3 = relay.add %0, %2 : (tensor<1x16x4x4xi32>, tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi32>
  %4 = relay.right_shift %3, %s : (tensor<1x16x4x4xi32>, tensor<i32>) -> tensor<1x16x4x4xi32>
  %5 = relay.cast %4 {dtype = i8} : (tensor<1x16x4x4xi32>) -> tensor<1x16x4x4xi8>
  return %5 : tensor<1x16x4x4xi8>
}
