//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Npy.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <vector>

using namespace mlir::relay;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef magic = "\x93NUMPY";
static constexpr size_t dataAlignment = 64;
/// Of a string, so that its size fits 32 bits.
static constexpr unsigned kMaxCharacters = 1u << 28;

static llvm::Error makeError(StringRef name, const Twine &message) {
  return llvm::createStringError("'" + name + "': " + message);
}

//===----------------------------------------------------------------------===//
// Header
//===----------------------------------------------------------------------===//

namespace {

/// The header is a literal of a Python dictionary with three known keys.
class HeaderParser {
public:
  HeaderParser(StringRef text, StringRef name) : text(text), name(name) {}

  llvm::Error parse();

  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t> shape;

private:
  llvm::Error fail(const Twine &expected) {
    return makeError(name, "expects " + expected + " in the header, but got '" +
                               text.take_front(20).trim() + "'");
  }
  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }
  llvm::Error parseString(std::string &value);
  llvm::Error parseShape();
  llvm::Error parseEntry();

  StringRef text;
  StringRef name;
  unsigned seenKeys = 0;
};

} // namespace

llvm::Error HeaderParser::parseString(std::string &value) {
  text = text.ltrim();
  StringRef quote = text.take_front();
  if (quote != "'" && quote != "\"")
    return fail("a string");
  size_t end = text.find(quote, 1);
  if (end == StringRef::npos)
    return fail("a closed string");
  value = text.slice(1, end).str();
  text = text.drop_front(end + 1);
  return llvm::Error::success();
}

llvm::Error HeaderParser::parseShape() {
  if (!consume("("))
    return fail("a tuple of sizes");
  while (!consume(")")) {
    int64_t size;
    text = text.ltrim();
    StringRef rest = text;
    if (rest.consumeInteger(10, size) || size < 0)
      return fail("a size");
    text = rest;
    shape.push_back(size);
    consume("L"); // Python 2 marked long integers.
    if (!consume(",") && !text.ltrim().starts_with(")"))
      return fail("',' or ')'");
  }
  return llvm::Error::success();
}

llvm::Error HeaderParser::parseEntry() {
  std::string key;
  if (llvm::Error error = parseString(key))
    return error;
  if (!consume(":"))
    return fail("':'");
  if (key == "descr") {
    seenKeys |= 1;
    return parseString(descr);
  }
  if (key == "fortran_order") {
    seenKeys |= 2;
    fortranOrder = consume("True");
    return fortranOrder || consume("False") ? llvm::Error::success()
                                            : fail("True or False");
  }
  if (key == "shape") {
    seenKeys |= 4;
    return parseShape();
  }
  return fail("'descr', 'fortran_order' or 'shape' as a key");
}

llvm::Error HeaderParser::parse() {
  if (!consume("{"))
    return fail("'{'");
  while (!consume("}")) {
    if (llvm::Error error = parseEntry())
      return error;
    if (!consume(",") && !text.ltrim().starts_with("}"))
      return fail("',' or '}'");
  }
  if (seenKeys != 7)
    return makeError(name, "expects the keys 'descr', 'fortran_order' and "
                           "'shape' in the header, but got fewer");
  return llvm::Error::success();
}

/// Sets the element type of `array`; returns whether its bytes are swapped.
static Expected<bool> parseDescr(StringRef descr, StringRef name,
                                 NpyArray &array) {
  auto fail = [&]() {
    return makeError(name, "expects a dtype of floats, integers or bools, but "
                           "got '" +
                               descr + "'");
  };
  StringRef rest = descr;
  char order = rest.consume_front("<")   ? '<'
               : rest.consume_front(">") ? '>'
               : rest.consume_front("|") ? '|'
               : rest.consume_front("=") ? '='
                                         : 0;
  if (!order || rest.empty())
    return fail();
  char letter = rest.front();
  if (rest.drop_front().getAsInteger(10, array.elementSize))
    return fail();
  unsigned size = array.elementSize;
  bool isInteger = size == 1 || size == 2 || size == 4 || size == 8;
  if (letter == 'b' && size == 1)
    array.kind = NpyArray::Kind::Bool;
  else if (letter == 'i' && isInteger)
    array.kind = NpyArray::Kind::Int;
  else if (letter == 'u' && isInteger)
    array.kind = NpyArray::Kind::UInt;
  else if (letter == 'f' && isInteger && size != 1)
    array.kind = NpyArray::Kind::Float;
  else if (letter == 'V' && size == 2)
    array.kind = NpyArray::Kind::BFloat;
  else if ((letter == 'V' || letter == 'f') && size == 1)
    array.kind = NpyArray::Kind::Byte;
  else
    return fail();
  return order ==
         (llvm::endianness::native == llvm::endianness::little ? '>' : '<');
}

