// Markers return their operand, of any type.
// RUN: relay-opt %s --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file --mlir-print-op-generic | relay-opt --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file --canonicalize --cse | FileCheck %s --check-prefix=EFFECT

// CHECK-LABEL: func.func @markers
// CHECK: relay.annotation.stop_fusion %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK: relay.annotation.cast_hint %{{.*}} {dtype = i8} : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK: relay.annotation.bitpack_start
// CHECK: relay.annotation.bitpack_end
// CHECK: relay.annotation.checkpoint %{{.*}} : (tuple<tensor<?x3xf32>, tensor<f32>>) -> tuple<tensor<?x3xf32>, tensor<f32>>
// CHECK: relay.annotation.compiler_begin %{{.*}} {compiler = "dnnl"}
// CHECK: relay.annotation.compiler_end %{{.*}} {compiler = "dnnl"}
// CHECK: relay.annotation.with_funcid %{{.*}} {fid = 3} : ((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
// CHECK: relay.on_device %{{.*}} {constrain_result = true, virtual_device = {device_type = 2 : i64, target = "cuda"}}
// CHECK: relay.on_device %{{.*}} : (tensor<f32>) -> tensor<f32>
// CHECK: relay.device_copy %{{.*}} {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}}
// CHECK: relay.relay.op.annotation.simulated_quantize %{{.*}} {kind = 1} : {{.*}} -> tensor<?x3xf32>
// EFFECT-LABEL: func.func @markers
// EFFECT-COUNT-2: relay.debug
func.func @markers(%x: tensor<?x3xf32>, %s: tensor<f32>, %f: (tensor<f32>) -> tensor<f32>)
    -> (tensor<?x3xf32>, tuple<tensor<?x3xf32>, tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>, tensor<f32>, tensor<?x3xf32>) {
  %0 = relay.annotation.stop_fusion %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = relay.annotation.cast_hint %0 {dtype = i8} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = relay.annotation.bitpack_start %1 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %3 = relay.annotation.bitpack_end %2 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %t = relay.tuple %3, %s : tensor<?x3xf32>, tensor<f32>
  %4 = relay.annotation.checkpoint %t : (tuple<tensor<?x3xf32>, tensor<f32>>) -> tuple<tensor<?x3xf32>, tensor<f32>>
  %5 = relay.annotation.compiler_begin %4 {compiler = "dnnl"} : (tuple<tensor<?x3xf32>, tensor<f32>>) -> tuple<tensor<?x3xf32>, tensor<f32>>
  %6 = relay.annotation.compiler_end %5 {compiler = "dnnl"} : (tuple<tensor<?x3xf32>, tensor<f32>>) -> tuple<tensor<?x3xf32>, tensor<f32>>
  %7 = relay.annotation.with_funcid %f {fid = 3} : ((tensor<f32>) -> tensor<f32>) -> ((tensor<f32>) -> tensor<f32>)
  %8 = relay.on_device %s {virtual_device = {device_type = 2, target = "cuda"}, constrain_result = true} : (tensor<f32>) -> tensor<f32>
  %9 = relay.on_device %8 {constrain_body = true} : (tensor<f32>) -> tensor<f32>
  %10 = relay.device_copy %9 {dst_virtual_device = {device_type = 1, virtual_device_id = 0}} : (tensor<f32>) -> tensor<f32>
  %11 = relay.relay.op.annotation.simulated_quantize %x, %s, %s, %s {kind = 1} : (tensor<?x3xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<?x3xf32>
  // Nobody uses these, and they are alike; still they stay.
  %12 = relay.debug %s {debug_func = "stop"} : (tensor<f32>) -> tensor<f32>
  %13 = relay.debug %s {debug_func = "stop"} : (tensor<f32>) -> tensor<f32>
  return %3, %6, %7, %9, %10, %11 : tensor<?x3xf32>, tuple<tensor<?x3xf32>, tensor<f32>>, (tensor<f32>) -> tensor<f32>, tensor<f32>, tensor<f32>, tensor<?x3xf32>
}

// -----

// Calls of other systems may do anything.
// CHECK-LABEL: func.func @calls
// CHECK: relay.call_lowered %{{.*}}, %{{.*}} {metadata = {kind = "te"}} : ((tensor<?xf32>) -> tensor<f32>, tuple<tensor<4xf32>>) -> tensor<f32>
// CHECK: relay.torch_op %{{.*}} {serialized_function = "abc"} : (tensor<f32>) -> tensor<7xf32>
// CHECK: relay.torch_op : () -> tensor<f32>
// CHECK: relay.parser.MetaRef {node_index = 3, node_type_key = "relay.Constant"} : () -> !relay.incomplete
// EFFECT-LABEL: func.func @calls
// EFFECT: relay.call_lowered
// EFFECT: relay.torch_op
func.func @calls(%f: (tensor<?xf32>) -> tensor<f32>, %x: tensor<4xf32>) {
  %t = relay.tuple %x : tensor<4xf32>
  %0 = relay.call_lowered %f, %t {metadata = {kind = "te"}} : ((tensor<?xf32>) -> tensor<f32>, tuple<tensor<4xf32>>) -> tensor<f32>
  %1 = relay.torch_op %0 {serialized_function = "abc"} : (tensor<f32>) -> tensor<7xf32>
  %2 = relay.torch_op : () -> tensor<f32>
  %3 = relay.parser.MetaRef {node_type_key = "relay.Constant", node_index = 3} : () -> !relay.incomplete
  return
}
