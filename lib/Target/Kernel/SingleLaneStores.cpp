//===- SingleLaneStores.cpp - Stores of one lane under a mask -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SingleLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

using namespace llvm;

/// The lane of a constant mask, if it certainly has one and no more.
static std::optional<unsigned> getSingleLane(const Value *mask) {
  const auto *constant = dyn_cast<Constant>(mask);
  const auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> single;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    const Constant *element = constant->getAggregateElement(lane);
    if (!element)
      return std::nullopt;
    if (element->isNullValue() || isa<UndefValue>(element))
      continue;
    if (single || !element->isOneValue())
      return std::nullopt;
    single = lane;
  }
  return single;
}

static void storeLane(IntrinsicInst *store, unsigned lane) {
  IRBuilder<> b(store);
  Value *vector = store->getArgOperand(0), *pointer = store->getArgOperand(1);
  Value *element = b.CreateExtractElement(vector, lane);
  uint64_t offset =
      lane * store->getDataLayout().getTypeStoreSize(element->getType());
  StoreInst *scalar = b.CreateAlignedStore(
      element, b.CreatePtrAdd(pointer, b.getInt64(offset)),
      commonAlignment(store->getParamAlign(1).valueOrOne(), offset));
  // The names of memory that others rely on stay true.
  scalar->setAAMetadata(store->getAAMetadata());
  store->eraseFromParent();
}

void mlir::relay::storeSingleLanes(Module &module) {
  for (Function &function : module)
    for (Instruction &inst : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<IntrinsicInst>(&inst);
          call && call->getIntrinsicID() == Intrinsic::masked_store)
        if (std::optional<unsigned> lane =
                getSingleLane(call->getArgOperand(2)))
          storeLane(call, *lane);
}
