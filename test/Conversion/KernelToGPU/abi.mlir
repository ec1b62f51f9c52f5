// RUN: relay-opt %s --pass-pipeline='builtin.module(gpu.module(tir-gpu-kernel-abi))' | FileCheck %s

// Addresses, sizes, and where to say that a check failed.
// CHECK-LABEL: gpu.func @gather(
// CHECK-SAME:      %[[X:.*]]: memref<?xf32>, %[[I:.*]]: memref<4xi64>, %[[D0:.*]]: i64, %[[STATUS:.*]]: memref<1xi32>)
// CHECK:         %[[SIZE:.*]] = arith.index_cast %[[D0]] : i64 to index
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[SIZE]], 8], strides: [8, 1]
// CHECK:         %[[WORD:.*]] = memref.load %[[STATUS]]
// CHECK:         %[[OK:.*]] = arith.cmpi eq, %[[WORD]], %c0_i32
// CHECK:         scf.if %[[OK]]
// CHECK:           scf.if %{{.*}} {
// CHECK:             memref.atomic_rmw maxu %c3_i32, %[[STATUS]]
gpu.module @kernels {
  gpu.func @gather(%x: memref<?x8xf32>, %i: memref<4xi64>) kernel attributes {gpu.kernel_number = 3 : i64} {
    %c0 = arith.constant 0 : index
    %0 = memref.load %i[%c0] : memref<4xi64>
    %1 = arith.constant 0 : i64
    %2 = arith.cmpi sge, %0, %1 : i64
    cf.assert %2, "indices in range"
    %3 = memref.load %x[%c0, %c0] : memref<?x8xf32>
    memref.store %3, %x[%c0, %c0] : memref<?x8xf32>
    gpu.return
  }
}
