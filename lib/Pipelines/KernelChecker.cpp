//===- KernelChecker.cpp - Which kernel differs first ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelChecker.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Support/Npy.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <utility>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Quantizers
//===----------------------------------------------------------------------===//

/// The clip of a quantizer that ends in `cast`: integers of at most 16 bits
/// that come of floats within their range.
static ClipOp getQuantizerClip(CastOp cast) {
  auto type = dyn_cast<RankedTensorType>(cast.getType());
  auto integer =
      type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  auto clip = cast.getData().getDefiningOp<ClipOp>();
  bool isQuantizer =
      clip && integer && integer.getWidth() > 1 && integer.getWidth() <= 16 &&
      isa<FloatType>(getElementTypeOrSelf(clip.getData().getType()));
  return isQuantizer ? clip : ClipOp();
}

/// The clips of all quantizers in `root`.
static llvm::SmallSetVector<Operation *, 8> getQuantizers(Operation *root) {
  llvm::SmallSetVector<Operation *, 8> clips;
  root->walk([&](CastOp cast) {
    if (ClipOp clip = getQuantizerClip(cast))
      clips.insert(clip);
  });
  return clips;
}

/// Those that no other one comes after.
static llvm::SmallSetVector<Operation *, 8> getLastQuantizers(Operation *root) {
  llvm::SmallSetVector<Operation *, 8> all = getQuantizers(root), last = all;
  last.remove_if([&](Operation *clip) {
    llvm::SetVector<Operation *> after;
    getForwardSlice(clip, &after);
    return llvm::any_of(after, [&](Operation *op) { return all.contains(op); });
  });
  return last;
}

/// Moves what the quantizers with these clips round by `distance` steps.
static void shiftQuantizers(const llvm::SmallSetVector<Operation *, 8> &clips,
                            double distance) {
  for (Operation *op : clips) {
    auto clip = cast<ClipOp>(op);
    OpBuilder builder(clip);
    auto type = RankedTensorType::get(
        {}, getElementTypeOrSelf(clip.getData().getType()));
    auto value = DenseElementsAttr::get(
        type, builder.getFloatAttr(type.getElementType(), distance).getValue());
    Value offset = ConstantOp::create(builder, clip.getLoc(), value);
    Value moved = AddOp::create(builder, clip.getLoc(), clip.getData(), offset);
    clip.getDataMutable().assign(moved);
  }
}

namespace {

/// A copy of a function whose quantizers are moved by `distance` steps; its
/// name ends in `suffix`.
struct Shift {
  StringLiteral suffix;
  double distance;
};

} // namespace

static constexpr Shift kShifts[] = {{".above", 1.0}, {".below", -1.0}};

/// Adds two copies of each primitive function with quantizers, in which these
/// are one step above and below, and calls them before each call of it.
static void addShiftedCalls(ModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<CallOpInterface> calls;
  module.walk([&](CallOpInterface call) { calls.push_back(call); });
  llvm::SmallDenseMap<Operation *, SmallVector<StringAttr>> copies;
  for (CallOpInterface call : calls) {
    auto callee = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
    if (!callee)
      continue;
    auto function =
        symbols.lookup<FunctionOpInterface>(callee.getLeafReference());
    if (!function || !function->hasAttr(kPrimitiveAttrName))
      continue;
    auto [it, isNew] = copies.try_emplace(function);
    for (const Shift &shift : kShifts) {
      if (!isNew)
        break;
      auto copy = cast<FunctionOpInterface>(function->clone());
      auto clips = getQuantizers(copy);
      if (clips.empty()) {
        copy->erase();
        break;
      }
      shiftQuantizers(clips, shift.distance);
      copy.setName((function.getName() + shift.suffix).str());
      it->second.push_back(symbols.insert(copy));
    }
    for (StringAttr name : it->second) {
      auto shifted = cast<CallOpInterface>(OpBuilder(call).clone(*call));
      shifted.setCalleeFromCallable(FlatSymbolRefAttr::get(name));
    }
  }
}

