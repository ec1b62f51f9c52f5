//===- ThreadPoolTest.cpp - Tests of parallel loops -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "Error.h"

#include "gtest/gtest.h"

#include <chrono>

using namespace relay_rt;

/// setLastError of the run time, which the pool's errors go through.
void relay_rt::setLastError(const std::string &) {}

namespace {

struct Loop {
  explicit Loop(size_t extent) : counts(extent) {}

  static void body(void *const *args, const int64_t *, int64_t begin,
                   int64_t end) {
    auto *self = static_cast<Loop *>(args[0]);
    for (int64_t i = begin; i < end; ++i)
      self->counts[i].fetch_add(1);
  }
  void run(ThreadPool &pool) {
    void *args[] = {this};
    pool.parallelFor(body, args, nullptr, counts.size());
  }

  std::vector<std::atomic<int>> counts;
};

TEST(ThreadPoolTest, RunsEveryIterationOnce) {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (size_t extent : {0, 1, 2, 3, 5, 16, 17, 63, 1000, 100003}) {
      Loop loop(extent);
      ThreadPool::Run run(pool);
      for (int repeat = 1; repeat <= 3; ++repeat) {
        loop.run(pool);
        for (std::atomic<int> &count : loop.counts)
          ASSERT_EQ(repeat, count.load()) << threads << " threads, " << extent;
      }
    }
  }
}

/// What one loop writes, the next one reads on other threads.
TEST(ThreadPoolTest, LoopsFollowEachOther) {
  static constexpr int64_t kExtent = 64;
  ThreadPool pool(2);
  ThreadPool::Run run(pool);
  std::vector<int64_t> data(kExtent, 0);
  void *args[] = {&data};
  auto reverse = [](void *const *args, const int64_t *dims, int64_t begin,
                    int64_t end) {
    auto &data = *static_cast<std::vector<int64_t> *>(args[0]);
    for (int64_t i = begin; i < end; ++i)
      data[dims[0] ? kExtent - 1 - i : i] += 1;
  };
  for (int64_t repeat = 0; repeat < 20000; ++repeat) {
    int64_t parity = repeat % 2;
    pool.parallelFor(reverse, args, &parity, kExtent);
  }
  for (int64_t value : data)
    ASSERT_EQ(20000, value);
}

TEST(ThreadPoolTest, CountsBeyond32Bits) {
  static constexpr int64_t kExtent = (int64_t(5) << 32) + 12345;
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  void *args[] = {&sum};
  pool.parallelFor(
      [](void *const *args, const int64_t *, int64_t begin, int64_t end) {
        ASSERT_LT(begin, end);
        ASSERT_LE(end, kExtent);
        static_cast<std::atomic<int64_t> *>(args[0])->fetch_add(end - begin);
      },
      args, nullptr, kExtent);
  EXPECT_EQ(kExtent, sum.load());
}

/// A thread that is held up keeps one piece; others take what it has not begun.
TEST(ThreadPoolTest, NobodyWaitsForPiecesNotBegun) {
  ThreadPool pool(2);
  struct State {
    std::atomic<int> done{0};
    std::atomic<int> doneWhileHeldUp{0};
  } state;
  void *args[] = {&state};
  static constexpr int64_t kExtent = 64, kPiece = kExtent / 2 / 8;
  pool.parallelFor(
      [](void *const *args, const int64_t *, int64_t begin, int64_t end) {
        auto *state = static_cast<State *>(args[0]);
        if (begin == 0) {
          // The rest gets done meanwhile, however slow the machine is.
          auto limit =
              std::chrono::steady_clock::now() + std::chrono::seconds(20);
          while (state->done.load() < kExtent - kPiece &&
                 std::chrono::steady_clock::now() < limit)
            std::this_thread::yield();
          state->doneWhileHeldUp = state->done.load();
        }
        state->done.fetch_add(static_cast<int>(end - begin));
      },
      args, nullptr, kExtent);
  EXPECT_EQ(kExtent, state.done.load());
  EXPECT_EQ(kExtent - kPiece, state.doneWhileHeldUp.load());
}

TEST(ThreadPoolTest, LoopsInLoopsRunAlone) {
  ThreadPool pool(2);
  struct State {
    ThreadPool &pool;
    std::atomic<int> done{0};
  } state{pool};
  void *args[] = {&state};
  pool.parallelFor(
      [](void *const *args, const int64_t *dims, int64_t begin, int64_t end) {
        auto *state = static_cast<State *>(args[0]);
        for (int64_t i = begin; i < end; ++i)
          state->pool.parallelFor(
              [](void *const *args, const int64_t *, int64_t begin,
                 int64_t end) {
                static_cast<State *>(args[0])->done.fetch_add(
                    static_cast<int>(end - begin));
              },
              args, dims, 10);
      },
      args, nullptr, 10);
  EXPECT_EQ(100, state.done.load());
}

} // namespace
