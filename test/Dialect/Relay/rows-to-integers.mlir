// RUN: split-file %s %t
// RUN: relay-opt %t/quads.mlir --relay-rows-to-integers --split-input-file | FileCheck %t/quads.mlir
// RUN: relay-opt %t/pairs.mlir --relay-rows-to-integers | FileCheck %t/pairs.mlir
// RUN: relay-opt %t/units.mlir --relay-rows-to-integers --split-input-file | FileCheck %t/units.mlir

//--- quads.mlir

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "znver4">
module attributes {target.spec = #cpu} {
  // Each block of a row is three rows of bytes; numbers lose their sign, which
  // their zeros take in.
  // CHECK-LABEL: func.func @blocks
  // CHECK-DAG:     %[[LARGEST:.*]] = relay.max %{{.*}} {axis = [2], keepdims = true} : (tensor<4x2x64xf32>) -> tensor<4x2x1xf32>
  // CHECK-DAG:     %[[BYTES:.*]] = relay.concatenate %{{.*}}, %{{.*}}, %{{.*}} {axis = 1} : (tensor<4x2x64xi8>, tensor<4x2x64xi8>, tensor<4x2x64xi8>) -> tensor<4x6x64xi8>
  // CHECK:         relay.nn.batch_matmul %[[BYTES]], %{{.*}} {out_dtype = i32, transpose_b = true} : (tensor<4x6x64xi8>, tensor<4x16x64xui8>) -> tensor<4x6x16xi32>
  // CHECK:         relay.sum %{{.*}} {axis = [0]} : (tensor<4x6x16xf32>) -> tensor<6x16xf32>
  // CHECK:         relay.sum %{{.*}} {axis = [0]} : (tensor<3x2x16xf32>) -> tensor<2x16xf32>
  // CHECK-NOT:     relay.nn.matmul
  func.func @blocks(%x: tensor<2x256xf32>) -> tensor<2x16xf32> {
    %q = relay.constant dense_resource<q> : tensor<16x4x64xi4>
    %s = relay.constant dense<0.5> : tensor<16x4x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x4x64xi4>) -> tensor<16x4x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x4x64xf32>, tensor<16x4x1xf32>) -> tensor<16x4x64xf32>
    %2 = relay.reshape %1 {newshape = [16, 256]} : (tensor<16x4x64xf32>) -> tensor<16x256xf32>
    %3 = relay.transpose %2 {axes = [1, 0]} : (tensor<16x256xf32>) -> tensor<256x16xf32>
    %4 = relay.nn.matmul %x, %3 : (tensor<2x256xf32>, tensor<256x16xf32>) -> tensor<2x16xf32>
    return %4 : tensor<2x16xf32>
  }

  // One scale for each column: data has blocks all the same, as its sums are to
  // be exact.
  // CHECK-LABEL: func.func @columns
  // CHECK:         relay.nn.batch_matmul {{.*}} : (tensor<3x3x512xi8>, tensor<3x16x512xui8>) -> tensor<3x3x16xi32>
  func.func @columns(%x: tensor<1x1x1536xf32>) -> tensor<1x1x16xf32> {
    %q = relay.constant dense_resource<q> : tensor<1536x16xui8>
    %z = relay.constant dense<3> : tensor<16xi32>
    %s = relay.constant dense<0.5> : tensor<16xf32>
    %0 = relay.cast %q {dtype = i32} : (tensor<1536x16xui8>) -> tensor<1536x16xi32>
    %1 = relay.subtract %0, %z : (tensor<1536x16xi32>, tensor<16xi32>) -> tensor<1536x16xi32>
    %2 = relay.cast %1 {dtype = f32} : (tensor<1536x16xi32>) -> tensor<1536x16xf32>
    %3 = relay.multiply %2, %s : (tensor<1536x16xf32>, tensor<16xf32>) -> tensor<1536x16xf32>
    %4 = relay.nn.matmul %x, %3 : (tensor<1x1x1536xf32>, tensor<1536x16xf32>) -> tensor<1x1x16xf32>
    return %4 : tensor<1x1x16xf32>
  }

  // Blocks as exporters of QDQ spell them.
  // CHECK-LABEL: func.func @repeated
  // CHECK:         relay.nn.batch_matmul {{.*}} : (tensor<2x3x128xi8>, tensor<2x16x128xui8>) -> tensor<2x3x16xi32>
  func.func @repeated(%x: tensor<1x256xf32>) -> tensor<1x16xf32> {
    %q = relay.constant dense_resource<q> : tensor<256x16xi8>
    %s = relay.constant dense<0.5> : tensor<2x16xf32>
    %0 = relay.repeat %s {axis = 0, repeats = 128} : (tensor<2x16xf32>) -> tensor<256x16xf32>
    %1 = relay.cast %q {dtype = f32} : (tensor<256x16xi8>) -> tensor<256x16xf32>
    %2 = relay.multiply %1, %0 : (tensor<256x16xf32>, tensor<256x16xf32>) -> tensor<256x16xf32>
    %3 = relay.nn.matmul %x, %2 : (tensor<1x256xf32>, tensor<256x16xf32>) -> tensor<1x16xf32>
    return %3 : tensor<1x16xf32>
  }

  // Scales beside which units of data would vanish, or that are no numbers.
  // CHECK-LABEL: func.func @scales
  // CHECK-COUNT-2: relay.nn.dense
  func.func @scales(%x: tensor<1x64xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>) {
    %q = relay.constant dense_resource<q> : tensor<4x64xi8>
    %0 = relay.cast %q {dtype = f32} : (tensor<4x64xi8>) -> tensor<4x64xf32>
    %s = relay.constant dense<[[1.0], [0x7F800000], [1.0], [1.0]]> : tensor<4x1xf32>
    %1 = relay.multiply %0, %s : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<1x64xf32>, tensor<4x64xf32>) -> tensor<1x4xf32>
    %t = relay.constant dense<1.0e-30> : tensor<4x1xf32>
    %3 = relay.multiply %0, %t : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    %4 = relay.nn.dense %x, %3 : (tensor<1x64xf32>, tensor<4x64xf32>) -> tensor<1x4xf32>
    return %2, %4 : tensor<1x4xf32>, tensor<1x4xf32>
  }

  // The shorter the blocks, the more sums there are for each row.
  // CHECK-LABEL: func.func @rows
  // CHECK:         relay.nn.batch_matmul {{.*}} -> tensor<4x12x16xi32>
  // CHECK:         relay.nn.dense
  // CHECK:         relay.nn.batch_matmul {{.*}} -> tensor<1x48x16xi32>
  // CHECK:         relay.nn.dense
  func.func @rows(%a: tensor<4x64xf32>, %b: tensor<5x64xf32>, %c: tensor<16x64xf32>, %d: tensor<17x64xf32>)
      -> (tensor<4x16xf32>, tensor<5x16xf32>, tensor<16x16xf32>, tensor<17x16xf32>) {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %r = relay.constant dense<0.5> : tensor<16x4xf32>
    %1 = relay.repeat %r {axis = 1, repeats = 16} : (tensor<16x4xf32>) -> tensor<16x64xf32>
    %2 = relay.multiply %0, %1 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %3 = relay.nn.dense %a, %2 : (tensor<4x64xf32>, tensor<16x64xf32>) -> tensor<4x16xf32>
    %4 = relay.nn.dense %b, %2 : (tensor<5x64xf32>, tensor<16x64xf32>) -> tensor<5x16xf32>
    %5 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %6 = relay.nn.dense %c, %5 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x16xf32>
    %7 = relay.nn.dense %d, %5 : (tensor<17x64xf32>, tensor<16x64xf32>) -> tensor<17x16xf32>
    return %3, %4, %6, %7 : tensor<4x16xf32>, tensor<5x16xf32>, tensor<16x16xf32>, tensor<17x16xf32>
  }

  // An unknown number of rows, zeros that are no integers, and products of other
  // types stay.
  // CHECK-LABEL: func.func @kept
  // CHECK-COUNT-3: relay.nn.dense
  func.func @kept(%b: tensor<?x64xf32>, %c: tensor<1x64xf32>, %d: tensor<1x64xf16>)
      -> (tensor<?x16xf32>, tensor<1x16xf32>, tensor<1x16xf16>) {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %3 = relay.nn.dense %b, %1 : (tensor<?x64xf32>, tensor<16x64xf32>) -> tensor<?x16xf32>
    %z = relay.constant dense<0.5> : tensor<16x1xf32>
    %7 = relay.subtract %0, %z : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %8 = relay.multiply %7, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %9 = relay.nn.dense %c, %8 : (tensor<1x64xf32>, tensor<16x64xf32>) -> tensor<1x16xf32>
    %10 = relay.cast %1 {dtype = f16} : (tensor<16x64xf32>) -> tensor<16x64xf16>
    %11 = relay.nn.dense %d, %10 : (tensor<1x64xf16>, tensor<16x64xf16>) -> tensor<1x16xf16>
    return %3, %9, %11 : tensor<?x16xf32>, tensor<1x16xf32>, tensor<1x16xf16>
  }
}

