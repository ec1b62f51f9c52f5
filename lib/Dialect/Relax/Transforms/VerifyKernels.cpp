//===- VerifyKernels.cpp - Check the form with kernel calls ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "KernelBuffers.h"

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

static LogicalResult checkCall(CallTIROp call,
                               SymbolTableCollection &symbolTable) {
  auto kernel = symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(
      call, call.getCalleeAttr());
  if (KernelSignature::of(kernel).returnsOutputs) {
    InFlightDiagnostic diag = call.emitOpError()
                              << "expects a kernel on buffers, but "
                              << call.getCalleeAttr() << " returns values";
    diag.attachNote(kernel.getLoc())
        << "kernel is here; run --convert-linalg-to-tir to get there";
    return diag;
  }
  if (failed(checkKernelTarget(call, kernel)))
    return failure();
  unsigned index = 0;
  for (Value value : call.getArgs())
    if (failed(checkKernelBuffer(call, kernel, index++, value)))
      return failure();
  for (Value value : call.getResults())
    if (failed(checkKernelBuffer(call, kernel, index++, value)))
      return failure();
  return success();
}

static LogicalResult checkBlock(Block &block,
                                SymbolTableCollection &symbolTable) {
  for (Operation &op : block) {
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      if (failed(checkBlock(dataflow.getBody().front(), symbolTable)))
        return failure();
    } else if (auto call = dyn_cast<CallTIROp>(op)) {
      if (failed(checkCall(call, symbolTable)))
        return failure();
    } else if (!isAboutSizes(&op) &&
               !isa<CallDPSPackedOp, ConstantOp, MatchCastOp, OutputOp,
                    ReshapeOp, ReturnOp, ToDeviceOp, TupleGetItemOp, TupleOp>(
                   op)) {
      return op.emitOpError("expects an operation of the form relax-kernels");
    }
  }
  return success();
}

namespace {

struct VerifyKernelsPass final
    : relax::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  using VerifyKernelsPassBase::VerifyKernelsPassBase;

  void runOnOperation() override {
    SymbolTableCollection symbolTable;
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() && !isObjectFunction(func) &&
          failed(checkBlock(func.getBody().front(), symbolTable)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
