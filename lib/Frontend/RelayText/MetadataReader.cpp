//===- MetadataReader.cpp - The metadata section of Relay text ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "Metadata.h"

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;
namespace json = llvm::json;

/// Deeper than any section needs; the JSON parser recurses.
static constexpr unsigned kMaxJsonDepth = 64;
/// Larger constants are resources: attributes would be hashed and compared.
static constexpr int64_t kMaxInlineElements = 8;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// Reads an array as it is stored: a header, the shape, and the elements.
class ArrayReader {
public:
  ArrayReader(std::vector<char> bytes, MLIRContext *context,
              function_ref<void(const Twine &)> error)
      : bytes(std::move(bytes)), context(context), error(error) {}

  ElementsAttr read();

private:
  template <typename T>
  bool take(T &value) {
    if (bytes.size() - position < sizeof(T))
      return false;
    value = llvm::support::endian::read<T, llvm::endianness::little>(
        bytes.data() + position);
    position += sizeof(T);
    return true;
  }
  Type readElementType();
  FailureOr<SmallVector<int64_t>> readShape(int32_t rank, Type elementType,
                                            uint64_t &numBytes);
  ElementsAttr build(RankedTensorType type);

  std::vector<char> bytes;
  MLIRContext *context;
  function_ref<void(const Twine &)> error;
  size_t position = 0;
};

} // namespace

Type ArrayReader::readElementType() {
  uint8_t code, bits;
  uint16_t lanes;
  if (!take(code) || !take(bits) || !take(lanes))
    return {};
  static constexpr StringLiteral kCodes[] = {"int", "uint", "float", "",
                                             "bfloat"};
  if (code >= std::size(kCodes) || kCodes[code].empty() || lanes != 1)
    return {};
  Type type =
      parseDataType((kCodes[code] + Twine(unsigned(bits))).str(), context);
  // Elements are whole bytes, but for bool.
  return type && (bits % 8 == 0 || type.isInteger(1)) ? type : Type();
}

FailureOr<SmallVector<int64_t>>
ArrayReader::readShape(int32_t rank, Type elementType, uint64_t &numBytes) {
  SmallVector<int64_t> shape;
  if (rank < 0 || rank > kMaxTensorRank)
    return failure();
  numBytes = llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  for (int32_t i = 0; i < rank; ++i) {
    int64_t size;
    if (!take(size) || size < 0)
      return failure();
    bool overflows = false;
    numBytes = llvm::SaturatingMultiply(numBytes, uint64_t(size), &overflows);
    if (overflows)
      return failure();
    shape.push_back(size);
  }
  return shape;
}

ElementsAttr ArrayReader::build(RankedTensorType type) {
  ArrayRef<char> data = ArrayRef<char>(bytes).drop_front(position);
  if (type.getElementType().isInteger(1))
    for (char &value : llvm::MutableArrayRef<char>(bytes).drop_front(position))
      value = value != 0;
  if (type.getNumElements() <= kMaxInlineElements) {
    if (!type.getElementType().isInteger(1)) {
      // One element stands for all that are equal.
      size_t size = type.getElementTypeBitWidth() / 8;
      bool isSplat =
          data.size() > size && data.drop_back(size) == data.drop_front(size);
      return DenseElementsAttr::getFromRawBuffer(
          type, isSplat ? data.take_front(size) : data);
    }
    return DenseElementsAttr::get(
        type, llvm::map_to_vector(data, [](char c) { return c != 0; }));
  }
  return DenseResourceElementsAttr::get(
      type, "constant",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(data, 16));
}

ElementsAttr ArrayReader::read() {
  constexpr uint64_t kMagic = 0xDD5E40F096B4A13F;
  uint64_t magic, reserved, numBytes = 0, stored;
  int32_t deviceType, deviceId, rank;
  if (!take(magic) || magic != kMagic || !take(reserved) || !take(deviceType) ||
      !take(deviceId) || !take(rank))
    return error("expects the header of an array in 'b64ndarrays'"), nullptr;
  Type elementType = readElementType();
  if (!elementType)
    return error("expects an array of integers, floats or bools in "
                 "'b64ndarrays'"),
           nullptr;
  FailureOr<SmallVector<int64_t>> shape =
      readShape(rank, elementType, numBytes);
  if (failed(shape) || !take(stored))
    return error("expects the shape of an array in 'b64ndarrays'"), nullptr;
  if (stored != numBytes || bytes.size() - position != numBytes)
    return error("expects " + Twine(numBytes) +
                 " bytes of an array in 'b64ndarrays', but got " +
                 Twine(bytes.size() - position)),
           nullptr;
  return build(RankedTensorType::get(*shape, elementType));
}

