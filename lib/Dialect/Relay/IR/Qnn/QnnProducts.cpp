//===- QnnProducts.cpp - Products and pools of quantized tensors ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is the operator on integers, whose operands are the data less its zero
// point. Bytes are multiplied as they are, as processors have instructions for
// (docs/Decisions/byte-products.md), and what zero points add is subtracted:
// that of the data times the sums of the weight, which are constants where the
// weight is one, and in products of matrices that of the weight times the sums
// of rows of what is left of the data. In convolutions the sums of windows
// would cost more than they save: the weight's zero point has to be 0.
//
//===----------------------------------------------------------------------===//

#include "QnnBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::qnn;

/// The type that products are summed in: that of the result, or i32, of which
/// a smaller one has the last bits.
static Type getSumType(QnnBuilder &b, Type resultType) {
  return resultType.getIntOrFloatBitWidth() > 32 ? resultType
                                                 : Type(b.getI32Type());
}

/// The data less its zero point, as integers of that type.
static Value getShifted(QnnBuilder &b, Value data, Value zeroPoint,
                        int64_t axis, Type type) {
  return b.castTo(b.subtractZeroPoint(data, zeroPoint, axis), type);
}

/// Whether a zero point is known to be 0, for all channels.
static bool isZero(Value zeroPoint) {
  std::optional<SmallVector<double>> values = getNumbers(zeroPoint);
  return values && llvm::all_of(*values, [](double x) { return x == 0; });
}

/// Whether bytes can be multiplied as they are.
static bool areBytes(Value data, Value weight, Type sumType) {
  return getElementType(data).isInteger(8) &&
         getElementType(weight).isInteger(8) && sumType.isInteger(32);
}

/// The sums of `value`, as i32, over some of its dimensions, which have size 1
/// then or are left out.
static Value sumOver(QnnBuilder &b, Value value, ArrayRef<int64_t> dims,
                     bool keepsDims) {
  SmallVector<NamedAttribute> attributes{
      b.getNamedAttr("axis", b.getDenseI64ArrayAttr(dims)),
      b.getNamedAttr("keepdims", b.getBoolAttr(keepsDims))};
  return b.makeWith<SumOp>(b.toInt32(value), attributes);
}

/// `sums`, products of bytes of `data` and `weight` along these dimensions,
/// less what zero points add: sum (d - zd) (w - zw) is sum d w - zd sum w - zw
/// sum (d - zd). The sums of the weight are one for each column of the result.
static Value subtractZeroPoints(QnnBuilder &b, Value sums, Value data,
                                int64_t dataDim, Value dataZero, Value weight,
                                int64_t weightDim, Value weightZero) {
  if (!isZero(dataZero)) {
    Value ofWeight = sumOver(b, weight, weightDim, /*keepsDims=*/false);
    if (int64_t rank = getRank(ofWeight); rank > 1)
      // (batch, n) against (batch, m, n).
      ofWeight = b.makeWith<ExpandDimsOp>(
          ofWeight, b.getNamedAttr("axis", b.getI64IntegerAttr(rank - 1)));
    sums = b.make<SubtractOp>(sums, b.make<MultiplyOp>(ofWeight, dataZero));
  }
  if (!isZero(weightZero)) {
    Value rows = sumOver(b, b.subtractZeroPoint(data, dataZero, 0), dataDim,
                         /*keepsDims=*/true);
    if (dataDim != getRank(data) - 1)
      rows = b.transpose(rows, {0, 2, 1});
    sums = b.make<SubtractOp>(sums, b.make<MultiplyOp>(rows, weightZero));
  }
  return sums;
}

/// `zeroPoint`, a scalar, times the sums of an OIHW weight for each output
/// channel, with `after` dimensions of size 1 behind.
static Value getCorrection(QnnBuilder &b, Value weight, Value zeroPoint,
                           int64_t after) {
  Value sums = sumOver(b, weight, {1, 2, 3}, /*keepsDims=*/false);
  if (after != 0) {
    SmallVector<int64_t> shape(1 + after, 1);
    shape.front() = -1;
    sums = b.reshape(sums, shape);
  }
  return b.make<MultiplyOp>(sums, zeroPoint);
}

