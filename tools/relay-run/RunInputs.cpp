//===- RunInputs.cpp - Inputs of a run ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunInputs.h"

#include "FileArguments.h"

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/CompiledTensors.h"
#include "relay-mlir/Support/Npy.h"
#include "relay-mlir/Support/SizeNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <random>

using namespace mlir;
using namespace relay_run;
using relay::InterpreterValue;
using relay::Tensor;

//===----------------------------------------------------------------------===//
// Specs
//===----------------------------------------------------------------------===//

relay::StringTable relay_run::getStrings(const RelayModule *module) {
  relay::StringTable strings;
  relay::StringRun(strings, module).addTo(strings);
  return strings;
}

std::vector<InputSpec> relay_run::getInputSpecs(const RelayModule *module,
                                                MLIRContext *context) {
  std::vector<InputSpec> specs;
  for (int32_t i = 0; i < relayModuleGetNumInputs(module); ++i) {
    RelayTensorInfo info;
    relayModuleGetInputInfo(module, i, &info);
    InputSpec spec;
    spec.name = info.name;
    SmallVector<int64_t> shape;
    for (int32_t d = 0; d < info.ndim; ++d) {
      bool dynamic = info.shape[d] < 0;
      shape.push_back(dynamic ? ShapedType::kDynamic : info.shape[d]);
      spec.dimNames.push_back(dynamic ? info.dim_names[d] : "");
    }
    spec.type = RankedTensorType::get(
        shape, relay::getElementType(context, info.dtype));
    spec.isString = info.is_string;
    specs.push_back(std::move(spec));
  }
  return specs;
}

/// Appends the specs of the tensors that a value of `type` consists of. Takes
/// the names of their sizes from `dims`, as far as it has some.
static LogicalResult addSpecs(function_ref<InFlightDiagnostic()> emitError,
                              std::string name, Type type,
                              ArrayRef<StringRef> &dims,
                              std::vector<InputSpec> &specs) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [i, field] : llvm::enumerate(tuple.getTypes()))
      if (failed(addSpecs(emitError, name + "." + std::to_string(i), field,
                          dims, specs)))
        return failure();
    return success();
  }
  InputSpec spec;
  spec.name = std::move(name);
  spec.type = dyn_cast<RankedTensorType>(type);
  if (!spec.type)
    return emitError() << "expects tensors and tuples of tensors as arguments "
                          "of @main, but got "
                       << type;
  if (!Tensor::supports(spec.type.getElementType()))
    return emitError() << "expects the elements of input '" << spec.name
                       << "' to be floats, integers or bools, but got "
                       << spec.type.getElementType();
  if (failed(relay::checkTensorLimits(emitError, spec.type)))
    return failure();
  for (int64_t d = 0; d < spec.type.getRank(); ++d) {
    StringRef dimName = dims.empty() ? "" : dims.consume_front();
    spec.dimNames.push_back(spec.type.isDynamicDim(d) ? dimName.str() : "");
  }
  specs.push_back(std::move(spec));
  return success();
}

/// Gives names to open sizes without one, as compiled models do.
static void nameSizes(std::vector<InputSpec> &specs) {
  llvm::StringSet<> given;
  for (const InputSpec &spec : specs)
    given.insert_range(spec.dimNames);
  unsigned number = 0;
  for (InputSpec &spec : specs)
    for (auto [dim, name] : llvm::enumerate(spec.dimNames))
      if (name.empty() && spec.type.isDynamicDim(dim))
        name = relay::makeSizeName(
            number, [&](StringRef name) { return given.contains(name); });
}

