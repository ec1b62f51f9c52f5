//===- MaskedHalfAccess.cpp - Half precision under masks ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::relay {
#define GEN_PASS_DEF_MASKEDHALFACCESSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

/// The type of the bits of a vector of half-precision numbers, else null.
static Type getBitsType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector ||
      !(vector.getElementType().isF16() || vector.getElementType().isBF16()))
    return {};
  return vector.clone(IntegerType::get(type.getContext(), 16));
}

namespace {
struct MaskedHalfAccessPass
    : relay::impl::MaskedHalfAccessPassBase<MaskedHalfAccessPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
               LLVM::masked_scatter>(op))
        return;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (Type bits = getBitsType(operand.get().getType()))
          operand.set(LLVM::BitcastOp::create(builder, op->getLoc(), bits,
                                              operand.get()));
      builder.setInsertionPointAfter(op);
      for (OpResult result : op->getResults()) {
        Type type = result.getType(), bits = getBitsType(type);
        if (!bits)
          continue;
        result.setType(bits);
        auto value =
            LLVM::BitcastOp::create(builder, op->getLoc(), type, result);
        result.replaceAllUsesExcept(value, value);
      }
    });
  }
};
} // namespace
