// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

// What is no sum of products.
module attributes {transform.with_named_sequence} {
  tir.prim_func @copy(%x: memref<64xf32>, %y: memref<64xf32>) {
    tir.for %i = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @copy(%v0 = spatial %i in 64) reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
        %0 = affine.load %x[%v0] : memref<64xf32>
        affine.store %0, %y[%v0] : memref<64xf32>
      }
    }
  }
  transform.named_sequence @copy.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    // expected-error @below {{expects block @copy to add up products of f32, or of bytes in i32, from zero on}}
    transform.tir.matrix_tiles %copy, "amx", tile = [32, 32], panel_rows = 64
    transform.yield
  }
}

// -----

// Sizes that no unit has, each in a kernel of its own.
module attributes {transform.with_named_sequence} {
  tir.prim_func @tile(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xf32>, %b[%vk, %vn] : memref<64x64xf32>, %c[%vm, %vn] : memref<64x64xf32>)
          writes(%c[%vm, %vn] : memref<64x64xf32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xf32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xf32>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xf32>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%vm, %vn] : memref<64x64xf32>
      }
    } } }
  }
  transform.named_sequence @tile.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects tiles of 16 or 32 rows and columns, but got 24 and 32}}
    transform.tir.matrix_tiles %matmul, "amx", tile = [24, 32], panel_rows = 48 {pieces = 2 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @panel(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xf32>, %b[%vk, %vn] : memref<64x64xf32>, %c[%vm, %vn] : memref<64x64xf32>)
          writes(%c[%vm, %vn] : memref<64x64xf32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xf32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xf32>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xf32>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%vm, %vn] : memref<64x64xf32>
      }
    } } }
  }
  transform.named_sequence @panel.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects panels of at most 64 rows, but got 1152921504606846976}}
    transform.tir.matrix_tiles %matmul, "amx", tile = [32, 32], panel_rows = 1152921504606846976
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @bytes(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xf32>, %b[%vk, %vn] : memref<64x64xf32>, %c[%vm, %vn] : memref<64x64xf32>)
          writes(%c[%vm, %vn] : memref<64x64xf32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xf32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xf32>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xf32>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%vm, %vn] : memref<64x64xf32>
      }
    } } }
  }
  transform.named_sequence @bytes.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects products of bytes for instructions on vectors, but got f32}}
    transform.tir.matrix_tiles %matmul, "vpdpbusd", tile = [8, 32], panel_rows = 64 {vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects a unit of "amx", "pmaddwd", "pmaddubsw", "vpdpbusd", "dotprod", but got "mma"}}
  transform.tir.matrix_tiles %block, "mma", tile = [16, 16], panel_rows = 16
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects panels of a multiple of 16 rows, but got 24}}
  transform.tir.matrix_tiles %block, "amx", tile = [16, 16], panel_rows = 24
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects 1 to 3 pieces, but got 4}}
  transform.tir.matrix_tiles %block, "amx", tile = [16, 16], panel_rows = 16 {pieces = 4 : i64}
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects columns_first or add_batches, which has all rows of a batch first, but got both}}
  transform.tir.matrix_tiles %block, "vpdpbusd", tile = [4, 16], panel_rows = 16 {add_batches, columns_first, vector_bits = 512 : i64}
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects 128 vector_bits for "dotprod", but got 0}}
  transform.tir.matrix_tiles %block, "dotprod", tile = [16, 16], panel_rows = 16
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects 256 or 512 vector_bits for "pmaddwd", but got 128}}
  transform.tir.matrix_tiles %block, "pmaddwd", tile = [16, 16], panel_rows = 16 {vector_bits = 128 : i64}
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects no vector_bits for "amx", but got 512}}
  transform.tir.matrix_tiles %block, "amx", tile = [16, 16], panel_rows = 16 {vector_bits = 512 : i64}
}

// -----

// A buffer that is not packed.
module attributes {transform.with_named_sequence} {
  tir.prim_func @plain(%x: memref<64xf32>, %y: memref<64xf32>) {
    tir.for %i = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @copy(%v0 = spatial %i in 64) reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
        %0 = affine.load %x[%v0] : memref<64xf32>
        affine.store %0, %y[%v0] : memref<64xf32>
      }
    }
  }
  transform.named_sequence @plain.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    // expected-error @below {{expects a constant argument that transform_layout has packed}}
    transform.tir.narrow_weights %copy, 0
    transform.yield
  }
}

// -----

