//===- ReadPort.cpp - The one way from memory -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadPort.h"

#include <algorithm>

using namespace relay_vta;

// Cycles from a request to its first beat, and bursts that may be under way.
static constexpr uint64_t kLatency = 18;
static constexpr size_t kMaxInFlight = 16;

void ReadPort::request(ReadClient client, uint64_t time, uint64_t beats) {
  Client &state = clients[static_cast<unsigned>(client)];
  state.bursts.push_back({time, beats});
  state.isWaiting = true;
}

uint64_t ReadPort::getNextTime() const {
  uint64_t time = kNever;
  for (const Client &client : clients)
    if (!client.bursts.empty())
      time = std::min(time, client.bursts.front().time);
  if (time == kNever)
    return kNever;
  time = std::max(time, nextGrant);
  if (inFlight.size() == kMaxInFlight)
    time = std::max(time, inFlight.front());
  return time;
}

void ReadPort::step(uint64_t time) {
  while (!inFlight.empty() && inFlight.front() <= time)
    inFlight.pop_front();
  for (Client &client : clients) {
    if (client.bursts.empty() || client.bursts.front().time > time)
      continue;
    uint64_t begin = std::max(time + kLatency, memoryFree);
    memoryFree = begin + client.bursts.front().beats;
    client.done = memoryFree;
    client.bursts.pop_front();
    inFlight.push_back(memoryFree);
    nextGrant = time + 1;
    return;
  }
}

std::optional<uint64_t> ReadPort::takeDone(ReadClient client) {
  Client &state = clients[static_cast<unsigned>(client)];
  if (!state.isWaiting || !state.bursts.empty())
    return std::nullopt;
  state.isWaiting = false;
  return state.done;
}
