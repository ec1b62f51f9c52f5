//===- MachinePeak.cpp - Measured limits of this machine ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/MachinePeak.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Multiply-adds
//===----------------------------------------------------------------------===//

// As many independent sums as hide the latency of one and still fit sixteen
// registers. They start at different values and go to different limits, and all
// numbers come from volatile memory, as the result goes there: a compiler can
// neither fold two sums into one nor move the loop across the clock.
static constexpr int kNumSums = 12;

namespace {
struct Constants {
  volatile float factor = 0.999f;
  volatile float summand = 0.001f;
  volatile float sink = 0;
};
} // namespace

#define RELAY_PEAK_LOOP(NAME, ATTRIBUTE, TYPE, BROADCAST, FMA, FIRST)          \
  ATTRIBUTE static void NAME(Constants &constants, int64_t count) {            \
    TYPE sums[kNumSums];                                                       \
    TYPE factor = BROADCAST(constants.factor);                                 \
    TYPE summand = BROADCAST(constants.summand);                               \
    for (int i = 0; i < kNumSums; ++i)                                         \
      sums[i] = BROADCAST(constants.factor + 0.125f * (i + 1));                \
    for (int64_t step = 0; step < count; ++step)                               \
      for (int i = 0; i < kNumSums; ++i)                                       \
        sums[i] = FMA(sums[i], factor, summand);                               \
    float total = 0;                                                           \
    for (int i = 0; i < kNumSums; ++i)                                         \
      total += FIRST(sums[i]);                                                 \
    constants.sink = total;                                                    \
  }

#if defined(__x86_64__)
static inline __m128 multiplyAdd(__m128 x, __m128 a, __m128 b) {
  return _mm_add_ps(_mm_mul_ps(x, a), b);
}
RELAY_PEAK_LOOP(runAVX512, __attribute__((noinline, target("avx512f"))), __m512,
                _mm512_set1_ps, _mm512_fmadd_ps, _mm512_cvtss_f32)
RELAY_PEAK_LOOP(runFMA, __attribute__((noinline, target("avx2,fma"))), __m256,
                _mm256_set1_ps, _mm256_fmadd_ps, _mm256_cvtss_f32)
RELAY_PEAK_LOOP(runSSE, __attribute__((noinline)), __m128, _mm_set1_ps,
                multiplyAdd, _mm_cvtss_f32)
#elif defined(__aarch64__)
static inline float32x4_t multiplyAdd(float32x4_t x, float32x4_t a,
                                      float32x4_t b) {
  return vfmaq_f32(b, x, a);
}
static inline float getFirst(float32x4_t x) { return vgetq_lane_f32(x, 0); }
RELAY_PEAK_LOOP(runNEON, __attribute__((noinline)), float32x4_t, vdupq_n_f32,
                multiplyAdd, getFirst)
#else
static inline float identity(float x) { return x; }
static inline float multiplyAdd(float x, float a, float b) { return x * a + b; }
RELAY_PEAK_LOOP(runScalar, __attribute__((noinline)), float, identity,
                multiplyAdd, identity)
#endif

namespace {
struct PeakLoop {
  void (*run)(Constants &, int64_t);
  int lanes;
  const char *name;
};
} // namespace

