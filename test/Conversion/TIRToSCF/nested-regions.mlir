// Operations in a region are made where the operations around it are: what is
// computed there asks whose variables it uses. This kernel is compiled before
// it shows that there is no model around it.
// RUN: not relay-compile %s --target=x86-64-v3 --no-cache -o %t 2>&1 | FileCheck %s
// RUN: not relay-compile %s --target=x86-64-v4 --no-cache -o %t 2>&1 | FileCheck %s

// CHECK-NOT: Stack dump
// CHECK: error: expects one function to compile, @main, but got 0
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @checked_take(%data: memref<30x8xf32>, %ids: memref<?xi64>, %bias: memref<8xf32>, %out: memref<?x8xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %ids, %c0 : memref<?xi64>
    %0 = tir.alloc_buffer(%dim) : memref<?xi64>
    tir.for %i0 = 0 to %dim {
      tir.block @check_init(%v0 = spatial %i0 in %dim)
          reads(%ids[%v0] : memref<?xi64>)
          writes(%0[%v0] : memref<?xi64>) {
        %2 = affine.load %ids[%v0] : memref<?xi64>
        affine.store %2, %0[%v0] : memref<?xi64>
      }
    }
    tir.block @check()
        reads(%0 : memref<?xi64>) attributes {tir.independent} {
      %c0_0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c30 = arith.constant 30 : index
      %true = arith.constant true
      %dim_1 = memref.dim %0, %c0_0 : memref<?xi64>
      %2 = scf.for %arg4 = %c0_0 to %dim_1 step %c1 iter_args(%arg5 = %true) -> (i1) {
        %3 = memref.load %0[%arg4] : memref<?xi64>
        %4 = arith.index_cast %3 : i64 to index
        %5 = arith.cmpi ult, %4, %c30 : index
        %6 = arith.andi %arg5, %5 : i1
        scf.yield %6 : i1
      }
      cf.assert %2, "expects indices within the data"
    }
    %1 = tir.alloc_buffer(%dim) : memref<?x8xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 8 {
        tir.block @take(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 8)
            reads(%0[%v0] : memref<?xi64>, %data : memref<30x8xf32>)
            writes(%1[%v0, %v1] : memref<?x8xf32>) {
          %2 = affine.load %0[%v0] : memref<?xi64>
          %3 = arith.index_cast %2 : i64 to index
          %4 = memref.load %data[%3, %v1] : memref<30x8xf32>
          affine.store %4, %1[%v0, %v1] : memref<?x8xf32>
        }
      }
    }
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 8 {
        tir.block @add(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 8)
            reads(%1[%v0, %v1] : memref<?x8xf32>, %bias[%v1] : memref<8xf32>)
            writes(%out[%v0, %v1] : memref<?x8xf32>) {
          %2 = affine.load %1[%v0, %v1] : memref<?x8xf32>
          %3 = affine.load %bias[%v1] : memref<8xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %out[%v0, %v1] : memref<?x8xf32>
        }
      }
    }
  }
}
