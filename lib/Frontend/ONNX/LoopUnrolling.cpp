//===- LoopUnrolling.cpp - Loops of few iterations ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that ends, as far as is known at import, after few iterations is these
// iterations, one after the other. Executors that have no loops run it, and
// values may be of another shape in each.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Loops.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// A loop whose iterations have that many nodes in all at most is unrolled.
static constexpr int64_t kMaxUnrolledNodes = 512;
static constexpr int64_t kMaxUnrolledTrips = 64;

FailureOr<bool> LoopImporter::unroll() {
  std::optional<int64_t> trips = getKnown(count);
  bool isEmpty = (trips && *trips <= 0) || getKnown(condition) == int64_t(0);
  if (isEmpty) {
    trips = 0;
  } else if ((count && !trips) || (condition && !getKnown(condition))) {
    return false;
  }
  int64_t maxTrips =
      std::min(kMaxUnrolledTrips,
               kMaxUnrolledNodes / std::max<int64_t>(1, countNodes(graph)));
  if (trips && *trips > maxTrips)
    return false;

  // In a block of its own, to be dropped if the end is not in sight.
  auto block = std::make_unique<Block>();
  SmallVector<Binding *> carried = initial;
  std::vector<SmallVector<Binding *>> rows(numScans);
  bool isDone = false;
  LogicalResult built = importer.buildInBlock(*block, [&]() -> LogicalResult {
    for (int64_t i = 0;; ++i) {
      if (trips && i >= *trips) {
        isDone = true;
        return success();
      }
      if (i == maxTrips)
        return success();
      FailureOr<SmallVector<Binding *>> outputs = importIteration(
          createNumber(i, builder.getI64Type(), isCountVector),
          createNumber(1, builder.getI1Type(), isConditionVector), carried);
      if (failed(outputs))
        return failure();
      ArrayRef<Binding *> rest = *outputs;
      std::optional<int64_t> goesOn = 1;
      if (hasCondition) {
        if (failed(importer.checkCondition(pending, *rest.front())))
          return failure();
        goesOn = getKnown(rest.front());
        rest = rest.drop_front();
      }
      carried.assign(rest.begin(), rest.begin() + initial.size());
      for (auto [row, output] :
           llvm::zip_equal(rows, rest.drop_front(initial.size()))) {
        if (failed(importer.materialize(*output)))
          return failure();
        row.push_back(output);
      }
      if (!goesOn)
        return success();
      if (*goesOn == 0) {
        isDone = true;
        return success();
      }
    }
  });
  if (failed(built))
    return failure();
  if (!isDone) {
    importer.eraseBlock(std::move(block));
    return false;
  }
  Block *here = builder.getInsertionBlock();
  here->getOperations().splice(here->end(), block->getOperations());
  if (failed(bindUnrolled(carried, rows)))
    return failure();
  return true;
}

LogicalResult
LoopImporter::bindUnrolled(ArrayRef<Binding *> carried,
                           ArrayRef<SmallVector<Binding *>> rows) {
  SmallVector<Binding *> outputs(carried);
  NodeContext node(importer, pending);
  std::optional<SmallVector<ValueKind>> kinds;
  for (auto [index, row] : llvm::enumerate(rows)) {
    if (collectsLists) {
      outputs.push_back(importer.createBinding(""));
      outputs.back()->known = KnownElements{row};
      continue;
    }
    Value result;
    if (!row.empty()) {
      SmallVector<Value> values;
      for (Binding *binding : row)
        values.push_back(binding->value);
      StackOp::Properties properties;
      properties.axis = builder.getI64IntegerAttr(0);
      if (failed(checkRow(index, values.front().getType())))
        return failure();
      result = node.create<StackOp>(values, properties);
    } else {
      if (!kinds) {
        kinds = findKinds();
        if (!kinds)
          return failure();
      }
      result = createEmpty(node, (*kinds)[index]);
    }
    result = finishScan(node, index, result);
    if (!result)
      return failure();
    outputs.push_back(createValue(result));
  }
  return importer.bindOutputs(*pending.node, *pending.frame, outputs);
}

LogicalResult LoopImporter::checkRow(unsigned index, Type type) {
  if (isa<RankedTensorType>(type))
    return success();
  return emitError()
         << "expects tensors for scan outputs, but \""
         << graph.outputs[graph.outputs.size() - numScans + index].name
         << "\" of body is " << type;
}

/// What iterations give that never happen.
std::optional<SmallVector<ValueKind>> LoopImporter::findKinds() {
  auto block = std::make_unique<Block>();
  SmallVector<ValueKind> kinds;
  LogicalResult built = importer.buildInBlock(*block, [&]() -> LogicalResult {
    FailureOr<SmallVector<Binding *>> outputs = importIteration(
        createNumber(0, builder.getI64Type(), isCountVector),
        createNumber(1, builder.getI1Type(), isConditionVector), initial);
    if (failed(outputs))
      return failure();
    for (auto [index, output] :
         llvm::enumerate(ArrayRef(*outputs).take_back(numScans))) {
      if (failed(importer.materialize(*output)) ||
          failed(checkRow(index, output->value.getType())))
        return failure();
      kinds.push_back(ValueKind::get(importer, output->value));
    }
    return success();
  });
  importer.eraseBlock(std::move(block));
  if (failed(built))
    return std::nullopt;
  return kinds;
}

/// No rows of a kind. Open sizes are those of tensors that are there, such as
/// the batch of what is scanned, or else 0: nobody knows them.
Value LoopImporter::createEmpty(NodeContext &node, const ValueKind &kind) {
  auto type = cast<RankedTensorType>(kind.type);
  SmallVector<int64_t> shape = {0};
  SmallVector<ShapeScalar> sizes = {ShapeScalar::get(0)};
  bool isKnown = true;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    bool isOpen = ShapedType::isDynamic(size);
    shape.push_back(isOpen ? 0 : size);
    sizes.push_back(ShapeScalar::get(shape.back()));
    if (isOpen && index < kind.dims.size() &&
        importer.findDimension(kind.dims[index])) {
      sizes.back() = kind.dims[index];
      isKnown = false;
    }
  }
  if (!isKnown) {
    DynZerosOp::Properties properties;
    properties.dtype = TypeAttr::get(type.getElementType());
    return node.create<DynZerosOp>({node.createInts(sizes)}, properties);
  }
  return node.createConstant(DenseElementsAttr::get(
      RankedTensorType::get(shape, type.getElementType()),
      ArrayRef<Attribute>()));
}

/// A scan output, whose first axis are the iterations, as the node wants it.
Value LoopImporter::finishScan(NodeContext &node, unsigned index, Value value) {
  if (!value || scanOutputs.empty())
    return value;
  auto [axis, isReversed] = scanOutputs[index];
  int64_t rank = node.getRank(value);
  FailureOr<int64_t> normalized = node.normalizeAxis(axis, rank);
  if (failed(normalized))
    return nullptr;
  if (isReversed) {
    ReverseOp::Properties properties;
    properties.axis = builder.getI64IntegerAttr(0);
    value = node.create<ReverseOp>({value}, properties);
  }
  if (*normalized == 0)
    return value;
  SmallVector<int64_t> order;
  for (int64_t i = 1; i < rank; ++i)
    order.push_back(i);
  order.insert(order.begin() + *normalized, 0);
  return node.transpose(value, order);
}
