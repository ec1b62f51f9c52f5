//===- KernelRemarks.h - What became of each kernel -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Gathered while a model is compiled and told at the end, kernel by kernel in
// the order of the program, through the context's remark engine (relay-compile
// --remarks). Schedules are run once more for that, on copies: whether an
// object comes from the cache makes no difference.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_KERNELREMARKS_H
#define RELAY_MLIR_LIB_PIPELINES_KERNELREMARKS_H

#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRemarks.h"
#include "relay-mlir/Pipelines/Schedules.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

class KernelRemarks {
public:
  explicit KernelRemarks(const CPUInfo &target) : target(target) {}

  /// Whether anyone listens.
  static bool areWanted(MLIRContext *context);

  /// Reads what is fused off a module in the form relay-fused.
  void addOperators(ModuleOp module);

  /// Schedules copies of the kernels of a module in the form relax-kernels, by
  /// `scripts`, if they have one for it, else by the rules.
  LogicalResult addSchedules(ModuleOp module, const ScheduleScripts &scripts);

  /// Notes the code of a kernel.
  void addObject(StringRef kernel, StringRef object);

  /// Tells everything.
  void emit() const;

private:
  struct Kernel {
    explicit Kernel(Location loc) : loc(loc) {}

    Location loc;
    OwningOpRef<ModuleOp> scheduled;
    tir::ScheduleRemarks remarks;
    int64_t numCalls = 0;
    std::string instructions;
    bool hasVectorCode = true;
  };

  void emit(StringRef name, const Kernel &kernel) const;

  const CPUInfo &target;
  llvm::StringMap<std::string> operators;
  llvm::MapVector<StringAttr, Kernel> kernels;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_KERNELREMARKS_H
