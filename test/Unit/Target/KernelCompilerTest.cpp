//===- KernelCompilerTest.cpp - Compiling many kernels, and the cache -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"
#include "relay-mlir/Target/Kernel/Linker.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>

using namespace mlir;
using namespace mlir::relay;
using namespace relay_test;
namespace fs = llvm::sys::fs;

namespace {

constexpr const char *kKernel = R"(
tir.prim_func @NAME(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %a = arith.constant VALUE.0 : f32
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @add(%v0 = spatial %i in 64)
        reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = arith.addf %0, %a : f32
      affine.store %1, %y[%v0] : memref<64xf32>
    }
  }
}
)";

class KernelCompilerTest : public testing::Test {
protected:
  void SetUp() override {
    relay::registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    ASSERT_FALSE(fs::createUniqueDirectory("relay-cache-test", folder));
    options.cacheDir = std::string(folder);
  }
  void TearDown() override { (void)fs::remove_directories(folder); }

  /// Compiles one kernel for each (name, constant).
  std::vector<CompiledKernel>
  compile(std::vector<std::pair<std::string, int64_t>> kernels,
          const std::string &target = "native") {
    std::string text;
    for (auto [name, value] : kernels)
      text += replaceAll(replaceAll(kKernel, "NAME", name), "VALUE",
                         std::to_string(value));
    auto module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    attachTarget(*module, parseTarget(target));
    KernelCompiler compiler(&context, options);
    FailureOr<std::vector<CompiledKernel>> compiled =
        compiler.compile(llvm::to_vector(module->getOps<tir::PrimFuncOp>()),
                         [&](tir::PrimFuncOp kernel) {
                           ++numScheduled;
                           kernel->setAttr("tir.test", UnitAttr::get(&context));
                           return success();
                         });
    EXPECT_TRUE(succeeded(compiled));
    return std::move(*compiled);
  }

  SmallVector<std::string> getEntries() {
    SmallVector<std::string> entries;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      entries.push_back(it->path());
    return entries;
  }

  DialectRegistry registry;
  MLIRContext context;
  SmallString<128> folder;
  KernelCompilerOptions options;
  std::atomic<int> numScheduled = 0;
};

TEST_F(KernelCompilerTest, EqualKernelsCompileOnce) {
  auto kernels = compile({{"a", 1}, {"b", 2}, {"c", 1}});
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(numScheduled, 2);
  EXPECT_EQ(kernels[0].object, kernels[2].object);
  EXPECT_NE(kernels[0].object, kernels[1].object);
  EXPECT_EQ(kernels[2].symbol, "a");
  EXPECT_EQ(kernels[1].symbol, "b");
}

TEST_F(KernelCompilerTest, CacheHoldsObjectAndSignature) {
  auto first = compile({{"a", 1}});
  EXPECT_FALSE(first[0].fromCache);
  auto second = compile({{"a", 1}});
  EXPECT_TRUE(second[0].fromCache);
  EXPECT_EQ(numScheduled, 1);
  EXPECT_EQ(*first[0].object, *second[0].object);
  ASSERT_TRUE(second[0].signature);
  EXPECT_EQ(second[0].signature->getArgumentTypes(),
            first[0].signature->getArgumentTypes());
  // What the schedule did is remembered.
  EXPECT_TRUE((*second[0].signature)->hasAttr("tir.test"));

  // Another kernel, another name, another target.
  EXPECT_FALSE(compile({{"a", 2}})[0].fromCache);
  EXPECT_FALSE(compile({{"b", 1}})[0].fromCache);
  EXPECT_FALSE(compile({{"a", 1}}, "x86-64-v2")[0].fromCache);
  options.useCache = false;
  EXPECT_FALSE(compile({{"a", 1}})[0].fromCache);
}

TEST_F(KernelCompilerTest, DamagedEntriesAreRewritten) {
  auto first = compile({{"a", 1}});
  auto entries = getEntries();
  ASSERT_EQ(entries.size(), 1u);
  uint64_t size;
  ASSERT_FALSE(fs::file_size(entries[0], size));
  auto damage = [&](std::function<void(std::fstream &)> how) {
    {
      std::fstream file(entries[0],
                        std::ios::in | std::ios::out | std::ios::binary);
      how(file);
    }
    auto again = compile({{"a", 1}});
    EXPECT_FALSE(again[0].fromCache);
    EXPECT_EQ(*again[0].object, *first[0].object);
    EXPECT_TRUE(compile({{"a", 1}})[0].fromCache);
  };
  damage([&](std::fstream &file) { file.seekp(size - 5).put('?'); });
  damage([&](std::fstream &file) { file.seekp(2).put('?'); });
  damage([&](std::fstream &file) { file.seekp(15).put('\x7f'); });
  damage([&](std::fstream &) {
    std::ofstream(entries[0], std::ios::trunc | std::ios::binary) << "RELAY";
  });
  damage([&](std::fstream &) {
    std::ofstream(entries[0], std::ios::trunc | std::ios::binary);
  });
}

