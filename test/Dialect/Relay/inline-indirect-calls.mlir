// RUN: relay-opt %s --relay-inline-indirect-calls --split-input-file | FileCheck %s
// RUN: not relay-opt %s --relay-inline-indirect-calls=max-operations=6 --split-input-file 2>&1 | FileCheck %s --check-prefix=LIMIT

// A literal that is called, and one that is handed to another.

// CHECK-LABEL: func @literals
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[A:.*]] = relay.exp %[[X]]
// CHECK-NEXT: %[[B:.*]] = relay.add %[[A]], %[[X]]
// CHECK-NEXT: %[[C:.*]] = relay.exp %[[B]]
// CHECK-NEXT: %[[D:.*]] = relay.add %[[C]], %[[X]]
// CHECK-NEXT: return %[[D]]
func.func @literals(%x: tensor<3xf32>) -> tensor<3xf32> {
  %twice = relay.fn (%f: (tensor<3xf32>) -> tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
    %1 = relay.call_indirect %f(%y) : (tensor<3xf32>) -> tensor<3xf32>
    %2 = relay.call_indirect %f(%1) : (tensor<3xf32>) -> tensor<3xf32>
    relay.yield %2 : tensor<3xf32>
  }
  %g = relay.fn (%y: tensor<3xf32>) -> tensor<3xf32> {
    %1 = relay.exp %y : (tensor<3xf32>) -> tensor<3xf32>
    %2 = relay.add %1, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    relay.yield %2 : tensor<3xf32>
  }
  %0 = relay.call_indirect %twice(%g, %x)
    : ((tensor<3xf32>) -> tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Names of functions, but for one that calls itself.

func.func private @exp(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = relay.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @endless(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = relay.call @endless(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func @names
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: %[[G:.*]] = relay.global @endless
// CHECK-NEXT: %[[A:.*]] = relay.exp %[[X]]
// CHECK-NEXT: %[[B:.*]] = relay.call_indirect %[[G]](%[[A]])
// CHECK-NEXT: return %[[B]]
func.func @names(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = relay.global @exp : (tensor<3xf32>) -> tensor<3xf32>
  %g = relay.global @endless : (tensor<3xf32>) -> tensor<3xf32>
  %0 = relay.call_indirect %f(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = relay.call_indirect %g(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// Each doubles what is there: 1, 2, 4, 8 operations.

// CHECK-LABEL: func @doubling
// CHECK-COUNT-8: relay.negative
// CHECK-NOT: relay.negative
// LIMIT: error: expects calls of closures in @doubling that stand for at most 6 operations once inlined, but got more
func.func @doubling(%x: tensor<3xf32>) -> tensor<3xf32> {
  %f = relay.fn (%y: tensor<3xf32>) -> tensor<3xf32> {
    %1 = relay.negative %y : (tensor<3xf32>) -> tensor<3xf32>
    relay.yield %1 : tensor<3xf32>
  }
  %g = relay.fn (%y: tensor<3xf32>) -> tensor<3xf32> {
    %1 = relay.call_indirect %f(%y) : (tensor<3xf32>) -> tensor<3xf32>
    %2 = relay.call_indirect %f(%1) : (tensor<3xf32>) -> tensor<3xf32>
    relay.yield %2 : tensor<3xf32>
  }
  %h = relay.fn (%y: tensor<3xf32>) -> tensor<3xf32> {
    %1 = relay.call_indirect %g(%y) : (tensor<3xf32>) -> tensor<3xf32>
    %2 = relay.call_indirect %g(%1) : (tensor<3xf32>) -> tensor<3xf32>
    relay.yield %2 : tensor<3xf32>
  }
  %0 = relay.call_indirect %h(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = relay.call_indirect %h(%0) : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
