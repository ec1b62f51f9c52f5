//===- TIRBase.td - Base of the tir dialect ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its enumerations and its op base class.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_TIRBASE_TD
#define RELAY_MLIR_DIALECT_TIR_IR_TIRBASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def TIR_Dialect : Dialect {
  let name = "tir";
  let cppNamespace = "::mlir::tir";
  let summary = "Loop nests over buffers, and how they run";
  let description = [{
    The `tir` dialect says how a kernel runs. A `tir.prim_func` works on
    buffers and passes its results through its last arguments. Its loops have a
    kind (serial, parallel, vectorized, ...). The computation itself is in
    `tir.block`s: a block declares typed iteration variables, binds each to an
    expression of the loops around it, and names the buffer elements that one
    instance reads and writes. A schedule changes loops and bindings; what a
    block computes at a point of its iteration domain never changes.

    Attributes of the dialect on other entities:

    | attribute | on | meaning |
    |---|---|---|
    | `tir.num_outputs` | prim_func | number of trailing output arguments |
    | `tir.layout_free` | prim_func | inputs that are constant at every call, whose layout a schedule may change |
    | `tir.byte_bounds` | prim_func, or what becomes one | inputs of bytes that are within bounds, with a sign, at every call: arrays of the input and its least and greatest element |
    | `tir.workspaces` | prim_func | number of trailing scratch arguments, after the outputs |
    | `tir.flops`, `tir.bytes` | prim_func | affine maps `()[s0, ...] -> (n)` from the dynamic sizes of the inputs and outputs (all `?` in order) to the arithmetic operations of one call, and to the bytes of inputs and outputs that it must touch |
    | `tir.layout` | argument | map from an original index to the packed index; padding is zero |
    | `tir.original_type` | argument | type of the argument before `tir.layout` |
    | `tir.workspace` | argument | the argument is scratch memory of the kernel; an affine map `()[s0, ...] -> (...)` from the dynamic sizes of the inputs and outputs (all `?` in order) to the sizes of its own `?`, or unit if it has none |
    | `tir.block_name` | linalg op | name of the block it becomes |
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::relay::TargetDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

class TIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<TIR_Dialect, mnemonic, traits>;

def TIR_ForKind : I32Enum<"ForKind", "how the iterations of a loop run", [
  I32EnumCase<"Serial", 0, "serial">,
  I32EnumCase<"Parallel", 1, "parallel">,
  I32EnumCase<"Vectorized", 2, "vectorized">,
  I32EnumCase<"Unrolled", 3, "unrolled">,
  I32EnumCase<"ThreadBinding", 4, "thread_binding">
]> { let cppNamespace = "::mlir::tir"; }
def TIR_ForKindAttr : EnumAttr<TIR_Dialect, TIR_ForKind, "for_kind">;

def TIR_IterKind : I32Enum<"IterKind", "role of a block's iteration variable", [
  I32EnumCase<"Spatial", 0, "spatial">,
  I32EnumCase<"Reduce", 1, "reduce">,
  I32EnumCase<"Opaque", 2, "opaque">
]> { let cppNamespace = "::mlir::tir"; }
def TIR_IterKindAttr : EnumAttr<TIR_Dialect, TIR_IterKind, "iter_kind">;
def TIR_IterKindArrayAttr
    : TypedArrayAttrBase<TIR_IterKindAttr, "array of iteration kinds">;

#endif // RELAY_MLIR_DIALECT_TIR_IR_TIRBASE_TD
