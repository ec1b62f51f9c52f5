//===- VTAKernelChecker.cpp - Kernels of VTA and their tir ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `relay-run --check=tir`: what a program of VTA was made of are loops in tir.
// The processor runs these too, on what the program has had as inputs, so that
// whatever differs comes from the program, or from what has run it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CheckModel.h"

#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Pipelines/Compiler.h"
#include "relay-mlir/Pipelines/KernelArtifact.h"
#include "relay-mlir/Runtime/VTA/KernelFile.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

namespace {

using LoadedModule = std::unique_ptr<RelayModule, decltype(&relayModuleFree)>;

/// Runs the kernels of a model, as they are in tir, beside those of VTA.
class VTAKernelChecker {
public:
  VTAKernelChecker(RelayModule *compiled, ModuleOp kernels,
                   const CompileOptions &options, raw_ostream &os)
      : compiled(compiled), artifact(relayModuleGetArtifact(compiled)),
        kernels(kernels), options(options), os(os) {}

  LogicalResult readPrograms();
  FailureOr<bool> check(function_ref<LogicalResult()> run);

private:
  FailureOr<RelayModule *> getReference(tir::PrimFuncOp kernel);
  void observe(int64_t callIndex, void *const *args);
  LogicalResult compare(int64_t callIndex, tir::PrimFuncOp kernel,
                        void *const *args);
  void report(int64_t callIndex, int64_t result, const Tensor &expected,
              const Tensor &actual);
  void printStore(StringRef kernel, int32_t arg, uint64_t offset);

  RelayModule *compiled;
  const RelayArtifact *artifact;
  ModuleOp kernels;
  const CompileOptions &options;
  raw_ostream &os;

  llvm::StringMap<relay_vta::Kernel> programs;
  /// What the processor runs, by the name of the kernel.
  llvm::StringMap<LoadedModule> references;
  int64_t numCalls = 0;
  bool hasFailed = false, isDifferent = false;
};

} // namespace

/// Reads the programs that the artefact has for VTA.
LogicalResult VTAKernelChecker::readPrograms() {
  for (const RelayArtifactModule &code :
       ArrayRef(artifact->modules, artifact->num_modules)) {
    if (StringRef(code.kind) != vta::kDeviceKind ||
        StringRef(code.format) != relay_vta::kKernelFormat)
      continue;
    std::vector<relay_vta::Kernel> list;
    std::string message = relay_vta::readKernels(
        static_cast<const uint8_t *>(code.data), code.size, list);
    if (!message.empty())
      return kernels.emitError(message);
    for (relay_vta::Kernel &kernel : list)
      programs[kernel.name] = std::move(kernel);
  }
  return success();
}

/// Gives a kernel for VTA the target of the processor, which has one memory.
static void moveToProcessor(tir::PrimFuncOp kernel) {
  kernel->removeAttr(TargetDialect::kSpecAttrName);
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
    if (!isa_and_nonnull<MemoryAttr>(type.getMemorySpace()))
      return std::nullopt;
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout());
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// What the processor runs for a kernel, compiled when it is called first.
FailureOr<RelayModule *>
VTAKernelChecker::getReference(tir::PrimFuncOp kernel) {
  StringRef name = kernel.getSymName();
  auto it = references.find(name);
  if (it != references.end())
    return it->second.get();
  OwningOpRef<tir::PrimFuncOp> copy = kernel.clone();
  moveToProcessor(*copy);
  FailureOr<RelayModule *> reference =
      writeAndLoad(kernel.getLoc(), [&](StringRef path) {
        return writeKernelArtifact(*copy, options, path);
      });
  if (failed(reference))
    return failure();
  references.try_emplace(name, *reference, relayModuleFree);
  return reference;
}

/// Says which instruction of the kernel's program stores a byte of an argument.
void VTAKernelChecker::printStore(StringRef kernel, int32_t arg,
                                  uint64_t offset) {
  auto it = programs.find(kernel);
  if (it == programs.end() ||
      static_cast<size_t>(arg) >= it->second.buffers.size())
    return;
  const relay_vta::Program &program = it->second.program;
  std::optional<uint64_t> index =
      relay_vta::findStore(program, it->second.buffers[arg].address + offset);
  if (!index) {
    os << "; no instruction stores it";
    return;
  }
  relay_vta::Instruction instruction =
      relay_vta::decode(program.config, program.instructions[*index]);
  os << "; instruction " << *index
     << " stores it: " << relay_vta::describe(program.config, instruction);
}

