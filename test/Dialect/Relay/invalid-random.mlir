// Random operators that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @random_threefry_split(%a0: tensor<9xui64>) {
  // expected-error @below {{expects a key of type 'tensor<10xui64>', but got 'tensor<9xui64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.threefry_split %a0 : (tensor<9xui64>) -> tuple<tensor<10xui64>, tensor<10xui64>>
  return
}

// -----

func.func @random_threefry_split(%a0: tensor<10xi64>) {
  // expected-error @below {{operand #0 must be ranked tensor of 64-bit unsigned integer values, but got 'tensor<10xi64>'}}
  %0 = relay.random.threefry_split %a0 : (tensor<10xi64>) -> tuple<tensor<10xui64>, tensor<10xui64>>
  return
}

// -----

func.func @random_threefry_generate(%a0: tensor<10xui64>) {
  // expected-error @below {{expects out_shape of sizes that are not negative, but got [2, -1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.threefry_generate %a0 {out_shape = [2, -1]} : (tensor<10xui64>) -> tuple<tensor<10xui64>, tensor<2xui64>>
  return
}

// -----

func.func @random_uniform(%a0: tensor<10xui64>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{expects out_dtype to be one of 'f32', 'f64', but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.uniform %a0, %a1, %a2 {out_shape = [4]} : (tensor<10xui64>, tensor<f32>, tensor<f32>) -> tuple<tensor<10xui64>, tensor<4xf32>>
  return
}

// -----

func.func @random_uniform(%a0: tensor<10xui64>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{expects low of type 'tensor<f64>', but got 'tensor<f32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.uniform %a0, %a1, %a2 {out_shape = [4], out_dtype = f64} : (tensor<10xui64>, tensor<f32>, tensor<f32>) -> tuple<tensor<10xui64>, tensor<4xf64>>
  return
}

// -----

func.func @random_normal(%a0: tensor<10xui64>, %a1: tensor<f32>, %a2: tensor<f64>) {
  // expected-error @below {{expects scale of type 'tensor<f32>', but got 'tensor<f64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.normal %a0, %a1, %a2 {out_shape = [4], out_dtype = f32} : (tensor<10xui64>, tensor<f32>, tensor<f64>) -> tuple<tensor<10xui64>, tensor<4xf32>>
  return
}

// -----

func.func @random_normal(%a0: tensor<10xui64>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{expects out_dtype to be one of 'f32', 'f64', but got 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.normal %a0, %a1, %a2 {out_shape = [4], out_dtype = i32} : (tensor<10xui64>, tensor<f32>, tensor<f32>) -> tuple<tensor<10xui64>, tensor<4xi32>>
  return
}

// -----

func.func @random_multinomial(%a0: tensor<10xui64>, %a1: tensor<f32>) {
  // expected-error @below {{expects probs of rank 1 or more, but got 'tensor<f32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.multinomial %a0, %a1 : (tensor<10xui64>, tensor<f32>) -> tuple<tensor<10xui64>, tensor<1xi32>>
  return
}

// -----

func.func @random_multinomial(%a0: tensor<10xui64>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects num_samples not to be negative, but got -2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.random.multinomial %a0, %a1 {num_samples = -2} : (tensor<10xui64>, tensor<4xf32>) -> tuple<tensor<10xui64>, tensor<1xi32>>
  return
}
