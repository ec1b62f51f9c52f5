//===- WindowPadding.cpp - Padding and blocks become windows' -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes on what programs write around convolutions and pools that these
// can do themselves: relay-fold-explicit-padding and relay-flatten-atrous-conv.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FLATTENATROUSCONVPASS
#define GEN_PASS_DEF_FOLDEXPLICITPADDINGPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The dimensions of the spatial axes in the layout of the data, in the order
/// of an operator's lists; fails if they are not one dimension each.
static FailureOr<SmallVector<int64_t>> getSpatialDims(Operation *op) {
  auto spatial = dyn_cast<SpatialOpInterface>(op);
  if (!spatial)
    return failure();
  return getUndividedAxes(spatial.getDataLayout(),
                          StringRef("DHW").take_back(spatial.getSpatialRank()));
}

/// The value of a constant of one element, if a double can have it.
static std::optional<double> getNumber(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  bool isLossy = false;
  APFloat number(0.0);
  if (isa<FloatType>(elements.getElementType())) {
    number = *elements.value_begin<APFloat>();
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isLossy);
  } else {
    bool isSigned = !elements.getElementType().isUnsignedInteger() &&
                    !elements.getElementType().isInteger(1);
    APInt integer = *elements.value_begin<APInt>();
    isLossy =
        number.convertFromAPInt(integer, isSigned,
                                APFloat::rmNearestTiesToEven) != APFloat::opOK;
  }
  return isLossy ? std::nullopt : std::optional(number.convertToDouble());
}

namespace {

/// What lies before and after each spatial dimension.
struct Margins {
  SmallVector<int64_t> before, after;
};

} // namespace

