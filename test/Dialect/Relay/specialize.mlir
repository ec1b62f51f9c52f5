// RUN: relay-opt %s --split-input-file --relay-specialize="variants={n=2,k=4},n=1" | FileCheck %s
// RUN: not relay-opt %s --relay-specialize="variants=n=2,n=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not relay-opt %s --relay-specialize="variants={n=2,k=4},{k=4,n=2}" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not relay-opt %s --relay-specialize="variants=m=2" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relay-opt %s --relay-specialize="variants=n" 2>&1 | FileCheck %s --check-prefix=FORM

// Variants come behind @main in the order of the option, and sizes that stay
// open keep their names.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    tensor<?x3xf32> {relay.dims = ["n", ""], relay.name = "x"}
// CHECK:         relay.exp %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-LABEL: func.func @"main.n=2,k=4"(
// CHECK-SAME:    tensor<2x3xf32> {relay.name = "x"}, %{{.*}}: tensor<2x4xf32> {relay.name = "y"})
// CHECK-SAME:    -> (tensor<2x3xf32>, tensor<2x4xf32>)
// CHECK-SAME:    attributes {relay.variant_of = @main}
// CHECK:         relay.exp %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-LABEL: func.func @"main.n=1"(
// CHECK-SAME:    tensor<1x3xf32> {relay.name = "x"}, %{{.*}}: tensor<1x?xf32> {relay.dims = ["", "k"], relay.name = "y"})
// CHECK-SAME:    attributes {relay.variant_of = @main}

// TWICE: error: expects variants that differ, but got n=2 twice
// ORDER: error: expects variants that differ, but got k=4,n=2 twice
// NAME: error: expects the name of an open size, but got "m"; there are "n", "k"
// FORM: error: expects a name and a size, such as n=16, but got 'n'
func.func @main(%x: tensor<?x3xf32> {relay.dims = ["n", ""], relay.name = "x"},
                %y: tensor<?x?xf32> {relay.dims = ["n", "k"], relay.name = "y"})
    -> (tensor<?x3xf32>, tensor<?x?xf32>) {
  %0 = relay.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = relay.exp %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x?xf32>
}
