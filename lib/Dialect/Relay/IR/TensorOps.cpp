//===- TensorOps.cpp - Operators that make and move elements --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"
#include "ShapeUtils.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::inferCreate(std::optional<Location> location,
                                         ArrayRef<int64_t> shape, Type dtype,
                                         SmallVectorImpl<Type> &types) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitOptionalError(
        location, "expects sizes not to be negative, but got [", shape, "]");
  types.push_back(RankedTensorType::get(shape, dtype));
  return success();
}

LogicalResult FullOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferCreate(location, adaptor.getShape(),
                     adaptor.getDtype()
                         ? *adaptor.getDtype()
                         : tensorType(adaptor.getFillValue()).getElementType(),
                     types);
}

/// Returns the value of a constant scalar.
static std::optional<double> getConstant(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (auto type = dyn_cast<IntegerType>(elements.getElementType())) {
    APInt number = elements.getSplatValue<APInt>();
    return type.isUnsigned() ? number.roundToDouble(false)
                             : number.signedRoundToDouble();
  }
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<FloatAttr>().getValueAsDouble();
  return std::nullopt;
}

LogicalResult ArangeOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  for (Value bound : {adaptor.getStart(), adaptor.getStop(), adaptor.getStep()})
    if (tensorType(bound).getElementType() != adaptor.getDtype())
      return emitOptionalError(location,
                               "expects start, stop and step of type ",
                               RankedTensorType::get({}, adaptor.getDtype()),
                               ", but got ", bound.getType());
  std::optional<double> start = getConstant(adaptor.getStart()),
                        stop = getConstant(adaptor.getStop()),
                        step = getConstant(adaptor.getStep());
  if (step && *step == 0)
    return emitOptionalError(location, "expects step not to be zero");
  int64_t size = ShapedType::kDynamic;
  if (start && stop && step) {
    double count = std::ceil((*stop - *start) / *step);
    if (std::isnan(count) || count > static_cast<double>(kMaxTensorBytes))
      return emitOptionalError(location,
                               "expects start, stop and step of a "
                               "range that ends, but got ",
                               *start, ", ", *stop, " and ", *step);
    size = count > 0 ? static_cast<int64_t>(count) : 0;
  }
  types.push_back(RankedTensorType::get({size}, adaptor.getDtype()));
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType indices = tensorType(adaptor.getIndices());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), indices.getRank() + 1);
  if (failed(axis))
    return failure();
  if (adaptor.getOnValue().getType() != adaptor.getOffValue().getType())
    return emitOptionalError(
        location, "expects on_value and off_value of the same type, but got ",
        adaptor.getOnValue().getType(), " and ",
        adaptor.getOffValue().getType());
  if (adaptor.getDepth() < 0)
    return emitOptionalError(location,
                             "expects depth not to be negative, but got ",
                             adaptor.getDepth());
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + *axis, adaptor.getDepth());
  types.push_back(RankedTensorType::get(
      shape, adaptor.getDtype()
                 ? *adaptor.getDtype()
                 : tensorType(adaptor.getOnValue()).getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getAxes(std::optional<ArrayRef<int64_t>> axes,
                                    int64_t rank) {
  if (!axes)
    return llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  SmallVector<int64_t> result(*axes);
  for (int64_t &axis : result)
    axis = axis < 0 ? axis + rank : axis;
  return result;
}

SmallVector<int64_t> TransposeOp::getPermutation() {
  return ::getAxes(getAxes(), getData().getType().getRank());
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  SmallVector<int64_t> axes = ::getAxes(adaptor.getAxes(), data.getRank());
  if (static_cast<int64_t>(axes.size()) != data.getRank() ||
      !isPermutationVector(axes))
    return emitOptionalError(location, "expects axes to be a permutation of ",
                             data.getRank(), " dimensions, but got [",
                             adaptor.getAxes().value_or(axes), "]");
  types.push_back(data.clone(applyPermutation(data.getShape(), axes)));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (isIdentityPermutation(getPermutation()) &&
      getType() == getData().getType())
    return getData();
  return {};
}

namespace {
/// transpose(transpose(x)) is one transpose.
struct CombineTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "data is not a transpose");
    SmallVector<int64_t> axes =
        applyPermutation(inner.getPermutation(), op.getPermutation());
    rewriter.replaceOpWithNewOp<TransposeOp>(
        op, op.getType(), inner.getData(), rewriter.getDenseI64ArrayAttr(axes));
    return success();
  }
};

