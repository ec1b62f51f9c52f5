//===- ArtifactTest.cpp - Write artefacts and run them --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/Artifact.h"

#include "../../Runtime/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// x + bias, where the bias of channel c is packed at [c mod 2, c floordiv 2],
/// through a workspace of all elements; and a doubling.
constexpr StringLiteral kKernels = R"mlir(
llvm.func @add_bias(%args: !llvm.ptr, %dims: !llvm.ptr, %context: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %ok = llvm.mlir.constant(0 : i32) : i32
  %bad = llvm.mlir.constant(7 : i32) : i32
  %n = llvm.load %dims : !llvm.ptr -> i64
  %wp = llvm.getelementptr %dims[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %elements = llvm.load %wp : !llvm.ptr -> i64
  %count = llvm.mul %n, %three : i64
  %consistent = llvm.icmp "eq" %elements, %count : i64
  %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
  %bp = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %bias = llvm.load %bp : !llvm.ptr -> !llvm.ptr
  %yp = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %yp : !llvm.ptr -> !llvm.ptr
  %sp = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %scratch = llvm.load %sp : !llvm.ptr -> !llvm.ptr
  llvm.cond_br %consistent, ^head(%zero : i64), ^fail
^fail:
  llvm.return %bad : i32
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %keep = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %value = llvm.load %from : !llvm.ptr -> f32
  llvm.store %value, %keep : f32, !llvm.ptr
  %c = llvm.urem %i, %three : i64
  %row = llvm.urem %c, %two : i64
  %column = llvm.udiv %c, %two : i64
  %rowStart = llvm.mul %row, %two : i64
  %index = llvm.add %rowStart, %column : i64
  %b = llvm.getelementptr %bias[%index] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %addend = llvm.load %b : !llvm.ptr -> f32
  %pad = llvm.getelementptr %bias[3] : (!llvm.ptr) -> !llvm.ptr, f32
  %padding = llvm.load %pad : !llvm.ptr -> f32
  %again = llvm.load %keep : !llvm.ptr -> f32
  %sum = llvm.fadd %again, %addend : f32
  %all = llvm.fadd %sum, %padding : f32
  %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %all, %to : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^done:
  llvm.return %ok : i32
}
llvm.func @twice.shared(%args: !llvm.ptr, %dims: !llvm.ptr, %context: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %ok = llvm.mlir.constant(0 : i32) : i32
  %count = llvm.load %dims : !llvm.ptr -> i64
  %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
  %yp = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %yp : !llvm.ptr -> !llvm.ptr
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %value = llvm.load %from : !llvm.ptr -> f32
  %sum = llvm.fadd %value, %value : f32
  %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %sum, %to : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^done:
  llvm.return %ok : i32
}
)mlir";

constexpr StringLiteral kProgram = R"mlir(
func.func private @add_bias(memref<?x3xf32>,
    memref<2x2xf32> {tir.layout = affine_map<(d0) -> (d0 mod 2, d0 floordiv 2)>},
    memref<?x3xf32>,
    memref<?xf32> {tir.workspace = affine_map<()[n, m] -> (n * 3)>})
  attributes {tir.num_outputs = 1 : i64, tir.workspaces = 1 : i64}
func.func private @twice(memref<?xf32>, memref<?xf32>)
  attributes {tir.num_outputs = 1 : i64}

relax.func @main(%x: !relax.tensor<[n, 3], f32> {relax.name = "x"},
                 %y: !relax.tensor<[m], f32>)
    -> (!relax.tensor<[3 * n], f32> {relax.name = "doubled"},
        !relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>) {
  relax.assert_equal [m], [2 * n]
  %bias = relax.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %0 = relax.call_tir @add_bias(%x, %bias)
    : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>)
    -> !relax.tensor<[n, 3], f32>
  %1 = relax.reshape %0
    : !relax.tensor<[n, 3], f32> to !relax.tensor<[3 * n], f32>
  %2 = relax.call_tir @twice(%1)
    : (!relax.tensor<[3 * n], f32>) -> !relax.tensor<[3 * n], f32>
  %3 = relax.call_tir @twice(%2)
    : (!relax.tensor<[3 * n], f32>) -> !relax.tensor<[3 * n], f32>
  relax.return %3, %0, %bias : !relax.tensor<[3 * n], f32>,
    !relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>
}
)mlir";

class ArtifactTest : public ::testing::Test {
protected:
  ArtifactTest() {
    context.loadDialect<func::FuncDialect, LLVM::LLVMDialect,
                        relax::RelaxDialect>();
    prepareForCodeGeneration(context);
  }

