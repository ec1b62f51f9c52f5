//===- PassInterfaces.cpp - What operators tell single passes -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"

#include "Decompositions/Decomposition.h"
#include "ElementSizes.h"
#include "Fractions.h"
#include "Gradients/Gradient.h"
#include "IntegerForms/IntegerForm.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The padding of an operator with more before and after each dimension.
static FailureOr<Padding> getSum(ArrayRef<int64_t> list,
                                 ArrayRef<int64_t> before,
                                 ArrayRef<int64_t> after) {
  FailureOr<Padding> padding = expandPadding(list, before.size());
  if (failed(padding))
    return failure();
  for (auto [sizes, more] :
       {std::pair(&padding->before, before), std::pair(&padding->after, after)})
    for (auto [size, added] : llvm::zip_equal(*sizes, more))
      if (added < 0 || llvm::AddOverflow(size, added, size))
        return failure();
  return padding;
}

/// The smallest number of a type; of floats the smallest that is finite.
static double getLowest(Type type) {
  if (auto floating = dyn_cast<FloatType>(type))
    return APFloat::getLargest(floating.getFloatSemantics(), /*Negative=*/true)
        .convertToDouble();
  if (type.isUnsignedInteger() || type.isInteger(1))
    return 0;
  return -std::ldexp(1.0, type.getIntOrFloatBitWidth() - 1);
}

// Whether elements of `value`, instead of `padding`, count for nothing. Each
// operator has its own.

template <typename OpTy>
static bool countsForNothing(OpTy, double value, const Padding &) {
  return value == 0;
}

/// What stands for zero.
static bool countsForNothing(QNNConv2dOp op, double value, const Padding &) {
  DenseIntElementsAttr zeroPoint;
  return matchPattern(op.getInputZeroPoint(), m_Constant(&zeroPoint)) &&
         double((*zeroPoint.begin()).getSExtValue()) == value;
}

/// Of maxima: windows that may miss the data begin with the smallest finite
/// number, others with -inf.
template <typename OpTy>
static bool isLowest(OpTy op, double value, const Padding &padding) {
  if (std::isinf(value) && value < 0)
    return !mayMissData(op.getPoolSize(), padding.before, padding.after,
                        op.getDilation(), op.getCeilMode());
  return value == getLowest(getElementTypeOrSelf(op.getData()));
}
static bool countsForNothing(NNMaxPool1dOp op, double value,
                             const Padding &padding) {
  return isLowest(op, value, padding);
}
static bool countsForNothing(NNMaxPool2dOp op, double value,
                             const Padding &padding) {
  return isLowest(op, value, padding);
}
static bool countsForNothing(NNMaxPool3dOp op, double value,
                             const Padding &padding) {
  return isLowest(op, value, padding);
}

