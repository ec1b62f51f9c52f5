//===- HalfWeights.cpp - Weights of half the bytes ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A product of one row reads each weight once: it takes as long as the weights
// take to come. Where bf16 is precise enough, half the bytes take half as long;
// they become floats by a shift.
//
//===----------------------------------------------------------------------===//

#include "ScheduleRule.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "relay-mlir/Dialect/TIR/IR/Work.h"

using namespace mlir;
using namespace mlir::tir;

void mlir::tir::halveWeights(KernelSchedule &schedule, BlockOp block,
                             Value constant, double numRows) {
  constexpr double kMaxRows = 4;
  auto argument = dyn_cast<BlockArgument>(constant);
  PrimFuncOp kernel = schedule.getKernel();
  auto precision = kernel->getAttrOfType<StringAttr>(kPrecisionAttr);
  if (!argument || !precision || precision.getValue() != "medium" ||
      schedule.isRecorded() || numRows > kMaxRows)
    return;
  auto type = cast<MemRefType>(argument.getType());
  unsigned index = argument.getArgNumber();
  auto layout =
      kernel.getArgAttrOfType<AffineMapAttr>(index, PrimFuncOp::kLayout);
  // What stays in the second cache is there soon enough.
  if (!layout || kernel.getArgAttr(index, kPiecesAttr) ||
      !type.getElementType().isF32() || !type.hasStaticShape() ||
      type.getNumElements() * int64_t(sizeof(float)) <=
          schedule.getTarget().getCacheSizes().l2 / 2)
    return;
  SmallVector<affine::AffineLoadOp> loads;
  for (Operation *user : argument.getUsers()) {
    if (isa<BlockOp>(user))
      continue;
    auto load = dyn_cast<affine::AffineLoadOp>(user);
    if (!load || !block->isAncestor(load))
      return;
    loads.push_back(load);
  }

  IRRewriter &rewriter = schedule.getRewriter();
  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.modifyOpInPlace(kernel, [&] {
    AffineMap map = layout.getValue();
    kernel.setArgAttr(
        index, PrimFuncOp::kLayout,
        AffineMapAttr::get(AffineMap::get(map.getNumDims() + 1, 0,
                                          map.getResults(), map.getContext())));
    kernel.setArgAttr(index, kPiecesAttr, rewriter.getI64IntegerAttr(1));
    argument.setType(MemRefType::get(type.getShape(), rewriter.getI16Type()));
    SmallVector<Type> types(kernel.getArgumentTypes());
    types[index] = argument.getType();
    kernel.setFunctionType(FunctionType::get(kernel.getContext(), types, {}));
  });
  for (affine::AffineLoadOp load : loads) {
    Location loc = load.getLoc();
    rewriter.setInsertionPoint(load);
    Value bits = affine::AffineLoadOp::create(
        rewriter, loc, argument, load.getAffineMap(), load.getMapOperands());
    Value wide =
        arith::ExtUIOp::create(rewriter, loc, rewriter.getI32Type(), bits);
    Value sixteen = arith::ConstantIntOp::create(rewriter, loc, 16, 32);
    Value shifted = arith::ShLIOp::create(rewriter, loc, wide, sixteen);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(load, rewriter.getF32Type(),
                                                  shifted);
  }
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
  schedule.remark("narrow", "@" + block.getName() +
                                ": constant weights are stored as bf16, which "
                                "take half the time to come from memory");
}
