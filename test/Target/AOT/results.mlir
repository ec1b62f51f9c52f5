// RUN: relay-run %s --check=interpreter | FileCheck %s

// Results that no kernel computes are copied: parameters, constants, values that
// are returned twice, under one shape or two.

// CHECK: 'parameter': agrees
// CHECK: 'constant': agrees
// CHECK: 'value': agrees
// CHECK: 'again': agrees
// CHECK: 'unsigned': agrees
// CHECK: 'bool': agrees
// CHECK: 'reshaped': agrees
// CHECK: 'unsigned_constant': agrees
func.func @main(%x: tensor<?x4xf32> {relay.name = "x", relay.dims = ["n", ""]},
                %u: tensor<4xui8>, %b: tensor<4xi1>)
    -> (tensor<?x4xf32> {relay.name = "parameter"},
        tensor<2xf32> {relay.name = "constant"},
        tensor<?x4xf32> {relay.name = "value"},
        tensor<?x4xf32> {relay.name = "again"},
        tensor<4xui8> {relay.name = "unsigned"},
        tensor<4xi1> {relay.name = "bool"},
        tensor<?x2x2xf32> {relay.name = "reshaped"},
        tensor<4xui8> {relay.name = "unsigned_constant"}) {
  %c = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = relay.nn.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %v = relay.add %u, %u : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %n = relay.logical_not %b : (tensor<4xi1>) -> tensor<4xi1>
  %r = relay.reshape %y {newshape = [-1, 2, 2]}
    : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  %k = relay.constant dense<[200, 100, 1, 2]> : tensor<4xui8>
  %w = relay.maximum %u, %k : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %x, %c, %y, %y, %v, %n, %r, %w
    : tensor<?x4xf32>, tensor<2xf32>, tensor<?x4xf32>, tensor<?x4xf32>,
      tensor<4xui8>, tensor<4xi1>, tensor<?x2x2xf32>, tensor<4xui8>
}
