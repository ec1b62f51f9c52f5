//===- Metadata.h - What a model says of itself, in relax -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_METADATA_H
#define RELAY_MLIR_DIALECT_RELAX_IR_METADATA_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relax {

/// Module attribute: what Relay/IR/Metadata.h has.
inline constexpr llvm::StringLiteral kMetadataAttr = "relax.metadata";

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_IR_METADATA_H
