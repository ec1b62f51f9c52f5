// RUN: relay-opt %s --relay-plan-devices=default-device=cpu:2 --cse | FileCheck %s --check-prefix=DEFAULT
// RUN: relay-opt %s --relay-plan-devices="per-operator=true" --cse | FileCheck %s --check-prefix=ALONE
// RUN: not relay-opt %s --relay-plan-devices=default-device=cpu 2>&1 | FileCheck %s --check-prefix=WRONG

#d1 = {device_type = 1 : i64, virtual_device_id = 1 : i64}

// What is connected with the marked operator is on its device, or it alone.
// DEFAULT-LABEL: func.func @chain
// DEFAULT-SAME:    (%[[X:.*]]: tensor<4xf32>)
// DEFAULT: %[[D:.*]] = relay.device_copy %[[X]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}
// DEFAULT: %[[A:.*]] = relay.sigmoid %[[D]]
// DEFAULT: %[[B:.*]] = relay.nn.relu %[[A]]
// DEFAULT: %[[E:.*]] = relay.device_copy %[[B]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 2 : i64}
// DEFAULT: %[[C:.*]] = relay.tanh %[[E]]
// DEFAULT: %[[H:.*]] = relay.device_copy %[[C]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}
// DEFAULT: return %[[H]]

// ALONE-LABEL: func.func @chain
// ALONE: %[[A:.*]] = relay.sigmoid %{{.*}}
// ALONE: %[[D:.*]] = relay.device_copy %[[A]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}
// ALONE: %[[B:.*]] = relay.nn.relu %[[D]]
// ALONE: %[[H:.*]] = relay.device_copy %[[B]]
// ALONE: %[[C:.*]] = relay.tanh %[[H]]
// ALONE: return %[[C]]
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.on_device %1 {virtual_device = #d1} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.tanh %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// Where nothing is marked, all of it is on the default device.
// DEFAULT-LABEL: func.func @plain
// DEFAULT: relay.device_copy %{{.*}} {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 2 : i64}
// DEFAULT: relay.tanh
// DEFAULT: relay.device_copy
// ALONE-LABEL: func.func @plain
// ALONE-NOT: device_copy
func.func @plain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// WRONG: expects option 'default-device' to be a kind of devices and a number, such as cpu:1, but got 'cpu'

// Functions of strings are on the host, what is around them is not.
// DEFAULT-LABEL: func.func @strings
// DEFAULT: %[[X:.*]] = relay.device_copy %{{.*}} {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 2 : i64}
// DEFAULT: %[[A:.*]] = relay.abs %[[X]]
// DEFAULT: %[[H:.*]] = relay.device_copy %[[A]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 0 : i64}
// DEFAULT: %[[S:.*]] = relay.string_map %[[H]]
// DEFAULT: %[[D:.*]] = relay.device_copy %[[S]] {dst_virtual_device = {device_type = 1 : i64, virtual_device_id = 2 : i64}
// DEFAULT: relay.negative %[[D]]
func.func @strings(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = relay.abs %x : (tensor<4xi64>) -> tensor<4xi64>
  %1 = relay.string_map %0 {function = "format_int"} : (tensor<4xi64>) -> tensor<4xi64>
  %2 = relay.negative %1 : (tensor<4xi64>) -> tensor<4xi64>
  return %2 : tensor<4xi64>
}
