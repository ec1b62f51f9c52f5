//===- FormatNumber.h - Floats in messages ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_FORMATNUMBER_H
#define RELAY_MLIR_SUPPORT_FORMATNUMBER_H

#include <string>

namespace mlir::relay {

/// The number as people write it: 1.5, 0.1, 3, 1e+30, inf. It has as few digits
/// as it takes to read it back, as f32 if it is one. Streams of LLVM write
/// 1.500000e+00.
std::string formatNumber(double value);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_FORMATNUMBER_H
