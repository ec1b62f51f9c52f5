//===- Tensorize.h - Replacing loop nests by intrinsics ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each intrinsic is a family: it is built for the nest at hand. That the nest
// has the form which the intrinsic computes is the proof that the replacement
// is right; otherwise it refuses with the reason and leaves the IR unchanged.
// The result is one block with vector code, whose regions name whole buffers.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_TENSORIZE_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_TENSORIZE_H

#include "mlir/Dialect/Transform/Utils/DiagnosedSilenceableFailure.h"
#include "mlir/IR/PatternMatch.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// Keeps a tile of results in vector registers through all reduction loops.
///
/// `loop` is the outermost of a perfect nest: any reduction loops, then at most
/// one row loop of constant extent, then the lane loop of constant extent. The
/// body is any elementwise function of its loads, combined by any associative
/// op, or, without reduction loops, just stored. Loads may be contiguous along
/// the lane loop (vector loads), constant (broadcast) or strided. The result
/// may be contiguous along the lane loop or along the row loop; then the tile
/// is transposed in registers. A guard may cut off rows and lanes at the end.
///
/// With a product as the body and a sum as the combiner this is the inner
/// kernel of matrix products and convolutions.
DiagnosedSilenceableFailure tensorizeRegisterTile(RewriterBase &rewriter,
                                                  ForOp loop,
                                                  int64_t vectorBits,
                                                  BlockOp &result);

/// Reduces along contiguous memory: lanes are partial results, combined at the
/// end.
///
/// `loop` is the outermost of a perfect nest of reduction loops around one
/// block; the innermost one becomes the lanes and may have any extent.
DiagnosedSilenceableFailure tensorizeRowReduction(RewriterBase &rewriter,
                                                  ForOp loop,
                                                  int64_t vectorBits,
                                                  BlockOp &result);

/// Replaces the nest by the body of `implementation`, a kernel of straight
/// code, because it does what `description` does: a kernel of the same
/// arguments that is one nest of one block without an init. The nest has the
/// same loops and the same computation; where in its buffers it works, and how
/// many dimensions they have before those of the arguments, is free. Arguments
/// become views of the buffers.
DiagnosedSilenceableFailure tensorizeWith(RewriterBase &rewriter, ForOp loop,
                                          PrimFuncOp description,
                                          PrimFuncOp implementation,
                                          BlockOp &result);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_TENSORIZE_H
