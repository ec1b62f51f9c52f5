// Explicit memory, and the operators of the virtual machine.
// RUN: relay-opt %s | FileCheck %s
// RUN: relay-opt %s --mlir-print-op-generic | relay-opt | FileCheck %s
// RUN: relay-opt %s --canonicalize --cse | FileCheck %s --check-prefix=EFFECT

relay.adt extern @Storage

// CHECK-LABEL: func.func @main
// CHECK: relay.memory.alloc_storage %{{.*}}, %{{.*}}, %{{.*}} {virtual_device = {device_type = 1 : i64}} : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> !relay.adt<@Storage>
// CHECK: relay.memory.alloc_tensor %{{.*}} {const_shape = dense<[2, 3]> : tensor<2xi64>} : {{.*}} -> tensor<2x3xf32>
// CHECK: relay.memory.alloc_tensor %{{.*}} {assert_shape = [2, -1], dtype = i8} : {{.*}} -> tensor<2x?xi8>
// CHECK: relay.vm.invoke_tvm_op %{{.*}}, %{{.*}}, %{{.*}} {attrs = {Primitive = 1 : i64}} : {{.*}} -> tuple<>
// CHECK: relay.memory.kill %{{.*}} : (tensor<2x3xf32>) -> tuple<>
// CHECK: relay.vm.shape_of %{{.*}} : (tensor<?x3xf32>) -> tensor<2xi64>
// CHECK: relay.vm.shape_of %{{.*}} {dtype = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
// CHECK: relay.vm.reshape_tensor %{{.*}}, %{{.*}} {newshape = [3, -1]} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>

// Each allocation is another one, and frees and kernels stay.
// EFFECT-LABEL: func.func @main
// EFFECT-COUNT-2: relay.memory.alloc_storage
// EFFECT-COUNT-2: relay.memory.alloc_tensor
// EFFECT: relay.vm.invoke_tvm_op
// EFFECT-COUNT-2: relay.memory.kill
// EFFECT-NOT: relay.vm.shape_of %{{.*}} {dtype = i32}
func.func @main(%size: tensor<i64>, %shape: tensor<2xi64>, %align: tensor<i64>, %x: tensor<?x3xf32>, %f: (tensor<?x3xf32>) -> tuple<tensor<2x3xf32>, tensor<2x?xi8>>) -> (tensor<2x3xf32>, tensor<2x?xi8>, tensor<3x?xf32>) {
  %0 = relay.memory.alloc_storage %size, %shape, %align {virtual_device = {device_type = 1}} : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> !relay.adt<@Storage>
  %1 = relay.memory.alloc_storage %size, %shape, %align {virtual_device = {device_type = 1}} : (tensor<i64>, tensor<2xi64>, tensor<i64>) -> !relay.adt<@Storage>
  %2 = relay.memory.alloc_tensor %0, %size, %shape {const_shape = dense<[2, 3]> : tensor<2xi64>} : (!relay.adt<@Storage>, tensor<i64>, tensor<2xi64>) -> tensor<2x3xf32>
  %3 = relay.memory.alloc_tensor %1, %size, %shape {assert_shape = [2, -1], dtype = i8} : (!relay.adt<@Storage>, tensor<i64>, tensor<2xi64>) -> tensor<2x?xi8>
  %ins = relay.tuple %x : tensor<?x3xf32>
  %outs = relay.tuple %2, %3 : tensor<2x3xf32>, tensor<2x?xi8>
  %4 = relay.vm.invoke_tvm_op %f, %ins, %outs {attrs = {Primitive = 1}} : ((tensor<?x3xf32>) -> tuple<tensor<2x3xf32>, tensor<2x?xi8>>, tuple<tensor<?x3xf32>>, tuple<tensor<2x3xf32>, tensor<2x?xi8>>) -> tuple<>
  %5 = relay.memory.kill %2 : (tensor<2x3xf32>) -> tuple<>
  %6 = relay.memory.kill %2 : (tensor<2x3xf32>) -> tuple<>
  %7 = relay.vm.shape_of %x : (tensor<?x3xf32>) -> tensor<2xi64>
  %8 = relay.vm.shape_of %x {dtype = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  %9 = relay.vm.reshape_tensor %x, %7 {newshape = [3, -1]} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  return %2, %3, %9 : tensor<2x3xf32>, tensor<2x?xi8>, tensor<3x?xf32>
}

// The shapes of the first argument, the data of the second.
// CHECK-LABEL: func.func @shapes
// CHECK: relay.vm.shape_func %{{.*}}, %{{.*}}, %{{.*}} {is_input = [0, 1]} : {{.*}} -> tuple<>
// EFFECT-LABEL: func.func @shapes
// EFFECT: relay.vm.shape_func
func.func @shapes(%f: (tuple<tensor<?x3xf32>, tensor<i64>>) -> tuple<tensor<?xf32>, tensor<f32>>, %ins: tuple<tensor<2xi64>, tensor<i64>>, %outs: tuple<tensor<1xi64>, tensor<i64>>) {
  %0 = relay.vm.shape_func %f, %ins, %outs {is_input = [0, 1]} : ((tuple<tensor<?x3xf32>, tensor<i64>>) -> tuple<tensor<?xf32>, tensor<f32>>, tuple<tensor<2xi64>, tensor<i64>>, tuple<tensor<1xi64>, tensor<i64>>) -> tuple<>
  return
}
