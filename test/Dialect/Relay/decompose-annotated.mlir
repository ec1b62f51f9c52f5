// What others compile, they see as it is: no operator of a region or a pattern
// becomes others, and the annotations stay.
// RUN: relay-opt %s --relay-decompose | FileCheck %s
// RUN: relay-opt %s --relay-decompose --relay-merge-compiler-regions --relay-partition-graph | FileCheck %s --check-prefix=PARTS

// CHECK-LABEL: func.func @main
// CHECK:         relay.fn
// CHECK-NEXT:      relay.nn.cross_entropy
// CHECK:         relay.annotation.compiler_begin %arg0 {compiler = "a"}
// CHECK-NEXT:    relay.annotation.compiler_begin %arg1 {compiler = "a"}
// CHECK-NEXT:    relay.nn.cross_entropy
// CHECK-NEXT:    relay.annotation.compiler_end {{.*}} {compiler = "a"}
// CHECK-NEXT:    relay.annotation.compiler_begin {{.*}} {compiler = "default"}
// CHECK:         relay.log
// CHECK:         relay.annotation.compiler_end {{.*}} {compiler = "default"}

// PARTS-LABEL: func.func private @tvmgen_default_a_main_0
// PARTS-NEXT:    relay.nn.cross_entropy
// PARTS-NEXT:    return
// PARTS-LABEL: func.func @main
// PARTS:         relay.call @tvmgen_default_a_main_0
// PARTS:         relay.log
func.func @main(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %f = relay.fn (%p: tensor<2x4xf32>, %q: tensor<2x4xf32>) -> tensor<f32> attributes {relay.composite = "a.loss"} {
    %r = relay.nn.cross_entropy %p, %q : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
    relay.yield %r : tensor<f32>
  }
  %c = relay.call_indirect %f(%x, %y) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
  %b0 = relay.annotation.compiler_begin %x {compiler = "a"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %b1 = relay.annotation.compiler_begin %y {compiler = "a"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = relay.nn.cross_entropy %b0, %b1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
  %e0 = relay.annotation.compiler_end %0 {compiler = "a"} : (tensor<f32>) -> tensor<f32>
  %b2 = relay.annotation.compiler_begin %x {compiler = "default"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %b3 = relay.annotation.compiler_begin %y {compiler = "default"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.cross_entropy %b2, %b3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<f32>
  %e1 = relay.annotation.compiler_end %1 {compiler = "default"} : (tensor<f32>) -> tensor<f32>
  return %e0, %e1, %c : tensor<f32>, tensor<f32>, tensor<f32>
}

// An operator without elements is the other's as well.
// PARTS-LABEL: func.func private @tvmgen_default_a_empty_0
// PARTS-NEXT:    relay.exp
// PARTS-LABEL: func.func @empty
// PARTS-NEXT:    relay.call @tvmgen_default_a_empty_0
func.func @empty(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %b = relay.annotation.compiler_begin %x {compiler = "a"} : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %0 = relay.exp %b : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %e = relay.annotation.compiler_end %0 {compiler = "a"} : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %e : tensor<0x4xf32>
}
