//===- QuantizedTypes.h - Types and numbers of quantization ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_QUANTIZEDTYPES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_QUANTIZEDTYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::relay {

/// The type of quantized values that a text names; an error if it is none.
FailureOr<IntegerType> parseQuantizedType(StringRef text, MLIRContext *context);

/// Whether scales are positive and finite, if they are known. With others order
/// is not kept, or there is one value only.
bool isUsableScale(Value scale);

/// The function @main with a body; null, after an error, if there is none.
func::FuncOp getMainFunction(ModuleOp module);

/// Lets a function return these values, as a tuple, in the place of its result.
void returnTuple(func::FuncOp function, ValueRange values);

/// A constant of f32 with numbers along the first of so many dimensions, the
/// others being 1.
Value createVector(OpBuilder &builder, Location loc, int64_t rank,
                   ArrayRef<double> numbers);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_QUANTIZEDTYPES_H
