// Long chains are cut at the limit, and large graphs take linear time.
// RUN: %python %S/Inputs/chain.py 300 | relay-opt --relay-fuse-ops --verify-relay-fused | FileCheck %s
// RUN: %python %S/Inputs/chain.py 3 | relay-opt --relay-fuse-ops=max-depth=1 | FileCheck %s --check-prefix=APART
// RUN: %python %S/Inputs/chain.py 10000 | relay-opt --relay-fuse-ops --verify-relay-fused | FileCheck %s --check-prefix=LARGE

// The names of long groups are cut too.
// CHECK:      func.func private @[[FIRST:fused_tanh(_tanh)+_[0-9a-f]+]](
// CHECK-COUNT-256: relay.tanh
// CHECK:      func.func private @[[SECOND:fused_tanh(_tanh)+_[0-9a-f]+]](
// CHECK-COUNT-44: relay.tanh
// CHECK:      func.func @main
// CHECK-NEXT:   relay.call @[[FIRST]](
// CHECK-NEXT:   relay.call @[[SECOND]](
// CHECK-NEXT:   return

// 39 full groups, which are one function, and one of 16.
// LARGE:          func.func private
// LARGE-COUNT-256:  relay.tanh
// LARGE:          func.func private
// LARGE-COUNT-16:   relay.tanh
// LARGE-NOT:        relay.tanh
// LARGE:          func.func @main
// LARGE-COUNT-40:   relay.call
// LARGE-NEXT:       return

// APART-LABEL:    func.func @main
// APART-COUNT-3:    relay.call @fused_tanh(
// APART-NEXT:       return
