// RUN: relay-opt %s --relay-to-mixed-precision --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-to-mixed-precision='type=bf16 keep-output-types=true' --split-input-file | FileCheck %s --check-prefix=KEEP
// RUN: relay-opt %s --relay-to-mixed-precision='never=nn.conv2d always=nn.softmax accumulate=nn.dense=f32' --split-input-file | FileCheck %s --check-prefix=NAMED
// RUN: not relay-opt %s --relay-to-mixed-precision='type=f32' --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not relay-opt %s --relay-to-mixed-precision='missing=no' --split-input-file 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not relay-opt %s --relay-to-mixed-precision='accumulate=nn.dense' --split-input-file 2>&1 | FileCheck %s --check-prefix=SUMS

// TYPE: error: expects type to be f16 or bf16, but got 'f32'
// MISSING: error: expects missing to be error, warning or ignore, but got 'no'
// SUMS: error: expects accumulate to have entries such as nn.conv2d=f32, but got 'nn.dense'

// Products come first, what follows stays, sums go back. One cast for all.

// CHECK-LABEL: func.func @network
// CHECK-SAME: -> (tensor<1x4x6x6xf16>, tensor<1x4x6x6xf32>, tensor<1x4xf32>)
// CHECK-DAG: %[[X:.*]] = relay.cast %arg0 {dtype = f16}
// CHECK-DAG: %[[W:.*]] = relay.cast %arg1 {dtype = f16}
// CHECK: %[[C:.*]] = relay.nn.conv2d %[[X]], %[[W]] {{.*}} -> tensor<1x4x6x6xf16>
// CHECK: %[[A:.*]] = relay.add %[[C]], %{{.*}} : (tensor<1x4x6x6xf16>, tensor<4x1x1xf16>)
// CHECK: %[[R:.*]] = relay.nn.relu %[[A]] : (tensor<1x4x6x6xf16>)
// CHECK: %[[F:.*]] = relay.cast %[[R]] {dtype = f32}
// CHECK: relay.nn.softmax %[[F]] {{.*}} -> tensor<1x4x6x6xf32>
// CHECK: relay.mean %[[F]] {{.*}} -> tensor<1x4xf32>
// CHECK-NOT: relay.cast
// KEEP-LABEL: func.func @network
// KEEP-SAME: -> (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4xf32>)
// KEEP: relay.nn.conv2d {{.*}} -> tensor<1x4x6x6xbf16>
// KEEP: %[[R:.*]] = relay.nn.relu
// KEEP: %[[F:.*]] = relay.cast %[[R]] {dtype = f32}
// KEEP: return %[[F]],
// NAMED-LABEL: func.func @network
// NAMED: relay.nn.conv2d {{.*}} -> tensor<1x4x6x6xf32>
// NAMED: relay.nn.softmax {{.*}} -> tensor<1x4x6x6xf16>
func.func @network(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>) -> (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4xf32>) {
  %0 = relay.nn.conv2d %x, %w {out_dtype = f32} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.add %0, %b : (tensor<1x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.nn.relu %1 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %3 = relay.nn.softmax %2 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %4 = relay.mean %2 {axis = [2, 3]} : (tensor<1x4x6x6xf32>) -> tensor<1x4xf32>
  return %2, %3, %4 : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>, tensor<1x4xf32>
}

// -----

// Sums in f32 of a result in f16, if asked for; f64 and integers stay; so do
// bounds that f16 does not have, and what follows something in f32.

// CHECK-LABEL: func.func @types
// CHECK: relay.nn.dense {{.*}} -> tensor<2x4xf16>
// CHECK: relay.nn.dense {{.*}} -> tensor<2x4xf64>
// CHECK: relay.take {{.*}} : (tensor<2x4xf16>, tensor<3xi32>) -> tensor<3x4xf16>
// CHECK: relay.clip {{.*}} {a_max = 1.000000e+06{{.*}} -> tensor<2x4xf32>
// CHECK: relay.clip {{.*}} {a_max = 6.000000e+00{{.*}} -> tensor<2x4xf16>
// CHECK: %[[E:.*]] = relay.exp {{.*}} -> tensor<2x4xf32>
// CHECK: relay.add %[[E]], %{{.*}} : (tensor<2x4xf32>, tensor<2x4xf32>)
// CHECK: relay.argmax {{.*}} : (tensor<2x4xf16>) -> tensor<2xi32>
// NAMED-LABEL: func.func @types
// NAMED: %[[D:.*]] = relay.nn.dense {{.*}} {out_dtype = f32} : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf32>
// NAMED: relay.cast %[[D]] {dtype = f16}
func.func @types(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %d: tensor<2x3xf64>, %e: tensor<4x3xf64>, %i: tensor<3xi32>) -> (tensor<2x4xf64>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xi32>) {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %d, %e : (tensor<2x3xf64>, tensor<4x3xf64>) -> tensor<2x4xf64>
  %2 = relay.take %0, %i {axis = 0} : (tensor<2x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  %3 = relay.clip %0 {a_min = 0.0, a_max = 1.0e6} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = relay.clip %0 {a_min = 0.0, a_max = 6.0} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = relay.exp %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = relay.add %5, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = relay.argmax %0 {axis = [1]} : (tensor<2x4xf32>) -> tensor<2xi32>
  return %1, %2, %3, %4, %6, %7 : tensor<2x4xf64>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xi32>
}

// -----

// Tuples, variables, branches and calls.

// CHECK-LABEL: func.func private @callee
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK: %[[M:.*]] = relay.add {{.*}} -> tensor<2x3xf16>
// CHECK: %[[B:.*]] = relay.cast %[[M]] {dtype = f32}
// CHECK: return %[[B]]
// CHECK-LABEL: func.func @language
// CHECK-SAME: -> tensor<2x3xf32>
// CHECK: %[[P:.*]] = relay.split {{.*}} -> tuple<tensor<2x3xf16>, tensor<2x3xf16>>
// CHECK: %[[L:.*]] = relay.let "l" %{{.*}} : tensor<2x3xf16>
// CHECK: %[[T:.*]] = relay.if %{{.*}} -> tensor<2x3xf32> {
// CHECK: relay.yield %{{.*}} : tensor<2x3xf32>
// CHECK: relay.call @callee(%[[T]]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func private @callee(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @language(%x: tensor<2x6xf32>, %c: tensor<i1>) -> tensor<2x3xf32> {
  %0 = relay.split %x {indices_or_sections = 2 : i64, axis = 1} : (tensor<2x6xf32>) -> tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  %2 = relay.let "l" %1 : tensor<2x3xf32>
  %3 = relay.if %c : tensor<i1> -> tensor<2x3xf32> {
    %5 = relay.negative %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    relay.yield %5 : tensor<2x3xf32>
  } else {
    relay.yield %2 : tensor<2x3xf32>
  }
  %4 = relay.call @callee(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// -----

// A tuple goes back field by field.

// CHECK-LABEL: func.func @tuples
// CHECK: %[[T:.*]] = relay.tuple %{{.*}}, %arg1 : tensor<2xf16>, tensor<3xi32>
// CHECK: %[[A:.*]] = relay.tuple_get_item %[[T]][0]
// CHECK: %[[B:.*]] = relay.cast %[[A]] {dtype = f32}
// CHECK: %[[C:.*]] = relay.tuple_get_item %[[T]][1]
// CHECK: %[[U:.*]] = relay.tuple %[[B]], %[[C]]
// CHECK: relay.call @use(%[[U]])
func.func private @use(%x: tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<2xf32> {
  %0 = relay.tuple_get_item %x[0] : tuple<tensor<2xf32>, tensor<3xi32>>
  return %0 : tensor<2xf32>
}
func.func @tuples(%x: tensor<2xf32>, %i: tensor<3xi32>) -> tensor<2xf32> {
  %0 = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.tuple %0, %i : tensor<2xf32>, tensor<3xi32>
  %2 = relay.call @use(%1) : (tuple<tensor<2xf32>, tensor<3xi32>>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// -----

// What takes floats of 32 bits only keeps them.

// CHECK-LABEL: func.func @quantized(
// CHECK:         %[[PRODUCT:.*]] = relay.nn.dense
// CHECK:         %[[WIDE:.*]] = relay.cast %{{.*}} {dtype = f32}
// CHECK:         relay.qnn.quantize %[[WIDE]], %{{.*}} : (tensor<1x3xf32>, tensor<f32>, tensor<i32>) -> tensor<1x3xi8>
func.func @quantized(%x: tensor<1x4xf32>, %w: tensor<3x4xf32>) -> tensor<1x3xi8> {
  %scale = relay.constant dense<5.0e-01> : tensor<f32>
  %zero = relay.constant dense<0> : tensor<i32>
  %0 = relay.nn.dense %x, %w : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<1x3xf32>
  %1 = relay.qnn.quantize %0, %scale, %zero {out_dtype = i8} : (tensor<1x3xf32>, tensor<f32>, tensor<i32>) -> tensor<1x3xi8>
  return %1 : tensor<1x3xi8>
}
