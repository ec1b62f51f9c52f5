//===- ConvertLayoutConvolutions.cpp - Convolutions in other layouts ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutAttributes.h"
#include "ConvertLayoutRules.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

std::optional<OperatorForm>
relay::inferDesiredForm(Operation *op, const DesiredLayout &desired) {
  if (!getConvolutionRank(op))
    return std::nullopt;
  /// How `layout` is to be permuted.
  auto getOrder = [](StringRef layout,
                     StringRef target) -> std::optional<Order> {
    Order order;
    for (char letter : target)
      order.push_back(layout.find(letter));
    if (!isPermutationVector(order) || order.size() != layout.size())
      return std::nullopt;
    return canonicalOrder(order);
  };
  StringRef layout = getString(op, "data_layout");
  StringRef outLayout = getString(op, "out_layout");
  StringRef kernelLayout = getString(op, "kernel_layout");
  auto data = getOrder(layout, desired.data);
  auto result = getOrder(outLayout.empty() ? layout : outLayout, desired.data);
  auto kernel = getOrder(kernelLayout, desired.kernel.empty()
                                           ? kernelLayout
                                           : StringRef(desired.kernel));
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
      op->getName().getStringRef() == "relay.qnn.conv2d")
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
  bool isTransposed =
      isa<NNConv1dTransposeOp, NNConv2dTransposeOp, NNConv3dTransposeOp>(op);
  Value weight = op->getOperand(1);
  size_t axis = getString(op, "kernel_layout").find(isTransposed ? 'I' : 'O');
  auto weightType = cast<RankedTensorType>(weight.getType());
  if (axis >= static_cast<size_t>(weightType.getRank()))
    return 0;
  int64_t channels = weightType.getDimSize(axis);
  if (ShapedType::isDynamic(channels))
    channels = kTypicalSize;
  double elements = count(isTransposed ? op->getOperand(0) : op->getResult(0));
  return 2 * elements * count(weight) / std::max<int64_t>(channels, 1);
}
