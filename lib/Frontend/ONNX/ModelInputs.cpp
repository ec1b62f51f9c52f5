//===- ModelInputs.cpp - Inputs of a graph to arguments -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Lists.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The type of a tensor as far as the model says it; null if it says no shape,
/// or the elements are not supported.
static RankedTensorType getTensorType(MLIRContext *context,
                                      const ValueInfo &info) {
  Type elementType = getTensorElementType(context, info.type);
  if (info.kind != ValueInfo::Kind::Tensor || !elementType || !info.shape)
    return {};
  SmallVector<int64_t> shape;
  for (const Dimension &dim : *info.shape)
    shape.push_back(dim.size.value_or(-1) < 0 ? ShapedType::kDynamic
                                              : *dim.size);
  return RankedTensorType::get(shape, elementType);
}

FailureOr<Type> Importer::getInputValueType(const ValueInfo &info,
                                            RankedTensorType tensor) {
  switch (info.kind) {
  case ValueInfo::Kind::Other:
    return emitError() << "input \"" << info.name
                       << "\" is not a tensor, a sequence or an optional value";
  case ValueInfo::Kind::Tensor: {
    FailureOr<RankedTensorType> type = getInputType(info, tensor);
    if (failed(type))
      return failure();
    return Type(*type);
  }
  case ValueInfo::Kind::Sequence:
  case ValueInfo::Kind::Optional:
    break;
  }
  ValueInfo element = *info.element;
  element.name = info.name;
  FailureOr<Type> type = getInputValueType(
      element, tensor && info.kind == ValueInfo::Kind::Sequence
                   ? tensor
                   : getTensorType(builder.getContext(), element));
  if (failed(type))
    return failure();
  return info.kind == ValueInfo::Kind::Sequence ? getListType(*type)
                                                : getOptionType(*type);
}

static InFlightDiagnostic refuseShapeless(InFlightDiagnostic error,
                                          StringRef name) {
  error << "input \"" << name
        << "\" has no shape; give it one when it is compiled, as with "
           "--shape="
        << name
        << "=?x3, or in the model, with a size or a name of a size for each "
           "dimension";
  return error;
}

LogicalResult Importer::settleSequence(Value value, Type element) {
  auto it = openSequences.find(value);
  assert(it != openSequences.end() && "expects an open sequence");
  const OpenSequence &sequence = it->second;
  auto tensor = dyn_cast_if_present<RankedTensorType>(element);
  if (tensor && tensor.getElementType() != sequence.elementType)
    return emitError() << "expects elements of type " << sequence.elementType
                       << " in the sequence of input \"" << sequence.name
                       << "\", but got " << tensor;
  // Other elements may have other sizes.
  if (tensor)
    tensor = RankedTensorType::get(
        SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic),
        tensor.getElementType());
  else
    tensor = sequence.declared;
  if (!tensor)
    return refuseShapeless(emitError(), sequence.name);
  value.setType(getListType(tensor));
  openSequences.erase(it);
  return success();
}

FailureOr<RankedTensorType> Importer::getInputType(const ValueInfo &info,
                                                   RankedTensorType fixed) {
  if (!getTensorElementType(builder.getContext(), info.type))
    return emitError() << "input \"" << info.name << "\" has element type "
                       << getDataTypeName(info.type)
                       << ", which is not supported";
  if (!fixed)
    return refuseShapeless(emitError(), info.name);
  if (info.shape && !options.inputs.shapes.contains(info.name))
    for (const Dimension &dim : *info.shape)
      if (dim.size.value_or(0) < 0)
        return emitError()
               << "expects sizes that are not negative, or no size where it is "
                  "not known, but input \""
               << info.name << "\" has size " << *dim.size;
  auto emitAtInput = [&] {
    return emitError() << "input \"" << info.name << "\": ";
  };
  if (failed(checkTensorLimits(emitAtInput, fixed)))
    return failure();
  return fixed;
}

LogicalResult Importer::checkInitializer(const ValueInfo &info,
                                         const Tensor &tensor) {
  if (!info.isTensor)
    return success();
  auto emitAt = [&] {
    return emitError() << "input \"" << info.name << "\" is said to be of ";
  };
  if (info.type != DataType::Undefined && info.type != tensor.type)
    return emitAt() << getDataTypeName(info.type)
                    << ", but its initializer is of "
                    << getDataTypeName(tensor.type);
  if (!info.shape)
    return success();
  bool fits = info.shape->size() == tensor.dims.size() &&
              llvm::all_of(llvm::zip_equal(*info.shape, tensor.dims),
                           [](const auto &pair) {
                             const auto &[dim, size] = pair;
                             return dim.size.value_or(size) == size;
                           });
  if (fits)
    return success();
  InFlightDiagnostic diagnostic = emitAt() << "shape [";
  llvm::interleaveComma(*info.shape, diagnostic, [&](const Dimension &dim) {
    diagnostic << (dim.size ? std::to_string(*dim.size) : "?");
  });
  diagnostic << "], but its initializer of [";
  llvm::interleaveComma(tensor.dims, diagnostic);
  return diagnostic << "]";
}

