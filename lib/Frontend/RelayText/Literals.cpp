//===- Literals.cpp - Numbers and strings in Relay text -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Literals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

#include <charconv>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

//===----------------------------------------------------------------------===//
// Reading numbers
//===----------------------------------------------------------------------===//

NumberText::NumberText(StringRef spelling) {
  size_t end = spelling.find_first_of("if");
  if (spelling.starts_with("inf"))
    end = 3;
  digits = spelling.take_front(end);
  spelling = spelling.drop_front(digits.size());
  if (spelling.empty())
    return;
  suffix = spelling.front();
  width = spelling.drop_front();
}

static TypedAttr parseInteger(const NumberText &number, MLIRContext *context,
                              LiteralErrorFn error) {
  StringRef sign = number.negative ? "-" : "";
  unsigned width = 32;
  if (!number.width.empty() && (number.width.getAsInteger(10, width) ||
                                (width != 16 && width != 32 && width != 64)))
    return error("expects an integer of 16, 32 or 64 bits, but got '" +
                 number.digits + "i" + number.width + "'"),
           nullptr;
  uint64_t magnitude = 0;
  bool fits = !number.digits.getAsInteger(10, magnitude);
  uint64_t limit = uint64_t(1) << 63;
  fits &= number.negative ? magnitude <= limit : magnitude < limit;
  if (!fits)
    return error("expects an integer of 64 bits, but got " + sign +
                 number.digits.take_front(40)),
           nullptr;
  int64_t value =
      static_cast<int64_t>(number.negative ? -magnitude : magnitude);
  if (!number.suffix && !llvm::isInt<32>(value))
    width = 64;
  if (!llvm::isIntN(width, value))
    return error("expects an integer of " + Twine(width) + " bits, but got " +
                 sign + number.digits),
           nullptr;
  return IntegerAttr::get(IntegerType::get(context, width), value);
}

/// The value of digits, or what lies beyond the range.
static std::optional<APFloat> parseDigits(const NumberText &number,
                                          const llvm::fltSemantics &semantics) {
  APFloat value(semantics);
  if (number.digits == "inf")
    return APFloat::getInf(semantics, number.negative);
  llvm::Expected<APFloat::opStatus> status = value.convertFromString(
      number.digits, llvm::RoundingMode::NearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  if (number.negative)
    value.changeSign();
  return value;
}

/// Whether the number lies beyond the largest of its type, also where rounding
/// would bring it back.
static bool isOutOfRange(const NumberText &number, const APFloat &value) {
  if (number.digits == "inf")
    return false;
  if (value.isInfinity())
    return true;
  const llvm::fltSemantics &semantics = value.getSemantics();
  if (&semantics == &APFloat::IEEEdouble() ||
      !value.bitwiseIsEqual(APFloat::getLargest(semantics, value.isNegative())))
    return false;
  APFloat limit = APFloat::getLargest(semantics);
  bool losesInfo;
  limit.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven,
                &losesInfo);
  APFloat exact = *parseDigits(number, APFloat::IEEEdouble());
  return llvm::abs(exact).compare(limit) == APFloat::cmpGreaterThan;
}

static TypedAttr parseFloat(const NumberText &number, MLIRContext *context,
                            LiteralErrorFn error) {
  FloatType type;
  if (number.width.empty() || number.width == "32")
    type = Float32Type::get(context);
  else if (number.width == "16")
    type = Float16Type::get(context);
  else if (number.width == "64")
    type = Float64Type::get(context);
  StringRef sign = number.negative ? "-" : "";
  if (!type)
    return error("expects a float of 16, 32 or 64 bits, but got '" +
                 number.digits + "f" + number.width + "'"),
           nullptr;
  std::optional<APFloat> value = parseDigits(number, type.getFloatSemantics());
  if (!value)
    return error("expects a number, but got '" + number.digits + "'"), nullptr;
  if (isOutOfRange(number, *value))
    return error("expects a float of " + Twine(type.getWidth()) +
                 " bits, but got " + sign + number.digits.take_front(40)),
           nullptr;
  return FloatAttr::get(type, *value);
}

