//===- Convolution.cpp - Convolutions of ONNX ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "Contrib/Contrib.h"
#include "OpTable.h"
#include "Products.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The window of a convolution of `data` with `weight`.
static FailureOr<Window> getWindow(NodeContext &node, Value data,
                                   Value weight) {
  RankedTensorType type = node.getType(weight);
  int64_t rank = node.getRank(data);
  if (rank < 3 || rank > 5 || type.getRank() != rank) {
    node.emitError()
        << "expects data and weight of the same rank, 3 to 5, but got "
        << data.getType() << " and " << type;
    return failure();
  }
  SmallVector<int64_t> kernel = llvm::to_vector(type.getShape().drop_front(2));
  if (std::optional<ArrayRef<int64_t>> shape = node.getInts("kernel_shape");
      shape && *shape != ArrayRef<int64_t>(kernel)) {
    node.emitError() << "expects kernel_shape to fit the weight, which is "
                     << type;
    return failure();
  }
  return Window::get(node, kernel);
}

static Value addBias(NodeContext &node, Value result, Value bias) {
  if (!bias)
    return result;
  NNBiasAddOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  return node.create<NNBiasAddOp>({result, bias}, properties);
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

template <typename OpT>
static Value createWindowed(NodeContext &node, Value data, Value weight,
                            const Window &window) {
  return node.create<OpT>({data, weight},
                          getConvolutionProperties<OpT>(node, weight, window));
}

/// The last axis of `data` as the second one, or the second one as the last.
static Value moveAxis(NodeContext &node, Value data, bool isForward) {
  if (!data)
    return nullptr;
  int64_t rank = node.getRank(data);
  if (rank < 3) {
    node.emitError() << "expects data of rank 3 or more, but got "
                     << data.getType();
    return nullptr;
  }
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::rotate(order.begin() + 1,
              isForward ? order.end() - 1 : order.begin() + 2, order.end());
  return node.transpose(data, order);
}

Value mlir::relay::onnx::moveChannelsFirst(NodeContext &node, Value data) {
  return moveAxis(node, data, /*isForward=*/true);
}

Value mlir::relay::onnx::moveChannelsLast(NodeContext &node, Value data) {
  return moveAxis(node, data, /*isForward=*/false);
}

Value mlir::relay::onnx::createConvolution(
    NodeContext &node, Value data, Value weight,
    llvm::function_ref<Value(Value, const Window &)> create) {
  if (!data || !weight)
    return nullptr;
  FailureOr<Window> window = getWindow(node, data, weight);
  if (failed(window))
    return nullptr;
  int64_t groups = node.getInt("group", 1);
  if (groups < 1) {
    node.emitError() << "expects group to be positive, but got " << groups;
    return nullptr;
  }
  int64_t channels = node.getType(weight).getDimSize(1);
  int64_t maxGroups = std::numeric_limits<int32_t>::max();
  if (node.getType(data).isDynamicDim(1) && ShapedType::isStatic(channels) &&
      channels <= maxGroups && groups <= maxGroups)
    data = node.expectSize(data, 1, channels * groups);
  data = window->resolveAutoPad(node, data);
  return data ? create(data, *window) : nullptr;
}

Value mlir::relay::onnx::createConvolution(NodeContext &node, Value data,
                                           Value weight) {
  return createConvolution(
      node, data, weight, [&](Value data, const Window &window) {
        switch (window.getRank()) {
        case 1:
          return createWindowed<NNConv1dOp>(node, data, weight, window);
        case 2:
          return createWindowed<NNConv2dOp>(node, data, weight, window);
        default:
          return createWindowed<NNConv3dOp>(node, data, weight, window);
        }
      });
}

Value mlir::relay::onnx::getWeight(NodeContext &node, unsigned index) {
  Value weight = node.getInput(index);
  Type type = node.getInputType(0).getElementType();
  return weight && type.isBF16() && node.getElementType(weight).isF32()
             ? node.castTo(weight, type)
             : weight;
}

static LogicalResult convertConv(NodeContext &node) {
  Value result = createConvolution(node, node.getInput(0), getWeight(node, 1));
  return node.setResult(addBias(node, result, getWeight(node, 2)));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

template <typename OpT>
static Value createTransposed(NodeContext &node, Value data, Value weight,
                              const Window &window,
                              ArrayRef<int64_t> outputPadding) {
  OpBuilder &b = node.getBuilder();
  int64_t groups = node.getInt("group", 1);
  typename OpT::Properties properties;
  properties.strides = window.getStridesAttr(node);
  properties.padding = window.getPaddingAttr(node);
  properties.dilation = window.getDilationsAttr(node);
  properties.output_padding = b.getDenseI64ArrayAttr(outputPadding);
  properties.groups = b.getI64IntegerAttr(groups);
  if (int64_t channels = node.getType(weight).getDimSize(1);
      ShapedType::isStatic(channels))
    properties.channels = b.getI64IntegerAttr(channels * groups);
  properties.kernel_size = b.getDenseI64ArrayAttr(window.kernel);
  return node.create<OpT>({data, weight}, properties);
}

/// Sets the pads so that the result has the sizes that the node asks for.
static LogicalResult
resolveTransposedPads(NodeContext &node, Value data,
                      MutableArrayRef<int64_t> outputPadding, Window &window) {
  int64_t rank = window.getRank();
  std::optional<ArrayRef<int64_t>> outputShape = node.getInts("output_shape");
  bool isSame = window.autoPad != Window::AutoPad::None;
  if (!outputShape && !isSame)
    return success();
  if (outputShape && int64_t(outputShape->size()) != rank)
    return node.emitError()
           << "expects " << rank << " entries in output_shape, but got "
           << outputShape->size();
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t total = saturatingAdd(window.getExtent(axis) - window.strides[axis],
                                  outputPadding[axis]);
    if (outputShape) {
      int64_t size = node.getType(data).getDimSize(axis + 2);
      if (ShapedType::isDynamic(size))
        return node.emitError()
               << "output_shape expects static spatial sizes, but got "
               << data.getType();
      total = saturatingSum({saturatingMultiply(window.strides[axis], size - 1),
                             outputPadding[axis], window.getExtent(axis),
                             -saturate((*outputShape)[axis])});
    }
    // What the result is larger than all windows cover goes to its end.
    if (total < 0) {
      outputPadding[axis] = saturatingAdd(outputPadding[axis], -total);
      total = 0;
    }
    // The odd one goes to the end for SAME_UPPER, to the begin otherwise.
    int64_t small = total / 2, large = total - small;
    bool isUpper = window.autoPad == Window::AutoPad::SameUpper;
    window.padding[axis] = isUpper ? small : large;
    window.padding[rank + axis] = isUpper ? large : small;
  }
  return success();
}

/// The transposed convolution that the attributes of `node` describe, with the
/// pads in `pads` if there are any. Null after an error.
static Value createTransposed(NodeContext &node, ArrayRef<int64_t> pads = {}) {
  Value data = node.getInput(0), weight = getWeight(node, 1);
  FailureOr<Window> window = getWindow(node, data, weight);
  if (failed(window))
    return nullptr;
  int64_t rank = window->getRank();
  if (!pads.empty() && static_cast<int64_t>(pads.size()) != 2 * rank) {
    node.emitError() << "expects " << 2 * rank << " pads, but got "
                     << pads.size();
    return nullptr;
  }
  if (!pads.empty())
    window->padding.assign(pads.begin(), pads.end());
  SmallVector<int64_t> outputPadding(rank, 0);
  if (std::optional<ArrayRef<int64_t>> values = node.getInts("output_padding");
      values && !values->empty())
    outputPadding = llvm::to_vector(*values);
  if (int64_t(outputPadding.size()) != rank) {
    node.emitError() << "expects " << rank
                     << " entries in output_padding, but got "
                     << outputPadding.size();
    return nullptr;
  }
  int64_t groups = node.getInt("group", 1);
  if (groups < 1 || groups > std::numeric_limits<int32_t>::max()) {
    node.emitError() << "expects group to be positive, but got " << groups;
    return nullptr;
  }
  if (node.getType(weight).isDynamicDim(1)) {
    node.emitError() << "expects a weight of static sizes, but got "
                     << weight.getType();
    return nullptr;
  }
  int64_t channels = node.getType(weight).getDimSize(0);
  if (node.getType(data).isDynamicDim(1) && ShapedType::isStatic(channels))
    data = node.expectSize(data, 1, channels);
  if (!data ||
      failed(resolveTransposedPads(node, data, outputPadding, *window)))
    return nullptr;
  if (rank == 1)
    return createTransposed<NNConv1dTransposeOp>(node, data, weight, *window,
                                                 outputPadding);
  if (rank == 2)
    return createTransposed<NNConv2dTransposeOp>(node, data, weight, *window,
                                                 outputPadding);
  return createTransposed<NNConv3dTransposeOp>(node, data, weight, *window,
                                               outputPadding);
}

static LogicalResult convertConvTranspose(NodeContext &node) {
  return node.setResult(
      addBias(node, createTransposed(node), getWeight(node, 2)));
}

/// The same where an input has the pads, which may be known only when the model
/// runs: then the result without pads is cut.
static LogicalResult convertConvTransposeWithDynamicPads(NodeContext &node) {
  StringRef autoPad = node.getString("auto_pad", "NOTSET");
  if (autoPad != "NOTSET")
    return node.emitError()
           << "expects no auto_pad beside pads, but got \"" << autoPad << "\"";
  const ShapeTensor *contents = node.getContents(2);
  if (contents && contents->getConstants()) {
    SmallVector<int64_t> pads = *contents->getConstants();
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    for (int64_t pad : pads)
      if (pad < 0 || pad > most)
        return node.emitError()
               << "expects pads in [0, " << most << "], but got " << pad;
    return node.setResult(
        addBias(node, createTransposed(node, pads), node.getInput(3)));
  }
  Value pads = node.getIntsValue(2);
  Value whole = createTransposed(node);
  if (!pads || !whole)
    return failure();
  int64_t rank = node.getRank(whole) - 2;
  if (node.getType(pads).getDimSize(0) != 2 * rank)
    return node.emitError() << "expects " << 2 * rank << " pads, but got "
                            << node.getType(pads).getDimSize(0);
  Type type = node.getBuilder().getI64Type();
  Value zero = node.createScalar(0, type);
  Value before = node.slice(pads, 0, 0, rank);
  Value after = node.dropFirst(pads, 0, rank);
  Value sizes = node.createSizes(whole, 2, 2 + rank, type);
  // Pads are no more than what there is.
  auto isSize = [&](Value value) {
    return node.create<LogicalAndOp>(
        {node.create<GreaterEqualOp>({value, zero}),
         node.create<LessEqualOp>({value, sizes})});
  };
  Value end = node.create<SubtractOp>({sizes, after});
  Value isRight = node.create<LogicalAndOp>(
      {node.create<LogicalAndOp>({isSize(before), isSize(after)}),
       node.create<LessEqualOp>({before, end})});
  end = node.assertThat(end, isRight, "expects pads within the result");
  DynStridedSliceOp::Properties properties;
  properties.axes = node.getBuilder().getDenseI64ArrayAttr(
      llvm::to_vector(llvm::seq<int64_t>(2, 2 + rank)));
  Value result = node.create<DynStridedSliceOp>(
      {whole, before, end, node.createInts(SmallVector<int64_t>(rank, 1))},
      properties);
  return node.setResult(addBias(node, result, node.getInput(3)));
}

void mlir::relay::onnx::addConvolutionOps(OpTable &table) {
  table.add({"Conv"}, {convertConv, kOldestOpset, kNewestOpset, 2, 3});
  table.add({"ConvTranspose"},
            {convertConvTranspose, kOldestOpset, kNewestOpset, 2, 3});
  addContrib(table, "ConvTransposeWithDynamicPads",
             convertConvTransposeWithDynamicPads, {0, 1, 2}, 4,
             /*isComposed=*/false, /*contentInputs=*/0b100);
}
