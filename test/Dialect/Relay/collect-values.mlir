// RUN: relay-opt %s --relay-collect-values="values=3,0 maxima=2" | FileCheck %s
// RUN: not relay-opt %s --relay-collect-values=values=9 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relay-opt %s --relay-collect-values=maxima=1 2>&1 | FileCheck %s --check-prefix=FLOATS

// Arguments are 0 and 1, and operators have the numbers behind them.

// NUMBER: error: expects numbers of its 4 values, but got 9
// FLOATS: error: expects a tensor of floats, but got 'tensor<3xi32>'

// CHECK: func.func @main(%[[X:.*]]: tensor<2x3xf32>, %{{.*}}: tensor<3xi32>) -> tuple<tensor<3x3xf32>, tensor<2x3xf32>, tensor<f32>>
// CHECK: %[[E:.*]] = relay.exp %[[X]]
// CHECK: %[[T:.*]] = relay.take %[[E]]
// CHECK: %[[A:.*]] = relay.abs %[[E]]
// CHECK: %[[M:.*]] = relay.max %[[A]] {{.*}} -> tensor<f32>
// CHECK: relay.tuple %[[T]], %[[X]], %[[M]]
func.func @main(%x: tensor<2x3xf32>, %i: tensor<3xi32>) -> tensor<3x3xf32> {
  %0 = relay.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.take %0, %i {axis = 0} : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}
