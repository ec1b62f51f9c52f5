//===- VersionTest.cpp - The run time's version ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Runtime.h"

#include "gtest/gtest.h"

TEST(Version, HasThreeParts) {
  int major, minor, patch;
  EXPECT_EQ(3, sscanf(relayRuntimeVersion(), "%d.%d.%d", &major, &minor,
                      &patch));
}
