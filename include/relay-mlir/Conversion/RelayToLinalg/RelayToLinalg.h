//===- RelayToLinalg.h - Lower relay to linalg ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H
#define RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTRELAYTOLINALGPASS
#define GEN_PASS_DECL_MARKBYTEBOUNDSPASS
#include "relay-mlir/Conversion/Passes.h.inc"

/// Relay types as linalg has them: integers without sign (ui8 -> i8), tuples as
/// the sequence of their fields.
class RelayToLinalgTypeConverter : public TypeConverter {
public:
  RelayToLinalgTypeConverter();
};

/// How a dialect outside this project lowers operators of its own: every
/// conversion asks the loaded dialects that have this interface.
class RelayToLinalgDialectInterface
    : public DialectInterface::Base<RelayToLinalgDialectInterface> {
public:
  RelayToLinalgDialectInterface(Dialect *dialect) : Base(dialect) {}
  /// A pattern makes linalg, or what else is legal in a kernel, of an operator.
  virtual void populatePatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) const = 0;
};

/// Adds the patterns that lower every relay operator to linalg on tensors, and
/// those of the loaded dialects.
void populateRelayToLinalgPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);

/// Lowers the signature and the body of one primitive function. Reports the
/// operator that has no lowering.
LogicalResult convertRelayToLinalg(func::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H
