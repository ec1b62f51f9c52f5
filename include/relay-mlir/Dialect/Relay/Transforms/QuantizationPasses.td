//===- QuantizationPasses.td - Passes that quantize --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD

include "mlir/Pass/PassBase.td"

def FakeQuantizationToIntegerPass
    : Pass<"relay-fake-quantization-to-integer", "::mlir::ModuleOp"> {
  let summary = "Compute in integers between dequantize and quantize";
  let description = [{
    Where all floats that a `qnn.quantize` depends on come from `qnn.dequantize`
    or are constants, the operators in between become operators on integers
    (`IntegerFormOpInterface`). Products and their sums are exact, of 32 bits;
    operators that must round take the scale of the quantize if nothing but
    moves and clips is between, and a 256th of it elsewhere. The quantize becomes
    a `qnn.requantize`, or nothing.

    It stays in floats if one operator has no such form, or none for what its
    operands are; with `hard-fail` that is an error, which names the operator.
    Forms that are much less exact, of `nn.softmax`, are taken of operators that
    `optional-ops` names.

    With `use-qat` operators that need no scale of their result become integers
    wherever they read dequantized values only, and the result is dequantized.

    ```mlir
    %0 = relay.qnn.dequantize %a, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
    %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = relay.qnn.quantize %1, %t, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
    ```
    becomes, where `%z` is 0,
    ```mlir
    %0 = relay.maximum %a, %zero : (tensor<2x4xi8>, tensor<i8>) -> tensor<2x4xi8>
    %1 = relay.qnn.requantize %0, %s, %z, %t, %z {out_dtype = i8} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
    ```
  }];
  let options = [
    Option<"hardFail", "hard-fail", "bool", /*default=*/"false",
           "Whether it is an error if an operator cannot be computed in integers">,
    Option<"useQat", "use-qat", "bool", /*default=*/"false",
           "Whether operators on dequantized values become integers alone">,
    ListOption<"optionalOps", "optional-ops", "std::string",
               "Operators whose less exact form is taken">
  ];
  let statistics = [
    Statistic<"numRegions", "num-regions", "Number of quantizes whose regions "
              "became integers">,
    Statistic<"numAlone", "num-alone", "Number of operators that became "
              "integers alone">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QUANTIZATIONPASSES_TD
