//===- Winograd.cpp - Convolutions by Winograd's algorithm ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Support/MatrixCost.h"
#include "relay-mlir/Support/Winograd.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_WINOGRADPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// What a convolution computes, as far as its cost depends on it.
struct ConvShape {
  int64_t batch, channels, outputs, height, width;
};

/// A core and its memory, in bytes and cycles.
struct Machine {
  /// Lanes of a vector of f32. Two vector operations start in each cycle.
  double lanes;
  double l2, l3;
  /// Products of bf16 that a product of f32 takes on matrix units, if any.
  int64_t matrixTerms;

  /// Bytes per cycle that stream from where `bytes` fit. Rounded measurements
  /// of current x86 servers, one core.
  double getBandwidth(double bytes) const {
    return bytes <= l2 / 2 ? 32 : bytes <= l3 / 2 ? 12 : 6;
  }
};

} // namespace

/// The entries of a matrix that take an instruction.
static int64_t countTerms(const WinogradMatrix &matrix) {
  return llvm::count_if(matrix.values, [](double value) { return value != 0; });
}

/// Cycles of the products of the direct convolution on matrix units, which
/// take 32 pixels, 32 outputs and 32 channels at a time; the two pixels between
/// rows of the image are computed too.
static double estimateMatrix(const ConvShape &conv, int64_t terms) {
  double blocks = llvm::divideCeil(conv.channels, 32);
  double pixels = double(conv.batch) * conv.height * (conv.width + 2);
  double tiles = std::ceil(pixels / 32) * llvm::divideCeil(conv.outputs, 32);
  constexpr double kProducts = 4;
  return estimateMatrixTiles(tiles, 9 * blocks * terms * kProducts) +
         pixels * blocks * 2 * kSplitCycles;
}

/// Cycles of the direct convolution whose weights come from a memory that holds
/// `resident` bytes.
static double estimateDirect(const ConvShape &conv, const Machine &machine,
                             double resident) {
  constexpr double kEfficiency = 0.9;
  double products = 9.0 * conv.batch * conv.channels * conv.outputs *
                    conv.height * conv.width;
  double weights = 4.0 * 9 * conv.channels * conv.outputs;
  double cycles = products / (2 * machine.lanes * kEfficiency);
  if (machine.matrixTerms)
    cycles = std::min(cycles, estimateMatrix(conv, machine.matrixTerms));
  return cycles + weights / machine.getBandwidth(std::max(weights, resident));
}

/// The same by tiles of `tile` x `tile` results.
static double estimateWinograd(const ConvShape &conv, int64_t tile,
                               const Machine &machine, double resident) {
  constexpr double kEfficiency = 0.85;
  WinogradMatrix data = getWinogradDataTransform(tile + 2);
  WinogradMatrix result = getWinogradResultTransform(tile, 3);
  double reach = tile + 2, planes = reach * reach;
  double tiles = double(conv.batch) * llvm::divideCeil(conv.height, tile) *
                 llvm::divideCeil(conv.width, tile);
  double products = planes * tiles * conv.channels * conv.outputs;
  // One cycle stores a vector, two operations or two loads.
  double dataCycles = reach * countTerms(data) + 2 * planes;
  double resultCycles =
      (reach + tile) * countTerms(result) / 2.0 + reach * tile + tile * tile;
  auto countVectors = [&](int64_t channels) {
    return tiles * std::ceil(channels / machine.lanes);
  };
  double transforms = dataCycles * countVectors(conv.channels) +
                      resultCycles * countVectors(conv.outputs);
  // Transformed tiles are written and read once each.
  double transformed = 4 * planes * tiles * (conv.channels + conv.outputs);
  double traffic = 2 * transformed / machine.getBandwidth(transformed);
  double weights = 4.0 * planes * conv.channels * conv.outputs;
  return products / (2 * machine.lanes * kEfficiency) + transforms + traffic +
         weights /
             machine.getBandwidth(std::max(weights, resident * planes / 9));
}

