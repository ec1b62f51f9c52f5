//===- ConstantPool.cpp - The constants of an artefact --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Threading.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <memory>

using namespace mlir;
using namespace mlir::relay;

/// Bytes of one element in memory, 0 if elements are not whole bytes. A bool
/// takes a byte.
static int64_t getElementBytes(Type type) {
  if (type.isIndex())
    return sizeof(int64_t);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return 1;
  return llvm::is_contained({8u, 16u, 32u, 64u}, width) ? width / 8 : 0;
}

/// The bytes of `value` in row-major order; a splat's are those of its only
/// element. Empty for bools of dense attributes, which are not whole bytes.
static std::optional<ArrayRef<char>> getRawBytes(ElementsAttr value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    return blob->getData();
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(value))
    return dense.getElementType().isInteger(1) ? ArrayRef<char>()
                                               : dense.getRawData();
  return std::nullopt;
}

static bool isDenseBool(ElementsAttr value) {
  return isa<DenseElementsAttr>(value) && value.getElementType().isInteger(1);
}

static bool isExpanded(ElementsAttr value, ArrayRef<char> raw) {
  return !isDenseBool(value) &&
         raw.size() == static_cast<size_t>(value.getNumElements()) *
                           getElementBytes(value.getElementType());
}

/// The bytes of all elements; `buffer` owns them if they had to be made.
static ArrayRef<char> expandBytes(ElementsAttr value,
                                  std::unique_ptr<char[]> &buffer) {
  ArrayRef<char> raw = *getRawBytes(value);
  if (isExpanded(value, raw))
    return raw;
  size_t count = value.getNumElements();
  size_t elementBytes = getElementBytes(value.getElementType());
  buffer = std::make_unique<char[]>(count * elementBytes);
  if (isDenseBool(value)) {
    for (auto [i, bit] :
         llvm::enumerate(cast<DenseElementsAttr>(value).getValues<bool>()))
      buffer[i] = bit;
  } else {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&buffer[i * elementBytes], raw.data(), elementBytes);
  }
  return {buffer.get(), count * elementBytes};
}

/// Whether two constants of one type have the same elements.
static bool haveEqualBytes(ElementsAttr lhs, ElementsAttr rhs) {
  if (lhs == rhs)
    return true;
  if (isDenseBool(lhs) || isDenseBool(rhs))
    return false;
  return *getRawBytes(lhs) == *getRawBytes(rhs);
}

FailureOr<uint64_t>
ConstantPool::add(ElementsAttr value, AffineMap layout,
                  ArrayRef<int64_t> packedShape,
                  llvm::function_ref<InFlightDiagnostic()> emitError) {
  int64_t elementBytes = getElementBytes(value.getElementType());
  if (elementBytes == 0)
    return emitError() << "expects constant elements of whole bytes, but got "
                       << value.getElementType();
  std::optional<ArrayRef<char>> raw = getRawBytes(value);
  if (!raw) {
    InFlightDiagnostic diag = emitError();
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      return diag << "expects resource \"" << resource.getRawHandle().getKey()
                  << "\" to have contents",
             failure();
    return diag << "expects a dense constant";
  }
  size_t expected = value.getNumElements() * elementBytes;
  if (isa<DenseResourceElementsAttr>(value) && raw->size() != expected)
    return emitError() << "expects " << expected
                       << " bytes in the resource of a constant, but got "
                       << raw->size();

  if (layout && layout.isIdentity())
    layout = {};
  ShapedType type = value.getShapedType();
  ArrayRef<int64_t> shape = layout ? packedShape : type.getShape();
  uint64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes *= size;

  uint64_t hash = llvm::hash_combine(
      layout, bytes, type.getElementType(),
      isDenseBool(value)
          ? uint64_t(hash_value(Attribute(value)))
          : llvm::xxh3_64bits(StringRef(raw->data(), raw->size())));
  for (unsigned index : byHash[hash]) {
    const Entry &entry = entries[index];
    // The shape matters only for what a layout makes of it.
    bool sameShape = !layout || (entry.value.getShapedType() == type &&
                                 ArrayRef(entry.packedShape) == packedShape);
    if (entry.layout == layout && entry.bytes == bytes && sameShape &&
        entry.value.getElementType() == type.getElementType() &&
        haveEqualBytes(entry.value, value))
      return entry.offset;
  }
  byHash[hash].push_back(entries.size());
  uint64_t offset = llvm::alignTo(size, RELAY_BUFFER_ALIGNMENT);
  entries.push_back(
      {value, layout, SmallVector<int64_t>(packedShape), offset, bytes});
  size = offset + bytes;
  return offset;
}

void ConstantPool::write(raw_ostream &os) const {
  uint64_t position = 0;
  for (const Entry &entry : entries) {
    os.write_zeros(entry.offset - position);
    std::unique_ptr<char[]> expanded;
    ArrayRef<char> bytes = expandBytes(entry.value, expanded);
    if (entry.layout) {
      // Zero, for what the layout pads.
      auto packed = std::make_unique<char[]>(entry.bytes);
      packLayout(bytes, entry.value.getShapedType().getShape(), entry.layout,
                 entry.packedShape,
                 getElementBytes(entry.value.getElementType()),
                 {packed.get(), entry.bytes}, context);
      os.write(packed.get(), entry.bytes);
    } else {
      os.write(bytes.data(), bytes.size());
    }
    position = entry.offset + entry.bytes;
  }
}
