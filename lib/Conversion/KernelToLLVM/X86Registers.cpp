//===- X86Registers.cpp - Vectors in registers of x86 ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "X86Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value relay::detail::callIntrinsic(ImplicitLocOpBuilder &b, StringRef name,
                                   Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands)
      .getResult(0);
}

Value relay::detail::slice(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                           int64_t size) {
  if (getSize(vector) == size)
    return vector;
  return vector::ExtractStridedSliceOp::create(
      b, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size},
      ArrayRef<int64_t>{1});
}

Value relay::detail::joinRegisters(ImplicitLocOpBuilder &b, VectorType type,
                                   int64_t lanes,
                                   llvm::function_ref<Value(int64_t)> convert) {
  if (type.getDimSize(0) == lanes)
    return convert(0);
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t first = 0; first != type.getDimSize(0); first += lanes)
    result = vector::InsertStridedSliceOp::create(b, convert(first), result,
                                                  ArrayRef<int64_t>{first},
                                                  ArrayRef<int64_t>{1});
  return result;
}

/// The mask of the lanes from `first` on, as AVX-512 takes it; of all lanes if
/// there is no condition.
static Value getMask(ImplicitLocOpBuilder &b, Value condition, int64_t first) {
  if (!condition)
    return arith::ConstantOp::create(b, b.getI16IntegerAttr(-1));
  Value bits =
      vector::BitCastOp::create(b, VectorType::get(1, b.getI16Type()),
                                slice(b, condition, first, kWideLanes));
  return vector::ExtractOp::create(b, bits, 0);
}

Value relay::detail::convertRounded(ImplicitLocOpBuilder &b, Value floats,
                                    bool hasAVX512, Value isNumber) {
  auto type = VectorType::get(getSize(floats), b.getI32Type());
  if (hasAVX512 && getSize(floats) >= kWideLanes) {
    auto part = VectorType::get(kWideLanes, b.getI32Type());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(part));
    // As the processor is told to round, which is to even.
    Value rounding = arith::ConstantOp::create(b, b.getI32IntegerAttr(4));
    return joinRegisters(b, type, kWideLanes, [&](int64_t first) {
      return callIntrinsic(b, "llvm.x86.avx512.mask.cvtps2dq.512", part,
                           {slice(b, floats, first, kWideLanes), zero,
                            getMask(b, isNumber, first), rounding});
    });
  }
  auto part = VectorType::get(kLanes, b.getI32Type());
  Value integers = joinRegisters(b, type, kLanes, [&](int64_t first) {
    return callIntrinsic(b, "llvm.x86.avx.cvt.ps2dq.256", part,
                         slice(b, floats, first, kLanes));
  });
  if (!isNumber)
    return integers;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return arith::SelectOp::create(b, isNumber, integers, zero);
}
