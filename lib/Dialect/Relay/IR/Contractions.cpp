//===- Contractions.cpp - Convolutions and products as such ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operators tell passes of how they compute: ContractionOpInterface and
// BroadcastOpInterface.
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

SmallVector<int64_t> relay::detail::getSummedKernelAxes(Operation *op) {
  StringRef layout = cast<ConvolutionOpInterface>(op).getKernelLayout();
  int64_t out = layout.find('O');
  SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis != getTensorType(op->getOperand(1)).getRank();
       ++axis)
    if (axis != out)
      axes.push_back(axis);
  return axes;
}

static bool isPlainLayout(StringRef layout) {
  return llvm::all_of(layout, llvm::isAlpha) &&
         llvm::none_of(layout, llvm::isLower);
}

std::optional<ChannelAxes>
relay::detail::getConvolutionChannels(Operation *op) {
  auto conv = cast<ConvolutionOpInterface>(op);
  StringRef layout = conv.getDataLayout(), kernel = conv.getKernelLayout();
  StringRef outLayout =
      conv.getOutLayout().empty() ? layout : conv.getOutLayout();
  if (!isPlainLayout(layout) || !isPlainLayout(kernel) ||
      !isPlainLayout(outLayout))
    return std::nullopt;
  ChannelAxes axes{int64_t(layout.find('C')), int64_t(outLayout.find('C')),
                   int64_t(kernel.find('I')), int64_t(kernel.find('O'))};
  // Of a depthwise weight, O may have less than the channels of the result.
  int64_t outputs = getTensorType(op->getOperand(1)).getDimSize(axes.weightOut);
  if (outputs != getTensorType(op->getResult(0)).getDimSize(axes.result))
    return std::nullopt;
  if (conv.getGroups() != 1) {
    // Of depthwise ones, the channels of the data are those of the result.
    int64_t inputs = getTensorType(op->getOperand(0)).getDimSize(axes.data);
    bool isDepthwise = conv.getGroups() == outputs && inputs == outputs;
    axes.weightIn = isDepthwise ? std::optional(axes.weightOut) : std::nullopt;
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

SmallVector<int64_t> NNDenseOp::getSummedWeightAxes() { return {1}; }

std::optional<ChannelAxes> NNDenseOp::getChannelAxes() {
  return ChannelAxes{getTensorType(getData()).getRank() - 1,
                     getTensorType(getResult()).getRank() - 1, /*weightIn=*/1,
                     /*weightOut=*/0};
}

SmallVector<int64_t> NNMatmulOp::getSummedWeightAxes() {
  int64_t rank = getTensorType(getTensorB()).getRank();
  return {getTransposeB() ? rank - 1 : rank - 2};
}

SmallVector<int64_t> NNBatchMatmulOp::getSummedWeightAxes() {
  return {getTransposeB() ? 2 : 1};
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

std::optional<int64_t>
relay::detail::getBroadcastAxis(Operation *op, unsigned index, int64_t axis) {
  RankedTensorType result = getTensorType(op->getResult(0));
  RankedTensorType type = getTensorType(op->getOperand(index));
  int64_t operandAxis = axis - (result.getRank() - type.getRank());
  return operandAxis < 0 ? std::nullopt : std::optional(operandAxis);
}

std::optional<int64_t> NNBiasAddOp::getOperandAxis(unsigned index,
                                                   int64_t axis) {
  if (index == 0)
    return axis;
  int64_t biasAxis = getAxis();
  biasAxis += biasAxis < 0 ? getTensorType(getResult()).getRank() : 0;
  return biasAxis == axis ? std::optional<int64_t>(0) : std::nullopt;
}
