// RUN: relay-opt %s --relay-to-a-normal-form | FileCheck %s --check-prefix=ANF
// RUN: relay-opt %s --relay-to-graph-normal-form | FileCheck %s --check-prefix=GRAPH
// RUN: relay-opt %s --relay-to-a-normal-form --relay-to-graph-normal-form | FileCheck %s --check-prefix=GRAPH

// ANF-LABEL: func.func @main
// ANF-NEXT:    %[[CONSTANT:.*]] = relay.constant
// ANF-NEXT:    %[[X1:.*]] = relay.let "x1" %[[CONSTANT]]
// ANF-NEXT:    %[[EXP:.*]] = relay.exp
// ANF-NEXT:    %[[Y:.*]] = relay.let "y" %[[EXP]]
// ANF-NEXT:    %[[ADD:.*]] = relay.add %[[Y]], %[[X1]]
// ANF-NEXT:    %[[X2:.*]] = relay.let "x2" %[[ADD]]
// ANF-NEXT:    %[[IF:.*]] = relay.if
// ANF-NEXT:      relay.yield %[[X2]]
// ANF-NEXT:    } else {
// ANF-NEXT:      %[[TANH:.*]] = relay.tanh %[[X2]]
// ANF-NEXT:      %[[X4:.*]] = relay.let "x4" %[[TANH]]
// ANF-NEXT:      relay.yield %[[X4]]
// ANF-NEXT:    }
// ANF-NEXT:    %[[X3:.*]] = relay.let "x3" %[[IF]]
// ANF-NEXT:    return %[[X3]]

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

// A tuple that an operator takes is bound; fields of one that is there are not.
// ANF-LABEL: func.func @tuples
// ANF-NEXT:    %[[TUPLE:.*]] = relay.tuple %arg0, %arg0
// ANF-NEXT:    %[[X1:.*]] = relay.let "x1" %[[TUPLE]]
// ANF-NEXT:    %[[A:.*]] = relay.tuple_get_item %[[X1]][0]
// ANF-NEXT:    %[[B:.*]] = relay.tuple_get_item %[[X1]][1]
// ANF-NEXT:    %[[C:.*]] = relay.concatenate %[[A]], %[[B]]
// ANF-NEXT:    %[[X2:.*]] = relay.let "x2" %[[C]]
// ANF-NEXT:    %[[D:.*]] = relay.tuple_get_item %arg1[0]
// ANF-NEXT:    %[[E:.*]] = relay.tuple_get_item %arg1[1]
// ANF-NEXT:    %[[F:.*]] = relay.concatenate %[[D]], %[[E]]
// ANF-NEXT:    %[[X3:.*]] = relay.let "x3" %[[F]]
// GRAPH-LABEL: func.func @tuples
func.func @tuples(%x: tensor<2xf32>, %t: tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<4xf32> {
  %0 = relay.concatenate %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %a = relay.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  %b = relay.tuple_get_item %t[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.concatenate %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %2 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A variable with a declared type is one; a primitive function has none, nor has
// an operator as a value.
// ANF-LABEL: func.func @bound
// ANF-NEXT:    relay.exp
// ANF-NEXT:    relay.ascribe
// ANF-NEXT:    %[[Y:.*]] = relay.let "y"
// ANF-NEXT:    %[[P:.*]] = relay.fn
// ANF-NEXT:      %[[T:.*]] = relay.tanh
// ANF-NEXT:      relay.yield %[[T]]
// ANF-NEXT:    }
// ANF-NEXT:    %[[X1:.*]] = relay.let "x1" %[[P]]
// ANF-NEXT:    %[[OP:.*]] = relay.fn
// ANF-NEXT:      relay.exp
// ANF-NEXT:      relay.yield
// ANF-NEXT:    }
// ANF-NEXT:    %[[A:.*]] = relay.call_indirect %[[X1]](%[[Y]])
// ANF-NEXT:    %[[X2:.*]] = relay.let "x2" %[[A]]
// ANF-NEXT:    relay.call_indirect %[[OP]](%[[X2]])
// GRAPH-LABEL: func.func @bound
func.func @bound(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.ascribe %0 : tensor<4xf32> as tensor<?xf32>
  %y = relay.let "y" %1 : tensor<?xf32>
  %f = relay.fn (%a: tensor<?xf32>) -> tensor<?xf32> attributes {relay.primitive} {
    %2 = relay.tanh %a : (tensor<?xf32>) -> tensor<?xf32>
    relay.yield %2 : tensor<?xf32>
  }
  %g = relay.fn (%a: tensor<?xf32>) -> tensor<?xf32> attributes {relay.operator = "exp"} {
    %2 = relay.exp %a : (tensor<?xf32>) -> tensor<?xf32>
    relay.yield %2 : tensor<?xf32>
  }
  %3 = relay.call_indirect %f(%y) : (tensor<?xf32>) -> tensor<?xf32>
  %4 = relay.call_indirect %g(%3) : (tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// Cases that differ in sizes are of the type that they are declared to be of.
// GRAPH-LABEL: func.func @cases
// GRAPH:         case @Kind::@Narrow {
// GRAPH-NEXT:      %[[N:.*]] = relay.ascribe %{{.*}} : tensor<4xf32> as tensor<?xf32>
// GRAPH-NEXT:      relay.yield %[[N]]
// GRAPH:         case @Kind::@Wide {
// GRAPH-NEXT:      %[[W:.*]] = relay.ascribe %{{.*}} : tensor<5xf32> as tensor<?xf32>
// GRAPH-NEXT:      relay.yield %[[W]]
relay.adt @Kind {
  relay.constructor @Narrow
  relay.constructor @Wide
}
func.func @cases(%k: !relay.adt<@Kind>, %x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<?xf32> {
  %0 = relay.match %k : !relay.adt<@Kind> -> tensor<?xf32> {
  case @Kind::@Narrow {
    %1 = relay.ascribe %x : tensor<4xf32> as tensor<?xf32>
    %v = relay.let "v" %1 : tensor<?xf32>
    relay.yield %v : tensor<?xf32>
  }
  case @Kind::@Wide {
    %1 = relay.ascribe %y : tensor<5xf32> as tensor<?xf32>
    relay.yield %1 : tensor<?xf32>
  }
  }
  return %0 : tensor<?xf32>
}
