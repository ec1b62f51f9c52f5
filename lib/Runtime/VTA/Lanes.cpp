//===- Lanes.cpp - Arithmetic on elements ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include <cstring>

using namespace relay_vta;

int32_t relay_vta::readLane(const uint8_t *element, uint64_t lane,
                            unsigned logBits) {
  switch (logBits) {
  case 5: {
    int32_t value;
    std::memcpy(&value, element + lane * 4, 4);
    return value;
  }
  case 4: {
    int16_t value;
    std::memcpy(&value, element + lane * 2, 2);
    return value;
  }
  case 3:
    return static_cast<int8_t>(element[lane]);
  default: {
    unsigned bits = 1u << logBits;
    uint64_t bit = lane << logBits;
    unsigned value = element[bit / 8] >> (bit % 8) & ((1u << bits) - 1);
    unsigned sign = 1u << (bits - 1);
    return static_cast<int32_t>(value ^ sign) - static_cast<int32_t>(sign);
  }
  }
}

void relay_vta::writeLane(uint8_t *element, uint64_t lane, unsigned logBits,
                          uint32_t value) {
  if (logBits >= 3) {
    unsigned bytes = 1u << (logBits - 3);
    std::memcpy(element + lane * bytes, &value, bytes);
    return;
  }
  unsigned bits = 1u << logBits;
  uint64_t bit = lane << logBits;
  unsigned mask = ((1u << bits) - 1) << (bit % 8);
  uint8_t &byte = element[bit / 8];
  byte = static_cast<uint8_t>((byte & ~mask) | (value << (bit % 8) & mask));
}

//===----------------------------------------------------------------------===//
// GEMM
//===----------------------------------------------------------------------===//

static void multiplyLanes(const Config &config, uint8_t *acc,
                          const uint8_t *inp, const uint8_t *wgt) {
  uint64_t block = config.getBlock();
  for (uint64_t b = 0; b < config.getBatch(); ++b)
    for (uint64_t j = 0; j < block; ++j) {
      auto sum =
          static_cast<uint32_t>(readLane(acc, b * block + j, config.accWidth));
      for (uint64_t k = 0; k < block; ++k)
        sum += static_cast<uint32_t>(
                   readLane(inp, b * block + k, config.inpWidth)) *
               static_cast<uint32_t>(
                   readLane(wgt, j * block + k, config.wgtWidth));
      writeLane(acc, b * block + j, config.accWidth, sum);
    }
}

/// The same for bytes and accumulators of 32 bits: sums of `kBlock` products
/// cannot overflow.
template <uint64_t kBlock>
static void multiplyBytes(const Config &config, uint8_t *acc,
                          const uint8_t *inp, const uint8_t *wgt) {
  uint64_t batch = config.getBatch();
  for (uint64_t b = 0; b < batch; ++b) {
    int16_t row[kBlock];
    for (uint64_t k = 0; k < kBlock; ++k)
      row[k] = static_cast<int8_t>(inp[b * kBlock + k]);
    uint32_t sums[kBlock];
    for (uint64_t j = 0; j < kBlock; ++j) {
      int32_t sum = 0;
      for (uint64_t k = 0; k < kBlock; ++k)
        sum += row[k] *
               static_cast<int16_t>(static_cast<int8_t>(wgt[j * kBlock + k]));
      sums[j] = static_cast<uint32_t>(sum);
    }
    uint8_t *out = acc + b * kBlock * 4;
    uint32_t old[kBlock];
    std::memcpy(old, out, sizeof(old));
    for (uint64_t j = 0; j < kBlock; ++j)
      sums[j] += old[j];
    std::memcpy(out, sums, sizeof(sums));
  }
}

GemmFn relay_vta::selectGemm(const Config &config) {
  if (config.inpWidth != 3 || config.wgtWidth != 3 || config.accWidth != 5)
    return multiplyLanes;
  switch (config.block) {
  case 2:
    return multiplyBytes<4>;
  case 3:
    return multiplyBytes<8>;
  case 4:
    return multiplyBytes<16>;
  case 5:
    return multiplyBytes<32>;
  case 6:
    return multiplyBytes<64>;
  default:
    return multiplyLanes;
  }
}

