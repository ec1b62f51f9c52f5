// The smallest program that a test still finds interesting.

// RUN: split-file %s %t
// RUN: chmod +x %t/has-exp.sh %t/has-call.sh

// A test of mlir-reduce's kind: another status than 0 is interesting.
// RUN: relay-reduce %t/model.mlir --test=%t/has-exp.sh | FileCheck %s --check-prefix=EXP
// EXP:      func.func @main(%[[X:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32> {
// EXP-NEXT:   %[[Y:.*]] = relay.exp %[[X]]
// EXP-NEXT:   return %[[Y]]
// EXP-NEXT: }
// EXP-NOT: func.func

// A command that fails with a message.
// RUN: relay-reduce %t/dynamic.mlir --command="relay-compile --emit=obj --no-cache -o /dev/null" --message="no lowering" \
// RUN:   -o %t/small.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: relay-reduce: 6 operations became 3
// RUN: FileCheck %s --check-prefix=SMALL --input-file=%t/small.mlir
// SMALL: func.func @main(%[[X:.*]]: tensor<4x8xf32>)
// SMALL-NEXT: relay.argwhere %[[X]]

// What is dead goes when the pass folds, and the program is interesting no more.
// RUN: relay-reduce %t/dead.mlir --test=%t/has-exp.sh 2>%t/said | FileCheck %s --check-prefix=DEAD
// RUN: FileCheck %s --check-prefix=SAID --input-file=%t/said
// DEAD:      func.func @main(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// DEAD-NEXT:   relay.exp %[[Y]]
// DEAD-NEXT:   return %[[X]]
// SAID:     relay-reduce: 6 operations became 3
// SAID-NOT: {{.}}

// Functions that nobody calls go; of those that are called, the calls.
// RUN: relay-reduce %t/unused.mlir --test=%t/has-call.sh -o %t/called.mlir 2>&1 | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS: relay-reduce: 8 operations became 5

// Batch normalization returns a tuple; control flow has regions.
// RUN: relay-reduce %t/branch.mlir --test=%t/has-exp.sh | FileCheck %s --check-prefix=BRANCH
// BRANCH-NOT: batch_norm
// BRANCH-NOT: relay.tanh
// BRANCH: relay.exp
// BRANCH-NOT: batch_norm

// RUN: not relay-reduce %t/model.mlir 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: relay-reduce: error: expects either --test or --command
// RUN: not relay-reduce %t/model.mlir --test=%t/nothing.sh 2>&1 | FileCheck %s --check-prefix=NOTEST
// NOTEST: relay-reduce: error: expects a test that can be run, but got '{{.*}}nothing.sh'
// RUN: not relay-reduce %t/model.mlir --command=true 2>&1 | FileCheck %s --check-prefix=BORING
// BORING: relay-reduce: error: expects a command that a signal ends, or that fails with the message, but it does not do so for the input
// RUN: not relay-reduce %t/model.mlir --test=true 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: relay-reduce: error: expects an input that is interesting, but the test ends with status 0 for it
// RUN: not timeout 30 relay-reduce %t/model.mlir --command="trap '' TERM; sleep 50; sleep 50 #" --timeout=1 2>&1 | FileCheck %s --check-prefix=BORING
// RUN: not timeout 30 relay-reduce %t/model.mlir --command="sleep 50 & false #" --message=x --timeout=1 2>&1 | FileCheck %s --check-prefix=BORING
// RUN: not relay-reduce %t/model.mlir --test=%t/has-exp.sh --message=x 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: relay-reduce: error: expects --command beside --message
// RUN: not relay-reduce %t/has-exp.sh --test=%t/has-exp.sh 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: has-exp.sh:1:1: error:

// A signal is interesting without a message.
// RUN: chmod +x %t/crash.sh
// RUN: relay-reduce %t/model.mlir --command=%t/crash.sh | FileCheck %s --check-prefix=EXP

//--- has-exp.sh
#!/bin/sh
grep -q "relay.exp" "$1" && exit 1
exit 0
//--- has-call.sh
#!/bin/sh
grep -q "relay.call" "$1" && exit 1
exit 0
//--- dead.mlir

func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.sigmoid %x : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.add %2, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

//--- unused.mlir
func.func private @h(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relay.call @h(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
//--- crash.sh
#!/bin/sh
grep -q "relay.exp" "$1" && kill -SEGV $$
exit 1
//--- dynamic.mlir
func.func @main(%x: tensor<4x8xf32>) -> tensor<?x2xi32> {
  %0 = relay.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.add %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = relay.nn.relu %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = relay.argwhere %2 : (tensor<4x8xf32>) -> tensor<?x2xi32>
  return %3 : tensor<?x2xi32>
}
//--- model.mlir
func.func private @helper(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @main(%x: tensor<4x8xf32> {relay.name = "x"}, %w: tensor<8x8xf32> {relay.name = "w"})
    -> (tensor<4x8xf32> {relay.name = "y"}) {
  %c = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.dense %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = relay.add %0, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = relay.call @helper(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = relay.exp %2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = relay.multiply %3, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = relay.nn.softmax %4 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
//--- branch.mlir
func.func @main(%x: tensor<1x4x2x2xf32>, %c: tensor<i1>) -> tensor<1x4x2x2xf32> {
  %w = relay.constant dense<0.5> : tensor<4xf32>
  %0 = relay.nn.batch_norm %x, %w, %w, %w, %w : (tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>>
  %2 = relay.if %c : tensor<i1> -> tensor<1x4x2x2xf32> {
    %4 = relay.exp %1 : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
    relay.yield %4 : tensor<1x4x2x2xf32>
  } else {
    relay.yield %1 : tensor<1x4x2x2xf32>
  }
  %3 = relay.tanh %2 : (tensor<1x4x2x2xf32>) -> tensor<1x4x2x2xf32>
  return %3 : tensor<1x4x2x2xf32>
}
