//===- OptionUse.h - Options that have no effect ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever gives an option expects it to do something.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_OPTIONUSE_H
#define RELAY_MLIR_SUPPORT_OPTIONUSE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

namespace llvm::cl {
class OptionCategory;
} // namespace llvm::cl

namespace mlir::relay {

/// Prints an error and fails if the command line has one of the options
/// `names`, which have no effect `where`, such as "with --info".
llvm::LogicalResult refuseOptions(llvm::ArrayRef<llvm::StringRef> names,
                                  llvm::StringRef where);

/// The same for all options of `category` but `names`.
llvm::LogicalResult refuseOtherOptions(llvm::cl::OptionCategory &category,
                                       llvm::ArrayRef<llvm::StringRef> names,
                                       llvm::StringRef where);

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_OPTIONUSE_H
