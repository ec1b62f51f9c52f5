//===- Convolution.cpp - Lower convolutions to linalg ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is padding and one nest: (n, o, y, x, c, kh, kw), with groups
// (n, g, o, y, x, c, kh, kw), and depthwise (n, c, y, x, kh, kw). A transposed
// one gathers: its data is spread by the stride, padded, and convolved with the
// mirrored kernel.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// The dimensions of a convolution's tensors by role.
struct ConvolutionAxes {
  /// Batch, channel, then spatial.
  SmallVector<int64_t> data, result;
  /// Output channel, input channel, then spatial.
  SmallVector<int64_t> weight;

  static FailureOr<ConvolutionAxes> get(int64_t spatialRank, StringRef data,
                                        StringRef weight, StringRef result);
};

FailureOr<ConvolutionAxes> ConvolutionAxes::get(int64_t spatialRank,
                                                StringRef data,
                                                StringRef weight,
                                                StringRef result) {
  StringRef dataLetters = getDataLetters(spatialRank);
  std::string weightLetters = ("OI" + dataLetters.drop_front(2)).str();
  FailureOr<SmallVector<int64_t>> dataAxes =
      getAxisPositions(data, dataLetters);
  FailureOr<SmallVector<int64_t>> weightAxes =
      getAxisPositions(weight, weightLetters);
  FailureOr<SmallVector<int64_t>> resultAxes =
      getAxisPositions(result.empty() ? data : result, dataLetters);
  if (failed(dataAxes) || failed(weightAxes) || failed(resultAxes))
    return failure();
  return ConvolutionAxes{*dataAxes, *resultAxes, *weightAxes};
}

/// The loops of a convolution and how its tensors are indexed by them.
class ConvolutionNest {
public:
  ConvolutionNest(LinalgBuilder &b, const ConvolutionAxes &axes, Value data,
                  Value weight, int64_t groups, bool isTransposed)
      : b(b), axes(axes), data(data), weight(weight), groups(groups),
        spatialRank(axes.data.size() - 2), isTransposed(isTransposed) {
    if (groups > 1) {
      channels = getStatic(data, axes.data[1]) / groups;
      int64_t weightO = getStatic(weight, axes.weight[0]);
      int64_t weightI = getStatic(weight, axes.weight[1]);
      // Kernels (C, M, ...) of a depthwise convolution with M results per
      // channel are those of (C * M, 1, ...) in the same order.
      isMultiplier =
          !isTransposed && channels == 1 && weightO == groups && weightI > 1;
      outputs = isTransposed   ? getStatic(weight, axes.weight[1])
                : isMultiplier ? weightI
                               : weightO / groups;
    }
    isDepthwise = groups > 1 && channels == 1 && outputs == 1;
    assignLoops();
  }

  /// Channels of the result.
  OpFoldResult getResultChannels() {
    if (groups > 1)
      return b.getIndexAttr(groups * outputs);
    return b.getSize(weight, axes.weight[isTransposed ? 1 : 0]);
  }

  /// Builds the nest over padded data. `window` has strides and dilation;
  /// `offset` is added to every position in the data. `mirror`, if given, has
  /// the extents of a kernel that is to be read backwards.
  Value build(Type dataElement, Type weightElement, Type resultElement,
              ArrayRef<OpFoldResult> resultSizes, const Window &window,
              ArrayRef<int64_t> offset, ArrayRef<int64_t> mirror);

private:
  static int64_t getStatic(Value tensor, int64_t dim) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  }

  void assignLoops() {
    n = b.dim(loops++);
    if (groups > 1)
      g = b.dim(loops++);
    if (!isDepthwise)
      o = b.dim(loops++);
    for (int64_t axis = 0; axis < spatialRank; ++axis)
      output.push_back(b.dim(loops++));
    parallel = loops;
    if (groups == 1 || channels > 1)
      c = b.dim(loops++);
    for (int64_t axis = 0; axis < spatialRank; ++axis)
      kernel.push_back(b.dim(loops++));
  }

  AffineExpr getDataChannel() {
    AffineExpr within = c ? c : b.constant(0);
    return groups > 1 ? g * channels + within : within;
  }
  AffineExpr getOutputChannel() {
    AffineExpr within = o ? o : b.constant(0);
    return groups > 1 ? g * outputs + within : within;
  }
  Factor getWeight(Type elementType);

  LinalgBuilder &b;
  const ConvolutionAxes &axes;
  Value data, weight;
  int64_t groups, spatialRank;
  bool isTransposed;
  /// Per group.
  int64_t channels = 0, outputs = 0;
  bool isMultiplier = false, isDepthwise = false;
  int64_t loops = 0, parallel = 0;
  AffineExpr n, g, o, c;
  SmallVector<AffineExpr> output, kernel;
};