/// reshape(reshape(x)) is one reshape, if the result's type says it all.
struct CombineReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getData().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "data is not a reshape");
    if (!op.getType().hasStaticShape() || op.getType().getNumElements() == 0)
      return rewriter.notifyMatchFailure(op, "the shape is not static");
    rewriter.replaceOpWithNewOp<ReshapeOp>(
        op, op.getType(), inner.getData(),
        rewriter.getDenseI64ArrayAttr(op.getType().getShape()),
        rewriter.getBoolAttr(false));
    return success();
  }
};
} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<CombineTransposes>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<CombineReshapes>(context);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getType() != getData().getType())
    return {};
  // The number of elements leaves one unknown size no choice.
  int64_t others = 1;
  for (int64_t size : getType().getShape())
    if (!ShapedType::isDynamic(size))
      others = saturatingMultiply(others, size);
  bool followsFromCount = getType().hasStaticShape() ||
                          (getType().getNumDynamicDims() == 1 && others != 0);
  bool copiesSizes =
      !getAllowzero() &&
      llvm::equal(getNewshape(), SmallVector<int64_t>(getType().getRank(), 0));
  if (followsFromCount || copiesSizes)
    return getData();
  return {};
}

//===----------------------------------------------------------------------===//
// LayoutTransformOp
//===----------------------------------------------------------------------===//

LogicalResult LayoutTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<Layout> src = Layout::parse(adaptor.getSrcLayout());
  FailureOr<Layout> dst = Layout::parse(adaptor.getDstLayout());
  if (failed(src) || failed(dst))
    return emitOptionalError(
        location, "expects layouts such as \"NCHW16c\", but got \"",
        adaptor.getSrcLayout(), "\" and \"", adaptor.getDstLayout(), "\"");
  if (src->getRank() != data.getRank())
    return emitOptionalError(location, "expects data of rank ", src->getRank(),
                             " for src_layout \"", adaptor.getSrcLayout(),
                             "\", but got ", data);
  if (!src->hasSameAxes(*dst))
    return emitOptionalError(location, "expects the axes of src_layout \"",
                             adaptor.getSrcLayout(), "\", but got \"",
                             adaptor.getDstLayout(), "\"");
  SmallVector<int64_t> shape;
  for (LayoutAxis axis : dst->getAxes()) {
    if (axis.isInner()) {
      shape.push_back(axis.factor);
      continue;
    }
    int64_t size = 1; // Of the whole axis.
    for (auto [part, partSize] :
         llvm::zip_equal(src->getAxes(), data.getShape()))
      if (part.getPrimal() == axis.letter)
        size = isDynamic(size) || isDynamic(partSize)
                   ? ShapedType::kDynamic
                   : saturatingMultiply(size, partSize);
    int64_t inner = dst->getFactor(axis.letter);
    if (!isDynamic(size) && size % inner != 0)
      return emitOptionalError(
          location, "expects the size of axis ", StringRef(&axis.letter, 1),
          " to be divisible by ", inner, ", but got ", size);
    shape.push_back(isDynamic(size) ? size : size / inner);
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult relay::detail::checkTrilu(std::optional<Location> location,
                                        Value data, Value k) {
  if (tensorType(data).getRank() < 2)
    return emitOptionalError(
        location, "expects data of rank 2 or more, but got ", data.getType());
  if (!isa<IntegerType>(tensorType(k).getElementType()))
    return emitOptionalError(location, "expects an integer k, but got ",
                             k.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Joining and splitting
//===----------------------------------------------------------------------===//

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  if (adaptor.getData().empty())
    return emitOptionalError(location, "expects one tensor or more");
  FailureOr<RankedTensorType> type = shapes::inferConcatenation(
      location, adaptor.getData().getTypes(), adaptor.getAxis());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult StackOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (adaptor.getData().empty())
    return emitOptionalError(location, "expects one tensor or more");
  RankedTensorType first = tensorType(adaptor.getData().front());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), first.getRank() + 1);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  for (Value value : adaptor.getData().drop_front()) {
    RankedTensorType type = tensorType(value);
    if (!areTypesCompatible(Type(type), Type(first)))
      return emitOptionalError(location,
                               "expects tensors of the same type, but got ",
                               first, " and ", type);
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (isDynamic(shape[i]))
        shape[i] = type.getDimSize(i);
  }
  shape.insert(shape.begin() + *axis, adaptor.getData().size());
  types.push_back(first.clone(shape));
  return success();
}

