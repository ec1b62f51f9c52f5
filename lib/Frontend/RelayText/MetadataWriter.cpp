//===- MetadataWriter.cpp - The metadata section of Relay text ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"
#include "Metadata.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Whether the nodes for `value` are read as `value`.
static bool isFieldValue(Attribute value, bool isAttrs, unsigned depth = 0) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isSignlessInteger(32) ||
           (integer.getType().isSignlessInteger(64) &&
            !llvm::isInt<32>(integer.getInt()));
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getType().isF64() && number.getValue().isFinite();
  if (auto string = dyn_cast<StringAttr>(value))
    return json::isUTF8(string.getValue());
  if (auto array = dyn_cast<ArrayAttr>(value))
    return depth < 32 &&
           llvm::all_of(
               array,
               [&](Attribute element) {
                 return isFieldValue(element, /*isAttrs=*/false, depth + 1);
               });
  // As a field of attributes, null would be read as 0.
  return isa<UnitAttr>(value) && !isAttrs;
}

bool text::isMetadataObject(DictionaryAttr object) {
  auto type = object.getAs<StringAttr>(kTypeKey);
  if (!type || type.getValue().empty())
    return false;
  StringRef key = type.getValue();
  if (key == kConstantKey || key == "Map" || key == "Array" ||
      key == "IntImm" || key == "FloatImm" || key == "runtime.String" ||
      !llvm::all_of(
          key, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }))
    return false;
  bool isAttrs = key.starts_with("relay.attrs.");
  return llvm::all_of(object, [&](NamedAttribute field) {
    StringRef name = field.getName();
    if (name == kTypeKey)
      return true;
    if (name == "span" || !json::isUTF8(name))
      return false;
    if (isPlainField(name)) {
      auto integer = dyn_cast<IntegerAttr>(field.getValue());
      return integer && isFieldValue(integer, isAttrs);
    }
    return isFieldValue(field.getValue(), isAttrs);
  });
}

std::string MetadataWriter::add(Attribute value) {
  std::string &reference = references[value];
  if (!reference.empty())
    return reference;
  StringRef key = kConstantKey;
  if (auto dictionary = dyn_cast<DictionaryAttr>(value))
    key = dictionary.getAs<StringAttr>(kTypeKey).getValue();
  SmallVector<Attribute> &ofKey = entries[key];
  reference = ("meta[" + key + "][" + Twine(ofKey.size()) + "]").str();
  ofKey.push_back(value);
  return reference;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

template <typename T>
static void append(std::string &bytes, T value) {
  char buffer[sizeof(T)];
  llvm::support::endian::write<T, llvm::endianness::little>(buffer, value);
  bytes.append(buffer, sizeof(T));
}

static void appendElementType(std::string &bytes, Type type) {
  uint8_t code = 0;
  if (type.isUnsignedInteger() || type.isInteger(1))
    code = 1;
  else if (type.isBF16())
    code = 4;
  else if (isa<FloatType>(type))
    code = 2;
  append<uint8_t>(bytes, code);
  append<uint8_t>(bytes, type.getIntOrFloatBitWidth());
  append<uint16_t>(bytes, 1);
}

/// The elements one after the other, a bool in a byte.
static std::string getElementBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    ArrayRef<char> data = blob ? blob->getData() : ArrayRef<char>();
    return std::string(data.begin(), data.end());
  }
  std::string bytes;
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool element : dense.getValues<bool>())
      bytes += static_cast<char>(element);
    return bytes;
  }
  ArrayRef<char> data = dense.getRawData();
  int64_t repeats = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < repeats; ++i)
    bytes.append(data.begin(), data.end());
  return bytes;
}

/// A header, the shape, and the elements; see the reader.
static std::string encodeArray(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  std::string bytes;
  append<uint64_t>(bytes, 0xDD5E40F096B4A13F);
  append<uint64_t>(bytes, 0);
  // The CPU.
  append<int32_t>(bytes, 1);
  append<int32_t>(bytes, 0);
  append<int32_t>(bytes, type.getRank());
  appendElementType(bytes, type.getElementType());
  for (int64_t size : type.getShape())
    append<int64_t>(bytes, size);
  std::string elements = getElementBytes(value);
  append<int64_t>(bytes, elements.size());
  return llvm::encodeBase64(bytes + elements);
}

//===----------------------------------------------------------------------===//
// The object graph
//===----------------------------------------------------------------------===//

namespace {

/// Numbers the nodes of the document.
class GraphWriter {
public:
  GraphWriter() { nodes.push_back(json::Object{{"type_key", ""}}); }

  size_t add(json::Object node) {
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }
  size_t addArray(ArrayRef<Attribute> elements);
  size_t addValue(Attribute value);
  size_t addObject(DictionaryAttr fields);

  json::Array nodes, arrays;
};

} // namespace

size_t GraphWriter::addArray(ArrayRef<Attribute> elements) {
  json::Array data;
  for (Attribute element : elements)
    data.push_back(addValue(element));
  return add(json::Object{{"type_key", "Array"}, {"data", std::move(data)}});
}

size_t GraphWriter::addObject(DictionaryAttr fields) {
  json::Object attrs;
  StringRef kind = "Map";
  for (NamedAttribute field : fields) {
    StringRef name = field.getName();
    auto integer = dyn_cast<IntegerAttr>(field.getValue());
    if (name == kTypeKey && isa<StringAttr>(field.getValue()))
      kind = cast<StringAttr>(field.getValue()).getValue();
    else if (isPlainField(name) && integer)
      attrs[name] = std::to_string(integer.getInt());
    else
      attrs[name] = std::to_string(addValue(field.getValue()));
  }
  return add(json::Object{{"type_key", kind}, {"attrs", std::move(attrs)}});
}

size_t GraphWriter::addValue(Attribute value) {
  if (auto elements = dyn_cast<ElementsAttr>(value)) {
    arrays.push_back(encodeArray(elements));
    return add(json::Object{
        {"type_key", kConstantKey},
        {"attrs", json::Object{{"_checked_type_", "0"},
                               {"data", std::to_string(arrays.size() - 1)},
                               {"span", "0"},
                               {"virtual_device_", "0"}}}});
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(value))
    return addObject(dictionary);
  if (auto array = dyn_cast<ArrayAttr>(value))
    return addArray(array.getValue());
  if (auto string = dyn_cast<StringAttr>(value))
    return add(json::Object{{"type_key", "runtime.String"},
                            {"repr_str", json::fixUTF8(string.getValue())}});
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return add(json::Object{
        {"type_key", "IntImm"},
        {"attrs", json::Object{{"dtype", "int64"},
                               {"span", "0"},
                               {"value", std::to_string(integer.getInt())}}}});
  if (auto number = dyn_cast<FloatAttr>(value))
    return add(json::Object{
        {"type_key", "FloatImm"},
        {"attrs",
         json::Object{{"dtype", "float64"},
                      {"span", "0"},
                      {"value", text::formatFloat(number.getValue())}}}});
  // The null object.
  return 0;
}

void MetadataWriter::print(raw_ostream &os) const {
  GraphWriter graph;
  json::Array keys, data;
  for (const auto &[key, ofKey] : entries) {
    keys.push_back(key);
    data.push_back(graph.addArray(ofKey));
  }
  size_t root = graph.add(json::Object{{"type_key", "Map"},
                                       {"keys", std::move(keys)},
                                       {"data", std::move(data)}});
  json::OStream(os, /*IndentSize=*/2)
      .value(json::Object{{"root", root},
                          {"nodes", std::move(graph.nodes)},
                          {"b64ndarrays", std::move(graph.arrays)}});
  os << "\n";
}
