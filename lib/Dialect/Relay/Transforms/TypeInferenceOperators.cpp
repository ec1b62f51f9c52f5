//===- TypeInferenceOperators.cpp - Operators as values -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TypeInference.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Appends the uses of a value, and of variables that are bound to it.
static void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      if (auto let = dyn_cast<LetOp>(use.getOwner()))
        worklist.push_back(let.getResult());
      else
        uses.push_back(&use);
    }
}

void TypeInference::separateOperators() {
  SmallVector<FnOp> values;
  module.walk([&](FnOp fn) {
    if (fn->hasAttr(kOperatorAttrName) && isIncomplete(fn.getType()))
      values.push_back(fn);
  });
  for (FnOp fn : values) {
    SmallVector<OpOperand *> uses;
    collectUses(fn.getResult(), uses);
    if (uses.empty()) {
      unusedOperators.insert(fn);
      continue;
    }
    // Lists of uses begin with the last.
    for (OpOperand *use : llvm::drop_begin(llvm::reverse(uses))) {
      OpBuilder builder(use->getOwner());
      auto copy = cast<FnOp>(builder.clone(*fn));
      operatorCopies.emplace_back(copy, use->get());
      use->set(copy.getResult());
    }
  }
}

void TypeInference::joinOperators() {
  for (auto &[copy, original] : operatorCopies) {
    if (copy.getType() != original.getType())
      continue;
    copy.getResult().replaceAllUsesWith(original);
    copy.erase();
  }
}
