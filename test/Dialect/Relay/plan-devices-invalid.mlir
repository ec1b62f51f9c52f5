// RUN: relay-opt %s --split-input-file --relay-plan-devices --verify-diagnostics

func.func @conflict(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+1 {{cpu:1 is asked for here; on_device around a value lets its users be elsewhere}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'relay.on_device' op expects what operators connect to be on one device, but got cpu:1 and cuda:0}}
  %3 = relay.on_device %2 {virtual_device = {device_type = 2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.add %1, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

func.func @type(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects the type of a device in DLPack, such as 1 for cpu, but got 99}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 99 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @number(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects the number of a device, but got -2}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 1 : i64, virtual_device_id = -2 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects a kind of letters, digits and underscores, but got '../x'}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 12 : i64, target = "../x -y"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @scope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects a device without a memory scope, but got "texture"}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 1 : i64, memory_scope = "texture"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    // expected-error @+1 {{expects to be in the body of a function, but is in a region of 'relay.if'}}
    %1 = relay.on_device %x {virtual_device = {device_type = 1 : i64, virtual_device_id = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @kind_without_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects the type of a device beside its target, 12 for one of kind npu, but got none}}
  %1 = relay.on_device %0 {virtual_device = {target = "npu"}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expects virtual_device_id of 32 bits, but got 18446744073709551616 : i128}}
  %1 = relay.on_device %0 {virtual_device = {device_type = 1 : i64, virtual_device_id = 18446744073709551616 : i128}} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
