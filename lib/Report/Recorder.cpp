//===- Recorder.cpp - What passes do, while they do it --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "MemoryPlan.h"
#include "ModelExplorer.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::relay;

// Bounds of what a page holds, whatever the size of the model.
static constexpr size_t kMaxGraphNodes = 50000;
static constexpr size_t kMaxMiddleNodes = 30000;
static constexpr size_t kMaxDiffLines = 400;
static constexpr size_t kMaxDiffBytes = 4 << 20;
static constexpr size_t kMaxDifferences = 40;
static constexpr size_t kMaxErrors = 20;

static std::string toUTF8(StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static OperationCounts countOperations(Operation *root) {
  llvm::StringMap<int64_t> counts;
  root->walk([&](Operation *op) {
    if (op != root)
      ++counts[op->getName().getStringRef()];
  });
  OperationCounts sorted;
  for (const auto &entry : counts)
    sorted[entry.getKey().str()] = entry.getValue();
  return sorted;
}

static void addCounts(OperationCounts &sum, const OperationCounts &counts) {
  for (const auto &[name, count] : counts)
    sum[name] += count;
}

static std::string getName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  std::string text = op->getName().getStringRef().str();
  return name ? text + " @" + toUTF8(name.getValue()) : text;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

void ReportData::addPipeline(std::string text) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!text.empty())
    pipelines.push_back(std::move(text));
}

std::shared_ptr<ReportData::State> ReportData::getState(Operation *op) {
  OperationFingerPrint fingerprint(op);
  std::shared_ptr<State> &state = states[op];
  if (state && state->fingerprint == fingerprint)
    return state;
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, getReportFlags());
  state = std::make_shared<State>(
      State{fingerprint, toUTF8(text), countOperations(op)});
  return state;
}

void ReportData::beginPass(StringRef name, bool isAdaptor, Operation *op) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Clock::time_point entry = Clock::now();
  if (!root) {
    root = op;
    positions.clear();
    ++numGroups;
    errors.clear();
    if (graphs.empty())
      addGraph(op, std::nullopt);
  }
  std::vector<Frame> &stack = frames[llvm::get_threadid()];
  Frame frame{name.str(), isAdaptor, op, nullptr, {}, {}, numGroups, 0};
  if (!isAdaptor) {
    frame.position = positions[op]++;
    frame.before = getState(op);
  }
  if (!stack.empty())
    stack.back().overhead += Clock::now() - entry;
  stack.push_back(std::move(frame));
  stack.back().start = Clock::now();
}

ReportStep &ReportData::getStep(const Frame &frame) {
  auto isBefore = [&](const ReportStep &step) {
    return step.group != frame.group || step.position <= frame.position;
  };
  for (ReportStep &step : llvm::reverse(steps))
    if (step.kind == ReportStep::Kind::Pass && step.group == frame.group &&
        step.position == frame.position && step.name == frame.name)
      return step;
    else if (step.group < frame.group)
      break;
  // Threads may reach later passes of one function before others have begun.
  auto place = steps.end();
  while (place != steps.begin() && !isBefore(*std::prev(place)))
    --place;
  ReportStep &step = *steps.emplace(place);
  step.name = toUTF8(frame.name);
  step.group = frame.group;
  step.position = frame.position;
  step.operation = frame.op->getName().getStringRef().str();
  return step;
}

void ReportData::endPass(Operation *op, bool hasFailed) {
  Clock::time_point end = Clock::now();
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::vector<Frame> &stack = frames[llvm::get_threadid()];
  if (stack.empty())
    return;
  Frame frame = std::move(stack.back());
  stack.pop_back();
  bool isRoot = frame.op == root && stack.empty();
  if (!frame.isAdaptor) {
    ReportStep &step = getStep(frame);
    ++step.numOperations;
    step.seconds +=
        std::chrono::duration<double>(end - frame.start - frame.overhead)
            .count();
    step.hasFailed |= hasFailed;
    if (hasFailed)
      step.errors = errors;
    std::shared_ptr<State> after = getState(op);
    addCounts(step.before, frame.before->counts);
    addCounts(step.after, after->counts);
    addDifference(step, op, *frame.before, *after);
    // Functions may be gone; what is left is found by its fingerprint.
    if (isRoot && frame.before != after) {
      states.clear();
      states[op] = after;
    }
  }
  // What other threads have said comes when all of them are done.
  if (frame.isAdaptor && hasFailed)
    for (ReportStep &step : llvm::reverse(steps)) {
      if (step.group != frame.group)
        break;
      if (step.hasFailed && step.errors.empty())
        step.errors = errors;
    }
  if (isRoot) {
    addGraph(op, frame.group);
    root = nullptr;
  } else if (!stack.empty()) {
    stack.back().overhead += Clock::now() - end;
  }
}

void ReportData::addPass(StringRef name, double seconds, Operation *before,
                         Operation *after) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  beginPass(name, /*isAdaptor=*/false, before);
  endPass(after ? after : before, /*hasFailed=*/!after);
  // It may be gone when the next one begins.
  states.clear();
  root = nullptr;
  steps.back().seconds = seconds;
}

size_t ReportData::getNumSteps() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return steps.size();
}

