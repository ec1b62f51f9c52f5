//===- CheckModel.cpp - Compare a compiled model with the interpreter -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `relay-run --check`: runs a compiled model and the interpreter on the same
// inputs, and compares. If outputs differ, each kernel's outputs are compared
// with what the interpreter gives for its function, and the first that differs
// is named.
//
// Quantizers need care: a number in the middle between two steps may be rounded
// either way. So functions with quantizers get copies whose quantizers are one
// step higher and lower, which tell what else would be right.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CheckModel.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Pipelines/Pipelines.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <utility>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TensorDifference relay::compareTensors(const Tensor &expected,
                                       const Tensor &actual,
                                       Tolerance tolerance,
                                       ArrayRef<Tensor> shifted) {
  TensorDifference difference;
  bool isFloat = isa<FloatType>(expected.getElementType());
  SmallVector<double> want = expected.loadAll<double>();
  SmallVector<double> got = actual.loadAll<double>();
  for (double value : want)
    if (std::isfinite(value))
      difference.scale = std::max(difference.scale, std::abs(value));
  double floor = isFloat ? tolerance.absolute * difference.scale : 0;
  SmallVector<SmallVector<double>> shiftedValues;
  for (const Tensor &tensor : shifted)
    shiftedValues.push_back(tensor.loadAll<double>());
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(want, got))) {
    auto [a, b] = pair;
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::abs(a - b);
    double allowed = isFloat ? floor + tolerance.relative * std::abs(a) : 0;
    // Also false where the distance is NaN.
    if (!(distance <= allowed)) {
      double step = 0;
      for (ArrayRef<double> values : shiftedValues)
        step = std::fmax(step, std::abs(values[i] - a));
      if (step > 0 && distance <= allowed + step)
        ++difference.numSteps;
      else
        difference.withinTolerance = false;
    }
    if (!(distance <= difference.maxDifference)) {
      difference.maxDifference = distance;
      difference.position = i;
      difference.expected = a;
      difference.actual = b;
    }
  }
  int64_t numElements = want.size();
  if (difference.numSteps > std::max<int64_t>(1, numElements / 100))
    difference.withinTolerance = false;
  return difference;
}

/// Returns the DLPack type of an element type.
static DLDataType getDLDataType(Type type) {
  auto bits = static_cast<uint8_t>(type.getIntOrFloatBitWidth());
  if (type.isInteger(1))
    return {6, 8, 1};
  if (type.isBF16())
    return {kDLBfloat, 16, 1};
  if (isa<FloatType>(type))
    return {kDLFloat, bits, 1};
  return {static_cast<uint8_t>(type.isUnsignedInteger() ? kDLUInt : kDLInt),
          bits, 1};
}

Type relay::getElementType(MLIRContext *context, DLDataType type) {
  switch (type.code) {
  case kDLFloat:
    return type.bits == 64   ? Type(Float64Type::get(context))
           : type.bits == 32 ? Type(Float32Type::get(context))
                             : Type(Float16Type::get(context));
  case kDLBfloat:
    return BFloat16Type::get(context);
  case kDLInt:
    return IntegerType::get(context, type.bits);
  case kDLUInt:
    return IntegerType::get(context, type.bits, IntegerType::Unsigned);
  default:
    return IntegerType::get(context, 1);
  }
}

relay::DLTensorViews::DLTensorViews(ArrayRef<InterpreterValue> values) {
  for (const InterpreterValue &value : values) {
    const Tensor &tensor = value.getTensor();
    shapes.push_back(llvm::to_vector(tensor.getShape()));
    tensors.push_back({const_cast<char *>(tensor.getRawData()),
                       {kDLCPU, 0},
                       static_cast<int>(tensor.getRank()),
                       getDLDataType(tensor.getElementType()),
                       nullptr,
                       nullptr,
                       0});
  }
  for (auto [tensor, shape] : llvm::zip_equal(tensors, shapes)) {
    tensor.shape = shape.data();
    pointers.push_back(&tensor);
  }
}

