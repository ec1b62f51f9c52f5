//===- NarrowWeights.cpp - Weights of half the bytes ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSupport.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"

using namespace mlir;
using namespace mlir::tir;

/// Loads the bits of a bf16 where `load` loads a float, and widens them.
static void widen(RewriterBase &rewriter, affine::AffineLoadOp load,
                  BlockArgument argument) {
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

DiagnosedSilenceableFailure mlir::tir::narrowWeights(RewriterBase &rewriter,
                                                     BlockOp block,
                                                     uint64_t index) {
  SmallVector<Value> buffers = getReadBuffers(block);
  if (index >= buffers.size())
    return refuse(block) << "expects block @" << block.getName()
                         << " to read more than " << index << " buffers";
  auto kernel = block->getParentOfType<PrimFuncOp>();
  auto argument = dyn_cast<BlockArgument>(buffers[index]);
  AffineMapAttr layout;
  if (argument && argument.getOwner()->getParentOp() == kernel)
    layout = kernel.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(),
                                                    PrimFuncOp::kLayout);
  if (!layout || kernel.getArgAttr(argument.getArgNumber(), kPiecesAttr))
    return refuse(block)
           << "expects a constant argument that transform_layout has "
              "packed";
  auto type = cast<MemRefType>(argument.getType());
  if (!type.getElementType().isF32() || !type.hasStaticShape())
    return refuse(block) << "expects a buffer of f32 of static shape, but got "
                         << type;
  SmallVector<affine::AffineLoadOp> loads;
  for (Operation *user : argument.getUsers()) {
    if (isa<BlockOp>(user))
      continue;
    auto load = dyn_cast<affine::AffineLoadOp>(user);
    if (!load || !block->isAncestor(load)) {
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects only block @" << block.getName()
                        << " to read the buffer, an element at a time";
      failure.attachNote(user->getLoc()) << "it is used here";
      return failure;
    }
    loads.push_back(load);
  }

  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.modifyOpInPlace(kernel, [&] {
    unsigned number = argument.getArgNumber();
    AffineMap map = layout.getValue();
    kernel.setArgAttr(
        number, PrimFuncOp::kLayout,
        AffineMapAttr::get(AffineMap::get(map.getNumDims() + 1, 0,
                                          map.getResults(), map.getContext())));
    kernel.setArgAttr(number, kPiecesAttr, rewriter.getI64IntegerAttr(1));
    setArgumentType(kernel, argument,
                    MemRefType::get(type.getShape(), rewriter.getI16Type()));
  });
  for (affine::AffineLoadOp load : loads)
    widen(rewriter, load, argument);
  rewriter.modifyOpInPlace(block, [&] { block.updateAccessRegions(); });
  return DiagnosedSilenceableFailure::success();
}