/// Fields at most of a tuple whose number is an attribute, which takes a few
/// bytes.
static constexpr int64_t kMaxSections = 1 << 16;

LogicalResult SplitOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  int64_t size = data.getDimSize(*axis);
  SmallVector<int64_t> sizes;
  if (auto sections = dyn_cast<IntegerAttr>(adaptor.getIndicesOrSections())) {
    int64_t count = sections.getInt();
    if (count < 1 || (!isDynamic(size) && size % count != 0))
      return emitOptionalError(location,
                               "expects a number of sections that "
                               "divides ",
                               size, ", but got ", count);
    if (count > kMaxSections)
      return emitOptionalError(location, "expects at most ", kMaxSections,
                               " sections, but got ", count);
    sizes.assign(count, isDynamic(size) ? size : size / count);
  } else {
    int64_t last = 0;
    ArrayRef<int64_t> indices =
        cast<DenseI64ArrayAttr>(adaptor.getIndicesOrSections()).asArrayRef();
    for (int64_t index : indices) {
      if (index < last || (!isDynamic(size) && index > size))
        return emitOptionalError(location, "expects increasing indices up to ",
                                 size, ", but got [", indices, "]");
      sizes.push_back(index - last);
      last = index;
    }
    sizes.push_back(isDynamic(size) ? size : size - last);
  }
  SmallVector<Type> fields;
  for (int64_t part : sizes) {
    SmallVector<int64_t> shape(data.getShape());
    shape[*axis] = part;
    fields.push_back(data.clone(shape));
  }
  types.push_back(TupleType::get(context, fields));
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks of pixels
//===----------------------------------------------------------------------===//

static LogicalResult inferBlocks(std::optional<Location> location,
                                 RankedTensorType data, int64_t block,
                                 StringRef layout, StringRef mode,
                                 bool depthToSpace,
                                 SmallVectorImpl<Type> &types) {
  if (failed(checkMode(location, "layout", layout, {"NCHW", "NHWC"})) ||
      failed(checkMode(location, "mode", mode, {"DCR", "CDR"})))
    return failure();
  if (data.getRank() != 4 || block < 1)
    return emitOptionalError(location,
                             "expects data of rank 4 and a positive "
                             "block_size, but got ",
                             data, " and ", block);
  SmallVector<int64_t> shape(data.getShape());
  size_t channel = layout.find('C'), height = layout.find('H'),
         width = layout.find('W');
  auto divide = [&](size_t dim, int64_t by) -> LogicalResult {
    if (isDynamic(shape[dim]))
      return success();
    if (shape[dim] % by != 0)
      return emitOptionalError(location, "expects dimension ", dim,
                               " divisible by ", by, ", but got ", data);
    shape[dim] /= by;
    return success();
  };
  auto multiply = [&](size_t dim, int64_t by) {
    if (!isDynamic(shape[dim]))
      shape[dim] = saturatingMultiply(shape[dim], by);
  };
  if (depthToSpace) {
    if (failed(divide(channel, saturatingMultiply(block, block))))
      return failure();
    multiply(height, block);
    multiply(width, block);
  } else {
    if (failed(divide(height, block)) || failed(divide(width, block)))
      return failure();
    multiply(channel, saturatingMultiply(block, block));
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNDepthToSpaceOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferBlocks(location, tensorType(adaptor.getData()),
                     adaptor.getBlockSize(), adaptor.getLayout(),
                     adaptor.getMode(), /*depthToSpace=*/true, types);
}

LogicalResult NNSpaceToDepthOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferBlocks(location, tensorType(adaptor.getData()),
                     adaptor.getBlockSize(), adaptor.getLayout(),
                     adaptor.getMode(), /*depthToSpace=*/false, types);
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.cpp.inc"
