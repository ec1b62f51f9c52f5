//===- CheckModel.cpp - Compare compiled code with the interpreter --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `relay-run --check`: runs a compiled model and the interpreter on the same
// inputs, and compares. If results differ, KernelChecker names the kernel that
// differs first.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CheckModel.h"

#include "DeviceTargets.h"
#include "KernelChecker.h"

#include "relay-mlir/Dialect/Relax/IR/Builtins.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Pipelines/Pipelines.h"
#include "relay-mlir/Pipelines/ProgramTypes.h"
#include "relay-mlir/Pipelines/ProgramValues.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// How many times as far apart as those of float16 two numbers of a type are,
/// at least once: the tolerance has room for one step of float16.
static double getCoarseness(FloatType type) {
  unsigned precision =
      llvm::APFloat::semanticsPrecision(type.getFloatSemantics());
  unsigned half = llvm::APFloat::semanticsPrecision(llvm::APFloat::IEEEhalf());
  return std::ldexp(1.0, half - std::min(half, precision));
}

TensorDifference relay::compareTensors(const Tensor &expected,
                                       const Tensor &actual,
                                       Tolerance tolerance,
                                       ArrayRef<Tensor> shifted) {
  TensorDifference difference;
  auto floatType = dyn_cast<FloatType>(expected.getElementType());
  bool isFloat = floatType != nullptr;
  if (isFloat) {
    double coarseness = getCoarseness(floatType);
    tolerance.relative *= coarseness;
    tolerance.absolute *= coarseness;
  }
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
    bool isLargest = !(distance <= difference.maxDifference);
    // Of integers, which must be equal, the first one is where it begins.
    if (isFloat ? isLargest : difference.maxDifference == 0) {
      difference.position = i;
      difference.expected = a;
      difference.actual = b;
    }
    if (isLargest)
      difference.maxDifference = distance;
  }
  int64_t numElements = want.size();
  if (difference.numSteps > std::max<int64_t>(1, numElements / 100))
    difference.withinTolerance = false;
  return difference;
}

