//===- HalfAsBits.cpp - Move half precision by its bits -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace mlir::relay {
#define GEN_PASS_DEF_HALFASBITSPASS
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

/// Replaces masked accesses to vectors of half precision.
static void replaceMaskedAccess(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type bits = getBitsType(operand.get().getType()))
      operand.set(
          LLVM::BitcastOp::create(builder, op->getLoc(), bits, operand.get()));
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type type = result.getType(), bits = getBitsType(type);
    if (!bits)
      continue;
    result.setType(bits);
    auto value = LLVM::BitcastOp::create(builder, op->getLoc(), type, result);
    result.replaceAllUsesExcept(value, value);
  }
}

//===----------------------------------------------------------------------===//
// bf16 from one block to another
//===----------------------------------------------------------------------===//

static Value toBits(OpBuilder &builder, Value value) {
  return LLVM::BitcastOp::create(builder, value.getLoc(), builder.getI16Type(),
                                 value);
}

/// Makes a block take the bits in place of its bf16 arguments.
static void replaceArguments(Block &block) {
  OpBuilder builder(block.getParentOp()->getContext());
  for (BlockArgument argument : block.getArguments()) {
    Type type = argument.getType();
    if (!type.isBF16())
      continue;
    for (auto it = block.pred_begin(), end = block.pred_end(); it != end;
         ++it) {
      auto branch = cast<BranchOpInterface>((*it)->getTerminator());
      builder.setInsertionPoint(branch);
      OpOperand &operand = branch->getOpOperand(
          branch.getSuccessorOperands(it.getSuccessorIndex())
              .getOperandIndex(argument.getArgNumber()));
      operand.set(toBits(builder, operand.get()));
    }
    builder.setInsertionPointToStart(&block);
    argument.setType(builder.getI16Type());
    auto value =
        LLVM::BitcastOp::create(builder, argument.getLoc(), type, argument);
    argument.replaceAllUsesExcept(value, value);
  }
}

/// Makes the uses of a bf16 in other blocks convert its bits there.
static void replaceUsesInOtherBlocks(Operation *op) {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>())
    return;
  Value result = op->getResult(0);
  if (!result.getType().isBF16())
    return;
  Value bits;
  DenseMap<Block *, Value> values;
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
    Block *block = use.getOwner()->getBlock();
    if (block == op->getBlock())
      continue;
    OpBuilder builder(op->getContext());
    if (!bits) {
      builder.setInsertionPointAfter(op);
      bits = toBits(builder, result);
    }
    Value &value = values[block];
    if (!value) {
      builder.setInsertionPointToStart(block);
      value = LLVM::BitcastOp::create(builder, op->getLoc(), result.getType(),
                                      bits);
    }
    use.set(value);
  }
}

namespace {
struct HalfAsBitsPass : relay::impl::HalfAsBitsPassBase<HalfAsBitsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isa<LLVM::MaskedLoadOp, LLVM::MaskedStoreOp, LLVM::masked_gather,
              LLVM::masked_scatter>(op))
        replaceMaskedAccess(op);
    });
    getOperation().walk([](LLVM::LLVMFuncOp function) {
      // The arguments of a function are its interface.
      for (Block &block : function.getBody())
        if (!block.isEntryBlock())
          replaceArguments(block);
    });
    getOperation().walk([](Operation *op) {
      if (isa_and_present<LLVM::LLVMFuncOp>(op->getParentOp()))
        replaceUsesInOtherBlocks(op);
    });
  }
};
} // namespace
