// Rules that run between the steps may leave operators without operands, which
// are in no region: they are ours, as those are that were so from the start.
// RUN: relay-opt %s --relay-annotate-target="targets=a operators=a:zeros_like,a:add,a:exp" --relay-simplify-expr --relay-merge-compiler-regions --relay-partition-graph | FileCheck %s --check-prefix=ALL
// RUN: relay-opt %s --relay-annotate-target="targets=a operators=a:exp" --relay-simplify-expr --relay-merge-compiler-regions --relay-partition-graph | FileCheck %s --check-prefix=EXP
// RUN: relay-opt %s --relay-annotate-target="targets=a operators=a:exp" --relay-merge-compiler-regions --relay-simplify-expr --relay-partition-graph | FileCheck %s --check-prefix=MERGED

// ALL-LABEL: func.func private @tvmgen_default_a_main
// ALL:         relay.exp
// ALL:         relay.add
// ALL-LABEL: func.func @main
// ALL-NEXT:    %[[Z:.*]] = relay.zeros
// ALL-NEXT:    relay.call @tvmgen_default_a_main_{{.*}}(%{{.*}}, %{{.*}})
// ALL-NEXT:    relay.tanh

// EXP-LABEL: func.func private @tvmgen_default_a_main_0
// EXP-NEXT:    relay.exp
// EXP-LABEL: func.func @main
// EXP:         relay.zeros
// EXP:         relay.add
// EXP-NEXT:    relay.tanh

// Of one region, it goes.
// MERGED-LABEL: func.func @main
// MERGED-NEXT:    %[[E:.*]] = relay.call @tvmgen_default_a_main_0(%arg0)
// MERGED-NEXT:    relay.tanh %[[E]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = relay.zeros_like %y : (tensor<4xf32>) -> tensor<4xf32>
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %0, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
