//===- Products.cpp - Convolutions and products of integers ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products are exact, in i32; their scale is the product of both, and
// their zero point 0.
//
//===----------------------------------------------------------------------===//

#include "IntegerForm.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::integers;

using qnn::getElementType;
using qnn::getRank;

namespace {

/// What a weight has many scales along, and the dimension of the result that
/// it becomes.
struct ChannelDims {
  int64_t weight = -1, result = -1;
};

} // namespace

/// `QnnOpTy` on the operands, with the attributes of the operator.
template <typename QnnOpTy>
static FailureOr<QuantizedValue>
writeProduct(IntegerForm &form, Value data, Value weight,
             const Quantization &dataQuantization,
             const Quantization &weightQuantization,
             ArrayRef<NamedAttribute> attributes, int64_t resultAxis) {
  FailureOr<Value> scale =
      form.multiplyScales(dataQuantization.scale, weightQuantization.scale);
  if (failed(scale))
    return failure();
  auto scalarOr = [&](Value param) {
    return isUniform(param) ? form.reshapeToScalar(param) : param;
  };
  Value result = form.makeWith<QnnOpTy>(
      {data, weight, scalarOr(dataQuantization.zeroPoint),
       scalarOr(weightQuantization.zeroPoint), scalarOr(dataQuantization.scale),
       scalarOr(weightQuantization.scale)},
      attributes);
  if (!result)
    return failure();
  return QuantizedValue(result, {*scale, form.zeroPoint(), resultAxis});
}

/// The operands; many scales of the weight must lie along `axis`, and be as
/// many as the result has there.
static LogicalResult
checkWeight(IntegerForm &form, const QuantizedValue &weight, ChannelDims dims) {
  const Quantization &quantization = weight.quantizations.front();
  if (isUniform(quantization))
    return success();
  int64_t axis = normalize(quantization.axis, getRank(weight.value));
  auto weightType = cast<RankedTensorType>(weight.value.getType());
  auto resultType =
      cast<RankedTensorType>(form.getOp()->getResult(0).getType());
  if (axis == dims.weight && dims.result >= 0 &&
      weightType.getDimSize(dims.weight) == resultType.getDimSize(dims.result))
    return success();
  return form.refuse()
         << "expects scales of the weight for each channel of the "
            "result, but got them along dimension "
         << axis;
}

/// The attributes of an operator, of an operator of integers.
static SmallVector<NamedAttribute> getAttributes(IntegerForm &form) {
  NamedAttrList attributes(form.getOp()->getAttrDictionary());
  attributes.set("out_dtype", TypeAttr::get(form.getI32Type()));
  return llvm::to_vector(attributes.getAttrs());
}

/// Both operands; the first one with one scale, the second one with one, or one
/// for each channel.
static FailureOr<std::pair<QuantizedValue, QuantizedValue>>
getFactors(IntegerForm &form, ChannelDims dims) {
  FailureOr<QuantizedValue> data = form.getQuantized(0),
                            weight = form.getQuantized(1);
  if (failed(data) || failed(weight))
    return failure();
  if (!isUniform(data->quantizations.front()))
    return form.refuse() << "expects one scale of the data, but got "
                         << data->quantizations.front().scale.getType();
  // Two products of 16 bits each are too large for i32 together.
  if (getElementType(data->value).getIntOrFloatBitWidth() > 8 ||
      getElementType(weight->value).getIntOrFloatBitWidth() > 8)
    return form.refuse() << "expects factors of at most 8 bits, whose sums 32 "
                            "bits hold, but got "
                         << data->value.getType() << " and "
                         << weight->value.getType();
  if (failed(checkWeight(form, *weight, dims)))
    return failure();
  return std::pair(*data, *weight);
}

/// Those of a convolution.
template <typename OpTy>
static ChannelDims getChannelDims(OpTy op) {
  StringRef layout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  return {static_cast<int64_t>(op.getKernelLayout().find('O')),
          static_cast<int64_t>(layout.find('C'))};
}

