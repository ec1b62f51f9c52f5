//===- LiftWorkspaces.cpp - Scratch buffers to arguments ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "SizeExprs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRLIFTWORKSPACESPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

struct LiftWorkspacesPass
    : tir::impl::TIRLiftWorkspacesPassBase<LiftWorkspacesPass> {
  void runOnOperation() override {
    if (failed(liftWorkspaces(getOperation())))
      signalPassFailure();
  }
};

} // namespace

namespace {

/// A buffer that becomes an argument.
struct Workspace {
  AllocBufferOp alloc;
  /// The argument's type: that of the buffer, or bytes if only bounds of its
  /// sizes have expressions, such as of the smaller of two.
  MemRefType type;
  /// The dynamic sizes of the argument.
  SmallVector<AffineExpr> sizes;
};

} // namespace

static FailureOr<Workspace> describe(AllocBufferOp alloc,
                                     const SizeExprs &sizes) {
  Workspace workspace{alloc, alloc.getType(), {}};
  for (Value size : alloc.getDynamicSizes())
    workspace.sizes.push_back(sizes.get(size));
  if (!llvm::is_contained(workspace.sizes, AffineExpr()))
    return workspace;

  MLIRContext *context = alloc.getContext();
  MemRefType type = alloc.getType();
  int64_t width =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  AffineExpr bytes = getAffineConstantExpr(llvm::divideCeil(width, 8), context);
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes = bytes * size;
  for (Value size : alloc.getDynamicSizes()) {
    AffineExpr bound = sizes.getUpperBound(size);
    if (!bound) {
      InFlightDiagnostic diag = alloc.emitOpError(
          "expects the sizes of a workspace to follow from the sizes of "
          "inputs and outputs");
      diag.attachNote(size.getLoc()) << "this size does not";
      return diag;
    }
    bytes = bytes * bound;
  }
  workspace.type =
      MemRefType::get(ShapedType::kDynamic, IntegerType::get(context, 8));
  workspace.sizes = {bytes};
  return workspace;
}

LogicalResult mlir::tir::liftWorkspaces(PrimFuncOp kernel) {
  SizeExprs sizes(kernel);
  OpBuilder builder(kernel.getContext());
  SmallVector<Workspace> workspaces;
  for (auto alloc : kernel.getRegion().getOps<AllocBufferOp>()) {
    if (alloc.getMemory())
      continue;
    FailureOr<Workspace> workspace = describe(alloc, sizes);
    if (failed(workspace))
      return failure();
    workspaces.push_back(std::move(*workspace));
  }
  if (workspaces.empty())
    return success();

  for (Workspace &workspace : workspaces) {
    AllocBufferOp alloc = workspace.alloc;
    unsigned index = kernel.getNumArguments();
    AffineMap map = AffineMap::get(0, sizes.getNumSymbols(), workspace.sizes,
                                   kernel.getContext());
    NamedAttribute attr(builder.getStringAttr(PrimFuncOp::kWorkspace),
                        AffineMapAttr::get(map));
    if (failed(kernel.insertArgument(index, workspace.type,
                                     builder.getDictionaryAttr(attr),
                                     alloc.getLoc())))
      return failure();
    Value buffer = kernel.getArgument(index);
    if (workspace.type != alloc.getType()) {
      builder.setInsertionPoint(alloc);
      Value start = arith::ConstantIndexOp::create(builder, alloc.getLoc(), 0);
      buffer = memref::ViewOp::create(builder, alloc.getLoc(), alloc.getType(),
                                      buffer, start, alloc.getDynamicSizes());
    }
    alloc.getBuffer().replaceAllUsesWith(buffer);
    alloc.erase();
  }
  int64_t count = kernel.getNumWorkspaces() + workspaces.size();
  kernel->setAttr(PrimFuncOp::kWorkspaces, builder.getI64IntegerAttr(count));
  return success();
}
