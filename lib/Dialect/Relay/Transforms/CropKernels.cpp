//===- CropKernels.cpp - Kernels without what meets padding only ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Interpreter/Tensor.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_CROPKERNELSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// One spatial dimension of a convolution.
struct Axis {
  int64_t size, results, kernel, stride, dilation, before, after;
  /// The elements of the kernel that stay.
  int64_t begin = 0, end = 0;
};

} // namespace

/// Whether element `tap` of the kernel meets data in some window.
static bool meetsData(const Axis &axis, int64_t tap) {
  int64_t first = tap * axis.dilation - axis.before;
  int64_t last = first + (axis.results - 1) * axis.stride;
  if (last < 0 || first >= axis.size)
    return false;
  if (first >= 0)
    return true;
  // The first place that is not before the data.
  int64_t steps = llvm::divideCeil(-first, axis.stride);
  return first + steps * axis.stride < axis.size;
}

/// Finds what stays of the kernel, without windows that begin or end within the
/// data. Returns whether that is less than all.
static bool crop(Axis &axis) {
  axis.end = axis.kernel;
  while (axis.begin + 1 < axis.end && !meetsData(axis, axis.begin) &&
         axis.before - (axis.begin + 1) * axis.dilation >= 0)
    ++axis.begin;
  while (axis.begin + 1 < axis.end && !meetsData(axis, axis.end - 1) &&
         axis.after - (axis.kernel - axis.end + 1) * axis.dilation >= 0)
    --axis.end;
  return axis.begin != 0 || axis.end != axis.kernel;
}

/// Products with zeros are zeros: not of infinities and NaN.
static bool isFinite(Value weight) {
  auto constant = weight.getDefiningOp<ConstantOp>();
  if (!constant)
    return false;
  if (!isa<FloatType>(getElementTypeOrSelf(weight.getType())))
    return true;
  FailureOr<Tensor> tensor =
      Tensor::get(constant.getValue(), [&] { return constant.emitError(); });
  if (failed(tensor))
    return false;
  constexpr int64_t kBlock = 1 << 12;
  SmallVector<double, 0> numbers(kBlock);
  int64_t count = tensor->getNumElements();
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    int64_t size = std::min(kBlock, count - begin);
    tensor->load<double>(begin, 1, size, numbers.data());
    if (!llvm::all_of(ArrayRef(numbers).take_front(size),
                      [](double number) { return std::isfinite(number); }))
      return false;
  }
  return true;
}

template <typename OpTy>
static bool cropKernel(OpTy conv, StringRef letters) {
  auto data = dyn_cast<RankedTensorType>(conv.getData().getType());
  auto weight = dyn_cast<RankedTensorType>(conv.getWeight().getType());
  auto result = dyn_cast<RankedTensorType>(conv.getType());
  FailureOr<SmallVector<int64_t>> dims =
      getUndividedAxes(conv.getDataLayout(), letters);
  FailureOr<SmallVector<int64_t>> kernelDims =
      getUndividedAxes(conv.getKernelLayout(), letters);
  FailureOr<SmallVector<int64_t>> outDims = getUndividedAxes(
      conv.getOutLayout().empty() ? conv.getDataLayout() : conv.getOutLayout(),
      letters);
  FailureOr<Padding> padding = expandPadding(conv.getPadding(), letters.size());
  if (!data || !weight || !result || failed(dims) || failed(kernelDims) ||
      failed(outDims) || failed(padding) || !weight.hasStaticShape())
    return false;

  bool isCropped = false;
  SmallVector<int64_t> begin(weight.getRank(), 0), end(weight.getShape());
  SmallVector<int64_t> before, after, kernelSize;
  for (size_t index = 0; index != letters.size(); ++index) {
    int64_t kernelDim = (*kernelDims)[index];
    Axis axis{data.getDimSize((*dims)[index]),
              result.getDimSize((*outDims)[index]),
              weight.getDimSize(kernelDim),
              conv.getStrides()[index],
              conv.getDilation()[index],
              padding->before[index],
              padding->after[index]};
    if (ShapedType::isDynamic(axis.size) || ShapedType::isDynamic(axis.results))
      return false;
    // Of nothing there is nothing to leave out.
    if (axis.size == 0 || axis.results == 0)
      return false;
    isCropped |= crop(axis);
    begin[kernelDim] = axis.begin;
    end[kernelDim] = axis.end;
    kernelSize.push_back(axis.end - axis.begin);
    before.push_back(axis.before - axis.begin * axis.dilation);
    after.push_back(axis.after - (axis.kernel - axis.end) * axis.dilation);
  }
  if (!isCropped || !isFinite(conv.getWeight()))
    return false;
  OpBuilder builder(conv);
  SmallVector<int64_t> ones(begin.size(), 1);
  conv.setOperand(1, StridedSliceOp::create(builder, conv.getLoc(),
                                            conv.getWeight(), begin, end,
                                            builder.getDenseI64ArrayAttr(ones),
                                            "end", DenseI64ArrayAttr()));
  llvm::append_range(before, after);
  conv.setPadding(before);
  if (conv.getKernelSize())
    conv.setKernelSize(kernelSize);
  return true;
}

namespace {

struct CropKernelsPass final
    : relay::impl::CropKernelsPassBase<CropKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      bool isCropped = false;
      if (auto conv = dyn_cast<NNConv1dOp>(op))
        isCropped = cropKernel(conv, "W");
      else if (auto conv = dyn_cast<NNConv2dOp>(op))
        isCropped = cropKernel(conv, "HW");
      else if (auto conv = dyn_cast<NNConv3dOp>(op))
        isCropped = cropKernel(conv, "DHW");
      numCropped += isCropped;
    });
  }
};

} // namespace
