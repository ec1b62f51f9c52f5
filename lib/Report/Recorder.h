//===- Recorder.h - What passes do, while they do it ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a report knows, and how it grows. Pass managers call it on several
// threads: passes of functions are one step, whichever functions they run on.
// All of it is bounded: graphs between the first and the last one, and lines of
// differences, are dropped when there are too many.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_REPORT_RECORDER_H
#define RELAY_MLIR_LIB_REPORT_RECORDER_H

#include "Graph.h"
#include "TextDiff.h"

#include "relay-mlir/Report/Report.h"

#include "mlir/IR/OperationSupport.h"

#include <chrono>
#include <map>
#include <mutex>
#include <optional>

namespace mlir::relay {

/// How many operations there are, by name.
using OperationCounts = std::map<std::string, int64_t>;

/// One pass of a pipeline, or a phase that is no pass.
struct ReportStep {
  enum class Kind { Pass, Phase };
  Kind kind = Kind::Pass;
  std::string name;
  /// The kind of operations it ran on, and how many.
  std::string operation;
  size_t numOperations = 0;
  double seconds = 0;
  bool hasFailed = false;
  OperationCounts before, after;
  struct Difference {
    std::string where;
    TextDiff text;
  };
  std::vector<Difference> differences;
  /// Operations that changed, whose differences are not shown.
  size_t numOmitted = 0;
  std::vector<std::string> errors;
  /// Where it stands among the steps of one pass of the module.
  size_t group = 0, position = 0;
};

struct ReportGraph {
  Graph graph;
  /// The step after which it was so; none for the first graph.
  std::optional<size_t> group;
};

class ReportData {
public:
  using Clock = std::chrono::steady_clock;

  void addPipeline(std::string text);
  void beginPass(StringRef name, bool isAdaptor, Operation *op);
  void endPass(Operation *op, bool hasFailed);
  void addPass(StringRef name, double seconds, Operation *before,
               Operation *after);
  size_t getNumSteps();
  size_t beginPhase(StringRef name);
  void endPhase(size_t index);
  void addError(const Diagnostic &diagnostic);

  llvm::json::Value toJSON();
  /// Of what Model Explorer shows.
  llvm::json::Value toModelExplorer();

  /// Median times of kernels in microseconds, by the number of the call.
  struct KernelTime {
    std::string name;
    double microseconds;
  };
  std::vector<KernelTime> kernelTimes;

private:
  /// What an operation was at one time.
  struct State {
    OperationFingerPrint fingerprint;
    std::string text;
    OperationCounts counts;
  };
  /// A pass that runs.
  struct Frame {
    std::string name;
    bool isAdaptor;
    Operation *op;
    std::shared_ptr<State> before;
    Clock::time_point start;
    /// What the recorder itself took meanwhile.
    Clock::duration overhead{0};
    size_t group, position;
  };

  std::shared_ptr<State> getState(Operation *op);
  ReportStep &getStep(const Frame &frame);
  void addDifference(ReportStep &step, Operation *op, const State &before,
                     const State &after);
  void addGraph(Operation *op, std::optional<size_t> group);
  std::string getTitle(const ReportGraph &graph) const;

  std::recursive_mutex mutex;
  std::vector<std::string> pipelines;
  std::vector<ReportStep> steps;
  std::vector<ReportGraph> graphs;
  /// Of what was drawn last.
  std::optional<OperationFingerPrint> lastFingerprint;
  TextTable texts;
  std::optional<llvm::json::Value> memory;
  std::vector<std::string> errors;
  /// Passes that run, by thread.
  std::map<uint64_t, std::vector<Frame>> frames;
  llvm::DenseMap<Operation *, std::shared_ptr<State>> states;
  llvm::DenseMap<Operation *, size_t> positions;
  /// The operation that the pass runs on inside of which all others do.
  Operation *root = nullptr;
  size_t numGroups = 0, numGraphsOmitted = 0, numDiffBytes = 0;
  std::vector<Clock::time_point> phaseStarts;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_REPORT_RECORDER_H
