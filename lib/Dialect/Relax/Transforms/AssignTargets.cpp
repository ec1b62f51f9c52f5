//===- AssignTargets.cpp - Targets of kernels on devices ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relax {
#define GEN_PASS_DEF_ASSIGNTARGETSPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

struct AssignTargetsPass final
    : relax::impl::AssignTargetsPassBase<AssignTargetsPass> {
  using AssignTargetsPassBase::AssignTargetsPassBase;

  /// Calls of a kernel by the target they need; null is that of the module.
  using CallsByTarget = llvm::SmallMapVector<relay::TargetAttrInterface,
                                             SmallVector<CallTIROp>, 2>;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::MapVector<Operation *, CallsByTarget> kernels;
    WalkResult result = getOperation().walk([&](CallTIROp call) -> WalkResult {
      relay::DeviceAttr device = getCallDevice(call);
      relay::TargetAttrInterface target;
      if (!relay::DeviceAttr::isProcessor(device)) {
        auto found = relay::getDeviceTarget(call, device);
        if (failed(found))
          return failure();
        target = *found;
      }
      kernels[symbols.lookup(call.getCallee())][target].push_back(call);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (auto &[kernel, calls] : kernels)
      assign(kernel, calls, symbols);
  }

  static void assign(Operation *kernel, CallsByTarget &calls,
                     SymbolTable &symbols) {
    // What is called on processors too keeps its name for them.
    relay::TargetAttrInterface kept;
    if (!calls.contains(kept))
      kept = calls.front().first;
    for (auto &[target, users] : calls) {
      Operation *own = kernel;
      if (target != kept) {
        own = kernel->clone();
        symbols.insert(own, std::next(Block::iterator(kernel)));
        for (CallTIROp call : users)
          call.setCallee(SymbolTable::getSymbolName(own));
      }
      if (target)
        own->setAttr(relay::TargetDialect::kSpecAttrName, target);
    }
  }
};

} // namespace
