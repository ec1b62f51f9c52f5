//===- HostTables.cpp - What an artefact says of its program --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constant data of an artefact: descriptions of inputs, outputs and kernel
// calls as structures of Runtime/ArtifactFormat.h, and the RelayArtifact that
// points to all of them and to the functions that HostModule.cpp builds. Names
// that the run time or Python could not show, or that occur twice, are refused.
//
//===----------------------------------------------------------------------===//

#include "GlueCode.h"
#include "HostTranslator.h"

#include "relay-mlir/Dialect/Relax/IR/Metadata.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/CText.h"
#include "relay-mlir/Support/Version.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Member = HostData::Member;

static constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

FailureOr<HostData::Struct>
HostTranslator::describeValue(HostFunction &function, Type type, StringRef name,
                              bool isString) {
  ArrayRef<StringAttr> symbols = function.symbols;
  auto tensor = cast<relax::SymbolicTensorType>(type);
  relax::ShapeAttr shape = tensor.getShape();
  SmallVector<int64_t> dims;
  for (size_t dim = 0, e = shape.size(); dim != e; ++dim) {
    if (std::optional<int64_t> size = shape.getConstant(dim))
      dims.push_back(*size);
    else if (auto *symbol = llvm::find(symbols, shape.getBareSymbol(dim));
             symbol != symbols.end())
      dims.push_back(-1 - std::distance(symbols.begin(), symbol));
    else
      dims.push_back(kDynamicDim);
  }
  return data.getTensor(
      name, tensor.getElementType(), dims, data.getDimNames(shape),
      [&] { return function.main.emitOpError(); }, isString);
}

/// Names are strings of C in the artefact, and of Python.
LogicalResult HostTranslator::checkName(StringRef name, const Twine &what) {
  if (isCText(name))
    return success();
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printEscapedString(name, os);
  return emitError(loc, "expects names of UTF-8 without zeros, but got \"")
         << escaped << "\" for " << what;
}

/// A name in a message: of one line, and not a long one.
static std::string shortenName(StringRef name) {
  constexpr size_t kMaxBytes = 80;
  std::string text;
  for (char c : name) {
    // Not within a letter.
    if (text.size() >= kMaxBytes && (c & 0xc0) != 0x80)
      return text + "...";
    text += llvm::isPrint(c) || (c & 0x80) ? c : '?';
  }
  return text;
}

/// The nodes that `loc` is made of: some of them, if there are many. Places in
/// a text are none: those of a module that was printed between two phases are
/// others, and the artefact is to be the same.
static std::string describeSource(Location loc) {
  constexpr size_t kMaxShown = 8;
  llvm::SetVector<StringRef> names;
  loc->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    StringRef text = name.getName();
    if (!text.empty() && isCText(text))
      names.insert(text);
    return WalkResult::skip();
  });
  std::string text;
  for (auto [number, name] : llvm::enumerate(names)) {
    if (number == kMaxShown)
      return text + ", ...";
    text += (number ? ", '" : "'") + shortenName(name) + "'";
  }
  return text;
}

FailureOr<HostData::Struct> HostTranslator::describeCall(HostFunction &function,
                                                         HostCall &call) {
  SmallVector<HostData::Struct> args;
  for (auto [index, operand] : llvm::enumerate(call.op->getOperands())) {
    if (!call.kernel) {
      FailureOr<HostData::Struct> arg =
          describeValue(function, operand.getType(), "");
      if (failed(arg))
        return failure();
      args.push_back(*arg);
      continue;
    }
    auto memref = cast<MemRefType>(call.kernel.getArgumentTypes()[index]);
    auto type = cast<relax::SymbolicTensorType>(operand.getType());
    SmallVector<int64_t> dims =
        llvm::map_to_vector(memref.getShape(), [](int64_t size) {
          return ShapedType::isDynamic(size) ? kDynamicDim : size;
        });
    bool isPacked =
        call.kernel.getArgAttr(index, relax::kLayoutAttr) != nullptr;
    bool isSplit = call.kernel.getArgAttr(index, relax::kPiecesAttr) != nullptr;
    FailureOr<HostData::Struct> arg = data.getTensor(
        "", isSplit ? memref.getElementType() : type.getElementType(), dims,
        isPacked ? SmallVector<FlatSymbolRefAttr>(dims.size())
                 : data.getDimNames(type.getShape()),
        [&] { return call.op->emitOpError(); });
    if (failed(arg))
      return failure();
    args.push_back(*arg);
  }
  std::string text;
  int64_t numInputs = 1, numOutputs = 1;
  if (auto kernel = dyn_cast<relax::CallKernelOp>(call.op)) {
    text = kernel.getCallee();
    numInputs = kernel.getInputs().size();
    numOutputs = kernel.getOutputs().size();
  } else {
    text = DeviceAttr::getName(devices[call.sourceDevice]) + " to " +
           DeviceAttr::getName(devices[call.device]);
  }
  // In code for other devices, a kernel has its name.
  StringRef symbol = call.kernel ? call.symbol : StringRef(text);
  return HostData::Struct{
      Member::pointer(data.getString(symbol)),
      Member::pointer(data.getString(text)),
      Member::pointer(data.getString(describeSource(call.op->getLoc()))),
      Member::integer(32, call.device),
      Member::integer(32, call.sourceDevice),
      Member::integer(32, args.size()),
      Member::integer(32, numInputs),
      Member::integer(32, numOutputs),
      Member::pointer(data.getStructs(args))};
}

