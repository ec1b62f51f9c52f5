//===- OpaqueOps.cpp - Opaque computations to blocks ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether dimension `dim` of `buffer` has `size`, as far as that can be seen.
static bool hasSize(Value buffer, int64_t dim, OpFoldResult size) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return getConstantIntValue(size) == type.getDimSize(dim);
  auto value = dyn_cast<Value>(size);
  if (!value)
    return false;
  if (auto alloc = buffer.getDefiningOp<AllocBufferOp>())
    return alloc->getOperand(type.getDynamicDimIndex(dim)) == value;
  auto dimOp = value.getDefiningOp<memref::DimOp>();
  return dimOp && dimOp.getSource() == buffer &&
         dimOp.getConstantIndex() == dim;
}

/// Whether the elements of `view` are those of its buffer.
static bool isWholeBuffer(const TensorView &view) {
  if (!view.buffer || !view.map.isIdentity() ||
      view.map.getNumResults() != view.sizes.size())
    return false;
  return llvm::all_of(llvm::enumerate(view.sizes), [&](auto pair) {
    return hasSize(view.buffer, pair.index(), pair.value());
  });
}

Value KernelLowering::getWholeBuffer(Value tensor) {
  const TensorView view = lookupElements(tensor);
  auto tensorType = cast<RankedTensorType>(tensor.getType());
  auto type =
      MemRefType::get(tensorType.getShape(), tensorType.getElementType());
  if (isWholeBuffer(view) && view.buffer.getType() == type)
    return view.buffer;
  SmallVector<Value> dynamicSizes;
  for (auto [dim, size] : llvm::enumerate(view.sizes))
    if (type.isDynamicDim(dim))
      dynamicSizes.push_back(materialize(tensor.getLoc(), size));
  Value buffer =
      AllocBufferOp::create(builder, tensor.getLoc(), type, dynamicSizes);
  copy(tensor.getLoc(), "copy", view, TensorView::ofBuffer(buffer, view.sizes),
       view.sizes);
  return buffer;
}

LogicalResult KernelLowering::convertOpaque(OpaqueOp op) {
  Location loc = op.getLoc();
  std::string name = getBlockName(op, "opaque");
  IRMapping mapping;
  for (auto [arg, input] : llvm::zip_equal(op.getInputArgs(), op.getInputs()))
    mapping.map(arg, getWholeBuffer(input));

  for (auto [arg, init, result] :
       llvm::zip_equal(op.getInitArgs(), op.getInits(), op.getResults())) {
    const TensorView start = lookup(init);
    TensorView view = createResult(result, start.sizes);
    mapping.map(arg, view.buffer);
    if (start.hasElements())
      copy(loc, name + "_init", start, view, start.sizes);
  }

  SmallVector<OpFoldResult> extents;
  for (int64_t dim : op.getAlong())
    extents.push_back(lookup(op.getResults().front()).sizes[dim]);
  SmallVector<IterKind> kinds(extents.size(), IterKind::Spatial);
  buildNest(loc, name, kinds, extents, [&](OpBuilder &body, BlockOp block) {
    block->setAttr(kIndependentAttr, body.getUnitAttr());
    for (auto [arg, iterVar] :
         llvm::zip_equal(op.getIndexArgs(), block.getIterVars()))
      mapping.map(arg, iterVar);
    for (Operation &nested : op.getBody()->without_terminator())
      body.clone(nested, mapping);
  });
  return success();
}