/// Names the first integer of a result that differs.
void VTAKernelChecker::report(int64_t callIndex, int64_t result,
                              const Tensor &expected, const Tensor &actual) {
  const RelayArtifactCall &call = artifact->calls[callIndex];
  int64_t elementBytes = expected.getSizeInBytes() / expected.getNumElements();
  int64_t position = 0, count = 0;
  SmallVector<int64_t> want = expected.loadAll<int64_t>(),
                       got = actual.loadAll<int64_t>();
  for (int64_t i = expected.getNumElements(); i-- > 0;)
    if (want[i] != got[i]) {
      ++count;
      position = i;
    }
  SmallVector<int64_t> index(expected.getRank());
  int64_t rest = position;
  for (int64_t d = expected.getRank(); d-- > 0; rest /= expected.getDimSize(d))
    index[d] = rest % expected.getDimSize(d);
  os << "first kernel that differs from its tir: " << call.kernel << " (call "
     << callIndex << ", result " << result << "): expects " << want[position]
     << " at [";
  llvm::interleaveComma(index, os);
  os << "], but got " << got[position];
  printStore(call.kernel, call.first_output + static_cast<int32_t>(result),
             position * elementBytes);
  os << "; " << count << " of " << expected.getNumElements()
     << " elements differ\n";
}

/// Compares the results of a call with what the kernel's tir makes of the
/// inputs of the call.
LogicalResult VTAKernelChecker::compare(int64_t callIndex,
                                        tir::PrimFuncOp kernel,
                                        void *const *args) {
  FailureOr<RelayModule *> reference = getReference(kernel);
  if (failed(reference))
    return failure();
  auto makeView = [&](int64_t arg) {
    auto type = cast<MemRefType>(kernel.getArgumentTypes()[arg]);
    return Tensor::view(
        RankedTensorType::get(type.getShape(), type.getElementType()),
        args[arg]);
  };
  int64_t numInputs = kernel.getNumInputs();
  SmallVector<InterpreterValue> inputs;
  for (int64_t i = 0; i != numInputs; ++i)
    inputs.push_back(makeView(i));
  FailureOr<SmallVector<Tensor>> results =
      runCompiled(*reference, inputs, kernel.getLoc());
  if (failed(results))
    return failure();
  ++numCalls;
  for (auto [i, expected] : llvm::enumerate(*results)) {
    Tensor actual = makeView(numInputs + static_cast<int64_t>(i));
    if (std::memcmp(expected.getRawData(), actual.getRawData(),
                    expected.getSizeInBytes()) == 0)
      continue;
    isDifferent = true;
    report(callIndex, static_cast<int64_t>(i), expected, actual);
    break;
  }
  return success();
}

void VTAKernelChecker::observe(int64_t callIndex, void *const *args) {
  if (callIndex == RELAY_OBSERVER_START || hasFailed || isDifferent)
    return;
  const RelayArtifactCall &call = artifact->calls[callIndex];
  // What others have compiled has no tir.
  auto kernel = call.source_device < 0
                    ? kernels.lookupSymbol<tir::PrimFuncOp>(call.kernel)
                    : tir::PrimFuncOp();
  if (kernel && failed(compare(callIndex, kernel, args)))
    hasFailed = true;
}

FailureOr<bool> VTAKernelChecker::check(function_ref<LogicalResult()> run) {
  relayModuleSetObserver(
      compiled,
      [](void *user, int64_t callIndex, void *const *args, const int64_t *) {
        static_cast<VTAKernelChecker *>(user)->observe(callIndex, args);
      },
      this);
  LogicalResult result = run();
  relayModuleSetObserver(compiled, nullptr, nullptr);
  if (failed(result) || hasFailed)
    return failure();
  if (isDifferent)
    return false;
  if (numCalls == 0)
    return kernels.emitError("expects a model with kernels for vta, which are "
                             "compared with their tir, but ran none");
  os << "kernels of vta agree with their tir: " << numCalls << " calls of "
     << references.size() << "\n";
  return true;
}

FailureOr<bool> relay::checkVTAKernels(RelayModule *compiled, ModuleOp kernels,
                                       const CompileOptions &options,
                                       raw_ostream &os,
                                       function_ref<LogicalResult()> run) {
  OwningOpRef<ModuleOp> own = ModuleOp::create(kernels.getLoc());
  for (auto kernel : kernels.getOps<tir::PrimFuncOp>())
    if (isa_and_nonnull<vta::ConfigAttr>(lookupTarget(kernel)))
      own->push_back(kernel.clone());
  // What runs on the processor is for this one, with one target.
  CompileOptions processor = options;
  processor.target = std::nullopt;
  VTAKernelChecker checker(compiled, *own, processor, os);
  if (failed(checker.readPrograms()))
    return failure();
  return checker.check(run);
}
