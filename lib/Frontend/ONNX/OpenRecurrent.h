//===- OpenRecurrent.h - Recurrent layers of open lengths -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_OPENRECURRENT_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_OPENRECURRENT_H

#include "Importer.h"

namespace mlir::relay::onnx {

/// For a GRU, LSTM or RNN over sequences whose length is known at run time, a
/// function that does the same: it scans them, and each step is a layer of
/// sequences of one element. Null for every other node.
std::shared_ptr<const Function> expandOpenRecurrence(Importer &importer,
                                                     PendingNode &pending);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_OPENRECURRENT_H