FailureOr<SmallVector<std::pair<const ValueInfo *, FixedInput>>>
Importer::getFixedInputs() {
  SmallVector<const ValueInfo *> infos;
  SmallVector<ModelInput> inputs;
  for (const ValueInfo &info : model.graph.inputs) {
    // The initializer of an input is its default, and all that it can be
    // when the model runs. Until IR version 3, all had to be inputs.
    if (Binding *initializer = mainFrame->bindings.lookup(info.name)) {
      if (!options.inputs.values.contains(info.name)) {
        if (failed(checkInitializer(info, *initializer->tensor)))
          return failure();
        continue;
      }
      mainFrame->bindings.erase(info.name);
    }
    ModelInput input{info.name, {}, std::nullopt, {}};
    // What is given for a sequence is the shape of each of its tensors.
    bool isShaped = info.kind == ValueInfo::Kind::Sequence &&
                    options.inputs.shapes.contains(info.name);
    const ValueInfo &tensor = isShaped ? *info.element : info;
    if (tensor.kind == ValueInfo::Kind::Tensor)
      input.elementType =
          getTensorElementType(builder.getContext(), tensor.type);
    if (input.elementType && isStringType(input.elementType) &&
        options.inputs.values.contains(info.name))
      return emitError() << "expects values for inputs of numbers only, but "
                            "input \""
                         << info.name << "\" has strings";
    RankedTensorType type = getTensorType(builder.getContext(), tensor);
    if (type && (!isShaped || type.getRank() != 0)) {
      input.shape.emplace(type.getShape());
      for (const Dimension &dim : *tensor.shape)
        input.dimNames.push_back(dim.size ? StringRef() : dim.symbol);
    }
    infos.push_back(&info);
    inputs.push_back(std::move(input));
  }
  FailureOr<SmallVector<FixedInput>> fixed =
      fixInputs(options.inputs, inputs, [&] { return emitError(); });
  if (failed(fixed))
    return failure();
  SmallVector<std::pair<const ValueInfo *, FixedInput>> results;
  for (auto [info, input] : llvm::zip_equal(infos, *fixed))
    results.emplace_back(info, input);
  return results;
}

LogicalResult Importer::createArgument(const ValueInfo &info,
                                       const FixedInput &fixed) {
  const ValueInfo *element = info.element.get();
  bool isOpen = info.kind == ValueInfo::Kind::Sequence && !fixed.type &&
                element->kind == ValueInfo::Kind::Tensor &&
                (!element->shape || element->shape->empty()) &&
                getElementType(builder.getContext(), element->type);
  FailureOr<Type> valueType =
      isOpen ? FailureOr<Type>(
                   getListType(IncompleteType::get(builder.getContext())))
             : getInputValueType(info, fixed.type);
  if (failed(valueType))
    return failure();
  auto type = dyn_cast<RankedTensorType>(*valueType);
  if (!type)
    ListBuilder(getModule(), builder, getFileLoc()).define(*valueType);
  Location loc = NameLoc::get(builder.getStringAttr(info.name));
  Binding *binding = createBinding(info.name);
  binding->value =
      fixed.value ? createConstant(fixed.value, loc)
                  : function.getBody().front().addArgument(*valueType, loc);
  if (!mainFrame->bindings.try_emplace(info.name, binding).second)
    return emitError() << "input \"" << info.name << "\" is defined twice";
  if (isOpen)
    openSequences[binding->value] = {
        info.name, getElementType(builder.getContext(), element->type),
        getTensorType(builder.getContext(), *element)};
  if (!type || type.hasStaticShape())
    return success();

  SmallVector<ShapeScalar> sizes;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    StringRef symbol;
    if (info.shape && ShapedType::isDynamic(size))
      symbol = (*info.shape)[axis].symbol;
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(ShapeScalar::get(size));
    } else if (symbol.empty()) {
      sizes.push_back(createSymbol());
    } else {
      auto [it, isNew] = symbols.try_emplace(symbol, numSymbols);
      numSymbols += isNew;
      sizes.push_back(ShapeScalar::getSymbol(it->second));
    }
  }
  setDims(binding->value, {std::move(sizes)});
  return success();
}

LogicalResult Importer::createArguments() {
  auto inputs = getFixedInputs();
  if (failed(inputs))
    return failure();
  for (const auto &[info, fixed] : *inputs)
    if (failed(createArgument(*info, fixed)))
      return failure();
  function.setFunctionType(builder.getFunctionType(
      function.getBody().front().getArgumentTypes(), {}));

  unsigned index = 0;
  for (const ValueInfo &info : model.graph.inputs) {
    Binding *binding = mainFrame->bindings.lookup(info.name);
    if (!isa_and_nonnull<BlockArgument>(binding->value))
      continue;
    auto type = dyn_cast<RankedTensorType>(binding->value.getType());
    function.setArgAttr(index, kNameAttrName, builder.getStringAttr(info.name));
    if (type && !type.hasStaticShape()) {
      SmallVector<StringRef> names;
      for (auto [axis, size] : llvm::enumerate(type.getShape()))
        names.push_back(ShapedType::isDynamic(size) && info.shape
                            ? StringRef((*info.shape)[axis].symbol)
                            : StringRef());
      function.setArgAttr(index, kDimsAttrName, builder.getStrArrayAttr(names));
    }
    ++index;
  }
  return success();
}
