//===- StringFunctions.cpp - Functions of strings -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodePoints.h"
#include "Error.h"
#include "Strings.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace relay_rt;

/// In the order of their numbers.
static constexpr RelayStringFunctionInfo kFunctions[] = {
    {"concat", RELAY_STRING_CONCAT, 2, 0, 0},
    {"lower", RELAY_STRING_LOWER, 1, 1, 0},
    {"upper", RELAY_STRING_UPPER, 1, 1, 0},
    {"split", RELAY_STRING_SPLIT, 1, 2, 0},
    {"characters", RELAY_STRING_CHARACTERS, 1, 0, 0},
    {"find_all", RELAY_STRING_FIND_ALL, 1, 2, 0},
    {"split_all", RELAY_STRING_SPLIT_ALL, 1, 1, 1},
    {"list_size", RELAY_STRING_LIST_SIZE, 1, 0, 0},
    {"list_item", RELAY_STRING_LIST_ITEM, 2, 1, 0},
    {"full_match", RELAY_STRING_FULL_MATCH, 1, 1, 0},
    {"parse_int", RELAY_STRING_PARSE_INT, 1, 0, 0},
    {"parse_uint", RELAY_STRING_PARSE_UINT, 1, 0, 0},
    {"parse_float", RELAY_STRING_PARSE_FLOAT, 1, 1, 0},
    {"format_int", RELAY_STRING_FORMAT_INT, 1, 0, 0},
    {"format_uint", RELAY_STRING_FORMAT_UINT, 1, 0, 0},
    {"format_float", RELAY_STRING_FORMAT_FLOAT, 1, 1, 0},
    {"hash", RELAY_STRING_HASH, 1, 1, 0},
    {"less", RELAY_STRING_LESS, 2, 0, 0},
};

const RelayStringFunctionInfo *relayFindStringFunction(const char *name,
                                                       uint64_t length) {
  for (const RelayStringFunctionInfo &info : kFunctions)
    if (std::string_view(name, length) == info.name)
      return &info;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

static int64_t addList(StringLists &lists, std::vector<int64_t> list) {
  lists.push_back(std::move(list));
  return static_cast<int64_t>(lists.size()) - 1;
}

static const std::vector<int64_t> &lookupList(const StringLists &lists,
                                              int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(lists.size()))
    fail(RELAY_INVALID_ARGUMENT, "expects the number of a list, below ",
         lists.size(), ", but got ", number);
  return lists[number];
}

std::vector<int64_t> RelayStrings::split(std::string_view text,
                                         std::string_view delimiter,
                                         int64_t maxSplits) {
  std::vector<int64_t> list;
  auto isLast = [&] { return static_cast<int64_t>(list.size()) == maxSplits; };
  constexpr size_t kNone = std::string_view::npos;
  if (!delimiter.empty()) {
    for (size_t begin = 0; !text.empty();) {
      size_t end = isLast() ? kNone : text.find(delimiter, begin);
      list.push_back(add(text.substr(begin, end - begin)));
      if (end == kNone)
        break;
      begin = end + delimiter.size();
    }
    return list;
  }
  for (size_t begin = text.find_first_not_of(' '); begin != kNone;) {
    size_t end =
        isLast() ? text.find_last_not_of(' ') + 1 : text.find(' ', begin);
    list.push_back(add(text.substr(begin, end - begin)));
    begin = text.find_first_not_of(' ', end);
  }
  return list;
}

