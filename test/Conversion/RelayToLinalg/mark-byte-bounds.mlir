// RUN: relay-opt %s --relay-mark-byte-bounds --split-input-file | FileCheck %s

// What a ReLU is before the change of scale is a clip behind it; the pool, the
// slice and zeros around keep bounds. The first layer reads any bytes, and
// weights of -64 to 64, whose two products with bytes of no sign are of 16 bits.
// CHECK-LABEL: func.func private @first
// CHECK-SAME:  attributes {relay.primitive, tir.byte_bounds = [array<i64: 1, -64, 64>]} {
func.func private @first(%x: tensor<1x8x8x4xi8>, %w: tensor<4x4x1x1xi8>) -> tensor<1x8x8x4xi8> attributes {relay.primitive} {
  %s = relay.constant dense<0.01> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", out_dtype = i32} : (tensor<1x8x8x4xi8>, tensor<4x4x1x1xi8>) -> tensor<1x8x8x4xi32>
  %1 = relay.cast %0 {dtype = f32} : (tensor<1x8x8x4xi32>) -> tensor<1x8x8x4xf32>
  %2 = relay.multiply %1, %s : (tensor<1x8x8x4xf32>, tensor<f32>) -> tensor<1x8x8x4xf32>
  %3 = relay.round %2 : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %4 = relay.clip %3 {a_min = 0.0, a_max = 127.0} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %5 = relay.cast %4 {dtype = i8} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xi8>
  return %5 : tensor<1x8x8x4xi8>
}
// CHECK-LABEL: func.func private @pool
// CHECK-SAME:  attributes {relay.primitive, tir.byte_bounds = [array<i64: 0, 0, 127>]} {
func.func private @pool(%x: tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8> attributes {relay.primitive} {
  %0 = relay.nn.max_pool2d %x {pool_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : (tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8>
  return %0 : tensor<1x4x4x4xi8>
}
// The constant is -3 to 65.
// CHECK-LABEL: func.func private @second
// CHECK-SAME:  attributes {relay.primitive, tir.byte_bounds = [array<i64: 0, 0, 127>]} {
func.func private @second(%x: tensor<1x4x4x4xi8>, %w: tensor<2x4x1x1xi8>) -> tensor<1x6x6x2xi32> attributes {relay.primitive} {
  %z = relay.constant dense<0> : tensor<i8>
  %0 = relay.nn.pad %x, %z {pad_width = [0, 0, 1, 1, 1, 1, 0, 0]} : (tensor<1x4x4x4xi8>, tensor<i8>) -> tensor<1x6x6x4xi8>
  %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC", out_dtype = i32} : (tensor<1x6x6x4xi8>, tensor<2x4x1x1xi8>) -> tensor<1x6x6x2xi32>
  return %1 : tensor<1x6x6x2xi32>
}
// CHECK-LABEL: func.func @main
// CHECK-NOT:   tir.byte_bounds
func.func @main(%x: tensor<1x8x8x4xi8>) -> tensor<1x6x6x2xi32> {
  %w = relay.constant dense<-64> : tensor<4x4x1x1xi8>
  %v = relay.constant dense<[[[[-3]], [[65]], [[1]], [[0]]], [[[2]], [[2]], [[0]], [[1]]]]> : tensor<2x4x1x1xi8>
  %0 = relay.call @first(%x, %w) : (tensor<1x8x8x4xi8>, tensor<4x4x1x1xi8>) -> tensor<1x8x8x4xi8>
  %1 = relay.call @pool(%0) : (tensor<1x8x8x4xi8>) -> tensor<1x4x4x4xi8>
  %2 = relay.call @second(%1, %v) : (tensor<1x4x4x4xi8>, tensor<2x4x1x1xi8>) -> tensor<1x6x6x2xi32>
  return %2 : tensor<1x6x6x2xi32>
}

// -----

// One of two calls passes any bytes; what was there before is taken away.
// CHECK-LABEL: func.func private @shared
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @shared(%x: tensor<4x8xi8>) -> tensor<4x8xi8> attributes {relay.primitive, tir.byte_bounds = [array<i64: 0, 0, 127>]} {
  %0 = relay.copy %x : (tensor<4x8xi8>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
// CHECK-LABEL: func.func private @relu
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @relu(%x: tensor<4x8xi8>) -> tensor<4x8xi8> attributes {relay.primitive} {
  %0 = relay.nn.relu %x : (tensor<4x8xi8>) -> tensor<4x8xi8>
  return %0 : tensor<4x8xi8>
}
func.func @main(%x: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>) {
  %0 = relay.call @relu(%x) : (tensor<4x8xi8>) -> tensor<4x8xi8>
  %1 = relay.call @shared(%0) : (tensor<4x8xi8>) -> tensor<4x8xi8>
  %2 = relay.call @shared(%x) : (tensor<4x8xi8>) -> tensor<4x8xi8>
  return %1, %2 : tensor<4x8xi8>, tensor<4x8xi8>
}

// -----

// Whoever calls a public function may pass anything, and integers that wrap are
// any. Of bytes without a sign, those of 4 bits alone count.
// CHECK-NOT: tir.byte_bounds
func.func @open(%x: tensor<4xi8>) -> tensor<4xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func private @wraps(%x: tensor<4xi8>, %y: tensor<4xui8>) -> tensor<4xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func private @wide(%x: tensor<4xi32>) -> tensor<4xi8> attributes {relay.primitive} {
  %0 = relay.clip %x {a_min = 0.0, a_max = 128.0} : (tensor<4xi32>) -> tensor<4xi32>
  %1 = relay.cast %0 {dtype = i8} : (tensor<4xi32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}
func.func private @relu(%x: tensor<4xi8>) -> tensor<4xi8> attributes {relay.primitive} {
  %0 = relay.nn.relu %x : (tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func @main(%x: tensor<4xi8>, %y: tensor<4xi32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %u = relay.constant dense<16> : tensor<4xui8>
  %0 = relay.call @relu(%x) : (tensor<4xi8>) -> tensor<4xi8>
  %1 = relay.call @open(%0) : (tensor<4xi8>) -> tensor<4xi8>
  %2 = relay.call @wide(%y) : (tensor<4xi32>) -> tensor<4xi8>
  %3 = relay.call @wraps(%2, %u) : (tensor<4xi8>, tensor<4xui8>) -> tensor<4xi8>
  return %1, %3 : tensor<4xi8>, tensor<4xi8>
}

// -----

// A bound just above -1 is -1 as a float of fewer bits; a mean may be rounded, too. The
// maximum of nothing is the lowest number, and an open size may be 0.
// CHECK-LABEL: func.func private @almost
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @almost(%x: tensor<1x4xi8>) -> tensor<1x4xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<1x4xi8>) -> tensor<1x4xi8>
  return %0 : tensor<1x4xi8>
}
// CHECK-LABEL: func.func private @mean
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @mean(%x: tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8>
  return %0 : tensor<1x4x1x1xi8>
}
// CHECK-LABEL: func.func private @nothing
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @nothing(%x: tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8>
  return %0 : tensor<1x4x1x1xi8>
}
// An open batch has no maximum where it has nothing.
// CHECK-LABEL: func.func private @batch
// CHECK-SAME:  attributes {relay.primitive, tir.byte_bounds = [array<i64: 0, 0, 127>]} {
func.func private @batch(%x: tensor<?x4x1x1xi8>) -> tensor<?x4x1x1xi8> attributes {relay.primitive} {
  %0 = relay.copy %x : (tensor<?x4x1x1xi8>) -> tensor<?x4x1x1xi8>
  return %0 : tensor<?x4x1x1xi8>
}
func.func @main(%x: tensor<1x4xf16>, %y: tensor<1x4x?x4xi8>, %z: tensor<?x4x8x8xi8>, %f: tensor<1x4x8x8xf32>)
    -> (tensor<1x4xi8>, tensor<1x4x1x1xi8>, tensor<?x4x1x1xi8>, tensor<1x4x1x1xi8>) {
  %0 = relay.clip %x {a_min = -0.9999, a_max = 127.0} : (tensor<1x4xf16>) -> tensor<1x4xf16>
  %1 = relay.cast %0 {dtype = i8} : (tensor<1x4xf16>) -> tensor<1x4xi8>
  %2 = relay.call @almost(%1) : (tensor<1x4xi8>) -> tensor<1x4xi8>
  %3 = relay.clip %y {a_min = 0.0, a_max = 127.0} : (tensor<1x4x?x4xi8>) -> tensor<1x4x?x4xi8>
  %4 = relay.nn.global_max_pool2d %3 : (tensor<1x4x?x4xi8>) -> tensor<1x4x1x1xi8>
  %5 = relay.call @nothing(%4) : (tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8>
  %6 = relay.clip %z {a_min = 0.0, a_max = 127.0} : (tensor<?x4x8x8xi8>) -> tensor<?x4x8x8xi8>
  %7 = relay.nn.global_max_pool2d %6 : (tensor<?x4x8x8xi8>) -> tensor<?x4x1x1xi8>
  %8 = relay.call @batch(%7) : (tensor<?x4x1x1xi8>) -> tensor<?x4x1x1xi8>
  %9 = relay.clip %f {a_min = -0.5, a_max = 127.0} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %10 = relay.nn.global_avg_pool2d %9 : (tensor<1x4x8x8xf32>) -> tensor<1x4x1x1xf32>
  %11 = relay.cast %10 {dtype = i8} : (tensor<1x4x1x1xf32>) -> tensor<1x4x1x1xi8>
  %12 = relay.call @mean(%11) : (tensor<1x4x1x1xi8>) -> tensor<1x4x1x1xi8>
  return %2, %5, %8, %12 : tensor<1x4xi8>, tensor<1x4x1x1xi8>, tensor<?x4x1x1xi8>, tensor<1x4x1x1xi8>
}

// -----

// A kernel that two calls share has the weights of both, which are read whatever
// their size; those of integers without a sign are not.
// CHECK-LABEL: func.func private @both
// CHECK-SAME:  attributes {relay.primitive, tir.byte_bounds = [array<i64: 1, -64, 64>]} {
func.func private @both(%x: tensor<1x8192xi8>, %w: tensor<8x8192xi8>) -> tensor<1x8xi32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<1x8192xi8>, tensor<8x8192xi8>) -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}
// CHECK-LABEL: func.func private @large
// CHECK-SAME:  attributes {relay.primitive} {
func.func private @large(%x: tensor<1x8192xi8>, %w: tensor<8x8192xi8>) -> tensor<1x8xi32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<1x8192xi8>, tensor<8x8192xi8>) -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}
// CHECK-LABEL: func.func private @unsigned
// CHECK-SAME:  tir.byte_bounds = [array<i64: 1, 0, 15>]
func.func private @unsigned(%x: tensor<1x8192xui8>, %w: tensor<8x8192xui8>) -> tensor<1x8xi32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<1x8192xui8>, tensor<8x8192xui8>) -> tensor<1x8xi32>
  return %0 : tensor<1x8xi32>
}
func.func @main(%x: tensor<1x8192xi8>, %y: tensor<1x8192xui8>)
    -> (tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>) {
  %w = relay.constant dense<-64> : tensor<8x8192xi8>
  %v = relay.constant dense<64> : tensor<8x8192xi8>
  %l = relay.constant dense<-65> : tensor<8x8192xi8>
  %u = relay.constant dense<15> : tensor<8x8192xui8>
  %0 = relay.call @both(%x, %w) : (tensor<1x8192xi8>, tensor<8x8192xi8>) -> tensor<1x8xi32>
  %1 = relay.call @both(%x, %v) : (tensor<1x8192xi8>, tensor<8x8192xi8>) -> tensor<1x8xi32>
  %2 = relay.call @large(%x, %l) : (tensor<1x8192xi8>, tensor<8x8192xi8>) -> tensor<1x8xi32>
  %3 = relay.call @unsigned(%y, %u) : (tensor<1x8192xui8>, tensor<8x8192xui8>) -> tensor<1x8xi32>
  return %0, %1, %2, %3 : tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>, tensor<1x8xi32>
}
