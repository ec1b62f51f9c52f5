//===- ApplySchedules.cpp - Apply schedule scripts --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/TransformOps/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRAPPLYSCHEDULESPASS
#include "relay-mlir/Dialect/TIR/TransformOps/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

struct TIRApplySchedules
    : tir::impl::TIRApplySchedulesPassBase<TIRApplySchedules> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<transform::NamedSequenceOp> applied;
    for (auto function : module.getOps<PrimFuncOp>()) {
      if (function.isIntrinsic())
        continue;
      std::string name = (function.getSymName() + kScheduleSuffix).str();
      auto schedule = module.lookupSymbol<transform::NamedSequenceOp>(name);
      if (!schedule)
        continue;
      if (failed(applyScheduleScript(function, schedule)))
        return signalPassFailure();
      applied.push_back(schedule);
    }
    for (transform::NamedSequenceOp schedule : applied)
      schedule.erase();
    if (!module.getOps<transform::NamedSequenceOp>().empty())
      return;
    module->removeAttr(transform::TransformDialect::kWithNamedSequenceAttrName);
    // Nobody refers to them any more.
    for (auto function :
         llvm::make_early_inc_range(module.getOps<PrimFuncOp>()))
      if (function.isIntrinsic())
        function.erase();
  }
};

} // namespace
