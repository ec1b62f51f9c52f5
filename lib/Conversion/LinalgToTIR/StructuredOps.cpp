//===- StructuredOps.cpp - Structured ops to blocks -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// Payload
//===----------------------------------------------------------------------===//

void KernelLowering::clonePayload(Block &payload, IRMapping &mapping,
                                  Domain domain) {
  for (Operation &op : payload.without_terminator())
    clonePayloadOp(op, mapping, domain);
}

void KernelLowering::clonePayloadOp(Operation &op, IRMapping &mapping,
                                    Domain domain) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    mapping.map(index.getResult(), domain.iterVars[index.getDim()]);
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    TensorView view = lookupElements(extract.getTensor());
    if (view.scalar) {
      mapping.map(extract.getResult(), view.scalar);
      return;
    }
    SmallVector<Value> indices;
    for (Value index : extract.getIndices())
      indices.push_back(mapping.lookup(index));
    if (!view.map.isIdentity()) {
      SmallVector<Value> operands = indices;
      llvm::append_range(operands, view.symbols);
      indices.clear();
      for (AffineExpr expr : view.map.getResults())
        indices.push_back(affine::AffineApplyOp::create(
            builder, op.getLoc(),
            AffineMap::get(view.map.getNumDims(), view.map.getNumSymbols(),
                           expr),
            operands));
    }
    Value loaded =
        memref::LoadOp::create(builder, op.getLoc(), view.buffer, indices);
    mapping.map(extract.getResult(), loaded);
    return;
  }
  auto dim = dyn_cast<tensor::DimOp>(op);
  std::optional<int64_t> dimension =
      dim ? dim.getConstantIndex() : std::nullopt;
  if (dimension) {
    OpFoldResult size = lookup(dim.getSource()).sizes[*dimension];
    mapping.map(dim.getResult(), materialize(op.getLoc(), size));
    return;
  }
  if (op.getNumRegions() == 0) {
    builder.clone(op, mapping);
    return;
  }
  Operation *clone = op.cloneWithoutRegions(mapping);
  builder.insert(clone);
  for (auto [source, target] :
       llvm::zip(op.getRegions(), clone->getRegions())) {
    for (Block &block : source) {
      OpBuilder::InsertionGuard guard(builder);
      Block &newBlock = target.emplaceBlock();
      for (BlockArgument arg : block.getArguments())
        mapping.map(arg, newBlock.addArgument(arg.getType(), arg.getLoc()));
      builder.setInsertionPointToEnd(&newBlock);
      for (Operation &nested : block)
        clonePayloadOp(nested, mapping, domain);
    }
  }
}