void relay::appendTensors(const InterpreterValue &value,
                          SmallVectorImpl<Tensor> &tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.getTensor());
    return;
  }
  if (!value.isTuple())
    return;
  for (const InterpreterValue &field : value.getFields())
    appendTensors(field, tensors);
}

FailureOr<SmallVector<SmallVector<Tensor>>>
relay::interpretShifted(ModuleOp module, ArrayRef<InterpreterValue> inputs) {
  SmallVector<SmallVector<Tensor>> results;
  for (const Shift &shift : kShifts) {
    OwningOpRef<ModuleOp> copy = module.clone();
    // What rounds in an operator of qnn is an operator of its own then.
    PassManager manager(module.getContext());
    manager.addNestedPass<func::FuncOp>(createDecomposePass());
    if (failed(manager.run(*copy)))
      return failure();
    shiftQuantizers(getLastQuantizers(*copy), shift.distance);
    FailureOr<SmallVector<InterpreterValue>> values =
        interpretMain(*copy, inputs);
    if (failed(values))
      return failure();
    SmallVector<Tensor> &tensors = results.emplace_back();
    for (const InterpreterValue &value : *values)
      appendTensors(value, tensors);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// What is expected
//===----------------------------------------------------------------------===//

FailureOr<KernelChecker> KernelChecker::create(
    OwningOpRef<ModuleOp> fused, const RelayArtifact *artifact,
    ArrayRef<InterpreterValue> inputs, Tolerance tolerance, raw_ostream &os) {
  addShiftedCalls(*fused);
  KernelChecker checker(std::move(fused), artifact, tolerance, os);
  if (failed(checker.interpret(inputs)))
    return failure();
  return checker;
}

LogicalResult KernelChecker::interpret(ArrayRef<InterpreterValue> inputs) {
  // Calls of primitive functions do not nest.
  SmallVector<InterpreterValue> operands;
  SmallVector<SmallVector<Tensor>> shifted;
  SymbolTable symbols(*module);
  auto isPrimitive = [&](StringRef name) {
    auto function = symbols.lookup<FunctionOpInterface>(name);
    return function && function->hasAttr(kPrimitiveAttrName);
  };
  auto getName = [](CallOpInterface call) {
    return cast<SymbolRefAttr>(call.getCallableForCallee()).getLeafReference();
  };
  Interpreter::Observer observer;
  observer.before = [&](CallOpInterface call,
                        ArrayRef<InterpreterValue> values) {
    operands.assign(values.begin(), values.end());
  };
  observer.after = [&](CallOpInterface call,
                       ArrayRef<InterpreterValue> values) {
    StringRef name = getName(call);
    if (!isPrimitive(name))
      return;
    SmallVector<Tensor> tensors;
    for (const InterpreterValue &value : values)
      tensors.push_back(value.getTensor());
    if (llvm::any_of(kShifts, [&](const Shift &shift) {
          return name.ends_with(shift.suffix);
        }))
      shifted.push_back(std::move(tensors));
    else
      expectedCalls.push_back({name.str(), std::move(operands),
                               std::move(tensors), std::exchange(shifted, {})});
  };
  FailureOr<SmallVector<InterpreterValue>> values =
      interpretMain(*module, inputs, observer);
  if (failed(values))
    return failure();
  results = std::move(*values);
  return success();
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

LogicalResult KernelChecker::watch(RelayModule *compiled,
                                   function_ref<LogicalResult()> run) {
  relayModuleSetObserver(
      compiled,
      [](void *user, int64_t callIndex, void *const *args,
         const int64_t *dims) {
        static_cast<KernelChecker *>(user)->observe(callIndex, args, dims);
      },
      this);
  LogicalResult result = run();
  relayModuleSetObserver(compiled, nullptr, nullptr);
  return result;
}

/// The next expected call of a function. Functions that only reshape have no
/// kernel; for a kernel that no call is expected of, all stay as they are.
const ExpectedCall *KernelChecker::takeExpected(StringRef function) {
  for (size_t i = next; i != expectedCalls.size(); ++i)
    if (expectedCalls[i].function == function) {
      next = i + 1;
      return &expectedCalls[i];
    }
  return nullptr;
}

void KernelChecker::observe(int64_t callIndex, void *const *args,
                            const int64_t *dims) {
  if (different || callIndex == RELAY_OBSERVER_START)
    return;
  const RelayArtifactCall &call = artifact->calls[callIndex];
  // What is elsewhere cannot be read, and copies compute nothing. The kernels
  // of VTA have been run, and their tensors are in memory of the host.
  StringRef kind = artifact->devices[call.device].kind;
  if (call.source_device >= 0 ||
      (kind != DeviceAttr::kCPUKind && kind != vta::kDeviceKind))
    return;
  const ExpectedCall *taken = takeExpected(call.function);
  if (!taken)
    return;
  const ExpectedCall &expected = *taken;

  int64_t dynamic = 0;
  for (int32_t i = 0; i < call.num_args; ++i) {
    SmallVector<int64_t> shape;
    for (int32_t d = 0; d < call.args[i].rank; ++d)
      shape.push_back(call.args[i].dims[d] >= 0 ? call.args[i].dims[d]
                                                : dims[dynamic++]);
    int64_t result = i - call.first_output;
    if (result < 0 || result >= call.num_outputs)
      continue;
    const Tensor &want = expected.results[result];
    // A kernel may see fewer dimensions, of the same elements in their order.
    if (ShapedType::getNumElements(shape) != want.getNumElements()) {
      *os << "first kernel that differs: " << call.function << " (call "
          << callIndex << "): shapes differ\n";
      different = taken;
      return;
    }
    Tensor got = Tensor::view(want.getType(), args[i]);
    SmallVector<Tensor> shifted;
    for (ArrayRef<Tensor> results : expected.shifted)
      shifted.push_back(results[result]);
    TensorDifference difference = compareTensors(want, got, tolerance, shifted);
    numSteps += difference.numSteps;
    if (difference.withinTolerance) {
      std::memcpy(args[i], want.getRawData(), want.getSizeInBytes());
      continue;
    }
    different = taken;
    *os << "first kernel that differs: " << call.function << " (call "
        << callIndex << ", result " << result << "): expects "
        << llvm::format("%.9g", difference.expected) << " at element "
        << difference.position << ", but got "
        << llvm::format("%.9g", difference.actual);
    if (difference.numSteps)
      *os << "; " << difference.numSteps << " of " << want.getNumElements()
          << " elements are one step of a quantizer off";
    *os << "\n";
    return;
  }
}

//===----------------------------------------------------------------------===//
// Reproducers
//===----------------------------------------------------------------------===//

LogicalResult KernelChecker::dump(StringRef folder) {
  Location loc = module->getLoc();
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return emitError(loc) << "cannot create '" << folder
                          << "': " << error.message();
  auto getPath = [&](const Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };

  auto function =
      module->lookupSymbol<FunctionOpInterface>(different->function);
  OwningOpRef<ModuleOp> model = ModuleOp::create(loc);
  (*model)->setAttrs(module->getOperation()->getAttrDictionary());
  auto main = cast<FunctionOpInterface>(function->clone());
  main->removeAttr(kPrimitiveAttrName);
  main.setName("main");
  main.setPublic();
  model->push_back(main);
  std::string path = getPath("kernel.mlir");
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    model->print(file);
    file << '\n';
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return emitError(loc) << "cannot write '" << path
                          << "': " << error.message();

  *os << "to reproduce it: relay-run " << path;
  for (auto [i, input] : llvm::enumerate(different->inputs)) {
    path = getPath("input" + Twine(i) + ".npy");
    if (llvm::Error failure = writeNpy(path, getNpyArray(input.getTensor())))
      return emitError(loc) << llvm::toString(std::move(failure));
    *os << " --input=" << path;
  }
  *os << " --check=interpreter\n";
  return success();
}
