//===- RelayTestPasses.h - Passes that only tests use -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_LIB_RELAYTESTPASSES_H
#define RELAY_MLIR_TEST_LIB_RELAYTESTPASSES_H

namespace mlir::relay::test {
void registerTestInterpretPass();
void registerTestOperatorStatusPass();
} // namespace mlir::relay::test

#endif // RELAY_MLIR_TEST_LIB_RELAYTESTPASSES_H