/// Loads whose index turned out to be affine in the iteration variables are
/// better known as such.
static void promoteAffineLoads(BlockOp block) {
  for (BufferAccess &access : collectAccesses(block)) {
    auto load = dyn_cast<memref::LoadOp>(access.op);
    if (!load || !access.map || load.getMemRef() != access.buffer)
      continue;
    OpBuilder builder(load);
    load.replaceAllUsesWith(createLoad(builder, load.getLoc(), access.buffer,
                                       *access.map, block.getIterVars(),
                                       access.symbols));
    load.erase();
  }
  // Index arithmetic of the promoted loads.
  SmallVector<Operation *> ops;
  block.getRegion().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::convertLinalg(linalg::LinalgOp op) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  auto isTensor = [](OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType());
  };

  // A loop's extent is the size of an operand dimension that it indexes alone.
  SmallVector<OpFoldResult> extents(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTensor(operand))
      continue;
    const TensorView &view = lookup(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [expr, size] : llvm::zip(map.getResults(), view.sizes))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        OpFoldResult &extent = extents[dim.getPosition()];
        if (!extent || isa<Attribute>(size))
          extent = size;
      }
  }
  if (llvm::is_contained(extents, OpFoldResult()))
    return op->emitOpError("expects every loop to index some operand "
                           "dimension alone");

  // A uniform tensor is not stored, unless it is a result of the kernel.
  if (auto fill = dyn_cast<linalg::FillOp>(*op)) {
    Value result = fill->getResult(0);
    TensorView uniform = TensorView::ofScalar(
        scalars.lookup(fill.getInputs().front()), extents, context);
    if (destinations.contains(result))
      copy(loc, getBlockName(op, "fill"), uniform,
           createResult(result, extents), extents);
    else
      views[result] = uniform;
    return success();
  }

  SmallVector<IterKind> kinds;
  for (utils::IteratorType type : op.getIteratorTypesArray())
    kinds.push_back(type == utils::IteratorType::parallel ? IterKind::Spatial
                                                          : IterKind::Reduce);
  // A result that also runs along the reduced loops sees the others on their
  // way (a scan): these loops keep their order.
  bool isScan = llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    for (auto [dim, kind] : llvm::enumerate(kinds))
      if (kind == IterKind::Reduce && map.isFunctionOfDim(dim))
        return true;
    return false;
  });
  bool isReduction = !isScan && llvm::is_contained(kinds, IterKind::Reduce);
  if (isScan)
    llvm::replace(kinds, IterKind::Reduce, IterKind::Opaque);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    const TensorView &view = lookup(init.get());
    if (op.payloadUsesValueFromOperand(&init) && !view.hasElements())
      return op->emitOpError("expects a start value for the result that it "
                             "updates, but got an empty tensor");
  }

  // Sizes of the results; views of the inits before a result may replace them.
  SmallVector<TensorView> inits, results;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    inits.push_back(lookup(init.get()));
    results.push_back(
        createResult(op.getTiedOpResult(&init), inits.back().sizes));
  }

  std::string name = getBlockName(op, "compute");
  if (isScan)
    for (auto [index, init] : llvm::enumerate(op.getDpsInitsMutable()))
      if (op.payloadUsesValueFromOperand(&init))
        copy(loc, name + "_init", inits[index], results[index],
             inits[index].sizes);
  auto buildBody = [&](OpBuilder &body, BlockOp block) {
    OpBuilder::InsertionGuard guard(builder);
    Domain domain{block.getIterVars(), extents};
    builder.restoreInsertionPoint(body.saveInsertionPoint());

    auto updates = [&](OpOperand &init) {
      return op.payloadUsesValueFromOperand(&init);
    };
    if (isReduction && llvm::any_of(op.getDpsInitsMutable(), updates)) {
      OpBuilder::InsertionGuard initGuard(builder);
      auto init = InitOp::create(builder, loc);
      builder.setInsertionPoint(init.getBody()->getTerminator());
      for (auto [index, operand] : llvm::enumerate(op.getDpsInitsMutable())) {
        if (!updates(operand))
          continue;
        AffineMap map = op.getMatchingIndexingMap(&operand);
        Value start = loadElement(builder, loc, inits[index], map, domain);
        storeElement(builder, loc, start, results[index], map, domain);
      }
    }

    IRMapping mapping = scalars;
    Block &payload = *op.getBlock();
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(&operand);
      if (!isTensor(operand)) {
        mapping.map(arg, scalars.lookup(operand.get()));
        continue;
      }
      if (arg.use_empty())
        continue;
      // A reduction reads what it wrote last; any other op its start value.
      bool readsResult = (isReduction || isScan) && op.isDpsInit(&operand);
      TensorView view =
          readsResult
              ? results[operand.getOperandNumber() - op.getNumDpsInputs()]
          : op.isDpsInit(&operand)
              ? inits[operand.getOperandNumber() - op.getNumDpsInputs()]
              : lookupElements(operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      mapping.map(arg, loadElement(builder, loc, view, map, domain));
    }
    clonePayload(payload, mapping, domain);
    for (auto [index, yielded] :
         llvm::enumerate(payload.getTerminator()->getOperands())) {
      AffineMap map =
          op.getMatchingIndexingMap(&op.getDpsInitsMutable()[index]);
      storeElement(builder, loc, mapping.lookupOrDefault(yielded),
                   results[index], map, domain);
    }
    promoteAffineLoads(block);
  };
  buildNest(loc, name, kinds, extents, buildBody);
  return success();
}
