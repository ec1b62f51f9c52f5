//===- Pack.cpp - Files of few different numbers --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack.h"

#include "Case.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <vector>

using namespace relay_exec;

constexpr size_t kBlockWords = 4096;
constexpr const char kStart[] = "relay-pack 1\n";

void relay_exec::unpack(const std::string &from, const std::string &to) {
  std::ifstream in(from, std::ios::binary);
  if (!in)
    throw Error("cannot read '" + from + "'");
  auto read = [&](void *data, size_t bytes) {
    in.read(static_cast<char *>(data), static_cast<std::streamsize>(bytes));
    if (!in)
      throw Error("expects more in '" + from + "'");
  };
  char start[sizeof(kStart) - 1];
  read(start, sizeof(start));
  if (std::memcmp(start, kStart, sizeof(start)) != 0)
    throw Error("expects a packed file, but got '" + from + "'");
  uint64_t left;
  read(&left, sizeof(left));
  std::ofstream out(to, std::ios::binary | std::ios::trunc);
  std::vector<uint8_t> packed(kBlockWords * sizeof(uint32_t));
  std::vector<uint32_t> words(kBlockWords);
  while (left != 0 && out) {
    uint8_t bits;
    read(&bits, 1);
    if (bits == 32) {
      read(words.data(), kBlockWords * sizeof(uint32_t));
    } else if (bits == 1 || bits == 2 || bits == 4 || bits == 8) {
      uint32_t values[256];
      read(values, (size_t(1) << bits) * sizeof(uint32_t));
      read(packed.data(), kBlockWords * bits / 8);
      uint32_t mask = (1u << bits) - 1, perByte = 8 / bits;
      for (size_t i = 0; i != kBlockWords; ++i)
        words[i] = values[packed[i / perByte] >> i % perByte * bits & mask];
    } else {
      throw Error("expects words of 1, 2, 4, 8 or 32 bits in '" + from +
                  "', but got " + std::to_string(bits));
    }
    auto count = std::min<uint64_t>(left, kBlockWords * sizeof(uint32_t));
    out.write(reinterpret_cast<const char *>(words.data()),
              static_cast<std::streamsize>(count));
    left -= count;
  }
  out.close();
  if (!out)
    throw Error("cannot write '" + to + "'");
}
