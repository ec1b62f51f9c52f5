//===- TIRToSCF.cpp - Kernels to loops and vectors ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/TIRToSCF/TIRToSCF.h"

#include "KernelEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTTIRTOSCFPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {
struct ConvertTIRToSCFPass
    : relay::impl::ConvertTIRToSCFPassBase<ConvertTIRToSCFPass> {
  using Base::Base;

  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<tir::PrimFuncOp>());
    for (tir::PrimFuncOp kernel : kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
  }

  LogicalResult convert(tir::PrimFuncOp kernel) {
    for (Type type : kernel.getArgumentTypes())
      if (!cast<MemRefType>(type).getLayout().isIdentity())
        return kernel.emitOpError("expects row-major buffers, but got ")
               << type;
    FailureOr<relay::TargetAttrInterface> target = relay::getTarget(kernel);
    if (failed(target))
      return failure();
    auto cpu = dyn_cast<relay::CPUAttr>(*target);
    const relay::CPUInfo *info = cpu ? &cpu.getInfo() : nullptr;
    relay::detail::KernelEmitter emitter(
        kernel,
        {*target, target->getVectorBits(), info && info->hasMaskedAccess(),
         /*nativeGather=*/info && info->hasFeature("avx2")});
    OpBuilder builder(kernel);
    SmallVector<Type> inputs =
        llvm::map_to_vector(kernel.getArgumentTypes(), [&](Type type) {
          return emitter.convertType(type);
        });
    auto function =
        func::FuncOp::create(builder, kernel.getLoc(), kernel.getSymName(),
                             builder.getFunctionType(inputs, {}));
    function.setVisibility(SymbolTable::getSymbolVisibility(kernel));
    function->setAttr(tir::kKernelAttr, builder.getUnitAttr());
    if (Attribute own = kernel->getAttr(relay::TargetDialect::kSpecAttrName))
      function->setAttr(relay::TargetDialect::kSpecAttrName, own);
    for (unsigned index = 0; index < inputs.size(); ++index)
      if (kernel.getArgAttr(index, tir::PrimFuncOp::kWorkspace))
        function.setArgAttr(index, tir::PrimFuncOp::kWorkspace,
                            builder.getUnitAttr());
    if (failed(emitter.emit(function)))
      return failure();
    kernel.erase();
    return success();
  }
};
} // namespace