// The name of an entry is the hash of what it was made of.
TEST_F(KernelCompilerTest, EntriesOfOthersAreNotUsed) {
  compile({{"a", 1}});
  std::string first = getEntries()[0];
  compile({{"b", 2}});
  ASSERT_EQ(getEntries().size(), 2u);
  std::string second = getEntries()[getEntries()[0] == first ? 1 : 0];
  ASSERT_FALSE(fs::copy_file(first, second));
  EXPECT_TRUE(compile({{"a", 1}})[0].fromCache);
  EXPECT_FALSE(compile({{"b", 2}})[0].fromCache);
  EXPECT_TRUE(compile({{"b", 2}})[0].fromCache);
}

TEST_F(KernelCompilerTest, LeastRecentlyUsedEntriesGo) {
  compile({{"a", 1}});
  uint64_t size;
  ASSERT_FALSE(fs::file_size(getEntries()[0], size));
  options.cacheLimitBytes = 2 * size + size / 2;
  compile({{"b", 1}});
  // "a" is used again, so "b" is the one to go.
  EXPECT_TRUE(compile({{"a", 1}})[0].fromCache);
  compile({{"c", 1}});
  EXPECT_EQ(getEntries().size(), 2u);
  EXPECT_TRUE(compile({{"a", 1}})[0].fromCache);
  EXPECT_TRUE(compile({{"c", 1}})[0].fromCache);
  EXPECT_FALSE(compile({{"b", 1}})[0].fromCache);
}

// A file in place of the folder cannot be written by root either.
TEST_F(KernelCompilerTest, OldTemporaryFilesGo) {
  auto create = [&](StringRef name, std::chrono::minutes age) {
    SmallString<64> path(options.cacheDir);
    llvm::sys::path::append(path, name);
    int file;
    EXPECT_FALSE(fs::openFileForWrite(path, file));
    EXPECT_FALSE(fs::setLastAccessAndModificationTime(
        file, std::chrono::system_clock::now() - age));
    fs::file_t handle = fs::convertFDToNativeFile(file);
    EXPECT_FALSE(fs::closeFile(handle));
    return path;
  };
  auto left = create("0a.kernel.tmp01ab23", std::chrono::minutes(61));
  auto busy = create("0a.kernel.tmp45cd67", std::chrono::minutes(1));
  auto other = create("notes.txt", std::chrono::minutes(61));
  compile({{"a", 1}});
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(busy));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(KernelCompilerTest, UnwritableCacheIsAWarning) {
  SmallString<128> file(folder);
  llvm::sys::path::append(file, "file");
  std::ofstream(file.c_str()) << "not a folder";
  options.cacheDir = std::string(file);
  int numWarnings = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    EXPECT_EQ(diag.getSeverity(), DiagnosticSeverity::Warning);
    EXPECT_NE(diag.str().find(file.c_str()), std::string::npos);
    ++numWarnings;
  });
  auto kernels = compile({{"a", 1}, {"b", 2}});
  EXPECT_EQ(kernels.size(), 2u);
  EXPECT_FALSE(kernels[0].object->empty());
  EXPECT_EQ(numWarnings, 1);
}

TEST_F(KernelCompilerTest, FailingScheduleIsAnError) {
  auto module = parseSourceString<ModuleOp>(
      replaceAll(replaceAll(kKernel, "NAME", "a"), "VALUE", "1"), &context);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diag) { message = diag.str(); });
  attachTarget(*module, parseTarget("native"));
  KernelCompiler compiler(&context, options);
  EXPECT_TRUE(failed(
      compiler.compile(llvm::to_vector(module->getOps<tir::PrimFuncOp>()),
                       [](tir::PrimFuncOp kernel) -> LogicalResult {
                         return kernel.emitError("no schedule");
                       })));
  EXPECT_EQ(message, "no schedule");
  EXPECT_TRUE(getEntries().empty());
}

TEST_F(KernelCompilerTest, NoTargetIsAnError) {
  auto module = parseSourceString<ModuleOp>(
      replaceAll(replaceAll(kKernel, "NAME", "a"), "VALUE", "1"), &context);
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diag) { message = diag.str(); });
  KernelCompiler compiler(&context, options);
  EXPECT_TRUE(failed(
      compiler.compile(llvm::to_vector(module->getOps<tir::PrimFuncOp>()),
                       [](tir::PrimFuncOp) { return success(); })));
  EXPECT_EQ(message, "expects a target, but got none");
}

