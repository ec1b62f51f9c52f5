//===- ScheduleTrace.h - Primitives as data ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a rule did to a kernel, in a form that does not refer to the kernel's
// operations: from it a transform script is written that does the same.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULETRACE_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULETRACE_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace mlir::tir {

/// A loop, as the one `depth` levels below the outermost of the `numLoops`
/// around a block.
struct LoopPosition {
  std::string block;
  unsigned depth = 0;
  unsigned numLoops = 0;
};

struct ScheduleStep {
  enum class Kind {
    Split,
    Fuse,
    Reorder,
    Parallel,
    Vectorize,
    Unroll,
    ComputeInline,
    ReverseComputeInline,
    ComputeAt,
    ReverseComputeAt,
    CacheRead,
    CacheWrite,
    TransformLayout,
    StorageAlign,
    DecomposeReduction,
    CompactBuffers,
    Simplify,
    TensorizeRegisterTile,
    TensorizeRowReduction,
  };
  Kind kind;
  /// The block that the step is about; empty if it is about loops only.
  std::string block;
  SmallVector<LoopPosition> loops;
  /// Factors, buffer indices, sizes: what the kind needs.
  SmallVector<int64_t> numbers;
  /// The layout of `TransformLayout`; the buffer is number 0 of the buffers
  /// that the block reads (numbers[0] == 0) or writes (== 1), at numbers[1].
  AffineMap layout;
  /// The scope of a cache.
  std::string scope;
};

using ScheduleTrace = SmallVector<ScheduleStep>;

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULETRACE_H
