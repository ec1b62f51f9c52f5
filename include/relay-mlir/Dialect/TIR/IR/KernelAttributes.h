//===- KernelAttributes.h - Names of attributes on kernels ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one stage tells another about a kernel, or a part of it. The attributes
// that a `tir.prim_func` interprets itself are declared there.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_KERNELATTRIBUTES_H
#define RELAY_MLIR_DIALECT_TIR_IR_KERNELATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tir {

/// Attributes of a `tir.prim_func`: maps `()[s0, ...] -> (n)` from the dynamic
/// sizes of its inputs and outputs (all `?` in order) to the number of
/// arithmetic operations on elements of one call, and to the bytes of inputs
/// and outputs that it must touch. Absent where the number depends on more than
/// sizes.
inline constexpr llvm::StringLiteral kFlopsAttr = "tir.flops";
inline constexpr llvm::StringLiteral kBytesAttr = "tir.bytes";

/// The features, comma separated, that a kernel uses beside those that LLVM
/// makes use of by itself.
inline constexpr llvm::StringLiteral kFeaturesAttr = "tir.features";
/// With it, matrix units are used also where they are estimated to be slower.
inline constexpr llvm::StringLiteral kForceTilesAttr = "tir.force_matrix_tiles";

/// Attribute of a function that is, or becomes, a kernel: arguments of bytes
/// whose elements, read as ones with a sign, are within bounds in every call,
/// as arrays of the argument and its least and greatest element.
inline constexpr llvm::StringLiteral kByteBoundsAttr = "tir.byte_bounds";

/// Attribute of an argument with `tir.layout`: each element, of f32, becomes
/// this many bf16, whose bits the argument holds. The piece is the last
/// dimension of the layout.
inline constexpr llvm::StringLiteral kPiecesAttr = "tir.pieces";

/// Marks an argument with `tir.layout` that holds two numbers from 0 to 15 in
/// each byte, the first one in its lower half. Which of the two is the last
/// dimension of the layout, which the argument does not have.
inline constexpr llvm::StringLiteral kNibblesAttr = "tir.nibbles";

/// Of a linalg operation: the name of the block that it becomes.
inline constexpr llvm::StringLiteral kBlockNameAttr = "tir.block_name";

/// Marks a buffer that holds a window which moves with a loop.
inline constexpr llvm::StringLiteral kRollingAttr = "tir.rolling";

/// Marks a function that a kernel has become on its way to the LLVM dialect.
inline constexpr llvm::StringLiteral kKernelAttr = "tir.kernel";

/// Marks the body of a parallel loop, as a function, and the call of it that
/// runs all iterations.
inline constexpr llvm::StringLiteral kParallelBodyAttr = "tir.parallel_body";
inline constexpr llvm::StringLiteral kParallelAttr = "tir.parallel";

/// Marks an argument of such a function that parallel bodies access, too.
inline constexpr llvm::StringLiteral kSharedAttr = "tir.shared";

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_IR_KERNELATTRIBUTES_H
