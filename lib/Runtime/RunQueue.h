//===- RunQueue.h - The runs of one model in line ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where many more threads call a model than there are processors, the system
// gives each a slice of time in turn: all are late, some much later than
// others, and each needs memory for its intermediate tensors. Here a few run,
// and the others wait in the order in which they came. With 32 callers of
// MobileNet-V2 on two processors, one run in a hundred took twice the mean
// before.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_RUNQUEUE_H
#define RELAY_MLIR_LIB_RUNTIME_RUNQUEUE_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace relay_rt {

/// The line in front of a model. Nobody waits while there is a place, nor if
/// runs are so short that it would cost more to take turns, nor inside of
/// another run on the same thread.
///
/// A run may wait for something that a waiting one does. So whoever is first in
/// line goes in without a place once nobody has left for `patience`.
class RunQueue {
public:
  using Duration = std::chrono::nanoseconds;

  explicit RunQueue(Duration patience = std::chrono::milliseconds(100));
  ~RunQueue();
  RunQueue(const RunQueue &) = delete;

  /// A run, from when its turn comes to its end.
  class Turn {
  public:
    /// Waits until fewer than `numPlaces` runs are in. With 0, nobody waits.
    Turn(RunQueue &queue, int numPlaces);
    ~Turn();
    Turn(const Turn &) = delete;

  private:
    friend class RunQueue;
    /// The innermost one of the calling thread.
    static thread_local Turn *innermost;

    RunQueue &queue;
    const int numPlaces;
    Turn *const outer;
    /// Whether the run tells how long runs are; since when.
    bool isTimed = false;
    Duration begin = {};
  };

  /// How many wait.
  int getNumWaiting();
  /// How many are in.
  int getNumRunning() const {
    return static_cast<int>(state.load() & ~kHasWaiters);
  }

private:
  struct Waiter;
  struct Registry;
  static Registry &getRegistry();
  void reset();

  bool enterAtOnce(int numPlaces);
  void wait(int numPlaces);
  Waiter &removeFirst();
  void leave(int numPlaces);

  /// How many runs are in, and whether somebody waits. While somebody does,
  /// only who has the mutex counts one less, and whoever changes the line has
  /// it.
  static constexpr uint64_t kHasWaiters = uint64_t(1) << 63;
  std::atomic<uint64_t> state{0};
  /// Time of the processor that a run has taken of late, 0 if not known.
  std::atomic<int64_t> typicalTime{0};
  /// How many short ones found no place.
  std::atomic<uint32_t> numShort{0};

  const Duration patience;
  std::mutex mutex;
  Waiter *first = nullptr, *last = nullptr;
  /// How many have been let in from the line.
  uint64_t numLetIn = 0;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_RUNQUEUE_H