TypedAttr text::parseNumber(const NumberText &number, bool bareFloats,
                            MLIRContext *context, LiteralErrorFn error) {
  if (number.suffix == 'f' || (bareFloats && number.hasFraction()))
    return parseFloat(number, context, error);
  if (!number.hasFraction())
    return parseInteger(number, context, error);
  error("expects a float to end in 'f', but got '" + number.digits +
        (number.suffix ? "i" : "") + number.width + "'");
  return nullptr;
}

TypedAttr text::parseAttributeNumber(const NumberText &number,
                                     MLIRContext *context,
                                     LiteralErrorFn error) {
  if (number.suffix != 'f' && !number.hasFraction())
    return parseInteger(number, context, error);
  NumberText wide = number;
  wide.suffix = 'f';
  wide.width = "64";
  return parseFloat(wide, context, error);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

std::string text::unescape(StringRef quoted) {
  StringRef text = quoted.drop_front().drop_back();
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    static constexpr StringLiteral kEscapes = "\"\\'ntrabfv";
    static constexpr StringLiteral kValues = "\"\\'\n\t\r\a\b\f\v";
    size_t known = kEscapes.find(c);
    if (known != StringRef::npos) {
      result += kValues[known];
    } else if (c == 'x' && i + 2 < text.size() &&
               llvm::isHexDigit(text[i + 1]) && llvm::isHexDigit(text[i + 2])) {
      result +=
          static_cast<char>(llvm::hexFromNibbles(text[i + 1], text[i + 2]));
      i += 2;
    } else {
      // Written by hand, as for regular expressions.
      result += '\\';
      result += c;
    }
  }
  return result;
}

std::string text::escape(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    switch (c) {
    case '"':
    case '\\':
      result += '\\';
      result += c;
      break;
    case '\n':
      result += "\\n";
      break;
    case '\t':
      result += "\\t";
      break;
    case '\r':
      result += "\\r";
      break;
    default:
      auto byte = static_cast<unsigned char>(c);
      // Bytes of UTF-8 stay.
      if (byte >= 0x20 && byte != 0x7F)
        result += c;
      else
        result += "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, 2);
    }
  }
  return result + '"';
}

//===----------------------------------------------------------------------===//
// Writing numbers
//===----------------------------------------------------------------------===//

/// Prints as streams do.
static std::string formatDigits(double value, int precision) {
  char buffer[40];
  char *end = std::to_chars(buffer, std::end(buffer), value,
                            std::chars_format::general, precision)
                  .ptr;
  return std::string(buffer, end);
}

std::string text::formatFloat(const APFloat &value) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven,
               &losesInfo);
  double magnitude = llvm::abs(wide).convertToDouble();
  std::string text;
  // 17 digits are enough for a double.
  for (int precision = 1; precision <= 17; ++precision) {
    text = formatDigits(magnitude, precision);
    NumberText number(text);
    number.negative = value.isNegative();
    std::optional<APFloat> back = parseDigits(number, value.getSemantics());
    if (!back || !back->bitwiseIsEqual(value) || isOutOfRange(number, *back))
      continue;
    // 100000 rather than 1e+05: streams print 6 digits before an exponent.
    if (precision < 6)
      text = formatDigits(
          APFloat(APFloat::IEEEdouble(), text).convertToDouble(), 6);
    break;
  }
  return (value.isNegative() ? "-" : "") + text;
}

std::optional<std::string> text::formatScalar(Attribute value, Type type) {
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (type.isInteger(1))
      return integer.getValue().isZero() ? "False" : "True";
    if (!type.isSignlessInteger(16) && !type.isSignlessInteger(32) &&
        !type.isSignlessInteger(64))
      return std::nullopt;
    std::string digits = std::to_string(integer.getValue().getSExtValue());
    if (type.isInteger(32))
      return digits;
    return digits + "i" + std::to_string(type.getIntOrFloatBitWidth());
  }
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !isa<Float16Type, Float32Type, Float64Type>(type) ||
      number.getValue().isNaN())
    return std::nullopt;
  std::string suffix =
      type.isF32() ? "f" : "f" + std::to_string(type.getIntOrFloatBitWidth());
  if (number.getValue().isInfinity())
    return (number.getValue().isNegative() ? "-inf" : "inf") + suffix;
  return formatFloat(number.getValue()) + suffix;
}
