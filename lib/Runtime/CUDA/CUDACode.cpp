//===- CUDACode.cpp - Code for devices of kind cuda -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/CUDACode.h"

#include <algorithm>
#include <set>

using namespace relay_cuda;

/// Splits at each `separator`; empty parts stay.
static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// Reads a decimal number up to `limit`: digits alone.
static bool parseNumber(const std::string &text, uint64_t limit,
                        uint64_t &number) {
  if (text.empty() || text.size() > 19)
    return false;
  number = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    number = 10 * number + static_cast<uint64_t>(c - '0');
  }
  return number <= limit;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Deeper expressions are not written by anybody.
constexpr size_t kMaxDepth = 64;

bool Expression::parse(const std::string &text, int32_t numDims,
                       std::string &reason) {
  static const std::pair<const char *, Kind> operators[] = {
      {"+", Kind::Add},           {"-", Kind::Sub},
      {"*", Kind::Mul},           {"floordiv", Kind::FloorDiv},
      {"ceildiv", Kind::CeilDiv}, {"mod", Kind::Mod},
      {"max", Kind::Max},         {"min", Kind::Min}};
  items.clear();
  size_t depth = 0;
  for (const std::string &word : split(text, ',')) {
    const auto *it =
        std::find_if(std::begin(operators), std::end(operators),
                     [&](const auto &entry) { return word == entry.first; });
    uint64_t number;
    if (it != std::end(operators)) {
      if (depth < 2) {
        reason = "expects two values before '" + word + "' in '" + text + "'";
        return false;
      }
      items.push_back({it->second, 0});
      --depth;
      continue;
    }
    bool isNegative = word.size() > 1 && word[0] == '-';
    if (word.size() > 1 && word[0] == 'd' &&
        parseNumber(word.substr(1), INT32_MAX, number)) {
      if (number >= static_cast<uint64_t>(numDims)) {
        reason = "expects a dim below " + std::to_string(numDims) +
                 ", but got '" + word + "' in '" + text + "'";
        return false;
      }
      items.push_back({Kind::Dim, static_cast<int64_t>(number)});
    } else if (parseNumber(word.substr(isNegative), INT64_MAX, number)) {
      auto value = static_cast<int64_t>(number);
      items.push_back({Kind::Constant, isNegative ? -value : value});
    } else {
      reason = "expects a dim, an integer or an operator, but got '" + word +
               "' in '" + text + "'";
      return false;
    }
    if (++depth > kMaxDepth) {
      reason = "expects a simpler expression than '" + text + "'";
      return false;
    }
  }
  if (depth != 1) {
    reason =
        "expects one value, but '" + text + "' leaves " + std::to_string(depth);
    return false;
  }
  return true;
}

bool Expression::evaluate(const int64_t *dims, int64_t &value) const {
  int64_t stack[kMaxDepth];
  size_t depth = 0;
  for (const Item &item : items) {
    if (item.kind == Kind::Constant || item.kind == Kind::Dim) {
      stack[depth++] = item.kind == Kind::Dim ? dims[item.value] : item.value;
      continue;
    }
    int64_t right = stack[--depth];
    int64_t &left = stack[depth - 1];
    bool isDivision = item.kind == Kind::FloorDiv ||
                      item.kind == Kind::CeilDiv || item.kind == Kind::Mod;
    if (isDivision && right <= 0)
      return false;
    switch (item.kind) {
    case Kind::Add:
      if (__builtin_add_overflow(left, right, &left))
        return false;
      break;
    case Kind::Sub:
      if (__builtin_sub_overflow(left, right, &left))
        return false;
      break;
    case Kind::Mul:
      if (__builtin_mul_overflow(left, right, &left))
        return false;
      break;
    case Kind::FloorDiv:
      left = left / right - (left % right < 0);
      break;
    case Kind::CeilDiv:
      left = left / right + (left % right > 0);
      break;
    case Kind::Mod:
      left = left % right + (left % right < 0 ? right : 0);
      break;
    case Kind::Max:
      left = std::max(left, right);
      break;
    default:
      left = std::min(left, right);
      break;
    }
  }
  value = stack[0];
  return true;
}