/// Sorts pairs by dimension into those of `dims`; none if others are not zero
/// or any is negative.
static std::optional<Margins> getMargins(ArrayRef<int64_t> pairs,
                                         ArrayRef<int64_t> dims) {
  if (llvm::any_of(pairs, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  Margins margins;
  for (int64_t dim : dims) {
    margins.before.push_back(pairs[2 * dim]);
    margins.after.push_back(pairs[2 * dim + 1]);
  }
  for (int64_t dim = 0, rank = pairs.size() / 2; dim != rank; ++dim)
    if (!llvm::is_contained(dims, dim) &&
        (pairs[2 * dim] != 0 || pairs[2 * dim + 1] != 0))
      return std::nullopt;
  return margins;
}

//===----------------------------------------------------------------------===//
// relay-fold-explicit-padding
//===----------------------------------------------------------------------===//

/// Lets the operator pad what a pad before it does.
static bool takeIn(NNPadOp pad, WindowOpInterface windows) {
  FailureOr<SmallVector<int64_t>> dims = getSpatialDims(windows);
  std::optional<double> value = getNumber(pad.getPadVal());
  if (pad.getPadMode() != "constant" || failed(dims) || !value)
    return false;
  std::optional<Margins> margins = getMargins(pad.getPadWidth(), *dims);
  if (!margins ||
      failed(windows.takeInPadding(margins->before, margins->after, *value)))
    return false;
  windows->setOperand(0, pad.getData());
  return true;
}

namespace {

struct FoldExplicitPaddingPass final
    : relay::impl::FoldExplicitPaddingPassBase<FoldExplicitPaddingPass> {
  using Base::Base;

  void runOnOperation() override {
    if (isCompiledAsItIs(getOperation()))
      return;
    SmallVector<Operation *> pads;
    getOperation().walk([&](WindowOpInterface windows) {
      while (auto pad = windows->getOperand(0).getDefiningOp<NNPadOp>()) {
        if (!takeIn(pad, windows))
          break;
        pads.push_back(pad);
        ++numFolded;
      }
    });
    // What nothing reads any more may have been the last to read another.
    DenseSet<Operation *> left(pads.begin(), pads.end());
    for (Operation *pad : pads)
      while (left.contains(pad) && pad->use_empty()) {
        left.erase(pad);
        Operation *source = pad->getOperand(0).getDefiningOp();
        pad->erase();
        pad = source;
      }
  }
};

//===----------------------------------------------------------------------===//
// relay-flatten-atrous-conv
//===----------------------------------------------------------------------===//

struct FlattenAtrousConvPass final
    : relay::impl::FlattenAtrousConvPassBase<FlattenAtrousConvPass> {
  using Base::Base;

  void runOnOperation() override {
    if (isCompiledAsItIs(getOperation()))
      return;
    SmallVector<NNBatchToSpaceNdOp> found;
    getOperation().walk([&](NNBatchToSpaceNdOp op) { found.push_back(op); });
    for (NNBatchToSpaceNdOp op : found)
      if (flatten(op))
        ++numFlattened;
  }

private:
  bool flatten(NNBatchToSpaceNdOp last);
};

} // namespace

static bool areAll(ArrayRef<int64_t> values, int64_t wanted) {
  return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
}

/// The value of each spatial dimension, if dimensions 1, 2, ... have `values`
/// and those that are not spatial have 1.
static std::optional<SmallVector<int64_t>>
getSpatialBlocks(ArrayRef<int64_t> values, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> blocks(dims.size(), 1);
  for (auto [index, value] : llvm::enumerate(values)) {
    const auto *dim = llvm::find(dims, int64_t(index) + 1);
    if (dim != dims.end())
      blocks[dim - dims.begin()] = value;
    else if (value != 1)
      return std::nullopt;
  }
  return blocks;
}

/// Pairs of dimensions 1, 2, ... as those of all dimensions of a tensor.
static SmallVector<int64_t> withBatch(ArrayRef<int64_t> pairs, int64_t rank) {
  SmallVector<int64_t> all(2 * rank, 0);
  llvm::copy(pairs, all.begin() + 2);
  return all;
}

/// The pixels of a block are images of their own, so a convolution of them
/// steps from block to block. Cropping results takes away from the padding.
bool FlattenAtrousConvPass::flatten(NNBatchToSpaceNdOp last) {
  auto windows = last.getData().getDefiningOp<WindowOpInterface>();
  auto conv = last.getData().getDefiningOp<ConvolutionOpInterface>();
  if (!windows || !conv || !windows->hasOneUse())
    return false;
  auto first = windows->getOperand(0).getDefiningOp<NNSpaceToBatchNdOp>();
  bool keepsLayout = conv.getOutLayout().empty() ||
                     conv.getOutLayout() == conv.getDataLayout();
  FailureOr<SmallVector<int64_t>> dims = getSpatialDims(windows);
  if (!first || failed(dims) || !keepsLayout ||
      first.getBlockShape() != last.getBlockShape() ||
      !areAll(windows.getStrides(), 1) || !areAll(windows.getDilation(), 1) ||
      !areAll(windows.getPadding(), 0))
    return false;
  std::optional<SmallVector<int64_t>> blocks =
      getSpatialBlocks(first.getBlockShape(), *dims);
  int64_t rank = cast<RankedTensorType>(last.getType()).getRank();
  std::optional<Margins> margins =
      getMargins(withBatch(first.getPaddings(), rank), *dims);
  std::optional<Margins> crops =
      getMargins(withBatch(last.getCrops(), rank), *dims);
  if (!blocks || !margins || !crops)
    return false;
  for (unsigned i = 0; i != dims->size(); ++i) {
    margins->before[i] -= crops->before[i];
    margins->after[i] -= crops->after[i];
  }
  if (llvm::any_of(margins->before, [](int64_t size) { return size < 0; }) ||
      llvm::any_of(margins->after, [](int64_t size) { return size < 0; }))
    return false;

  OpBuilder builder(windows);
  Operation *flat = builder.clone(*windows);
  auto flatWindows = cast<WindowOpInterface>(flat);
  if (failed(
          flatWindows.takeInPadding(margins->before, margins->after,
                                    first.getPadValue().convertToDouble()))) {
    flat->erase();
    return false;
  }
  flatWindows.setDilation(*blocks);
  flat->setOperand(0, first.getData());
  flat->getResult(0).setType(last.getType());
  last.replaceAllUsesWith(flat->getResult(0));
  last.erase();
  windows->erase();
  if (first->use_empty())
    first.erase();
  return true;
}
