//===- PoolBeforeConv.cpp - Fewer pixels to convolve ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::relay {
#define GEN_PASS_DEF_POOLBEFORECONVPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The layout of an operator that averages pixels; empty for others, and if the
/// result has another one.
static StringRef getAverageLayout(Operation *op) {
  auto get = [](auto pool) {
    bool isSame =
        pool.getOutLayout().empty() || pool.getOutLayout() == pool.getLayout();
    return isSame ? pool.getLayout() : StringRef();
  };
  if (auto pool = dyn_cast<NNAvgPool2dOp>(op))
    return get(pool);
  if (auto pool = dyn_cast<NNGlobalAvgPool2dOp>(op))
    return get(pool);
  if (auto pool = dyn_cast<NNAdaptiveAvgPool2dOp>(op))
    return get(pool);
  return "";
}

/// The sizes of the spatial dimensions multiplied; nothing if not all are
/// known.
static std::optional<double> countPixels(RankedTensorType type,
                                         StringRef layout) {
  double pixels = 1;
  for (auto [letter, size] : llvm::zip_equal(layout, type.getShape())) {
    if (letter != 'H' && letter != 'W')
      continue;
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    pixels *= size;
  }
  return pixels;
}

/// Whether `conv` computes each pixel of its result from the same pixel of the
/// data alone, in the given layout.
static bool isPointwise(NNConv2dOp conv, StringRef layout) {
  auto weight = dyn_cast<RankedTensorType>(conv.getWeight().getType());
  bool isSame = conv.getOutLayout().empty() ||
                conv.getOutLayout() == conv.getDataLayout();
  if (!weight || !isSame || conv.getDataLayout() != layout ||
      layout.size() != 4 || conv.getKernelLayout().size() != 4)
    return false;
  for (auto [letter, size] :
       llvm::zip_equal(conv.getKernelLayout(), weight.getShape()))
    if ((letter == 'H' || letter == 'W') && size != 1)
      return false;
  return llvm::all_of(conv.getStrides(), [](int64_t s) { return s == 1; }) &&
         llvm::all_of(conv.getPadding(), [](int64_t p) { return p == 0; });
}

namespace {

struct PoolBeforeConvPass final
    : relay::impl::PoolBeforeConvPassBase<PoolBeforeConvPass> {
  using PoolBeforeConvPassBase::PoolBeforeConvPassBase;

  void runOnOperation() override {
    if (getPrecision(getOperation()) == Precision::Highest)
      return;
    SmallVector<Operation *> pools;
    getOperation().walk([&](Operation *op) {
      if (!getAverageLayout(op).empty())
        pools.push_back(op);
    });
    for (Operation *pool : pools)
      if (swap(pool))
        ++numSwapped;
  }

private:
  static bool swap(Operation *pool);
};

} // namespace

bool PoolBeforeConvPass::swap(Operation *pool) {
  StringRef layout = getAverageLayout(pool);
  auto conv = pool->getOperand(0).getDefiningOp<NNConv2dOp>();
  if (!conv || !conv->hasOneUse() || !isPointwise(conv, layout))
    return false;
  auto data = dyn_cast<RankedTensorType>(conv.getData().getType());
  auto middle = dyn_cast<RankedTensorType>(conv.getType());
  auto result = dyn_cast<RankedTensorType>(pool->getResult(0).getType());
  if (!data || !middle || !result || !isa<FloatType>(data.getElementType()) ||
      data.getElementType() != middle.getElementType())
    return false;
  size_t channelAxis = layout.find('C');
  int64_t channels = data.getDimSize(channelAxis);
  int64_t outputs = middle.getDimSize(channelAxis);
  std::optional<double> before = countPixels(middle, layout);
  std::optional<double> after = countPixels(result, layout);
  if (!before || !after || ShapedType::isDynamic(channels) ||
      ShapedType::isDynamic(outputs))
    return false;
  // An element that is read for an average counts as some products.
  constexpr double kProductsPerElement = 8;
  double products = double(channels) * outputs / conv.getGroups();
  double gain = (*before - *after) * products;
  double loss = *before * (channels - outputs) * kProductsPerElement;
  if (gain <= std::max(loss, 0.0))
    return false;

  OpBuilder builder(pool);
  IRMapping pooling;
  pooling.map(conv.getResult(), conv.getData());
  Operation *newPool = builder.clone(*pool, pooling);
  SmallVector<int64_t> shape(result.getShape());
  shape[channelAxis] = channels;
  newPool->getResult(0).setType(data.clone(shape));
  IRMapping convolving;
  convolving.map(conv.getData(), newPool->getResult(0));
  Operation *newConv = builder.clone(*conv, convolving);
  newConv->getResult(0).setType(result);
  pool->getResult(0).replaceAllUsesWith(newConv->getResult(0));
  pool->erase();
  conv->erase();
  return true;
}