static std::string getDescr(const NpyArray &array) {
  char letter = 'f';
  switch (array.kind) {
  case NpyArray::Kind::Bool:
    letter = 'b';
    break;
  case NpyArray::Kind::Int:
    letter = 'i';
    break;
  case NpyArray::Kind::UInt:
    letter = 'u';
    break;
  case NpyArray::Kind::Float:
    letter = 'f';
    break;
  case NpyArray::Kind::BFloat:
  case NpyArray::Kind::Byte:
    letter = 'V';
    break;
  }
  char order = array.elementSize == 1 ? '|' : '<';
  return llvm::formatv("{0}{1}{2}", order, letter, array.elementSize).str();
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Reads the header of `bytes`, and leaves the data in them.
static Expected<HeaderParser> readHeader(StringRef &bytes, StringRef name) {
  StringRef rest = bytes;
  if (!rest.consume_front(magic) || rest.size() < 4)
    return makeError(name, "expects an .npy file, but got other contents");
  unsigned version = static_cast<unsigned char>(rest[0]);
  if (version < 1 || version > 3)
    return makeError(name, "expects .npy version 1, 2 or 3, but got " +
                               Twine(version));
  rest = rest.drop_front(2);
  size_t lengthSize = version == 1 ? 2 : 4;
  if (rest.size() < lengthSize)
    return makeError(name, "expects a header, but got the end of the file");
  size_t length = version == 1 ? llvm::support::endian::read16le(rest.data())
                               : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthSize);
  if (rest.size() < length)
    return makeError(name, "expects a header of " + Twine(length) +
                               " bytes, but got " + Twine(rest.size()));

  HeaderParser header(rest.take_front(length), name);
  if (llvm::Error error = header.parse())
    return error;
  bytes = rest.drop_front(length);
  return header;
}

/// Elements of `size` bytes, as many as the header says.
static llvm::Error checkSize(const HeaderParser &header, StringRef name,
                             StringRef data, uint64_t size) {
  bool overflows = false;
  for (int64_t dim : header.shape)
    if (dim == 0) // Makes the array empty, however large the other sizes are.
      size = 0;
  for (int64_t dim : header.shape) {
    bool overflow = false;
    size =
        llvm::SaturatingMultiply(size, static_cast<uint64_t>(dim), &overflow);
    overflows |= overflow;
  }
  if (overflows) {
    std::string shape;
    llvm::raw_string_ostream os(shape);
    llvm::interleaveComma(header.shape, os);
    return makeError(name,
                     "expects a shape whose bytes fit 64 bits, but got (" +
                         shape + ")");
  }
  if (size != data.size())
    return makeError(name, "expects " + Twine(size) +
                               " bytes of data, but got " + Twine(data.size()));
  return llvm::Error::success();
}

/// Calls `use` with the positions of the elements in the order of the file, in
/// C order.
static void forEachPosition(ArrayRef<int64_t> shape, size_t count,
                            bool fortranOrder,
                            llvm::function_ref<void(size_t)> use) {
  SmallVector<int64_t> index(shape.size(), 0);
  SmallVector<size_t> strides(shape.size());
  size_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    size_t dim = fortranOrder ? i : shape.size() - 1 - i;
    strides[dim] = stride;
    stride *= shape[dim];
  }
  size_t source = 0;
  for (size_t i = 0; i < count; ++i) {
    use(source);
    for (size_t dim = index.size(); dim-- > 0;) {
      source += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      source -= strides[dim] * index[dim];
      index[dim] = 0;
    }
  }
}

