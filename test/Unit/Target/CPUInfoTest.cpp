//===- CPUInfoTest.cpp - Reading target descriptions -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;
using relay_test::parseTarget;

namespace {

/// The error that `description` gives; empty if it is right.
std::string getError(StringRef description) {
  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    for (Diagnostic &note : diag.getNotes())
      message += "\n" + note.str();
  });
  (void)CPUInfo::parse(description,
                       [&] { return emitError(UnknownLoc::get(&context)); });
  return message;
}

TEST(CPUInfoTest, LevelsOfX86) {
  EXPECT_EQ(parseTarget("x86-64").getVectorBits(), 128);
  EXPECT_EQ(parseTarget("x86-64-v2").getVectorBits(), 128);
  CPUInfo v3 = parseTarget("x86-64-v3");
  EXPECT_EQ(v3.getVectorBits(), 256);
  EXPECT_TRUE(v3.hasFeature("fma"));
  EXPECT_TRUE(v3.hasFMA());
  EXPECT_FALSE(v3.hasFeature("avx512f"));
  EXPECT_FALSE(v3.hasMaskedAccess());
  CPUInfo v4 = parseTarget("x86-64-v4");
  EXPECT_EQ(v4.getVectorBits(), 512);
  EXPECT_TRUE(v4.hasMaskedAccess());
  EXPECT_EQ(v4.getTriple().getArch(), llvm::Triple::x86_64);
  EXPECT_FALSE(parseTarget("x86-64-v2").hasFMA());
}

TEST(CPUInfoTest, ChangedFeatures) {
  CPUInfo target = parseTarget("x86-64-v4,-avx512vl, +avx512bf16");
  EXPECT_TRUE(target.hasFeature("avx512bf16"));
  EXPECT_EQ(target.getVectorBits(), 256);
  EXPECT_NE(target.getKey(), parseTarget("x86-64-v4").getKey());
  EXPECT_EQ(parseTarget("x86-64-v4,+avx2").getKey(),
            parseTarget("x86-64-v4").getKey());
}

TEST(CPUInfoTest, NamedCPUs) {
  EXPECT_TRUE(parseTarget("sapphirerapids").hasFeature("amx-bf16"));
  CPUInfo arm = parseTarget("aarch64-neoverse-n1");
  EXPECT_TRUE(arm.isAArch64());
  EXPECT_EQ(arm.getVectorBits(), 128);
  EXPECT_TRUE(arm.hasFMA());
  EXPECT_TRUE(arm.hasFeature("dotprod"));
  EXPECT_EQ(parseTarget("neoverse-n1").getKey(), arm.getKey());
  EXPECT_EQ(parseTarget("aarch64").getCPU(), "generic");
}

/// What `native` stands for can be chosen, and changed as any other target.
TEST(CPUInfoTest, NativeFromEnvironment) {
  const char *name = "RELAY_NATIVE_TARGET";
  const char *known = std::getenv(name);
  std::string before = known ? known : "";
  setenv(name, "x86-64-v3, +amx-tile,+amx-bf16", 1);
  CPUInfo target = parseTarget("native");
  EXPECT_TRUE(target.hasTiles());
  EXPECT_EQ(target.getVectorBits(), 256);
  EXPECT_FALSE(parseTarget("native,-amx-tile").hasTiles());
  EXPECT_FALSE(parseTarget("x86-64-v3").hasTiles());
  setenv(name, "native", 1);
  EXPECT_EQ(parseTarget("native").getKey(), CPUInfo::getNative().getKey());
  if (known)
    setenv(name, before.c_str(), 1);
  else
    unsetenv(name);
}

TEST(CPUInfoTest, Tuning) {
  EXPECT_EQ(parseTarget("x86-64-v4").getTuneCPU(), "sapphirerapids");
  EXPECT_EQ(parseTarget("znver4").getTuneCPU(), "");
  EXPECT_EQ(parseTarget("sapphirerapids").getTuneCPU(), "");
  // Others would rename matrix registers.
  EXPECT_EQ(parseTarget("znver4,+amx-tile").getTuneCPU(), "sapphirerapids");
}

TEST(CPUInfoTest, CachesOfNamedCPUs) {
  CacheSizes server = parseTarget("sapphirerapids").getCacheSizes();
  EXPECT_EQ(server.l1, 48 << 10);
  EXPECT_EQ(server.l2, 2 << 20);
  EXPECT_EQ(parseTarget("icelake-server").getCacheSizes().l2, 1280 << 10);
  EXPECT_EQ(parseTarget("znver3").getCacheSizes().l2, 512 << 10);
  // A level says nothing of caches.
  EXPECT_EQ(parseTarget("x86-64-v4").getCacheSizes().l2, CacheSizes().l2);
  EXPECT_NE(parseTarget("emeraldrapids").getKey(),
            parseTarget("graniterapids").getKey());
}

TEST(CPUInfoTest, Native) {
  CPUInfo target = parseTarget("native");
  EXPECT_FALSE(target.getCPU().empty());
  EXPECT_GT(target.getCacheSizes().l1, 0);
  EXPECT_GE(target.getCacheSizes().l2, target.getCacheSizes().l1);
  EXPECT_FALSE(parseTarget("native,-avx2,-avx512f").hasFeature("avx2"));
}

TEST(CPUInfoTest, RequiredFeatures) {
  std::string v2 = parseTarget("x86-64-v2").getRequiredFeatures();
  EXPECT_NE(v2.find("sse4.2"), std::string::npos);
  EXPECT_EQ(v2.find("avx"), std::string::npos);
  // No code but that of explicit intrinsics uses tiles.
  EXPECT_EQ(parseTarget("sapphirerapids").getRequiredFeatures().find("amx"),
            std::string::npos);
}

TEST(CPUInfoTest, Unknown) {
  std::string message = getError("x86-64-v9");
  EXPECT_NE(message.find("but got 'x86-64-v9'"), std::string::npos);
  EXPECT_NE(message.find("x86-64-v3"), std::string::npos);
  EXPECT_NE(message.find("sapphirerapids"), std::string::npos);
  EXPECT_NE(getError("aarch64-skylake").find("neoverse-n1"), std::string::npos);
  EXPECT_NE(getError("x86-64-v3,+avx999").find("'+avx999'"), std::string::npos);
  EXPECT_NE(getError("x86-64-v3,avx2").find("'avx2'"), std::string::npos);
  EXPECT_NE(getError("i386"), "");
  EXPECT_NE(getError(""), "");
  EXPECT_EQ(getError("x86-64-v3,+avx512f"), "");
}

} // namespace
