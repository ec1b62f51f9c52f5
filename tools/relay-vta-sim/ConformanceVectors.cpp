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
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

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
  size_t size = (*buffer)->getBufferSize();
  std::string message = readProgram(bytes, size, program);
  if (message.empty())
    return Error::success();
  bool mayBeRaw = size && size % kInstructionBytes == 0 &&
                  !(*buffer)->getBuffer().starts_with("VTAO");
  return makeError("'{0}', {1}{2}", path, message,
                   mayBeRaw ? "; a raw stream needs --config" : "");
}

std::string relay_vta_sim::explain(const RunStatus &status) {
  return status.message +
         (status.kind == ErrorKind::Limit ? "; --max-work sets the limit" : "");
}

//===----------------------------------------------------------------------===//
// cases.json
//===----------------------------------------------------------------------===//

namespace {

/// A key of an object, and the type of its value.
struct Key {
  StringLiteral name;
  json::Value::Kind kind;
  /// Of what a run has to end with: well, or in an error.
  enum { Always, Positive, Negative } of = Always;
};

} // namespace

static constexpr Key kFileKeys[] = {{"format", json::Value::Number},
                                    {"cases", json::Value::Array}};
static constexpr Key kCaseKeys[] = {
    {"negative", json::Value::Boolean},
    {"expected_error", json::Value::String, Key::Negative},
    {"at_instruction", json::Value::Number, Key::Negative},
    {"stuck_instruction", json::Value::Object, Key::Negative},
    {"profiler", json::Value::Object, Key::Positive},
    {"chisel_cycles", json::Value::Number, Key::Positive}};
/// What a case is, for readers.
static constexpr StringLiteral kDescriptions[] = {
    "name",       "configuration",    "config",        "dram_base",
    "dram_bytes", "instructions",     "exercises",     "backends",
    "note",       "checked_by_numpy", "changed_bytes", "published_simulator"};
static constexpr Key kCounts[] = {{"inp_load_nbytes", json::Value::Number},
                                  {"wgt_load_nbytes", json::Value::Number},
                                  {"acc_load_nbytes", json::Value::Number},
                                  {"uop_load_nbytes", json::Value::Number},
                                  {"out_store_nbytes", json::Value::Number},
                                  {"gemm_counter", json::Value::Number},
                                  {"alu_counter", json::Value::Number}};
static constexpr Key kStages[] = {{"load", json::Value::Number},
                                  {"compute", json::Value::Number},
                                  {"store", json::Value::Number}};

static StringRef getTypeName(json::Value::Kind kind) {
  switch (kind) {
  case json::Value::Boolean:
    return "true or false";
  case json::Value::Number:
    return "an integer";
  case json::Value::String:
    return "a text";
  case json::Value::Array:
    return "an array";
  default:
    return "an object";
  }
}

/// Values of another type would not be compared, and nobody would know; nor
/// would those of keys that are unknown, which others may have in their files:
/// `warn` tells of them. null is as no value.
static Error checkKeys(StringRef path, const Twine &place,
                       const json::Object &object, ArrayRef<Key> keys,
                       function_ref<void(const Twine &)> warn) {
  // The first error is the same one in each run.
  auto names = map_to_vector(
      object, [](const auto &entry) { return StringRef(entry.first); });
  sort(names);
  for (StringRef name : names) {
    const json::Value &value = *object.get(name);
    const Key *key =
        find_if(keys, [&](const Key &other) { return other.name == name; });
    if (key == keys.end()) {
      if (!is_contained(kDescriptions, name))
        warn("'" + path + "': nothing is compared with '" + name + "'" + place);
      continue;
    }
    if (value.kind() == json::Value::Null)
      continue;
    if (value.kind() != key->kind ||
        (key->kind == json::Value::Number && !value.getAsInteger()))
      return makeError("'{0}': expects '{1}'{2} to be {3}", path, key->name,
                       place.str(), getTypeName(key->kind));
  }
  return Error::success();
}

static bool isErrorKind(StringRef name) {
  for (unsigned i = 1; i < kNumErrorKinds; ++i)
    if (name == getErrorKindName(static_cast<ErrorKind>(i)))
      return true;
  return false;
}

static Error checkCase(StringRef path, const json::Object &object,
                       function_ref<void(const Twine &)> warn) {
  if (Error error = checkKeys(path, "", object, kCaseKeys, warn))
    return error;
  for (auto [name, keys] :
       {std::pair<StringRef, ArrayRef<Key>>("profiler", kCounts),
        std::pair<StringRef, ArrayRef<Key>>("stuck_instruction", kStages)})
    if (const json::Object *values = object.getObject(name))
      if (Error error =
              checkKeys(path, " in '" + name + "'", *values, keys, warn))
        return error;
  if (std::optional<int64_t> cycles = object.getInteger("chisel_cycles");
      cycles && *cycles < 1)
    return makeError("'{0}': expects 'chisel_cycles' to be 1 or more, but got "
                     "{1}",
                     path, *cycles);
  bool isNegative = object.getBoolean("negative").value_or(false);
  for (const Key &key : kCaseKeys)
    if (key.of == (isNegative ? Key::Positive : Key::Negative))
      if (const json::Value *value = object.get(key.name);
          value && value->kind() != json::Value::Null)
        return makeError("'{0}': expects no '{1}' of a case that is {2}", path,
                         key.name, isNegative ? "negative" : "not negative");
  if (!isNegative)
    return Error::success();
  std::optional<StringRef> kind = object.getString("expected_error");
  if (!kind)
    return makeError("'{0}': expects 'expected_error' of a case that is "
                     "negative",
                     path);
  if (!isErrorKind(*kind))
    return makeError("'{0}': expects a kind of error in 'expected_error', but "
                     "got '{1}'",
                     path, *kind);
  return Error::success();
}

/// The case of a name; null if there is none.
static Expected<const json::Object *>
findCaseOf(StringRef path, const json::Array &cases, StringRef name,
           function_ref<void(const Twine &)> warn) {
  const json::Object *found = nullptr;
  for (const json::Value &value : cases) {
    const json::Object *object = value.getAsObject();
    std::optional<StringRef> other =
        object ? object->getString("name") : std::nullopt;
    if (!other)
      return makeError("'{0}': expects objects with a text 'name' in 'cases'",
                       path);
    if (*other != name)
      continue;
    if (found)
      return makeError("'{0}': expects one case '{1}', but got two", path,
                       name);
    found = object;
  }
  if (found)
    if (Error error = checkCase(path, *found, warn))
      return std::move(error);
  return found;
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
  auto warn = [&](const Twine &message) {
    if (warnings.insert(message.str()).second)
      WithColor::warning(errs()) << message << '\n';
  };
  if (Error error = checkKeys(casesPath, "", *file, kFileKeys, warn))
    return std::move(error);
  if (int64_t format = file->getInteger("format").value_or(1); format != 1)
    return makeError("'{0}': expects format 1, but got {1}", casesPath, format);
  return findCaseOf(casesPath, *cases, sys::path::stem(path), warn);
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
    StringRef kind = *expected->getString("expected_error");
    if (status.isOk())
      return makeError("expects error {0}, but got none", kind);
    if (kind != getErrorKindName(status.kind))
      return makeError("expects error {0}, but got {1}: {2}", kind,
                       getErrorKindName(status.kind), explain(status));
    return formatv("refused, {0}: {1}{2}", kind, explain(status),
                   getPlaceNote(*expected, status))
        .str();
  }
  if (!status.isOk())
    return makeError("{0}: {1}", getErrorKindName(status.kind),
                     explain(status));
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
