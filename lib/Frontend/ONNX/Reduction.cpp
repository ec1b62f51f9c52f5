//===- Reduction.cpp - Reductions of ONNX --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// What all reductions share: along which axes, and what becomes of them.
struct Reduction {
  Value data;
  SmallVector<int64_t> axes;
  bool keepDims;
  /// No axes, and the node says that this means to do nothing.
  bool isIdentity = false;
  /// The axes, where they are computed when the model runs.
  std::optional<ComputedAxes> computed;

  static FailureOr<Reduction> get(NodeContext &node);

  template <typename OpT>
  Value create(NodeContext &node, Value value, bool keep) const {
    if (isIdentity)
      return value;
    if (computed)
      return computed->reduce<OpT>(node, value, keep);
    typename OpT::Properties properties;
    properties.axis = node.getBuilder().getDenseI64ArrayAttr(axes);
    properties.keepdims = node.getBuilder().getBoolAttr(keep);
    return node.create<OpT>({value}, properties);
  }
  template <typename OpT>
  Value create(NodeContext &node, Value value) const {
    return create<OpT>(node, value, keepDims);
  }
};

} // namespace

FailureOr<Reduction> Reduction::get(NodeContext &node) {
  Reduction reduction;
  reduction.data = node.getInput(0);
  reduction.keepDims = node.getBool("keepdims", true);
  int64_t rank = node.getRank(reduction.data);
  SmallVector<int64_t> axes;
  // First an attribute, then an input.
  if (node.hasInput(1) && !node.getContents(1)) {
    FailureOr<ComputedAxes> values = ComputedAxes::get(node, 1, rank);
    if (failed(values))
      return failure();
    reduction.computed = *values;
    return reduction;
  }
  if (node.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> values = node.getConstantInts(1);
    if (failed(values))
      return failure();
    axes = *values;
  } else if (std::optional<ArrayRef<int64_t>> values = node.getInts("axes")) {
    axes = llvm::to_vector(*values);
  }
  if (axes.empty() && node.getBool("noop_with_empty_axes", false))
    reduction.isIdentity = true;
  else if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  FailureOr<SmallVector<int64_t>> normalized = node.normalizeAxes(axes, rank);
  if (failed(normalized))
    return failure();
  reduction.axes = *normalized;
  // A scalar is its own sum.
  reduction.isIdentity |= rank == 0;
  return reduction;
}

template <typename OpT>
static LogicalResult convertReduce(NodeContext &node) {
  FailureOr<Reduction> reduction = Reduction::get(node);
  if (failed(reduction))
    return failure();
  return node.setResult(reduction->create<OpT>(node, reduction->data));
}

static LogicalResult convertReduceMean(NodeContext &node) {
  FailureOr<Reduction> reduction = Reduction::get(node);
  if (failed(reduction))
    return failure();
  Value data = reduction->data;
  Type type = node.getElementType(data);
  // Means of means are truncated more than once.
  if (!reduction->computed || isa<FloatType>(type))
    return node.setResult(reduction->create<MeanOp>(node, data));
  Value count = reduction->computed->countElements(node, data);
  return node.setResult(node.create<DivideOp>(
      {reduction->create<SumOp>(node, data), node.castTo(count, type)}));
}

/// Max and Min of booleans are any and all.
template <typename OpT, typename BoolOpT>
static LogicalResult convertReduceExtremum(NodeContext &node) {
  if (node.getInputType(0).getElementType().isInteger(1))
    return convertReduce<BoolOpT>(node);
  return convertReduce<OpT>(node);
}

static LogicalResult convertReduceL1(NodeContext &node) {
  FailureOr<Reduction> reduction = Reduction::get(node);
  if (failed(reduction))
    return failure();
  Value magnitude = node.create<AbsOp>({reduction->data});
  return node.setResult(reduction->create<SumOp>(node, magnitude));
}

static Value createSumOfSquares(NodeContext &node, const Reduction &reduction) {
  Value data = reduction.data;
  return reduction.create<SumOp>(node, node.create<MultiplyOp>({data, data}));
}

/// Roots and logarithms of integers are computed in f64, and truncated.
static FailureOr<Reduction> getFloatReduction(NodeContext &node) {
  FailureOr<Reduction> reduction = Reduction::get(node);
  if (succeeded(reduction) &&
      isa<IntegerType>(node.getElementType(reduction->data)))
    reduction->data =
        node.castTo(reduction->data, node.getBuilder().getF64Type());
  return reduction;
}

