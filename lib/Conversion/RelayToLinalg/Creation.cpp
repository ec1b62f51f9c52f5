//===- Creation.cpp - Lower creation of tensors to linalg -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose elements follow from attributes, scalars, shapes and
// positions rather than from the elements of a tensor.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "ReductionBuilder.h"
#include "SizeReader.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Whether `index` is the position along `axis`, which has the size `depth`.
/// Short integers have more lanes.
static Value emitIsAt(ImplicitLocOpBuilder &b, Value index, int64_t axis,
                      OpFoldResult depth) {
  Value position = emitLoopIndex(b, axis);
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  };
  std::optional<int64_t> known = getConstantIntValue(depth);
  if (!known || *known >= std::numeric_limits<int32_t>::max())
    return compare(arith::CmpIPredicate::eq, index, position);
  Type i32 = b.getI32Type();
  // As unsigned numbers, negative ones are large.
  Value isInside = compare(arith::CmpIPredicate::ult, index,
                           arith::ConstantIndexOp::create(b, *known));
  Value nowhere = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  Value wanted = arith::SelectOp::create(
      b, isInside, arith::IndexCastOp::create(b, i32, index), nowhere);
  return compare(arith::CmpIPredicate::eq, wanted,
                 arith::IndexCastOp::create(b, i32, position));
}

/// On and off values at `axis` of the result; `depth` is its size there.
template <typename OpT>
static Value buildOneHot(LinalgBuilder &b, OpT op,
                         typename OpT::Adaptor adaptor, OpFoldResult depth) {
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  int64_t axis = normalizeAxis(op.getAxis(), rank);
  Type indexType = getElementType(op.getIndices());
  Type from = getElementType(op.getOnValue());
  Type to = getElementType(op.getResult());
  Value indices = adaptor.getIndices();
  SmallVector<OpFoldResult> sizes = b.getSizes(indices);
  sizes.insert(sizes.begin() + axis, depth);
  SmallVector<int64_t> outer;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      outer.push_back(dim);
  AffineMap scalar = b.map(rank, {});
  return b.elements(b.getBlockName(),
                    {{indices, b.select(rank, outer)},
                     {adaptor.getOnValue(), scalar},
                     {adaptor.getOffValue(), scalar}},
                    sizes, getSignless(to),
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                      ElementMath math(bodyBuilder, to);
                      Value index =
                          emitToIndex(bodyBuilder, indexType, args[0]);
                      Value isHot = emitIsAt(bodyBuilder, index, axis, depth);
                      return math.select(isHot, math.convertFrom(from, args[1]),
                                         math.convertFrom(from, args[2]));
                    });
}

/// Fills a tensor with the scalar tensor `value`.
static Value buildFull(LinalgBuilder &b, Value value,
                       ArrayRef<OpFoldResult> sizes, Type from, Type to) {
  TypedAttr constant = getSplatValue(value);
  if (constant && constant.getType() == getSignless(to))
    return b.filled(sizes, constant, b.getBlockName());
  return b.elements(
      b.getBlockName(), {{value, b.map(sizes.size(), {})}}, sizes,
      getSignless(to), [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        return ElementMath(bodyBuilder, to).convertFrom(from, args[0]);
      });
}

namespace {

using Number = TypedAttr (*)(Type);

/// zeros, ones
template <typename OpT>
struct NumberToLinalg : OpConversionPattern<OpT> {
  NumberToLinalg(const TypeConverter &converter, MLIRContext *context,
                 Number number)
      : OpConversionPattern<OpT>(converter, context), number(number) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a shape that is known when it is compiled, but "
                      "got "
                   << type;
      });
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(
        op, b.filled(getAsIndexOpFoldResult(b.getContext(), type.getShape()),
                     number(type.getElementType()), b.getBlockName()));
    return success();
  }

private:
  Number number;
};

/// zeros_like, ones_like
template <typename OpT>
struct NumberLikeToLinalg : OpConversionPattern<OpT> {
  NumberLikeToLinalg(const TypeConverter &converter, MLIRContext *context,
                     Number number)
      : OpConversionPattern<OpT>(converter, context), number(number) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, b.filled(b.getSizes(adaptor.getData()),
                                    number(getElementType(op.getData())),
                                    b.getBlockName()));
    return success();
  }

