//===- RunQueueTest.cpp - Tests of the line in front of a model -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunQueue.h"

#include "gtest/gtest.h"

#include <ctime>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace relay_rt;
using namespace std::chrono_literals;

namespace {

/// As long as a test may take.
constexpr auto kForever = 1h;

/// Uses the processor for so long.
void compute(RunQueue::Duration time) {
  auto getTime = [] {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) +
           std::chrono::nanoseconds(now.tv_nsec);
  };
  for (auto end = getTime() + time; getTime() < end;)
    ;
}

/// Lets the queue know that its runs take so long.
void setTime(RunQueue &queue, RunQueue::Duration time) {
  // Who finds no place is timed, and does not wait as long as nothing is known.
  RunQueue::Turn first(queue, 1);
  std::thread([&] {
    RunQueue::Turn turn(queue, 1);
    compute(time);
  }).join();
}

template <typename Predicate>
void waitUntil(Predicate isDone) {
  while (!isDone())
    std::this_thread::sleep_for(100us);
}

TEST(RunQueueTest, AsManyAreInAsThereArePlaces) {
  RunQueue queue(kForever);
  setTime(queue, 1ms);
  std::atomic<int> numIn{0}, most{0}, numRuns{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        RunQueue::Turn turn(queue, 3);
        int now = ++numIn, old = most;
        while (old < now && !most.compare_exchange_weak(old, now))
          ;
        compute(300us);
        --numIn;
        ++numRuns;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numRuns, 12 * 20);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(queue.getNumRunning(), 0);
  EXPECT_EQ(queue.getNumWaiting(), 0);
}

TEST(RunQueueTest, WhoComesFirstGoesFirst) {
  RunQueue queue(kForever);
  setTime(queue, 1ms);
  std::vector<int> order;
  std::vector<std::thread> threads;
  {
    RunQueue::Turn turn(queue, 1);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        RunQueue::Turn turn(queue, 1);
        order.push_back(i);
      });
      waitUntil([&] { return queue.getNumWaiting() == i + 1; });
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(order, std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7}));
}

/// To take turns would cost more than the runs.
TEST(RunQueueTest, ShortRunsDoNotWait) {
  RunQueue queue(kForever);
  setTime(queue, 1us);
  RunQueue::Turn turn(queue, 1);
  std::thread([&] { RunQueue::Turn turn(queue, 1); }).join();
  EXPECT_EQ(queue.getNumRunning(), 1);
}

TEST(RunQueueTest, NobodyWaitsInsideOfARun) {
  RunQueue queue(kForever), other(kForever);
  setTime(queue, 1ms);
  setTime(other, 1ms);
  RunQueue::Turn turn(queue, 1), again(queue, 1);
  EXPECT_EQ(queue.getNumRunning(), 2);
  std::thread([&] {
    RunQueue::Turn turn(other, 1), inner(queue, 1);
    EXPECT_EQ(queue.getNumRunning(), 3);
  }).join();
  EXPECT_EQ(queue.getNumRunning(), 2);
}

/// Runs that wait for those behind them end all the same.
TEST(RunQueueTest, NobodyWaitsForEver) {
  RunQueue queue(1ms);
  setTime(queue, 1ms);
  constexpr int kNumRuns = 6;
  std::atomic<int> numIn{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kNumRuns; ++i)
    threads.emplace_back([&] {
      RunQueue::Turn turn(queue, 2);
      ++numIn;
      waitUntil([&] { return numIn == kNumRuns; });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(queue.getNumRunning(), 0);
  EXPECT_EQ(queue.getNumWaiting(), 0);
}

/// Whoever is in a run or waits in the parent is not there in the child.
TEST(RunQueueTest, ProcessesFork) {
  RunQueue queue(kForever);
  setTime(queue, 1ms);
  std::atomic<bool> isDone{false};
  std::thread runs([&] {
    RunQueue::Turn turn(queue, 1);
    waitUntil([&] { return isDone.load(); });
  });
  waitUntil([&] { return queue.getNumRunning() == 1; });
  std::thread waits([&] { RunQueue::Turn turn(queue, 1); });
  waitUntil([&] { return queue.getNumWaiting() == 1; });

  RunQueue own(kForever);
  int status = -1;
  {
    RunQueue::Turn turn(own, 1);
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool isEmpty = queue.getNumRunning() == 0 && queue.getNumWaiting() == 0;
      RunQueue::Turn turn(queue, 1);
      _exit(isEmpty && own.getNumRunning() == 1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
  }
  EXPECT_EQ(status, 0);
  isDone = true;
  runs.join();
  waits.join();
}

} // namespace
