//===- ContextTest.h - Tests with a context and its messages ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_INTERPRETER_CONTEXTTEST_H
#define RELAY_MLIR_TEST_UNIT_INTERPRETER_CONTEXTTEST_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace mlir::relay {

class ContextTest : public ::testing::Test {
protected:
  ContextTest() {
    context.loadDialect<func::FuncDialect, RelayDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diag) {
      messages.push_back(diag.str());
      return success();
    });
  }
  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  std::vector<std::string> messages;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TEST_UNIT_INTERPRETER_CONTEXTTEST_H
