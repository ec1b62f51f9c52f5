// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --relax-plan-memory --verify-relax-executable | FileCheck %s --check-prefix=PLAN

func.func private @relu(memref<?xf32>, memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64}
func.func private @add(memref<?xf32>, memref<4xf32>, memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @main
// CHECK:      %[[C:.*]] = relax.constant dense<1.000000e+00> : tensor<4xf32> on #target.device<"cpu", 1>
// CHECK:      %[[X1:.*]] = relax.to_device %{{.*}} : !relax.tensor<[n], f32> to !relax.tensor<[n], f32, #target.device<"cpu", 1>>
// CHECK:      relax.call_tir @add(%{{.*}}, %[[C]]) : (!relax.tensor<[n], f32, #target.device<"cpu", 1>>, !relax.tensor<[4], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[n], f32, #target.device<"cpu", 1>>

// Each device has storage of its own, and what comes back is written where the
// caller wants it.
// PLAN-LABEL: relax.func @main
// PLAN:      %[[X:.*]]: !relax.tensor<[n], f32>
// PLAN:      %[[S:.*]] = relax.alloc_storage size [{{.*}}] align 64 : !relax.storage<#target.device<"cpu", 1>>
// PLAN-NEXT: %[[X1:.*]] = relax.alloc_tensor %[[S]][{{.*}}] : !relax.tensor<[n], f32, #target.device<"cpu", 1>>
// PLAN-NEXT: relax.copy %[[X]] to %[[X1]] : !relax.tensor<[n], f32> to !relax.tensor<[n], f32, #target.device<"cpu", 1>>
// PLAN:      relax.call_kernel @relu ins(%[[X1]]
// PLAN:      relax.call_kernel @add
// PLAN:      %[[R:.*]] = relax.result_buffer 0 : !relax.tensor<[n], f32>
// PLAN-NEXT: relax.copy %{{.*}} to %[[R]] : !relax.tensor<[n], f32, #target.device<"cpu", 1>> to !relax.tensor<[n], f32>
// PLAN:      relax.kill %[[S]] : !relax.storage<#target.device<"cpu", 1>>
// PLAN:      relax.return %[[R]]
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %c = relax.constant dense<1.0> : tensor<4xf32> on #target.device<"cpu", 1>
  %0 = relax.to_device %x : !relax.tensor<[n], f32> to !relax.tensor<[n], f32, #target.device<"cpu", 1>>
  %1 = relax.call_tir @relu(%0) : (!relax.tensor<[n], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[n], f32, #target.device<"cpu", 1>>
  %2 = relax.call_tir @add(%1, %c) : (!relax.tensor<[n], f32, #target.device<"cpu", 1>>, !relax.tensor<[4], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[n], f32, #target.device<"cpu", 1>>
  %3 = relax.to_device %2 : !relax.tensor<[n], f32, #target.device<"cpu", 1>> to !relax.tensor<[n], f32>
  relax.return %3 : !relax.tensor<[n], f32>
}