// -----

// CHECK-LABEL: func.func @highest
// CHECK:         relay.nn.dense
module attributes {target.precision = #target.precision<highest>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver4">} {
  func.func @highest(%x: tensor<1x64xf32>) -> tensor<1x16xf32> {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<1x64xf32>, tensor<16x64xf32>) -> tensor<1x16xf32>
    return %2 : tensor<1x16xf32>
  }
}

//--- pairs.mlir

// Products in pairs take as long as those of floats: three rows are as many as it
// pays for.
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  // CHECK-LABEL: func.func @pairs
  // CHECK:         relay.nn.batch_matmul
  // CHECK:         relay.nn.dense
  func.func @pairs(%x: tensor<3x64xf32>, %y: tensor<4x64xf32>) -> (tensor<3x16xf32>, tensor<4x16xf32>) {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<3x64xf32>, tensor<16x64xf32>) -> tensor<3x16xf32>
    %3 = relay.nn.dense %y, %1 : (tensor<4x64xf32>, tensor<16x64xf32>) -> tensor<4x16xf32>
    return %2, %3 : tensor<3x16xf32>, tensor<4x16xf32>
  }
}

//--- units.mlir

// Beside matrix units, vectors add up blocks as they come if they multiply four
// bytes; units alone do not: short blocks have too many sums.
// CHECK-LABEL: func.func @units
// CHECK-COUNT-2: relay.nn.batch_matmul
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  func.func @units(%x: tensor<8x64xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
    %r = relay.constant dense<0.5> : tensor<16x2xf32>
    %3 = relay.repeat %r {axis = 1, repeats = 32} : (tensor<16x2xf32>) -> tensor<16x64xf32>
    %4 = relay.multiply %0, %3 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %5 = relay.nn.dense %x, %4 : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
    return %2, %5 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}

// -----

// CHECK-LABEL: func.func @units_alone
// CHECK:         relay.nn.batch_matmul
// CHECK:         relay.nn.dense
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3", features = "+amx-tile,+amx-int8,+amx-bf16">} {
  func.func @units_alone(%x: tensor<8x64xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
    %q = relay.constant dense_resource<q> : tensor<16x64xi8>
    %s = relay.constant dense<0.5> : tensor<16x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<16x64xi8>) -> tensor<16x64xf32>
    %1 = relay.multiply %0, %s : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
    %r = relay.constant dense<0.5> : tensor<16x2xf32>
    %3 = relay.repeat %r {axis = 1, repeats = 32} : (tensor<16x2xf32>) -> tensor<16x64xf32>
    %4 = relay.multiply %0, %3 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %5 = relay.nn.dense %x, %4 : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
    return %2, %5 : tensor<8x16xf32>, tensor<8x16xf32>
  }
}
