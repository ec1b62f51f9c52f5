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

#include "HostTranslator.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Member = HostData::Member;

static constexpr int64_t kDynamicDim = std::numeric_limits<int64_t>::min();

FailureOr<HostData::Struct> HostTranslator::describeValue(Type type,
                                                          StringRef name) {
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
  return data.getTensor(name, tensor.getElementType(), dims,
                        data.getDimNames(shape),
                        [&] { return main.emitOpError(); });
}

/// Names are strings of C in the artefact, and of Python.
LogicalResult HostTranslator::checkName(StringRef name, const Twine &what) {
  if (llvm::json::isUTF8(name) && !name.contains('\0'))
    return success();
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printEscapedString(name, os);
  return main.emitError("expects names of UTF-8 without zeros, but got \"")
         << escaped << "\" for " << what;
}

FailureOr<HostData::Struct> HostTranslator::describeCall(Call &call) {
  SmallVector<HostData::Struct> args;
  for (auto [index, operand] : llvm::enumerate(call.op->getOperands())) {
    if (!call.kernel) {
      FailureOr<HostData::Struct> arg = describeValue(operand.getType(), "");
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
  std::string function;
  int64_t numInputs = 1, numOutputs = 1;
  if (auto kernel = dyn_cast<relax::CallKernelOp>(call.op)) {
    function = kernel.getCallee();
    numInputs = kernel.getInputs().size();
    numOutputs = kernel.getOutputs().size();
  } else {
    function = DeviceAttr::getName(devices[call.sourceDevice]) + " to " +
               DeviceAttr::getName(devices[call.device]);
  }
  // In code for other devices, a kernel has its name.
  StringRef symbol = call.kernel ? call.symbol : StringRef(function);
  return HostData::Struct{Member::pointer(data.getString(symbol)),
                          Member::pointer(data.getString(function)),
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
  for (Call &call : calls)
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

LogicalResult HostTranslator::describeArtifact(LLVM::LLVMFuncOp shapesFunction,
                                               ShapesFunction &shapes,
                                               LLVM::LLVMFuncOp workFunction,
                                               LLVM::LLVMFuncOp mainFunction) {
  SmallVector<HostData::Struct> inputs, outputs, callData;
  auto describe = [&](TypeRange types, StringRef prefix,
                      function_ref<StringAttr(unsigned)> getName,
                      SmallVector<HostData::Struct> &structs) -> LogicalResult {
    llvm::StringMap<unsigned> positions;
    for (auto [index, type] : llvm::enumerate(types)) {
      StringAttr name = getName(index);
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
      FailureOr<HostData::Struct> value = describeValue(type, text);
      if (failed(value))
        return failure();
      structs.push_back(*value);
    }
    return success();
  };
  if (failed(describe(
          main.getArgumentTypes(), "input",
          [&](unsigned index) {
            return main.getArgAttrOfType<StringAttr>(index, relax::kNameAttr);
          },
          inputs)) ||
      failed(describe(
          main.getResultTypes(), "output",
          [&](unsigned index) {
            return main.getResultAttrOfType<StringAttr>(index,
                                                        relax::kNameAttr);
          },
          outputs)))
    return failure();
  for (StringAttr symbol : symbols)
    if (failed(checkName(symbol, "a dimension")))
      return failure();
  for (Call &call : calls) {
    if (auto kernel = dyn_cast<relax::CallKernelOp>(call.op);
        kernel && failed(checkName(kernel.getCallee(), "a kernel")))
      return failure();
    FailureOr<HostData::Struct> value = describeCall(call);
    if (failed(value))
      return failure();
    callData.push_back(*value);
  }

  FlatSymbolRefAttr weights;
  if (pool.getSize() != 0 && options.linkWeights) {
    builder.setInsertionPointToEnd(module->getBody());
    auto global = LLVM::GlobalOp::create(
        builder, main.getLoc(),
        LLVM::LLVMArrayType::get(builder.getI8Type(), pool.getSize()),
        /*isConstant=*/true, LLVM::Linkage::External, kWeightsSymbol,
        /*value=*/Attribute());
    global.setVisibility_(LLVM::Visibility::Hidden);
    weights = FlatSymbolRefAttr::get(global);
  }
  SmallVector<FlatSymbolRefAttr> names =
      llvm::map_to_vector(symbols, [&](StringAttr name) {
        return data.getString(name.getValue());
      });
  auto [modules, numModules] = describeModules();
  data.exportStruct(
      RELAY_ARTIFACT_SYMBOL,
      {Member::integer(64, static_cast<int64_t>(RELAY_ARTIFACT_MAGIC)),
       Member::integer(32, RELAY_ARTIFACT_VERSION),
       Member::integer(32, sizeof(RelayArtifact)),
       Member::pointer(data.getString(getVersionString())),
       Member::pointer(data.getString(options.targetTriple)),
       Member::pointer(data.getString(options.requiredFeatures)),
       Member::integer(32, symbols.size()),
       Member::integer(32, inputs.size()),
       Member::integer(32, outputs.size()),
       Member::integer(32, callData.size()),
       Member::pointer(data.getPointers(names)),
       Member::pointer(data.getStructs(inputs)),
       Member::pointer(data.getStructs(outputs)),
       Member::pointer(data.getStructs(callData)),
       Member::pointer(weights),
       Member::integer(64, pool.getSize()),
       Member::integer(32, shapes.getNumChecks()),
       Member::integer(32, shapes.getMaxValues()),
       Member::pointer(shapes.getChecks()),
       Member::pointer(FlatSymbolRefAttr::get(shapesFunction)),
       Member::pointer(FlatSymbolRefAttr::get(workFunction)),
       Member::pointer(FlatSymbolRefAttr::get(mainFunction)),
       Member::pointer(data.getString(options.precision)),
       Member::integer(32, devices.size()),
       Member::integer(32, numModules),
       Member::pointer(describeDevices()),
       Member::pointer(modules)});
  return success();
}
