//===- HalfWeights.cpp - Weights of half the bytes ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of one row reads each weight once: it takes as long as the weights
// take to come. Where bf16 is precise enough, half the bytes take half as long;
// they become floats by a shift.
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"

using namespace mlir;
using namespace mlir::tir;

void mlir::tir::halveWeights(KernelSchedule &schedule, BlockOp block,
                             Value constant, double numRows) {
  constexpr double kMaxRows = 4;
  auto argument = dyn_cast<BlockArgument>(constant);
  PrimFuncOp kernel = schedule.getKernel();
  if (!argument || relay::getPrecision(kernel) != relay::Precision::Medium ||
      numRows > kMaxRows ||
      !kernel.getArgAttr(argument.getArgNumber(), PrimFuncOp::kLayout))
    return;
  auto type = cast<MemRefType>(argument.getType());
  // What stays in the second cache is there soon enough.
  if (!type.hasStaticShape() ||
      type.getNumElements() * int64_t(sizeof(float)) <=
          getCPU(schedule).getCacheSizes().l2 / 2)
    return;
  (void)schedule.narrowWeights(block, constant);
}
