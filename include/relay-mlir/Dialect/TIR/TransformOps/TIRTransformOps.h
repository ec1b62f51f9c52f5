//===- TIRTransformOps.h - Schedule primitives as ops -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/TIR/Schedule/MatrixTiles.h"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h.inc"

namespace mlir::tir {

/// Adds the `transform.tir` ops to the transform dialect.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_H
