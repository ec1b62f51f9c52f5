//===- Limits.h - What an ONNX model may ask for ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A few bytes of a model can ask for any amount of work and memory. These are
// far above what models need, and small enough to end in an error message.
// Those of single tensors are in TensorLimits.h.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_LIMITS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_LIMITS_H

#include <cstdint>

namespace mlir::relay::onnx {

/// Nodes at most, calls of functions replaced by their bodies.
inline constexpr int64_t kMaxNodes = int64_t(1) << 20;

/// Calls of functions and branches inside each other, at most.
inline constexpr unsigned kMaxDepth = 64;

/// Shapes that are computed from what has a computed shape itself, at most.
inline constexpr unsigned kMaxShapeDepth = 256;

/// Elements of a constant at most that is not in the model, but follows from
/// sizes in it. What is larger is computed when the model runs.
inline constexpr int64_t kMaxMadeUpElements = int64_t(1) << 18;

/// Elements at most of a sparse tensor for each value in it, beside as many
/// made up ones as above.
inline constexpr int64_t kMaxElementsOfSparseValue = 64;

/// Numbers at most that the evaluator follows in one tensor: indices and shapes
/// are integers, floats are scales.
inline constexpr int64_t kMaxShapeElements = 4096;
inline constexpr int64_t kMaxShapeFloats = 16;

/// The same for the whole model.
inline constexpr int64_t kMaxTotalShapeElements = int64_t(1) << 22;

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_LIMITS_H
