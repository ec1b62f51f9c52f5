// RUN: relay-opt %s --relay-fix-inputs="dims=n=2 shapes=y=2x? values=slope=0.5" | FileCheck %s
// RUN: relay-opt %s --relay-fix-inputs="values=y=1,2,3,4,5,6,count=7,slope=-1 dims=k=3" | FileCheck %s --check-prefix=VALUES
// RUN: not relay-opt %s --relay-fix-inputs="values=slope=x.npy" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not relay-opt %s --relay-fix-inputs="dims=m=2" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not relay-opt %s --relay-fix-inputs="shapes=y=2" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not relay-opt %s --relay-fix-inputs="dims=n=2 shapes=y=3x4" 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not relay-opt %s --relay-fix-inputs="values=slope=half" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not relay-opt %s --relay-fix-inputs="values=count=300" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not relay-opt %s --relay-fix-inputs="values=slope=1 shapes=slope=3" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not relay-opt %s --relay-fix-inputs="dims=n" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not relay-opt %s --relay-fix-inputs="dims=n=2,n=3" 2>&1 | FileCheck %s --check-prefix=TWICE

// A size with a name is that of all inputs; sizes that are known have no names.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %{{.*}}: tensor<2x3xf32> {relay.name = "x"},
// CHECK-SAME:    %{{.*}}: tensor<2x?xf32> {relay.dims = ["", "k"], relay.name = "y"},
// CHECK-SAME:    %{{.*}}: tensor<ui8> {relay.name = "count"})
// CHECK-SAME:    -> (tensor<2x3xf32>, tensor<2x?xf32>, tensor<ui8>)
// CHECK:         %[[SLOPE:.*]] = relay.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         relay.multiply %{{.*}}, %[[SLOPE]] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK:         relay.exp %{{.*}} : (tensor<2x?xf32>) -> tensor<2x?xf32>

// VALUES-LABEL: func.func @main
// VALUES-SAME:    (%{{.*}}: tensor<2x3xf32> {relay.name = "x"})
// VALUES-DAG:     relay.constant dense<7> : tensor<ui8>
// VALUES-DAG:     relay.constant dense<{{\[\[}}1.0{{.*}}, 2.0{{.*}}, 3.0{{.*}}], [4.0{{.*}}, 5.0{{.*}}, 6.0{{.*}}]]> : tensor<2x3xf32>

// FILE: error: expects elements of an input, such as scale=0.5, but got 'slope=x.npy'; files are for relay-compile --input
// NAME: error: expects the name of an open size, but got "m"; there are "n", "k"
// RANK: error: expects 2 dimensions for input "y", but got 1
// TWO: error: expects one size for "n", but got 2, and 3 in input "y"
// NUMBER: error: expects numbers of type 'f32' for input "slope", but got 'half'
// RANGE: error: expects numbers of type 'ui8' for input "count", but got '300'
// BOTH: error: expects a shape or a value for input "slope", but got both
// FORM: error: expects a name and a size, such as n=16, but got 'n'
// TWICE: error: expects 'n' once, but got it twice
func.func @main(%x: tensor<?x3xf32> {relay.dims = ["n", ""], relay.name = "x"},
                %y: tensor<?x?xf32> {relay.dims = ["n", "k"], relay.name = "y"},
                %slope: tensor<f32> {relay.name = "slope"},
                %count: tensor<ui8> {relay.name = "count"})
    -> (tensor<?x3xf32>, tensor<?x?xf32>, tensor<ui8>) {
  %0 = relay.multiply %x, %slope : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  %1 = relay.exp %y : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1, %count : tensor<?x3xf32>, tensor<?x?xf32>, tensor<ui8>
}
