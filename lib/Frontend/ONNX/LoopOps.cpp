//===- LoopOps.cpp - ONNX operators with graphs ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BatchedScan.h"
#include "ComputedAxes.h"
#include "Loops.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// Whether an input of a graph is declared as a vector, where a scalar is what
/// most have.
static bool isVector(const ValueInfo &info) {
  return info.shape && info.shape->size() == 1;
}

LogicalResult Importer::importLoop(PendingNode &pending) {
  const Node &node = *pending.node;
  const Graph *graph = findGraph(pending, "body");
  if (!graph)
    return failure();
  if (pending.inputs.size() < 2)
    return emitError(node, pending.opset)
           << "expects 2 or more inputs, but got " << pending.inputs.size();
  LoopImporter loop(*this, pending, *graph);
  loop.count = pending.inputs[0];
  loop.condition = pending.inputs[1];
  loop.hasCondition = true;
  loop.firstCarried = 2;
  for (auto [index, binding] : llvm::enumerate(pending.inputs)) {
    if (index < 2)
      continue;
    if (!binding)
      return emitError(node, pending.opset)
             << "expects input " << index << ", which is left out";
    loop.initial.push_back(binding);
  }
  if (failed(loop.checkGraph(pending.inputs.size())))
    return failure();
  loop.isCountVector = isVector(graph->inputs[0]);
  loop.isConditionVector = isVector(graph->inputs[1]);
  loop.makeInputs = [](Binding *number, Binding *condition,
                       ArrayRef<Binding *> carried) -> LoopImporter::Inputs {
    SmallVector<Binding *> inputs = {number, condition};
    llvm::append_range(inputs, carried);
    return inputs;
  };
  return loop.run();
}

namespace {

/// What Scan takes from its inputs.
struct ScanInput {
  Value value;
  int64_t axis;
  bool isReversed;
};

} // namespace

/// Flags of a list with one for each of `count`; all are 0 without it.
static FailureOr<SmallVector<int64_t>>
getPerInput(NodeContext &node, StringRef name, unsigned count) {
  std::optional<ArrayRef<int64_t>> values = node.getInts(name);
  if (node.hasFailed())
    return failure();
  if (!values || values->empty())
    return SmallVector<int64_t>(count, 0);
  if (values->size() != count)
    return node.emitError() << "expects " << count << " numbers in attribute \""
                            << name << "\", but got " << values->size();
  return SmallVector<int64_t>(*values);
}

static FailureOr<SmallVector<int64_t>>
getDirections(NodeContext &node, StringRef name, unsigned count) {
  FailureOr<SmallVector<int64_t>> values = getPerInput(node, name, count);
  if (succeeded(values))
    for (int64_t value : *values)
      if (value != 0 && value != 1)
        return node.emitError() << "expects 0 or 1 in attribute \"" << name
                                << "\", but got " << value;
  return values;
}

/// The part of a scan input that an iteration gets. `number` counts them.
static Value takeSlice(NodeContext &node, const ScanInput &input,
                       std::optional<int64_t> known, Value number,
                       Value count) {
  if (known) {
    int64_t size = node.getType(input.value).getDimSize(input.axis);
    int64_t begin = input.isReversed ? size - 1 - *known : *known;
    return node.squeeze(node.slice(input.value, input.axis, begin, begin + 1),
                        {input.axis});
  }
  if (input.isReversed) {
    Type type = node.getElementType(count);
    number = node.create<SubtractOp>(
        {node.create<SubtractOp>({count, node.createScalar(1, type)}), number});
  }
  TakeOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(input.axis);
  return node.create<TakeOp>({input.value, number}, properties);
}

