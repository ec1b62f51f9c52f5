//===- Passes.td - Passes that apply schedules -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_PASSES_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TIRApplySchedulesPass : Pass<"tir-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "Apply and erase the schedule of each kernel";
  let description = [{
    For every `tir.prim_func @k` with a `transform.named_sequence @k.schedule` in
    the module, applies the sequence to the kernel and erases it. A primitive that
    refuses is an error.

    ```mlir
    module attributes {transform.with_named_sequence} {
      tir.prim_func @k(%x: memref<64xf32>) {
        ...
      }
      transform.named_sequence @k.schedule(%f: !transform.any_op) {
        %b = transform.tir.get_block @b in %f
        %i = transform.tir.get_loops %b
        transform.tir.parallel %i
        transform.yield
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::transform::TransformDialect",
    "::mlir::tir::TIRDialect"
  ];
}

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_PASSES_TD
