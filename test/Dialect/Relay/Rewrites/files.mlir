// Rules of files, which are not compiled before.
// RUN: split-file %s %t
// RUN: relay-opt %t/program.mlir --relay-rewrite=%t/rules.pdll | FileCheck %s
// RUN: relay-opt %t/program.mlir --relay-rewrite=%t/rules.mlir | FileCheck %s --check-prefix=PDL
// RUN: relay-opt %t/program.mlir --relay-rewrite="files=%t/rules.pdll,%t/rules.mlir rules=ZeroLast,Positive" | FileCheck %s --check-prefix=SOME
// RUN: relay-opt %t/program.mlir --relay-rewrite="files=%t/includes.pdll include-dirs=%t/folder" | FileCheck %s
// RUN: relay-opt %t/program.mlir --relay-rewrite="rules=AddZero,ZeroAdd" | FileCheck %s --check-prefix=COMPILED

// With operators and the vocabulary of the project, and without.
//--- rules.pdll
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.td"
#include "relay-mlir/Dialect/Relay/Transforms/Vocabulary.pdll"

Pattern NegativeNegative {
  let root = op<relay.negative>(op<relay.negative>(x: Value));
  replace root with x;
}

Pattern ZeroLast {
  let root = op<relay.add>(zero: Value, x: Value);
  IsZero(zero);
  replace root with op<relay.add>(x, zero);
}

//--- folder/negative.pdll
Pattern NegativeNegative {
  let root = op<relay.negative>(op<relay.negative>(x: Value));
  replace root with x;
}

Pattern ZeroLast {
  let zero = op<relay.constant>() -> (scalar: Type);
  let root = op<relay.add>(zero.0, x: Value) -> (type: Type);
  replace root with op<relay.add>(x, zero.0) -> (type);
}

//--- includes.pdll
#include "negative.pdll"

//--- rules.mlir
pdl.pattern @Positive : benefit(1) {
  %x = operand
  %type = type
  %abs = operation "relay.negative"(%x : !pdl.value) -> (%type : !pdl.type)
  rewrite %abs {
    %new = operation "relay.abs"(%x : !pdl.value) -> (%type : !pdl.type)
    replace %abs with %new
  }
}

//--- program.mlir
// CHECK-LABEL: func.func @f
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[C:.*]] = relay.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[Y:.*]] = relay.add %[[X]], %[[C]] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    return %[[Y]]

// PDL-LABEL: func.func @f
// PDL:         relay.abs
// PDL-NEXT:    relay.abs
// PDL-NEXT:    return

// SOME-LABEL: func.func @f
// SOME:         relay.add %{{.*}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// SOME-NEXT:    relay.abs
// SOME-NEXT:    relay.abs

// COMPILED-LABEL: func.func @f
// COMPILED-SAME:    (%[[X:.*]]: tensor<2x3xf32>)
// COMPILED-NEXT:    %[[Y:.*]] = relay.negative %[[X]]
// COMPILED-NEXT:    %[[Z:.*]] = relay.negative %[[Y]]
// COMPILED-NEXT:    return %[[Z]]
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.add %c, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = relay.negative %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.negative %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// What is in functions that are decided upon stays.
// CHECK-LABEL: func.func private @kernel
// CHECK:         relay.negative
// CHECK-NEXT:    relay.negative
func.func private @kernel(%x: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
  %0 = relay.negative %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.negative %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
