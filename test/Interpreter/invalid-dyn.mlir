// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' \
// RUN:   --split-input-file --verify-diagnostics

// Shapes that make no sense, known only when the operator runs.

func.func @reshape() -> tensor<?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3xf32>
  %s = relay.constant dense<[5, -1]> : tensor<2xi64>
  // expected-error @below {{expects newshape to divide the 6 elements of data, but got [5, -1]}}
  %0 = relay.dyn.reshape %x, %s : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The code would make a rank that is not the length of the operand.
func.func @reshape() -> tensor<?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3x4xf32>
  %s = relay.constant dense<[0, -2]> : tensor<2xi64>
  // expected-error @below {{expects sizes, 0, -1 or -3 in newshape, but got -2}}
  %0 = relay.dyn.reshape %x, %s : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @expand_dims() -> tensor<?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %a = relay.constant dense<2> : tensor<i32>
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  %0 = relay.dyn.expand_dims %x, %a : (tensor<2xf32>, tensor<i32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @squeeze() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2x1xf32>
  %a = relay.constant dense<0> : tensor<1xi32>
  // expected-error @below {{expects size 1 at axis 0, but got 'tensor<2x1xf32>'}}
  %0 = relay.dyn.squeeze %x, %a : (tensor<2x1xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @broadcast_to() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %s = relay.constant dense<-1> : tensor<1xi32>
  // expected-error @below {{expects sizes not to be negative, but got -1}}
  %0 = relay.dyn.broadcast_to %x, %s : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @broadcast_to() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %s = relay.constant dense<3> : tensor<1xi32>
  // expected-error @below {{expects a shape that 'tensor<2xf32>' broadcasts to, but got [3]}}
  %0 = relay.dyn.broadcast_to %x, %s : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @zeros() -> tensor<?xf32> {
  %s = relay.constant dense<-3> : tensor<1xi32>
  // expected-error @below {{expects sizes not to be negative, but got -3}}
  %0 = relay.dyn.zeros %s {dtype = f32} : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @ones() -> tensor<?x?xf32> {
  %s = relay.constant dense<1048576> : tensor<2xi64>
  // expected-error @below {{expects up to 4294967296 elements, but got 'tensor<1048576x1048576xf32>'}}
  %0 = relay.dyn.ones %s {dtype = f32} : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @ones() -> tensor<?x?xf32> {
  %s = relay.constant dense<4611686018427387904> : tensor<2xi64>
  // expected-error @below {{expects results of fewer than 2^63 bytes, but got 'tensor<4611686018427387904x4611686018427387904xf32>'}}
  %0 = relay.dyn.ones %s {dtype = f32} : (tensor<2xi64>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @one_hot() -> tensor<1x?xf32> {
  %i = relay.constant dense<0> : tensor<1xi32>
  %f = relay.constant dense<0.0> : tensor<f32>
  %d = relay.constant dense<-1> : tensor<i32>
  // expected-error @below {{expects depth not to be negative, but got -1}}
  %0 = relay.dyn.one_hot %i, %f, %f, %d : (tensor<1xi32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

// -----

func.func @tile() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %r = relay.constant dense<-1> : tensor<1xi32>
  // expected-error @below {{expects reps not to be negative, but got [-1]}}
  %0 = relay.dyn.tile %x, %r : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @strided_slice() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %z = relay.constant dense<0> : tensor<1xi32>
  // expected-error @below {{expects strides not to be zero}}
  %0 = relay.dyn.strided_slice %x, %z, %z, %z : (tensor<2xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @pad() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %w = relay.constant dense<[[2, 0]]> : tensor<1x2xi32>
  %f = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects pad_width below the size 2 of dimension 0 for pad_mode "reflect", but got 2 and 0}}
  %0 = relay.dyn.nn.pad %x, %w, %f {pad_mode = "reflect"} : (tensor<2xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @topk() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %k = relay.constant dense<3> : tensor<i32>
  // expected-error @below {{expects k up to 2, but got 3}}
  %0 = relay.dyn.topk %x, %k {ret_type = "values"} : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @upsampling() -> tensor<1x1x?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<1x1x2x2xf32>
  %s = relay.constant dense<-1.0> : tensor<f32>
  // expected-error @below {{expects a positive scale, but got -1}}
  %0 = relay.dyn.nn.upsampling %x, %s, %s : (tensor<1x1x2x2xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1x?x?xf32>
  return %0 : tensor<1x1x?x?xf32>
}

// -----

func.func @resize2d() -> tensor<1x1x?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<1x1x2x2xf32>
  %s = relay.constant dense<[2, 0]> : tensor<2xi32>
  %r = relay.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{expects size to be height and width, but got [2, 0]}}
  %0 = relay.dyn.image.resize2d %x, %s, %r : (tensor<1x1x2x2xf32>, tensor<2xi32>, tensor<4xf32>) -> tensor<1x1x?x?xf32>
  return %0 : tensor<1x1x?x?xf32>
}
