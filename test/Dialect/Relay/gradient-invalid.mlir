// RUN: relay-opt %s --relay-gradient --split-input-file --verify-diagnostics

// expected-error@below {{expects the name of a function of the module, but got '@main'}}
module {
}

// -----

// expected-error@below {{expects tensors and tuples of them for parameters of a function to differentiate, but got '!relay.ref<tensor<f32>>' for parameter 0}}
func.func @main(%r: !relay.ref<tensor<f32>>) -> tensor<f32> {
  %0 = relay.ref_read %r : (!relay.ref<tensor<f32>>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@below {{expects a result with floats to differentiate, but got 'tensor<i32>'}}
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}

// -----

// expected-error@below {{expects a function with a body of one block to differentiate}}
func.func private @main(tensor<f32>) -> tensor<f32>

// -----

func.func @main(%x: tensor<1x3x4x4xf32>, %r: tensor<2x5xf32>)
    -> tensor<1x4x4xf32> {
  // expected-error@below {{expects operators whose gradients are known, but got 'relay.vision.roi_pool', 'relay.vision.multibox_prior'}}
  // expected-note@below {{an operator tells its gradient by GradientOpInterface}}
  %0 = relay.vision.roi_pool %x, %r {pooled_size = [2, 2], spatial_scale = 1.0}
      : (tensor<1x3x4x4xf32>, tensor<2x5xf32>) -> tensor<2x3x2x2xf32>
  // expected-note@below {{'relay.vision.multibox_prior' is here}}
  %1 = relay.vision.multibox_prior %0
      : (tensor<2x3x2x2xf32>) -> tensor<1x4x4xf32>
  return %1 : tensor<1x4x4xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects functions that are not compiled as they are for a gradient, but got one; relay-defuse-ops makes operators of it}}
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
    %0 = relay.exp %y : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %0 : tensor<2xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects functions with a body of one block and one result, that are not compiled as they are, for a gradient, but got @elsewhere}}
  %0 = relay.call @elsewhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32>
    attributes {relay.attrs = {FPrimalGradient = "missing"}} {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects a function @missing, the gradient of the one that it calls, but there is none}}
  %0 = relay.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32>
    attributes {relay.attrs = {FPrimalGradient = "f"}} {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects the gradient @f to be of type '(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2xf32>>', but it is of type '(tensor<2xf32>) -> tensor<2xf32>'}}
  %0 = relay.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Of some attributes and sizes there is none.

