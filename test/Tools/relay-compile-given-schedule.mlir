// Remarks tell what a given schedule does, and not what the rules would have
// done.
// RUN: split-file %s %t
// RUN: relay-compile %t/model.mlir --emit=tir -o %t/tir.mlir --target=x86-64-v3 --schedules=%t/schedule.mlir --remarks 2>&1 | FileCheck %s
// RUN: relay-compile %t/model.mlir --emit=tir -o %t/tir.mlir --target=x86-64-v3 --remarks 2>&1 | FileCheck %s --check-prefix=RULES

// A level that does not exist is no other one.
// RUN: not relay-compile %t/model.mlir -O9 -o %t/model.so 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not relay-run %t/model.mlir -O9 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: expects -O0, -O1, -O2 or -O3, but got -O9

// CHECK:     kernel fused_nn_relu
// CHECK-NOT:   vectorize
// CHECK:       work: 32 FLOP, 256 B
// CHECK-NOT:   vectorize
// CHECK:       rule: a schedule that was given
// CHECK-NEXT:  parallel: @relu: loop of 4
// CHECK-NEXT:  unroll: @relu: loop of 8
// CHECK-NOT:   vectorize

// RULES:     kernel fused_nn_relu
// RULES:       vectorize: @relu

//--- model.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.nn.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- schedule.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @fused_nn_relu.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @relu in %f
    %i = transform.tir.get_loops %b
    %o, %n = transform.tir.split %i [4, 8]
    transform.tir.parallel %o
    transform.tir.unroll %n
    transform.yield
  }
}
