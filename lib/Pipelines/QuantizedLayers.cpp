//===- QuantizedLayers.cpp - What quantization makes of products ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/QuantizedLayers.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"
#include "relay-mlir/Dialect/Relay/IR/ValueNumbers.h"
#include "relay-mlir/Dialect/Target/IR/ByteProducts.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::relay;

using SimulatedQuantizeOp = RelayOpAnnotationSimulatedQuantizeOp;

/// The first name in a location.
static std::string getName(Location loc) {
  std::string name;
  loc->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name;
}

/// Whether a module in floats, or in operators of qnn, has a product there.
static bool isProduct(Operation *op) {
  auto fusion = dyn_cast<FusionPatternOpInterface>(op);
  if (fusion && op->hasTrait<OnQuantized>())
    return fusion.getFusionPattern() == OpPatternKind::OutEWiseFusable &&
           cast<RankedTensorType>(op->getOperand(1).getType()).getRank() > 1;
  auto quantizable = dyn_cast<QuantizeOpInterface>(op);
  return quantizable &&
         (quantizable.getQuantizeRole() == QuantizeRole::Contraction ||
          quantizable.getQuantizeRole() == QuantizeRole::MatrixProduct);
}

/// The value whose maxima a value is, which have its scale; also through
/// operators that only move elements, if `isMoved`.
static Value getSourceOfMaxima(Value value, bool isMoved) {
  auto op = value.getDefiningOp<QuantizeOpInterface>();
  while (op && (op.getQuantizeRole() == QuantizeRole::Narrow ||
                (isMoved && op.getQuantizeRole() == QuantizeRole::Same))) {
    value = op->getOperand(0);
    op = value.getDefiningOp<QuantizeOpInterface>();
  }
  return value;
}

/// Whether an operator is a constant that annotation has added: a scale or a
/// bound.
static bool isParameter(Operation *op) {
  return isa<ConstantOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           return isa<SimulatedQuantizeOp>(use.getOwner()) &&
                  use.getOperandNumber() != 0;
         });
}

std::vector<SimulatedValue> relay::getSimulatedValues(ModuleOp module) {
  std::vector<SimulatedValue> result;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return result;
  // Annotation adds constants and what reads them.
  DenseMap<Value, int64_t> numbers;
  for (BlockArgument argument : main.getArguments())
    numbers.try_emplace(argument, numbers.size());
  main.walk([&](Operation *op) {
    if (!isa<SimulatedQuantizeOp>(op) && !isParameter(op))
      for (Value value : op->getResults())
        numbers.try_emplace(value, numbers.size());
  });
  for (SimulatedQuantizeOp op : getSimulatedQuantizes(main)) {
    Value data = op.getData();
    while (auto inner = data.getDefiningOp<SimulatedQuantizeOp>())
      data = inner.getData();
    result.push_back({op.getKind(), numbers.lookup(data)});
  }
  return result;
}

std::vector<QuantizedLayer> relay::getQuantizedLayers(ModuleOp module) {
  std::vector<QuantizedLayer> layers;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return layers;
  DenseMap<Value, int64_t> numbers;
  for (auto [number, op] : llvm::enumerate(getSimulatedQuantizes(main)))
    numbers[op] = static_cast<int64_t>(number);
  auto getNumber = [&](Value value) {
    auto it = numbers.find(value);
    return it == numbers.end() ? -1 : it->second;
  };
  main.walk([&](Operation *op) {
    if (!isProduct(op))
      return;
    QuantizedLayer layer;
    layer.name = getName(op->getLoc());
    layer.op = op->getName().stripDialect().str();
    Value weight = op->getOperand(1);
    Value data = op->getOperand(0);
    layer.data = getNumber(getSourceOfMaxima(data, /*isMoved=*/false));
    layer.source = getNumber(getSourceOfMaxima(data, /*isMoved=*/true));
    layer.weight = getNumber(weight);
    if (std::optional<ChannelAxes> axes = getQuantizedChannels(op)) {
      auto data = cast<RankedTensorType>(op->getOperand(0).getType());
      layer.dataAxis = axes->data;
      layer.dataChannels = data.getDimSize(axes->data);
      if (weight.hasOneUse())
        layer.weightAxis = axes->weightOut;
    }
    layer.isInteger = !isa<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
    layers.push_back(std::move(layer));
  });
  return layers;
}

/// The type of the elements of a tensor of floats; null for others.
static FloatType getFloatType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
}

std::vector<FloatOperator> relay::getFloatOperators(ModuleOp module) {
  std::vector<FloatOperator> operators;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal())
    return operators;
  DenseMap<Value, int64_t> numbers;
  visitValues(main,
              [&](Value value, int64_t number) { numbers[value] = number; });
  auto getCollected = [&](Value value) -> int64_t {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    // Nothing has no largest element.
    bool isCollected = value.getParentBlock() == &main.getBody().front() &&
                       getFloatType(value) &&
                       !llvm::is_contained(type.getShape(), 0);
    return isCollected ? numbers.lookup(value) : -1;
  };
  main.walk([&](Operation *op) {
    if (!isa<FusionPatternOpInterface>(op) || isa<ConstantOp>(op) ||
        op->getNumResults() != 1)
      return;
    FloatType type = getFloatType(op->getResult(0));
    if (!type)
      return;
    FloatOperator result;
    result.name = getName(op->getLoc());
    result.op = op->getName().stripDialect().str();
    llvm::raw_string_ostream(result.type) << type;
    result.value = numbers.lookup(op->getResult(0));
    result.result = getCollected(op->getResult(0));
    for (Value operand : op->getOperands())
      result.operands.push_back(getCollected(operand));
    result.isProduct = isa<ContractionOpInterface>(op);
    result.isQuantizable = isa<QuantizeOpInterface>(op);
    auto precision = dyn_cast<PrecisionOpInterface>(op);
    result.needsFullPrecision = precision && precision.needsFullPrecision();
    operators.push_back(std::move(result));
  });
  return operators;
}

int64_t relay::getConstantBytes(ModuleOp module) {
  int64_t bytes = 0;
  module.walk([&](ConstantOp op) {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (type && type.getElementType().isIntOrFloat())
      bytes += llvm::divideCeilSigned(
          type.getNumElements() * type.getElementTypeBitWidth(), 8);
  });
  return bytes;
}

bool mlir::relay::gainsBySmallWeights(ModuleOp module) {
  return addsPairsOfBytes(lookupTarget(module));
}