// Tiles take bytes; 16 bits are for pairs.
module attributes {transform.with_named_sequence} {
  tir.prim_func @words(%a: memref<64x64xi16>, %b: memref<64x64xi16>, %c: memref<64x64xi32>) {
    %zero = arith.constant 0 : i32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xi16>, %b[%vk, %vn] : memref<64x64xi16>, %c[%vm, %vn] : memref<64x64xi32>)
          writes(%c[%vm, %vn] : memref<64x64xi32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xi32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xi16>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xi16>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xi32>
        %left = arith.extsi %0 : i16 to i32
        %right = arith.extsi %1 : i16 to i32
        %3 = arith.muli %left, %right : i32
        %4 = arith.addi %2, %3 : i32
        affine.store %4, %c[%vm, %vn] : memref<64x64xi32>
      }
    } } }
  }
  transform.named_sequence @words.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects products of bytes, or of i16 in pairs}}
    transform.tir.matrix_tiles %matmul, "amx", tile = [32, 32], panel_rows = 64
    transform.yield
  }
}

// -----

// Sums of 16 bits do not hold two products of any bytes.
module attributes {transform.with_named_sequence} {
  tir.prim_func @any_bytes(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
    %zero = arith.constant 0 : i32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xi8>, %b[%vk, %vn] : memref<64x64xi8>, %c[%vm, %vn] : memref<64x64xi32>)
          writes(%c[%vm, %vn] : memref<64x64xi32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xi32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xi8>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xi8>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xi32>
        %left = arith.extsi %0 : i8 to i32
        %right = arith.extsi %1 : i8 to i32
        %3 = arith.muli %left, %right : i32
        %4 = arith.addi %2, %3 : i32
        affine.store %4, %c[%vm, %vn] : memref<64x64xi32>
      }
    } } }
  }
  transform.named_sequence @any_bytes.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects weights with a sign, and data of bytes that are 0 to 127 or weights that are -64 to 64 in every call, for pmaddubsw}}
    transform.tir.matrix_tiles %matmul, "pmaddubsw", tile = [6, 16], panel_rows = 66 {vector_bits = 256 : i64}
    transform.yield
  }
}

// -----

