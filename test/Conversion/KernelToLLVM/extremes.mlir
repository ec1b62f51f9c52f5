// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-approximate-math | FileCheck %s

// CHECK-LABEL: func @reduction
// CHECK-SAME: %[[V:.*]]: vector<4xf32>
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [2]
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[V]] {offsets = [2], sizes = [2]
// CHECK: %[[HALF:.*]] = arith.maximumf %[[LOW]], %[[HIGH]] : vector<2xf32>
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK: vector.extract
func.func @reduction(%v: vector<4xf32>) -> f32 {
  %0 = vector.reduction <maximumf>, %v : vector<4xf32> into f32
  return %0 : f32
}

// A NaN fails the comparison and stays.
// CHECK-LABEL: func @relu
// CHECK-SAME: %[[V:.*]]: vector<8xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0
// CHECK: %[[BELOW:.*]] = arith.cmpf ogt, %[[ZERO]], %[[V]]
// CHECK: arith.select %[[BELOW]], %[[ZERO]], %[[V]]
func.func @relu(%v: vector<8xf32>) -> vector<8xf32> {
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %0 = arith.maximumf %v, %zero : vector<8xf32>
  return %0 : vector<8xf32>
}