//===----------------------------------------------------------------------===//
// ALU
//===----------------------------------------------------------------------===//

/// Shift amounts count modulo 32, as those of the hardware do.
static int32_t shift(int32_t value, int32_t amount) {
  if (amount >= 0)
    return value >> (amount & 31);
  return static_cast<int32_t>(static_cast<uint32_t>(value)
                              << (-static_cast<uint32_t>(amount) & 31));
}

template <AluOpcode kOpcode>
static int32_t apply(int32_t a, int32_t b) {
  switch (kOpcode) {
  case AluOpcode::Min:
    return a < b ? a : b;
  case AluOpcode::Max:
    return a > b ? a : b;
  case AluOpcode::Add:
    return static_cast<int32_t>(static_cast<uint32_t>(a) +
                                static_cast<uint32_t>(b));
  case AluOpcode::Shr:
    return shift(a, b);
  case AluOpcode::Mul:
    return static_cast<int32_t>(static_cast<uint32_t>(a) *
                                static_cast<uint32_t>(b));
  }
  return 0;
}

template <AluOpcode kOpcode>
static void operateWide(uint64_t lanes, uint8_t *dst, const uint8_t *src,
                        int32_t imm) {
  for (uint64_t i = 0; i < lanes; ++i) {
    int32_t a, b = imm;
    std::memcpy(&a, dst + i * 4, 4);
    if (src)
      std::memcpy(&b, src + i * 4, 4);
    a = apply<kOpcode>(a, b);
    std::memcpy(dst + i * 4, &a, 4);
  }
}

template <AluOpcode kOpcode>
static void operateLanes(uint64_t lanes, unsigned logBits, uint8_t *dst,
                         const uint8_t *src, int32_t imm) {
  for (uint64_t i = 0; i < lanes; ++i) {
    int32_t a = readLane(dst, i, logBits);
    int32_t b = src ? readLane(src, i, logBits) : imm;
    writeLane(dst, i, logBits, static_cast<uint32_t>(apply<kOpcode>(a, b)));
  }
}

template <AluOpcode kOpcode>
static void operate(const Config &config, uint8_t *dst, const uint8_t *src,
                    int32_t imm) {
  uint64_t lanes = config.getLanes(Memory::Acc);
  if (config.accWidth == 5)
    operateWide<kOpcode>(lanes, dst, src, imm);
  else
    operateLanes<kOpcode>(lanes, config.accWidth, dst, src, imm);
}

void relay_vta::operateElement(const Config &config, AluOpcode opcode,
                               uint8_t *dst, const uint8_t *src, int32_t imm) {
  switch (opcode) {
  case AluOpcode::Min:
    return operate<AluOpcode::Min>(config, dst, src, imm);
  case AluOpcode::Max:
    return operate<AluOpcode::Max>(config, dst, src, imm);
  case AluOpcode::Add:
    return operate<AluOpcode::Add>(config, dst, src, imm);
  case AluOpcode::Shr:
    return operate<AluOpcode::Shr>(config, dst, src, imm);
  case AluOpcode::Mul:
    return operate<AluOpcode::Mul>(config, dst, src, imm);
  }
}

void relay_vta::truncate(const Config &config, uint8_t *out,
                         const uint8_t *acc) {
  uint64_t lanes = config.getLanes(Memory::Acc);
  if (config.accWidth == 5 && config.inpWidth == 3) {
    for (uint64_t i = 0; i < lanes; ++i)
      out[i] = acc[i * 4];
    return;
  }
  for (uint64_t i = 0; i < lanes; ++i)
    writeLane(out, i, config.inpWidth,
              static_cast<uint32_t>(readLane(acc, i, config.accWidth)));
}
