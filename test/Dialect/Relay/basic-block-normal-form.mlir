// RUN: relay-opt %s --relay-to-basic-block-normal-form | FileCheck %s

// Both branches use a value; only one uses another.
// CHECK-LABEL: func.func @branches
// CHECK-NEXT:    %[[EXP:.*]] = relay.exp
// CHECK-NEXT:    %[[X1:.*]] = relay.let "x1" %[[EXP]]
// CHECK-NEXT:    %[[TANH:.*]] = relay.tanh
// CHECK-NEXT:    %[[IF:.*]] = relay.if
// CHECK-NEXT:      relay.yield %[[X1]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relay.add %[[X1]], %[[TANH]]
// CHECK-NEXT:      relay.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[IF]]
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %0 : tensor<4xf32>
  } else {
    %3 = relay.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %3 : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// What only the operations of one branch use is part of that branch, so a value
// that it shares with the other branch is bound, not the last one.
// CHECK-LABEL: func.func @chains
// CHECK-NEXT:    %[[ZERO:.*]] = relay.constant
// CHECK-NEXT:    %[[EXP:.*]] = relay.exp
// CHECK-NEXT:    %[[X1:.*]] = relay.let "x1" %[[EXP]]
// CHECK-NEXT:    %[[ADD:.*]] = relay.add %[[X1]], %[[ZERO]]
// CHECK-NEXT:    %[[TANH:.*]] = relay.tanh %[[ADD]]
// CHECK-NEXT:    relay.if
// CHECK-NEXT:      relay.yield %[[TANH]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relay.yield %[[X1]]
func.func @chains(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %0, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %2 : tensor<4xf32>
  } else {
    relay.yield %0 : tensor<4xf32>
  }
  return %3 : tensor<4xf32>
}

// A closure and the code around it; a constant as well. Names are no values that
// need a variable, and a primitive closure stays as it is.
// CHECK-LABEL: func.func @closures
// CHECK-NEXT:    %[[ONE:.*]] = relay.constant
// CHECK-NEXT:    %[[X1:.*]] = relay.let "x1" %[[ONE]]
// CHECK-NEXT:    %[[NAME:.*]] = relay.global @branches
// CHECK-NEXT:    %[[P:.*]] = relay.fn
// CHECK-NEXT:      relay.exp
// CHECK-NEXT:      relay.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[X2:.*]] = relay.let "x2" %[[P]]
// CHECK-NEXT:    relay.fn
// CHECK-NEXT:      relay.add %{{.*}}, %[[X1]]
// CHECK-NEXT:      relay.call_indirect %[[X2]]
// CHECK-NEXT:      relay.call_indirect %[[NAME]]
func.func @closures(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %one = relay.constant dense<1.0> : tensor<f32>
  %name = relay.global @branches : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  %p = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
    %0 = relay.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %0 : tensor<4xf32>
  }
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relay.add %y, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = relay.call_indirect %p(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relay.call_indirect %name(%c, %1) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %2 : tensor<4xf32>
  }
  %1 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.add %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = relay.call_indirect %p(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.call_indirect %name(%c, %3) : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// A variable that is there is used by all, and bound before them.
// CHECK-LABEL: func.func @variables
// CHECK-NEXT:    %[[EXP:.*]] = relay.exp
// CHECK-NEXT:    %[[Y:.*]] = relay.let "y" %[[EXP]]
// CHECK-NEXT:    relay.if
// CHECK-NEXT:      relay.yield %[[Y]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relay.yield %arg1
// CHECK-NEXT:    }
// CHECK-NEXT:    relay.add %{{.*}}, %[[Y]]
func.func @variables(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %0 : tensor<4xf32>
  } else {
    relay.yield %x : tensor<4xf32>
  }
  %y = relay.let "y" %0 : tensor<4xf32>
  %2 = relay.add %1, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Primitive functions stay as they are.
// CHECK-LABEL: func.func private @primitive
// CHECK-NOT:     relay.let
func.func private @primitive(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<4xf32> {
    relay.yield %0 : tensor<4xf32>
  } else {
    %2 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
    relay.yield %2 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// A region without a block, of another dialect.
// CHECK-LABEL: func.func @no_else
// CHECK:         scf.if
// CHECK-NEXT:      memref.store
func.func @no_else(%c: i1, %x: f32, %y: memref<f32>) {
  scf.if %c {
    memref.store %x, %y[] : memref<f32>
  }
  return
}
