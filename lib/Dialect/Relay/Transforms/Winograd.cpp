//===- Winograd.cpp - Convolutions by Winograd's algorithm ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "OperatorTargets.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Dialect/Target/IR/ByteProducts.h"
#include "relay-mlir/Dialect/Target/IR/MatrixCost.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Support/PassOptions.h"
#include "relay-mlir/Support/SplitFloat.h"
#include "relay-mlir/Support/Winograd.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_WINOGRADPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// What a convolution computes, as far as its cost depends on it; channels and
/// outputs are those of one group.
struct ConvShape {
  /// A batch of unknown size is estimated as one image.
  int64_t batch, channels, outputs, height, width;
  /// Both extents of the window.
  int64_t kernel;
  int64_t groups;
  /// In both directions. Pixels so far apart have nothing to do with those
  /// between them: that is a convolution of its own for each of dilation x
  /// dilation images.
  int64_t dilation;
  /// Bytes, whose sums are exact.
  bool isInteger;

  double getNumTaps() const { return double(kernel) * kernel; }
  /// The results of one of these images.
  int64_t getPhaseHeight() const { return llvm::divideCeil(height, dilation); }
  int64_t getPhaseWidth() const { return llvm::divideCeil(width, dilation); }
  double getNumImages() const { return double(batch) * dilation * dilation; }
};

/// A core and its memory, in bytes and cycles.
struct Machine {
  /// Lanes of a vector of f32. Two vector operations start in each cycle.
  double lanes;
  double l2, l3;
  /// Products of bf16 that a product of f32 takes on matrix units, if any.
  int64_t matrixTerms;
  /// Whether products of bytes are added up in pairs of 16 bits, as are those
  /// of transformed bytes; other instructions for bytes are faster than these.
  bool addsPairs;

  double getBandwidth(double bytes) const {
    return relay::getBandwidth(bytes, l2, l3);
  }
};

} // namespace

/// The entries of a matrix that take an instruction.
static int64_t countTerms(const WinogradMatrix &matrix) {
  return llvm::count_if(matrix.values, [](double value) { return value != 0; });
}

/// Cycles of the products of the direct convolution on matrix units, which
/// take 32 pixels, 32 outputs and 32 channels at a time; the padding between
/// rows of the image is computed too.
static double estimateMatrix(const ConvShape &conv, int64_t terms) {
  // Short sums are not split into less than all terms.
  if (terms == 3 && conv.channels * conv.getNumTaps() < kMinSplitDepth)
    terms = 6;
  double blocks = llvm::divideCeil(conv.channels, 32);
  double pixels =
      double(conv.batch) * conv.height * (conv.width + conv.kernel - 1);
  double tiles = std::ceil(pixels / 32) * llvm::divideCeil(conv.outputs, 32);
  constexpr double kProducts = 4;
  return estimateMatrixTiles(tiles,
                             conv.getNumTaps() * blocks * terms * kProducts) +
         pixels * blocks * 2 * kSplitCycles;
}

/// Products of integers that are added up in one cycle: not quite an
/// instruction for the products and one for the sum.
static double getPairRate(const Machine &machine) {
  return 2 * machine.lanes / 0.67;
}

/// Cycles of the direct convolution of bytes, where the padding between rows of
/// the image is computed too.
static double estimateDirectInteger(const ConvShape &conv,
                                    const Machine &machine) {
  double pixels = double(conv.batch) * conv.height *
                  (conv.width + (conv.kernel - 1) * conv.dilation);
  double weights = conv.getNumTaps() * conv.channels * conv.outputs;
  return conv.getNumTaps() * pixels * conv.channels * conv.outputs /
             getPairRate(machine) +
         weights / machine.getBandwidth(weights);
}