func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x1xi32>, %u: tensor<2x1xf32>)
    -> tensor<2x3xf32> {
  // expected-error@below {{expects update, add, mul, min or max, but got mean}}
  // expected-note@below {{its gradient is not known otherwise; one can be given by a function with the attribute FPrimalGradient}}
  %0 = relay.scatter_elements %x, %i, %u {axis = 1, reduction = "mean"}
      : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @main(%x: tensor<1x2x?x8xf32>, %w: tensor<3x2x3x3xf32>)
    -> tensor<1x3x?x6xf32> {
  // expected-error@below {{expects known sizes of data and weight, but got 'tensor<1x2x?x8xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.conv2d %x, %w
      : (tensor<1x2x?x8xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x?x6xf32>
  return %0 : tensor<1x3x?x6xf32>
}

// -----

func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error@below {{expects known sizes along axis 0 of all operands but one, but got 'tensor<?x3xf32>', 'tensor<?x3xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.concatenate %x, %x
      : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

// expected-error@below {{expects a function of one result to differentiate, but got 2}}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @two(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %x, %x : tensor<2xf32>, tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects calls of one result for a gradient, but got 2 results}}
  %0:2 = relay.call @two(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> {
    relay.yield %y : tensor<2xf32>
  }
  %args = relay.tuple %x : tensor<2xf32>
  // expected-error@below {{expects operators on tensors, and constructs of Relay, for a gradient}}
  %0 = relay.call_lowered %f, %args
      : ((tensor<2xf32>) -> tensor<2xf32>, tuple<tensor<2xf32>>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x2x?x6xf32>) -> tensor<1x2x4x3xf32> {
  // expected-error@below {{expects known spatial sizes of 1 to 2048, but got 'tensor<1x2x?x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.image.resize2d %x {size = [4, 3]}
      : (tensor<1x2x?x6xf32>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}

// -----

func.func @main(%x: tensor<2x?xf32>, %t: tensor<2xi32>, %w: tensor<?xf32>)
    -> tensor<f32> {
  // expected-error@below {{expects a known number of classes, but got 'tensor<2x?xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.nll_loss %x, %t, %w {ignore_index = -100}
      : (tensor<2x?xf32>, tensor<2xi32>, tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @main(%x: tensor<1x1x4x4x4xf32>) -> tensor<1x1x1x1x4xf32> {
  // expected-error@below {{expects a layout without parts, the same for data and result, but got NCHW4c}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.global_avg_pool2d %x {layout = "NCHW4c"}
      : (tensor<1x1x4x4x4xf32>) -> tensor<1x1x1x1x4xf32>
  return %0 : tensor<1x1x1x1x4xf32>
}

// -----

func.func @main(%x: tensor<1x2x?x6xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@below {{expects known spatial sizes of data, but got 'tensor<1x2x?x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.adaptive_max_pool2d %x {output_size = [2]}
      : (tensor<1x2x?x6xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

func.func @main(%x: tensor<1x2x?x6x6xf32>) -> tensor<1x2x?x6x6xf32> {
  // expected-error@below {{expects known sizes of data, but got 'tensor<1x2x?x6x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.avg_pool3d %x {pool_size = [1, 1, 1]}
      : (tensor<1x2x?x6x6xf32>) -> tensor<1x2x?x6x6xf32>
  return %0 : tensor<1x2x?x6x6xf32>
}

// -----

func.func @main(%x: tensor<1x2x?x6xf32>, %w: tensor<2x3x3xf32>) -> tensor<1x2x?x4xf32> {
  // expected-error@below {{expects known sizes of data and weight, but got 'tensor<1x2x?x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.image.dilation2d %x, %w
      : (tensor<1x2x?x6xf32>, tensor<2x3x3xf32>) -> tensor<1x2x?x4xf32>
  return %0 : tensor<1x2x?x4xf32>
}

// -----

func.func @main(%x: tensor<?x2x5x6xf32>, %y: tensor<?x2x5x6xf32>) -> tensor<?x9x3x4xf32> {
  // expected-error@below {{expects known sizes of data, but got 'tensor<?x2x5x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.correlation %x, %y
      : (tensor<?x2x5x6xf32>, tensor<?x2x5x6xf32>) -> tensor<?x9x3x4xf32>
  return %0 : tensor<?x9x3x4xf32>
}

// -----

func.func @main(%x: tensor<?x?x5x6xf32>, %g: tensor<?x2x3x4xf32>) -> tensor<?x?x3x4xf32> {
  // expected-error@below {{expects known sizes but that of the batch, but got 'tensor<?x?x5x6xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.image.grid_sample %x, %g
      : (tensor<?x?x5x6xf32>, tensor<?x2x3x4xf32>) -> tensor<?x?x3x4xf32>
  return %0 : tensor<?x?x3x4xf32>
}

// -----

func.func @main(%x: tensor<1x2x5x6xf32>, %r: tensor<3x5xf32>) -> tensor<3x2x2x2xf32> {
  // expected-error@below {{expects a positive sample_ratio, but got -1}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.vision.roi_align %x, %r {pooled_size = [2, 2], spatial_scale = 1.0}
      : (tensor<1x2x5x6xf32>, tensor<3x5xf32>) -> tensor<3x2x2x2xf32>
  return %0 : tensor<3x2x2x2xf32>
}

// -----

func.func @main(%x: tensor<?x4xf32>, %d: tensor<5xf32>, %i: tensor<5xi32>, %p: tensor<3xi32>)
    -> tensor<?x2xf32> {
  // expected-error@below {{expects known sizes of its matrices, but got 'tensor<?x4xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.nn.sparse_dense %x, %d, %i, %p
      : (tensor<?x4xf32>, tensor<5xf32>, tensor<5xi32>, tensor<3xi32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @main(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, %y: tensor<2x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>)
    -> tensor<2xf32> {
  // expected-error@below {{expects at most 52 dimensions in equation, but got more}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.einsum %x, %y
      {equation = "abcdefghijklmnopqrstuvwxyz,...ABCDEFGHIJKLMNOPQRSTUVWXYZ->..."}
      : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>,
         tensor<2x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<1x2x0x5xf32>) -> tensor<1x2x3x10xf32> {
  // expected-error@below {{expects known spatial sizes of 1 to 2048, but got 'tensor<1x2x0x5xf32>'}}
  // expected-note@below {{its gradient is not known otherwise}}
  %0 = relay.image.resize2d %x {size = [3, 10]}
      : (tensor<1x2x0x5xf32>) -> tensor<1x2x3x10xf32>
  return %0 : tensor<1x2x3x10xf32>
}