namespace {

/// What every window has. `Model` says how it takes in padding.
template <typename Model, typename OpTy>
struct WindowBase : WindowOpInterface::ExternalModel<Model, OpTy> {
  ArrayRef<int64_t> getStrides(Operation *op) const {
    return cast<OpTy>(op).getStrides();
  }
  ArrayRef<int64_t> getDilation(Operation *op) const {
    return cast<OpTy>(op).getDilation();
  }
  void setDilation(Operation *op, ArrayRef<int64_t> dilation) const {
    cast<OpTy>(op).setDilation(dilation);
  }
  ArrayRef<int64_t> getPadding(Operation *op) const {
    return cast<OpTy>(op).getPadding();
  }

protected:
  LogicalResult addPadding(Operation *op, ArrayRef<int64_t> before,
                           ArrayRef<int64_t> after, double value) const {
    auto typed = cast<OpTy>(op);
    FailureOr<Padding> padding = getSum(typed.getPadding(), before, after);
    if (failed(padding) || !countsForNothing(typed, value, *padding))
      return failure();
    SmallVector<int64_t> list;
    llvm::append_range(list, padding->before);
    llvm::append_range(list, padding->after);
    typed.setPadding(list);
    return success();
  }
};

template <typename OpTy>
struct WindowModel : WindowBase<WindowModel<OpTy>, OpTy> {
  LogicalResult takeInPadding(Operation *op, ArrayRef<int64_t> before,
                              ArrayRef<int64_t> after, double value) const {
    return this->addPadding(op, before, after, value);
  }
};

/// Zeros count in a mean, which cannot have padding of both kinds.
template <typename OpTy>
struct AverageModel : WindowBase<AverageModel<OpTy>, OpTy> {
  LogicalResult takeInPadding(Operation *op, ArrayRef<int64_t> before,
                              ArrayRef<int64_t> after, double value) const {
    auto typed = cast<OpTy>(op);
    bool isUnpadded = llvm::all_of(typed.getPadding(),
                                   [](int64_t size) { return size == 0; });
    if (!isUnpadded && !typed.getCountIncludePad())
      return failure();
    if (failed(this->addPadding(op, before, after, value)))
      return failure();
    typed.setCountIncludePad(true);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Precision
//===----------------------------------------------------------------------===//

template <typename OpTy>
struct FullPrecisionModel
    : PrecisionOpInterface::ExternalModel<FullPrecisionModel<OpTy>, OpTy> {
  bool needsFullPrecision(Operation *) const { return true; }
};

//===----------------------------------------------------------------------===//
// Filled tensors
//===----------------------------------------------------------------------===//

template <typename OpTy>
struct ZerosModel : FilledOpInterface::ExternalModel<ZerosModel<OpTy>, OpTy> {
  bool isFilledWithOnes(Operation *) const { return false; }
};

template <typename OpTy>
struct OnesModel : FilledOpInterface::ExternalModel<OnesModel<OpTy>, OpTy> {
  bool isFilledWithOnes(Operation *) const { return true; }
};

} // namespace

template <template <typename> typename Model, typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void relay::detail::registerPassInterfaces(MLIRContext *context) {
  attach<WindowModel, NNConv1dOp, NNConv2dOp, NNConv3dOp, QNNConv2dOp,
         NNMaxPool1dOp, NNMaxPool2dOp, NNMaxPool3dOp>(context);
  attach<AverageModel, NNAvgPool1dOp, NNAvgPool2dOp, NNAvgPool3dOp>(context);
  // Sums of many elements.
  attach<FullPrecisionModel, SumOp, ProdOp, MeanOp, VarianceOp, CumsumOp,
         CumprodOp, NNGlobalAvgPool2dOp, NNAdaptiveAvgPool1dOp,
         NNAdaptiveAvgPool2dOp, NNAdaptiveAvgPool3dOp, NNLayerNormOp,
         NNInstanceNormOp, NNGroupNormOp, NNL2NormalizeOp, NNCrossEntropyOp,
         NNCrossEntropyWithLogitsOp>(context);
  // Functions with results of a wide range, or that are sensitive to rounding.
  attach<FullPrecisionModel, ExpOp, ErfOp, PowerOp, ArangeOp, NNSoftmaxOp,
         NNLogSoftmaxOp>(context);
  attach<ZerosModel, ZerosOp, ZerosLikeOp>(context);
  attach<OnesModel, OnesOp, OnesLikeOp>(context);
  detail::registerElementSizes(context);
  detail::registerFractions(context);
  // Operators made of others.
  decompositions::registerBits(context);
  decompositions::registerBlocks(context);
  decompositions::registerLosses(context);
  decompositions::registerMarkers(context);
  decompositions::registerPackedProducts(context);
  decompositions::registerRandom(context);
  decompositions::registerSpectra(context);
  decompositions::registerWinograd(context);
  // Integers that stand for floats.
  integers::registerArithmetic(context);
  integers::registerFunctions(context);
  integers::registerMovement(context);
  integers::registerProducts(context);
  // Derivatives.
  gradients::registerConvolutions(context);
  gradients::registerElementwise(context);
  gradients::registerIndexing(context);
  gradients::registerMovement(context);
  gradients::registerNormalization(context);
  gradients::registerPooling(context);
  gradients::registerProducts(context);
  gradients::registerReductions(context);
  gradients::registerResizing(context);
  gradients::registerSampling(context);
  gradients::registerShapes(context);
  gradients::registerSparse(context);
  gradients::registerWindows(context);
}
