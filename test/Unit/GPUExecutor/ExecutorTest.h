//===- ExecutorTest.h - Kernels from text, run in software ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_GPUEXECUTOR_EXECUTORTEST_H
#define RELAY_MLIR_TEST_UNIT_GPUEXECUTOR_EXECUTORTEST_H

#include "relay-mlir/GPUExecutor/GPUExecutor.h"
#include "relay-mlir/InitAllDialects.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace mlir::relay {

class ExecutorTest : public testing::Test {
protected:
  ExecutorTest() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    mlir::relay::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([this](Diagnostic &diag) {
      llvm::raw_string_ostream(error) << diag;
      return success();
    });
  }

  GPUExecutor create(StringRef source, GPUExecutorOptions options = {}) {
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << error << source.str();
    auto executor = GPUExecutor::create(*module, options);
    EXPECT_TRUE(succeeded(executor)) << error;
    return std::move(*executor);
  }

  /// Gives kernels memory; returns its address.
  uint64_t add(void *host, uint64_t bytes) {
    memory.add(nextAddress, host, bytes);
    uint64_t address = nextAddress;
    nextAddress += uint64_t(1) << 32;
    return address;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  GPUMemory memory;
  std::string error;
  uint64_t nextAddress = uint64_t(1) << 32;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TEST_UNIT_GPUEXECUTOR_EXECUTORTEST_H
