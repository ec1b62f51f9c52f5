// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expects no device for data on the host, but got #target.device<"cpu", 0>}}
func.func private @host(!relax.tensor<[4], f32, #target.device<"cpu", 0>>)

// -----

// expected-error @+1 {{expects a kind of letters, digits and underscores, but got 'c/p'}}
func.func private @kind(!relax.tensor<[4], f32, #target.device<"c/p", 1>>)

// -----

// expected-error @+1 {{expects the number of a device, but got -1}}
func.func private @number(!relax.tensor<[4], f32, #target.device<"cpu", -1>>)

// -----

func.func private @add(memref<4xf32>, memref<4xf32>, memref<4xf32>)
    attributes {tir.num_outputs = 1 : i64}

relax.func @mixed(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4], f32, #target.device<"cpu", 1>>) {
  // expected-error @+1 {{expects tensors on one device, but got cpu:0 and cpu:1}}
  %0 = relax.call_tir @add(%x, %y) : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32, #target.device<"cpu", 1>>) -> !relax.tensor<[4], f32>
  relax.return
}

// -----

relax.func @shape(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects a copy of '!relax.tensor<[4], f32>', but got '!relax.tensor<[5], f32, #target.device<"cpu", 1>>'}}
  %0 = relax.to_device %x : !relax.tensor<[4], f32> to !relax.tensor<[5], f32, #target.device<"cpu", 1>>
  relax.return
}

// -----

relax.func @reshape(%x: !relax.tensor<[4], f32>) {
  // expected-error @+1 {{expects the device of the source, cpu:0, but got cpu:1}}
  %0 = relax.reshape %x : !relax.tensor<[4], f32> to !relax.tensor<[2, 2], f32, #target.device<"cpu", 1>>
  relax.return
}
