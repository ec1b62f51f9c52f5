// RUN: relay-opt %s --split-input-file --verify-relax-executable --verify-diagnostics

func.func private @f(tensor<4xf32>) -> tensor<4xf32>

relax.func @call_tir(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
  // expected-error @+2 {{expects an operation of the form relax-executable}}
  // expected-note @+1 {{run --relax-plan-memory to get there}}
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %0 : !relax.tensor<[4], f32>
}

// -----

relax.func @too_small(%x: !relax.tensor<[n, m], f32>) {
  // expected-note @+1 {{storage is here}}
  %s = relax.alloc_storage size [4 * n + 64] align 64 : !relax.storage
  // expected-error @+1 {{expects a tensor that fits into its storage}}
  %t = relax.alloc_tensor %s[64] : !relax.tensor<[m], f32>
  relax.return
}

// -----

func.func private @f(memref<4xf32>, memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @killed(%x: !relax.tensor<[4], f32>) {
  %s = relax.alloc_storage size [64] align 64 : !relax.storage
  %t = relax.alloc_tensor %s[0] : !relax.tensor<[4], f32>
  // expected-note @+1 {{killed here}}
  relax.kill %s : !relax.storage
  // expected-error @+1 {{uses a tensor whose storage has been killed}}
  relax.call_kernel @f ins(%x : !relax.tensor<[4], f32>)
                       outs(%t : !relax.tensor<[4], f32>)
  relax.return
}

// -----

func.func private @f(memref<4xf32>, memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @never_written() -> !relax.tensor<[4], f32> {
  %s = relax.alloc_storage size [64] align 64 : !relax.storage
  %t = relax.alloc_tensor %s[0] : !relax.tensor<[4], f32>
  %y = relax.result_buffer 0 : !relax.tensor<[4], f32>
  // expected-error @+1 {{reads a tensor that nothing has written}}
  relax.call_kernel @f ins(%t : !relax.tensor<[4], f32>)
                       outs(%y : !relax.tensor<[4], f32>)
  relax.return %y : !relax.tensor<[4], f32>
}

// -----

func.func private @f(memref<4xf32>, memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @writes_parameter(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects to write into storage or a result buffer}}
  relax.call_kernel @f ins(%x : !relax.tensor<[4], f32>)
                       outs(%x : !relax.tensor<[4], f32>)
  relax.return
}

// -----

func.func private @f(memref<?xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64}
func.func private @g(memref<?xf32>, memref<?xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @overlap(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.alloc_storage size [8 * n] align 1 : !relax.storage
  // expected-note @+1 {{the other tensor is here}}
  %t = relax.alloc_tensor %s[0] : !relax.tensor<[n], f32>
  // expected-error @+1 {{overlaps a tensor that is alive}}
  %u = relax.alloc_tensor %s[n] : !relax.tensor<[n], f32>
  %y = relax.result_buffer 0 : !relax.tensor<[n], f32>
  relax.call_kernel @f ins(%x : !relax.tensor<[n], f32>)
                       outs(%t : !relax.tensor<[n], f32>)
  relax.call_kernel @f ins(%t : !relax.tensor<[n], f32>)
                       outs(%u : !relax.tensor<[n], f32>)
  relax.call_kernel @g ins(%t, %u : !relax.tensor<[n], f32>,
                                    !relax.tensor<[n], f32>)
                       outs(%y : !relax.tensor<[n], f32>)
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

relax.func @result_not_in_buffer(%x: !relax.tensor<[n], f32>)
    -> !relax.tensor<[n], f32> {
  // expected-error @+1 {{expects result 0 to be its relax.result_buffer}}
  relax.return %x : !relax.tensor<[n], f32>
}

// -----

relax.func @result_not_written() -> !relax.tensor<[4], f32> {
  %y = relax.result_buffer 0 : !relax.tensor<[4], f32>
  // expected-error @+1 {{expects something to write result 0}}
  relax.return %y : !relax.tensor<[4], f32>
}

// -----

// expected-note @+1 {{kernel @f is here}}
func.func private @f(memref<?x8xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @buffer_type(%x: !relax.tensor<[n, 4], f32>)
    -> !relax.tensor<[n], f32> {
  %y = relax.result_buffer 0 : !relax.tensor<[n], f32>
  // expected-error @+1 {{expects buffer 0 to be a 'memref<?x8xf32>', but got '!relax.tensor<[n, 4], f32>'}}
  relax.call_kernel @f ins(%x : !relax.tensor<[n, 4], f32>)
                       outs(%y : !relax.tensor<[n], f32>)
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

func.func private @f(memref<1x4xf32> {tir.layout = affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>},
                     memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @packed_parameter(%x: !relax.tensor<[4], f32>)
    -> !relax.tensor<[4], f32> {
  %y = relax.result_buffer 0 : !relax.tensor<[4], f32>
  // expected-error @+1 {{expects argument 0, whose layout is packed, to be a constant}}
  relax.call_kernel @f ins(%x : !relax.tensor<[4], f32>)
                       outs(%y : !relax.tensor<[4], f32>)
  relax.return %y : !relax.tensor<[4], f32>
}

// -----

relax.func @negative(%x: !relax.tensor<[n], f32>) {
  %s = relax.alloc_storage size [64 * n] align 64 : !relax.storage
  // expected-error @+1 {{expects an offset that is not negative, but got #relax.shape<[-64 * n]>}}
  %t = relax.alloc_tensor %s[-64 * n] : !relax.tensor<[n], f32>
  relax.return
}

// -----

relax.func @between(%x: !relax.tensor<[n], f32>) {
  %s = relax.alloc_storage size [64 * n + 64] align 64 : !relax.storage
  // expected-error @+1 {{expects an offset that is a multiple of the alignment of its storage, 64, but got #relax.shape<[4]>}}
  %t = relax.alloc_tensor %s[4] : !relax.tensor<[n], f32>
  relax.return
}

// -----

// expected-error @+1 {{expects sizes of parameters that are numbers or names, but got '!relax.tensor<[2 * n], f32>'}}
relax.func @parameter(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[2 * n], f32>) {
  relax.return
}