/// Cycles of the direct convolution whose weights come from a memory that holds
/// `resident` bytes.
static double estimateDirect(const ConvShape &conv, const Machine &machine,
                             double resident) {
  if (conv.isInteger)
    return estimateDirectInteger(conv, machine);
  constexpr double kEfficiency = 0.9;
  double products = conv.getNumTaps() * conv.batch * conv.channels *
                    conv.outputs * conv.height * conv.width;
  double weights = 4 * conv.getNumTaps() * conv.channels * conv.outputs;
  double cycles = products / (2 * machine.lanes * kEfficiency);
  if (machine.matrixTerms)
    cycles = std::min(cycles, estimateMatrix(conv, machine.matrixTerms));
  return cycles + weights / machine.getBandwidth(std::max(weights, resident));
}

/// The same by tiles of `tile` x `tile` results.
static double estimateWinograd(const ConvShape &conv, int64_t tile,
                               const Machine &machine, double resident) {
  constexpr double kEfficiency = 0.85;
  double reach = tile + conv.kernel - 1, planes = reach * reach;
  auto numbers =
      conv.isInteger ? WinogradNumbers::Integers : WinogradNumbers::Floats;
  WinogradMatrix data = getWinogradDataTransform(reach, numbers);
  WinogradMatrix result =
      getWinogradResultTransform(tile, conv.kernel, numbers);
  double tiles = conv.getNumImages() *
                 llvm::divideCeil(conv.getPhaseHeight(), tile) *
                 llvm::divideCeil(conv.getPhaseWidth(), tile);
  double products = planes * tiles * conv.channels * conv.outputs;
  double rate = conv.isInteger ? getPairRate(machine) : 2 * machine.lanes;
  // Integers are transformed in 16 bits before the products.
  double dataBytes = conv.isInteger ? 2 : 4;
  // One cycle stores a vector, two operations or two loads.
  double dataCycles = reach * countTerms(data) + 2 * planes;
  double resultCycles =
      (reach + tile) * countTerms(result) / 2.0 + reach * tile + tile * tile;
  auto countVectors = [&](int64_t channels, double bytes) {
    return tiles * std::ceil(channels * bytes / (4 * machine.lanes));
  };
  double transforms = dataCycles * countVectors(conv.channels, dataBytes) +
                      resultCycles * countVectors(conv.outputs, 4);
  // Transformed tiles are written and read once each.
  double transformed =
      planes * tiles * (dataBytes * conv.channels + 4.0 * conv.outputs);
  double traffic = 2 * transformed / machine.getBandwidth(transformed);
  double weights = dataBytes * planes * conv.channels * conv.outputs;
  // The channels of each group, or the pixels of each image, are cut out, and
  // the results put together.
  double copied = 0;
  if (conv.groups > 1 || conv.dilation > 1)
    copied = 1.0 * conv.batch * conv.height * conv.width *
             (conv.channels * (conv.isInteger ? 1 : 4) + conv.outputs * 4);
  traffic += 2 * copied / machine.getBandwidth(copied);
  return products / (rate * kEfficiency) + transforms + traffic +
         weights / machine.getBandwidth(std::max(
                       weights, resident * planes / conv.getNumTaps()));
}

