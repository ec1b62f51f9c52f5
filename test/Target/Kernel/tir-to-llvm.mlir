// RUN: relay-opt %s --tir-to-llvm=target=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: relay-opt %s --tir-to-llvm=target=aarch64 | FileCheck %s --check-prefixes=CHECK,ARM
// RUN: not relay-opt %s --tir-to-llvm=target=z80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: expects a target (native, {{.*}}), but got 'z80'

// CHECK-NOT: unrealized_conversion_cast
// CHECK-LABEL: llvm.func internal @k.body
// V4:            llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// V4:            llvm.intr.fma({{.*}}) : (vector<16xf32>
// ARM:           llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// ARM:           llvm.intr.fma({{.*}}) : (vector<4xf32>
// CHECK-LABEL: llvm.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
tir.prim_func @k(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %a = arith.constant 2.0 : f32
  %b = arith.constant 3.0 : f32
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @scale(%v0 = spatial %i in 64)
        reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = arith.mulf %0, %a : f32
      %2 = arith.addf %1, %b : f32
      affine.store %2, %y[%v0] : memref<64xf32>
    }
  }
}