/// The attributes of `op` that `OpTy` has too, with others in place of theirs.
template <typename OpTy>
static SmallVector<NamedAttribute>
getAttributes(Operation *op, ArrayRef<NamedAttribute> others) {
  NamedAttrList attributes;
  for (StringAttr name :
       OperationName(OpTy::getOperationName(), op->getContext())
           .getAttributeNames())
    if (Attribute value = op->getAttr(name))
      attributes.set(name, value);
  for (NamedAttribute other : others)
    attributes.set(other.getName(), other.getValue());
  return llvm::to_vector(attributes.getAttrs());
}

/// Dimensions of `layout` in the order of `order`; none, after an error, if the
/// letters are not the same.
static std::optional<SmallVector<int64_t>>
getPermutation(QnnBuilder &b, StringRef layout, StringRef order) {
  SmallVector<int64_t> axes;
  for (char letter : order) {
    size_t at = layout.find(letter);
    if (layout.size() != order.size() || at == StringRef::npos) {
      b.refuse() << "expects a layout of the letters " << order << ", but got "
                 << layout;
      return std::nullopt;
    }
    axes.push_back(static_cast<int64_t>(at));
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The weight of a convolution less its zero points, as OIHW.
static Value getConvolutionWeight(QnnBuilder &b, QNNConv2dOp op, Type type) {
  std::optional<SmallVector<int64_t>> axes =
      getPermutation(b, op.getKernelLayout(), "OIHW");
  if (!axes)
    return {};
  Value weight = b.transpose(op.getWeight(), *axes);
  auto shape = cast<RankedTensorType>(weight.getType()).getShape();
  auto zeroType = cast<RankedTensorType>(op.getWeightZeroPoint().getType());
  auto dataType = cast<RankedTensorType>(op.getData().getType());
  size_t channel = op.getDataLayout().find('C');
  int64_t groups = op.getGroups();
  // A depthwise weight counts the outputs of each input channel.
  bool isDepthwise = groups > 1 && shape[0] == groups &&
                     channel < dataType.getShape().size() &&
                     dataType.getDimSize(channel) == groups && shape[1] != 1;
  if (!isDepthwise)
    return getShifted(b, weight, op.getWeightZeroPoint(), 0, type);
  if (ShapedType::isDynamicShape(shape)) {
    b.refuse() << "expects a depthwise weight of known sizes, but got "
               << op.getWeight().getType();
    return {};
  }
  SmallVector<int64_t> merged{shape[0] * shape[1], 1, shape[2], shape[3]};
  // Zero points of input channels, or of output channels.
  bool isOfInputs =
      zeroType.hasStaticShape() && zeroType.getNumElements() == groups;
  if (isOfInputs)
    return b.reshape(getShifted(b, weight, op.getWeightZeroPoint(), 0, type),
                     merged);
  return getShifted(b, b.reshape(weight, merged), op.getWeightZeroPoint(), 0,
                    type);
}

/// A zero point of one number as an element of `type`; null if it may be none.
static Value getAsElement(QnnBuilder &b, Value zeroPoint, Type type) {
  if (std::optional<SmallVector<double>> number = getNumbers(zeroPoint)) {
    auto [low, high] = getIntegerRange(type);
    if (number->front() < static_cast<double>(low) ||
        number->front() > static_cast<double>(high))
      return {};
    return b.integer(static_cast<int64_t>(number->front()), type);
  }
  auto cast = zeroPoint.getDefiningOp<CastOp>();
  return cast && getElementType(cast.getData()) == type ? cast.getData()
                                                        : Value();
}

/// The data with the rows and columns that the convolution adds, which hold its
/// zero point; as bytes, if all of them are. Null if they cannot.
static Value getPaddedData(QnnBuilder &b, QNNConv2dOp op,
                           const Padding &padding) {
  Value data = op.getData();
  if (llvm::all_of(padding.before, [](int64_t n) { return n == 0; }) &&
      llvm::all_of(padding.after, [](int64_t n) { return n == 0; }))
    return data;
  Value zero = getAsElement(b, op.getInputZeroPoint(), getElementType(data));
  if (!zero)
    return {};
  StringRef layout = op.getDataLayout();
  SmallVector<int64_t> widths(2 * layout.size(), 0);
  for (auto [i, letter] : llvm::enumerate(StringRef("HW"))) {
    size_t dim = layout.find(letter);
    widths[2 * dim] = padding.before[i];
    widths[2 * dim + 1] = padding.after[i];
  }
  return b.makeWith<NNPadOp>(
      {data, zero},
      b.getNamedAttr("pad_width", b.getDenseI64ArrayAttr(widths)));
}

/// A convolution of bytes by a weight whose zero point is 0; null if it is
/// none.
static Value convolveBytes(QnnBuilder &b, QNNConv2dOp op) {
  std::optional<SmallVector<int64_t>> axes =
      getPermutation(b, op.getKernelLayout(), "OIHW");
  FailureOr<Padding> padding = expandPadding(op.getPadding(), 2);
  StringRef outLayout =
      op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
  size_t channel = outLayout.find('C');
  if (!axes || failed(padding) || outLayout.size() != 4 ||
      op.getDataLayout().size() != 4 || channel == StringRef::npos)
    return {};
  bool isShifted = !isZero(op.getInputZeroPoint());
  // A depthwise weight may count the outputs of each input channel, which has
  // no sum for each of all outputs.
  auto weightType = cast<RankedTensorType>(op.getWeight().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  if (isShifted && op.getGroups() != 1 &&
      (weightType.isDynamicDim((*axes)[0]) ||
       weightType.getDimSize((*axes)[0]) != resultType.getDimSize(channel)))
    return {};
  Value data = isShifted ? getPaddedData(b, op, *padding) : op.getData();
  if (!data)
    return {};
  Value weight = b.transpose(op.getWeight(), *axes);
  SmallVector<NamedAttribute> others{
      b.getNamedAttr("kernel_layout", b.getStringAttr("OIHW")),
      b.getNamedAttr("out_dtype", TypeAttr::get(b.getI32Type()))};
  if (isShifted)
    others.push_back(b.getNamedAttr("padding", b.getDenseI64ArrayAttr({0, 0})));
  Value sums = b.makeWith<NNConv2dOp>({data, weight},
                                      getAttributes<NNConv2dOp>(op, others));
  if (!isShifted)
    return sums;
  return b.make<SubtractOp>(sums,
                            getCorrection(b, weight, op.getInputZeroPoint(),
                                          static_cast<int64_t>(3 - channel)));
}

static Value convolve(QnnBuilder &b, QNNConv2dOp op) {
  Type type = getSumType(b, *op.getOutDtype());
  if (areBytes(op.getData(), op.getWeight(), type) &&
      isZero(op.getWeightZeroPoint()))
    if (Value sums = convolveBytes(b, op))
      return sums;
  Value weight = getConvolutionWeight(b, op, type);
  if (!weight)
    return {};
  Value data = getShifted(b, op.getData(), op.getInputZeroPoint(), 0, type);
  auto shape = cast<RankedTensorType>(weight.getType()).getShape();
  SmallVector<NamedAttribute> others{
      b.getNamedAttr("kernel_layout", b.getStringAttr("OIHW")),
      b.getNamedAttr("out_dtype", TypeAttr::get(type))};
  if (ShapedType::isStatic(shape[0]))
    others.push_back(b.getNamedAttr("channels", b.getI64IntegerAttr(shape[0])));
  return b.makeWith<NNConv2dOp>({data, weight},
                                getAttributes<NNConv2dOp>(op, others));
}

static Value convolveTransposed(QnnBuilder &b, QNNConv2dTransposeOp op) {
  Type type = getSumType(b, *op.getOutDtype());
  std::optional<SmallVector<int64_t>> axes =
      getPermutation(b, op.getKernelLayout(), "IOHW");
  if (!axes)
    return {};
  Value weight = b.transpose(op.getWeight(), *axes);
  auto weightType = cast<RankedTensorType>(weight.getType());
  auto zeroType = cast<RankedTensorType>(op.getWeightZeroPoint().getType());
  int64_t groups = op.getGroups();
  bool isSingle = zeroType.getRank() == 0 ||
                  (zeroType.hasStaticShape() && zeroType.getNumElements() == 1);
  if (groups == 1 || isSingle) {
    weight = getShifted(b, weight, op.getWeightZeroPoint(), 1, type);
  } else {
    // A value for each output of each group.
    if (!weightType.hasStaticShape()) {
      b.refuse() << "expects a weight of known sizes, but got "
                 << op.getWeight().getType();
      return {};
    }
    ArrayRef<int64_t> shape = weightType.getShape();
    Value parts = b.toInt32(b.reshape(
        weight, {groups, shape[0] / groups, shape[1], shape[2], shape[3]}));
    Value zeros =
        b.reshape(op.getWeightZeroPoint(), {groups, 1, shape[1], 1, 1});
    weight = b.castTo(b.reshape(b.make<SubtractOp>(parts, zeros), shape), type);
  }
  Value zero = op.getInputZeroPoint();
  Value data = getShifted(b, op.getData(), zero, 0, type);
  return b.makeWith<NNConv2dTransposeOp>(
      {data, weight},
      getAttributes<NNConv2dTransposeOp>(
          op, {b.getNamedAttr("kernel_layout", b.getStringAttr("IOHW")),
               b.getNamedAttr("out_dtype", TypeAttr::get(type))}));
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value multiplyRows(QnnBuilder &b, OpTy op, Value weight) {
  Type type = getSumType(b, getElementType(op.getResult()));
  SmallVector<NamedAttribute> attributes = getAttributes<NNDenseOp>(
      op, b.getNamedAttr("out_dtype", TypeAttr::get(type)));
  if (areBytes(op.getData(), weight, type))
    return subtractZeroPoints(
        b, b.makeWith<NNDenseOp>({op.getData(), weight}, attributes),
        op.getData(), getRank(op.getData()) - 1, op.getInputZeroPoint(), weight,
        /*weightDim=*/1, op.getWeightZeroPoint());
  Value data = getShifted(b, op.getData(), op.getInputZeroPoint(), 0, type);
  Value shifted = getShifted(b, weight, op.getWeightZeroPoint(), 0, type);
  return b.makeWith<NNDenseOp>({data, shifted}, attributes);
}

static Value multiplyPacked(QnnBuilder &b, QNNContribDensePackOp op) {
  // Blocks (N / n, K / k, n, k) to rows.
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  if (!type.hasStaticShape()) {
    b.refuse() << "expects a weight of known sizes, but got " << type;
    return {};
  }
  ArrayRef<int64_t> shape = type.getShape();
  Value weight = b.reshape(b.transpose(op.getWeight(), {0, 2, 1, 3}),
                           {shape[0] * shape[2], shape[1] * shape[3]});
  return multiplyRows(b, op, weight);
}

static Value multiplyBatches(QnnBuilder &b, QNNBatchMatmulOp op) {
  Type type = getSumType(b, getElementType(op.getResult()));
  SmallVector<NamedAttribute> attributes = getAttributes<NNBatchMatmulOp>(
      op, b.getNamedAttr("out_dtype", TypeAttr::get(type)));
  if (areBytes(op.getX(), op.getY(), type))
    return subtractZeroPoints(
        b, b.makeWith<NNBatchMatmulOp>({op.getX(), op.getY()}, attributes),
        op.getX(), op.getTransposeA() ? 1 : 2, op.getXZeroPoint(), op.getY(),
        op.getTransposeB() ? 2 : 1, op.getYZeroPoint());
  Value x = getShifted(b, op.getX(), op.getXZeroPoint(), 0, type);
  Value y = getShifted(b, op.getY(), op.getYZeroPoint(), 0, type);
  return b.makeWith<NNBatchMatmulOp>({x, y}, attributes);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

static Value pool(QnnBuilder &b, QNNAvgPool2dOp op) {
  Value data = b.requantizeToInt32(
      op.getData(), {op.getInputScale(), op.getInputZeroPoint()},
      {op.getOutputScale(), op.getOutputZeroPoint()});
  if (!data)
    return {};
  return b.saturateTo(
      b.makeWith<NNAvgPool2dOp>(data, getAttributes<NNAvgPool2dOp>(op, {})),
      getElementType(op.getResult()));
}

/// A sum in the type of the operator's result; null stays that.
static FailureOr<Value> toResultType(QnnBuilder &b, Operation *op, Value sums) {
  if (!sums)
    return failure();
  return b.castTo(sums, getElementType(op->getResult(0))).get();
}

FailureOr<Value> QNNConv2dOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return toResultType(b, *this, convolve(b, *this));
}

FailureOr<Value> QNNConv2dTransposeOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return toResultType(b, *this, convolveTransposed(b, *this));
}

FailureOr<Value> QNNDenseOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return toResultType(b, *this, multiplyRows(b, *this, getWeight()));
}

FailureOr<Value> QNNContribDensePackOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return toResultType(b, *this, multiplyPacked(b, *this));
}

FailureOr<Value> QNNBatchMatmulOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return toResultType(b, *this, multiplyBatches(b, *this));
}

FailureOr<Value> QNNAvgPool2dOp::decompose(EvaluateOperator) {
  QnnBuilder b(*this);
  return orFailure(pool(b, *this));
}
