//===- ThreadPoolTest.cpp - Tests of parallel loops -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "CPUSet.h"
#include "Error.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  void execute(ThreadPool::Run &run) {
    void *args[] = {this};
    run.parallelFor(body, args, nullptr, counts.size());
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
        loop.execute(run);
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
    run.parallelFor(reverse, args, &parity, kExtent);
  }
  for (int64_t value : data)
    ASSERT_EQ(20000, value);
}

TEST(ThreadPoolTest, CountsBeyond32Bits) {
  static constexpr int64_t kExtent = (int64_t(5) << 32) + 12345;
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  void *args[] = {&sum};
  ThreadPool::Run run(pool);
  run.parallelFor(
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
  ThreadPool::Run run(pool);
  run.parallelFor(
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
  ThreadPool::Run run(pool);
  struct State {
    ThreadPool::Run &run;
    std::atomic<int> done{0};
  } state{run};
  void *args[] = {&state};
  run.parallelFor(
      [](void *const *args, const int64_t *dims, int64_t begin, int64_t end) {
        auto *state = static_cast<State *>(args[0]);
        for (int64_t i = begin; i < end; ++i)
          state->run.parallelFor(
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

/// Workers are shared out between runs that come and go; each loop is whole.
TEST(ThreadPoolTest, RunsShareTheWorkers) {
  for (int threads : {2, 4, 9}) {
    ThreadPool pool(threads);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 12; ++caller)
      callers.emplace_back([&, caller] {
        for (int repeat = 0; repeat < 60; ++repeat) {
          ThreadPool::Run run(pool, /*expectsLoops=*/repeat % 2);
          for (size_t extent : {1, 2, 7, 100 + caller, 1000}) {
            Loop loop(extent);
            loop.execute(run);
            for (std::atomic<int> &count : loop.counts)
              wrong += count.load() != 1;
          }
        }
      });
    for (std::thread &caller : callers)
      caller.join();
    EXPECT_EQ(0, wrong.load()) << threads << " threads";
  }
}

/// More runs at once than the pool has places for: the others run alone.
TEST(ThreadPoolTest, AnyNumberOfRuns) {
  ThreadPool pool(3);
  std::vector<std::unique_ptr<ThreadPool::Run>> runs;
  for (int i = 0; i < 100; ++i) {
    runs.push_back(std::make_unique<ThreadPool::Run>(pool));
    Loop loop(50);
    loop.execute(*runs.back());
    for (std::atomic<int> &count : loop.counts)
      ASSERT_EQ(1, count.load());
  }
  runs.erase(runs.begin() + 1, runs.end());
  Loop loop(1000);
  loop.execute(*runs.front());
  for (std::atomic<int> &count : loop.counts)
    ASSERT_EQ(1, count.load());
}

/// Threads that compute all the time on every CPU: workers lose theirs in the
/// middle of a piece, are moved to the caller's, and go back.
TEST(ThreadPoolTest, WorkersThatLoseTheirCPU) {
  std::vector<int> cpus = getUsableCPUs();
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int cpu : cpus) {
    busy.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed))
        ;
    });
    setAffinity(busy.back().native_handle(), {cpu});
  }
  {
    ThreadPool pool(static_cast<int>(cpus.size()));
    ThreadPool::Run run(pool);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    std::vector<double> data(20000, 0);
    void *args[] = {&data};
    int64_t repeats = 0;
    for (; std::chrono::steady_clock::now() < end; ++repeats)
      run.parallelFor(
          [](void *const *args, const int64_t *, int64_t begin, int64_t end) {
            auto &data = *static_cast<std::vector<double> *>(args[0]);
            for (int64_t i = begin; i < end; ++i)
              data[i] += 1;
          },
          args, nullptr, data.size());
    for (double value : data)
      ASSERT_EQ(double(repeats), value);
  }
  stop = true;
  for (std::thread &thread : busy)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Quotas
//===----------------------------------------------------------------------===//

/// A file system with control groups.
class Groups : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/relay-groups-XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(name));
    root = name;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &path, const std::string &text) {
    std::filesystem::path file = root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root;
};

TEST_F(Groups, NoneAtAll) { EXPECT_EQ(0, getCPUQuota(root)); }

TEST_F(Groups, Unified) {
  write("/proc/self/cgroup", "0::/a/b\n");
  write(
      "/proc/self/mountinfo",
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  EXPECT_EQ(0, getCPUQuota(root));
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(0, getCPUQuota(root));
  // The limit of a group above counts too; the least of all does.
  write("/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(2.5, getCPUQuota(root));
  write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(1.5, getCPUQuota(root));
}

TEST_F(Groups, FirstKindInAContainer) {
  write("/proc/self/cgroup", "8:memory:/m\n3:cpu,cpuacct:/docker/1f\n0::/\n");
  write("/proc/self/mountinfo",
        "30 23 0:26 /docker/1f /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup "
        "rw,cpu,cpuacct\n"
        "31 23 0:27 /m /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(0, getCPUQuota(root));
  write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  EXPECT_EQ(0.5, getCPUQuota(root));
}

TEST_F(Groups, DamagedFiles) {
  write("/proc/self/cgroup", "nonsense\n0\n::\n0::/a\n");
  write("/proc/self/mountinfo",
        "\n1 2 3\n30 23 0:26 / /g rw - cgroup2 cgroup2 rw\n");
  write("/g/a/cpu.max", "100000");
  EXPECT_EQ(0, getCPUQuota(root));
  write("/g/a/cpu.max", "100000 0");
  EXPECT_EQ(0, getCPUQuota(root));
  write("/g/a/cpu.max", "-5 100000");
  EXPECT_EQ(0, getCPUQuota(root));
}

/// Callers at the same time share the workers; each has its loops run whole.
TEST(ThreadPoolTest, CallersCompete) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller)
    callers.emplace_back([&pool, caller] {
      for (int repeat = 1; repeat <= 20; ++repeat) {
        Loop loop(100 + 10 * caller);
        ThreadPool::Run run(pool);
        loop.execute(run);
        for (std::atomic<int> &count : loop.counts)
          ASSERT_EQ(1, count.load());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

/// A pool may go as soon as its last loop is done, asleep or not.
TEST(ThreadPoolTest, PoolsComeAndGo) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    ThreadPool pool(1 + repeat % 4);
    if (repeat % 5 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    Loop loop(50);
    ThreadPool::Run run(pool);
    loop.execute(run);
    for (std::atomic<int> &count : loop.counts)
      ASSERT_EQ(1, count.load());
  }
}

} // namespace
