//===- Opaque.cpp - Computations on tensors -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tir;

/// The buffer that the body of `tir.opaque` sees of a tensor.
static MemRefType getBufferType(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return MemRefType::get(type.getShape(), type.getElementType());
}

void OpaqueOp::build(OpBuilder &builder, OperationState &state,
                     ArrayRef<int64_t> along, ValueRange inputs,
                     ValueRange inits, ArrayRef<AffineMap> sizes) {
  state.addOperands(inputs);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()),
                                    static_cast<int32_t>(inits.size())};
  properties.along = builder.getDenseI64ArrayAttr(along);
  if (!sizes.empty())
    properties.sizes = builder.getAffineMapArrayAttr(sizes);

  Region *region = state.addRegion();
  Block &block = region->emplaceBlock();
  for (size_t i = 0, e = along.size(); i != e; ++i)
    block.addArgument(builder.getIndexType(), state.location);
  for (ValueRange tensors : {inputs, inits})
    for (Value tensor : tensors)
      block.addArgument(getBufferType(tensor), state.location);
  ensureTerminator(*region, builder, state.location);
}

ValueRange OpaqueOp::getIndexArgs() {
  return ValueRange(getBody()->getArguments()).take_front(getAlong().size());
}

ValueRange OpaqueOp::getInputArgs() {
  return ValueRange(getBody()->getArguments())
      .slice(getAlong().size(), getInputs().size());
}

ValueRange OpaqueOp::getInitArgs() {
  return ValueRange(getBody()->getArguments()).take_back(getInits().size());
}

/// Indices, and the buffers of all operands.
static SmallVector<Type> getExpectedArgTypes(OpaqueOp op) {
  SmallVector<Type> types(op.getAlong().size(),
                          IndexType::get(op.getContext()));
  for (Value tensor : op->getOperands())
    types.push_back(getBufferType(tensor));
  return types;
}

LogicalResult OpaqueOp::verify() {
  if (getInits().empty() && !getAlong().empty())
    return emitOpError("expects a destination with dimensions ")
           << getAlong() << ", but got none";
  if (getInits().getTypes() != getResults().getTypes())
    return emitOpError("expects results of types ")
           << getInits().getTypes() << ", as its destinations have, but got "
           << getResultTypes();
  int64_t rank =
      getInits().empty()
          ? 0
          : cast<RankedTensorType>(getInits().front().getType()).getRank();
  for (auto [position, dim] : llvm::enumerate(getAlong()))
    if (dim < 0 || dim >= rank ||
        llvm::is_contained(getAlong().take_front(position), dim))
      return emitOpError("expects different dimensions of the first "
                         "destination, of rank ")
             << rank << ", but got " << getAlong();

  if (std::optional<ArrayAttr> sizes = getSizes()) {
    if (sizes->size() != getNumOperands())
      return emitOpError("expects sizes for each of its ")
             << getNumOperands() << " operands, but got " << sizes->size();
    for (auto [attr, type] : llvm::zip_equal(*sizes, getOperandTypes()))
      if (cast<AffineMapAttr>(attr).getValue().getNumResults() !=
          cast<RankedTensorType>(type).getRank())
        return emitOpError("expects a size for each dimension of ")
               << type << ", but got " << attr;
  }

  SmallVector<Type> expected = getExpectedArgTypes(*this);
  if (getBody()->getArgumentTypes() != TypeRange(expected))
    return emitOpError("expects arguments of its body of types ")
           << expected << ", but got " << getBody()->getArgumentTypes();
  return success();
}

LogicalResult OpaqueOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : getInits())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init));
  return success();
}

namespace {

/// Operands take the place of their casts to types that know less, as in all
/// destination-style operations; the arguments of the body follow.
struct RefineArguments final : OpRewritePattern<OpaqueOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(OpaqueOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Type> types = getExpectedArgTypes(op);
    if (op.getBody()->getArgumentTypes() == TypeRange(types))
      return rewriter.notifyMatchFailure(op, "arguments are as operands");
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [argument, type] :
           llvm::zip_equal(op.getBody()->getArguments(), types))
        argument.setType(type);
    });
    return success();
  }
};

} // namespace

void OpaqueOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<RefineArguments>(context);
}
