//===- RelayToLinalg.h - Lower relay to linalg ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H
#define RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTRELAYTOLINALGPASS
#include "relay-mlir/Conversion/Passes.h.inc"

/// Relay types as linalg has them: integers without sign (ui8 -> i8), tuples as
/// the sequence of their fields.
class RelayToLinalgTypeConverter : public TypeConverter {
public:
  RelayToLinalgTypeConverter();
};

/// Adds the patterns that lower every relay operator to linalg on tensors.
void populateRelayToLinalgPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);

/// Lowers the signature and the body of one primitive function. Reports the
/// operator that has no lowering.
LogicalResult convertRelayToLinalg(func::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_RELAYTOLINALG_RELAYTOLINALG_H
