// The tools load dialects as mlir-opt does (test/lib/ScalarTarget is one).
// RUN: relay-run --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s --interpret | FileCheck %s --check-prefix=VALUES
// Without, nobody knows what is written there; the compiler is for processors.
// RUN: not relay-compile %s -o %t.so 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not relay-compile --load-dialect-plugin=%relay_lib/ScalarTarget%shlibext %s -o %t.so 2>&1 | FileCheck %s --check-prefix=KIND

// VALUES: y: tensor<4xf32>
// UNKNOWN: error: {{.*}}scalar
// KIND: error: expects a target of kind cpu, but got scalar

// What is no plugin, or one of passes only, is an error.
// RUN: not relay-compile --load-dialect-plugin=%s %s -o - --emit=relay 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not relay-run --load-dialect-plugin=%s %s --interpret 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not relay-translate --load-dialect-plugin=%s --import-relay %s 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not relay-compile --load-dialect-plugin=%relay_lib/RelayTestPasses%shlibext %s -o - --emit=relay 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not relay-compile --load-dialect-plugin=no-such.so %s -o - --emit=relay 2>&1 | FileCheck %s --check-prefix=MISSING

// TEXT: error: expects --load-dialect-plugin of a dialect plugin, but got '{{.*}}load-dialect-plugin.mlir': Could not load library
// TEXT-NOT: error
// ENTRY: error: expects --load-dialect-plugin of a dialect plugin, but got '{{.*}}RelayTestPasses{{.*}}': Plugin entry point not found
// MISSING: error: expects --load-dialect-plugin of a dialect plugin, but got 'no-such.so': Could not load library 'no-such.so'

module attributes {target.spec = #scalar.core<memory = 256>} {
  func.func @main(%x: tensor<4xf32> {relay.name = "x"}) -> (tensor<4xf32> {relay.name = "y"}) {
    %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
