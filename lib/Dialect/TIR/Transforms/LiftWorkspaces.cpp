//===- LiftWorkspaces.cpp - Scratch buffers to arguments ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRLIFTWORKSPACESPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

/// Sizes as functions of the dynamic dimensions of inputs and outputs, which
/// are numbered as the kernel's callers pass them.
class SizeExprs {
public:
  explicit SizeExprs(PrimFuncOp kernel) : context(kernel.getContext()) {
    for (BlockArgument arg :
         kernel.getArguments().drop_back(kernel.getNumWorkspaces())) {
      auto type = cast<MemRefType>(arg.getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          symbols[{arg, dim}] = symbols.size();
    }
  }

  unsigned getNumSymbols() const { return symbols.size(); }

  /// Null if the size follows from something else.
  AffineExpr get(Value size) const {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return getAffineConstantExpr(*constant, context);
    Operation *op = size.getDefiningOp();
    if (!op)
      return {};
    return llvm::TypeSwitch<Operation *, AffineExpr>(op)
        .Case([&](memref::DimOp dim) { return getDim(dim); })
        .Case([&](affine::AffineApplyOp apply) { return getApply(apply); })
        .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
              arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
              arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>(
            [&](Operation *binary) { return getBinary(binary); })
        .Default([](Operation *) { return AffineExpr(); });
  }

private:
  AffineExpr getDim(memref::DimOp dim) const {
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index)
      return {};
    if (auto alloc = dim.getSource().getDefiningOp<AllocBufferOp>()) {
      OpFoldResult size = alloc.getMixedSizes()[*index];
      return isa<Attribute>(size)
                 ? getAffineConstantExpr(*getConstantIntValue(size), context)
                 : get(cast<Value>(size));
    }
    auto it = symbols.find({dim.getSource(), *index});
    return it == symbols.end() ? AffineExpr()
                               : getAffineSymbolExpr(it->second, context);
  }

  AffineExpr getApply(affine::AffineApplyOp apply) const {
    SmallVector<AffineExpr> operands;
    for (Value operand : apply.getMapOperands()) {
      operands.push_back(get(operand));
      if (!operands.back())
        return {};
    }
    unsigned numDims = apply.getAffineMap().getNumDims();
    return apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
        ArrayRef(operands).take_front(numDims),
        ArrayRef(operands).drop_front(numDims));
  }

  /// Sizes are not negative, so rounding towards zero rounds down.
  AffineExpr getBinary(Operation *op) const {
    AffineExpr lhs = get(op->getOperand(0)), rhs = get(op->getOperand(1));
    if (!lhs || !rhs)
      return {};
    if (isa<arith::AddIOp>(op))
      return lhs + rhs;
    if (isa<arith::SubIOp>(op))
      return lhs - rhs;
    if (isa<arith::MulIOp>(op))
      return lhs * rhs;
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return lhs.ceilDiv(rhs);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return lhs % rhs;
    return lhs.floorDiv(rhs);
  }

  MLIRContext *context;
  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> symbols;
};

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
    if (alloc.isLocal())
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