private:
  Number number;
};

struct FullToLinalg : OpConversionPattern<FullOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(FullOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    if (!type.hasStaticShape())
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a shape that is known when it is compiled, but "
                      "got "
                   << type;
      });
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(
        op,
        buildFull(b, adaptor.getFillValue(),
                  getAsIndexOpFoldResult(b.getContext(), type.getShape()),
                  getElementType(op.getFillValue()), type.getElementType()));
    return success();
  }
};

/// The sizes in operand `shape` of an operator that makes a tensor. Fails with
/// a reason if one is negative.
static FailureOr<SmallVector<OpFoldResult>>
readShape(ConversionPatternRewriter &rewriter, LinalgBuilder &b, Operation *op,
          Value shape) {
  FailureOr<SmallVector<OpFoldResult>> sizes =
      SizeReader(rewriter, b, op).read(shape, "shape");
  if (failed(sizes))
    return failure();
  for (OpFoldResult size : *sizes)
    if (getConstantIntValue(size).value_or(0) < 0)
      return rewriter.notifyMatchFailure(
          op, "expects sizes that are not negative, but got " +
                  Twine(*getConstantIntValue(size)));
  return sizes;
}

/// dyn.zeros, dyn.ones
template <typename OpT>
struct DynNumberToLinalg : OpConversionPattern<OpT> {
  DynNumberToLinalg(const TypeConverter &converter, MLIRContext *context,
                    Number number)
      : OpConversionPattern<OpT>(converter, context), number(number) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> sizes =
        readShape(rewriter, b, op, adaptor.getShapeValue());
    if (failed(sizes))
      return failure();
    Value result = b.filled(*sizes, number(getElementType(op.getResult())),
                            b.getBlockName());
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  Number number;
};

struct DynFullToLinalg : OpConversionPattern<DynFullOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynFullOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<SmallVector<OpFoldResult>> sizes =
        readShape(rewriter, b, op, adaptor.getShapeValue());
    if (failed(sizes))
      return failure();
    Value result = buildFull(b, adaptor.getFillValue(), *sizes,
                             getElementType(op.getFillValue()),
                             getElementType(op.getResult()));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }
};

struct FullLikeToLinalg : OpConversionPattern<FullLikeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(FullLikeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(op, buildFull(b, adaptor.getFillValue(),
                                     b.getSizes(adaptor.getData()),
                                     getElementType(op.getFillValue()),
                                     getElementType(op.getData())));
    return success();
  }
};

