//===- ConformanceVectors.cpp - Checks files of vectors -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConformanceVectors.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/ParseModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;
using namespace relay_vta;
using namespace relay_vta_sim;

/// The parser calls itself for each level.
static constexpr unsigned kMaxNesting = 64;
/// How far the cycle simulator may be from the RTL.
static constexpr double kCycleTolerance = 0.02;

template <typename... Ts>
static Error makeError(const char *format, const Ts &...values) {
  return createStringError(formatv(format, values...).str());
}

Error relay_vta_sim::readProgramFile(StringRef path, Program &program) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      mlir::relay::readInputFile(path);
  if (!buffer)
    return makeError("cannot read '{0}': {1}", path,
                     buffer.getError().message());
  const auto *bytes =
      reinterpret_cast<const uint8_t *>((*buffer)->getBufferStart());
  std::string message = readProgram(bytes, (*buffer)->getBufferSize(), program);
  if (!message.empty())
    return makeError("'{0}', {1}", path, message);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// cases.json
//===----------------------------------------------------------------------===//

/// A key whose value has another type would not be compared, and nobody would
/// know. null is as no value.
static Error checkTypes(StringRef path, const json::Object &object) {
  struct Key {
    StringLiteral name;
    json::Value::Kind kind;
    StringLiteral type;
  };
  static constexpr Key keys[] = {
      {"negative", json::Value::Boolean, "true or false"},
      {"expected_error", json::Value::String, "a text"},
      {"at_instruction", json::Value::Number, "an integer"},
      {"stuck_instruction", json::Value::Object, "an object"},
      {"profiler", json::Value::Object, "an object"},
      {"chisel_cycles", json::Value::Number, "an integer"}};
  for (const Key &key : keys) {
    const json::Value *value = object.get(key.name);
    if (!value || value->kind() == json::Value::Null)
      continue;
    if (value->kind() != key.kind ||
        (key.kind == json::Value::Number && !value->getAsInteger()))
      return makeError("'{0}': expects '{1}' to be {2}", path, key.name,
                       key.type);
  }
  if (const json::Object *counts = object.getObject("profiler"))
    for (const auto &[name, count] : *counts)
      if (!count.getAsInteger())
        return makeError("'{0}': expects '{1}' in 'profiler' to be an integer",
                         path, name.str());
  return Error::success();
}

