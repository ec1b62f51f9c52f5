//===- ComputedAxes.cpp - Axes that are known when a model runs -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

ComputedParts mlir::relay::onnx::createParts(NodeContext &node, Value data,
                                             int64_t axis, Value sizes) {
  OpBuilder &builder = node.getBuilder();
  Type i64 = builder.getI64Type();
  Value total = node.createSize(data, axis);
  if (!sizes || !total)
    return {};
  ComputedParts parts;
  if (node.getRank(sizes) == 0) {
    Value one = node.createScalar(1, i64);
    Value isRight = node.create<GreaterEqualOp>({sizes, one});
    total = node.assertThat(total, isRight, "expects parts of at least 1");
    // The check may come after what would divide by 0, and a part of all
    // elements is as good as a larger one.
    Value most = node.create<MaximumOp>({total, one});
    Value part =
        node.create<MinimumOp>({node.create<MaximumOp>({sizes, one}), most});
    Value rest = node.create<SubtractOp>({part, one});
    parts.count =
        node.create<FloorDivideOp>({node.create<AddOp>({total, rest}), part});
    parts.begins = node.create<MultiplyOp>(
        {parts.count ? node.createRange(parts.count, i64) : nullptr, part});
    parts.ends = node.create<MinimumOp>(
        {node.create<AddOp>({parts.begins, part}), total});
    return parts;
  }
  // The sum of parts that are larger might overflow.
  Value isPart = node.create<LogicalAndOp>(
      {node.create<GreaterEqualOp>({sizes, node.createScalar(0, i64)}),
       node.create<LessEqualOp>({sizes, total})});
  Value isRight = node.create<LogicalAndOp>(
      {node.create<AllOp>({isPart}),
       node.create<EqualOp>({node.create<SumOp>({sizes}), total})});
  CumsumOp::Properties sum;
  sum.axis = builder.getI64IntegerAttr(0);
  auto check = [&](Value value) {
    return node.assertThat(
        value, isRight, "expects parts that are together as long as the axis");
  };
  // Beside sizes, of which there may be none.
  parts.count = check(node.createSize(sizes, 0));
  sizes = check(sizes);
  parts.ends = node.create<CumsumOp>({sizes}, sum);
  parts.begins = node.create<SubtractOp>({parts.ends, sizes});
  return parts;
}

Value mlir::relay::onnx::sliceAt(NodeContext &node, Value value, Value begin,
                                 Value end, int64_t axis) {
  DynStridedSliceOp::Properties properties;
  properties.axes = node.getBuilder().getDenseI64ArrayAttr(axis);
  return node.create<DynStridedSliceOp>(
      {value, begin, end, node.createInts(ArrayRef<int64_t>{1})}, properties);
}

Value mlir::relay::onnx::reshapeTo(NodeContext &node, Value value,
                                   Value sizes) {
  DynReshapeOp::Properties properties;
  properties.allowzero = node.getBuilder().getBoolAttr(true);
  return node.create<DynReshapeOp>({value, sizes}, properties);
}

FailureOr<ComputedAxes> ComputedAxes::get(NodeContext &node, unsigned index,
                                          int64_t rank) {
  ComputedAxes axes;
  axes.rank = rank;
  Value values = node.getIntsValue(index);
  if (!values)
    return failure();
  axes.count = node.getType(values).getDimSize(0);
  if (axes.count > rank) {
    node.emitError() << "expects at most " << rank << " axes, but got "
                     << axes.count;
    return failure();
  }
  Type type = node.getElementType(values);
  Value end = node.createScalar(static_cast<double>(rank), type);
  Value wrapped = node.wrapIndices(values, end);
  wrapped = node.assertThat(wrapped, node.isWithin(wrapped, end),
                            "expects axes in [" + Twine(-rank) + ", " +
                                Twine(rank) + ")");
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(rank));
  Value dims = node.createInts(ArrayRef<int64_t>(all));
  wrapped = node.castTo(wrapped, node.getElementType(dims));
  axes.matches = node.create<EqualOp>(
      {node.expandDims(dims, 1), node.expandDims(wrapped, 0)});
  AnyOp::Properties any;
  any.axis = node.getBuilder().getDenseI64ArrayAttr(1);
  axes.mask = node.create<AnyOp>({axes.matches}, any);
  if (!axes.mask)
    return failure();
  return axes;
}

Value ComputedAxes::pick(NodeContext &node, Value values, Value other) const {
  if (!values)
    return nullptr;
  SumOp::Properties sum;
  sum.axis = node.getBuilder().getDenseI64ArrayAttr(1);
  Value zero = node.createScalar(0, node.getElementType(values));
  Value chosen = node.create<SumOp>(
      {node.create<WhereOp>({matches, node.expandDims(values, 0), zero})}, sum);
  return node.create<WhereOp>({mask, chosen, other});
}

