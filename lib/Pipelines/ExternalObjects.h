//===- ExternalObjects.h - Objects of C of others ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_EXTERNALOBJECTS_H
#define RELAY_MLIR_LIB_PIPELINES_EXTERNALOBJECTS_H

#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace mlir::relay {

/// Relocatable objects by the code generators whose source they are of.
using ExternalObjects =
    llvm::DenseMap<StringAttr, std::shared_ptr<const std::string>>;

/// Compiles the C that code generators have left in `module`, with the compiler
/// that RELAY_CC names, else CC, else `cc`, and checks that each kernel of
/// `kernels` that is theirs is there. With `isComplete`, also that nothing is
/// missing for a shared object.
FailureOr<ExternalObjects>
compileExternalSources(ModuleOp module, ArrayRef<tir::PrimFuncOp> kernels,
                       const CPUInfo &target, bool isComplete);

/// Reports what is wrong with the C that is to define `functions`, for the
/// target of their module.
LogicalResult checkExternalSource(const ExternalCSource &code,
                                  ArrayRef<func::FuncOp> functions,
                                  bool isComplete);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_EXTERNALOBJECTS_H