TEST_F(KernelCompilerTest, CrossCompilation) {
  std::string code = compileToAssembly(
      replaceAll(replaceAll(kKernel, "NAME", "a"), "VALUE", "1"), "aarch64");
  EXPECT_NE(code.find("fadd\tv"), std::string::npos) << code;
  EXPECT_NE(code.find(".4s"), std::string::npos) << code;
  code = compileToAssembly(
      replaceAll(replaceAll(kKernel, "NAME", "a"), "VALUE", "1"), "x86-64-v4");
  EXPECT_NE(code.find("%zmm"), std::string::npos) << code;

  // Linked here for a machine that is not this one.
  auto kernels = compile({{"a", 1}}, "aarch64");
  EXPECT_TRUE(succeeded(
      linkSharedObject(StringRef(*kernels[0].object), parseTarget("aarch64"),
                       [&] { return emitError(UnknownLoc::get(&context)); })));
}

class LinkerTest : public KernelCompilerTest {
protected:
  /// The error of linking `object`.
  std::string getError(StringRef object) {
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diag) { message = diag.str(); });
    if (succeeded(linkSharedObject(object, parseTarget("native"), [&] {
          return emitError(UnknownLoc::get(&context));
        })))
      return "";
    EXPECT_FALSE(message.empty());
    return message;
  }
};

TEST_F(LinkerTest, InputThatIsNoObject) {
  EXPECT_NE(getError("junk").find("cannot link: "), std::string::npos);
}

TEST_F(LinkerTest, LinkerThatIsMissingOrFails) {
  auto kernels = compile({{"a", 1}});
  StringRef object = *kernels[0].object;
  auto getErrorWith = [&](const char *linker) {
    ::setenv("RELAY_LINKER", linker, /*overwrite=*/1);
    std::string message = getError(object);
    ::unsetenv("RELAY_LINKER");
    return message;
  };
  EXPECT_EQ(getErrorWith("/no/such/linker"),
            "cannot link: expects RELAY_LINKER to be the linker ld.lld, but "
            "'/no/such/linker' is no program");
  EXPECT_NE(getErrorWith("/bin/false"), "");
  // One that says nothing and writes nothing has not linked.
  EXPECT_EQ(getErrorWith("/bin/true"),
            "cannot link: /bin/true has written nothing");
  EXPECT_EQ(getError(object), "");
}

// Programs that do not care for their children are not told how they end.
TEST_F(LinkerTest, ChildrenThatNobodyWaitsFor) {
  auto kernels = compile({{"a", 1}});
  auto *previous = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(getError(*kernels[0].object), "");
  EXPECT_NE(getError("junk"), "");
  ::signal(SIGCHLD, previous);
}

// It is a matter of this process what the options of its libraries are.
TEST_F(LinkerTest, OptionsStayAsTheyAre) {
  auto *option = static_cast<llvm::cl::opt<bool> *>(
      llvm::cl::getRegisteredOptions().lookup("verify-dom-info"));
  ASSERT_NE(option, nullptr);
  bool before = *option;
  option->setValue(!before);
  auto kernels = compile({{"a", 1}});
  EXPECT_EQ(getError(*kernels[0].object), "");
  EXPECT_EQ(*option, !before);
  option->setValue(before);
}

// Found when the artefact is made, not when somebody loads it.
TEST_F(LinkerTest, UndefinedSymbol) {
  prepareForCodeGeneration(context);
  auto compileText = [&](const char *text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    SmallVector<char, 0> object;
    EXPECT_TRUE(module &&
                succeeded(compileLLVMModule(*module, parseTarget("native"),
                                            CodeKind::Object, object)));
    return std::string(object.begin(), object.end());
  };
  std::string message = getError(compileText(R"(
llvm.func @nowhere(f32) -> f32
llvm.func @f(%x: f32) -> f32 {
  %0 = llvm.call @nowhere(%x) : (f32) -> f32
  llvm.return %0 : f32
})"));
  EXPECT_EQ(message, "cannot link: undefined symbol: nowhere");
  EXPECT_EQ(getError(compileText(R"(
llvm.func @sinf(f32) -> f32
llvm.func @f(%x: f32) -> f32 {
  %0 = llvm.call @sinf(%x) : (f32) -> f32
  llvm.return %0 : f32
})")),
            "");
}

// One object with everything, to be linked by somebody else.
TEST_F(LinkerTest, RelocatableObject) {
  auto kernels = compile({{"a", 1}, {"b", 2}});
  CPUInfo target = parseTarget("native");
  auto report = [&] { return emitError(UnknownLoc::get(&context)); };
  FailureOr<std::vector<char>> object = linkRelocatableObject(
      {*kernels[0].object, *kernels[1].object}, target, report);
  ASSERT_TRUE(succeeded(object));
  EXPECT_TRUE(succeeded(linkSharedObject(
      StringRef(object->data(), object->size()), target, report)));
}

} // namespace
