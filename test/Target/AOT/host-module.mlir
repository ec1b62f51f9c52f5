// RUN: relay-translate %s --relax-to-host | FileCheck %s
// RUN: relay-translate %s --relax-to-host | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=LLVMIR

// The second kernel reads its constant packed, and has a workspace of dynamic
// size.

func.func private @f(memref<?x4xf32>, memref<4xf32>, memref<?x4xf32>)
  attributes {tir.num_outputs = 1 : i64,
              tir.flops = affine_map<()[s0, s1] -> (s0 * s1 * 5)>}
func.func private @g(memref<?x4xf32>,
    memref<2x2xf32> {tir.layout = affine_map<(d0) -> (d0 mod 2, d0 floordiv 2)>},
    memref<?x4xf32>, memref<?xf32> {tir.workspace = affine_map<()[n, m] -> (n)>})
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64}

// Kernels are called directly, within the shared object.
// CHECK-DAG: llvm.func hidden @f(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func hidden @g(!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32

// The sizes of the results, and the bytes of both storages. Those of a tensor of
// which nobody has seen one before are checked; the input's are the caller's.
// CHECK-LABEL: llvm.func internal @relay_aot_shapes(
//  CHECK-SAME:   %[[SYMBOLS:[a-z0-9]+]]: !llvm.ptr, %[[DIMS:[a-z0-9]+]]: !llvm.ptr,
//  CHECK-SAME:   %[[BYTES:[a-z0-9]+]]: !llvm.ptr, %[[VALUES:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK: %[[N:.*]] = llvm.load {{.*}} -> i64
// CHECK: "llvm.intr.smul.with.overflow"(%{{.*}}, %[[N]])
// CHECK: llvm.cond_br %{{.*}}, ^[[FAIL:.*]], ^[[NEXT:.*]]
// CHECK: ^[[FAIL]]:
// CHECK: llvm.getelementptr %[[VALUES]][0]
// CHECK: llvm.store %[[N]]
// CHECK: %[[NUMBER:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.return %[[NUMBER]]
// CHECK: ^[[NEXT]]:
// CHECK: llvm.getelementptr %[[DIMS]][0]
// CHECK: llvm.store %[[N]]
// CHECK: llvm.intr.smax
// CHECK: "llvm.intr.sadd.with.overflow"
// CHECK: %[[ARENA:.*]] = llvm.getelementptr %[[BYTES]][0]
// CHECK: llvm.store %{{.*}}, %[[ARENA]] : i64, !llvm.ptr

// Operations and bytes of each call, -1 for what is not known.
// CHECK: llvm.mlir.global internal constant @relay.data.{{[0-9]+}}(dense<[0, -1]> :
// CHECK: llvm.mlir.global internal constant @relay.data.{{[0-9]+}}(dense<-1> :
// CHECK-LABEL: llvm.func internal @relay_aot_work(
//  CHECK-SAME:   %{{.*}}: !llvm.ptr, %[[FLOPS:.*]]: !llvm.ptr, %[[BYTES:.*]]: !llvm.ptr) -> i32
// CHECK: %[[N:.*]] = llvm.load {{.*}} -> i64
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(16 : i64)
// CHECK: "llvm.intr.memcpy"(%[[FLOPS]], %{{.*}}, %[[SIZE]])
// CHECK: "llvm.intr.memcpy"(%[[BYTES]],
// CHECK: "llvm.intr.smul.with.overflow"(%[[N]], %[[N]])
// CHECK: %[[UNKNOWN:.*]] = llvm.mlir.constant(-1 : i64)
// CHECK: %[[COUNT:.*]] = llvm.select %{{.*}}, %[[UNKNOWN]], %{{.*}} : i1, i64
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[FLOPS]][0]
// CHECK: llvm.store %[[COUNT]], %[[AT]]
// CHECK-NOT: llvm.store

// CHECK-LABEL: llvm.func internal @relay_aot_main(
//  CHECK-SAME:   %[[INPUTS:[a-z0-9]+]]: !llvm.ptr, %[[OUTPUTS:[a-z0-9]+]]: !llvm.ptr,
//  CHECK-SAME:   %[[WEIGHTS:[a-z0-9]+]]: !llvm.ptr, %[[ARENA:[a-z0-9]+]]: !llvm.ptr,
//  CHECK-SAME:   %[[SYMBOLS:[a-z0-9]+]]: !llvm.ptr, %[[CONTEXT:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @f
// CHECK: %[[EMPTY:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i64
// CHECK: %[[NONE:.*]] = llvm.mlir.zero
// CHECK: llvm.select %[[EMPTY]], %[[NONE]], %[[KERNEL]]
// CHECK: %[[STATUS:.*]] = llvm.call @relay_aot_call({{.*}}, %[[CONTEXT]],
// CHECK: %[[OK:.*]] = llvm.icmp "eq" %[[STATUS]]
// CHECK: llvm.cond_br %[[OK]], ^{{.*}}, ^[[FAIL:.*]]
// CHECK: ^[[FAIL]]:
// CHECK-NEXT: llvm.return %[[STATUS]]
// CHECK: llvm.mlir.addressof @g
// CHECK: llvm.call @relay_aot_call(

// Constants as they are, and packed, 64 bytes apart, are no part of the image.
// CHECK-NOT: @relay_weights
// CHECK: llvm.mlir.global external constant @relay_artifact()

// LLVMIR-DAG: @relay_artifact = constant {{.*}} { i64 6075990698879632722, i32 14, i32 {{[0-9]+}},{{.*}} ptr null, i64 80, i32 1, i32 2,
// LLVMIR-DAG: c"x\00"
// LLVMIR-DAG: c"result\00"
// LLVMIR-DAG: c"n\00"
relax.func @main(%x: !relax.tensor<[n, 4], f32> {relax.name = "x"})
    -> (!relax.tensor<[n, 4], f32> {relax.name = "result"}) {
  %w = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = relax.alloc_storage size [16 * n] align 64 : !relax.storage
  %t = relax.alloc_tensor %s[0] : !relax.tensor<[n, 4], f32>
  relax.call_kernel @f
    ins(%x, %w : !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>)
    outs(%t : !relax.tensor<[n, 4], f32>)
  %ws = relax.alloc_storage size [4 * n, 64] align 64 : !relax.storage
  %wt = relax.alloc_tensor %ws[0] : !relax.tensor<[n], f32>
  %y = relax.result_buffer 0 : !relax.tensor<[n, 4], f32>
  relax.call_kernel @g
    ins(%t, %w : !relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>)
    outs(%y : !relax.tensor<[n, 4], f32>)
    workspaces(%wt : !relax.tensor<[n], f32>)
  relax.kill %s : !relax.storage
  relax.kill %ws : !relax.storage
  relax.return %y : !relax.tensor<[n, 4], f32>
}
