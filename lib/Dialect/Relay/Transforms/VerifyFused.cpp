//===- VerifyFused.cpp - Check the form that kernels are made from --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/CallGraph.h"
#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"
#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

namespace mlir::relay {
#define GEN_PASS_DEF_VERIFYFUSEDPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static bool isForCompiler(func::FuncOp function) {
  return function->hasAttr(kCompilerAttrName);
}

/// Checks that nothing but tensors crosses the border of a kernel.
static LogicalResult checkBorder(Operation *op, StringRef what,
                                 TypeRange types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return op->emitOpError("expects ")
             << what << " of a primitive function to be tensors, but got "
             << type;
  return success();
}

/// What computes operands that are sizes, which a kernel contains.
static DenseSet<Operation *> getSizeOps(func::FuncOp function) {
  DenseSet<Operation *> ops;
  for (auto op : function.getOps<SizeOperandsOpInterface>())
    for (unsigned index : op.getSizeOperands())
      if (std::optional<SmallVector<Operation *>> computation =
              getSizeComputation(op->getOperand(index)))
        ops.insert_range(*computation);
  return ops;
}

static LogicalResult checkPrimitive(func::FuncOp function) {
  if (!function.isPrivate())
    return function.emitOpError("expects a primitive function to be private");
  if (failed(checkBorder(function, "arguments", function.getArgumentTypes())) ||
      failed(checkBorder(function, "results", function.getResultTypes())))
    return failure();
  if (function.isExternal())
    return function.emitOpError("expects a primitive function to have a body");
  DenseSet<Operation *> sizeOps = getSizeOps(function);
  for (Operation &op : function.getOps()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      if (constant.getType().getNumElements() != 1 && !sizeOps.contains(&op))
        return constant.emitOpError("expects a constant of one element, or one "
                                    "that decides sizes, in a primitive "
                                    "function, but got ")
               << constant.getType();
    } else if (!isa<FusionPatternOpInterface, func::ReturnOp>(op)) {
      return op.emitOpError("expects operators only in a primitive function");
    }
  }
  return success();
}

/// Whether a call of `function` may lead to another call of it.
static bool isRecursive(func::FuncOp function) {
  return llvm::any_of(getCalleesFirst(function->getParentOfType<ModuleOp>()),
                      [&](const CallCycle &cycle) {
                        return cycle.recursive &&
                               llvm::is_contained(cycle.functions, function);
                      });
}

/// Tells how to get rid of a call of `callee`, which is not primitive.
static StringRef getAdvice(func::FuncOp callee) {
  if (callee.isExternal())
    return "the function is declared here, without a body";
  if (isRecursive(callee))
    return "the function calls itself; the executors aot and vm compile "
           "recursion, into a shared object";
  return "the function is defined here; run --relay-inline-functions=all to "
         "dissolve it";
}

static LogicalResult checkCall(CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee ||
      !(callee->hasAttr(kPrimitiveAttrName) || isForCompiler(callee))) {
    InFlightDiagnostic diag =
        call.emitOpError("expects a primitive function, but got '@")
        << call.getCallee() << "'";
    if (callee)
      diag.attachNote(callee.getLoc()) << getAdvice(callee);
    return diag;
  }
  return success();
}

static LogicalResult checkCaller(func::FuncOp function, SymbolTable &symbols) {
  for (Block &block : function.getBody())
    for (Operation &op : block) {
      if (auto call = dyn_cast<CallOp>(op)) {
        if (failed(checkCall(call, symbols)))
          return failure();
      } else if (auto apply = dyn_cast<ApplyOp>(op)) {
        return apply.emitOpError(
                   "expects an operator of the dialect, but got '")
               << apply.getName()
               << "'; operators that programs add run in the interpreter and "
                  "in the virtual machine (relay-compile --executor=vm)";
      } else if (!isa<ConstantOp, DeviceCopyOp, TupleOp, TupleGetItemOp,
                      func::ReturnOp>(op)) {
        InFlightDiagnostic diag = op.emitOpError(
            "expects a constant, a tuple or a call of a primitive function");
        if (isa<FusionPatternOpInterface>(op))
          diag.attachNote() << "run --relay-fuse-ops to move operators into "
                               "primitive functions";
        else if (isa<RelayDialect>(op.getDialect()))
          diag.attachNote() << "the executors aot and vm compile closures, "
                               "control flow, data types and references, into "
                               "a shared object";
        return diag;
      }
    }
  return success();
}

namespace {

struct VerifyFusedPass : relay::impl::VerifyFusedPassBase<VerifyFusedPass> {
  using VerifyFusedPassBase::VerifyFusedPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      LogicalResult result = success();
      // What others compile may be anything.
      if (isForCompiler(function) || function->hasAttr(kLoweredAttrName))
        continue;
      if (function->hasAttr(kPrimitiveAttrName))
        result = checkPrimitive(function);
      else
        result = checkCaller(function, symbols);
      if (failed(result))
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
