//===- DataTypes.h - Names of data types ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_DATATYPES_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_DATATYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace mlir::relay::text {

/// The element type that Relay calls `name`: `float32`, `uint8`, `bool`, and
/// with lanes `int8x4`, which is a vector. Null if there is none.
Type parseDataType(StringRef name, MLIRContext *context);

/// What Relay calls an element type; for one without a name, what MLIR calls
/// it.
std::string getDataTypeName(Type elementType);

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_DATATYPES_H