/// Writes a line on how two tensors differ, or if they do not and
/// `printsAgreement` holds; returns whether they agree.
static bool report(raw_ostream &os, const Twine &name, const Tensor &expected,
                   const Tensor &actual, Tolerance tolerance,
                   bool printsAgreement = true) {
  TensorDifference difference = compareTensors(expected, actual, tolerance);
  if (difference.withinTolerance && !printsAgreement)
    return true;
  os << name << ": " << (difference.withinTolerance ? "agrees" : "differs")
     << llvm::format(", max difference %.3g, scale %.3g\n",
                     difference.maxDifference, difference.scale);
  return difference.withinTolerance;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Gives the function of the machine that makes a tensor of given sizes, whose
/// elements nobody reads, a body for the interpreter.
static void defineMakeSized(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value sizes = body->getArgument(0);
  if (cast<RankedTensorType>(sizes.getType()).getRank() == 0)
    sizes = ReshapeOp::create(builder, loc, sizes, ArrayRef<int64_t>{1});
  Type type = function.getResultTypes().front();
  Value result =
      DynZerosOp::create(builder, loc, type, sizes, DenseI64ArrayAttr(),
                         getElementTypeOrSelf(type));
  func::ReturnOp::create(builder, loc, result);
}

/// The module as its kernels see it. Functions of a program that are no
/// functions of tensors stay as they are.
static OwningOpRef<ModuleOp>
fuse(ModuleOp module, const CompileOptions &unresolved, bool isProgram) {
  CompileOptions options = unresolved;
  if (std::string error = resolveDeviceTargets(options); !error.empty()) {
    emitError(module.getLoc()) << error;
    return {};
  }
  OwningOpRef<ModuleOp> fused = module.clone();
  PassManager manager(module.getContext());
  addAttachTargetPass(manager, options);
  if (isProgram)
    buildOutlineTensorsPipeline(manager, options);
  if (failed(manager.run(*fused)))
    return {};
  SmallVector<func::FuncOp> glue;
  if (isProgram)
    for (auto function :
         llvm::make_early_inc_range(fused->getOps<func::FuncOp>()))
      if (function.isExternal() ||
          !function->hasAttr(kTensorFunctionAttrName)) {
        function->remove();
        glue.push_back(function);
      }
  PassManager optimizer(module.getContext());
  buildRelayOptimizePipeline(optimizer, options);
  LogicalResult isDone = optimizer.run(*fused);
  for (func::FuncOp function : glue) {
    fused->push_back(function);
    if (function.isExternal() &&
        function.getSymName().starts_with(relax::kMakeSizedBuiltin))
      defineMakeSized(function);
  }
  if (failed(isDone))
    return {};
  return fused;
}

/// Looks for the kernel that differs first, and has it written into a folder,
/// if one is given. `run` runs the compiled model and returns its tensors.
static FailureOr<KernelChecker>
findDifferentKernel(ModuleOp module, RelayModule *compiled,
                    ArrayRef<InterpreterValue> inputs,
                    const CompileOptions &options, const CheckOptions &check,
                    raw_ostream &os, function_ref<LogicalResult()> run) {
  OwningOpRef<ModuleOp> fused =
      fuse(module, options, relayModuleGetArtifact(compiled)->program);
  if (!fused)
    return failure();
  FailureOr<KernelChecker> checker =
      KernelChecker::create(std::move(fused), relayModuleGetArtifact(compiled),
                            inputs, check.tolerance, os);
  if (failed(checker) || failed(checker->watch(compiled, run)))
    return failure();
  if (checker->foundDifference() && !check.dumpFolder.empty() &&
      failed(checker->dump(check.dumpFolder)))
    return failure();
  return checker;
}

/// Runs graph passes and the interpreter again, and the kernels beside it.
/// Returns whether the outputs, which differ from `expected`, do so only by
/// steps of quantizers.
static FailureOr<bool> explainDifference(ModuleOp module, RelayModule *compiled,
                                         ArrayRef<InterpreterValue> inputs,
                                         const CompileOptions &options,
                                         const CheckOptions &check,
                                         ArrayRef<Tensor> expected,
                                         raw_ostream &os) {
  FailureOr<SmallVector<Tensor>> outputs;
  FailureOr<KernelChecker> checker = findDifferentKernel(
      module, compiled, inputs, options, check, os, [&]() -> LogicalResult {
        outputs = runCompiled(compiled, inputs, module.getLoc());
        return outputs;
      });
  if (failed(checker))
    return failure();
  if (checker->foundDifference())
    return false;
  SmallVector<Tensor> fusedResults;
  for (const InterpreterValue &value : checker->getResults())
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
          compareTensors(want, tensors[i], check.tolerance, steps);
      if (!difference.withinTolerance)
        return false;
      numSteps += difference.numSteps;
    }
    return true;
  };
  if (checker->hasQuantizers()) {
    FailureOr<SmallVector<SmallVector<Tensor>>> steps =
        interpretShifted(module, inputs);
    if (failed(steps))
      return failure();
    if (agree(*outputs, *steps) && agree(fusedResults, *steps)) {
      os << "every kernel agrees with its function, but for one step of a "
            "quantizer in "
         << checker->getNumSteps() << " elements";
      if (numSteps)
        os << "; graph passes move " << numSteps
           << " elements of outputs by one step of the last quantizer";
      os << "\n";
      return true;
    }
  }
  os << "every kernel agrees with its function: the difference comes from the "
        "graph passes, or adds up over many kernels";
  if (checker->hasQuantizers())
    os << "; at --precision=highest, graph passes leave the sums before "
          "quantizers as they are";
  os << "\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

FailureOr<bool> relay::checkModel(ModuleOp module, RelayModule *compiled,
                                  ArrayRef<InterpreterValue> inputs,
                                  const CompileOptions &options,
                                  const CheckOptions &check, raw_ostream &os) {
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
    agree &= report(os, "output '" + Twine(info.name) + "'", want, output,
                    check.tolerance);
  }
  if (agree)
    return true;
  return explainDifference(module, compiled, inputs, options, check, expected,
                           os);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

/// Compares a value of the run time with one of the interpreter, part by part;
/// lists are as deep as they are long.
class ProgramChecker {
public:
  ProgramChecker(MLIRContext *context, Tolerance tolerance, raw_ostream &os)
      : context(context), tolerance(tolerance), os(os) {}

  /// Compares what @main returns with its results.
  bool agree(ArrayRef<ProgramValueInfo> results,
             ArrayRef<InterpreterValue> expected, ProgramValue actual);

private:
  /// Lines on tensors that agree, and the length of the name of a part: a list
  /// may have a million of them.
  static constexpr int64_t kMaxAgreed = 20;
  static constexpr size_t kMaxPath = 60;

  struct Pair {
    std::string path;
    InterpreterValue expected;
    ProgramValue actual;
  };
  static std::string getPath(StringRef path, int32_t field);
  bool agreeInKind(const Pair &pair);
  bool agreeInTensor(const Pair &pair);
  bool differ(const Pair &pair, const Twine &expected, const Twine &actual) {
    os << pair.path << ": differs: expects " << expected << ", but got "
       << actual << '\n';
    return false;
  }

  MLIRContext *context;
  Tolerance tolerance;
  raw_ostream &os;
  std::vector<Pair> stack;
  int64_t numTensors = 0;
};

} // namespace

