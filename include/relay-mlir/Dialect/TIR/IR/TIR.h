//===- TIR.h - The tir dialect ----------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_TIR_H
#define RELAY_MLIR_DIALECT_TIR_IR_TIR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "relay-mlir/Dialect/TIR/IR/TIRDialect.h.inc"
#include "relay-mlir/Dialect/TIR/IR/TIREnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/TIR/IR/TIRAttributes.h.inc"

namespace mlir::tir {
class BlockOp;
class ForOp;
class InitOp;
class PrimFuncOp;
} // namespace mlir::tir

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/TIR/IR/TIROps.h.inc"

#endif // RELAY_MLIR_DIALECT_TIR_IR_TIR_H
