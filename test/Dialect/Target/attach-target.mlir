// RUN: relay-opt %s --relay-attach-target="target=znver3 precision=highest" | FileCheck %s
// What the module has stays.
// RUN: relay-opt %s --relay-attach-target="target=znver3 precision=highest" --relay-attach-target | FileCheck %s
// RUN: relay-opt %s --relay-attach-target="target=sapphirerapids,-amx-int8 precision=highest" | FileCheck %s --check-prefix=OTHER
// RUN: not relay-opt %s --relay-attach-target=target=znver3 --relay-attach-target=target=znver4 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: not relay-opt %s --relay-attach-target=precision=high --tir-schedule=precision=medium 2>&1 | FileCheck %s --check-prefix=RELABELLED
// Without options: the processor that runs the compiler, and `high`.
// RUN: env RELAY_NATIVE_TARGET=aarch64-neoverse-n1 relay-opt %s --relay-attach-target | FileCheck %s --check-prefix=NATIVE
// RUN: not relay-opt %s --relay-attach-target=target=z80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relay-opt %s --relay-attach-target=precision=low 2>&1 | FileCheck %s --check-prefix=LOW

// CHECK:      #[[CPU:.*]] = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">
// CHECK-NEXT: module attributes {target.precision = #target.precision<highest>, target.spec = #[[CPU]]}

// OTHER:      #[[CPU:.*]] = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids", features = "-amx-int8">
// OTHER-NEXT: module attributes {target.precision = #target.precision<highest>, target.spec = #[[CPU]]}

// NATIVE:      #[[CPU:.*]] = #target.cpu<"aarch64-unknown-linux-gnu", "neoverse-n1">
// NATIVE-NEXT: module attributes {target.precision = #target.precision<high>, target.spec = #[[CPU]]}

// CHANGED: error: expects the target.spec that the module has, #target.cpu<"x86_64-unknown-linux-gnu", "znver3">, but got #target.cpu<"x86_64-unknown-linux-gnu", "znver4">
// CHANGED: note: start from a module without the attribute
// RELABELLED: error: expects the target.precision that the module has, #target.precision<high>, but got #target.precision<medium>

// UNKNOWN: error: expects a target (native, x86-64, {{.*}}), but got 'z80'
// LOW:     error: expects a precision of highest, high or medium, but got 'low'
module {}
