//===- X86Registers.h - Vectors in registers of x86 ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_X86REGISTERS_H
#define RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_X86REGISTERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::relay::detail {

/// Numbers of 32 bits in one register of AVX2, and of AVX-512.
inline constexpr int64_t kLanes = 8, kWideLanes = 16;

inline int64_t getSize(Value vector) {
  return cast<VectorType>(vector.getType()).getDimSize(0);
}

Value callIntrinsic(ImplicitLocOpBuilder &b, StringRef name, Type type,
                    ValueRange operands);

/// The elements of a vector from `first` on.
Value slice(ImplicitLocOpBuilder &b, Value vector, int64_t first, int64_t size);

/// A vector of `type`, joined of what `convert` makes for the elements from its
/// argument on, `lanes` each.
Value joinRegisters(ImplicitLocOpBuilder &b, VectorType type, int64_t lanes,
                    llvm::function_ref<Value(int64_t)> convert);

/// Rounds a vector of f32, of whole registers, to even: to i32. What is beyond
/// them becomes the lowest one, and so does NaN, but 0 where `isNumber` is
/// given and false.
Value convertRounded(ImplicitLocOpBuilder &b, Value floats, bool hasAVX512,
                     Value isNumber = {});

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_KERNELTOLLVM_X86REGISTERS_H
