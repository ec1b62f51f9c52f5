//===- OptionUse.cpp - Options that have no effect ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/OptionUse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::relay;
using llvm::StringRef;

/// Prints an error if `option` is on the command line.
static llvm::LogicalResult refuse(const llvm::cl::Option &option,
                                  StringRef where) {
  if (option.getNumOccurrences() == 0)
    return llvm::success();
  llvm::errs() << "error: expects no "
               << (option.ArgStr.size() == 1 ? "-" : "--") << option.ArgStr
               << ' ' << where << ": it has no effect there\n";
  return llvm::failure();
}

llvm::LogicalResult mlir::relay::refuseOptions(llvm::ArrayRef<StringRef> names,
                                               StringRef where) {
  auto &options = llvm::cl::getRegisteredOptions();
  for (StringRef name : names)
    if (llvm::cl::Option *option = options.lookup(name);
        option && failed(refuse(*option, where)))
      return llvm::failure();
  return llvm::success();
}

llvm::LogicalResult
mlir::relay::refuseOtherOptions(llvm::cl::OptionCategory &category,
                                llvm::ArrayRef<StringRef> names,
                                StringRef where) {
  // In the order of their names: the map has none.
  std::vector<llvm::cl::Option *> others;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (llvm::is_contained(entry.second->Categories, &category) &&
        !llvm::is_contained(names, entry.first))
      others.push_back(entry.second);
  llvm::sort(others, [](auto *a, auto *b) { return a->ArgStr < b->ArgStr; });
  for (llvm::cl::Option *option : others)
    if (failed(refuse(*option, where)))
      return llvm::failure();
  return llvm::success();
}