void ReportData::addDifference(ReportStep &step, Operation *op,
                               const State &before, const State &after) {
  if (before.text == after.text)
    return;
  if (step.differences.size() >= kMaxDifferences ||
      numDiffBytes > kMaxDiffBytes) {
    ++step.numOmitted;
    return;
  }
  TextDiff diff = diffTexts(before.text, after.text, kMaxDiffLines);
  for (const std::string &line : diff.lines)
    numDiffBytes += line.size();
  if (!diff.lines.empty())
    step.differences.push_back({getName(op), std::move(diff)});
}

void ReportData::addError(const Diagnostic &diagnostic) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!root || errors.size() >= kMaxErrors)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << diagnostic.getLocation() << ": " << diagnostic.str();
  errors.push_back(toUTF8(text));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

size_t ReportData::beginPhase(StringRef name) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  ReportStep &step = steps.emplace_back();
  step.kind = ReportStep::Kind::Phase;
  step.name = name.str();
  // After the passes that ran before it, and before those that come.
  step.group = ++numGroups;
  phaseStarts.push_back(Clock::now());
  return step.group;
}

void ReportData::endPhase(size_t group) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Clock::time_point start = phaseStarts.back();
  phaseStarts.pop_back();
  for (ReportStep &step : steps)
    if (step.kind == ReportStep::Kind::Phase && step.group == group)
      step.seconds =
          std::chrono::duration<double>(Clock::now() - start).count();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

void ReportData::addGraph(Operation *op, std::optional<size_t> group) {
  OperationFingerPrint fingerprint(op);
  if (lastFingerprint == fingerprint)
    return;
  lastFingerprint = fingerprint;
  op->walk([&](relax::FuncOp function) {
    if (!function.getBody().getOps<relax::AllocStorageOp>().empty())
      memory = describeMemoryPlan(function);
  });
  Graph graph = buildGraph(op, texts, kMaxGraphNodes);
  // The same graph once more says nothing.
  if (!graphs.empty() && graphs.back().graph == graph)
    return;
  graphs.push_back({std::move(graph), group});
  size_t numNodes = 0;
  for (size_t i = 1; i + 1 < graphs.size(); ++i)
    numNodes += graphs[i].graph.getNumNodes();
  if (numNodes > kMaxMiddleNodes) {
    graphs.erase(graphs.end() - 2);
    ++numGraphsOmitted;
  }
}

std::string ReportData::getTitle(const ReportGraph &graph) const {
  if (!graph.group)
    return "at the start";
  std::string title;
  for (const ReportStep &step : steps)
    if (step.group == *graph.group)
      title = "after " + step.name;
  return title.empty() ? "at the end" : title;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static llvm::json::Value toJSON(const OperationCounts &counts) {
  llvm::json::Object object;
  for (const auto &[name, count] : counts)
    object[toUTF8(name)] = count;
  return object;
}

static llvm::json::Value toJSON(const ReportStep &step) {
  llvm::json::Array differences;
  for (const ReportStep::Difference &difference : step.differences)
    differences.push_back(
        llvm::json::Object{{"where", difference.where},
                           {"lines", llvm::json::Array(difference.text.lines)},
                           {"removed", difference.text.numRemoved},
                           {"added", difference.text.numAdded},
                           {"omitted", difference.text.numOmitted},
                           {"replaced", difference.text.isReplaced}});
  return llvm::json::Object{
      {"kind", step.kind == ReportStep::Kind::Phase ? "phase" : "pass"},
      {"name", step.name},
      {"operation", step.operation},
      {"operations", step.numOperations},
      {"seconds", step.seconds},
      {"failed", step.hasFailed},
      {"before", toJSON(step.before)},
      {"after", toJSON(step.after)},
      {"differences", std::move(differences)},
      {"omitted", step.numOmitted},
      {"errors", llvm::json::Array(step.errors)}};
}

llvm::json::Value ReportData::toJSON() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  llvm::json::Array stepList, graphList, times;
  for (const ReportStep &step : steps)
    stepList.push_back(::toJSON(step));
  for (const ReportGraph &graph : graphs) {
    llvm::json::Value value = graph.graph.toJSON();
    llvm::json::Object &object = *value.getAsObject();
    object["title"] = getTitle(graph);
    // The number of the last step before it.
    object["step"] = nullptr;
    for (auto [index, step] : llvm::enumerate(steps))
      if (graph.group && step.group == *graph.group)
        object["step"] = index;
    graphList.push_back(std::move(value));
  }
  for (const KernelTime &time : kernelTimes)
    times.push_back(
        llvm::json::Object{{"kernel", time.name}, {"us", time.microseconds}});
  llvm::json::Array textList;
  for (StringRef text : texts.getTexts())
    textList.push_back(text);
  return llvm::json::Object{{"pipelines", llvm::json::Array(pipelines)},
                            {"steps", std::move(stepList)},
                            {"graphs", std::move(graphList)},
                            {"graphsOmitted", numGraphsOmitted},
                            {"texts", std::move(textList)},
                            {"memory", memory ? *memory : nullptr},
                            {"profile", std::move(times)}};
}

llvm::json::Value ReportData::toModelExplorer() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  llvm::json::Array list;
  for (const ReportGraph &graph : graphs)
    list.push_back(
        relay::toModelExplorer(graph.graph, texts.getTexts(), getTitle(graph)));
  return llvm::json::Object{{"label", "relay-mlir"},
                            {"graphs", std::move(list)}};
}
