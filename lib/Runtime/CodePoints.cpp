//===- CodePoints.cpp - UTF-8 and its code points -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodePoints.h"

#include "Error.h"

#include <clocale>
#include <cwctype>

using namespace relay_rt;

size_t relay_rt::getCodePointSize(std::string_view text) {
  auto at = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  auto isInside = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return at(i) >= low && at(i) <= high;
  };
  unsigned first = at(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return isInside(1) ? 2 : 0;
  // Neither longer than necessary, nor a surrogate, nor beyond U+10FFFF.
  if (first >= 0xe0 && first <= 0xef)
    return isInside(1, first == 0xe0 ? 0xa0 : 0x80,
                    first == 0xed ? 0x9f : 0xbf) &&
                   isInside(2)
               ? 3
               : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return isInside(1, first == 0xf0 ? 0x90 : 0x80,
                    first == 0xf4 ? 0x8f : 0xbf) &&
                   isInside(2) && isInside(3)
               ? 4
               : 0;
  return 0;
}

bool relay_rt::isUTF8(std::string_view text) {
  while (!text.empty()) {
    size_t size = getCodePointSize(text);
    if (size == 0)
      return false;
    text.remove_prefix(size);
  }
  return true;
}

int64_t relay_rt::countCodePoints(std::string_view text) {
  int64_t count = 0;
  for (char byte : text)
    count += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  return count;
}

static uint32_t decode(std::string_view bytes) {
  auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1)
    return first;
  uint32_t code = first & (0x7fu >> bytes.size());
  for (char byte : bytes.substr(1))
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  return code;
}

static void encode(uint32_t code, std::string &text) {
  auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80)
    return add(code);
  int rest = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  add((0xff << (7 - rest) & 0xff) | code >> 6 * rest);
  while (rest-- > 0)
    add(0x80 | (code >> 6 * rest & 0x3f));
}

/// The cases of all of Unicode: the C library has them in this locale, whatever
/// that of the process is.
static locale_t getUnicodeLocale() {
  static const locale_t locale = [] {
    for (const char *name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"})
      if (locale_t found = newlocale(LC_CTYPE_MASK, name, nullptr))
        return found;
    return locale_t();
  }();
  if (!locale)
    fail(RELAY_EXECUTION_FAILED,
         "expects the system to have the locale C.UTF-8, for letters beyond "
         "ASCII, but it has not");
  return locale;
}

static bool startsWithLanguage(std::string_view locale,
                               std::string_view language) {
  return locale.substr(0, language.size()) == language &&
         (locale.size() == language.size() ||
          std::string_view("_-.@").find(locale[language.size()]) !=
              std::string_view::npos);
}

std::string relay_rt::changeCase(std::string_view text, bool isUpper,
                                 std::string_view language) {
  constexpr uint32_t kUpperDotted = 0x130, kLowerDotless = 0x131;
  bool isTurkic =
      startsWithLanguage(language, "tr") || startsWithLanguage(language, "az");
  bool isASCII = language == "C" || language == "POSIX";
  auto change = [&](uint32_t code) -> uint32_t {
    if (isTurkic && code == (isUpper ? 'i' : 'I'))
      return isUpper ? kUpperDotted : kLowerDotless;
    if (code < 0x80) {
      uint32_t lower = code | 0x20;
      if (lower < 'a' || lower > 'z')
        return code;
      return isUpper ? lower - 0x20 : lower;
    }
    if (isASCII)
      return code;
    return isUpper ? towupper_l(code, getUnicodeLocale())
                   : towlower_l(code, getUnicodeLocale());
  };
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    size_t size = getCodePointSize(text);
    encode(change(decode(text.substr(0, size))), result);
    text.remove_prefix(size);
  }
  return result;
}
