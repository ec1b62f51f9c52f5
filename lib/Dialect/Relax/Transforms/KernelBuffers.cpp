//===- KernelBuffers.cpp - Values as buffers of kernels -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuffers.h"

using namespace mlir;
using namespace mlir::relax;

static bool haveEqualShapes(SymbolicTensorType type, MemRefType memref) {
  if (memref.getRank() != type.getRank())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t dim) {
    return memref.isDynamicDim(dim) ||
           type.getShape().getConstant(dim) == memref.getDimSize(dim);
  });
}

/// A kernel knows no signs, and elements of fewer bits, or floats of 8, as
/// bytes.
static bool haveEqualElements(Type value, Type buffer) {
  if (value == buffer)
    return true;
  if (!buffer.isSignlessInteger() || !value.isIntOrFloat())
    return false;
  unsigned width = value.getIntOrFloatBitWidth();
  return value.isInteger(buffer.getIntOrFloatBitWidth()) ||
         (buffer.isInteger(8) && width > 1 && width <= 8);
}

LogicalResult relax::checkKernelBuffer(Operation *call,
                                       FunctionOpInterface kernel,
                                       unsigned index, Value value) {
  auto type = cast<SymbolicTensorType>(value.getType());
  auto memref = dyn_cast<MemRefType>(kernel.getArgumentTypes()[index]);
  if (!memref)
    return call->emitOpError()
           << "expects buffer " << index << " of @" << kernel.getName()
           << " to be a memref, but got " << kernel.getArgumentTypes()[index];
  // A packed argument has another shape, which its constant is packed into.
  bool isPacked = kernel.getArgAttr(index, kLayoutAttr) != nullptr;
  if (isPacked && !getReshapeRoot(value).getDefiningOp<ConstantOp>())
    return call->emitOpError() << "expects argument " << index
                               << ", whose layout is packed, to be a constant";
  // Of pieces, the bits.
  bool isSplit = kernel.getArgAttr(index, kPiecesAttr) &&
                 type.getElementType().isF32() &&
                 memref.getElementType().isInteger(16);
  if ((isPacked || haveEqualShapes(type, memref)) &&
      (isSplit ||
       haveEqualElements(type.getElementType(), memref.getElementType())))
    return success();
  InFlightDiagnostic diag = call->emitOpError()
                            << "expects buffer " << index << " to be a "
                            << memref << ", but got " << type;
  diag.attachNote(kernel.getLoc())
      << "kernel @" << kernel.getName() << " is here";
  return diag;
}

LogicalResult relax::checkKernelTarget(Operation *call,
                                       FunctionOpInterface kernel) {
  relay::DeviceAttr device = getCallDevice(call);
  relay::TargetAttrInterface target = relay::lookupTarget(kernel);
  relay::TargetAttrInterface expected = relay::lookupDeviceTarget(call, device);
  // Before a module has a target, its kernels have none either; for another
  // device they must have one.
  if (!expected && !relay::DeviceAttr::isProcessor(device))
    return relay::getDeviceTarget(call, device);
  if (target == expected)
    return success();
  auto describe = [](relay::TargetAttrInterface target) {
    return target
               ? (target.getKind() + " (" + target.getDescription() + ")").str()
               : std::string("none");
  };
  InFlightDiagnostic diag = call->emitOpError()
                            << "expects a kernel for the target of "
                            << relay::DeviceAttr::getName(device) << ", "
                            << describe(expected) << ", but got one for "
                            << describe(target);
  diag.attachNote(kernel.getLoc())
      << "kernel @" << kernel.getName() << " is here";
  return diag;
}
