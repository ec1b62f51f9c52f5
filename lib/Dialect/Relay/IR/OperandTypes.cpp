//===- OperandTypes.cpp - What operators tell of their operands -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/OperandTypeInterface.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Relay/IR/OperandTypeInterface.cpp.inc"

/// The size of dimension `axis`; nothing if there is none.
static std::optional<int64_t> getSize(RankedTensorType type, int64_t axis) {
  if (axis < 0)
    axis += type.getRank();
  if (axis < 0 || axis >= type.getRank())
    return std::nullopt;
  return type.getDimSize(axis);
}

static void complete(Type &type, ArrayRef<int64_t> shape,
                     RankedTensorType data) {
  if (isa<IncompleteType>(type))
    type = RankedTensorType::get(shape, data.getElementType());
}

namespace {

/// All operands but the first are vectors along `axis` of the first.
template <typename OpTy>
struct AlongAxisModel
    : OperandTypeOpInterface::ExternalModel<AlongAxisModel<OpTy>, OpTy> {
  void inferOperandTypes(Operation *op, SmallVectorImpl<Type> &types) const {
    auto data = dyn_cast<RankedTensorType>(types.front());
    if (!data)
      return;
    std::optional<int64_t> size = getSize(data, cast<OpTy>(op).getAxis());
    if (!size)
      return;
    for (Type &type : llvm::drop_begin(types))
      complete(type, *size, data);
  }
};

/// The weight of a convolution has its sizes in the order that its layout says.
template <typename OpTy>
struct ConvModel
    : OperandTypeOpInterface::ExternalModel<ConvModel<OpTy>, OpTy> {
  static constexpr bool isTransposed =
      std::is_same_v<OpTy, NNConv1dTransposeOp> ||
      std::is_same_v<OpTy, NNConv2dTransposeOp> ||
      std::is_same_v<OpTy, NNConv3dTransposeOp>;

  void inferOperandTypes(Operation *op, SmallVectorImpl<Type> &types) const {
    auto conv = cast<OpTy>(op);
    auto data = dyn_cast<RankedTensorType>(types[0]);
    std::optional<int64_t> channels = conv.getChannels();
    auto kernelSize = conv.getKernelSize();
    int64_t groups = conv.getGroups();
    if (!data || !channels || !kernelSize || groups < 1 ||
        kernelSize->empty() || kernelSize->size() > 3)
      return;
    std::string spatial = StringRef("DHW").take_back(kernelSize->size()).str();
    FailureOr<SmallVector<int64_t>> shape =
        shapes::mapShape(std::nullopt, "data_layout", data.getShape(),
                         conv.getDataLayout(), "NC" + spatial);
    if (failed(shape))
      return;
    // What is divided among the groups.
    int64_t in = (*shape)[1];
    int64_t rows = isTransposed ? in : *channels;
    int64_t columns = isTransposed ? *channels : in;
    if (!ShapedType::isDynamic(columns))
      columns /= groups;
    SmallVector<int64_t> weight = {rows, columns};
    llvm::append_range(weight, *kernelSize);
    shape = shapes::mapShape(std::nullopt, "kernel_layout", weight,
                             (isTransposed ? "IO" : "OI") + spatial,
                             conv.getKernelLayout());
    if (succeeded(shape))
      complete(types.back(), *shape, data);
  }
};

/// The weight is that of a convolution; the offset has two values for each of
/// its taps and each pixel of the result.
struct DeformableConvModel
    : OperandTypeOpInterface::ExternalModel<DeformableConvModel,
                                            NNDeformableConv2dOp> {
  void inferOperandTypes(Operation *op, SmallVectorImpl<Type> &types) const {
    ConvModel<NNDeformableConv2dOp>().inferOperandTypes(op, types);
    auto conv = cast<NNDeformableConv2dOp>(op);
    auto data = dyn_cast<RankedTensorType>(types[0]);
    auto kernel = conv.getKernelSize();
    if (!data || !kernel || kernel->size() != 2)
      return;
    auto shape = shapes::mapShape(std::nullopt, "data_layout", data.getShape(),
                                  conv.getDataLayout(), "NCHW");
    if (failed(shape))
      return;
    // One channel for each value: the sizes are those of the result.
    shapes::ConvShape values = {
        conv.getStrides(), conv.getPadding(), conv.getDilation(), *kernel,
        2 * conv.getDeformableGroups() * (*kernel)[0] * (*kernel)[1]};
    shape = shapes::getConvShape(std::nullopt, *shape, values);
    if (failed(shape))
      return;
    shape = shapes::mapShape(std::nullopt, "data_layout", *shape, "NCHW",
                             conv.getDataLayout());
    if (succeeded(shape))
      complete(types[1], *shape, data);
  }
};

/// What tells how to quantise are scalars.
struct SimulatedQuantizeModel
    : OperandTypeOpInterface::ExternalModel<
          SimulatedQuantizeModel, RelayOpAnnotationSimulatedQuantizeOp> {
  void inferOperandTypes(Operation *op, SmallVectorImpl<Type> &types) const {
    auto scalar = RankedTensorType::get({}, Float32Type::get(op->getContext()));
    for (Type &type : llvm::drop_begin(types))
      complete(type, {}, scalar);
  }
};

/// `units` is the number of columns of the second matrix.
template <typename OpTy>
struct MatmulModel
    : OperandTypeOpInterface::ExternalModel<MatmulModel<OpTy>, OpTy> {
  void inferOperandTypes(Operation *op, SmallVectorImpl<Type> &types) const {
    auto matmul = cast<OpTy>(op);
    auto data = dyn_cast<RankedTensorType>(types[0]);
    std::optional<int64_t> units = matmul.getUnits();
    if (!data || !units)
      return;
    bool transposeA = false, transposeB = true;
    if constexpr (std::is_same_v<OpTy, NNMatmulOp>) {
      transposeA = matmul.getTransposeA();
      transposeB = matmul.getTransposeB();
    }
    std::optional<int64_t> reduced = getSize(data, transposeA ? -2 : -1);
    if (!reduced)
      return;
    if (transposeB)
      complete(types[1], {*units, *reduced}, data);
    else
      complete(types[1], {*reduced, *units}, data);
  }
};

} // namespace

