//===- DType.h - Names of data types ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H

#include "mlir/IR/Types.h"

#include <string>
#include <utility>

namespace mlir::relay {

/// Returns the element type that Relay calls `name` (float32, uint8, bool,
/// bfloat16), or null.
Type getDType(StringRef name, MLIRContext *context);

/// Returns Relay's name of an element type; MLIR's if it has none.
std::string getDTypeName(Type type);

/// The smallest and largest value of an integer type of at most 32 bits.
std::pair<int64_t, int64_t> getIntegerRange(Type type);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H
