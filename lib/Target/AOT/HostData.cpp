//===- HostData.cpp - Constant data of the host module --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostData.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

HostData::HostData(ModuleOp module)
    : module(module), builder(module.getBodyRegion()), loc(module.getLoc()),
      pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

FlatSymbolRefAttr HostData::create(Type type,
                                   function_ref<Value(OpBuilder &)> build,
                                   StringRef exportedName) {
  std::string name = exportedName.empty()
                         ? "relay.data." + std::to_string(numGlobals++)
                         : exportedName.str();
  builder.setInsertionPointToEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true,
      exportedName.empty() ? LLVM::Linkage::Internal : LLVM::Linkage::External,
      name, /*value=*/Attribute());
  OpBuilder inner(module.getContext());
  inner.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(inner, loc, build(inner));
  return FlatSymbolRefAttr::get(global);
}

FlatSymbolRefAttr HostData::createBytes(StringRef bytes, unsigned alignment) {
  builder.setInsertionPointToEnd(module.getBody());
  std::string terminated = bytes.str();
  terminated.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "relay.data." + std::to_string(numGlobals++),
      builder.getStringAttr(terminated), alignment);
  return FlatSymbolRefAttr::get(global);
}

FlatSymbolRefAttr HostData::getString(StringRef text) {
  FlatSymbolRefAttr &symbol = strings[text];
  if (!symbol)
    symbol = createBytes(text, /*alignment=*/0);
  return symbol;
}

FlatSymbolRefAttr HostData::getBytes(StringRef bytes) {
  return createBytes(bytes, RELAY_BUFFER_ALIGNMENT);
}

FlatSymbolRefAttr HostData::getIntegers(ArrayRef<int64_t> values) {
  if (values.empty())
    return {};
  DenseElementsAttr contents = builder.getI64TensorAttr(values);
  FlatSymbolRefAttr &symbol = integers[contents];
  if (symbol)
    return symbol;
  builder.setInsertionPointToEnd(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI64Type(), values.size());
  auto global = LLVM::GlobalOp::create(
      builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "relay.data." + std::to_string(numGlobals++), contents);
  return symbol = FlatSymbolRefAttr::get(global);
}

FlatSymbolRefAttr HostData::getPointers(ArrayRef<FlatSymbolRefAttr> symbols) {
  return getStructs(llvm::map_to_vector(symbols, [](FlatSymbolRefAttr symbol) {
    return Struct{Member::pointer(symbol)};
  }));
}

/// How many values a part of a table has at most: a constant is made anew, with
/// all parts, for each part that is inserted.
static constexpr size_t kFanOut = 16;

/// How many elements each part of a table of `count` has, but the last one.
static size_t getPartSize(size_t count) {
  size_t size = 1;
  while (count > kFanOut * size)
    size *= kFanOut;
  return size;
}

/// A type of `count` elements one after the other: arrays in each other, and
/// what is left. Sizes are multiples of the alignment, so that nothing is
/// between them.
static Type getTableType(Type element, size_t count) {
  size_t size = getPartSize(count), rest = count % size;
  Type part = size == 1 ? element : getTableType(element, size);
  auto whole = LLVM::LLVMArrayType::get(part, count / size);
  if (rest == 0)
    return whole;
  return LLVM::LLVMStructType::getLiteral(element.getContext(),
                                          {whole, getTableType(element, rest)});
}

Value HostData::buildTable(OpBuilder &builder, ArrayRef<Struct> structs) {
  size_t count = structs.size(), size = getPartSize(count);
  Type type = getTableType(getType(structs.front()), count);
  auto whole = dyn_cast<LLVM::LLVMArrayType>(type);
  if (!whole)
    whole = cast<LLVM::LLVMArrayType>(
        cast<LLVM::LLVMStructType>(type).getBody().front());
  Value array = LLVM::UndefOp::create(builder, loc, whole);
  for (size_t i = 0; i < count / size; ++i) {
    ArrayRef<Struct> part = structs.slice(i * size, size);
    Value value =
        size == 1 ? build(builder, part.front()) : buildTable(builder, part);
    array = LLVM::InsertValueOp::create(builder, loc, array, value, i);
  }
  ArrayRef<Struct> rest = structs.drop_front(count - count % size);
  if (rest.empty())
    return array;
  Value table = LLVM::UndefOp::create(builder, loc, type);
  table = LLVM::InsertValueOp::create(builder, loc, table, array,
                                      ArrayRef<int64_t>{0});
  return LLVM::InsertValueOp::create(
      builder, loc, table, buildTable(builder, rest), ArrayRef<int64_t>{1});
}

