//===- KernelArguments.cpp - Arguments of a kernel from text --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

/// Buffers are so far apart that no kernel gets from one into another.
static constexpr uint64_t kFirstAddress = uint64_t(1) << 32;
static constexpr uint64_t kDistance = uint64_t(1) << 32;
static constexpr int64_t kMaxBytes = int64_t(1) << 30;

static llvm::Error makeError(StringRef text, const Twine &reason) {
  return llvm::createStringError("expects an argument as 7, f32:1.5 or "
                                 "2x3xf32=1,2, but got '" +
                                 text + "'" + reason);
}

static Type parseElement(StringRef name, MLIRContext *context) {
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  Type type = parseType(name, context);
  bool isKnown = type && (isa<FloatType>(type) || type.isIndex() ||
                          isa<IntegerType>(type));
  if (!isKnown)
    return Type();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isWhole = bits == 1 || (bits > 0 && bits % 8 == 0);
  return bits <= 64 && isWhole ? type : Type();
}

static unsigned getBytes(Type type) {
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

/// The bits of a number of a type.
static std::optional<uint64_t> parseNumber(StringRef text, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value(floatType.getFloatSemantics());
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return std::nullopt;
    }
    return value.bitcastToAPInt().getZExtValue();
  }
  int64_t value;
  if (text.getAsInteger(0, value))
    return std::nullopt;
  return value;
}

llvm::Error KernelArguments::add(StringRef text) {
  if (int64_t number; !text.getAsInteger(0, number)) {
    values.push_back(number);
    return llvm::Error::success();
  }
  auto [typeName, number] = text.split(':');
  if (Type type =
          text.contains(':') ? parseElement(typeName, context) : Type()) {
    std::optional<uint64_t> bits = parseNumber(number, type);
    if (!bits)
      return makeError(text, ", whose number cannot be read");
    values.push_back(*bits);
    return llvm::Error::success();
  }
  auto [shape, content] = text.split('=');
  Buffer buffer;
  buffer.count = 1;
  StringRef rest = shape;
  while (!rest.empty() && llvm::isDigit(rest.front())) {
    int64_t size;
    if (rest.consumeInteger(10, size) || !rest.consume_front("x") ||
        size > kMaxBytes / std::max<int64_t>(buffer.count, 1))
      return makeError(text, "");
    buffer.count *= size;
  }
  buffer.type = parseElement(rest, context);
  if (!buffer.type || rest.size() == shape.size())
    return makeError(text, "");
  unsigned size = getBytes(buffer.type);
  if (buffer.count > kMaxBytes / size)
    return makeError(text,
                     ", which has more than " + Twine(kMaxBytes) + " bytes");
  buffer.bytes = std::make_unique<char[]>(buffer.count * size);
  SmallVector<StringRef> numbers;
  if (content != "iota")
    content.split(numbers, ',', -1, /*KeepEmpty=*/false);
  if (static_cast<int64_t>(numbers.size()) > buffer.count)
    return makeError(text, ", which has too many numbers");
  for (int64_t i = 0, e = content == "iota" ? buffer.count : numbers.size();
       i < e; ++i) {
    std::string each = content == "iota" ? std::to_string(i) : numbers[i].str();
    std::optional<uint64_t> bits = parseNumber(each, buffer.type);
    if (!bits)
      return makeError(text, ", whose numbers cannot be read");
    std::memcpy(&buffer.bytes[i * size], &*bits, size);
  }
  uint64_t address = kFirstAddress + buffers.size() * kDistance;
  memory.add(address, buffer.bytes.get(), buffer.count * size);
  buffers[values.size()] = std::move(buffer);
  values.push_back(address);
  return llvm::Error::success();
}

llvm::Error KernelArguments::print(unsigned number, raw_ostream &os) const {
  auto it = buffers.find(number);
  if (it == buffers.end())
    return llvm::createStringError("expects the number of an argument that is "
                                   "a buffer, but got " +
                                   Twine(number));
  const Buffer &buffer = it->second;
  unsigned size = getBytes(buffer.type);
  os << '[';
  for (int64_t i = 0; i < buffer.count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &buffer.bytes[i * size], size);
    if (i)
      os << ", ";
    if (auto type = dyn_cast<FloatType>(buffer.type)) {
      SmallString<24> digits;
      APFloat(type.getFloatSemantics(), APInt(size * 8, bits)).toString(digits);
      os << digits;
    } else {
      os << (static_cast<int64_t>(bits << (64 - 8 * size)) >> (64 - 8 * size));
    }
  }
  os << "]\n";
  return llvm::Error::success();
}
