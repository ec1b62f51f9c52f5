//===- SignatureAttrs.h - What callers know of functions --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIGNATUREATTRS_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIGNATUREATTRS_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay {

/// Gives the parameters of `target` the names of those of `source`, and says
/// which are strings.
void copyParameterAttrs(func::FuncOp source, relax::FuncOp target);

/// The same for results, of which both have as many.
void copyResultAttrs(func::FuncOp source, relax::FuncOp target);

/// Says of a function of objects what callers pass: values from outside are
/// checked.
void setParamTypes(relax::FuncOp function, TypeRange types);

/// Says of a function of objects what callers get: the names of results, and
/// their types.
void setResults(relax::FuncOp function, func::FuncOp source);

/// The table of strings, and what the model says of itself, as relax has them.
void convertModuleAttrs(ModuleOp module);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIGNATUREATTRS_H
