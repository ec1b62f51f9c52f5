//===- HostTranslator.h - Relax functions as a host program -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H
#define RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H

#include "BytecodeBuilder.h"
#include "HostData.h"
#include "ShapesFunction.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "relay-mlir/Target/AOT/HostModule.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlir::relay::detail {

/// A kernel call: the callee's signature, and where its calls are described; or
/// a copy between devices, which has no kernel. A packed function is called by
/// the name under which it is registered.
struct HostCall {
  Operation *op;
  FunctionOpInterface kernel;
  StringRef symbol;
  /// Numbers of devices, as RelayArtifactCall has them.
  int32_t device;
  int32_t sourceDevice;
  bool isPacked = false;
};

/// Who runs a call: the host itself, a device, or a packed function.
enum class CallKind { Kernel, Device, Packed };

/// A function of tensors, and what is known of it.
struct HostFunction {
  explicit HostFunction(relax::FuncOp main)
      : main(main), scope(main.getContext()), symbols(main.getSymbols()) {
    for (StringAttr name : symbols)
      scope.getSymbol(name);
  }

  relax::FuncOp main;
  relax::SymbolScope scope;
  SmallVector<StringAttr> symbols;
  SmallVector<HostCall> calls;
  /// The number of the first call among those of all functions.
  size_t firstCall = 0;
  SmallVector<relax::AllocStorageOp> storages;
  /// Offset in the weights of its device of each use of a constant.
  DenseMap<OpOperand *, uint64_t> constantOffsets;
  /// The addresses of the values of `main`, while its code is built.
  DenseMap<Value, Value> addresses;
  /// Of the names of its functions in the program.
  std::string suffix;
  std::optional<ShapesFunction> shapes;
  LLVM::LLVMFuncOp shapesFunction, workFunction, mainFunction;
};

/// Translates functions of tensors, and perhaps the program that calls them.
class HostTranslator {
public:
  HostTranslator(ArrayRef<relax::FuncOp> functions,
                 const HostModuleOptions &options, ConstantPool &pool);

  FailureOr<HostModules> translate();

private:
  /// The number of a device among those of the program.
  int32_t getDevice(Value value);
  /// Whether the kernel of a call is a function of the host's processor.
  bool isForProcessor(const HostCall &call) const;
  LogicalResult checkDevices(HostFunction &function);
  LogicalResult collectCalls(HostFunction &function);
  LogicalResult placeConstants();
  /// A function of this module, whose result is a status unless it is told.
  LLVM::LLVMFuncOp declareFunction(StringRef name, ArrayRef<Type> arguments,
                                   LLVM::Linkage linkage, Type result = {});
  LLVM::LLVMFuncOp buildCallFunction(CallKind kind);
  LLVM::LLVMFuncOp buildWorkFunction(HostFunction &function);
  LLVM::LLVMFuncOp buildMainFunction(HostFunction &function);
  /// Whether none of the outputs of a call has an element; null if one surely
  /// has.
  Value areOutputsEmpty(CodeBuilder &code, const HostCall &call);
  /// The sizes of the dynamic dimensions of a kernel's buffers.
  SmallVector<AffineExpr> getDynamicSizes(HostFunction &function,
                                          HostCall &call);

  FailureOr<HostData::Struct> describeValue(HostFunction &function, Type type,
                                            StringRef name,
                                            bool isString = false);
  /// The texts of the table of strings.
  FailureOr<SmallVector<FlatSymbolRefAttr>> describeStrings();
  FailureOr<SmallVector<FlatSymbolRefAttr>> describeMetadata();
  /// The module that has attributes of the program.
  ModuleOp getSource();
  LogicalResult checkName(StringRef name, const Twine &what);
  FailureOr<HostData::Struct> describeCall(HostFunction &function,
                                           HostCall &call);
  FailureOr<HostData::Struct> describeFunction(HostFunction &function);
  FlatSymbolRefAttr describeDevices();
  /// The modules with the code for other devices, and how many there are.
  std::pair<FlatSymbolRefAttr, int32_t> describeModules();
  /// The bytecode; null if there is none.
  FailureOr<FlatSymbolRefAttr> describeProgram();
  LogicalResult describeArtifact();

  Location loc;
  const HostModuleOptions &options;
  ConstantPool &pool;
  MLIRContext *context;
  OwningOpRef<ModuleOp> module;
  HostData data;
  OpBuilder builder;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;

  std::vector<std::unique_ptr<HostFunction>> functions;
  /// Whether one of the calls is of a packed function.
  bool callsPacked = false;
  /// What makes calls, of those kinds that there are.
  std::map<CallKind, LLVM::LLVMFuncOp> callFunctions;
  /// Null is the host, which is first.
  llvm::SmallSetVector<DeviceAttr, 2> devices;
  /// Where the weights of each device begin and end.
  SmallVector<std::pair<uint64_t, uint64_t>> weights;
  std::optional<Bytecode> bytecode;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_HOSTTRANSLATOR_H
