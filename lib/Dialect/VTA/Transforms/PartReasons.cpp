//===- PartReasons.cpp - Why VTA does not take a layer --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartReasons.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

/// How many numbers of a step are no part of an instruction, but elements of
/// acc, which are loaded.
static int64_t countLoaded(const Step &step) {
  SmallVector<double> numbers;
  if (!step.op) {
    const ScaleChange &scale = step.scale;
    numbers = {double(scale.addend), double(scale.least.value_or(0)),
               double(scale.most.value_or(0))};
    // What halves are found and rounded by.
    if (scale.isToEven && scale.shift > 15)
      numbers.append(2, std::ldexp(1, static_cast<int>(scale.shift)));
  } else if (auto clip = dyn_cast<ClipOp>(step.op)) {
    numbers = {clip.getAMin().convertToDouble(),
               clip.getAMax().convertToDouble()};
  } else if (isa<AddOp, MaximumOp, MinimumOp>(step.op)) {
    if (std::optional<SmallVector<int64_t>> constant =
            getIntegers(step.op->getOperand(1 - step.operand)))
      numbers.push_back(static_cast<double>(constant->front()));
  }
  return llvm::count_if(numbers, [](double number) {
    return number < INT16_MIN || number > INT16_MAX;
  });
}

std::string vta::whyNoRoom(const Part &part, const relay_vta::Config &config) {
  int64_t inp = 0, acc = 2;
  bool hasConstants = false;
  for (const Step &step : part.steps) {
    // The last bit of each quotient is beside what it is of.
    acc += step.scale.isToEven + countLoaded(step);
    if (!step.op || step.op->getNumOperands() != 2)
      continue;
    Value other = step.op->getOperand(1 - step.operand);
    std::optional<SmallVector<int64_t>> numbers = getIntegers(other);
    if (!numbers)
      ++inp;
    else if (isa<AddOp>(step.op))
      hasConstants |= getStaticType(other).getNumElements() != 1;
    else if (isa<MultiplyOp>(step.op))
      acc += !llvm::isPowerOf2_64(numbers->front());
  }
  // Bytes get to accumulators by a product with ones, or what they are
  // multiplied by.
  int64_t wgt = hasConstants + inp;
  inp += hasConstants;
  int64_t count = 0, span = 0;
  for (const BlockProduct &product : part.products.products) {
    auto rows = product.weightShape[2], columns = product.weightShape[3];
    count = std::max(count, rows * columns);
    span = std::max(span, ((rows - 1) * product.dilation[0] + 1) *
                              ((columns - 1) * product.dilation[1] + 1));
  }
  const std::pair<relay_vta::Memory, int64_t> needs[] = {
      {relay_vta::Memory::Inp, inp + span},
      {relay_vta::Memory::Wgt, wgt + count},
      {relay_vta::Memory::Acc, acc}};
  for (auto [memory, need] : needs)
    if (auto depth = static_cast<int64_t>(config.getDepth(memory));
        need > depth)
      return "expects at most " + std::to_string(depth) + " elements in " +
             relay_vta::getMemoryName(static_cast<unsigned>(memory)) + " of " +
             relay_vta::getConfigName(config) +
             " for a result and its window, but got " + std::to_string(need);
  return "";
}

std::string vta::whyNoBytes(Value value) {
  if (!value.hasOneUse())
    return "several operators take what is not bytes yet";
  Operation *user = *value.user_begin();
  std::string type = llvm::to_string(getStaticType(value).getElementType());
  if (user->hasTrait<OpTrait::IsTerminator>())
    return "its result is of " + type + ", and not bytes";
  if (auto cast = dyn_cast<CastOp>(user);
      cast && isa<FloatType>(getStaticType(cast.getResult()).getElementType()))
    return "what is computed of it in floats is no change of scale by a power "
           "of two that rounds to even, to bytes";
  if (isa<MultiplyOp>(user) && user->getOperand(0) == value &&
      user->getOperand(1).getDefiningOp<ConstantOp>() &&
      getStaticType(user->getOperand(1)).getNumElements() > 1)
    return "a factor for each channel needs products of two accumulators, "
           "which only one published implementation has";
  return "VTA does not compute '" + user->getName().getStringRef().str() +
         "', as it is here, of " + type;
}
