//===- LinalgToTIR.cpp - Linalg to tir --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"

#include "KernelLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTLINALGTOTIRPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::tir;

/// Erases what was computed on the way and is not needed, such as sizes.
static void eraseUnused(PrimFuncOp kernel) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*kernel.getBody())))
    if (!op.hasTrait<OpTrait::IsTerminator>() && isOpTriviallyDead(&op))
      op.erase();
}

/// A kernel whose code somebody else has made: its signature.
static FailureOr<PrimFuncOp> makeExternalKernel(func::FuncOp function,
                                                StringAttr compiler) {
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return function.emitOpError("expects ranked tensors to become a kernel, "
                                  "but got ")
             << type;
    types.push_back(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  OpBuilder builder(function);
  auto kernel =
      PrimFuncOp::create(builder, function.getLoc(), function.getSymName(),
                         types, function.getNumResults());
  kernel->setAttr(kExternalAttr, compiler);
  return kernel;
}

FailureOr<PrimFuncOp> mlir::tir::convertLinalgFuncToTIR(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a body of one block to become a "
                                "kernel");
  auto compiler = function->getAttrOfType<StringAttr>(relay::kCompilerAttrName);
  FailureOr<PrimFuncOp> kernel = compiler
                                     ? makeExternalKernel(function, compiler)
                                     : KernelLowering(function).run();
  if (failed(kernel))
    return failure();
  eraseUnused(*kernel);
  kernel->setSymName(function.getSymName());
  kernel->setSymVisibilityAttr(function.getSymVisibilityAttr());
  function.erase();
  return *kernel;
}

namespace {

struct ConvertLinalgToTIR
    : relay::impl::ConvertLinalgToTIRPassBase<ConvertLinalgToTIR> {
  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      bool hasCalls =
          function.walk([](CallOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (function.isExternal() || hasCalls)
        continue;
      if (failed(convertLinalgFuncToTIR(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
