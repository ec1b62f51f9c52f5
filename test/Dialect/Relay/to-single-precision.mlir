// RUN: relay-opt %s --relay-to-single-precision --canonicalize --split-input-file | FileCheck %s

// What is between arguments and results computes in f32; these keep their
// types. Attributes that name a type name the new one.

// CHECK-LABEL: func.func @network
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf16>, %[[D:.*]]: tensor<2x4xf64>) -> (tensor<2x4xf16>, tensor<2x4xbf16>)
// CHECK-DAG: %[[A:.*]] = relay.cast %[[X]] {dtype = f32}
// CHECK-DAG: relay.cast %[[D]] {dtype = f32}
// CHECK: %[[P:.*]] = relay.nn.dense %[[A]], {{.*}} {out_dtype = f32} : {{.*}} -> tensor<2x4xf32>
// CHECK: relay.zeros {{.*}}dtype = f32{{.*}} -> tensor<2x4xf32>
// CHECK-NOT: dtype = f64
// CHECK: %[[S:.*]] = relay.nn.softmax {{.*}} -> tensor<2x4xf32>
// CHECK-DAG: relay.cast %[[S]] {dtype = bf16}
// CHECK-DAG: relay.cast {{.*}} {dtype = f16}
// CHECK-NOT: relay.cast
// CHECK: return
func.func @network(%x: tensor<2x3xf16>, %d: tensor<2x4xf64>) -> (tensor<2x4xf16>, tensor<2x4xbf16>) {
  %w = relay.constant dense<0.5> : tensor<4x3xf16>
  %0 = relay.nn.dense %x, %w {out_dtype = f16} : (tensor<2x3xf16>, tensor<4x3xf16>) -> tensor<2x4xf16>
  %1 = relay.cast %0 {dtype = f64} : (tensor<2x4xf16>) -> tensor<2x4xf64>
  %2 = relay.add %1, %d : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %z = relay.zeros {shape = [2, 4], dtype = f64} : () -> tensor<2x4xf64>
  %3 = relay.maximum %2, %z : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x4xf64>
  %4 = relay.nn.softmax %3 : (tensor<2x4xf64>) -> tensor<2x4xf64>
  %5 = relay.cast %4 {dtype = bf16} : (tensor<2x4xf64>) -> tensor<2x4xbf16>
  %6 = relay.cast %3 {dtype = f16} : (tensor<2x4xf64>) -> tensor<2x4xf16>
  return %6, %5 : tensor<2x4xf16>, tensor<2x4xbf16>
}

// -----

// Bounds that f32 does not have, and bits of a type, stay.

// CHECK-LABEL: func.func @stays
// CHECK: relay.clip {{.*}} -> tensor<4xf64>
// CHECK: relay.reinterpret {{.*}} : (tensor<4xf64>) -> tensor<4xi64>
// CHECK: relay.clip {{.*}} -> tensor<4xf32>
func.func @stays(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xi64>, tensor<4xf64>) {
  %0 = relay.exp %x : (tensor<4xf64>) -> tensor<4xf64>
  %1 = relay.clip %0 {a_min = 0.0, a_max = 1.0e300} : (tensor<4xf64>) -> tensor<4xf64>
  %2 = relay.reinterpret %0 {dtype = i64} : (tensor<4xf64>) -> tensor<4xi64>
  %3 = relay.clip %0 {a_min = 0.0, a_max = 6.0} : (tensor<4xf64>) -> tensor<4xf64>
  return %1, %2, %3 : tensor<4xf64>, tensor<4xi64>, tensor<4xf64>
}