FlatSymbolRefAttr HostTranslator::describeDevices() {
  SmallVector<HostData::Struct> structs;
  for (auto [device, part] : llvm::zip_equal(devices, weights))
    structs.push_back(
        {Member::pointer(data.getString(
             device ? device.getKind() : StringRef(DeviceAttr::kCPUKind))),
         Member::integer(32, device ? device.getIndex() : 0),
         Member::integer(64, part.first), Member::integer(64, part.second)});
  return data.getStructs(structs);
}

std::pair<FlatSymbolRefAttr, int32_t> HostTranslator::describeModules() {
  SmallVector<HostData::Struct> modules, kernels;
  llvm::StringSet<> known;
  for (auto &function : functions)
    for (HostCall &call : function->calls)
      if (call.kernel && call.device != 0 && isForProcessor(call) &&
          known.insert(call.symbol).second)
        kernels.push_back(
            {Member::pointer(data.getString(call.symbol)),
             Member::pointer(FlatSymbolRefAttr::get(context, call.symbol))});
  if (!kernels.empty())
    modules.push_back(
        {Member::pointer(data.getString(DeviceAttr::kCPUKind)),
         Member::pointer(data.getString(RELAY_MODULE_FORMAT_HOST)),
         Member::pointer(data.getStructs(kernels)),
         Member::integer(64, kernels.size() * sizeof(RelayHostKernel))});
  for (const DeviceModule &module : options.deviceModules)
    modules.push_back({Member::pointer(data.getString(module.kind)),
                       Member::pointer(data.getString(module.code.format)),
                       Member::pointer(data.getBytes(module.code.data)),
                       Member::integer(64, module.code.data.size())});
  if (modules.empty())
    return {FlatSymbolRefAttr(), 0};
  return {data.getStructs(modules), static_cast<int32_t>(modules.size())};
}

FailureOr<HostData::Struct>
HostTranslator::describeFunction(HostFunction &function) {
  relax::FuncOp main = function.main;
  SmallVector<HostData::Struct> inputs, outputs;
  auto describe = [&](TypeRange types, StringRef prefix,
                      function_ref<Attribute(unsigned, StringRef)> getAttr,
                      SmallVector<HostData::Struct> &structs) -> LogicalResult {
    llvm::StringMap<unsigned> positions;
    for (auto [index, type] : llvm::enumerate(types)) {
      auto name =
          dyn_cast_if_present<StringAttr>(getAttr(index, relax::kNameAttr));
      std::string text =
          name && !name.empty() ? name.str() : (prefix + Twine(index)).str();
      std::string what = (prefix + " " + Twine(index)).str();
      if (failed(checkName(text, what)))
        return failure();
      auto [other, isNew] = positions.try_emplace(text, index);
      if (!isNew)
        return main.emitError("expects names that differ, but got '")
               << text << "' for " << prefix << " " << other->second << " and "
               << what;
      bool isString = getAttr(index, relax::kIsStringAttr) != nullptr;
      FailureOr<HostData::Struct> value =
          describeValue(function, type, text, isString);
      if (failed(value))
        return failure();
      structs.push_back(*value);
    }
    return success();
  };
  if (failed(describe(
          main.getArgumentTypes(), "input",
          [&](unsigned index, StringRef name) {
            return main.getArgAttr(index, name);
          },
          inputs)) ||
      failed(describe(
          main.getResultTypes(), "output",
          [&](unsigned index, StringRef name) {
            return main.getResultAttr(index, name);
          },
          outputs)))
    return failure();
  for (StringAttr symbol : function.symbols)
    if (failed(checkName(symbol, "a dimension")))
      return failure();
  SmallVector<FlatSymbolRefAttr> names =
      llvm::map_to_vector(function.symbols, [&](StringAttr name) {
        return data.getString(name.getValue());
      });
  return HostData::Struct{
      Member::pointer(data.getString(main.getSymName())),
      Member::integer(32, function.symbols.size()),
      Member::integer(32, inputs.size()),
      Member::integer(32, outputs.size()),
      Member::integer(32, function.firstCall),
      Member::integer(32, function.calls.size()),
      Member::integer(32, function.shapes->getNumChecks()),
      Member::integer(32, function.shapes->getMaxValues()),
      Member::pointer(data.getPointers(names)),
      Member::pointer(data.getStructs(inputs)),
      Member::pointer(data.getStructs(outputs)),
      Member::pointer(function.shapes->getChecks()),
      Member::pointer(FlatSymbolRefAttr::get(function.shapesFunction)),
      Member::pointer(FlatSymbolRefAttr::get(function.workFunction)),
      Member::pointer(FlatSymbolRefAttr::get(function.mainFunction))};
}

