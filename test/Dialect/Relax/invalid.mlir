// RUN: relay-opt %s --split-input-file --verify-diagnostics

relax.func @unbound_symbol(%x: !relax.tensor<[n], f32>)
    -> !relax.tensor<[n], f32> {
  // expected-error @+1 {{uses symbol "m", which is not a bare dimension of a function parameter}}
  %0 = relax.reshape %x
    : !relax.tensor<[n], f32> to !relax.tensor<[m], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// -----

// expected-error @+1 {{uses symbol "n", which is not a bare dimension of a function parameter}}
relax.func private @symbol_only_in_expression(!relax.tensor<[2 * n], f32>)

// -----

// expected-error @+1 {{expects parameters and results of relax types, but got 'tensor<4xf32>'}}
relax.func private @builtin_tensor(tensor<4xf32>)

// -----

// expected-error @+1 {{expects sizes that are not negative, but got -3 for dimension 1}}
relax.func private @negative_size(!relax.tensor<[n, -3], f32>)

// -----

// expected-error @+1 {{expects an integer, index or float element type, but got 'tuple<>'}}
relax.func private @element_type(!relax.tensor<[4], tuple<>>)

// -----

// expected-error @+1 {{expects a positive divisor, but got 0}}
relax.func private @division_by_zero(!relax.tensor<[n, n floordiv 0], f32>)

// -----

// expected-error @+1 {{expects a size: an integer, a symbol or an expression over them}}
relax.func private @no_expression(!relax.tensor<[n, *], f32>)

// -----

// expected-error @+1 {{expects "relax.name" to be a string, but got 1 : i64}}
relax.func private @name(!relax.tensor<[4], f32> {relax.name = 1})

// -----

relax.func @results(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
  // expected-error @+1 {{expects 1 result, but got 0}}
  relax.return
}

// -----

relax.func @result_type(%x: !relax.tensor<[n, 4], f32>)
    -> !relax.tensor<[n, 2], f32> {
  // expected-error @+1 {{expects result 0 to be '!relax.tensor<[n, 2], f32>', but got '!relax.tensor<[n, 4], f32>'}}
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// -----

relax.func @dataflow_output(%x: !relax.tensor<[4], f32>) {
  relax.dataflow {
    // expected-error @+1 {{expects 0 results, but got 1}}
    relax.output %x : !relax.tensor<[4], f32>
  }
  relax.return
}

// -----

relax.func @dataflow_effects(%x: !relax.tensor<[4], f32>,
                             %y: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects operations without side effects}}
  relax.dataflow {
    // expected-note @+1 {{relax.copy has side effects}}
    relax.copy %x to %y : !relax.tensor<[4], f32> to !relax.tensor<[4], f32>
    relax.output
  }
  relax.return
}

// -----

relax.func @no_kernel(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects a kernel named @relu}}
  %0 = relax.call_tir @relu(%x)
    : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return
}

// -----

// expected-note @+1 {{kernel @relu is here}}
func.func private @relu(tensor<4xf32>) -> tensor<4xf32>

relax.func @inputs(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects 1 input, but got 2}}
  %0 = relax.call_tir @relu(%x, %x)
    : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
    -> !relax.tensor<[4], f32>
  relax.return
}

// -----

// expected-note @+1 {{kernel @relu is here}}
func.func private @relu(memref<4xf32>, memref<4xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @outputs(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects 1 output, but got 0}}
  relax.call_kernel @relu ins(%x : !relax.tensor<[4], f32>)
  relax.return
}

// -----

func.func private @relu(memref<4xf32>, memref<4xf32>, memref<8xf32>)
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64}

relax.func @workspaces(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects 1 workspaces, but got 0}}
  relax.call_kernel @relu ins(%x : !relax.tensor<[4], f32>)
                          outs(%x : !relax.tensor<[4], f32>)
  relax.return
}

// -----

func.func private @relu(tensor<4xf32>) -> tensor<4xf32>

relax.func @values(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects a kernel on buffers, but @relu returns values}}
  relax.call_kernel @relu ins(%x : !relax.tensor<[4], f32>)
                          outs(%x : !relax.tensor<[4], f32>)
  relax.return
}

// -----

relax.func @reshape_elements(%x: !relax.tensor<[n, 4], f32>) {
  // expected-error @+1 {{expects as many elements as the source '!relax.tensor<[n, 4], f32>' has, but got '!relax.tensor<[4 * n + 1], f32>'}}
  %0 = relax.reshape %x
    : !relax.tensor<[n, 4], f32> to !relax.tensor<[4 * n + 1], f32>
  relax.return
}

// -----

relax.func @reshape_element_type(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects element type 'f32', but got 'i32'}}
  %0 = relax.reshape %x : !relax.tensor<[4], f32> to !relax.tensor<[4], i32>
  relax.return
}

// -----

relax.func @tuple_index(%x: !relax.tensor<[4], f32>) {
  %t = relax.tuple %x : !relax.tensor<[4], f32>
  // expected-error @+1 {{expects an index below 1, but got 1}}
  %0 = relax.tuple_get_item %t[1] : tuple<!relax.tensor<[4], f32>>
  relax.return
}

// -----

relax.func @storage_size() {
  // expected-error @+1 {{expects at least one size expression}}
  %s = relax.alloc_storage size [] align 64 : !relax.storage
  relax.return
}

