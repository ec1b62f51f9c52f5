//===- Metadata.h - What a model says of itself -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_METADATA_H
#define RELAY_MLIR_DIALECT_RELAY_IR_METADATA_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relay {

/// Module attribute: a dictionary of strings that programs hand on and do not
/// read. Of an ONNX model they are fields of the file, `producer_name` and the
/// like, and `metadata_props.` with a key of its own.
inline constexpr llvm::StringLiteral kMetadataAttrName = "relay.metadata";

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_METADATA_H