bool Expression::isConstant() const {
  return std::none_of(items.begin(), items.end(),
                      [](const Item &item) { return item.kind == Kind::Dim; });
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

bool Architecture::parse(const std::string &text) {
  if (text.compare(0, 3, "sm_") != 0)
    return false;
  std::string digits = text.substr(3);
  suffix = 0;
  if (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) {
    suffix = digits.back();
    digits.pop_back();
  }
  uint64_t number;
  if (!parseNumber(digits, 9999, number) || number < 10)
    return false;
  major = static_cast<int>(number / 10);
  minor = static_cast<int>(number % 10);
  return true;
}

/// Whether an image runs on a chip.
static bool runsOn(const Image &image, int major, int minor) {
  const Architecture &arch = image.arch;
  if (arch.suffix == 'a')
    return arch.major == major && arch.minor == minor;
  if (image.kind == Image::Kind::Cubin || arch.suffix == 'f')
    return arch.major == major && arch.minor <= minor;
  return arch.major < major || (arch.major == major && arch.minor <= minor);
}

const Image *relay_cuda::chooseImage(const Code &code, int major, int minor) {
  for (Image::Kind kind : {Image::Kind::Cubin, Image::Kind::PTX})
    for (const Image &image : code.images)
      if (image.kind == kind && runsOn(image, major, minor))
        return &image;
  return nullptr;
}

std::string relay_cuda::describeImages(const Code &code) {
  std::string text;
  for (const Image &image : code.images)
    if (image.kind != Image::Kind::MLIR)
      text += (text.empty() ? "" : ", ") +
              std::string(image.kind == Image::Kind::PTX ? "ptx " : "cubin ") +
              image.archName;
  return text.empty() ? "none" : text;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

namespace {

/// Reads the lines. What returns false has set the reason.
class Parser {
public:
  Parser(const char *data, uint64_t size, Code &code, std::string &reason)
      : rest(data), end(data + size), code(code), reason(reason) {}

  bool parse() {
    if (!readLine())
      return false;
    if (words != std::vector<std::string>{"relay-cuda", "1"})
      return fail("expects 'relay-cuda 1', but got '" + line.substr(0, 40) +
                  "'");
    for (;;) {
      if (!readLine())
        return false;
      const std::string &kind = words.front();
      if (kind == "end" && words.size() == 1)
        break;
      bool isRead = kind == "image"    ? parseImage()
                    : kind == "kernel" ? parseKernel()
                    : kind == "launch"
                        ? parseLaunch()
                        : fail("expects 'image', 'kernel', 'launch' or 'end', "
                               "but got '" +
                               line.substr(0, 40) + "'");
      if (!isRead)
        return false;
    }
    return placeImages();
  }

private:
  bool fail(const std::string &what) {
    reason = "line " + std::to_string(number) + ": " + what;
    return false;
  }

  bool readLine() {
    ++number;
    const char *next = std::find(rest, end, '\n');
    if (next == end)
      return fail("expects 'end', but there are no more lines");
    line.assign(rest, next);
    rest = next + 1;
    words = split(line, ' ');
    return true;
  }

  bool expectWords(size_t least, size_t most, const char *what) {
    bool isFull = words.size() >= least && words.size() <= most;
    for (const std::string &word : words)
      isFull &= !word.empty();
    return isFull || fail(std::string("expects '") + what + "', but got '" +
                          line.substr(0, 200) + "'");
  }

  bool parseCount(const std::string &word, uint64_t least, uint64_t most,
                  const char *what, uint64_t &count) {
    return (parseNumber(word, most, count) && count >= least) ||
           fail(std::string("expects ") + what + " from " +
                std::to_string(least) + " to " + std::to_string(most) +
                ", but got '" + word + "'");
  }

  bool parseImage() {
    if (!expectWords(4, 4, "image <kind> <arch> <bytes>"))
      return false;
    Image image = {};
    if (words[1] == "ptx")
      image.kind = Image::Kind::PTX;
    else if (words[1] == "cubin")
      image.kind = Image::Kind::Cubin;
    else if (words[1] == "mlir")
      image.kind = Image::Kind::MLIR;
    else
      return fail("expects an image of kind ptx, cubin or mlir, but got '" +
                  words[1] + "'");
    image.archName = words[2];
    if (!image.arch.parse(words[2]))
      return fail("expects a chip such as sm_90a, but got '" + words[2] + "'");
    if (!parseCount(words[3], 1, INT64_MAX, "a number of bytes", image.size))
      return false;
    code.images.push_back(std::move(image));
    return true;
  }

  bool parseKernel() {
    if (!expectWords(4, 4, "kernel <name> <buffers> <dims>"))
      return false;
    if (!names.insert(words[1]).second)
      return fail("expects one kernel '" + words[1] +
                  "', but there is one already");
    // As many parameters as the smallest limit of any driver allows.
    constexpr uint64_t limit = 4000;
    uint64_t numBuffers, numDims;
    if (!parseCount(words[2], 0, limit, "a number of buffers", numBuffers) ||
        !parseCount(words[3], 0, limit, "a number of dims", numDims))
      return false;
    code.kernels.push_back({words[1],
                            static_cast<int32_t>(numBuffers),
                            static_cast<int32_t>(numDims),
                            {}});
    return true;
  }

  bool parseLaunch() {
    if (!expectWords(9, 9 + 8,
                     "launch <entry> <grid> x 3 <block> x 3 <bytes> [flags]"))
      return false;
    if (code.kernels.empty())
      return fail("expects a kernel before a launch");
    int32_t numDims = code.kernels.back().numDims;
    Launch launch;
    launch.entry = words[1];
    std::string why;
    for (int i = 0; i != 3; ++i)
      if (!launch.grid[i].parse(words[2 + i], numDims, why))
        return fail(why);
    uint64_t threads = 1;
    for (int i = 0; i != 3; ++i) {
      uint64_t size;
      if (!parseCount(words[5 + i], 1, 1024, "threads of a block", size))
        return false;
      launch.block[i] = static_cast<uint32_t>(size);
      threads *= size;
    }
    if (threads > 1024)
      return fail("expects at most 1024 threads in a block, but got " +
                  std::to_string(threads));
    if (!launch.sharedBytes.parse(words[8], numDims, why))
      return fail(why);
    for (size_t i = 9; i != words.size(); ++i)
      if (!parseFlag(words[i], launch))
        return false;
    code.kernels.back().launches.push_back(std::move(launch));
    return true;
  }

  bool parseFlag(const std::string &word, Launch &launch) {
    if (word.compare(0, 8, "cluster=") == 0) {
      uint64_t size;
      if (!parseCount(word.substr(8), 1, 16, "blocks of a cluster", size))
        return false;
      launch.cluster = static_cast<uint32_t>(size);
      return true;
    }
    if (word.compare(0, 8, "buffers=") != 0)
      return fail("expects the flag cluster=<blocks> or buffers=<numbers>, but "
                  "got '" +
                  word + "'");
    if (!launch.hasAllBuffers)
      return fail("expects the flag buffers=<numbers> once");
    launch.hasAllBuffers = false;
    auto numBuffers = static_cast<uint64_t>(code.kernels.back().numBuffers);
    for (const std::string &item : split(word.substr(8), ',')) {
      uint64_t least = launch.buffers.empty() ? 0 : launch.buffers.back() + 1;
      uint64_t number;
      if (!parseNumber(item, INT32_MAX, number) || number < least ||
          number >= numBuffers)
        return fail("expects numbers of buffers below " +
                    std::to_string(numBuffers) + ", in order, but got '" +
                    item + "'");
      launch.buffers.push_back(static_cast<int32_t>(number));
    }
    return true;
  }

  bool placeImages() {
    auto left = static_cast<uint64_t>(end - rest);
    for (Image &image : code.images) {
      if (image.size > left)
        return fail("expects " + std::to_string(image.size) +
                    " bytes of the image for " + image.archName +
                    ", but there are " + std::to_string(left));
      image.data = rest;
      rest += image.size;
      left -= image.size;
    }
    return left == 0 ||
           fail("expects nothing after the images, but there are " +
                std::to_string(left) + " bytes");
  }

  const char *rest, *end;
  Code &code;
  std::string &reason;
  int number = 0;
  std::string line;
  std::vector<std::string> words;
  /// Names of kernels, of which code may have many.
  std::set<std::string> names;
};

} // namespace

bool relay_cuda::parseCode(const void *data, uint64_t size, Code &code,
                           std::string &reason) {
  code = Code();
  return Parser(static_cast<const char *>(data), size, code, reason).parse();
}
