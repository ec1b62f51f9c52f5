//===- LoopNest.h - Building loop nests -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_LOOPNEST_H
#define RELAY_MLIR_DIALECT_TIR_IR_LOOPNEST_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// Attribute of a block whose accesses depend on data, and whose instances are
/// known not to meet in what they write: what `tir.opaque` becomes.
inline constexpr llvm::StringLiteral kIndependentAttr = "tir.independent";

/// Builds serial loops from 0 to each extent, outermost first, and leaves
/// `builder` at the end of the innermost body. Returns the loops.
SmallVector<ForOp> buildLoops(OpBuilder &builder, Location loc,
                              ArrayRef<OpFoldResult> extents);

/// Builds one loop for each iteration variable and, inside, a block that is
/// bound to them one to one. `buildBody` fills the block; the access regions
/// are computed afterwards. The insertion point of `builder` stays.
BlockOp buildBlockNest(OpBuilder &builder, Location loc, StringRef name,
                       ArrayRef<IterKind> kinds, ArrayRef<OpFoldResult> extents,
                       function_ref<void(OpBuilder &, BlockOp)> buildBody);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_IR_LOOPNEST_H
