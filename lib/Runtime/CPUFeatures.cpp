//===- CPUFeatures.cpp - What this CPU can do -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUFeatures.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

using namespace relay_rt;

#if defined(__x86_64__)

namespace {
enum Register { EAX, EBX, ECX, EDX };

/// What the operating system must save for a feature's registers.
enum State { None, AVX, AVX512, AMX };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  State state;
};
} // namespace

// Bits from the processor manuals (CPUID).
static constexpr Feature kFeatures[] = {
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"fxsr", 1, 0, EDX, 24, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"cx8", 1, 0, EDX, 8, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, AVX},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"crc32", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"aes", 1, 0, ECX, 25, None},
    {"xsave", 1, 0, ECX, 26, None},
    {"avx", 1, 0, ECX, 28, AVX},
    {"f16c", 1, 0, ECX, 29, AVX},
    {"64bit", 0x80000001, 0, EDX, 29, None},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, AVX},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, AVX512},
    {"evex512", 7, 0, EBX, 16, AVX512},
    {"avx512dq", 7, 0, EBX, 17, AVX512},
    {"avx512ifma", 7, 0, EBX, 21, AVX512},
    {"avx512cd", 7, 0, EBX, 28, AVX512},
    {"avx512bw", 7, 0, EBX, 30, AVX512},
    {"avx512vl", 7, 0, EBX, 31, AVX512},
    {"avx512vbmi", 7, 0, ECX, 1, AVX512},
    {"avx512vbmi2", 7, 0, ECX, 6, AVX512},
    {"gfni", 7, 0, ECX, 8, None},
    {"vaes", 7, 0, ECX, 9, AVX},
    {"vpclmulqdq", 7, 0, ECX, 10, AVX},
    {"avx512vnni", 7, 0, ECX, 11, AVX512},
    {"avx512bitalg", 7, 0, ECX, 12, AVX512},
    {"avx512vpopcntdq", 7, 0, ECX, 14, AVX512},
    {"avx512vp2intersect", 7, 0, EDX, 8, AVX512},
    {"amx-bf16", 7, 0, EDX, 22, AMX},
    {"avx512fp16", 7, 0, EDX, 23, AVX512},
    {"amx-tile", 7, 0, EDX, 24, AMX},
    {"amx-int8", 7, 0, EDX, 25, AMX},
    {"avxvnni", 7, 1, EAX, 4, AVX},
    {"avx512bf16", 7, 1, EAX, 5, AVX512},
    {"amx-fp16", 7, 1, EAX, 21, AMX},
    {"avxifma", 7, 1, EAX, 23, AVX},
};

static bool hasState(State state) {
  if (state == None)
    return true;
  uint32_t r[4];
  if (!__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX]) ||
      !(r[ECX] & (1u << 27))) // OSXSAVE
    return false;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  uint32_t needed = state == AVX ? 0x6u : state == AVX512 ? 0xe6u : 0x60000u;
  return (low & needed) == needed;
}

/// Asks the operating system, once, for the registers of AMX, which it keeps
/// from a process that does not. Threads that start later inherit them.
static bool requestTiles() {
  static const bool isGranted = [] {
    constexpr int kRequestPermission = 0x1023, kTileData = 18;
    return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  }();
  return isGranted;
}

/// Whether the feature can be used; `reason` says why not if the processor has
/// it.
static bool hasFeature(const std::string &name, std::string &reason) {
  const Feature *feature =
      std::find_if(std::begin(kFeatures), std::end(kFeatures),
                   [&](const Feature &f) { return name == f.name; });
  if (feature == std::end(kFeatures))
    return false;
  uint32_t r[4];
  if (!__get_cpuid_count(feature->leaf, feature->subleaf, &r[EAX], &r[EBX],
                         &r[ECX], &r[EDX]) ||
      !(r[feature->reg] >> feature->bit & 1))
    return false;
  if (hasState(feature->state) && (feature->state != AMX || requestTiles()))
    return true;
  reason = " (refused by the operating system)";
  return false;
}

#elif defined(__aarch64__)

static bool hasFeature(const std::string &name, std::string &) {
  // Bits of AT_HWCAP and AT_HWCAP2 from the kernel's user interface.
  unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  if (name == "fp-armv8")
    return caps & (1ul << 0);
  if (name == "neon")
    return caps & (1ul << 1);
  if (name == "lse")
    return caps & (1ul << 8);
  if (name == "fullfp16")
    return caps & (1ul << 10);
  if (name == "dotprod")
    return caps & (1ul << 20);
  if (name == "sve")
    return caps & (1ul << 22);
  if (name == "sve2")
    return caps2 & (1ul << 1);
  if (name == "i8mm")
    return caps2 & (1ul << 13);
  if (name == "bf16")
    return caps2 & (1ul << 14);
  return false;
}

#else

static bool hasFeature(const std::string &, std::string &) { return false; }

#endif

std::string relay_rt::getMissingFeatures(const char *features) {
  std::string missing;
  std::istringstream list(features ? features : "");
  for (std::string name; std::getline(list, name, ',');) {
    std::string reason;
    if (!name.empty() && !hasFeature(name, reason))
      missing += (missing.empty() ? "" : ", ") + name + reason;
  }
  return missing;
}
