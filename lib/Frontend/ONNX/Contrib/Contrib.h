//===- Contrib.h - Operators of ONNX Runtime *- C++ -* ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The domain com.microsoft has what ONNX Runtime's optimizer and exporters for
// it write. There is no specification but ONNX Runtime, so results are its own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_CONTRIB_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_CONTRIB_H

#include "../NodeContext.h"
#include "../OpTable.h"

namespace mlir::relay::onnx {

inline constexpr llvm::StringLiteral kContribDomain = "com.microsoft";

/// Adds an operator with as many as `maxInputs` inputs, of which those of the
/// positions `required` have to be there.
void addContrib(OpTable &table, StringRef name, OpEntry::Converter convert,
                ArrayRef<unsigned> required, unsigned maxInputs,
                bool isComposed = true, uint32_t contentInputs = 0);

/// The sums of `data` and `skip`, a tensor or a vector; null for none.
Value addOptional(NodeContext &node, Value data, Value skip);

/// An input with a number, which may be a vector of one; other tensors as they
/// are.
Value getNumber(NodeContext &node, unsigned index);

/// The floats of 32 bits that integers stand for; `zeroPoint` may be null.
Value dequantize(NodeContext &node, Value data, Value scale, Value zeroPoint);

/// The gelu of `data` by tanh.
Value createFastGelu(NodeContext &node, Value data);

/// The normalization of the last dimension of `data` to a mean of 0 and a
/// variance of 1, times `scale`, plus `bias`, which may be null. A simplified
/// one divides by the root of the mean square only.
Value createLayerNorm(NodeContext &node, Value data, Value scale, Value bias,
                      bool isSimplified);

LogicalResult convertContribUnique(NodeContext &node);

/// The formula that attribute `activation` names, of an operator that is fused
/// with it; `data` if there is none. Null, and an error, for unknown ones.
Value applyActivation(NodeContext &node, Value data);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_CONTRIB_CONTRIB_H
