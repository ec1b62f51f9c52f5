//===- Schedules.h - Schedules that people edit -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_SCHEDULES_H
#define RELAY_MLIR_PIPELINES_SCHEDULES_H

#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

/// Schedules of kernels as transform scripts, `transform.named_sequence
/// @<kernel>.schedule`: read from files, and written by the rules.
class ScheduleScripts {
public:
  /// Reads the scripts for the kernels of `module` from a file, or from the
  /// `.mlir` files of a folder. A script without a kernel is an error, as is
  /// one that says that it is for another target, or for less precision.
  LogicalResult load(StringRef path, ModuleOp module);

  /// Whether there is a script for `kernel`.
  bool contains(tir::PrimFuncOp kernel) const;

  /// What tells how `kernel` is scheduled from other ways: the text of its
  /// script; empty if the rules do it.
  StringRef getKey(tir::PrimFuncOp kernel) const;

  /// Applies it. Several threads may do so at once.
  LogicalResult apply(tir::PrimFuncOp kernel) const;

  /// The scripts of all kernels of `module`, those of the rules for kernels
  /// that have none; null after an error. Those of the rules say for which
  /// target and precision they are.
  OwningOpRef<ModuleOp> write(ModuleOp module) const;

  /// Writes them to files `<kernel>.mlir` in a folder, each with the kernel
  /// that it starts from as a comment.
  LogicalResult save(StringRef folder, ModuleOp module) const;

private:
  LogicalResult loadFile(StringRef path, ModuleOp module);

  /// The files that scripts are from.
  SmallVector<OwningOpRef<ModuleOp>> files;
  llvm::StringMap<transform::NamedSequenceOp> scripts;
  llvm::StringMap<std::string> keys;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_SCHEDULES_H