/// Returns the shape if `op` is a convolution that the algorithm is for.
static std::optional<ConvShape> matchConvolution(NNConv2dOp op) {
  auto isOne = [](int64_t value) { return value == 1; };
  // But for the batch, and not empty.
  auto hasSizes = [](RankedTensorType type) {
    return type && type.getRank() == 4 && type.getDimSize(0) != 0 &&
           llvm::all_of(type.getShape().drop_front(),
                        [](int64_t size) { return size > 0; });
  };
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  auto weight = dyn_cast<RankedTensorType>(op.getWeight().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!hasSizes(data) || !weight || !weight.hasStaticShape() ||
      !hasSizes(result))
    return std::nullopt;
  auto isByte = [](Type type) { return type.isInteger(8); };
  // Pairs of 16 bits are for known numbers of tiles.
  bool isInteger = result.getElementType().isSignlessInteger(32) &&
                   isByte(data.getElementType()) &&
                   isByte(weight.getElementType()) && data.hasStaticShape() &&
                   result.hasStaticShape();
  if (!isInteger &&
      !(data.getElementType().isF32() && weight.getElementType().isF32() &&
        result.getElementType().isF32()))
    return std::nullopt;
  bool hasOwnLayout =
      !op.getOutLayout().empty() && op.getOutLayout() != op.getDataLayout();
  ArrayRef<int64_t> dilation = op.getDilation();
  if (op.getDataLayout() != "NHWC" || op.getKernelLayout() != "OIHW" ||
      hasOwnLayout || !llvm::all_of(op.getStrides(), isOne) ||
      !llvm::all_equal(dilation) || !op.getWeight().getDefiningOp<ConstantOp>())
    return std::nullopt;
  // A convolution of its own for each of many groups is no gain, whatever the
  // estimate.
  constexpr int64_t kMaxGroups = 4;
  int64_t kernel = weight.getDimSize(2), groups = op.getGroups();
  bool isKnown = kernel == kIntegerWindow || (kernel == 5 && !isInteger);
  if (!isKnown || weight.getDimSize(3) != kernel || groups > kMaxGroups ||
      (groups > 1 && dilation.front() > 1) ||
      failed(expandPadding(op.getPadding(), 2)))
    return std::nullopt;
  return ConvShape{result.isDynamicDim(0) ? 1 : result.getDimSize(0),
                   data.getDimSize(3) / groups,
                   result.getDimSize(3) / groups,
                   result.getDimSize(1),
                   result.getDimSize(2),
                   kernel,
                   groups,
                   dilation.front(),
                   isInteger};
}

/// Whether all sums of products of bytes with this weight have at most `bits`
/// bits, that of the sign included.
static bool haveBits(NNConv2dOp op, int64_t bits) {
  auto constant = op.getWeight().getDefiningOp<ConstantOp>();
  DenseElementsAttr weight = getContents(constant.getValue());
  if (!weight)
    return false;
  auto isUnsigned = [](Type type) {
    return getElementTypeOrSelf(type).isUnsignedInteger();
  };
  bool isWeightUnsigned = isUnsigned(weight.getType());
  int64_t largest = isUnsigned(op.getData().getType()) ? 255 : 128;
  int64_t outputs = weight.getType().getShape().front();
  int64_t count = weight.getNumElements() / outputs, index = 0;
  SmallVector<int64_t> sums(outputs, 0);
  for (const APInt &value : weight.getValues<APInt>())
    sums[index++ / count] +=
        std::abs(isWeightUnsigned ? int64_t(value.getZExtValue())
                                  : value.getSExtValue());
  return llvm::all_of(sums, [&](int64_t sum) {
    return sum * largest < int64_t(1) << (bits - 1);
  });
}

/// How many channels may be summed so that errors stay below 1e-5 of the
/// result's scale. Measured on uniform, normal and one-sided data, they grow
/// about as the square root of the number of channels: with tiles of 4, 2.5e-6
/// for 64, 6e-6 for 512, 8e-6 for 1024; with tiles of 2, a sixth of that, less
/// than those of the direct sum. What counts is how many elements a tile reads:
/// tiles of 2 of a window of 5 are somewhat better than tiles of 4 of one of 3.
static int64_t getMaxChannels(const ConvShape &conv, int64_t tile) {
  int64_t reach = tile + conv.kernel - 1;
  if (conv.isInteger)
    return std::numeric_limits<int64_t>::max();
  return reach <= 4   ? std::numeric_limits<int64_t>::max()
         : reach <= 6 ? 512
                      : 0;
}

/// Whether tiles of this size compute what the convolution does.
static bool isPossible(NNConv2dOp op, const ConvShape &conv, int64_t tile) {
  int64_t reach = tile + conv.kernel - 1;
  if (!conv.isInteger)
    // Larger matrices are no small tables.
    return reach <= 8;
  return reach <= kMaxIntegerReach &&
         haveBits(op, getWinogradDivision(reach).getBits());
}

