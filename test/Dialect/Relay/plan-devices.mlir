// RUN: relay-opt %s --split-input-file --relay-plan-devices --cse | FileCheck %s

#d0 = {device_type = 1 : i64, virtual_device_id = 0 : i64}
#d1 = {device_type = 1 : i64, virtual_device_id = 1 : i64}

// What is connected with the marked operator is on its device; its parameters
// are copied there once, its constants are not.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = relay.constant
  %c = relay.constant dense<2.0> : tensor<4xf32>
  // CHECK: %[[XD:.*]] = relay.device_copy %[[X]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}, src_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}}
  // CHECK: %[[A:.*]] = relay.nn.relu %[[XD]]
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[B:.*]] = relay.add %[[A]], %[[XD]]
  %1 = relay.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[D:.*]] = relay.multiply %[[B]], %[[C]]
  %2 = relay.multiply %1, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[H:.*]] = relay.device_copy %[[D]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}, src_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}}
  %3 = relay.on_device %2 {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[T:.*]] = relay.tanh %[[H]]
  %4 = relay.tanh %3 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: on_device
  // CHECK: return %[[T]]
  return %4 : tensor<4xf32>
}

// A result that has to be on a device takes its users along. Results of the
// function come back.
// CHECK-LABEL: func.func @result
func.func @result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = relay.nn.relu %{{.*}}
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[D:.*]] = relay.device_copy %[[A]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}
  %1 = relay.on_device %0 {virtual_device = #d1, constrain_body = false, constrain_result = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[T:.*]] = relay.tanh %[[D]]
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[H:.*]] = relay.device_copy %[[T]]
  // CHECK: return %[[H]]
  return %2 : tensor<4xf32>
}

// Operators on one device do not copy between them, and a device that is open
// asks for nothing.
// CHECK-LABEL: func.func @neighbours
func.func @neighbours(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:      %[[XD:.*]] = relay.device_copy
  // CHECK-NEXT: %[[A:.*]] = relay.nn.relu %[[XD]]
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.on_device %0 {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = relay.tanh %[[A]]
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.on_device %2 {virtual_device = {virtual_device_id = 3 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.on_device %2 {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[H:.*]] = relay.device_copy %[[B]]
  // CHECK-NEXT: %[[S:.*]] = relay.add %[[H]], %[[H]]
  %5 = relay.add %3, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}

// Copies that are there say where values are, too; one that goes nowhere goes.
// CHECK-LABEL: func.func @copies
func.func @copies(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK:      %[[D:.*]] = relay.device_copy %{{.*}} {dst_virtual_device = {device_type = 2 : i64}
  %0 = relay.device_copy %x {src_virtual_device = #d0, dst_virtual_device = {device_type = 2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = relay.nn.relu %[[D]]
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.device_copy %1 {dst_virtual_device = {device_type = 2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[H:.*]] = relay.device_copy %[[A]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}, src_virtual_device = {device_type = 2 : i64}}
  %3 = relay.device_copy %2 {dst_virtual_device = #d0} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: return %[[H]]
  return %3 : tensor<4xf32>
}

// Tuples are wherever their fields are; what has no operand is made on the host.
// CHECK-LABEL: func.func @tuples
func.func @tuples(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<4xf32>) {
  // CHECK: %[[Z:.*]] = relay.zeros
  %z = relay.zeros {shape = [4], dtype = f32} : () -> tensor<4xf32>
  // CHECK: %[[S:.*]] = relay.split
  %0 = relay.split %x {indices_or_sections = 2 : i64, axis = 0 : i64} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  %2 = relay.on_device %1 {virtual_device = #d1} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: %[[ZD:.*]] = relay.device_copy %[[Z]]
  // CHECK: relay.exp %[[ZD]]
  %3 = relay.on_device %z {virtual_device = #d1, constrain_result = true} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.exp %3 : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %4 : tensor<2xf32>, tensor<4xf32>
}

// Parameters and what follows from constants are where they are.
// CHECK-LABEL: func.func @sources
func.func @sources(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: relay.device_copy
  // CHECK-NOT: relay.on_device
  %c = relay.constant dense<2.0> : tensor<4xf32>
  %0 = relay.on_device %c {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.on_device %x {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.on_device %2 {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: relay.add
  %4 = relay.add %1, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: relay.device_copy
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @unmarked
// CHECK-NOT:   device_copy
func.func @unmarked(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
