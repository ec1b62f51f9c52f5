// RUN: relay-opt %s --split-input-file | relay-opt --split-input-file | FileCheck %s
// RUN: relay-opt %s --split-input-file --relax-plan-memory --verify-relax-executable | FileCheck %s --check-prefix=PLAN
// RUN: relay-opt %s --split-input-file --verify-relax-kernels -o /dev/null

func.func private @rows(memref<?x8xf32>, memref<?x8xf32>)
  attributes {tir.num_outputs = 1 : i64}

// A symbol that nothing binds is the size; what is known is not checked, the
// rest before a run.
// CHECK-LABEL: relax.func @bind(
// PLAN-LABEL: relax.func @bind(
// PLAN-SAME: -> !relax.tensor<[k + n, 8], f32>
relax.func @bind(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[n + k, 2 * k], f32>)
    -> !relax.tensor<[rows, 8], f32> {
  // PLAN: relax.assert_equal [2 * k], [8]
  // CHECK: %[[C:.*]] = relax.match_cast %{{.*}} : !relax.tensor<[k + n, 2 * k], f32> to !relax.tensor<[rows, 8], f32>
  // PLAN: %[[C:.*]] = relax.reshape %{{.*}} : !relax.tensor<[k + n, 2 * k], f32> to !relax.tensor<[k + n, 8], f32>
  %0 = relax.match_cast %y : !relax.tensor<[n + k, 2 * k], f32>
    to !relax.tensor<[rows, 8], f32>
  // PLAN: relax.call_kernel @rows ins(%[[C]] : !relax.tensor<[k + n, 8], f32>)
  %1 = relax.call_tir @rows(%0)
    : (!relax.tensor<[rows, 8], f32>) -> !relax.tensor<[rows, 8], f32>
  relax.return %1 : !relax.tensor<[rows, 8], f32>
}

// -----

func.func private @rows(memref<?x8xf32>, memref<?x8xf32>)
  attributes {tir.num_outputs = 1 : i64}

// In a dataflow block, also of a value that is computed, and by names that
// earlier casts have given. Nothing is left of one that states what is known.
// CHECK-LABEL: relax.func @chain(
// PLAN-LABEL: relax.func @chain(
relax.func @chain(%x: !relax.tensor<[n, 8], f32>, %y: !relax.tensor<[k, 8], f32>)
    -> !relax.tensor<[n, 8], f32> {
  // PLAN-NOT: relax.assert_equal
  // PLAN: relax.assert_equal [k], [n]
  // PLAN-NOT: relax.assert_equal
  // PLAN: relax.return
  %r = relax.dataflow {
    %0 = relax.call_tir @rows(%x)
      : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
    // CHECK: relax.match_cast
    %1 = relax.match_cast %0 : !relax.tensor<[n, 8], f32>
      to !relax.tensor<[m, 8], f32>
    %2 = relax.match_cast %y : !relax.tensor<[k, 8], f32>
      to !relax.tensor<[m, 8], f32>
    %3 = relax.match_cast %1 : !relax.tensor<[m, 8], f32>
      to !relax.tensor<[n, 8], f32>
    %4 = relax.call_tir @rows(%3)
      : (!relax.tensor<[n, 8], f32>) -> !relax.tensor<[n, 8], f32>
    relax.output %4 : !relax.tensor<[n, 8], f32>
  } : !relax.tensor<[n, 8], f32>
  relax.return %r : !relax.tensor<[n, 8], f32>
}