template <typename QnnOpTy, typename OpTy>
static FailureOr<QuantizedValue> writeConvolution(OpTy op, IntegerForm &form) {
  ChannelDims dims = getChannelDims(op);
  auto factors = getFactors(form, dims);
  if (failed(factors))
    return failure();
  auto &[data, weight] = *factors;
  return writeProduct<QnnOpTy>(
      form, data.value, weight.value, data.quantizations.front(),
      weight.quantizations.front(), getAttributes(form), dims.result);
}

/// A dense layer of a weight whose first dimension is the units.
static FailureOr<QuantizedValue> writeDense(IntegerForm &form, Value data,
                                            Value weight,
                                            const Quantization &ofData,
                                            Quantization ofWeight) {
  return writeProduct<QNNDenseOp>(
      form, data, weight, ofData, ofWeight,
      form.getNamedAttr("out_dtype", TypeAttr::get(form.getI32Type())),
      getRank(data) - 1);
}

namespace mlir::relay::integers {

static FailureOr<QuantizedValue> write(NNConv2dOp op, IntegerForm &form) {
  return writeConvolution<QNNConv2dOp>(op, form);
}
static FailureOr<QuantizedValue> write(NNConv2dTransposeOp op,
                                       IntegerForm &form) {
  return writeConvolution<QNNConv2dTransposeOp>(op, form);
}

/// Without an operator of qnn: the convolution of integers of 32 bits.
template <typename OpTy>
static FailureOr<QuantizedValue> writeShifted(OpTy op, IntegerForm &form) {
  ChannelDims dims = getChannelDims(op);
  auto factors = getFactors(form, dims);
  if (failed(factors))
    return failure();
  auto &[data, weight] = *factors;
  FailureOr<Value> scale = form.multiplyScales(
      data.quantizations.front().scale, weight.quantizations.front().scale);
  if (failed(scale))
    return failure();
  Value result =
      form.cloneWith({form.getShifted(data), form.getShifted(weight)});
  if (!result)
    return failure();
  return QuantizedValue(result, {*scale, form.zeroPoint(), dims.result});
}

static FailureOr<QuantizedValue> write(NNConv1dOp op, IntegerForm &form) {
  return writeShifted(op, form);
}
static FailureOr<QuantizedValue> write(NNConv3dOp op, IntegerForm &form) {
  return writeShifted(op, form);
}

static FailureOr<QuantizedValue> write(NNDenseOp op, IntegerForm &form) {
  auto factors = getFactors(form, {0, getRank(op.getResult()) - 1});
  if (failed(factors))
    return failure();
  auto &[data, weight] = *factors;
  return writeDense(form, data.value, weight.value, data.quantizations.front(),
                    weight.quantizations.front());
}

static FailureOr<QuantizedValue> write(NNMatmulOp op, IntegerForm &form) {
  int64_t channels = op.getTransposeB() ? 0 : 1;
  auto factors = getFactors(form, {channels, getRank(op.getResult()) - 1});
  if (failed(factors))
    return failure();
  auto &[data, weight] = *factors;
  Quantization ofWeight = weight.quantizations.front();
  ofWeight.axis = 0;
  Value lhs = data.value, rhs = weight.value;
  if (op.getTransposeA())
    lhs = form.transposeMatrix(form.term(lhs));
  if (!op.getTransposeB())
    rhs = form.transposeMatrix(form.term(rhs));
  return writeDense(form, lhs, rhs, data.quantizations.front(), ofWeight);
}

static FailureOr<QuantizedValue> write(NNBatchMatmulOp op, IntegerForm &form) {
  auto factors = getFactors(form, {});
  if (failed(factors))
    return failure();
  auto &[x, y] = *factors;
  return writeProduct<QNNBatchMatmulOp>(
      form, x.value, y.value, x.quantizations.front(), y.quantizations.front(),
      getAttributes(form), -1);
}

} // namespace mlir::relay::integers

void integers::registerProducts(MLIRContext *context) {
  attach<kIsIntegerAlone, NNConv1dOp, NNConv3dOp, NNConv2dOp,
         NNConv2dTransposeOp, NNDenseOp, NNMatmulOp, NNBatchMatmulOp>(context);
}
