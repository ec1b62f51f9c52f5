//===- SparseWeights.cpp - Operators with sparse weights ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseWeights.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/PassOptions.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONV2DTOSPARSE2PASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

LogicalResult relay::checkSparseConvolutions(StringRef layout,
                                             int64_t kernelSize,
                                             MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  if (layout != "NHWC" && layout != "NCHW")
    return emitError(loc) << "expects layout to be NHWC or NCHW, but got '"
                          << layout << "'";
  if (kernelSize != 1 && kernelSize != 3)
    return emitError(loc) << "expects kernel-size to be 1 or 3, but got "
                          << kernelSize;
  return success();
}

bool relay::canBeSparse(NNConv2dOp conv, StringRef layout, int64_t kernelSize) {
  auto weight = cast<RankedTensorType>(conv.getWeight().getType());
  StringRef kernel = conv.getKernelLayout();
  FailureOr<Padding> padding = expandPadding(conv.getPadding(), 2);
  bool keepsLayout =
      conv.getOutLayout().empty() || conv.getOutLayout() == layout;
  auto areAll = [](ArrayRef<int64_t> values, int64_t wanted) {
    return llvm::all_of(values, [&](int64_t value) { return value == wanted; });
  };
  return conv.getDataLayout() == layout && keepsLayout && kernel.size() == 4 &&
         weight.getDimSize(kernel.find('H')) == kernelSize &&
         weight.getDimSize(kernel.find('W')) == kernelSize &&
         conv.getGroups() == 1 && areAll(conv.getStrides(), 1) &&
         areAll(conv.getDilation(), 1) && succeeded(padding) &&
         areAll(padding->before, kernelSize / 2) &&
         areAll(padding->after, kernelSize / 2);
}

LogicalResult relay::makeSparse(Operation *op, ValueRange parts) {
  OpBuilder builder(op);
  SmallVector<Value> operands = {op->getOperand(0)};
  llvm::append_range(operands, parts);
  NamedAttrList attributes;
  OperationState state(op->getLoc(), NNSparseDenseOp::getOperationName());
  if (auto conv = dyn_cast<NNConv2dOp>(op)) {
    auto weight = cast<RankedTensorType>(conv.getWeight().getType());
    int64_t size = weight.getDimSize(conv.getKernelLayout().find('H'));
    state = OperationState(op->getLoc(), NNSparseConv2dOp::getOperationName());
    attributes.set("layout", builder.getStringAttr(conv.getDataLayout()));
    attributes.set("kernel_size", builder.getDenseI64ArrayAttr({size, size}));
  }
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(op->getResultTypes());
  Operation *sparse = builder.create(state);
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(sparse).inferReturnTypes(
          op->getContext(), op->getLoc(), sparse->getOperands(),
          sparse->getAttrDictionary(), sparse->getPropertiesStorage(),
          sparse->getRegions(), types)))
    return failure();
  if (types != SmallVector<Type>(op->getResultTypes()))
    return op->emitError("expects a sparse weight that gives ")
           << op->getResult(0).getType() << ", but got one that gives "
           << types.front();
  op->replaceAllUsesWith(sparse->getResults());
  op->erase();
  return success();
}

namespace {

/// A matrix whose blocks of zeros are left out.
struct BlockMatrix {
  SmallVector<float> data;
  SmallVector<int32_t> indices, pointers = {0};
};

struct Conv2dToSparse2Pass final
    : relay::impl::Conv2dToSparse2PassBase<Conv2dToSparse2Pass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  std::optional<BlockMatrix> compress(NNConv2dOp conv);
};

} // namespace

LogicalResult Conv2dToSparse2Pass::initialize(MLIRContext *context) {
  if (failed(checkSparseConvolutions(layout, kernelSize, context)))
    return failure();
  if (blockRows < 1 || blockColumns < 1)
    return emitError(UnknownLoc::get(context))
           << "expects blocks of at least 1 x 1, but got "
           << blockRows.getValue() << " x " << blockColumns.getValue();
  return relay::checkRange<double>(context, sparsity, 0, 1);
}

/// The weight as a matrix of (outputs, kernel row, kernel column, channels);
/// none if it is not constant, too dense, or no multiple of blocks.
std::optional<BlockMatrix> Conv2dToSparse2Pass::compress(NNConv2dOp conv) {
  std::optional<SmallVector<float>> weight = getFloats(conv.getWeight());
  auto type = cast<RankedTensorType>(conv.getWeight().getType());
  if (!weight || weight->empty())
    return std::nullopt;
  int64_t zeros = llvm::count(*weight, 0.0F);
  StringRef kernel = conv.getKernelLayout();
  int64_t rows = type.getDimSize(kernel.find('O'));
  int64_t columns = int64_t(weight->size()) / rows;
  if (double(zeros) < sparsity * double(weight->size()) ||
      rows % blockRows != 0 || columns % blockColumns != 0)
    return std::nullopt;
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
  int64_t channels = type.getDimSize(kernel.find('I'));
  int64_t width = type.getDimSize(kernel.find('W'));
  auto get = [&](int64_t row, int64_t column) {
    int64_t pixel = column / channels;
    return (*weight)[row * strides[kernel.find('O')] +
                     pixel / width * strides[kernel.find('H')] +
                     pixel % width * strides[kernel.find('W')] +
                     column % channels * strides[kernel.find('I')]];
  };
  BlockMatrix matrix;
  for (int64_t row = 0; row != rows; row += blockRows) {
    for (int64_t column = 0; column != columns; column += blockColumns) {
      SmallVector<float> block;
      for (int64_t i = 0; i != blockRows; ++i)
        for (int64_t j = 0; j != blockColumns; ++j)
          block.push_back(get(row + i, column + j));
      // NaN is no zero.
      if (llvm::all_of(block, [](float value) { return value == 0; }))
        continue;
      llvm::append_range(matrix.data, block);
      matrix.indices.push_back(column / blockColumns);
    }
    matrix.pointers.push_back(matrix.indices.size());
  }
  return matrix;
}

void Conv2dToSparse2Pass::runOnOperation() {
  if (isCompiledAsItIs(getOperation()))
    return;
  SmallVector<NNConv2dOp> convs;
  getOperation().walk([&](NNConv2dOp conv) {
    if (canBeSparse(conv, layout, kernelSize))
      convs.push_back(conv);
  });
  for (NNConv2dOp conv : convs) {
    std::optional<BlockMatrix> matrix = compress(conv);
    if (!matrix)
      continue;
    OpBuilder builder(conv);
    Operation *weight = conv.getWeight().getDefiningOp();
    auto create = [&](auto values, ArrayRef<int64_t> shape, Type element) {
      return ConstantOp::create(
                 builder, weight->getLoc(),
                 DenseElementsAttr::get(RankedTensorType::get(shape, element),
                                        ArrayRef(values)))
          .getResult();
    };
    int64_t numBlocks = matrix->indices.size();
    Value parts[] = {create(matrix->data, {numBlocks, blockRows, blockColumns},
                            builder.getF32Type()),
                     create(matrix->indices, {numBlocks}, builder.getI32Type()),
                     create(matrix->pointers,
                            {int64_t(matrix->pointers.size())},
                            builder.getI32Type())};
    if (failed(makeSparse(conv, parts)))
      return signalPassFailure();
    if (weight->use_empty())
      weight->erase();
    ++numReplaced;
  }
}