/// Returns the shape if `op` is a convolution that the algorithm is for.
static std::optional<ConvShape> matchConvolution(NNConv2dOp op) {
  auto isOne = [](int64_t value) { return value == 1; };
  auto data = dyn_cast<RankedTensorType>(op.getData().getType());
  auto weight = dyn_cast<RankedTensorType>(op.getWeight().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!data || !weight || !result || !data.hasStaticShape() ||
      !weight.hasStaticShape() || !result.hasStaticShape() ||
      !data.getElementType().isF32() || !weight.getElementType().isF32() ||
      !result.getElementType().isF32())
    return std::nullopt;
  bool hasOwnLayout =
      !op.getOutLayout().empty() && op.getOutLayout() != op.getDataLayout();
  if (op.getDataLayout() != "NHWC" || op.getKernelLayout() != "OIHW" ||
      hasOwnLayout || op.getGroups() != 1 ||
      !llvm::all_of(op.getStrides(), isOne) ||
      !llvm::all_of(op.getDilation(), isOne) || weight.getDimSize(2) != 3 ||
      weight.getDimSize(3) != 3 || data.getNumElements() == 0 ||
      result.getNumElements() == 0 ||
      !op.getWeight().getDefiningOp<ConstantOp>())
    return std::nullopt;
  return ConvShape{result.getDimSize(0), data.getDimSize(3),
                   result.getDimSize(3), result.getDimSize(1),
                   result.getDimSize(2)};
}

/// How many channels may be summed so that errors stay below 1e-5 of the
/// result's scale. Measured on uniform, normal and one-sided data, they grow
/// about as the square root of the number of channels: with tiles of 4, 2.5e-6
/// for 64, 6e-6 for 512, 8e-6 for 1024; with tiles of 2, a sixth of that, less
/// than those of the direct sum.
static int64_t getMaxChannels(int64_t tile) {
  return tile == 2 ? std::numeric_limits<int64_t>::max() : 512;
}

/// The best tile size, or 0 for the direct convolution.
static int64_t chooseTile(const ConvShape &conv, const Machine &machine,
                          double resident) {
  // Less is not worth the digits.
  constexpr double kMinGain = 1.25;
  double best = estimateDirect(conv, machine, resident) / kMinGain;
  int64_t chosen = 0;
  for (int64_t tile : {2, 4}) {
    double cycles = estimateWinograd(conv, tile, machine, resident);
    if (cycles < best && conv.channels <= getMaxChannels(tile)) {
      best = cycles;
      chosen = tile;
    }
  }
  return chosen;
}

static void replace(NNConv2dOp op, const ConvShape &conv, int64_t tile) {
  OpBuilder builder(op);
  Value weight = NNContribConv2dWinogradWeightTransformOp::create(
      builder, op.getWeight().getLoc(), op.getWeight(), tile);
  Value result = NNContribConv2dWinogradWithoutWeightTransformOp::create(
      builder, op.getLoc(), op.getType(), op.getData(), weight, tile,
      op.getStrides(), op.getPadding(), op.getDilation(), /*groups=*/1,
      builder.getI64IntegerAttr(conv.outputs),
      builder.getDenseI64ArrayAttr({3, 3}), op.getDataLayout(),
      op.getKernelLayout(), op.getOutLayout(), op.getOutDtypeAttr());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

namespace {

struct WinogradPass final : relay::impl::WinogradPassBase<WinogradPass> {
  using WinogradPassBase::WinogradPassBase;

  void runOnOperation() override {
    Machine machine{vectorBits / 32.0, double(l2Bytes), double(l3Bytes),
                    matrixTerms};
    SmallVector<std::pair<NNConv2dOp, ConvShape>> candidates;
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
      if (auto conv = dyn_cast<NNConv2dOp>(op))
        if (std::optional<ConvShape> shape = matchConvolution(conv))
          candidates.push_back({conv, *shape});
    });
    for (auto [conv, shape] : candidates) {
      int64_t tile = tileSize ? int64_t(tileSize)
                              : chooseTile(shape, machine, weightBytes);
      if (tile == 0)
        continue;
      replace(conv, shape, tile);
      ++numReplaced;
    }
  }
};

} // namespace
