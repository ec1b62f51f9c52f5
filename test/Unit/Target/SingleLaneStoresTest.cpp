//===- SingleLaneStoresTest.cpp - Stores of one lane under a mask ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"

#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::relay;
using namespace relay_test;

namespace {

/// Code for AVX-512 that truncates `lanes` numbers to bytes and stores those of
/// the mask, a list of true and false.
std::string compileStore(int64_t lanes, StringRef mask, CodeKind kind) {
  std::string words = "vector<" + std::to_string(lanes) + "xi32>";
  std::string bytes = "vector<" + std::to_string(lanes) + "xi8>";
  std::string bits = "vector<" + std::to_string(lanes) + "xi1>";
  std::string text = "llvm.func @store(%x: !llvm.ptr, %y: !llvm.ptr) {\n"
                     "  %mask = llvm.mlir.constant(dense<[" +
                     mask.str() + "]> : " + bits + ") : " + bits +
                     "\n  %0 = llvm.load %x : !llvm.ptr -> " + words +
                     "\n  %1 = llvm.trunc %0 : " + words + " to " + bytes +
                     "\n  llvm.intr.masked.store %1, %y, %mask {alignment = 1 "
                     ": i32} : " +
                     bytes + ", " + bits +
                     " into !llvm.ptr\n  llvm.return\n}\n";
  DialectRegistry registry;
  mlir::relay::registerAllDialects(registry);
  MLIRContext context(registry);
  prepareForCodeGeneration(context);
  auto module = parseSourceString<ModuleOp>(text, &context);
  SmallString<4096> output;
  EXPECT_TRUE(module && succeeded(compileLLVMModule(
                            *module, parseTarget("x86-64-v4"), kind, output)));
  return std::string(output);
}

bool contains(StringRef code, StringRef part) { return code.contains(part); }

// LLVM 22 stores four bytes here, the last three of them over what follows.
TEST(SingleLaneStores, OfATruncatedVectorIsAStoreOfAByte) {
  std::string code =
      compileStore(4, "false, false, true, false", CodeKind::LLVMIR);
  EXPECT_PRED2(contains, code, "extractelement <4 x i8>");
  EXPECT_PRED2(contains, code, "store i8");
  EXPECT_FALSE(contains(code, "call void @llvm.masked.store")) << code;
  std::string assembly =
      compileStore(8, "true, false, false, false, false, false, false, false",
                   CodeKind::Assembly);
  EXPECT_FALSE(contains(assembly, "vmovd")) << assembly;
  EXPECT_FALSE(contains(assembly, "vmovss")) << assembly;
}

TEST(SingleLaneStores, SeveralLanesStayUnderTheirMask) {
  EXPECT_PRED2(contains,
               compileStore(4, "true, false, true, false", CodeKind::LLVMIR),
               "call void @llvm.masked.store.v4i8");
}

} // namespace