/// The best tile size, or 0 for the direct convolution.
static int64_t chooseTile(NNConv2dOp op, const ConvShape &conv,
                          const Machine &machine, double resident) {
  // Less is not worth the digits, which tiles of 2 do not lose.
  constexpr double kMinGain = 1.25, kMinExactGain = 1.1;
  double direct = estimateDirect(conv, machine, resident);
  double best = direct / kMinExactGain;
  int64_t chosen = 0;
  for (int64_t tile : {2, 4}) {
    double cycles = estimateWinograd(conv, tile, machine, resident);
    bool isExact = conv.isInteger || tile + conv.kernel - 1 <= 4;
    if (cycles < best && (isExact || cycles < direct / kMinGain) &&
        conv.channels <= getMaxChannels(conv, tile) &&
        isPossible(op, conv, tile)) {
      best = cycles;
      chosen = tile;
    }
  }
  return chosen;
}

static Value buildConvolution(OpBuilder &builder, NNConv2dOp op, Type type,
                              Value data, Value weight, const ConvShape &conv,
                              int64_t tile, ArrayRef<int64_t> padding) {
  Value transformed = NNContribConv2dWinogradWeightTransformOp::create(
      builder, op.getWeight().getLoc(), weight, tile);
  return NNContribConv2dWinogradWithoutWeightTransformOp::create(
      builder, op.getLoc(), type, data, transformed, tile, op.getStrides(),
      padding, /*dilation=*/ArrayRef<int64_t>{1, 1}, /*groups=*/1,
      builder.getI64IntegerAttr(conv.outputs),
      builder.getDenseI64ArrayAttr({conv.kernel, conv.kernel}),
      op.getDataLayout(), op.getKernelLayout(), op.getOutLayout(),
      op.getOutDtypeAttr());
}

/// A tuple of equal parts of `value`.
static Value buildParts(OpBuilder &builder, Value value, int64_t axis,
                        int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] /= count;
  SmallVector<Type> types(count, type.clone(shape));
  return SplitOp::create(builder, value.getLoc(), builder.getTupleType(types),
                         value, builder.getI64IntegerAttr(count), axis);
}

/// Pixels that are `dilation` apart, as images of their own in the batch.
static Value buildDilated(OpBuilder &builder, NNConv2dOp op,
                          const ConvShape &conv, int64_t tile) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  auto type = cast<RankedTensorType>(op.getData().getType());
  int64_t step = conv.dilation, channels = conv.channels;
  int64_t height = conv.getPhaseHeight(), width = conv.getPhaseWidth();
  int64_t inHeight = height + conv.kernel - 1;
  int64_t inWidth = width + conv.kernel - 1;
  Padding padding = *expandPadding(op.getPadding(), 2);
  int64_t top = padding.before[0], left = padding.before[1];
  Value zero = ConstantOp::create(
      b, cast<ElementsAttr>(
             b.getZeroAttr(RankedTensorType::get({}, type.getElementType()))));
  Value data = NNPadOp::create(
      b, op.getData(), zero,
      ArrayRef<int64_t>{0, 0, top, inHeight * step - type.getDimSize(1) - top,
                        left, inWidth * step - type.getDimSize(2) - left, 0, 0},
      "constant");
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return ReshapeOp::create(b, value, shape);
  };
  auto transpose = [&](Value value, ArrayRef<int64_t> axes) -> Value {
    return TransposeOp::create(b, value, b.getDenseI64ArrayAttr(axes));
  };
  // The size of a batch that is open is what is left.
  bool isOpen = type.isDynamicDim(0);
  int64_t batch = isOpen ? -1 : conv.batch;
  data = reshape(data, {batch, inHeight, step, inWidth, step, channels});
  data = transpose(data, {0, 2, 4, 1, 3, 5});
  data = reshape(
      data, {isOpen ? -1 : batch * step * step, inHeight, inWidth, channels});
  int64_t images = cast<RankedTensorType>(data.getType()).getDimSize(0);
  Value result =
      buildConvolution(builder, op,
                       cast<RankedTensorType>(op.getType())
                           .clone({images, height, width, conv.outputs}),
                       data, op.getWeight(), conv, tile, {0, 0, 0, 0});
  result = reshape(result, {batch, step, step, height, width, conv.outputs});
  result = transpose(result, {0, 3, 1, 4, 2, 5});
  result = reshape(result, {batch, height * step, width * step, conv.outputs});
  if (result.getType() == op.getType())
    return result;
  return StridedSliceOp::create(b, result, ArrayRef<int64_t>{0, 0},
                                ArrayRef<int64_t>{conv.height, conv.width},
                                b.getDenseI64ArrayAttr({1, 1}), "end",
                                b.getDenseI64ArrayAttr({1, 2}));
}