  /// Compiles the program above to the file `path`.
  LogicalResult write(bool relocatable = false) {
    auto kernels = parseSourceString<ModuleOp>(kKernels, &context);
    auto program = parseSourceString<ModuleOp>(kProgram, &context);
    EXPECT_TRUE(kernels && program);
    CPUInfo target = CPUInfo::getNative();
    SmallVector<char, 0> object;
    EXPECT_TRUE(succeeded(
        compileLLVMModule(*kernels, target, CodeKind::Object, object)));
    PassManager passes(&context);
    passes.addPass(relax::createPlanMemoryPass());
    passes.addPass(relax::createVerifyExecutablePass());
    EXPECT_TRUE(succeeded(passes.run(*program)));

    StringRef bytes(object.data(), object.size());
    // The second kernel shares the object of the first, so it is linked once.
    auto main = program->lookupSymbol<relax::FuncOp>("main");
    ArtifactOptions options;
    options.relocatable = relocatable;
    return writeArtifact(
        main, main.getLoc(),
        {{"add_bias", "add_bias", bytes}, {"twice", "twice.shared", bytes}},
        target, path, options);
  }

  /// The same to a file that is removed with the test.
  void build(bool relocatable = false) {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("model", "so", path));
    ASSERT_TRUE(succeeded(write(relocatable)));
  }

  void TearDown() override {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }

  MLIRContext context;
  SmallString<128> path;
};

std::vector<float> getValues(const DLManagedTensor *tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->dl_tensor.ndim; ++i)
    count *= tensor->dl_tensor.shape[i];
  auto *data = static_cast<const float *>(tensor->dl_tensor.data);
  return {data, data + count};
}

TEST_F(ArtifactTest, RunsWithEveryBatch) {
  build();
  RelayModule *module = nullptr;
  ASSERT_EQ(relayModuleLoad(path.c_str(), &module), RELAY_OK)
      << relayGetLastError();
  std::vector<int64_t> observed;
  relayModuleSetObserver(
      module,
      [](void *user, int64_t index, void *const *args, const int64_t *dims) {
        static_cast<std::vector<int64_t> *>(user)->push_back(index);
      },
      &observed);

  for (int64_t n : {1, 5, 100}) {
    std::vector<float> x(n * 3), doubled, biased;
    for (int64_t i = 0; i < n * 3; ++i) {
      x[i] = i;
      biased.push_back(i + 10.0f * (i % 3 + 1));
      doubled.push_back(4 * biased.back());
    }
    std::vector<float> y(2 * n);
    relay_test::Tensor input({n, 3}, x.data()), other({2 * n}, y.data());
    const DLTensor *inputs[] = {&input.tensor, &other.tensor};
    DLManagedTensor *outputs[3] = {};
    observed.clear();
    ASSERT_EQ(relayModuleRun(module, inputs, 2, outputs, 3), RELAY_OK)
        << relayGetLastError();
    EXPECT_EQ(outputs[0]->dl_tensor.ndim, 1);
    EXPECT_EQ(outputs[0]->dl_tensor.shape[0], n * 3);
    EXPECT_EQ(getValues(outputs[0]), doubled);
    EXPECT_EQ(getValues(outputs[1]), biased);
    EXPECT_EQ(getValues(outputs[2]), std::vector<float>({10, 20, 30}));
    EXPECT_EQ(observed, std::vector<int64_t>({RELAY_OBSERVER_START, 0, 1, 2}));
    for (DLManagedTensor *output : outputs)
      output->deleter(output);

    // The program asserts that this size is 2 * n.
    other.shape[0] -= 1;
    EXPECT_EQ(relayModuleRun(module, inputs, 2, outputs, 3),
              RELAY_INVALID_ARGUMENT);
    EXPECT_EQ(relayGetLastError(),
              "expects m to equal 2 * n, but got " + std::to_string(2 * n - 1) +
                  " and " + std::to_string(2 * n) +
                  "; m = " + std::to_string(2 * n - 1) +
                  " is dimension 0 of input 'input1', n = " +
                  std::to_string(n) + " is dimension 0 of input 'x'");
  }
  relayModuleFree(module);
}

