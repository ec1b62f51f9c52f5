//===- ReadPort.h - The one way from memory ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetch and the four scratchpads read over one port, in bursts. The client that
// is first in `ReadClient` is served first; memory answers in the order of
// requests, a beat in a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VTA_READPORT_H
#define RELAY_MLIR_LIB_RUNTIME_VTA_READPORT_H

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

namespace relay_vta {

enum class ReadClient : uint8_t { Fetch, Uop, Inp, Wgt, Acc };
constexpr unsigned kNumReadClients = 5;
constexpr uint64_t kNever = ~uint64_t(0);

/// Calls `visit(beats)` for each burst of `bytes` bytes from `address` on: a
/// burst has 256 beats at most, and does not cross a multiple of its size.
template <typename VisitFn>
void visitBursts(uint64_t address, uint64_t bytes, uint64_t busBytes,
                 VisitFn visit) {
  constexpr uint64_t kMaxBeats = 256;
  uint64_t limit = kMaxBeats * busBytes;
  for (uint64_t end = address + bytes; address < end;) {
    uint64_t next = address - address % limit + limit;
    uint64_t stop = next < end ? next : end;
    visit((stop + busBytes - 1) / busBytes - address / busBytes,
          stop - address);
    address = stop;
  }
}

class ReadPort {
public:
  /// `client`, which has nothing else that is under way, wants a burst from
  /// `time` on.
  void request(ReadClient client, uint64_t time, uint64_t beats);
  /// When the port does something next.
  uint64_t getNextTime() const;
  /// Sends the request that is due at `time`.
  void step(uint64_t time);
  /// When all bursts of a client are there, once memory has been asked for all;
  /// the client may make requests again.
  std::optional<uint64_t> takeDone(ReadClient client);

private:
  struct Burst {
    uint64_t time, beats;
  };
  struct Client {
    std::deque<Burst> bursts;
    uint64_t done = 0;
    bool isWaiting = false;
  };

  std::array<Client, kNumReadClients> clients;
  /// When bursts that are under way will be there.
  std::deque<uint64_t> inFlight;
  uint64_t nextGrant = 0, memoryFree = 0;
};

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_READPORT_H