static void replace(NNConv2dOp op, const ConvShape &conv, int64_t tile) {
  OpBuilder builder(op);
  Value result;
  if (conv.dilation > 1) {
    result = buildDilated(builder, op, conv, tile);
  } else if (conv.groups == 1) {
    result = buildConvolution(builder, op, op.getType(), op.getData(),
                              op.getWeight(), conv, tile, op.getPadding());
  } else {
    Location loc = op.getLoc();
    Value data = buildParts(builder, op.getData(), 3, conv.groups);
    Value weight = buildParts(builder, op.getWeight(), 0, conv.groups);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = conv.outputs;
    auto getPart = [&](Value parts, int64_t index) -> Value {
      return TupleGetItemOp::create(
          builder, loc, cast<TupleType>(parts.getType()).getType(index), parts,
          index);
    };
    SmallVector<Value> results;
    for (int64_t group = 0; group != conv.groups; ++group)
      results.push_back(buildConvolution(
          builder, op, type.clone(shape), getPart(data, group),
          getPart(weight, group), conv, tile, op.getPadding()));
    result = ConcatenateOp::create(builder, loc, type, results, /*axis=*/3);
  }
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

/// Nothing if the target does not say what estimates need.
static std::optional<Machine> getMachine(TargetAttrInterface target,
                                         Precision precision) {
  if (!target || !hasVectorsAndCaches(target))
    return std::nullopt;
  CacheSizes caches = target.getCacheSizes();
  return Machine{target.getVectorBits() / 32.0, double(caches.l2),
                 double(caches.l3), target.getMatrixTerms(precision),
                 addsPairsOfBytes(target)};
}

namespace {

struct WinogradPass final : relay::impl::WinogradPassBase<WinogradPass> {
  using WinogradPassBase::WinogradPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, tileSize, 0);
  }

  void runOnOperation() override {
    Precision precision = getPrecision(getOperation());
    OperatorTargets targets(getOperation());
    // Also without any convolution, so that nobody relies on its absence.
    if (tileSize == 0 && failed(getTarget(getOperation())))
      return signalPassFailure();
    struct Candidate {
      NNConv2dOp conv;
      ConvShape shape;
      std::optional<Machine> machine;
    };
    SmallVector<Candidate> candidates;
    // Weights of a network that is larger than the last cache come from memory
    // again in each run.
    double weightBytes = 0;
    getOperation().walk([&](Operation *op) {
      if (auto constant = dyn_cast<ConstantOp>(op))
        if (auto type = dyn_cast<RankedTensorType>(constant.getType());
            type && type.hasStaticShape() &&
            type.getElementType().isIntOrFloat())
          weightBytes += type.getNumElements() *
                         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      auto conv = dyn_cast<NNConv2dOp>(op);
      std::optional<ConvShape> shape;
      if (conv)
        shape = matchConvolution(conv);
      if (!shape)
        return;
      std::optional<Machine> machine;
      if (tileSize == 0) {
        machine = getMachine(targets.lookup(conv), precision);
        // There is nothing to estimate with.
        if (!machine)
          return;
      }
      if (shape->isInteger ? !machine || machine->addsPairs
                           : precision != Precision::Highest)
        candidates.push_back({conv, *shape, machine});
    });
    for (auto [conv, shape, machine] : candidates) {
      int64_t tile = machine ? chooseTile(conv, shape, *machine, weightBytes)
                             : int64_t(tileSize);
      if (tile == 0 || (tileSize && !isPossible(conv, shape, tile)))
        continue;
      replace(conv, shape, tile);
      ++numReplaced;
    }
  }
};

} // namespace
