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

// Functions of strings are called through the context, arguments and result are
// in memory, and the kernel returns an error at its end: calls are in loops.
// CHECK-LABEL: func.func private @strings.body(
// CHECK-SAME:    %[[CONTEXT:[^ ]*]]: !llvm.ptr) -> i32
// CHECK:         %[[ARGS:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         %[[RESULT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK:         %[[STATUS:.*]] = llvm.alloca %{{.*}} x i32
// CHECK:         scf.for
// CHECK:           %[[SECOND:.*]] = llvm.getelementptr %[[ARGS]][1]
// CHECK:           llvm.store %{{.*}}, %[[SECOND]]
// CHECK:           %[[ADDRESS:.*]] = llvm.getelementptr %[[CONTEXT]][64]
// CHECK:           %[[CALLEE:.*]] = llvm.load %[[ADDRESS]]
// CHECK:           %[[OWN:.*]] = llvm.call %[[CALLEE]](%[[CONTEXT]], %{{.*}}, %[[ARGS]], %{{.*}}, %[[RESULT]])
// CHECK:           %[[BEFORE:.*]] = llvm.load %[[STATUS]]
// CHECK:           %[[BOTH:.*]] = llvm.or %[[BEFORE]], %[[OWN]]
// CHECK:           llvm.store %[[BOTH]], %[[STATUS]]
// CHECK:           %[[MADE:.*]] = llvm.load %[[RESULT]]
// CHECK:           memref.store %[[MADE]]
// CHECK:         %[[LAST:.*]] = llvm.load %[[STATUS]]
// CHECK:         return %[[LAST]]
func.func @strings(%x: memref<4xi64>, %y: memref<4xi64>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %x[%i] : memref<4xi64>
    %both = tir.string_call 0(%a, %a)
    memref.store %both, %y[%i] : memref<4xi64>
  }
  return
}
