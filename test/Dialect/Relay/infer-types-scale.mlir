// Long programs: no recursion over their length, and time grows linearly.
// RUN: %python %S/Inputs/chain.py 25000 typed | relay-opt --relay-infer-types | FileCheck %s
// RUN: %python %S/Inputs/chain.py 25000 untyped | relay-opt --relay-infer-types | FileCheck %s
// RUN: %python %S/Inputs/chain.py 25000 let | relay-opt --relay-infer-types | FileCheck %s
// RUN: %python %S/Inputs/calls.py 5000 | relay-opt --relay-infer-types --relay-dead-code | FileCheck %s --check-prefix=CALLS
// RUN: %python %S/Inputs/calls.py 5000 | relay-opt --relay-infer-types --verify-relay-typed | FileCheck %s --check-prefix=CALLS

// CHECK:     func.func @main(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NOT: incomplete
// CALLS:     func.func @f0(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CALLS:     func.func @f4999(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