static PeakLoop getPeakLoop() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {runAVX512, 16, "avx512"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {runFMA, 8, "fma"};
  return {runSSE, 4, "sse"};
#elif defined(__aarch64__)
  return {runNEON, 4, "neon"};
#else
  return {runScalar, 1, "scalar"};
#endif
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Copies whole cache lines past the caches, which would read them first.
static void copyPastCaches(char *to, const char *from, size_t bytes) {
#if defined(__x86_64__)
  for (size_t i = 0; i < bytes; i += 64) {
    for (size_t j = i; j < i + 64; j += 16)
      _mm_stream_si128(
          reinterpret_cast<__m128i *>(to + j),
          _mm_load_si128(reinterpret_cast<const __m128i *>(from + j)));
  }
  _mm_sfence();
#else
  std::memcpy(to, from, bytes);
#endif
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The shortest time, in seconds, that all threads together took for one of
/// `repeat` rounds of `work(thread)`.
static double measure(int numThreads, int repeat,
                      const std::function<void(int)> &work) {
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> begins(size_t(repeat) * numThreads),
      ends(begins.size());
  std::atomic<int> arrived{0};
  auto run = [&](int thread) {
    for (int round = 0; round < repeat; ++round) {
      ++arrived;
      while (arrived.load() < (round + 1) * numThreads)
        std::this_thread::yield();
      begins[size_t(round) * numThreads + thread] = Clock::now();
      work(thread);
      ends[size_t(round) * numThreads + thread] = Clock::now();
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 1; thread < numThreads; ++thread)
    threads.emplace_back(run, thread);
  run(0);
  for (std::thread &thread : threads)
    thread.join();
  double best = 0;
  for (int round = 0; round < repeat; ++round) {
    auto first = begins.begin() + ptrdiff_t(round) * numThreads;
    auto last = ends.begin() + ptrdiff_t(round) * numThreads;
    std::chrono::duration<double> time =
        *std::max_element(last, last + numThreads) -
        *std::min_element(first, first + numThreads);
    if (round == 0 || time.count() < best)
      best = time.count();
  }
  return best;
}

MachinePeak mlir::relay::measureMachinePeak(int numThreads) {
  MachinePeak peak;
  PeakLoop loop = getPeakLoop();
  peak.instructions = loop.name;
  std::vector<Constants> constants(numThreads);
  // Some milliseconds a round.
  constexpr int64_t kSteps = 1000000;
  double seconds = measure(numThreads, /*repeat=*/20, [&](int thread) {
    loop.run(constants[thread], kSteps);
  });
  peak.flopsPerSecond =
      2.0 * loop.lanes * kNumSums * kSteps * numThreads / seconds;

  constexpr size_t kTotal = size_t(128) << 20;
  size_t part = kTotal / numThreads / 64 * 64;
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  auto allocate = [&] {
    return std::unique_ptr<char, Free>(
        static_cast<char *>(std::aligned_alloc(64, kTotal)));
  };
  std::unique_ptr<char, Free> from = allocate(), to = allocate();
  if (!from || !to)
    return peak;
  // Pages that were never written share one page of zeros.
  std::memset(from.get(), 1, kTotal);
  std::memset(to.get(), 2, kTotal);
  double best = 0;
  for (bool pastCaches : {true, false}) {
    double copy = measure(numThreads, /*repeat=*/6, [&](int thread) {
      char *target = to.get() + part * thread;
      const char *source = from.get() + part * thread;
      if (pastCaches)
        copyPastCaches(target, source, part);
      else
        std::memcpy(target, source, part);
    });
    best = best == 0 ? copy : std::min(best, copy);
  }
  peak.bytesPerSecond = 2.0 * part * numThreads / best;
  return peak;
}

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

std::string mlir::relay::getProcessorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

std::vector<std::string> mlir::relay::getProcessorFeatures() {
  std::vector<std::string> features;
#if defined(__x86_64__)
#define RELAY_FEATURE(NAME)                                                    \
  if (__builtin_cpu_supports(NAME))                                            \
    features.push_back(NAME);
  RELAY_FEATURE("sse4.2")
  RELAY_FEATURE("avx")
  RELAY_FEATURE("avx2")
  RELAY_FEATURE("fma")
  RELAY_FEATURE("f16c")
  RELAY_FEATURE("avx512f")
  RELAY_FEATURE("avx512vl")
  RELAY_FEATURE("avx512vnni")
  RELAY_FEATURE("avx512bf16")
  RELAY_FEATURE("avx512fp16")
  RELAY_FEATURE("avxvnni")
  RELAY_FEATURE("amx-tile")
  RELAY_FEATURE("amx-bf16")
  RELAY_FEATURE("amx-int8")
#undef RELAY_FEATURE
#elif defined(__aarch64__)
  features.push_back("neon");
#endif
  return features;
}
