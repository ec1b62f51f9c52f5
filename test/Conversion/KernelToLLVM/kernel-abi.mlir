// RUN: relay-opt %s --tir-kernel-abi | FileCheck %s

// Pointers that do not alias, then sizes, then what the kernel was called with.
// CHECK-LABEL: func.func private @k.body(
// CHECK-SAME:    %{{[^:]*}}: !llvm.ptr {llvm.noalias, llvm.noundef}
// CHECK-SAME:    %[[W:[^:]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.noalias
// CHECK-SAME:    %[[N:[^:]*]]: i64, %[[ARGS:[^:]*]]: !llvm.ptr, %[[DIMS:[^:]*]]: !llvm.ptr, %[[CONTEXT:[^:]*]]: !llvm.ptr) -> i32
// CHECK:         %[[BODY:.*]] = llvm.mlir.addressof @k.par0
// CHECK:         %[[CALLEE:.*]] = llvm.load %[[CONTEXT]]
// CHECK:         %[[STATUS:.*]] = llvm.call %[[CALLEE]](%[[CONTEXT]], %[[BODY]], %[[ARGS]], %[[DIMS]], %{{.*}})
// CHECK:         cf.cond_br %{{.*}}, ^[[OK:.*]], ^[[ERROR:.*]]
// CHECK:       ^[[OK]]:
// CHECK:         return %c0
// CHECK:       ^[[ERROR]]:
// CHECK:         return %[[STATUS]]

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr, %[[CONTEXT:.*]]: !llvm.ptr) -> i32
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[W:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         func.call @k.body(%[[X]], %[[W]], %[[N]], %[[ARGS]], %[[DIMS]], %[[CONTEXT]])
func.func @k(%x: memref<?xf32>, %w: memref<4xf32> {tir.workspace}) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  call @k.par0(%x, %w, %c0, %n) {tir.parallel} : (memref<?xf32>, memref<4xf32>, index, index) -> ()
  return
}

// CHECK-LABEL: func.func private @k.par0.body(
// CHECK-SAME:    i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-LABEL: llvm.func internal @k.par0(
// CHECK-SAME:    !llvm.ptr, %{{.*}}: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
func.func private @k.par0(%x: memref<?xf32>, %w: memref<4xf32> {tir.workspace}, %begin: index, %end: index)
    attributes {tir.parallel_body} {
  return
}