/// start + i * step
struct ArangeToLinalg : OpConversionPattern<ArangeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ArangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type elementType = type.getElementType();
    Type wideType = getAccumulatorType(elementType);
    LinalgBuilder b(rewriter, op);
    OpFoldResult size = b.getIndexAttr(type.getDimSize(0));
    if (type.isDynamicDim(0)) {
      FailureOr<OpFoldResult> count = failure();
      if (isa<IntegerType>(elementType))
        count = buildIntegerCount(rewriter, b, op, adaptor);
      size = succeeded(count) ? *count : buildCount(b, elementType, adaptor);
    }
    AffineMap scalar = b.map(1, {});
    Value result = b.elements(
        b.getBlockName(),
        {{adaptor.getStart(), scalar}, {adaptor.getStep(), scalar}}, size,
        getSignless(elementType),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          ElementMath math(bodyBuilder, wideType);
          Value position =
              arith::IndexCastOp::create(bodyBuilder, bodyBuilder.getI64Type(),
                                         emitLoopIndex(bodyBuilder, 0));
          position = math.convertFrom(bodyBuilder.getI64Type(), position);
          Value start = math.convertFrom(elementType, args[0]);
          Value step = math.convertFrom(elementType, args[1]);
          Value element = math.add(start, math.mul(position, step));
          return ElementMath(bodyBuilder, elementType)
              .convertFrom(wideType, element);
        });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// The same as buildIntegerCount with a step that is a size.
  static OpFoldResult buildOpenCount(LinalgBuilder &b, OpFoldResult start,
                                     OpFoldResult stop, OpFoldResult step) {
    Value stride = b.toValue(step);
    Value opposite = arith::SubIOp::create(b, b.indexValue(0), stride);
    b.assertAtLeast(arith::MaxSIOp::create(b, stride, opposite).getResult(), 1,
                    "expects a step other than 0");
    // The check may come after what would divide by 0.
    Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stride,
                                         b.indexValue(0));
    stride = arith::SelectOp::create(b, isZero, b.indexValue(1), stride);
    Value below = b.toValue(b.apply(b.dim(0) - b.dim(1), {start, stop}));
    Value count = arith::FloorDivSIOp::create(b, below, stride);
    count = arith::SubIOp::create(b, b.indexValue(0), count);
    return arith::MaxSIOp::create(b, count, b.indexValue(0)).getResult();
  }

  /// max(ceil((stop - start) / step), 0), computed in f64 like NumPy does.
  static OpFoldResult buildCount(LinalgBuilder &b, Type elementType,
                                 OpAdaptor adaptor) {
    Type f64 = b.getF64Type();
    ElementMath math(b, f64);
    auto get = [&](Value tensor) {
      return math.convertFrom(elementType, emitExtract(b, tensor, {}));
    };
    Value start = get(adaptor.getStart());
    Value span = math.sub(get(adaptor.getStop()), start);
    Value count = math.div(span, get(adaptor.getStep()));
    // Truncation and a correction are ceil without a math operation.
    Type i64 = b.getI64Type();
    ElementMath integer(b, i64);
    Value truncated = integer.convertFrom(f64, count);
    Value isBelow = math.compare(ElementMath::Order::LT,
                                 math.convertFrom(i64, truncated), count);
    Value rounded = integer.select(
        isBelow, integer.add(truncated, integer.one()), truncated);
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      integer.max(rounded, integer.zero()))
        .getResult();
  }

  /// The same for integers that follow from constants and sizes.
  static FailureOr<OpFoldResult>
  buildIntegerCount(ConversionPatternRewriter &rewriter, LinalgBuilder &b,
                    ArangeOp op, OpAdaptor adaptor) {
    SizeReader reader(rewriter, b, op);
    FailureOr<OpFoldResult> start =
        reader.readSingle(adaptor.getStart(), "start");
    FailureOr<OpFoldResult> stop = reader.readSingle(adaptor.getStop(), "stop");
    FailureOr<OpFoldResult> step = reader.readSingle(adaptor.getStep(), "step");
    if (failed(start) || failed(stop) || failed(step))
      return failure();
    std::optional<int64_t> stride = getConstantIntValue(*step);
    if (!stride)
      return buildOpenCount(b, *start, *stop, *step);
    if (*stride == 0 || *stride == ShapedType::kDynamic)
      return rewriter.notifyMatchFailure(
          op, "expects step to be a constant other than 0");
    AffineExpr length = *stride > 0 ? b.dim(1) - b.dim(0) : b.dim(0) - b.dim(1);
    OpFoldResult span =
        b.apply(length.ceilDiv(std::abs(*stride)), {*start, *stop});
    if (std::optional<int64_t> known = getConstantIntValue(span))
      return OpFoldResult(b.getIndexAttr(std::max<int64_t>(*known, 0)));
    return OpFoldResult(
        arith::MaxSIOp::create(b, b.toValue(span), b.indexValue(0))
            .getResult());
  }
};

struct OneHotToLinalg : OpConversionPattern<OneHotOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(OneHotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    rewriter.replaceOp(
        op, buildOneHot(b, op, adaptor, b.getIndexAttr(op.getDepth())));
    return success();
  }
};

struct DynOneHotToLinalg : OpConversionPattern<DynOneHotOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(DynOneHotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    FailureOr<OpFoldResult> depth =
        SizeReader(rewriter, b, op)
            .readSingle(adaptor.getDepthValue(), "depth");
    if (failed(depth))
      return failure();
    rewriter.replaceOp(op, b.castTo(buildOneHot(b, op, adaptor, *depth), type));
    return success();
  }
};

