#tail = strided<[12, 2], offset: 7>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @views(%in: memref<4x6xf32>, %out: memref<24xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c6 = arith.constant 6 : index
      %c9 = arith.constant 9 : index
      %c10 = arith.constant 10 : index
      %c11 = arith.constant 11 : index
      %part = memref.subview %in[1, 1] [2, 3] [2, 2] : memref<4x6xf32> to memref<2x3xf32, #tail>
      scf.for %i = %c0 to %c2 step %c1 {
        scf.for %j = %c0 to %c3 step %c1 {
          %at = affine.apply affine_map<(i, j) -> (i * 3 + j)>(%i, %j)
          %v = memref.load %part[%i, %j] : memref<2x3xf32, #tail>
          memref.store %v, %out[%at] : memref<24xf32>
        }
      }
      %row = memref.subview %part[%c1, 0] [1, 3] [1, 1] : memref<2x3xf32, #tail> to memref<3xf32, strided<[2], offset: ?>>
      scf.for %j = %c0 to %c3 step %c1 {
        %at = arith.addi %j, %c6 : index
        %v = memref.load %row[%j] : memref<3xf32, strided<[2], offset: ?>>
        memref.store %v, %out[%at] : memref<24xf32>
      }
      %t = memref.transpose %part (i, j) -> (j, i) : memref<2x3xf32, #tail> to memref<3x2xf32, strided<[2, 12], offset: 7>>
      %v = memref.load %t[%c1, %c1] : memref<3x2xf32, strided<[2, 12], offset: 7>>
      memref.store %v, %out[%c9] : memref<24xf32>
      %dynamic = memref.cast %t : memref<3x2xf32, strided<[2, 12], offset: 7>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
      %w = memref.load %dynamic[%c1, %c0] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      memref.store %w, %out[%c10] : memref<24xf32>
      %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %dynamic : memref<?x?xf32, strided<[?, ?], offset: ?>> -> memref<f32>, index, index, index, index, index
      %again = memref.reinterpret_cast %base to offset: [%offset], sizes: [%sizes#0, %sizes#1], strides: [%strides#0, %strides#1] : memref<f32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
      %u = memref.load %again[%c2, %c1] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      memref.store %u, %out[%c11] : memref<24xf32>
      gpu.return
    }

    gpu.func @shapes(%in: memref<?xf32>, %n: i64, %sizes: memref<16xi64>, %out: memref<8xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c12 = arith.constant 12 : index
      %rows = arith.index_cast %n : i64 to index
      %m = memref.reinterpret_cast %in to offset: [0], sizes: [%rows, 12], strides: [12, 1] : memref<?xf32> to memref<?x12xf32>
      %d0 = memref.dim %m, %c0 : memref<?x12xf32>
      %d1 = memref.dim %m, %c1 : memref<?x12xf32>
      %i0 = arith.index_cast %d0 : index to i64
      %i1 = arith.index_cast %d1 : index to i64
      memref.store %i0, %sizes[%c0] : memref<16xi64>
      memref.store %i1, %sizes[%c1] : memref<16xi64>
      %last = arith.subi %rows, %c1 : index
      %c11 = arith.constant 11 : index
      %v = memref.load %m[%last, %c11] : memref<?x12xf32>
      %vi = arith.fptosi %v : f32 to i64
      memref.store %vi, %sizes[%c2] : memref<16xi64>
      %e = memref.expand_shape %m [[0], [1, 2]] output_shape [%rows, 3, 4] : memref<?x12xf32> into memref<?x3x4xf32>
      %e0 = memref.dim %e, %c0 : memref<?x3x4xf32>
      %e1 = memref.dim %e, %c1 : memref<?x3x4xf32>
      %e2 = memref.dim %e, %c2 : memref<?x3x4xf32>
      %e0i = arith.index_cast %e0 : index to i64
      %e1i = arith.index_cast %e1 : index to i64
      %e2i = arith.index_cast %e2 : index to i64
      memref.store %e0i, %sizes[%c3] : memref<16xi64>
      memref.store %e1i, %sizes[%c4] : memref<16xi64>
      memref.store %e2i, %sizes[%c5] : memref<16xi64>
      %ev = memref.load %e[%c1, %c2, %c3] : memref<?x3x4xf32>
      memref.store %ev, %out[%c0] : memref<8xf32>
      %c = memref.collapse_shape %e [[0, 1], [2]] : memref<?x3x4xf32> into memref<?x4xf32>
      %cs = memref.dim %c, %c0 : memref<?x4xf32>
      %csi = arith.index_cast %cs : index to i64
      memref.store %csi, %sizes[%c6] : memref<16xi64>
      %cv = memref.load %c[%c5, %c3] : memref<?x4xf32>
      memref.store %cv, %out[%c1] : memref<8xf32>
      %cw = memref.load %c[%c4, %c1] : memref<?x4xf32>
      memref.store %cw, %out[%c2] : memref<8xf32>
      %one = memref.subview %e[1, 0, 0] [1, 3, 4] [1, 1, 1] : memref<?x3x4xf32> to memref<1x3x4xf32, strided<[12, 4, 1], offset: 12>>
      %flat = memref.collapse_shape %one [[0, 1, 2]] : memref<1x3x4xf32, strided<[12, 4, 1], offset: 12>> into memref<12xf32, strided<[1], offset: 12>>
      %fv = memref.load %flat[%c2] : memref<12xf32, strided<[1], offset: 12>>
      memref.store %fv, %out[%c3] : memref<8xf32>
      %av = affine.load %m[symbol(%last), 2] : memref<?x12xf32>
      affine.store %av, %out[symbol(%last) + 3] : memref<8xf32>
      %min = affine.min affine_map<(i) -> (i + 3, 5, i * 4)>(%rows)
      %mini = arith.index_cast %min : index to i32
      %minf = arith.sitofp %mini : i32 to f32
      memref.store %minf, %out[%c5] : memref<8xf32>
      gpu.return
    }

    gpu.func @copies(%in: memref<2x3xf32>, %out: memref<3x2xf32>) kernel {
      %t = memref.transpose %out (i, j) -> (j, i) : memref<3x2xf32> to memref<2x3xf32, strided<[1, 2]>>
      memref.copy %in, %t : memref<2x3xf32> to memref<2x3xf32, strided<[1, 2]>>
      gpu.return
    }
    gpu.func @other_shape(%in: memref<2x3xf32>, %n: i64) workgroup(%s: memref<2x3xf32, #gpu.address_space<workgroup>>) kernel {
      %size = arith.index_cast %n : i64 to index
      %part = memref.subview %in[0, 0] [2, %size] [1, 1] : memref<2x3xf32> to memref<2x?xf32, strided<[3, 1]>>
      %whole = memref.cast %s : memref<2x3xf32, #gpu.address_space<workgroup>> to memref<2x?xf32, #gpu.address_space<workgroup>>
      memref.copy %part, %whole : memref<2x?xf32, strided<[3, 1]>> to memref<2x?xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    memref.global "private" @g : memref<1xf32, #gpu.address_space<workgroup>>
    gpu.func @memories(%x: memref<3xf32>) private(%p: memref<2xf32, #gpu.address_space<private>>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %global = memref.get_global @g : memref<1xf32, #gpu.address_space<workgroup>>
      %local = memref.alloca() : memref<4xf32>
      %shared = memref.alloc() : memref<3xf32, #gpu.address_space<workgroup>>
      %v = memref.load %x[%i] : memref<3xf32>
      memref.store %v, %p[%c0] : memref<2xf32, #gpu.address_space<private>>
      memref.store %v, %local[%c1] : memref<4xf32>
      memref.store %v, %shared[%i] : memref<3xf32, #gpu.address_space<workgroup>>
      %isLast = arith.cmpi eq, %i, %c2 : index
      scf.if %isLast {
        %four = arith.constant 4.0 : f32
        memref.store %four, %global[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %a = memref.load %p[%c0] : memref<2xf32, #gpu.address_space<private>>
      %b = memref.load %local[%c1] : memref<4xf32>
      %c = memref.load %shared[%c2] : memref<3xf32, #gpu.address_space<workgroup>>
      %d = memref.load %global[%c0] : memref<1xf32, #gpu.address_space<workgroup>>
      %ab = arith.addf %a, %b : f32
      %cd = arith.addf %c, %d : f32
      %sum = arith.addf %ab, %cd : f32
      memref.store %sum, %x[%i] : memref<3xf32>
      gpu.return
    }

    gpu.func @atomics(%n: memref<8xi32>, %f: memref<4xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %two = arith.constant 2 : i32
      %minus = arith.constant -2 : i32
      %four = arith.constant 4 : i32
      %five = arith.constant 5 : i32
      %0 = memref.atomic_rmw addi %two, %n[%c0] : (i32, memref<8xi32>) -> i32
      %1 = memref.atomic_rmw mins %minus, %n[%c1] : (i32, memref<8xi32>) -> i32
      %2 = memref.atomic_rmw minu %minus, %n[%c2] : (i32, memref<8xi32>) -> i32
      %3 = memref.atomic_rmw maxs %two, %n[%c3] : (i32, memref<8xi32>) -> i32
      %4 = memref.atomic_rmw andi %four, %n[%c4] : (i32, memref<8xi32>) -> i32
      %5 = memref.atomic_rmw ori %five, %n[%c5] : (i32, memref<8xi32>) -> i32
      %6 = memref.atomic_rmw xori %five, %n[%c6] : (i32, memref<8xi32>) -> i32
      %7 = memref.atomic_rmw assign %five, %n[%c7] : (i32, memref<8xi32>) -> i32
      %x = arith.constant 2.0 : f32
      %y = arith.constant 9.0 : f32
      %8 = memref.atomic_rmw addf %x, %f[%c0] : (f32, memref<4xf32>) -> f32
      %9 = memref.atomic_rmw minimumf %y, %f[%c1] : (f32, memref<4xf32>) -> f32
      %10 = memref.atomic_rmw mulf %x, %f[%c2] : (f32, memref<4xf32>) -> f32
      %11 = memref.atomic_rmw maximumf %y, %f[%c3] : (f32, memref<4xf32>) -> f32
      gpu.return
    }

    gpu.func @pointers(%p: !llvm.ptr<1>, %out: !llvm.ptr) kernel {
      %one = llvm.mlir.constant(1 : i64) : i64
      %minus = llvm.mlir.constant(-1 : i32) : i32
      %a = llvm.getelementptr %p[%one] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.array<2 x i32>
      %b = llvm.getelementptr %a[%minus] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      %three = llvm.load %a : !llvm.ptr<1> -> i32
      llvm.store %three, %p : i32, !llvm.ptr<1>
      %five = llvm.mlir.constant(5 : i32) : i32
      %old = llvm.atomicrmw add %b, %five monotonic : !llvm.ptr<1>, i32
      %nine = llvm.mlir.constant(9 : i32) : i32
      %r = llvm.cmpxchg %a, %three, %nine monotonic monotonic : !llvm.ptr<1>, i32
      %was = llvm.extractvalue %r[4294967296] : !llvm.struct<(i32, i1)>
      %did = llvm.extractvalue %r[1] : !llvm.struct<(i32, i1)>
      %s = llvm.cmpxchg %a, %three, %five monotonic monotonic : !llvm.ptr<1>, i32
      %didNot = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
      %did64 = arith.extui %did : i1 to i64
      %was64 = arith.extui %was : i32 to i64
      %not64 = arith.extui %didNot : i1 to i64
      llvm.store %did64, %out : i64, !llvm.ptr
      %o1 = llvm.getelementptr %out[1] : (!llvm.ptr) -> !llvm.ptr, i64
      llvm.store %was64, %o1 : i64, !llvm.ptr
      %o2 = llvm.getelementptr %out[2] : (!llvm.ptr) -> !llvm.ptr, i64
      llvm.store %not64, %o2 : i64, !llvm.ptr
      %bits = llvm.ptrtoint %out : !llvm.ptr to i64
      %c24 = arith.constant 24 : i64
      %sum = arith.addi %bits, %c24 : i64
      %o3 = llvm.inttoptr %sum : i64 to !llvm.ptr
      %q = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
      %last = llvm.getelementptr %q[3] : (!llvm.ptr) -> !llvm.ptr, i32
      %four = llvm.load %last : !llvm.ptr -> i32
      %four64 = arith.extui %four : i32 to i64
      llvm.store %four64, %o3 : i64, !llvm.ptr
      gpu.return
    }
  }
}
