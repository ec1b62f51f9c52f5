//===- KernelFile.cpp - Kernels of VTA in artefacts -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/KernelFile.h"

#include <cstring>

using namespace relay_vta;

static constexpr char kMagic[4] = {'V', 'T', 'A', 'K'};
enum : uint32_t { InputFlag = 1, OutputFlag = 2 };

namespace {

/// Takes numbers and bytes from the front; says what is missing.
class Reader {
public:
  Reader(const uint8_t *bytes, size_t size)
      : begin(bytes), next(bytes), end(bytes + size) {}

  template <typename T>
  bool take(T &value) {
    if (!has(sizeof(T)))
      return false;
    value = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      value |= T(*next++) << (i * 8);
    return true;
  }

  const uint8_t *takeBytes(uint64_t size) {
    if (!has(size))
      return nullptr;
    const uint8_t *bytes = next;
    next += size;
    return bytes;
  }

  bool has(uint64_t size) const {
    return size <= static_cast<uint64_t>(end - next);
  }
  bool isAtEnd() const { return next == end; }
  std::string fail(const std::string &message) const {
    return "offset " + std::to_string(next - begin) + ": " + message;
  }

private:
  const uint8_t *begin, *next, *end;
};

} // namespace

/// Whether bytes are UTF-8 without a 0, as names in C are.
static bool isText(const uint8_t *bytes, uint64_t size) {
  for (uint64_t i = 0; i < size;) {
    uint8_t lead = bytes[i];
    if (lead == 0)
      return false;
    if (lead < 0x80) {
      ++i;
      continue;
    }
    unsigned length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || length > size - i)
      return false;
    uint32_t code = lead & (0x7f >> length);
    for (unsigned j = 1; j < length; ++j) {
      if ((bytes[i + j] & 0xc0) != 0x80)
        return false;
      code = code << 6 | (bytes[i + j] & 0x3f);
    }
    static constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    bool isSurrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast[length] || code > 0x10ffff || isSurrogate)
      return false;
    i += length;
  }
  return true;
}

/// A buffer that is inside of the memory of its program.
static std::string checkBuffer(const Kernel &kernel,
                               const Kernel::Buffer &buffer) {
  AddressRange dram = kernel.program.getDram();
  if (buffer.address >= dram.base && buffer.address - dram.base <= dram.size &&
      buffer.bytes <= dram.size - (buffer.address - dram.base))
    return "";
  return "expects buffers inside of the memory of " + kernel.name +
         ", but got " + std::to_string(buffer.bytes) + " bytes at " +
         std::to_string(buffer.address);
}

static std::string readKernel(Reader &reader, Kernel &kernel) {
  static const char *const kCut = "expects more bytes of a kernel";
  uint32_t length = 0, count = 0;
  const uint8_t *name = nullptr;
  if (!reader.take(length) || !(name = reader.takeBytes(length)) ||
      !reader.take(count))
    return reader.fail(kCut);
  if (!isText(name, length))
    return reader.fail("expects the name of a kernel in UTF-8");
  kernel.name.assign(reinterpret_cast<const char *>(name), length);
  // Nothing is allocated for what is not there.
  if (!reader.has(uint64_t(count) * 20))
    return reader.fail(kCut);
  for (uint32_t i = 0; i < count; ++i) {
    Kernel::Buffer buffer;
    uint32_t flags = 0;
    (void)reader.take(buffer.address);
    (void)reader.take(buffer.bytes);
    (void)reader.take(flags);
    if (flags & ~(InputFlag | OutputFlag))
      return reader.fail("expects flags 1 (input) and 2 (output), but got " +
                         std::to_string(flags));
    buffer.isInput = flags & InputFlag;
    buffer.isOutput = flags & OutputFlag;
    kernel.buffers.push_back(buffer);
  }
  uint64_t size = 0;
  const uint8_t *program = nullptr;
  if (!reader.take(size) || !(program = reader.takeBytes(size)))
    return reader.fail(kCut);
  if (std::string message = readProgram(program, size, kernel.program);
      !message.empty())
    return "program of " + kernel.name + ", " + message;
  for (const Kernel::Buffer &buffer : kernel.buffers)
    if (std::string message = checkBuffer(kernel, buffer); !message.empty())
      return message;
  return "";
}

std::string relay_vta::readKernels(const uint8_t *bytes, size_t size,
                                   std::vector<Kernel> &kernels) {
  kernels.clear();
  Reader reader(bytes, size);
  const uint8_t *magic = reader.takeBytes(sizeof(kMagic));
  uint32_t count = 0;
  if (!magic || std::memcmp(magic, kMagic, sizeof(kMagic)) != 0 ||
      !reader.take(count))
    return "expects kernels of VTA, which begin with 'VTAK'";
  for (uint32_t i = 0; i < count; ++i) {
    kernels.emplace_back();
    if (std::string message = readKernel(reader, kernels.back());
        !message.empty())
      return message;
  }
  return reader.isAtEnd() ? "" : reader.fail("expects the end of the kernels");
}

template <typename T>
static void append(std::vector<uint8_t> &bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes.push_back(static_cast<uint8_t>(value >> (i * 8)));
}

std::vector<uint8_t>
relay_vta::writeKernels(const std::vector<Kernel> &kernels) {
  std::vector<uint8_t> bytes(kMagic, kMagic + sizeof(kMagic));
  append(bytes, static_cast<uint32_t>(kernels.size()));
  for (const Kernel &kernel : kernels) {
    append(bytes, static_cast<uint32_t>(kernel.name.size()));
    bytes.insert(bytes.end(), kernel.name.begin(), kernel.name.end());
    append(bytes, static_cast<uint32_t>(kernel.buffers.size()));
    for (const Kernel::Buffer &buffer : kernel.buffers) {
      append(bytes, buffer.address);
      append(bytes, buffer.bytes);
      append(bytes, (buffer.isInput ? InputFlag : 0u) |
                        (buffer.isOutput ? OutputFlag : 0u));
    }
    std::vector<uint8_t> program = writeProgram(kernel.program);
    append(bytes, uint64_t(program.size()));
    bytes.insert(bytes.end(), program.begin(), program.end());
  }
  return bytes;
}