//===----------------------------------------------------------------------===//
// The object graph
//===----------------------------------------------------------------------===//

namespace {

/// Turns nodes of the JSON document into attributes.
class GraphReader {
public:
  GraphReader(const json::Object &document, MLIRContext *context,
              function_ref<void(const Twine &)> error)
      : document(document), builder(context), error(error) {}

  MetadataTable read();

private:
  const json::Object *getNode(std::optional<int64_t> index) const;
  StringRef getKind(const json::Object *node) const {
    return node ? node->getString("type_key").value_or("") : "";
  }
  /// References are numbers, or strings of them.
  static std::optional<int64_t> getIndex(const json::Value *value);
  static std::optional<int64_t> getField(const json::Object &node,
                                         StringRef name);

  Attribute readNode(int64_t index);
  Attribute readUncached(int64_t index);
  Attribute readObject(const json::Object &node, StringRef kind);
  Attribute readField(StringRef kind, StringRef name, StringRef value);
  Attribute readConstant(const json::Object &node);

  const json::Object &document;
  const json::Array *nodes = nullptr;
  Builder builder;
  function_ref<void(const Twine &)> error;
  /// Null for nodes that are being read, or could not be.
  llvm::DenseMap<int64_t, Attribute> cache;
  llvm::DenseSet<int64_t> active;
  unsigned depth = 0;
};

} // namespace

std::optional<int64_t> GraphReader::getIndex(const json::Value *value) {
  if (!value)
    return std::nullopt;
  if (std::optional<int64_t> index = value->getAsInteger())
    return index;
  int64_t index;
  if (std::optional<StringRef> text = value->getAsString())
    if (!text->getAsInteger(10, index))
      return index;
  return std::nullopt;
}

std::optional<int64_t> GraphReader::getField(const json::Object &node,
                                             StringRef name) {
  const json::Object *attrs = node.getObject("attrs");
  return attrs ? getIndex(attrs->get(name)) : std::nullopt;
}

const json::Object *GraphReader::getNode(std::optional<int64_t> index) const {
  if (!index || *index < 0 || *index >= int64_t(nodes->size()))
    return nullptr;
  return (*nodes)[*index].getAsObject();
}

Attribute GraphReader::readConstant(const json::Object &node) {
  const json::Array *arrays = document.getArray("b64ndarrays");
  std::optional<int64_t> index = getField(node, "data");
  std::optional<StringRef> text;
  if (arrays && index && *index >= 0 && *index < int64_t(arrays->size()))
    text = (*arrays)[*index].getAsString();
  if (!text)
    return error("expects the data of a constant in 'b64ndarrays'"), nullptr;
  std::vector<char> bytes;
  if (llvm::Error failure = llvm::decodeBase64(*text, bytes))
    return error("expects base64 in 'b64ndarrays': " +
                 llvm::toString(std::move(failure))),
           nullptr;
  return ArrayReader(std::move(bytes), builder.getContext(), error).read();
}

/// A field of an object is a value, or the number of a node; which of them,
/// only the class of the object would tell. A number is taken for a node if
/// that one is a value. Attributes of operators are rarely null.
Attribute GraphReader::readField(StringRef kind, StringRef name,
                                 StringRef value) {
  int64_t number;
  if (value.getAsInteger(10, number))
    return builder.getStringAttr(value);
  StringRef target = getKind(getNode(number));
  if (!isPlainField(name)) {
    if (target == "IntImm" || target == "FloatImm" || target == "Array" ||
        target == "runtime.String")
      return readNode(number);
    if (number == 0 && !kind.starts_with("relay.attrs."))
      return builder.getUnitAttr();
  }
  if (llvm::isInt<32>(number))
    return builder.getI32IntegerAttr(number);
  return builder.getI64IntegerAttr(number);
}

