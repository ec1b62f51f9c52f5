// RUN: relay-opt %s --split-input-file --verify-relax-kernels --verify-diagnostics

func.func private @f(memref<?x4xf32>, memref<?x4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @good(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[4 * n], f32> {
  relax.assert_at_least [n], [1]
  %0 = relax.dataflow {
    %1 = relax.call_tir @f(%x)
      : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    %2 = relax.reshape %1
      : !relax.tensor<[n, 4], f32> to !relax.tensor<[4 * n], f32>
    relax.output %2 : !relax.tensor<[4 * n], f32>
  } : !relax.tensor<[4 * n], f32>
  relax.return %0 : !relax.tensor<[4 * n], f32>
}

// -----

// expected-note @+1 {{kernel is here; run --convert-linalg-to-tir to get there}}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

relax.func @on_values(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
  // expected-error @+1 {{expects a kernel on buffers, but @f returns values}}
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %0 : !relax.tensor<[4], f32>
}

// -----

// expected-note @+1 {{kernel @f is here}}
func.func private @f(memref<?x4xf32>, memref<?x8xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @result_shape(%x: !relax.tensor<[n, 4], f32>)
    -> !relax.tensor<[n, 4], f32> {
  // expected-error @+1 {{expects buffer 1 to be a 'memref<?x8xf32>', but got '!relax.tensor<[n, 4], f32>'}}
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %0 : !relax.tensor<[n, 4], f32>
}

// -----

relax.func @storage() {
  // expected-error @+1 {{expects an operation of the form relax-kernels}}
  %s = relax.alloc_storage size [64] align 64 : !relax.storage
  relax.return
}
