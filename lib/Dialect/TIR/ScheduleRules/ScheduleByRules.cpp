//===- ScheduleByRules.cpp - Write schedules by rules -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRSCHEDULERULESPASS
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

struct TIRScheduleRules
    : tir::impl::TIRScheduleRulesPassBase<TIRScheduleRules> {
  using TIRScheduleRulesPassBase::TIRScheduleRulesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel : llvm::to_vector(module.getOps<PrimFuncOp>())) {
      std::string name = (kernel.getSymName() + kScheduleSuffix).str();
      if (module.lookupSymbol(name) || kernel.isIntrinsic())
        continue;
      // The rules work on a copy: what stays is the record.
      OwningOpRef<ModuleOp> scratch = kernel.cloneIntoModule();
      OwningOpRef<ModuleOp> script =
          scheduleKernel(*scratch->getOps<PrimFuncOp>().begin());
      if (!script)
        return signalPassFailure();
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(kernel);
      // Several scripts may share an intrinsic.
      for (Operation &op : *script->getBody())
        if (!module.lookupSymbol(SymbolTable::getSymbolName(&op)))
          builder.clone(op);
      module->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                      builder.getUnitAttr());
    }
  }
};

} // namespace