// The rows of a matrix are one line.
module attributes {transform.with_named_sequence} {
  tir.prim_func @one_line(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
    %zero = arith.constant 0 : i32
    tir.for %m = 0 to 64 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @matmul(%vm = spatial %m in 64, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%a[%vm, %vk] : memref<64x64xi8>, %b[%vk, %vn] : memref<64x64xi8>, %c[%vm, %vn] : memref<64x64xi32>)
          writes(%c[%vm, %vn] : memref<64x64xi32>) {
        tir.init { affine.store %zero, %c[%vm, %vn] : memref<64x64xi32> }
        %0 = affine.load %a[%vm, %vk] : memref<64x64xi8>
        %1 = affine.load %b[%vk, %vn] : memref<64x64xi8>
        %2 = affine.load %c[%vm, %vn] : memref<64x64xi32>
        %left = arith.extsi %0 : i8 to i32
        %right = arith.extsi %1 : i8 to i32
        %3 = arith.muli %left, %right : i32
        %4 = arith.addi %2, %3 : i32
        affine.store %4, %c[%vm, %vn] : memref<64x64xi32>
      }
    } } }
  }
  transform.named_sequence @one_line.schedule(%f: !transform.any_op {transform.readonly}) {
    %matmul = transform.tir.get_block @matmul in %f
    // expected-error @below {{expects tiles that can be along lines, but there is one line only}}
    transform.tir.matrix_tiles %matmul, "vpdpbusd", tile = [8, 32], panel_rows = 64 {along_lines, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

// Ten rows are more than a line and less than two.
module attributes {transform.with_named_sequence} {
  tir.prim_func @parts_of_lines(%x: memref<9x9x64xi8>, %w: memref<3x3x64x64xi8>, %out: memref<7x7x64xi32>) {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 7 { tir.for %i1 = 0 to 7 { tir.for %i2 = 0 to 64 { tir.for %i3 = 0 to 3 { tir.for %i4 = 0 to 3 { tir.for %i5 = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @conv2d(%y = spatial %i0 in 7, %z = spatial %i1 in 7, %o = spatial %i2 in 64, %a = reduce %i3 in 3, %b = reduce %i4 in 3, %c = reduce %i5 in 64)
          reads(%x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>, %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>, %out[%y, %z, %o] : memref<7x7x64xi32>)
          writes(%out[%y, %z, %o] : memref<7x7x64xi32>) {
        tir.init { affine.store %c0, %out[%y, %z, %o] : memref<7x7x64xi32> }
        %0 = affine.load %x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>
        %1 = affine.load %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>
        %2 = affine.load %out[%y, %z, %o] : memref<7x7x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extsi %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %out[%y, %z, %o] : memref<7x7x64xi32>
      }
    } } } } } }
  }
  transform.named_sequence @parts_of_lines.schedule(%f: !transform.any_op {transform.readonly}) {
    %conv = transform.tir.get_block @conv2d in %f
    // expected-error @below {{expects tiles that can be along lines, but neither does a line have whole tiles, nor a tile whole lines}}
    transform.tir.matrix_tiles %conv, "vpdpbusd", tile = [10, 32], panel_rows = 90 {along_lines, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @parts_of_panels(%x: memref<9x9x64xi8>, %w: memref<3x3x64x64xi8>, %out: memref<7x7x64xi32>) {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 7 { tir.for %i1 = 0 to 7 { tir.for %i2 = 0 to 64 { tir.for %i3 = 0 to 3 { tir.for %i4 = 0 to 3 { tir.for %i5 = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @conv2d(%y = spatial %i0 in 7, %z = spatial %i1 in 7, %o = spatial %i2 in 64, %a = reduce %i3 in 3, %b = reduce %i4 in 3, %c = reduce %i5 in 64)
          reads(%x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>, %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>, %out[%y, %z, %o] : memref<7x7x64xi32>)
          writes(%out[%y, %z, %o] : memref<7x7x64xi32>) {
        tir.init { affine.store %c0, %out[%y, %z, %o] : memref<7x7x64xi32> }
        %0 = affine.load %x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>
        %1 = affine.load %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>
        %2 = affine.load %out[%y, %z, %o] : memref<7x7x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extsi %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %out[%y, %z, %o] : memref<7x7x64xi32>
      }
    } } } } } }
  }
  transform.named_sequence @parts_of_panels.schedule(%f: !transform.any_op {transform.readonly}) {
    %conv = transform.tir.get_block @conv2d in %f
    // expected-error @below {{expects panels of a multiple of 18 rows, but got 63}}
    transform.tir.matrix_tiles %conv, "vpdpbusd", tile = [14, 32], panel_rows = 63 {along_lines, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @units(%x: memref<9x9x64xi8>, %w: memref<3x3x64x64xi8>, %out: memref<7x7x64xi32>) {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 7 { tir.for %i1 = 0 to 7 { tir.for %i2 = 0 to 64 { tir.for %i3 = 0 to 3 { tir.for %i4 = 0 to 3 { tir.for %i5 = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @conv2d(%y = spatial %i0 in 7, %z = spatial %i1 in 7, %o = spatial %i2 in 64, %a = reduce %i3 in 3, %b = reduce %i4 in 3, %c = reduce %i5 in 64)
          reads(%x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>, %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>, %out[%y, %z, %o] : memref<7x7x64xi32>)
          writes(%out[%y, %z, %o] : memref<7x7x64xi32>) {
        tir.init { affine.store %c0, %out[%y, %z, %o] : memref<7x7x64xi32> }
        %0 = affine.load %x[%y + %a, %z + %b, %c] : memref<9x9x64xi8>
        %1 = affine.load %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>
        %2 = affine.load %out[%y, %z, %o] : memref<7x7x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extsi %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %out[%y, %z, %o] : memref<7x7x64xi32>
      }
    } } } } } }
  }
  transform.named_sequence @units.schedule(%f: !transform.any_op {transform.readonly}) {
    %conv = transform.tir.get_block @conv2d in %f
    // expected-error @below {{expects tiles that can be along lines, but matrix units take runs of rows}}
    transform.tir.matrix_tiles %conv, "amx", tile = [16, 16], panel_rows = 64 {along_lines}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @sum_of_rows(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<8x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %b = 0 to 8 { tir.for %n = 0 to 64 { tir.for %r = 0 to 3 {
      tir.block @sum(%vb = spatial %b in 8, %vn = spatial %n in 64, %vr = reduce %r in 3)
          reads(%p[%vb, %vr, %vn] : memref<8x3x64xi32>, %out[%vb, %vn] : memref<8x64xf32>)
          writes(%out[%vb, %vn] : memref<8x64xf32>) {
        tir.init { affine.store %zero, %out[%vb, %vn] : memref<8x64xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vb, %vn] : memref<8x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vb, %vn] : memref<8x64xf32>
      }
    } } }
  }
  transform.named_sequence @sum_of_rows.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects a sum over the batches after block @products}}
    transform.tir.matrix_tiles %products, "vpdpbusd", tile = [3, 64], panel_rows = 3 {add_batches, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @batches_on_units(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<3x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %b = 0 to 8 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 64, %vb = reduce %b in 8)
          reads(%p[%vb, %vr, %vn] : memref<8x3x64xi32>, %out[%vr, %vn] : memref<3x64xf32>)
          writes(%out[%vr, %vn] : memref<3x64xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x64xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vr, %vn] : memref<3x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vr, %vn] : memref<3x64xf32>
      }
    } } }
  }
  transform.named_sequence @batches_on_units.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects batches that can be added up, but matrix units take one batch after the other}}
    transform.tir.matrix_tiles %products, "amx", tile = [16, 16], panel_rows = 16 {add_batches}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @batches_of_panels(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<3x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %b = 0 to 8 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 64, %vb = reduce %b in 8)
          reads(%p[%vb, %vr, %vn] : memref<8x3x64xi32>, %out[%vr, %vn] : memref<3x64xf32>)
          writes(%out[%vr, %vn] : memref<3x64xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x64xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vr, %vn] : memref<3x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vr, %vn] : memref<3x64xf32>
      }
    } } }
  }
  transform.named_sequence @batches_of_panels.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects batches that can be added up, but the rows of a batch are several panels}}
    transform.tir.matrix_tiles %products, "vpdpbusd", tile = [1, 64], panel_rows = 1 {add_batches, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

// Not all batches, not each row once, and data that is not there any more.
module attributes {transform.with_named_sequence} {
  tir.prim_func @half_of_batches(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<3x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %b = 0 to 4 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 64, %vb = reduce %b in 4)
          reads(%p[%vb, %vr, %vn] : memref<8x3x64xi32>, %out[%vr, %vn] : memref<3x64xf32>)
          writes(%out[%vr, %vn] : memref<3x64xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x64xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vr, %vn] : memref<3x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vr, %vn] : memref<3x64xf32>
      }
    } } }
  }
  transform.named_sequence @half_of_batches.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects a sum over the batches after block @products}}
    transform.tir.matrix_tiles %products, "vpdpbusd", tile = [3, 64], panel_rows = 3 {add_batches, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @one_row(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<3x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %b = 0 to 8 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 64, %vb = reduce %b in 8)
          reads(%p[%vb, 0, %vn] : memref<8x3x64xi32>, %out[%vr, %vn] : memref<3x64xf32>)
          writes(%out[%vr, %vn] : memref<3x64xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x64xf32> }
        %0 = affine.load %p[%vb, 0, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vr, %vn] : memref<3x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vr, %vn] : memref<3x64xf32>
      }
    } } }
  }
  transform.named_sequence @one_row.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects a sum over the batches after block @products}}
    transform.tir.matrix_tiles %products, "vpdpbusd", tile = [3, 64], panel_rows = 3 {add_batches, vector_bits = 512 : i64}
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @data_overwritten(%x: memref<8x3x64xi8>, %w: memref<8x64x64xi8>, %out: memref<3x64xf32>) attributes {tir.layout_free = [1]} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x64xi32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %k = 0 to 64 {
      // expected-note @below {{this is in the way}}
      tir.block @products(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 64, %vk = reduce %k in 64)
          reads(%x[%vb, %vr, %vk] : memref<8x3x64xi8>, %w[%vb, %vn, %vk] : memref<8x64x64xi8>, %p[%vb, %vr, %vn] : memref<8x3x64xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x64xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x64xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x64xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x64x64xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x64xi32>
      }
    } } } }
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %k = 0 to 64 {
      tir.block @clear(%vb = spatial %b in 8, %vr = spatial %r in 3, %vk = spatial %k in 64) writes(%x[%vb, %vr, %vk] : memref<8x3x64xi8>) {
        %z = arith.constant 0 : i8
        affine.store %z, %x[%vb, %vr, %vk] : memref<8x3x64xi8>
      }
    } } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 64 { tir.for %b = 0 to 8 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 64, %vb = reduce %b in 8)
          reads(%p[%vb, %vr, %vn] : memref<8x3x64xi32>, %out[%vr, %vn] : memref<3x64xf32>)
          writes(%out[%vr, %vn] : memref<3x64xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x64xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x64xi32>
        %1 = affine.load %out[%vr, %vn] : memref<3x64xf32>
        %2 = arith.sitofp %0 : i32 to f32
        %3 = arith.addf %1, %2 : f32
        affine.store %3, %out[%vr, %vn] : memref<3x64xf32>
      }
    } } }
  }
  transform.named_sequence @data_overwritten.schedule(%f: !transform.any_op {transform.readonly}) {
    %products = transform.tir.get_block @products in %f
    // expected-error @below {{expects a sum over the batches after block @products}}
    transform.tir.matrix_tiles %products, "vpdpbusd", tile = [3, 64], panel_rows = 3 {add_batches, vector_bits = 512 : i64}
    transform.yield
  }
}