Attribute GraphReader::readObject(const json::Object &node, StringRef kind) {
  NamedAttrList fields;
  fields.set(kTypeKey, builder.getStringAttr(kind));
  if (const json::Object *attrs = node.getObject("attrs"))
    for (const auto &[name, value] : *attrs)
      if (std::optional<StringRef> text = value.getAsString();
          text && !StringRef(name).empty() && name != "span") {
        Attribute field = readField(kind, StringRef(name), *text);
        if (!field)
          return nullptr;
        fields.set(StringRef(name), field);
      }
  return fields.getDictionary(builder.getContext());
}

Attribute GraphReader::readNode(int64_t index) {
  if (!getNode(index))
    return error("expects " + Twine(index) + " to be a node of the metadata"),
           nullptr;
  if (getKind(getNode(index)).empty())
    return builder.getUnitAttr();
  if (active.contains(index))
    return error("expects metadata without cycles"), nullptr;
  auto [it, isNew] = cache.try_emplace(index);
  if (!isNew)
    return it->second;
  if (depth == kMaxJsonDepth)
    return error("expects metadata that is less than " + Twine(kMaxJsonDepth) +
                 " levels deep"),
           nullptr;
  ++depth;
  active.insert(index);
  Attribute value = readUncached(index);
  active.erase(index);
  --depth;
  if (value)
    cache[index] = value;
  return value;
}

Attribute GraphReader::readUncached(int64_t index) {
  const json::Object *node = getNode(index);
  StringRef kind = getKind(node);
  if (kind == kConstantKey)
    return readConstant(*node);
  if (kind == "runtime.String")
    return builder.getStringAttr(node->getString("repr_str").value_or(""));
  if (kind == "IntImm") {
    int64_t value = getField(*node, "value").value_or(0);
    if (llvm::isInt<32>(value))
      return builder.getI32IntegerAttr(value);
    return builder.getI64IntegerAttr(value);
  }
  if (kind == "FloatImm") {
    const json::Object *attrs = node->getObject("attrs");
    double value = 0;
    if (attrs)
      attrs->getString("value").value_or("0").getAsDouble(value);
    return builder.getF64FloatAttr(value);
  }
  if (kind != "Array")
    return readObject(*node, kind);
  SmallVector<Attribute> elements;
  if (const json::Array *data = node->getArray("data"))
    for (const json::Value &element : *data) {
      Attribute value = readNode(getIndex(&element).value_or(-1));
      if (!value)
        return nullptr;
      elements.push_back(value);
    }
  return builder.getArrayAttr(elements);
}

MetadataTable GraphReader::read() {
  MetadataTable table;
  nodes = document.getArray("nodes");
  const json::Object *root =
      nodes ? getNode(getIndex(document.get("root"))) : nullptr;
  if (getKind(root) != "Map")
    return error("expects a map as the root of the metadata"), table;
  const json::Array *keys = root->getArray("keys");
  const json::Array *data = root->getArray("data");
  if (!keys || !data || keys->size() != data->size())
    return error("expects as many keys as values in the metadata"), table;
  for (auto [key, value] : llvm::zip(*keys, *data)) {
    const json::Object *array = getNode(getIndex(&value));
    std::optional<StringRef> name = key.getAsString();
    if (!name || getKind(array) != "Array" || table.contains(*name)) {
      error("expects an array for each key of the metadata");
      continue;
    }
    SmallVector<Attribute> &entries = table[*name];
    if (const json::Array *elements = array->getArray("data"))
      for (const json::Value &element : *elements)
        entries.push_back(readNode(getIndex(&element).value_or(-1)));
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static bool isTooDeep(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth)
        return true;
    } else if ((c == ']' || c == '}') && depth) {
      --depth;
    }
  }
  return false;
}

MetadataTable text::readMetadata(StringRef json, MLIRContext *context,
                                 function_ref<void(const Twine &)> error) {
  if (isTooDeep(json))
    return error("expects JSON that is less than " + Twine(kMaxJsonDepth) +
                 " levels deep"),
           MetadataTable();
  llvm::Expected<json::Value> value = json::parse(json);
  if (!value)
    return error("expects JSON: " + llvm::toString(value.takeError())),
           MetadataTable();
  const json::Object *document = value->getAsObject();
  if (!document)
    return error("expects a JSON object"), MetadataTable();
  return GraphReader(*document, context, error).read();
}
