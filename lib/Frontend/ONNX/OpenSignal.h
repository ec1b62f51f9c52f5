//===- OpenSignal.h - Signals whose lengths are computed *- C++ -* ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_OPENSIGNAL_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_OPENSIGNAL_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// A window of a length that is computed, the sum of `terms[i]` * cos(i *
/// angle).
LogicalResult convertOpenWindow(NodeContext &node, ArrayRef<double> terms,
                                Type type);

/// The weights of MelWeightMatrix, any of whose inputs is computed.
LogicalResult convertOpenMelWeights(NodeContext &node, Type type);

/// The transform of `data` along `axis`, of as many points as the scalar
/// `points` says, or of all there are if it is null. Without `isChosen`, the
/// result may be of no use, and no length is wrong.
Value createOpenDFT(NodeContext &node, Value data, int64_t axis, Value points,
                    bool isChosen = true);

/// What a transform gives of its real and imaginary part, which may be null,
/// with the waves as matrices: both parts; the second one null if it `isReal`.
std::pair<Value, Value> createTransform(NodeContext &node, Value real,
                                        Value imaginary, Value cosine,
                                        Value sine, bool inverse, bool isReal);

/// STFT with a step or a length that is computed, or over a signal of an open
/// length.
LogicalResult convertOpenSTFT(NodeContext &node, Value data);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_OPENSIGNAL_H
