//===- ConvertLayoutConvolutions.cpp - Layouts that are asked for ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutPlan.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::relay;

/// How `layout` is to be permuted.
static std::optional<DimOrder> getOrder(StringRef layout, StringRef target) {
  DimOrder order;
  for (char letter : target)
    order.push_back(layout.find(letter));
  if (!isPermutationVector(order) || order.size() != layout.size())
    return std::nullopt;
  return canonicalOrder(order);
}

std::optional<OperatorForm>
relay::inferDesiredForm(Operation *op, const DesiredLayout &desired) {
  auto spatial = cast<SpatialOpInterface>(op);
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  StringRef layout = spatial.getDataLayout();
  auto data = getOrder(layout, desired.data);
  if (!conv) {
    if (!data || data->empty())
      return std::nullopt;
    return cast<LayoutOpInterface>(op).inferForm(/*index=*/0, *data);
  }
  StringRef outLayout = conv.getOutLayout();
  StringRef kernelLayout = conv.getKernelLayout();
  auto result = getOrder(outLayout.empty() ? layout : outLayout, desired.data);
  std::string newKernel = desired.kernel == kDefaultLayout
                              ? conv.getUsualKernelLayout(desired.data)
                              : desired.kernel;
  auto kernel = getOrder(
      kernelLayout, newKernel.empty() ? kernelLayout : StringRef(newKernel));
  if (!data || !result || !kernel ||
      (data->empty() && result->empty() && kernel->empty()))
    return std::nullopt;
  OperatorForm form;
  form.operands.resize(op->getNumOperands());
  form.operands[0] = *data;
  form.operands[1] = *kernel;
  form.result = *result;
  return form;
}

int64_t relay::getConvolutionChannels(Operation *op) {
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  if (!conv)
    return ShapedType::kDynamic;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  size_t axis = conv.getDataLayout().find('C');
  return axis < static_cast<size_t>(type.getRank()) ? type.getDimSize(axis)
                                                    : ShapedType::kDynamic;
}

double relay::getConvolutionWork(Operation *op) {
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  if (!conv)
    return 0;
  auto count = [](Value value) {
    double total = 1;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
      total *= ShapedType::isDynamic(size) ? kTypicalSize : size;
    return total;
  };
  // Each element of the result takes the weights of one output channel; one of
  // the data of a transposed convolution goes to those of one input channel.
  Value weight = op->getOperand(1);
  size_t axis = conv.getKernelLayout().find(conv.isTransposed() ? 'I' : 'O');
  auto weightType = cast<RankedTensorType>(weight.getType());
  if (axis >= static_cast<size_t>(weightType.getRank()))
    return 0;
  int64_t channels = weightType.getDimSize(axis);
  if (ShapedType::isDynamic(channels))
    channels = kTypicalSize;
  double elements =
      count(conv.isTransposed() ? op->getOperand(0) : op->getResult(0));
  return 2 * elements * count(weight) / std::max<int64_t>(channels, 1);
}
