// RUN: relay-opt %s --split-input-file --relax-plan-memory --verify-relax-executable | FileCheck %s
// RUN: relay-opt %s --split-input-file --relax-plan-memory=reuse=false --verify-relax-executable | FileCheck %s --check-prefix=NOREUSE
// RUN: relay-opt %s --split-input-file --relax-plan-memory=report=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// Three values of which two are alive at a time, under a symbolic batch: two
// slots in one storage, whose size is a multiple of the batch. The last kernel
// writes the result.

func.func private @grow(memref<?x4xf32>, memref<?x16xf32>)
  attributes {tir.num_outputs = 1 : i64}
func.func private @keep(memref<?x16xf32>, memref<?x16xf32>)
  attributes {tir.num_outputs = 1 : i64}
func.func private @shrink(memref<?x16xf32>, memref<?x4xf32>)
  attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @chain(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: !relax.tensor<[n, 4], f32>)
// NOREUSE-LABEL: relax.func @chain(
// REPORT: remark: 3 buffers in 1 storages: 128 bytes, 192 without sharing (at n = 1)
relax.func @chain(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  // NOREUSE-COUNT-3: relax.alloc_storage size [64 * n]
  // NOREUSE: relax.return
  // CHECK: %[[S:.*]] = relax.alloc_storage size [128 * n] align 64 : !relax.storage
  // CHECK: %[[T0:.*]] = relax.alloc_tensor %[[S]][0] : !relax.tensor<[n, 16], f32>
  // CHECK: relax.call_kernel @grow ins(%[[X]] : {{.*}}) outs(%[[T0]] :
  // CHECK: %[[T1:.*]] = relax.alloc_tensor %[[S]][64 * n] : !relax.tensor<[n, 16], f32>
  // CHECK: relax.call_kernel @keep ins(%[[T0]] : {{.*}}) outs(%[[T1]] :
  // CHECK: %[[T2:.*]] = relax.alloc_tensor %[[S]][0] : !relax.tensor<[n, 16], f32>
  // CHECK: relax.call_kernel @keep ins(%[[T1]] : {{.*}}) outs(%[[T2]] :
  // CHECK: %[[Y:.*]] = relax.result_buffer 0 : !relax.tensor<[n, 4], f32>
  // CHECK: relax.call_kernel @shrink ins(%[[T2]] : {{.*}}) outs(%[[Y]] :
  // CHECK: relax.kill %[[S]]
  // CHECK: relax.return %[[Y]]
  %y = relax.dataflow {
    %0 = relax.call_tir @grow(%x)
      : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 16], f32>
    %1 = relax.call_tir @keep(%0)
      : (!relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 16], f32>
    %2 = relax.call_tir @keep(%1)
      : (!relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 16], f32>
    %3 = relax.call_tir @shrink(%2)
      : (!relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %3 : !relax.tensor<[n, 4], f32>
  } : !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}

// -----

// Static sizes are packed at byte offsets. The dead call goes away.

func.func private @f(memref<100xf32>, memref<100xf32>)
  attributes {tir.num_outputs = 1 : i64}
func.func private @add(memref<100xf32>, memref<100xf32>, memref<100xf32>)
  attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @static
// REPORT: remark: 3 buffers in 1 storages: 1344 bytes, 1344 without sharing
relax.func @static(%x: !relax.tensor<[100], f32>) -> !relax.tensor<[100], f32> {
  // CHECK: %[[S:.*]] = relax.alloc_storage size [1344] align 64 : !relax.storage
  // CHECK-NEXT: relax.alloc_tensor %[[S]][0] : !relax.tensor<[100], f32>
  // CHECK-NEXT: relax.call_kernel @f
  // CHECK-NEXT: relax.alloc_tensor %[[S]][448] : !relax.tensor<[100], f32>
  // CHECK-NEXT: relax.call_kernel @f
  // CHECK-NEXT: relax.alloc_tensor %[[S]][896] : !relax.tensor<[100], f32>
  // CHECK-NEXT: relax.call_kernel @add
  // CHECK-NEXT: relax.result_buffer 0
  // CHECK-NEXT: relax.call_kernel @add
  // CHECK-NEXT: relax.kill %[[S]]
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[100], f32>) -> !relax.tensor<[100], f32>
  %1 = relax.call_tir @f(%0)
    : (!relax.tensor<[100], f32>) -> !relax.tensor<[100], f32>
  %dead = relax.call_tir @f(%0)
    : (!relax.tensor<[100], f32>) -> !relax.tensor<[100], f32>
  %2 = relax.call_tir @add(%0, %1)
    : (!relax.tensor<[100], f32>, !relax.tensor<[100], f32>)
    -> !relax.tensor<[100], f32>
  %3 = relax.call_tir @add(%0, %2)
    : (!relax.tensor<[100], f32>, !relax.tensor<[100], f32>)
    -> !relax.tensor<[100], f32>
  relax.return %3 : !relax.tensor<[100], f32>
}

// -----

// A reshape is the same memory: the value stays alive through it, and a
// returned reshape is the result's buffer under the kernel's type.

func.func private @f(memref<?x16xf32>, memref<?x16xf32>)
  attributes {tir.num_outputs = 1 : i64}
func.func private @join(memref<?xf32>, memref<?x16xf32>, memref<?x16xf32>)
  attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @reshape