LogicalResult Importer::importScan(PendingNode &pending) {
  const Graph *graph = findGraph(pending, "body");
  NodeContext node(*this, pending);
  if (!graph)
    return failure();
  if (pending.opset < 9) {
    FailureOr<Node> loop = splitBatch(node, pending, *graph);
    if (failed(loop))
      return failure();
    PendingNode &items = pendingNodes.emplace_back(pending);
    items.node = &madeNodes.emplace_back(std::move(*loop));
    items.opset = items.node->opset;
    if (!items.inputs.front())
      items.inputs.erase(items.inputs.begin());
    return importScan(items);
  }
  int64_t numScanned = node.getInt("num_scan_inputs", 0);
  int64_t numInputs = pending.inputs.size();
  if (node.hasFailed())
    return failure();
  if (numScanned < 1 || numScanned > numInputs)
    return node.emitError()
           << "expects attribute \"num_scan_inputs\" from 1 to "
              "the number of inputs, "
           << numInputs << ", but got " << numScanned;
  LoopImporter loop(*this, pending, *graph);
  for (auto [index, binding] : llvm::enumerate(pending.inputs)) {
    if (!binding)
      return node.emitError()
             << "expects input " << index << ", which is left out";
    if (static_cast<int64_t>(index) < numInputs - numScanned)
      loop.initial.push_back(binding);
  }
  if (failed(loop.checkGraph(numInputs)))
    return failure();

  FailureOr<SmallVector<int64_t>> axes =
      getPerInput(node, "scan_input_axes", numScanned);
  FailureOr<SmallVector<int64_t>> directions =
      getDirections(node, "scan_input_directions", numScanned);
  FailureOr<SmallVector<int64_t>> outputAxes =
      getPerInput(node, "scan_output_axes", loop.numScans);
  FailureOr<SmallVector<int64_t>> outputDirections =
      getDirections(node, "scan_output_directions", loop.numScans);
  if (failed(axes) || failed(directions) || failed(outputAxes) ||
      failed(outputDirections))
    return failure();
  for (auto [axis, direction] : llvm::zip_equal(*outputAxes, *outputDirections))
    loop.scanOutputs.emplace_back(axis, direction != 0);

  SmallVector<ScanInput> inputs;
  // Whether lengths that are known when the model runs are equal.
  Value areEqual;
  for (int64_t i = 0; i != numScanned; ++i) {
    Binding &binding = *pending.inputs[numInputs - numScanned + i];
    if (!isTensor(binding))
      return node.emitError() << "expects tensors to scan, but \""
                              << binding.name << "\" is none";
    if (failed(materialize(binding)))
      return failure();
    FailureOr<int64_t> axis =
        node.normalizeAxis((*axes)[i], getType(binding).getRank());
    if (failed(axis))
      return failure();
    inputs.push_back({binding.value, *axis, (*directions)[i] != 0});
    if (i == 0)
      continue;
    int64_t size = getType(binding).getDimSize(*axis);
    int64_t first = cast<RankedTensorType>(inputs[0].value.getType())
                        .getDimSize(inputs[0].axis);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(first) &&
        size != first)
      return node.emitError()
             << "expects as many elements of all scan inputs, but got " << first
             << " of \"" << pending.inputs[numInputs - numScanned]->name
             << "\" and " << size << " of \"" << binding.name << "\"";
    if (size == first && !ShapedType::isDynamic(size))
      continue;
    Value isEqual =
        node.create<EqualOp>({node.createSize(inputs[0].value, inputs[0].axis),
                              node.createSize(inputs[i].value, *axis)});
    areEqual =
        areEqual ? node.create<LogicalAndOp>({areEqual, isEqual}) : isEqual;
  }

  ShapeScalar size = getDims(inputs[0].value)[inputs[0].axis];
  Binding count;
  count.name = node.getNode().inputs[numInputs - numScanned];
  if (!areEqual)
    count.contents = ShapeTensor{builder.getI64Type(), {}, {size}};
  if (areEqual || !size.getConstant())
    count.value =
        node.reshape(node.createInts(ArrayRef(size)), ArrayRef<int64_t>{});
  if (areEqual)
    count.value = node.assertThat(
        count.value, areEqual, "expects as many elements of all scan inputs");
  if (node.hasFailed())
    return failure();
  loop.count = &count;
  loop.makeInputs = [&](Binding *number, Binding *,
                        ArrayRef<Binding *> carried) -> LoopImporter::Inputs {
    SmallVector<Binding *> all(carried);
    NodeContext here(*this, pending);
    std::optional<int64_t> known = loop.getKnown(number);
    for (const ScanInput &input : inputs) {
      Value slice = takeSlice(here, input, known, number->value, count.value);
      if (!slice)
        return failure();
      all.push_back(loop.createValue(slice));
    }
    for (auto [binding, info] : llvm::zip_equal(all, graph->inputs))
      if (binding->name.empty())
        binding->name = info.name;
    return all;
  };
  return loop.run();
}

void mlir::relay::onnx::addControlFlowOps(OpTable &table) {
  table.addImport(
      "If",
      [](Importer &importer, PendingNode &pending) {
        return importer.importIf(pending);
      },
      kOldestOpset);
  table.addImport(
      "Loop",
      [](Importer &importer, PendingNode &pending) {
        return importer.importLoop(pending);
      },
      kOldestOpset);
  table.addImport(
      "Scan",
      [](Importer &importer, PendingNode &pending) {
        return importer.importScan(pending);
      },
      8);
}
