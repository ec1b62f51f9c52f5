//===- Elementwise.h - Lower elementwise operators --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_RELAYTOLINALG_ELEMENTWISE_H
#define RELAY_MLIR_CONVERSION_RELAYTOLINALG_ELEMENTWISE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

#include <functional>

namespace mlir::relay {

/// Emits an element of the result of an operator from the elements of its
/// operands in the same place. Integers are without sign.
using EmitElementFn =
    std::function<Value(ImplicitLocOpBuilder &, Operation *, ValueRange)>;

/// Adds a pattern that lowers the operator called `name` to one nest. Its
/// operands broadcast to its result.
void addElementwiseLowering(const TypeConverter &converter,
                            RewritePatternSet &patterns, StringRef name,
                            EmitElementFn emit);

/// The same with an `emit` that takes an OpT in the place of the Operation.
template <typename OpT, typename Fn>
void addElementwiseLowering(const TypeConverter &converter,
                            RewritePatternSet &patterns, Fn emit) {
  addElementwiseLowering(converter, patterns, OpT::getOperationName(),
                         [emit](ImplicitLocOpBuilder &builder, Operation *op,
                                ValueRange elements) -> Value {
                           return emit(builder, cast<OpT>(op), elements);
                         });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_RELAYTOLINALG_ELEMENTWISE_H
