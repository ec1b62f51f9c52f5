//===- FileArguments.cpp - Files of inputs and outputs --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileArguments.h"

#include "relay-mlir/Support/ForeignText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace relay_run;

LogicalResult relay_run::printError(const llvm::Twine &message) {
  llvm::errs() << "error: " << relay::formatForeignText(message.str()) << '\n';
  return failure();
}

LogicalResult FileArguments::forEach(
    llvm::function_ref<LogicalResult(size_t, StringRef)> use) const {
  // Files without a name are, in order, for what no other file names.
  llvm::SmallDenseSet<size_t> taken;
  for (StringRef argument : arguments) {
    auto [name, path] = argument.split('=');
    if (path.empty())
      continue;
    size_t position = llvm::find(names, name) - names.begin();
    if (position == names.size())
      return printError("expects " + expectedName + ", but got '" + name + "'");
    if (!taken.insert(position).second)
      return printError("expects '" + names[position] +
                        "' once, but got it twice, with '" + argument + "'");
  }
  size_t next = 0;
  for (StringRef argument : arguments) {
    auto [name, path] = argument.split('=');
    size_t position = llvm::find(names, name) - names.begin();
    if (path.empty()) {
      path = argument;
      while (taken.contains(next))
        ++next;
      position = next++;
      if (position >= names.size())
        return printError("expects " + llvm::Twine(names.size()) +
                          " file(s) of " + plural + ", but got more with '" +
                          argument + "'");
    }
    if (failed(use(position, path)))
      return failure();
  }
  return success();
}
