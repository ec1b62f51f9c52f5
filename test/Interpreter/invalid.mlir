// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' \
// RUN:   --split-input-file --verify-diagnostics

// What only the data can get wrong: each is an error at the operator.

func.func @take() -> tensor<1xf32> {
  %x = relay.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = relay.constant dense<3> : tensor<1xi32>
  // expected-error @below {{expects indices in [-3, 3), but got 3}}
  %0 = relay.take %x, %i {axis = 0, mode = "fast"} : (tensor<3xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @gather() -> tensor<1xf32> {
  %x = relay.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %i = relay.constant dense<-4> : tensor<1xi64>
  // expected-error @below {{expects indices in [-3, 3), but got -4}}
  %0 = relay.gather %x, %i {axis = 0} : (tensor<3xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @gather_nd() -> tensor<1xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3xf32>
  %i = relay.constant dense<[[1], [3]]> : tensor<2x1xi64>
  // expected-error @below {{expects indices in [-3, 3), but got 3}}
  %0 = relay.gather_nd %x, %i : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @scatter_elements() -> tensor<3xf32> {
  %x = relay.constant dense<1.0> : tensor<3xf32>
  %i = relay.constant dense<9> : tensor<1xi64>
  %u = relay.constant dense<1.0> : tensor<1xf32>
  // expected-error @below {{expects indices in [-3, 3), but got 9}}
  %0 = relay.scatter_elements %x, %i, %u : (tensor<3xf32>, tensor<1xi64>, tensor<1xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @range(%x: tensor<i32>) -> tensor<?xi32> {
  // expected-error @below {{expects a step other than 0, but got 0}}
  %0 = relay.arange %x, %x, %x {dtype = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
func.func @step() -> tensor<?xi32> {
  %x = relay.constant dense<0> : tensor<i32>
  %0 = relay.call @range(%x) : (tensor<i32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func private @range(%x: tensor<i64>, %n: tensor<i64>, %step: tensor<i64>) -> tensor<?xi64> {
  // expected-error @below {{expects tensors of at most}}
  %0 = relay.arange %x, %n, %step {dtype = i64} : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}
func.func @many() -> tensor<?xi64> {
  %x = relay.constant dense<0> : tensor<i64>
  %n = relay.constant dense<549755813893> : tensor<i64>
  %step = relay.constant dense<1> : tensor<i64>
  %0 = relay.call @range(%x, %n, %step) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

func.func @no_elements() -> tensor<2xi32> {
  %x = relay.constant dense<> : tensor<2x0xf32>
  // expected-error @below {{expects elements to reduce, but got 'tensor<2x0xf32>'}}
  %0 = relay.argmax %x {axis = [1]} : (tensor<2x0xf32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expects shapes that broadcast, but got (2) and (3)}}
  %0 = relay.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @broadcast() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %y = relay.constant dense<1.0> : tensor<3xf32>
  %0 = relay.call @add(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @reshape(%x: tensor<?xf32>) -> tensor<2x?xf32> {
  // expected-error @below {{expects newshape to divide the 3 elements of data, but got [2, -1]}}
  %0 = relay.reshape %x {newshape = [2, -1]} : (tensor<?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
func.func @reshapes() -> tensor<2x?xf32> {
  %x = relay.constant dense<1.0> : tensor<3xf32>
  %0 = relay.call @reshape(%x) : (tensor<3xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

func.func private @conv(%x: tensor<1x?x4x4xf32>, %w: tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32> {
  // expected-error @below {{expects 3 input channels (weight is 'tensor<2x3x1x1xf32>', groups is 1), but got 5}}
  %0 = relay.nn.conv2d %x, %w : (tensor<1x?x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}
func.func @channels() -> tensor<1x2x4x4xf32> {
  %x = relay.constant dense<1.0> : tensor<1x5x4x4xf32>
  %w = relay.constant dense<1.0> : tensor<2x3x1x1xf32>
  %0 = relay.call @conv(%x, %w) : (tensor<1x5x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// -----

func.func private @matmul(%x: tensor<2x?xf32>, %w: tensor<4x?xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{expects a reduced size of 5 (second operand is 'tensor<4x5xf32>'), but got 3}}
  %0 = relay.nn.dense %x, %w : (tensor<2x?xf32>, tensor<4x?xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
func.func @sums() -> tensor<2x4xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3xf32>
  %w = relay.constant dense<1.0> : tensor<4x5xf32>
  %0 = relay.call @matmul(%x, %w) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func private @pad(%x: tensor<?xf32>, %v: tensor<f32>) -> tensor<?xf32> {
  // expected-error @below {{expects pad_width below the size 2 of dimension 0 for pad_mode "reflect", but got 2 and 0}}
  %0 = relay.nn.pad %x, %v {pad_width = [2, 0], pad_mode = "reflect"} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @reflects() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %v = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.call @pad(%x, %v) : (tensor<2xf32>, tensor<f32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @top(%x: tensor<?xf32>) -> tensor<5xf32> {
  // expected-error @below {{expects k up to 3, but got 5}}
  %0 = relay.topk %x {k = 5, ret_type = "values"} : (tensor<?xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @tops() -> tensor<5xf32> {
  %x = relay.constant dense<1.0> : tensor<3xf32>
  %0 = relay.call @top(%x) : (tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// A result that the declared type does not allow.
func.func private @static(%x: tensor<?xf32>) -> tensor<3xf32> {
  // expected-error @below {{expects a result of type 'tensor<3xf32>', but got 'tensor<2xf32>'}}
  %0 = relay.exp %x : (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @refined() -> tensor<3xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %0 = relay.call @static(%x) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func private @named(%x: tensor<3xf32> {relay.name = "image"}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func private @hides(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expects input 0 ("image") of type 'tensor<3xf32>', but got 'tensor<2xf32>'}}
  %0 = relay.call @named(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @inputs() -> tensor<?xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  %0 = relay.call @hides(%x) : (tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
func.func @external() -> tensor<2xf32> {
  %x = relay.constant dense<1.0> : tensor<2xf32>
  // expected-error @below {{expects @declared to have a body, but got a declaration}}
  %0 = relay.call @declared(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @unknown() -> i32 {
  // expected-error @below {{expects an operation with an evaluator, but got one that the interpreter does not know}}
  %0 = arith.constant 1 : i32
  return %0 : i32
}

// -----

func.func @elided() -> tensor<4xf32> {
  // expected-error @below {{expects resource '__elided__' to have data, but got none}}
  %w = relay.constant dense_resource<__elided__> : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func private @resize(%x: tensor<1x1x?x2xf32>) -> tensor<1x1x4x4xf32> {
  // expected-error @below {{expects images with pixels, but got 'tensor<1x1x0x2xf32>'}}
  %0 = relay.image.resize2d %x {size = [4, 4]} : (tensor<1x1x?x2xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
func.func @resizes() -> tensor<1x1x4x4xf32> {
  %x = relay.constant dense<> : tensor<1x1x0x2xf32>
  %0 = relay.call @resize(%x) : (tensor<1x1x0x2xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}
