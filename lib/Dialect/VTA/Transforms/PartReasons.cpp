//===- PartReasons.cpp - Why VTA does not take a layer --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartReasons.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Runtime/VTA/ProgramFile.h"

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

/// The bytes of a tensor of `channels` channels in whole blocks of them and of
/// images, at most.
static uint64_t getBlockedBytes(Value value, int64_t channels,
                                const relay_vta::Config &config) {
  RankedTensorType type = getStaticType(value);
  auto elements = static_cast<uint64_t>(type.getNumElements());
  uint64_t images = std::max<int64_t>(type.getDimSize(0), 1);
  uint64_t rows = llvm::divideCeil(elements, images * channels);
  return llvm::alignTo(images, config.getBatch()) *
         llvm::alignTo(channels, config.getBlock()) * rows;
}

/// Why a program cannot have what a part takes and gives in its memory.
static std::string whyNoMemory(const Part &part,
                               const relay_vta::Config &config) {
  // Instructions and micro-ops are there, too.
  constexpr uint64_t kForInstructions = 1 << 24;
  uint64_t bytes = kForInstructions;
  int64_t outputs = 1;
  for (const BlockProduct &product : part.products.products) {
    const std::array<int64_t, 4> &shape = product.weightShape;
    outputs = std::max(outputs, shape[0]);
    if (&product == &part.products.products.front())
      bytes += getBlockedBytes(part.data, shape[1] * product.groups, config);
    bytes += llvm::alignTo(shape[0], config.getBlock()) *
             llvm::alignTo(shape[1], config.getBlock()) * shape[2] * shape[3];
  }
  bytes += getBlockedBytes(part.result, outputs, config);
  for (const Step &step : part.steps)
    if (step.op && step.op->getNumOperands() == 2) {
      Value other = step.op->getOperand(1 - step.operand);
      if (!getIntegers(other))
        bytes += getBlockedBytes(other, outputs, config);
    }
  if (bytes <= relay_vta::kMaxDramBytes)
    return "";
  return "expects at most " + std::to_string(relay_vta::kMaxDramBytes) +
         " bytes in the memory of a program, but got about " +
         std::to_string(bytes);
}

std::string vta::whyNoRoom(const Part &part, const relay_vta::Config &config) {
  if (config.getLogDepth(relay_vta::Memory::Inp) <
      config.getLogDepth(relay_vta::Memory::Acc))
    return "expects as many elements in inp of " +
           relay_vta::getConfigName(config) +
           " as in acc, or more: with fewer, published implementations have "
           "micro-ops of different forms";
  if (std::string reason = whyNoMemory(part, config); !reason.empty())
    return reason;
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
