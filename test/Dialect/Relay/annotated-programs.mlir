// Passes between those that hand parts over to other compilers leave regions
// what they are: here, two that need the same value.
// RUN: relay-opt %s --cse --relay-partition-graph | FileCheck %s
// RUN: relay-opt %s --relay-to-a-normal-form --relay-partition-graph --relay-to-graph-normal-form | FileCheck %s
// RUN: relay-opt %s --relay-to-a-normal-form --relay-manifest-lifetimes --relay-partition-graph --relay-to-graph-normal-form | FileCheck %s
// RUN: relay-opt %s --relay-fold-constant --canonicalize --relay-dead-code --relay-partition-graph | FileCheck %s
// RUN: relay-opt %s --relay-partial-evaluate --relay-partition-graph --relay-to-graph-normal-form | FileCheck %s
// RUN: relay-opt %s --cse | FileCheck %s --check-prefix=CSE
// RUN: relay-opt %s --relay-fuse-ops | FileCheck %s --check-prefix=FUSED
// RUN: relay-opt %s --relay-decompose --relay-partition-graph | FileCheck %s

// CHECK-LABEL: func.func private @tvmgen_default_a_main_0
// CHECK-NEXT:    relay.exp
// CHECK:       func.func private @tvmgen_default_a_main_{{[1-9]}}
// CHECK:         relay.add
// CHECK-LABEL: func.func @main
// CHECK:         %[[E:.*]] = relay.call @tvmgen_default_a_main_0(%arg0)
// CHECK-NEXT:    %[[T:.*]] = relay.tanh %[[E]]
// CHECK-NEXT:    %[[R:.*]] = relay.call @tvmgen_default_a_main_{{[1-9]}}({{.*}})
// CHECK-NEXT:    return %[[R]]

// Two begins of a value are of two uses.
// CSE-COUNT-4: relay.annotation.compiler_begin

// Borders are no kernels.
// FUSED-LABEL: func.func @main
// FUSED:         %[[B:.*]] = relay.annotation.compiler_begin %arg0
// FUSED-NEXT:    %[[E:.*]] = relay.call @{{.*}}(%[[B]])
// FUSED-NEXT:    relay.annotation.compiler_end %[[E]]

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = relay.constant dense<1.0> : tensor<4xf32>
  %b0 = relay.annotation.compiler_begin %x {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.exp %b0 : (tensor<4xf32>) -> tensor<4xf32>
  %e0 = relay.annotation.compiler_end %0 {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %e0 : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = relay.annotation.compiler_begin %x {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %b2 = relay.annotation.compiler_begin %1 {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %b3 = relay.annotation.compiler_begin %one {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.subtract %b1, %b3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.add %2, %b2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e1 = relay.annotation.compiler_end %3 {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  return %e1 : tensor<4xf32>
}
