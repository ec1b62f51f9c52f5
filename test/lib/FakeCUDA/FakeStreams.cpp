//===- FakeStreams.cpp - Streams, events and graphs -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"

using namespace relay_cuda;

RELAY_CUDA_FUNCTIONS(FAKE_DECLARE)

/// Runs what is in a stream, until `isOver`.
template <typename IsOver>
static void runWork(StreamHandle stream, IsOver isOver) {
  while (!stream->work.empty() && !isOver()) {
    std::function<void()> next = std::move(stream->work.front());
    stream->work.pop_front();
    try {
      next();
    } catch (const Failure &failure) {
      stream->context->fault = failure.result;
      throw;
    }
  }
}

Result cuStreamCreate(StreamHandle *stream, unsigned flags) {
  return call([&](State &state) {
    if (flags != kNonBlocking)
      throw Failure{kInvalidValue};
    *stream = own(new StreamState);
    (*stream)->context = &getContext();
    ++state.fake.streams;
  });
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return call([&](State &state) {
    runWork(stream, [] { return false; });
    destroy(stream);
    --state.fake.streams;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  return call([&](State &) {
    checkStream(stream);
    if (stream->capture)
      throw Failure{kStreamCaptureInvalidated};
    runWork(stream, [] { return false; });
  });
}

Result cuStreamBeginCapture_v2(StreamHandle stream, unsigned mode) {
  return call([&](State &) {
    checkStream(stream);
    if (stream->capture || mode != kCaptureThreadLocal)
      throw Failure{kInvalidValue};
    stream->capture = own(new GraphState);
  });
}

Result cuStreamEndCapture(StreamHandle stream, Graph *graph) {
  return call([&](State &) {
    checkStream(stream);
    *graph = stream->capture;
    stream->capture = nullptr;
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                   unsigned long long flags) {
  return call([&](State &state) {
    if (int result = std::exchange(state.fake.nextGraph, 0))
      throw Failure{static_cast<Result>(result)};
    *exec = own(new GraphExecState{graph->work});
    ++state.fake.graphs;
  });
}

Result cuGraphDestroy(Graph graph) {
  destroy(graph);
  return kSuccess;
}

Result cuGraphExecDestroy(GraphExec exec) {
  return call([&](State &state) {
    destroy(exec);
    --state.fake.graphs;
  });
}

Result cuGraphLaunch(GraphExec exec, StreamHandle stream) {
  return call([&](State &state) {
    checkStream(stream);
    ++state.fake.graphLaunches;
    for (const std::function<void()> &work : exec->work)
      stream->work.push_back(work);
  });
}

Result cuLaunchHostFunc(StreamHandle stream, HostFunction function,
                        void *user) {
  return call([&](State &) { enqueue(stream, 0, [=] { function(user); }); });
}

Result cuEventCreate(Event *event, unsigned flags) {
  *event = own(new EventState);
  (*event)->hasTime = (flags & kDisableTiming) == 0;
  return kSuccess;
}

Result cuEventDestroy_v2(Event event) {
  destroy(event);
  return kSuccess;
}

Result cuEventRecord(Event event, StreamHandle stream) {
  return call([&](State &) {
    event->isRecorded = false;
    event->stream = stream;
    uint64_t number = ++event->numRecords;
    enqueue(stream, 0, [=] {
      if (event->numRecords != number)
        return;
      event->time = stream->context->clock;
      event->isRecorded = true;
    });
  });
}

Result cuEventSynchronize(Event event) {
  return call([&](State &) {
    if (event->stream)
      runWork(event->stream, [&] { return event->isRecorded; });
  });
}

Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  if (!start->hasTime || !end->hasTime)
    return kInvalidHandle;
  if (!start->isRecorded || !end->isRecorded)
    return kNotReady;
  *milliseconds = static_cast<float>(end->time - start->time) / 1e6f;
  return kSuccess;
}