Expected<const json::Object *> ConformanceVectors::findCase(StringRef path) {
  SmallString<128> casesPath = sys::path::parent_path(path);
  sys::path::append(casesPath, "cases.json");
  if (!sys::fs::exists(casesPath))
    return nullptr;
  auto it = files.find(casesPath);
  if (it == files.end()) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
        mlir::relay::readInputFile(casesPath);
    if (!buffer)
      return makeError("cannot read '{0}': {1}", casesPath,
                       buffer.getError().message());
    if (mlir::relay::findDeepNesting((*buffer)->getBuffer(), kMaxNesting))
      return makeError("'{0}': expects values in at most {1} others", casesPath,
                       kMaxNesting);
    Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
    if (!parsed)
      return makeError("'{0}': {1}", casesPath, toString(parsed.takeError()));
    it = files.try_emplace(casesPath, std::move(*parsed)).first;
  }
  const json::Object *file = it->second.getAsObject();
  const json::Array *cases = file ? file->getArray("cases") : nullptr;
  if (!cases)
    return makeError("'{0}': expects an object with an array 'cases'",
                     casesPath);
  StringRef name = sys::path::stem(path);
  for (const json::Value &value : *cases) {
    const json::Object *object = value.getAsObject();
    if (!object || object->getString("name") != name)
      continue;
    if (Error error = checkTypes(casesPath, *object))
      return std::move(error);
    return object;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static Error compareImage(StringRef path, const Program &program,
                          const std::vector<uint8_t> &image) {
  SmallString<128> outPath = path;
  sys::path::replace_extension(outPath, "out");
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      mlir::relay::readInputFile(outPath);
  if (!buffer)
    return makeError("cannot read '{0}': {1}", outPath,
                     buffer.getError().message());
  StringRef expected = (*buffer)->getBuffer();
  if (expected.size() != image.size())
    return makeError("expects {0} bytes in '{1}', but got {2}", image.size(),
                     outPath, expected.size());
  size_t count = 0, first = 0;
  for (size_t i = image.size(); i-- > 0;)
    if (static_cast<uint8_t>(expected[i]) != image[i]) {
      ++count;
      first = i;
    }
  if (!count)
    return Error::success();
  std::optional<uint64_t> store = findStore(program, program.dramBase + first);
  return makeError(
      "{0} bytes differ, first at {1:x}: expects {2:x-2}, but got {3:x-2}{4}",
      count, program.dramBase + first, static_cast<uint8_t>(expected[first]),
      image[first],
      store ? formatv(", which instruction {0} stores", *store).str()
            : std::string(", which no instruction stores"));
}

static Error compareProfile(const json::Object *expected,
                            const Profile &profile) {
  const json::Object *counts =
      expected ? expected->getObject("profiler") : nullptr;
  if (!counts)
    return Error::success();
  std::pair<const char *, uint64_t> values[] = {
      {"inp_load_nbytes", profile.inpLoadBytes},
      {"wgt_load_nbytes", profile.wgtLoadBytes},
      {"acc_load_nbytes", profile.accLoadBytes},
      {"uop_load_nbytes", profile.uopLoadBytes},
      {"out_store_nbytes", profile.outStoreBytes},
      {"gemm_counter", profile.gemmCount},
      {"alu_counter", profile.aluCount}};
  for (auto [name, value] : values) {
    std::optional<int64_t> count = counts->getInteger(name);
    if (count && static_cast<uint64_t>(*count) != value)
      return makeError("expects {0} {1}, but got {2}", name, *count, value);
  }
  return Error::success();
}

/// Where cases.json sees the fault, if that is not where it was found; the kind
/// decides.
static std::string getPlaceNote(const json::Object &expected,
                                const RunStatus &status) {
  if (std::optional<int64_t> index = expected.getInteger("at_instruction"))
    if (status.instruction != static_cast<uint64_t>(*index))
      return formatv(" (cases.json: at instruction {0})", *index).str();
  const json::Object *stuck = expected.getObject("stuck_instruction");
  if (!stuck)
    return "";
  for (unsigned i = 0; i < kNumStages; ++i) {
    const char *name = getStageName(static_cast<Stage>(i));
    std::optional<int64_t> index = stuck->getInteger(name);
    if (index ? status.stuck[i] != static_cast<uint64_t>(*index)
              : status.stuck[i].has_value())
      return formatv(" (cases.json: {0} stops at {1})", name,
                     index ? std::to_string(*index) : "its end")
          .str();
  }
  return "";
}

Expected<std::string>
ConformanceVectors::checkRun(StringRef path, const Program &program,
                             const json::Object *expected) {
  std::vector<uint8_t> image = program.image;
  Simulator simulator(program.config);
  Timing timing;
  RunStatus status =
      withCycles ? simulator.runCycles(program.instructions, program.dramBase,
                                       image, timing, options)
                 : simulator.run(program.instructions, program.dramBase, image,
                                 options);
  if (expected && expected->getBoolean("negative").value_or(false)) {
    std::optional<StringRef> kind = expected->getString("expected_error");
    if (!kind)
      return makeError("expects 'expected_error' in cases.json");
    if (status.isOk())
      return makeError("expects error {0}, but got none", *kind);
    if (*kind != getErrorKindName(status.kind))
      return makeError("expects error {0}, but got {1}: {2}", *kind,
                       getErrorKindName(status.kind), status.message);
    return formatv("refused, {0}: {1}{2}", *kind, status.message,
                   getPlaceNote(*expected, status))
        .str();
  }
  if (!status.isOk())
    return makeError("{0}: {1}", getErrorKindName(status.kind), status.message);
  if (Error error = compareImage(path, program, image))
    return std::move(error);
  if (Error error = compareProfile(expected, simulator.getProfile()))
    return std::move(error);
  if (!withCycles)
    return "ok";
  std::optional<int64_t> cycles =
      expected ? expected->getInteger("chisel_cycles") : std::nullopt;
  if (!cycles)
    return formatv("ok, {0} cycles", timing.cycles).str();
  double error =
      static_cast<double>(timing.cycles) / static_cast<double>(*cycles) - 1;
  std::string text = formatv("{0} cycles, RTL {1} ({2}{3:P2})", timing.cycles,
                             *cycles, error < 0 ? "" : "+", error)
                         .str();
  if (!(std::abs(error) <= kCycleTolerance))
    return makeError("expects cycles within 2 % of the RTL, but got {0}", text);
  return "ok, " + text;
}

Expected<std::string> ConformanceVectors::checkFile(StringRef path) {
  Expected<const json::Object *> expected = findCase(path);
  if (!expected)
    return expected.takeError();
  Program program;
  if (Error error = readProgramFile(path, program))
    return std::move(error);
  return checkRun(path, program, *expected);
}

bool ConformanceVectors::check(StringRef path, raw_ostream &os) {
  Expected<std::string> result = checkFile(path);
  os << path << ": ";
  if (result) {
    os << *result << '\n';
    return true;
  }
  os << "FAIL: " << toString(result.takeError()) << '\n';
  return false;
}
