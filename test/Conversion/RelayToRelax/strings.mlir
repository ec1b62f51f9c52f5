// RUN: relay-opt %s --relay-to-kernels | FileCheck %s
// RUN: relay-opt %s --convert-relay-to-objects | \
// RUN:   FileCheck %s --check-prefix=OBJECTS

// Which parameters and results are strings, and the strings, stay with the
// function and with the module, as tensors and as objects.

// CHECK: module attributes {relax.strings = ["", "a"]}
// CHECK: relax.func @main(%{{.*}}: !relax.tensor<[2], i64> {relax.is_string, relax.name = "x"}
// CHECK-SAME: %{{.*}}: !relax.tensor<[2], i64> {relax.name = "y"})
// CHECK-SAME: -> (!relax.tensor<[2], i64>, !relax.tensor<[2], i64> {relax.is_string})

// OBJECTS: module attributes {{{.*}}relax.strings = ["", "a"]
// OBJECTS: relax.func @main(%{{.*}}: !relax.object {relax.is_string, relax.name = "x"}
// OBJECTS-SAME: relax.string_results = array<i1: false, true>
module attributes {relay.strings = ["", "a"]} {
  func.func @main(%x: tensor<2xi64> {relay.is_string, relay.name = "x"},
                  %y: tensor<2xi64> {relay.name = "y"})
      -> (tensor<2xi64>, tensor<2xi64> {relay.is_string}) {
    return %y, %x : tensor<2xi64>, tensor<2xi64>
  }
}
