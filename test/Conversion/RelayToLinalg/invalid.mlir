// An operator that has no lowering is named, and the reasons of its patterns
// with it.
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file --verify-diagnostics

// Functions of real numbers have no integer form.
func.func @exp_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+2 {{'relay.exp' op has no lowering to linalg for these types and attributes}}
  // expected-note @+1 {{expects elements of a floating type, but got 'i32'}}
  %0 = relay.exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// No integer arithmetic gives the size.
func.func @fraction_of_dynamic_size(%x: tensor<1x2x?x5xf32>) -> tensor<1x2x?x10xf32> {
  // expected-error @+2 {{'relay.nn.upsampling' op has no lowering to linalg}}
  // expected-note @+1 {{expects a scale that is a quotient of integers up to 2^20 and of a power of two where a size is not known when it is compiled, but got 1.3}}
  %0 = relay.nn.upsampling %x {scale_h = 1.3, scale_w = 2.0} : (tensor<1x2x?x5xf32>) -> tensor<1x2x?x10xf32>
  return %0 : tensor<1x2x?x10xf32>
}

// -----

func.func @images_without_pixels(%x: tensor<1x2x0x5xf32>) -> tensor<1x2x3x10xf32> {
  // expected-error @+2 {{'relay.image.resize2d' op has no lowering to linalg}}
  // expected-note @+1 {{expects images with pixels, but got 'tensor<1x2x0x5xf32>'}}
  %0 = relay.image.resize2d %x {size = [3, 10]} : (tensor<1x2x0x5xf32>) -> tensor<1x2x3x10xf32>
  return %0 : tensor<1x2x3x10xf32>
}

// -----

func.func @groups_of_dynamic_channels(%x: tensor<1x?x5x5xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32> {
  // expected-error @+2 {{'relay.nn.conv2d' op has no lowering to linalg}}
  // expected-note @+1 {{expects a number of channels that is known when it is compiled for a convolution in groups, but got 'tensor<1x?x5x5xf32>' and 'tensor<4x1x3x3xf32>'}}
  %0 = relay.nn.conv2d %x, %w {groups = 2} : (tensor<1x?x5x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// -----

func.func @norm_of_dynamic_channels(%x: tensor<1x?x4xf32>, %s: tensor<?xf32>) -> tensor<1x?x4xf32> {
  // expected-error @+2 {{'relay.nn.group_norm' op has no lowering to linalg}}
  // expected-note @+1 {{expects a number of channels that is known when it is compiled, but got 'tensor<1x?x4xf32>'}}
  %0 = relay.nn.group_norm %x, %s, %s {num_groups = 2} : (tensor<1x?x4xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<1x?x4xf32>
  return %0 : tensor<1x?x4xf32>
}

// -----

func.func @transposed_of_dynamic_kernel(%x: tensor<1x2x4x4xf32>, %w: tensor<2x3x?x3xf32>) -> tensor<1x3x?x6xf32> {
  // expected-error @+2 {{'relay.nn.conv2d_transpose' op has no lowering to linalg}}
  // expected-note @+1 {{expects a kernel, and for groups a number of channels, that are known when it is compiled, but got 'tensor<1x2x4x4xf32>' and 'tensor<2x3x?x3xf32>'}}
  %0 = relay.nn.conv2d_transpose %x, %w : (tensor<1x2x4x4xf32>, tensor<2x3x?x3xf32>) -> tensor<1x3x?x6xf32>
  return %0 : tensor<1x3x?x6xf32>
}

// -----

// The interpreter knows more operators than the compiler.
func.func @no_pattern(%x: tensor<1x6x7x3xi8>, %lut: tensor<0xi8>) -> tensor<1x6x7x3xi8> {
  // expected-error @+2 {{'relay.contrib.ethosu.identity' op has no lowering to linalg}}
  // expected-note @+1 {{the interpreter runs this operator, but there is no code for it yet}}
  %0 = relay.contrib.ethosu.identity %x, %lut {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi8>
  return %0 : tensor<1x6x7x3xi8>
}

// -----

func.func @constant_index_out_of_range(%x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %i = relay.constant dense<[2, -4]> : tensor<2xi32>
  // expected-error @+2 {{'relay.take' op has no lowering to linalg}}
  // expected-note @+1 {{expects indices in [-3, 3), but got -4}}
  %0 = relay.take %x, %i {axis = 0, mode = "fast"} : (tensor<3x4xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @positions(%x: tensor<5xf32>) -> tensor<?x1xi32> {
  // expected-error @+2 {{'relay.argwhere' op has no lowering to linalg for these types and attributes}}
  // expected-note @+1 {{its elements decide how large the result is; the executors aot and vm compile that, into a shared object}}
  %0 = relay.argwhere %x : (tensor<5xf32>) -> tensor<?x1xi32>
  return %0 : tensor<?x1xi32>
}

// -----

// Also where the result is a tuple.
func.func @samples(%key: tensor<10xui64>, %probs: tensor<2x0xf32>)
    -> tuple<tensor<10xui64>, tensor<2x1xi32>> {
  // expected-error @+2 {{'relay.random.multinomial' op has no lowering to linalg for these types and attributes}}
  // expected-note @+1 {{expects probs that are not empty, but got 'tensor<2x0xf32>'}}
  %0 = relay.random.multinomial %key, %probs
      : (tensor<10xui64>, tensor<2x0xf32>)
      -> tuple<tensor<10xui64>, tensor<2x1xi32>>
  return %0 : tuple<tensor<10xui64>, tensor<2x1xi32>>
}

// -----

// Types of fields are not inferred yet.
func.func @field(%t: !relay.incomplete) -> !relay.incomplete {
  // expected-error @+2 {{'relay.tuple_get_item' op has no lowering to linalg}}
  // expected-note @+1 {{the type is not known}}
  %0 = relay.tuple_get_item %t[1] : !relay.incomplete
  return %0 : !relay.incomplete
}
