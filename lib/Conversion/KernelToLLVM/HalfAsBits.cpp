//===- HalfAsBits.cpp - Move half precision by its bits -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that only move values get integers in place of f16 and bf16, and
// others convert their operands from bits and their results to bits. So no
// value of these types lives from one block to another, also after LLVM has
// merged blocks.
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

/// The type of the bits of half-precision numbers, one or a vector; null for
/// other types.
static Type getBitsType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isF16() && !element.isBF16())
    return {};
  auto bits = IntegerType::get(type.getContext(), 16);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(bits)) : bits;
}

/// The bits of a constant, as the attribute for integers; null if it is of
/// another kind.
static Attribute getConstantBits(Attribute value, Type bits) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return elements.bitcast(getElementTypeOrSelf(bits));
  return {};
}

/// Whether an operation does the same with the bits.
static bool isMove(Operation *op) {
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    return isa<FloatAttr, DenseElementsAttr>(constant.getValue());
  return isa<LLVM::BrOp, LLVM::CondBrOp, LLVM::ExtractElementOp, LLVM::FreezeOp,
             LLVM::InsertElementOp, LLVM::LoadOp, LLVM::MaskedLoadOp,
             LLVM::MaskedStoreOp, LLVM::PoisonOp, LLVM::SelectOp,
             LLVM::ShuffleVectorOp, LLVM::StoreOp, LLVM::SwitchOp,
             LLVM::UndefOp, LLVM::ZeroOp, LLVM::masked_compressstore,
             LLVM::masked_expandload, LLVM::masked_gather, LLVM::masked_scatter,
             LLVM::vector_deinterleave2, LLVM::vector_extract,
             LLVM::vector_insert, LLVM::vector_interleave2>(op);
}

namespace {

/// Converts one function.
class Converter {
public:
  explicit Converter(LLVM::LLVMFuncOp function)
      : function(function), builder(function.getContext()) {}

  void convert();

private:
  /// Gives users the bits of a value that stays a number.
  void replaceByBits(Value value);

  LLVM::LLVMFuncOp function;
  OpBuilder builder;
};

} // namespace

void Converter::replaceByBits(Value value) {
  Type bits = getBitsType(value.getType());
  if (!bits)
    return;
  builder.setInsertionPointAfterValue(value);
  auto cast = LLVM::BitcastOp::create(builder, value.getLoc(), bits, value);
  value.replaceAllUsesExcept(cast, cast);
}

void Converter::convert() {
  // The numbers that operations ask for, before anything has another type.
  struct Use {
    OpOperand *operand;
    Type type;
  };
  SmallVector<Use> uses;
  SmallVector<Operation *> moves, others;
  function.walk([&](Operation *op) {
    if (op == function)
      return;
    (isMove(op) ? moves : others).push_back(op);
    if (!isMove(op))
      for (OpOperand &operand : op->getOpOperands())
        if (getBitsType(operand.get().getType()))
          uses.push_back({&operand, operand.get().getType()});
  });

  for (Block &block : function.getBody())
    for (BlockArgument argument : block.getArguments()) {
      // The arguments of a function are its interface.
      if (block.isEntryBlock())
        replaceByBits(argument);
      else if (Type bits = getBitsType(argument.getType()))
        argument.setType(bits);
    }
  for (Operation *op : others)
    for (Value result : op->getResults())
      replaceByBits(result);
  for (Operation *op : moves)
    for (Value result : op->getResults()) {
      Type bits = getBitsType(result.getType());
      if (!bits)
        continue;
      if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
        constant.setValueAttr(getConstantBits(constant.getValue(), bits));
      result.setType(bits);
    }
  for (Use &use : uses) {
    builder.setInsertionPoint(use.operand->getOwner());
    use.operand->set(LLVM::BitcastOp::create(builder,
                                             use.operand->getOwner()->getLoc(),
                                             use.type, use.operand->get()));
  }
}

namespace {
struct HalfAsBitsPass : relay::impl::HalfAsBitsPassBase<HalfAsBitsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      Converter(function).convert();
  }
};
} // namespace
