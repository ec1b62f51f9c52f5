//===- FakeState.cpp - NVIDIA's driver in software ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with those functions of the driver that lib/Runtime/CUDA
// uses, for tests on machines without a GPU (RELAY_CUDA_LIBRARY). It is as
// strict as it can be:
//
// * The processor cannot read memory of devices: addresses are off by kBias.
// * What is put into a stream runs when somebody waits for it, and not before.
// * Copies to and from the host want pinned memory, and calls a context.
// * After a kernel that faults every call for its device fails.
//
// Code is text: ".entry NAME" makes a kernel known, which is a function here.
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

using namespace relay_cuda;

FAKE_EXPORT FakeCUDA *getFakeCUDA() { return &get().fake; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
extern "C" void __lsan_ignore_object(const void *);
#define FAKE_NEVER_FREED(object) __lsan_ignore_object(object)
#endif
#endif
#ifndef FAKE_NEVER_FREED
#define FAKE_NEVER_FREED(object)
#endif

/// Threads may use it until the process ends. Where the library is closed
/// before that, nothing points to it any more.
State &relay_cuda::get() {
  static auto *state = [] {
    auto *made = new State;
    FAKE_NEVER_FREED(made);
    return made;
  }();
  return *state;
}

std::vector<Context> &relay_cuda::getContexts() {
  static thread_local std::vector<Context> stack;
  return stack;
}

ContextState &relay_cuda::getContext() {
  if (getContexts().empty())
    throw Failure{kInvalidContext};
  ContextState &context = *getContexts().back();
  if (context.fault != kSuccess)
    throw Failure{context.fault};
  return context;
}

void relay_cuda::checkStream(StreamHandle stream) {
  if (!stream || stream->context != &getContext())
    throw Failure{kInvalidHandle};
}

void relay_cuda::enqueue(StreamHandle stream, uint64_t nanoseconds,
                         std::function<void()> work) {
  checkStream(stream);
  Context context = stream->context;
  auto timed = [context, nanoseconds, work = std::move(work)] {
    work();
    context->clock += nanoseconds;
  };
  if (stream->capture)
    stream->capture->work.push_back(timed);
  else
    stream->work.push_back(timed);
}
