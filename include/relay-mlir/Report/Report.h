//===- Report.h - What passes do, as a page ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report watches pass managers and writes what it saw: for each pass its
// time, how many operators there were before and after, and how the text
// changed; the graph at the start, after passes and at the end; the memory
// plan; and times of kernels, if a profile is given. It is one page of HTML
// that needs nothing else, or the graphs alone, in the JSON that Model Explorer
// reads.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_REPORT_REPORT_H
#define RELAY_MLIR_REPORT_REPORT_H

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace mlir::relay {

class ReportData;

/// Where a report is written, and what it says of itself.
struct ReportOptions {
  /// The file: a page, or graphs for Model Explorer if it ends in ".json".
  std::string path;
  /// Who writes it, and what it reads.
  std::string tool;
  std::string input;
};

class Report {
public:
  explicit Report(ReportOptions options);
  ~Report();

  const std::string &getPath() const { return options.path; }

  /// Watches what `manager`, whose passes are all there, does. The report must
  /// live longer than the manager.
  void attach(PassManager &manager);

  /// Notes a pass that no pass manager ran: what there was before it, and after
  /// it, or null if it failed.
  void addPass(StringRef name, double seconds, Operation *before,
               Operation *after);

  /// How many passes and phases there are so far.
  size_t getNumSteps() const;

  /// Notes the time of what is no pass, from now until the result goes.
  class Phase {
  public:
    Phase(Report *report, StringRef name);
    Phase(Phase &&other) : data(std::move(other.data)), index(other.index) {}
    Phase(const Phase &) = delete;
    Phase &operator=(const Phase &) = delete;
    ~Phase();

  private:
    std::shared_ptr<ReportData> data;
    size_t index = 0;
  };

  /// Reads the times of kernels that `relay-run --profile` wrote. Fails, after
  /// a message to `errors`, if the file is no such profile.
  LogicalResult readProfile(StringRef path, raw_ostream &errors = llvm::errs());

  /// Writes the file. Fails, after a message to `errors`, if it cannot.
  LogicalResult write(raw_ostream &errors = llvm::errs()) const;

private:
  ReportOptions options;
  std::shared_ptr<ReportData> data;
};

/// Fails, after a message to `errors`, if `path` is no file, or one of
/// `others`, which a report would overwrite. Some of them may be empty.
LogicalResult checkReportPath(StringRef path, ArrayRef<StringRef> others,
                              raw_ostream &errors = llvm::errs());

} // namespace mlir::relay

#endif // RELAY_MLIR_REPORT_REPORT_H