/// Copies `data` into C order and native byte order.
static void normalize(NpyArray &array, bool fortranOrder, bool swapBytes) {
  size_t size = array.elementSize;
  auto memory = std::make_shared<std::vector<char>>(array.data.size());
  char *out = memory->data();
  forEachPosition(array.shape, array.data.size() / size, fortranOrder,
                  [&](size_t position) {
                    std::memcpy(out, array.data.data() + position * size, size);
                    if (swapBytes)
                      std::reverse(out, out + size);
                    if (array.kind == NpyArray::Kind::Bool)
                      *out = *out != 0;
                    out += size;
                  });
  array.data = *memory;
  array.owner = std::move(memory);
}

Expected<NpyArray> mlir::relay::parseNpy(StringRef bytes, StringRef name,
                                         std::shared_ptr<const void> owner) {
  Expected<HeaderParser> header = readHeader(bytes, name);
  if (!header)
    return header.takeError();
  NpyArray array;
  Expected<bool> swapBytes = parseDescr(header->descr, name, array);
  if (!swapBytes)
    return swapBytes.takeError();
  if (llvm::Error error = checkSize(*header, name, bytes, array.elementSize))
    return error;

  array.shape = header->shape;
  array.owner = std::move(owner);
  array.data = ArrayRef<char>(bytes.data(), bytes.size());
  bool isNormalBool =
      array.kind != NpyArray::Kind::Bool ||
      llvm::all_of(array.data, [](char c) { return c == 0 || c == 1; });
  bool isAligned =
      llvm::isAddrAligned(llvm::Align(array.elementSize), array.data.data());
  bool isFortran = header->fortranOrder && array.shape.size() > 1;
  if (isFortran || *swapBytes || !isNormalBool || !isAligned)
    normalize(array, isFortran, *swapBytes);
  return array;
}

static Expected<std::shared_ptr<llvm::MemoryBuffer>> readFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return makeError(path, "cannot open: " + buffer.getError().message());
  return std::move(*buffer);
}

Expected<NpyArray> mlir::relay::readNpy(StringRef path) {
  Expected<std::shared_ptr<llvm::MemoryBuffer>> owner = readFile(path);
  if (!owner)
    return owner.takeError();
  return parseNpy((*owner)->getBuffer(), path, *owner);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeHeader(llvm::raw_ostream &os, const Twine &descr,
                        ArrayRef<int64_t> sizes) {
  static_assert(llvm::endianness::native == llvm::endianness::little,
                "data is written in native order");
  std::string shape = llvm::join(
      llvm::map_range(sizes, [](int64_t d) { return llvm::itostr(d); }), ", ");
  if (sizes.size() == 1)
    shape += ",";
  std::string header =
      ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape +
       "), }")
          .str();
  // Length of everything before the data, with the newline, is a multiple
  // of 64.
  bool isLong = header.size() + dataAlignment > UINT16_MAX;
  size_t prefix = magic.size() + 2 + (isLong ? 4 : 2);
  size_t total = llvm::alignTo(prefix + header.size() + 1, dataAlignment);
  header.resize(total - prefix - 1, ' ');
  header += '\n';

  os << magic << (isLong ? '\2' : '\1') << '\0';
  char length[4];
  llvm::support::endian::write32le(length, header.size());
  os << StringRef(length, isLong ? 4 : 2) << header;
}

void mlir::relay::writeNpy(llvm::raw_ostream &os, const NpyArray &array) {
  writeHeader(os, getDescr(array), array.shape);
  os.write(array.data.data(), array.data.size());
}

static llvm::Error
writeFile(StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code = writeOutputText(path, [&](llvm::raw_ostream &os) {
    write(os);
    return llvm::success();
  });
  return code ? makeError(path, "cannot write: " + code.message())
              : llvm::Error::success();
}

