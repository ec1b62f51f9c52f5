//===- Structure.cpp - Lower constants and tuples -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tuples become the values of their fields: a primitive function has several
// results, never a tuple.
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// `value` as elements of the signless tensor type `type`. A resource of one
/// element becomes dense, so that nests can take it as a scalar.
ElementsAttr convertElements(ElementsAttr value, RankedTensorType type) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    Type from = dense.getElementType(), to = type.getElementType();
    if (from == to)
      return dense;
    if (from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
      // Each element has a byte there, too.
      return DenseElementsAttr::getFromRawBuffer(type, dense.getRawData());
    return dense.bitcast(type.getElementType());
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return value;
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat;
  if (type.getNumElements() == 1 && blob &&
      DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
    return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  return DenseResourceElementsAttr::get(type, resource.getRawHandle());
}

struct ConstantToArith : OpConversionPattern<ConstantOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    ElementsAttr value = convertElements(op.getValue(), type);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(value));
    return success();
  }
};

struct FlattenTuple : OpConversionPattern<TupleOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TupleOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> fields;
    for (ValueRange field : adaptor.getOperands())
      llvm::append_range(fields, field);
    rewriter.replaceOpWithMultiple(op, {fields});
    return success();
  }
};

struct ProjectTuple : OpConversionPattern<TupleGetItemOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TupleGetItemOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<TupleType>(op->getOperand(0).getType());
    if (!type)
      return rewriter.notifyMatchFailure(op, "the type is not known");
    auto countFields = [&](Type field) -> int64_t {
      SmallVector<Type> types;
      if (failed(getTypeConverter()->convertType(field, types)))
        return 0;
      return types.size();
    };
    int64_t index = op.getIndex();
    int64_t begin = 0;
    for (Type before : type.getTypes().take_front(index))
      begin += countFields(before);
    ValueRange fields = adaptor.getOperands().front();
    rewriter.replaceOpWithMultiple(
        op, {fields.slice(begin, countFields(type.getType(index)))});
    return success();
  }
};

/// Sizes that only the declared type knows are asserted with those of all
/// casts.
struct CastToDeclaredType : OpConversionPattern<AscribeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(AscribeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "no tensor or tuple of tensors");
    SmallVector<Value> values;
    for (auto [value, type] :
         llvm::zip_equal(adaptor.getOperands().front(), types))
      values.push_back(
          value.getType() == type
              ? value
              : tensor::CastOp::create(rewriter, op.getLoc(), type, value));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// At inference, dropout hands its data through; its mask is all ones.
struct ResolveDropout : OpConversionPattern<NNDropoutOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNDropoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    Value mask = OnesLikeOp::create(rewriter, op.getLoc(), data);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{data, mask}});
    return success();
  }
};

struct ConvertReturn : OpConversionPattern<func::ReturnOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(func::ReturnOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (ValueRange operand : adaptor.getOperands())
      llvm::append_range(results, operand);
    rewriter.replaceOpWithNewOp<func::ReturnOp>(op, results);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateStructurePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CastToDeclaredType, ConstantToArith, ConvertReturn, FlattenTuple,
               ProjectTuple, ResolveDropout>(converter, patterns.getContext());
}
