//===- PartRoom.cpp - Room of scratchpads for parts -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartRoom.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

std::string vta::whyNoRoom(const Part &part, const relay_vta::Config &config) {
  int64_t inp = 0, acc = 2;
  bool hasConstants = false;
  for (const Step &step : part.steps) {
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
