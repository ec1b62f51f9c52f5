// RUN: split-file %s %t
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a.b" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a" 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a:nothing=1" 2>&1 | FileCheck %s --check-prefix=OPERATOR
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a=1 operators=a:nothing" 2>&1 | FileCheck %s --check-prefix=TAKES
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a=1 styles=b=any" 2>&1 | FileCheck %s --check-prefix=STYLE
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a=1 max-depth=0" 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: not relay-opt %t/program.mlir --relay-collage-partition="targets=a costs=a=1" 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not relay-opt %t/marked.mlir --relay-collage-partition="targets=a costs=a=1" 2>&1 | FileCheck %s --check-prefix=MARKED

// NAME: error: expects the name of a target, without a dot and other than "default", but got "a.b"
// COST: error: expects costs as target=cost or target:operator=cost, each at least 0, but got "a"
// NEGATIVE: error: expects costs as target=cost or target:operator=cost, each at least 0, but got "a=-1"
// OPERATOR: error: expects costs as target=cost or target:operator=cost, each at least 0, but got "a:nothing=1"
// TAKES: error: expects operators as target:name of an operator, but got "a:nothing"
// STYLE: error: expects styles as one of targets, =, and none, kernels or any, but got "b=any"
// DEPTH: error: expects option 'max-depth' to be at least 1, but got 0
// TABLE: program.mlir:2:{{.*}}error: expects the cost of 'exp' for "default", but the table has none
// MARKED: marked.mlir:2:{{.*}}error: 'relay.annotation.compiler_begin' op expects a program in which no part is for anybody yet; relay-partition-graph (PartitionGraph) moves what is marked into functions

//--- program.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- marked.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.annotation.compiler_begin %x {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.annotation.compiler_end %1 {compiler = "a"} : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