void relay::detail::registerOperandTypes(MLIRContext *context) {
  NNBiasAddOp::attachInterface<AlongAxisModel<NNBiasAddOp>>(*context);
  NNPreluOp::attachInterface<AlongAxisModel<NNPreluOp>>(*context);
  NNBatchNormOp::attachInterface<AlongAxisModel<NNBatchNormOp>>(*context);
  NNLayerNormOp::attachInterface<AlongAxisModel<NNLayerNormOp>>(*context);
  NNGroupNormOp::attachInterface<AlongAxisModel<NNGroupNormOp>>(*context);
  NNInstanceNormOp::attachInterface<AlongAxisModel<NNInstanceNormOp>>(*context);
  NNConv1dOp::attachInterface<ConvModel<NNConv1dOp>>(*context);
  NNConv2dOp::attachInterface<ConvModel<NNConv2dOp>>(*context);
  NNConv3dOp::attachInterface<ConvModel<NNConv3dOp>>(*context);
  NNConv1dTransposeOp::attachInterface<ConvModel<NNConv1dTransposeOp>>(
      *context);
  NNConv2dTransposeOp::attachInterface<ConvModel<NNConv2dTransposeOp>>(
      *context);
  NNConv3dTransposeOp::attachInterface<ConvModel<NNConv3dTransposeOp>>(
      *context);
  NNDeformableConv2dOp::attachInterface<DeformableConvModel>(*context);
  RelayOpAnnotationSimulatedQuantizeOp::attachInterface<SimulatedQuantizeModel>(
      *context);
  NNDenseOp::attachInterface<MatmulModel<NNDenseOp>>(*context);
  NNMatmulOp::attachInterface<MatmulModel<NNMatmulOp>>(*context);
}