FailureOr<std::vector<InputSpec>> relay_run::getInputSpecs(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expects a function @main");
  std::vector<InputSpec> specs;
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
    std::string name = "arg" + std::to_string(number);
    if (auto attr =
            main.getArgAttrOfType<StringAttr>(number, relay::kNameAttrName))
      name = attr.str();
    SmallVector<StringRef> names;
    if (auto dims =
            main.getArgAttrOfType<ArrayAttr>(number, relay::kDimsAttrName))
      for (Attribute dim : dims)
        names.push_back(isa<StringAttr>(dim) ? cast<StringAttr>(dim).getValue()
                                             : "");
    ArrayRef<StringRef> dims = names;
    if (failed(addSpecs([&] { return main.emitError(); }, name, type, dims,
                        specs)))
      return failure();
    if (main.getArgAttr(number, relay::kIsStringAttrName))
      specs.back().isString = true;
  }
  nameSizes(specs);
  return specs;
}

static InterpreterValue makeArgument(Type type,
                                     ArrayRef<InterpreterValue> &inputs) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::vector<InterpreterValue> fields;
    for (Type field : tuple.getTypes())
      fields.push_back(makeArgument(field, inputs));
    return InterpreterValue(fields);
  }
  InterpreterValue input = inputs.front();
  inputs = inputs.drop_front();
  return input;
}

FailureOr<std::vector<InputSpec>>
relay_run::getInputSpecs(Location location,
                         ArrayRef<relay::ProgramValueInfo> params) {
  std::vector<InputSpec> specs;
  for (const relay::ProgramValueInfo &param : params) {
    ArrayRef<StringRef> dims = param.sizeNames;
    if (failed(addSpecs([&] { return emitError(location); }, param.name.str(),
                        param.type, dims, specs)))
      return failure();
    if (param.isString)
      specs.back().isString = true;
  }
  nameSizes(specs);
  return specs;
}

std::vector<InterpreterValue>
relay_run::makeArguments(TypeRange types, ArrayRef<InterpreterValue> inputs) {
  std::vector<InterpreterValue> arguments;
  for (Type type : types)
    arguments.push_back(makeArgument(type, inputs));
  return arguments;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The type of what is an input, or is to be one.
static std::string describeType(const InputSpec &spec, RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  // Who runs a model does not see their numbers.
  if (spec.isString)
    text.replace(text.size() - StringRef("i64>").size(), StringRef::npos,
                 "string>");
  return text;
}

static FailureOr<Tensor> makeRandom(const InputSpec &spec,
                                    RankedTensorType type,
                                    const relay::StringTable &strings,
                                    std::mt19937 &generator) {
  std::optional<Tensor> allocated = Tensor::tryAllocate(type);
  if (!allocated)
    return printError("out of memory: cannot allocate input '" + spec.name +
                      "' of type " + describeType(spec, type));
  Tensor &tensor = *allocated;
  int64_t count = type.getNumElements();
  if (isa<FloatType>(type.getElementType())) {
    std::uniform_real_distribution<double> distribution(-1, 1);
    for (int64_t i = 0; i < count; ++i) {
      double value = distribution(generator);
      tensor.store(i, 1, &value);
    }
  } else {
    // Of the types that indices have, numbers that are in range of almost all.
    unsigned width = type.getElementType().getIntOrFloatBitWidth();
    int64_t last = width == 1 || width >= 32 ? 1 : 9;
    if (spec.isString)
      last = std::max<int64_t>(strings.size(), 1) - 1;
    std::uniform_int_distribution<int64_t> distribution(0, last);
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = distribution(generator);
      tensor.store(i, 1, &value);
    }
  }
  return tensor;
}

static std::string join(ArrayRef<StringRef> names) {
  std::string text;
  for (StringRef name : names)
    text += ((text.empty() ? "'" : ", '") + name + "'").str();
  return text;
}

/// The names of all dynamic dimensions, each once.
static std::string joinDimNames(ArrayRef<InputSpec> specs) {
  llvm::SetVector<StringRef> names;
  for (const InputSpec &spec : specs)
    for (const std::string &name : spec.dimNames)
      if (!name.empty())
        names.insert(name);
  return names.empty() ? "of which the model has none"
                       : "'" + llvm::join(names, "', '") + "'";
}

