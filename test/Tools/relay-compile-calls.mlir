// RUN: relay-compile %s --emit=relay -o - | FileCheck %s --implicit-check-not=@twice
// RUN: relay-compile %s -o %t.so
// RUN: relay-run %t.so --info | FileCheck %s --check-prefix=INFO

// Functions that @main calls, and those that nobody calls, are no part of what
// is compiled.

// INFO: output: {{.*}} f32 [2, 3]

func.func @twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @unused(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}

// CHECK: relay.add
// CHECK: relay.exp
func.func @main(%x: tensor<2x3xf32> {relay.name = "x"}) -> tensor<2x3xf32> {
  %0 = relay.call @twice(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.exp %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
