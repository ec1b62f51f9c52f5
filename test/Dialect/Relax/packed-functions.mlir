// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --relax-plan-memory --verify-relax-executable | FileCheck %s --check-prefix=PLAN
// RUN: relay-opt %s --relax-plan-memory | relay-translate --relax-to-host | FileCheck %s --check-prefix=HOST
// RUN: relay-translate --relax-to-script %s | FileCheck %s --check-prefix=SCRIPT

// A packed function is a kernel that is only declared: one for each name and
// each list of types, whose open sizes come with the call.

// CHECK-LABEL: relax.func @main(
// PLAN-LABEL: relax.func @main(
// SCRIPT-LABEL: def main(x: Tensor((n, 4), "float32"))
relax.func @main(%x: !relax.tensor<[n, 4], f32> {relax.name = "x"})
    -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n], i64>) {
  // CHECK: %[[S:.*]]:2 = relax.call_dps_packed "my.split" (%{{.*}}) : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n], i64>)
  // PLAN: %[[T:.*]] = relax.alloc_tensor
  // PLAN: %[[R:.*]] = relax.result_buffer 1
  // PLAN: relax.call_kernel @my.split ins(%{{.*}}) outs(%[[T]], %[[R]] :
  // SCRIPT-NEXT: gv, gv1 = relax.call_dps_packed("my.split", (x,), [Tensor((n, 2), "float32"), Tensor((n,), "int64")])
  %0:2 = relax.call_dps_packed "my.split"(%x)
    : (!relax.tensor<[n, 4], f32>)
    -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n], i64>)
  // CHECK: relax.call_dps_packed "my scale" (%[[S]]#0)
  // PLAN: relax.call_kernel @"my scale"
  // PLAN: relax.call_kernel @"my scale"
  %1 = relax.call_dps_packed "my scale"(%0#0)
    : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %2 = relax.call_dps_packed "my scale"(%1)
    : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  // Nobody needs it: it is not called.
  // PLAN-NOT: my.unused
  %3 = relax.call_dps_packed "my.unused"(%1)
    : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %2, %0#1 : !relax.tensor<[n, 2], f32>, !relax.tensor<[n], i64>
}

// PLAN: func.func private @my.split(memref<?x4xf32>, memref<?x2xf32>, memref<?xi64>) attributes {relax.packed_function = "my.split", tir.num_outputs = 2 : i64}
// PLAN: func.func private @"my scale"(memref<?x2xf32>, memref<?x2xf32>) attributes {relax.packed_function = "my scale", tir.num_outputs = 1 : i64}

// The run time calls it by the number of the call.
// HOST-LABEL: llvm.func internal @relay_aot_packed_call(
// HOST: %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[10]
// HOST: %[[FN:.*]] = llvm.load %[[PLACE]]
// HOST: llvm.call %[[FN]](%{{.*}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> i32
// HOST-LABEL: llvm.func internal @relay_aot_main(
// HOST-COUNT-3: llvm.call @relay_aot_packed_call(
