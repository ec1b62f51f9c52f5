//===- MaxUnpool.cpp - The inverse of maxima of ONNX ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "OpTable.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The inverse of MaxPool: each number goes to its index, all else is 0.
/// Where a size is open.
static LogicalResult unpoolOpen(NodeContext &node, Value data, Value indices,
                                const Window &window) {
  Type i64 = node.getBuilder().getI64Type();
  int64_t rank = node.getRank(data);
  for (int64_t axis = 0; axis < rank; ++axis)
    node.expectEqualSizes(data, axis, indices, axis);
  if (!data || !indices)
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Value sizes;
  if (node.hasInput(2)) {
    sizes = node.getIntsValue(2);
    if (!sizes)
      return failure();
    if (node.getType(sizes).getDimSize(0) != rank)
      return node.emitError()
             << "expects " << rank << " sizes in output_shape, but got "
             << node.getType(sizes).getDimSize(0);
    const ShapeTensor *known = node.getContents(2);
    for (auto [axis, dim] : llvm::enumerate(dims))
      dim = known ? known->elements[axis] : ShapeScalar();
  } else {
    // A size grows by the steps, and by what a window has besides.
    SmallVector<int64_t> factors(rank, 1), rests(rank, 0);
    for (int64_t axis = 2; axis < rank; ++axis) {
      int64_t place = axis - 2;
      factors[axis] = window.strides[place];
      rests[axis] = window.kernel[place] - window.strides[place] -
                    window.padding[place] - window.padding[rank - 2 + place];
      ShapeScalar size =
          multiplySizes(dims[axis], ShapeScalar::get(factors[axis]));
      dims[axis] = addSizes(size, ShapeScalar::get(rests[axis]));
    }
    sizes = node.create<AddOp>(
        {node.create<MultiplyOp>({node.createSizes(data, 0, rank, i64),
                                  node.createInts(ArrayRef(factors))}),
         node.createInts(ArrayRef(rests))});
  }
  Value count = node.expandDims(node.create<ProdOp>({sizes}), 0);
  DynZerosOp::Properties zeros;
  zeros.dtype = TypeAttr::get(node.getElementType(data));
  ScatterElementsOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(0);
  properties.reduction = node.getBuilder().getStringAttr("update");
  Value result = node.create<ScatterElementsOp>(
      {node.create<DynZerosOp>({count}, zeros),
       node.reshape(indices, ArrayRef<int64_t>{-1}),
       node.reshape(data, ArrayRef<int64_t>{-1})},
      properties);
  return node.setResult(node.refineDims(reshapeTo(node, result, sizes), dims));
}

static LogicalResult convertMaxUnpool(NodeContext &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  RankedTensorType type = node.getType(data);
  RankedTensorType places = node.getType(indices);
  int64_t rank = type.getRank();
  bool isStatic = type.hasStaticShape() && places.hasStaticShape();
  if (rank < 3 || places.getRank() != rank ||
      (isStatic && type.getShape() != places.getShape()))
    return node.emitError()
           << "expects data of rank 3 or more and indices of the same shape, "
              "but got "
           << type << " and " << places;
  std::optional<ArrayRef<int64_t>> kernel = node.getInts("kernel_shape");
  if (!kernel || static_cast<int64_t>(kernel->size()) != rank - 2)
    return node.emitError() << "expects attribute \"kernel_shape\" with "
                            << rank - 2 << " entries";
  FailureOr<Window> window = Window::get(node, *kernel);
  if (failed(window))
    return failure();
  // Those of a scatter may count from the end.
  indices =
      node.assertNotNegative(indices, "expects indices that are not negative");
  if (!indices)
    return failure();
  const ShapeTensor *given = node.hasInput(2) ? node.getContents(2) : nullptr;
  if (!isStatic || (node.hasInput(2) && (!given || !given->getConstants())))
    return unpoolOpen(node, data, indices, *window);
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  if (node.hasInput(2)) {
    // Indices are those of a tensor of this shape, as in ONNX Runtime.
    FailureOr<SmallVector<int64_t>> sizes = node.getConstantInts(2);
    if (failed(sizes))
      return failure();
    if (sizes->size() != shape.size())
      return node.emitError()
             << "expects " << shape.size() << " sizes in output_shape, but got "
             << sizes->size();
    shape = *sizes;
  } else {
    for (int64_t axis = 0; axis < rank - 2; ++axis)
      shape[axis + 2] = saturatingSum(
          {saturatingMultiply(shape[axis + 2] - 1, window->strides[axis]),
           window->kernel[axis], -window->padding[axis],
           -window->padding[rank - 2 + axis]});
  }
  for (int64_t size : shape)
    if (size < 0)
      return node.emitError()
             << "expects a result of sizes that are not negative, but got "
             << size;
  auto resultType = RankedTensorType::get(shape, type.getElementType());
  if (failed(checkTensorLimits([&] { return node.emitError(); }, resultType)))
    return failure();
  int64_t count = resultType.getNumElements();
  if (count == 0 && type.getNumElements() != 0)
    return node.emitError() << "expects a place for each element of " << type
                            << ", but got none";
  ShapeScalar size = ShapeScalar::get(count);
  Value zeros =
      node.broadcast(node.createScalar(0, type.getElementType()), {size});
  ScatterElementsOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(0);
  properties.reduction = node.getBuilder().getStringAttr("update");
  int64_t elements = type.getNumElements();
  Value flat = node.create<ScatterElementsOp>(
      {zeros, node.reshape(indices, ArrayRef<int64_t>{elements}),
       node.reshape(data, ArrayRef<int64_t>{elements})},
      properties);
  return node.setResult(node.reshape(flat, ArrayRef<int64_t>(shape)));
}

void mlir::relay::onnx::addMaxUnpoolOps(OpTable &table) {
  table.add({"MaxUnpool"}, {convertMaxUnpool, 9, kNewestOpset, 2, 3,
                            /*contentInputs=*/0b100});
}
