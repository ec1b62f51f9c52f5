// Numbers that options of passes do not take are refused before a pass does
// anything.
// RUN: not relay-opt %s --relay-rewrite=max-rounds=-5 2>&1 | FileCheck %s --check-prefix=ROUNDS
// RUN: not relay-opt %s --relay-simplify-expr=max-rounds=0 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not relay-opt %s --relay-winograd=tile-size=-1 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not relay-opt %s --relay-conv2d-to-sparse2=sparsity=1.5 2>&1 | FileCheck %s --check-prefix=SPARSITY
// RUN: not relay-opt %s --relay-conv2d-to-sparse2=sparsity=nan 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not relay-opt %s --relay-partition-graph=min-cost=-1 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not relay-opt %s --relay-partition-graph=min-operators=-2 2>&1 | FileCheck %s --check-prefix=OPERATORS
// RUN: not relay-opt %s --relay-fold-constant=max-growth=-1 2>&1 | FileCheck %s --check-prefix=GROWTH
// RUN: not relay-opt %s --relay-partial-evaluate=max-evaluated=-1 2>&1 | FileCheck %s --check-prefix=EVALUATED

// ROUNDS: error: expects option 'max-rounds' to be at least 1, but got -5
// TABLE: error: expects option 'max-rounds' to be at least 1, but got 0
// TILE: error: expects option 'tile-size' to be at least 0, but got -1
// SPARSITY: error: expects option 'sparsity' to be at least 0.0{{.*}} and at most 1.0{{.*}}, but got 1.5
// NAN: error: expects option 'sparsity' to be at least 0.0{{.*}} and at most 1.0{{.*}}, but got nan
// COST: error: expects option 'min-cost' to be at least 0.0{{.*}}, but got -1.0
// OPERATORS: error: expects option 'min-operators' to be at least 0, but got -2
// GROWTH: error: expects option 'max-growth' to be at least 0, but got -1
// EVALUATED: error: expects option 'max-evaluated' to be at least 0, but got -1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
