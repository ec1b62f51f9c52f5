//===- CheckModel.cpp - Compare a compiled model with the interpreter -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CheckModel.h"

#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TensorDifference relay::compareTensors(const Tensor &expected,
                                       const Tensor &actual,
                                       Tolerance tolerance) {
  TensorDifference difference;
  bool isFloat = isa<FloatType>(expected.getElementType());
  SmallVector<double> want = expected.loadAll<double>();
  SmallVector<double> got = actual.loadAll<double>();
  for (double value : want)
    if (std::isfinite(value))
      difference.scale = std::max(difference.scale, std::abs(value));
  double floor = isFloat ? tolerance.absolute * difference.scale : 0;
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(want, got))) {
    auto [a, b] = pair;
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    double distance = std::abs(a - b);
    double allowed = isFloat ? floor + tolerance.relative * std::abs(a) : 0;
    // Also false where the distance is NaN.
    if (!(distance <= allowed))
      difference.withinTolerance = false;
    if (!(distance <= difference.maxDifference)) {
      difference.maxDifference = distance;
      difference.position = i;
      difference.expected = a;
      difference.actual = b;
    }
  }
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
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// What the interpreter computed for one call of a primitive function.
struct ExpectedCall {
  std::string function;
  SmallVector<Tensor> results;
};

/// Compares the kernels of a run, one after the other, with expected calls.
class KernelChecker {
public:
  KernelChecker(const RelayArtifact *artifact,
                ArrayRef<ExpectedCall> expectedCalls, Tolerance tolerance,
                raw_ostream &os)
      : artifact(artifact), expectedCalls(expectedCalls), tolerance(tolerance),
        os(os) {}

  void observe(int64_t callIndex, void *const *args, const int64_t *dims);
  bool foundDifference() const { return found; }

private:
  const RelayArtifact *artifact;
  ArrayRef<ExpectedCall> expectedCalls;
  Tolerance tolerance;
  raw_ostream &os;
  size_t next = 0;
  bool found = false;
};

} // namespace

void KernelChecker::observe(int64_t callIndex, void *const *args,
                            const int64_t *dims) {
  if (found || callIndex == RELAY_OBSERVER_START)
    return;
  const RelayArtifactCall &call = artifact->calls[callIndex];
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
    if (ArrayRef<int64_t>(shape) != want.getShape()) {
      os << "first kernel that differs: " << call.function << " (call "
         << callIndex << "): shapes differ\n";
      found = true;
      return;
    }
    Tensor got = Tensor::view(want.getType(), args[i]);
    TensorDifference difference = compareTensors(want, got, tolerance);
    if (difference.withinTolerance)
      continue;
    found = true;
    os << "first kernel that differs: " << call.function << " (call "
       << callIndex << ", result " << result << "): expects "
       << llvm::format("%.9g", difference.expected) << " at element "
       << difference.position << ", but got "
       << llvm::format("%.9g", difference.actual) << "\n";
    return;
  }
}

/// Runs graph passes and the interpreter again, and the kernels beside it.
static LogicalResult findDifferentKernel(ModuleOp module, RelayModule *compiled,
                                         ArrayRef<InterpreterValue> inputs,
                                         const CompileOptions &options,
                                         Tolerance tolerance, raw_ostream &os) {
  OwningOpRef<ModuleOp> fused = module.clone();
  PassManager manager(module.getContext());
  buildRelayOptimizePipeline(manager, options);
  if (failed(manager.run(*fused)))
    return failure();
  SmallVector<ExpectedCall> calls;
  auto observer = [&](CallOpInterface call,
                      ArrayRef<InterpreterValue> results) {
    auto callee = cast<SymbolRefAttr>(call.getCallableForCallee());
    ExpectedCall expected{callee.getLeafReference().str(), {}};
    for (const InterpreterValue &result : results)
      expected.results.push_back(result.getTensor());
    calls.push_back(std::move(expected));
  };
  if (failed(interpretMain(*fused, inputs, observer)))
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
  if (!checker.foundDifference())
    os << "every kernel agrees with its function: the difference comes from "
          "the graph passes, or adds up over many kernels\n";
  return success();
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
  if (!agree && failed(findDifferentKernel(module, compiled, inputs, options,
                                           tolerance, os)))
    return failure();
  return agree;
}