FailureOr<FlatSymbolRefAttr> HostTranslator::describeProgram() {
  if (!bytecode)
    return FlatSymbolRefAttr();
  SmallVector<HostData::Struct> table, constants, constructors;
  for (auto [number, function] : llvm::enumerate(bytecode->functions)) {
    if (failed(checkName(function.name, "a function")))
      return failure();
    FlatSymbolRefAttr native;
    if (options.nativeGlue && function.kind == RELAY_VM_BYTECODE) {
      std::string symbol = getGlueSymbol(number);
      declareFunction(symbol, {pointer, pointer, i64}, LLVM::Linkage::External,
                      i64);
      native = FlatSymbolRefAttr::get(context, symbol);
    }
    SmallVector<FlatSymbolRefAttr> params, results, symbols;
    for (StringRef param : function.params) {
      if (failed(checkName(param, "a parameter")))
        return failure();
      params.push_back(data.getString(param));
    }
    llvm::StringSet<> resultNames;
    for (StringRef result : function.results) {
      if (failed(checkName(result, "an output")))
        return failure();
      if (!resultNames.insert(result).second)
        return emitError(loc, "expects names of outputs that differ, but got '")
               << result << "' twice";
      results.push_back(data.getString(result));
    }
    for (StringAttr symbol : function.symbols) {
      if (failed(checkName(symbol, "a dimension")))
        return failure();
      symbols.push_back(data.getString(symbol));
    }
    table.push_back(
        {Member::pointer(data.getString(function.name)),
         Member::integer(32, function.kind),
         Member::integer(32, function.isPublic),
         Member::integer(32, params.size()),
         Member::integer(32, function.numRegisters),
         Member::integer(32, function.tensorFunction),
         Member::integer(64, function.firstWord),
         Member::integer(64, function.numWords),
         Member::pointer(native),
         Member::pointer(data.getPointers(params)),
         Member::integer(64, function.types.size()),
         Member::pointer(data.getIntegers(function.types)),
         Member::integer(64, function.resultTypes.size()),
         Member::pointer(data.getIntegers(function.resultTypes)),
         Member::integer(32, results.size()),
         Member::integer(32, symbols.size()),
         Member::pointer(data.getPointers(results)),
         Member::pointer(data.getPointers(symbols)),
         Member::integer(32, function.stringParams.size()),
         Member::integer(32, function.stringResults.size()),
         Member::pointer(data.getIntegers(function.stringParams)),
         Member::pointer(data.getIntegers(function.stringResults))});
  }
  for (const Bytecode::Constant &constant : bytecode->constants) {
    auto type = cast<RankedTensorType>(constant.value.getShapedType());
    SmallVector<FlatSymbolRefAttr> dimNames(type.getRank());
    FailureOr<HostData::Struct> value =
        data.getTensor("", type.getElementType(), type.getShape(), dimNames,
                       [&] { return emitError(constant.loc); });
    if (failed(value))
      return failure();
    value->push_back(Member::integer(64, constant.offset));
    constants.push_back(*value);
  }
  for (auto [number, constructor] : llvm::enumerate(bytecode->constructors)) {
    ArrayRef<int64_t> types;
    if (number < bytecode->fieldTypes.size())
      types = bytecode->fieldTypes[number];
    if (failed(checkName(constructor.getType(), "a data type")) ||
        failed(checkName(constructor.getName(), "a constructor")))
      return failure();
    constructors.push_back(
        {Member::pointer(data.getString(constructor.getType())),
         Member::pointer(data.getString(constructor.getName())),
         Member::integer(32, constructor.getIndex()),
         Member::integer(32, constructor.getNumFields()),
         Member::integer(64, types.size()),
         Member::pointer(data.getIntegers(types))});
  }
  SmallVector<HostData::Struct> program = {
      {Member::integer(64, table.size()), Member::integer(64, constants.size()),
       Member::integer(64, constructors.size()),
       Member::integer(64, bytecode->words.size()),
       Member::pointer(data.getStructs(table)),
       Member::pointer(data.getStructs(constants)),
       Member::pointer(data.getStructs(constructors)),
       Member::pointer(data.getIntegers(bytecode->words))}};
  return data.getStructs(program);
}

