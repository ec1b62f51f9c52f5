//===- LiftWorkspaces.cpp - Scratch buffers to arguments ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "SizeExprs.h"

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

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

LogicalResult mlir::tir::liftWorkspaces(PrimFuncOp kernel) {
  SizeExprs sizes(kernel);
  Builder builder(kernel.getContext());
  SmallVector<AllocBufferOp> allocs;
  SmallVector<AffineMap> maps;
  for (auto alloc : kernel.getRegion().getOps<AllocBufferOp>()) {
    if (alloc.getMemory())
      continue;
    SmallVector<AffineExpr> dims;
    for (Value size : alloc.getDynamicSizes()) {
      dims.push_back(sizes.get(size));
      if (!dims.back()) {
        InFlightDiagnostic diag = alloc.emitOpError(
            "expects the sizes of a workspace to follow from the sizes of "
            "inputs and outputs");
        diag.attachNote(size.getLoc()) << "this size does not";
        return diag;
      }
    }
    allocs.push_back(alloc);
    maps.push_back(
        AffineMap::get(0, sizes.getNumSymbols(), dims, kernel.getContext()));
  }
  if (allocs.empty())
    return success();

  for (auto [alloc, map] : llvm::zip(allocs, maps)) {
    unsigned index = kernel.getNumArguments();
    NamedAttribute attr(builder.getStringAttr(PrimFuncOp::kWorkspace),
                        AffineMapAttr::get(map));
    if (failed(kernel.insertArgument(index, alloc.getType(),
                                     builder.getDictionaryAttr(attr),
                                     alloc.getLoc())))
      return failure();
    alloc.getBuffer().replaceAllUsesWith(kernel.getArgument(index));
    alloc.erase();
  }
  int64_t count = kernel.getNumWorkspaces() + allocs.size();
  kernel->setAttr(PrimFuncOp::kWorkspaces, builder.getI64IntegerAttr(count));
  return success();
}
