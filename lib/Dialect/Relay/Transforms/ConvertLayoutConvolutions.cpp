//===- ConvertLayoutConvolutions.cpp - Convolutions in other layouts ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutAttributes.h"
#include "ConvertLayoutRules.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// How `layout` is to be permuted.
static std::optional<Order> getOrder(StringRef layout, StringRef target) {
  Order order;
  for (char letter : target)
    order.push_back(layout.find(letter));
  if (!isPermutationVector(order) || order.size() != layout.size())
    return std::nullopt;
  return canonicalOrder(order);
}

/// Whether each channel of the data has kernels of its own.
static bool isDepthwise(Operation *op) {
  auto groups = getInt(op, "groups").value_or(1);
  auto type = cast<RankedTensorType>(op->getOperand(1).getType());
  size_t axis = getString(op, "kernel_layout").find('O');
  return groups > 1 && getConvolutionChannels(op) == groups &&
         axis < static_cast<size_t>(type.getRank()) &&
         type.getDimSize(axis) == groups;
}

static bool isTransposed(Operation *op) {
  return isa<NNConv1dTransposeOp, NNConv2dTransposeOp, NNConv3dTransposeOp,
             QNNConv2dTransposeOp>(op);
}

/// The usual layout of the kernel for one of the data; "" for data of neither
/// channels first nor channels last.
static std::string getDefaultKernelLayout(Operation *op, StringRef data) {
  if (data.starts_with("NC"))
    return ((isTransposed(op) ? "IO" : "OI") + data.drop_front(2)).str();
  if (!data.starts_with("N") || !data.ends_with("C"))
    return "";
  bool isOutputFirst = isa<NNConv3dTransposeOp>(op) ||
                       (isa<NNConv2dOp, QNNConv2dOp>(op) && isDepthwise(op));
  return (data.drop_front().drop_back() + (isOutputFirst ? "OI" : "IO")).str();
}

std::optional<OperatorForm>
relay::inferDesiredForm(Operation *op, const DesiredLayout &desired) {
  if (!getConvolutionRank(op)) {
    auto order = getOrder(getString(op, "layout"), desired.data);
    if (!order || order->empty())
      return std::nullopt;
    return inferForm(op, /*index=*/0, *order);
  }
  StringRef layout = getString(op, "data_layout");
  StringRef outLayout = getString(op, "out_layout");
  StringRef kernelLayout = getString(op, "kernel_layout");
  auto data = getOrder(layout, desired.data);
  auto result = getOrder(outLayout.empty() ? layout : outLayout, desired.data);
  std::string newKernel = desired.kernel == kDefaultLayout
                              ? getDefaultKernelLayout(op, desired.data)
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

int64_t relay::getConvolutionRank(Operation *op) {
  if (isa<NNConv1dOp, NNConv1dTransposeOp>(op))
    return 1;
  if (isa<NNConv2dOp, NNConv2dTransposeOp>(op) ||
      isa<QNNConv2dOp, QNNConv2dTransposeOp>(op))
    return 2;
  return isa<NNConv3dOp, NNConv3dTransposeOp>(op) ? 3 : 0;
}

int64_t relay::getConvolutionChannels(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  size_t axis = getString(op, "data_layout").find('C');
  return axis < static_cast<size_t>(type.getRank()) ? type.getDimSize(axis)
                                                    : ShapedType::kDynamic;
}

double relay::getConvolutionWork(Operation *op) {
  if (!getConvolutionRank(op))
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
  size_t axis =
      getString(op, "kernel_layout").find(isTransposed(op) ? 'I' : 'O');
  auto weightType = cast<RankedTensorType>(weight.getType());
  if (axis >= static_cast<size_t>(weightType.getRank()))
    return 0;
  int64_t channels = weightType.getDimSize(axis);
  if (ShapedType::isDynamic(channels))
    channels = kTypicalSize;
  double elements =
      count(isTransposed(op) ? op->getOperand(0) : op->getResult(0));
  return 2 * elements * count(weight) / std::max<int64_t>(channels, 1);
}
