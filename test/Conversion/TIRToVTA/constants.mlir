// RUN: relay-compile %s --target=vta,cpu --vta-search=0 --emit=tir -o %t.mlir
// RUN: FileCheck %s --check-prefix=TIR < %t.mlir
// RUN: relay-opt %t.mlir --tir-to-vta --symbol-dce | FileCheck %s

// Constants of channels are a product of one element of data: what it needs is
// loaded behind the tile that it is added to.
// TIR-LABEL: tir.prim_func private @fused_nn_conv2d_add
// TIR:         tir.block @[[MAIN:conv2d_1?]]_init
// TIR:         tir.block @[[MAIN]](
// TIR:         tir.block @conv2d_read_inp
// TIR:         tir.block @conv2d_read_wgt
// TIR:         tir.block @[[CONSTANTS:conv2d(_1)?]]_init
// TIR:         tir.block @[[CONSTANTS]](
// TIR:         tir.block @cast

// It is added by GEMM, to all elements of the tile.
// CHECK-LABEL: vta.program @fused_nn_conv2d_add
// CHECK-NOT:     vta.alu add
// CHECK:         vta.gemm reset uops 0 to 1 for 36 dst 1
// CHECK:         vta.gemm uops 10 to 19
// CHECK:         vta.load inp[0] from 1536 size 1 x 1
// CHECK-NEXT:    {{.*}}vta.load wgt[0] from 80 size 1 x 1
// CHECK-NEXT:    vta.gemm uops 0 to 1 for 36 dst 1 wait
// CHECK-NEXT:    vta.alu shr imm 8
// CHECK-NEXT:    vta.alu max imm 0
// CHECK-NEXT:    {{.*}}vta.alu min imm 127
// CHECK-NEXT:    vta.store
// CHECK:         vta.load wgt[1] from 81 size 1 x 1
// CHECK-NOT:     vta.alu add
// CHECK:         vta.finish
func.func @main(%x: tensor<1x32x6x6xi8>) -> tensor<1x32x6x6xi8> {
  %w = relay.constant dense<3> : tensor<32x32x3x3xi8>
  %b = relay.constant dense<1000> : tensor<32x1x1xi32>
  %s = relay.constant dense<8> : tensor<i32>
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], out_dtype = i32} : (tensor<1x32x6x6xi8>, tensor<32x32x3x3xi8>) -> tensor<1x32x6x6xi32>
  %1 = relay.add %0, %b : (tensor<1x32x6x6xi32>, tensor<32x1x1xi32>) -> tensor<1x32x6x6xi32>
  %2 = relay.right_shift %1, %s : (tensor<1x32x6x6xi32>, tensor<i32>) -> tensor<1x32x6x6xi32>
  %3 = relay.clip %2 {a_min = 0.0, a_max = 127.0} : (tensor<1x32x6x6xi32>) -> tensor<1x32x6x6xi32>
  %4 = relay.cast %3 {dtype = i8} : (tensor<1x32x6x6xi32>) -> tensor<1x32x6x6xi8>
  return %4 : tensor<1x32x6x6xi8>
}
