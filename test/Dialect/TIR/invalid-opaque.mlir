// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @no_dimension(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects different dimensions of the first destination, of rank 1, but got 1}}
  %y = tir.opaque along [1] outs(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: index, %to: memref<4xf32>):
  }
  return %y : tensor<4xf32>
}

// -----

func.func @no_destination(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a destination with dimensions 0, but got none}}
  tir.opaque along [0] ins(%x : tensor<4xf32>) {
  ^bb0(%i: index, %from: memref<4xf32>):
  }
  return
}

// -----

func.func @twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @+1 {{expects different dimensions of the first destination, of rank 2, but got 0, 0}}
  %y = tir.opaque along [0, 0] outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%i: index, %j: index, %to: memref<4x4xf32>):
  }
  return %y : tensor<4x4xf32>
}

// -----

func.func @other_buffer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects arguments of its body of types 'memref<4xf32>', but got 'memref<5xf32>'}}
  %y = tir.opaque outs(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%to: memref<5xf32>):
  }
  return %y : tensor<4xf32>
}

// -----

func.func @other_result(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error @+1 {{expects results of types 'tensor<4xf32>', as its destinations have, but got 'tensor<5xf32>'}}
  %y = tir.opaque outs(%x : tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%to: memref<4xf32>):
  }
  return %y : tensor<5xf32>
}

// -----

func.func @too_few_sizes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects sizes for each of its 2 operands, but got 1}}
  %y = tir.opaque sizes [affine_map<(d0) -> (d0)>] ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%from: memref<4xf32>, %to: memref<4xf32>):
  }
  return %y : tensor<4xf32>
}

// -----

func.func @sizes_of_another_rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects a size for each dimension of 'tensor<4xf32>', but got affine_map<(d0) -> (d0, d0)>}}
  %y = tir.opaque sizes [affine_map<(d0) -> (d0, d0)>] outs(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%to: memref<4xf32>):
  }
  return %y : tensor<4xf32>
}