FlatSymbolRefAttr HostData::getStructs(ArrayRef<Struct> structs) {
  if (structs.empty())
    return {};
  Type type = getTableType(getType(structs.front()), structs.size());
  SmallVector<Attribute> key{TypeAttr::get(type)};
  for (const Struct &value : structs)
    for (const Member &member : value)
      key.push_back(member.symbol
                        ? Attribute(member.symbol)
                        : Attribute(builder.getI64IntegerAttr(member.value)));
  FlatSymbolRefAttr &symbol = structArrays[builder.getArrayAttr(key)];
  if (symbol)
    return symbol;
  return symbol = create(type, [&](OpBuilder &builder) {
           return buildTable(builder, structs);
         });
}

void HostData::exportStruct(StringRef name, const Struct &value) {
  create(
      getType(value), [&](OpBuilder &builder) { return build(builder, value); },
      name);
}

Type HostData::getType(const Struct &value) {
  SmallVector<Type> types =
      llvm::map_to_vector(value, [&](const Member &member) -> Type {
        return member.width == 0 ? Type(pointer)
                                 : builder.getIntegerType(member.width);
      });
  return LLVM::LLVMStructType::getLiteral(module.getContext(), types);
}

Value HostData::build(OpBuilder &builder, const Struct &value) {
  Value result = LLVM::UndefOp::create(builder, loc, getType(value));
  for (auto [index, member] : llvm::enumerate(value)) {
    Value element;
    if (member.width != 0)
      element = LLVM::ConstantOp::create(
          builder, loc, builder.getIntegerType(member.width), member.value);
    else if (member.symbol)
      element = LLVM::AddressOfOp::create(builder, loc, pointer,
                                          member.symbol.getValue());
    else
      element = LLVM::ZeroOp::create(builder, loc, pointer);
    result = LLVM::InsertValueOp::create(builder, loc, result, element, index);
  }
  return result;
}

std::optional<std::pair<unsigned, unsigned>>
HostData::getDType(Type elementType) {
  // The codes of DLPack's DLDataTypeCode.
  enum { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };
  if (elementType.isInteger(1))
    return std::pair(Bool, 8);
  if (elementType.isIndex())
    return std::pair(Int, 64);
  if (elementType.isBF16())
    return std::pair(BFloat, 16);
  if (isa<Float16Type, Float32Type, Float64Type>(elementType))
    return std::pair(Float, elementType.getIntOrFloatBitWidth());
  if (const SmallFloat *format = SmallFloat::get(elementType))
    return std::pair(format->dlpackCode, format->width);
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.getWidth() > 64 ||
      (integer.getWidth() % 8 != 0 && !isSmallElement(integer)))
    return std::nullopt;
  return std::pair(integer.isUnsigned() ? UInt : Int, integer.getWidth());
}

FailureOr<HostData::Struct>
HostData::getTensor(StringRef name, Type elementType, ArrayRef<int64_t> dims,
                    ArrayRef<FlatSymbolRefAttr> dimNames,
                    function_ref<InFlightDiagnostic()> emitError,
                    bool isString) {
  std::optional<std::pair<unsigned, unsigned>> dtype = getDType(elementType);
  if (!dtype)
    return emitError() << "expects an element type that an artefact can "
                          "describe, but got "
                       << elementType;
  return Struct{Member::pointer(getString(name)),
                Member::integer(8, dtype->first),
                Member::integer(8, dtype->second),
                Member::integer(16, 1),
                Member::integer(32, dims.size()),
                Member::pointer(getIntegers(dims)),
                Member::pointer(getPointers(dimNames)),
                Member::integer(32, isString)};
}

SmallVector<FlatSymbolRefAttr> HostData::getDimNames(relax::ShapeAttr shape) {
  SmallVector<FlatSymbolRefAttr> names(shape.size());
  for (size_t dim = 0, e = shape.size(); dim != e; ++dim) {
    if (shape.getConstant(dim))
      continue;
    std::string text;
    if (StringAttr symbol = shape.getBareSymbol(dim)) {
      text = symbol.getValue();
    } else {
      llvm::raw_string_ostream os(text);
      shape.printExpr(dim, os);
    }
    names[dim] = getString(text);
  }
  return names;
}
