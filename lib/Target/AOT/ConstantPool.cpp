//===- ConstantPool.cpp - The constants of an artefact --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the constants of a program and writes them. Equal constants share a
// place: they are found by a hash of samples, and compared in full only where
// the samples agree. Nothing is packed when a constant is added. All constants
// are packed while they are written, piece by piece, by all threads, so that no
// second copy of the weights is ever in memory.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Threading.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Target/AOT/PackLayout.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

using namespace mlir;
using namespace mlir::relay;

/// Bytes of one element in memory, 0 if elements are not whole bytes. A bool
/// and a small element take a byte.
static int64_t getElementBytes(Type type) {
  if (type.isIndex())
    return sizeof(int64_t);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1 || isSmallElement(type))
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

/// Memory for `size` bytes; null if there is none, since constants may be of
/// any size.
static std::unique_ptr<char[]> allocate(size_t size) {
  return std::unique_ptr<char[]>(new (std::nothrow) char[size]);
}

/// The bytes of all elements; `buffer` owns them if they had to be made. Fails
/// if there is no memory for them.
static FailureOr<ArrayRef<char>> expandBytes(ElementsAttr value,
                                             std::unique_ptr<char[]> &buffer) {
  ArrayRef<char> raw = *getRawBytes(value);
  if (isExpanded(value, raw))
    return raw;
  size_t count = value.getNumElements();
  size_t elementBytes = getElementBytes(value.getElementType());
  buffer = allocate(count * elementBytes);
  if (!buffer)
    return failure();
  if (isDenseBool(value)) {
    for (auto [i, bit] :
         llvm::enumerate(cast<DenseElementsAttr>(value).getValues<bool>()))
      buffer[i] = bit;
  } else {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&buffer[i * elementBytes], raw.data(), elementBytes);
  }
  return ArrayRef<char>(buffer.get(), count * elementBytes);
}

static uint64_t hashAll(ElementsAttr value) {
  if (isDenseBool(value))
    return hash_value(Attribute(value));
  ArrayRef<char> raw = *getRawBytes(value);
  return llvm::xxh3_64bits(StringRef(raw.data(), raw.size()));
}

/// The hash of some bytes of `value`, all of them if they are few.
static uint64_t hashSample(ElementsAttr value, ArrayRef<char> raw) {
  constexpr size_t numSamples = 16, sampleBytes = 256;
  if (raw.size() <= numSamples * sampleBytes)
    return hashAll(value);
  SmallVector<char, 0> samples;
  for (size_t i = 0; i < numSamples; ++i)
    llvm::append_range(
        samples, raw.slice((raw.size() - sampleBytes) / (numSamples - 1) * i,
                           sampleBytes));
  return llvm::xxh3_64bits(StringRef(samples.data(), samples.size()));
}

/// Makes one byte of two, in place.
static void joinNibbles(std::vector<char> &bytes) {
  for (size_t i = 0, e = bytes.size() / 2; i != e; ++i)
    bytes[i] = static_cast<char>((bytes[2 * i] & 15) | bytes[2 * i + 1] << 4);
  bytes.resize(bytes.size() / 2);
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
                  ArrayRef<int64_t> packedShape, PackedElements elements,
                  llvm::function_ref<InFlightDiagnostic()> emitError) {
  int64_t numPieces = elements.numPieces;
  if (layout && layout.isIdentity() && elements == PackedElements())
    layout = {};
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
  ShapedType type = value.getShapedType();
  // All products below are of these sizes.
  auto getBytes = [](ArrayRef<int64_t> shape,
                     int64_t elementBytes) -> std::optional<uint64_t> {
    int64_t bytes = elementBytes;
    for (int64_t size : shape)
      if (llvm::MulOverflow(bytes, size, bytes))
        return std::nullopt;
    return bytes;
  };
  bool isEmpty = llvm::is_contained(type.getShape(), 0);
  ArrayRef<int64_t> shape = layout ? packedShape : type.getShape();
  auto tooLarge = [&] {
    return emitError() << "expects constants of fewer than 2^63 bytes, but got "
                       << type;
  };
  std::optional<uint64_t> wanted =
      isEmpty ? 0 : getBytes(type.getShape(), elementBytes);
  std::optional<uint64_t> packedBytes =
      getBytes(shape, numPieces ? int64_t(sizeof(uint16_t)) : elementBytes);
  if (isEmpty && !layout)
    packedBytes = 0;
  if (!wanted || !packedBytes)
    return tooLarge();
  size_t expected = *wanted;
  if (isa<DenseResourceElementsAttr>(value) && raw->size() != expected)
    return emitError() << "expects " << expected
                       << " bytes in the resource of a constant, but got "
                       << raw->size();

  if (numPieces != 0 && !value.getElementType().isF32())
    return emitError() << "expects constant elements of f32 to split, but got "
                       << value.getElementType();
  if (numPieces < 0 || numPieces > 3)
    return emitError() << "expects constant elements to be split in 1 to 3 "
                          "pieces, but got "
                       << numPieces;
  uint64_t bytes = *packedBytes;

  // Weights are long and seldom alike: what their bytes hash to is only
  // computed once a sample of them agrees.
  if (elements.areNibbles && elementBytes != 1)
    return emitError() << "expects constant elements of a byte to halve, but "
                          "got "
                       << value.getElementType();
  uint64_t hash =
      llvm::hash_combine(layout, bytes, numPieces, elements.areNibbles,
                         type.getElementType(), hashSample(value, *raw));
  SmallVector<unsigned, 1> &candidates = byHash[hash];
  std::optional<uint64_t> fullHash;
  for (unsigned index : candidates) {
    Entry &entry = entries[index];
    // The shape matters only for what a layout makes of it.
    bool sameShape = !layout || (entry.value.getShapedType() == type &&
                                 ArrayRef(entry.packedShape) == packedShape);
    if (entry.layout != layout || entry.bytes != bytes ||
        !(entry.elements == elements) || !sameShape ||
        entry.value.getElementType() != type.getElementType())
      continue;
    if (!fullHash)
      fullHash = hashAll(value);
    if (!entry.fullHash)
      entry.fullHash = hashAll(entry.value);
    if (entry.fullHash == fullHash && haveEqualBytes(entry.value, value))
      return entry.offset;
  }
  uint64_t offset = llvm::alignTo(size, RELAY_BUFFER_ALIGNMENT);
  if (bytes > uint64_t(INT64_MAX) - offset)
    return tooLarge() << " after " << size << " bytes of others";
  candidates.push_back(entries.size());
  entries.push_back({value, layout, SmallVector<int64_t>(packedShape), elements,
                     offset, bytes, fullHash});
  size = offset + bytes;
  return offset;
}