ModuleOp HostTranslator::getSource() {
  return options.glue ? options.glue
                      : functions.front()->main->getParentOfType<ModuleOp>();
}

FailureOr<SmallVector<FlatSymbolRefAttr>> HostTranslator::describeMetadata() {
  SmallVector<FlatSymbolRefAttr> texts;
  Attribute attr = getSource()->getAttr(relax::kMetadataAttr);
  if (!attr)
    return texts;
  auto metadata = dyn_cast<DictionaryAttr>(attr);
  if (!metadata || !llvm::all_of(metadata, [&](NamedAttribute entry) {
        auto text = dyn_cast<StringAttr>(entry.getValue());
        return text && isCText(text) && isCText(entry.getName());
      }))
    return emitError(loc, "expects UTF-8 texts without zeros in attribute ")
           << relax::kMetadataAttr << ", but got " << attr;
  for (NamedAttribute entry : metadata) {
    texts.push_back(data.getString(entry.getName()));
    texts.push_back(data.getString(cast<StringAttr>(entry.getValue())));
  }
  return texts;
}

FailureOr<SmallVector<FlatSymbolRefAttr>> HostTranslator::describeStrings() {
  SmallVector<FlatSymbolRefAttr> texts;
  auto strings = getSource()->getAttrOfType<ArrayAttr>(relax::kStringsAttr);
  if (!strings)
    return texts;
  for (Attribute attr : strings) {
    auto text = dyn_cast<StringAttr>(attr);
    if (!text)
      return emitError(loc, "expects strings in attribute ")
             << relax::kStringsAttr << ", but got " << attr;
    std::string bytes;
    for (char byte : text.getValue())
      bytes += byte ? std::string(1, byte) : RELAY_STRING_ZERO;
    texts.push_back(data.getString(bytes));
  }
  return texts;
}

LogicalResult HostTranslator::describeArtifact() {
  SmallVector<HostData::Struct> functionData, callData;
  for (auto &function : functions) {
    FailureOr<HostData::Struct> described = describeFunction(*function);
    if (failed(described))
      return failure();
    functionData.push_back(*described);
    for (HostCall &call : function->calls) {
      if (auto kernel = dyn_cast<relax::CallKernelOp>(call.op);
          kernel && failed(checkName(kernel.getCallee(), "a kernel")))
        return failure();
      FailureOr<HostData::Struct> value = describeCall(*function, call);
      if (failed(value))
        return failure();
      callData.push_back(*value);
    }
  }
  FailureOr<FlatSymbolRefAttr> program = describeProgram();
  if (failed(program))
    return failure();

  FlatSymbolRefAttr weights;
  if (pool.getSize() != 0 && options.linkWeights) {
    builder.setInsertionPointToEnd(module->getBody());
    auto global = LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), pool.getSize()),
        /*isConstant=*/true, LLVM::Linkage::External, kWeightsSymbol,
        /*value=*/Attribute());
    global.setVisibility_(LLVM::Visibility::Hidden);
    weights = FlatSymbolRefAttr::get(global);
  }
  auto [modules, numModules] = describeModules();
  FailureOr<SmallVector<FlatSymbolRefAttr>> strings = describeStrings();
  FailureOr<SmallVector<FlatSymbolRefAttr>> metadata = describeMetadata();
  if (failed(strings) || failed(metadata))
    return failure();
  data.exportStruct(
      RELAY_ARTIFACT_SYMBOL,
      {Member::integer(64, static_cast<int64_t>(RELAY_ARTIFACT_MAGIC)),
       Member::integer(32, RELAY_ARTIFACT_VERSION),
       Member::integer(32, sizeof(RelayArtifact)),
       Member::pointer(data.getString(getVersionString())),
       Member::pointer(data.getString(options.targetTriple)),
       Member::pointer(data.getString(options.requiredFeatures)),
       Member::pointer(data.getString(options.precision)),
       Member::pointer(weights),
       Member::integer(64, pool.getSize()),
       Member::integer(32, functionData.size()),
       Member::integer(32, callData.size()),
       Member::pointer(data.getStructs(functionData)),
       Member::pointer(data.getStructs(callData)),
       Member::pointer(*program),
       Member::integer(32, devices.size()),
       Member::integer(32, numModules),
       Member::pointer(describeDevices()),
       Member::pointer(modules),
       Member::integer(64, strings->size()),
       Member::pointer(data.getPointers(*strings)),
       Member::integer(64, metadata->size()),
       Member::pointer(data.getPointers(*metadata))});
  return success();
}