Factor ConvolutionNest::getWeight(Type elementType) {
  SmallVector<AffineExpr> exprs(spatialRank + 2);
  AffineExpr zero = b.constant(0);
  for (int64_t axis = 0; axis < spatialRank; ++axis)
    exprs[axes.weight[2 + axis]] = kernel[axis];
  if (!isTransposed) {
    exprs[axes.weight[0]] = isMultiplier ? g : getOutputChannel();
    exprs[axes.weight[1]] = isMultiplier ? o : c ? c : zero;
    return {weight, b.map(loops, exprs), elementType};
  }
  // The O letter stands for the channels of the data here, as in the
  // convolution whose gradient this is.
  int64_t channelAxis = axes.weight[0];
  exprs[axes.weight[1]] = o ? o : zero;
  if (groups == 1 || !c) {
    exprs[channelAxis] = groups == 1 ? c : g;
    return {weight, b.map(loops, exprs), elementType};
  }
  // Groups become a dimension of the weight: no other operand has the loop over
  // the channels alone.
  exprs[channelAxis] = g;
  exprs.insert(exprs.begin() + channelAxis + 1, c);
  SmallVector<OpFoldResult> sizes = b.getSizes(weight);
  sizes[channelAxis] = b.getIndexAttr(groups);
  sizes.insert(sizes.begin() + channelAxis + 1, b.getIndexAttr(channels));
  return {buildReshape(b, weight, sizes), b.map(loops, exprs), elementType};
}

Value ConvolutionNest::build(Type dataElement, Type weightElement,
                             Type resultElement,
                             ArrayRef<OpFoldResult> resultSizes,
                             const Window &window, ArrayRef<int64_t> offset,
                             ArrayRef<int64_t> mirror) {
  SmallVector<AffineExpr> dataExprs(spatialRank + 2);
  dataExprs[axes.data[0]] = n;
  dataExprs[axes.data[1]] = getDataChannel();
  for (int64_t axis = 0; axis < spatialRank; ++axis) {
    AffineExpr position =
        mirror.empty() ? kernel[axis] : mirror[axis] - 1 - kernel[axis];
    dataExprs[axes.data[2 + axis]] = output[axis] * window.strides[axis] +
                                     position * window.dilation[axis] +
                                     offset[axis];
  }

  // Groups and the channels within are dimensions of their own.
  int64_t channelAxis = axes.result[1];
  bool isSplit = groups > 1 && !isDepthwise;
  SmallVector<AffineExpr> resultExprs(spatialRank + 2);
  resultExprs[axes.result[0]] = n;
  resultExprs[channelAxis] = groups > 1 ? g : o;
  for (int64_t axis = 0; axis < spatialRank; ++axis)
    resultExprs[axes.result[2 + axis]] = output[axis];
  SmallVector<OpFoldResult> sizes(resultSizes);
  if (isSplit) {
    resultExprs.insert(resultExprs.begin() + channelAxis + 1, o);
    sizes[channelAxis] = b.getIndexAttr(groups);
    sizes.insert(sizes.begin() + channelAxis + 1, b.getIndexAttr(outputs));
  }
  Value result = buildContraction(
      b, {data, b.map(loops, dataExprs), dataElement}, getWeight(weightElement),
      sizes, b.map(loops, resultExprs),
      getIterators(parallel, loops - parallel), resultElement);
  if (!isSplit)
    return result;
  SmallVector<ReassociationIndices> merged;
  for (int64_t axis = 0, next = 0; axis < spatialRank + 2; ++axis) {
    merged.push_back({next++});
    if (axis == channelAxis)
      merged.back().push_back(next++);
  }
  return tensor::CollapseShapeOp::create(b, result, merged);
}