uint64_t ConstantPool::beginPart() {
  byHash.clear();
  size = llvm::alignTo(size, RELAY_BUFFER_ALIGNMENT);
  return size;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

namespace {

/// Memory that the threads at work lend each other: fresh memory would cost a
/// page fault for every page.
class BufferPool {
public:
  std::vector<char> take() {
    std::lock_guard<std::mutex> lock(mutex);
    if (buffers.empty())
      return {};
    std::vector<char> buffer = std::move(buffers.back());
    buffers.pop_back();
    return buffer;
  }
  void give(std::vector<char> buffer) {
    std::lock_guard<std::mutex> lock(mutex);
    buffers.push_back(std::move(buffer));
  }

private:
  std::mutex mutex;
  std::vector<std::vector<char>> buffers;
};

/// What is known of a constant while pieces of it are written.
struct Source {
  ArrayRef<char> bytes;
  /// `bytes` is one element that stands for all.
  bool isSplat = false;
  std::unique_ptr<char[]> expanded;
  std::optional<LayoutPacker> packer;
};

/// Bytes of one constant, or slabs of a packed one, that are written at once.
struct Piece {
  size_t source;
  uint64_t begin, end;
  uint64_t position;
};

} // namespace

std::error_code ConstantPool::write(int file, uint64_t position) const {
  constexpr uint64_t pieceBytes = 1 << 20;
  std::vector<Source> sources(entries.size());
  std::vector<Piece> pieces;
  for (auto [number, entry] : llvm::enumerate(entries)) {
    Source &source = sources[number];
    uint64_t count = entry.bytes, unit = 1;
    // Elements that are all alike need not be there at once, and zeros not at
    // all, which may be more than there is memory.
    source.isSplat = !entry.layout && entry.elements.numPieces == 0 &&
                     !isDenseBool(entry.value) && entry.value.isSplat();
    if (source.isSplat) {
      source.bytes = *getRawBytes(entry.value);
      source.bytes = source.bytes.take_front(
          getElementBytes(entry.value.getElementType()));
      if (llvm::all_of(source.bytes, [](char byte) { return byte == 0; }))
        continue;
    } else {
      FailureOr<ArrayRef<char>> bytes =
          expandBytes(entry.value, source.expanded);
      if (failed(bytes))
        return std::make_error_code(std::errc::not_enough_memory);
      source.bytes = *bytes;
    }
    if (entry.layout) {
      SmallVector<int64_t> packedShape(entry.packedShape);
      if (entry.elements.areNibbles)
        packedShape.push_back(2);
      source.packer.emplace(entry.value.getShapedType().getShape(),
                            entry.layout, packedShape,
                            getElementBytes(entry.value.getElementType()),
                            entry.elements.numPieces);
      count = source.packer->getNumSlabs();
      unit = source.packer->getSlabBytes();
      if (entry.elements.areNibbles)
        unit /= 2;
    }
    uint64_t step =
        std::max<uint64_t>(1, pieceBytes / std::max<uint64_t>(unit, 1));
    if (entry.bytes != 0)
      for (uint64_t begin = 0; begin < count; begin += step)
        pieces.push_back({number, begin, std::min(begin + step, count),
                          position + entry.offset + begin * unit});
  }

  BufferPool buffers;
  std::mutex mutex;
  std::error_code result;
  auto fail = [&](std::error_code error) {
    std::lock_guard<std::mutex> lock(mutex);
    result = error;
    return failure();
  };
  auto writePiece = [&](const Piece &piece) -> LogicalResult {
    Source &source = sources[piece.source];
    ArrayRef<char> bytes;
    std::vector<char> buffer;
    if (source.packer) {
      buffer = buffers.take();
      buffer.resize((piece.end - piece.begin) * source.packer->getSlabBytes());
      source.packer->pack(source.bytes.data(), piece.begin, piece.end, buffer);
      if (entries[piece.source].elements.areNibbles)
        joinNibbles(buffer);
      bytes = buffer;
    } else if (source.isSplat) {
      // Pieces start at whole elements.
      buffer = buffers.take();
      buffer.resize(piece.end - piece.begin);
      for (size_t i = 0; i < buffer.size(); ++i)
        buffer[i] = source.bytes[i % source.bytes.size()];
      bytes = buffer;
    } else {
      bytes = source.bytes.slice(piece.begin, piece.end - piece.begin);
    }
    std::error_code error = writeAt(file, bytes, piece.position);
    if (source.packer || source.isSplat)
      buffers.give(std::move(buffer));
    return error ? fail(error) : success();
  };
  (void)failableParallelForEach(context, pieces, writePiece);
  return result;
}
