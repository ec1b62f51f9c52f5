//===- CudaCode.cpp - Code for devices of kind cuda -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::relay;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

llvm::Expected<SizeExpression> SizeExpression::parse(StringRef text,
                                                     unsigned numDims) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("expects sizes, numbers and operations as "
                                   "in d0,128,ceildiv, but got '" +
                                   text + "'" + why);
  };
  SizeExpression result;
  result.text = text.str();
  llvm::SmallVector<StringRef> words;
  text.split(words, ',');
  int depth = 0;
  for (StringRef word : words) {
    Item item{llvm::StringSwitch<Kind>(word)
                  .Case("+", Kind::Add)
                  .Case("-", Kind::Sub)
                  .Case("*", Kind::Mul)
                  .Case("floordiv", Kind::FloorDiv)
                  .Case("ceildiv", Kind::CeilDiv)
                  .Case("mod", Kind::Mod)
                  .Case("max", Kind::Max)
                  .Case("min", Kind::Min)
                  .Default(Kind::Number)};
    if (item.kind != Kind::Number) {
      if (depth < 2)
        return fail(", where an operation has no operands");
      --depth;
    } else {
      if (word.consume_front("d"))
        item.kind = Kind::Dim;
      if (word.getAsInteger(10, item.number))
        return fail("");
      if (item.kind == Kind::Dim && (item.number < 0 || item.number >= numDims))
        return fail(" in a kernel of " + llvm::Twine(numDims) + " sizes");
      ++depth;
    }
    result.items.push_back(item);
  }
  if (depth != 1)
    return fail(", which has several values");
  return result;
}

llvm::Expected<int64_t>
SizeExpression::evaluate(llvm::ArrayRef<int64_t> dims) const {
  auto fail = [&](const char *why) {
    return llvm::createStringError("expects " + llvm::Twine(why) +
                                   ", but got '" + text + "'");
  };
  llvm::SmallVector<int64_t, 8> stack;
  for (const Item &item : items) {
    if (item.kind == Kind::Number || item.kind == Kind::Dim) {
      stack.push_back(item.kind == Kind::Dim ? dims[item.number] : item.number);
      continue;
    }
    int64_t b = stack.pop_back_val(), a = stack.pop_back_val(), value = 0;
    bool overflows = false;
    switch (item.kind) {
    case Kind::Add:
      overflows = llvm::AddOverflow(a, b, value);
      break;
    case Kind::Sub:
      overflows = llvm::SubOverflow(a, b, value);
      break;
    case Kind::Mul:
      overflows = llvm::MulOverflow(a, b, value);
      break;
    case Kind::FloorDiv:
    case Kind::CeilDiv:
    case Kind::Mod:
      if (b <= 0)
        return fail("a divisor above 0");
      value = item.kind == Kind::FloorDiv  ? llvm::divideFloorSigned(a, b)
              : item.kind == Kind::CeilDiv ? llvm::divideCeilSigned(a, b)
                                           : llvm::mod(a, b);
      break;
    case Kind::Max:
      value = std::max(a, b);
      break;
    case Kind::Min:
      value = std::min(a, b);
      break;
    case Kind::Number:
    case Kind::Dim:
      llvm_unreachable("these are above");
    }
    if (overflows)
      return fail("a number of 64 bits");
    stack.push_back(value);
  }
  return stack.back();
}

//===----------------------------------------------------------------------===//
// The header
//===----------------------------------------------------------------------===//

static llvm::Error failLine(StringRef line, StringRef what) {
  return llvm::createStringError("expects " + what + ", but got '" + line +
                                 "'");
}

static llvm::Expected<CudaLaunch>
parseLaunch(StringRef line, llvm::ArrayRef<StringRef> words, unsigned numDims) {
  StringRef form = "launch, an entry, a grid, a block and bytes of shared "
                   "memory";
  if (words.size() < 9)
    return failLine(line, form);
  CudaLaunch launch;
  launch.entry = words[1].str();
  auto read = [&](StringRef word, SizeExpression &expression) -> llvm::Error {
    auto parsed = SizeExpression::parse(word, numDims);
    if (!parsed)
      return parsed.takeError();
    expression = std::move(*parsed);
    return llvm::Error::success();
  };
  for (int i = 0; i < 3; ++i) {
    if (llvm::Error error = read(words[2 + i], launch.grid[i]))
      return std::move(error);
    if (words[5 + i].getAsInteger(10, launch.block[i]))
      return failLine(line, form);
  }
  if (llvm::Error error = read(words[8], launch.sharedBytes))
    return std::move(error);
  for (StringRef flag : words.drop_front(9))
    if (!flag.consume_front("cluster=") ||
        flag.getAsInteger(10, launch.cluster) || launch.cluster < 1)
      return failLine(line, "flags of the form cluster=2");
  return launch;
}

llvm::Expected<CudaCode> CudaCode::parse(StringRef data) {
  CudaCode code;
  std::vector<uint64_t> sizes;
  StringRef rest = data;
  bool isFirst = true;
  for (;;) {
    size_t end = rest.find('\n');
    if (end == StringRef::npos)
      return failLine(rest.take_front(80), "a header that ends with 'end'");
    StringRef line = rest.take_front(end);
    rest = rest.drop_front(end + 1);
    llvm::SmallVector<StringRef, 12> words;
    line.split(words, ' ');
    if (std::exchange(isFirst, false)) {
      if (line != "relay-cuda 1")
        return failLine(line.take_front(80), "'relay-cuda 1'");
    } else if (line == "end") {
      break;
    } else if (words[0] == "image") {
      uint64_t size;
      if (words.size() != 4 || words[3].getAsInteger(10, size))
        return failLine(line, "image, its kind, architecture and bytes");
      code.images.push_back({words[1], words[2], StringRef()});
      sizes.push_back(size);
    } else if (words[0] == "kernel") {
      CudaKernel kernel;
      if (words.size() != 4 || words[2].getAsInteger(10, kernel.numBuffers) ||
          words[3].getAsInteger(10, kernel.numDims))
        return failLine(line, "kernel, its name, and how many buffers and "
                              "sizes it has");
      kernel.name = words[1].str();
      code.kernels.push_back(std::move(kernel));
    } else if (words[0] == "launch" && !code.kernels.empty()) {
      CudaKernel &kernel = code.kernels.back();
      auto launch = parseLaunch(line, words, kernel.numDims);
      if (!launch)
        return launch.takeError();
      kernel.launches.push_back(std::move(*launch));
    } else {
      return failLine(line, "an image, a kernel or a launch");
    }
  }
  for (auto [image, size] : llvm::zip_equal(code.images, sizes)) {
    if (size > rest.size())
      return llvm::createStringError("expects " + llvm::Twine(size) +
                                     " bytes of an image, but got " +
                                     llvm::Twine(rest.size()));
    image.bytes = rest.take_front(size);
    rest = rest.drop_front(size);
  }
  return code;
}
