//===- Bufferize.h - Opaque computations as loops over buffers --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_BUFFERIZE_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_BUFFERIZE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::tir {

/// Lets one-shot-bufferize turn `tir.opaque` into loops around its body.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_BUFFERIZE_H
