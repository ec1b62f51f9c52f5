//===- RunQueue.cpp - The runs of one model in line -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunQueue.h"

#include <condition_variable>
#include <ctime>
#include <new>
#include <pthread.h>
#include <set>

using namespace relay_rt;

/// Runs shorter than this do not take turns: to hand one on costs some ten
/// microseconds.
static constexpr std::chrono::microseconds kShortRun(200);

/// One in so many of the short ones is timed.
static constexpr unsigned kTimedShare = 16;

thread_local RunQueue::Turn *RunQueue::Turn::innermost = nullptr;

struct RunQueue::Waiter {
  std::condition_variable turn;
  bool isLetIn = false;
  Waiter *next = nullptr;
};

//===----------------------------------------------------------------------===//
// Processes that fork
//===----------------------------------------------------------------------===//

/// All queues of the process. After fork() nobody is in and nobody waits: the
/// threads exist only in the parent.
struct RunQueue::Registry {
  std::mutex mutex;
  std::set<RunQueue *> queues;
};

/// Never destroyed: a module may be unloaded while the process exits.
RunQueue::Registry &RunQueue::getRegistry() {
  static Registry *instance = [] {
    pthread_atfork(
        +[] { getRegistry().mutex.lock(); },
        +[] { getRegistry().mutex.unlock(); },
        +[] {
          Registry &registry = getRegistry();
          new (&registry.mutex) std::mutex();
          for (RunQueue *queue : registry.queues)
            queue->reset();
        });
    return new Registry;
  }();
  return *instance;
}

void RunQueue::reset() {
  new (&mutex) std::mutex();
  first = last = nullptr;
  // Who forks inside of a run goes on with it.
  uint64_t numRuns = 0;
  for (Turn *turn = Turn::innermost; turn; turn = turn->outer)
    numRuns += &turn->queue == this;
  state = numRuns;
}

RunQueue::RunQueue(Duration patience) : patience(patience) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.queues.insert(this);
}

RunQueue::~RunQueue() {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.queues.erase(this);
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// The time of the processor that the thread has used.
static RunQueue::Duration getThreadTime() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) +
         std::chrono::nanoseconds(now.tv_nsec);
}

RunQueue::Turn::Turn(RunQueue &queue, int numPlaces)
    : queue(queue), numPlaces(numPlaces), outer(innermost) {
  innermost = this;
  if (numPlaces == 0 || outer) {
    ++queue.state;
    return;
  }
  if (queue.enterAtOnce(numPlaces))
    return;
  int64_t typicalTime = queue.typicalTime.load(std::memory_order_relaxed);
  if (Duration(typicalTime) < kShortRun) {
    isTimed =
        queue.numShort.fetch_add(1, std::memory_order_relaxed) % kTimedShare ==
        0;
    ++queue.state;
  } else {
    isTimed = true;
    queue.wait(numPlaces);
  }
  if (isTimed)
    begin = getThreadTime();
}

RunQueue::Turn::~Turn() {
  if (isTimed) {
    int64_t time = (getThreadTime() - begin).count();
    int64_t known = queue.typicalTime.load(std::memory_order_relaxed);
    queue.typicalTime.store(known == 0 ? time : (3 * known + time) / 4,
                            std::memory_order_relaxed);
  }
  innermost = outer;
  queue.leave(numPlaces);
}

bool RunQueue::enterAtOnce(int numPlaces) {
  uint64_t now = state.load(std::memory_order_relaxed);
  while (now < static_cast<uint64_t>(numPlaces))
    if (state.compare_exchange_weak(now, now + 1))
      return true;
  return false;
}

void RunQueue::wait(int numPlaces) {
  std::unique_lock<std::mutex> lock(mutex);
  // Runs end without the mutex as long as there is no mark.
  uint64_t now = state.load();
  bool isFree;
  do
    isFree = now < static_cast<uint64_t>(numPlaces);
  while (
      !state.compare_exchange_weak(now, isFree ? now + 1 : now | kHasWaiters));
  if (isFree)
    return;
  Waiter self;
  (first ? last->next : first) = &self;
  last = &self;
  uint64_t seen = numLetIn;
  while (!self.turn.wait_for(lock, patience, [&] { return self.isLetIn; })) {
    if (first == &self && seen == numLetIn) {
      ++state;
      removeFirst();
      return;
    }
    seen = numLetIn;
  }
}

RunQueue::Waiter &RunQueue::removeFirst() {
  Waiter &waiter = *first;
  ++numLetIn;
  first = waiter.next;
  if (!first)
    state &= ~kHasWaiters;
  return waiter;
}

void RunQueue::leave(int numPlaces) {
  uint64_t now = state.load(std::memory_order_relaxed);
  while (!(now & kHasWaiters))
    if (state.compare_exchange_weak(now, now - 1))
      return;
  std::lock_guard<std::mutex> lock(mutex);
  // There are more than places where somebody has not waited.
  uint64_t numRuns = state.load() & ~kHasWaiters;
  if (!first || numRuns > static_cast<uint64_t>(numPlaces)) {
    --state;
    return;
  }
  Waiter &next = removeFirst();
  next.isLetIn = true;
  next.turn.notify_one();
}

int RunQueue::getNumWaiting() {
  std::lock_guard<std::mutex> lock(mutex);
  int count = 0;
  for (Waiter *waiter = first; waiter; waiter = waiter->next)
    ++count;
  return count;
}
