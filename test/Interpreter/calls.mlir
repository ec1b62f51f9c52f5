// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' | FileCheck %s

// A primitive function may return several results; sizes are those of the
// operands, whatever the types leave open.
func.func private @both(%x: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<i32>) attributes {relay.primitive} {
  %0 = relay.nn.relu %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = relay.ndarray_size %x : (tensor<?x3xf32>) -> tensor<i32>
  return %0, %1 : tensor<?x3xf32>, tensor<i32>
}

// CHECK: call @both -> 2 results
// CHECK: call @both -> 2 results
// CHECK: @calls#0 = dense<{{.*}}[1.000000e+00, 0.000000e+00, 3.000000e+00]]> : tensor<1x3xf32>
// CHECK: @calls#1 = dense<6> : tensor<i32>
func.func @calls() -> (tensor<?x3xf32>, tensor<i32>) {
  %a = relay.constant dense<[[1.0, -2.0, 3.0]]> : tensor<1x3xf32>
  %b = relay.constant dense<-1.0> : tensor<2x3xf32>
  %0:2 = relay.call @both(%a) : (tensor<1x3xf32>) -> (tensor<?x3xf32>, tensor<i32>)
  %1:2 = relay.call @both(%b) : (tensor<2x3xf32>) -> (tensor<?x3xf32>, tensor<i32>)
  return %0#0, %1#1 : tensor<?x3xf32>, tensor<i32>
}

// Calls of calls, and a function without operations.
func.func private @identity(%x: tensor<2xi8>) -> tensor<2xi8> {
  return %x : tensor<2xi8>
}
func.func private @twice(%x: tensor<2xi8>) -> tensor<2xi8> {
  %0 = relay.call @identity(%x) : (tensor<2xi8>) -> tensor<2xi8>
  %1 = func.call @identity(%0) : (tensor<2xi8>) -> tensor<2xi8>
  return %1 : tensor<2xi8>
}
// CHECK: call @identity -> 1 results
// CHECK: call @identity -> 1 results
// CHECK: call @twice -> 1 results
// CHECK: @nested#0 = dense<[4, -5]> : tensor<2xi8>
func.func @nested() -> tensor<2xi8> {
  %x = relay.constant dense<[4, -5]> : tensor<2xi8>
  %0 = relay.call @twice(%x) : (tensor<2xi8>) -> tensor<2xi8>
  return %0 : tensor<2xi8>
}

// Tuples, also of tuples.
// CHECK: @tuples#0 = (dense<1> : tensor<i8>, (dense<2> : tensor<i8>, dense<1> : tensor<i8>))
// CHECK: @tuples#1 = dense<2> : tensor<i8>
func.func @tuples() -> (tuple<tensor<i8>, tuple<tensor<i8>, tensor<i8>>>, tensor<i8>) {
  %a = relay.constant dense<1> : tensor<i8>
  %b = relay.constant dense<2> : tensor<i8>
  %0 = relay.tuple %b, %a : tensor<i8>, tensor<i8>
  %1 = relay.tuple %a, %0 : tensor<i8>, tuple<tensor<i8>, tensor<i8>>
  %2 = relay.tuple_get_item %1[1] : tuple<tensor<i8>, tuple<tensor<i8>, tensor<i8>>>
  %3 = relay.tuple_get_item %2[0] : tuple<tensor<i8>, tensor<i8>>
  return %1, %3 : tuple<tensor<i8>, tuple<tensor<i8>, tensor<i8>>>, tensor<i8>
}

// Resources are read where they are; a bool takes a byte there.
// CHECK: @resources#0 = dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK: @resources#1 = dense<[false, true, true]> : tensor<3xi1>
func.func @resources() -> (tensor<2xf32>, tensor<3xi1>) {
  %w = relay.constant dense_resource<weight> : tensor<2xf32>
  %b = relay.constant dense_resource<bools> : tensor<3xi1>
  %one = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.add %w, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = relay.logical_not %b : (tensor<3xi1>) -> tensor<3xi1>
  return %0, %1 : tensor<2xf32>, tensor<3xi1>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803f00000040",
      bools: "0x01000000010000"
    }
  }
#-}
