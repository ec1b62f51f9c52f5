// RUN: relay-opt %s --split-input-file --relax-plan-memory --verify-diagnostics

// expected-note @+1 {{kernel is here; run --convert-linalg-to-tir before this pass}}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

relax.func @not_a_buffer_kernel(%x: !relax.tensor<[4], f32>)
    -> !relax.tensor<[4], f32> {
  // expected-error @+1 {{expects a kernel on buffers, but @f returns values}}
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %0 : !relax.tensor<[4], f32>
}

// -----

// expected-note @+1 {{kernel is here}}
func.func private @f(memref<?xf32>, memref<?xf32>,
                     memref<?xf32> {tir.workspace})
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64}

relax.func @workspace_of_unknown_size(%x: !relax.tensor<[n], f32>)
    -> !relax.tensor<[n], f32> {
  // expected-error @+1 {{expects tir.workspace to give the dynamic sizes of workspace 2, 'memref<?xf32>', as a function of 2 sizes}}
  %0 = relax.call_tir @f(%x)
    : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

// -----

relax.func @tuple(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>> {
  // expected-error @+1 {{expects an operation of the form relax-kernels without tuples}}
  %0 = relax.tuple %x : !relax.tensor<[n], f32>
  relax.return %0 : tuple<!relax.tensor<[n], f32>>
}

// -----

// Only with what the first cast binds it shows that the second cannot hold.
relax.func @casts(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n, n], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[n, n], f32>
    to !relax.tensor<[m, n], f32>
  // expected-error @+1 {{expects sizes that can be equal to those of the source, '!relax.tensor<[n, n], f32>', but got '!relax.tensor<[n, n + 1], f32>'}}
  %1 = relax.match_cast %0 : !relax.tensor<[m, n], f32>
    to !relax.tensor<[n, m + 1], f32>
  relax.return %x : !relax.tensor<[n, n], f32>
}