bool ProgramChecker::agreeInTensor(const Pair &pair) {
  const Tensor &want = pair.expected.getTensor();
  Tensor got = getProgramTensor(pair.actual.get(), context);
  std::string types[2];
  llvm::raw_string_ostream(types[0]) << want.getType();
  llvm::raw_string_ostream(types[1]) << got.getType();
  if (types[0] != types[1])
    return differ(pair, types[0], types[1]);
  return report(os, pair.path, want, got, tolerance,
                ++numTensors <= kMaxAgreed);
}

/// The name of a field of what has the name `path`.
std::string ProgramChecker::getPath(StringRef path, int32_t field) {
  if (path.ends_with("..."))
    return path.str();
  if (path.size() > kMaxPath)
    return (path + "...").str();
  return (path + "." + Twine(field)).str();
}

/// Whether two values are of one kind, with the same constructor. Functions are
/// not compared.
bool ProgramChecker::agreeInKind(const Pair &pair) {
  RelayValue *actual = pair.actual.get();
  const InterpreterValue &expected = pair.expected;
  switch (relayValueGetKind(actual)) {
  case RELAY_VALUE_TENSOR:
    return expected.isTensor() ? agreeInTensor(pair)
                               : differ(pair, "another value", "a tensor");
  case RELAY_VALUE_CLOSURE:
    return expected.isFunction() || differ(pair, "another value", "a function");
  case RELAY_VALUE_REFERENCE:
    return expected.isReference() ||
           differ(pair, "another value", "a reference");
  case RELAY_VALUE_TUPLE:
    if (!expected.isTuple())
      return differ(pair, "another value", "a tuple");
    break;
  case RELAY_VALUE_DATA: {
    const RelayArtifactConstructor *constructor = nullptr;
    (void)relayValueGetConstructor(actual, &constructor);
    if (!expected.isData())
      return differ(pair, "another value", constructor->name);
    StringRef name = expected.getConstructor().getLeafReference();
    if (name != constructor->name)
      return differ(pair, name, constructor->name);
    break;
  }
  }
  int32_t count = 0;
  (void)relayValueGetNumFields(actual, &count);
  ArrayRef<InterpreterValue> fields = expected.getFields();
  if (static_cast<size_t>(count) != fields.size())
    return differ(pair, Twine(fields.size()) + " fields", Twine(count));
  // The first is compared first.
  for (int32_t i = count; i-- > 0;) {
    RelayValue *field = nullptr;
    if (relayValueGetField(actual, i, &field) == RELAY_OK)
      stack.push_back({getPath(pair.path, i), fields[i], ProgramValue(field)});
  }
  return true;
}

bool ProgramChecker::agree(ArrayRef<ProgramValueInfo> results,
                           ArrayRef<InterpreterValue> expected,
                           ProgramValue actual) {
  assert(results.size() == expected.size() && "@main has other results");
  if (results.size() == 1) {
    stack.push_back(
        {results.front().name.str(), expected.front(), std::move(actual)});
  } else {
    // They are the fields of a tuple. The first is compared first.
    for (size_t i = results.size(); i-- > 0;) {
      RelayValue *field = nullptr;
      if (relayValueGetField(actual.get(), static_cast<int32_t>(i), &field) ==
          RELAY_OK)
        stack.push_back(
            {results[i].name.str(), expected[i], ProgramValue(field)});
    }
  }
  bool result = true;
  while (!stack.empty()) {
    Pair pair = std::move(stack.back());
    stack.pop_back();
    result &= agreeInKind(pair);
  }
  if (result && numTensors > kMaxAgreed)
    os << "outputs: " << numTensors << " tensors agree\n";
  return result;
}

FailureOr<bool> relay::checkProgram(ModuleOp module, RelayModule *compiled,
                                    ArrayRef<InterpreterValue> inputs,
                                    const CompileOptions &options,
                                    const CheckOptions &check,
                                    raw_ostream &os) {
  FailureOr<SmallVector<InterpreterValue>> expected =
      interpretMain(module, inputs);
  if (failed(expected))
    return failure();
  Location loc = module.getLoc();
  FailureOr<std::vector<ProgramValue>> arguments =
      toProgramValues(compiled, inputs, loc);
  if (failed(arguments))
    return failure();
  auto run = [&]() { return runProgram(compiled, *arguments, loc); };
  FailureOr<ProgramValue> actual = run();
  if (failed(actual))
    return failure();
  std::optional<ProgramSignature> signature = readSignature(
      *relayModuleGetArtifact(compiled)->program, "main", module.getContext());
  ProgramChecker results(module.getContext(), check.tolerance, os);
  if (results.agree(signature->results, *expected, std::move(*actual)))
    return true;
  FailureOr<KernelChecker> kernels =
      findDifferentKernel(module, compiled, inputs, options, check, os,
                          [&]() -> LogicalResult { return run(); });
  if (failed(kernels))
    return failure();
  if (!kernels->foundDifference())
    os << "every kernel agrees with its function: the difference comes from "
          "the graph passes, or adds up over many kernels\n";
  return false;
}
