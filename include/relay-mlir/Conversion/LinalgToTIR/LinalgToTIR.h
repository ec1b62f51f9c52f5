//===- LinalgToTIR.h - Linalg to tir ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_LINALGTOTIR_LINALGTOTIR_H
#define RELAY_MLIR_CONVERSION_LINALGTOTIR_LINALGTOTIR_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace func {
class FuncOp;
} // namespace func
namespace tir {
class PrimFuncOp;
} // namespace tir
} // namespace mlir

namespace mlir::relay {

#define GEN_PASS_DECL_COLLAPSEKERNELSPASS
#define GEN_PASS_DECL_CONVERTLINALGTOTIRPASS
#include "relay-mlir/Conversion/Passes.h.inc"

} // namespace mlir::relay

namespace mlir::tir {

/// Attribute of a kernel that has only its signature: the name of the code
/// generator that has made its code.
inline constexpr llvm::StringLiteral kExternalAttr = "tir.external";

/// Replaces `function`, whose body is linalg on tensors, by a kernel of the
/// same name, which is returned. On failure the function is unchanged and the
/// reason is emitted as an error.
FailureOr<PrimFuncOp> convertLinalgFuncToTIR(func::FuncOp function);

} // namespace mlir::tir

#endif // RELAY_MLIR_CONVERSION_LINALGTOTIR_LINALGTOTIR_H
