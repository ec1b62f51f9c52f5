//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One section per conversion, in alphabetical order. Each conversion has a
// folder of its own beside this file, whose header declares its pass.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_PASSES_TD
#define RELAY_MLIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// RelayToRelax
//===----------------------------------------------------------------------===//

def ConvertRelayToRelaxPass
    : Pass<"convert-relay-to-relax", "::mlir::ModuleOp"> {
  let summary = "Lower calls of primitive functions to relax";
  let description = [{
    Turns each function of the form relay-fused that is not primitive itself
    into a `relax.func` that calls kernels with `relax.call_tir`. Primitive
    functions must be in linalg form already (`--convert-relay-to-linalg`); they
    become `tir.prim_func`s afterwards (`--convert-linalg-to-tir`), under the
    same name.

    Every `?` of a parameter becomes a symbol, named by the parameter's
    attribute `relay.dims` or else `d0`, `d1`, ...; equal names are equal sizes.
    The shape of each call's results is an expression over these, which is found
    by reifying the result shapes of the callee; where that is not possible the
    pass fails and names the operation that stands in the way.

    A primitive function that only changes the shape of its arguments becomes
    `relax.reshape`. Arguments of kernels that are constants in every call are
    listed in the kernel's attribute `tir.layout_free`.

    ```mlir
    func.func private @flatten(%x: tensor<?x2x2xf32>) -> tensor<?x4xf32>
        attributes {relay.primitive} {
      %0 = tensor.collapse_shape %x [[0], [1, 2]]
        : tensor<?x2x2xf32> into tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    func.func @main(%x: tensor<?x2x2xf32> {relay.dims = ["n", "", ""]})
        -> tensor<?x4xf32> {
      %0 = relay.call @flatten(%x) : (tensor<?x2x2xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: !relax.tensor<[n, 2, 2], f32>)
        -> !relax.tensor<[n, 4], f32> {
      %0 = relax.dataflow {
        %1 = relax.reshape %x
          : !relax.tensor<[n, 2, 2], f32> to !relax.tensor<[n, 4], f32>
        relax.output %1 : !relax.tensor<[n, 4], f32>
      } : !relax.tensor<[n, 4], f32>
      relax.return %0 : !relax.tensor<[n, 4], f32>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::relax::RelaxDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // RELAY_MLIR_CONVERSION_PASSES_TD