static LogicalResult setReduced(NodeContext &node, Value reduced) {
  return node.setResult(
      node.castTo(reduced, node.getInputType(0).getElementType()));
}

static LogicalResult convertReduceL2(NodeContext &node) {
  FailureOr<Reduction> reduction = getFloatReduction(node);
  if (failed(reduction))
    return failure();
  return setReduced(
      node, node.create<SqrtOp>({createSumOfSquares(node, *reduction)}));
}

static LogicalResult convertReduceSumSquare(NodeContext &node) {
  FailureOr<Reduction> reduction = Reduction::get(node);
  if (failed(reduction))
    return failure();
  return node.setResult(createSumOfSquares(node, *reduction));
}

static LogicalResult convertReduceLogSum(NodeContext &node) {
  FailureOr<Reduction> reduction = getFloatReduction(node);
  if (failed(reduction))
    return failure();
  return setReduced(
      node,
      node.create<LogOp>({reduction->create<SumOp>(node, reduction->data)}));
}

static LogicalResult convertReduceLogSumExp(NodeContext &node) {
  FailureOr<Reduction> reduction = getFloatReduction(node);
  if (failed(reduction))
    return failure();
  // The largest exponent is taken out, so that nothing overflows.
  Value data = reduction->data;
  Value largest = reduction->create<MaxOp>(node, data, /*keep=*/true);
  if (!largest)
    return failure();
  // An infinity less itself would be NaN.
  double limit =
      APFloat::getLargest(
          cast<FloatType>(node.getElementType(largest)).getFloatSemantics())
          .convertToDouble();
  ClipOp::Properties finite;
  finite.a_min = node.getBuilder().getF64FloatAttr(-limit);
  finite.a_max = node.getBuilder().getF64FloatAttr(limit);
  largest = node.create<ClipOp>({largest}, finite);
  Value shifted =
      node.create<ExpOp>({node.create<SubtractOp>({data, largest})});
  Value sum = node.create<LogOp>({reduction->create<SumOp>(node, shifted)});
  if (!reduction->keepDims && !reduction->isIdentity)
    largest = reduction->computed ? reduction->computed->squeeze(node, largest)
                                  : node.squeeze(largest, reduction->axes);
  return setReduced(node, node.create<AddOp>({sum, largest}));
}

template <typename OpT>
static LogicalResult convertArg(NodeContext &node) {
  Value data = node.getInput(0);
  FailureOr<int64_t> axis =
      node.normalizeAxis(node.getInt("axis", 0), node.getRank(data));
  if (failed(axis))
    return failure();
  OpBuilder &b = node.getBuilder();
  typename OpT::Properties properties;
  properties.axis = b.getDenseI64ArrayAttr(*axis);
  properties.keepdims = b.getBoolAttr(node.getBool("keepdims", true));
  properties.select_last_index =
      b.getBoolAttr(node.getBool("select_last_index", false));
  Value index = node.create<OpT>({data}, properties);
  return node.setResult(node.castTo(index, b.getI64Type()));
}

void mlir::relay::onnx::addReductionOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert, bool isComposed) {
    table.add({name}, {convert, kOldestOpset, kNewestOpset, 1, 2,
                       /*contentInputs=*/0b10, isComposed});
  };
  auto reduce = [&](StringRef name, OpEntry::Converter convert) {
    add(name, convert, /*isComposed=*/false);
  };
  auto compose = [&](StringRef name, OpEntry::Converter convert) {
    add(name, convert, /*isComposed=*/true);
  };
  reduce("ReduceL1", convertReduceL1);
  compose("ReduceL2", convertReduceL2);
  compose("ReduceLogSum", convertReduceLogSum);
  compose("ReduceLogSumExp", convertReduceLogSumExp);
  reduce("ReduceMax", convertReduceExtremum<MaxOp, AnyOp>);
  reduce("ReduceMean", convertReduceMean);
  reduce("ReduceMin", convertReduceExtremum<MinOp, AllOp>);
  reduce("ReduceProd", convertReduce<ProdOp>);
  reduce("ReduceSum", convertReduce<SumOp>);
  compose("ReduceSumSquare", convertReduceSumSquare);
  table.add({"ArgMax"}, {convertArg<ArgmaxOp>});
  table.add({"ArgMin"}, {convertArg<ArgminOp>});
}