/// The sizes of the data, each selected at its position.
struct ShapeOfToLinalg : OpConversionPattern<ShapeOfOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ShapeOfOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
    Value result = b.elements(
        b.getBlockName(), {},
        getAsIndexOpFoldResult(b.getContext(), type.getShape()),
        type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
          Value size = arith::ConstantIndexOp::create(bodyBuilder, 1);
          if (type.getRank() == 0)
            sizes.clear();
          for (auto [axis, extent] : llvm::enumerate(sizes)) {
            Value isAxis = arith::CmpIOp::create(
                bodyBuilder, arith::CmpIPredicate::eq,
                emitLoopIndex(bodyBuilder, 0),
                arith::ConstantIndexOp::create(bodyBuilder, axis));
            size = arith::SelectOp::create(
                bodyBuilder, isAxis, emitIndex(bodyBuilder, extent), size);
          }
          return arith::IndexCastOp::create(bodyBuilder, type.getElementType(),
                                            size)
              .getResult();
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct NdarraySizeToLinalg : OpConversionPattern<NdarraySizeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NdarraySizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    OpFoldResult count = b.getIndexAttr(1);
    for (OpFoldResult size : b.getSizes(adaptor.getData()))
      count = b.multiply(count, size);
    Value result = b.elements(
        b.getBlockName(), {}, {}, type.getElementType(),
        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
          return arith::IndexCastOp::create(bodyBuilder, type.getElementType(),
                                            emitIndex(bodyBuilder, count))
              .getResult();
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Keeps what is not below (upper) or not above (lower) the diagonal
/// column - row = k.
struct TriluToLinalg : OpConversionPattern<TriluOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TriluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
    Type elementType = getElementType(data);
    Type diagonalType = getElementType(op.getK());
    bool upper = op.getUpper();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    Value result = b.elements(
        b.getBlockName(),
        {{data, b.identity(rank)}, {adaptor.getK(), b.map(rank, {})}}, sizes,
        elementType, [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
          Value offset = arith::SubIOp::create(
              bodyBuilder, emitLoopIndex(bodyBuilder, rank - 1),
              emitLoopIndex(bodyBuilder, rank - 2));
          // Further out, nothing changes but the width of the comparison.
          Value diagonal = arith::MinSIOp::create(
              bodyBuilder, emitToIndex(bodyBuilder, diagonalType, args[1]),
              emitIndex(bodyBuilder, sizes[rank - 1]));
          diagonal = arith::MaxSIOp::create(
              bodyBuilder, diagonal,
              arith::SubIOp::create(
                  bodyBuilder, arith::ConstantIndexOp::create(bodyBuilder, 0),
                  emitIndex(bodyBuilder, sizes[rank - 2])));
          Value keeps = arith::CmpIOp::create(bodyBuilder,
                                              upper ? arith::CmpIPredicate::sge
                                                    : arith::CmpIPredicate::sle,
                                              offset, diagonal);
          ElementMath math(bodyBuilder, elementType);
          return math.select(keeps, args[0], math.zero());
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateCreationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<NumberToLinalg<ZerosOp>>(converter, context, getZeroAttr);
  patterns.add<NumberToLinalg<OnesOp>>(converter, context, getOneAttr);
  patterns.add<NumberLikeToLinalg<ZerosLikeOp>>(converter, context,
                                                getZeroAttr);
  patterns.add<NumberLikeToLinalg<OnesLikeOp>>(converter, context, getOneAttr);
  patterns.add<DynNumberToLinalg<DynZerosOp>>(converter, context, getZeroAttr);
  patterns.add<DynNumberToLinalg<DynOnesOp>>(converter, context, getOneAttr);
  patterns.add<ArangeToLinalg, DynFullToLinalg, DynOneHotToLinalg,
               FullLikeToLinalg, FullToLinalg, NdarraySizeToLinalg,
               OneHotToLinalg, ShapeOfToLinalg, TriluToLinalg>(converter,
                                                               context);
}
