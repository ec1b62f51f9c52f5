// RUN: relay-opt %s --relay-to-a-normal-form | FileCheck %s --check-prefix=ANF
// RUN: relay-opt %s --relay-to-graph-normal-form | FileCheck %s --check-prefix=GRAPH
// RUN: relay-opt %s --relay-to-a-normal-form --relay-to-graph-normal-form | FileCheck %s --check-prefix=GRAPH

// ANF-LABEL: func.func @main
// ANF-NEXT:    %[[ONE:.*]] = relay.constant
// ANF-NEXT:    %[[EXP:.*]] = relay.exp
// ANF-NEXT:    %[[Y:.*]] = relay.let "y" %[[EXP]]
// ANF-NEXT:    %[[ADD:.*]] = relay.add %[[Y]], %[[ONE]]
// ANF-NEXT:    %[[X1:.*]] = relay.let "x1" %[[ADD]]
// ANF-NEXT:    %[[IF:.*]] = relay.if
// ANF-NEXT:      relay.yield %[[X1]]
// ANF-NEXT:    } else {
// ANF-NEXT:      %[[TANH:.*]] = relay.tanh %[[X1]]
// ANF-NEXT:      %[[X3:.*]] = relay.let "x3" %[[TANH]]
// ANF-NEXT:      relay.yield %[[X3]]
// ANF-NEXT:    }
// ANF-NEXT:    %[[X2:.*]] = relay.let "x2" %[[IF]]
// ANF-NEXT:    return %[[X2]]

// GRAPH-LABEL: func.func @main
// GRAPH-NOT:     relay.let
// GRAPH:         %[[EXP:.*]] = relay.exp
// GRAPH-NEXT:    %[[ADD:.*]] = relay.add %[[EXP]]
// GRAPH-NEXT:    %[[IF:.*]] = relay.if
// GRAPH-NOT:     relay.let
// GRAPH:         return %[[IF]]
func.func @main(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %y = relay.let "y" %0 : tensor<4xf32>
  %1 = relay.add %y, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %1 : tensor<4xf32>
  } else {
    %3 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