FailureOr<SmallVector<Tensor>>
relay::runCompiled(RelayModule *compiled, ArrayRef<InterpreterValue> inputs,
                   Location location) {
  DLTensorViews tensors(inputs);
  ArrayRef<const DLTensor *> pointers = tensors.get();
  SmallVector<DLManagedTensor *> outputs(relayModuleGetNumOutputs(compiled),
                                         nullptr);
  if (relayModuleRun(compiled, pointers.data(), pointers.size(), outputs.data(),
                     outputs.size()) != RELAY_OK)
    return emitError(location) << relayGetLastError();

  SmallVector<Tensor> results;
  for (DLManagedTensor *output : outputs) {
    std::shared_ptr<const void> owner(output, [](const void *pointer) {
      auto *tensor =
          static_cast<DLManagedTensor *>(const_cast<void *>(pointer));
      tensor->deleter(tensor);
    });
    const DLTensor &tensor = output->dl_tensor;
    auto type = RankedTensorType::get(
        ArrayRef(tensor.shape, tensor.ndim),
        getElementType(location.getContext(), tensor.dtype));
    results.push_back(Tensor::view(type, tensor.data, std::move(owner)));
  }
  return results;
}

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

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// What the interpreter computed for one call of a primitive function.
struct ExpectedCall {
  std::string function;
  SmallVector<Tensor> results;
  /// The same with quantizers one step above, and one step below.
  SmallVector<SmallVector<Tensor>> shifted;
};

/// Compares the kernels of a run, one after the other, with expected calls.
/// What agrees is made equal, so that each kernel has the inputs that its
/// function has in the interpreter.
class KernelChecker {
public:
  KernelChecker(const RelayArtifact *artifact,
                ArrayRef<ExpectedCall> expectedCalls, Tolerance tolerance,
                raw_ostream &os)
      : artifact(artifact), expectedCalls(expectedCalls), tolerance(tolerance),
        os(os) {}

  void observe(int64_t callIndex, void *const *args, const int64_t *dims);
  bool foundDifference() const { return found; }
  bool hasQuantizers() const {
    return llvm::any_of(expectedCalls, [](const ExpectedCall &call) {
      return !call.shifted.empty();
    });
  }
  int64_t getNumSteps() const { return numSteps; }

private:
  const RelayArtifact *artifact;
  ArrayRef<ExpectedCall> expectedCalls;
  Tolerance tolerance;
  raw_ostream &os;
  size_t next = 0;
  bool found = false;
  int64_t numSteps = 0;
};

} // namespace

void KernelChecker::observe(int64_t callIndex, void *const *args,
                            const int64_t *dims) {
  if (found || callIndex == RELAY_OBSERVER_START)
    return;
  const RelayArtifactCall &call = artifact->calls[callIndex];
  // What is elsewhere cannot be read, and copies compute nothing.
  const RelayArtifactDevice &device = artifact->devices[call.device];
  if (call.source_device >= 0 || DeviceAttr::kCPUKind != device.kind)
    return;
  // Functions that only reshape have no kernel.
  while (next < expectedCalls.size() &&
         expectedCalls[next].function != call.function)
    ++next;
  if (next == expectedCalls.size())
    return;
  const ExpectedCall &expected = expectedCalls[next++];

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
      os << "first kernel that differs: " << call.function << " (call "
         << callIndex << "): shapes differ\n";
      found = true;
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
    found = true;
    os << "first kernel that differs: " << call.function << " (call "
       << callIndex << ", result " << result << "): expects "
       << llvm::format("%.9g", difference.expected) << " at element "
       << difference.position << ", but got "
       << llvm::format("%.9g", difference.actual);
    if (difference.numSteps)
      os << "; " << difference.numSteps << " of " << want.getNumElements()
         << " elements are one step of a quantizer off";
    os << "\n";
    return;
  }
}

