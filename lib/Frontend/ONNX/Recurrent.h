//===- Recurrent.h - What recurrent layers share ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_RECURRENT_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_RECURRENT_H

#include "mlir/Support/LLVM.h"

namespace mlir::relay::onnx {

/// A function that GRU, LSTM and RNN may have between their products: the
/// numbers that it takes, and their defaults.
struct RecurrentFunction {
  StringRef name;
  bool hasAlpha, hasBeta;
  double alpha, beta;
};

/// The function of that name, in letters of any case; null if there is none.
const RecurrentFunction *lookupRecurrentFunction(StringRef name);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_RECURRENT_H
