//===- CompilerTest.cpp - Compiling on many threads -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler's output depends on its input alone: not on how many threads
// compile, nor on what else the process does meanwhile.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/Compiler.h"

#include "../Runtime/Tensor.h"

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/InitAllDialects.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"

#include "gtest/gtest.h"

#include <thread>

using namespace mlir;
using namespace mlir::relay;
namespace fs = llvm::sys::fs;

namespace {

constexpr int64_t kRows = 4, kColumns = 24;

/// y = softmax(relu(x * w) * v + 1/n), then as many different kernels as asked
/// for: rows are scaled, and their maxima taken away.
std::string getProgram(int numLayers) {
  std::string text = R"(
func.func @main(%x: tensor<4x24xf32>) -> tensor<4x24xf32> {
  %w = relay.constant dense<0.125> : tensor<24x24xf32>
  %0 = relay.nn.dense %x, %w : (tensor<4x24xf32>, tensor<24x24xf32>) -> tensor<4x24xf32>
  %1 = relay.nn.relu %0 : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %last = relay.nn.softmax %1 : (tensor<4x24xf32>) -> tensor<4x24xf32>
)";
  std::string last = "%last";
  for (int i = 0; i < numLayers; ++i) {
    std::string n = std::to_string(i);
    text += "  %c" + n + " = relay.constant dense<" + std::to_string(i + 2) +
            ".0> : tensor<f32>\n  %s" + n + " = relay.multiply " + last +
            ", %c" + n +
            " : (tensor<4x24xf32>, tensor<f32>) -> tensor<4x24xf32>\n  %t" + n +
            " = relay.nn.softmax %s" + n +
            " : (tensor<4x24xf32>) -> tensor<4x24xf32>\n";
    last = "%t" + n;
  }
  return text + "  return " + last + " : tensor<4x24xf32>\n}\n";
}

std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

class CompilerTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("relay-compiler-test", folder));
    relay::registerAllDialects(registry);
  }
  void TearDown() override { (void)fs::remove_directories(folder); }

  /// Compiles the program in a context of its own, with as many threads; 0: one
  /// for each processor.
  void compile(const std::string &program, const std::string &path,
               bool useCache, unsigned numThreads = 0) {
    std::optional<llvm::DefaultThreadPool> threads;
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    if (numThreads > 1)
      context.setThreadPool(
          threads.emplace(llvm::hardware_concurrency(numThreads)));
    else if (numThreads == 0)
      context.enableMultithreading();
    auto module = parseSourceString<ModuleOp>(program, &context);
    ASSERT_TRUE(module);
    CompileOptions options;
    options.useCache = useCache;
    options.cacheDir = folder.str().str() + "/cache";
    ASSERT_TRUE(succeeded(
        compileModule(*module, options, EmitKind::SharedObject, path)));
  }
  std::string getPath(int number) {
    return folder.str().str() + "/" + std::to_string(number) + ".so";
  }

  DialectRegistry registry;
  SmallString<128> folder;
};

/// Loads the artefact, runs it once, and frees all of it. Rows of results add
/// up to 1.
void runOnce(const std::string &path) {
  RelayModule *module = nullptr;
  ASSERT_EQ(RELAY_OK, relayModuleLoad(path.c_str(), &module))
      << relayGetLastError();
  std::vector<float> x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 7) - 3;
  relay_test::Tensor input({kRows, kColumns}, x.data());
  const DLTensor *inputs[] = {&input.tensor};
  DLManagedTensor *output = nullptr;
  ASSERT_EQ(RELAY_OK, relayModuleRun(module, inputs, 1, &output, 1))
      << relayGetLastError();
  const auto *y = static_cast<const float *>(output->dl_tensor.data);
  for (int64_t row = 0; row < kRows; ++row) {
    float sum = 0;
    for (int64_t column = 0; column < kColumns; ++column)
      sum += y[row * kColumns + column];
    EXPECT_NEAR(1, sum, 1e-5);
  }
  output->deleter(output);
  relayModuleFree(module);
}

TEST_F(CompilerTest, OutputDoesNotDependOnThreads) {
  std::string program = getProgram(/*numLayers=*/24);
  compile(program, getPath(1), /*useCache=*/false, /*numThreads=*/1);
  runOnce(getPath(1));
  std::string expected = readFile(getPath(1));
  ASSERT_FALSE(expected.empty());
  for (unsigned numThreads : {2, 8, 8}) {
    compile(program, getPath(numThreads), /*useCache=*/false, numThreads);
    EXPECT_TRUE(readFile(getPath(numThreads)) == expected)
        << numThreads << " threads";
  }
}

TEST_F(CompilerTest, SeveralCompilationsAndRunsAtOnce) {
  constexpr int kThreads = 6;
  std::string program = getProgram(/*numLayers=*/3);
  compile(program, getPath(kThreads), /*useCache=*/false, /*numThreads=*/1);
  std::string expected = readFile(getPath(kThreads));
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      // All fill, and read, the same cache.
      for (int repeat = 0; repeat < 2; ++repeat) {
        compile(program, getPath(i), /*useCache=*/true, /*numThreads=*/i % 3);
        EXPECT_TRUE(readFile(getPath(i)) == expected) << i;
        runOnce(getPath(i));
        runOnce(getPath(kThreads));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
