// RUN: split-file %s %t
// RUN: relay-opt %t/program.mlir --relay-collage-partition="targets=a,b costs=default=4,a=2,b:nn.relu=0.5,b:nn.dense=9 patterns=%t/patterns.mlir operators=b:nn.relu,b:nn.dense" | FileCheck %s
// RUN: relay-opt %t/program.mlir --relay-collage-partition="targets=a,b costs=default=4,a=9,b:nn.relu=0.5,b:nn.dense=9 patterns=%t/patterns.mlir operators=b:nn.relu,b:nn.dense" | FileCheck %s --check-prefix=APART

// A pattern is one candidate: here it costs 2 + 0.9 * 2, less than 4 + 0.5.
// Where it costs more, each operator goes where it is cheapest.
//--- program.mlir
// CHECK: func.func private @tvmgen_collage_a_main_0
// CHECK-NEXT: %[[F:.*]] = relay.fn
// CHECK-SAME: relay.composite = "a.dense_relu"
// CHECK: relay.call_indirect %[[F]](
// CHECK-LABEL: func.func @main
// CHECK: relay.call @tvmgen_collage_a_main_0(%{{.*}}, %{{.*}})
// APART-LABEL: func.func @main
// APART-NEXT: %[[D:.*]] = relay.nn.dense
// APART-NEXT: relay.call @tvmgen_collage_b_main_0(%[[D]])
func.func @main(%x: tensor<3x4xf32>, %w: tensor<2x4xf32>) -> tensor<3x2xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x2xf32>
  %1 = relay.nn.relu %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
//--- patterns.mlir
pdl.pattern @dense_relu : benefit(1) {
  %data = pdl.operand
  %weight = pdl.operand
  %type = pdl.type
  %dense = pdl.operation "relay.nn.dense"(%data, %weight : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %0 = pdl.result 0 of %dense
  %relu = pdl.operation "relay.nn.relu"(%0 : !pdl.value) -> (%type : !pdl.type)
  %name = pdl.attribute = "a.dense_relu"
  pdl.rewrite %relu {
    apply_native_rewrite "composite"(%relu, %name : !pdl.operation, !pdl.attribute)
  }
}