// The sizes of a run, compared with those computed with more bits.
TEST_F(ArtifactTest, SizesThatDoNotFitAreFound) {
  build();
  RelayModule *module = nullptr;
  ASSERT_EQ(relayModuleLoad(path.c_str(), &module), RELAY_OK)
      << relayGetLastError();
  const RelayArtifact &artifact = *relayModuleGetArtifact(module);
  const RelayArtifactFunction &function = *artifact.functions;
  std::vector<int64_t> values(function.max_check_values);
  SmallVector<int64_t> sizes{0, 1, 2, INT64_MAX - 1, INT64_MAX};
  for (int shift = 20; shift < 63; ++shift)
    for (int64_t delta : {-1, 0, 1})
      sizes.push_back((int64_t(1) << shift) + delta);
  for (int64_t factor = 1; factor < 100; ++factor)
    sizes.push_back(INT64_MAX / factor);
  for (int64_t n : sizes) {
    // 2 * n is m; the largest tensor has 12 * n bytes, and the arena that and
    // one as large, rounded up.
    __int128 bytes = __int128(12) * n, arena = 2 * (bytes + 63);
    int64_t symbols[] = {n, int64_t(uint64_t(2) * uint64_t(n))};
    int64_t dims[4], arenaBytes = -1;
    int32_t status = function.shapes(symbols, dims, &arenaBytes, values.data());
    if (arena <= INT64_MAX) {
      EXPECT_EQ(status, 0) << n;
      EXPECT_EQ(dims[0], 3 * n);
      EXPECT_GE(arenaBytes, bytes);
    } else if (bytes > INT64_MAX || status != 0) {
      ASSERT_GT(status, 0) << n;
      ASSERT_LE(status, function.num_checks) << n;
    }
  }
  relayModuleFree(module);
}

TEST_F(ArtifactTest, DescribesItself) {
  build();
  RelayModule *module = nullptr;
  ASSERT_EQ(relayModuleLoad(path.c_str(), &module), RELAY_OK)
      << relayGetLastError();
  const RelayArtifact &artifact = *relayModuleGetArtifact(module);
  ASSERT_EQ(artifact.num_functions, 1);
  const RelayArtifactFunction &function = *artifact.functions;
  EXPECT_STREQ(function.name, "main");
  ASSERT_EQ(function.num_symbols, 2);
  EXPECT_STREQ(function.symbols[0], "n");
  EXPECT_EQ(StringRef(artifact.target_triple),
            CPUInfo::getNative().getTriple().str());
  ASSERT_EQ(function.num_inputs, 2);
  EXPECT_STREQ(function.inputs[0].name, "x");
  EXPECT_EQ(function.inputs[0].dims[0], -1);
  EXPECT_STREQ(function.inputs[0].dim_names[0], "n");
  EXPECT_EQ(function.inputs[0].dims[1], 3);
  EXPECT_EQ(function.inputs[0].dim_names[1], nullptr);
  ASSERT_EQ(function.num_outputs, 3);
  EXPECT_STREQ(function.outputs[0].name, "doubled");
  EXPECT_EQ(function.outputs[0].dims[0], INT64_MIN);
  EXPECT_STREQ(function.outputs[0].dim_names[0], "3 * n");
  EXPECT_STREQ(function.outputs[1].name, "output1");
  ASSERT_EQ(artifact.num_calls, 3);
  EXPECT_STREQ(artifact.calls[1].kernel, "twice.shared");
  EXPECT_STREQ(artifact.calls[1].function, "twice");
  EXPECT_EQ(artifact.calls[0].num_args, 4);
  EXPECT_EQ(artifact.calls[0].first_output, 2);
  EXPECT_EQ(artifact.calls[0].num_outputs, 1);
  // Constants start on a page, packed for the kernel and as they are.
  EXPECT_EQ(reinterpret_cast<uintptr_t>(artifact.weights) % 4096, 0u);
  EXPECT_EQ(relayModuleVerify(module), RELAY_OK);
  EXPECT_EQ(artifact.weights_size, 64u + 12u);
  relayModuleFree(module);
}

TEST_F(ArtifactTest, RelocatableObjectExportsTheArtifact) {
  build(/*relocatable=*/true);
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  const llvm::object::ObjectFile &object = *file->getBinary();
  EXPECT_TRUE(object.isRelocatableObject());
  EXPECT_TRUE(
      llvm::any_of(object.symbols(), [](const llvm::object::SymbolRef &symbol) {
        return llvm::cantFail(symbol.getName()) == RELAY_ARTIFACT_SYMBOL;
      }));
}

TEST_F(ArtifactTest, UnwritableOutputIsAnError) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    return success();
  });
  path = "/nonexistent/model.so";
  EXPECT_TRUE(failed(write()));
  EXPECT_EQ(message, "cannot write '/nonexistent/model.so': No such file or "
                     "directory");
  path.clear();
}

} // namespace