// -----

relax.func @alignment() {
  // expected-error @+1 {{expects an alignment that is a power of two, but got 48}}
  %s = relax.alloc_storage size [64] align 48 : !relax.storage
  relax.return
}

// -----

relax.func @offset() {
  %s = relax.alloc_storage size [64] align 64 : !relax.storage
  // expected-error @+1 {{expects one offset, but got 2}}
  %t = relax.alloc_tensor %s[0, 0] : !relax.tensor<[4], f32>
  relax.return
}

// -----

relax.func @result_number() {
  // expected-error @+1 {{expects a result number below 0, but got 0}}
  %y = relax.result_buffer 0 : !relax.tensor<[4], f32>
  relax.return
}

// -----

relax.func @assertion_lengths(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects lists of one length, but got 1 and 2 sizes}}
  relax.assert_equal [n], [4, 5]
  relax.return
}

// -----

relax.func @unbound_symbol_in_size(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{uses symbol "k", which is not a bare dimension of a function parameter}}
  %s = relax.alloc_storage size [4 * k] align 64 : !relax.storage
  relax.return
}

// -----

relax.func @bound_twice(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{binds symbol "n", which is bound already}}
  relax.min_size "n" of [n, 4]
  relax.return
}

// -----

relax.func @bound_later(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{uses symbol "k", which is not a bare dimension of a function parameter}}
  relax.max_size "m" of [n, k]
  relax.min_size "k" of [n, 4]
  relax.return
}

// -----

relax.func @of_nothing(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects at least one size}}
  relax.min_size "m" of []
  relax.return
}

// -----

relax.func @broadcast_lengths(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects lists of one length, but got 1 and 2 sizes}}
  relax.assert_broadcast [n], [4, 5]
  relax.return
}

// -----

relax.func @bound_lengths(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects lists of one length, but got 1 and 0 sizes}}
  relax.assert_at_least [n], []
  relax.return
}

// -----

relax.func @packed_without_name(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects the name of a function, but got none}}
  %0 = relax.call_dps_packed ""(%x)
    : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return
}

// -----

relax.func @packed_on_device(%x: !relax.tensor<[n], f32, #target.device<"cpu", 1>>) {
  // expected-error @+1 {{expects tensors on the host, but got one on cpu:1}}
  %0 = relax.call_dps_packed "f"(%x)
    : (!relax.tensor<[n], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[n], f32>
  relax.return
}

// -----

relax.func @cast_of_elements(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects the elements of the source, '!relax.tensor<[n], f32>', but got '!relax.tensor<[n], i32>'}}
  %0 = relax.match_cast %x : !relax.tensor<[n], f32> to !relax.tensor<[n], i32>
  relax.return
}

// -----

relax.func @cast_of_rank(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects the rank of the source}}
  %0 = relax.match_cast %x : !relax.tensor<[n], f32> to !relax.tensor<[n, 1], f32>
  relax.return
}

// -----

relax.func @cast_of_sizes(%x: !relax.tensor<[n + 1], f32>) {
  // expected-error @+1 {{expects the sizes of the source, '!relax.tensor<[n + 1], f32>', but got '!relax.tensor<[n + 3], f32>'}}
  %0 = relax.match_cast %x : !relax.tensor<[n + 1], f32> to !relax.tensor<[n + 3], f32>
  relax.return
}

// -----

relax.func @cast_to_unbound(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{uses symbol "m", which is not a bare dimension of a function parameter}}
  %0 = relax.match_cast %x : !relax.tensor<[n], f32> to !relax.tensor<[2 * m], f32>
  relax.return
}

// -----

relax.func @bound_by_cast(%x: !relax.tensor<[n], f32>) {
  %0 = relax.match_cast %x : !relax.tensor<[n], f32> to !relax.tensor<[m], f32>
  // expected-error @+1 {{binds symbol "m", which is bound already}}
  relax.min_size "m" of [n, 4]
  relax.return
}

// -----

relax.func @packed_writes_nothing(%x: !relax.tensor<[n], f32>) {
  // expected-error @+1 {{expects at least one result, which the function writes, but got none}}
  relax.call_dps_packed "f"(%x) : (!relax.tensor<[n], f32>) -> ()
  relax.return
}

// -----

// expected-error @+1 {{expects relax.packed_function to be a string, of a declaration of a kernel, but got 3 : i64}}
func.func private @packed(memref<?xf32>) attributes {relax.packed_function = 3}

// -----

// expected-error @+1 {{expects a size whose coefficients are below 2^63 - 1}}
relax.func private @sum(!relax.tensor<[n], f32>, !relax.tensor<[9223372036854775807 * n + 3 * n], f32>)

// -----

// expected-error @+1 {{expects a size whose coefficients are below 2^63 - 1}}
relax.func private @product(!relax.tensor<[n], f32>, !relax.tensor<[4 * (4611686018427387904 * n) + n], f32>)

// -----

// expected-error @+1 {{expects a size of at most 4096 terms when it is multiplied out}}
relax.func private @terms(!relax.tensor<[n, k, l], f32>, !relax.tensor<[(n+k+l+1)*(n+k+l+1)*(n+k+l+1)*(n+k+l+1)*(n+k+l+1)*(n+k+l+1)*(n+k+l+1)], f32>)