/// True if groups have channel counts the nest can be built for.
static bool hasStaticGroups(const ConvolutionAxes &axes, Value data,
                            Value weight, int64_t groups) {
  if (groups == 1)
    return true;
  auto dataType = cast<RankedTensorType>(data.getType());
  auto weightType = cast<RankedTensorType>(weight.getType());
  return !dataType.isDynamicDim(axes.data[1]) &&
         !weightType.isDynamicDim(axes.weight[0]) &&
         !weightType.isDynamicDim(axes.weight[1]);
}

template <typename OpT>
struct ConvolutionToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), weight = adaptor.getWeight();
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    // Layouts may have more dimensions than axes.
    auto spatialRank = static_cast<int64_t>(op.getStrides().size());
    FailureOr<ConvolutionAxes> axes =
        ConvolutionAxes::get(spatialRank, op.getDataLayout(),
                             op.getKernelLayout(), op.getOutLayout());
    if (failed(axes))
      return rewriter.notifyMatchFailure(
          op, "expects layouts that only permute the axes, but got data \"" +
                  op.getDataLayout() + "\", kernel \"" + op.getKernelLayout() +
                  "\" and result \"" + op.getOutLayout() + "\"");
    int64_t groups = op.getGroups();
    if (!hasStaticGroups(*axes, data, weight, groups))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a number of channels that is known when it is "
                      "compiled for a convolution in groups, but got "
                   << dataType << " and " << weightType;
      });

    LinalgBuilder b(rewriter, op);
    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    ArrayRef<int64_t> spatial = ArrayRef(axes->data).drop_front(2);
    ConvolutionNest shape(b, *axes, data, weight, groups,
                          /*isTransposed=*/false);
    SmallVector<OpFoldResult> sizes(resultType.getRank());
    sizes[axes->result[0]] = b.getSize(data, axes->data[0]);
    sizes[axes->result[1]] = shape.getResultChannels();
    for (int64_t axis = 0; axis < spatialRank; ++axis)
      sizes[axes->result[2 + axis]] =
          getWindowCount(b, window, axis, b.getSize(data, spatial[axis]),
                         b.getSize(weight, axes->weight[2 + axis]));
    sizes = LinalgBuilder::refine(sizes, resultType);

    Value padded =
        padAxes(b, data, spatial,
                getAsIndexOpFoldResult(b.getContext(), window.padBefore),
                getAsIndexOpFoldResult(b.getContext(), window.padAfter),
                getZeroAttr(dataType.getElementType()));
    ConvolutionNest nest(b, *axes, padded, weight, groups,
                         /*isTransposed=*/false);
    SmallVector<int64_t> offset(spatialRank, 0);
    Value result = nest.build(
        dataType.getElementType(), weightType.getElementType(),
        resultType.getElementType(), sizes, window, offset, /*mirror=*/{});
    rewriter.replaceOp(
        op,
        b.castTo(result, this->getTypeConverter()->convertType(resultType)));
    return success();
  }
};

/// Spreads the dimensions `axes` of `data`: between neighbours come
/// `strides - 1` elements equal to `value`.
static Value buildDilate(LinalgBuilder &b, Value data, ArrayRef<int64_t> axes,
                         ArrayRef<int64_t> strides, TypedAttr value) {
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return data;
  auto type = cast<RankedTensorType>(data.getType());
  SmallVector<OpFoldResult> sizes = b.getSizes(data);
  SmallVector<AffineExpr> exprs;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    exprs.push_back(b.dim(axis));
  for (auto [axis, stride] : llvm::zip_equal(axes, strides)) {
    sizes[axis] = b.apply((b.dim(0) - 1) * stride + 1, sizes[axis]);
    exprs[axis] = b.dim(axis).floorDiv(stride);
  }
  return b.elements(
      "dilate", {{data, b.map(type.getRank(), exprs)}}, sizes,
      type.getElementType(),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        ElementMath index(bodyBuilder, bodyBuilder.getIndexType());
        Value isElement;
        for (auto [axis, stride] : llvm::zip_equal(axes, strides)) {
          if (stride == 1)
            continue;
          Value step = arith::ConstantIndexOp::create(bodyBuilder, stride);
          Value zero = arith::ConstantIndexOp::create(bodyBuilder, 0);
          Value rest = arith::RemUIOp::create(
              bodyBuilder, emitLoopIndex(bodyBuilder, axis), step);
          Value isHere = arith::CmpIOp::create(
              bodyBuilder, arith::CmpIPredicate::eq, rest, zero);
          isElement =
              isElement ? arith::AndIOp::create(bodyBuilder, isElement, isHere)
                        : isHere;
        }
        Value filling = arith::ConstantOp::create(bodyBuilder, value);
        return arith::SelectOp::create(bodyBuilder, isElement, args[0],
                                       filling);
      });
}

