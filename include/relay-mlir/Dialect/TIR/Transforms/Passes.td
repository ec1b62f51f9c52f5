//===- Passes.td - Passes on tir ---------------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TIRCompactBuffersPass
    : Pass<"tir-compact-buffers", "::mlir::tir::PrimFuncOp"> {
  let summary = "Shrink intermediate buffers to what one loop iteration uses";
  let description = [{
    A buffer that is written and read only inside one loop, and whose content no
    iteration takes over from another, becomes a local buffer of that loop of the
    size of one iteration's part. Threads of a parallel loop then have a buffer
    each. Blocks get an opaque iteration variable for where the part begins. To
    be run when all blocks are in place.

    ```mlir
    %t = tir.alloc_buffer() : memref<64x64xf32>
    tir.for %i = 0 to 64 kind(parallel) {
      tir.for %j = 0 to 64 {
        tir.block @exp(%v0 = spatial %i in 64, %v1 = spatial %j in 64)
            writes(%t[%v0, %v1] : memref<64x64xf32>) ...
    ```

    becomes

    ```mlir
    tir.for %i = 0 to 64 kind(parallel) {
      %t = tir.alloc_buffer() : memref<1x64xf32, #target.memory<"local">>
      tir.for %j = 0 to 64 {
        tir.block @exp(%v0 = spatial %i in 64, %v1 = spatial %j in 64,
                       %v2 = opaque %i in 64)
            writes(%t[%v0 - %v2, %v1] : memref<1x64xf32>) ...
    ```
  }];
  let options = [
    Option<"maxLocalBytes", "max-local-bytes", "int64_t", /*default=*/"32768",
           "Most stack memory of one kernel to use">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def TIRCountWorkPass : Pass<"tir-count-work", "::mlir::tir::PrimFuncOp"> {
  let summary = "Note how much a kernel computes and moves";
  let description = [{
    Sets `tir.flops`, the number of arithmetic operations on elements of one
    call, and `tir.bytes`, the bytes of inputs and outputs that the call must
    touch, as maps from the dynamic dimensions of inputs and outputs, in the
    order of the kernel ABI. Every arithmetic operation and every function such
    as `exp` counts one, a fused multiply-add two; index arithmetic, comparisons,
    selections and conversions count nothing. Inputs and outputs count once as a
    whole, or, where fewer elements are read (a slice, rows of a table), those.
    To be run before scheduling. An attribute is left out where the number does
    not follow from sizes.

    ```mlir
    tir.prim_func @k(%x: memref<?x8xf32>, %y: memref<?x8xf32>)
        attributes {tir.bytes = affine_map<()[s0, s1] -> (s0 * 32 + s1 * 32)>,
                    tir.flops = affine_map<()[s0, s1] -> (s0 * 8)>,
                    tir.num_outputs = 1 : i64} {
    ```
  }];
  let dependentDialects = ["::mlir::tir::TIRDialect"];
}

def TIRLiftWorkspacesPass
    : Pass<"tir-lift-workspaces", "::mlir::tir::PrimFuncOp"> {
  let summary = "Turn scratch buffers into arguments of the kernel";
  let description = [{
    Each top-level `tir.alloc_buffer` in the default memory becomes a trailing
    argument, which the memory plan of the program provides. Its attribute
    `tir.workspace` maps the dynamic dimensions of all inputs and outputs, in
    the order of the kernel ABI, to the dynamic sizes of the buffer.

    ```mlir
    tir.prim_func @k(%x: memref<?x4xf32>, %y: memref<?xf32>)
        attributes {tir.num_outputs = 1 : i64} {
      %n = memref.dim %x, %c0 : memref<?x4xf32>
      %t = tir.alloc_buffer(%n) : memref<?x8xf32>
    ```

    becomes

    ```mlir
    tir.prim_func @k(%x: memref<?x4xf32>, %y: memref<?xf32>,
        %t: memref<?x8xf32> {tir.workspace = affine_map<()[s0, s1] -> (s0)>})
        attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64} {
    ```
  }];
}

def TIRSimplifyPass : Pass<"tir-simplify", "::mlir::tir::PrimFuncOp"> {
  let summary = "Simplify indices, guards and trivial loops of a kernel";
  let description = [{
    Uses what loop bounds say about loop variables: divisions and remainders in
    indices resolve, guards that always hold vanish, and a serial loop with one
    iteration is replaced by its body. Nests with a loop of no iterations vanish,
    and with them the buffers that nothing else uses.

    ```mlir
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 16 {
        %0 = affine.apply affine_map<(d0, d1) -> ((d0 * 16 + d1) floordiv 16)>(%i, %j)
        tir.block @b(%v0 = spatial %0 in 4) ...
    ```

    becomes

    ```mlir
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 16 {
        tir.block @b(%v0 = spatial %i in 4) ...
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def VerifyTIRScheduledPass
    : Pass<"verify-tir-scheduled", "::mlir::tir::PrimFuncOp"> {
  let summary = "Check that a kernel is in the form tir-scheduled";
  let description = [{
    What code generation requires. Every loop has a kind that the target of the
    kernel has, a parallel loop has no loop around it, and unrolled loops have
    constant extents. Buffers that are in loops or in a memory of their own have
    constant sizes. All buffers in a memory fit there; what only instructions
    reach is not loaded or stored; and what each thread has for itself is used in
    one loop of threads alone. A serial loop is a decision, too. Reports the
    first op that violates this; what depends on a target is not checked where
    there is none.
  }];
}

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_PASSES_TD
