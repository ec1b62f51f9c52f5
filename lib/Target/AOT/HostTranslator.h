//===- HostTranslator.h - A relax function as a host program ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H
#define RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H

#include "HostData.h"
#include "ShapesFunction.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relay::detail {

/// Translates one relax function.
class HostTranslator {
public:
  HostTranslator(relax::FuncOp main, const HostModuleOptions &options,
                 ConstantPool &pool)
      : main(main), options(options), pool(pool), context(main.getContext()),
        scope(context), module(ModuleOp::create(main.getLoc())), data(*module),
        builder(context), pointer(LLVM::LLVMPointerType::get(context)),
        i32(builder.getI32Type()), i64(builder.getI64Type()),
        symbols(main.getSymbols()) {
    for (StringAttr name : symbols)
      scope.getSymbol(name);
  }

  FailureOr<OwningOpRef<ModuleOp>> translate();

private:
  /// A kernel call: the callee's signature, and where its calls are described;
  /// or a copy between devices, which has no kernel.
  struct Call {
    Operation *op;
    FunctionOpInterface kernel;
    StringRef symbol;
    /// Numbers of devices, as RelayArtifactCall has them.
    int32_t device;
    int32_t sourceDevice;
  };

  /// The number of a device among those of the program.
  int32_t getDevice(Value value);
  /// Whether the kernel of a call is a function of the host's processor.
  bool isForProcessor(const Call &call) const;
  LogicalResult checkDevices();
  LogicalResult collectCalls();
  LogicalResult placeConstants();
  LLVM::LLVMFuncOp declareFunction(StringRef name, ArrayRef<Type> arguments,
                                   LLVM::Linkage linkage);
  LLVM::LLVMFuncOp buildCallFunction(bool isForDevice);
  LLVM::LLVMFuncOp buildWorkFunction();
  FailureOr<LLVM::LLVMFuncOp>
  buildMainFunction(LLVM::LLVMFuncOp callFunction,
                    LLVM::LLVMFuncOp deviceFunction);
  /// Whether none of the outputs of a call has an element; null if one surely
  /// has.
  Value areOutputsEmpty(CodeBuilder &code, const Call &call);
  /// The sizes of the dynamic dimensions of a kernel's buffers.
  SmallVector<AffineExpr> getDynamicSizes(Call &call);

  FailureOr<HostData::Struct> describeValue(Type type, StringRef name);
  LogicalResult checkName(StringRef name, const Twine &what);
  FailureOr<HostData::Struct> describeCall(Call &call);
  FlatSymbolRefAttr describeDevices();
  /// The modules with the code for other devices, and how many there are.
  std::pair<FlatSymbolRefAttr, int32_t> describeModules();
  LogicalResult describeArtifact(LLVM::LLVMFuncOp shapesFunction,
                                 ShapesFunction &shapes,
                                 LLVM::LLVMFuncOp workFunction,
                                 LLVM::LLVMFuncOp mainFunction);

  relax::FuncOp main;
  const HostModuleOptions &options;
  ConstantPool &pool;
  MLIRContext *context;
  relax::SymbolScope scope;
  OwningOpRef<ModuleOp> module;
  HostData data;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;
  SmallVector<StringAttr> symbols;

  /// Null is the host, which is first.
  llvm::SmallSetVector<DeviceAttr, 2> devices;
  /// Where the weights of each device begin and end.
  SmallVector<std::pair<uint64_t, uint64_t>> weights;
  SmallVector<Call> calls;
  SmallVector<relax::AllocStorageOp> storages;
  /// Offset in the weights of its device of each use of a constant.
  DenseMap<OpOperand *, uint64_t> constantOffsets;
  /// The addresses of the values of `main`, while its code is built.
  DenseMap<Value, Value> addresses;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H
