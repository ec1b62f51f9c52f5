// RUN: relay-opt %s | relay-opt | FileCheck %s
// RUN: relay-opt %s --emit-bytecode | relay-opt | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt | FileCheck %s

// CHECK-LABEL: func.func private @relu
func.func private @relu(tensor<?x4xf32>) -> tensor<?x4xf32>
func.func private @dense(tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
func.func private @split(tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
func.func private @relu_kernel(memref<?x4xf32>, memref<?x4xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64}

// CHECK-LABEL: relax.func @kernels(
//  CHECK-SAME:   %[[X:[a-z]+]]: !relax.tensor<[n, 4], f32> {relax.name = "x"})
//  CHECK-SAME:   -> (!relax.tensor<[n, 8], f32> {relax.name = "y"}) {
relax.func @kernels(%arg0: !relax.tensor<[n, 4], f32> {relax.name = "x"})
    -> (!relax.tensor<[n, 8], f32> {relax.name = "y"}) {
  // CHECK: %[[W:[a-z0-9]+]] = relax.constant dense<1.000000e+00> : tensor<8x4xf32>
  %w = relax.constant dense<1.0> : tensor<8x4xf32>
  // CHECK: %[[Y:[a-z0-9]+]] = relax.dataflow {
  %y = relax.dataflow {
    // CHECK: %[[R:[a-z0-9]+]] = relax.call_tir @relu(%[[X]])
    // CHECK-SAME: : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %0 = relax.call_tir @relu(%arg0)
      : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    // CHECK: relax.call_tir @dense(%[[R]], %[[W]])
    %1 = relax.call_tir @dense(%0, %w)
      : (!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>)
      -> !relax.tensor<[n, 8], f32>
    // CHECK: relax.output %{{[a-z0-9]+}} : !relax.tensor<[n, 8], f32>
    relax.output %1 : !relax.tensor<[n, 8], f32>
  // CHECK: } : !relax.tensor<[n, 8], f32>
  } : !relax.tensor<[n, 8], f32>
  // CHECK: relax.return %[[Y]] : !relax.tensor<[n, 8], f32>
  relax.return %y : !relax.tensor<[n, 8], f32>
}

// CHECK-LABEL: relax.func private @tuples
relax.func private @tuples(%x: !relax.tensor<[n, 4], f32>)
    -> !relax.tensor<[n, 2], f32> {
  // CHECK: %[[S:[a-z0-9]+]]:2 = relax.call_tir @split
  %0:2 = relax.call_tir @split(%x) : (!relax.tensor<[n, 4], f32>)
    -> (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>)
  // CHECK: %[[T:[a-z0-9]+]] = relax.tuple %[[S]]#0, %[[S]]#1 :
  %t = relax.tuple %0#0, %0#1
    : !relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>
  // CHECK: relax.tuple_get_item %[[T]][1] : tuple<!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>>
  %1 = relax.tuple_get_item %t[1]
    : tuple<!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>>
  relax.return %1 : !relax.tensor<[n, 2], f32>
}

// Expressions are kept as sums of products with symbols in alphabetical order.
// CHECK-LABEL: relax.func private @expressions(
//  CHECK-SAME:   !relax.tensor<[n, m, h, "batch size"], ui8>
//  CHECK-SAME:   !relax.tensor<[2 * n + 1, m * n, 0, 3 * n], i1>
//  CHECK-SAME:   !relax.tensor<[(h + 1) floordiv 2, (h + 3) floordiv 4, h], f16>
//  CHECK-SAME:   !relax.tensor<[n mod 4, 2 * m - n + 4, n, 2 * (n floordiv 3)], bf16>
//  CHECK-SAME:   !relax.tensor<[2 * (h mod n), h floordiv n, 2 * m * n, "batch size"], f32>
//  CHECK-SAME:   !relax.tensor<[], i64>
relax.func private @expressions(!relax.tensor<[n, m, h, "batch size"], ui8>,
    !relax.tensor<[1 + n * 2, n * m, n - n, n + n + n], i1>,
    !relax.tensor<[h ceildiv 2, (h ceildiv 2) ceildiv 2, (4 * h) floordiv 4], f16>,
    !relax.tensor<[(n + 8) mod 4, m - (n - 4 - m), (n * m) floordiv m, n floordiv 3 * 2], bf16>,
    !relax.tensor<[(h mod n) * 2, h floordiv n, n * 2 * m, "batch size"], f32>,
    !relax.tensor<[], i64>)

// CHECK-LABEL: relax.func @assertion
relax.func @assertion(%x: !relax.tensor<[n, m], f32>) {
  // CHECK: relax.assert_equal [n, 4], [2 * m, n]
  relax.assert_equal [n, 4], [m * 2, n]
  // CHECK: relax.assert_at_least [n, m - 1], [3, 0]
  relax.assert_at_least [n, m - 1], [3, 0]
  // CHECK: relax.assert_broadcast [n, m], [3, 2 * n]
  relax.assert_broadcast [n, m], [3, n * 2]
  relax.return
}

// CHECK-LABEL: relax.func @extremes
// CHECK-SAME: -> !relax.tensor<[half, "min(n, 10)"], f32>
relax.func @extremes(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[half, "min(n, 10)"], f32> {
  // CHECK: relax.min_size "min(n, 10)" of [n, 10]
  relax.min_size "min(n, 10)" of [n, 10]
  // CHECK: relax.max_size "half" of ["min(n, 10)" floordiv 2, 2 * m - 4, 0]
  relax.max_size "half" of ["min(n, 10)" floordiv 2, m * 2 - 4, 0]
  %0 = relax.call_tir @kernel(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[half, "min(n, 10)"], f32>
  relax.return %0 : !relax.tensor<[half, "min(n, 10)"], f32>
}
func.func private @kernel(tensor<?x?xf32>) -> tensor<?x?xf32>

// CHECK-LABEL: relax.func @executable
relax.func @executable(%x: !relax.tensor<[n, 4], f32>)
    -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) {
  // CHECK: %[[S:[a-z0-9]+]] = relax.alloc_storage size [64 * n, 256] align 64 : !relax.storage
  %s = relax.alloc_storage size [n * 64, 256] align 64 : !relax.storage
  // CHECK: %[[T:[a-z0-9]+]] = relax.alloc_tensor %[[S]][32 * n] : !relax.tensor<[n], f32>
  %t = relax.alloc_tensor %s[n * 32] : !relax.tensor<[n], f32>
  // CHECK: %[[Y:[a-z0-9]+]] = relax.result_buffer 0 : !relax.tensor<[n, 4], f32>
  %y = relax.result_buffer 0 : !relax.tensor<[n, 4], f32>
  // CHECK: relax.call_kernel @relu_kernel ins(%{{[a-z0-9]+}} : !relax.tensor<[n, 4], f32>)
  // CHECK-SAME: outs(%[[Y]] : !relax.tensor<[n, 4], f32>)
  // CHECK-SAME: workspaces(%[[T]] : !relax.tensor<[n], f32>)
  relax.call_kernel @relu_kernel ins(%x : !relax.tensor<[n, 4], f32>)
    outs(%y : !relax.tensor<[n, 4], f32>)
    workspaces(%t : !relax.tensor<[n], f32>)
  // CHECK: relax.kill %[[S]]
  relax.kill %s : !relax.storage
  %z = relax.result_buffer 1 : !relax.tensor<[n, 4], f32>
  // CHECK: relax.copy %{{[a-z0-9]+}} to %{{[a-z0-9]+}} : !relax.tensor<[n, 4], f32>
  relax.copy %x to %z : !relax.tensor<[n, 4], f32> to !relax.tensor<[n, 4], f32>
  // CHECK: relax.reshape %[[Y]] : !relax.tensor<[n, 4], f32> to !relax.tensor<[4 * n], f32>
  %flat = relax.reshape %y
    : !relax.tensor<[n, 4], f32> to !relax.tensor<[4 * n], f32>
  relax.return %y, %z : !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>
}