Value ComputedAxes::choose(NodeContext &node, Value value, Value changed,
                           int64_t axis) const {
  Type type = node.getBuilder().getI64Type();
  Value one = node.createScalar(1, type);
  Value isAxis = node.castTo(node.slice(mask, 0, axis, axis + 1), type);
  Value isOther = node.create<SubtractOp>({one, isAxis});
  auto scale = [&](Value factor, Value number) {
    return node.create<MultiplyOp>({factor, number});
  };
  Value before = node.createSizes(changed, axis, axis + 1, type);
  Value behind = node.createSizes(value, axis, axis + 1, type);
  // Either all of the first one, or all of the second.
  Value begin = scale(isOther, before);
  Value end = node.create<AddOp>({before, scale(isOther, behind)});
  return sliceAt(node, node.concatenate({changed, value}, axis), begin, end,
                 axis);
}

Value ComputedAxes::squeeze(NodeContext &node, Value value) const {
  if (!value)
    return nullptr;
  OpBuilder &b = node.getBuilder();
  // Dimensions that are no axes, in order.
  ArgsortOp::Properties sort;
  sort.axis = b.getI64IntegerAttr(0);
  sort.dtype = TypeAttr::get(b.getI64Type());
  Value others =
      node.create<ArgsortOp>({node.castTo(mask, b.getI32Type())}, sort);
  others = node.slice(others, 0, 0, rank - count);
  Value sizes = node.createSizes(value, 0, rank, b.getI64Type());
  return reshapeTo(node, value, node.take(sizes, others, 0));
}

Value ComputedAxes::unsqueeze(NodeContext &node, Value value) const {
  if (!value)
    return nullptr;
  OpBuilder &b = node.getBuilder();
  Type type = b.getI64Type();
  Value one = node.createScalar(1, type);
  if (count == rank)
    return reshapeTo(node, value,
                     node.createInts(SmallVector<int64_t>(rank, 1)));
  // How many dimensions of the value come before each of the result.
  CumsumOp::Properties sum;
  sum.axis = b.getI64IntegerAttr(0);
  sum.exclusive = b.getBoolAttr(true);
  Value positions = node.create<CumsumOp>(
      {node.castTo(node.create<LogicalNotOp>({mask}), type)}, sum);
  Value sizes =
      node.take(node.createSizes(value, 0, rank - count, type), positions, 0);
  return reshapeTo(node, value, node.create<WhereOp>({mask, one, sizes}));
}

Value ComputedAxes::countElements(NodeContext &node, Value value) const {
  Type type = node.getBuilder().getI64Type();
  Value sizes =
      node.create<WhereOp>({mask, node.createSizes(value, 0, rank, type),
                            node.createScalar(1, type)});
  return node.create<ProdOp>({sizes});
}

Value mlir::relay::onnx::getScalar(NodeContext &node, unsigned index,
                                   Type type) {
  if (!node.hasInput(index)) {
    node.emitError() << "expects input " << index << ", which is left out";
    return nullptr;
  }
  Value value = node.materializeInput(index);
  if (!value)
    return nullptr;
  RankedTensorType own = node.getType(value);
  if (!own.hasStaticShape() || own.getNumElements() != 1) {
    node.emitError() << "expects one element in input " << index << " (\""
                     << node.getNode().inputs[index] << "\"), but got " << own;
    return nullptr;
  }
  return node.castTo(node.reshape(value, ArrayRef<int64_t>()), type);
}

Value mlir::relay::onnx::chooseTensor(NodeContext &node, ArrayRef<Value> values,
                                      Value index) {
  if (llvm::is_contained(values, Value()))
    return nullptr;
  Type type = node.getBuilder().getI64Type();
  int64_t rank = node.getRank(values.front());
  SmallVector<Value> flat, sizes, ends;
  Value end = node.createInts(ArrayRef<int64_t>{0});
  for (Value value : values) {
    Value own = node.createSizes(value, 0, rank, type);
    ends.push_back(end);
    end = node.create<AddOp>(
        {end, node.reshape(node.create<ProdOp>({own}), {1})});
    sizes.push_back(node.expandDims(own, 0));
    flat.push_back(node.reshape(value, {-1}));
  }
  ends.push_back(end);
  Value bounds = node.concatenate(ends);
  index = node.reshape(index, {1});
  Value shape = node.reshape(
      node.take(node.concatenate(sizes), index, 0, "fast"), {rank});
  Value next = node.create<AddOp>({index, node.createScalar(1, type)});
  Value part =
      sliceAt(node, node.concatenate(flat), node.take(bounds, index, 0),
              node.take(bounds, next, 0), 0);
  return reshapeTo(node, part, shape);
}
