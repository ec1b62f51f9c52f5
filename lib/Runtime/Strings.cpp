//===- Strings.cpp - Strings of a run -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strings.h"

#include "CodePoints.h"
#include "Error.h"
#include "Module.h"
#include "RE2/Patterns.h"

#include <dlfcn.h>
#include <utility>

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Beside the run time, or wherever the system finds libraries. It stays
/// loaded.
static const PatternAPI &loadPatterns() {
  std::vector<std::string> paths = {kPatternLibrary};
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&loadPatterns), &own) && own.dli_fname) {
    std::string path = own.dli_fname;
    if (size_t slash = path.rfind('/'); slash != std::string::npos)
      paths.insert(paths.begin(), path.substr(0, slash + 1) + kPatternLibrary);
  }
  std::string reasons;
  for (const std::string &path : paths) {
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      reasons += std::string("; ") + dlerror();
      continue;
    }
    auto getAPI = reinterpret_cast<const PatternAPI *(*)()>(
        dlsym(handle, kPatternSymbol));
    if (getAPI && getAPI()->version == kPatternVersion)
      return *getAPI();
    reasons += "; '" + path + "' is of another version";
  }
  fail(RELAY_INCOMPATIBLE, "expects ", kPatternLibrary,
       " for regular expressions, which the project builds with RE2 (Debian: "
       "libre2-dev), but found none",
       reasons);
}

static const PatternAPI &getPatterns() {
  static const PatternAPI &api = loadPatterns();
  return api;
}

Pattern::Pattern(std::string_view text, bool isLongest) : api(getPatterns()) {
  char error[256];
  pattern =
      api.compile(text.data(), text.size(), isLongest, error, sizeof(error));
  if (!pattern)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a regular expression of RE2, but got \"", std::string(text),
         "\": ", error);
}

Pattern::~Pattern() { api.free(pattern); }

bool Pattern::matchesAll(std::string_view text) const {
  size_t begin, end;
  return api.match(pattern, text.data(), text.size(), 0, /*isFull=*/true,
                   &begin, &end);
}

bool Pattern::find(std::string_view text, size_t begin, size_t &at,
                   size_t &size) const {
  size_t end;
  if (!api.match(pattern, text.data(), text.size(), begin, /*isFull=*/false,
                 &at, &end))
    return false;
  size = end - at;
  return true;
}

//===----------------------------------------------------------------------===//
// Strings of a module
//===----------------------------------------------------------------------===//

ModuleStrings::ModuleStrings() { add(""); }

ModuleStrings::ModuleStrings(const RelayArtifact &artifact) {
  for (int64_t i = 0; i < artifact.num_strings; ++i) {
    std::string text = artifact.strings[i];
    for (size_t at = 0;
         (at = text.find(RELAY_STRING_ZERO, at)) != std::string::npos;)
      text.replace(at++, sizeof(RELAY_STRING_ZERO) - 1, 1, '\0');
    add(std::move(text));
  }
  if (texts.empty())
    add("");
}

void ModuleStrings::add(std::string text) {
  texts.push_back(std::move(text));
  numbers.emplace(texts.back(), size() - 1);
}

const int64_t *ModuleStrings::findNumber(std::string_view text) const {
  auto found = numbers.find(text);
  return found == numbers.end() ? nullptr : &found->second;
}

const Pattern &ModuleStrings::getPattern(std::string_view text,
                                         bool isLongest) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Pattern> &pattern = patterns[{std::string(text), isLongest}];
  if (!pattern)
    pattern = std::make_unique<Pattern>(text, isLongest);
  return *pattern;
}

//===----------------------------------------------------------------------===//
// Strings of a run
//===----------------------------------------------------------------------===//

int64_t RelayStrings::size() const {
  std::lock_guard<std::mutex> lock(mutex);
  return base->size() + static_cast<int64_t>(texts.size());
}

int64_t RelayStrings::getNumber(std::string_view text) {
  std::lock_guard<std::mutex> lock(mutex);
  return add(text);
}

std::string_view RelayStrings::getText(int64_t number) const {
  std::lock_guard<std::mutex> lock(mutex);
  return lookup(number);
}

int64_t RelayStrings::add(std::string_view text) {
  if (const int64_t *number = base->findNumber(text))
    return *number;
  if (auto found = numbers.find(text); found != numbers.end())
    return found->second;
  if (!isUTF8(text))
    fail(RELAY_INVALID_ARGUMENT, "expects a string in UTF-8, but got other "
                                 "bytes");
  texts.emplace_back(text);
  int64_t number = base->size() + static_cast<int64_t>(texts.size()) - 1;
  numbers.emplace(texts.back(), number);
  return number;
}

std::string_view RelayStrings::lookup(int64_t number) const {
  int64_t first = base->size();
  if (number < 0 || number >= first + static_cast<int64_t>(texts.size()))
    fail(RELAY_INVALID_ARGUMENT, "expects the number of a string, below ",
         first + texts.size(), ", but got ", number);
  return number < first ? base->getText(number) : texts[number - first];
}

//===----------------------------------------------------------------------===//
// C functions
//===----------------------------------------------------------------------===//

RelayStatus relayStringsCreate(const RelayModule *module,
                               RelayStrings **strings) {
  return guard([&] {
    *strings = new RelayStrings(module ? module->getStrings()
                                       : std::make_shared<ModuleStrings>());
  });
}

void relayStringsFree(RelayStrings *strings) { delete strings; }

int64_t relayStringsGetSize(const RelayStrings *strings) {
  return strings->size();
}

RelayStatus relayStringsGetNumber(RelayStrings *strings, const char *text,
                                  uint64_t length, int64_t *number) {
  return guard([&] { *number = strings->getNumber({text, length}); });
}

RelayStatus relayStringsGetText(const RelayStrings *strings, int64_t number,
                                const char **text, uint64_t *length) {
  return guard([&] {
    std::string_view found = strings->getText(number);
    *text = found.data();
    *length = found.size();
  });
}

static thread_local RelayStrings *usedStrings = nullptr;

RelayStrings *relayUseStrings(RelayStrings *strings) {
  return std::exchange(usedStrings, strings);
}

RelayStrings *relayGetUsedStrings(void) { return usedStrings; }

RelayStatus relayStringsCall(RelayStrings *strings, int32_t function,
                             const int64_t *args, int32_t numArgs,
                             int64_t *result) {
  return guard([&] {
    *result = strings->call(function, args, numArgs, strings->ownLists);
  });
}

RelayStatus relayCheckPattern(const char *pattern, uint64_t length) {
  return guard(
      [&] { Pattern(std::string_view(pattern, length), /*isLongest=*/false); });
}