/// The windows of a transposed convolution: over spread data, which is padded
/// as far as the kernel reaches, less the padding of the result.
struct MirroredWindow {
  MirroredWindow(LinalgBuilder &b, const Window &window,
                 ArrayRef<int64_t> kernel, ArrayRef<int64_t> outputPadding)
      : window(window) {
    for (int64_t axis = 0; axis < window.getRank(); ++axis) {
      reach.push_back((kernel[axis] - 1) * window.dilation[axis]);
      extra.push_back(outputPadding[axis]);
      // Padding that would be negative moves the windows, or is not read.
      int64_t low = reach[axis] - window.padBefore[axis];
      int64_t high = reach[axis] - window.padAfter[axis] + extra[axis];
      before.push_back(b.getIndexAttr(std::max<int64_t>(low, 0)));
      after.push_back(b.getIndexAttr(std::max<int64_t>(high, 0)));
      offset.push_back(std::max<int64_t>(-low, 0));
    }
  }

  OpFoldResult getResultSize(LinalgBuilder &b, int64_t axis,
                             OpFoldResult size) const {
    int64_t pads = window.padBefore[axis] + window.padAfter[axis];
    AffineExpr spread = (b.dim(0) - 1) * window.strides[axis] + 1;
    OpFoldResult result =
        b.apply(spread + reach[axis] - pads + extra[axis], size);
    b.assertAtLeast(result, 1, "expects padding that leaves a result");
    return result;
  }

  const Window &window;
  SmallVector<int64_t> reach, extra, offset;
  SmallVector<OpFoldResult> before, after;
};

/// Whether each element of the data has results of its own: as many as the
/// kernel has elements, next to each other.
static bool isSeparate(const MirroredWindow &mirrored) {
  const Window &window = mirrored.window;
  auto isZero = [](int64_t value) { return value == 0; };
  for (int64_t axis = 0; axis < window.getRank(); ++axis)
    if (mirrored.reach[axis] != window.strides[axis] - 1 ||
        (window.dilation[axis] != 1 && mirrored.reach[axis] != 0))
      return false;
  return llvm::all_of(window.padBefore, isZero) &&
         llvm::all_of(window.padAfter, isZero) &&
         llvm::all_of(mirrored.extra, isZero);
}

/// One product of the data and the kernel. Elements of the kernel are
/// dimensions of the result behind those of the data, and merge with them.
static Value buildSeparate(LinalgBuilder &b, const ConvolutionAxes &axes,
                           Factor data, Factor weight, ArrayRef<int64_t> kernel,
                           Type resultElement) {
  int64_t rank = axes.data.size(), loops = 0;
  SmallVector<int64_t> letters(rank);
  for (auto [letter, axis] : llvm::enumerate(axes.result))
    letters[axis] = letter;
  SmallVector<AffineExpr> dataExprs(rank), weightExprs(rank), resultExprs;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> merged;
  // Loops in the order of the result.
  auto addLoop = [&](OpFoldResult size) {
    sizes.push_back(size);
    merged.back().push_back(loops);
    resultExprs.push_back(b.dim(loops));
    return b.dim(loops++);
  };
  for (int64_t letter : letters) {
    merged.emplace_back();
    if (letter == 1) {
      int64_t axis = axes.weight[1];
      weightExprs[axis] = addLoop(b.getSize(weight.tensor, axis));
      continue;
    }
    int64_t axis = axes.data[letter];
    dataExprs[axis] = addLoop(b.getSize(data.tensor, axis));
    if (letter > 1)
      weightExprs[axes.weight[letter]] =
          addLoop(b.getIndexAttr(kernel[letter - 2]));
  }

  AffineExpr channel = b.dim(loops);
  dataExprs[axes.data[1]] = weightExprs[axes.weight[0]] = channel;
  data.map = b.map(loops + 1, dataExprs);
  weight.map = b.map(loops + 1, weightExprs);
  Value result =
      buildContraction(b, data, weight, sizes, b.map(loops + 1, resultExprs),
                       getIterators(loops, 1), resultElement);
  return tensor::CollapseShapeOp::create(b, result, merged);
}

