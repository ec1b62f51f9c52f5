//===- TensorFunctions.h - Functions of tensors in a program ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_TENSORFUNCTIONS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_TENSORFUNCTIONS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relay {

/// Of a function that consists of operators on tensors, which a program in
/// bytecode calls: the part of it that is compiled to kernels.
inline constexpr llvm::StringLiteral kTensorFunctionAttrName =
    "relay.tensor_function";

/// Of a function that computes what another one does, for inputs of some sizes
/// that the other one leaves open: its symbol.
inline constexpr llvm::StringLiteral kVariantOfAttrName = "relay.variant_of";

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_TENSORFUNCTIONS_H
