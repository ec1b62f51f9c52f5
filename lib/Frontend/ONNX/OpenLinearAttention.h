//===- OpenLinearAttention.h - Linear attention as a loop -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_OPENLINEARATTENTION_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_OPENLINEARATTENTION_H

#include "Importer.h"

namespace mlir::relay::onnx {

/// So many positions of a LinearAttention are written out.
inline constexpr int64_t kMaxLinearPositions = 64;

/// For a LinearAttention over more positions than are written out, or over a
/// number that is known at run time, a function that does the same: it scans
/// them, and each step is one of one position. Null for every other node.
std::shared_ptr<const Function> expandOpenLinearAttention(Importer &importer,
                                                          PendingNode &pending);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_OPENLINEARATTENTION_H
