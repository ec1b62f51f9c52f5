//===- Passes.td - Passes that write schedules -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_TD
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_TD

include "mlir/Pass/PassBase.td"

def TIRScheduleRulesPass : Pass<"tir-schedule-rules", "::mlir::ModuleOp"> {
  let summary = "Write a schedule for each kernel by rules";
  let description = [{
    For every `tir.prim_func @k` that has none yet, writes a
    `transform.named_sequence @k.schedule` that is good for its target
    (`target.spec`, see `--relay-attach-target`); `--tir-apply-schedules` applies
    it. The rules look at the structure of the kernel: kinds of variables, access
    maps, extents.

    ```mlir
    tir.prim_func @relu(%x: memref<64x64xf32>, %y: memref<64x64xf32>)
        attributes {tir.num_outputs = 1 : i64} {
      tir.for %i = 0 to 64 { tir.for %j = 0 to 64 { tir.block @relu ...
    ```

    gets

    ```mlir
    transform.named_sequence @relu.schedule(%f: !transform.any_op {transform.readonly}) {
      %0 = transform.tir.get_block @relu in %f
      %1:2 = transform.tir.get_loops %0
      %2 = transform.tir.fuse %1#0, %1#1
      %3 = transform.tir.get_loops %0
      transform.tir.vectorize %3
      ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::relay::TargetDialect",
    "::mlir::scf::SCFDialect", "::mlir::tir::TIRDialect",
    "::mlir::transform::TransformDialect", "::mlir::vector::VectorDialect"
  ];
}

def TIRChoosePrecisionPass : Pass<"tir-choose-precision", "::mlir::ModuleOp"> {
  let summary = "Let some kernels compute more exactly than their module says";
  let description = [{
    In a module of precision `high` for a processor with matrix units, those
    kernels become `highest` (`target.precision`) whose products would take the
    errors of the network beyond ten times those of plain f32, the cheapest
    first. How often a kernel is called counts.
  }];
  let options = [
    Option<"forceMatrixTiles", "force-matrix-tiles", "bool", "false",
           "For tests: all kernels keep the precision of the module, and use "
           "matrix units also where they are estimated to be slower">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::relay::TargetDialect",
    "::mlir::scf::SCFDialect", "::mlir::tir::TIRDialect",
    "::mlir::transform::TransformDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_TD
