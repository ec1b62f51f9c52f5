//===- KernelRunner.cpp - Compile a kernel and call it --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "mlir/Parser/Parser.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Target/Kernel/KernelCompiler.h"
#include "relay-mlir/Target/Kernel/Linker.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::relay;
using namespace relay_test;

CPUInfo relay_test::parseTarget(const std::string &description) {
  MLIRContext context;
  return *CPUInfo::parse(description,
                         [&] { return emitError(UnknownLoc::get(&context)); });
}

void relay_test::attachTarget(ModuleOp module, const CPUInfo &target) {
  MLIRContext *context = module.getContext();
  context->loadDialect<TargetDialect>();
  module->setAttr(TargetDialect::kSpecAttrName, target.getAttr(context));
}

static MLIRContext &getContext() {
  static DialectRegistry registry = [] {
    DialectRegistry result;
    mlir::relay::registerAllDialects(result);
    return result;
  }();
  static MLIRContext context(registry);
  static bool isPrepared = (prepareForCodeGeneration(context), true);
  (void)isPrepared;
  return context;
}

static bool compile(const std::string &text, const CPUInfo &target,
                    CodeKind kind, SmallVectorImpl<char> &output) {
  auto module = parseSourceString<ModuleOp>(text, &getContext());
  if (!module)
    return false;
  attachTarget(*module, target);
  return succeeded(compileKernelModule(*module, kind, output));
}

std::string relay_test::compileToAssembly(const std::string &text,
                                          const std::string &target) {
  SmallVector<char, 0> code;
  EXPECT_TRUE(compile(text, parseTarget(target), CodeKind::Assembly, code));
  return std::string(code.begin(), code.end());
}

CompiledFunction::CompiledFunction(const std::string &text,
                                   const std::string &target) {
  load(text, target);
}

void CompiledFunction::load(const std::string &text,
                            const std::string &description) {
  CPUInfo target = parseTarget(description);
  SmallVector<char, 0> object;
  if (!compile(text, target, CodeKind::Object, object)) {
    ADD_FAILURE() << "cannot compile " << text;
    return;
  }
  FailureOr<std::vector<char>> linked =
      linkSharedObject(StringRef(object.data(), object.size()), target, [&] {
        return emitError(UnknownLoc::get(&getContext()));
      });
  ASSERT_TRUE(succeeded(linked));
  int file;
  SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("kernel", "so", file, path));
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true)
      << StringRef(linked->data(), linked->size());
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  kernel = reinterpret_cast<RelayKernel>(dlsym(library, "k"));
  ASSERT_NE(kernel, nullptr) << dlerror();
}

CompiledFunction::~CompiledFunction() {
  if (library)
    dlclose(library);
}

/// Three parts, the last one first, so that a body that relies on their order
/// is found out.
static int32_t runInParts(const RelayKernelContext *, RelayParallelBody body,
                          void *const *args, const int64_t *dims,
                          int64_t extent) {
  for (int64_t part = 2; part >= 0; --part)
    body(args, dims, extent * part / 3, extent * (part + 1) / 3);
  return 0;
}

int32_t CompiledFunction::operator()(std::vector<void *> args,
                                     std::vector<int64_t> dims) {
  const char *expectation = nullptr;
  RelayKernelContext context = {};
  context.parallel_for = runInParts;
  context.expectation = &expectation;
  return kernel(args.data(), dims.data(), &context);
}

GuardedBuffer::GuardedBuffer(size_t bytes, bool atEnd) {
  size_t page = getpagesize();
  size_t inner = (bytes + page - 1) / page * page;
  mapped = inner + 2 * page;
  base = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *start = static_cast<char *>(base) + page;
  mprotect(start, inner, PROT_READ | PROT_WRITE);
  data = atEnd ? start + inner - bytes : start;
}

GuardedBuffer::~GuardedBuffer() { munmap(base, mapped); }
