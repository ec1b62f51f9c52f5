//===- FoldConstant.h - Constants that were computed ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FOLDCONSTANT_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FOLDCONSTANT_H

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace mlir::relay {

/// Size of a value in bytes; none where it is not static.
std::optional<int64_t> getSizeInBytes(Type type);

/// Makes constants, and tuples, of what was computed. Large tensors become
/// resources of that name.
Value buildConstant(OpBuilder &builder, Location loc, StringRef name,
                    const InterpreterValue &contents);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_FOLDCONSTANT_H