/// Appends the tensors of a value: compiled functions return those of a tuple
/// one by one.
static void appendTensors(const InterpreterValue &value,
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

/// What the interpreter computes for `module` where its last quantizers are
/// one step above, and where they are one step below.
static FailureOr<SmallVector<SmallVector<Tensor>>>
interpretShifted(ModuleOp module, ArrayRef<InterpreterValue> inputs) {
  SmallVector<SmallVector<Tensor>> results;
  for (const Shift &shift : kShifts) {
    OwningOpRef<ModuleOp> copy = module.clone();
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

/// Runs graph passes and the interpreter again, and the kernels beside it.
/// Returns whether the outputs, which differ from `expected`, do so only by
/// steps of quantizers.
static FailureOr<bool>
findDifferentKernel(ModuleOp module, RelayModule *compiled,
                    ArrayRef<InterpreterValue> inputs,
                    const CompileOptions &options, ArrayRef<Tensor> expected,
                    Tolerance tolerance, raw_ostream &os) {
  OwningOpRef<ModuleOp> fused = module.clone();
  PassManager manager(module.getContext());
  addAttachTargetPass(manager, options);
  buildRelayOptimizePipeline(manager, options.optLevel, options.desiredLayout,
                             options.externalFallback);
  if (failed(manager.run(*fused)))
    return failure();
  addShiftedCalls(*fused);
  SmallVector<ExpectedCall> calls;
  SmallVector<SmallVector<Tensor>> shifted;
  auto observer = [&](CallOpInterface call,
                      ArrayRef<InterpreterValue> results) {
    auto callee = cast<SymbolRefAttr>(call.getCallableForCallee());
    StringRef name = callee.getLeafReference();
    SmallVector<Tensor> tensors;
    for (const InterpreterValue &result : results)
      tensors.push_back(result.getTensor());
    if (llvm::any_of(kShifts, [&](const Shift &shift) {
          return name.ends_with(shift.suffix);
        }))
      shifted.push_back(std::move(tensors));
    else
      calls.push_back(
          {name.str(), std::move(tensors), std::exchange(shifted, {})});
  };
  FailureOr<SmallVector<InterpreterValue>> values =
      interpretMain(*fused, inputs, observer);
  if (failed(values))
    return failure();

  KernelChecker checker(relayModuleGetArtifact(compiled), calls, tolerance, os);
  relayModuleSetObserver(
      compiled,
      [](void *user, int64_t callIndex, void *const *args,
         const int64_t *dims) {
        static_cast<KernelChecker *>(user)->observe(callIndex, args, dims);
      },
      &checker);
  auto outputs = runCompiled(compiled, inputs, module.getLoc());
  relayModuleSetObserver(compiled, nullptr, nullptr);
  if (failed(outputs))
    return failure();
  if (checker.foundDifference())
    return false;
  SmallVector<Tensor> fusedResults;
  for (const InterpreterValue &value : *values)
    appendTensors(value, fusedResults);
  // With the interpreter's results in the place of those of each kernel, what
  // comes out is the interpreter's, too. Graph passes may compute the sum
  // before a last quantizer another way.
  int64_t numSteps = 0;
  auto agree = [&](ArrayRef<Tensor> tensors,
                   ArrayRef<SmallVector<Tensor>> shifted) {
    numSteps = 0;
    for (auto [i, want] : llvm::enumerate(expected)) {
      SmallVector<Tensor> steps;
      for (ArrayRef<Tensor> results : shifted)
        steps.push_back(results[i]);
      TensorDifference difference =
          compareTensors(want, tensors[i], tolerance, steps);
      if (!difference.withinTolerance)
        return false;
      numSteps += difference.numSteps;
    }
    return true;
  };
  if (checker.hasQuantizers()) {
    FailureOr<SmallVector<SmallVector<Tensor>>> steps =
        interpretShifted(module, inputs);
    if (failed(steps))
      return failure();
    if (agree(*outputs, *steps) && agree(fusedResults, *steps)) {
      os << "every kernel agrees with its function, but for one step of a "
            "quantizer in "
         << checker.getNumSteps() << " elements";
      if (numSteps)
        os << "; graph passes move " << numSteps
           << " elements of outputs by one step of the last quantizer";
      os << "\n";
      return true;
    }
  }
  os << "every kernel agrees with its function: the difference comes from the "
        "graph passes, or adds up over many kernels";
  if (checker.hasQuantizers())
    os << "; at --precision=highest, graph passes leave the sums before "
          "quantizers as they are";
  os << "\n";
  return false;
}

FailureOr<bool> relay::checkModel(ModuleOp module, RelayModule *compiled,
                                  ArrayRef<InterpreterValue> inputs,
                                  const CompileOptions &options,
                                  Tolerance tolerance, raw_ostream &os) {
  FailureOr<SmallVector<InterpreterValue>> values =
      interpretMain(module, inputs);
  if (failed(values))
    return failure();
  SmallVector<Tensor> expected;
  for (const InterpreterValue &value : *values)
    appendTensors(value, expected);
  FailureOr<SmallVector<Tensor>> actual =
      runCompiled(compiled, inputs, module.getLoc());
  if (failed(actual))
    return failure();

  if (actual->size() != expected.size())
    return module.emitError("expects ")
           << expected.size() << " outputs, but got " << actual->size();
  bool agree = true;
  for (auto [i, output] : llvm::enumerate(*actual)) {
    RelayTensorInfo info;
    relayModuleGetOutputInfo(compiled, i, &info);
    const Tensor &want = expected[i];
    if (want.getType() != output.getType())
      return module.emitError("expects output '")
             << info.name << "' of type " << want.getType() << ", but got "
             << output.getType();
    TensorDifference difference = compareTensors(want, output, tolerance);
    os << "output '" << info.name
       << "': " << (difference.withinTolerance ? "agrees" : "differs")
       << llvm::format(", max difference %.3g, scale %.3g\n",
                       difference.maxDifference, difference.scale);
    agree &= difference.withinTolerance;
  }
  if (agree)
    return true;
  return findDifferentKernel(module, compiled, inputs, options, expected,
                             tolerance, os);
}
