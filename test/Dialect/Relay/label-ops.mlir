// RUN: relay-opt %s --relay-label-ops | FileCheck %s

// Equal functions have one hash, whatever their names are; others another one.

// CHECK: func.func private @a{{.*}}relay.attrs = {data_layout = "NHWC", hash = "[[HASH:[0-9a-f]+]]", kernel_layout = "HWIO", out_layout = ""}
// CHECK: func.func private @b{{.*}}relay.attrs = {data_layout = "NHWC", hash = "[[HASH]]", kernel_layout = "HWIO", out_layout = ""}
// CHECK-NOT: hash = "[[HASH]]"
// CHECK: func.func private @other{{.*}}relay.attrs = {hash = "[[OTHER:[0-9a-f]+]]"}
// CHECK: func.func private @labelled{{.*}}relay.attrs = {hash = "mine"}
// CHECK: func.func private @constant{{.*}}hash
// CHECK-NOT: hash = "[[OTHER]]"
// CHECK: func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
// CHECK: relay.fn
// CHECK-SAME: relay.attrs = {hash = "{{[0-9a-f]+}}", mine = 1 : i64}
func.func private @a(%x: tensor<1x4x4x3xf32>, %w: tensor<1x1x3x5xf32>) -> tensor<1x4x4x5xf32> attributes {relay.primitive} {
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO", out_layout = ""} : (tensor<1x4x4x3xf32>, tensor<1x1x3x5xf32>) -> tensor<1x4x4x5xf32>
  return %0 : tensor<1x4x4x5xf32>
}
func.func private @b(%data: tensor<1x4x4x3xf32>, %kernel: tensor<1x1x3x5xf32>) -> tensor<1x4x4x5xf32> attributes {relay.primitive} {
  %conv = relay.nn.conv2d %data, %kernel {data_layout = "NHWC", kernel_layout = "HWIO", out_layout = ""} : (tensor<1x4x4x3xf32>, tensor<1x1x3x5xf32>) -> tensor<1x4x4x5xf32>
  return %conv : tensor<1x4x4x5xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %c = relay.constant dense<1.0> : tensor<4xf32>
  %0 = relay.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @labelled(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive, relay.attrs = {hash = "mine"}} {
  return %x : tensor<4xf32>
}
func.func private @constant(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %c = relay.constant dense<2.0> : tensor<4xf32>
  %0 = relay.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive, relay.attrs = {mine = 1 : i64}} {
    %1 = relay.exp %p : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
