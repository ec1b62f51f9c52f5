module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @static_size(%a: memref<2x4xf32>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %v = memref.load %a[%c0, %i] : memref<2x4xf32>
      gpu.return
    }

    gpu.func @allocation(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      gpu.return
    }

    gpu.func @view(%a: memref<8xf32>, %start: i64) kernel {
      %c0 = arith.constant 0 : index
      %i = arith.index_cast %start : i64 to index
      %part = memref.subview %a[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      %v = memref.load %part[%c0] : memref<4xf32, strided<[1], offset: ?>>
      memref.store %v, %a[%c0] : memref<8xf32>
      gpu.return
    }

    gpu.func @vector(%a: memref<8xf32>, %start: i64) kernel {
      %i = arith.index_cast %start : i64 to index
      %v = vector.load %a[%i] {alignment = 4294967296 : i64} : memref<8xf32>, vector<4xf32>
      gpu.return
    }

    gpu.func @divide(%a: i64, %b: i64) kernel {
      %q = arith.divsi %a, %b : i64
      gpu.return
    }

    gpu.func @forever() kernel {
      cf.br ^next
    ^next:
      cf.br ^next
    }

    gpu.func @step(%step: i64) kernel {
      %c0 = arith.constant 0 : i64
      scf.for %i = %c0 to %c0 step %step : i64 {
      }
      gpu.return
    }

    gpu.func @assertion() kernel {
      %false = arith.constant false
      cf.assert %false, "never"
      gpu.return
    }

    gpu.func @dynamic() kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    gpu.func @narrow(%n: i32, %out: memref<3xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %minus = arith.constant -1 : i32
      %u = arith.extui %n : i32 to i64
      %s = arith.extsi %n : i32 to i64
      %equal = arith.cmpi eq, %n, %minus : i32
      %e = arith.extui %equal : i1 to i64
      memref.store %u, %out[%c0] : memref<3xi64>
      memref.store %s, %out[%c1] : memref<3xi64>
      memref.store %e, %out[%c2] : memref<3xi64>
      gpu.return
    }

    gpu.func @known() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}
