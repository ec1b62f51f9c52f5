// Annotations and explicit memory that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @on_device(%a0: tensor<f32>) {
  // expected-error @below {{op expects virtual_device to have device_type, virtual_device_id, target and memory_scope only, but got device}}
  %0 = relay.on_device %a0 {virtual_device = {device = 1}} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @on_device(%a0: tensor<f32>) {
  // expected-error @below {{op expects device_type of virtual_device to be an integer, but got "cpu"}}
  %0 = relay.on_device %a0 {virtual_device = {device_type = "cpu"}} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @device_copy(%a0: tensor<f32>) {
  // expected-error @below {{op expects target of dst_virtual_device to be a string, but got 3}}
  %0 = relay.device_copy %a0 {dst_virtual_device = {target = 3}} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @annotation_checkpoint(%a0: tensor<f32>) {
  // expected-error @below {{op inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.annotation.checkpoint %a0 : (tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @relay_op_annotation_simulated_quantize(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>) {
  // expected-error @below {{op expects kind to be 0 (identity), 1 (input), 2 (weight) or 3 (activation), but got 4}}
  %0 = relay.relay.op.annotation.simulated_quantize %a0, %a1, %a2, %a3 {kind = 4} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @relay_op_annotation_simulated_quantize(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>) {
  // expected-error @below {{expects rounding to be one of round, but got up}}
  %0 = relay.relay.op.annotation.simulated_quantize %a0, %a1, %a2, %a3 {kind = 1, rounding = "up"} : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @call_lowered(%a0: (tensor<f32>) -> tensor<f32>, %a1: tuple<>) {
  // expected-error @below {{expects arguments for '(tensor<f32>) -> tensor<f32>', but got 'tuple<>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.call_lowered %a0, %a1 : ((tensor<f32>) -> tensor<f32>, tuple<>) -> tensor<f32>
  return
}

// -----

func.func @torch_op(%a0: tensor<f32>) {
  // expected-error @below {{op expects len to be -1 or the 3 bytes of serialized_function, but got 4}}
  %0 = relay.torch_op %a0 {serialized_function = "abc", len = 4} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @memory_alloc_tensor(%a0: !relay.adt<@Storage>, %a1: tensor<i64>, %a2: tensor<2xi64>) {
  // expected-error @below {{expects const_shape or assert_shape, but got neither}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.memory.alloc_tensor %a0, %a1, %a2 : (!relay.adt<@Storage>, tensor<i64>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @memory_alloc_tensor(%a0: !relay.adt<@Storage>, %a1: tensor<i64>, %a2: tensor<2xi64>) {
  // expected-error @below {{expects a shape of 1 sizes, but got 'tensor<2xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.memory.alloc_tensor %a0, %a1, %a2 {assert_shape = [2]} : (!relay.adt<@Storage>, tensor<i64>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @memory_alloc_tensor(%a0: !relay.adt<@Storage>, %a1: tensor<i64>, %a2: tensor<1xi64>) {
  // expected-error @below {{expects const_shape of sizes that are not negative, but got [-2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.memory.alloc_tensor %a0, %a1, %a2 {const_shape = dense<-2> : tensor<1xi64>} : (!relay.adt<@Storage>, tensor<i64>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @memory_alloc_tensor(%a0: !relay.adt<@List>, %a1: tensor<i64>, %a2: tensor<1xi64>) {
  // expected-error @below {{expects storage of type '!relay.adt<@Storage>', but got '!relay.adt<@List>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.memory.alloc_tensor %a0, %a1, %a2 {assert_shape = [2]} : (!relay.adt<@List>, tensor<i64>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @vm_reshape_tensor(%a0: tensor<6xf32>, %a1: tensor<2xi64>) {
  // expected-error @below {{expects newshape of 6 elements as of 'tensor<6xf32>', but got (2, 4)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.reshape_tensor %a0, %a1 {newshape = [2, 4]} : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @vm_invoke_tvm_op(%a0: (tensor<f32>) -> tensor<f32>, %a1: tuple<tensor<f32>>, %a2: tuple<tensor<f32>, tensor<f32>>) {
  // expected-error @below {{expects outputs for '(tensor<f32>) -> tensor<f32>', but got 'tuple<tensor<f32>, tensor<f32>>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.invoke_tvm_op %a0, %a1, %a2 : ((tensor<f32>) -> tensor<f32>, tuple<tensor<f32>>, tuple<tensor<f32>, tensor<f32>>) -> tuple<>
  return
}

// -----

func.func @vm_invoke_tvm_op(%a0: (tensor<f32>) -> tensor<f32>, %a1: tuple<tensor<i8>>, %a2: tuple<tensor<f32>>) {
  // expected-error @below {{expects inputs for '(tensor<f32>) -> tensor<f32>', but got 'tuple<tensor<i8>>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.invoke_tvm_op %a0, %a1, %a2 : ((tensor<f32>) -> tensor<f32>, tuple<tensor<i8>>, tuple<tensor<f32>>) -> tuple<>
  return
}

// -----

func.func @vm_shape_func(%f: (tensor<?xf32>) -> tensor<?xf32>, %ins: tuple<tensor<1xi64>>, %outs: tuple<tensor<1xi64>>) {
  // expected-error @below {{expects 'is_input' for 1 tensors of '(tensor<?xf32>) -> tensor<?xf32>', but got 2 elements}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.shape_func %f, %ins, %outs {is_input = [0, 1]} : ((tensor<?xf32>) -> tensor<?xf32>, tuple<tensor<1xi64>>, tuple<tensor<1xi64>>) -> tuple<>
  return
}

// -----

func.func @vm_shape_func(%f: (tensor<?xf32>) -> tensor<?xf32>, %ins: tuple<tensor<1xi64>>, %outs: tuple<tensor<1xi64>>) {
  // expected-error @below {{expects inputs of types ('tensor<?xf32>'), but got 'tuple<tensor<1xi64>>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.shape_func %f, %ins, %outs {is_input = [1]} : ((tensor<?xf32>) -> tensor<?xf32>, tuple<tensor<1xi64>>, tuple<tensor<1xi64>>) -> tuple<>
  return
}

// -----

func.func @vm_shape_func(%f: (tensor<?xf32>) -> tensor<?x?xf32>, %ins: tuple<tensor<1xi64>>, %outs: tuple<tensor<1xi64>>) {
  // expected-error @below {{expects outputs of types ('tensor<2xi64>'), but got 'tuple<tensor<1xi64>>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.vm.shape_func %f, %ins, %outs {is_input = [0]} : ((tensor<?xf32>) -> tensor<?x?xf32>, tuple<tensor<1xi64>>, tuple<tensor<1xi64>>) -> tuple<>
  return
}