static llvm::Expected<Tensor> readTensor(const InputSpec &spec, StringRef path,
                                         relay::StringTable &strings) {
  MLIRContext *context = spec.type.getContext();
  if (spec.isString) {
    llvm::Expected<relay::NpyStrings> texts = relay::readNpyStrings(path);
    if (!texts)
      return texts.takeError();
    return relay::getTensor(*texts, strings, context);
  }
  llvm::Expected<relay::NpyArray> array = relay::readNpy(path);
  if (!array)
    return array.takeError();
  return relay::getTensor(*array, context, spec.type.getElementType());
}

static FailureOr<Tensor> readInput(const InputSpec &spec, StringRef path,
                                   relay::StringTable &strings) {
  llvm::Expected<Tensor> read = readTensor(spec, path, strings);
  if (!read)
    return printError(llvm::toString(read.takeError()));
  Tensor tensor = *read;
  if (tensor.getElementType() != spec.type.getElementType() ||
      failed(verifyCompatibleShape(tensor.getShape(), spec.type.getShape())))
    return printError("expects input '" + spec.name + "' of type " +
                      describeType(spec, spec.type) + ", but '" + path +
                      "' holds " + describeType(spec, tensor.getType()));
  return tensor;
}

FailureOr<std::vector<InterpreterValue>>
relay_run::getInputs(ArrayRef<InputSpec> specs, const InputOptions &options,
                     relay::StringTable &strings) {
  std::vector<Tensor> tensors(specs.size());
  SmallVector<StringRef> names = llvm::map_to_vector(
      specs, [](const InputSpec &spec) { return StringRef(spec.name); });
  std::string expectedName = "one of the inputs " + join(names);
  FileArguments files = {options.files, names, "inputs", expectedName};
  LogicalResult areRead = files.forEach([&](size_t position, StringRef path) {
    FailureOr<Tensor> tensor = readInput(specs[position], path, strings);
    if (succeeded(tensor))
      tensors[position] = *tensor;
    return LogicalResult(tensor);
  });
  if (failed(areRead))
    return failure();

  // Sizes that the user or an input read from a file decides; others are 1.
  llvm::StringMap<int64_t> sizes;
  for (StringRef argument : options.dims) {
    auto [name, text] = argument.split('=');
    int64_t size;
    if (name.empty() || text.getAsInteger(10, size) || size < 0)
      return printError("expects --dim=<name>=<size>, but got '" + argument +
                        "'");
    if (!sizes.try_emplace(name, size).second)
      return printError("expects one size for '" + name +
                        "', but got --dim=" + name + " twice");
    bool hasName = false, isRandom = false;
    for (auto [spec, tensor] : llvm::zip_equal(specs, tensors))
      if (llvm::is_contained(spec.dimNames, name)) {
        hasName = true;
        isRandom |= !tensor;
      }
    if (!isRandom)
      return printError(
          hasName ? "expects no --dim=" + name +
                        ": inputs of that dimension come from files"
                  : "expects the name of a dynamic dimension, " +
                        joinDimNames(specs) + ", but got '" + name + "'");
  }
  for (auto [spec, tensor] : llvm::zip_equal(specs, tensors))
    for (int64_t d = 0; tensor && d < spec.type.getRank(); ++d)
      if (!spec.dimNames[d].empty())
        sizes.try_emplace(spec.dimNames[d], tensor.getDimSize(d));

  std::mt19937 generator(options.seed);
  std::vector<InterpreterValue> inputs;
  for (auto [spec, tensor] : llvm::zip_equal(specs, tensors)) {
    if (!tensor) {
      SmallVector<int64_t> shape(spec.type.getShape());
      for (auto [d, size] : llvm::enumerate(shape))
        if (ShapedType::isDynamic(size)) {
          auto it = sizes.find(spec.dimNames[d]);
          size = it == sizes.end() ? 1 : it->second;
        }
      FailureOr<Tensor> random =
          makeRandom(spec, spec.type.clone(shape), strings, generator);
      if (failed(random))
        return failure();
      tensor = *random;
    }
    inputs.push_back(tensor);
  }
  return inputs;
}
