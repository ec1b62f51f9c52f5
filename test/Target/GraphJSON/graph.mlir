// RUN: relay-translate --relax-to-graph-json %s | tr -d ' \n' | FileCheck %s
// RUN: not relay-translate --relax-to-graph-json %S/Inputs/open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN

// A view has the storage of what it shows, inputs and constants their own, and
// what is not alive at the same time shares it: the second tanh has that of the
// first, whose last reader is the addition; and the first result that of that.

func.func private @tanh(tensor<2x8xf32>) -> tensor<2x8xf32>
func.func private @add(tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
func.func private @split(tensor<16xf32>) -> (tensor<8xf32>, tensor<8xf32>)

// CHECK: {"nodes":[{"op":"null","name":"x","inputs":[]},{"op":"null","name":"p0","inputs":[]},
// CHECK-SAME: {"op":"tvm_op","name":"tanh","attrs":{"num_outputs":"1","num_inputs":"1","flatten_data":"0","func_name":"tanh"},"inputs":[{{\[}}0,0,0]]},
// CHECK-SAME: {"op":"tvm_op","name":"add","attrs":{"num_outputs":"1","num_inputs":"2","flatten_data":"0","func_name":"add"},"inputs":[{{\[}}2,0,0],[1,0,0]]},
// CHECK-SAME: {"op":"tvm_op","name":"tanh_1","attrs":{"num_outputs":"1","num_inputs":"1","flatten_data":"0","func_name":"tanh"},"inputs":[{{\[}}3,0,0]]},
// CHECK-SAME: {"op":"tvm_op","name":"reshape_nop","attrs":{"num_outputs":"1","num_inputs":"1","flatten_data":"0","func_name":"__nop"},"inputs":[{{\[}}4,0,0]]},
// CHECK-SAME: {"op":"tvm_op","name":"split","attrs":{"num_outputs":"2","num_inputs":"1","flatten_data":"0","func_name":"split"},"inputs":[{{\[}}5,0,0]]}],
// CHECK-SAME: "arg_nodes":[0,1],"heads":[{{\[}}6,1,0],[6,0,0]],
// CHECK-SAME: "attrs":{"dltype":["list_str",["float32","float32","float32","float32","float32","float32","float32","float32"]],
// CHECK-SAME: "storage_id":["list_int",[0,1,2,3,2,2,3,4]],
// CHECK-SAME: "shape":["list_shape",{{\[}}[2,8],[2,8],[2,8],[2,8],[2,8],[16],[8],[8]]]},
// CHECK-SAME: "node_row_ptr":[0,1,2,3,4,5,6,8]}
relax.func @main(%x: !relax.tensor<[2, 8], f32> {relax.name = "x"}) -> (!relax.tensor<[8], f32>, !relax.tensor<[8], f32>) {
  %c = relax.constant dense<2.0> : tensor<2x8xf32>
  %0:2 = relax.dataflow {
    %1 = relax.call_tir @tanh(%x) : (!relax.tensor<[2, 8], f32>) -> !relax.tensor<[2, 8], f32>
    %2 = relax.call_tir @add(%1, %c) : (!relax.tensor<[2, 8], f32>, !relax.tensor<[2, 8], f32>) -> !relax.tensor<[2, 8], f32>
    %3 = relax.call_tir @tanh(%2) : (!relax.tensor<[2, 8], f32>) -> !relax.tensor<[2, 8], f32>
    %4 = relax.reshape %3 : !relax.tensor<[2, 8], f32> to !relax.tensor<[16], f32>
    %5:2 = relax.call_tir @split(%4) : (!relax.tensor<[16], f32>) -> (!relax.tensor<[8], f32>, !relax.tensor<[8], f32>)
    relax.output %5#1, %5#0 : !relax.tensor<[8], f32>, !relax.tensor<[8], f32>
  } : !relax.tensor<[8], f32>, !relax.tensor<[8], f32>
  relax.return %0#0, %0#1 : !relax.tensor<[8], f32>, !relax.tensor<[8], f32>
}

// OPEN: open.mlir:1:1: error: expects sizes that are known, as graphs of the graph executor have them, but got '!relax.tensor<[n], f32>'; the executors aot and vm take others
