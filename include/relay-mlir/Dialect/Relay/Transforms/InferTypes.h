//===- InferTypes.h - Type inference as a function --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_INFERTYPES_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_INFERTYPES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay {

/// Infers all types of a module and checks that they, and matches, make sense:
/// what the pass relay-infer-types does. Afterwards nothing is incomplete but
/// what nothing determines and nothing needs, such as the elements of an empty
/// list, and no relay.apply is left. Reports all errors that do not follow from
/// others; then types stay as they are or become known, in part.
LogicalResult inferTypes(ModuleOp module);

/// Gives every value of a module whose types are complete the most precise type
/// that follows from its operation, but for those that are declared
/// (relay.ascribe).
LogicalResult propagateTypes(ModuleOp module);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_INFERTYPES_H