llvm::Error mlir::relay::writeNpy(StringRef path, const NpyArray &array) {
  return writeFile(path, [&](llvm::raw_ostream &os) { writeNpy(os, array); });
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

/// One element of 'U': characters of 32 bits, filled up with zeros.
static bool readText(StringRef bytes, bool swapBytes, std::string &text) {
  SmallVector<llvm::UTF32> characters(bytes.size() / sizeof(llvm::UTF32));
  std::memcpy(characters.data(), bytes.data(), bytes.size());
  if (swapBytes)
    for (llvm::UTF32 &character : characters)
      character = llvm::byteswap(character);
  while (!characters.empty() && characters.back() == 0)
    characters.pop_back();
  // Not by what takes a first U+FEFF, or this with its bytes swapped, for a
  // mark of the order of bytes: here it is a character, or none.
  text.resize(characters.size() * UNI_MAX_UTF8_BYTES_PER_CODE_POINT);
  const llvm::UTF32 *source = characters.data();
  auto *begin = reinterpret_cast<llvm::UTF8 *>(text.data());
  llvm::UTF8 *end = begin;
  if (llvm::ConvertUTF32toUTF8(&source, source + characters.size(), &end,
                               begin + text.size(),
                               llvm::strictConversion) != llvm::conversionOK)
    return false;
  text.resize(end - begin);
  return true;
}

Expected<NpyStrings> mlir::relay::parseNpyStrings(StringRef bytes,
                                                  StringRef path) {
  Expected<HeaderParser> header = readHeader(bytes, path);
  if (!header)
    return header.takeError();
  StringRef descr = header->descr;
  bool swapBytes = descr.starts_with(
      llvm::endianness::native == llvm::endianness::little ? ">" : "<");
  StringRef rest = descr.ltrim("<>|=");
  bool isText = rest.consume_front("U");
  unsigned size;
  if ((!isText && !rest.consume_front("S")) || rest.getAsInteger(10, size) ||
      size == 0 || size > kMaxCharacters)
    return makeError(path, "expects a dtype of strings, '<U' and a number, but "
                           "got '" +
                               descr + "'");
  if (isText)
    size *= sizeof(llvm::UTF32);
  if (llvm::Error error = checkSize(*header, path, bytes, size))
    return error;

  NpyStrings strings;
  strings.shape = header->shape;
  bool isValid = true;
  forEachPosition(header->shape, bytes.size() / size, header->fortranOrder,
                  [&](size_t position) {
                    StringRef element = bytes.substr(position * size, size);
                    std::string &text = strings.texts.emplace_back();
                    if (isText)
                      isValid &= readText(element, swapBytes, text);
                    else
                      text = element.rtrim('\0').str();
                    isValid &= llvm::json::isUTF8(text) &&
                               text.find('\0') == std::string::npos;
                  });
  if (!isValid)
    return makeError(path, "expects strings of Unicode without zeros");
  return strings;
}

Expected<NpyStrings> mlir::relay::readNpyStrings(StringRef path) {
  Expected<std::shared_ptr<llvm::MemoryBuffer>> owner = readFile(path);
  if (!owner)
    return owner.takeError();
  return parseNpyStrings((*owner)->getBuffer(), path);
}

void mlir::relay::writeNpyStrings(llvm::raw_ostream &os,
                                  const NpyStrings &strings) {
  // NumPy has no strings of no characters.
  size_t length = 1;
  std::vector<std::vector<llvm::UTF32>> texts;
  for (const std::string &text : strings.texts) {
    std::vector<llvm::UTF32> &characters = texts.emplace_back(text.size());
    const auto *source = reinterpret_cast<const llvm::UTF8 *>(text.data());
    llvm::UTF32 *target = characters.data();
    llvm::ConvertUTF8toUTF32(&source, source + text.size(), &target,
                             target + characters.size(),
                             llvm::lenientConversion);
    characters.resize(target - characters.data());
    length = std::max(length, characters.size());
  }
  writeHeader(os, "<U" + Twine(length), strings.shape);
  for (std::vector<llvm::UTF32> &characters : texts) {
    characters.resize(length);
    os.write(reinterpret_cast<const char *>(characters.data()),
             length * sizeof(llvm::UTF32));
  }
}

llvm::Error mlir::relay::writeNpyStrings(StringRef path,
                                         const NpyStrings &strings) {
  return writeFile(
      path, [&](llvm::raw_ostream &os) { writeNpyStrings(os, strings); });
}