// REPORT: remark: 2 buffers in 1 storages: 128 bytes, 128 without sharing (at n = 1)
relax.func @reshape(%x: !relax.tensor<[n, 16], f32>)
    -> !relax.tensor<[2 * n, 8], f32> {
  // CHECK: %[[S:.*]] = relax.alloc_storage size [128 * n]
  // CHECK: %[[T0:.*]] = relax.alloc_tensor %[[S]][0] : !relax.tensor<[n, 16], f32>
  // CHECK: relax.call_kernel @f ins({{.*}}) outs(%[[T0]] :
  // CHECK: %[[FLAT:.*]] = relax.reshape %[[T0]] : {{.*}} to !relax.tensor<[16 * n], f32>
  // CHECK: %[[T1:.*]] = relax.alloc_tensor %[[S]][64 * n] :
  // CHECK: relax.call_kernel @f ins(%{{[a-z0-9]+}} : {{.*}}) outs(%[[T1]] :
  // CHECK: %[[Y:.*]] = relax.result_buffer 0 : !relax.tensor<[2 * n, 8], f32>
  // CHECK: %[[OUT:.*]] = relax.reshape %[[Y]] : {{.*}} to !relax.tensor<[n, 16], f32>
  // CHECK: relax.call_kernel @join ins(%[[FLAT]], %[[T1]] : {{.*}}) outs(%[[OUT]] :
  // CHECK: relax.return %[[Y]]
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 16], f32>
  %1 = relax.reshape %0
    : !relax.tensor<[n, 16], f32> to !relax.tensor<[16 * n], f32>
  %2 = relax.call_tir @f(%x)
    : (!relax.tensor<[n, 16], f32>) -> !relax.tensor<[n, 16], f32>
  %3 = relax.call_tir @join(%1, %2)
    : (!relax.tensor<[16 * n], f32>, !relax.tensor<[n, 16], f32>)
    -> !relax.tensor<[n, 16], f32>
  %4 = relax.reshape %3
    : !relax.tensor<[n, 16], f32> to !relax.tensor<[2 * n, 8], f32>
  relax.return %4 : !relax.tensor<[2 * n, 8], f32>
}

// -----

// What no kernel computes is copied, and so is the second use of a value.

func.func private @f(memref<4xf32>, memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @copies(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]:
// REPORT: remark: 0 buffers in 0 storages
relax.func @copies(%x: !relax.tensor<[4], f32>)
    -> (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>,
        !relax.tensor<[4], f32>, !relax.tensor<[2], f32>) {
  // CHECK: %[[C:.*]] = relax.constant
  %c = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: %[[R1:.*]] = relax.result_buffer 1
  // CHECK: relax.call_kernel @f {{.*}} outs(%[[R1]] :
  // CHECK: %[[R0:.*]] = relax.result_buffer 0
  // CHECK: relax.copy %[[X]] to %[[R0]]
  // CHECK: %[[R2:.*]] = relax.result_buffer 2
  // CHECK: relax.copy %[[R1]] to %[[R2]]
  // CHECK: %[[R3:.*]] = relax.result_buffer 3
  // CHECK: relax.copy %[[C]] to %[[R3]]
  // CHECK: relax.return %[[R0]], %[[R1]], %[[R2]], %[[R3]]
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %x, %0, %0, %c : !relax.tensor<[4], f32>,
    !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[2], f32>
}

// -----

// A workspace lives for one call, and its dynamic sizes follow from those of
// the inputs and outputs.

func.func private @f(memref<?x?xf32>, memref<?x?xf32>,
                     memref<?x3x?xf32> {tir.workspace = affine_map<()[n0, m0, n1, m1] -> (n0, m1 + 2)>},
                     memref<64xi8> {tir.workspace})
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 2 : i64}

// CHECK-LABEL: relax.func @workspaces
// REPORT: remark: 5 buffers in 3 storages: 192 bytes, 320 without sharing (at n = m = 1)
relax.func @workspaces(%x: !relax.tensor<[n, m], f32>)
    -> !relax.tensor<[n, m], f32> {
  // CHECK: %[[W:.*]] = relax.alloc_tensor %[[S:.*]][0] : !relax.tensor<[n, 3, m + 2], f32>
  // CHECK: %[[B:.*]] = relax.alloc_tensor %{{.*}} : !relax.tensor<[64], i8>
  // CHECK: relax.call_kernel @f ins({{.*}}) outs({{.*}}) workspaces(%[[W]], %[[B]] :
  // CHECK: relax.result_buffer
  // CHECK: %[[W:.*]] = relax.alloc_tensor %[[S]][0] : !relax.tensor<[n, 3, m + 2], f32>
  // CHECK: relax.call_kernel @f
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  // A second call can have the same workspaces.
  %1 = relax.call_tir @f(%0)
    : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %1 : !relax.tensor<[n, m], f32>
}

// -----

// The size 2 * n of a parameter gets a name, which has to be equal to it: a
// caller's sizes are what names stand for. Names that are there already are not
// taken.

func.func private @twice(memref<?x4xf32>, memref<?x4xf32>)
  attributes {tir.num_outputs = 1 : i64}

// CHECK-LABEL: relax.func @parameter_sizes(
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: !relax.tensor<[d1, 4], f32>,
//  CHECK-SAME:   %[[Y:[a-z0-9]+]]: !relax.tensor<[d0], f32>)
//  CHECK-SAME:   -> !relax.tensor<[2 * d0, 4], f32>
relax.func @parameter_sizes(%x: !relax.tensor<[2 * d0, 4], f32>, %y: !relax.tensor<[d0], f32>)
    -> !relax.tensor<[2 * d0, 4], f32> {
  // CHECK: relax.assert_equal [d1], [2 * d0]
  // CHECK: %[[R:.*]] = relax.reshape %[[X]] : !relax.tensor<[d1, 4], f32> to !relax.tensor<[2 * d0, 4], f32>
  // CHECK: relax.call_kernel @twice ins(%[[R]] :
  %0 = relax.call_tir @twice(%x)
    : (!relax.tensor<[2 * d0, 4], f32>) -> !relax.tensor<[2 * d0, 4], f32>
  relax.return %0 : !relax.tensor<[2 * d0, 4], f32>
}
