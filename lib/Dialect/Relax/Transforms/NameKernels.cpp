//===- NameKernels.cpp - Names of kernels as operators have them ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax {
#define GEN_PASS_DEF_NAMEKERNELSPASS
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

/// The operators of a kernel that fusion named: without what tells kernels of
/// equal operators apart, and without the namespace `nn` at the beginning.
static StringRef getOperatorName(StringRef name) {
  StringRef rest = name;
  if (!rest.consume_front("fused_"))
    return name;
  rest.consume_front("nn_");
  StringRef base = rest.rtrim("0123456789");
  if (base.size() != rest.size() && base.consume_back("_"))
    rest = base;
  return rest.empty() || llvm::isDigit(rest.front()) ? name : rest;
}

namespace {

struct NameKernelsPass final
    : relax::impl::NameKernelsPassBase<NameKernelsPass> {
  using NameKernelsPassBase::NameKernelsPassBase;

  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolTable &symbols = tables.getSymbolTable(getOperation());
    SymbolUserMap users(tables, getOperation());
    // In the order of their calls, which is that of the numbers.
    llvm::SetVector<Operation *> kernels;
    getOperation().walk([&](CallTIROp call) {
      if (Operation *kernel = symbols.lookup(call.getCallee()))
        kernels.insert(kernel);
    });
    llvm::StringMap<unsigned> numbers;
    for (Operation *kernel : kernels) {
      StringRef base = getOperatorName(SymbolTable::getSymbolName(kernel));
      if (base == SymbolTable::getSymbolName(kernel))
        continue;
      std::string name;
      do {
        unsigned number = numbers[base]++;
        name = number == 0 ? base.str() : (base + Twine(number)).str();
      } while (symbols.lookup(name));
      auto newName = StringAttr::get(&getContext(), name);
      users.replaceAllUsesWith(kernel, newName);
      symbols.remove(kernel);
      SymbolTable::setSymbolName(kernel, newName);
      symbols.insert(kernel);
    }
  }
};

} // namespace