template <typename OpT>
struct TransposedConvolutionToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData(), weight = adaptor.getWeight();
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    // Layouts may have more dimensions than axes.
    auto spatialRank = static_cast<int64_t>(op.getStrides().size());
    // IOHW names the channels of the data I: the first role of the weight.
    std::string kernelLayout = op.getKernelLayout().str();
    for (char &letter : kernelLayout)
      letter = letter == 'I' ? 'O' : letter == 'O' ? 'I' : letter;
    FailureOr<ConvolutionAxes> axes = ConvolutionAxes::get(
        spatialRank, op.getDataLayout(), kernelLayout, op.getOutLayout());
    if (failed(axes))
      return rewriter.notifyMatchFailure(
          op, "expects layouts that only permute the axes, but got data \"" +
                  op.getDataLayout() + "\", kernel \"" + op.getKernelLayout() +
                  "\" and result \"" + op.getOutLayout() + "\"");
    int64_t groups = op.getGroups();
    SmallVector<int64_t> kernel;
    for (int64_t axis : ArrayRef(axes->weight).drop_front(2))
      kernel.push_back(weightType.getDimSize(axis));
    if (!hasStaticGroups(*axes, data, weight, groups) ||
        ShapedType::isDynamicShape(kernel))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects a kernel, and for groups a number of channels, "
                      "that are known when it is compiled, but got "
                   << op.getData().getType() << " and " << weightType;
      });

    LinalgBuilder b(rewriter, op);
    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    ArrayRef<int64_t> spatial = ArrayRef(axes->data).drop_front(2);
    ConvolutionNest shape(b, *axes, data, weight, groups,
                          /*isTransposed=*/true);
    SmallVector<OpFoldResult> sizes(resultType.getRank());
    sizes[axes->result[0]] = b.getSize(data, axes->data[0]);
    sizes[axes->result[1]] = shape.getResultChannels();
    MirroredWindow mirrored(b, window, kernel, op.getOutputPadding());
    Type convertedType =
        this->getTypeConverter()->convertType(Type(resultType));
    for (int64_t axis = 0; axis < spatialRank; ++axis)
      sizes[axes->result[2 + axis]] =
          mirrored.getResultSize(b, axis, b.getSize(data, spatial[axis]));
    if (groups == 1 && isSeparate(mirrored)) {
      Value result = buildSeparate(
          b, *axes, {data, AffineMap(), dataType.getElementType()},
          {weight, AffineMap(), weightType.getElementType()}, kernel,
          resultType.getElementType());
      rewriter.replaceOp(op, b.castTo(result, convertedType));
      return success();
    }
    sizes = LinalgBuilder::refine(sizes, resultType);

    TypedAttr zero = getZeroAttr(dataType.getElementType());
    Value spread = buildDilate(b, data, spatial, window.strides, zero);
    Value padded =
        padAxes(b, spread, spatial, mirrored.before, mirrored.after, zero);
    ConvolutionNest nest(b, *axes, padded, weight, groups,
                         /*isTransposed=*/true);
    // The strides have been spread over the data.
    window.strides.assign(spatialRank, 1);
    Value result = nest.build(
        dataType.getElementType(), weightType.getElementType(),
        resultType.getElementType(), sizes, window, mirrored.offset, kernel);
    rewriter.replaceOp(op, b.castTo(result, convertedType));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateConvolutionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvolutionToLinalg<NNConv1dOp>, ConvolutionToLinalg<NNConv2dOp>,
               ConvolutionToLinalg<NNConv3dOp>,
               TransposedConvolutionToLinalg<NNConv1dTransposeOp>,
               TransposedConvolutionToLinalg<NNConv2dTransposeOp>,
               TransposedConvolutionToLinalg<NNConv3dTransposeOp>>(
      converter, patterns.getContext());
}