std::vector<int64_t> RelayStrings::splitCharacters(std::string_view text) {
  std::vector<int64_t> list;
  while (!text.empty()) {
    size_t size = getCodePointSize(text);
    list.push_back(add(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return list;
}

std::vector<int64_t> RelayStrings::findAll(std::string_view text,
                                           std::string_view pattern,
                                           int64_t minSize) {
  const Pattern &expression = base->getPattern(pattern, /*isLongest=*/true);
  std::vector<int64_t> list;
  size_t at, size;
  for (size_t begin = 0; expression.find(text, begin, at, size);) {
    begin = at + size;
    if (size != 0) {
      if (countCodePoints(text.substr(at, size)) >= minSize)
        list.push_back(add(text.substr(at, size)));
      continue;
    }
    // Nothing matches: go on behind the next code point.
    if (begin == text.size())
      break;
    begin += getCodePointSize(text.substr(begin));
  }
  return list;
}

/// Adds what is between matches to `parts`.
static void splitByPattern(std::string_view text, const Pattern &pattern,
                           int64_t minSize,
                           std::vector<std::string_view> &parts) {
  auto addPart = [&](size_t begin, size_t end) {
    std::string_view part = text.substr(begin, end - begin);
    if (!part.empty() && countCodePoints(part) >= minSize)
      parts.push_back(part);
  };
  size_t begin = 0, at, size;
  while (pattern.find(text, begin, at, size)) {
    addPart(begin, at);
    begin = at + size;
    if (size != 0)
      continue;
    // As in ONNX Runtime, the code point behind a match of nothing goes.
    if (begin == text.size())
      return;
    begin += getCodePointSize(text.substr(begin));
  }
  addPart(begin, text.size());
}

std::vector<int64_t> RelayStrings::splitAll(std::string_view text,
                                            int64_t minSize,
                                            const int64_t *patterns,
                                            int32_t numPatterns) {
  std::vector<std::string_view> parts = {text}, next;
  for (int32_t i = 0; i < numPatterns; ++i) {
    const Pattern &pattern =
        base->getPattern(lookup(patterns[i]), /*isLongest=*/true);
    next.clear();
    for (std::string_view part : parts)
      splitByPattern(part, pattern, minSize, next);
    parts.swap(next);
  }
  std::vector<int64_t> list;
  for (std::string_view part : parts)
    list.push_back(add(part));
  return list;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static std::string quote(std::string_view text) {
  constexpr size_t kMaxSize = 40;
  std::string quoted = "\"";
  for (std::string_view rest = text.substr(0, kMaxSize); !rest.empty();) {
    size_t size = getCodePointSize(rest);
    if (size == 0)
      break;
    quoted += rest[0] == '\0' ? "\\0" : rest.substr(0, size);
    rest.remove_prefix(size);
  }
  return quoted + (text.size() > kMaxSize ? "...\"" : "\"");
}

/// Without the blanks around it and a plus.
static std::string_view trim(std::string_view text) {
  constexpr const char *kBlanks = " \t\n\v\f\r";
  size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos)
    return {};
  text = text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  return text;
}

static double parseFloat(std::string_view text) {
  std::string_view number = trim(text);
  double value = 0;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  bool isWhole = !number.empty() && end == number.data() + number.size();
  if (error == std::errc() && isWhole)
    return value;
  if (error != std::errc::result_out_of_range || !isWhole)
    fail(RELAY_INVALID_ARGUMENT, "expects a string that is a number, but got ",
         quote(text));
  // Too large a number, or too small a one.
  value = std::strtod(std::string(number).c_str(), nullptr);
  if (std::fabs(value) > 1)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a string that is a number of 64 bits, but got ", quote(text));
  return value;
}

/// The integer that `text` begins with. The rest may be that of a number with a
/// fraction.
template <typename T>
static int64_t parseInt(std::string_view text) {
  std::string_view number = trim(text);
  bool isNegative =
      std::is_unsigned_v<T> && !number.empty() && number[0] == '-';
  if (isNegative)
    number.remove_prefix(1);
  T value = 0;
  auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc::result_out_of_range)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a string that is an integer of 64 bits, but got ",
         quote(text));
  if (error != std::errc())
    fail(RELAY_INVALID_ARGUMENT,
         "expects a string that is an integer, but got ", quote(text));
  if (end != number.data() + number.size())
    parseFloat(text);
  auto bits = static_cast<uint64_t>(value);
  return static_cast<int64_t>(isNegative ? 0 - bits : bits);
}

template <typename T>
static std::string formatInt(T value) {
  char text[24];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

/// As %g of C does it, whatever the locale; what is no number as ONNX writes
/// it.
static std::string formatFloat(double value, int64_t digits) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-INF" : "INF";
  constexpr int64_t kMaxDigits = 17;
  if (digits < 1 || digits > kMaxDigits)
    fail(RELAY_INVALID_ARGUMENT, "expects 1 to ", kMaxDigits,
         " digits, but got ", digits);
  char text[64];
  return {text,
          std::to_chars(text, text + sizeof(text), value,
                        std::chars_format::general, static_cast<int>(digits))
              .ptr};
}

/// MurmurHash3_x86_32.
static uint32_t hash(std::string_view text, uint32_t seed) {
  auto rotate = [](uint32_t value, int by) {
    return value << by | value >> (32 - by);
  };
  auto mix = [&](uint32_t word) {
    return rotate(word * 0xcc9e2d51u, 15) * 0x1b873593u;
  };
  uint32_t result = seed;
  size_t numWords = text.size() / 4;
  for (size_t i = 0; i < numWords; ++i) {
    uint32_t word = 0;
    for (int byte = 3; byte >= 0; --byte)
      word = word << 8 | static_cast<unsigned char>(text[4 * i + byte]);
    result = rotate(result ^ mix(word), 13) * 5 + 0xe6546b64u;
  }
  uint32_t last = 0;
  for (size_t i = text.size(); i > 4 * numWords; --i)
    last = last << 8 | static_cast<unsigned char>(text[i - 1]);
  result ^= mix(last) ^ static_cast<uint32_t>(text.size());
  result = (result ^ result >> 16) * 0x85ebca6bu;
  result = (result ^ result >> 13) * 0xc2b2ae35u;
  return result ^ result >> 16;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

int64_t RelayStrings::call(int32_t function, const int64_t *args,
                           int32_t numArgs, StringLists &lists) {
  constexpr int32_t kNumFunctions = std::size(kFunctions);
  if (function < 0 || function >= kNumFunctions)
    fail(RELAY_INVALID_ARGUMENT, "expects a function of strings below ",
         kNumFunctions, ", but got ", function);
  const RelayStringFunctionInfo &info = kFunctions[function];
  int32_t least = info.num_operands + info.num_params;
  if (numArgs < least || (numArgs > least && !info.has_more_params))
    fail(RELAY_INVALID_ARGUMENT, "expects ", least, " arguments for '",
         info.name, "', but got ", numArgs);
  std::lock_guard<std::mutex> lock(mutex);
  return compute(info.function, args, numArgs, lists);
}

int64_t RelayStrings::compute(RelayStringFunction function, const int64_t *args,
                              int32_t numArgs, StringLists &lists) {
  switch (function) {
  case RELAY_STRING_CONCAT: {
    std::string both(lookup(args[0]));
    return add(both += lookup(args[1]));
  }
  case RELAY_STRING_LOWER:
  case RELAY_STRING_UPPER:
    return add(changeCase(lookup(args[0]), function == RELAY_STRING_UPPER,
                          lookup(args[1])));
  case RELAY_STRING_SPLIT:
    return addList(lists, split(lookup(args[0]), lookup(args[1]), args[2]));
  case RELAY_STRING_CHARACTERS:
    return addList(lists, splitCharacters(lookup(args[0])));
  case RELAY_STRING_FIND_ALL:
    return addList(lists, findAll(lookup(args[0]), lookup(args[1]), args[2]));
  case RELAY_STRING_SPLIT_ALL:
    return addList(lists,
                   splitAll(lookup(args[0]), args[1], args + 2, numArgs - 2));
  case RELAY_STRING_LIST_SIZE:
    return static_cast<int64_t>(lookupList(lists, args[0]).size());
  case RELAY_STRING_LIST_ITEM: {
    const std::vector<int64_t> &list = lookupList(lists, args[0]);
    bool isInside = args[1] >= 0 && args[1] < static_cast<int64_t>(list.size());
    return isInside ? list[args[1]] : args[2];
  }
  case RELAY_STRING_FULL_MATCH:
    return base->getPattern(lookup(args[1]), /*isLongest=*/false)
        .matchesAll(lookup(args[0]));
  case RELAY_STRING_PARSE_INT:
    return parseInt<int64_t>(lookup(args[0]));
  case RELAY_STRING_PARSE_UINT:
    return parseInt<uint64_t>(lookup(args[0]));
  case RELAY_STRING_PARSE_FLOAT: {
    double value = parseFloat(lookup(args[0]));
    if (args[1] == 32)
      value = static_cast<float>(value);
    int64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  case RELAY_STRING_FORMAT_INT:
    return add(formatInt(args[0]));
  case RELAY_STRING_FORMAT_UINT:
    return add(formatInt(static_cast<uint64_t>(args[0])));
  case RELAY_STRING_FORMAT_FLOAT: {
    double value;
    std::memcpy(&value, args, sizeof(value));
    return add(formatFloat(value, args[1]));
  }
  case RELAY_STRING_HASH:
    return hash(lookup(args[0]), static_cast<uint32_t>(args[1]));
  case RELAY_STRING_LESS:
    return lookup(args[0]) < lookup(args[1]);
  }
  return 0;
}
