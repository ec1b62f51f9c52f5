//===- ProfileTrace.cpp - Profiles as traces of events --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In Chrome's format of trace events, which Perfetto and chrome://tracing read.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/ProfileModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir::relay;

void ModelProfile::writeTrace(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os);
  auto writeEvent = [&](llvm::StringRef name, llvm::StringRef category, int row,
                        double start, double end,
                        llvm::function_ref<void()> writeArguments) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("cat", category);
      json.attribute("ph", "X");
      json.attribute("ts", start * 1e6);
      json.attribute("dur", (end - start) * 1e6);
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", writeArguments);
    });
  };
  // Kernels in the first row, threads in the others.
  constexpr int kernelRow = 1;
  auto writeName = [&](llvm::StringRef what, int row, const std::string &name) {
    json.object([&] {
      json.attribute("name", what);
      json.attribute("ph", "M");
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", [&] { json.attribute("name", name); });
    });
    if (what != "thread_name")
      return;
    json.object([&] {
      json.attribute("name", "thread_sort_index");
      json.attribute("ph", "M");
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", [&] { json.attribute("sort_index", row); });
    });
  };
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      writeName("process_name", kernelRow, "relay-mlir");
      writeName("thread_name", kernelRow, "kernels");
      for (int thread = 0; thread < numThreads; ++thread)
        writeName("thread_name", kernelRow + 1 + thread,
                  thread == 0 ? "thread 0 (caller)"
                              : "thread " + std::to_string(thread));
      for (auto [number, run] : llvm::enumerate(runs)) {
        writeEvent("run " + std::to_string(number), "run", kernelRow, run.start,
                   run.end, [] {});
        for (const Step &step : run.steps) {
          const Call &call = calls[step.call];
          double seconds = step.end - step.start;
          writeEvent(
              call.function, "kernel", kernelRow, step.start, step.end, [&] {
                json.attribute("call", static_cast<int64_t>(step.call));
                if (!call.source.empty())
                  json.attribute("source", call.source);
                if (numDevices > 1)
                  json.attribute("device", call.device);
                if (call.flops >= 0) {
                  json.attribute("flop", call.flops);
                  if (seconds > 0)
                    json.attribute("GFLOP/s", call.flops / seconds / 1e9);
                }
                if (call.bytes >= 0) {
                  json.attribute("bytes", call.bytes);
                  if (seconds > 0)
                    json.attribute("GB/s", call.bytes / seconds / 1e9);
                }
              });
        }
        for (const Piece &piece : run.pieces) {
          size_t call = run.steps[piece.step].call;
          writeEvent(calls[call].function, "piece",
                     kernelRow + 1 + piece.thread, piece.startTime,
                     piece.endTime, [&] {
                       json.attribute("call", static_cast<int64_t>(call));
                       json.attribute("from", piece.begin);
                       json.attribute("to", piece.end);
                     });
        }
      }
    });
  });
  os << '\n';
}
